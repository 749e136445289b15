/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ColorVideoVDP's opponent colours, DKL, of code values of 0 to 1. A curve makes light of them, which the display cuts
 * to `low` to `high`; `added` is what its black and the room add, and `gain` is cd/m2 of light 1.
 */
#ifndef ASSAY_KERNELS_CVVDP_DKL_H
#define ASSAY_KERNELS_CVVDP_DKL_H

#define CVVDP_DKL_PARAMS \
    PARAM_I32(0, how) \
    PARAM_F32(1, low) \
    PARAM_F32(2, high) \
    PARAM_F32(3, added) \
    PARAM_F32(4, gain)

/* The row of the matrix from light with primaries of BT.2020 or BT.709. */
#define CVVDP_DKL_ROW(v, i, wide, row) \
    (((wide) ? CVVDP_DKL_WIDE_##row##_0 : CVVDP_DKL_##row##_0) * v[i] \
     + ((wide) ? CVVDP_DKL_WIDE_##row##_1 : CVVDP_DKL_##row##_1) * v[ROWS + (i)]) \
    + ((wide) ? CVVDP_DKL_WIDE_##row##_2 : CVVDP_DKL_##row##_2) * v[2 * ROWS + (i)]

/* cd/m2 of n code values, in their place. */
#define CVVDP_DKL_LIGHT(v, n) \
    COLOUR_LINEAR(v, n, CVVDP_CURVE(how), 0.0f) \
    FOR(of_row, n) { v[of_row] = (min_f32(max_f32(v[of_row], F32(low)), F32(high)) + added) * gain; }

/* Stores DKL of the light of a strip: that of red of its rows, of green and of blue. */
#define CVVDP_DKL_STORE(to, v, x, y) \
    FOR(down, ROWS) { \
        bool wide = CVVDP_IS_WIDE(how); \
        ST_LAYER(to, 0, x, ROW_BELOW(y, down), CVVDP_DKL_ROW(v, down, wide, 0)); \
        ST_LAYER(to, 1, x, ROW_BELOW(y, down), CVVDP_DKL_ROW(v, down, wide, 1)); \
        ST_LAYER(to, 2, x, ROW_BELOW(y, down), CVVDP_DKL_ROW(v, down, wide, 2)); \
    }

#endif
