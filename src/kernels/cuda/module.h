/* SPDX-License-Identifier: BSD-2-Clause */
/* The CUDA build of the kernel texts, the content of the module cuda. */
#ifndef ASSAY_KERNELS_CUDA_MODULE_H
#define ASSAY_KERNELS_CUDA_MODULE_H

#include <stddef.h>

struct cuda_images {
    const char *ptx; /* all kernels, for any supported device's driver to translate; ends with a NUL */
    const char *ptx_80; /* those that have another form for compute capability 8.0 and later */
    const void *fatbin; /* finished code for the devices that nvcc knew, in release builds */
    size_t fatbin_bytes; /* 0: this build has none */
    const char *needs;  /* one line: the oldest drivers that take the two */
};

#endif
