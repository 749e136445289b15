/* SPDX-License-Identifier: BSD-2-Clause */
/* XPSNR: PSNR whose squared error is weighed, block by block, by how much the reference's activity hides.
 * Definitions: docs/metrics/xpsnr.md. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/exact_math.h"
#include "metrics/metric.h"
#include "metrics/options.h"

enum { PLANES = 3, LEAST_PIXELS = 45 * 45, FASTER = 32 /* frames a second from which on the filter has two frames */ };
enum { NARROW_BITS = 10, MOST_BITS = 14 };
static const uint64_t fine_pixels = 2048 * 1152, smoothed_pixels = 640 * 480; /* the most of each kind */

struct xpsnr_options {
    double fps;
};

struct xpsnr_state {
    uint32_t planes, cols, rows, side; /* blocks of luma, and their side */
    uint32_t width, height, depth;
    bool coarse, smooth, wide;
    double pixels_peak2[PLANES]; /* samples of a plane times the square of the largest */
    double factor;               /* of the weighted errors, by the picture's size */
    struct xpsnr_blocks_at activity, error[PLANES];
    double *weight;              /* of each block, cols * rows */
};

#define OPTIONS struct xpsnr_options
static const struct metric_option options[] = {
    DOUBLE_OPTION(fps, "fps", 0, 0, 1000, "frames per second, where the inputs state none; 0: as they state"),
};

enum { FIGURE, ERRORS, AVERAGE };
static const struct metric_output outputs[] = {
    [FIGURE] = {"xpsnr_y xpsnr_u xpsnr_v", "always", ASSAY_HIGHER},
    [ERRORS] = {"xpsnr_wsse_y xpsnr_wsse_u xpsnr_wsse_v", "always: the weighted squared errors", ASSAY_LOWER},
    [AVERAGE] = {"xpsnr_average_y xpsnr_average_u xpsnr_average_v xpsnr_minimum xpsnr_average_yuv",
                 "over the sequence; the last two with chroma", ASSAY_HIGHER},
};
static const char *const letter[PLANES] = {"y", "u", "v"};

/* The rate of the pair, as the reference filter takes it: that of the distorted pictures, where they have one. The
 * options say it from there on, and so does a part of a run. */
static int xpsnr_settle(struct metric *m, const struct metric_pair *pair, struct assay_error *e)
{
    struct xpsnr_options *o = m->options;
    (void)e;
    for (unsigned side = 2; side-- && o->fps <= 0.0;)
        if (pair->side[side].rate_num && pair->side[side].rate_den)
            o->fps = (double)pair->side[side].rate_num / pair->side[side].rate_den;
    return ASSAY_OK;
}

static bool xpsnr_is_coarse(const struct metric_pair *pair)
{
    return (uint64_t)pair->whole_width * pair->whole_height > fine_pixels;
}

static int xpsnr_allows(const struct metric_pair *pair, const void *opaque, struct assay_error *e)
{
    const struct xpsnr_options *o = opaque;
    const uint32_t w = pair->whole_width, h = pair->whole_height;
    if (pair->format.layout == ASSAY_LAYOUT_RGB)
        return assay_fail(e, ASSAY_EUSAGE, "xpsnr is defined on YUV and grey, and this is RGB");
    if (pair->format.bit_depth > MOST_BITS)
        return assay_fail(e, ASSAY_EUSAGE, "xpsnr takes 8 to %d bits, not %u", MOST_BITS, pair->format.bit_depth);
    if ((uint64_t)w * h < LEAST_PIXELS)
        return assay_fail(e, ASSAY_EUSAGE, "xpsnr needs at least %d pixels, 45x45, and this is %ux%u", LEAST_PIXELS, w,
                          h);
    if (xpsnr_is_coarse(pair) && (w % 2 || h % 2))
        return assay_fail(e, ASSAY_EUSAGE, "xpsnr takes even sides above 2048x1152 pixels, and this is %ux%u", w, h);
    if (!pair->stills && !(o->fps > 0.0))
        return assay_fail(e, ASSAY_EUSAGE, "xpsnr needs the frame rate, and neither input states one: -m xpsnr=fps=25 "
                          "does");
    return ASSAY_OK;
}

/* ---- passes ------------------------------------------------------------------------------------------------------ */

static int xpsnr_add_activity(struct metric_build *b)
{
    const struct xpsnr_options *o = b->metric->options;
    struct xpsnr_state *s = b->metric->state;
    const bool second = o->fps >= FASTER;
    graph_plane luma, last, older, sums;
    b->metric->before = second ? 2 : 1;
    TRY(metric_luma(b, SIDE_REF, &luma));
    TRY(metric_luma_before(b, 1, SIDE_REF, &last));
    TRY(metric_luma_before(b, second ? 2 : 1, SIDE_REF, &older));
    const struct xpsnr_activity_pass pass =
        PASS_GRID(xpsnr_activity, (b->pair->format.width + 1) / 2, s->rows, .luma = luma, .last = last, .older = older,
                  .side = (int32_t)s->side, .second = second);
    TRY((s->coarse ? xpsnr_coarse_add : xpsnr_fine_add)(b->graph, pass, &sums, b->error));
    return xpsnr_blocks_add(b->graph, PASS_GRID(xpsnr_blocks, s->cols, 2 * s->rows, .sums = sums,
                                                .n = (int32_t)s->side / 2),
                            &s->activity, b->error);
}

