/* SPDX-License-Identifier: BSD-2-Clause */
/* PSNR-HVS-M of each plane by Daala's transform, and the planes' weighted sum. Definition: docs/metrics/psnr_hvs.md. */
#include <math.h> /* INFINITY only */

#include "host/exact_math.h"
#include "metrics/metric.h"

enum { BLOCK = 8, STEP = 7, PLANES = 3 };
_Static_assert(HVS_LUMA == 0 && HVS_CB == 1 && HVS_CR == 2, "tables are numbered like planes");

struct psnr_hvs_state {
    uint32_t planes; /* 1 of grey and of RGB, else 3 */
    struct psnr_hvs_at errors[PLANES];
    double coefficients[PLANES]; /* of all blocks of a plane */
    double peak2;                /* square of the largest sample */
    int scale;                   /* sums are in units of 2^-scale of squared samples */
};

enum { OUT_LUMA, OUT_CHROMA };
static const struct metric_output outputs[] = {
    [OUT_LUMA] = {"psnr_hvs_y", "always", ASSAY_HIGHER},
    [OUT_CHROMA] = {"psnr_hvs_cb psnr_hvs_cr psnr_hvs", "where the pictures have chroma", ASSAY_HIGHER},
};

static uint32_t psnr_hvs_planes(const struct metric_pair *pair)
{
    return pair->format.layout == ASSAY_LAYOUT_RGB ? 1 : assay_format_planes(&pair->format);
}

static int psnr_hvs_allows(const struct metric_pair *pair, const void *options, struct assay_error *e)
{
    const assay_format *f = &pair->format;
    (void)options;
    TRY(metric_needs_luma(pair, "psnr_hvs", e));
    for (uint32_t p = 0; p < psnr_hvs_planes(pair); p++) {
        const uint32_t w = assay_format_plane_width(f, p), h = assay_format_plane_height(f, p);
        if (w < BLOCK || h < BLOCK)
            return assay_fail(e, ASSAY_EUSAGE, "psnr_hvs needs at least 8x8 in each plane, %s is %ux%u",
                              metric_component_name(pair, p), w, h);
    }
    return ASSAY_OK;
}

/* Adds the map of a plane: the root of the mean squared error of each block, on the scale of 8-bit codes. */
static int psnr_hvs_add_map(struct metric_build *b, uint32_t p, uint32_t w, uint32_t h)
{
    static const char *const name[PLANES] = {"psnr_hvs_y", "psnr_hvs_cb", "psnr_hvs_cr"};
    const struct psnr_hvs_state *s = b->metric->state;
    graph_plane plane[2], map;
    for (unsigned side = 0; side < 2; side++)
        TRY(metric_plane_u32(b, side, p, &plane[side]));
    TRY(psnr_hvs_map_add(b->graph,
                         PASS_GRID(psnr_hvs_map, w, h, .ref = plane[0], .dis = plane[1], .plane = (int32_t)p,
                                   .unit = (float)(255.0 * 255.0 / s->peak2 / (BLOCK * BLOCK))), &map, b->error));
    return metric_add_map(b, name[p], map, 16.0);
}

static int psnr_hvs_add_plane(struct metric_build *b, uint32_t p)
{
    struct psnr_hvs_state *s = b->metric->state;
    graph_plane plane[2];
    for (unsigned side = 0; side < 2; side++)
        TRY(p ? metric_plane(b, side, p, &plane[side]) : metric_luma(b, side, &plane[side]));
    const struct graph_plane_info *info = &b->graph->plane[plane[0]];
    const uint32_t w = (info->width - BLOCK) / STEP + 1, h = (info->height - BLOCK) / STEP + 1;
    const struct psnr_hvs_pass pass = PASS_GRID(psnr_hvs, w, h, .ref = plane[0], .dis = plane[1],
                                                .plane = (int32_t)p, .sum_scale = (float)assay_power_of_two(s->scale));
    s->coefficients[p] = (double)w * h * (BLOCK * BLOCK);
    if (b->maps)
        TRY(psnr_hvs_add_map(b, p, w, h));
    return (b->pair->format.bit_depth > 12 ? psnr_hvs_wide_add : psnr_hvs_add)(b->graph, pass, &s->errors[p], b->error);
}

static int psnr_hvs_build(struct metric_build *b)
{
    struct psnr_hvs_state *s = b->metric->state;
    const int depth = (int)b->pair->format.bit_depth;
    const double peak = (double)((1u << depth) - 1);
    s->peak2 = peak * peak;
    s->planes = psnr_hvs_planes(b->pair);
    s->scale = -3 - 2 * (depth - 8);
    for (uint32_t p = 0; p < s->planes; p++) {
        TRY(psnr_hvs_add_plane(b, p));
        TRY(metric_add_key(b, &outputs[p ? OUT_CHROMA : OUT_LUMA], "psnr_hvs_%s",
                           (const char *const[]){"y", "cb", "cr"}[p]));
    }
    return s->planes > 1 ? metric_add_key(b, &outputs[OUT_CHROMA], "psnr_hvs") : ASSAY_OK;
}

static double psnr_hvs_decibel(double error)
{
    return error > 0.0 ? -10.0 * assay_log10(error) : (double)INFINITY;
}

static void psnr_hvs_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct psnr_hvs_state *s = m->state;
    double error[PLANES];
    for (uint32_t p = 0; p < s->planes; p++) {
        const struct psnr_hvs_totals t = psnr_hvs_totals(s->errors[p], totals);
        error[p] = METRIC_JOIN(t.errors, (uint32_t)s->scale) / s->coefficients[p] / s->peak2;
        values[p] = psnr_hvs_decibel(error[p]);
    }
    if (s->planes > 1)
        values[s->planes] = psnr_hvs_decibel(0.8 * error[0] + 0.1 * (error[1] + error[2]));
    (void)accumulators;
}

const struct metric_ops metric_psnr_hvs = {
    .name = "psnr_hvs", .summary = "PSNR of 8x8 transforms, weighted by contrast sensitivity and masked, in dB",
    .outputs = outputs, .n_outputs = sizeof outputs / sizeof outputs[0],
    .state_size = sizeof(struct psnr_hvs_state),
    .allows = psnr_hvs_allows, .build = psnr_hvs_build, .frame = psnr_hvs_frame,
};
