/* SPDX-License-Identifier: BSD-2-Clause */
/* Colour in the dialect: transfer functions to linear light. */
#ifndef ASSAY_KERNELS_COLOUR_H
#define ASSAY_KERNELS_COLOUR_H

#include "kernels/power.h"

/* t^2.4 for t = 0 and 2^-52 <= t <= 2, within 1e-6 relative: t^3 (t^(-1/5))^3. The seed takes a fifth of the bits; two
 * steps of third order bring |1 - t y^5| from 0.16 to 2e-9. */
FN f32 colour_pow24(f32 t)
{
    u32 bits = f32_bits(t);
    u32 fifth = shr_u32(bits, 3) + shr_u32(bits, 4); /* bits / 5 = bits (1/8 + 1/16) (1 + 1/16) (1 + 1/256) ... */
    fifth = fifth + shr_u32(fifth, 4);
    fifth = fifth + shr_u32(fifth, 8);
    fifth = fifth + shr_u32(fifth, 16);
    f32 y = bits_f32(COLOUR_FIFTH_SEED - fifth);
    FOR(i, 2) {
        f32 y2 = y * y;
        f32 e = 1.0f - (t * y) * (y2 * y2);
        y = y + y * (e * (COLOUR_ONE_FIFTH + e * (COLOUR_3_25 + e * COLOUR_11_125)));
    }
    f32 ty = t * y;
    return ty * (ty * ty);
}

/*
 * PQ: light of a code value in 0..1, 1 being 10000 cd/m2. The error is within 2e-6, or 1e-9 where the light is less
 * than 1e-7. The light is ((k - x) / (k + c3 x))^(1/m1) with x = 1 - v^(1/m2). x needs the most precision: k - x is
 * small where x is near k, and the quotient is raised to the power 6.28. x = z - z^2/2 + z^3/6 - ... of z = -ln(v) / m2
 * <= 0.194. Below PQ_DARK = 2^-22 x is more than k, and the light is 0.
 */
FN f32 colour_pq(f32 v)
{
    f32x l = log2_(sel_f32(v > PQ_DARK, v, F32(PQ_DARK)));
    f32x z = f32x_product(l.hi, F32(PQ_LOG));
    f32 low = z.lo + (l.hi * PQ_LOG_LOW + l.lo * PQ_LOG);
    f32 rest = 0.5f - z.hi * (COLOUR_1_6 - z.hi * (COLOUR_1_24 - z.hi * (COLOUR_1_120 - z.hi * COLOUR_1_720)));
    f32x x = f32x_sum(z.hi, low - (z.hi * z.hi) * rest);
    f32x over = f32x_sum(F32(PQ_K), 0.0f - x.hi);
    f32x part = f32x_product(x.hi, F32(PQ_C3));
    f32x under = f32x_sum(F32(PQ_K), part.hi);
    f32 over_lo = over.lo - x.lo;
    f32 under_lo = under.lo + (part.lo + PQ_C3 * x.lo);
    mask light = over.hi > PQ_DARK;
    f32 a = sel_f32(light, over.hi, F32(1.0f));
    f32 q = div_rn(a, under.hi);
    f32x back = f32x_product(q, under.hi);
    f32 left = (((a - back.hi) - back.lo) + over_lo) - q * under_lo;
    f32 r = pow_(f32x_make(q, left * reciprocal_estimate(under.hi)), f32x_make(F32(PQ_POWER), F32(PQ_POWER_LOW)));
    return sel_f32(light, r, F32(0.0f));
}

/* HLG: light of the scene, 0..1, of a code value in 0..1. */
FN f32 colour_hlg(f32 v)
{
    f32 high = exp2_(f32x_make((v - HLG_C) * HLG_SLOPE, F32(0.0f)));
    return sel_f32(v > 0.5f, (high + HLG_B) * COLOUR_TWELFTH, (v * v) * COLOUR_ONE_THIRD);
}

/* sRGB (IEC 61966-2-1): light of a code value in 0..1. */
FN f32 colour_srgb(f32 v)
{
    f32 high = colour_pow24(v * SRGB_SLOPE + SRGB_OFFSET);
    return sel_f32(v <= SRGB_KNEE, v * SRGB_LOW, high);
}

/* A power of 2.4: BT.1886 with a black of 0. */
FN f32 colour_24(f32 v) { return sel_f32(v > COLOUR_BLACK, colour_pow24(v), F32(0.0f)); }

FN f32 colour_power(f32 v, float gamma) { return pow_(f32x_make(v, F32(0.0f)), f32x_make(F32(gamma), F32(0.0f))); }

/*
 * Light, 0..1, of n code values in 0..1, in place; within 2e-6 of the formula or 1e-7 of 1. transfer: CURVE_LINEAR and
 * so on. The choice of the curve is outside the loops: a CPU compiles each curve once, and every target chooses once
 * per n values.
 */
#define COLOUR_LINEAR(v, n, transfer, gamma) \
    if ((transfer) == CURVE_SRGB) { \
        FOR_LARGE(place_, n) { v[place_] = colour_srgb(v[place_]); } \
    } \
    if ((transfer) == CURVE_24) { \
        FOR_LARGE(place_, n) { v[place_] = colour_24(v[place_]); } \
    } \
    if ((transfer) == CURVE_POWER) { \
        FOR_LARGE(place_, n) { v[place_] = colour_power(v[place_], gamma); } \
    } \
    if ((transfer) == CURVE_PQ) { \
        FOR_LARGE(place_, n) { v[place_] = colour_pq(v[place_]); } \
    } \
    if ((transfer) == CURVE_HLG) { \
        FOR_LARGE(place_, n) { v[place_] = colour_hlg(v[place_]); } \
    }

FN f32 colour_clamp(f32 v) { return min_f32(max_f32(v, F32(0.0f)), F32(1.0f)); }

#endif
