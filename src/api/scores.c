/* SPDX-License-Identifier: BSD-2-Clause */
/* The scores of a session: values, pools, aggregates, totals. */
#include <math.h> /* NAN only */
#include <string.h>

#include "api/api.h"
#include "host/fpenv.h"

uint32_t assay_session_totals(const assay_session *s) { return api_planned(s) ? s->n_accumulators : 0; }

const char *assay_session_total_name(const assay_session *s, uint32_t index)
{
    return index < assay_session_totals(s) ? s->accumulator_name[index] : NULL;
}

uint32_t assay_session_total_encode(const assay_session *s, uint32_t index)
{
    return api_planned(s) && s->n_accumulators ? index / (s->n_accumulators / s->encodes) : 0;
}

int assay_session_poll(assay_session *s, uint64_t *frame, double *values)
{
    TRY(api_begin(s, api_started(s) && !s->callback && frame && values,
                  "frames are polled after the start, when no callback is set"));
    pthread_mutex_lock(&s->lock);
    int rc = s->run_error.code;
    if (s->polled < s->scores.rows) {
        *frame = s->scores.frame[s->polled];
        memcpy(values, s->scores.value + s->polled * s->n_keys, s->n_keys * sizeof *values);
        s->polled++;
        rc = 1;
    } else if (rc)
        s->error = s->run_error;
    pthread_mutex_unlock(&s->lock);
    return rc;
}

int assay_session_pooled_at(assay_session *s, uint32_t index, const char *pool, double *value)
{
    enum pool kind;
    double percent;
    struct assay_fpenv saved;
    TRY(api_begin(s, api_started(s) && index < s->n_keys && pool && value && pool_parse(pool, &kind, &percent),
                  "pooled scores need a started session, a key and a pool (mean, harmonic_mean, min, max, perc5, ...)"));
    pthread_mutex_lock(&s->lock);
    assay_fpenv_enter(&saved);
    *value = scores_pool(&s->scores, index, kind, percent, NULL);
    assay_fpenv_leave(&saved);
    pthread_mutex_unlock(&s->lock);
    return ASSAY_OK;
}

int assay_session_pooled(assay_session *s, const char *key, const char *pool, double *value)
{
    enum pool kind;
    double percent;
    TRY(api_begin(s, api_started(s) && key && pool && value && pool_parse(pool, &kind, &percent),
                  "pooled scores need a started session, a key and a pool (mean, harmonic_mean, min, max, perc5, ...)"));
    for (uint32_t i = 0; i < s->n_keys; i++)
        if (!strcmp(s->key[i], key))
            return assay_session_pooled_at(s, i, pool, value);
    return assay_fail(&s->error, ASSAY_EUSAGE, "this session scores no '%s'", key);
}

int assay_session_aggregate(assay_session *s, uint32_t index, double *value)
{
    TRY(api_begin(s, api_planned(s) && index < s->n_aggregates && value, "no such aggregate"));
    TRY(s->started ? session_drain(s) : ASSAY_OK);
    *value = s->counted ? session_aggregate(s, index) : (double)NAN; /* no frame has scores */
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
    s->counted += frames;
    return ASSAY_OK;
}

