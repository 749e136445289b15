/* SPDX-License-Identifier: BSD-2-Clause */
/* The map of vif and float_vif, and what it shares with the passes of float_vif. */
#ifndef ASSAY_METRICS_VIF_MAP_H
#define ASSAY_METRICS_VIF_MAP_H

#include "metrics/metric.h"

enum { VIF_SCALES = 4 };

/* The taps of a scale's window, of the whole kernel or of one half as large. */
unsigned vif_taps(bool half_kernel, unsigned scale);

/* Parameters of float_vif.k that follow from the limit of the gain and the noise. */
struct vif_channel {
    float gain, noise, noise_inverse, quiet, quiet_factor;
};
struct vif_channel vif_channel_of(double gain, double noise);

/* *plane becomes the picture of the next scale, whose window has `taps` taps. `samples`: it holds a side's samples, not
 * a picture of such a scale. */
int vif_add_half(struct metric_build *b, unsigned taps, bool samples, graph_plane *plane);

/* Adds the map: the bits that each pixel loses, of all scales. */
int vif_add_map(struct metric_build *b, const char *name, bool half_kernel, bool skip_scale0, double gain,
                double noise);

#endif
