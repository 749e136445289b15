/* SPDX-License-Identifier: BSD-2-Clause */
/* Colour in the dialect: transfer functions to linear light. */
#ifndef ASSAY_KERNELS_COLOUR_H
#define ASSAY_KERNELS_COLOUR_H

#include "kernels/power.h"

/* A seed of t^(-1/5): its bits are a fifth of those of t. */
FN f32 colour_fifth_root(f32 t)
{
    u32 bits = f32_bits(t);
    u32 fifth = shr_u32(bits, 3) + shr_u32(bits, 4); /* bits / 5 = bits (1/8 + 1/16) (1 + 1/16) (1 + 1/256) ... */
    fifth = fifth + shr_u32(fifth, 4);
    fifth = fifth + shr_u32(fifth, 8);
    fifth = fifth + shr_u32(fifth, 16);
    return bits_f32(COLOUR_FIFTH_SEED - fifth);
}

/* t[i]^2.4 in place of t[i], for t[i] = 0 and 2^-52 <= t[i] <= 2, within 1e-6 relative: t^3 (t^(-1/5))^3. Two
 * steps of third order bring |1 - t y^5| of the seed from 0.16 to 2e-9. */
#define COLOUR_POWERS_24(t, n) { \
        f32 root[n], off[n]; \
        FOR(one, n) { root[one] = colour_fifth_root(t[one]); } \
        FOR(of_step, 2) { \
            FOR(one, n) { \
                f32 square = root[one] * root[one]; \
                off[one] = 1.0f - (t[one] * root[one]) * (square * square); \
            } \
            SIDE_BY_SIDE(off, n) \
            FOR(one, n) { \
                f32 step = off[one] * (COLOUR_ONE_FIFTH + off[one] * (COLOUR_3_25 + off[one] * COLOUR_11_125)); \
                root[one] = root[one] + root[one] * step; \
            } \
            SIDE_BY_SIDE(root, n) \
        } \
        FOR(one, n) { \
            f32 ty = t[one] * root[one]; \
            t[one] = ty * (ty * ty); \
        } \
    }
FN f32 colour_pow24(f32 t)
{
    f32 alone[1];
    alone[0] = t;
    COLOUR_POWERS_24(alone, 1)
    return alone[0];
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

/* sRGB (IEC 61966-2-1): light of a code value in 0..1, from the power of a base. */
FN f32 colour_srgb_base(f32 v) { return v * SRGB_SLOPE + SRGB_OFFSET; }
FN f32 colour_srgb(f32 v, f32 power) { return sel_f32(v <= SRGB_KNEE, v * SRGB_LOW, power); }

/* A power of 2.4: BT.1886 with a black of 0. */
FN f32 colour_24_base(f32 v) { return v; }
FN f32 colour_24(f32 v, f32 power) { return sel_f32(v > COLOUR_BLACK, power, F32(0.0f)); }

FN f32 colour_power(f32 v, float gamma) { return pow_(f32x_make(v, F32(0.0f)), f32x_make(F32(gamma), F32(0.0f))); }

/* A power of n values, `beside` at a time. */
#define COLOUR_CURVE_24(v, n, beside, base, curve) \
    FOR_LARGE(place_, (n) / (beside)) { \
        f32 power_[beside]; \
        FOR(each, beside) { power_[each] = base(v[place_ * (beside) + each]); } \
        COLOUR_POWERS_24(power_, beside) \
        FOR(each, beside) { v[place_ * (beside) + each] = curve(v[place_ * (beside) + each], power_[each]); } \
    }

/* The choice of the curve is outside the loops: every target chooses once per n values. */
#define COLOUR_CURVES(v, n, beside, transfer, gamma) \
    if ((transfer) == CURVE_SRGB) { COLOUR_CURVE_24(v, n, beside, colour_srgb_base, colour_srgb) } \
    if ((transfer) == CURVE_24) { COLOUR_CURVE_24(v, n, beside, colour_24_base, colour_24) } \
    if ((transfer) == CURVE_POWER) { FOR_LARGE(place_, n) { v[place_] = colour_power(v[place_], gamma); } } \
    if ((transfer) == CURVE_PQ) { FOR_LARGE(place_, n) { v[place_] = colour_pq(v[place_]); } } \
    if ((transfer) == CURVE_HLG) { FOR_LARGE(place_, n) { v[place_] = colour_hlg(v[place_]); } }

/* Light, 0..1, of n code values in 0..1, in place; within 2e-6 of the formula or 1e-7 of 1. transfer: CURVE_LINEAR and
 * so on. C computes four or three powers side by side, because a step of one waits for the step before it. For many
 * values it has the curves in a function, which the kernels of a unit share: in each they were half of its size. */
#ifdef TARGET_C
static __attribute__((noinline, unused)) void colour_linear(f32 *v, int n, int transfer, float gamma)
{
    COLOUR_CURVES(v, n, 4, transfer, gamma)
}
#define COLOUR_LINEAR(v, n, transfer, gamma) \
    if ((n) > 4 && (n) % 4 == 0) { colour_linear(v, n, transfer, gamma); } else { \
        COLOUR_CURVES(v, n, (n) % 4 == 0 ? 4 : (n) % 3 == 0 ? 3 : 1, transfer, gamma) \
    }
#else
#define COLOUR_LINEAR(v, n, transfer, gamma) COLOUR_CURVES(v, n, 1, transfer, gamma)
#endif

FN f32 colour_clamp(f32 v) { return min_f32(max_f32(v, F32(0.0f)), F32(1.0f)); }

#endif
