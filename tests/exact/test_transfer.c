/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transfer functions and powers of the kernels: the same bits at every instruction set of this machine, and the formula in double at
 * the same float argument within 2e-6 of it or 1e-7 of the largest light; powers within what power.h says.
 *
 *     test_transfer [--nightly]     every float in 0..1 instead of one in a thousand
 *
 * The sabotaged build has a constant of each function a little off, and every function has to show it.
 */
#include "exact/transfer.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "host/cpu.h"

static const char *const transfer_name[] = {"linear", "sRGB", "power of 2.4", "power of a gamma", "PQ", "HLG"};
enum { TRANSFERS = sizeof transfer_name / sizeof transfer_name[0] };

static uint64_t failures;
static uint32_t stride = 1009;
static double worst;

static float float_of(uint32_t u)
{
    float v;
    memcpy(&v, &u, sizeof v);
    return v;
}

static double formula(int transfer, double v, double gamma)
{
    const double m1 = 2610.0 / 16384, m2 = 2523.0 / 32, c1 = 3424.0 / 4096, c2 = 2413.0 / 128, c3 = 2392.0 / 128, a = 0.17883277;
    const double t = transfer == 4 ? pow(v, 1 / m2) : 0;
    switch (transfer) {
    case 1: return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
    case 2: return pow(v, 2.4);
    case 3: return pow(v, gamma);
    case 4: return pow(fmax(t - c1, 0) / (c2 - c3 * t), 1 / m1);
    case 5: return v <= 0.5 ? v * v / 3 : (exp((v - (0.5 - a * log(4 * a))) / a) + (1 - 4 * a)) / 12;
    default: return v;
    }
}

static void fail(const char *what, double at, double got, double expected)
{
    if (failures++ < 3)
        printf("    %s(%a) = %.9g, should be %.9g\n", what, at, got, expected);
}

static const struct transfer_functions *const *levels(void)
{
    static const struct transfer_functions *list[6];
    unsigned n = 0;
    const struct { const struct transfer_functions *functions; const char *level; } known[] = {
#ifdef SABOTAGE
        {&transfer_sabotaged, "scalar"},
#elif defined(__x86_64__)
        {&transfer_scalar, "scalar"}, {&transfer_sse4, "sse4"}, {&transfer_avx2, "avx2"}, {&transfer_avx512, "avx512"},
#else
        {&transfer_scalar, "scalar"}, {&transfer_neon, "neon"},
#endif
    };
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        if (cpu_levels() >> cpu_level_from_name(known[i].level) & 1)
            list[n++] = known[i].functions;
    list[n] = NULL;
    return list;
}

/* The bits of a block at all levels against those of the first. */
static void same_bits(const char *what, const float *in, const float *expected, const float *got, const char *level)
{
    for (int i = 0; i < TRANSFER_BLOCK; i++)
        if (memcmp(&expected[i], &got[i], sizeof *got)) {
            printf("    at %s\n", level);
            fail(what, (double)in[i], (double)got[i], (double)expected[i]);
        }
}

static void check_transfer(int transfer, double gamma)
{
    float code[TRANSFER_BLOCK], light[TRANSFER_BLOCK], other[TRANSFER_BLOCK];
    const uint32_t one = 0x3f800000;
    uint32_t next = 0;
    failures = 0;
    worst = 0;
    while (next <= one) {
        for (int i = 0; i < TRANSFER_BLOCK; i++) {
            code[i] = float_of(next < 0x00800000 ? 0 : next > one ? one : next); /* no denormal code exists */
            next += next > one ? 0 : stride;
        }
        const struct transfer_functions *const *level = levels();
        level[0]->linear(transfer, (float)gamma, code, light);
        for (unsigned k = 1; level[k]; k++) {
            level[k]->linear(transfer, (float)gamma, code, other);
            same_bits(transfer_name[transfer], code, light, other, level[k]->name);
        }
        for (int i = 0; i < TRANSFER_BLOCK; i++) {
            const double exact = formula(transfer, (double)code[i], (double)(float)gamma), off = fabs((double)light[i] - exact);
            if (exact > 0.001 && off / exact > worst)
                worst = off / exact;
            if (!(off <= 2e-6 * exact || off <= 1e-7))
                fail(transfer_name[transfer], (double)code[i], (double)light[i], exact);
        }
    }
    printf("%-20s %.3g relative where light is more than 0.001, %llu failures\n", transfer_name[transfer], worst,
           (unsigned long long)failures);
}

static void check_power(double exponent)
{
    const float high = (float)exponent, low = (float)(exponent - (double)high);
    float x[TRANSFER_BLOCK], y[TRANSFER_BLOCK], other[TRANSFER_BLOCK];
    uint32_t next = 0x21800000; /* 2^-60 */
    failures = 0;
    worst = 0;
    while (next <= 0x3f800000) {
        for (int i = 0; i < TRANSFER_BLOCK; i++) {
            x[i] = float_of(next > 0x3f800000 ? 0 : next);
            next += next > 0x3f800000 ? 0 : stride * 7;
        }
        const struct transfer_functions *const *level = levels();
        level[0]->power(high, low, x, y);
        for (unsigned k = 1; level[k]; k++) {
            level[k]->power(high, low, x, other);
            same_bits("pow_", x, y, other, level[k]->name);
        }
        for (int i = 0; i < TRANSFER_BLOCK; i++) {
            const double exact = pow((double)x[i], exponent), off = fabs((double)y[i] - exact);
            if (exact > 0x1p-124 && off / exact > worst)
                worst = off / exact;
            if (!(off <= 2e-7 * exact || (exact < 0x1p-124 && y[i] < 0x1.1p-124f)))
                fail("pow_", (double)x[i], (double)y[i], exact);
        }
    }
    printf("power of %-11.9g %.3g relative, %llu failures\n", exponent, worst, (unsigned long long)failures);
}

int main(int argc, char **argv)
{
    static const double powers[] = {0x1p-20, 0.2, 1, 1.1, 1.5, 2.5, 3.5, 5, 6.3, 7.7, 8};
    unsigned wrong = 0, checks = 0;
    if (argc > 1 && !strcmp(argv[1], "--nightly"))
        stride = 1;
    for (int t = 1; t < TRANSFERS; t++, checks++) {
        check_transfer(t, 2.2);
        wrong += failures != 0;
    }
    for (unsigned i = 0; i < sizeof powers / sizeof powers[0]; i++) {
        check_power(powers[i]);
#ifdef SABOTAGE
        if (powers[i] < 2)
            continue; /* too small a power to show it */
#endif
        wrong += failures != 0;
        checks++;
    }
#ifdef SABOTAGE
    return wrong == checks ? 0 : 1;
#else
    return wrong ? 1 : 0;
#endif
}
