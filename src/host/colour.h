/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The colour of a format. Code points of ITU-T H.273 are mapped to their meaning; some code points mean the same.
 * Metrics convert colours by this, and the command compares the tags of two inputs by it.
 */
#ifndef ASSAY_HOST_COLOUR_H
#define ASSAY_HOST_COLOUR_H

#include <assay/assay.h>
#include <stdbool.h>

#include "host/error.h"
#include "host/primaries.h"

enum { COLOUR_UNTAGGED = -1, COLOUR_UNKNOWN = -2 };

enum colour_matrix { MATRIX_709, MATRIX_601, MATRIX_2020, MATRIX_FCC, MATRIX_240, MATRICES };

/* TRANSFER_1886: BT.1886 with a black level of 0, which is a power of 2.4. BT.709, BT.601, BT.2020, SMPTE 240M and
 * xvYCC are shown with it. */
enum colour_transfer { TRANSFER_SRGB, TRANSFER_1886, TRANSFER_LINEAR, TRANSFER_22, TRANSFER_26, TRANSFER_28,
                       TRANSFER_ST428, TRANSFER_PQ, TRANSFER_HLG, TRANSFER_GAMMA, TRANSFER_CURVE, TRANSFERS };

enum colour_primaries { PRIMARIES_709, PRIMARIES_470M, PRIMARIES_625, PRIMARIES_525, PRIMARIES_FILM, PRIMARIES_2020,
                        PRIMARIES_XYZ, PRIMARIES_DCI, PRIMARIES_P3, PRIMARIES_EBU, PRIMARIES_MATRIX, PRIMARIES };

/* Names in options of metrics and in messages. TRANSFER_GAMMA, TRANSFER_CURVE and PRIMARIES_MATRIX are given by
 * parameters of the format. */
extern const char *const colour_matrix_name[MATRICES], *const colour_primaries_name[PRIMARIES];

/* Kr and Kb of each matrix; the chromaticities of each set of primaries. */
extern const double colour_luma[MATRICES][2];
extern const struct primaries colour_chromaticities[PRIMARIES_MATRIX];

/* What a format is tagged with, or COLOUR_UNTAGGED. COLOUR_UNKNOWN: a code point or parameters that assay does not
 * know. */
int colour_matrix(const assay_format *f);       /* enum colour_matrix. RGB and grey have none: COLOUR_UNTAGGED */
int colour_range(const assay_format *f);        /* assay_range. RGB without a tag is ASSAY_RANGE_FULL */
int colour_transfer(const assay_format *f);     /* enum colour_transfer */
int colour_primaries(const assay_format *f);    /* enum colour_primaries. Grey has none */

/* The matrix, by rows, to linear light with the primaries of BT.709. Untagged ones, and those of NULL, are these. Fails
 * where they are unknown, or out of their range. */
int colour_to_bt709(const assay_format *f, double matrix[9], struct assay_error *e);

/* The kinds of tags. COLOUR_SITING is the position of chroma samples in 4:2:0 and 4:2:2. */
enum colour_kind { COLOUR_MATRIX, COLOUR_RANGE, COLOUR_TRANSFER, COLOUR_PRIMARIES, COLOUR_SITING, COLOUR_KINDS };
extern const char *const colour_kind_name[COLOUR_KINDS], *const *const colour_value_name[COLOUR_KINDS];

/* The value of the function above for this kind; of COLOUR_SITING the assay_chroma_location, or COLOUR_UNTAGGED. */
int colour_meaning(const assay_format *f, enum colour_kind kind);

/* colour_has: whether formats of this layout have the property. colour_tagged: whether the format is tagged with it. */
bool colour_has(const assay_format *f, enum colour_kind kind);
bool colour_tagged(const assay_format *f, enum colour_kind kind);

/* Whether both sides have the property, are tagged, and mean different things. */
bool colour_differs(const assay_format *a, const assay_format *b, enum colour_kind kind);

/* The name of a tag's value: "bt709", "number 8", "gamma 2.2", "untagged". */
enum { COLOUR_NAME = 32 };
const char *colour_name(const assay_format *f, enum colour_kind kind, char text[COLOUR_NAME]);

#endif