/* Blocks of chroma are as many as those of luma. `whole` is the format of a whole picture. */
static int xpsnr_add_error(struct metric_build *b, uint32_t p, const assay_format *whole)
{
    struct xpsnr_state *s = b->metric->state;
    const uint32_t width = assay_format_plane_width(&b->pair->format, p);
    const uint64_t across = assay_format_plane_width(whole, p), down = assay_format_plane_height(whole, p);
    const int32_t block_w = (int32_t)(s->side * across / whole->width),
                  block_h = (int32_t)(s->side * down / whole->height);
    graph_plane ref, dis, sums;
    TRY(metric_plane(b, SIDE_REF, p, &ref));
    TRY(metric_plane(b, SIDE_DIS, p, &dis));
    if (s->wide)
        TRY(xpsnr_error_wide_add(b->graph, PASS_GRID(xpsnr_error, width, s->rows, .ref = ref, .dis = dis,
                                                     .side = block_h), &sums, b->error));
    else
        TRY(xpsnr_error_add(b->graph, PASS_GRID(xpsnr_error, width, s->rows, .ref = ref, .dis = dis, .side = block_h),
                            &sums, b->error));
    return xpsnr_blocks_add(b->graph, PASS_GRID(xpsnr_blocks, s->cols, (1 + s->wide) * s->rows, .sums = sums,
                                                .n = block_w),
                            &s->error[p], b->error);
}

static void xpsnr_measure(struct xpsnr_state *s, const struct metric_pair *pair)
{
    const double w = pair->whole_width, h = pair->whole_height, part = w * h / (3840.0 * 2160.0);
    s->depth = pair->format.bit_depth;
    s->width = pair->format.width;
    s->height = pair->format.height;
    s->side = 4 * (uint32_t)(32.0 * assay_sqrt(part) + 0.5);
    s->factor = assay_sqrt(16.0 * (double)(1u << (2 * s->depth - 9)) / assay_sqrt(part > 0.00001 ? part : 0.00001));
    s->cols = (s->width + s->side - 1) / s->side;
    s->rows = (s->height + s->side - 1) / s->side;
    s->coarse = xpsnr_is_coarse(pair);
    s->smooth = (uint64_t)pair->whole_width * pair->whole_height <= smoothed_pixels;
    s->wide = s->depth > NARROW_BITS;
    s->planes = assay_format_planes(&pair->format);
}

static int xpsnr_build(struct metric_build *b)
{
    struct xpsnr_state *s = b->metric->state;
    assay_format whole = b->pair->format;
    whole.width = b->pair->whole_width;
    whole.height = b->pair->whole_height;
    xpsnr_measure(s, b->pair);
    s->weight = malloc((size_t)s->cols * s->rows * sizeof *s->weight);
    if (!s->weight)
        return assay_fail_memory(b->error, "the weights of xpsnr");
    TRY(xpsnr_add_activity(b));
    for (uint32_t p = 0; p < s->planes; p++) {
        const uint64_t peak = (1u << s->depth) - 1;
        s->pixels_peak2[p] = (double)((uint64_t)assay_format_plane_width(&whole, p) *
                                      assay_format_plane_height(&whole, p) * peak * peak);
        TRY(xpsnr_add_error(b, p, &whole));
        TRY(metric_add_key(b, &outputs[FIGURE], "xpsnr_%s", letter[p]));
        TRY(metric_add_aggregate(b, &outputs[AVERAGE], "xpsnr_average_%s", letter[p]));
    }
    for (uint32_t p = 0; p < s->planes; p++) {
        TRY(metric_add_key(b, &outputs[ERRORS], "xpsnr_wsse_%s", letter[p]));
        b->metric->detail[s->planes + p] = true;
    }
    if (s->planes < PLANES)
        return ASSAY_OK;
    TRY(metric_add_aggregate(b, &outputs[AVERAGE], "xpsnr_minimum"));
    return metric_add_aggregate(b, &outputs[AVERAGE], "xpsnr_average_yuv");
}

