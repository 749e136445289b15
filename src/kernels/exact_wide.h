/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 64-bit integers and IEEE double in pairs of 32-bit words, for targets that have neither (GLSL, where u64x and f64x
 * are these) or no doubles (SYCL, where f64x is this one). The names end in _ so that tests can build both forms in C
 * and compare them.
 *
 * f64x_ holds the bits of a double. Operations round to the nearest, halves to even. Operands and results are normal
 * numbers or 0 of either sign; anything else gives arbitrary bits. The reciprocal of a division is the only step in
 * floats.
 */
#ifndef ASSAY_KERNELS_EXACT_WIDE_H
#define ASSAY_KERNELS_EXACT_WIDE_H

#include "kernels/exact.h"

struct u64x_ {
    u32 lo;
    u32 hi;
};
struct f64x_ {
    u32 lo;
    u32 hi;
};
#ifdef TARGET_C
typedef struct u64x_ u64x_;
typedef struct f64x_ f64x_;
#endif

/* ---- 64-bit integers --------------------------------------------------------------------------------------------- */

FN u64x_ u64x_make_(u32 lo, u32 hi)
{
    u64x_ r;
    r.lo = lo;
    r.hi = hi;
    return r;
}

#ifdef TARGET_SYCL /* whose u64x is one 64-bit integer */
FN u64x_ split_(u64x v) { return u64x_make_(u64x_lo(v), u64x_hi(v)); }
FN u64x joined_(u64x_ v) { return u64x_make(v.lo, v.hi); }
#endif

FN u32 u64x_lo_(u64x_ v) { return v.lo; }
FN u32 u64x_hi_(u64x_ v) { return v.hi; }
FN u64x_ u64x_from_u32_(u32 v) { return u64x_make_(v, U32(0u)); }

/* Two's complement. */
FN u64x_ u64x_from_i32_(i32 v) { return u64x_make_(u32_from_i32(v), u32_from_i32(shr_i32(v, 31))); }

FN u32 u32_of_mask_(mask m) { return sel_u32(m, U32(1u), U32(0u)); }

FN u64x_ u64x_sel_(mask m, u64x_ a, u64x_ b) { return u64x_make_(sel_u32(m, a.lo, b.lo), sel_u32(m, a.hi, b.hi)); }

FN mask u64x_eq_(u64x_ a, u64x_ b) { return ((a.lo ^ b.lo) | (a.hi ^ b.hi)) == 0u; }

FN mask u64x_lt_(u64x_ a, u64x_ b) { return or_(a.hi < b.hi, and_(a.hi == b.hi, a.lo < b.lo)); }

/* As signed numbers in two's complement. */
FN mask u64x_lt_signed_(u64x_ a, u64x_ b)
{
    return or_(i32_from_u32(a.hi) < i32_from_u32(b.hi), and_(a.hi == b.hi, a.lo < b.lo));
}

FN u64x_ u64x_add_(u64x_ a, u64x_ b)
{
    u32 lo = a.lo + b.lo;
    return u64x_make_(lo, a.hi + b.hi + u32_of_mask_(lo < a.lo));
}

FN u64x_ u64x_sub_(u64x_ a, u64x_ b)
{
    return u64x_make_(a.lo - b.lo, a.hi - b.hi - u32_of_mask_(a.lo < b.lo));
}

FN u64x_ u64x_neg_(u64x_ a) { return u64x_sub_(u64x_from_u32_(U32(0u)), a); }

