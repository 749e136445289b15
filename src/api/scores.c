/* SPDX-License-Identifier: BSD-2-Clause */
/* The scores of a session: values, pools, aggregates, totals. */
#include <string.h>

#include "api/api.h"
#include "engine/pump.h"
#include "engine/ring.h"
#include "host/fpenv.h"

uint32_t assay_session_totals(const assay_session *s) { return api_planned(s) ? s->n_accumulators : 0; }

const char *assay_session_total_name(const assay_session *s, uint32_t index)
{
    return index < assay_session_totals(s) ? s->accumulator_name[index] : NULL;
}

uint32_t assay_session_total_encode(const assay_session *s, uint32_t index)
{
    return index < assay_session_totals(s) ? index / (s->n_accumulators / s->encodes) : 0;
}

int assay_session_poll(assay_session *s, uint64_t *frame, double *values)
{
    TRY(api_begin(s, api_started(s) && !s->callback && frame && values,
                  "frames are polled after the start, when no callback is set"));
    pthread_mutex_lock(&s->lock);
    const bool there = s->polled < s->delivered;
    if (there)
        *frame = pump_row(s, s->polled++, values);
    const int rc = there ? 1 : ring_failed(s);
    pthread_mutex_unlock(&s->lock);
    return rc;
}

/* ---- rows ---- */

uint32_t assay_session_find_key(const assay_session *s, uint32_t encode, const char *key)
{
    if (!api_planned(s) || encode >= s->encodes || !key)
        return ASSAY_NONE;
    const uint32_t each = s->n_keys / s->encodes;
    for (uint32_t i = encode * each; i < (encode + 1) * each; i++)
        if (!strcmp(s->key[i], key))
            return i;
    return ASSAY_NONE;
}

uint64_t assay_session_rows(assay_session *s, uint32_t encode)
{
    if (!api_started(s) || encode >= s->encodes)
        return 0;
    pthread_mutex_lock(&s->lock);
    const uint64_t rows = s->encode[encode].scores.rows;
    pthread_mutex_unlock(&s->lock);
    return rows;
}

const double *assay_session_row(assay_session *s, uint32_t encode, uint64_t row, uint64_t *frame)
{
    if (row >= assay_session_rows(s, encode))
        return NULL;
    pthread_mutex_lock(&s->lock); /* rows stay where they are, the lists of them don't */
    const double *values = scores_row(&s->encode[encode].scores, row);
    if (frame)
        *frame = s->encode[encode].scores.frame[row];
    pthread_mutex_unlock(&s->lock);
    return values;
}

/* assay_session_value under the lock. */
static int find_value(assay_session *s, uint32_t index, uint64_t frame, double *value)
{
    const uint32_t each = s->n_keys / s->encodes, encode = index / each;
    const struct scores *of = &s->encode[encode].scores;
    const uint64_t row = scores_find(of, frame);
    if (row < of->rows && of->frame[row] == frame) {
        *value = scores_value(of, row, index % each);
        return 1;
    }
    if (row < of->rows)
        return assay_fail(&s->error, ASSAY_EUSAGE, "frame %llu was not submitted to be scored",
                          (unsigned long long)frame);
    if (s->ended >> encode & 1)
        return assay_fail(&s->error, ASSAY_EUSAGE, "encode %u has ended before frame %llu", encode,
                          (unsigned long long)frame);
    return ring_failed(s);
}

int assay_session_value(assay_session *s, uint32_t index, uint64_t frame, double *value)
{
    TRY(api_begin(s, api_started(s) && index < s->n_keys && value, "values are of a key of a session that is started"));
    pthread_mutex_lock(&s->lock);
    const int rc = find_value(s, index, frame, value);
    pthread_mutex_unlock(&s->lock);
    return rc;
}

/* ---- pools ---- */

