/* SPDX-License-Identifier: BSD-2-Clause */
/* CIEDE2000 colour difference, averaged over the picture, in dB. Definitions: docs/metrics/ciede2000.md. */
#include <stdio.h>
#include <string.h>

#include "host/colour.h"
#include "host/exact_math.h"
#include "host/text.h"
#include "metrics/metric.h"

struct ciede2000_options {
    int matrix, range;
};

struct ciede2000_state {
    struct ciede_at differences;
    double pixels;
};

enum { TAGGED = -1 };
static const struct metric_choice ciede2000_matrices[] = {
    {"bt709", MATRIX_709}, {"bt601", MATRIX_601}, {"bt2020", MATRIX_2020}, {"tagged", TAGGED}, {NULL, 0},
};
static const struct metric_choice ciede2000_ranges[] = {
    {"limited", ASSAY_RANGE_LIMITED}, {"full", ASSAY_RANGE_FULL}, {"tagged", TAGGED}, {NULL, 0},
};

#define OPTIONS struct ciede2000_options
static const struct metric_option options[] = {
    CHOICE_OPTION(matrix, "matrix", MATRIX_709, ciede2000_matrices,
                  "of Y'CbCr; libvmaf takes all for bt709; tagged: as tagged, else bt709"),
    CHOICE_OPTION(range, "range", ASSAY_RANGE_LIMITED, ciede2000_ranges,
                  "of Y'CbCr; libvmaf takes all for limited; tagged: as tagged, else limited (RGB: as tagged, else full)"),
};

static const struct metric_output outputs[] = {{"ciede2000", "always", ASSAY_HIGHER}};

static bool ciede2000_is_rgb(const struct metric_pair *pair)
{
    return pair->format.layout == ASSAY_LAYOUT_RGB;
}

/* The matrix of a side; COLOUR_UNKNOWN: the option asks for that of a tag that nobody knows. */
static int ciede2000_matrix(const struct metric_pair *pair, enum graph_side side, const struct ciede2000_options *o)
{
    if (o->matrix != TAGGED)
        return o->matrix;
    const int tag = colour_matrix(&pair->side[side]);
    return tag == COLOUR_UNTAGGED ? MATRIX_709 : tag;
}

static bool ciede2000_is_full(const struct metric_pair *pair, enum graph_side side, const struct ciede2000_options *o)
{
    if (o->range != TAGGED && !ciede2000_is_rgb(pair))
        return o->range == ASSAY_RANGE_FULL;
    return colour_range(&pair->side[side]) == ASSAY_RANGE_FULL;
}

static int ciede2000_allows(const struct metric_pair *pair, const void *options_, struct assay_error *e)
{
    const struct ciede2000_options *o = options_;
    const assay_layout layout = pair->format.layout;
    if (layout == ASSAY_LAYOUT_400 || layout == ASSAY_LAYOUT_411)
        return assay_fail(e, ASSAY_EUSAGE, "ciede2000 takes 4:2:0, 4:2:2, 4:4:4 and RGB, not %s",
                          layout == ASSAY_LAYOUT_400 ? "4:0:0, which has no colour" : "4:1:1");
    for (unsigned side = 0; side < 2 && !ciede2000_is_rgb(pair); side++)
        if (ciede2000_matrix(pair, side, o) == COLOUR_UNKNOWN)
            return assay_fail(e, ASSAY_EUSAGE, "ciede2000 does not know the matrix %u of the %s picture "
                              "(matrix=bt709 takes it as BT.709's)", pair->side[side].matrix,
                              side ? "distorted" : "reference");
    return ASSAY_OK;
}

/* ---- notes ------------------------------------------------------------------------------------------------------- */

enum { TEXT = 200 };

/* Adds a tag of a side, if it says something else than what the side is taken for. */
static void ciede2000_add_tag(const assay_format *f, enum colour_kind kind, bool other, char text[TEXT])
{
    char name[COLOUR_NAME];
    if (other && colour_tagged(f, kind))
        text_append(text, TEXT, "%s%s %s", *text ? ", " : "", colour_kind_name[kind], colour_name(f, kind, name));
}

/* The tags of a side that are passed over: "matrix bt601, transfer pq". */
static void ciede2000_passed_over(const struct metric_pair *pair, enum graph_side side,
                                  const struct ciede2000_options *o, char text[TEXT])
{
    const assay_format *f = &pair->side[side];
    const int transfer = colour_transfer(f);
    *text = 0;
    ciede2000_add_tag(f, COLOUR_MATRIX, colour_matrix(f) != ciede2000_matrix(pair, side, o), text);
    ciede2000_add_tag(f, COLOUR_RANGE, (colour_range(f) == ASSAY_RANGE_FULL) != ciede2000_is_full(pair, side, o), text);
    ciede2000_add_tag(f, COLOUR_TRANSFER, transfer != TRANSFER_SRGB && transfer != TRANSFER_1886, text);
    ciede2000_add_tag(f, COLOUR_PRIMARIES, colour_primaries(f) != PRIMARIES_709, text);
}