/* The whole product of two 32-bit numbers. */
FN u64x_ u64x_mul_u32_(u32 a, u32 b)
{
#ifdef TARGET_GLSL
    u64x_ r;
    umulExtended(a, b, r.hi, r.lo);
    return r;
#elif defined(TARGET_SYCL)
    return split_((u64x)a * b);
#else
    /* No partial sum overflows: (2^16 - 1)^2 + 2^16 - 1 < 2^32. */
    u32 al = a & 0xffffu;
    u32 ah = shr_u32(a, 16);
    u32 bl = b & 0xffffu;
    u32 bh = shr_u32(b, 16);
    u32 low = al * bl;
    u32 mid = ah * bl + shr_u32(low, 16);
    u32 mid2 = al * bh + (mid & 0xffffu);
    return u64x_make_(shl_u32(mid2, 16) | (low & 0xffffu), ah * bh + shr_u32(mid, 16) + shr_u32(mid2, 16));
#endif
}

/* Of the low word of a and b. */
FN u64x_ u64x_mul_lo_u32_(u64x_ a, u32 b) { return u64x_mul_u32_(a.lo, b); }

/* Of two signed numbers. A negative factor counts 2^32 more as an unsigned one. */
FN u64x_ u64x_mul_i32_(i32 a, i32 b)
{
    u64x_ p = u64x_mul_u32_(u32_from_i32(a), u32_from_i32(b));
    u32 more = (u32_from_i32(shr_i32(a, 31)) & u32_from_i32(b)) + (u32_from_i32(shr_i32(b, 31)) & u32_from_i32(a));
    return u64x_make_(p.lo, p.hi - more);
}

/* The low 64 bits of the product, for unsigned and signed numbers. */
FN u64x_ u64x_mul_(u64x_ a, u64x_ b)
{
    u64x_ p = u64x_mul_u32_(a.lo, b.lo);
    return u64x_make_(p.lo, p.hi + a.lo * b.hi + a.hi * b.lo);
}

/* Shifts by a uniform count, 0 to 63. */
FN u64x_ u64x_shl_(u64x_ a, int n)
{
    if (n == 0)
        return a;
    if (n >= 32)
        return u64x_make_(U32(0u), shl_u32(a.lo, n - 32));
    return u64x_make_(shl_u32(a.lo, n), shl_u32(a.hi, n) | shr_u32(a.lo, 32 - n));
}

FN u64x_ u64x_shr_(u64x_ a, int n)
{
    if (n == 0)
        return a;
    if (n >= 32)
        return u64x_make_(shr_u32(a.hi, n - 32), U32(0u));
    return u64x_make_(shr_u32(a.lo, n) | shl_u32(a.hi, 32 - n), shr_u32(a.hi, n));
}

/* Keeps the sign: rounds towards minus infinity. */
FN u64x_ u64x_shr_signed_(u64x_ a, int n)
{
    i32 hi = i32_from_u32(a.hi);
    if (n == 0)
        return a;
    if (n >= 32)
        return u64x_make_(u32_from_i32(shr_i32(hi, n - 32)), u32_from_i32(shr_i32(hi, 31)));
    return u64x_make_(shr_u32(a.lo, n) | shl_u32(a.hi, 32 - n), u32_from_i32(shr_i32(hi, n)));
}

/* ---- double ------------------------------------------------------------------------------------------------------ */

/* The position of the highest bit, 0 to 31; v is not 0. */
FN u32 u32_top_bit_(u32 v)
{
#ifdef TARGET_GLSL
    return u32(findMSB(v));
#elif defined(TARGET_SYCL)
    return 31u - sycl::clz(v);
#else
    u32 top = U32(0u);
    FOR(i, 5) {
        int n = 16 >> i;
        mask m = shr_u32(v, n) == 0u;
        top = top + sel_u32(m, U32(0u), U32(n));
        v = sel_u32(m, v, shr_u32(v, n));
    }
    return top;
#endif
}

FN f64x_ f64x_make_(u32 hi, u32 lo)
{
    f64x_ r;
    r.lo = lo;
    r.hi = hi;
    return r;
}

FN u64x_ f64x_bits_(f64x_ v) { return u64x_make_(v.lo, v.hi); }
FN f64x_ bits_f64x_(u64x_ v) { return f64x_make_(v.hi, v.lo); }