static void xpsnr_close(struct metric *m)
{
    struct xpsnr_state *s = m->state;
    free(s->weight);
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

/* The samples along one axis of block `at` of `blocks`, of a picture of `length`: all of them, and those that the
 * high-pass is summed over, which leaves out `ring` samples at the picture's ends. */
struct xpsnr_span {
    uint32_t all, from, to;
};

static struct xpsnr_span xpsnr_span(uint32_t at, uint32_t side, uint32_t length, uint32_t ring)
{
    const uint32_t begin = at * side, all = length - begin < side ? length - begin : side;
    const bool last = begin + all == length;
    return (struct xpsnr_span){all, at ? 0 : ring, !last ? all : all > ring ? all - ring : 0};
}

static double xpsnr_weight(const struct xpsnr_state *s, uint32_t x, uint32_t y, int64_t spatial, int64_t temporal)
{
    enum { NARROWEST = 12 }; /* of the columns that the coarse high-pass is summed over */
    const struct xpsnr_span across = xpsnr_span(x, s->side, s->width, s->coarse ? 2 : 1),
                            down = xpsnr_span(y, s->side, s->height, s->coarse ? 2 : 1);
    if (across.to <= across.from || down.to <= down.from)
        return 1.0;
    if (s->coarse && across.to <= NARROWEST)
        spatial = 0;
    const double least = (double)(1u << (s->depth - 6));
    double a = (double)spatial / ((double)(across.to - across.from) * (double)(down.to - down.from));
    a = a + (double)(2 * temporal) / ((double)across.all * (double)down.all);
    return 1.0 / (a < least ? least : a);
}

/* Cuts the weight before block i, as soon as that of block i is known. */
static void xpsnr_smooth(double *w, uint32_t i, uint32_t cols, uint32_t blocks)
{
    const uint32_t x = i % cols;
    double most;
    if (!x)
        most = i > 1 ? w[i - 2] : 0.0;
    else
        most = x > 1 ? assay_max(w[i - 2], w[i]) : w[i];
    if (i > cols)
        most = assay_max(most, w[i - 1 - cols]);
    if (i && w[i - 1] > most)
        w[i - 1] = most;
    if (i + 1 == blocks && i > cols) {
        most = assay_max(w[i - 1], w[i - cols]);
        if (w[i] > most)
            w[i] = most;
    }
}

static void xpsnr_weigh(const struct xpsnr_state *s, const int64_t *totals)
{
    const int64_t *spatial = xpsnr_blocks_words(s->activity, totals);
    const uint32_t blocks = s->cols * s->rows;
    const int64_t *temporal = spatial + blocks;
    for (uint32_t i = 0; i < blocks; i++) {
        s->weight[i] = xpsnr_weight(s, i % s->cols, i / s->cols, spatial[i], temporal[i]);
        if (s->smooth)
            xpsnr_smooth(s->weight, i, s->cols, blocks);
    }
}

/* The weighted squared error of a plane, a whole number. */
static double xpsnr_error(const struct xpsnr_state *s, uint32_t p, const int64_t *totals)
{
    const int64_t *low = xpsnr_blocks_words(s->error[p], totals);
    const uint32_t blocks = s->cols * s->rows;
    double sum = 0.0;
    for (uint32_t i = 0; i < blocks; i++) {
        const int64_t error = low[i] + (s->wide ? low[blocks + i] * 65536 : 0);
        sum = sum + (double)error * s->weight[i];
    }
    return sum <= 0.0 ? 0.0 : (double)(uint64_t)(sum * s->factor + 0.5);
}

/* In dB, of the root of a weighted error. */
static double xpsnr_db(const struct xpsnr_state *s, uint32_t p, double root)
{
    return 10.0 * assay_log10(s->pixels_peak2[p] / (root * root));
}

static void xpsnr_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct xpsnr_state *s = m->state;
    xpsnr_weigh(s, totals);
    for (uint32_t p = 0; p < s->planes; p++) {
        const double error = xpsnr_error(s, p, totals), root = assay_sqrt(error);
        values[p] = root >= 1.0 ? xpsnr_db(s, p, root) : (double)INFINITY;
        values[s->planes + p] = error;
    }
    (void)accumulators;
}

static void xpsnr_fold(const struct metric *m, const struct scores *scores, uint32_t column, double *aggregates)
{
    const struct xpsnr_state *s = m->state;
    const double n = (double)scores->rows;
    for (uint32_t p = 0; p < s->planes; p++) {
        double sum = 0.0;
        for (uint64_t i = 0; i < scores->rows; i++)
            sum = sum + assay_sqrt(scores_value(scores, i, column + s->planes + p));
        aggregates[p] = sum >= n ? xpsnr_db(s, p, sum / n) : (double)INFINITY;
    }
    if (s->planes < PLANES)
        return;
    const double *a = aggregates;
    aggregates[PLANES] = a[0] < a[1] ? (a[0] < a[2] ? a[0] : a[2]) : (a[1] < a[2] ? a[1] : a[2]);
    aggregates[PLANES + 1] = (4.0 * a[0] + a[1] + a[2]) / 6.0;
}

const struct metric_ops metric_xpsnr = {
    .name = "xpsnr", .summary = "PSNR weighed by how much the picture hides (XPSNR), in dB",
    METRIC_PARTS(xpsnr, options, outputs),
    .settle = xpsnr_settle, .close = xpsnr_close, .allows = xpsnr_allows, .build = xpsnr_build,
    .frame = xpsnr_frame, .fold = xpsnr_fold,
};
