/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture in the memory of a device, where a decoder or an application left it: who reads it and who scores it agree on this. */
#ifndef ASSAY_HOST_DEVICE_PICTURE_H
#define ASSAY_HOST_DEVICE_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device_picture {
    struct {
        uint64_t data;  /* address on the device */
        size_t pitch;   /* bytes from a row to the next */
    } plane[3];
    bool pairs;         /* plane 1 holds Cb and Cr in turns, as in NV12; there is no plane 2 */
    uint32_t shift;     /* samples of 16 bits hold their value in the high bits, above so many empty ones, as in P010 */
};

#endif
