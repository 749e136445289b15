/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A module: a shared object, libassay-NAME.so.0 or assay-NAME-0.dll, that holds the code for one kind of device.
 * executors/modules.h opens it when such a device is asked for. It exports one symbol. The symbol's name changes with
 * this structure and with the structures that `content` points to.
 */
#ifndef ASSAY_KERNELS_MODULE_H
#define ASSAY_KERNELS_MODULE_H

#include <stdint.h>

#define MODULE_SYMBOL assay_module_2

struct module {
    uint64_t kernels;    /* KERNEL_DIGEST of the texts of all kernels, in the build that made the module */
    uint64_t digest;     /* of the content: a device is tested anew when it changes */
    const void *content; /* struct shader_set (vulkan, opengl), struct cuda_images (cuda), struct sycl_interface
                          * (sycl) */
};

#endif
