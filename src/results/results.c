/* SPDX-License-Identifier: BSD-2-Clause */
#include "results/results.h"

#include <stdlib.h>
#include <string.h>

const char *const report_common_pools[REPORT_COMMON_POOLS] = {"min", "max", "mean", "harmonic_mean"};
const char *const report_extra_pools[REPORT_EXTRA_POOLS] = {"perc1", "perc5", "perc10", "perc20", "median", "perc95",
                                                            "perc99", "stddev", "geometric_mean"};

double reporter_pooled(const struct report_run *run, const struct scores *s, uint32_t key, unsigned pool)
{
    if (run->pooled)
        return run->pooled[key * REPORT_COMMON_POOLS + pool];
    return scores_figure(s, key, report_common_pools[pool]);
}

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"

bool report_key_valid(const char *key)
{
    return strspn(key, LETTERS) > 0 && key[strspn(key, LETTERS "0123456789.-")] == '\0';
}

const char *report_run_field(const struct report_run *run, const char *name)
{
    for (uint32_t i = 0; i < run->fields; i++)
        if (!strcmp(run->field[i].name, name))
            return run->field[i].value;
    return NULL;
}

const struct report_aggregate *report_run_aggregate(const struct report_run *run, const char *key)
{
    for (uint32_t i = 0; i < run->aggregates; i++)
        if (!strcmp(run->aggregate[i].key, key))
            return &run->aggregate[i];
    return NULL;
}

bool report_key_is_place(const char *key)
{
    const size_t n = strlen(key);
    return n > 5 && (!strcmp(key + n - 5, "_at_x") || !strcmp(key + n - 5, "_at_y"));
}

bool report_bitrate(const struct report_run *run, double *kbps)
{
    const char *rate = report_run_field(run, REPORT_BITRATE), *of = report_run_field(run, REPORT_BITRATE_OF);
    return rate && of && strcmp(of, "file") && parse_number(rate, kbps) && *kbps > 0;
}

/* ---- results that own what they have ----------------------------------------------------------------------------- */

struct stored_memory {
    struct stored_memory *next;
    max_align_t data[];
};

void *stored_alloc(struct stored *s, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - sizeof(struct stored_memory)) / size)
        return NULL;
    struct stored_memory *m = calloc(1, sizeof *m + count * size);
    if (!m)
        return NULL;
    m->next = s->memory;
    s->memory = m;
    return m->data;
}

char *stored_copy(struct stored *s, const char *text)
{
    if (!text)
        return NULL;
    size_t size = strlen(text) + 1;
    char *copy = stored_alloc(s, size, 1);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

uint64_t stored_partner(void *opaque, uint64_t frame)
{
    const struct stored *s = opaque;
    const uint64_t row = scores_find(&s->scores, frame);
    return row < s->scores.rows ? s->partner[row] : frame;
}

void stored_free(struct stored *s)
{
    scores_free(&s->scores);
    while (s->memory) {
        struct stored_memory *m = s->memory;
        s->memory = m->next;
        free(m);
    }
    *s = (struct stored){0};
}
