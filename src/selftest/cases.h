/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the self-test runs: every kernel with each of its sets of parameters, on frames of an odd size that several patterns
 * fill. For a kernel of bit patterns that is 4087 adversarial inputs per set and pattern. The hashes of what must come out are
 * made when the library is built, by make_digests.c.
 */
#ifndef ASSAY_SELFTEST_CASES_H
#define ASSAY_SELFTEST_CASES_H

#include "selftest/recipes.h"

enum {
    CASE_WIDTH = 67, CASE_HEIGHT = 61, /* several tiles each way on a GPU, and the last ones cut */
    CASE_BITS = 10,   /* of 16-bit samples */
    CASE_FRAMES = 5,
    CASE_SETS = 32,   /* the most that a kernel has */
};

/* The pattern of a frame, and the seed of its noise. */
enum recipe_pattern case_pattern(unsigned frame);
uint32_t case_seed(unsigned frame);

/* Whether the kernel is one of the self-test's own, which show a primitive each. */
bool case_is_primitive(unsigned kernel);

/* Whether a device has to pass it before its first use: arithmetic, and what drivers have got wrong. The rest of the
 * primitives are words that the kernels to be run show as well. */
bool case_at_first_use(unsigned kernel);

/* Digests of kernel k: those of its first set of parameters, frame by frame, then those of the next one. Generated. */
extern const uint64_t *const assay_selftest_digest[KERNEL_VARIANTS];

#endif