/* The 53 bits of the mantissa at the top of 64. */
FN u64x_ f64x_mantissa_(f64x_ v)
{
    return u64x_make_(shl_u32(v.lo, 11), shl_u32(v.hi, 11) | shr_u32(v.lo, 21) | 0x80000000u);
}

FN u32 f64x_exponent_(f64x_ v) { return shr_u32(v.hi, 20) & 0x7ffu; }

/* A number with bit 63 set, times 2^(exponent - 1023 - 63), rounded. Bit 0 is also set where bits below it were
 * lost. `sign` is bit 31 alone. The mantissa's leading bit adds one to the exponent field, and so does a carry out of
 * it. */
FN f64x_ f64x_round_(u32 sign, u32 exponent, u64x_ v)
{
    u32 lo = shr_u32(v.lo, 11) | shl_u32(v.hi, 21);
    u32 up = shr_u32((v.lo & 0x7ffu) + 0x3ffu + (lo & 1u), 11);
    u32 rounded = lo + up;
    return f64x_make_(sign | (shr_u32(v.hi, 11) + shl_u32(exponent - 1u, 20) + u32_of_mask_(rounded < up)), rounded);
}

FN f64x_ f64x_sel_(mask m, f64x_ a, f64x_ b) { return f64x_make_(sel_u32(m, a.hi, b.hi), sel_u32(m, a.lo, b.lo)); }

/* The number moved up until bit 63 is set, and by how much. v is not 0. */
struct wide_top_ {
    u64x_ v;
    u32 moved;
};
#ifdef TARGET_C
typedef struct wide_top_ wide_top_;
#endif
FN wide_top_ u64x_top_(u64x_ v)
{
    wide_top_ r;
    mask low = v.hi == 0u;
    u32 hi = sel_u32(low, v.lo, v.hi);
    u32 lo = sel_u32(low, U32(0u), v.lo);
    u32 top = u32_top_bit_(hi | 1u);
    u32 n = 31u - top;
    r.v = u64x_make_(shl_u32_by(lo, n), shl_u32_by(hi, n) | shr_u32_by(shr_u32(lo, 1), top));
    r.moved = n + sel_u32(low, U32(32u), U32(0u));
    return r;
}

/* The nearest float, halves to even. It uses integers alone, because a GPU's conversions may round otherwise. Nine bits
 * below the mantissa decide; the last says whether any further one is set. */
FN f32 u64x_to_f32_(u64x_ a)
{
    wide_top_ t = u64x_top_(a);
    u32 bits = shr_u32(t.v.hi, 8);
    u32 rest = shl_u32(t.v.hi & 0xffu, 1) | u32_of_mask_(not_(t.v.lo == 0u));
    /* the mantissa's leading bit adds one to the exponent field, and so does a carry out of it */
    bits = bits + shl_u32(189u - t.moved, 23) + shr_u32(rest + 0xffu + (bits & 1u), 9);
    return bits_f32(sel_u32((a.lo | a.hi) == 0u, U32(0u), bits));
}

/* sign: bit 31 alone. */
FN f64x_ f64x_from_size_(u32 sign, u64x_ v)
{
    wide_top_ t = u64x_top_(v);
    f64x_ r = f64x_round_(sign, 1086u - t.moved, t.v);
    return f64x_sel_((v.lo | v.hi) == 0u, f64x_make_(U32(0u), U32(0u)), r);
}

FN f64x_ f64x_from_u64_(u64x_ v) { return f64x_from_size_(U32(0u), v); }

FN f64x_ f64x_from_i64_(u64x_ v)
{
    u32 minus = u32_from_i32(shr_i32(i32_from_u32(v.hi), 31));
    u64x_ size = u64x_sub_(u64x_make_(v.lo ^ minus, v.hi ^ minus), u64x_make_(minus, minus));
    return f64x_from_size_(minus & 0x80000000u, size);
}

