/* SPDX-License-Identifier: BSD-2-Clause */
/* What float_ssim and float_ms_ssim share: requests for ssim.k and the dB scale. */
#ifndef ASSAY_METRICS_SSIM_FLOAT_H
#define ASSAY_METRICS_SSIM_FLOAT_H

#include "metrics/metric.h"

/* The request for every window that lies inside the planes. `scale` times a sample is on the 8-bit scale. `wanted` has
 * the bits of the sums. */
struct ssim_pass ssim_windows(const struct metric_build *b, graph_plane ref, graph_plane dis, float scale, int wanted);

/* Adds a map of 1 less the values that `wanted` chooses, summed up and times `weight`. To it is added *map, that of the
 * pictures of half the size, unless `first`. *map becomes the new one. The planes hold floats of the 8-bit scale. */
int ssim_add_map(struct metric_build *b, const graph_plane plane[2], int wanted, float weight, bool first,
                 graph_plane *map);

/* The number of those windows. */
double ssim_window_count(const struct metric_build *b, graph_plane plane);

/* -10 log10(1 - score), at most `most`. Identical pictures have +inf if `most` is. */
double ssim_decibel(double score, double most);

/* With `clip` the dB of a picture whose squared errors sum to half a squared step, else +inf. */
double ssim_decibel_cap(const assay_format *f, bool clip);

#endif
