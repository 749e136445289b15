/* SPDX-License-Identifier: BSD-2-Clause */
/* Double-double arithmetic throughout: a value is an unevaluated sum hi + lo with |lo| <= ulp(hi) / 2, built from
 * error-free transformations (Knuth's two-sum, Veltkamp's splitting with Dekker's product). All series are plain
 * Taylor series: a call costs about a third of a microsecond, and a combine makes a few calls per frame. Only models
 * call exp more often, once for each support vector: it tries a shorter way first, which takes two numbers at once. */
#include "host/exact_math.h"

#include "host/exact_math_constants.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0
#error "exact_math.c needs IEEE double arithmetic: no -ffast-math, no x87"
#endif

static const uint64_t sign_bit = UINT64_C(1) << 63;

/* One NaN for all machines: what an invalid operation makes has the sign bit set on x86 and clear on aarch64. */
static double the_nan(void)
{
    return double_of_bits(UINT64_C(0x7ff8000000000000));
}

static double infinity(void)
{
    return double_of_bits(UINT64_C(0x7ff0000000000000));
}

static double magnitude(double x)
{
    return double_of_bits(bits_of_double(x) & ~sign_bit);
}

static double with_sign_of(double x, double s)
{
    return double_of_bits((bits_of_double(x) & ~sign_bit) | (bits_of_double(s) & sign_bit));
}

/* 2^k for -1022 <= k <= 1023. */
static double power_of_two(int k)
{
    return double_of_bits((uint64_t)(k + 1023) << 52);
}

/* a + b exactly. */
static struct dd two_sum(double a, double b)
{
    double s = a + b;
    double v = s - a;
    return (struct dd){ s, (a - (s - v)) + (b - v) };
}

/* a + b exactly, for |a| >= |b| or a = 0. */
static struct dd fast_two_sum(double a, double b)
{
    double s = a + b;
    return (struct dd){ s, b - (s - a) };
}

/* a * b exactly, for operands below 2^995 and a product that is 0 or above 2^-967. */
static struct dd two_product(double a, double b)
{
    const double splitter = 0x1p27 + 1.0;
    double ca = splitter * a, cb = splitter * b;
    double ah = ca - (ca - a), bh = cb - (cb - b);
    double al = a - ah, bl = b - bh;
    double p = a * b;
    return (struct dd){ p, ((ah * bh - p) + ah * bl + al * bh) + al * bl };
}

/* Relative error below 2^-104 where the operands don't cancel. */
static struct dd dd_add(struct dd a, struct dd b)
{
    struct dd s = two_sum(a.hi, b.hi);
    struct dd t = two_sum(a.lo, b.lo);
    s = fast_two_sum(s.hi, s.lo + t.hi);
    return fast_two_sum(s.hi, s.lo + t.lo);
}

