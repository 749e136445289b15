/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture in the memory of a CUDA device. A decoder or an application has written it; an executor scores it there. */
#ifndef ASSAY_EXECUTORS_DEVICE_PICTURE_H
#define ASSAY_EXECUTORS_DEVICE_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device_picture {
    struct {
        uint64_t data; /* address on the device */
        size_t pitch;  /* bytes from a row to the next */
    } plane[3];
    bool pairs;     /* plane 1 holds samples of Cb and Cr in turn, as in NV12; there is no plane 2 */
    uint32_t shift; /* of samples of 16 bits: the number of empty low bits below the value, as in P010 */
};

#endif
