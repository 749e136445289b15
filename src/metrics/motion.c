/* SPDX-License-Identifier: BSD-2-Clause */
/* motion: how far the reference moves from frame to frame, on blurred luma. Definitions: docs/metrics/motion.md. */
#include "host/exact_math.h"
#include "metrics/metric.h"
#include "metrics/options.h"

enum { SMALLEST = 3 };

/* The values of a frame in the order of its keys. `frame` writes SCORE, which the frames around look at. */
enum figure { MOTION2, MOTION3, SCORE, MOTION };

struct motion_options {
    bool debug, force_zero, five_frames, average;
    double blend_factor, blend_offset, fps_weight, max_val;
};

struct motion_state {
    struct motion_at motion;
    int start;      /* how many frames earlier the compared frame is, and so the first frame that has one */
    double pixels;
};

#define OPTIONS struct motion_options
/* motion_v2 has all but the first and the last. */
static const struct metric_option options[] = {
    FLAG_OPTION(debug, "debug", false, "also write integer_motion"),
    KEY_FLAG_OPTION(force_zero, "motion_force_zero", "force_0", false, "every figure is 0"),
    KEY_DOUBLE_OPTION(blend_factor, "motion_blend_factor", "mbf", 1, 0, 1,
                      "motion3: what counts of motion above the offset; 1: all"),
    KEY_DOUBLE_OPTION(blend_offset, "motion_blend_offset", "mbo", 40, 0, 1000,
                      "motion3: the motion that counts in full"),
    KEY_DOUBLE_OPTION(fps_weight, "motion_fps_weight", "mfw", 1, 0, 5, "factor of the motion, for other frame rates"),
    KEY_DOUBLE_OPTION(max_val, "motion_max_val", "mmxv", 10000, 0, 10000, "largest value"),
    KEY_FLAG_OPTION(average, "motion_moving_average", "mma", false, "motion3 is the mean with the frame before"),
    KEY_FLAG_OPTION(five_frames, "motion_five_frame_window", "mffw", false,
                    "the motion from the frame before the last, and of five frames the smaller"),
};

static const struct metric_output outputs[] = {
    {"integer_motion2 integer_motion3 VMAF_integer_feature_motion_sad_score", "always", ASSAY_NEUTRAL},
    {"integer_motion", "debug", ASSAY_NEUTRAL},
};

static const struct metric_output outputs_v2[] = {
    {"VMAF_integer_feature_motion2_v2_score VMAF_integer_feature_motion3_v2_score "
     "VMAF_integer_feature_motion_v2_sad_score", "always", ASSAY_NEUTRAL},
};

static int motion_add_keys(struct metric_build *b)
{
    const struct motion_options *o = b->metric->options;
    char tail[METRIC_KEY_SIZE];
    TRY(options_key_tail(b->metric, tail, b->error));
    if (b->metric->ops == &metric_motion_v2) {
        TRY(metric_add_key(b, &outputs_v2[0], "VMAF_integer_feature_motion2_v2_score%s", tail));
        TRY(metric_add_key(b, &outputs_v2[0], "VMAF_integer_feature_motion3_v2_score%s", tail));
        return metric_add_key(b, &outputs_v2[0], "VMAF_integer_feature_motion_v2_sad_score%s", tail);
    }
    TRY(metric_add_key(b, &outputs[0], "integer_motion2%s", tail));
    TRY(metric_add_key(b, &outputs[0], "integer_motion3%s", tail));
    TRY(metric_add_key(b, &outputs[0], "VMAF_integer_feature_motion_sad_score%s", tail));
    return o->debug ? metric_add_key(b, &outputs[1], "integer_motion%s", tail) : ASSAY_OK;
}

