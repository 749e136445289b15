/* SPDX-License-Identifier: BSD-2-Clause */
#include "results/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/text.h"
#include "results/digest.h"
#include "results/file.h"

const char *const report_common_pools[REPORT_COMMON_POOLS] = {"min", "max", "mean", "harmonic_mean"};
const char *const report_extra_pools[REPORT_EXTRA_POOLS] = {"perc1", "perc5", "perc10", "perc20", "median", "perc95",
                                                            "perc99", "stddev", "geometric_mean"};

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
    return text_ends(key, "_at_x") || text_ends(key, "_at_y");
}

bool report_bitrate(const struct report_run *run, double *kbps)
{
    const char *rate = report_run_field(run, REPORT_BITRATE), *of = report_run_field(run, REPORT_BITRATE_OF);
    return rate && !(of && !strcmp(of, "file")) && parse_number(rate, kbps) && *kbps > 0;
}

/* ---- results that own what they have ----------------------------------------------------------------------------- */

struct stored_memory {
    struct stored_memory *next;
    max_align_t data[];
};

int stored_lost(const struct stored *s, const char *what, struct assay_error *e)
{
    return s->lost ? assay_fail_memory(e, what) : ASSAY_OK;
}

void *stored_alloc(struct stored *s, size_t count, size_t size)
{
    const bool fits = !size || count <= (SIZE_MAX - sizeof(struct stored_memory)) / size;
    struct stored_memory *m = fits ? calloc(1, sizeof *m + count * size) : NULL;
    s->lost = s->lost || !m;
    if (!m)
        return NULL;
    m->next = s->memory;
    s->memory = m;
    return m->data;
}

char *stored_copy(struct stored *s, const char *text)
{
    static char none[1];
    const size_t size = text ? strlen(text) + 1 : 0;
    char *copy = text ? stored_alloc(s, size, 1) : NULL;
    if (copy)
        memcpy(copy, text, size);
    return text && !copy ? none : copy;
}

void stored_field(struct stored *s, struct report_field f)
{
    f.name = stored_copy(s, f.name);
    f.value = stored_copy(s, f.value);
    if (!s->run.fields)
        s->run.field = s->field = stored_alloc(s, REPORT_FIELDS, sizeof *s->field);
    s->lost = s->lost || s->run.fields == REPORT_FIELDS;
    if (!s->lost)
        s->field[s->run.fields++] = f;
}

void stored_name(struct stored *s, const char *name, const char *file)
{
    const char *base = file_name(file), *dot = strrchr(base, '.'), *size = report_run_field(&s->run, "distorted_size");
    char *own = stored_copy(s, strcmp(file, "-") ? base : "stdin");
    if (*own && dot && dot > base)
        own[dot - base] = '\0';
    s->name = name ? stored_copy(s, name) : own;
    s->file = stored_copy(s, file);
    s->label = strcmp(s->name, own) ? s->name : s->file;
    if (!size || sscanf(size, "%5ux%5u", &s->width, &s->height) != 2)
        s->width = s->height = 0;
}

/* What was done to a side's pictures before they were compared. */
static const char *changed(const struct report_run *run, unsigned side)
{
    const bool cropped = report_run_field(run, side ? "distorted_crop" : "reference_crop"),
               scaled = report_run_field(run, side ? "distorted_scaled" : "reference_scaled");
    return cropped && scaled ? " (cropped, scaled)" : cropped ? " (cropped)" : scaled ? " (scaled)" : "";
}

void stored_compared(struct stored *s)
{
    const struct report_run *run = &s->run;
    const char *ref = report_run_field(run, "reference_file"), *dis = report_run_field(run, "distorted_file"),
               *filter = report_run_field(run, "scale_filter");
    char text[640];
    if (!ref || !dis)
        return;
    snprintf(text, sizeof text, "%s%s against %s%s%s%s", dis, changed(run, 1), ref, changed(run, 0), filter ? ", " : "",
             filter ? filter : "");
    s->run.compared = stored_copy(s, text);
}

uint32_t stored_scores(const struct stored *s)
{
    return s->scores.keys + s->run.aggregates;
}

const char *stored_score(const struct stored *s, uint32_t i)
{
    return i < s->scores.keys ? s->scores.key[i] : s->run.aggregate[i - s->scores.keys].key;
}

bool stored_find(const struct stored *s, const char *name, uint32_t *i)
{
    for (*i = 0; *i < stored_scores(s); ++*i)
        if (!strcmp(stored_score(s, *i), name))
            return true;
    return false;
}

uint64_t stored_digest(const struct stored *x, uint32_t i, double instead)
{
    const struct scores *s = &x->scores;
    uint64_t digest = digest_of_nothing;
    const double whole = i < s->keys ? 0 : x->run.aggregate[i - s->keys].value;
    for (uint64_t row = 0; i < s->keys && row < s->rows; row++) {
        const double v = scores_value(s, row, i);
        digest = digest_value(digest, s->frame[row], isnan(v) ? instead : v);
    }
    return i < s->keys ? digest : digest_value(digest, 0, isnan(whole) ? instead : whole);
}

double stored_pooled(const struct stored *s, uint32_t key, unsigned pool)
{
    if (s->run.pooled)
        return s->run.pooled[key * REPORT_COMMON_POOLS + pool];
    return scores_figure(&s->scores, key, report_common_pools[pool]);
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
