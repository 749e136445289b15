/* SPDX-License-Identifier: BSD-2-Clause */
/* cambi: banding of the distorted picture's luma. Definition: docs/metrics/cambi.md. */
#include <stdio.h>

#include "host/colour.h"
#include "metrics/cambi_limits.h"
#include "metrics/metric.h"
#include "metrics/options.h"

enum { SCALES = 5, SMALLEST = 216, LARGEST_WINDOW = 65, DIGITS = 512, BLOCK_ROWS = 8 };
static const double default_topk = 0.6;

struct cambi_options {
    int eotf, cambi_eotf, enc_width, enc_height, enc_bitdepth, src_width, src_height, window_size, max_log_contrast,
        high_res_speedup;
    double topk, cambi_topk, tvi_threshold, vis_lum_threshold, max_val;
    bool full_ref;
    char heatmaps_path[METRIC_TEXT];
};

/* A picture whose banding is measured: the distorted one, or with full_ref the reference. */
struct cambi_side {
    int window;
    double largest[SCALES]; /* how many of the largest contrasts of a scale count */
    struct cambi_count_1_at count[SCALES];
    struct cambi_pick_2_at pick[SCALES];
    struct cambi_top_at top[SCALES];
};

struct cambi_state {
    struct cambi_side side[2]; /* by enum graph_side */
};

static const struct metric_choice eotfs[] = {{"bt1886", CAMBI_BT1886}, {"pq", CAMBI_PQ}, {NULL, 0}};

#define OPTIONS struct cambi_options
static const struct metric_option options[] = {
    KEY_INT_OPTION(enc_width, "enc_width", "encw", 0, 180, 7680, "columns that the encoder saw; 0: the picture's"),
    KEY_INT_OPTION(enc_height, "enc_height", "ench", 0, 150, 7680, "rows that the encoder saw; 0: the picture's"),
    KEY_INT_OPTION(enc_bitdepth, "enc_bitdepth", "encbd", 0, 6, 16,
                   "bits that the encoder saw; below 10, dither is taken out. 0: the picture's"),
    KEY_INT_OPTION(src_width, "src_width", "srcw", 0, 320, 7680,
                   "columns of the source, for full_ref; 0: the picture's"),
    KEY_INT_OPTION(src_height, "src_height", "srch", 0, 200, 4320,
                   "rows of the source, for full_ref; 0: the picture's"),
    KEY_INT_OPTION(window_size, "window_size", "ws", 65, 15, 127, "window at 3840x2160; smaller pictures have less"),
    KEY_DOUBLE_OPTION(topk, "topk", "topk", 0.6, 0.0001, 1, "share of the pixels, those of most contrast, that count"),
    KEY_DOUBLE_OPTION(cambi_topk, "cambi_topk", "ctpk", 0.6, 0.0001, 1, "the same, where topk is 0.6"),
    KEY_DOUBLE_OPTION(tvi_threshold, "tvi_threshold", "tvit", 0.019, 0.0001, 1,
                      "difference of light that can be seen, as a share"),
    KEY_DOUBLE_OPTION(vis_lum_threshold, "cambi_vis_lum_threshold", "vlt", 0, 0, 300,
                      "light below which no banding is seen, in cd/m2"),
    KEY_DOUBLE_OPTION(max_val, "cambi_max_val", "cmxv", 1000, 0, 1000, "largest score"),
    KEY_INT_OPTION(max_log_contrast, "max_log_contrast", "mlc", 2, 0, 5,
                   "log2 of the largest step, in codes of 10 bits"),
    KEY_CHOICE_OPTION(eotf, "eotf", "eotf", CAMBI_BT1886, eotfs, "transfer function of the display"),
    KEY_CHOICE_OPTION(cambi_eotf, "cambi_eotf", "ceot", CAMBI_BT1886, eotfs, "the same; wins where it is not bt1886"),
    KEY_INT_OPTION(high_res_speedup, "cambi_high_res_speedup", "hrs", 0, 0, 2160,
                   "1080, 1440 or 2160: pictures of so many lines and more are halved first"),
    FLAG_OPTION(full_ref, "full_ref", false, "also score the reference, and what the distorted picture adds"),
    TEXT_OPTION(heatmaps_path, "heatmaps_path", NULL, "",
                "a folder for libvmaf's files of contrasts, of 16 bits, of the distorted picture"),
};

