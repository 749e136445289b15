/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FLIP's steps that its kernels share. Planes between them are stacked layers:
 *
 *   opponent   y, x - y, y - z of linear light with sRGB's primaries (XYZ over the white)
 *   columns    what the filters along columns make of them: FLIP_C_*
 *   seen       what is seen of a side: lightness and two colours (Hunt-adjusted L*a*b*), edges, points
 */
#ifndef ASSAY_KERNELS_FLIP_H
#define ASSAY_KERNELS_FLIP_H

#include "kernels/power.h"

/* Layers of `columns`: y, x - y and y - z by the filters of colour, of which y - z has two, and y by those of edges and
 * points: a Gaussian, its first and its second derivative. */
#define FLIP_C_Y 0
#define FLIP_C_XY 1
#define FLIP_C_YZ_1 2
#define FLIP_C_YZ_2 3
#define FLIP_C_MEAN 4
#define FLIP_C_EDGE 5
#define FLIP_C_POINT 6

/* The seven sums of a filtered item. */
struct flip_sums {
    f32 y;
    f32 xy;
    f32 yz;
    f32 edge_x;
    f32 edge_y;
    f32 point_x;
    f32 point_y;
};
#ifdef TARGET_C
typedef struct flip_sums flip_sums;
#endif

/* The length of a vector; 0 below 2^-30. */
FN f32 flip_norm(f32 a, f32 b)
{
    f32 square = a * a + b * b;
    return sel_f32(square > FLIP_LEAST, sqrt_rn(square), F32(0.0f));
}

/* v, or 0 where it is so small that it may not be a normal number: a product of two values that are 2^-110 or more. */
FN f32 flip_normal(f32 v) { return sel_f32(abs_f32(v) > FLIP_LEAST, v, F32(0.0f)); }

FN f32 flip_clamp(f32 v) { return min_f32(max_f32(v, F32(0.0f)), F32(1.0f)); }

/* The function of L*a*b*, less 4/29. t: 0 to 1 and a rounding more. */
FN f32 flip_lab(f32 t)
{
    mask dark = t <= FLIP_LAB_DARK;
    f32 root = cbrt_(sel_f32(dark, F32(1.0f), t));
    return sel_f32(dark, t * FLIP_LAB_SLOPE, root - FLIP_LAB_OFFSET);
}

FN f32 flip_exp2(f32 y) { return exp2_(f32x_make(y, F32(0.0f))); }

/*
 * The error of an item, 0 to 1: the error of colour c to the power 1 - f, f being the larger difference of edges or
 * points. h is the distance of the colours, at most 203.31: |L1 - L2| and the distance of both others. Below the knee c
 * is a power of h, so that log2(c) takes one logarithm.
 */
FN f32 flip_error(f32 h, f32 edge, f32 point)
{
    mask differs = h > FLIP_LEAST;
    f32 power = FLIP_POWER * log2_float(sel_f32(differs, h, F32(1.0f)));
    f32 c = power + FLIP_LOW_LOG2;
    mask high = h >= FLIP_KNEE;
    if (any_(high)) {
        c = sel_f32(high, log2_float(flip_exp2(sel_f32(high, power, F32(0.0f))) * FLIP_HIGH + FLIP_HIGH_OFFSET), c);
    }
    f32 feature = max_f32(edge, point) * FLIP_HALF_ROOT;
    f32 rest = max_f32(1.0f - sel_f32(feature > FLIP_LEAST, sqrt_rn(feature), F32(0.0f)), F32(0.0f));
    return sel_f32(differs, flip_exp2(min_f32(c, F32(0.0f)) * rest), F32(0.0f));
}

/* Stores the opponent colours of light v[3], 0 to 1. The differences have coefficients of their own, so that they are
 * small where light is grey. */
#define FLIP_STORE_OPPONENT(opponent, v, x, y) { \
        ST_LAYER(opponent, 0, x, y, (FLIP_Y_R * (v)[0] + FLIP_Y_G * (v)[1]) + FLIP_Y_B * (v)[2]); \
        ST_LAYER(opponent, 1, x, y, (FLIP_XY_R * (v)[0] + FLIP_XY_G * (v)[1]) + FLIP_XY_B * (v)[2]); \
        ST_LAYER(opponent, 2, x, y, (FLIP_YZ_R * (v)[0] + FLIP_YZ_G * (v)[1]) + FLIP_YZ_B * (v)[2]); \
    }

/* The error of an item, from what is seen of two sides. */
#define FLIP_SEEN(plane, layer) LD_LAYER(plane, layer, GRID_H, TILE_X, x, TILE_Y, y)
#define FLIP_COMPARE(error, ref, dis) \
    f32 error; \
    { \
        f32 l = abs_f32(FLIP_SEEN(ref, 0) - FLIP_SEEN(dis, 0)); \
        f32 a = FLIP_SEEN(ref, 1) - FLIP_SEEN(dis, 1); \
        f32 b = FLIP_SEEN(ref, 2) - FLIP_SEEN(dis, 2); \
        f32 edge = abs_f32(FLIP_SEEN(ref, 3) - FLIP_SEEN(dis, 3)); \
        f32 point = abs_f32(FLIP_SEEN(ref, 4) - FLIP_SEEN(dis, 4)); \
        error = flip_error(l + flip_norm(a, b), edge, point); \
    }

/* Stores what is seen at an item. Filtered light is cut off at 0 and 1. No local ends in _: words of GLSL have such. */
#define FLIP_STORE(seen, s, x, y) { \
        f32 red = flip_clamp((FLIP_R_Y * (s).y + FLIP_R_XY * (s).xy) + FLIP_R_YZ * (s).yz); \
        f32 green = flip_clamp((FLIP_G_Y * (s).y + FLIP_G_XY * (s).xy) + FLIP_G_YZ * (s).yz); \
        f32 blue = flip_clamp((FLIP_B_Y * (s).y + FLIP_B_XY * (s).xy) + FLIP_B_YZ * (s).yz); \
        f32 lab_x = flip_lab((FLIP_X_R * red + FLIP_X_G * green) + FLIP_X_B * blue); \
        f32 lab_y = flip_lab((FLIP_Y_R * red + FLIP_Y_G * green) + FLIP_Y_B * blue); \
        f32 lab_z = flip_lab((FLIP_Z_R * red + FLIP_Z_G * green) + FLIP_Z_B * blue); \
        ST_LAYER(seen, 0, x, y, lab_y * FLIP_LAB_L); \
        ST_LAYER(seen, 1, x, y, flip_normal((lab_y * FLIP_HUNT_A) * (lab_x - lab_y))); \
        ST_LAYER(seen, 2, x, y, flip_normal((lab_y * FLIP_HUNT_B) * (lab_y - lab_z))); \
        ST_LAYER(seen, 3, x, y, flip_norm((s).edge_x, (s).edge_y)); \
        ST_LAYER(seen, 4, x, y, flip_norm((s).point_x, (s).point_y)); \
    }

#endif
