/* SPDX-License-Identifier: BSD-2-Clause */
/* float_motion: how far the reference moves from frame to frame, in float. Definition: docs/metrics/motion.md. */
#include "host/exact_math.h"
#include "metrics/metric.h"
#include "metrics/options.h"

enum { SMALLEST = 3, PLANES = 3 };

/* The values of a frame in the order of its keys. `frame` writes the motion from the frame before, not limited yet, in
 * place of MOTION2: the frames around look at it. */
enum figure { MOTION2, MOTION3, MOTION, SCORE = MOTION2 };

struct float_motion_options {
    bool debug, force_zero, add_uv, add_half;
    int filter_size;
    double blend_factor, blend_offset, fps_weight, max_val;
};

struct float_motion_state {
    struct float_motion_at motion[PLANES];
    struct float_motion_half_at half[PLANES];
    double pixels[PLANES], half_pixels[PLANES];
    uint32_t planes;
};

#define OPTIONS struct float_motion_options
static const struct metric_option options[] = {
    FLAG_OPTION(debug, "debug", true, "also write motion"),
    KEY_FLAG_OPTION(force_zero, "motion_force_zero", "force_0", false, "every figure is 0"),
    KEY_DOUBLE_OPTION(fps_weight, "motion_fps_weight", "mfw", 1, 0, 5, "factor of the motion, for other frame rates"),
    KEY_DOUBLE_OPTION(blend_factor, "motion_blend_factor", "mbf", 1, 0, 1,
                      "motion3: what counts of motion above the offset; 1: all"),
    KEY_DOUBLE_OPTION(blend_offset, "motion_blend_offset", "mbo", 40, 0, 1000,
                      "motion3: the motion that counts in full"),
    KEY_FLAG_OPTION(add_half, "motion_add_scale1", "mdc", false, "adds the motion of the pictures at half their size"),
    KEY_INT_OPTION(filter_size, "motion_filter_size", "mfs", 5, 0, 9, "taps of the blur: 1 (none), 3; all others: 5"),
    KEY_FLAG_OPTION(add_uv, "motion_add_uv", "mau", false, "adds the motion of both chroma planes"),
    KEY_DOUBLE_OPTION(max_val, "motion_max_val", "mmxv", 10000, 0, 10000, "largest value"),
};

static const struct metric_output outputs[] = {
    {"motion2 motion3", "always", ASSAY_NEUTRAL},
    {"motion", "debug", ASSAY_NEUTRAL},
};

static int float_motion_allows(const struct metric_pair *pair, const void *opaque, struct assay_error *e)
{
    const struct float_motion_options *o = opaque;
    if (!o->add_uv)
        return ASSAY_OK;
    if (pair->format.layout == ASSAY_LAYOUT_RGB || pair->format.layout == ASSAY_LAYOUT_400)
        return assay_fail(e, ASSAY_EUSAGE, "float_motion: motion_add_uv needs chroma planes");
    for (uint32_t c = 1; c < PLANES; c++)
        if (assay_format_plane_width(&pair->format, c) < SMALLEST
            || assay_format_plane_height(&pair->format, c) < SMALLEST)
            return assay_fail(e, ASSAY_EUSAGE, "float_motion: motion_add_uv needs chroma planes of at least %dx%d",
                              SMALLEST, SMALLEST);
    return ASSAY_OK;
}

/* libvmaf's taps: outer, inner, centre. */
static const float *float_motion_taps(const struct float_motion_options *o)
{
    static const float five[3] = {0.054488685f, 0.244201342f, 0.402619947f}, three[3] = {0, 0.166378498f, 0.667243004f},
                       one[3] = {0, 0, 1};
    return o->filter_size == 1 ? one : o->filter_size == 3 ? three : five;
}

/* How far apart the columns of a half and every second column of the whole drift, per column of the whole. */
static float float_motion_step(uint32_t size)
{
    return size & 1 ? 1.0f / (float)(size + 1) : 0.0f;
}

