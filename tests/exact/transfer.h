/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of kernels/power.h and the transfer functions of kernels/colour.h over arrays, built once per instruction set. */
#ifndef ASSAY_TESTS_EXACT_TRANSFER_H
#define ASSAY_TESTS_EXACT_TRANSFER_H

enum { TRANSFER_BLOCK = 1024 }; /* elements per call, a multiple of every lane count */

struct transfer_functions {
    const char *name;
    void (*linear)(int transfer, float gamma, const float *code, float *light);
    void (*power)(float exponent, float exponent_low, const float *x, float *y);
};

extern const struct transfer_functions transfer_scalar, transfer_sse4, transfer_avx2, transfer_avx512, transfer_neon,
    transfer_sabotaged;

#endif