/* Relative error below 2^-102. */
static struct dd dd_multiply(struct dd a, struct dd b)
{
    struct dd p = two_product(a.hi, b.hi);
    return fast_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

/* a / b, relative error below 2^-103: the first quotient's remainder is exact up to its last, smallest term. */
static struct dd dd_quotient(double a, struct dd b)
{
    double q = a / b.hi;
    struct dd p = two_product(q, b.hi);
    double remainder = ((a - p.hi) - p.lo) - q * b.lo;
    return fast_two_sum(q, remainder / b.hi);
}

/* sum c[i] x^i: the terms from `split` on are so small that plain doubles do. */
static struct dd polynomial(const struct dd *c, int terms, int split, struct dd x)
{
    double tail = c[terms - 1].hi;
    for (int i = terms - 2; i >= split; i--)
        tail = tail * x.hi + c[i].hi;
    struct dd s = { tail, 0.0 };
    for (int i = split - 1; i >= 0; i--)
        s = dd_add(dd_multiply(s, x), c[i]);
    return s;
}

/* For x = m 2^e, positive and finite, with m in [sqrt(1/2), sqrt(2)): e * unit + ln m * scale.
 * With unit = ln 2 * scale this is ln x * scale; no sum cancels more than one bit, as |ln m| <= ln 2 / 2, and near
 * x = 1, where e = 0, the relative error is that of ln m. It is below 2^-97 everywhere. */
static struct dd scaled_log(double x, struct dd unit, struct dd scale)
{
    int e = 0;
    if (x < DBL_MIN) {
        x *= 0x1p54;
        e = -54;
    }
    uint64_t bits = bits_of_double(x);
    e += (int)(bits >> 52) - 1023;
    double m = double_of_bits((bits & UINT64_C(0xfffffffffffff)) | UINT64_C(0x3ff0000000000000));
    if (m > 0x1.6a09e667f3bcdp+0) { /* sqrt(2); m equal to it could go either way */
        m *= 0.5;
        e++;
    }
    /* ln m = 2 atanh(s), s = (m - 1) / (m + 1), |s| <= 0.1716; m - 1 is exact. */
    struct dd s = dd_quotient(m - 1.0, two_sum(m, 1.0));
    struct dd series = polynomial(inverse_odd, ATANH_TERMS, ATANH_SPLIT, dd_multiply(s, s));
    struct dd half = dd_multiply(dd_multiply(s, series), scale);
    struct dd whole = dd_multiply((struct dd){ (double)e, 0.0 }, unit);
    return dd_add(whole, (struct dd){ 2.0 * half.hi, 2.0 * half.lo });
}

/* True if the logarithm of x needs no arithmetic; then it is in *result. */
static bool log_special(double x, double *result)
{
    if (x != x || x < 0.0)
        *result = the_nan();
    else if (x == 0.0)
        *result = -infinity();
    else if (x == infinity())
        *result = x;
    else
        return false;
    return true;
}

double assay_log(double x)
{
    double special;
    if (log_special(x, &special))
        return special;
    struct dd r = scaled_log(x, ln2, (struct dd){ 1.0, 0.0 });
    return r.hi + r.lo;
}

double assay_log2(double x)
{
    double special;
    if (log_special(x, &special))
        return special;
    struct dd r = scaled_log(x, (struct dd){ 1.0, 0.0 }, log2_e);
    return r.hi + r.lo;
}

double assay_log10(double x)
{
    double special;
    if (log_special(x, &special))
        return special;
    struct dd r = scaled_log(x, log10_2, log10_e);
    return r.hi + r.lo;
}

/* e^x as f * 2^k with f in [0.707, 1.415], for |x| <= 750. The reduction's absolute error (k ln 2 in 106 bits) is
 * below 2^-95, and so is the relative error of f. */
static struct dd exp_reduced(struct dd x, int *k)
{
    double t = x.hi * log2_e.hi;
    *k = (int)(t + (t < 0.0 ? -0.5 : 0.5));
    struct dd r = dd_add(x, dd_multiply((struct dd){ -(double)*k, 0.0 }, ln2));
    return polynomial(inverse_factorial, EXP_TERMS, EXP_SPLIT, r);
}

/* f * 2^k rounded once, -1076 <= k <= 1025, f in [0.7, 1.5]: to infinity above the range, to a multiple of 2^-1074
 * below the normal numbers. */
static double scaled(struct dd f, int k)
{
    struct dd r = fast_two_sum(f.hi, f.lo);
    double v = r.hi;
    if (k < -1022 || (k == -1022 && v < 1.0)) {
        /* A value whose unit in the last place is 2^(-1074 - k) does the rounding; r < c, so c + r stays below 2c. */
        double c = power_of_two(-1022 - k);
        struct dd s = two_sum(c, r.hi);
        v = (s.hi + (s.lo + r.lo)) - c;
    }
    int half = k / 2; /* in two steps, each by a normal power of two; both are exact unless the result overflows */
    return v * power_of_two(half) * power_of_two(k - half);
}

/* Two values at once: the same operations on both. Compilers have such vectors for every machine. */
typedef double pair __attribute__((vector_size(16)));
typedef int64_t pair_bits __attribute__((vector_size(16)));

/* The correctly rounded e^x for two x with 2^-60 <= |x| <= 700, unless one is too near to the middle between two
 * doubles to tell, which one x in about 2,000 is. Returns whether each is told: all bits set, or none.
 * x = (64 k + j) ln 2 / 64 + r, so e^x = 2^k 2^(j/64) e^r with |r| < 0.0055. The products of exp_step.hi with 64 k + j,
 * and of exp_part's .hi with r's first part, are exact: their factors have no more than 53 bits together. */
static inline pair_bits exp_quick(pair x, pair *result)
{
    const double whole = 0x1.8p52, cut = 0x1.8p18; /* sums with them are rounded to multiples of 1 and of 2^-34 */
    const pair t = x * (EXP_PARTS * log2_e.hi) + whole, parts = t - whole;
    const pair_bits n = (pair_bits)t - (pair_bits)(pair){ whole, whole }, j = n & (EXP_PARTS - 1);
    const pair exact = x - parts * exp_step.hi, first = (exact + cut) - cut;
    const pair second = (exact - first) - parts * exp_step.lo, r = first + second;
    /* e^r - 1 = first + rest. e^r - 1 - r, which is tail * square, is below 2^-16, its error below 2^-66.6. */
    const pair square = r * r;
    pair tail = inverse_factorial[7].hi * r + inverse_factorial[6].hi;
    for (int i = 4; i >= 2; i -= 2)
        tail = tail * square + (inverse_factorial[i + 1].hi * r + inverse_factorial[i].hi);
    const pair rest = second + tail * square;
    const struct dd *a = &exp_part[j[0]], *b = &exp_part[j[1]];
    const pair part = { a->hi, b->hi }, more = { a->lo, b->lo }, product = part * first, sum = part + product;
    const pair low = (product - (sum - part)) + (part * rest + (more + more * (first + rest)));
    const double error = 0x1p-64; /* of sum + low, which is below 2: less than this, with what is rounded below */
    *result = (sum + (low + error)) * (pair)(((n - j) * ((INT64_C(1) << 52) / EXP_PARTS)) + (INT64_C(1023) << 52));
    return sum + (low + error) == sum + (low - error);
}

/* Whether exp_quick takes x. */
static inline bool exp_is_usual(double x)
{
    return magnitude(x) >= 0x1p-60 && magnitude(x) <= 700.0;
}

static double exp_slow(double x)
{
    if (x != x)
        return the_nan();
    if (x > 710.0) /* ln(DBL_MAX) = 709.78 */
        return infinity();
    if (x < -746.0) /* ln(2^-1075) = -745.13 */
        return 0.0;
    if (magnitude(x) < 0x1p-60) /* keeps the products out of the denormal range */
        return 1.0 + x;
    int k;
    struct dd f = exp_reduced((struct dd){ x, 0.0 }, &k);
    return scaled(f, k);
}

double assay_exp(double x)
{
    pair quick;
    return exp_is_usual(x) && exp_quick((pair){ x, x }, &quick)[0] ? quick[0] : exp_slow(x);
}

void assay_exp_each(double *x, size_t n)
{
    for (size_t i = 0; i < n; i += 2) {
        const double a = x[i], b = i + 1 < n ? x[i + 1] : a;
        pair quick = { 0.0, 0.0 };
        pair_bits told = { 0, 0 };
        if (exp_is_usual(a) && exp_is_usual(b))
            told = exp_quick((pair){ a, b }, &quick);
        x[i] = told[0] ? quick[0] : exp_slow(a);
        if (i + 1 < n)
            x[i + 1] = told[1] ? quick[1] : exp_slow(b);
    }
}

/* A power can be exact, or exactly between two doubles (3^34 is). There the error of the arithmetic would decide the
 * rounding: y ln x multiplies it by up to 745, to about 2^-87. So a value within 2^-31 of half an ULP of such a point
 * (2^-85 or nearer) is taken as that point. Below a power of two the spacing is half as wide, but no power is
 * 2^54 - 1. */
static struct dd snapped(struct dd f)
{
    struct dd r = fast_two_sum(f.hi, f.lo);
    double half_ulp = r.hi < 1.0 ? 0x1p-54 : 0x1p-53;
    double left = magnitude(r.lo);
    if (left < half_ulp * 0x1p-31)
        r.lo = 0.0;
    else if (magnitude(left - half_ulp) < half_ulp * 0x1p-31)
        r.lo = with_sign_of(half_ulp, r.lo);
    return r;
}

/* x^y for positive finite x and finite y. */
static double positive_power(double x, double y)
{
    if (x == 1.0 || y == 0.0)
        return 1.0;
    /* 2^-54 < |ln x| < 746 for any other x: outside these bounds of y the result is 0, infinity or rounds to 1. Inside
     * them every product below is exact in the sense of two_product. */
    if (magnitude(y) > 0x1p66)
        return (x > 1.0) == (y > 0.0) ? infinity() : 0.0;
    if (magnitude(y) < 0x1p-66)
        return 1.0;
    struct dd t = dd_multiply(scaled_log(x, ln2, (struct dd){ 1.0, 0.0 }), (struct dd){ y, 0.0 });
    if (t.hi > 710.0)
        return infinity();
    if (t.hi < -746.0)
        return 0.0;
    int k;
    struct dd f = exp_reduced(t, &k);
    return scaled(snapped(f), k);
}

static bool is_integer(double x)
{
    return magnitude(x) >= 0x1p52 || (double)(int64_t)x == x;
}

static bool is_odd_integer(double x)
{
    return magnitude(x) < 0x1p53 && (double)(int64_t)x == x && ((int64_t)x & 1);
}

double assay_pow(double x, double y)
{
    if (y == 0.0 || x == 1.0)
        return 1.0; /* even if the other is a NaN */
    if (x != x || y != y)
        return the_nan();
    double size = magnitude(x);
    if (magnitude(y) == infinity()) {
        if (size == 1.0)
            return 1.0;
        return (size > 1.0) == (y > 0.0) ? infinity() : 0.0;
    }
    double sign = is_odd_integer(y) ? x : 1.0;
    if (size == 0.0)
        return with_sign_of(y < 0.0 ? infinity() : 0.0, sign);
    if (size == infinity())
        return with_sign_of(y < 0.0 ? 0.0 : infinity(), sign);
    if (x < 0.0 && !is_integer(y))
        return the_nan();
    return with_sign_of(positive_power(size, y), sign);
}

double assay_sqrt(double x)
{
    if (x != x || x < 0.0)
        return the_nan();
#if defined(__x86_64__)
    return _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(x)));
#elif defined(__aarch64__)
    return vget_lane_f64(vsqrt_f64(vdup_n_f64(x)), 0);
#else
#error "assay_sqrt: name this machine's IEEE square root"
#endif
}

/* Towards zero; doubles of 2^52 and more, infinities and NaN are their own integer part. */
static double truncated(double x)
{
    return magnitude(x) < 0x1p52 ? (double)(int64_t)x : x;
}

double assay_floor(double x)
{
    if (x != x)
        return the_nan();
    double t = truncated(x);
    return with_sign_of(t > x ? t - 1.0 : t, x);
}

double assay_ceil(double x)
{
    if (x != x)
        return the_nan();
    double t = truncated(x);
    return with_sign_of(t < x ? t + 1.0 : t, x);
}

double assay_round(double x)
{
    if (x != x)
        return the_nan();
    double t = truncated(x); /* x - t is exact */
    double step = magnitude(x - t) >= 0.5 ? 1.0 : 0.0;
    return with_sign_of(x < 0.0 ? t - step : t + step, x);
}
