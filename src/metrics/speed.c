/* SPDX-License-Identifier: BSD-2-Clause */
/* speed_chroma, speed_temporal: SpEED, how much the spatial information of blocks differs, of chroma and of the
 * difference to the frame before. Definitions: docs/metrics/speed.md. */
#include <stdlib.h>

#include "host/exact_math.h"
#include "metrics/metric.h"
#include "metrics/options.h"
#include "metrics/speed_plane.h"

enum { STEP = 16, SMALLEST = STEP * SPEED_SIDE, CHANNELS = 2, BAND_TAPS = 9, MEAN_TAPS = 2 };

/* Of both metrics, with the options that either one has alone. */
struct speed_options {
    double kernelscale, prescale, noise, floor, max_val;
    int method, mode;
    bool of_reference;
};

struct speed_state {
    struct speed_size size;
    struct speed_logs logs;
    struct speed_detail_at detail[CHANNELS];
    float noise, base;  /* deviation of the noise, and what a block without variance has */
    /* By part, twice the channel and the side. Memory is freed by `close`. */
    struct speed_picture *picture;
    float *memory;      /* details, then variances and entropies */
    int64_t *fixed;
};

static const struct metric_choice methods[] = {
    {"nearest", SPEED_NEAREST}, {"bilinear", SPEED_BILINEAR}, {"bicubic", SPEED_BICUBIC},
    {"lanczos4", SPEED_LANCZOS4}, {NULL, 0},
};

#define OPTIONS struct speed_options
#define SHARED_OPTIONS \
    KEY_DOUBLE_OPTION(kernelscale, "speed_kernelscale", "ks", 1, 0.1, 4, \
                      "size of the windows: 1, 0.5, 2, 3 or one of 17 more"), \
    KEY_DOUBLE_OPTION(prescale, "speed_prescale", "ps", 1, 0.1, 4, "factor of the picture's size; 1: not scaled"), \
    KEY_CHOICE_OPTION(method, "speed_prescale_method", "psm", SPEED_NEAREST, methods, "how the picture is scaled"), \
    KEY_DOUBLE_OPTION(noise, "speed_sigma_nn", "snn", 0.29, 0.1, 2, "noise of the eye"), \
    KEY_DOUBLE_OPTION(floor, "speed_nn_floor", "nnf", 0, 0, 1, \
                      "blocks are equal that have less than this share beyond the noise")
static const struct metric_option options_chroma[] = {
    SHARED_OPTIONS,
    KEY_DOUBLE_OPTION(max_val, "speed_max_val", "mxv", 1000, 0, 1000, "largest value"),
    KEY_INT_OPTION(mode, "speed_weight_var_mode", "wvm", 0, 0, 6, "whose variance weighs a block (see the page)"),
};
static const struct metric_option options_temporal[] = {
    SHARED_OPTIONS,
    KEY_DOUBLE_OPTION(max_val, "speed_max_val", "mxv", 1000, 0, 1000, "part of the key, else without effect"),
    KEY_FLAG_OPTION(of_reference, "speed_use_ref_diff", "urd", false,
                    "the distorted frame before is compared with the reference"),
};

static const struct metric_output outputs_chroma[] = {
    {"speed_chroma_u speed_chroma_v speed_chroma_uv", "always", ASSAY_LOWER},
};
static const struct metric_output outputs_temporal[] = {{"speed_temporal", "always", ASSAY_LOWER}};

/* ---- geometry ---------------------------------------------------------------------------------------------------- */

/* A scale this near to 1 is 1: libvmaf then takes other sizes, but does not scale. */
static bool speed_scales(const struct speed_options *o)
{
    return o->prescale - 1.0 >= 1e-3 || 1.0 - o->prescale >= 1e-3;
}

static uint32_t speed_scaled(const struct speed_options *o, uint32_t length)
{
    const uint32_t scaled = speed_scales(o) ? (uint32_t)((double)length * o->prescale + 0.5) : length;
    return scaled ? scaled : 1; /* of the self-test's smallest frames */
}

