/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arithmetic that is the same on every target, in the dialect: made of + - *, integers, compares and selects only.
 *
 *   div_rn_  sqrt_rn_   correctly rounded on the stated domain; div_rn and sqrt_rn are these where a target's own
 *                       division and square root are not IEEE (GLSL); C and CUDA use theirs, with equal results
 *   cbrt_               cube root, within 1 ULP
 *   u64x                64-bit integers as two u32
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

/* ---- 64-bit integers --------------------------------------------------------------------------------------------- */

struct u64x {
    u32 lo;
    u32 hi;
};
#ifdef TARGET_C
typedef struct u64x u64x;
#endif

FN u64x u64x_make(u32 lo, u32 hi)
{
    u64x r;
    r.lo = lo;
    r.hi = hi;
    return r;
}

FN u64x u64x_from_u32(u32 v) { return u64x_make(v, U32(0u)); }

/* Two's complement. */
FN u64x u64x_from_i32(i32 v) { return u64x_make(u32_from_i32(v), u32_from_i32(shr_i32(v, 31))); }

FN u64x u64x_sel(mask m, u64x a, u64x b) { return u64x_make(sel_u32(m, a.lo, b.lo), sel_u32(m, a.hi, b.hi)); }

FN mask u64x_eq(u64x a, u64x b) { return and_(a.lo == b.lo, a.hi == b.hi); }

FN mask u64x_lt(u64x a, u64x b) { return or_(a.hi < b.hi, and_(a.hi == b.hi, a.lo < b.lo)); }

/* As signed numbers in two's complement. */
FN mask u64x_lt_signed(u64x a, u64x b)
{
    return u64x_lt(u64x_make(a.lo, a.hi ^ 0x80000000u), u64x_make(b.lo, b.hi ^ 0x80000000u));
}

FN u64x u64x_add(u64x a, u64x b)
{
    u32 lo = a.lo + b.lo;
    return u64x_make(lo, a.hi + b.hi + sel_u32(lo < a.lo, U32(1u), U32(0u)));
}

FN u64x u64x_sub(u64x a, u64x b)
{
    return u64x_make(a.lo - b.lo, a.hi - b.hi - sel_u32(a.lo < b.lo, U32(1u), U32(0u)));
}

FN u64x u64x_neg(u64x a) { return u64x_sub(u64x_from_u32(U32(0u)), a); }

/* The whole product of two 32-bit numbers. No partial sum overflows: (2^16 - 1)^2 + 2^16 - 1 < 2^32. */
FN u64x u64x_mul_u32(u32 a, u32 b)
{
    u32 al = a & 0xffffu;
    u32 ah = shr_u32(a, 16);
    u32 bl = b & 0xffffu;
    u32 bh = shr_u32(b, 16);
    u32 low = al * bl;
    u32 mid = ah * bl + shr_u32(low, 16);
    u32 mid2 = al * bh + (mid & 0xffffu);
    return u64x_make(shl_u32(mid2, 16) | (low & 0xffffu), ah * bh + shr_u32(mid, 16) + shr_u32(mid2, 16));
}

/* The low 64 bits of the product, for unsigned and signed numbers. */
FN u64x u64x_mul(u64x a, u64x b)
{
    u64x p = u64x_mul_u32(a.lo, b.lo);
    p.hi = p.hi + a.lo * b.hi + a.hi * b.lo;
    return p;
}

/* Shifts by a uniform count, 0 to 63. */
FN u64x u64x_shl(u64x a, int n)
{
    if (n == 0)
        return a;
    if (n >= 32)
        return u64x_make(U32(0u), shl_u32(a.lo, n - 32));
    return u64x_make(shl_u32(a.lo, n), shl_u32(a.hi, n) | shr_u32(a.lo, 32 - n));
}

FN u64x u64x_shr(u64x a, int n)
{
    if (n == 0)
        return a;
    if (n >= 32)
        return u64x_make(shr_u32(a.hi, n - 32), U32(0u));
    return u64x_make(shr_u32(a.lo, n) | shl_u32(a.hi, 32 - n), shr_u32(a.hi, n));
}

/* Keeps the sign: rounds towards minus infinity. */
FN u64x u64x_shr_signed(u64x a, int n)
{
    i32 hi = i32_from_u32(a.hi);
    u32 fill = u32_from_i32(shr_i32(hi, 31));
    if (n == 0)
        return a;
    if (n >= 32)
        return u64x_make(u32_from_i32(shr_i32(hi, n - 32)), fill);
    return u64x_make(shr_u32(a.lo, n) | shl_u32(a.hi, 32 - n), u32_from_i32(shr_i32(hi, n)));
}

/* The nearest float, halves to even. It uses integers alone, because a GPU's conversions may round otherwise. */
FN f32 u64x_to_f32(u64x a)
{
    u32 exponent = U32(127u + 63u);
    u64x v = a;
    FOR(i, 6) { /* moves the highest bit to bit 63 */
        int n = 32 >> i;
        mask m = u64x_lt(v, u64x_shl(u64x_from_u32(U32(1u)), 64 - n));
        v = u64x_sel(m, u64x_shl(v, n), v);
        exponent = exponent - sel_u32(m, U32(1u), U32(0u)) * U32(n);
    }
    u32 rest = v.hi & 0xffu;
    u32 odd_or_more = (shr_u32(v.hi, 8) & 1u) | sel_u32(v.lo == 0u, U32(0u), U32(1u));
    mask up = or_(rest > 128u, and_(rest == 128u, odd_or_more == 1u));
    /* the mantissa's leading bit adds one to the exponent field, and so does a carry out of it */
    u32 bits = shl_u32(exponent - 1u, 23) + shr_u32(v.hi, 8) + sel_u32(up, U32(1u), U32(0u));
    return sel_f32(u64x_eq(a, u64x_from_u32(U32(0u))), F32(0.0f), bits_f32(bits));
}

#endif
