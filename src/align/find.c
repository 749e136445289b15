/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The search has two steps. The first one finds offsets by the signatures as they are; where that leads to nothing, by
 * signatures without each frame's own brightness and contrast. The second one brings the reference to the distorted
 * side's scale, by the frames that the first step has paired, measures how far apart two frames are that show the same,
 * and finds the offsets anew.
 */
#include <stdlib.h>
#include <string.h>

#include "align/moments.h"
#include "align/weigh.h"

enum {
    NOISE_LEAST = SIGNATURE_BLOCKS * 2, /* rounding of samples, of which a block holds many */
    ROUNDS = 3,
    EVENTS_LEAST = 3, /* that make a period */
};

struct search {
    struct sides plain, scaled, flat; /* as read; the reference on the other's scale; without brightness */
    struct signature *memory;         /* of `scaled`, then of `flat` */
    int32_t *offset, *before;
    double *distance;
};

/* Takes a frame's mean away, and divides by its mean deviation, or by two codes where it is less than that. */
static void flatten(struct signature *to, const struct signature *from)
{
    int64_t sum = 0, deviation = 0;
    for (unsigned i = 0; i < SIGNATURE_BLOCKS; i++)
        sum += from->block[i];
    const int64_t mean = sum / SIGNATURE_BLOCKS;
    for (unsigned i = 0; i < SIGNATURE_BLOCKS; i++)
        deviation += llabs(from->block[i] - mean);
    deviation /= SIGNATURE_BLOCKS;
    deviation = deviation > 2 * SIGNATURE_CODE ? deviation : 2 * SIGNATURE_CODE;
    for (unsigned i = 0; i < SIGNATURE_BLOCKS; i++) {
        const int64_t v = 32768 + (from->block[i] - mean) * 4096 / deviation;
        to->block[i] = (uint16_t)(v < 0 ? 0 : v > 65535 ? 65535 : v);
    }
}

/* A loop over the numbers n of the reference frames that have a partner. */
#define PAIRS(s, offset, n) \
    for (uint64_t n = 0; n < (s)->frames[0]; n++) \
        if (sides_have(s, n, (offset)[n]))

/* Brings the reference to the distorted side's scale, by the frames that are paired. */
static void rescale(struct search *w)
{
    const struct sides *s = &w->plain;
    struct moments m = {0};
    PAIRS(s, w->offset, n)
        moments_add(&m, &s->reference[n], &s->distorted[(int64_t)n + w->offset[n]]);
    const struct line line = moments_line(&m);
    for (uint64_t n = 0; n < s->frames[0]; n++)
        line_apply(&line, &w->memory[n], &s->reference[n]);
}

static void measure_noise(struct search *w)
{
    size_t n = 0;
    PAIRS(&w->scaled, w->offset, i)
        w->distance[n++] = sides_distance(&w->scaled, i, w->offset[i]);
    const double noise = median(w->distance, n);
    w->scaled.noise = noise > NOISE_LEAST ? (uint32_t)noise : NOISE_LEAST;
}

/* The second step, from the offsets of the first one. */
static int refine(struct search *w, struct assay_error *e)
{
    const size_t bytes = w->plain.frames[0] * sizeof *w->offset;
    for (unsigned i = 0; i < ROUNDS; i++) {
        rescale(w);
        measure_noise(w);
        memcpy(w->before, w->offset, bytes);
        TRY(path_find(&w->scaled, w->offset, e));
        if (!memcmp(w->before, w->offset, bytes))
            break;
    }
    return ASSAY_OK;
}

/* Sums up the segments from their verdicts. */
static void sum_up(struct align_result *r, const struct verdict *v)
{
    uint64_t doubted = 0;
    r->offset = r->segments ? segment_offset(&r->segment[0]) : 0;
    r->confidence = r->segments ? 1 : 0;
    r->doubt = r->segments ? ALIGN_NO_DOUBT : ALIGN_UNLIKE;
    for (uint32_t i = 0; i < r->segments; i++) {
        r->segment[i].confidence = v[i].confidence;
        r->confidence = v[i].confidence < r->confidence ? v[i].confidence : r->confidence;
        if (v[i].confidence < 0.5 && r->segment[i].length > doubted) { /* the longest one says why */
            doubted = r->segment[i].length;
            r->doubt = v[i].doubt;
            r->rival = v[i].rival;
        }
    }
    r->certain = r->confidence >= 0.5;
    if (r->certain)
        r->doubt = ALIGN_NO_DOUBT;
}

/* Whether a segment at an end of an even sequence says nothing: it is shorter than the others, and alike at other
 * offsets, too. */
static bool says_nothing(const struct align_result *r, const struct align_segment *g, const struct verdict *v)
{
    return r->segments > EVENTS_LEAST + 1 && g->length < r->period && v->confidence < 0.5 && v->doubt != ALIGN_UNLIKE;
}

/* Leaves out the ends of an even sequence that say nothing. There is an event between each two segments. */
static void leave_out_ends(struct align_result *r, struct verdict *v)
{
    if (says_nothing(r, &r->segment[r->segments - 1], &v[r->segments - 1])) {
        r->segments--;
        r->events--;
    }
    if (says_nothing(r, &r->segment[0], &v[0])) {
        memmove(r->segment, r->segment + 1, --r->segments * sizeof *r->segment);
        memmove(r->event, r->event + 1, --r->events * sizeof *r->event);
        memmove(v, v + 1, r->segments * sizeof *v);
    }
}

