/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of two images of packed texels, once more: plain loops over decoded channels and 128-bit integers. */
#ifndef ASSAY_TESTS_GPU_TEXEL_ORACLE_H
#define ASSAY_TESTS_GPU_TEXEL_ORACLE_H

#include <assay/gpu.h>

#include "images/formats.h"

/* An image in host memory: rows follow each other. */
struct host_image {
    const struct texel_format *format;
    uint32_t width, height;
    unsigned char *texels;
};

enum texel_pattern {
    TEXELS_RANDOM,    /* any bits */
    TEXELS_NEAR,      /* the distorted image differs in few texels, by little */
    TEXELS_EQUAL,
    TEXELS_FAR,       /* all codes 0 against the largest; floats of every size */
    TEXEL_PATTERNS
};

/* Fills both images of a pair whose formats have the same channels; ends the program when there is no memory. */
void texels_make(struct host_image image[2], const struct texel_format *reference, const struct texel_format *distorted,
                 uint32_t width, uint32_t height, enum texel_pattern pattern, uint32_t seed);
void texels_free(struct host_image image[2]);

/* Makes every value of two images of halves or floats one from 0 to 1, minus zero among them. */
void texels_make_parts(struct host_image image[2], uint32_t seed);

/* The bits of a channel of a texel, and others in their place. */
uint32_t texels_field(const struct host_image *image, uint32_t x, uint32_t y, unsigned channel);
void texels_set_field(struct host_image *image, uint32_t x, uint32_t y, unsigned channel, uint32_t value);

/* A channel's value as a float; codes as they are. */
float texels_value(const struct texel_format *f, unsigned channel, uint32_t field);

/* The figures of the rectangles of w x h at (x[side], y[side]). */
void texels_expect(const struct host_image image[2], const uint32_t x[2], const uint32_t y[2], uint32_t w, uint32_t h,
                   double peak, assay_image_figures *figures);

/* Whether all figures have the same bits (any NaN is a NaN); says on stderr where not, unless `what` is NULL. */
bool figures_same(const assay_image_figures *expected, const assay_image_figures *got, const char *what);

#endif
