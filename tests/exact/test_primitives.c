/* SPDX-License-Identifier: BSD-2-Clause */
/* kernels/exact.h at every instruction set of this machine, with denormals kept and with denormals flushed.
 *
 * The division's proof is in exact.h; what it rests on, |1 - b r| <= 2^-17, and how near the cube root is, are
 * tests/oracle/test_primitives.c's questions: here both have the same bits at every instruction set and flush mode.
 * Beyond the proof, the quotients that can go wrong are tried. Scaling by powers of two and signs change no
 * rounding on the stated domain, so mantissas are all that matters: integers a, b in [2^23, 2^24). In units of its
 * last place a quotient's distance from a midpoint is c / (2 b) for an integer c. All with |c| <= 32 are enumerated
 * (--nightly; for a sample of the b otherwise) and compared with IEEE division. The sabotaged build has a division
 * that was thought right after 2 * 10^8 random tries near midpoints, and has to find it wrong; it stands for
 * another instruction set, too.
 *
 * The square root of every mantissa at both parities of the exponent is compared with the IEEE one in every run.
 *
 *     test_primitives [--nightly] */
#include "exact/float_bits.h"
#include "exact/primitives.h"
#include "host/cpu.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

enum { MAX_RESIDUE = 32 };

static const struct primitives *p; /* under test */
static bool nightly;
static uint64_t failures; /* of the current check */

/* ---- small things ----------------------------------------------------------------------------------------------- */

static uint64_t random_state = 88172645463325252u;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * UINT64_C(0x2545f4914f6cdd1d);
}

/* Uniform in lowest..highest. */
static int random_between(int lowest, int highest)
{
    return lowest + (int)((random_bits() >> 32) % (uint64_t)(highest - lowest + 1));
}

/* (2^23 + fraction) * 2^(exponent - 23) */
static float make_float(uint32_t fraction, int exponent)
{
    return float_of((uint32_t)(exponent + 127) << 23 | (fraction & 0x7fffff));
}

static float with_random_sign(float v)
{
    return float_of(bits_of(v) | (uint32_t)(random_bits() >> 63) << 31);
}

static void fail(const char *what, double x, double y, double got, double expected)
{
    if (failures++ < 3)
        printf("    %s(%a, %a) = %a, should be %a\n", what, x, y, got, expected);
}

#ifndef SABOTAGE
static void flush_denormals(bool on)
{
#if defined(__x86_64__)
    _mm_setcsr((_mm_getcsr() & ~0x8040u) | (on ? 0x8040u : 0u));
#else
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    fpcr = (fpcr & ~(UINT64_C(1) << 24)) | (uint64_t)on << 24;
    __asm__ volatile("msr fpcr, %0" : : "r"(fpcr) : "memory");
#endif
}
#endif

/* ---- division --------------------------------------------------------------------------------------------------- */

static struct {
    float a[PRIMITIVES_BLOCK], b[PRIMITIVES_BLOCK];
    int n;
    uint64_t total;
} quotients;

static void divide_block(void)
{
    float portable[PRIMITIVES_BLOCK], native[PRIMITIVES_BLOCK];
    for (int i = quotients.n; i < PRIMITIVES_BLOCK; i++)
        quotients.a[i] = quotients.b[i] = 1.0f;
    p->divide(quotients.a, quotients.b, portable, native);
    for (int i = 0; i < quotients.n; i++) {
        const float a = quotients.a[i], b = quotients.b[i], expected = a / b;
        if (bits_of(portable[i]) != bits_of(expected))
            fail("div_rn_", a, b, portable[i], expected);
        if (bits_of(native[i]) != bits_of(expected))
            fail("div_rn", a, b, native[i], expected);
    }
    quotients.total += (uint64_t)quotients.n;
    quotients.n = 0;
}

static void add_quotient(float a, float b)
{
    quotients.a[quotients.n] = a;
    quotients.b[quotients.n] = b;
    if (++quotients.n == PRIMITIVES_BLOCK)
        divide_block();
}

/* The mantissas of a and b at exponents drawn from the whole domain: 2^-60 <= |b| <= 2^60, 2^-76 <= |a| <= 2^100,
 * 2^-60 <= |a / b| <= 2^60. */
