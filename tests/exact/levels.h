/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ASSAY_TESTS_EXACT_LEVELS_H
#define ASSAY_TESTS_EXACT_LEVELS_H

#include "kernels_gen.h"

/* The scalar kernel, built with some constants off by one ULP. NULL: it is not among those that are built so. */
kernel_fn *sabotaged_kernel(unsigned kernel);

/* Flush-to-zero and denormals-are-zero in this thread; returns the modes to put back. */
uint64_t flush_to_zero_on(void);
void flush_to_zero_off(uint64_t modes);

#endif
