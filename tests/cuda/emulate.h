/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ASSAY_TESTS_CUDA_EMULATE_H
#define ASSAY_TESTS_CUDA_EMULATE_H

#include <stdbool.h>

#include "kernels/dialect/cuda_args.h"

typedef void emulated_kernel(struct cuda_args args);

/* Block (x, y) of a kernel that emulator.h made a host function. */
void emulate_block(emulated_kernel *kernel, const struct cuda_args *args, unsigned x, unsigned y, unsigned threads);

#endif