static void add_scaled_quotient(uint32_t a, uint32_t b)
{
    const int eb = random_between(-60, 59);
    const int lowest = eb - 59 > -76 ? eb - 59 : -76, highest = eb + 59 < 99 ? eb + 59 : 99;
    add_quotient(with_random_sign(make_float(a, random_between(lowest, highest))), with_random_sign(make_float(b, eb)));
}

/* The inverse of an odd number modulo 2^32; each step doubles the number of right bits, from 3. */
static uint32_t inverse_modulo(uint32_t odd)
{
    uint32_t x = odd;
    for (int i = 0; i < 4; i++)
        x *= 2 - odd * x;
    return x;
}

/* Every a with a 2^s = m b + c, where m is a midpoint (odd, of 25 bits), 0 < |c| <= MAX_RESIDUE, and s =
 * 24 for quotients of 1 and more, 25 for those below. With b = 2^t b', b' odd, c has to be 2^t c' and m =
 * -c' / b' modulo 2^(s - t). */
static void add_near_midpoints(uint32_t b)
{
    const int t = __builtin_ctz(b);
    const int64_t most = MAX_RESIDUE >> t;
    if (most == 0)
        return;
    const uint32_t inverse = inverse_modulo(b >> t);
    for (int s = 24; s <= 25; s++) {
        const uint32_t modulus = UINT32_C(1) << (s - t);
        for (int64_t c = -most; c <= most; c++) {
            if (c % 2 == 0)
                continue; /* m would be even */
            uint32_t m = ((uint32_t)-c * inverse & (modulus - 1)) | (UINT32_C(1) << 24 & ~(modulus - 1));
            for (; m < UINT32_C(1) << 25; m += modulus) {
                if (m < UINT32_C(1) << 24)
                    continue;
                const int64_t a = ((int64_t)m * b + c * (INT64_C(1) << t)) >> s;
                if (a < 1 << 23 || a >= 1 << 24)
                    continue;
                add_quotient(make_float((uint32_t)a, 0), make_float(b, 0));
                if ((c & 7) == 1)
                    add_scaled_quotient((uint32_t)a, b);
            }
        }
    }
}

static void check_division(void)
{
    quotients.total = 0;
    add_quotient(0x1.cd77c8p+1f, 0x1.eaabdep+0f);
    add_quotient(0x1.ba556cp+0f, 0x1.316d36p+0f);
    for (int i = 0; i < 1000; i++) {
        add_quotient(0.0f, with_random_sign(make_float((uint32_t)random_bits(), random_between(-60, 59))));
        const float b = make_float((uint32_t)random_bits(), random_between(-38, 49));
        add_quotient(b, b);
        add_quotient(b, 1.0f);
    }
    const float limits[][2] = {{0x1p-76f, 0x1p-60f}, {0x1p-76f, 0x1p-16f}, {0x1p100f, 0x1p40f},
                               {0x1p100f, 0x1p60f},  {0x1p60f, 0x1p60f},   {0x1.fffffep+99f, 0x1.fffffep+59f}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        add_quotient(limits[i][0], limits[i][1]);
    for (int i = 0; i < 10000000; i++)
        add_scaled_quotient((uint32_t)random_bits(), (uint32_t)(random_bits() >> 20));
    const uint32_t step = nightly ? 1 : 61;
    for (uint32_t b = 1 << 23; b < 1 << 24; b += step)
        add_near_midpoints(b);
    divide_block();
    printf("  division: %" PRIu64 " quotients\n", quotients.total);
}

/* ---- bits of what has no IEEE counterpart ------------------------------------------------------------------------ */

/* Of all results so far of a function, and what it came to where the function was run first. */
struct digest {
    uint64_t hash, first;
};

static void digest_block(struct digest *d, const float *results)
{
    for (int i = 0; i < PRIMITIVES_BLOCK; i++)
        d->hash = (d->hash ^ bits_of(results[i])) * UINT64_C(0x100000001b3);
}

/* Ends a run over all arguments. */
static void same_as_first(struct digest *d, const char *what)
{
    d->first = d->first ? d->first : d->hash;
    if (d->hash != d->first) {
        failures++;
        printf("    %s: other bits than at another instruction set or flush mode\n", what);
    }
    d->hash = 0;
}

/* Every mantissa. */
static void check_reciprocal(void)
{
    static struct digest all;
    float b[PRIMITIVES_BLOCK], r[PRIMITIVES_BLOCK];
    for (uint32_t m = 0; m < 1 << 23; m += PRIMITIVES_BLOCK) {
        for (uint32_t i = 0; i < PRIMITIVES_BLOCK; i++)
            b[i] = make_float(m + i, 0);
        p->reciprocal(b, r);
        digest_block(&all, r);
    }
    same_as_first(&all, "reciprocal_estimate");
    printf("  reciprocal: %d arguments\n", 1 << 23);
}

/* ---- square root ------------------------------------------------------------------------------------------------ */

/* IEEE by definition where the build has no call of libm for it. */
static float ieee_sqrt(float v)
{
#if defined(__x86_64__)
    return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(v)));
