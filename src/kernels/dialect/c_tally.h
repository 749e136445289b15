/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts of codes in windows, for the C build (TALLIES). A tile has a table of its codes and columns: how often each
 * code occurs in the window around a column of the row that is computed. The table slides down the rows: a row leaves
 * and another enters. A run of equal codes changes the counts of its code in the columns near it, by as many as the run
 * has columns in their windows: a ramp up, a plateau, a ramp down.
 */
#ifndef ASSAY_DIALECT_C_TALLY_H
#define ASSAY_DIALECT_C_TALLY_H

#include "kernels/dialect/c_pairs.h"

#if LANES == 1
typedef int16_t i16;
enum { TALLY_STEP = 1 };
LANE_FN i16 tally_splat(int v) { return (i16)v; }
LANE_FN i16 tally_iota(void) { return 0; }
LANE_FN i16 tally_min(i16 a, i16 b) { return a < b ? a : b; }
LANE_FN i16 tally_max(i16 a, i16 b) { return a > b ? a : b; }
LANE_FN i32 tally_widen(const int16_t *p) { return *p; }
#else
typedef int16_t i16 __attribute__((vector_size(LANES * 4)));
enum { TALLY_STEP = 2 * LANES };
LANE_FN i16 tally_splat(int v) { return (i16){0} + (int16_t)v; }
LANE_FN i16 tally_iota(void)
{
    i16 v = {0};
    for (int l = 0; l < TALLY_STEP; l++)
        v[l] = (int16_t)l;
    return v;
}
#if defined(__clang__) && defined(__x86_64__)
LANE_FN i16 tally_min(i16 a, i16 b) { return __builtin_elementwise_min(a, b); }
LANE_FN i16 tally_max(i16 a, i16 b) { return __builtin_elementwise_max(a, b); }
#elif defined(__x86_64__)
LANE_FN i16 tally_min(i16 a, i16 b) { return (i16)PAIRS_(pminsw, a, b); }
LANE_FN i16 tally_max(i16 a, i16 b) { return (i16)PAIRS_(pmaxsw, a, b); }
#else
LANE_FN i16 tally_min(i16 a, i16 b) { return (i16)vminq_s16((int16x8_t)a, (int16x8_t)b); }
LANE_FN i16 tally_max(i16 a, i16 b) { return (i16)vmaxq_s16((int16x8_t)a, (int16x8_t)b); }
#endif
LANE_FN i32 tally_widen(const int16_t *p) { return widen_u16(p); }
#endif

/* Bits of TALLY_STEP numbers, TALLY_BIT apart: where a is at most b, both without sign; where they are equal. */
#if defined(__x86_64__) && LANES > 1
typedef UNALIGNED_OF(i16) i16_any;
typedef UNALIGNED_OF(uint16_t) u16_any;
#if LANES == 16
#define TALLY_BIT 1
#define TALLY_BITS 0xffffffffu
LANE_FN unsigned tally_at_most(i16 a, i16 b) { return __builtin_ia32_ucmpw512_mask(a, b, 2, 0xffffffffu); }
LANE_FN unsigned tally_equal(i16 a, i16 b) { return __builtin_ia32_ucmpw512_mask(a, b, 0, 0xffffffffu); }
#else
#define TALLY_BIT 2
#define TALLY_BITS (LANES == 8 ? 0x55555555u : 0x5555u)
typedef uint16_t tally_u16 __attribute__((vector_size(LANES * 4)));
typedef char tally_i8 __attribute__((vector_size(LANES * 4)));
LANE_FN unsigned tally_bits_(tally_i8 m) { return (unsigned)X86_(pmovmskb)(m) & TALLY_BITS; }
LANE_FN unsigned tally_at_most(i16 a, i16 b) { return tally_bits_((tally_i8)((tally_u16)a <= (tally_u16)b)); }
LANE_FN unsigned tally_equal(i16 a, i16 b) { return tally_bits_((tally_i8)(a == b)); }
#endif
#endif

/* Bit l: lane l. */
LANE_FN unsigned lanes_bits(mask m)
{
#if LANES == 1
    return m != 0;
#elif defined(__x86_64__) && LANES < 16
    return (unsigned)X86_OF_FLOATS_(movmskps)((f32)m);
#elif defined(__x86_64__)
    return (unsigned)__builtin_ia32_cvtd2mask512(m);
#else
    static const uint32_t bit[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32((uint32x4_t)m, vld1q_u32(bit)));
#endif
}

