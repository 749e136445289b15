/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics/butteraugli_passes.h"

#include <stdlib.h>

#include "host/exact_math.h"

enum { SIDES = 2, SMALLEST = 8, SCALES = 2, FARTHEST = 16 };

/* Gaussians that are divided by what is inside at a border: deviations and reaches of up to FARTHEST, as libjxl has
 * them. */
enum { LOW, MIDDLE, HIGH, ACTIVITY, BLURS };
static const struct {
    double deviation;
    int reach;
} blurs[BLURS] = {{7.15593339443, 16}, {3.22489901262, 7}, {1.56416327805, 3}, {2.7, 6}};

/* The receptors' response to light, by rows, and to the dark. */
static const double mix[9] = {0.29956550340058319,  0.63373087833825936, 0.077705617820981968,
                              0.22158691104574774,  0.69391388044116142, 0.0987313588422,
                              0.02,                 0.02,                0.20480129041026129};
static const float dark[3] = {1.7557483643287353f, 1.7557483643287353f, 12.226454707163354f};

/* The size of a scale, and the tables of its borders: a row for columns, and a column for rows. */
struct scale {
    uint32_t width, height;
    graph_plane across[BLURS], down[BLURS];
};

/* What is made of a side at a scale. */
struct side {
    graph_plane light, low, middle, high, activity;
};

/* ---- a side ------------------------------------------------------------------------------------------------------ */

/* 1 over the sum of the taps that lie inside, for each of n positions. */
static void butteraugli_borders(float *to, uint32_t n, double deviation, int reach)
{
    double all = 0.0, tap[FARTHEST + 1];
    for (int i = 0; i <= reach; i++)
        tap[i] = assay_exp(-i * i / (2.0 * deviation * deviation));
    for (int i = -reach; i <= reach; i++)
        all += tap[abs(i)];
    for (uint32_t at = 0; at < n; at++) {
        double sum = 0.0;
        for (int i = -reach; i <= reach; i++)
            if ((int64_t)at + i >= 0 && (int64_t)at + i < (int64_t)n)
                sum += tap[abs(i)];
        to[at] = (float)(all / sum);
    }
}

static int butteraugli_table(struct metric_build *b, uint32_t n, unsigned blur, bool row, graph_plane *table)
{
    float *values = malloc(n * sizeof *values);
    if (!values)
        return assay_fail_memory(b->error, "a table of butteraugli");
    butteraugli_borders(values, n, blurs[blur].deviation, blurs[blur].reach);
    const int rc = graph_table(b->graph, values, (row ? n : 1) * sizeof *values, SAMPLE_F32, row ? n : 1, row ? 1 : n,
                               table, b->error);
    free(values);
    return rc;
}

static int butteraugli_scale(struct metric_build *b, uint32_t w, uint32_t h, struct scale *scale)
{
    scale->width = w;
    scale->height = h;
    for (unsigned i = 0; i < BLURS; i++) {
        TRY(butteraugli_table(b, w, i, true, &scale->across[i]));
        TRY(butteraugli_table(b, h, i, false, &scale->down[i]));
    }
    return ASSAY_OK;
}

static int butteraugli_add_side(struct metric_build *b, const struct scale *scale, double target, struct side *side)
{
    float receptors[9];
    graph_plane opsin;
    for (unsigned i = 0; i < 9; i++)
        receptors[i] = (float)(mix[i] * target);
    const uint32_t w = scale->width, h = scale->height;
    TRY(butteraugli_opsin_add(b->graph, PASS_GRID(butteraugli_opsin, w, h, .light = side->light, .mix = &receptors,
                                                  .dark = &dark), &opsin, b->error));
    TRY(butteraugli_low_add(b->graph, PASS_GRID(butteraugli_low, w, h, .opsin = opsin, .across = scale->across[LOW],
                                                .down = scale->down[LOW]), &side->low, b->error));
    TRY(butteraugli_middle_add(b->graph, PASS_GRID(butteraugli_middle, w, h, .low = side->low,
                                                   .across = scale->across[MIDDLE], .down = scale->down[MIDDLE]),
                               &side->middle, b->error));
    TRY(butteraugli_high_add(b->graph, PASS_GRID(butteraugli_high, w, h, .middle = side->middle,
                                                 .across = scale->across[HIGH], .down = scale->down[HIGH]),
                             &side->high, b->error));
    return butteraugli_activity_add(b->graph, PASS_GRID(butteraugli_activity, w, h, .high = side->high,
                                                        .across = scale->across[ACTIVITY],
                                                        .down = scale->down[ACTIVITY]),
                                    &side->activity, b->error);
}