/* Columns or rows of the picture that a chroma sample is of. Of an odd number the last one counts for none, as in
 * libvmaf. */
static uint32_t speed_chroma_step(const assay_format *f, bool across)
{
    return f->layout == ASSAY_LAYOUT_420 || (across && f->layout == ASSAY_LAYOUT_422) ? 2 : 1;
}

/* The odd number of taps of a window of `taps` taps at scale 1. */
static int32_t speed_taps(const struct speed_options *o, int taps)
{
    const double scaled = assay_ceil((double)((float)taps * (float)o->kernelscale));
    const int32_t n = (int32_t)scaled | 1;
    return n < 3 ? 3 : n;
}

/* The taps of a window, from the outside to the middle: a Gaussian whose density is rounded as in libvmaf. */
static void speed_window(int32_t taps, float deviation, float *tap)
{
    const double sd = (double)deviation;
    const float v = (float)(1.0 / (sd * assay_sqrt(2.0 * ASSAY_PI)));
    float sum = 0.0f;
    for (int32_t i = 0; i < taps; i++) {
        const double x = (double)(i - (taps - 1) / 2);
        const float density = (float)assay_exp(-0.5 * x / sd * x / sd) / v;
        sum += density;
        if (i <= taps / 2)
            tap[i] = density;
    }
    for (int32_t i = 0; i <= taps / 2; i++)
        tap[i] /= sum;
}

static bool speed_knows_scale(double kernelscale)
{
    static const float known[] = {
        1.0f, 1.0f / 2.0f, 3.0f / 2.0f, 2.0f, 2.0f / 3.0f, 24.0f / 10.0f, 360.0f / 97.0f, 4.0f / 3.0f, 3.5f / 3.0f,
        3.75f / 3.0f, 4.25f / 3.0f, 5.0f / 3.0f, 3.0f, 1.0f / 2.25f, 1.4746f, 1.54f, 1.6f, 1.06667f, 0.711111f,
        0.740740f, 1.111111f,
    };
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        const float off = (float)kernelscale - known[i];
        if ((double)(off < 0.0f ? -off : off) < 1e-3)
            return true;
    }
    return false;
}

/* w and h: samples of a plane; a sample is of `across` columns and `down` rows of the picture. */
static int speed_allows(const struct speed_options *o, const struct metric_pair *pair, uint32_t across, uint32_t down,
                        const char *name, struct assay_error *e)
{
    const uint32_t w = pair->whole_width / across, h = pair->whole_height / down;
    if (!speed_knows_scale(o->kernelscale))
        return assay_fail(e, ASSAY_EUSAGE,
                          "%s has windows for a speed_kernelscale of 1, 0.5, 1.5, 2, 3 and the others that its page "
                          "lists, not for %g", name, o->kernelscale);
    if (speed_scaled(o, w) >= SMALLEST && speed_scaled(o, h) >= SMALLEST)
        return ASSAY_OK;
    uint32_t least = SMALLEST;
    while (speed_scales(o) && least && speed_scaled(o, least - 1) >= SMALLEST)
        least--;
    while (speed_scaled(o, least) < SMALLEST)
        least++;
    return assay_fail(e, ASSAY_EUSAGE, "%s needs at least %ux%u%s, this is %ux%u", name, least * across, least * down,
                      speed_scales(o) ? " with this speed_prescale" : "", pair->whole_width, pair->whole_height);
}

static int speed_chroma_allows(const struct metric_pair *pair, const void *opaque, struct assay_error *e)
{
    const assay_format *f = &pair->format;
    if (f->layout != ASSAY_LAYOUT_420 && f->layout != ASSAY_LAYOUT_422 && f->layout != ASSAY_LAYOUT_444)
        return assay_fail(e, ASSAY_EUSAGE, "speed_chroma needs YUV with chroma planes");
    return speed_allows(opaque, pair, speed_chroma_step(f, true), speed_chroma_step(f, false), "speed_chroma", e);
}