FN f64x_ f64x_from_i32_(i32 v)
{
    u32 minus = u32_from_i32(shr_i32(v, 31));
    u32 size = (u32_from_i32(v) ^ minus) - minus;
    u32 n = 31u - u32_top_bit_(size | 1u);
    u32 top = shl_u32_by(size, n);
    u32 hi = (minus & 0x80000000u) | (shr_u32(top, 11) + shl_u32(1053u - n, 20));
    return f64x_make_(sel_u32(size == 0u, U32(0u), hi), shl_u32(top, 21));
}

FN f64x_ f64x_from_f32_(f32 v)
{
    u32 bits = f32_bits(v);
    u32 size = bits & 0x7fffffffu;
    u32 hi = sel_u32(size == 0u, U32(0u), shr_u32(size, 3) + 0x38000000u);
    return f64x_make_((bits & 0x80000000u) | hi, shl_u32(bits, 29));
}

/* The result is a normal float or 0. */
FN f32 f64x_to_f32_(f64x_ v)
{
    u32 size = v.hi & 0x7fffffffu;
    u32 bits = (shl_u32(size, 3) | shr_u32(v.lo, 29)) - 0xc0000000u;
    bits = bits + shr_u32((v.lo & 0x1fffffffu) + 0x0fffffffu + (bits & 1u), 29);
    return bits_f32((v.hi & 0x80000000u) | sel_u32(size == 0u, U32(0u), bits));
}

/* Towards zero, for -2^31 - 1 < v < 2^31. */
FN i32 f64x_to_i32_(f64x_ v)
{
    u32 exponent = f64x_exponent_(v);
    u32 size = shr_u32_by(f64x_mantissa_(v).hi, (1054u - exponent) & 31u);
    size = sel_u32(exponent < 1023u, U32(0u), size);
    u32 minus = u32_from_i32(shr_i32(i32_from_u32(v.hi), 31));
    return i32_from_u32((size ^ minus) - minus);
}

/* Towards zero, for -2^63 <= v < 2^63. */
FN u64x_ f64x_to_i64_(f64x_ v)
{
    u64x_ m = f64x_mantissa_(v);
    u32 exponent = f64x_exponent_(v);
    u32 n = 1086u - exponent; /* 0 to 63 for sizes of 1 and more */
    mask far = n >= 32u;
    u32 lo = sel_u32(far, m.hi, m.lo);
    u32 hi = sel_u32(far, U32(0u), m.hi);
    n = n & 31u;
    lo = shr_u32_by(lo, n) | shl_u32_by(shl_u32(hi, 1), 31u - n);
    u64x_ size = u64x_sel_(exponent < 1023u, u64x_from_u32_(U32(0u)), u64x_make_(lo, shr_u32_by(hi, n)));
    u32 minus = u32_from_i32(shr_i32(i32_from_u32(v.hi), 31));
    return u64x_sub_(u64x_make_(size.lo ^ minus, size.hi ^ minus), u64x_make_(minus, minus));
}

/* As a 64-bit integer in the order of the doubles; both zeros are 0. */
FN u64x_ f64x_rank_(f64x_ v)
{
    u32 minus = u32_from_i32(shr_i32(i32_from_u32(v.hi), 31));
    u32 size = v.hi & 0x7fffffffu;
    return u64x_sub_(u64x_make_(v.lo ^ minus, size ^ minus), u64x_make_(minus, minus));
}

FN mask f64x_lt_(f64x_ a, f64x_ b) { return u64x_lt_signed_(f64x_rank_(a), f64x_rank_(b)); }
FN mask f64x_le_(f64x_ a, f64x_ b) { return not_(f64x_lt_(b, a)); }
FN f64x_ f64x_min_(f64x_ a, f64x_ b) { return f64x_sel_(f64x_lt_(a, b), a, b); }

/* The mantissas are numbers below 2^62 shifted up by 10, so their sum has a bit to grow into. The smaller one loses
 * bits when it moves down; any that is lost sets the lowest bit. A difference that loses more than one leading bit has
 * a smaller operand that moved by at most one place and lost nothing. */