#else
    float s;
    __asm__("fsqrt %s0, %s1" : "=w"(s) : "w"(v));
    return s;
#endif
}

static void square_root_block(const float *x)
{
    float portable[PRIMITIVES_BLOCK], native[PRIMITIVES_BLOCK];
    p->square_root(x, portable, native);
    for (int i = 0; i < PRIMITIVES_BLOCK; i++) {
        const float expected = ieee_sqrt(x[i]);
        if (bits_of(portable[i]) != bits_of(expected))
            fail("sqrt_rn_", x[i], 0, portable[i], expected);
        if (bits_of(native[i]) != bits_of(expected))
            fail("sqrt_rn", x[i], 0, native[i], expected);
    }
}

/* The floats whose bits are first..last. */
static uint64_t square_root_range(uint32_t first, uint32_t last)
{
    float x[PRIMITIVES_BLOCK];
    for (uint64_t at = first; at <= last; at += PRIMITIVES_BLOCK) {
        for (uint64_t i = 0; i < PRIMITIVES_BLOCK; i++)
            x[i] = float_of(at + i <= last ? (uint32_t)(at + i) : last);
        square_root_block(x);
    }
    return (uint64_t)last - first + 1;
}

static void check_square_root(void)
{
    uint64_t total = nightly ? square_root_range(bits_of(0x1p-126f), bits_of(0x1p126f))
                             : square_root_range(bits_of(1.0f), bits_of(4.0f));
    float x[PRIMITIVES_BLOCK] = { 0.0f, -0.0f, 0x1p-126f, 0x1p126f, 0x1p-64f, 0x1.fffffep-65f };
    for (int i = 6; i < PRIMITIVES_BLOCK; i++)
        x[i] = 1.0f;
    square_root_block(x);
    for (int block = 0; block < 1000; block++) {
        for (int i = 0; i < PRIMITIVES_BLOCK; i++)
            x[i] = make_float((uint32_t)random_bits(), random_between(-126, 125));
        square_root_block(x);
        total += PRIMITIVES_BLOCK;
    }
    printf("  square root: %" PRIu64 " arguments\n", total);
}

/* ---- cube root -------------------------------------------------------------------------------------------------- */

static void check_cube_root(void)
{
    static struct digest all;
    uint64_t total = 0;
    float x[PRIMITIVES_BLOCK], y[PRIMITIVES_BLOCK];
    const uint32_t step = nightly ? 1 : 257; /* odd: all mantissa endings occur */
    for (uint64_t at = bits_of(0x1p-100f); at <= bits_of(0x1p100f); at += (uint64_t)step * PRIMITIVES_BLOCK) {
        for (uint32_t i = 0; i < PRIMITIVES_BLOCK; i++) {
            const uint64_t u = at + (uint64_t)step * i;
            x[i] = u <= bits_of(0x1p100f) ? float_of((uint32_t)u) : 1.0f;
        }
        p->cube_root(x, y);
        digest_block(&all, y);
        total += PRIMITIVES_BLOCK;
    }
    for (int i = 0; i < PRIMITIVES_BLOCK; i++)
        x[i] = 0.0f;
    p->cube_root(x, y);
    for (int i = 0; i < PRIMITIVES_BLOCK; i++) {
        if (bits_of(y[i]) != 0)
            fail("cbrt_", 0, 0, y[i], 0);
    }
    same_as_first(&all, "cbrt_");
    printf("  cube root: %" PRIu64 " arguments\n", total);
}

/* ---- 64-bit integers -------------------------------------------------------------------------------------------- */