typedef u32 tally_load(const struct kernel_plane *p, int x, int y);
LANE_FN u32 tally_load_u8(const struct kernel_plane *p, int x, int y) { return u32_from_i32(ld_u8(p, x, y)); }
LANE_FN u32 tally_load_u16(const struct kernel_plane *p, int x, int y) { return u32_from_i32(ld_u16(p, x, y)); }
LANE_FN u32 tally_load_u32(const struct kernel_plane *p, int x, int y) { return ld_u32(p, x, y); }

struct tally {
    int16_t *cell;    /* code - first, column of the tile */
    uint64_t *there;  /* a bit for each row of cells: it has been cleared; the others count as 0 */
    bool *counted;    /* for the rows of all windows: codes of the row are counted */
    int stride;
    const struct kernel_plane *plane;
    int x, y, w;      /* the tile's first column and row, its columns */
    int radius, reach, first, last;
};

/* Adds `sign` times the columns that a run from `begin` to `end` has in the window of each column. */
LANE_FN void tally_run(const struct tally *t, int code, int begin, int end, int sign)
{
    const int low = begin - t->radius - t->x, high = end + t->radius - t->x, length = end - begin + 1;
    const int window = 2 * t->radius + 1, to = high < t->w - 1 ? high : t->w - 1;
    const int index = code - t->first;
    int16_t *row = t->cell + (ptrdiff_t)index * t->stride;
    if (!(t->there[index >> 6] >> (index & 63) & 1)) {
        memset(row, 0, (size_t)t->stride * sizeof *row);
        t->there[index >> 6] |= (uint64_t)1 << (index & 63);
    }
    const i16 most = tally_splat(length < window ? length : window), none = tally_splat(0);
    for (int at = low < 0 ? 0 : low & -TALLY_STEP; at <= to; at += TALLY_STEP) {
        const i16 up = tally_iota() + tally_splat(at - low + 1), down = tally_splat(high - at + 1) - tally_iota();
        const i16 n = tally_max(tally_min(tally_min(up, down), most), none);
        i16 *cells = (i16 *)(void *)(row + at);
        *cells = sign > 0 ? *cells + n : *cells - n;
    }
}

/* A row that enters the windows or leaves them, and the run of equal codes that has begun in it. */
struct tally_scan {
    const struct tally *t;
    int sign, begin, code; /* begin: the run's first column, -1 where there is none */
    bool any;              /* there was a run */
};

/* A run ends before column x, and where it is counted the code there begins one. */
LANE_FN void tally_change(struct tally_scan *s, int x, int code, bool counted)
{
    if (s->begin >= 0)
        tally_run(s->t, s->code, s->begin, x - 1, s->sign);
    s->begin = counted ? x : -1;
    s->code = code;
    s->any |= counted;
}

/* Columns x to x1, in which `first_x` is the first of the row that counts. */
LANE_FN void tally_scan_lanes(struct tally_scan *s, tally_load *load, int y, int x, int x1, int first_x)
{
    const struct tally *t = s->t;
    for (; x <= x1; x += LANES) {
        const u32 v = load(t->plane, x, y);
        const unsigned valid = x1 - x + 1 < LANES ? (1u << (x1 - x + 1)) - 1 : (1u << (LANES - 1) << 1) - 1;
        const unsigned counted = lanes_bits((mask)(v - (u32_cell)t->first <= U32(t->last - t->first))) & valid;
        if (!counted && s->begin < 0)
            continue;
        const unsigned other = lanes_bits((mask)(v != load(t->plane, x - 1, y))) | (x == first_x);
        unsigned change = other & valid & (counted | counted << 1 | (s->begin >= 0));
        for (; change; change &= change - 1) {
            const int l = __builtin_ctz(change);
            tally_change(s, x + l, (int)LANE(v, l), counted >> l & 1);
        }
    }
}

#if defined(__x86_64__) && LANES > 1
/* The same for samples of 16 bits, TALLY_STEP at a time, from a column above 0. Returns the first column that is left:
 * less than a vector. Bits lie TALLY_BIT apart. */
