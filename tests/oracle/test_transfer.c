/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transfer functions and powers of the kernels against their formulas in double at the same float argument: transfer functions within
 * 2e-6 of the formula or 1e-7 of the largest light, powers within what power.h says. This bounds how far the definition that all
 * devices share is from the true one; that they share it bit for bit is tests/exact/test_transfer.c's question.
 *
 *     test_transfer [--nightly]     every float in 0..1 instead of one in a thousand
 *
 * The sabotaged build has a constant of each function a little off, and every function has to show it.
 */
#include "exact/transfer.h"

#include <math.h>
#include <stdio.h>

#ifdef SABOTAGE
static const struct transfer_functions *const tested = &transfer_sabotaged;
#else
static const struct transfer_functions *const tested = &transfer_scalar;
#endif

static unsigned long failures;
static uint32_t stride = 1009;
static double worst;

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

static void fail(const char *what, float at, float got, double expected)
{
    if (failures++ < 3)
        printf("    %s(%a) = %.9g, should be %.9g\n", what, (double)at, (double)got, expected);
}

static void check_transfer(int transfer, double gamma)
{
    static const char *const name[] = TRANSFER_NAMES;
    struct transfer_walk walk = transfer_codes(stride);
    float code[TRANSFER_BLOCK], light[TRANSFER_BLOCK];
    failures = 0;
    worst = 0;
    while (transfer_next(&walk, code)) {
        tested->linear(transfer, (float)gamma, code, light);
        for (int i = 0; i < TRANSFER_BLOCK; i++) {
            const double exact = formula(transfer, (double)code[i], (double)(float)gamma), off = fabs((double)light[i] - exact);
            if (exact > 0.001 && off / exact > worst)
                worst = off / exact;
            if (!(off <= 2e-6 * exact || off <= 1e-7))
                fail(name[transfer], code[i], light[i], exact);
        }
    }
    printf("%-20s %.3g relative where light is more than 0.001, %lu failures\n", name[transfer], worst, failures);
}

static void check_power(double exponent)
{
    const float high = (float)exponent, low = (float)(exponent - (double)high);
    struct transfer_walk walk = transfer_bases(stride);
    float x[TRANSFER_BLOCK], y[TRANSFER_BLOCK];
    failures = 0;
    worst = 0;
    while (transfer_next(&walk, x)) {
        tested->power(high, low, x, y);
        for (int i = 0; i < TRANSFER_BLOCK; i++) {
            const double exact = pow((double)x[i], exponent), off = fabs((double)y[i] - exact);
            if (exact > 0x1p-124 && off / exact > worst)
                worst = off / exact;
            if (!(off <= 2e-7 * exact || (exact < 0x1p-124 && y[i] < 0x1.1p-124f)))
                fail("pow_", x[i], y[i], exact);
        }
    }
    printf("power of %-11.9g %.3g relative, %lu failures\n", exponent, worst, failures);
}

int main(int argc, char **argv)
{
    unsigned wrong = 0, checks = 0;
    if (argc > 1 && !strcmp(argv[1], "--nightly"))
        stride = 1;
    for (int t = 1; t < TRANSFERS; t++, checks++) {
        check_transfer(t, 2.2);
        wrong += failures != 0;
    }
    for (unsigned i = 0; i < TRANSFER_POWERS; i++) {
        check_power(transfer_powers[i]);
#ifdef SABOTAGE
        if (transfer_powers[i] < 2)
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