FN f64x_ f64x_add_(f64x_ a, f64x_ b)
{
    mask less = u64x_lt_(u64x_make_(a.lo, a.hi & 0x7fffffffu), u64x_make_(b.lo, b.hi & 0x7fffffffu));
    f64x_ x = f64x_sel_(less, b, a);
    f64x_ y = f64x_sel_(less, a, b);
    u32 exponent = f64x_exponent_(x);
    u32 y_exponent = f64x_exponent_(y);
    u32 minus = u32_from_i32(shr_i32(i32_from_u32(x.hi ^ y.hi), 31));
    u32 x_hi = ((shl_u32(x.hi, 10) | shr_u32(x.lo, 22)) & 0x3fffffffu) | 0x40000000u;
    u32 x_lo = shl_u32(x.lo, 10);
    u32 y_hi = ((shl_u32(y.hi, 10) | shr_u32(y.lo, 22)) & 0x3fffffffu) | 0x40000000u;
    u32 y_lo = shl_u32(y.lo, 10);
    y_hi = sel_u32(y_exponent == 0u, U32(0u), y_hi);
    u32 distance = exponent - y_exponent;
    mask far = distance >= 32u;
    u32 lost = sel_u32(far, y_lo, U32(0u));
    y_lo = sel_u32(far, y_hi, y_lo);
    y_hi = sel_u32(far, U32(0u), y_hi);
    u32 n = sel_u32(distance >= 63u, U32(31u), distance & 31u); /* 63 and more: nothing is left */
    lost = lost | shl_u32_by(shl_u32(y_lo, 1), 31u - n);
    y_lo = shr_u32_by(y_lo, n) | shl_u32_by(shl_u32(y_hi, 1), 31u - n);
    y_hi = shr_u32_by(y_hi, n);
    y_lo = y_lo | u32_of_mask_(not_(lost == 0u));
    /* plus y, or plus its complement and 1, for which the low bits of x have room */
    x_lo = x_lo | (minus & 1u);
    u32 lo = x_lo + (y_lo ^ minus);
    u32 hi = x_hi + (y_hi ^ minus) + u32_of_mask_(lo < x_lo);
    wide_top_ t = u64x_top_(u64x_make_(lo, hi));
    f64x_ r = f64x_round_(x.hi & 0x80000000u, exponent + 1u - t.moved, t.v);
    mask zero = or_((lo | hi) == 0u, exponent == 0u);
    return f64x_sel_(zero, f64x_make_(a.hi & b.hi & 0x80000000u, U32(0u)), r);
}

FN f64x_ f64x_sub_(f64x_ a, f64x_ b) { return f64x_add_(a, f64x_make_(b.hi ^ 0x80000000u, b.lo)); }

/* Of the 128 bits of the mantissas' product the upper 64 matter, and whether any of the lower ones is set. */
FN f64x_ f64x_mul_(f64x_ a, f64x_ b)
{
    u64x_ am = f64x_mantissa_(a);
    u64x_ bm = f64x_mantissa_(b);
    u64x_ ll = u64x_mul_u32_(am.lo, bm.lo);
    u64x_ lh = u64x_mul_u32_(am.lo, bm.hi);
    u64x_ hl = u64x_mul_u32_(am.hi, bm.lo);
    u64x_ hh = u64x_mul_u32_(am.hi, bm.hi);
    u64x_ middle = u64x_add_(lh, u64x_from_u32_(ll.hi)); /* (2^32 - 1)^2 + 2^32 - 1 < 2^64 */
    u32 second = middle.lo + hl.lo;
    u64x_ p = u64x_add_(hh, u64x_from_u32_(middle.hi));
    p = u64x_add_(p, u64x_from_u32_(hl.hi));
    p = u64x_add_(p, u64x_from_u32_(u32_of_mask_(second < hl.lo)));
    u32 top = shr_u32(p.hi, 31);
    p = u64x_sel_(top == 1u, p, u64x_make_(shl_u32(p.lo, 1), shl_u32(p.hi, 1) | shr_u32(p.lo, 31)));
    p.lo = p.lo | u32_of_mask_(not_((second | ll.lo) == 0u));
    u32 a_exponent = f64x_exponent_(a);
    u32 b_exponent = f64x_exponent_(b);
    u32 sign = (a.hi ^ b.hi) & 0x80000000u;
    f64x_ r = f64x_round_(sign, a_exponent + b_exponent + top - 1023u, p);
    mask zero = or_(a_exponent == 0u, b_exponent == 0u);
    return f64x_sel_(zero, f64x_make_(sign, U32(0u)), r);
}

