/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Passes of the self-test's own kernels, which show one word of the dialect each, and of `unpack`, which executors run
 * in front of a graph. No other kernel is described here: the graphs of the metrics show how those are used.
 */
#ifndef ASSAY_SELFTEST_PRIMITIVES_H
#define ASSAY_SELFTEST_PRIMITIVES_H

#include "selftest/patterns.h"
#include "selftest/trial.h"

/* Whether the kernel is one of the self-test's own; whether it is described here. */
bool primitive_is(unsigned kernel);
bool primitive_known(unsigned kernel);

/* Whether a device has to pass it before its first use. These primitives cover arithmetic and what drivers have got
 * wrong. The words of the other primitives also occur in the kernels that are about to run. */
bool primitive_at_first_use(unsigned kernel);

/* How many sets of parameters the kernel is tested with, at least 1. */
unsigned primitive_sets(unsigned kernel);

/* The pass of `kernel` for planes of about width x height. `bits` is used when plane 0 is u16. */
struct trial_pass primitive_make(unsigned kernel, uint32_t width, uint32_t height, uint32_t bits, unsigned set);

/* Fills plane `plane` of the planes read; writes no byte outside its rows. For planes of bit patterns each pattern is
 * another set of adversarial words. */
void primitive_fill(const struct trial_pass *pass, unsigned plane, enum pattern pattern, uint32_t seed,
                    const struct kernel_plane *to);

/* Whether plane i of a and plane j of b are filled with the same samples by equal patterns and seeds. */
bool primitive_same_plane(const struct trial_pass *a, unsigned i, const struct trial_pass *b, unsigned j);

#endif
