/* SPDX-License-Identifier: BSD-2-Clause */
#include "results/encodes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/results.h"

/* ---- the names of all encodes ------------------------------------------------------------------------------------ */

/* Takes a name whose place is `*place` into a list of n, which has room for it, unless it is there. Afterwards *place
 * is behind it. */
static struct encodes_key *take(struct encodes_key *all, uint32_t *n, uint32_t *place, const char *key)
{
    for (uint32_t i = 0; i < *n; i++)
        if (!strcmp(all[i].key, key)) {
            *place = i + 1;
            return &all[i];
        }
    struct encodes_key *at = &all[*place];
    memmove(at + 1, at, ((*n)++ - *place) * sizeof *at);
    *at = (struct encodes_key){.key = key, .direction = ASSAY_NEUTRAL};
    ++*place;
    return at;
}

static void take_scores(struct encodes_keys *all, const struct stored *x)
{
    const struct scores *s = &x->scores;
    uint32_t place = 0;
    for (uint32_t k = 0; k < s->keys; k++) {
        const uint32_t before = all->scores;
        struct encodes_key *at = take(all->score, &all->scores, &place, s->key[k]);
        if (all->scores > before && s->direction)
            at->direction = s->direction[k];
        at->shown = at->shown || (!(x->run.hidden && x->run.hidden[k]) && !report_key_is_place(s->key[k]));
    }
}

int encodes_keys_find(struct encodes_keys *all, const struct stored *encode, uint32_t encodes,
                      struct assay_error *e)
{
    size_t scores = 1, wholes = 1;
    *all = (struct encodes_keys){0};
    for (uint32_t i = 0; i < encodes; i++) {
        scores += encode[i].scores.keys;
        wholes += encode[i].run.aggregates;
    }
    all->score = calloc(scores, sizeof *all->score);
    all->whole = calloc(wholes, sizeof *all->whole);
    if (!all->score || !all->whole) {
        encodes_keys_free(all);
        return assay_fail_memory(e, "the names of scores");
    }
    for (uint32_t i = 0; i < encodes; i++) {
        uint32_t place = 0;
        take_scores(all, &encode[i]);
        for (uint32_t k = 0; k < encode[i].run.aggregates; k++)
            take(all->whole, &all->wholes, &place, encode[i].run.aggregate[k].key)->shown = true;
    }
    return ASSAY_OK;
}

void encodes_keys_free(struct encodes_keys *all)
{
    free(all->score);
    free(all->whole);
    *all = (struct encodes_keys){0};
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

bool encode_scored(const struct stored *x)
{
    return x->scores.rows > 0;
}

bool encode_column(const struct stored *x, const char *key, uint32_t *column)
{
    return encode_scored(x) && scores_column(&x->scores, key, column);
}

bool encode_pooled(const struct stored *x, const char *key, const char *pool, double *value)
{
    uint32_t column;
    const bool has = encode_column(x, key, &column);
    *value = has ? scores_figure(&x->scores, column, pool) : (double)NAN;
    return has;
}

bool encode_whole(const struct stored *x, const char *key, double *value)
{
    const struct report_aggregate *found = report_run_aggregate(&x->run, key);
    *value = found ? found->value : (double)NAN;
    return found != NULL;
}

bool encode_worst(const struct stored *x, const char *key, uint64_t *row)
{
    uint32_t column;
    return encode_column(x, key, &column) && scores_worst(&x->scores, column, row);
}

bool encodes_one_size(const struct stored *encode, uint32_t encodes)
{
    const struct report_run *first = NULL;
    for (uint32_t i = 0; i < encodes; i++) {
        if (!encode_scored(&encode[i]))
            continue;
        first = first ? first : &encode[i].run;
        if (encode[i].run.width != first->width || encode[i].run.height != first->height)
            return false;
    }
    return true;
}

static bool is_image(const struct stored *x)
{
    const char *of = encode_scored(x) && x->scores.rows == 1 ? report_run_field(&x->run, REPORT_BITRATE_OF) : NULL;
    return of && !strcmp(of, REPORT_OF_IMAGE);
}

double encode_image_bytes(const struct stored *x)
{
    const char *bytes = is_image(x) ? report_run_field(&x->run, "distorted_bytes") : NULL;
    double v = 0;
    return bytes && parse_number(bytes, &v) ? v : 0;
}

double encode_bits_per_pixel(const struct stored *x)
{
    const double bytes = encode_image_bytes(x);
    return bytes > 0 ? 8 * bytes / ((double)x->width * x->height) : (double)NAN;
}

bool encodes_only_images(const struct stored *encode, uint32_t encodes)
{
    bool any = false;
    for (uint32_t i = 0; i < encodes; i++) {
        if (encode_scored(&encode[i]) && !is_image(&encode[i]))
            return false;
        any = any || encode_scored(&encode[i]);
    }
    return any;
}
