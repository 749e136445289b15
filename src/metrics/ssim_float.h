/* SPDX-License-Identifier: BSD-2-Clause */
/* What float_ssim and float_ms_ssim share: passes of the SSIM kernel and the dB scale. */
#ifndef ASSAY_METRICS_SSIM_FLOAT_H
#define ASSAY_METRICS_SSIM_FLOAT_H

#include "metrics/metric.h"

/* The request of a pass over every window that lies inside two planes; samples times `scale` are on the 8-bit scale. */
struct ssim_pass ssim_windows(const struct metric_build *b, graph_plane ref, graph_plane dis, float scale, int wanted);

/* The number of those windows. */
double ssim_window_count(const struct metric_build *b, graph_plane plane);

/* -10 log10(1 - score), at most `most`; identical pictures have +inf unless the cap is finite. */
double ssim_decibel(double score, double most);

/* The cap of clip_db: the dB of half a squared step of error in the whole picture; +inf without it. */
double ssim_decibel_cap(const assay_format *f, bool clip);

/* 2^-(depth - 8): from samples to the 8-bit scale, exact. */
float ssim_sample_scale(const assay_format *f);

#endif
