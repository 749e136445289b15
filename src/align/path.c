/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dynamic programming over the reference's frames; the states are the offsets. Each frame costs more the less it is
 * like the distorted frame at its offset, and a change of the offset costs a constant and its size: the size, because a
 * shift of a still part by j frames may gain by the noise of j frames at its ends.
 */
#include "align/path.h"

#include <stdlib.h>
#include <string.h>

/* Costs. UNIT is the mean distance over all offsets of a frame, or, where the noise is known, a doubling of the
 * distance: where little moves, a frame at a wrong offset is only some per cent further away. */
enum {
    UNIT = 256,
    MOST = 4 * UNIT, MOST_NOISE = 5 * UNIT, /* of a frame: one bad picture is no proof */
    UNKNOWN = UNIT, UNKNOWN_NOISE = 7 * UNIT / 2, /* of a frame that has no partner */
    CHANGE = 4 * UNIT, CHANGE_STEP = UNIT / 4,
    CHANGE_NOISE = 11 * UNIT / 2, CHANGE_STEP_NOISE = UNIT,
    FLOOR = SIGNATURE_BLOCKS * 4, /* a distance that rounding may make */
};

struct states {
    uint32_t n;
    uint32_t *distance; /* of the frame; UINT32_MAX: no partner */
    int64_t *cost, *moved;
    uint16_t *from;     /* of each frame and state: the state before */
    uint16_t *origin;   /* of each `moved` */
};

/* UNIT times the binary logarithm of v / 1024, linear between powers of two. v is at least 1024. */
static int64_t logarithm(uint64_t v)
{
    int64_t whole = 0;
    for (; v >= 2048; v >>= 1)
        whole++;
    return whole * UNIT + (int64_t)(v - 1024) * UNIT / 1024;
}

/* Sets the costs of frame n. */
static void frame_costs(const struct sides *s, struct states *t, uint64_t n)
{
    uint64_t sum = 0, count = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        const int64_t offset = s->least + i;
        t->distance[i] = UINT32_MAX;
        if (!sides_have(s, n, offset))
            continue;
        t->distance[i] = sides_distance(s, n, offset);
        sum += t->distance[i];
        count++;
    }
    const uint64_t unit = FLOOR + (count ? sum / count : 0);
    for (uint32_t i = 0; i < t->n; i++) {
        if (t->distance[i] == UINT32_MAX) {
            t->cost[i] += s->noise ? UNKNOWN_NOISE : UNKNOWN;
            continue;
        }
        const int64_t most = s->noise ? MOST_NOISE : MOST,
                      cost = s->noise ? logarithm(1024 + (uint64_t)t->distance[i] * 4096 / s->noise)
                                      : (int64_t)(((uint64_t)t->distance[i] + FLOOR) * UNIT / unit);
        t->cost[i] += cost < most ? cost : most;
    }
}

/* Replaces each cost by the least one of staying and of coming from another state, and notes where it came from. */
static void change(const struct sides *s, struct states *t, uint16_t *from)
{
    const int64_t once = s->noise ? CHANGE_NOISE : CHANGE, step = s->noise ? CHANGE_STEP_NOISE : CHANGE_STEP;
    for (uint32_t i = 0; i < t->n; i++) {
        t->moved[i] = t->cost[i];
        t->origin[i] = (uint16_t)i;
    }
    for (uint32_t i = 1; i < t->n; i++)
        if (t->moved[i - 1] + step < t->moved[i]) {
            t->moved[i] = t->moved[i - 1] + step;
            t->origin[i] = t->origin[i - 1];
        }
    for (uint32_t i = t->n - 1; i-- > 0;)
        if (t->moved[i + 1] + step < t->moved[i]) {
            t->moved[i] = t->moved[i + 1] + step;
            t->origin[i] = t->origin[i + 1];
        }
    for (uint32_t i = 0; i < t->n; i++) {
        const bool moves = t->moved[i] + once < t->cost[i];
        from[i] = moves ? t->origin[i] : (uint16_t)i;
        t->cost[i] = moves ? t->moved[i] + once : t->cost[i];
    }
}

/* The state of least cost; of equal ones the one nearest to offset 0. */
static uint32_t least_cost(const struct sides *s, const struct states *t)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < t->n; i++) {
        const bool nearer = llabs(s->least + i) < llabs(s->least + best);
        if (t->cost[i] < t->cost[best] || (t->cost[i] == t->cost[best] && nearer))
            best = i;
    }
    return best;
}

int path_find(const struct sides *s, int32_t *offset, struct assay_error *e)
{
    struct states t = {.n = (uint32_t)(s->most - s->least + 1)};
    t.distance = calloc(t.n, sizeof *t.distance);
    t.cost = calloc(t.n, sizeof *t.cost);
    t.moved = calloc(t.n, sizeof *t.moved);
    t.origin = calloc(t.n, sizeof *t.origin);
    t.from = calloc(s->frames[0], t.n * sizeof *t.from);
    const bool memory = t.distance && t.cost && t.moved && t.origin && t.from;
    for (uint64_t n = 0; memory && n < s->frames[0]; n++) {
        if (n)
            change(s, &t, t.from + n * t.n);
        frame_costs(s, &t, n);
    }
    uint32_t at = memory ? least_cost(s, &t) : 0;
    for (uint64_t n = s->frames[0]; memory && n-- > 0; at = n ? t.from[n * t.n + at] : at)
        offset[n] = (int32_t)(s->least + at);
    free(t.distance);
    free(t.cost);
    free(t.moved);
    free(t.origin);
    free(t.from);
    return memory ? ASSAY_OK : assay_fail_memory(e, "the offsets of frames");
}
