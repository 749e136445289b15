/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arithmetic that is the same on every target, in the dialect: made of + - *, integers, compares and selects only.
 *
 *   div_rn_  sqrt_rn_   correctly rounded on the stated domain; div_rn and sqrt_rn are these where a target's own
 *                       division and square root are not IEEE (GLSL, SYCL); C and CUDA use theirs, with equal results
 *   cbrt_               cube root, within 1 ULP
 *   u64x  f64x          64-bit integers and IEEE double: of the target in C and CUDA, exact_wide.h's elsewhere
 *
 * On the stated domains no step makes a denormal number, so flush-to-zero changes nothing. Constants are in
 * constants.txt. tests/exact/test_primitives.c checks rounding and bits, tests/oracle/test_primitives.c checks errors
 * against their bounds.
 */
#ifndef ASSAY_KERNELS_EXACT_H
#define ASSAY_KERNELS_EXACT_H

/* Newton steps. The tests also build with one less and must notice. */
#ifndef EXACT_DIV_STEPS
#define EXACT_DIV_STEPS 2
#endif
/* 0 leaves out the last step, which rounds a quotient: the self-test must refuse devices that do so. */
#ifndef EXACT_DIV_ROUNDING
#define EXACT_DIV_ROUNDING 1
#endif
#ifndef EXACT_SQRT_STEPS
#define EXACT_SQRT_STEPS 3
#endif
#ifndef EXACT_CBRT_STEPS
#define EXACT_CBRT_STEPS 2
#endif

/* a * b - p for p = the rounded a * b, exactly: Veltkamp's splitting, Dekker's product. Every term is a multiple of
 * ulp(a) * ulp(b), so for |a * b| >= 2^-78 none is denormal; |a| and |b| at most 2^110. */
FN f32 product_error(f32 a, f32 b, f32 p)
{
    f32 ca = EXACT_SPLITTER * a;
    f32 cb = EXACT_SPLITTER * b;
    f32 ah = ca - (ca - a);
    f32 bh = cb - (cb - b);
    f32 al = a - ah;
    f32 bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}

/* 1 / b, as an estimate r for 2^-60 <= b <= 2^60: -2^-23 <= 1 - b r <= 7/8 2^-17. */
FN f32 reciprocal_positive(f32 b)
{
    f32 r = bits_f32(EXACT_DIV_SEED - f32_bits(b));
    FOR(i, EXACT_DIV_STEPS) {
        r = r + r * (1.0f - b * r);
    }
    return r;
}

/* reciprocal_positive for b of either sign. */
FN f32 reciprocal_estimate(f32 b)
{
    u32 sign = f32_bits(b) & 0x80000000u;
    return bits_f32(f32_bits(reciprocal_positive(bits_f32(f32_bits(b) ^ sign))) | sign);
}

/* a / b, correctly rounded, where a, b and a / b are normal numbers, or a is 0. In integers: A and B are the mantissas,
 * 2^23 to 2^24 - 1; A is doubled where it is less than B. Then X = A 2^23 / B is at least 2^23 and less than 2^24 - 1,
 * so the mantissa of the quotient is X rounded to the nearest integer. No X is halfway between integers. The estimate
 * of X is at most 2.5 too large. It is at most 112.5 too small: 7/8 2^-17 of 2^24, or of 2^23 and then counted twice,
 * because floats below 1 have half the unit. With 3 subtracted from the estimate, the rest (A 2^23 less B times the
 * estimate) is positive and less than 116 2^24 < 2^31. So 32-bit integers hold the rest, although A 2^23 does not fit.
 * A float quotient finds how many whole Bs are in the rest, within 2^-10 of one; the remainder decides the rounding. */
FN f32 div_rn_(f32 a, f32 b)
{
    u32 a_bits = f32_bits(a);
    u32 b_bits = f32_bits(b);
    u32 a_one = (a_bits & 0x7fffffu) | 0x3f800000u; /* as floats from 1 to 2 */
    u32 b_one = (b_bits & 0x7fffffu) | 0x3f800000u;
    mask less = a_one < b_one;
    u32 doubled = sel_u32(less, U32(0x800000u), U32(0u));
    u32 high = shl_u32(a_bits, 23); /* A 2^23 modulo 2^32 */
    high = sel_u32(less, high + high, high);
    f32 r = reciprocal_positive(bits_f32(b_one));
    u32 mantissa = b_one - 0x3f000000u;
    u32 q = f32_bits(bits_f32(a_one + doubled) * r) - 0x3f000003u;
    i32 rest = i32_from_u32(high - q * mantissa);
    u32 whole = u32_from_i32(i32_from_f32(to_f32(rest) * (r * EXACT_ULP)));
    q = q + whole;
#if EXACT_DIV_ROUNDING
    rest = rest - i32_from_u32(whole * mantissa);
    q = q + sel_u32(rest + rest > i32_from_u32(mantissa), U32(1u), U32(0u));
#endif
    u32 size = q + (0x3f000000u - doubled) + ((a_bits & 0x7f800000u) - (b_bits & 0x7f800000u));
    return bits_f32(sel_u32(shl_u32(a_bits, 1) == 0u, U32(0u), size) | ((a_bits ^ b_bits) & 0x80000000u));
}

/* The square root, correctly rounded, for x = 0 (either sign) and 2^-126 <= x <= 2^126. */
FN f32 sqrt_rn_(f32 x)
{
    mask small = x < EXACT_SQRT_SMALL; /* 2^-64: below, the remainders would become denormal */
    f32 v = sel_f32(small, x * EXACT_SQRT_UP, x);
    f32 half_v = 0.5f * v;
    f32 y = bits_f32(EXACT_RSQRT_SEED - shr_u32(f32_bits(v), 1));
    FOR(i, EXACT_SQRT_STEPS) {
        y = y + y * (0.5f - half_v * y * y);
    }
    f32 half_y = 0.5f * y;
    f32 s = v * y;
    FOR(k, 2) {
        f32 p = s * s;
        s = s + ((v - p) - product_error(s, s, p)) * half_y;
    }
    return sel_f32(small, s * EXACT_SQRT_DOWN, s);
}

/* The cube root within 1 ULP, for x = 0 and 2^-100 <= x <= 2^100. The seed of x^(-1/3) is a third of the bits; two
 * steps of third order refine it. One step of second order on the root itself leaves an error of little more than its
 * own rounding. */
FN f32 cbrt_(f32 x)
{
    u32 bits = f32_bits(x);
    u32 third = shr_u32(bits, 2) + shr_u32(bits, 4); /* bits / 3 = bits (1/4 + 1/16) (1 + 1/16) (1 + 1/256) ... */
    third = third + shr_u32(third, 4);
    third = third + shr_u32(third, 8);
    third = third + shr_u32(third, 16);
    f32 y = bits_f32(EXACT_RCBRT_SEED - third);
    FOR(i, EXACT_CBRT_STEPS) {
        f32 e = 1.0f - (x * y) * (y * y);
        y = y + y * (e * (EXACT_ONE_THIRD + e * EXACT_TWO_NINTHS));
    }
    f32 y2 = y * y;
    f32 c = x * y2;
    return c + (x - c * c * c) * (y2 * EXACT_ONE_THIRD);
}

/* 64-bit integers and double: C and CUDA have their own, SYCL its own integers. */
#if defined(TARGET_GLSL) || defined(TARGET_SYCL)
#include "kernels/exact_wide.h"
#endif

#endif
