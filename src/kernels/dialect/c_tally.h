/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts of codes in windows, for the C build (TALLIES). A tile has a table of its codes and columns: how often each
 * code occurs in the window around a column of the row that is computed. The table slides down the rows: a row leaves
 * and another enters. A run of equal codes changes the counts of its code in the columns near it, by as many as the run
 * has columns in their windows: a ramp up, a plateau, a ramp down.
 */
#ifndef ASSAY_DIALECT_C_TALLY_H
#define ASSAY_DIALECT_C_TALLY_H

#include "kernels/dialect/c_lanes.h"

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
#elif defined(__x86_64__) && LANES == 4
LANE_FN i16 tally_min(i16 a, i16 b) { return __builtin_ia32_pminsw128(a, b); }
LANE_FN i16 tally_max(i16 a, i16 b) { return __builtin_ia32_pmaxsw128(a, b); }
#elif defined(__x86_64__) && LANES == 8
LANE_FN i16 tally_min(i16 a, i16 b) { return __builtin_ia32_pminsw256(a, b); }
LANE_FN i16 tally_max(i16 a, i16 b) { return __builtin_ia32_pmaxsw256(a, b); }
#elif defined(__x86_64__)
LANE_FN i16 tally_min(i16 a, i16 b) { return __builtin_ia32_pminsw512_mask(a, b, a, 0xffffffff); }
LANE_FN i16 tally_max(i16 a, i16 b) { return __builtin_ia32_pmaxsw512_mask(a, b, a, 0xffffffff); }
#else
LANE_FN i16 tally_min(i16 a, i16 b) { return (i16)vminq_s16((int16x8_t)a, (int16x8_t)b); }
LANE_FN i16 tally_max(i16 a, i16 b) { return (i16)vmaxq_s16((int16x8_t)a, (int16x8_t)b); }
#endif
LANE_FN i32 tally_widen(const int16_t *p) { return widen_u16(p); }
#endif

/* Bit l: lane l. */
LANE_FN unsigned lanes_bits(mask m)
{
#if LANES == 1
    return m != 0;
#elif defined(__x86_64__) && LANES == 4
    return (unsigned)__builtin_ia32_movmskps((f32)m);
#elif defined(__x86_64__) && LANES == 8
    return (unsigned)__builtin_ia32_movmskps256((f32)m);
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
    int stride;
    const struct kernel_plane *plane;
    int x, y, w;      /* the tile's first column and row, its columns */
    int radius, first, last;
};

/* Adds `sign` times the columns that a run from `begin` to `end` has in the window of each column. */
LANE_FN void tally_run(const struct tally *t, int code, int begin, int end, int sign)
{
    const int low = begin - t->radius - t->x, high = end + t->radius - t->x, length = end - begin + 1;
    const int window = 2 * t->radius + 1, to = high < t->w - 1 ? high : t->w - 1;
    int16_t *row = t->cell + (ptrdiff_t)(code - t->first) * t->stride;
    const i16 most = tally_splat(length < window ? length : window), none = tally_splat(0);
    for (int at = low < 0 ? 0 : low & -TALLY_STEP; at <= to; at += TALLY_STEP) {
        const i16 up = tally_iota() + tally_splat(at - low + 1), down = tally_splat(high - at + 1) - tally_iota();
        const i16 n = tally_max(tally_min(tally_min(up, down), most), none);
        i16 *cells = (i16 *)(void *)(row + at);
        *cells = sign > 0 ? *cells + n : *cells - n;
    }
}

/* A row enters the windows, or leaves them. */
LANE_FN void tally_row(const struct tally *t, tally_load *load, int y, int sign)
{
    const int x0 = t->x - t->radius > 0 ? t->x - t->radius : 0;
    const int last = t->x + t->w - 1 + t->radius, x1 = last < t->plane->width ? last : t->plane->width - 1;
    int begin = -1, code = 0; /* of the run that has begun; -1: none has */
    for (int x = x0; x <= x1; x += LANES) {
        const u32 v = load(t->plane, x, y);
        const unsigned valid = x1 - x + 1 < LANES ? (1u << (x1 - x + 1)) - 1 : (1u << (LANES - 1) << 1) - 1;
        const unsigned counted = lanes_bits((mask)(v - (u32_cell)t->first <= U32(t->last - t->first))) & valid;
        const unsigned other = lanes_bits((mask)(v != load(t->plane, x - 1, y))) | (x == x0);
        /* Where a run ends or begins. */
        unsigned change = other & valid & (counted | counted << 1 | (begin >= 0));
        for (; change; change &= change - 1) {
            const int l = __builtin_ctz(change);
            if (begin >= 0)
                tally_run(t, code, begin, x + l - 1, sign);
            begin = counted >> l & 1 ? x + l : -1;
            code = (int)LANE(v, l);
        }
    }
    if (begin >= 0)
        tally_run(t, code, begin, x1, sign);
}

/* Prepares the table for row `y` of the tile; rows come from 0 on. */
LANE_FN void tally_slide(const struct tally *t, tally_load *load, int y)
{
    const int row = t->y + y, height = t->plane->height, end = row + t->radius + 1;
    if (y == 0) {
        memset(t->cell, 0, (size_t)(t->last - t->first + 1) * (size_t)t->stride * sizeof *t->cell);
        for (int at = row > t->radius ? row - t->radius : 0; at < end && at < height; at++)
            tally_row(t, load, at, 1);
        return;
    }
    if (row - 1 - t->radius >= 0)
        tally_row(t, load, row - 1 - t->radius, -1);
    if (end <= height)
        tally_row(t, load, end - 1, 1);
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
            if (from + i >= 0 && from + i <= t->last - t->first)
                counts[i] = sel_i32(same, tally_widen(t->cell + (ptrdiff_t)(from + i) * t->stride + x),
                                    counts[i]);
        }
    }
}

#endif