/* Makes a result of the offsets. `even`: they were made to change at equal distances. */
static int conclude(struct align_result *r, const struct search *w, bool even, struct assay_error *e)
{
    int rc = ASSAY_OK;
    align_free(r);
    TRY(segments_make(r, &w->scaled, w->offset, e));
    struct verdict *v = calloc(r->segments + 1, sizeof *v);
    if (!v)
        return assay_fail_memory(e, "the segments");
    for (uint32_t i = 0; !rc && i < r->segments; i++)
        rc = weigh(&v[i], &w->scaled, w->plain.reference, &r->segment[i], e);
    if (even && r->period)
        leave_out_ends(r, v);
    sum_up(r, v);
    free(v);
    return rc;
}

/* Takes `other` in place of a result that is less certain, or frees it. Either may be what a failure has left. */
static void keep_better(struct align_result *r, struct align_result *other)
{
    if (other->confidence > r->confidence) {
        align_free(r);
        *r = *other;
    } else {
        align_free(other);
    }
}

/* Where each period-th frame is lost or shown again: makes the same change at both ends, at equal distances, where the
 * frames behind a change are too few for the path, and weighs all segments anew. */
static int go_on_evenly(struct align_result *r, struct search *w, struct assay_error *e)
{
    struct align_result other = {.least = r->least, .most = r->most};
    const uint64_t frames = w->plain.frames[0];
    if (r->certain || !r->period)
        return ASSAY_OK;
    const struct align_segment *first = &r->segment[0], *last = &r->segment[r->segments - 1];
    const int32_t step = segment_offset(&r->segment[1]) > segment_offset(first) ? 1 : -1;
    const uint64_t begin = r->segment[1].reference, behind = last->reference;
    const double apart = (double)(behind - begin) / (r->segments - 2);
    for (uint64_t n = 0; n < frames; n++) {
        const double steps = n < begin ? (double)(begin - n) / apart : n >= behind ? (double)(n - behind) / apart : 0;
        const int64_t offset = segment_offset(n < begin ? first : last) + (n < begin ? -step : step) * (int64_t)steps;
        if (n < begin || n >= behind)
            w->offset[n] = (int32_t)(offset < r->least ? r->least : offset > r->most ? r->most : offset);
    }
    const int rc = conclude(&other, w, true, e);
    keep_better(r, &other);
    return rc;
}

static int search(struct align_result *r, struct search *w, struct assay_error *e)
{
    struct align_result other = {.least = r->least, .most = r->most};
    TRY(path_find(&w->plain, w->offset, e));
    TRY(refine(w, e));
    TRY(conclude(r, w, false, e));
    TRY(go_on_evenly(r, w, e));
    if (r->certain)
        return ASSAY_OK;
    struct signature *flat = w->memory + w->plain.frames[0];
    for (uint64_t i = 0; i < w->plain.frames[0]; i++)
        flatten(&flat[i], &w->plain.reference[i]);
    for (uint64_t i = 0; i < w->plain.frames[1]; i++)
        flatten(&flat[w->plain.frames[0] + i], &w->plain.distorted[i]);
    int rc = path_find(&w->flat, w->offset, e);
    rc = rc ? rc : refine(w, e);
    rc = rc ? rc : conclude(&other, w, false, e);
    rc = rc ? rc : go_on_evenly(&other, w, e);
    keep_better(r, &other);
    return rc;
}

static int64_t within(uint32_t search, uint64_t frames)
{
    const uint64_t most = frames - ALIGN_LEAST;
    return (int64_t)(most < search ? most : search);
}

int align_find(struct align_result *r, const struct signatures *reference, const struct signatures *distorted,
               uint32_t search_most, struct assay_error *e)
{
    const uint64_t a = reference->frames, b = distorted->frames;
    *r = (struct align_result){.doubt = ALIGN_FEW};
    if (a < ALIGN_LEAST || b < ALIGN_LEAST)
        return ASSAY_OK;
    r->least = -within(search_most, a);
    r->most = within(search_most, b);
    struct search w = {.offset = calloc(a, sizeof *w.offset), .before = calloc(a, sizeof *w.before),
                       .distance = calloc(a, sizeof *w.distance), .memory = calloc(2 * a + b, sizeof *w.memory)};
    w.plain = (struct sides){reference->frame, distorted->frame, {a, b}, r->least, r->most, 0};
    w.scaled = w.flat = w.plain;
    w.scaled.reference = w.memory;
    int rc;
    if (!w.offset || !w.before || !w.distance || !w.memory) {
        rc = assay_fail_memory(e, "the search for an offset");
    } else {
        w.flat.reference = w.memory + a;
        w.flat.distorted = w.memory + 2 * a;
        rc = search(r, &w, e);
    }
    free(w.offset);
    free(w.before);
    free(w.distance);
    free(w.memory);
    if (rc)
        align_free(r);
    return rc;
}

void align_free(struct align_result *r)
{
    free(r->segment);
    free(r->event);
    r->segment = NULL;
    r->event = NULL;
    r->segments = r->events = 0;
}
