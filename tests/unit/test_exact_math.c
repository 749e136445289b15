/* SPDX-License-Identifier: BSD-2-Clause */
/* The host's elementary functions against correctly rounded values (tools/make_math_vectors.py), the special cases of
 * C11 Annex F, and one hash over 100,000 results that has to be the same for every compiler, machine and -O.
 *
 * Built with SABOTAGE the same program runs on functions whose ln 2 is off by one ULP, and succeeds if it notices. */
#ifdef SABOTAGE
#include "host/exact_math_constants.h"
static const struct dd ln2_off = { 0x1.62e42fefa39f0p-1, 0x1.abc9e3b39803fp-56 };
#define ln2 ln2_off
#include "host/exact_math.c"
#undef ln2
#else
#include "host/exact_math.h"
#endif

#include "host/fpenv.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum function { LOG, LOG2, LOG10, EXP, POW, SQRT, FLOOR, CEIL, ROUND, FUNCTIONS };
static const char *const names[FUNCTIONS] = { "log", "log2", "log10", "exp", "pow", "sqrt", "floor", "ceil", "round" };

struct vector {
    enum function f;
    uint64_t x, y, result;
};

static const struct vector vectors[] = {
#include "data/exact_math_vectors.inc"
};

/* The hash of `hash_everything`, over results that are correctly rounded and therefore a property of mathematics. */
static const uint64_t expected_hash = UINT64_C(0xdaca436216451484);

static int failures;

static double double_of(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static uint64_t bits_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static double call(enum function f, double x, double y)
{
    switch (f) {
    case LOG: return assay_log(x);
    case LOG2: return assay_log2(x);
    case LOG10: return assay_log10(x);
    case EXP: return assay_exp(x);
    case POW: return assay_pow(x, y);
    case SQRT: return assay_sqrt(x);
    case FLOOR: return assay_floor(x);
    case CEIL: return assay_ceil(x);
    case ROUND: return assay_round(x);
    case FUNCTIONS: break;
    }
    abort();
}

/* Doubles as integers in their order, so that neighbours differ by one. */
static int64_t rank_of(uint64_t bits)
{
    int64_t r = (int64_t)(bits & INT64_MAX);
    return bits >> 63 ? -r : r;
}

static void check_vectors(void)
{
    size_t count[FUNCTIONS] = { 0 }, exact[FUNCTIONS] = { 0 };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const struct vector *v = &vectors[i];
        uint64_t got = bits_of(call(v->f, double_of(v->x), double_of(v->y)));
        int64_t error = rank_of(got) - rank_of(v->result);
        count[v->f]++;
        exact[v->f] += error == 0;
        if (error < -1 || error > 1) {
            failures++;
            printf("%s(%a, %a) = %a, should be %a\n", names[v->f], double_of(v->x), double_of(v->y), double_of(got),
                   double_of(v->result));
        }
    }
    for (int f = LOG; f <= POW; f++) {
        printf("%-5s %4zu of %4zu correctly rounded, the others within 1 ULP\n", names[f], exact[f], count[f]);
        /* exp(2^-53) is the one: 2^-54 ULP from a tie. */
        if (count[f] < 500 || count[f] - exact[f] > (f == EXP)) {
            failures++;
            printf("%s: more results than expected are not correctly rounded, or vectors are missing\n", names[f]);
        }
    }
}

#define INF double_of(UINT64_C(0x7ff0000000000000))
#define NOT_A_NUMBER double_of(UINT64_C(0x7ff8000000000000))
#define OTHER_NAN double_of(UINT64_C(0xfff4000000000123))

/* Bits are compared, so the sign of a zero and of a NaN counts. */
static void is(enum function f, double x, double y, double expected)
{
    double got = call(f, x, y);
    if (bits_of(got) != bits_of(expected)) {
        failures++;
        printf("%s(%a, %a) = %a, should be %a\n", names[f], x, y, got, expected);
    }
}