static const char *const op_names[INTEGER_OPS] = {
    "add", "sub", "neg", "mul", "mul_u32", "mul_i32", "shl", "shr", "shr_signed", "lt", "lt_signed", "eq", "sel",
    "from_u32", "from_i32", "to_f32",
};

static uint64_t native_integer(enum integer_op op, int shift, uint64_t a, uint64_t b)
{
    switch (op) {
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_NEG: return 0 - a;
    case OP_MUL: return a * b;
    case OP_MUL_U32: return (a & UINT32_MAX) * (b & UINT32_MAX);
    case OP_MUL_I32: return (uint64_t)((int64_t)(int32_t)(uint32_t)a * (int32_t)(uint32_t)b);
    case OP_SHL: return a << shift;
    case OP_SHR: return a >> shift;
    case OP_SHR_SIGNED: return (uint64_t)((int64_t)a >> shift);
    case OP_LT: return a < b;
    case OP_LT_SIGNED: return (int64_t)a < (int64_t)b;
    case OP_EQ: return a == b;
    case OP_SEL: return a < b ? a : b;
    case OP_FROM_U32: return a & UINT32_MAX;
    case OP_FROM_I32: return (uint64_t)(int64_t)(int32_t)(uint32_t)a;
    case OP_TO_F32: return bits_of((float)a);
    case INTEGER_OPS: break;
    }
    abort();
}

/* Numbers at which carries, signs and roundings turn: few bits, their complements, and 25-bit ties moved up. */
static uint64_t awkward_integer(void)
{
    const int shift = random_between(0, 63);
    switch (random_between(0, 5)) {
    case 0: return (UINT64_C(1) << shift) + (uint64_t)random_between(-1, 1);
    case 1: return ~(UINT64_C(1) << shift);
    case 2: return (random_bits() >> 39 | 1) << random_between(0, 39);
    case 3: return ((random_bits() >> 39 | 1) << random_between(0, 39)) + (uint64_t)random_between(-1, 1);
    case 4: return random_bits() >> shift;
    default: return random_bits();
    }
}

static void integer_block(enum integer_op op, int shift, const uint64_t *a, const uint64_t *b)
{
    static struct halves ah, bh, out;
    for (int i = 0; i < PRIMITIVES_BLOCK; i++) {
        ah.lo[i] = (uint32_t)a[i];
        ah.hi[i] = (uint32_t)(a[i] >> 32);
        bh.lo[i] = (uint32_t)b[i];
        bh.hi[i] = (uint32_t)(b[i] >> 32);
    }
    for (int pairs = 0; pairs < 2; pairs++) {
        (pairs ? p->integer_pairs : p->integer)(op, shift, &ah, &bh, &out);
        for (int i = 0; i < PRIMITIVES_BLOCK; i++) {
            const uint64_t got = (uint64_t)out.hi[i] << 32 | out.lo[i];
            const uint64_t expected = native_integer(op, shift, a[i], b[i]);
            if (got != expected && failures++ < 3)
                printf("    u64x_%s%s(0x%" PRIx64 ", 0x%" PRIx64 "; %d) = 0x%" PRIx64 ", should be 0x%" PRIx64 "\n",
                       op_names[op], pairs ? "_" : "", a[i], b[i], shift, got, expected);
        }
    }
}

static void check_integers(void)
{
    uint64_t a[PRIMITIVES_BLOCK], b[PRIMITIVES_BLOCK];
    for (int round = 0; round < 256; round++) {
        for (int i = 0; i < PRIMITIVES_BLOCK; i++) {
            a[i] = awkward_integer();
            b[i] = random_between(0, 7) == 0 ? a[i] + (uint64_t)random_between(-1, 1) : awkward_integer();
        }
        a[0] = b[1] = 0;
        a[2] = b[3] = UINT64_MAX;
        for (int op = 0; op < INTEGER_OPS; op++)
            integer_block((enum integer_op)op, round % 64, a, b);
    }
    printf("  64-bit integers: %d operands for each of %d operations\n", 256 * PRIMITIVES_BLOCK, INTEGER_OPS);
}

/* ---- double ------------------------------------------------------------------------------------------------------ */

static const char *const real_names[REAL_OPS] = {
    "add", "sub", "mul", "div", "lt", "le", "sel", "from_i32", "from_u64", "from_i64", "from_f32", "to_f32", "to_i32",
    "to_i64",
};

