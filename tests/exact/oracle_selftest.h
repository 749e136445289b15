/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the self-test kernels must compute, in plain loops over indices: no lanes, no tiles, no word of the dialect,
 * borders by walking instead of formulas, integers in 64 bits. The scalar build of a kernel is judged by this, the
 * other builds by the scalar one.
 */
#ifndef ASSAY_TESTS_EXACT_ORACLE_SELFTEST_H
#define ASSAY_TESTS_EXACT_ORACLE_SELFTEST_H

#include "exact/harness.h"

/* Reads of planes and writes of results; results are 32-bit words. */
int64_t oracle_get(const struct buffers *b, const struct trial_pass *pass, unsigned plane, int64_t x, int64_t y);
uint32_t oracle_word(const struct buffers *b, const struct trial_pass *pass, unsigned plane, int64_t x, int64_t y);
float oracle_float(const struct buffers *b, const struct trial_pass *pass, unsigned plane, int64_t x, int64_t y);
bool oracle_inside(const struct trial_pass *pass, unsigned plane, int64_t x, int64_t y);
void oracle_put(struct buffers *b, unsigned plane, int64_t x, int64_t y, uint32_t word);
uint32_t oracle_bits(float v);

typedef void oracle_fn(struct buffers *b, const struct trial_pass *pass);

struct oracle {
    const char *family;
    oracle_fn *run;
};

/* Samples, borders, sums (oracle_selftest.c); arithmetic on bit patterns (oracle_words.c). Both end with a NULL
 * family. */
extern const struct oracle oracle_samples[], oracle_words[];

#endif
