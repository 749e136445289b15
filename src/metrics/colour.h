/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linear light with the primaries of sRGB from the samples of each side of a pair, and the options for it. Metrics of
 * colour share this. 1.0 is the white of SDR; PQ and HLG reach COLOUR_MOST, floats more.
 */
#ifndef ASSAY_METRICS_COLOUR_H
#define ASSAY_METRICS_COLOUR_H

#include "metrics/metric.h"

/* The brightest display, 10000 cd/m2, over the dimmest white, 80 cd/m2. */
enum { COLOUR_MOST = 125 };

/* Defaults: white, and the brightest light of a display, in cd/m2. */
enum { COLOUR_WHITE = 203, COLOUR_PEAK = 1000 };

/* The value of an option that leaves the choice to the tags of each side. */
enum { COLOUR_AUTO = -1 };

struct colour_options {
    int matrix, range, transfer, primaries, chroma, yuv_matrix;
    double white, peak;
};

/* The choices of the options, which hold for both sides, and the rows of an option table for a field that is a struct
 * colour_options. */
extern const struct metric_choice colour_matrices[], colour_ranges[], colour_transfers[],
    colour_primaries_known[], colour_sitings[];
#define COLOUR_TAG_OPTIONS(field) \
    CHOICE_OPTION(field.matrix, "matrix", COLOUR_AUTO, colour_matrices, "of Y'CbCr; auto: as tagged, else bt709"), \
    CHOICE_OPTION(field.range, "range", COLOUR_AUTO, colour_ranges, "auto: as tagged, else limited, for RGB full"), \
    CHOICE_OPTION(field.transfer, "transfer", COLOUR_AUTO, colour_transfers, \
                  "auto: as tagged (bt1886 for BT.709, BT.601 and BT.2020), else srgb, or bt1886 for video whose " \
                  "other side is tagged"), \
    CHOICE_OPTION(field.primaries, "primaries", COLOUR_AUTO, colour_primaries_known, "auto: as tagged, else bt709"), \
    CHOICE_OPTION(field.chroma, "chroma", COLOUR_AUTO, colour_sitings, \
                  "siting of 4:2:0 and 4:2:2; nearest: no filter; auto: as tagged, else left")
#define COLOUR_LIGHT_OPTIONS(field) \
    DOUBLE_OPTION(field.white, "white", COLOUR_WHITE, 80, 1000, "cd/m2 of white in PQ and HLG"), \
    DOUBLE_OPTION(field.peak, "peak", COLOUR_PEAK, 400, 10000, \
                  "cd/m2 of the display's brightest light: HLG is shown at it, PQ is cut off there")
#define COLOUR_OPTIONS(field) \
    COLOUR_TAG_OPTIONS(field), \
    INT_OPTION(field.yuv_matrix, "yuv_matrix", -1, -1, 3, "as in another implementation: 0 BT.709 limited, " \
               "1 BT.601 limited, 2 BT.709 full, 3 BT.601 full; -1: not used"), \
    COLOUR_LIGHT_OPTIONS(field)

/* Fails if the pair can't be brought to linear light; the error says why and begins with the metric's name. */
int colour_allows(const struct metric_pair *pair, const struct colour_options *o, const char *metric,
                  struct assay_error *e);

/* Gives linear light of one side as three stacked layers: 0 to 1, of PQ and HLG up to COLOUR_MOST, of floats up to 2^59
 * (kernels/light.h). A picture with alpha lies over a background: its code values
 * of 0 to 1 are blended with 0.1, number 0, or 0.9, number 1. */
enum { COLOUR_BACKGROUNDS = 2 };
int colour_linear(struct metric_build *b, enum graph_side side, const struct colour_options *o, unsigned background,
                  graph_plane *linear);

/* colour_linear over a background of the code value `grey`, 0 to 1. */
int colour_linear_over(struct metric_build *b, enum graph_side side, const struct colour_options *o, float grey,
                       graph_plane *linear);
/* How codes of a side, which is no picture of floats, become R'G'B' of 0 to 1: code * scale + offset, and of Y'CbCr at
 * these sitings chroma less `zero` times the factors added. */
struct colour_rgb {
    bool yuv;
    int sitings;
    float scale, offset, zero, red_cr, green_cb, green_cr, blue_cb;
};
struct colour_rgb colour_rgb_of(const struct metric_pair *pair, enum graph_side side, const struct colour_options *o);

/* Gives what a curve of the metric's own (CURVE_*, without parameters) makes of the codes of a side at an age, without
 * alpha: three stacked layers of 0 to 1, with the primaries of the codes. */
int colour_curve_light(struct metric_build *b, uint32_t age, enum graph_side side, const struct colour_options *o,
                       int curve, double gamma, graph_plane *light);

/* Gives XYB of linear light and that light at half the size, the layers of kernels/xyb.h. */
int colour_xyb(struct metric_build *b, enum graph_side side, const struct colour_options *o, unsigned background,
               graph_plane *layers);

/* Notes the assumptions about sides without tags and options, and the tags in which the sides differ. */
void colour_note(struct metric_build *b, const struct colour_options *o);

/* The options of a metric that has COLOUR_TAG_OPTIONS alone, with the defaults of the others. */
struct colour_options colour_by_tags(const struct colour_options *o);

/* Whether a side is PQ or HLG. */
bool colour_is_hdr(const struct metric_pair *pair, const struct colour_options *o);

/* The largest light that the pair can hold: 1, or more for PQ and HLG. */
double colour_largest(const struct metric_pair *pair, const struct colour_options *o);

#endif
