/* SPDX-License-Identifier: BSD-2-Clause */
/* The one parameter of a kernel's SYCL build, by value; written by the host, read by dialect/sycl.h. */
#ifndef ASSAY_DIALECT_SYCL_ARGS_H
#define ASSAY_DIALECT_SYCL_ARGS_H

#include "kernels/kernel.h"

struct sycl_plane {
    void *data; /* an address that the device knows */
    int32_t stride, width, height, unused;
};

struct sycl_args {
    struct sycl_plane plane[KERNEL_PLANES];
    union kernel_param param[KERNEL_PARAMS];
    uint32_t *totals;  /* the pass's 64-bit totals, low words first: sums, then histogram or row sums */
    uint32_t *extrema; /* (value, position) pairs, KERNEL_EXTREMA of them for each tile */
    int32_t grid_w, grid_h;
};

#endif
