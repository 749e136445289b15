/* SPDX-License-Identifier: BSD-2-Clause */
#include "scale/taps.h"

#include <stdlib.h>
#include <string.h>

#include "host/exact_math.h"

const char *const scale_filter_name[SCALE_FILTERS] = {"bilinear", "bicubic", "lanczos", "spline"};

enum scale_filter scale_filter_from_name(const char *name)
{
    enum scale_filter f = 0;
    while (f < SCALE_FILTERS && strcmp(name, scale_filter_name[f]))
        f++;
    return f;
}

/* Source samples that a filter reaches over, both ways together. */
static const int64_t support[SCALE_FILTERS] = {2, 4, 6, 20};

/* Weights of all outputs before they become taps. `position` counts source samples and may lie outside the source. */
struct weights {
    int64_t outputs, from, to, size; /* size: weights of an output */
    int64_t unit, cut;               /* the weight that stands for 1; what may be cut off at an end */
    int64_t *weight, *position;
};

/* The distance at which the filter is taken: 2^30 is one source sample, or one of the output where that is larger. */
enum { DISTANCE_BITS = 30 };

/* ---- the filters ------------------------------------------------------------------------------------------------- */

/* B = 0, C = 0.6, in units of 2^-24. The largest term is about 2^60. */
static int64_t bicubic(int64_t d, int64_t shift)
{
    const int64_t one = 1 << 24, b = 0, c = 10066329; /* 0.6 of 2^24, cut off */
    if (d >= (int64_t)1 << (DISTANCE_BITS + 1))
        return 0;
    const int64_t d2 = (d * d) >> DISTANCE_BITS, d3 = (d2 * d) >> DISTANCE_BITS, v = (int64_t)1 << DISTANCE_BITS;
    const int64_t w = d < v ? (12 * one - 9 * b - 6 * c) * d3 + (12 * b + 6 * c - 18 * one) * d2 + (6 * one - 2 * b) * v
                            : (-b - 6 * c) * d3 + (6 * b + 30 * c) * d2 - (12 * b + 48 * c) * d + (8 * b + 24 * c) * v;
    return w / ((int64_t)1 << shift);
}

static int64_t bilinear(int64_t d, int64_t unit)
{
    const int64_t left = ((int64_t)1 << DISTANCE_BITS) - d;
    return left > 0 ? left * (unit >> DISTANCE_BITS) : 0;
}

/* sin(t) for t from 0 to 3 pi, to about an ulp. Multiples of pi are taken off in two parts: the double nearest to pi,
 * which has 50 bits, so that three times it is exact, and what it lacks. What is left of t is at most pi / 2, where
 * Taylor's series to t^25 leaves 2^-61. */
static double sine(double t)
{
    static const double lacking = 1.2246467991473532e-16;
    static const double inverse[] = {/* 1 / (n (n + 1)), n = 2, 4, ... 24 */
        1.0 / 6.0, 1.0 / 20.0, 1.0 / 42.0, 1.0 / 72.0, 1.0 / 110.0, 1.0 / 156.0, 1.0 / 210.0, 1.0 / 272.0, 1.0 / 342.0,
        1.0 / 420.0, 1.0 / 506.0, 1.0 / 600.0};
    const int turns = (int)(t / ASSAY_PI + 0.5);
    const double r = (t - turns * ASSAY_PI) - turns * lacking, r2 = r * r;
    double sum = 1.0;
    for (unsigned i = sizeof inverse / sizeof inverse[0]; i-- > 0;)
        sum = 1.0 - r2 * inverse[i] * sum;
    return turns % 2 ? -(r * sum) : r * sum;
}

/* `move` is added to weights that depend on a sine. */
static int64_t lanczos(int64_t d, int64_t unit, int64_t move)
{
    const double x = (double)d / (double)((int64_t)1 << DISTANCE_BITS), p = 3.0; /* exact */
    if (x > p)
        return 0;
    if (d == 0)
        return unit;
    const double weight = sine(x * ASSAY_PI) * sine(x * ASSAY_PI / p) / (x * x * ASSAY_PI * ASSAY_PI / p);
    return (int64_t)(weight * (double)unit) + move;
}