static int speed_temporal_allows(const struct metric_pair *pair, const void *opaque, struct assay_error *e)
{
    TRY(metric_needs_luma(pair, "speed_temporal", e));
    return speed_allows(opaque, pair, 1, 1, "speed_temporal", e);
}

/* ---- passes ------------------------------------------------------------------------------------------------------ */

/* The self-test's frames are smaller than those that are scored: they have an element, and maybe no block. */
static struct speed_size speed_size_of(const struct speed_options *o, uint32_t w, uint32_t h)
{
    struct speed_size s = {speed_scaled(o, w) / STEP, speed_scaled(o, h) / STEP, 0, 0, 0};
    s.width += !s.width;
    s.height += !s.height;
    s.across = s.width / SPEED_SIDE;
    s.down = s.height / SPEED_SIDE;
    s.blocks = s.across * s.down;
    return s;
}

/* The picture that one side is scored by. */
struct speed_source {
    graph_plane plane, later; /* `later` of speed_temporal */
    bool difference;
    uint32_t width, height;   /* samples that count */
    float unit;               /* of a code on the 8-bit scale */
    int32_t method;           /* how it is scaled; SPEED_NEAREST where it is not */
};

static struct speed_source speed_source(const struct metric_build *b, uint32_t width, uint32_t height)
{
    const struct speed_options *o = b->metric->options;
    width += !width; /* half of the self-test's smallest frames */
    height += !height;
    const bool same = speed_scaled(o, width) == width && speed_scaled(o, height) == height;
    return (struct speed_source){.width = width, .height = height,
                                 .unit = metric_sample_unit(b),
                                 .method = same ? SPEED_NEAREST : o->method};
}

/* The table of the windows' positions along one axis: of `windows` windows of `taps` taps, of `length` samples. */
static int speed_add_steps(struct metric_build *b, const struct speed_source *from, bool across, int32_t taps,
                           graph_plane *table)
{
    const struct speed_options *o = b->metric->options;
    const struct speed_size *size = &((struct speed_state *)b->metric->state)->size;
    const uint32_t length = across ? from->width : from->height, scaled = speed_scaled(o, length);
    const uint32_t positions = (uint32_t)taps * (across ? size->width : size->height);
    return speed_steps_add(b->graph,
                           PASS_GRID(speed_steps, across ? positions : SPEED_STEPS, across ? SPEED_STEPS : positions,
                                     .source = from->plane, .across = across, .taps = taps,
                                     .tap_share = 1.0f / (float)taps, .method = from->method,
                                     .length = (int32_t)length, .scaled = (int32_t)scaled,
                                     .ratio = (float)length / (float)scaled, .none = 0),
                           table, b->error);
}

/* Taps `first` on that a kernel has as parameters. */
static void speed_half(const float *tap, int first, float half[SPEED_HALF])
{
    for (int i = 0; i < SPEED_HALF; i++)
        half[i] = tap[first + i];
}

/* The table of the taps, of which there are more than a kernel has parameters for. `any` is a plane of floats. */
static int speed_add_taps(struct metric_build *b, graph_plane any, int32_t taps, const float *tap, graph_plane *table)
{
    float half[SPEED_HALF];
    *table = any;
    for (int32_t first = 0; first <= taps / 2; first += SPEED_HALF) {
        speed_half(tap, first, half);
        TRY(speed_taps_add(b->graph, PASS_GRID(speed_taps, (uint32_t)taps, 1, .before = *table, .first = first,
                                               .tap = &half),
                           table, b->error));
    }
    return ASSAY_OK;
}

