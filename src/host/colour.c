/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/colour.h"

#include <stdio.h>
#include <string.h>

enum { BY_PARAMETERS = 255 }; /* in assay_format: stated by parameters, not by a code of H.273 */

const char *const colour_matrix_name[MATRICES] = {"bt709", "bt601", "bt2020", "fcc", "smpte240m"};
static const char *const transfer_name[TRANSFERS] = {"srgb", "bt1886", "linear", "gamma22", "gamma26", "gamma28",
                                                     "st428", "pq", "hlg", "gamma", "curve"};
const char *const colour_primaries_name[PRIMARIES] = {"bt709", "bt470m", "bt601-625", "bt601-525", "film", "bt2020",
                                                      "xyz", "p3-dci", "p3", "ebu3213", "matrix"};
const char *const colour_kind_name[COLOUR_KINDS] = {"matrix", "range", "transfer", "primaries", "chroma siting"};

static const char *const range_name[] = {"untagged", "limited", "full"};
static const char *const siting_name[] = {"untagged", "left", "center", "topleft", "top", "bottomleft", "bottom"};
const char *const *const colour_value_name[COLOUR_KINDS] = {colour_matrix_name, range_name, transfer_name,
                                                            colour_primaries_name, siting_name};

/* ITU-R BT.709, BT.601, BT.2020, FCC 73.682, SMPTE ST 240. */
const double colour_luma[MATRICES][2] = {
    {0.2126, 0.0722}, {0.299, 0.114}, {0.2627, 0.0593}, {0.30, 0.11}, {0.212, 0.087}};

/* H.273, table 2. */
const struct primaries colour_chromaticities[PRIMARIES_MATRIX] = {
    [PRIMARIES_709] = {{{0.64, 0.33}, {0.30, 0.60}, {0.15, 0.06}, {0.3127, 0.3290}}},
    [PRIMARIES_470M] = {{{0.67, 0.33}, {0.21, 0.71}, {0.14, 0.08}, {0.310, 0.316}}},
    [PRIMARIES_625] = {{{0.64, 0.33}, {0.29, 0.60}, {0.15, 0.06}, {0.3127, 0.3290}}},
    [PRIMARIES_525] = {{{0.630, 0.340}, {0.310, 0.595}, {0.155, 0.070}, {0.3127, 0.3290}}},
    [PRIMARIES_FILM] = {{{0.681, 0.319}, {0.243, 0.692}, {0.145, 0.049}, {0.310, 0.316}}},
    [PRIMARIES_2020] = {{{0.708, 0.292}, {0.170, 0.797}, {0.131, 0.046}, {0.3127, 0.3290}}},
    [PRIMARIES_XYZ] = {{{1.0, 0.0}, {0.0, 1.0}, {0.0, 0.0}, {1.0 / 3.0, 1.0 / 3.0}}},
    [PRIMARIES_DCI] = {{{0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}, {0.314, 0.351}}},
    [PRIMARIES_P3] = {{{0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}, {0.3127, 0.3290}}},
    [PRIMARIES_EBU] = {{{0.630, 0.340}, {0.295, 0.605}, {0.155, 0.077}, {0.3127, 0.3290}}},
};

static const double zeros[9];

static bool same_values(const double *a, const double *b, size_t n)
{
    while (n && a[n - 1] == b[n - 1])
        n--;
    return !n;
}

static bool is_grey(const assay_format *f)
{
    return f->layout == ASSAY_LAYOUT_400;
}

/* By code of H.273. Kr and Kb do not define the other matrices: YCgCo, constant luminance, ICtCp. */
enum { NONE = COLOUR_UNTAGGED, ODD = COLOUR_UNKNOWN };
static const signed char of_matrices[] = {NONE, MATRIX_709, NONE, NONE, MATRIX_FCC, MATRIX_601, MATRIX_601, MATRIX_240,
                                          ODD, MATRIX_2020};
static const signed char of_transfers[] = {
    NONE, TRANSFER_1886, NONE, NONE, TRANSFER_22, TRANSFER_28, TRANSFER_1886, TRANSFER_1886, TRANSFER_LINEAR, ODD, ODD,
    TRANSFER_1886, ODD, TRANSFER_SRGB, TRANSFER_1886, TRANSFER_1886, TRANSFER_PQ, TRANSFER_ST428, TRANSFER_HLG};
static const signed char of_primaries[] = {
    NONE, PRIMARIES_709, NONE, NONE, PRIMARIES_470M, PRIMARIES_625, PRIMARIES_525, PRIMARIES_525, PRIMARIES_FILM,
    PRIMARIES_2020, PRIMARIES_XYZ, PRIMARIES_DCI, PRIMARIES_P3, ODD, ODD, ODD, ODD, ODD, ODD, ODD, ODD, ODD,
    PRIMARIES_EBU};
#define OF_CODE(table, code) ((code) < sizeof (table) ? (table)[code] : COLOUR_UNKNOWN)