/* Adds the passes of a component's half: both pictures blurred, and their difference at half the size. */
static int float_motion_add_half(struct metric_build *b, uint32_t component, const graph_plane pair[2], float unit)
{
    struct float_motion_state *s = b->metric->state;
    const struct graph_plane_info *p = &b->graph->plane[pair[0]];
    const uint32_t w = p->width, h = p->height, half_w = (w + 1) / 2, half_h = (h + 1) / 2;
    const float *tap = float_motion_taps(b->metric->options);
    graph_plane blurred[2];
    for (int i = 0; i < 2; i++) {
        TRY(float_motion_blur_add(b->graph,
                                  PASS(float_motion_blur, .source = pair[i], .scale = unit, .outer = tap[0],
                                       .inner = tap[1], .centre = tap[2]),
                                  &blurred[i], b->error));
    }
    s->half_pixels[component] = (double)half_w * half_h;
    return float_motion_half_add(b->graph,
                                 PASS_GRID(float_motion_half, half_w, half_h, .earlier = blurred[0],
                                           .later = blurred[1], .step_x = float_motion_step(w),
                                           .step_y = float_motion_step(h)),
                                 &s->half[component], b->error);
}

/* Adds the passes of a component. */
static int float_motion_add_plane(struct metric_build *b, uint32_t component)
{
    const struct float_motion_options *o = b->metric->options;
    struct float_motion_state *s = b->metric->state;
    const float *tap = float_motion_taps(o);
    graph_plane earlier, later;
    if (component == 0) {
        TRY(metric_luma_before(b, 1, SIDE_REF, &earlier));
        TRY(metric_luma(b, SIDE_REF, &later));
    } else {
        TRY(metric_plane_before(b, 1, SIDE_REF, component, &earlier));
        TRY(metric_plane(b, SIDE_REF, component, &later));
    }
    const struct graph_plane_info *p = &b->graph->plane[later];
    s->pixels[component] = (double)p->width * p->height;
    const float unit = metric_sample_unit(b);
    if (o->add_half)
        TRY(float_motion_add_half(b, component, (graph_plane[]){earlier, later}, unit));
    return float_motion_add(b->graph, PASS(float_motion, .earlier = earlier, .later = later, .scale = unit,
                                           .outer = tap[0], .inner = tap[1], .centre = tap[2]),
                            &s->motion[component], b->error);
}

static int float_motion_build(struct metric_build *b)
{
    const struct float_motion_options *o = b->metric->options;
    struct float_motion_state *s = b->metric->state;
    char tail[METRIC_KEY_SIZE];
    b->metric->before = 1;
    b->metric->after = 1;
    s->planes = o->add_uv ? PLANES : 1;
    for (uint32_t c = 0; c < s->planes; c++)
        TRY(float_motion_add_plane(b, c));
    TRY(options_key_tail(b->metric, tail, b->error));
    TRY(metric_add_key(b, &outputs[0], "motion2%s", tail));
    TRY(metric_add_key(b, &outputs[0], "motion3%s", tail));
    return o->debug ? metric_add_key(b, &outputs[1], "motion%s", tail) : ASSAY_OK;
}

static void float_motion_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct float_motion_options *o = m->options;
    const struct float_motion_state *s = m->state;
    double sum = 0.0;
    for (uint32_t c = 0; c < s->planes; c++) {
        sum += METRIC_JOIN(float_motion_totals(s->motion[c], totals).moved, FLOAT_MOTION_SCALE) / s->pixels[c];
        if (o->add_half)
            sum += METRIC_JOIN(float_motion_half_totals(s->half[c], totals).moved, FLOAT_MOTION_HALF_SCALE)
                 / s->half_pixels[c];
    }
    values[SCORE] = o->force_zero ? 0.0 : sum * o->fps_weight;
    (void)accumulators;
}

/* ---- from the scores around a frame: row[k] is that of k frames later, NULL outside the sequence --------------- */

static void float_motion_resolve(const struct metric *m, const double *const *row, double *values)
{
    const struct float_motion_options *o = m->options;
    const double before = row[-1] ? row[0][SCORE] : 0.0, after = row[1] ? row[1][SCORE] : before;
    values[MOTION2] = row[-1] ? assay_min(assay_min(before, after), o->max_val) : 0.0;
    values[MOTION3] = metric_blended_motion(row[-1] ? assay_min(before, after) : after, o->blend_factor,
                                            o->blend_offset, o->max_val);
    if (o->debug)
        values[MOTION] = assay_min(before, o->max_val);
}

const struct metric_ops metric_float_motion = {
    .name = "float_motion", .summary = "motion of the reference from frame to frame, in float",
    METRIC_PARTS(float_motion, options, outputs),
    .least = SMALLEST, .allows = float_motion_allows, .build = float_motion_build, .frame = float_motion_frame,
    .resolve = float_motion_resolve,
};