/* ---- a pair ------------------------------------------------------------------------------------------------------ */

/* The weights of differences along lines: of what a band has more or less of, and of what it has far more or less of,
 * both times norm. `of_point` of squared differences at an item alone, of what is lost and of what is added. */
struct lines {
    float own[2], beyond[2], norm[2], lost[2], added[2];
};

enum { BAND_X, BAND_Y };
static void butteraugli_weigh(struct lines *l, int band, double factor, double lost, double added, double norm)
{
    const double below = 0.330000013113; /* as the reference's float has it */
    l->own[band] = (float)(factor * assay_sqrt(0.5 * lost) / 8.5 * norm);
    l->beyond[band] = (float)(factor * assay_sqrt(below * added) / 8.5 * norm);
    l->norm[band] = (float)norm;
}

static const double dense = 0.39905817637, sparse = 0.611612573796; /* factors of lines */

static void butteraugli_point(struct lines *l, int band, double weight, double asymmetry)
{
    l->lost[band] = (float)(0.8 * weight * asymmetry);
    l->added[band] = (float)(0.8 * weight / asymmetry);
}

#define LINES(l) .own = &(l).own, .beyond = &(l).beyond, .norm = &(l).norm

/* Gives the differences of a pair of sides: those of low frequencies in the second layer. */
static int butteraugli_add_differences(struct metric_build *b, const struct scale *scale, const struct side sides[2],
                                       const struct butteraugli_weights *weights, graph_plane *both)
{
    const double s = weights->hf_asymmetry, root = assay_sqrt(s);
    const float xmul = (float)weights->xmul;
    const uint32_t w = scale->width, h = scale->height;
    struct lines middle = {0}, high = {0}, fine = {0};
    graph_plane sums;
    butteraugli_weigh(&middle, BAND_X, sparse, 8246.75321353, 8246.75321353, 1009002.70582);
    butteraugli_weigh(&middle, BAND_Y, sparse, 37.0819870399, 37.0819870399, 130262059.556);
    butteraugli_weigh(&high, BAND_X, sparse, 6923.99476109 * root, 6923.99476109 / root, 8051.15833247);
    butteraugli_weigh(&high, BAND_Y, sparse, 18.7237414387 * root, 18.7237414387 / root, 4498534.45232);
    butteraugli_weigh(&fine, BAND_X, dense, 173.5 * s, 173.5 / s, 5.0);
    butteraugli_weigh(&fine, BAND_Y, dense, 1.10039032555 * s, 1.10039032555 / s, 71.7800275169);
    butteraugli_point(&high, BAND_X, 400.0, s);
    butteraugli_point(&high, BAND_Y, 1.50815703118, s);
    TRY(butteraugli_malta_middle_add(b->graph, PASS_GRID(butteraugli_malta_middle, w, h, .ref = sides[0].middle,
                                                         .dis = sides[1].middle, LINES(middle), .xmul = xmul),
                                     &sums, b->error));
    TRY(butteraugli_malta_high_add(b->graph, PASS_GRID(butteraugli_malta_high, w, h, .ref = sides[0].high,
                                                       .dis = sides[1].high, .before = sums, LINES(high),
                                                       .lost = &high.lost, .added = &high.added, .xmul = xmul),
                                   &sums, b->error));
    TRY(butteraugli_malta_fine_add(b->graph, PASS_GRID(butteraugli_malta_fine, w, h, .ref = sides[0].high,
                                                       .dis = sides[1].high, .before = sums, LINES(fine),
                                                       .xmul = xmul), &sums, b->error));
    return butteraugli_still_add(b->graph, PASS_GRID(butteraugli_still, w, h, .ref = sides[0].low,
                                                     .dis = sides[1].low, .sums = sums, .xmul = xmul),
                                 both, b->error);
}

static int butteraugli_add_scale(struct metric_build *b, const struct scale *scale, double target,
                                 const struct butteraugli_weights *weights, struct side sides[2], graph_plane *map)
{
    graph_plane both;
    for (unsigned i = 0; i < SIDES; i++)
        TRY(butteraugli_add_side(b, scale, target, &sides[i]));
    TRY(butteraugli_add_differences(b, scale, sides, weights, &both));
    return butteraugli_map_add(b->graph, PASS_GRID(butteraugli_map, scale->width, scale->height,
                                                   .ref = sides[0].activity, .dis = sides[1].activity, .both = both),
                               map, b->error);
}

