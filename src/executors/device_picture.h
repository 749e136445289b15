/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture in the memory of a CUDA or SYCL device, written by a decoder or an application. */
#ifndef ASSAY_EXECUTORS_DEVICE_PICTURE_H
#define ASSAY_EXECUTORS_DEVICE_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device_picture {
    struct {
        uint64_t data; /* address on the device */
        size_t pitch;  /* bytes from a row to the next one */
    } plane[3];
    bool pairs;     /* plane 1 holds interleaved Cb and Cr samples (NV12), and there is no plane 2 */
    uint32_t shift; /* empty low bits of a 16-bit sample (P010: 6) */
};

/* Whether kernels can't read the samples of a component in place. */
static inline bool picture_is_packed(const struct device_picture *picture, unsigned component)
{
    return picture->shift || (component && picture->pairs);
}

#endif