/* The band of a scaled picture, or by a wide window: the samples of every window are picked first. */
static int speed_add_picked(struct metric_build *b, const struct speed_source *from, int32_t taps, const float *tap,
                            graph_plane *band)
{
    const struct speed_size *size = &((struct speed_state *)b->metric->state)->size;
    const bool difference = from->difference;
    graph_plane source = from->plane, columns, rows, picked, table, down;
    if (difference)
        TRY(speed_difference_add(b->graph, PASS(speed_difference, .source = from->plane, .later = from->later,
                                                .unit = from->unit),
                                 &source, b->error));
    TRY(speed_add_steps(b, from, true, taps, &columns));
    TRY(speed_add_steps(b, from, false, taps, &rows));
    TRY(speed_samples_add(b->graph,
                          PASS_GRID(speed_samples, (uint32_t)taps * size->width, (uint32_t)taps * size->height,
                                    .source = source, .columns = columns, .rows = rows, .method = from->method,
                                    .unit = difference ? 1.0f : from->unit, .middle = difference ? 0.0f : 128.0f,
                                    .width = (int32_t)from->width, .height = (int32_t)from->height),
                          &picked, b->error));
    TRY(speed_add_taps(b, picked, taps, tap, &table));
    TRY(speed_down_picked_add(b->graph, PASS_GRID(speed_down_picked, (uint32_t)taps * size->width, size->height,
                                                  .source = picked, .table = table, .taps = taps),
                              &down, b->error));
    return speed_across_picked_add(b->graph, PASS_GRID(speed_across_picked, size->width, size->height, .down = down,
                                                       .table = table, .taps = taps),
                                   band, b->error);
}

static int speed_add_band(struct metric_build *b, const struct speed_source *from, graph_plane *band)
{
    const struct speed_options *o = b->metric->options;
    const struct speed_size *size = &((struct speed_state *)b->metric->state)->size;
    const int32_t taps = speed_taps(o, BAND_TAPS);
    float tap[SPEED_MOST_TAPS] = {0}, half[SPEED_HALF];
    const uint32_t width = b->graph->plane[from->plane].width;
    graph_plane down;
    speed_window(taps, (float)(2.0 * taps / 5.0), tap);
    if (speed_scales(o) || taps / 2 > SPEED_RADIUS)
        return speed_add_picked(b, from, taps, tap, band);
    speed_half(tap, 0, half);
    if (from->difference)
        TRY(speed_down_difference_add(b->graph,
                                      PASS_GRID(speed_down_difference, width, size->height,
                                                .source = from->plane, .later = from->later, .taps = taps,
                                                .unit = from->unit, .tap = &half),
                                      &down, b->error));
    else
        TRY(speed_down_add(b->graph,
                           PASS_GRID(speed_down, width, size->height, .source = from->plane, .taps = taps,
                                     .unit = from->unit, .tap = &half),
                           &down, b->error));
    return speed_across_add(b->graph, PASS_GRID(speed_across, size->width, size->height, .down = down, .taps = taps,
                                                .tap = &half),
                            band, b->error);
}

/* The details of both sides of a channel. */
static int speed_add_detail(struct metric_build *b, const struct speed_source from[2], unsigned channel)
{
    const struct speed_options *o = b->metric->options;
    struct speed_state *s = b->metric->state;
    const int32_t taps = speed_taps(o, MEAN_TAPS);
    float tap[SPEED_MEAN_HALF] = {0};
    graph_plane band[2];
    s->size = speed_size_of(o, from[0].width, from[0].height);
    for (unsigned side = 0; side < 2; side++)
        TRY(speed_add_band(b, &from[side], &band[side]));
    speed_window(taps, (float)taps / 5.0f, tap);
    return speed_detail_add(b->graph, PASS(speed_detail, .ref = band[SIDE_REF], .dis = band[SIDE_DIS], .taps = taps,
                                           .tap = &tap),
                            &s->detail[channel], b->error);
}