static void check_special_cases(void)
{
    const double nan = NOT_A_NUMBER;
    for (enum function f = LOG; f <= LOG10; f++) {
        is(f, 0.0, 0, -INF);
        is(f, -0.0, 0, -INF);
        is(f, 1.0, 0, 0.0);
        is(f, -1.0, 0, nan);
        is(f, -INF, 0, nan);
        is(f, INF, 0, INF);
        is(f, OTHER_NAN, 0, nan);
    }
    is(EXP, 0.0, 0, 1.0);
    is(EXP, -0.0, 0, 1.0);
    is(EXP, INF, 0, INF);
    is(EXP, -INF, 0, 0.0);
    is(EXP, 1e300, 0, INF);
    is(EXP, -1e300, 0, 0.0);
    is(EXP, 709.782712893385, 0, INF);
    is(EXP, OTHER_NAN, 0, nan);
    is(SQRT, 0.0, 0, 0.0);
    is(SQRT, -0.0, 0, -0.0);
    is(SQRT, -1.0, 0, nan);
    is(SQRT, INF, 0, INF);
    is(SQRT, OTHER_NAN, 0, nan);
    is(SQRT, 2.0, 0, 0x1.6a09e667f3bcdp+0);
    is(SQRT, 0x0.0000000000001p-1022, 0, 0x1p-537);
}

static void check_pow_special_cases(void)
{
    const double nan = NOT_A_NUMBER;
    const double x_any[] = { 0.0, -0.0, 1.0, -1.0, 2.5, -2.5, INF, -INF, OTHER_NAN };
    for (size_t i = 0; i < sizeof x_any / sizeof *x_any; i++) {
        is(POW, x_any[i], 0.0, 1.0);
        is(POW, x_any[i], -0.0, 1.0);
        is(POW, 1.0, x_any[i], 1.0);
    }
    is(POW, OTHER_NAN, 2.0, nan);
    is(POW, 2.0, OTHER_NAN, nan);
    for (int sign = 0; sign < 2; sign++) {
        double zero = sign ? -0.0 : 0.0, inf = sign ? -INF : INF;
        is(POW, zero, 3.0, zero);
        is(POW, zero, -3.0, inf);
        is(POW, zero, 2.0, 0.0);
        is(POW, zero, -2.0, INF);
        is(POW, zero, 0.5, 0.0);
        is(POW, zero, -INF, INF);
        is(POW, zero, INF, 0.0);
        is(POW, inf, 3.0, inf);
        is(POW, inf, -3.0, zero);
        is(POW, inf, 2.0, INF);
        is(POW, inf, -2.5, 0.0);
        is(POW, sign ? -1.0 : 0x1p-1000, sign ? INF : 0.0, 1.0);
        is(POW, sign ? -0.5 : 0.5, INF, 0.0);
        is(POW, sign ? -0.5 : 0.5, -INF, INF);
        is(POW, sign ? -2.0 : 2.0, INF, INF);
        is(POW, sign ? -2.0 : 2.0, -INF, 0.0);
    }
    is(POW, -8.0, 1.0 / 3.0, nan);
    is(POW, -INF, 0.5, INF);
    is(POW, -2.0, 3.0, -8.0);
    is(POW, -2.0, 0x1p53, INF);
    is(POW, -2.0, 1025.0, -INF);
    is(POW, -2.0, -1075.0, -0.0);
    is(POW, -1.0, 0x1.fffffffffffffp+52, -1.0);
    is(POW, 0x1.0000000000001p+0, 1e300, INF);
    is(POW, 0x1.fffffffffffffp-1, 1e300, 0.0);
    is(POW, 1e300, 1e-300, 1.0);
    is(POW, 0x1.fffffffffffffp+1023, 1.0, 0x1.fffffffffffffp+1023);
    is(POW, 0x0.0000000000001p-1022, 1.0, 0x0.0000000000001p-1022);
    is(POW, 0x0.00001p-1022, 0.5, 0x1p-521);
    is(POW, 3.0, 34.0, 0x1.d9fe779881944p+53); /* 3^34 = 16677181699666569, a tie, to even */
}

