/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How near those functions of kernels/exact.h are that don't round like IEEE: the estimate of a reciprocal for every
 * mantissa, from 7/8 2^-17 below to 2^-23 above, which the proof of the division rests on, and the cube root within
 * 1 ULP. What rounds correctly, and that all instruction sets have the same bits, are
 * tests/exact/test_primitives.c's questions.
 *
 *     test_primitives [--nightly]     the cube root of every float of its domain instead of one in 257
 *
 * The sabotaged build has a Newton step less, and both functions have to show it.
 */
#include "exact/float_bits.h"
#include "exact/primitives.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#ifdef SABOTAGE
static const struct primitives *const tested = &primitives_sabotaged;
#else
static const struct primitives *const tested = &primitives_scalar;
#endif

static uint64_t failures;
static uint32_t stride = 257; /* odd: all mantissa endings occur */

static void fail(const char *what, float at, float got, double expected)
{
    if (failures++ < 3)
        printf("    %s(%a) = %a, should be %a\n", what, (double)at, (double)got, expected);
}

static double size_of(double v)
{
    return v < 0.0 ? -v : v;
}

/* The product of two floats is exact in double. Scaling by a power of two and a sign change no rounding. */
static void check_reciprocal(void)
{
    double least = 0.0, most = 0.0;
    float b[PRIMITIVES_BLOCK], r[PRIMITIVES_BLOCK];
    for (uint32_t m = 0; m < 1 << 23; m += PRIMITIVES_BLOCK) {
        for (uint32_t i = 0; i < PRIMITIVES_BLOCK; i++)
            b[i] = float_of(0x3f800000u + m + i);
        tested->reciprocal(b, r);
        for (int i = 0; i < PRIMITIVES_BLOCK; i++) {
            const double error = 1.0 - (double)b[i] * (double)r[i];
            least = error < least ? error : least;
            most = error > most ? error : most;
            if (!(error >= -0x1p-23 && error <= 0x1.cp-18))
                fail("reciprocal_estimate", b[i], r[i], 1.0 / (double)b[i]);
        }
    }
    printf("reciprocal: 1 - b r from %.4f * 2^-23 to %.4f * 2^-17, %" PRIu64 " failures\n", least * 0x1p23,
           most * 0x1p17, failures);
}

/* From a float that is near it: Newton's method in double turns an error of 2^-20 into 2^-39 with one step and into
 * some 2^-52 with two. */
static double refined_cube_root(double x, float y)
{
    double t = (double)y;
    for (int i = 0; i < 2; i++)
        t -= (t * t * t - x) / (3.0 * t * t);
    return t;
}

static double ulp_of(float v)
{
    return (double)float_of((bits_of(v) & 0x7f800000u) - (23u << 23));
}

static void check_cube_root(void)
{
    double worst = 0.0;
    uint64_t total = 0;
    float x[PRIMITIVES_BLOCK], y[PRIMITIVES_BLOCK];
    const uint32_t last = bits_of(0x1p100f);
    for (uint64_t at = bits_of(0x1p-100f); at <= last; at += (uint64_t)stride * PRIMITIVES_BLOCK) {
        for (uint32_t i = 0; i < PRIMITIVES_BLOCK; i++) {
            const uint64_t u = at + (uint64_t)stride * i;
            x[i] = u <= last ? float_of((uint32_t)u) : 1.0f;
        }
        tested->cube_root(x, y);
        for (int i = 0; i < PRIMITIVES_BLOCK; i++) {
            const double root = refined_cube_root((double)x[i], y[i]),
                         error = size_of((double)y[i] - root) / ulp_of(y[i]);
            worst = error > worst ? error : worst;
            if (!(error <= 1.0))
                fail("cbrt_", x[i], y[i], root);
        }
        total += PRIMITIVES_BLOCK;
    }
    printf("cube root: %" PRIu64 " arguments, %.4f ULP at most, %" PRIu64 " failures\n", total, worst, failures);
}

int main(int argc, char **argv)
{
    static void (*const checks[])(void) = {check_reciprocal, check_cube_root};
    const unsigned n = sizeof checks / sizeof checks[0];
    unsigned wrong = 0;
    if (argc > 1 && !strcmp(argv[1], "--nightly"))
        stride = 1;
    for (unsigned i = 0; i < n; i++) {
        failures = 0;
        checks[i]();
        wrong += failures != 0;
    }
#ifdef SABOTAGE
    return wrong == n ? 0 : 1;
#else
    return wrong ? 1 : 0;
#endif
}