/* Of sides with light of the first scale's size. */
static int butteraugli_add_scales(struct metric_build *b, const struct scale *scale, uint32_t scales, double target,
                                  const struct butteraugli_weights *weights, struct side sides[2], graph_plane *map)
{
    struct side halves[2];
    graph_plane half;
    TRY(butteraugli_add_scale(b, &scale[0], target, weights, sides, map));
    if (scales == 1)
        return ASSAY_OK;
    for (unsigned i = 0; i < SIDES; i++)
        TRY(butteraugli_half_add(b->graph, PASS_GRID(butteraugli_half, scale[1].width, scale[1].height,
                                                     .light = sides[i].light), &halves[i].light, b->error));
    TRY(butteraugli_add_scale(b, &scale[1], target, weights, halves, &half));
    return butteraugli_join_add(b->graph, PASS(butteraugli_join, .map = *map, .other = half), map, b->error);
}

int butteraugli_add_map(struct metric_build *b, const struct butteraugli_viewing *viewing,
                        const struct butteraugli_weights *weights, graph_plane *map)
{
    static const float ground[COLOUR_BACKGROUNDS] = {0.0f, 1.0f};
    const struct metric_pair *pair = b->pair;
    const uint32_t w = pair->format.width, h = pair->format.height;
    const bool small = pair->whole_width < SMALLEST || pair->whole_height < SMALLEST;
    const bool two = pair->whole_width >= 2 * SMALLEST - 1 && pair->whole_height >= 2 * SMALLEST - 1;
    const uint32_t wide = small && w < SMALLEST ? SMALLEST : w, high = small && h < SMALLEST ? SMALLEST : h;
    const int32_t left = (int32_t)(wide - w) / 2, top = (int32_t)(high - h) / 2;
    struct scale scale[SCALES];
    TRY(butteraugli_scale(b, wide, high, &scale[0]));
    if (two)
        TRY(butteraugli_scale(b, (wide + 1) / 2, (high + 1) / 2, &scale[1]));
    for (unsigned i = 0; i < (pair->format.alpha ? COLOUR_BACKGROUNDS : 1); i++) {
        struct side sides[SIDES];
        graph_plane one;
        for (unsigned side = 0; side < SIDES; side++) {
            TRY(colour_linear_over(b, side, &viewing->colour, ground[i], &sides[side].light));
            if (small)
                TRY(butteraugli_light_add(b->graph, PASS_GRID(butteraugli_window, wide, high,
                                                              .source = sides[side].light, .left = left, .top = top),
                                          &sides[side].light, b->error));
        }
        TRY(butteraugli_add_scales(b, scale, two ? 2 : 1, viewing->target, weights, sides, &one));
        if (!i)
            *map = one;
        else
            TRY(butteraugli_worse_add(b->graph, PASS(butteraugli_join, .map = *map, .other = one), map, b->error));
    }
    return small ? butteraugli_cut_add(b->graph, PASS_GRID(butteraugli_window, w, h, .source = *map, .left = -left,
                                                           .top = -top), map, b->error)
                 : ASSAY_OK;
}

/* ---- the largest value ------------------------------------------------------------------------------------------- */

static uint32_t butteraugli_blocks(uint32_t n, uint32_t block)
{
    return (n + block - 1) / block;
}

/* How often blocks are taken depends on the size of the frames that are scored. */
int butteraugli_add_peak(struct metric_build *b, graph_plane map, struct butteraugli_peak_at *at, graph_plane *peak)
{
    enum { FEW = 128 };
    const struct metric_pair *pair = b->pair;
    uint32_t w = pair->format.width, h = butteraugli_blocks(pair->format.height, 32);
    uint32_t all_w = pair->whole_width, all_h = butteraugli_blocks(pair->whole_height, 32);
    graph_plane peaks;
    TRY(butteraugli_peaks_add(b->graph, PASS_GRID(butteraugli_peaks, w, h, .values = map), &peaks, b->error));
    do {
        w = butteraugli_blocks(w, 16);
        h = butteraugli_blocks(h, 4);
        all_w = butteraugli_blocks(all_w, 16);
        all_h = butteraugli_blocks(all_h, 4);
        TRY(butteraugli_blocks_add(b->graph, PASS_GRID(butteraugli_peaks, w, h, .values = peaks), &peaks, b->error));
    } while ((uint64_t)all_w * all_h > FEW);
    const struct butteraugli_peak_pass last = PASS_GRID(butteraugli_peak, 1, 1, .values = peaks);
    return butteraugli_peak_add(b->graph, last, at, peak, b->error);
}