/* A cubic of each sample of distance; the coefficients of the next one follow from those of the last. */
static int64_t spline(int64_t d, int64_t unit)
{
    double x = (double)d / (double)((int64_t)1 << DISTANCE_BITS); /* exact */
    double a = 1.0, b = 0.0, c = -2.196152422706632, e = 2.196152422706632 - 1.0;
    for (; x > 1.0; x -= 1.0) {
        const double next_b = (b + 2.0 * c) + 3.0 * e, next_c = c + 3.0 * e, next_e = (-b - 3.0 * c) - 6.0 * e;
        a = 0.0;
        b = next_b;
        c = next_c;
        e = next_e;
    }
    return (int64_t)((((e * x + c) * x + b) * x + a) * (double)unit);
}

/* ---- weights ----------------------------------------------------------------------------------------------------- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A step of an output in the source, in 1/65536. */
static int64_t step_of(const struct scale_axis *a)
{
    return ((int64_t)a->from * 65536 + a->to / 2) / a->to;
}

static bool is_copy(const struct scale_axis *a)
{
    return llabs(step_of(a) - 65536) < 10 && a->from_at == a->to_at;
}

static int64_t weight_of(enum scale_filter filter, int64_t d, int64_t shift, int64_t unit, int64_t move)
{
    switch (filter) {
    case SCALE_BILINEAR: return bilinear(d, unit);
    case SCALE_BICUBIC: return bicubic(d, shift);
    case SCALE_LANCZOS: return lanczos(d, unit, move);
    default: return spline(d, unit);
    }
}

static int weights_init(struct weights *w, enum scale_filter filter, const struct scale_axis *a, int64_t move,
                        struct assay_error *e)
{
    const int64_t from = a->from, to = a->to, step = step_of(a);
    int64_t shift = 0, size = 1;
    while (shift < 8 && (from / to) >> (shift + 1))
        shift++;
    if (!is_copy(a)) {
        size = step <= 65536 ? 1 + support[filter] : 1 + (support[filter] * from + to - 1) / to;
        size = most(1, least(size, from - 2));
    }
    *w = (struct weights){.outputs = to, .from = from, .to = to, .size = size, .unit = (int64_t)1 << (54 - shift),
                          .cut = 36028797018963 >> shift}; /* 0.002 of 2^54, cut off */
    w->weight = calloc((size_t)(to * size), sizeof *w->weight);
    w->position = calloc((size_t)to, sizeof *w->position);
    if (!w->weight || !w->position)
        return assay_fail_memory(e, "the filters of scaling");
    for (int64_t i = 0; i < to; i++) {
        /* the middle of the output sample, in 1/131072 of a source sample */
        const int64_t centre = ((a->to_at * step) >> 7) - 512 * (int64_t)a->from_at + 2 * step * i;
        int64_t *out = w->weight + i * size;
        w->position[i] = is_copy(a) ? i : (centre - (size - 2) * 65536) / 131072;
        for (int64_t j = 0; j < size; j++) {
            int64_t d = llabs((w->position[i] + j) * 131072 - centre) * 8192;
            if (step > 65536)
                d = d * to / from;
            out[j] = is_copy(a) ? w->unit : weight_of(filter, d, shift, w->unit, move);
        }
    }
    return ASSAY_OK;
}

/* Drops small weights at both ends of every output, and returns how many are kept. */
static int64_t weights_trim(struct weights *w)
{
    int64_t kept = 1;
    for (int64_t i = w->outputs - 1; i >= 0; i--) {
        int64_t *at = w->weight + i * w->size, sum = 0;
        for (int64_t n = 0; n < w->size; n++) {
            sum += llabs(at[0]);
            if (sum > w->cut || (i < w->outputs - 1 && w->position[i] >= w->position[i + 1]))
                break;
            memmove(at, at + 1, (size_t)(w->size - 1) * sizeof *at);
            at[w->size - 1] = 0;
            w->position[i]++;
        }
        int64_t keep = w->size;
        sum = 0;
        for (int64_t j = w->size - 1; j > 0; j--) {
            sum += llabs(at[j]);
            if (sum > w->cut)
                break;
            keep--;
        }
        kept = most(kept, keep);
    }
    return kept;
}

/* ---- taps -------------------------------------------------------------------------------------------------------- */