static int motion_build(struct metric_build *b)
{
    const struct motion_options *o = b->metric->options;
    struct motion_state *s = b->metric->state;
    const assay_format *f = &b->pair->format;
    graph_plane earlier, later;
    s->start = o->five_frames ? 2 : 1;
    s->pixels = (double)f->width * f->height;
    /* motion2 looks one frame further back than SCORE does, the average one more. */
    b->metric->before = (uint32_t)s->start + o->five_frames + o->average;
    b->metric->after = (uint32_t)s->start;
    TRY(metric_luma_before(b, (uint32_t)s->start, SIDE_REF, &earlier));
    TRY(metric_luma(b, SIDE_REF, &later));
    const bool wide = f->bit_depth > 12;
    TRY((wide ? motion_wide_add : motion_add)(b->graph, PASS_GRID(motion, wide ? f->width : (f->width + 1) / 2,
                                                                  f->height, .earlier = earlier, .later = later,
                                                                  .shift = (int32_t)f->bit_depth - 1),
                                              &s->motion, b->error));
    return motion_add_keys(b);
}

static void motion_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct motion_options *o = m->options;
    const struct motion_state *s = m->state;
    const double score = (double)motion_totals(s->motion, totals).moved / 256.0 / s->pixels * o->fps_weight;
    values[SCORE] = o->force_zero ? 0.0 : assay_min(score, o->max_val);
    (void)accumulators;
}

/* ---- from the scores around a frame: row[k] is that of k frames later, NULL outside the sequence --------------- */

/* SCORE of the frame k later; 0 where it has no earlier frame to be compared with. */
static double motion_score_at(const struct metric *m, const double *const *row, int k)
{
    const struct motion_state *s = m->state;
    return row[k - s->start] ? row[k][SCORE] : 0.0;
}

static double motion2_at(const struct metric *m, const double *const *row, int k)
{
    const struct motion_options *o = m->options;
    const struct motion_state *s = m->state;
    if (!row[k - s->start])
        return 0.0;
    if (!row[k + 1])
        return motion_score_at(m, row, k);
    const double next = motion_score_at(m, row, k + 1);
    if (!o->five_frames)
        return assay_min(motion_score_at(m, row, k), next);
    return row[k - 1 - s->start] ? assay_min(motion_score_at(m, row, k - 1), next) : next;
}

static double motion_blended(const struct motion_options *o, double motion)
{
    return metric_blended_motion(motion, o->blend_factor, o->blend_offset, o->max_val);
}

/* motion3 of frames that have no earlier frame to be compared with: that of the first frame that has one. k: the last
 * of them. */
static double motion_first(const struct metric *m, const double *const *row, int k)
{
    return row[k + 1] ? motion_blended(m->options, motion_score_at(m, row, k + 1)) : 0.0;
}

static double motion3(const struct metric *m, const double *const *row)
{
    const struct motion_options *o = m->options;
    const struct motion_state *s = m->state;
    int alone = 0; /* how many frames from this one on have no earlier frame to be compared with */
    while (alone < s->start && !row[alone - s->start])
        alone++;
    if (alone)
        return motion_first(m, row, alone - 1);
    const double now = motion_blended(o, motion2_at(m, row, 0));
    if (!o->average)
        return now;
    const double last = row[-1 - s->start] ? motion_blended(o, motion2_at(m, row, -1)) : motion_first(m, row, -1);
    return (now + last) / 2.0;
}

static void motion_resolve(const struct metric *m, const double *const *row, double *values)
{
    const struct motion_options *o = m->options;
    values[MOTION2] = motion2_at(m, row, 0);
    values[MOTION3] = motion3(m, row);
    values[SCORE] = motion_score_at(m, row, 0);
    if (o->debug)
        values[MOTION] = values[SCORE];
}

const struct metric_ops metric_motion = {
    .name = "motion", .summary = "motion of the reference from frame to frame, as in VMAF",
    METRIC_PARTS(motion, options, outputs),
    .least = SMALLEST, .build = motion_build, .frame = motion_frame, .resolve = motion_resolve,
};

const struct metric_ops metric_motion_v2 = {
    .name = "motion_v2", .summary = "motion by the name and keys that libvmaf's newer extractor had",
    .options = options + 1, .n_options = sizeof options / sizeof options[0] - 2,
    .outputs = outputs_v2, .n_outputs = sizeof outputs_v2 / sizeof outputs_v2[0],
    .options_size = sizeof(struct motion_options), .state_size = sizeof(struct motion_state),
    .least = SMALLEST, .build = motion_build, .frame = motion_frame, .resolve = motion_resolve,
};
