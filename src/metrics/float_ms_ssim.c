/* SPDX-License-Identifier: BSD-2-Clause */
/* float_ms_ssim: multi-scale SSIM of luma over five scales. Definition: docs/metrics/ms_ssim.md. */
#include <stddef.h>

#include "host/exact_math.h"
#include "metrics/ssim_float.h"

enum { SCALES = 5, SMALLEST = SSIM_WINDOW << (SCALES - 1) };

struct ms_ssim_options {
    bool enable_lcs, enable_db, clip_db;
};

struct ms_ssim_state {
    uint32_t totals[SCALES];
    double pixels[SCALES], most_db;
};

#define AT(field) offsetof(struct ms_ssim_options, field)
static const struct metric_option options[] = {
    {"enable_lcs", NULL, OPTION_BOOL, AT(enable_lcs), 0, 0, 1, false,
     "also write luminance, contrast and structure of each scale"},
    {"enable_db", NULL, OPTION_BOOL, AT(enable_db), 0, 0, 1, false, "write the score as -10 log10(1 - score)"},
    {"clip_db", NULL, OPTION_BOOL, AT(clip_db), 0, 0, 1, false, "cap the dB at half a squared step of error in the picture"},
};
#undef AT

static const struct metric_output outputs[] = {
    {"float_ms_ssim", "always"},
    {"float_ms_ssim_l_scale0 ... float_ms_ssim_s_scale4", "enable_lcs"},
};

/* Exponents of the scales (Wang, Simoncelli, Bovik 2003), floats as in the reference; luminance counts at the last one. */
static const float weight[SCALES] = {0.0448f, 0.2856f, 0.3001f, 0.2363f, 0.1333f};

static int allows(const struct metric_pair *pair, const void *opaque, struct assay_error *e)
{
    const int rc = metric_needs_luma(pair, "float_ms_ssim", e);
    (void)opaque;
    return rc ? rc : metric_needs_size(pair, "float_ms_ssim", SMALLEST, e);
}

/* The next scale of a plane: half the size, rounded up. */
static int halve(struct metric_build *b, float scale, graph_plane *plane)
{
    const struct graph_plane_info *p = &b->graph->plane[*plane];
    const uint32_t w = p->width / 2 + (p->width & 1), h = p->height / 2 + (p->height & 1);
    struct graph_pass_request r = {.family = KERNEL_HALVE, .in = {*plane}, .out = {{w, h}}, .grid_w = w, .grid_h = h};
    graph_pass pass;
    r.param[0].f = scale;
    return graph_add(b->graph, &r, &pass, plane, b->error);
}

static int build(struct metric_build *b)
{
    const struct ms_ssim_options *o = b->metric->options;
    struct ms_ssim_state *s = b->metric->state;
    const assay_format *f = &b->pair->format;
    graph_plane plane[2];
    int rc = metric_luma(b, SIDE_REF, &plane[0]);
    if (!rc)
        rc = metric_luma(b, SIDE_DIS, &plane[1]);
    for (unsigned i = 0; !rc && i < SCALES; i++) {
        const float scale = i ? 1.0f : ssim_sample_scale(f);
        const struct graph_plane_info *p = &b->graph->plane[plane[0]];
        s->pixels[i] = (double)(p->width - 10) * (p->height - 10);
        /* Luminance costs a division a pixel: only where it is used. */
        rc = ssim_add_pass(b, o->enable_lcs || i == SCALES - 1 ? KERNEL_SSIM_LCS : KERNEL_SSIM_CS, plane[0], plane[1], scale,
                           &s->totals[i]);
        for (unsigned side = 0; !rc && i < SCALES - 1 && side < 2; side++)
            rc = halve(b, scale, &plane[side]);
    }
    s->most_db = ssim_decibel_cap(f, o->clip_db);
    if (!rc)
        rc = metric_add_key(b, "float_ms_ssim");
    for (unsigned k = 0; o->enable_lcs && k < 3; k++)
        for (unsigned i = 0; !rc && i < SCALES; i++)
            rc = metric_add_key(b, "float_ms_ssim_%c_scale%u", "lcs"[k], i);
    return rc;
}

/* mean^exponent; a mean below zero has no real power and enters as 0. */
static double raise_mean(double mean, float exponent)
{
    return mean > 0.0 ? assay_pow(mean, (double)exponent) : 0.0;
}

static void frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct ms_ssim_options *o = m->options;
    const struct ms_ssim_state *s = m->state;
    double score = 1.0;
    for (unsigned i = 0; i < SCALES; i++) {
        const int64_t *t = totals + s->totals[i]; /* c, s, and l where it is asked for */
        const bool has_l = o->enable_lcs || i == SCALES - 1;
        const double c = ssim_mean(t, s->pixels[i]), structure = ssim_mean(t + 2, s->pixels[i]);
        const double l = has_l ? ssim_mean(t + 4, s->pixels[i]) : 1.0;
        if (i == SCALES - 1)
            score *= raise_mean(l, weight[i]);
        score = score * raise_mean(c, weight[i]) * raise_mean(structure, weight[i]);
        if (o->enable_lcs) {
            values[1 + i] = l;
            values[1 + SCALES + i] = c;
            values[1 + 2 * SCALES + i] = structure;
        }
    }
    values[0] = o->enable_db ? ssim_decibel(score, s->most_db) : score;
    (void)accumulators;
}

extern const struct metric_ops metric_float_ms_ssim;
const struct metric_ops metric_float_ms_ssim = {
    .name = "float_ms_ssim", .summary = "multi-scale structural similarity of luma",
    .options = options, .n_options = sizeof options / sizeof options[0],
    .outputs = outputs, .n_outputs = sizeof outputs / sizeof outputs[0],
    .options_size = sizeof(struct ms_ssim_options), .state_size = sizeof(struct ms_ssim_state),
    .allows = allows, .build = build, .frame = frame,
};
