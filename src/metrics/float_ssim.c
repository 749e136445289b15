/* SPDX-License-Identifier: BSD-2-Clause */
/* float_ssim: SSIM of luma after a box mean down to about 256 lines. Definition: docs/metrics/ssim.md. */
#include <stddef.h>

#include "metrics/ssim_float.h"

struct float_ssim_options {
    bool enable_lcs, enable_db, clip_db;
    int scale;
};

struct float_ssim_state {
    uint32_t score, lcs; /* totals */
    double pixels, most_db;
};

#define AT(field) offsetof(struct float_ssim_options, field)
static const struct metric_option options[] = {
    {"enable_lcs", NULL, OPTION_BOOL, AT(enable_lcs), 0, 0, 1, false, "also write luminance, contrast and structure"},
    {"enable_db", NULL, OPTION_BOOL, AT(enable_db), 0, 0, 1, false, "write the score as -10 log10(1 - score)"},
    {"clip_db", NULL, OPTION_BOOL, AT(clip_db), 0, 0, 1, false, "cap the dB at half a squared step of error in the picture"},
    {"scale", NULL, OPTION_INT, AT(scale), 0, 0, 10, false, "factor of the box mean before SSIM; 0: min(w, h) / 256, rounded"},
};
#undef AT

static const struct metric_output outputs[] = {
    {"float_ssim", "always"},
    {"float_ssim_l float_ssim_c float_ssim_s", "enable_lcs"},
};

static uint32_t scale_of(const assay_format *f, const struct float_ssim_options *o)
{
    const uint32_t least = f->width < f->height ? f->width : f->height;
    const uint32_t automatic = (least + 128) / 256; /* halves round up */
    return o->scale ? (uint32_t)o->scale : automatic ? automatic : 1;
}

/* The reference adds 1 whenever the size is odd, whatever the factor. */
static uint32_t scaled(uint32_t n, uint32_t scale)
{
    return scale > 1 ? n / scale + (n & 1) : n;
}

static int allows(const struct metric_pair *pair, const void *opaque, struct assay_error *e)
{
    const assay_format *f = &pair->format;
    const uint32_t scale = scale_of(f, opaque), w = scaled(f->width, scale), h = scaled(f->height, scale);
    const int rc = metric_needs_luma(pair, "float_ssim", e);
    if (rc || (w >= SSIM_WINDOW && h >= SSIM_WINDOW))
        return rc;
    return assay_fail(e, ASSAY_EUSAGE, "float_ssim needs at least 11x11 after scaling; this is %ux%u, scaled by %u to %ux%u",
                      f->width, f->height, scale, w, h);
}

/* The box mean in two passes: sums of rows, then of columns. */
static int shrink(struct metric_build *b, graph_plane from, uint32_t n, graph_plane *to)
{
    const assay_format *f = &b->pair->format;
    const uint32_t w = scaled(f->width, n), h = scaled(f->height, n);
    struct graph_pass_request rows = {.family = KERNEL_COLUMN_SUMS, .in = {from}, .out = {{f->width, h}},
                                      .grid_w = f->width, .grid_h = h};
    struct graph_pass_request columns = {.family = KERNEL_ROW_MEANS, .out = {{w, h}}, .grid_w = w, .grid_h = h};
    graph_pass pass;
    rows.param[0].i = columns.param[0].i = (int32_t)n;
    rows.param[1].i = columns.param[1].i = (int32_t)(n / 2);
    columns.param[2].f = ssim_sample_scale(f) / (float)(n * n);
    const int rc = graph_add(b->graph, &rows, &pass, &columns.in[0], b->error);
    return rc ? rc : graph_add(b->graph, &columns, &pass, to, b->error);
}

static int build(struct metric_build *b)
{
    const struct float_ssim_options *o = b->metric->options;
    struct float_ssim_state *s = b->metric->state;
    const assay_format *f = &b->pair->format;
    const uint32_t scale = scale_of(f, o);
    graph_plane plane[2];
    int rc = ASSAY_OK;
    for (unsigned side = 0; !rc && side < 2; side++) {
        rc = metric_luma(b, side, &plane[side]);
        if (!rc && scale > 1)
            rc = shrink(b, plane[side], scale, &plane[side]);
    }
    if (rc)
        return rc;
    const float to_8_bit = scale > 1 ? 1.0f : ssim_sample_scale(f);
    const struct graph_plane_info *p = &b->graph->plane[plane[0]];
    s->pixels = (double)(p->width - 10) * (p->height - 10);
    s->most_db = ssim_decibel_cap(f, o->clip_db);
    rc = ssim_add_pass(b, KERNEL_SSIM_SCORE, plane[0], plane[1], to_8_bit, &s->score);
    if (!rc)
        rc = metric_add_key(b, "float_ssim");
    if (rc || !o->enable_lcs)
        return rc;
    rc = ssim_add_pass(b, KERNEL_SSIM_LCS, plane[0], plane[1], to_8_bit, &s->lcs);
    for (unsigned i = 0; !rc && i < 3; i++)
        rc = metric_add_key(b, "float_ssim_%c", "lcs"[i]);
    return rc;
}

static void frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct float_ssim_options *o = m->options;
    const struct float_ssim_state *s = m->state;
    const double score = ssim_mean(totals + s->score, s->pixels);
    values[0] = o->enable_db ? ssim_decibel(score, s->most_db) : score;
    if (o->enable_lcs) {
        const int64_t *t = totals + s->lcs; /* c, s, l: the kernel's order */
        values[1] = ssim_mean(t + 4, s->pixels);
        values[2] = ssim_mean(t, s->pixels);
        values[3] = ssim_mean(t + 2, s->pixels);
    }
    (void)accumulators;
}

extern const struct metric_ops metric_float_ssim;
const struct metric_ops metric_float_ssim = {
    .name = "float_ssim", .summary = "structural similarity of luma, scaled down to about 256 lines",
    .options = options, .n_options = sizeof options / sizeof options[0],
    .outputs = outputs, .n_outputs = sizeof outputs / sizeof outputs[0],
    .options_size = sizeof(struct float_ssim_options), .state_size = sizeof(struct float_ssim_state),
    .allows = allows, .build = build, .frame = frame,
};
