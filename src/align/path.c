/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dynamic programming over the reference's frames; the states are the offsets. Each frame costs more the less it is
 * like the distorted frame at its offset, and a change of the offset costs a constant and its size: the size, because a
 * shift of a still part by j frames may gain by the noise of j frames at its ends.
 */
#include "align/path.h"

#include <stdlib.h>

/* Costs. UNIT is the mean distance over all offsets of a frame, or, where the noise is known, a doubling of the
 * distance: where little moves, a frame at a wrong offset is only some per cent further away. */
enum {
    UNIT = 256,
    MOST = 4 * UNIT, MOST_NOISE = 5 * UNIT, /* of a frame: one bad picture is no proof */
    UNKNOWN = UNIT, UNKNOWN_NOISE = 7 * UNIT / 2, /* of a frame that has no partner */
    CHANGE = 4 * UNIT, CHANGE_STEP = UNIT / 4,
    CHANGE_NOISE = 11 * UNIT / 2, CHANGE_STEP_NOISE = UNIT,
};

struct states {
    uint32_t n;
    uint16_t *from; /* of each frame and state: the state before */
    struct state {
        uint32_t distance; /* of the frame; UINT32_MAX: no partner */
        uint16_t origin;   /* of `moved` */
        int64_t cost, moved;
    } *state;
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
        t->state[i].distance = UINT32_MAX;
        if (!sides_have(s, n, offset))
            continue;
        t->state[i].distance = sides_distance(s, n, offset);
        sum += t->state[i].distance;
        count++;
    }
    const uint64_t unit = FLOOR + (count ? sum / count : 0);
    for (uint32_t i = 0; i < t->n; i++) {
        if (t->state[i].distance == UINT32_MAX) {
            t->state[i].cost += s->noise ? UNKNOWN_NOISE : UNKNOWN;
            continue;
        }
        const int64_t most = s->noise ? MOST_NOISE : MOST,
                      cost = s->noise ? logarithm(1024 + (uint64_t)t->state[i].distance * 4096 / s->noise)
                                      : (int64_t)(((uint64_t)t->state[i].distance + FLOOR) * UNIT / unit);
        t->state[i].cost += cost < most ? cost : most;
    }
}

/* Replaces each cost by the least one of staying and of coming from another state, and notes where it came from. */
static void change(const struct sides *s, struct states *t, uint16_t *from)
{
    const int64_t once = s->noise ? CHANGE_NOISE : CHANGE, step = s->noise ? CHANGE_STEP_NOISE : CHANGE_STEP;
    for (uint32_t i = 0; i < t->n; i++) {
        t->state[i].moved = t->state[i].cost;
        t->state[i].origin = (uint16_t)i;
    }
    for (uint32_t i = 1; i < t->n; i++)
        if (t->state[i - 1].moved + step < t->state[i].moved) {
            t->state[i].moved = t->state[i - 1].moved + step;
            t->state[i].origin = t->state[i - 1].origin;
        }
    for (uint32_t i = t->n - 1; i-- > 0;)
        if (t->state[i + 1].moved + step < t->state[i].moved) {
            t->state[i].moved = t->state[i + 1].moved + step;
            t->state[i].origin = t->state[i + 1].origin;
        }
    for (uint32_t i = 0; i < t->n; i++) {
        const bool moves = t->state[i].moved + once < t->state[i].cost;
        from[i] = moves ? t->state[i].origin : (uint16_t)i;
        t->state[i].cost = moves ? t->state[i].moved + once : t->state[i].cost;
    }
}

/* The state of least cost; of equal ones the one nearest to offset 0. */
static uint32_t least_cost(const struct sides *s, const struct states *t)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < t->n; i++) {
        const bool nearer = llabs(s->least + i) < llabs(s->least + best);
        if (t->state[i].cost < t->state[best].cost || (t->state[i].cost == t->state[best].cost && nearer))
            best = i;
    }
    return best;
}

int path_find(const struct sides *s, int32_t *offset, struct assay_error *e)
{
    struct states t = {.n = (uint32_t)(s->most - s->least + 1)};
    t.state = calloc(t.n, sizeof *t.state);
    t.from = calloc(s->frames[0], t.n * sizeof *t.from);
    const bool memory = t.state && t.from;
    for (uint64_t n = 0; memory && n < s->frames[0]; n++) {
        if (n)
            change(s, &t, t.from + n * t.n);
        frame_costs(s, &t, n);
    }
    uint32_t at = memory ? least_cost(s, &t) : 0;
    for (uint64_t n = s->frames[0]; memory && n-- > 0; at = n ? t.from[n * t.n + at] : at)
        offset[n] = (int32_t)(s->least + at);
    free(t.state);
    free(t.from);
    return memory ? ASSAY_OK : assay_fail_memory(e, "the offsets of frames");
}
