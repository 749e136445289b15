/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transfer functions and powers of the kernels: the same bits at every instruction set of this machine. How near they
 * are to their formulas is tests/oracle/test_transfer.c's question.
 *
 *     test_transfer [--nightly]     every float in 0..1 instead of one in a thousand
 *
 * The sabotaged build has a constant of each function a little off and stands for another instruction set: every
 * function has to show it, but for powers whose exponent is too small to.
 */
#include "exact/transfer.h"

#include <stdio.h>

#include "host/cpu.h"

static uint32_t stride = 1009;
static unsigned functions, different;

static const struct transfer_functions *const *levels(void)
{
    static const struct transfer_functions *list[6];
    unsigned n = 0;
    const struct { const struct transfer_functions *functions; const char *level; } known[] = {
        {&transfer_scalar, "scalar"},
#ifdef SABOTAGE
        {&transfer_sabotaged, "scalar"},
#elif defined(__x86_64__)
        {&transfer_sse4, "sse4"}, {&transfer_avx2, "avx2"}, {&transfer_avx512, "avx512"},
#else
        {&transfer_neon, "neon"},
#endif
    };
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        if (cpu_levels() >> cpu_level_from_name(known[i].level) & 1)
            list[n++] = known[i].functions;
    list[n] = NULL;
    return list;
}

/* How many elements of two blocks differ; the first is named. */
static unsigned long compare(const char *what, const char *level, const float *in, const float *expected,
                             const float *got, bool say)
{
    unsigned long n = 0;
    for (unsigned i = 0; i < TRANSFER_BLOCK; i++)
        if (memcmp(&expected[i], &got[i], sizeof *got) && !n++ && say)
            printf("    %s(%a) at %s = %a, scalar %a\n", what, (double)in[i], level, (double)got[i],
                   (double)expected[i]);
    return n;
}

static void report(const char *what, unsigned long wrong)
{
    printf("%-20s %lu differ\n", what, wrong);
    functions++;
    different += wrong != 0;
}

static void check_transfer(int transfer)
{
    static const char *const name[] = TRANSFER_NAMES;
    const struct transfer_functions *const *level = levels();
    struct transfer_walk walk = transfer_codes(stride);
    float code[TRANSFER_BLOCK], light[TRANSFER_BLOCK], other[TRANSFER_BLOCK];
    unsigned long wrong = 0;
    while (transfer_next(&walk, code)) {
        level[0]->linear(transfer, 2.2f, code, light);
        for (unsigned k = 1; level[k]; k++) {
            level[k]->linear(transfer, 2.2f, code, other);
            wrong += compare(name[transfer], level[k]->name, code, light, other, !wrong);
        }
    }
    report(name[transfer], wrong);
}

static void check_power(double exponent)
{
    const struct transfer_functions *const *level = levels();
    const float high = (float)exponent, low = (float)(exponent - (double)high);
    struct transfer_walk walk = transfer_bases(stride);
    float x[TRANSFER_BLOCK], y[TRANSFER_BLOCK], other[TRANSFER_BLOCK];
    char name[32];
    unsigned long wrong = 0;
    snprintf(name, sizeof name, "power of %.9g", exponent);
    while (transfer_next(&walk, x)) {
        level[0]->power(high, low, x, y);
        for (unsigned k = 1; level[k]; k++) {
            level[k]->power(high, low, x, other);
            wrong += compare(name, level[k]->name, x, y, other, !wrong);
        }
    }
    report(name, wrong);
}

/* The functions that these are made of: one or two results each. */
static void power24(const struct transfer_functions *f, const float *x, float *y, float *rest)
{
    f->power24(x, y);
    (void)rest;
}

static void logarithm(const struct transfer_functions *f, const float *x, float *y, float *rest)
{
    f->log2(x, y, rest);
}

static void power_of_two(const struct transfer_functions *f, const float *x, float *y, float *rest)
{
    float hi[TRANSFER_BLOCK], lo[TRANSFER_BLOCK];
    for (int i = 0; i < TRANSFER_BLOCK; i++) {
        hi[i] = i % 2 ? x[i] : -x[i];
        lo[i] = hi[i] * 0x1p-26f * (float)(i % 5 - 2);
    }
    f->exp2(hi, lo, y);
    (void)rest;
}

static void logarithm_in_float(const struct transfer_functions *f, const float *x, float *y, float *rest)
{
    f->log2_float(x, y);
    (void)rest;
}

static void short_logarithm(const struct transfer_functions *f, const float *x, float *y, float *rest)
{
    f->short_log2(x, y);
    (void)rest;
}

static void short_power_of_two(const struct transfer_functions *f, const float *x, float *y, float *rest)
{
    float both[TRANSFER_BLOCK];
    for (int i = 0; i < TRANSFER_BLOCK; i++)
        both[i] = i % 2 ? x[i] : -x[i];
    f->short_exp2(both, y);
    (void)rest;
}

static void check_part(const char *name, struct transfer_walk walk,
                       void (*part)(const struct transfer_functions *f, const float *x, float *y, float *rest))
{
    const struct transfer_functions *const *level = levels();
    float x[TRANSFER_BLOCK], y[2][TRANSFER_BLOCK] = {{0}}, other[2][TRANSFER_BLOCK] = {{0}};
    unsigned long wrong = 0;
    while (transfer_next(&walk, x)) {
        for (int i = 0; i < TRANSFER_BLOCK; i++)
            x[i] = x[i] > 0.0f ? x[i] : 1.0f;
        part(level[0], x, y[0], y[1]);
        for (unsigned k = 1; level[k]; k++) {
            part(level[k], x, other[0], other[1]);
            for (unsigned r = 0; r < 2; r++)
                wrong += compare(name, level[k]->name, x, y[r], other[r], !wrong);
        }
    }
    report(name, wrong);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--nightly"))
        stride = 1;
    for (int t = 1; t < TRANSFERS; t++)
        check_transfer(t);
    for (unsigned i = 0; i < TRANSFER_POWERS; i++) {
#ifdef SABOTAGE
        if (transfer_powers[i] < TRANSFER_TOO_SMALL)
            continue;
#endif
        check_power(transfer_powers[i]);
    }
    check_part("colour_pow24", transfer_power24_arguments(stride), power24);
    check_part("log2_", transfer_log2_arguments(stride), logarithm);
    check_part("exp2_", transfer_exp2_arguments(stride), power_of_two);
    check_part("log2_float", transfer_log2_arguments(stride), logarithm_in_float);
    check_part("CVVDP_LOG2", transfer_log2_arguments(stride), short_logarithm);
    check_part("CVVDP_EXP2", transfer_exp2_arguments(stride), short_power_of_two);
#ifdef SABOTAGE
    return different == functions ? 0 : 1;
#else
    return different ? 1 : 0;
#endif
}
