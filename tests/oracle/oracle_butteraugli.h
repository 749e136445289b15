/* SPDX-License-Identifier: BSD-2-Clause */
/* Butteraugli as libjxl's code defines it, in double. */
#ifndef ASSAY_TESTS_ORACLE_BUTTERAUGLI_H
#define ASSAY_TESTS_ORACLE_BUTTERAUGLI_H

#include "oracle.h"

struct oracle_butteraugli_options {
    double target, asymmetry, xmul;
};

/* The map of two pictures in linear light: a new image. */
void oracle_butteraugli(struct oracle_image *map, const struct oracle_image ref[3], const struct oracle_image dis[3],
                        const struct oracle_butteraugli_options *options);

/* (the mean of v^q)^(1/q) of a map, and the mean of the norms p, 2 p, 4 p. */
double oracle_butteraugli_norm(const struct oracle_image *map, double q);
double oracle_butteraugli_pnorm(const struct oracle_image *map, double p);

#endif
