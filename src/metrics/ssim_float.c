/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics/ssim_float.h"

#include <math.h> /* INFINITY only */

#include "host/exact_math.h"

enum { LIMB_BITS = 20 };

int ssim_add_pass(struct metric_build *b, enum kernel_family family, graph_plane ref, graph_plane dis, float scale,
                  uint32_t *totals)
{
    const struct graph_plane_info *p = &b->graph->plane[ref];
    struct graph_pass_request r = {.family = family, .in = {ref, dis}, .grid_w = p->width - (SSIM_WINDOW - 1),
                                   .grid_h = p->height - (SSIM_WINDOW - 1)};
    graph_pass pass;
    r.param[0].f = scale;
    const int rc = graph_add(b->graph, &r, &pass, NULL, b->error);
    if (!rc)
        *totals = metric_totals(b, pass);
    return rc;
}

double ssim_mean(const int64_t *limbs, double pixels)
{
    return metric_join_limbs(limbs, 2, LIMB_BITS) / pixels;
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

float ssim_sample_scale(const assay_format *f)
{
    return 1.0f / (float)(1u << (f->bit_depth - 8));
}