static void check_rounding(void)
{
    is(FLOOR, -0.0, 0, -0.0);
    is(FLOOR, 0.5, 0, 0.0);
    is(FLOOR, -0.5, 0, -1.0);
    is(FLOOR, -3.0, 0, -3.0);
    is(FLOOR, 0x1.fffffffffffffp+51, 0, 0x1.ffffffffffffep+51);
    is(FLOOR, -INF, 0, -INF);
    is(FLOOR, OTHER_NAN, 0, NOT_A_NUMBER);
    is(CEIL, -0.5, 0, -0.0);
    is(CEIL, 0.5, 0, 1.0);
    is(CEIL, 72.0, 0, 72.0);
    is(CEIL, 72.000000000000014, 0, 73.0);
    is(CEIL, 0x1p60, 0, 0x1p60);
    is(CEIL, OTHER_NAN, 0, NOT_A_NUMBER);
    is(ROUND, 0.5, 0, 1.0);
    is(ROUND, -0.5, 0, -1.0);
    is(ROUND, 0x1.fffffffffffffp-2, 0, 0.0);
    is(ROUND, -0x1.fffffffffffffp-2, 0, -0.0);
    is(ROUND, 2.5, 0, 3.0);
    is(ROUND, 0x1.fffffffffffffp+51, 0, 0x1p52);
    is(ROUND, OTHER_NAN, 0, NOT_A_NUMBER);
}

/* Many at once are what they are one by one, wherever in the list they stand. */
static void check_each(void)
{
    enum { MOST = sizeof vectors / sizeof *vectors + 16 };
    const double odd[] = { 0.0, -0.0, 1e-300, -0x1p-61, 700.5, -700.5, 711.0, -747.0, INF, -INF, OTHER_NAN, -745.0 };
    static double x[MOST], each[MOST];
    size_t n = 0, taken = 0;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (vectors[i].f == EXP) {
            x[n++] = double_of(vectors[i].x);
            if (n % 32 == 0 && taken < sizeof odd / sizeof *odd)
                x[n++] = odd[taken++];
        }
    for (size_t first = 0; first < 3; first++)
        for (size_t left = 0; left < 3; left++) {
            memcpy(each, x, sizeof each);
            assay_exp_each(each + first, n - first - left);
            for (size_t i = 0; i < n; i++) {
                const double expected = i < first || i >= n - left ? x[i] : assay_exp(x[i]);
                if (bits_of(each[i]) != bits_of(expected)) {
                    failures++;
                    printf("exp of many, at %zu: exp(%a) = %a, should be %a\n", i, x[i], each[i], expected);
                }
            }
        }
    printf("exp of %zu at once, %zu of them unusual\n", n, taken);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static uint64_t hash_everything(void)
{
    uint64_t state = 88172645463325252u, hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < 20000; i++) {
        double unit = (double)(next_random(&state) >> 11) * 0x1p-53;
        double x = double_of(next_random(&state) >> 1), y = (unit - 0.5) * 8.0;
        const double results[] = { assay_log(x), assay_log2(x), assay_log10(255.0 * 255.0 / (unit * 100.0 + 0x1p-30)),
                                   assay_exp(y * 180.0), assay_pow(unit, y) };
        for (size_t k = 0; k < sizeof results / sizeof *results; k++)
            hash = (hash ^ bits_of(results[k])) * UINT64_C(0x100000001b3);
    }
    return hash;
}

int main(void)
{
    struct assay_fpenv saved;
    assay_fpenv_enter(&saved);
    check_vectors();
    check_special_cases();
    check_pow_special_cases();
    check_rounding();
    check_each();
    uint64_t hash = hash_everything();
    assay_fpenv_leave(&saved);
    if (hash != expected_hash) {
        failures++;
        printf("hash of 100000 results 0x%016" PRIx64 ", should be 0x%016" PRIx64 "\n", hash, expected_hash);
    }
    printf("%d failures\n", failures);
#ifdef SABOTAGE
    return failures == 0;
#else
    return failures != 0;
#endif
}
