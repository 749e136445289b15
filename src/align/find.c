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

/* Makes a result of the offsets. */
static int conclude(struct align_result *r, const struct search *w, struct assay_error *e)
{
    uint64_t doubted = 0;
    align_free(r);
    TRY(segments_make(r, &w->scaled, w->offset, e));
    r->offset = r->segments ? segment_offset(&r->segment[0]) : 0;
    r->confidence = r->segments ? 1 : 0;
    r->doubt = r->segments ? ALIGN_NO_DOUBT : ALIGN_UNLIKE;
    for (uint32_t i = 0; i < r->segments; i++) {
        struct verdict v;
        TRY(weigh(&v, &w->scaled, w->plain.reference, &r->segment[i], e));
        r->segment[i].confidence = v.confidence;
        r->confidence = v.confidence < r->confidence ? v.confidence : r->confidence;
        if (v.confidence < 0.5 && r->segment[i].length > doubted) { /* the longest one says why */
            doubted = r->segment[i].length;
            r->doubt = v.doubt;
            r->rival = v.rival;
        }
    }
    r->certain = r->confidence >= 0.5;
    if (r->certain)
        r->doubt = ALIGN_NO_DOUBT;
    return ASSAY_OK;
}

static int search(struct align_result *r, struct search *w, struct assay_error *e)
{
    struct align_result other = {.least = r->least, .most = r->most};
    TRY(path_find(&w->plain, w->offset, e));
    TRY(refine(w, e));
    TRY(conclude(r, w, e));
    if (r->certain)
        return ASSAY_OK;
    struct signature *flat = w->memory + w->plain.frames[0];
    for (uint64_t i = 0; i < w->plain.frames[0]; i++)
        flatten(&flat[i], &w->plain.reference[i]);
    for (uint64_t i = 0; i < w->plain.frames[1]; i++)
        flatten(&flat[w->plain.frames[0] + i], &w->plain.distorted[i]);
    int rc = path_find(&w->flat, w->offset, e);
    rc = rc ? rc : refine(w, e);
    rc = rc ? rc : conclude(&other, w, e);
    if (!rc && other.confidence > r->confidence) {
        align_free(r);
        *r = other;
    } else {
        align_free(&other);
    }
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
