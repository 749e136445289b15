/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CUDA build of the kernel texts, embedded in the library: PTX that any supported device's driver can translate, and
 * in release builds a fat binary of finished code for the devices that nvcc knew.
 */
#ifndef ASSAY_KERNELS_CUDA_MODULE_H
#define ASSAY_KERNELS_CUDA_MODULE_H

#include <stddef.h>

extern const char assay_cuda_ptx[]; /* ends with a NUL */
extern const size_t assay_cuda_ptx_size;
extern const unsigned char assay_cuda_fatbin[];
extern const size_t assay_cuda_fatbin_size; /* 0: this build has none */

/* One line: the oldest drivers that take the two. */
extern const char assay_cuda_needs[];

#endif