enum { OUT_CAMBI, OUT_FULL_REF };
static const struct metric_output outputs[] = {
    [OUT_CAMBI] = {"cambi", "always", ASSAY_LOWER},
    [OUT_FULL_REF] = {"cambi_source cambi_full_reference", "full_ref", ASSAY_LOWER},
};

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

struct cambi_size {
    uint32_t width, height;
};

/* The sizes at which the distorted picture and the reference are measured, by enum graph_side, for pictures of the
 * session's size. */
static void cambi_sizes(const struct cambi_options *o, const struct metric_pair *pair, struct cambi_size size[2])
{
    const struct cambi_size whole = {pair->whole_width, pair->whole_height};
    struct cambi_size enc = {(uint32_t)o->enc_width, (uint32_t)o->enc_height},
                      src = {(uint32_t)o->src_width, (uint32_t)o->src_height};
    if (!enc.width || !enc.height || enc.width > whole.width || enc.height > whole.height)
        enc = whole;
    if (!src.width || !src.height)
        src = whole;
    size[SIDE_DIS] = enc;
    size[SIDE_REF] = src;
}

static bool cambi_speedup(const struct cambi_options *o, const struct cambi_size *enc)
{
    const uint64_t pixels = (uint64_t)enc->width * enc->height;
    switch (o->high_res_speedup) {
    case 1080: return pixels >= 1920u * 1080u;
    case 1440: return pixels >= 2560u * 1440u;
    case 2160: return pixels >= 3840u * 2160u;
    default: return false;
    }
}

static int cambi_window(const struct cambi_options *o, const struct cambi_size *size, bool speedup)
{
    const int64_t scaled = ((int64_t)o->window_size * ((int64_t)size->width + size->height) / 375) >> 4;
    return (int)(speedup ? (scaled + 1) >> 1 : scaled) | 1;
}

static int cambi_allows_size(const struct cambi_size *size, const char *what, struct assay_error *e)
{
    if (size->width >= SMALLEST || size->height >= SMALLEST)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EUSAGE, "cambi needs at least %d columns or %d rows%s, this is %ux%u", SMALLEST,
                      SMALLEST, what, size->width, size->height);
}

static int cambi_allows(const struct metric_pair *pair, const void *opaque, struct assay_error *e)
{
    const struct cambi_options *o = opaque;
    struct cambi_size size[2];
    TRY(metric_needs_luma(pair, "cambi", e));
    cambi_sizes(o, pair, size);
    const struct cambi_size *enc = &size[SIDE_DIS], *src = &size[SIDE_REF];
    TRY(cambi_allows_size(enc, "", e));
    if (o->full_ref || o->src_width || o->src_height) {
        TRY(cambi_allows_size(src, " of the source", e));
        if ((src->width > enc->width && src->height < enc->height) ||
            (src->width < enc->width && src->height > enc->height))
            return assay_fail(e, ASSAY_EUSAGE,
                              "cambi: the source is %ux%u and what the encoder saw %ux%u: one has more columns, the "
                              "other more rows", src->width, src->height, enc->width, enc->height);
    }
    const bool speedup = cambi_speedup(o, enc);
    for (unsigned side = 0; side < 2; side++)
        if (cambi_window(o, &size[side], speedup) > LARGEST_WINDOW)
            return assay_fail(e, ASSAY_EUSAGE,
                              "cambi: the window of %ux%u is %d wide, and %d is the largest: state a smaller "
                              "window_size, or cambi_high_res_speedup=2160",
                              size[side].width, size[side].height, cambi_window(o, &size[side], speedup),
                              LARGEST_WINDOW);
    return ASSAY_OK;
}

/* ---- passes ------------------------------------------------------------------------------------------------------ */