/* Rounds weights to taps whose sum is `one`: what a rounding leaves goes to the next tap. Halves are away from 0. */
static void normalise(const int64_t *weight, int64_t n, int64_t one, int16_t *tap)
{
    int64_t sum = 0, carry = 0;
    for (int64_t k = 0; k < n; k++)
        sum += weight[k];
    sum = (sum + one / 2) / one;
    sum = sum ? sum : 1;
    for (int64_t k = 0; k < n; k++) {
        const int64_t v = weight[k] + carry, rounded = (v >= 0 ? v + (sum >> 1) : v - (sum >> 1)) / sum;
        tap[k] = (int16_t)rounded;
        carry = v - rounded * sum;
    }
}

/* Weights that lie outside the source count for its first or last sample. */
static int taps_of(struct scale_taps *t, const struct weights *w, int64_t n, int64_t one, struct assay_error *e)
{
    int64_t *own = calloc((size_t)n, sizeof *own);
    *t = (struct scale_taps){.outputs = (uint32_t)w->outputs, .taps = (uint32_t)n};
    t->first = calloc((size_t)w->outputs, sizeof *t->first);
    t->tap = calloc((size_t)(w->outputs * n), sizeof *t->tap);
    if (!own || !t->first || !t->tap) {
        free(own);
        return assay_fail_memory(e, "the filters of scaling");
    }
    for (int64_t i = 0; i < w->outputs; i++) {
        const int64_t first = least(most(w->position[i], 0), most(w->from - n, 0));
        memset(own, 0, (size_t)n * sizeof *own);
        for (int64_t j = 0; j < n; j++)
            own[least(most(w->position[i] + j, 0), w->from - 1) - first] += w->weight[i * w->size + j];
        t->first[i] = (int32_t)first;
        normalise(own, n, one, t->tap + i * n);
    }
    free(own);
    return ASSAY_OK;
}

static int make_moved(struct scale_taps *t, enum scale_filter filter, const struct scale_axis *axis, int32_t one,
                      int64_t move, struct assay_error *e)
{
    struct weights w;
    int rc = weights_init(&w, filter, axis, move, e);
    if (!rc)
        rc = taps_of(t, &w, weights_trim(&w), one, e);
    free(w.weight);
    free(w.position);
    return rc;
}

/* Another machine's sine may be an ulp off, which is at most 2 units of a weight; the taps must not hang on 64. */
static int check_sines(const struct scale_taps *t, const struct scale_axis *axis, int32_t one, struct assay_error *e)
{
    enum { MOVE = 64 };
    int rc = ASSAY_OK;
    for (int move = -MOVE; !rc && move <= MOVE; move += 2 * MOVE) {
        struct scale_taps other = {0};
        rc = make_moved(&other, SCALE_LANCZOS, axis, one, move, e);
        if (!rc && (other.taps != t->taps || memcmp(other.first, t->first, t->outputs * sizeof *t->first) ||
                    memcmp(other.tap, t->tap, (size_t)t->outputs * t->taps * sizeof *t->tap)))
            rc = assay_fail(e, ASSAY_EUSAGE, "lanczos can't scale %u samples to %u: a tap hangs on the last bits of a "
                            "sine, and libraries differ there; the other filters can", axis->from, axis->to);
        scale_taps_free(&other);
    }
    return rc;
}

int scale_taps_make(struct scale_taps *t, enum scale_filter filter, const struct scale_axis *axis, int32_t one,
                    bool any, struct assay_error *e)
{
    *t = (struct scale_taps){0};
    int rc = make_moved(t, filter, axis, one, 0, e);
    if (!rc && !any && t->taps > SCALE_MOST_TAPS)
        rc = assay_fail(e, ASSAY_EUSAGE, "%s can't scale %u samples to %u: it would have %u taps, at most %d",
                        scale_filter_name[filter], axis->from, axis->to, t->taps, SCALE_MOST_TAPS);
    if (!rc && !any && filter == SCALE_LANCZOS)
        rc = check_sines(t, axis, one, e);
    if (rc)
        scale_taps_free(t);
    return rc;
}

void scale_taps_free(struct scale_taps *t)
{
    free(t->first);
    free(t->tap);
    *t = (struct scale_taps){0};
}