static double double_of(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static uint64_t double_bits(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* Of 0 or a normal number with an exponent in -range..range. Mantissas are those at which carries and halves turn: few
 * bits at either end, all bits, and any. */
static uint64_t awkward_double(int range)
{
    const uint64_t all = (UINT64_C(1) << 52) - 1, sign = random_bits() >> 63 << 63;
    uint64_t mantissa = random_bits() >> 12;
    const int shift = random_between(0, 51);
    switch (random_between(0, 6)) {
    case 0: mantissa = 0; break;
    case 1: mantissa = all; break;
    case 2: mantissa = UINT64_C(1) << shift; break;
    case 3: mantissa = all << shift & all; break;
    case 4: mantissa = mantissa >> shift << shift; break;
    default: break;
    }
    return random_between(0, 31) == 0 ? sign : sign | (uint64_t)(1023 + random_between(-range, range)) << 52 | mantissa;
}

static bool is_zero(uint64_t bits)
{
    return bits << 1 == 0;
}

/* 0 or a normal number. */
static bool in_domain(uint64_t bits)
{
    const uint64_t exponent = bits >> 52 & 0x7ff;
    return is_zero(bits) || (exponent != 0 && exponent != 0x7ff);
}

static uint64_t native_real(enum real_op op, uint64_t a, uint64_t b)
{
    const double x = double_of(a), y = double_of(b);
    switch (op) {
    case REAL_ADD: return double_bits(x + y);
    case REAL_SUB: return double_bits(x - y);
    case REAL_MUL: return double_bits(x * y);
    case REAL_DIV: return double_bits(x / y);
    case REAL_LT: return x < y;
    case REAL_LE: return x <= y;
    case REAL_SEL: return x < y ? a : b;
    case REAL_FROM_I32: return double_bits((double)(int32_t)(uint32_t)a);
    case REAL_FROM_U64: return double_bits((double)a);
    case REAL_FROM_I64: return double_bits((double)(int64_t)a);
    case REAL_FROM_F32: return double_bits((double)float_of((uint32_t)a));
    case REAL_TO_F32: return bits_of((float)x);
    case REAL_TO_I32: return (uint64_t)(int64_t)(int32_t)x;
    case REAL_TO_I64: return (uint64_t)(int64_t)x;
    case REAL_OPS: break;
    }
    abort();
}

/* Operands of an operation, inside its domain. */
static void real_operands(enum real_op op, uint64_t *a, uint64_t *b)
{
    const int ranges[] = {2, 60, 400}, range = ranges[random_between(0, 2)], near = random_between(-1, 1);
    *a = awkward_double(range);
    *b = awkward_double(range);
    if (op <= REAL_SUB && random_between(0, 3) == 0) { /* what cancels */
        *b = *a ^ (random_bits() >> 58) << random_between(0, 48) ^ random_bits() >> 63 << 63;
        *b = in_domain(*b) ? *b : 0;
    } else if (op == REAL_DIV) {
        *b = is_zero(*b) ? double_bits(1.5) : *b;
        if (random_between(0, 2) == 0) { /* a product, and its neighbours */
            const uint64_t product = double_bits(double_of(*b) * double_of(awkward_double(1)));
            *a = is_zero(product) ? 0 : product + (uint64_t)near;
        }
    } else if (op == REAL_FROM_I32 || op == REAL_FROM_U64 || op == REAL_FROM_I64) {
        *a = awkward_integer();
        if (random_between(0, 3) == 0) /* 54 bits and those around: halves */
            *a = ((random_bits() >> 10 | 1) << random_between(0, 10)) + (uint64_t)near;
    } else if (op == REAL_FROM_F32) {
        *a = bits_of(with_random_sign(random_between(0, 15) == 0 ? 0 : make_float((uint32_t)random_bits(),
                                                                                   random_between(-126, 127))));
    } else if (op == REAL_TO_F32) {
        *a = awkward_double(120);
        if (!is_zero(*a) && random_between(0, 1)) /* halves and those around */
            *a = (*a >> 29 << 29 | UINT64_C(1) << 28) + (uint64_t)near;
    } else if (op == REAL_TO_I32) {
        *a = awkward_double(30);
        *a = random_between(0, 63) == 0 ? double_bits(-2147483648.5) : *a;
    } else if (op == REAL_TO_I64) {
        *a = awkward_double(62);
        *a = random_between(0, 63) == 0 ? double_bits(-0x1p63) : *a;
    }
}

static void real_block(enum real_op op)
{
    static struct halves ah, bh, out;
    uint64_t a[PRIMITIVES_BLOCK], b[PRIMITIVES_BLOCK];
    for (int i = 0; i < PRIMITIVES_BLOCK; i++) {
        do
            real_operands(op, &a[i], &b[i]);
        while (op <= REAL_DIV && !in_domain(native_real(op, a[i], b[i])));
        ah.lo[i] = (uint32_t)a[i];
        ah.hi[i] = (uint32_t)(a[i] >> 32);
        bh.lo[i] = (uint32_t)b[i];
        bh.hi[i] = (uint32_t)(b[i] >> 32);
    }
    for (int pairs = 0; pairs < 2; pairs++) {
        (pairs ? p->real_pairs : p->real)(op, &ah, &bh, &out);
        for (int i = 0; i < PRIMITIVES_BLOCK; i++) {
            const uint64_t got = (uint64_t)out.hi[i] << 32 | out.lo[i], expected = native_real(op, a[i], b[i]);
            if (got != expected && failures++ < 3)
                printf("    f64x_%s%s(%a, %a) = 0x%" PRIx64 ", should be 0x%" PRIx64 "\n", real_names[op],
                       pairs ? "_" : "", double_of(a[i]), double_of(b[i]), got, expected);
        }
    }
}

static void check_reals(void)
{
    const int rounds = nightly ? 100000 : 1000;
    for (int round = 0; round < rounds; round++)
        for (int op = 0; op < REAL_OPS; op++)
            real_block((enum real_op)op);
    printf("  double: %" PRIu64 " operands for each of %d operations\n", (uint64_t)rounds * PRIMITIVES_BLOCK, REAL_OPS);
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)(void);
} checks[] = {
    { "reciprocal", check_reciprocal }, { "division", check_division }, { "square root", check_square_root },
    { "cube root", check_cube_root }, { "64-bit integers", check_integers }, { "double", check_reals },
};
enum { CHECKS = sizeof checks / sizeof *checks };

#ifdef SABOTAGE

/* Every check has to find what primitives_lanes.c breaks. The bits to which it is compared are the scalar build's. */
int main(void)
{
    int missed = 0;
    for (int i = 0; i < CHECKS; i++) {
        failures = 0;
        p = &primitives_scalar;
        checks[i].run();
        missed += failures != 0;
        failures = 0;
        p = &primitives_sabotaged;
        checks[i].run();
        printf("%s: %" PRIu64 " failures found\n", checks[i].name, failures);
        missed += failures == 0;
    }
    return missed != 0;
}

#else

static const struct primitives *const levels[CPU_LEVELS] = {
    [CPU_SCALAR] = &primitives_scalar,
#if defined(__x86_64__)
    [CPU_SSE4] = &primitives_sse4, [CPU_AVX2] = &primitives_avx2, [CPU_AVX512] = &primitives_avx512,
#else
    [CPU_NEON] = &primitives_neon,
#endif
};

int main(int argc, char **argv)
{
    nightly = argc > 1 && strcmp(argv[1], "--nightly") == 0;
    const uint32_t runnable = cpu_levels();
    uint64_t all = 0;
    for (int level = 0; level < CPU_LEVELS; level++) {
        if (!levels[level] || !(runnable >> level & 1))
            continue;
        if (nightly && level != (int)cpu_best_level(runnable & ~(1u << CPU_AVX512VNNI)))
            continue; /* hours otherwise; the levels are compared in the normal run */
        p = levels[level];
        for (int flush = 0; flush < 2; flush++) {
            printf("%s, denormals %s\n", p->name, flush ? "flushed" : "kept");
            flush_denormals(flush);
            for (int i = 0; i < CHECKS; i++) {
                failures = 0;
                checks[i].run();
                all += failures;
                if (failures)
                    printf("  %s: %" PRIu64 " failures\n", checks[i].name, failures);
                fflush(stdout);
            }
            flush_denormals(false);
        }
    }
    printf("%" PRIu64 " failures\n", all);
    return all != 0;
}

#endif