int assay_session_pooled_range(assay_session *s, uint32_t index, const char *pool, uint64_t first, uint64_t end,
                               double *value)
{
    enum pool kind;
    double percent;
    struct assay_fpenv saved;
    TRY(api_begin(s, api_started(s) && index < s->n_keys && pool && value && pool_parse(pool, &kind, &percent),
                  "pooled scores need a started session, a key and a pool (mean, harmonic_mean, min, max, perc5)"));
    const uint32_t each = s->n_keys / s->encodes;
    const struct scores *of = &s->encode[index / each].scores;
    pthread_mutex_lock(&s->lock);
    assay_fpenv_enter(&saved);
    *value = scores_pool_rows(of, index % each, scores_find(of, first), end == UINT64_MAX ? end : scores_find(of, end),
                              kind, percent, NULL);
    assay_fpenv_leave(&saved);
    pthread_mutex_unlock(&s->lock);
    return ASSAY_OK;
}

int assay_session_pooled_at(assay_session *s, uint32_t index, const char *pool, double *value)
{
    return assay_session_pooled_range(s, index, pool, 0, UINT64_MAX, value);
}

int assay_session_pooled(assay_session *s, const char *key, const char *pool, double *value)
{
    TRY(api_begin(s, api_started(s) && key, "pooled scores need a started session and a key"));
    const uint32_t index = assay_session_find_key(s, 0, key);
    if (index == ASSAY_NONE)
        return assay_fail(&s->error, ASSAY_EUSAGE, "this session scores no '%s'", key);
    return assay_session_pooled_at(s, index, pool, value);
}

int assay_session_aggregate(assay_session *s, uint32_t index, double *value)
{
    TRY(api_begin(s, api_planned(s) && index < s->n_aggregates && value, "no such aggregate"));
    TRY(s->started ? session_drain(s) : ASSAY_OK);
    *value = session_aggregate(s, index);
    return ASSAY_OK;
}

int assay_session_total(assay_session *s, uint32_t index, assay_total *total)
{
    TRY(api_begin(s, index < assay_session_totals(s) && total, "no such total"));
    TRY(s->started ? session_drain(s) : ASSAY_OK);
    const assay_i128 v = s->accumulator[index];
    *total = (assay_total){.low = (uint64_t)v, .high = (int64_t)(v >> 64)};
    return ASSAY_OK;
}

int assay_session_add_totals(assay_session *s, uint64_t frames, const assay_total *totals)
{
    TRY(api_begin(s, api_planned(s) && totals, "totals are added to a session that is planned or started"));
    TRY(s->started ? session_drain(s) : ASSAY_OK);
    for (int pass = 0; pass < 2; pass++) /* pass 0 looks for overflow and changes nothing */
        for (uint32_t i = 0; i < s->n_accumulators; i++) {
            const assay_i128 v = (assay_i128)totals[i].high * ((assay_i128)1 << 64) + totals[i].low;
            assay_i128 sum;
            if (__builtin_add_overflow(s->accumulator[i], v, &sum))
                return assay_fail(&s->error, ASSAY_EUSAGE, "the total '%s' is out of range", s->accumulator_name[i]);
            s->accumulator[i] = pass ? sum : s->accumulator[i];
        }
    for (uint32_t k = 0; k < s->encodes; k++)
        s->encode[k].counted += frames;
    return ASSAY_OK;
}

int assay_session_add_scores(assay_session *s, uint64_t frame, const double *values)
{
    TRY(api_begin(s, api_planned(s) && !s->started && values,
                  "scores are added to a session that is planned and not started"));
    const struct scores *first = &s->encode[0].scores;
    if (first->rows && frame <= first->frame[first->rows - 1])
        return assay_fail(&s->error, ASSAY_EUSAGE, "scores are added in the order of the frames");
    for (uint32_t k = 0; k < s->encodes; k++)
        TRY(scores_add(&s->encode[k].scores, frame, SCORES_NO_TIME, values + k * (s->n_keys / s->encodes), &s->error));
    return ASSAY_OK;
}