/* The table of source columns or rows, from `length` samples to `wanted`. */
static int cambi_add_steps(struct metric_build *b, graph_plane luma, uint32_t length, uint32_t wanted,
                           graph_plane *table)
{
    const float step = (float)length / (float)wanted, half = step / 2.0f;
    return cambi_steps_add(b->graph,
                           PASS_GRID(cambi_steps, wanted, 1, .source = luma, .start = (float)((double)half - 0.5),
                                     .step = step, .length = (int32_t)length, .none = 0),
                           table, b->error);
}

/* Pairs of a row of n samples. */
static uint32_t cambi_pairs(uint32_t n)
{
    return (n + 1) / 2;
}

/* The picture's codes at the size that it is measured at, in pairs. */
static int cambi_add_codes(struct metric_build *b, enum graph_side side, const struct cambi_size *size,
                           graph_plane *codes)
{
    const struct cambi_options *o = b->metric->options;
    const assay_format *f = &b->pair->format;
    const int32_t dither = (o->enc_bitdepth ? o->enc_bitdepth : (int)f->bit_depth) < 10;
    graph_plane luma, columns, rows;
    TRY(metric_luma(b, side, &luma));
    if (size->width != f->width || size->height != f->height) {
        TRY(cambi_add_steps(b, luma, f->width, size->width, &columns));
        TRY(cambi_add_steps(b, luma, f->height, size->height, &rows));
        TRY(cambi_resample_add(b->graph,
                               PASS_GRID(cambi_resample, size->width, size->height, .source = luma, .columns = columns,
                                         .rows = rows),
                               &luma, b->error));
    }
    return cambi_prepare_add(b->graph,
                             PASS_GRID(cambi_prepare, cambi_pairs(size->width), size->height, .source = luma,
                                       .bits = (int32_t)f->bit_depth, .dither = dither),
                             codes, b->error);
}

/* The transfer function of codes, by the option or by libvmaf's short name of it. */
static int cambi_transfer(const struct cambi_options *o)
{
    return o->cambi_eotf != CAMBI_BT1886 ? o->cambi_eotf : o->eotf;
}

/* The parameters of the contrast's pass. */
static void cambi_limits(const struct cambi_options *o, int window, int32_t *limits, int32_t reach[11])
{
    const int transfer = cambi_transfer(o), steps = 1 << o->max_log_contrast;
    int largest = 0;
    for (int i = 0; i < 11; i++)
        reach[i] = 0;
    for (int d = 1; d <= steps; d++) {
        const int to = cambi_reach(transfer, o->tvi_threshold, d);
        largest = to > largest ? to : largest;
        reach[(d - 1) / 3] |= to << 10 * ((d - 1) % 3);
    }
    *limits = window >> 1 | o->max_log_contrast << 6 | cambi_visible(transfer, o->vis_lum_threshold) << 9 |
              largest << 19;
}

/* The passes that find the sum of the largest contrasts of a scale. */
static int cambi_add_top(struct metric_build *b, graph_plane contrast, const struct cambi_size *size,
                         struct cambi_side *side, unsigned scale)
{
    const struct cambi_options *o = b->metric->options;
    const double share = o->topk != default_topk ? o->topk : o->cambi_topk;
    const uint32_t pixels = size->width * size->height, blocks = (size->height + BLOCK_ROWS - 1) / BLOCK_ROWS;
    uint32_t rank = (uint32_t)(share * (double)pixels);
    graph_plane counts, picked, more;
    rank = rank < 1 ? 1 : rank > pixels ? pixels : rank;
    side->largest[scale] = (double)rank;
    TRY(cambi_count_1_add(b->graph, PASS_GRID(cambi_count_1, 128, 4 * blocks, .contrast = contrast),
                          &side->count[scale], &counts, b->error));
    TRY(cambi_pick_1_add(b->graph,
                         PASS_GRID(cambi_pick_1, 128, 4, .counts = counts, .blocks = (int32_t)blocks,
                                   .rank = (int32_t)rank),
                         &picked, b->error));
    TRY(cambi_count_2_add(b->graph, PASS_GRID(cambi_count_2, 128, 4 * blocks, .contrast = contrast, .picked = picked),
                          &counts, b->error));
    TRY(cambi_pick_2_add(b->graph,
                         PASS_GRID(cambi_pick_2, 128, 4, .counts = counts, .before = picked, .blocks = (int32_t)blocks),
                         &side->pick[scale], &more, b->error));
    return cambi_top_add(b->graph, PASS(cambi_top, .contrast = contrast, .picked = more), &side->top[scale], b->error);
}