/* 2^32 / b for the number b from 1 to 2 with the mantissa m (bit 31 is 1): at most 2^-31 of it too large, as b has more
 * bits than m, and at most 2^-30 too small. A float estimate that is at most 2^-17 too small takes one Newton step in
 * integers: with r = 2^31 / b (1 - e), r + r e leaves e^2. */
FN u32 reciprocal_u32_(u32 m)
{
    f32 estimate = reciprocal_positive(bits_f32((shr_u32(m, 8) & 0x7fffffu) | 0x3f800000u));
    /* 5 units less make it surely too small; 31 more in the exponent are a factor of 2^31 */
    u32 r = u32_from_i32(i32_from_f32(bits_f32(f32_bits(estimate) + (0x0f800000u - 5u))));
    u64x_ rest = u64x_sub_(u64x_make_(U32(0u), U32(0x40000000u)), u64x_mul_u32_(r, m)); /* 2^62 e, below 2^45 */
    u32 e = shr_u32(rest.lo, 14) | shl_u32(rest.hi, 18);
    return r + r + shr_u32(u64x_mul_u32_(r, e).hi, 15);
}

/* a n modulo 2^64 */
FN u64x_ u64x_times_(u64x_ a, u32 n)
{
    u64x_ p = u64x_mul_u32_(a.lo, n);
    return u64x_make_(p.lo, p.hi + a.hi * n);
}

/* In integers: A and B are the mantissas, 2^52 to 2^53 - 1; A is doubled where it is less than B. Then Q = A 2^53 / B
 * is at least 2^53 and less than 2^54, and the mantissa of the quotient is the whole part of Q, plus 1, halved: no Q /
 * 2 is halfway between integers. Q is found in two digits of 27 bits. A digit is taken from the upper 32 bits of what
 * is left and the reciprocal. The first is too small by more than 0 and less than 1.4, so what is left is positive and
 * less than 1.4 B. The second is too small by more than 0 and less than 2, so the last remainder is less than 2 B and
 * decides. */
