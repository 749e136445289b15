/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ASSAY_TESTS_EXACT_LEVELS_H
#define ASSAY_TESTS_EXACT_LEVELS_H

#include "kernels_gen.h"

/* The scalar kernels, built with some constants off by one ULP. */
kernel_fn *const *sabotaged_kernels(void);

/* Flush-to-zero and denormals-are-zero in this thread; returns the modes to put back. */
uint64_t flush_to_zero_on(void);
void flush_to_zero_off(uint64_t modes);

#endif