/* Memory for each part. */
static int speed_allocate(struct speed_state *s, uint32_t parts, struct assay_error *e)
{
    const size_t elements = (size_t)s->size.width * s->size.height, blocks = s->size.blocks;
    s->memory = malloc(parts * (elements + 2 * blocks) * sizeof *s->memory);
    s->fixed = malloc(parts * elements * sizeof *s->fixed);
    s->picture = calloc(parts, sizeof *s->picture);
    if (!s->memory || !s->fixed || !s->picture)
        return assay_fail_memory(e, "SpEED");
    for (uint32_t part = 0; part < parts; part++) {
        s->picture[part].variance = s->memory + parts * elements + 2 * part * blocks;
        s->picture[part].entropy = s->picture[part].variance + blocks;
    }
    return ASSAY_OK;
}

static int speed_prepare(struct metric_build *b)
{
    const struct speed_options *o = b->metric->options;
    struct speed_state *s = b->metric->state;
    s->noise = (float)o->noise;
    s->base = (float)(25.0 * (assay_log2((double)((1.0f + (float)o->floor) * s->noise)) + SPEED_LOG2_2PIE));
    speed_logs_make(&s->logs);
    return speed_allocate(s, b->metric->ops->parts, b->error);
}

static void speed_close(struct metric *m)
{
    struct speed_state *s = m->state;
    free(s->memory);
    free(s->fixed);
    free(s->picture);
}

static int speed_chroma_build(struct metric_build *b)
{
    const assay_format *f = &b->pair->format;
    char tail[METRIC_KEY_SIZE];
    for (uint32_t channel = 0; channel < CHANNELS; channel++) {
        struct speed_source from[2];
        for (unsigned side = 0; side < 2; side++) {
            from[side] = speed_source(b, f->width / speed_chroma_step(f, true),
                                      f->height / speed_chroma_step(f, false));
            TRY(metric_plane(b, (enum graph_side)side, 1 + channel, &from[side].plane));
        }
        TRY(speed_add_detail(b, from, channel));
    }
    TRY(speed_prepare(b));
    TRY(options_key_tail(b->metric, tail, b->error));
    TRY(metric_add_key(b, &outputs_chroma[0], "speed_chroma_u%s", tail));
    TRY(metric_add_key(b, &outputs_chroma[0], "speed_chroma_v%s", tail));
    return metric_add_key(b, &outputs_chroma[0], "speed_chroma_uv%s", tail);
}

static int speed_temporal_build(struct metric_build *b)
{
    const struct speed_options *o = b->metric->options;
    const assay_format *f = &b->pair->format;
    struct speed_source from[2];
    char tail[METRIC_KEY_SIZE];
    b->metric->before = 1;
    for (unsigned side = 0; side < 2; side++) {
        from[side] = speed_source(b, f->width, f->height);
        from[side].difference = true;
        TRY(metric_luma_before(b, 1, (enum graph_side)side, &from[side].plane));
        TRY(metric_luma(b, o->of_reference ? SIDE_REF : (enum graph_side)side, &from[side].later));
    }
    TRY(speed_add_detail(b, from, 0));
    TRY(speed_prepare(b));
    TRY(options_key_tail(b->metric, tail, b->error));
    return metric_add_key(b, &outputs_temporal[0], "speed_temporal%s", tail);
}

/* ---- scores ------------------------------------------------------------------------------------------------------ */

/* What the entropies of a block are multiplied by the logarithms of. */
static void speed_weights(int mode, float r, float d, double *ref, double *dis)
{
    const double one_r = (double)(1.0f + r), one_d = (double)(1.0f + d);
    const double mean = 1.0 + (double)(r + d) / 2.0;
    *ref = mode == 2 ? one_d : mode == 3 ? mean : one_r;
    switch (mode) {
    case 1: *dis = one_r; break;
    case 3:
    case 4: *dis = mean; break;
    case 5: *dis = 1.0 + (0.75 * (double)r + 0.25 * (double)d); break;
    case 6: *dis = 1.0 + (0.25 * (double)r + 0.75 * (double)d); break;
    default: *dis = one_d;
    }
}

