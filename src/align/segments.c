/* SPDX-License-Identifier: BSD-2-Clause */
#include "align/segments.h"

#include <string.h>

static int add_segment(struct align_result *r, uint64_t reference, int64_t offset, uint64_t length,
                       struct assay_error *e)
{
    TRY(assay_grow(&r->segment, r->segments, sizeof *r->segment, "the segments", e));
    r->segment[r->segments++] = (struct align_segment){reference, (uint64_t)((int64_t)reference + offset), length, 0};
    return ASSAY_OK;
}

static int add_event(struct align_result *r, enum align_event_kind kind, uint64_t frame, uint64_t count,
                     struct assay_error *e)
{
    TRY(assay_grow(&r->event, r->events, sizeof *r->event, "the segments", e));
    r->event[r->events++] = (struct align_event){kind, frame, count};
    return ASSAY_OK;
}

/*
 * Behind the end of segment a its successor b has an offset that is smaller by j, so that j distorted frames have two
 * partners, and j frames of the reference are to have none. They are those for which the others cost least: a gives up
 * j - k of its last frames and b its first k.
 */
static uint64_t share(const struct sides *s, const struct align_segment *a, const struct align_segment *b, uint64_t j)
{
    const uint64_t border = b->reference;
    uint64_t best = 0, best_cost = UINT64_MAX;
    for (uint64_t k = 0; k <= j; k++) {
        uint64_t cost = 0;
        if (j - k >= a->length || k >= b->length)
            continue;
        for (uint64_t n = border - j < border ? border - j : 0; n < border - (j - k); n++)
            cost += n >= a->reference ? sides_distance(s, n, segment_offset(a)) : 0;
        for (uint64_t n = border + k; n < border + j && n < b->reference + b->length; n++)
            cost += sides_distance(s, n, segment_offset(b));
        if (cost < best_cost) {
            best = k;
            best_cost = cost;
        }
    }
    return best;
}

/* Whether `count` distorted frames from `frame` on show what the one before or behind them shows. */
static bool repeats(const struct sides *s, uint64_t frame, uint64_t count)
{
    const uint64_t limit = 2 * (uint64_t)s->noise;
    bool before = frame > 0, behind = frame + count < s->frames[1];
    for (uint64_t i = 0; i < count; i++) {
        const struct signature *d = &s->distorted[frame + i];
        before = before && signature_distance(d, &s->distorted[frame - 1]) <= limit;
        behind = behind && signature_distance(d, &s->distorted[frame + count]) <= limit;
    }
    return before || behind;
}

/* Whether a distorted frame shows what the one `count` behind it shows. */
static bool repeats_next(const struct sides *s, uint64_t frame, uint64_t count)
{
    return frame + count < s->frames[1] &&
           signature_distance(&s->distorted[frame], &s->distorted[frame + count]) <= 2 * (uint64_t)s->noise;
}

/* What lies between two neighbouring segments. */
static int add_between(struct align_result *r, const struct sides *s, struct align_segment *a, struct align_segment *b,
                       struct assay_error *e)
{
    const int64_t more = segment_offset(b) - segment_offset(a);
    if (more > 0) {
        uint64_t frame = a->distorted + a->length;
        /* of pictures that are equal the later ones are the repeated ones */
        for (int64_t i = 0; i < more && b->length > 1 && repeats_next(s, frame, (uint64_t)more); i++, frame++) {
            a->length++;
            b->reference++;
            b->distorted++;
            b->length--;
        }
        return add_event(r, repeats(s, frame, (uint64_t)more) ? ALIGN_REPEATED : ALIGN_INSERTED, frame, (uint64_t)more,
                         e);
    }
    const uint64_t j = (uint64_t)-more, k = share(s, a, b, j);
    if (j - k >= a->length || k >= b->length) /* the segments are too short to give up frames */
        return add_event(r, ALIGN_DROPPED, b->reference, j, e);
    a->length -= j - k;
    b->reference += k;
    b->distorted += k;
    b->length -= k;
    return add_event(r, ALIGN_DROPPED, b->reference - j, j, e);
}

/* Whether both sides show one picture throughout a segment. */
static bool stands_still(const struct sides *s, const struct align_segment *g)
{
    const uint64_t limit = 2 * (uint64_t)s->noise;
    for (uint64_t i = 1; i < g->length; i++)
        if (signature_distance(&s->reference[g->reference], &s->reference[g->reference + i]) > limit ||
            signature_distance(&s->distorted[g->distorted], &s->distorted[g->distorted + i]) > limit)
            return false;
    return true;
}

/* Takes away the first segment and the last one where they stand still: two black lead-ins of two lengths look like
 * lost frames, and say nothing. The segment beside it takes the frames that show the same at its own offset. */
static void trim(struct align_result *r, const struct sides *s)
{
    const uint64_t limit = 2 * (uint64_t)s->noise;
    while (r->segments > 1 && stands_still(s, &r->segment[0])) {
        memmove(r->segment, r->segment + 1, --r->segments * sizeof *r->segment);
        struct align_segment *g = &r->segment[0];
        for (; g->reference && g->distorted && sides_distance(s, g->reference - 1, segment_offset(g)) <= limit;
             g->length++) {
            g->reference--;
            g->distorted--;
        }
    }
    while (r->segments > 1 && stands_still(s, &r->segment[r->segments - 1])) {
        struct align_segment *g = &r->segment[--r->segments - 1];
        while (g->reference + g->length < s->frames[0] && g->distorted + g->length < s->frames[1] &&
               sides_distance(s, g->reference + g->length, segment_offset(g)) <= limit)
            g->length++;
    }
}

static uint64_t apart(const struct align_result *r, uint32_t i)
{
    return r->event[i + 1].frame - r->event[i].frame;
}

/* Sets the period where three or more single frames of one kind follow each other at equal distances. Where the
 * picture moves little, an event is found a frame or two beside its place. */
static void find_period(struct align_result *r)
{
    enum { LEAST = 3, BESIDE = 2 };
    const uint32_t n = r->events;
    r->period = 0;
    if (n < LEAST)
        return;
    for (uint32_t i = 0; i < n; i++)
        if (r->event[i].kind != r->event[0].kind || r->event[i].count != 1)
            return;
    const uint64_t mean = (r->event[n - 1].frame - r->event[0].frame + (n - 1) / 2) / (n - 1);
    for (uint32_t i = 0; i + 1 < n; i++)
        if (apart(r, i) + BESIDE < mean || apart(r, i) > mean + BESIDE)
            return;
    r->period_kind = r->event[0].kind;
    r->period = mean;
}

int segments_make(struct align_result *r, const struct sides *s, const int32_t *offset, struct assay_error *e)
{
    r->segments = r->events = 0;
    for (uint64_t n = 0; n < s->frames[0];) {
        uint64_t end = n + 1;
        while (end < s->frames[0] && offset[end] == offset[n])
            end++;
        uint64_t first = n, last = end;
        while (first < end && !sides_have(s, first, offset[n]))
            first++;
        while (last > first && !sides_have(s, last - 1, offset[n]))
            last--;
        if (last > first)
            TRY(add_segment(r, first, offset[n], last - first, e));
        n = end;
    }
    trim(r, s);
    for (uint32_t i = 0; i + 1 < r->segments; i++)
        TRY(add_between(r, s, &r->segment[i], &r->segment[i + 1], e));
    find_period(r);
    return ASSAY_OK;
}
