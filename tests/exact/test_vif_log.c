/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The logarithm of integer VIF, which a polynomial makes, against libvmaf's table of 32768 numbers: all of them, at
 * every position of their highest bit, with the bits below all 0, all 1 and mixed. The table follows from its rule, and
 * its check sum is that of the reference's table. A build with one constant off must be noticed.
 */
#include "exact/vif_log.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOW = 32768 };
static int32_t table[LOW];

static bool make_table(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < LOW; i++) {
        const float log = (float)log2((double)(i + LOW)); /* rounded to float before it is rounded to an integer */
        table[i] = (int32_t)floor(2048 * (double)log + 0.5);
        sum += (uint64_t)table[i] * (uint64_t)(i + 1);
    }
    return sum == UINT64_C(17286312511884);
}

/* How many of the results are wrong. */
static unsigned check(const struct vif_log_level *level)
{
    unsigned wrong = 0;
    uint32_t x[VIF_LOG_BLOCK];
    int32_t y[VIF_LOG_BLOCK];
    for (int shift = 2; shift < 16; shift++)
        for (uint32_t form = 0; form < 3; form++)
            for (uint32_t from = 0; from < LOW; from += VIF_LOG_BLOCK) {
                for (uint32_t i = 0; i < VIF_LOG_BLOCK; i++) {
                    const uint32_t below = form == 0 ? 0 : form == 1 ? UINT32_MAX : (from + i) * 2654435761u;
                    x[i] = (LOW + from + i) << shift | (below & ((1u << shift) - 1));
                }
                level->log(x, y);
                for (uint32_t i = 0; i < VIF_LOG_BLOCK; i++)
                    wrong += y[i] != table[from + i] + 2048 * shift;
            }
    printf("%s: %u of %d logarithms are wrong\n", level->name, wrong, 14 * 3 * LOW);
    return wrong;
}

int main(void)
{
    if (!make_table()) {
        printf("libm's log2 does not give the table\n");
        return EXIT_FAILURE;
    }
    unsigned wrong = check(&vif_log_scalar);
#ifdef __x86_64__
    if (__builtin_cpu_supports("sse4.1"))
        wrong += check(&vif_log_sse4);
    bool noticed = true;
    if (__builtin_cpu_supports("avx2")) {
        wrong += check(&vif_log_avx2);
        noticed = check(&vif_log_sabotaged_eighths) != 0;
    }
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        wrong += check(&vif_log_avx512);
        noticed = noticed && check(&vif_log_sabotaged_table) != 0;
    }
#else
    wrong += check(&vif_log_neon);
    const bool noticed = true;
#endif
    if (!noticed || check(&vif_log_sabotaged) == 0) {
        printf("a wrong constant was not noticed\n");
        return EXIT_FAILURE;
    }
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
