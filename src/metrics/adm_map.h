/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys and the maps of adm and float_adm, and the wavelet in floats that maps are made of. */
#ifndef ASSAY_METRICS_ADM_MAP_H
#define ASSAY_METRICS_ADM_MAP_H

#include "metrics/metric.h"

enum { ADM_SCALES = 4 };
enum { ADM_SIGNAL_BITS = 19 }; /* kernels take samples of the 8-bit scale times 2^19 (adm_dwt.k) */

/* The rows of a metric's table of outputs, and the keys of scores with these rows: "integer_adm2", "integer_aim". */
enum { OUT_KEPT, OUT_ADDED, OUT_KEPT_DEBUG, OUT_SUMS };
int adm_add_keys(struct metric_build *b, const char *adm, const char *aim, const struct metric_output *outputs,
                 bool debug);

/* `undefined` stands for 0 / 0: a reference without detail, and a noise term of 0. */
static inline double adm_ratio(double num, double den, double undefined)
{
    return den > 0.0 ? num / den : undefined;
}

struct adm_map {
    const char *lost, *added;           /* names of the two maps */
    float hv[ADM_SCALES], d[ADM_SCALES]; /* contrast sensitivity of the bands h and v, of d */
    float gain, masking;
    bool skip_scale0;
};

/* Adds one level of the wavelet, `scale` from 0: *plane becomes its low-low band, *bands the stack of the other
 * three. */
int adm_add_level(struct metric_build *b, unsigned scale, graph_plane *plane, graph_plane *bands);

/* Adds both maps: the detail that is lost, and the detail that is added, of all scales. */
int adm_add_maps(struct metric_build *b, const struct adm_map *of);

#endif
