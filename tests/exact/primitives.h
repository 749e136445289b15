/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of kernels/exact.h over arrays, built once per instruction set (primitives_lanes.c). */
#ifndef ASSAY_TESTS_EXACT_PRIMITIVES_H
#define ASSAY_TESTS_EXACT_PRIMITIVES_H

#include <stddef.h>
#include <stdint.h>

enum { PRIMITIVES_BLOCK = 1024 }; /* elements per call, a multiple of every lane count */

enum integer_op {
    OP_ADD, OP_SUB, OP_NEG, OP_MUL, OP_MUL_U32, OP_MUL_I32, OP_SHL, OP_SHR, OP_SHR_SIGNED, OP_LT, OP_LT_SIGNED, OP_EQ,
    OP_SEL, OP_FROM_U32, OP_FROM_I32, OP_TO_F32, INTEGER_OPS
};

/* On doubles as their bits. Comparisons give 1 or 0, REAL_SEL is a < b ? a : b, REAL_TO_F32 the float's bits;
 * REAL_FROM_... take a's bits as an integer or float. */
enum real_op {
    REAL_ADD, REAL_SUB, REAL_MUL, REAL_DIV, REAL_LT, REAL_LE, REAL_SEL, REAL_FROM_I32, REAL_FROM_U64, REAL_FROM_I64,
    REAL_FROM_F32, REAL_TO_F32, REAL_TO_I32, REAL_TO_I64, REAL_OPS
};

struct halves {
    uint32_t lo[PRIMITIVES_BLOCK], hi[PRIMITIVES_BLOCK];
};

struct primitives {
    const char *name;
    void (*reciprocal)(const float *b, float *r);
    void (*divide)(const float *a, const float *b, float *portable, float *native);
    void (*square_root)(const float *x, float *portable, float *native);
    void (*cube_root)(const float *x, float *y);
    /* a op b; comparisons give 1 or 0, OP_SEL is a < b ? a : b, OP_TO_F32 the float's bits. */
    void (*integer)(enum integer_op op, int shift, const struct halves *a, const struct halves *b, struct halves *out);
    /* The same in pairs of words (exact_wide.h). */
    void (*integer_pairs)(enum integer_op op, int shift, const struct halves *a, const struct halves *b,
                          struct halves *out);
    void (*real)(enum real_op op, const struct halves *a, const struct halves *b, struct halves *out);
    void (*real_pairs)(enum real_op op, const struct halves *a, const struct halves *b, struct halves *out);
};

extern const struct primitives primitives_scalar, primitives_sse4, primitives_avx2, primitives_avx512, primitives_neon,
    primitives_sabotaged;

#endif