FN f64x_ f64x_div_(f64x_ a, f64x_ b)
{
    u32 a_hi = (a.hi & 0xfffffu) | 0x100000u;
    u64x_ divisor = u64x_make_(b.lo, (b.hi & 0xfffffu) | 0x100000u);
    u32 less = u32_of_mask_(u64x_lt_(u64x_make_(a.lo, a_hi), divisor));
    u64x_ x = u64x_make_(shl_u32_by(a.lo, less), shl_u32_by(a_hi, less) | (shr_u32(a.lo, 31) & less));
    u32 r = reciprocal_u32_(shl_u32(divisor.hi, 11) | shr_u32(b.lo, 21));
    u32 upper = shl_u32(x.hi, 10) | shr_u32(x.lo, 22);
    u32 first = shr_u32(u64x_mul_u32_(upper, r).hi - 2u, 4);
    u64x_ left = u64x_sub_(u64x_make_(shl_u32(x.lo, 26), shl_u32(x.hi, 26) | shr_u32(x.lo, 6)),
                           u64x_times_(divisor, first));
    upper = shl_u32(left.hi, 9) | shr_u32(left.lo, 23);
    u32 second = shr_u32(u64x_mul_u32_(upper, r).hi - 1u, 2);
    left = u64x_sub_(u64x_make_(shl_u32(left.lo, 27), shl_u32(left.hi, 27) | shr_u32(left.lo, 5)),
                     u64x_times_(divisor, second));
    second = second + sel_u32(u64x_lt_(left, divisor), U32(1u), U32(2u)); /* 1 for the rounding */
    u32 lo = shl_u32(first, 27) + second;
    u32 hi = shr_u32(first, 5) + u32_of_mask_(lo < second);
    u32 sign = (a.hi ^ b.hi) & 0x80000000u;
    u32 a_exponent = f64x_exponent_(a);
    u32 exponent = a_exponent - f64x_exponent_(b) + 1022u - less;
    f64x_ q = f64x_make_(sign | (shr_u32(hi, 1) + shl_u32(exponent, 20)), shr_u32(lo, 1) | shl_u32(hi, 31));
    return f64x_sel_(a_exponent == 0u, f64x_make_(sign, U32(0u)), q);
}

#ifdef TARGET_GLSL
#define u64x u64x_
#define u64x_make(lo, hi) u64x_make_(lo, hi)
#define u64x_lo(v) u64x_lo_(v)
#define u64x_hi(v) u64x_hi_(v)
#define u64x_from_u32(v) u64x_from_u32_(v)
#define u64x_from_i32(v) u64x_from_i32_(v)
#define u64x_sel(m, a, b) u64x_sel_(m, a, b)
#define u64x_eq(a, b) u64x_eq_(a, b)
#define u64x_lt(a, b) u64x_lt_(a, b)
#define u64x_lt_signed(a, b) u64x_lt_signed_(a, b)
#define u64x_add(a, b) u64x_add_(a, b)
#define u64x_sub(a, b) u64x_sub_(a, b)
#define u64x_neg(a) u64x_neg_(a)
#define u64x_mul_u32(a, b) u64x_mul_u32_(a, b)
#define u64x_mul_lo_u32(a, b) u64x_mul_lo_u32_(a, b)
#define u64x_mul_i32(a, b) u64x_mul_i32_(a, b)
#define u64x_mul(a, b) u64x_mul_(a, b)
#define u64x_shl(a, n) u64x_shl_(a, n)
#define u64x_shr(a, n) u64x_shr_(a, n)
#define u64x_shr_signed(a, n) u64x_shr_signed_(a, n)
#define u64x_to_f32(a) u64x_to_f32_(a)
#define bits_f64x(v) bits_f64x_(v)
#define f64x_bits(v) f64x_bits_(v)
#define f64x_from_u64(v) f64x_from_u64_(v)
#define f64x_from_i64(v) f64x_from_i64_(v)
#define f64x_to_i64(v) f64x_to_i64_(v)
#endif
#if defined(TARGET_GLSL) || defined(TARGET_SYCL)
#define f64x f64x_
#define F64X(hi, lo) f64x_make_(U32(hi), U32(lo))
#define f64x_from_i32(v) f64x_from_i32_(v)
#define f64x_from_f32(v) f64x_from_f32_(v)
#define f64x_to_f32(v) f64x_to_f32_(v)
#define f64x_add(a, b) f64x_add_(a, b)
#define f64x_sub(a, b) f64x_sub_(a, b)
#define f64x_mul(a, b) f64x_mul_(a, b)
#define f64x_div(a, b) f64x_div_(a, b)
#define f64x_lt(a, b) f64x_lt_(a, b)
#define f64x_le(a, b) f64x_le_(a, b)
#define f64x_sel(m, a, b) f64x_sel_(m, a, b)
#define f64x_min(a, b) f64x_min_(a, b)
#define f64x_to_i32(v) f64x_to_i32_(v)
#endif

#endif
