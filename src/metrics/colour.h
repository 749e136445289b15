/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the samples of a pair to linear light with the primaries of sRGB: the part that metrics in colour share, with its options.
 * 1.0 is the white of SDR; PQ and HLG reach COLOUR_MOST.
 */
#ifndef ASSAY_METRICS_COLOUR_H
#define ASSAY_METRICS_COLOUR_H

#include <stddef.h>

#include "metrics/metric.h"

/* The brightest display, 10000 cd/m2, over the dimmest white, 80 cd/m2. */
enum { COLOUR_MOST = 125 };

struct colour_options {
    int matrix, range, transfer, primaries, chroma, yuv_matrix;
    double white, peak;
};

/* The rows of an option table for a member of type struct colour_options. */
#define COLOUR_AT(type, member, field) (offsetof(type, member) + offsetof(struct colour_options, field))
#define COLOUR_OPTIONS(type, member) \
    {"matrix", NULL, OPTION_CHOICE, COLOUR_AT(type, member, matrix), 0, 0, 3, false, \
     "auto|bt709|bt601|bt2020: of Y'CbCr; auto: as tagged, else bt709"}, \
    {"range", NULL, OPTION_CHOICE, COLOUR_AT(type, member, range), 0, 0, 2, false, \
     "auto|limited|full: auto: as tagged, else limited, for RGB full"}, \
    {"transfer", NULL, OPTION_CHOICE, COLOUR_AT(type, member, transfer), 0, 0, 7, false, \
     "auto|srgb|bt1886|linear|gamma22|gamma28|pq|hlg: auto: as tagged (bt1886 for BT.709, BT.601 and BT.2020), else srgb"}, \
    {"primaries", NULL, OPTION_CHOICE, COLOUR_AT(type, member, primaries), 0, 0, 5, false, \
     "auto|bt709|bt601-625|bt601-525|bt2020|p3: auto: as tagged, else bt709"}, \
    {"chroma", NULL, OPTION_CHOICE, COLOUR_AT(type, member, chroma), 0, 0, 7, false, \
     "auto|nearest|left|center|topleft|top|bottomleft|bottom: siting of 4:2:0 and 4:2:2; nearest: no filter; auto: as tagged, else left"}, \
    {"yuv_matrix", NULL, OPTION_INT, COLOUR_AT(type, member, yuv_matrix), -1, -1, 3, false, \
     "as in another implementation: 0 BT.709 limited, 1 BT.601 limited, 2 BT.709 full, 3 BT.601 full; -1: not used"}, \
    {"white", NULL, OPTION_DOUBLE, COLOUR_AT(type, member, white), 203, 80, 1000, false, "cd/m2 of white in PQ and HLG"}, \
    {"peak", NULL, OPTION_DOUBLE, COLOUR_AT(type, member, peak), 1000, 400, 10000, false, \
     "cd/m2 of the display's brightest light: HLG is shown at it, PQ is cut off there"}

/* Can this pair be brought to linear light? If not, the error says why, under the metric's name. */
int colour_allows(const struct metric_pair *pair, const struct colour_options *o, const char *metric, struct assay_error *e);

/* Linear light of one side as three stacked layers; of a pair with alpha over a grey background, of which there are
 * COLOUR_BACKGROUNDS: 0.1 and 0.9. */
enum { COLOUR_BACKGROUNDS = 2 };
int colour_linear(struct metric_build *b, enum graph_side side, const struct colour_options *o, unsigned background, graph_plane *linear);

/* Notes what is taken for granted where the pair is not tagged and no option says it. */
void colour_note(struct metric_build *b, const struct colour_options *o);

/* No light of this pair is more: 1, or more for PQ and HLG. */
double colour_largest(const struct metric_pair *pair, const struct colour_options *o);

#endif