/* libvmaf's file of a scale's contrasts: 65535 is what it takes for the largest. Its names state the size that the
 * encoder saw and halves of it, whether or not the speed-up has halved the first scale. */
static int cambi_add_file(struct metric_build *b, const struct cambi_size *whole, const struct cambi_side *side,
                          unsigned scale, graph_plane contrast)
{
    const struct cambi_options *o = b->metric->options;
    struct metric_file file = {.folder = o->heatmaps_path, .plane = contrast,
                               .scale = 65535.0 / (CAMBI_WEIGHT(1 << o->max_log_contrast) * side->window *
                                                   side->window / 4)};
    uint32_t w = whole->width, h = whole->height;
    for (unsigned s = 0; s < scale; s++) {
        w = (w + 1) >> 1;
        h = (h + 1) >> 1;
    }
    snprintf(file.name, sizeof file.name, "cambi_heatmap_scale_%u_%ux%u_16b.gray", scale, w, h);
    return metric_add_file(b, file);
}

/* The passes of one picture. */
static int cambi_add_side(struct metric_build *b, enum graph_side side, const struct cambi_size *whole, bool speedup)
{
    const struct cambi_options *o = b->metric->options;
    struct cambi_side *own = &((struct cambi_state *)b->metric->state)->side[side];
    const assay_format *f = &b->pair->format;
    /* The self-test's frames are smaller than those that the session scores: what is measured at the size of these is
     * measured at that of its own frames there. */
    const bool same = whole->width == b->pair->whole_width && whole->height == b->pair->whole_height;
    struct cambi_size size = same ? (struct cambi_size){f->width, f->height} : *whole;
    const uint32_t blocks = (whole->width >> 6) * (whole->height >> 6);
    int32_t bits = 0; /* ceil(log2 blocks), 0 for 0 */
    while (blocks > 1u << bits)
        bits++;
    const int32_t threshold = (49 + 3 * (bits - 11) - 1) >> 1;
    int32_t limits, reach[11];
    graph_plane codes, pairs, cells, reciprocals, contrast;
    char name[32];
    own->window = cambi_window(o, whole, speedup);
    cambi_limits(o, own->window, &limits, reach);
    TRY(cambi_add_codes(b, side, &size, &codes));
    TRY(cambi_mask_add(b->graph, PASS(cambi_mask, .codes = codes, .threshold = threshold, .width = (int32_t)size.width),
                       &pairs, b->error));
    TRY(cambi_reciprocals_add(b->graph, PASS_GRID(cambi_reciprocals, CAMBI_RECIPROCALS, 1, .source = codes, .none = 0),
                              &reciprocals, b->error));
    for (unsigned s = 0; s < SCALES; s++) {
        const bool halve = s || speedup;
        size.width = halve ? (size.width + 1) >> 1 : size.width;
        size.height = halve ? (size.height + 1) >> 1 : size.height;
        const struct cambi_mode_pass pass = PASS_GRID(cambi_mode, cambi_pairs(size.width), size.height, .before = pairs,
                                                      .width = (int32_t)size.width);
        TRY((halve ? cambi_mode_2_add : cambi_mode_1_add)(b->graph, pass, &pairs, b->error));
        TRY(graph_view(b->graph, pairs, SAMPLE_U16, size.width, &cells, b->error));
        TRY(cambi_add(b->graph, PASS(cambi, .cells = cells, .reciprocals = reciprocals, .limits = limits,
                                     .reach = &reach),
                      &contrast, b->error));
        TRY(cambi_add_top(b, contrast, &size, own, s));
        snprintf(name, sizeof name, s ? "cambi%s_scale%u" : "cambi%s", side == SIDE_REF ? "_source" : "", s);
        TRY(metric_add_map(b, name, contrast, 0));
        if (*o->heatmaps_path && side == SIDE_DIS)
            TRY(cambi_add_file(b, whole, own, s, contrast));
    }
    return ASSAY_OK;
}

