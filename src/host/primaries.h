/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matrices, by rows, from linear light of given primaries to linear light with those of BT.709 (sRGB) and D65. Where
 * the white is another one it is adapted by Bradford's method, as ICC.1 does. Elements are within 1e-14 of their
 * definition and have the same bits on every machine: + - * / in double.
 */
#ifndef ASSAY_HOST_PRIMARIES_H
#define ASSAY_HOST_PRIMARIES_H

#include <stdbool.h>

/* Chromaticities x, y of red, green, blue and white. */
struct primaries {
    double xy[4][2];
};

/* False where the chromaticities span no space of colours: a white whose y is not above 0, or three on a line. */
bool primaries_to_bt709(const struct primaries *p, double matrix[9]);

/* Of a profile (ICC.1): columns are X, Y, Z of red, green and blue in the profile connection space, whose white is
 * D50. */
void primaries_of_profile(const double to_d50[9], double matrix[9]);

#endif
