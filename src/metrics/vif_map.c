/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics/vif_map.h"

#include "host/bits.h"

unsigned vif_taps(bool half_kernel, unsigned scale)
{
    static const unsigned whole[VIF_SCALES] = {17, 9, 5, 3}, half[VIF_SCALES] = {9, 5, 3, 3};
    return (half_kernel ? half : whole)[scale];
}

/* The smallest float that is not below v. */
static float vif_float_above(double v)
{
    const float f = (float)v;
    return (double)f < v ? float_of_bits(bits_of_float(f) + 1) : f;
}

struct vif_channel vif_channel_of(double gain, double noise)
{
    const float rounded = (float)noise;
    return (struct vif_channel){.gain = (float)gain, .noise = rounded, .noise_inverse = (float)(1.0 / noise),
                                .quiet = vif_float_above(noise),
                                .quiet_factor = (float)((double)(rounded * rounded) / (255.0 * 255.0))};
}

int vif_add_half(struct metric_build *b, unsigned taps, bool samples, graph_plane *plane)
{
    const struct graph_plane_info *p = &b->graph->plane[*plane];
    const struct float_vif_half_pass pass =
        PASS_GRID(float_vif_half, p->width / 2, p->height / 2, .source = *plane,
                  .scale = samples ? metric_sample_unit(b) : 1.0f, .middle = samples ? 128.0f : 0.0f);
    switch (taps) {
    case 9: return float_vif_half_9_add(b->graph, pass, plane, b->error);
    case 5: return float_vif_half_5_add(b->graph, pass, plane, b->error);
    default: return float_vif_half_3_add(b->graph, pass, plane, b->error);
    }
}

/* Each pass adds a scale to the plane of the pass before, from the smallest scale up. */
int vif_add_map(struct metric_build *b, const char *name, bool half_kernel, bool skip_scale0, double gain,
                double noise)
{
    const struct vif_channel c = vif_channel_of(gain, noise);
    graph_plane plane[VIF_SCALES][2], map = 0;
    for (unsigned side = 0; side < 2; side++) {
        TRY(metric_luma_f32(b, side, metric_sample_unit(b), &plane[0][side]));
        TRY(metric_luma(b, side, &plane[1][side]));
        for (unsigned i = 1; i < VIF_SCALES; i++) {
            plane[i][side] = plane[i > 1 ? i - 1 : 1][side];
            TRY(vif_add_half(b, vif_taps(half_kernel, i), i == 1, &plane[i][side]));
        }
    }
    for (unsigned i = VIF_SCALES; i-- > (skip_scale0 ? 1 : 0);) {
        const bool first = i == VIF_SCALES - 1;
        const struct graph_plane_info *p = &b->graph->plane[plane[i][0]];
        TRY(vif_map_add(b->graph,
                        PASS_GRID(vif_map, p->width, p->height, .ref = plane[i][0], .dis = plane[i][1],
                                  .other = first ? plane[i][0] : map, .radius = (int32_t)vif_taps(half_kernel, i) / 2,
                                  .shift = first ? -1 : 1, .middle = i ? 0.0f : 128.0f, .gain = c.gain,
                                  .noise = c.noise, .noise_inverse = c.noise_inverse, .quiet = c.quiet,
                                  .quiet_factor = c.quiet_factor, .least = c.quiet * c.quiet_factor),
                        &map, b->error));
    }
    return metric_add_map(b, name, map, 10.0);
}
