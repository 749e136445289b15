/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The XYB space of JPEG XL on SSIMULACRA 2's scale of positive numbers: opponent (X), grey (Y), and blue against
 * grey (B). Linear light of at most 1 makes X 0.21 to 0.81, Y 0.01 to 0.86, B 0.34 to 0.94.
 */
#ifndef ASSAY_KERNELS_XYB_H
#define ASSAY_KERNELS_XYB_H

/* The cube root of each v[i], a mix of linear light (at most 156), plus its bias, less the cube root of the bias: 0 for
 * black. In place, step by step, because each step waits for the one before. Light outside of sRGB's colours may make
 * mix plus bias negative; it then counts as 0. From the bias up the root is within 1 ULP, with fewer steps than
 * exact.h's. The seed of x^(-1/3) is a third of the bits (341/1024 of them), |1 - x y^3| <= 0.106. One step of fourth
 * order follows, and one of second order on the root. */
#define XYB_ROOTS(v, n) { \
        f32 root[n], off[n]; \
        FOR(r, n) { \
            v[r] = max_f32(v[r] + OPSIN_BIAS, F32(0.0f)); \
            root[r] = bits_f32(XYB_ROOT_SEED - shr_u32(f32_bits(v[r]), 10) * 341u); \
            off[r] = 1.0f - (v[r] * root[r]) * (root[r] * root[r]); \
        } \
        SIDE_BY_SIDE(off, n) \
        FOR(r, n) { \
            f32 step = off[r] * (EXACT_ONE_THIRD + off[r] * (EXACT_TWO_NINTHS + off[r] * XYB_14_81)); \
            root[r] = root[r] + root[r] * step; \
        } \
        SIDE_BY_SIDE(root, n) \
        FOR(r, n) { \
            f32 y2 = root[r] * root[r]; \
            f32 c = v[r] * y2; \
            v[r] = (c + (v[r] - c * c * c) * (y2 * EXACT_ONE_THIRD)) - OPSIN_BIAS_ROOT; \
        } \
    }

#define XYB_L(r, g, b) ((OPSIN_LR * (r) + OPSIN_LG * (g)) + OPSIN_LB * (b))
#define XYB_M(r, g, b) ((OPSIN_MR * (r) + OPSIN_MG * (g)) + OPSIN_MB * (b))
#define XYB_S(r, g, b) ((OPSIN_SR * (r) + OPSIN_SG * (g)) + OPSIN_SB * (b))

/*
 * Layers of a plane, each of the grid's size, which is even on both axes:
 *   0 to 2     X, Y, B; 0 outside the picture, as the filters need it
 *   3          light at half the size: in the even rows red from column 0 on and green from half the grid's width on,
 *              in the odd rows blue from column 0 on and 0 from half the grid's width on
 */
#define XYB_LAYERS 4
#define XYB_HALF 3

/* Light k (0 red, 1 green, 2 blue) of the picture at half the size that `plane` holds, `i` rows below the item. */
#define XYB_LIGHT_AT(plane, k, i, x, y) \
    LDBN_LAYER(plane, XYB_HALF, PLANE_H(plane) / XYB_LAYERS, REPLICATE, REPLICATE, 1, \
               TILE_X + ((k) == 1 ? PLANE_W(plane) / 2 : 0), x, 2, 2 * (TILE_Y + (i)) + ((k) == 2 ? 1 : 0), y)

/* Stores X, Y and B of a strip, and stages its light, ROWS values of each of red, green and blue. */
#define XYB_STORE(layers, width, height, staged, rgb, x, y) \
    FOR(k, 3) { \
        FOR(i, ROWS) { TST(staged, 0, x, k * TILE_H + i, y, rgb[k * ROWS + i]); } \
    } \
    FOR(i, ROWS) { \
        f32 lms[3]; \
        lms[0] = XYB_L(rgb[i], rgb[ROWS + i], rgb[2 * ROWS + i]); \
        lms[1] = XYB_M(rgb[i], rgb[ROWS + i], rgb[2 * ROWS + i]); \
        lms[2] = XYB_S(rgb[i], rgb[ROWS + i], rgb[2 * ROWS + i]); \
        XYB_ROOTS(lms, 3) \
        f32 mean = 0.5f * (lms[0] + lms[1]); \
        f32 xyb[3]; \
        xyb[0] = (0.5f * (lms[0] - lms[1])) * XYB_X_SCALE + XYB_X_OFFSET; \
        xyb[1] = mean + XYB_Y_OFFSET; \
        xyb[2] = (lms[2] - mean) + XYB_B_OFFSET; \
        if (width != GRID_W || height != GRID_H) { \
            mask inside = and_(XPOS(x) < width, YPOS(y) < height - i); \
            FOR(k, 3) { xyb[k] = sel_f32(inside, xyb[k], F32(0.0f)); } \
        } \
        FOR(k, 3) { ST_LAYER(layers, k, x, ROW_BELOW(y, i), xyb[k]); } \
    }

/* Stores the staged light at half the size: means of 2x2, the picture's last column and row replicated. */
#define XYB_HALVE(layers, width, height, staged) \
    int columns = (SPAN_W < GRID_W - TILE_X ? SPAN_W : GRID_W - TILE_X) / 2; \
    EACH(x, y, SPAN_W / 2, SPAN_H / 2) \
        FOR(k, 3) { \
            f32 a = TLDN(staged, 2, 0, x, 2, k * TILE_H, y); \
            f32 b = TLDN(staged, 2, 1, x, 2, k * TILE_H, y); \
            f32 c = TLDN(staged, 2, 0, x, 2, k * TILE_H + 1, y); \
            f32 d = TLDN(staged, 2, 1, x, 2, k * TILE_H + 1, y); \
            if (width != GRID_W) { \
                mask right = 2 * XPOS(x) < TILE_X + width - 1; \
                b = sel_f32(right, b, a); \
                d = sel_f32(right, d, c); \
            } \
            if (height != GRID_H) { \
                mask below = 2 * YPOS(y) < TILE_Y + height - 1; \
                c = sel_f32(below, c, a); \
                d = sel_f32(below, d, b); \
            } \
            ST_LAYER_AT(layers, XYB_HALF, columns, TILE_X / 2 + (k == 1 ? GRID_W / 2 : 0), x, 2, \
                        TILE_Y + (k == 2 ? 1 : 0), y, ((a + b) + (c + d)) * LINEAR_1_4); \
        } \
        ST_LAYER_AT(layers, XYB_HALF, columns, TILE_X / 2 + GRID_W / 2, x, 2, TILE_Y + 1, y, F32(0.0f)); \
    END_EACH

#endif
