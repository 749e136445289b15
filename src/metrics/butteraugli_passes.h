/* SPDX-License-Identifier: BSD-2-Clause */
/* Butteraugli's passes, from light to a map. */
#ifndef ASSAY_METRICS_BUTTERAUGLI_PASSES_H
#define ASSAY_METRICS_BUTTERAUGLI_PASSES_H

#include "metrics/colour.h"

/* The value of a map that gets the last colour of libjxl's own picture of it: 0.45 + 0.5 (v - bad) / (12 bad) is 10/11
 * there, bad being 1.1556389631005. */
#define BUTTERAUGLI_FULL 13.888679174716916

struct butteraugli_weights {
    double hf_asymmetry, xmul;
};

struct butteraugli_viewing {
    struct colour_options colour;
    double target; /* cd/m2 of the light 1.0 */
};

/* Gives the map of a pair, of its size. Of pictures with alpha an item is the larger one over black and over white. */
int butteraugli_add_map(struct metric_build *b, const struct butteraugli_viewing *viewing,
                        const struct butteraugli_weights *weights, graph_plane *map);

/* Gives the largest value of a map, as a plane of one item and as totals. */
int butteraugli_add_peak(struct metric_build *b, graph_plane map, struct butteraugli_peak_at *at, graph_plane *peak);

#endif