static int cambi_build(struct metric_build *b)
{
    const struct cambi_options *o = b->metric->options;
    struct cambi_size size[2];
    char tail[METRIC_KEY_SIZE], name[COLOUR_NAME];
    cambi_sizes(o, b->pair, size);
    const bool speedup = cambi_speedup(o, &size[SIDE_DIS]);
    const bool pq = cambi_transfer(o) == CAMBI_PQ;
    const assay_format *f = &b->pair->side[SIDE_DIS];
    const int tag = colour_transfer(f);
    const bool other = colour_tagged(f, COLOUR_TRANSFER) && (tag == TRANSFER_HLG || (tag == TRANSFER_PQ) != pq);
    const bool full = b->pair->rgb_to_luma ? !b->pair->rgb_offset : colour_range(f) == ASSAY_RANGE_FULL;
    if (other || full)
        metric_note(b, "codes are taken as %s (eotf)%s, although%s%s%s%s", pq ? "pq" : "bt1886",
                    full ? " of limited range" : "", other ? " tagged " : "",
                    other ? colour_name(f, COLOUR_TRANSFER, name) : "", other && full ? " and" : "",
                    full ? " of full range" : "");
    TRY(cambi_add_side(b, SIDE_DIS, &size[SIDE_DIS], speedup));
    if (o->full_ref)
        TRY(cambi_add_side(b, SIDE_REF, &size[SIDE_REF], speedup));
    TRY(options_key_tail(b->metric, tail, b->error));
    TRY(metric_add_key(b, &outputs[OUT_CAMBI], "cambi%s", tail));
    if (!o->full_ref)
        return ASSAY_OK;
    TRY(metric_add_key(b, &outputs[OUT_FULL_REF], "cambi_source"));
    return metric_add_key(b, &outputs[OUT_FULL_REF], "cambi_full_reference");
}

/* ---- scores ------------------------------------------------------------------------------------------------------ */

/* The sum of the largest contrasts of a scale in units of 2^-24: those above the two digits that were picked, and of
 * those that have them as many as are left, from the largest last digit down. Where no digits were picked, fewer
 * contrasts than count are above 0, and it is the sum of all. */
static int64_t cambi_sum(const struct cambi_side *side, unsigned scale, const int64_t *totals)
{
    const struct cambi_pick_2_totals pick = cambi_pick_2_totals(side->pick[scale], totals);
    const struct cambi_top_totals top = cambi_top_totals(side->top[scale], totals);
    if (pick.digits == 0)
        return cambi_count_1_totals(side->count[scale], totals).all;
    int64_t sum = top.above, left = pick.left.low + pick.left.high * 65536;
    for (int64_t digit = DIGITS - 1; digit >= 0 && left > 0; digit--) {
        const int64_t key = (pick.digits - 1) * DIGITS + digit;
        const int64_t contrast = ((key & 0x7fffff) | 0x800000) << (key >> 23);
        const int64_t n = top.bins[digit] < left ? top.bins[digit] : left;
        sum += n * contrast;
        left -= n;
    }
    return sum;
}

static double cambi_score(const struct cambi_side *side, const int64_t *totals)
{
    double score = 0.0, weight = 16.0;
    for (unsigned s = 0; s < SCALES; s++, weight /= 2.0)
        score += weight * ((double)cambi_sum(side, s, totals) / 16777216.0 / side->largest[s]);
    return score / (double)(side->window * side->window);
}

static void cambi_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct cambi_options *o = m->options;
    const struct cambi_state *s = m->state;
    values[0] = cambi_score(&s->side[SIDE_DIS], totals);
    if (o->full_ref) {
        values[1] = cambi_score(&s->side[SIDE_REF], totals);
        values[2] = values[0] > values[1] ? values[0] - values[1] : 0.0;
    }
    for (unsigned i = 0; i < (o->full_ref ? 3 : 1); i++)
        values[i] = values[i] < o->max_val ? values[i] : o->max_val;
    (void)accumulators;
}

const struct metric_ops metric_cambi = {
    .name = "cambi", .summary = "banding of the distorted picture's luma",
    METRIC_PARTS(cambi, options, outputs),
    .allows = cambi_allows, .build = cambi_build, .frame = cambi_frame,
};
