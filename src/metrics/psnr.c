/* SPDX-License-Identifier: BSD-2-Clause */
/* PSNR and mean squared error per plane, from exact integer sums. Definitions: docs/metrics/psnr.md. */
#include <stdio.h>

#include "host/exact_math.h"
#include "metrics/metric.h"

/* Samples of at most 15 bits are compared two at a time. */
static int psnr_add_squares(struct metric_build *b, graph_plane ref, graph_plane dis, uint32_t width, uint32_t height,
                            struct sse_at *at)
{
    if (b->pair->format.bit_depth > 15)
        return sse_wide_add(b->graph, PASS(sse, .ref = ref, .dis = dis), at, b->error);
    return sse_add(b->graph, PASS_GRID(sse, (width + 1) / 2, height, .ref = ref, .dis = dis), at, b->error);
}

/* The sum of squared differences of two planes in a frame's totals. */
static assay_i128 psnr_sse(const int64_t *totals, struct sse_at at)
{
    return pass_join_halves(sse_totals(at, totals).squares);
}

/* ---- psnr ---- */

struct psnr_options {
    bool enable_chroma, enable_mse, enable_apsnr, enable_all, reduced_hbd_peak;
    double min_sse;
};

struct psnr_state {
    uint32_t planes;
    struct sse_at sse[3];
    uint32_t figures;   /* one per plane, then with enable_all one of all planes */
    double pixels[4];
    double peak2;       /* square of the largest sample */
    double most[4];     /* caps in dB */
};

#define OPTIONS struct psnr_options
static const struct metric_option psnr_options[] = {
    FLAG_OPTION(enable_chroma, "enable_chroma", true, "score the chroma planes (G and B of RGB) too"),
    FLAG_OPTION(enable_mse, "enable_mse", false, "also write the mean squared error of each plane"),
    FLAG_OPTION(enable_apsnr, "enable_apsnr", false, "also write PSNR over the whole sequence"),
    FLAG_OPTION(enable_all, "enable_all", false, "also score the samples of all scored planes as one"),
    FLAG_OPTION(reduced_hbd_peak, "reduced_hbd_peak", false,
                "above 8 bit take 255 << (depth - 8) as the peak instead of the largest sample"),
    DOUBLE_OPTION(min_sse, "min_sse", 0, 0, 1.7976931348623157e308,
                  "cap PSNR where a plane's squared error is below this; 0: cap at 6 x depth + 12 dB"),
};

enum { PSNR, MSE, APSNR };
static const struct metric_output psnr_outputs[] = {
    [PSNR] = {"psnr_y psnr_cb psnr_cr", "always (psnr_r psnr_g psnr_b of RGB); psnr with enable_all", ASSAY_HIGHER},
    [MSE] = {"mse_y mse_cb mse_cr", "enable_mse; mse with enable_all, too", ASSAY_LOWER},
    [APSNR] = {"apsnr_y apsnr_cb apsnr_cr", "enable_apsnr, over the sequence; apsnr with enable_all, too",
               ASSAY_HIGHER},
};

/* Names the keys of figure f and computes its cap. `tail` is "_y", or "" for all planes. Keys of enable_mse come
 * after those of psnr. */
static int psnr_add_figure(struct metric_build *b, uint32_t f, const char *tail)
{
    const struct psnr_options *o = b->metric->options;
    struct psnr_state *s = b->metric->state;
    s->most[f] = o->min_sse > 0.0 ? assay_ceil(10.0 * assay_log10(s->peak2 / (o->min_sse / s->pixels[f])))
                                  : 6.0 * b->pair->format.bit_depth + 12.0;
    int rc = metric_add_key(b, &psnr_outputs[PSNR], "psnr%s", tail);
    if (!rc && o->enable_apsnr) {
        rc = metric_add_aggregate(b, &psnr_outputs[APSNR], "apsnr%s", tail);
        if (!rc)
            rc = metric_add_accumulator(b, "sse%s", tail);
    }
    return rc;
}

static int psnr_add_plane(struct metric_build *b, uint32_t p)
{
    struct psnr_state *s = b->metric->state;
    graph_plane ref, dis;
    TRY(metric_plane(b, SIDE_REF, p, &ref));
    TRY(metric_plane(b, SIDE_DIS, p, &dis));
    const assay_format *f = &b->pair->format;
    return psnr_add_squares(b, ref, dis, assay_format_plane_width(f, p), assay_format_plane_height(f, p), &s->sse[p]);
}

