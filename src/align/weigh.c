/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The confidence is the least of three figures from 0 to 1, each of which is 0.5 where it just suffices:
 *
 * fit       how much nearer frames are at the offset than at the other offsets
 * likeness  the correlation of frames that are said to show the same
 * distinct  how clearly, and in how many frames, each single other offset is worse. It is counted twice, with the
 *           reference's frames held and with the distorted ones held: where one side stands still, nothing is known
 */
#include "align/moments.h"
#include "align/weigh.h"
#include "host/exact_math.h"

#include <math.h>
#include <stdlib.h>

enum {
    NEAR = 2,                     /* offsets beside the segment's that are compared more closely */
    ENOUGH = 6,                   /* frames that speak against another offset, for certainty */
};

static const double CLEAR = 0.02;

/* What speaks against another offset, and for it, in frames. */
struct votes {
    double against, in_favour;
    double run, longest; /* what speaks for it in the frames up to here, and in its best run of frames */
    double row, most;    /* the same, of frames that speak for it clearly, by their number */
    uint64_t frames;
};

double median(double *value, size_t n)
{
    if (!n)
        return 0;
    qsort(value, n, sizeof *value, assay_ascending);
    return value[n / 2];
}

static void vote(struct votes *v, uint32_t at, uint32_t other)
{
    const double by = ((double)other - (double)at) / ((double)other + (double)at + 2 * FLOOR);
    v->frames++;
    *(by > 0 ? &v->against : &v->in_favour) += fabs(by);
    v->run = v->run > by ? v->run - by : 0;
    v->longest = v->run > v->longest ? v->run : v->longest;
    const double step = by < -CLEAR ? 1 : by > CLEAR ? -1.5 : 0;
    v->row = v->row + step > 0 ? v->row + step : 0;
    v->most = v->row > v->most ? v->row : v->most;
}

/* 1 for equal pictures, 0.5 where the square of the correlation is 0.95. Frames without a pattern count by their
 * brightness alone. */
static int weigh_likeness(double *figure, const struct sides *s, const struct signature *plain,
                          const struct align_segment *g, struct assay_error *e)
{
    struct moments all = {0};
    size_t n = 0;
    double *each = calloc(g->length, sizeof *each);
    if (!each)
        return assay_fail_memory(e, "the frames of a segment");
    for (uint64_t i = 0; i < g->length; i++) {
        struct moments one = {0};
        const struct signature *a = &plain[g->reference + i], *b = &s->distorted[g->distorted + i];
        moments_add(&one, a, b);
        moments_add(&all, a, b);
        each[n] = moments_likeness(&one);
        n += each[n] >= 0;
    }
    const double together = moments_likeness(&all), typical = n ? median(each, n) : 1;
    const double square = assay_min(together, typical);
    free(each);
    *figure = together < 0 ? 0 : 1 - 10 * (1 - square);
    *figure = *figure > 0 ? *figure : 0;
    return ASSAY_OK;
}

/* Compares all other offsets in every frame of the segment. Returns the fit. */
static double take_votes(const struct sides *s, const struct align_segment *g, struct votes *votes[2])
{
    const int64_t offset = segment_offset(g);
    double here = 0, elsewhere = 0;
    for (uint64_t i = 0; i < g->length; i++) {
        const uint64_t n = g->reference + i, k = g->distorted + i;
        const uint32_t at = sides_distance(s, n, offset);
        double sum = 0, count = 0;
        for (int64_t o = s->least; o <= s->most; o++) {
            const int64_t m = (int64_t)k - o; /* the reference frame that k would show */
            if (o == offset)
                continue;
            if (sides_have(s, n, o)) {
                const uint32_t other = sides_distance(s, n, o);
                vote(&votes[0][o - s->least], at, other);
                sum += other;
                count++;
            }
            if (m >= 0 && (uint64_t)m < s->frames[0])
                vote(&votes[1][o - s->least], at, sides_distance(s, (uint64_t)m, o));
        }
        here += at;
        elsewhere += FLOOR + (count > 0 ? sum / count : 0);
    }
    return here < elsewhere ? 1 - here / elsewhere : 0;
}

static uint32_t distance_by(const struct line *l, const struct signature *a, const struct signature *b)
{
    struct signature scaled;
    line_apply(l, &scaled, a);
    return signature_distance(&scaled, b);
}

/* The gain and the shift that the segment's frames have at an offset. */
static struct line line_at(const struct sides *s, const struct signature *plain, const struct align_segment *g,
                           int64_t offset)
{
    struct moments m = {0};
    for (uint64_t n = g->reference; n < g->reference + g->length; n++)
        if (sides_have(s, n, offset))
            moments_add(&m, &plain[n], &s->distorted[(int64_t)n + offset]);
    return moments_line(&m);
}

