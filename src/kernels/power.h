/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Logarithm, power of two and power in the dialect: + - *, integers, selects, and the polynomials that
 * tools/derive_power.py derives. tests/oracle/test_transfer.c checks the error bounds.
 */
#ifndef ASSAY_KERNELS_POWER_H
#define ASSAY_KERNELS_POWER_H

#include "kernels/exact.h"

/* A number as the sum of two floats, the second at most an ULP of the first. */
struct f32x {
    f32 hi;
    f32 lo;
};
#ifdef TARGET_C
typedef struct f32x f32x;
#endif

FN f32x f32x_make(f32 hi, f32 lo)
{
    f32x r;
    r.hi = hi;
    r.lo = lo;
    return r;
}

/* a + b, exactly (Knuth). */
FN f32x f32x_sum(f32 a, f32 b)
{
    f32 s = a + b;
    f32 t = s - a;
    return f32x_make(s, (a - (s - t)) + (b - t));
}

/* a * b, exactly, on the domain of product_error. */
FN f32x f32x_product(f32 a, f32 b)
{
    f32 p = a * b;
    return f32x_make(p, product_error(a, b, p));
}

/* A positive normal x is 2^n (1 + f) with f from sqrt(1/2) - 1 to sqrt(2) - 1. */
FN i32 log2_exponent(f32 x) { return shr_i32(i32_from_u32(f32_bits(x) - LOG2_ROOT_HALF), 23); }
FN f32 log2_fraction(f32 x, i32 n) { return bits_f32(f32_bits(x) - shl_u32(u32_from_i32(n), 23)) - 1.0f; }

/* Each step of a polynomial waits for the one before it, so those of n numbers advance together. */
#define POWER_STEP(p, f, n, next) FOR(of_step, n) { p[of_step] = next + f[of_step] * p[of_step]; } SIDE_BY_SIDE(p, n)

/* p[i] = P(f[i]) of log2(1 + f) = f log2(e) + f^2 P(f). */
#define LOG2_POLYNOMIALS(p, f, n) \
    FOR(of_last, n) { p[of_last] = F32(LOG2_12); } \
    POWER_STEP(p, f, n, LOG2_11) POWER_STEP(p, f, n, LOG2_10) POWER_STEP(p, f, n, LOG2_9) POWER_STEP(p, f, n, LOG2_8) \
    POWER_STEP(p, f, n, LOG2_7) POWER_STEP(p, f, n, LOG2_6) POWER_STEP(p, f, n, LOG2_5) POWER_STEP(p, f, n, LOG2_4) \
    POWER_STEP(p, f, n, LOG2_3) POWER_STEP(p, f, n, LOG2_2)

/* Of P by fewer terms: log2(1 + f) is within 1.8e-7. */
#define LOG2_SHORT_POLYNOMIALS(p, f, n) \
    FOR(of_last, n) { p[of_last] = F32(LOG2_SHORT_8); } \
    POWER_STEP(p, f, n, LOG2_SHORT_7) POWER_STEP(p, f, n, LOG2_SHORT_6) POWER_STEP(p, f, n, LOG2_SHORT_5) \
    POWER_STEP(p, f, n, LOG2_SHORT_4) POWER_STEP(p, f, n, LOG2_SHORT_3) POWER_STEP(p, f, n, LOG2_SHORT_2)

FN f32 log2_polynomial(f32 f)
{
    f32 p[1], one[1] = {f};
    LOG2_POLYNOMIALS(p, one, 1)
    return p[0];
}

/* log2(x) of a positive normal x, within 2^-24 of its size and 2^-24 besides. */
FN f32 log2_float(f32 x)
{
    i32 n = log2_exponent(x);
    f32 f = log2_fraction(x, n);
    return to_f32(n) + (f * LOG2_E + (f * f) * log2_polynomial(f));
}

/*
 * log2(x) of a positive normal x, within 2^-25; where |log2(x)| is less than 1, within a relative 2^-24. The product of
 * f is exact, that of f^2 is at most 0.13.
 */
FN f32x log2_(f32 x)
{
    i32 n = log2_exponent(x);
    f32 f = log2_fraction(x, n);
    f32x first = f32x_product(f, F32(LOG2_E));
    f32x part = f32x_sum(first.hi, (f * f) * log2_polynomial(f));
    f32x all = f32x_sum(to_f32(n), part.hi);
    return f32x_make(all.hi, all.lo + (part.lo + (first.lo + f * LOG2_E_LOW)));
}

/* p[i] = 2^f[i] for f from -0.5 to 0.5, within a relative 1.5e-7. */
#define EXP2_POLYNOMIALS(p, f, n) \
    FOR(of_last, n) { p[of_last] = F32(EXP2_7); } \
    POWER_STEP(p, f, n, EXP2_6) POWER_STEP(p, f, n, EXP2_5) POWER_STEP(p, f, n, EXP2_4) POWER_STEP(p, f, n, EXP2_3) \
    POWER_STEP(p, f, n, EXP2_2) POWER_STEP(p, f, n, EXP2_1) POWER_STEP(p, f, n, 1.0f)

/* As EXP2_POLYNOMIALS by fewer terms, within a relative 3e-7. */
#define EXP2_SHORT_POLYNOMIALS(p, f, n) \
    FOR(of_last, n) { p[of_last] = F32(EXP2_SHORT_5); } \
    POWER_STEP(p, f, n, EXP2_SHORT_4) POWER_STEP(p, f, n, EXP2_SHORT_3) POWER_STEP(p, f, n, EXP2_SHORT_2) \
    POWER_STEP(p, f, n, EXP2_SHORT_1) POWER_STEP(p, f, n, 1.0f)

/* v 2^n, a normal number as v is. */
FN f32 power_of_two_times(f32 v, i32 n) { return bits_f32(f32_bits(v) + shl_u32(u32_from_i32(n), 23)); }

/* 2^(f + n). */
FN f32 exp2_scaled(f32 f, i32 n)
{
    f32 p[1], one[1] = {f};
    EXP2_POLYNOMIALS(p, one, 1)
    return power_of_two_times(p[0], n);
}

/* 2^y for y < 127, within a relative 1.5e-7; 0 below 2^-125. */
FN f32 exp2_(f32x y)
{
    f32 v = sel_f32(y.hi > EXP2_LOWEST, y.hi, F32(EXP2_LOWEST));
    i32 n = i32_from_f32(v + sel_f32(v < 0.0f, F32(-0.5f), F32(0.5f)));
    return sel_f32(y.hi > EXP2_LOWEST, exp2_scaled((v - to_f32(n)) + y.lo, n), F32(0.0f));
}

/* x^g for 2^-20 <= g <= 8 and x = 0 or 2^-60 <= x <= 1, within a relative 2e-7. 0 gives 0, and so does x^g below
 * 2^-125. */
FN f32 pow_(f32x x, f32x g)
{
    mask positive = x.hi > POWER_SMALLEST;
    f32 base = sel_f32(positive, x.hi, F32(1.0f));
    f32x l = log2_(base);
    f32 lo = l.lo + (x.lo * reciprocal_estimate(base)) * LOG2_E;
    f32x y = f32x_product(l.hi, g.hi);
    return sel_f32(positive, exp2_(f32x_make(y.hi, y.lo + (lo * g.hi + l.hi * g.lo))), F32(0.0f));
}

#endif
