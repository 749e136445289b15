/* SPDX-License-Identifier: BSD-2-Clause */
/* From the samples of a pair to linear light: the part that metrics in colour share, with its options. */
#ifndef ASSAY_METRICS_COLOUR_H
#define ASSAY_METRICS_COLOUR_H

#include <stddef.h>

#include "metrics/metric.h"

struct colour_options {
    int matrix, range, transfer, chroma, yuv_matrix;
};

/* The rows of an option table for a member of type struct colour_options. */
#define COLOUR_AT(type, member, field) (offsetof(type, member) + offsetof(struct colour_options, field))
#define COLOUR_OPTIONS(type, member) \
    {"matrix", NULL, OPTION_INT, COLOUR_AT(type, member, matrix), 0, 0, 3, false, \
     "Y'CbCr matrix: 1 BT.709, 2 BT.601, 3 BT.2020; 0: as tagged, else BT.709"}, \
    {"range", NULL, OPTION_INT, COLOUR_AT(type, member, range), 0, 0, 2, false, \
     "1 limited, 2 full; 0: as tagged, else limited (RGB: full)"}, \
    {"transfer", NULL, OPTION_INT, COLOUR_AT(type, member, transfer), 0, 0, 3, false, \
     "1 sRGB, 2 BT.1886 (power 2.4), 3 linear; 0: as tagged, else sRGB"}, \
    {"chroma", NULL, OPTION_INT, COLOUR_AT(type, member, chroma), 0, 0, 4, false, \
     "siting: 1 nearest (no filter), 2 left, 3 center, 4 top left; 0: as tagged, else left"}, \
    {"yuv_matrix", NULL, OPTION_INT, COLOUR_AT(type, member, yuv_matrix), -1, -1, 3, false, \
     "one number for matrix and range: 0 BT.709 limited, 1 BT.601 limited, 2 BT.709 full, 3 BT.601 full; -1: not used"}

/* Can this pair be brought to linear light? If not, the error says why, under the metric's name. */
int colour_allows(const struct metric_pair *pair, const struct colour_options *o, const char *metric, struct assay_error *e);

/* Linear RGB of one side as three stacked layers. */
int colour_linear(struct metric_build *b, enum graph_side side, const struct colour_options *o, graph_plane *linear);

#endif