static void ciede2000_note(struct metric_build *b)
{
    const struct ciede2000_options *o = b->metric->options;
    char text[2][TEXT], taken[64] = "sRGB";
    for (unsigned side = 0; side < 2; side++)
        ciede2000_passed_over(b->pair, side, o, text[side]);
    if (!ciede2000_is_rgb(b->pair))
        snprintf(taken, sizeof taken, "%s of %s range",
                 colour_matrix_name[ciede2000_matrix(b->pair, *text[0] ? SIDE_REF : SIDE_DIS, o)],
                 ciede2000_is_full(b->pair, *text[0] ? SIDE_REF : SIDE_DIS, o) ? "full" : "limited");
    if (*text[0] && !strcmp(text[0], text[1]))
        metric_note(b, "taken as %s, although tagged %s", taken, text[0]);
    else if (*text[0] || *text[1])
        metric_note(b, "taken as %s, although tagged: reference %s; distorted %s", taken,
                    *text[0] ? text[0] : "nothing else", *text[1] ? text[1] : "nothing else");
}

/* ---- passes ------------------------------------------------------------------------------------------------------ */

/* The kernel's factors hold 1 / 1.055 of the transfer function. */
static const double slope = 1000.0 / 1055.0;

static int ciede2000_lab_rgb(struct metric_build *b, enum graph_side side, const graph_plane plane[3], graph_plane *lab)
{
    const bool full = ciede2000_is_full(b->pair, side, b->metric->options);
    const uint32_t step = 1u << (b->pair->format.bit_depth - 8);
    const double span = full ? 256.0 * step - 1.0 : 219.0 * step;
    return ciede_lab_rgb_add(b->graph,
                             PASS(ciede_lab_rgb, .red = plane[0], .green = plane[1], .blue = plane[2],
                                  .zero = full ? 0 : (int32_t)(16 * step), .factor = (float)(slope / span)),
                             lab, b->error);
}

/* libvmaf's coefficients are those of analogue U and V, which reach 0.436 and 0.615: for BT.709 1.28033 V, 0.21482 U +
 * 0.38059 V and 2.12798 U. They are applied to Cb and Cr of -0.5 to 0.5. This is part of the definition. Other matrices
 * get theirs by the same rule, and BT.709 the five decimals of libvmaf. */
static int ciede2000_lab_yuv(struct metric_build *b, enum graph_side side, const graph_plane plane[3], graph_plane *lab)
{
    const struct ciede2000_options *o = b->metric->options;
    const assay_layout layout = b->pair->format.layout;
    const int matrix = ciede2000_matrix(b->pair, side, o);
    const bool full = ciede2000_is_full(b->pair, side, o), is_709 = matrix == MATRIX_709;
    const int32_t step = 1 << (b->pair->format.bit_depth - 8);
    const double kr = colour_luma[matrix][0], kb = colour_luma[matrix][1], kg = 1.0 - kr - kb;
    const double red_v = is_709 ? 1.28033 : (1.0 - kr) / 0.615, blue_u = is_709 ? 2.12798 : (1.0 - kb) / 0.436;
    const double green_u = is_709 ? 0.21482 : blue_u * kb / kg, green_v = is_709 ? 0.38059 : red_v * kr / kg;
    const double whole = 256.0 * step - 1.0, chroma = slope / (full ? whole : 224.0 * step);
    return ciede_lab_add(b->graph,
                         PASS(ciede_lab, .luma = plane[0], .cb = plane[1], .cr = plane[2],
                              .half_x = layout != ASSAY_LAYOUT_444, .half_y = layout == ASSAY_LAYOUT_420,
                              .zero = full ? 0 : 16 * step, .chroma_zero = 128 * step,
                              .factor = (float)(slope / (full ? whole : 219.0 * step)),
                              .red_cr = (float)(red_v * chroma), .green_cb = (float)(-green_u * chroma),
                              .green_cr = (float)(-green_v * chroma), .blue_cb = (float)(blue_u * chroma)),
                         lab, b->error);
}

static int ciede2000_build(struct metric_build *b)
{
    struct ciede2000_state *s = b->metric->state;
    graph_plane lab[2];
    for (unsigned side = 0; side < 2; side++) {
        graph_plane plane[3];
        for (uint32_t c = 0; c < 3; c++)
            TRY(metric_plane(b, side, c, &plane[c]));
        TRY(ciede2000_is_rgb(b->pair) ? ciede2000_lab_rgb(b, side, plane, &lab[side])
                                      : ciede2000_lab_yuv(b, side, plane, &lab[side]));
    }
    ciede2000_note(b);
    s->pixels = (double)b->pair->format.width * b->pair->format.height;
    const struct ciede_pass pass = PASS_GRID(ciede, b->pair->format.width, b->pair->format.height, .ref = lab[0],
                                             .dis = lab[1]);
    TRY(ciede_add(b->graph, pass, &s->differences, b->error));
    return metric_add_key(b, outputs, "ciede2000");
}

/* Of pictures that are equal the difference is 0 and the score infinite. */
static void ciede2000_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct ciede2000_state *s = m->state;
    const struct ciede_totals sums = ciede_totals(s->differences, totals);
    values[0] = 45.0 - 20.0 * assay_log10(METRIC_JOIN(sums.difference, CIEDE_SCALE) / s->pixels);
    (void)accumulators;
}

const struct metric_ops metric_ciede2000 = {
    .name = "ciede2000", .alias = "ciede",
    .summary = "mean CIEDE2000 colour difference, in dB",
    METRIC_PARTS(ciede2000, options, outputs),
    .allows = ciede2000_allows, .build = ciede2000_build, .frame = ciede2000_frame,
};
