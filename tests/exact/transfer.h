/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of kernels/power.h and kernels/cvvdp.h and the transfer functions of kernels/colour.h over arrays,
 * built once per instruction set, and the arguments that tests give them. */
#ifndef ASSAY_TESTS_EXACT_TRANSFER_H
#define ASSAY_TESTS_EXACT_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { TRANSFER_BLOCK = 1024 }; /* elements per call, a multiple of every lane count */

struct transfer_functions {
    const char *name;
    void (*linear)(int transfer, float gamma, const float *code, float *light);
    void (*power)(float exponent, float exponent_low, const float *x, float *y);
    void (*power24)(const float *t, float *y);
    void (*log2)(const float *x, float *hi, float *lo);
    void (*exp2)(const float *hi, const float *lo, float *y);
    void (*log2_float)(const float *x, float *y);
    void (*short_log2)(const float *x, float *y); /* CVVDP_LOG2, CVVDP_EXP2 */
    void (*short_exp2)(const float *x, float *y);
};

extern const struct transfer_functions transfer_scalar, transfer_sse4, transfer_avx2, transfer_avx512, transfer_neon,
    transfer_sabotaged;

/* By the numbers of kernels/colour.h; the first is linear light and needs no function. */
#define TRANSFER_NAMES {"linear", "sRGB", "power of 2.4", "power of a gamma", "PQ", "HLG"}
enum { TRANSFERS = 6 };

static const double transfer_powers[] = {0x1p-20, 0.2, 1, 1.1, 1.5, 2.5, 3.5, 5, 6.3, 7.7, 8};
enum { TRANSFER_POWERS = sizeof transfer_powers / sizeof transfer_powers[0] };

/* Powers of an exponent this small are all so near 1 that a wrong constant hardly shows. */
#define TRANSFER_TOO_SMALL 0.1

/* Some floats of a range, in order. */
struct transfer_walk {
    uint32_t next, last, step; /* as bit patterns */
};

/* Codes from 0 to 1, and arguments of powers from 2^-60 to 1: every `stride`-th, and every seventh of those. */
static inline struct transfer_walk transfer_codes(uint32_t stride)
{
    return (struct transfer_walk){0, 0x3f800000, stride};
}

static inline struct transfer_walk transfer_bases(uint32_t stride)
{
    return (struct transfer_walk){0x21800000, 0x3f800000, stride * 7};
}

/* Of the power of 2.4 from 2^-52 to 2, of the logarithm all normal numbers, of the power of two 2^-60 to
 * nearly 127: as bit patterns. */
static inline struct transfer_walk transfer_power24_arguments(uint32_t stride)
{
    return (struct transfer_walk){0x25800000, 0x40000000, stride};
}

static inline struct transfer_walk transfer_log2_arguments(uint32_t stride)
{
    return (struct transfer_walk){0x00800000, 0x7f7fffff, stride};
}

static inline struct transfer_walk transfer_exp2_arguments(uint32_t stride)
{
    return (struct transfer_walk){0x21800000, 0x42fdffff, stride};
}

/* The next block, in whose rest the range's last value and 0 alternate; false when there is none. No code is a
 * denormal: 0 stands for those. */
static inline bool transfer_next(struct transfer_walk *w, float block[TRANSFER_BLOCK])
{
    if (w->next > w->last)
        return false;
    for (unsigned i = 0; i < TRANSFER_BLOCK; i++) {
        const bool over = w->next > w->last;
        const uint32_t bits = over ? (i % 2 ? 0 : w->last) : w->next < 0x00800000 ? 0 : w->next;
        memcpy(&block[i], &bits, sizeof bits);
        w->next += over ? 0 : w->step;
    }
    return true;
}

#endif