LANE_FN int tally_scan_words(struct tally_scan *s, int y, int x, int x1, int first_x)
{
    const struct tally *t = s->t;
    const u16_any *row = (const u16_any *)plane_row(t->plane, y);
    const i16 first = tally_splat(t->first), range = tally_splat(t->last - t->first);
    for (; x + TALLY_STEP - 1 <= x1; x += TALLY_STEP) {
        const i16 v = *(const i16_any *)(const void *)(row + x);
        const unsigned counted = tally_at_most(v - first, range);
        if (!counted && s->begin < 0)
            continue;
        const unsigned same = tally_equal(v, *(const i16_any *)(const void *)(row + x - 1));
        const unsigned other = (~same & TALLY_BITS) | (x == first_x);
        unsigned change = other & (counted | counted << TALLY_BIT | (s->begin >= 0));
        for (; change; change &= change - 1) {
            const int bit = __builtin_ctz(change);
            tally_change(s, x + bit / TALLY_BIT, row[x + bit / TALLY_BIT], counted >> bit & 1);
        }
    }
    return x;
}
#endif

/* A row enters the windows, or leaves them. Returns whether any of its codes is counted. */
LANE_FN bool tally_row(const struct tally *t, tally_load *load, int y, int sign)
{
    const int x0 = t->x - t->radius > 0 ? t->x - t->radius : 0;
    const int last = t->x + t->w - 1 + t->radius, x1 = last < t->plane->width ? last : t->plane->width - 1;
    struct tally_scan s = {t, sign, -1, 0, false};
    int x = x0;
#if defined(__x86_64__) && LANES > 1
    if (load == tally_load_u16) {
        if (x == 0 && x1 >= LANES) {
            tally_scan_lanes(&s, load, y, 0, LANES - 1, x0);
            x = LANES;
        }
        x = x > 0 ? tally_scan_words(&s, y, x, x1, x0) : x;
    }
#endif
    tally_scan_lanes(&s, load, y, x, x1, x0);
    if (s.begin >= 0)
        tally_run(t, s.code, s.begin, x1, sign);
    return s.any;
}

/* Prepares the table for row `y` of the tile; rows come from 0 on. */
LANE_FN void tally_slide(const struct tally *t, tally_load *load, int y)
{
    const int row = t->y + y, height = t->plane->height, end = row + t->radius + 1;
    bool *counted = t->counted + t->radius - t->y; /* by the plane's row */
    int at = row + t->radius;
    if (y == 0) {
        for (int i = 0; i <= (t->last - t->first) >> 6; i++)
            t->there[i] = 0;
        at = row > t->radius ? row - t->radius : 0;
    } else if (row - 1 - t->radius >= 0 && counted[row - 1 - t->radius]) {
        tally_row(t, load, row - 1 - t->radius, -1);
    }
    for (; at < end && at < height; at++)
        counted[at] = tally_row(t, load, at, 1);
}

/* The codes are near the items' own, which are counted: GPUs have no others at hand. */
LANE_FN void tally_check(const struct tally *t, tally_load *load, int n, mask m, i32 code, int x, int y)
{
#ifdef ASSAY_KERNEL_CHECKS
    const i32 own = (i32)load(t->plane, t->x + x, t->y + y);
    KERNEL_CHECK(!lanes_bits(m & ((own < t->first) | (own > t->last))), "an item of TALLY_OF without a code");
    KERNEL_CHECK(!lanes_bits(m & ((code < own - t->reach) | (code + (n - 1) > own + t->reach))),
                 "the reach of TALLY_OF");
#else
    (void)t, (void)load, (void)n, (void)m, (void)code, (void)x, (void)y;
#endif
}

/* Lanes with the same code read one vector for each count. Neighbours mostly have it. */
LANE_FN void tally_of(const struct tally *t, int n, i32 *counts, mask m, i32 code, int x)
{
    _Pragma("GCC unroll 16") for (int i = 0; i < n; i++)
        counts[i] = I32(0);
    for (unsigned left = lanes_bits(m); left;) {
        const int own = LANE(code, __builtin_ctz(left)), from = own - t->first;
        const mask same = m & (code == I32(own));
        left &= ~lanes_bits(same);
        _Pragma("GCC unroll 16") for (int i = 0; i < n; i++) {
            const int index = from + i;
            if (index >= 0 && index <= t->last - t->first && (t->there[index >> 6] >> (index & 63) & 1))
                counts[i] = sel_i32(same, tally_widen(t->cell + (ptrdiff_t)index * t->stride + x),
                                    counts[i]);
        }
    }
}

#endif