static float speed_score(const struct speed_state *s, int mode, const struct speed_picture *picture)
{
    const struct speed_picture *ref = &picture[SIDE_REF], *dis = &picture[SIDE_DIS];
    float sum = 0.0f;
    if (ref->bad != dis->bad)
        return 0.0f;
    for (uint32_t i = 0; i < s->size.blocks; i++) {
        double of_ref, of_dis;
        if (ref->entropy[i] < s->base && dis->entropy[i] < s->base)
            continue;
        speed_weights(mode, ref->variance[i], dis->variance[i], &of_ref, &of_dis);
        const float r = (float)((double)ref->entropy[i] * speed_log2(&s->logs, of_ref));
        const float d = (float)((double)dis->entropy[i] * speed_log2(&s->logs, of_dis));
        sum += speed_abs(r - d);
    }
    return sum / (float)s->size.blocks;
}

/* Solves the picture of a side of a channel: part 2 * channel + side. */
static void speed_part(const struct metric *m, uint32_t part, const int64_t *totals)
{
    const struct speed_state *s = m->state;
    const size_t elements = (size_t)s->size.width * s->size.height;
    const int64_t *word = speed_detail_words(s->detail[part / 2], totals);
    float *detail = s->memory + part * elements;
    for (size_t i = 0; i < elements; i++) {
        const uint32_t bits = (uint32_t)((uint64_t)word[i] >> 32 * (part % 2));
        memcpy(&detail[i], &bits, sizeof bits);
    }
    speed_picture_solve(&s->size, &s->logs, detail, s->noise, s->fixed + part * elements, &s->picture[part]);
}

static float speed_channel(const struct speed_state *s, int mode, unsigned channel, bool *bad)
{
    const struct speed_picture *picture = s->picture + (size_t)2 * channel;
    *bad = picture[SIDE_REF].bad || picture[SIDE_DIS].bad;
    return speed_score(s, mode, picture);
}

static void speed_chroma_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct speed_options *o = m->options;
    bool bad[CHANNELS];
    float score[CHANNELS + 1];
    for (unsigned channel = 0; channel < CHANNELS; channel++)
        score[channel] = speed_channel(m->state, o->mode, channel, &bad[channel]);
    score[2] = bad[0] == bad[1] ? (score[0] + score[1]) / 2.0f : bad[0] ? score[1] : score[0];
    for (unsigned i = 0; i <= CHANNELS; i++)
        values[i] = (double)score[i] < o->max_val ? (double)score[i] : o->max_val;
    (void)totals;
    (void)accumulators;
}

static void speed_temporal_frame(const struct metric *m, const int64_t *totals, double *values,
                                 assay_i128 *accumulators)
{
    bool bad;
    values[0] = (double)speed_channel(m->state, 0, 0, &bad);
    (void)totals;
    (void)accumulators;
}

static void speed_temporal_resolve(const struct metric *m, const double *const *row, double *values)
{
    values[0] = row[-1] ? row[0][0] : 0.0;
    (void)m;
}

const struct metric_ops metric_speed_chroma = {
    .name = "speed_chroma", .summary = "difference of the spatial information of chroma (SpEED)",
    METRIC_PARTS(speed, options_chroma, outputs_chroma),
    .close = speed_close, .allows = speed_chroma_allows, .build = speed_chroma_build, .parts = 2 * CHANNELS,
    .part = speed_part, .frame = speed_chroma_frame,
};

const struct metric_ops metric_speed_temporal = {
    .name = "speed_temporal", .summary = "difference of the spatial information of changes in luma (SpEED)",
    METRIC_PARTS(speed, options_temporal, outputs_temporal),
    .close = speed_close, .allows = speed_temporal_allows, .build = speed_temporal_build, .parts = 2,
    .part = speed_part, .frame = speed_temporal_frame, .resolve = speed_temporal_resolve,
};
