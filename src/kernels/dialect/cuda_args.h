/* SPDX-License-Identifier: BSD-2-Clause */
/* The one parameter of a kernel's CUDA build, by value; written by the host, read by dialect/cuda.h. */
#ifndef ASSAY_DIALECT_CUDA_ARGS_H
#define ASSAY_DIALECT_CUDA_ARGS_H

#include "kernels/kernel.h"

struct cuda_plane {
    uint64_t data; /* device address */
    int32_t stride, width, height, unused;
};

struct cuda_args {
    struct cuda_plane plane[KERNEL_PLANES];
    union kernel_param param[KERNEL_PARAMS];
    uint64_t totals;  /* device address of the pass's 64-bit totals: sums, then histogram or row sums */
    /* device address of the extrema, a 64-bit key each: value * 2^32 + (2^32 - 1 - position); the largest key wins */
    uint64_t extrema;
    int32_t grid_w, grid_h;
};

/* Name of the kernel of variant `name` in the module. */
#define CUDA_KERNEL_PREFIX "assay_k_"

#endif
