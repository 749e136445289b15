/* SPDX-License-Identifier: BSD-2-Clause */
/* Light of pictures of floats, as the kernel `light` takes it (kernels/light.h). */
#ifndef ASSAY_HOST_LIGHT_H
#define ASSAY_HOST_LIGHT_H

#include <stddef.h>
#include <stdint.h>

#include "host/error.h"

struct light_planes {
    const void *plane[4]; /* of floats: R, G, B or grey, and alpha; NULL: none */
    ptrdiff_t stride[4];
    uint32_t width, height;
};

struct light {
    double largest, median; /* of luminance times alpha; the median is element n / 2 of n that are sorted, from 0 on */
    uint64_t negative;      /* samples of colours */
};

/* Samples that are not finite, and where the first one is in the first plane that has one. */
struct light_wild {
    uint64_t samples;
    uint32_t plane, x, y;
};

struct light_wild light_find_wild(const struct light_planes *p);

/* `matrix`: by rows, to light with the primaries of sRGB. All samples are finite. */
int light_measure(const struct light_planes *p, const double matrix[9], struct light *light, struct assay_error *e);

#endif