int colour_matrix(const assay_format *f)
{
    return f->layout == ASSAY_LAYOUT_RGB || is_grey(f) ? COLOUR_UNTAGGED : OF_CODE(of_matrices, f->matrix);
}

int colour_range(const assay_format *f)
{
    return f->range ? (int)f->range : f->layout == ASSAY_LAYOUT_RGB ? ASSAY_RANGE_FULL : COLOUR_UNTAGGED;
}

int colour_transfer(const assay_format *f)
{
    if (f->transfer == BY_PARAMETERS)
        return f->gamma ? TRANSFER_GAMMA : same_values(f->curve, zeros, 7) ? COLOUR_UNKNOWN : TRANSFER_CURVE;
    return OF_CODE(of_transfers, f->transfer);
}

int colour_primaries(const assay_format *f)
{
    if (f->primaries == BY_PARAMETERS && !is_grey(f))
        return same_values(f->to_bt709, zeros, 9) ? COLOUR_UNKNOWN : PRIMARIES_MATRIX;
    return is_grey(f) ? COLOUR_UNTAGGED : OF_CODE(of_primaries, f->primaries);
}

int colour_meaning(const assay_format *f, enum colour_kind kind)
{
    switch (kind) {
    case COLOUR_MATRIX: return colour_matrix(f);
    case COLOUR_RANGE: return colour_range(f);
    case COLOUR_TRANSFER: return colour_transfer(f);
    case COLOUR_PRIMARIES: return colour_primaries(f);
    default: return f->chroma_location ? (int)f->chroma_location : COLOUR_UNTAGGED;
    }
}

static uint32_t number(const assay_format *f, enum colour_kind kind)
{
    return kind == COLOUR_MATRIX ? f->matrix : kind == COLOUR_TRANSFER ? f->transfer : f->primaries;
}

bool colour_has(const assay_format *f, enum colour_kind kind)
{
    return kind == COLOUR_SITING      ? f->layout == ASSAY_LAYOUT_420 || f->layout == ASSAY_LAYOUT_422
           : kind == COLOUR_MATRIX    ? f->layout != ASSAY_LAYOUT_RGB && !is_grey(f)
           : kind == COLOUR_PRIMARIES ? !is_grey(f)
                                      : true;
}

bool colour_tagged(const assay_format *f, enum colour_kind kind)
{
    return colour_has(f, kind) && colour_meaning(f, kind) != COLOUR_UNTAGGED;
}

bool colour_differs(const assay_format *a, const assay_format *b, enum colour_kind kind)
{
    if (!colour_tagged(a, kind) || !colour_tagged(b, kind))
        return false;
    const int of_a = colour_meaning(a, kind);
    if (of_a != colour_meaning(b, kind))
        return true;
    if (of_a == COLOUR_UNKNOWN)
        return number(a, kind) != number(b, kind);
    if (kind == COLOUR_TRANSFER)
        return of_a == TRANSFER_GAMMA   ? a->gamma != b->gamma
               : of_a == TRANSFER_CURVE ? !same_values(a->curve, b->curve, 7)
                                        : false;
    return kind == COLOUR_PRIMARIES && of_a == PRIMARIES_MATRIX && !same_values(a->to_bt709, b->to_bt709, 9);
}

const char *colour_name(const assay_format *f, enum colour_kind kind, char text[COLOUR_NAME])
{
    const int value = colour_meaning(f, kind);
    if (!colour_tagged(f, kind))
        return "untagged";
    if (value == COLOUR_UNKNOWN) {
        snprintf(text, COLOUR_NAME, "number %u", number(f, kind));
        return number(f, kind) == BY_PARAMETERS ? "unknown" : text;
    }
    if (kind == COLOUR_TRANSFER && value == TRANSFER_GAMMA) {
        snprintf(text, COLOUR_NAME, "gamma %u.%02u", 100000 / f->gamma, 10000000 / f->gamma % 100);
        return text;
    }
    return colour_value_name[kind][value];
}

int colour_to_bt709(const assay_format *f, double matrix[9], struct assay_error *e)
{
    const int primaries = f ? colour_primaries(f) : COLOUR_UNTAGGED;
    if (primaries == COLOUR_UNKNOWN)
        return assay_fail(e, ASSAY_EUSAGE, "the primaries of the picture are not known");
    double sum = 0.0; /* of the positive elements of a row */
    for (unsigned i = 0; primaries == PRIMARIES_MATRIX && i < 9; i++) {
        const double v = f->to_bt709[i];
        sum = (i % 3 ? sum : 0.0) + (v > 0.0 ? v : 0.0);
        if (!(v >= -8.0 && v <= 8.0 && sum <= 8.0))
            return assay_fail(e, ASSAY_EUSAGE, "the to_bt709 of the picture is out of its range");
    }
    if (primaries == PRIMARIES_MATRIX)
        memcpy(matrix, f->to_bt709, 9 * sizeof *matrix);
    else
        primaries_to_bt709(&colour_chromaticities[primaries < 0 ? PRIMARIES_709 : primaries], matrix);
    return ASSAY_OK;
}