static int psnr_build(struct metric_build *b)
{
    const struct psnr_options *o = b->metric->options;
    struct psnr_state *s = b->metric->state;
    const assay_format *f = &b->pair->format;
    const double peak = f->bit_depth > 8 && o->reduced_hbd_peak ? (double)(255u << (f->bit_depth - 8))
                                                                : (double)((1u << f->bit_depth) - 1);
    char tail[4][16] = {""};
    s->peak2 = peak * peak;
    s->planes = o->enable_chroma ? assay_format_planes(f) : 1;
    s->figures = s->planes + o->enable_all;
    int rc = ASSAY_OK;
    for (uint32_t p = 0; !rc && p < s->planes; p++) {
        s->pixels[p] = (double)assay_format_plane_width(f, p) * assay_format_plane_height(f, p);
        if (o->enable_all)
            s->pixels[s->planes] += s->pixels[p];
        snprintf(tail[p], sizeof tail[p], "_%s", metric_component_name(b->pair, p));
        rc = psnr_add_plane(b, p);
    }
    for (uint32_t i = 0; !rc && i < s->figures; i++)
        rc = psnr_add_figure(b, i, tail[i]);
    for (uint32_t i = 0; !rc && o->enable_mse && i < s->figures; i++)
        rc = metric_add_key(b, &psnr_outputs[MSE], "mse%s", tail[i]);
    return rc;
}

static void psnr_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct psnr_options *o = m->options;
    const struct psnr_state *s = m->state;
    assay_i128 all = 0;
    for (uint32_t i = 0; i < s->figures; i++) {
        const assay_i128 sse = i < s->planes ? psnr_sse(totals, s->sse[i]) : all;
        const double mse = i128_to_double(sse) / s->pixels[i];
        all += sse;
        values[i] = assay_min(10.0 * assay_log10(s->peak2 / assay_max(mse, 1e-16)), s->most[i]);
        if (o->enable_mse)
            values[s->figures + i] = mse;
        if (o->enable_apsnr)
            accumulators[i] += sse;
    }
}

static void psnr_finish(const struct metric *m, uint64_t frames, const assay_i128 *accumulators, double *aggregates)
{
    const struct psnr_state *s = m->state;
    for (uint32_t i = 0; i < m->n_aggregates; i++) {
        const double pixels = s->pixels[i] * (double)frames;
        const double most = assay_ceil(10.0 * assay_log10(s->peak2 * pixels * 2.0));
        const double psnr = 10.0 * (assay_log10(s->peak2) + assay_log10(pixels) -
                                    assay_log10(i128_to_double(accumulators[i])));
        aggregates[i] = accumulators[i] ? assay_min(psnr, most) : most;
    }
}

const struct metric_ops metric_psnr = {
    .name = "psnr", .summary = "peak signal-to-noise ratio of each plane, in dB",
    METRIC_PARTS(psnr, psnr_options, psnr_outputs),
    .build = psnr_build, .frame = psnr_frame, .finish = psnr_finish,
};

/* ---- float_psnr: the luma plane on libvmaf's 8-bit scale ---- */

struct float_psnr_state {
    struct sse_at sse;
    double pixels, scale2; /* scale2: what 1 squared of the 8-bit scale is in squared samples */
    double peak2, most;
};

static const struct metric_output float_psnr_outputs[] = {{"float_psnr", "always", ASSAY_HIGHER}};

static int float_psnr_build(struct metric_build *b)
{
    struct float_psnr_state *s = b->metric->state;
    const assay_format *f = &b->pair->format;
    const double step = (double)(1u << (f->bit_depth - 8)), peak = (double)((1u << f->bit_depth) - 1) / step;
    s->pixels = (double)f->width * f->height;
    s->scale2 = step * step;
    s->peak2 = peak * peak;
    s->most = 6.0 * f->bit_depth + 12.0;
    graph_plane ref, dis;
    TRY(metric_luma(b, SIDE_REF, &ref));
    TRY(metric_luma(b, SIDE_DIS, &dis));
    TRY(psnr_add_squares(b, ref, dis, f->width, f->height, &s->sse));
    return metric_add_key(b, float_psnr_outputs, "float_psnr");
}

static void float_psnr_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct float_psnr_state *s = m->state;
    const double noise = i128_to_double(psnr_sse(totals, s->sse)) / s->scale2 / s->pixels;
    values[0] = assay_min(10.0 * assay_log10(s->peak2 / assay_max(noise, 1e-10)), s->most);
    (void)accumulators;
}

const struct metric_ops metric_float_psnr = {
    .name = "float_psnr", .summary = "peak signal-to-noise ratio of luma on the 8-bit scale, in dB",
    .outputs = float_psnr_outputs, .n_outputs = 1, .state_size = sizeof(struct float_psnr_state),
    .least = 1, .build = float_psnr_build, .frame = float_psnr_frame,
};
