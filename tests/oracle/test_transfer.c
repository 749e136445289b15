/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transfer functions and powers of the kernels against their formulas in double at the same float argument, within what
 * kernels/colour.h, kernels/power.h and kernels/cvvdp.h say: transfer functions within 2e-6 of the formula or 1e-7 of
 * the largest light, PQ within 1e-9 of that. This bounds how far the definition that all devices share is from the true
 * one; that they share it bit for bit is tests/exact/test_transfer.c's question.
 *
 *     test_transfer [--nightly]     every float in 0..1 instead of one in a thousand
 *
 * The sabotaged build has a constant of each function a little off, and every function has to show it, but for powers
 * whose exponent is too small to.
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
    const double m1 = 2610.0 / 16384, m2 = 2523.0 / 32, c1 = 3424.0 / 4096, c2 = 2413.0 / 128, c3 = 2392.0 / 128,
                 a = 0.17883277;
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
            const double exact = formula(transfer, (double)code[i], (double)(float)gamma),
                         off = fabs((double)light[i] - exact);
            if (exact > 0.001 && off / exact > worst)
                worst = off / exact;
            if (!(off <= 2e-6 * exact || (transfer == 4 ? exact < 1e-7 && off <= 1e-9 : off <= 1e-7)))
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

static void judge(const char *what, float at, float got, double off, double allowed, double exact)
{
    worst = fmax(worst, off / allowed);
    if (!(off <= allowed))
        fail(what, at, got, exact);
}

/* Below 2^-52 the power is less than any normal number. */
static void check_power24(void)
{
    struct transfer_walk walk = transfer_power24_arguments(stride);
    float t[TRANSFER_BLOCK], y[TRANSFER_BLOCK];
    while (transfer_next(&walk, t)) {
        tested->power24(t, y);
        for (int i = 0; i < TRANSFER_BLOCK; i++) {
            const double exact = pow((double)t[i], 2.4), off = fabs((double)y[i] - exact);
            judge("colour_pow24", t[i], y[i], off, t[i] > 0.0f ? 1e-6 * exact : 0x1p-149, exact);
        }
    }
    printf("%-20s %.3g of 1e-6", "colour_pow24", worst);
}

static void check_log2(void)
{
    struct transfer_walk walk = transfer_log2_arguments(stride);
    float x[TRANSFER_BLOCK], hi[TRANSFER_BLOCK], lo[TRANSFER_BLOCK];
    while (transfer_next(&walk, x)) {
        for (int i = 0; i < TRANSFER_BLOCK; i++)
            x[i] = x[i] > 0.0f ? x[i] : 1.0f;
        tested->log2(x, hi, lo);
        for (int i = 0; i < TRANSFER_BLOCK; i++) {
            const double exact = log2((double)x[i]), off = fabs((double)hi[i] + (double)lo[i] - exact);
            judge("log2_", x[i], hi[i], off, fmin(0x1p-25, fmax(fabs(exact) * 0x1p-24, 0x1p-149)), exact);
        }
    }
    printf("%-20s %.3g of what is allowed", "log2_", worst);
}

/* Both signs; a second part of up to half an ULP of the first. */
static void check_exp2(void)
{
    struct transfer_walk walk = transfer_exp2_arguments(stride);
    float hi[TRANSFER_BLOCK], lo[TRANSFER_BLOCK], y[TRANSFER_BLOCK];
    while (transfer_next(&walk, hi)) {
        for (int i = 0; i < TRANSFER_BLOCK; i++) {
            hi[i] = i % 2 ? hi[i] : -hi[i];
            lo[i] = hi[i] * 0x1p-26f * (float)(i % 5 - 2);
        }
        tested->exp2(hi, lo, y);
        for (int i = 0; i < TRANSFER_BLOCK; i++) {
            const double exact = hi[i] > -125.0f ? exp2((double)hi[i] + (double)lo[i]) : 0;
            judge("exp2_", hi[i], y[i], fabs((double)y[i] - exact), exact > 0 ? 1.5e-7 * exact : 0x1p-149, exact);
        }
    }
    printf("%-20s %.3g of 1.5e-7", "exp2_", worst);
}

/* A logarithm in one float: within `scale` of its size and `floor` besides. */
static void check_log2_float(const char *name, void (*function)(const float *x, float *y), double scale, double floor)
{
    struct transfer_walk walk = transfer_log2_arguments(stride);
    float x[TRANSFER_BLOCK], y[TRANSFER_BLOCK];
    while (transfer_next(&walk, x)) {
        for (int i = 0; i < TRANSFER_BLOCK; i++)
            x[i] = x[i] > 0.0f ? x[i] : 1.0f;
        function(x, y);
        for (int i = 0; i < TRANSFER_BLOCK; i++) {
            const double exact = log2((double)x[i]);
            judge(name, x[i], y[i], fabs((double)y[i] - exact), scale * fabs(exact) + floor, exact);
        }
    }
    printf("%-20s %.3g of what is allowed", name, worst);
}

static void check_log2_of_floats(void)
{
    check_log2_float("log2_float", tested->log2_float, 0x1p-24, 0x1p-24);
}

static void check_short_log2(void)
{
    check_log2_float("CVVDP_LOG2", tested->short_log2, 0x1p-24, 2.2e-7);
}

/* Both signs. Arguments below -125 and above 126 count as these. */
static void check_short_exp2(void)
{
    struct transfer_walk walk = transfer_exp2_arguments(stride);
    float x[TRANSFER_BLOCK], y[TRANSFER_BLOCK];
    while (transfer_next(&walk, x)) {
        for (int i = 0; i < TRANSFER_BLOCK; i++)
            x[i] = i % 2 ? x[i] : -x[i];
        tested->short_exp2(x, y);
        for (int i = 0; i < TRANSFER_BLOCK; i++) {
            const double exact = exp2(fmin(fmax((double)x[i], -125), 126));
            judge("CVVDP_EXP2", x[i], y[i], fabs((double)y[i] - exact), 3e-7 * exact, exact);
        }
    }
    printf("%-20s %.3g of 3e-7", "CVVDP_EXP2", worst);
}

int main(int argc, char **argv)
{
    static void (*const other[])(void) = {check_power24, check_log2, check_exp2, check_log2_of_floats, check_short_log2,
                                           check_short_exp2};
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
        if (transfer_powers[i] < TRANSFER_TOO_SMALL)
            continue;
#endif
        wrong += failures != 0;
        checks++;
    }
    for (unsigned i = 0; i < sizeof other / sizeof other[0]; i++, checks++) {
        failures = 0;
        worst = 0;
        other[i]();
        printf(", %lu failures\n", failures);
        wrong += failures != 0;
    }
#ifdef SABOTAGE
    return wrong == checks ? 0 : 1;
#else
    return wrong ? 1 : 0;
#endif
}
