/* SPDX-License-Identifier: BSD-2-Clause */
/* float_ssim: SSIM of luma after a box mean down to about 256 lines. Definition: docs/metrics/ssim.md. */
#include "metrics/ssim_float.h"

struct float_ssim_options {
    bool enable_lcs, enable_db, clip_db;
    int scale;
};

struct float_ssim_state {
    struct ssim_at ssim;
    double windows, most_db;
};

#define OPTIONS struct float_ssim_options
static const struct metric_option options[] = {
    FLAG_OPTION(enable_lcs, "enable_lcs", false, "also write luminance, contrast and structure"),
    FLAG_OPTION(enable_db, "enable_db", false, "write the score as -10 log10(1 - score)"),
    FLAG_OPTION(clip_db, "clip_db", false, "cap the dB at half a squared step of error in the picture"),
    INT_OPTION(scale, "scale", 0, 0, 10, "factor of the box mean before SSIM; 0: min(w, h) / 256, rounded"),
};

static const struct metric_output outputs[] = {
    {"float_ssim", "always", ASSAY_HIGHER},
    {"float_ssim_l float_ssim_c float_ssim_s", "enable_lcs", ASSAY_HIGHER},
};

static uint32_t float_ssim_scale_of(const struct metric_pair *p, const struct float_ssim_options *o)
{
    const uint32_t least = p->whole_width < p->whole_height ? p->whole_width : p->whole_height;
    const uint32_t automatic = (least + 128) / 256; /* halves round up */
    return o->scale ? (uint32_t)o->scale : automatic ? automatic : 1;
}

/* libvmaf adds 1 whenever the size is odd, whatever the factor. */
static uint32_t float_ssim_scaled(uint32_t n, uint32_t scale)
{
    return scale > 1 ? n / scale + (n & 1) : n;
}

static int float_ssim_allows(const struct metric_pair *pair, const void *opaque, struct assay_error *e)
{
    const assay_format *f = &pair->format;
    const uint32_t scale = float_ssim_scale_of(pair, opaque), w = float_ssim_scaled(f->width, scale),
                   h = float_ssim_scaled(f->height, scale);
    const int rc = metric_needs_luma(pair, "float_ssim", e);
    if (rc || (w >= SSIM_TAPS && h >= SSIM_TAPS))
        return rc;
    return assay_fail(e, ASSAY_EUSAGE,
                      "float_ssim needs at least 11x11 after scaling; this is %ux%u, scaled by %u to %ux%u", f->width,
                      f->height, scale, w, h);
}

/* Adds the box mean of n x n samples in two passes: sums down the columns, then means along the rows. */
static int float_ssim_shrink(struct metric_build *b, graph_plane from, uint32_t n, graph_plane *to)
{
    const assay_format *f = &b->pair->format;
    const uint32_t w = float_ssim_scaled(f->width, n), h = float_ssim_scaled(f->height, n);
    const int32_t count = (int32_t)n, before = count / 2;
    graph_plane sums;
    TRY(column_sums_add(b->graph, PASS_GRID(column_sums, f->width, h, .source = from, .n = count, .before = before),
                        &sums, b->error));
    return row_means_add(b->graph, PASS_GRID(row_means, w, h, .sums = sums, .n = count, .before = before,
                                             .factor = metric_sample_unit(b) / (float)(n * n)), to, b->error);
}

static int float_ssim_build(struct metric_build *b)
{
    const struct float_ssim_options *o = b->metric->options;
    struct float_ssim_state *s = b->metric->state;
    const assay_format *f = &b->pair->format;
    const uint32_t scale = float_ssim_scale_of(b->pair, o);
    graph_plane plane[2];
    for (unsigned side = 0; side < 2; side++) {
        TRY(metric_luma(b, side, &plane[side]));
        if (scale > 1)
            TRY(float_ssim_shrink(b, plane[side], scale, &plane[side]));
    }
    const int wanted = SSIM_SCORE | (o->enable_lcs ? SSIM_CONTRAST_STRUCTURE | SSIM_LUMINANCE : 0);
    const struct ssim_pass pass = ssim_windows(b, plane[0], plane[1], scale > 1 ? 1.0f : metric_sample_unit(b), wanted);
    s->windows = ssim_window_count(b, plane[0]);
    s->most_db = ssim_decibel_cap(f, o->clip_db);
    TRY(ssim_add(b->graph, pass, &s->ssim, b->error));
    if (b->maps) {
        graph_plane map;
        for (unsigned side = 0; scale == 1 && side < 2; side++)
            TRY(metric_luma_f32(b, side, metric_sample_unit(b), &plane[side]));
        TRY(ssim_add_map(b, plane, SSIM_SCORE, 1.0f, true, &map));
        TRY(metric_add_map(b, "float_ssim", map, 0.5));
    }
    TRY(metric_add_key(b, &outputs[0], "float_ssim"));
    for (unsigned i = 0; o->enable_lcs && i < 3; i++)
        TRY(metric_add_key(b, &outputs[1], "float_ssim_%c", "lcs"[i]));
    return ASSAY_OK;
}

static void float_ssim_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct float_ssim_options *o = m->options;
    const struct float_ssim_state *s = m->state;
    const struct ssim_totals t = ssim_totals(s->ssim, totals);
    const double score = METRIC_JOIN(t.score, SSIM_SCALE) / s->windows;
    values[0] = o->enable_db ? ssim_decibel(score, s->most_db) : score;
    if (o->enable_lcs) {
        values[1] = METRIC_JOIN(t.luminance, SSIM_SCALE) / s->windows;
        values[2] = METRIC_JOIN(t.contrast, SSIM_SCALE) / s->windows;
        values[3] = METRIC_JOIN(t.structure, SSIM_SCALE) / s->windows;
    }
    (void)accumulators;
}

const struct metric_ops metric_float_ssim = {
    .name = "float_ssim", .summary = "structural similarity of luma, scaled down to about 256 lines",
    METRIC_PARTS(float_ssim, options, outputs),
    .allows = float_ssim_allows, .build = float_ssim_build, .frame = float_ssim_frame,
};
