/* SPDX-License-Identifier: BSD-2-Clause */
/* FLIP as its papers and reference program define it, in double. */
#ifndef ASSAY_TESTS_ORACLE_FLIP_H
#define ASSAY_TESTS_ORACLE_FLIP_H

#include "oracle.h"

/* The error of each pixel of two pictures in linear light, which is cut off at 0 and 1: a new image. */
void oracle_flip(struct oracle_image *map, const struct oracle_image ref[3], const struct oracle_image dis[3],
                 double ppd);

/* HDR-FLIP: the largest error of each pixel over `count` exposures of light of any range, at the tone mapper "aces",
 * "hable" or "reinhard", and which exposure has it, 0 to 1: new images. */
void oracle_flip_bright(struct oracle_image *map, struct oracle_image *exposure, const struct oracle_image ref[3],
                        const struct oracle_image dis[3], double ppd, const char *tone, double start, double stop,
                        int count);

/* The exposures of a picture's largest and median luminance. */
void oracle_flip_range(const struct oracle_image light[3], const char *tone, double *start, double *stop);

#endif
