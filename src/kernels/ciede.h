/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of CIE L*a*b* and of CIEDE2000 as libvmaf defines them (docs/metrics/ciede2000.md).
 * tools/derive_ciede.py derives the polynomials. tests/oracle/test_ciede.c compares with formulas in double.
 */
#ifndef ASSAY_KERNELS_CIEDE_H
#define ASSAY_KERNELS_CIEDE_H

/* Light of t = (c + 0.055) / 1.055 for a code c of -1.5 to 2.5: t^2.4 where c is more than 10/255, else c / 12.92.
 * t^2.4 = (t y)^3 (1 - e)^(-3/5) with e = 1 - t y^5, |e| < 0.156; the seed y takes a fifth of the bits (205/1024). The
 * power is not used where t is below the knee; its bits are then any. */
FN f32 ciede_light(f32 t)
{
    f32 y = bits_f32(CIEDE_POW24_SEED - shr_u32(f32_bits(t), 10) * 205u);
    f32 y2 = y * y;
    f32 ty = t * y;
    f32 e = 1.0f - ty * (y2 * y2);
    f32 p = CIEDE_POW24_5 + e * CIEDE_POW24_6;
    p = CIEDE_POW24_4 + e * p;
    p = CIEDE_POW24_3 + e * p;
    p = CIEDE_POW24_2 + e * p;
    p = CIEDE_POW24_1 + e * p;
    f32 cube = ty * (ty * ty);
    return sel_f32(t > CIEDE_KNEE, cube + cube * (e * p), t * CIEDE_LOW - CIEDE_LOW_OFFSET);
}

/* The f of L*a*b*, for x of -1 to 8: the cube root where x is more than 216/24389, else a line. The cube root is x y^2
 * (1 - e)^(-2/3) with e = 1 - x y^3, |e| < 0.105; the seed y takes a third of the bits (341/1024). */
FN f32 ciede_f(f32 x)
{
    f32 y = bits_f32(CIEDE_ROOT3_SEED - shr_u32(f32_bits(x), 10) * 341u);
    f32 xy = x * y;
    f32 e = 1.0f - xy * (y * y);
    f32 p = CIEDE_ROOT3_4 + e * CIEDE_ROOT3_5;
    p = CIEDE_ROOT3_3 + e * p;
    p = CIEDE_ROOT3_2 + e * p;
    p = CIEDE_ROOT3_1 + e * p;
    f32 root = xy * y;
    return sel_f32(x > CIEDE_LAB_KNEE, root + root * (e * p), x * CIEDE_LAB_SLOPE + CIEDE_LAB_OFFSET);
}

/* X, Y and Z of light over those of white, and L*a*b* of their f. */
#define CIEDE_X(r, g, b) (CIEDE_XR * (r) + (CIEDE_XG * (g) + CIEDE_XB * (b)))
#define CIEDE_Y(r, g, b) (CIEDE_YR * (r) + (CIEDE_YG * (g) + CIEDE_YB * (b)))
#define CIEDE_Z(r, g, b) (CIEDE_ZR * (r) + (CIEDE_ZG * (g) + CIEDE_ZB * (b)))
#define CIEDE_L(y) (CIEDE_LAB_L * (y) - CIEDE_LAB_L0)
#define CIEDE_A(x, y) (CIEDE_LAB_A * ((x) - (y)))
#define CIEDE_B(y, z) (CIEDE_LAB_B * ((y) - (z)))

/* 1 / sqrt(x) within a relative 2e-7, for 2^-100 <= x <= 2^100. Of 0 it is finite, so that x times it is 0. */
FN f32 ciede_rsqrt(f32 x)
{
    f32 y = bits_f32(CIEDE_RSQRT_SEED - shr_u32(f32_bits(x), 1));
    f32 e = 1.0f - (x * y) * y;
    f32 p = CIEDE_RSQRT_3 + e * CIEDE_RSQRT_4;
    p = CIEDE_RSQRT_2 + e * p;
    p = CIEDE_RSQRT_1 + e * p;
    return y + y * (e * p);
}

FN f32 ciede_root(f32 x) { return x * ciede_rsqrt(x); }

/* 1 / x within a relative 2e-7, for 2^-100 <= x <= 2^100. */
FN f32 ciede_reciprocal(f32 x)
{
    f32 y = bits_f32(CIEDE_RECIPROCAL_SEED - f32_bits(x));
    f32 e = 1.0f - x * y;
    f32 p = CIEDE_RECIPROCAL_3 + e * CIEDE_RECIPROCAL_4;
    p = CIEDE_RECIPROCAL_2 + e * p;
    p = CIEDE_RECIPROCAL_1 + e * p;
    return y + y * (e * p);
}

/* sqrt(c^7 / (c^7 + 25^7)) of twice a chroma c of at most 400. The chroma counts as 25/512 at least, whose
 * result is 3e-10. */
FN f32 ciede_saturation(f32 twice)
{
    f32 t = max_f32(twice * CIEDE_1_50, F32(CIEDE_FAINT));
    f32 t2 = t * t;
    f32 t4 = t2 * t2;
    f32 t7 = t4 * (t2 * t);
    return t7 * ciede_rsqrt(t7 * t7 + t7);
}

/* sin(60 degrees exp(-((h - 275) / 25)^2)) of the hue h in degrees with cosine x and sine y. `around`: h is the mean of
 * hues on both sides of 0, and counts from 180 to 540 degrees; else from 0 to 360. Farther than 95 degrees from 275 the
 * value is less than 6e-7, and 0 here. */
FN f32 ciede_turn(f32 x, f32 y, mask around)
{
    f32 c = x * CIEDE_HUE_X + y * CIEDE_HUE_Y;
    f32 p = CIEDE_HUE_4 + c * CIEDE_HUE_5;
    p = CIEDE_HUE_3 + c * p;
    p = CIEDE_HUE_2 + c * p;
    p = CIEDE_HUE_1 + c * p;
    p = CIEDE_HUE_0 + c * p;
    p = p * p;
    p = p * p;
    p = p * p;
    f32 q = p * p;
    f32 s = CIEDE_SIN_2 + q * CIEDE_SIN_3;
    s = CIEDE_SIN_1 + q * s;
    s = CIEDE_SIN_0 + q * s;
    return sel_f32(and_(c > CIEDE_HUE_FARTHEST, or_(y < 0.0f, around)), p * s, F32(0.0f));
}

/* T of the hue with cosine x and sine y: 0.36 to 1.58. */
FN f32 ciede_t(f32 x, f32 y)
{
    f32 c2 = x * x - y * y;
    f32 s2 = (x + x) * y;
    f32 even = CIEDE_T0 + c2 * (CIEDE_T2 - (CIEDE_T4_COS * c2 + CIEDE_T4_SIN * s2));
    f32 cosines = (CIEDE_T3_COS * c2 - CIEDE_T3_SIN * s2) - CIEDE_T1_COS;
    f32 sines = (CIEDE_T3_COS * s2 + CIEDE_T3_SIN * c2) + CIEDE_T1_SIN;
    return even + (x * cosines - y * sines);
}

/* v with its sign changed where `sign` (0 or 0x80000000) says so. */
FN f32 ciede_signed(f32 v, u32 sign) { return bits_f32(f32_bits(v) ^ sign); }

#endif
