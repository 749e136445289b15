/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libassay for pictures of floats in the host's memory: their figures, mean squared error, largest difference and
 * pixels that differ, by the kernels that compare images on a GPU (assay/gpu.h), codes of 16 bits for the metrics of
 * assay.h, and their light, for those of its metrics that take floats. Errors and fields called `reserved` are as in
 * assay.h.
 */
#ifndef ASSAY_FLOATS_H
#define ASSAY_FLOATS_H

#include <assay/assay.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Figures of one channel. Formats of 8 to 16 bits, linear or sRGB, are compared by their codes, as integers and
 * exactly: mse is in squared codes, and psnr takes 2^bits - 1 as the peak. Halves are compared exactly. Floats are
 * subtracted in float; a difference below 2^17 takes part in mse in whole units of 2^-39; a larger one, a NaN and an
 * infinity are left out and counted. mse is NaN where nothing took part and where the images have no such channel.
 */
typedef struct assay_channel_figures {
    double mse;
    double psnr;           /* in dB; infinite when mse is 0 */
    double max_difference; /* in codes; of floats rounded to a float, below 2^-100 it counts as 0 */
    uint32_t max_x, max_y; /* the first pixel in raster order that has it, from the corner of the rectangle */
    uint64_t left_out;     /* texels that took no part in mse */
} assay_channel_figures;

typedef struct assay_image_figures {
    assay_channel_figures channel[4]; /* R, G, B, A */
    double mse, psnr;                 /* over R, G and B, as far as the images have them, without alpha */
    double mse_all, psnr_all;         /* over all channels; NaN where alpha has another number of bits */
    double max_difference;            /* over R, G and B */
    uint32_t max_x, max_y, max_channel; /* where that is; max_channel is an index into `channel` */
    uint32_t channels;                /* that the images have: 1 R, 2 G, 4 B, 8 A, added */
    uint64_t pixels;
    uint64_t differing;               /* pixels whose R, G or B differs; 0 and -0 are equal, and so are two NaN */
    uint64_t differing_alpha;         /* pixels whose alpha differs */
    uint64_t differing_all;           /* pixels that differ in any channel */
    uint64_t not_finite;              /* pixels with a NaN or an infinity in any channel of either image */
    uint64_t outside;                 /* pixels with a finite difference of 2^17 or more in any channel, of floats */
    uint64_t reserved[8];
} assay_image_figures;

/* Planes of floats, R, G, B and A; grey is in R alone. NULL: the picture has no such channel. It has R, or R, G and B;
 * A only beside R, G and B. */
typedef struct assay_float_image {
    const float *plane[4];
    ptrdiff_t stride[4]; /* bytes from the start of a row to the start of the next one */
    uint32_t width, height;
    uint32_t reserved[8];
} assay_float_image;

/*
 * Compares two pictures of one size with the same channels, and fills in *figures as assay_gpu_compare does for images
 * of floats. `config` names the backend, device, threads and instruction set, as for a session; its other fields are
 * not looked at. A `config` of NULL stands for the CPU, and so does the backend "auto". `peak` is that of psnr, as in
 * assay_gpu_options (assay/gpu.h). Fails with ASSAY_EMISMATCH for pictures that can't be compared, ASSAY_EUSAGE,
 * ASSAY_EDEVICE.
 */
ASSAY_API int assay_floats_compare(const assay_config *config, const assay_float_image *reference,
                                   const assay_float_image *distorted, double peak, assay_image_figures *figures,
                                   char *error, size_t error_size);

/*
 * Writes the codes of 16 bits that a session of texels makes of floats (assay/gpu.h), for metrics: the float product
 * v * 65535 to the nearest integer, halves up. `plane` and `stride` (in bytes, as in assay_picture) are of the channels
 * that the picture has; each has its width and height. A value below 0, above 1 or not finite has no code: 0 is
 * written, and *without_code says how many values there are.
 */
ASSAY_API int assay_floats_to_codes(const assay_config *config, const assay_float_image *image,
                                    uint16_t *const plane[4], const ptrdiff_t stride[4], uint64_t *without_code,
                                    char *error, size_t error_size);

/* What a picture of floats is like that metrics of light score (ASSAY_DEPTH_FLOAT of assay.h). */
typedef struct assay_float_light {
    double largest, median;  /* of luminance, 0.2126 R + 0.7152 G + 0.0722 B of light with the primaries of BT.709, over
                              * black where the picture has alpha. Of n values that are sorted, the median is number
                              * n / 2, rounded down, from 0 on. 0 where samples are not finite */
    uint64_t negative;       /* samples of colours below 0, which count as 0 */
    uint64_t not_finite;     /* samples that are no number: such a picture is refused */
    uint32_t channel, x, y;  /* of the first of these, in the first channel that has one */
    uint32_t reserved[7];
} assay_float_light;

/*
 * Measures the light of a picture. Of `format` the primaries count; NULL: they are BT.709's. A session on such pictures
 * has a format with a bit_depth of ASSAY_DEPTH_FLOAT, a transfer of 8, and of the reference the largest and the median
 * light from here; its pictures have float samples, as the assay_float_image has them, alpha straight.
 */
ASSAY_API int assay_floats_light(const assay_float_image *image, const assay_format *format, assay_float_light *light,
                                 char *error, size_t error_size);

#ifdef __cplusplus
}
#endif
#endif
