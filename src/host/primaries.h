/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matrices, by rows, from linear light of given primaries to linear light with the primaries of BT.709 (sRGB) and D65.
 * Another white is adapted by Bradford's method, as in ICC.1. Elements are within 1e-14 of their definition. They have
 * the same bits on every machine, because only + - * / in double are used.
 */
#ifndef ASSAY_HOST_PRIMARIES_H
#define ASSAY_HOST_PRIMARIES_H

#include <stdbool.h>

/* Chromaticities x, y of red, green, blue and white. */
struct primaries {
    double xy[4][2];
};

/* False where the chromaticities define no colour space: the white's y is not above 0, or the primaries are on a
 * line. */
bool primaries_to_bt709(const struct primaries *p, double matrix[9]);

/* The matrix for an ICC profile (ICC.1). The columns of `to_d50` are X, Y, Z of red, green and blue in the profile
 * connection space, whose white is D50. */
void primaries_of_profile(const double to_d50[9], double matrix[9]);

/* The other way: chromaticities, under D65, whose matrix to BT.709's is this one. False: a primary has none. */
bool primaries_of_matrix(const double to_bt709[9], struct primaries *p);

#endif
