/* SPDX-License-Identifier: BSD-2-Clause */
/* float_ms_ssim: multi-scale SSIM of luma over five scales. Definition: docs/metrics/ms_ssim.md. */
#include <string.h>

#include "host/exact_math.h"
#include "metrics/ssim_float.h"

enum { SCALES = 5, SMALLEST = SSIM_TAPS << (SCALES - 1) };

struct ms_ssim_options {
    bool enable_lcs, enable_db, clip_db;
};

struct ms_ssim_state {
    struct ssim_at ssim[SCALES];
    double windows[SCALES], most_db;
};

#define OPTIONS struct ms_ssim_options
static const struct metric_option options[] = {
    FLAG_OPTION(enable_lcs, "enable_lcs", false, "also write luminance, contrast and structure of each scale"),
    FLAG_OPTION(enable_db, "enable_db", false, "write the score as -10 log10(1 - score)"),
    FLAG_OPTION(clip_db, "clip_db", false, "cap the dB at half a squared step of error in the picture"),
};

static const struct metric_output outputs[] = {
    {"float_ms_ssim", "always", ASSAY_HIGHER},
    {"float_ms_ssim_l_scale0 ... float_ms_ssim_s_scale4", "enable_lcs", ASSAY_HIGHER},
};

/* Exponents of the scales (Wang, Simoncelli, Bovik 2003), as floats like libvmaf's. Luminance counts at the last
 * scale alone. */
static const float weight[SCALES] = {0.0448f, 0.2856f, 0.3001f, 0.2363f, 0.1333f};

/* Replaces a plane by the next scale, of half the size, rounded up. */
static int ms_ssim_halve(struct metric_build *b, float scale, graph_plane *plane)
{
    const struct graph_plane_info *p = &b->graph->plane[*plane];
    const uint32_t w = p->width / 2 + (p->width & 1), h = p->height / 2 + (p->height & 1);
    return halve_add(b->graph, PASS_GRID(halve, w, h, .source = *plane, .scale = scale), plane, b->error);
}

/* Luminance costs a division for each window: it is computed where it is used. */
static bool ms_ssim_has_luminance(const struct ms_ssim_options *o, unsigned scale)
{
    return o->enable_lcs || scale == SCALES - 1;
}

/* Adds the map: what each scale lacks to 1, times its exponent, from the smallest scale up. scales[0] is not looked at:
 * this map needs the whole pictures as floats. */
static int ms_ssim_add_map(struct metric_build *b, graph_plane (*scales)[2])
{
    graph_plane map = 0;
    for (unsigned side = 0; side < 2; side++)
        TRY(metric_luma_f32(b, side, metric_sample_unit(b), &scales[0][side]));
    for (unsigned i = SCALES; i-- > 0;)
        TRY(ssim_add_map(b, scales[i], SSIM_CONTRAST_STRUCTURE | (i == SCALES - 1 ? SSIM_LUMINANCE : 0), weight[i],
                         i == SCALES - 1, &map));
    return metric_add_map(b, "float_ms_ssim", map, 0.25);
}

static int ms_ssim_build(struct metric_build *b)
{
    const struct ms_ssim_options *o = b->metric->options;
    struct ms_ssim_state *s = b->metric->state;
    const assay_format *f = &b->pair->format;
    graph_plane plane[2], scales[SCALES][2];
    TRY(metric_luma(b, SIDE_REF, &plane[0]));
    TRY(metric_luma(b, SIDE_DIS, &plane[1]));
    for (unsigned i = 0; i < SCALES; i++) {
        const float scale = i ? 1.0f : metric_sample_unit(b);
        const int wanted = SSIM_CONTRAST_STRUCTURE | (ms_ssim_has_luminance(o, i) ? SSIM_LUMINANCE : 0);
        memcpy(scales[i], plane, sizeof plane);
        s->windows[i] = ssim_window_count(b, plane[0]);
        TRY(ssim_add(b->graph, ssim_windows(b, plane[0], plane[1], scale, wanted), &s->ssim[i], b->error));
        for (unsigned side = 0; i < SCALES - 1 && side < 2; side++)
            TRY(ms_ssim_halve(b, scale, &plane[side]));
    }
    if (b->maps)
        TRY(ms_ssim_add_map(b, scales));
    s->most_db = ssim_decibel_cap(f, o->clip_db);
    TRY(metric_add_key(b, &outputs[0], "float_ms_ssim"));
    for (unsigned k = 0; o->enable_lcs && k < 3; k++)
        for (unsigned i = 0; i < SCALES; i++)
            TRY(metric_add_key(b, &outputs[1], "float_ms_ssim_%c_scale%u", "lcs"[k], i));
    return ASSAY_OK;
}

/* The means over the windows of a scale. Luminance is 1 where it is not computed. */
struct means {
    double luminance, contrast, structure;
};

static struct means ms_ssim_means_of(const struct metric *m, const int64_t *totals, unsigned scale)
{
    const struct ms_ssim_state *s = m->state;
    const double n = s->windows[scale];
    const struct ssim_totals t = ssim_totals(s->ssim[scale], totals);
    const double luminance = ms_ssim_has_luminance(m->options, scale) ? METRIC_JOIN(t.luminance, SSIM_SCALE) / n : 1.0;
    return (struct means){luminance, METRIC_JOIN(t.contrast, SSIM_SCALE) / n, METRIC_JOIN(t.structure, SSIM_SCALE) / n};
}

/* mean^exponent. A mean below 0 has no real power and counts as 0. */
static double ms_ssim_raise_mean(double mean, float exponent)
{
    return mean > 0.0 ? assay_pow(mean, (double)exponent) : 0.0;
}

static void ms_ssim_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct ms_ssim_options *o = m->options;
    const struct ms_ssim_state *s = m->state;
    double score = 1.0;
    for (unsigned i = 0; i < SCALES; i++) {
        const struct means mean = ms_ssim_means_of(m, totals, i);
        if (i == SCALES - 1)
            score *= ms_ssim_raise_mean(mean.luminance, weight[i]);
        score = score * ms_ssim_raise_mean(mean.contrast, weight[i]) * ms_ssim_raise_mean(mean.structure, weight[i]);
        if (o->enable_lcs) {
            values[1 + i] = mean.luminance;
            values[1 + SCALES + i] = mean.contrast;
            values[1 + 2 * SCALES + i] = mean.structure;
        }
    }
    values[0] = o->enable_db ? ssim_decibel(score, s->most_db) : score;
    (void)accumulators;
}

const struct metric_ops metric_float_ms_ssim = {
    .name = "float_ms_ssim", .summary = "multi-scale structural similarity of luma",
    METRIC_PARTS(ms_ssim, options, outputs),
    .least = SMALLEST, .build = ms_ssim_build, .frame = ms_ssim_frame,
};
