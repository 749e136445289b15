/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steps of Butteraugli that its kernels share (docs/metrics/butteraugli.md). Planes between them are stacked layers:
 *
 *   opsin      X, Y, B: the response to light
 *   low        0 to 2: X, Y, B by the widest Gaussian; 3 to 5: what is left of them
 *   middle     0 to 2: middle frequencies of X, Y, B; 3 and 4: what is left of X and Y above them
 *   high       0 and 1: high frequencies of X and Y; 2 and 3: the highest; 4: activity
 *
 * Gaussians have a bounded window. At a border their sums are divided by the sum of the taps that lie inside: the
 * tables `across`, a row, and `down`, a column, hold 1 over these sums, which is 1 away from the borders.
 */
#ifndef ASSAY_KERNELS_BUTTERAUGLI_H
#define ASSAY_KERNELS_BUTTERAUGLI_H

#include "kernels/exact.h"

#define BUTTER_LOW_REACH 16
#define BUTTER_MIDDLE_REACH 7
#define BUTTER_HIGH_REACH 3
#define BUTTER_ACTIVITY_REACH 6

#define BUTTER_PAIR(v, c, i, tap) ((v)[(c) - (i)] + (v)[(c) + (i)]) * tap
#define BUTTER_BLUR_2(v, c, N) \
    (((v)[c] * N##_0 + BUTTER_PAIR(v, c, 1, N##_1)) + BUTTER_PAIR(v, c, 2, N##_2))
#define BUTTER_BLUR_3(v, c, N) (BUTTER_BLUR_2(v, c, N) + BUTTER_PAIR(v, c, 3, N##_3))
#define BUTTER_BLUR_6(v, c, N) \
    (((BUTTER_BLUR_3(v, c, N) + BUTTER_PAIR(v, c, 4, N##_4)) + BUTTER_PAIR(v, c, 5, N##_5)) + \
     BUTTER_PAIR(v, c, 6, N##_6))
#define BUTTER_BLUR_7(v, c, N) (BUTTER_BLUR_6(v, c, N) + BUTTER_PAIR(v, c, 7, N##_7))
#define BUTTER_BLUR_16(v, c, N) \
    (((BUTTER_BLUR_7(v, c, N) + (BUTTER_PAIR(v, c, 8, N##_8) + BUTTER_PAIR(v, c, 9, N##_9))) + \
      ((BUTTER_PAIR(v, c, 10, N##_10) + BUTTER_PAIR(v, c, 11, N##_11)) + BUTTER_PAIR(v, c, 12, N##_12))) + \
     ((BUTTER_PAIR(v, c, 13, N##_13) + BUTTER_PAIR(v, c, 14, N##_14)) + \
      (BUTTER_PAIR(v, c, 15, N##_15) + BUTTER_PAIR(v, c, 16, N##_16))))
#define BUTTER_BLUR_LOW(v, c) BUTTER_BLUR_16(v, c, BUTTER_LOW)
#define BUTTER_BLUR_MIDDLE(v, c) BUTTER_BLUR_7(v, c, BUTTER_MIDDLE)
#define BUTTER_BLUR_HIGH(v, c) BUTTER_BLUR_3(v, c, BUTTER_HIGH)
#define BUTTER_BLUR_ACTIVITY(v, c) BUTTER_BLUR_6(v, c, BUTTER_ACTIVITY)

/* Tile memory of a kernel that blurs layers of a plane one after the other; the width for RUNS is odd. */
#define BUTTER_TILES(reach) \
    TILE(f32, columns, TILE_W + 2 * (reach) + 1, TILE_H) \
    TILE(f32, blurred, TILE_W + 1, TILE_H) \
    TILE(f32, in_row, TILE_W, 1) \
    TILE(f32, in_column, 1, TILE_H)

#define BUTTER_STAGE_BORDERS \
    EACH(x, y, SPAN_W, 1) \
        TST(in_row, 0, x, 0, y, LD(across, TILE_X, x, 0, y)); \
    END_EACH \
    EACH(x, y, 1, SPAN_H) \
        TST(in_column, 0, x, 0, y, LD(down, 0, x, TILE_Y, y)); \
    END_EACH \
    SYNC

/* The Gaussian of a layer, but for BUTTER_BLURRED's factor of the row, in `blurred`. Each of columns, then rows. */
#define BUTTER_BLUR(plane, layer, reach, blur) \
    STRIPS(x, y, SPAN_W + 2 * (reach), SPAN_H) \
        f32 v[ROWS + 2 * (reach)]; \
        FOR(j, ROWS + 2 * (reach)) { \
            v[j] = LD_LAYER(plane, layer, GRID_H, TILE_X - (reach), x, TILE_Y - (reach) + j, y); \
        } \
        FOR(i, ROWS) { TST(columns, 0, x, i, y, blur(v, i + (reach)) * TLDN(in_column, 0, 0, x, 1, i, y)); } \
    END_STRIPS \
    SYNC \
    RUNS(x, y, SPAN_W, SPAN_H) \
        f32 v[RUN + 2 * (reach)]; \
        FOR(j, RUN + 2 * (reach)) { v[j] = TLD(columns, j, x, 0, y); } \
        FOR(i, RUN) { TST(blurred, i, x, 0, y, blur(v, i + (reach))); } \
    END_RUNS \
    SYNC

#define BUTTER_BLURRED(x, y) (TLD(blurred, 0, x, 0, y) * TLDN(in_row, 1, 0, x, 0, 0, y))

/* v, or 0 where it is smaller than 2^-30: then no square of it, and no sum of such values, is denormal. */
FN f32 butter_flush(f32 v) { return sel_f32(abs_f32(v) < BUTTER_LEAST, F32(0.0f), v); }

/* Values from -w to w become 0, others move towards 0 by w. */
FN f32 butter_shrink(f32 v, float w)
{
    return sel_f32(v > w, v - w, sel_f32(v < 0.0f - w, v + w, F32(0.0f)));
}

/* Values from -w to w are doubled, others move away from 0 by w. */
FN f32 butter_swell(f32 v, float w)
{
    return sel_f32(v > w, v + w, sel_f32(v < 0.0f - w, v - w, v + v));
}

/* What a value has beyond most counts less. */
FN f32 butter_soft(f32 v, float most)
{
    f32 above = (v - most) * BUTTER_SOFT + most;
    f32 below = (v + most) * BUTTER_SOFT - most;
    return sel_f32(v >= most, above, sel_f32(v < 0.0f - most, below, v));
}

/* How far b, seen in the direction of a, is below `lack` times a (positive) or above `most` times a (negative). */
FN f32 butter_beyond(f32 a, f32 b, float lack, float most)
{
    f32 size = abs_f32(a);
    f32 along = sel_f32(a < 0.0f, 0.0f - b, b);
    f32 least = size * lack;
    f32 largest = size * most;
    return sel_f32(along < least, least - along, sel_f32(along > largest, largest - along, F32(0.0f)));
}

#endif