/* Replaces the votes on offset `o`, which is near: each of the two offsets has its own gain and shift. The next frame
 * of an even fade is the frame itself with more light. */
static void vote_near(const struct sides *s, const struct signature *plain, const struct align_segment *g, int64_t o,
                      struct votes *votes[2])
{
    const struct line here = line_at(s, plain, g, segment_offset(g)), there = line_at(s, plain, g, o);
    struct votes *v[2] = {&votes[0][o - s->least], &votes[1][o - s->least]};
    *v[0] = *v[1] = (struct votes){0};
    for (uint64_t i = 0; i < g->length; i++) {
        const uint64_t n = g->reference + i, k = g->distorted + i;
        const int64_t m = (int64_t)k - o;
        const uint32_t at = distance_by(&here, &plain[n], &s->distorted[k]);
        if (sides_have(s, n, o))
            vote(v[0], at, distance_by(&there, &plain[n], &s->distorted[(int64_t)n + o]));
        if (m >= 0 && (uint64_t)m < s->frames[0])
            vote(v[1], at, distance_by(&there, &plain[m], &s->distorted[k]));
    }
}

/* 0.5 where a sixth of what speaks against the other offset speaks for it, and where half of ENOUGH frames speak. */
static double distinct(const struct votes *v, uint64_t enough)
{
    const double more = v->against - v->in_favour;
    return more > 0 ? (1 - v->in_favour / v->against * 3) * assay_min(1, more / (double)enough) : 0;
}

/* 0.5 where 0.6 frames within a run speak for the other offset, or three in a row that do so weakly, as behind a
 * dropped frame that was not found. The frames of both sides have to say so. */
static double throughout(const struct votes *a, const struct votes *b)
{
    return assay_min(1 - assay_min(a->longest, b->longest) / 1.2, 1 - assay_min(a->most, b->most) / 6);
}

static void weigh_votes(struct verdict *v, const struct sides *s, const struct align_segment *g,
                        struct votes *const votes[2])
{
    const uint64_t enough = g->length < ENOUGH ? g->length : ENOUGH,
                   frames = g->length < ALIGN_LEAST ? g->length : ALIGN_LEAST;
    double worst = 1, strongest = 0;
    bool any = false;
    for (int64_t o = s->least; o <= s->most; o++) {
        const struct votes *a = &votes[0][o - s->least], *b = &votes[1][o - s->least];
        if (o == segment_offset(g) || a->frames < frames || b->frames < frames)
            continue;
        const double figure = assay_min(throughout(a, b), assay_min(distinct(a, enough), distinct(b, enough)));
        any = true;
        const double against = assay_min(a->against, b->against);
        strongest = against > strongest ? against : strongest;
        if (figure < worst) {
            worst = figure > 0 ? figure : 0;
            v->rival = o;
        }
    }
    v->confidence = any ? worst : 0;
    v->doubt = !any ? ALIGN_FEW
             : v->confidence >= 0.5 ? ALIGN_NO_DOUBT
             : strongest < (double)ENOUGH / 2 ? ALIGN_STILL : ALIGN_ALIKE;
}

int weigh(struct verdict *v, const struct sides *s, const struct signature *plain, const struct align_segment *g,
          struct assay_error *e)
{
    const size_t offsets = (size_t)(s->most - s->least + 1);
    const int64_t offset = segment_offset(g);
    double like = 0, fit;
    struct votes *memory = calloc(2 * offsets, sizeof *memory), *votes[2] = {memory, memory + offsets};
    *v = (struct verdict){0};
    if (!memory)
        return assay_fail_memory(e, "the offsets of a segment");
    int rc = weigh_likeness(&like, s, plain, g, e);
    if (!rc) {
        fit = take_votes(s, g, votes);
        for (int64_t o = offset - NEAR; o <= offset + NEAR; o++)
            if (o >= s->least && o <= s->most && o != offset)
                vote_near(s, plain, g, o, votes);
        weigh_votes(v, s, g, votes);
        /* two pictures that stand still are alike, or they are not */
        if (v->doubt != ALIGN_FEW && (like < 0.5 || (v->doubt != ALIGN_STILL && fit < 0.5)))
            v->doubt = ALIGN_UNLIKE;
        v->confidence = assay_min(v->confidence, assay_min(like, fit));
        if (offset == s->least || offset == s->most) {
            v->doubt = v->doubt ? v->doubt : ALIGN_EDGE;
            v->confidence = assay_min(v->confidence, 0.25);
        }
    }
    free(memory);
    return rc;
}
