/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics/ssim_float.h"

#include <math.h> /* INFINITY only */

#include "host/exact_math.h"

struct ssim_pass ssim_windows(const struct metric_build *b, graph_plane ref, graph_plane dis, float scale, int wanted)
{
    const struct graph_plane_info *p = &b->graph->plane[ref];
    return PASS_GRID(ssim, p->width - (SSIM_TAPS - 1), p->height - (SSIM_TAPS - 1), .ref = ref, .dis = dis,
                     .scale = scale, .wanted = wanted);
}

int ssim_add_map(struct metric_build *b, const graph_plane plane[2], int wanted, float weight, bool first,
                 graph_plane *map)
{
    const struct graph_plane_info *p = &b->graph->plane[plane[0]];
    const graph_plane other = first ? plane[0] : *map;
    return ssim_map_add(b->graph, PASS_GRID(ssim_map, p->width - (SSIM_TAPS - 1), p->height - (SSIM_TAPS - 1),
                                            .ref = plane[0], .dis = plane[1], .other = other, .scale = 1.0f,
                                            .wanted = wanted, .weight = weight, .shift = first ? -1 : 1),
                        map, b->error);
}

double ssim_window_count(const struct metric_build *b, graph_plane plane)
{
    const struct graph_plane_info *p = &b->graph->plane[plane];
    return (double)(p->width - (SSIM_TAPS - 1)) * (p->height - (SSIM_TAPS - 1));
}

double ssim_decibel(double score, double most)
{
    const double rest = 1.0 - score;
    const double db = rest > 0.0 ? -10.0 * assay_log10(rest) : (double)INFINITY;
    return db < most ? db : most;
}

double ssim_decibel_cap(const assay_format *f, bool clip)
{
    const double peak = (double)((1u << f->bit_depth) - 1), pixels = (double)f->width * f->height;
    return clip ? assay_ceil(10.0 * assay_log10(peak * peak / (0.5 / pixels))) : (double)INFINITY;
}
