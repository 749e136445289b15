/* SPDX-License-Identifier: BSD-2-Clause */
/* FLIP as its papers and reference program define it, in double. */
#ifndef ASSAY_TESTS_ORACLE_FLIP_H
#define ASSAY_TESTS_ORACLE_FLIP_H

#include "oracle.h"

/* The error of each pixel of two pictures in linear light, which is cut off at 0 and 1: a new image. */
void oracle_flip(struct oracle_image *map, const struct oracle_image ref[3], const struct oracle_image dis[3],
                 double ppd);

#endif
