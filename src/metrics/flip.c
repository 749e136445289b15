/* SPDX-License-Identifier: BSD-2-Clause */
/* FLIP: the error that a viewer sees who flips between two pictures. Definitions: docs/metrics/flip.md. */
#include <stdlib.h>
#include <string.h>

#include "host/bits.h"
#include "host/exact_math.h"
#include "host/format.h"
#include "metrics/colour.h"
#include "metrics/flip_exposures.h"
#include "metrics/flip_taps.h"

/* Bins of the values of a map, which are the bits of floats from 0 to 1: by their high bits, and the low 15. */
enum { LOW_BITS = 15, HIGH_BINS = (0x3f800000 >> LOW_BITS) + 1, LOW_BINS = 1 << LOW_BITS };
enum { QUANTILES = 3, POOLS = QUANTILES + 2 };

struct flip_options {
    struct colour_options colour;
    double ppd, distance, monitor_width, monitor_pixels;
    struct flip_exposures exposures;
    bool pools;
    uint64_t given;
};
enum { VIEWED = 1 << 1 | 1 << 2 | 1 << 3 }; /* the rows of what ppd is of */

struct flip_state {
    uint32_t backgrounds; /* COLOUR_BACKGROUNDS with alpha, else 1 */
    uint64_t pixels;
    int weight_bits; /* an error counts in units of 2^-weight_bits */
    bool bright;                     /* light of any range, at these exposures: the sums are of `most` */
    struct flip_exposures exposures;
    struct flip_at error[COLOUR_BACKGROUNDS];
    struct flip_total_at most[COLOUR_BACKGROUNDS];
    struct flip_values_at values[COLOUR_BACKGROUNDS];
    uint64_t *bins; /* HIGH_BINS + LOW_BINS; with pools */
};

static const struct metric_choice flip_tones[] = {
    {"aces", FLIP_ACES}, {"hable", FLIP_HABLE}, {"reinhard", FLIP_REINHARD}, {NULL, 0},
};

#define OPTIONS struct flip_options
static const struct metric_option options[] = {
    DOUBLE_OPTION(ppd, "ppd", 0, 0, FLIP_MOST_PPD,
                  "pixels per degree, from 2 on; 0: of distance, monitor_width and monitor_pixels"),
    DOUBLE_OPTION(distance, "distance", 0.7, 0.05, 10, "metres from the eye to the monitor"),
    DOUBLE_OPTION(monitor_width, "monitor_width", 0.7, 0.05, 20, "metres"),
    DOUBLE_OPTION(monitor_pixels, "monitor_pixels", 3840, 120, 50000, "pixels of a row of the monitor"),
    DOUBLE_OPTION(exposures.start, "start_exposure", FLIP_FOUND, -FLIP_EXPOSURE_MOST, FLIP_FOUND,
                  "of pictures of floats: the power of two of the first exposure; 100: of the reference's largest light"),
    DOUBLE_OPTION(exposures.stop, "stop_exposure", FLIP_FOUND, -FLIP_EXPOSURE_MOST, FLIP_FOUND,
                  "of the last exposure; 100: of the reference's median light"),
    INT_OPTION(exposures.count, "num_exposures", 0, 0, FLIP_MOST_EXPOSURES,
               "exposures from the first to the last one, 2 or more; 0: one for each power of two"),
    CHOICE_OPTION(exposures.tone, "tone_mapper", FLIP_ACES, flip_tones, "of pictures of floats"),
    FLAG_OPTION(pools, "pools", false, "also write the weighted median and quartiles, the least and the largest error"),
    COLOUR_TAG_OPTIONS(colour),
};

static const struct metric_output outputs[] = {
    {"flip", "always", ASSAY_LOWER},
    {"flip_start_exposure flip_stop_exposure flip_num_exposures", "pictures of floats", ASSAY_NEUTRAL},
    {"flip_weighted_median flip_weighted_q1 flip_weighted_q3 flip_min flip_max", "pools", ASSAY_LOWER},
};
static const char *const pool[POOLS] = {"weighted_median", "weighted_q1", "weighted_q3", "min", "max"};

static double flip_ppd(const struct flip_options *o)
{
    return o->ppd > 0.0 ? o->ppd : o->distance * (o->monitor_pixels / o->monitor_width) * (ASSAY_PI / 180.0);
}

static int flip_allows(const struct metric_pair *pair, const void *opaque, struct assay_error *e)
{
    const struct flip_options *o = opaque;
    const struct colour_options colour = colour_by_tags(&o->colour);
    const double ppd = flip_ppd(o);
    struct flip_exposures exposures;
    if (o->ppd > 0.0 && o->given & VIEWED)
        return assay_fail(e, ASSAY_EUSAGE, "flip: ppd is stated, and distance, monitor_width and monitor_pixels change "
                          "nothing beside it");
    if (!(ppd >= FLIP_LEAST_PPD && ppd <= FLIP_MOST_PPD))
        return assay_fail(e, ASSAY_EUSAGE, "flip takes %g to %g pixels per degree, and this is %.4g", FLIP_LEAST_PPD,
                          FLIP_MOST_PPD, ppd);
    TRY(colour_allows(pair, &colour, "flip", e));
    if (format_is_float(&pair->format))
        return flip_exposures_find(&o->exposures, &pair->side[SIDE_REF], &exposures, e);
    if (o->exposures.start < FLIP_FOUND || o->exposures.stop < FLIP_FOUND || o->exposures.count ||
        o->exposures.tone != FLIP_ACES)
        return assay_fail(e, ASSAY_EUSAGE, "flip: exposures and tone mappers are of pictures of floats, and these are "
                          "codes");
    if (colour_is_hdr(pair, &colour))
        return assay_fail(e, ASSAY_EUSAGE, "flip has no definition for the transfer functions PQ and HLG, whose light "
                          "goes above white");
    return ASSAY_OK;
}

/* ---- passes ------------------------------------------------------------------------------------------------------ */

/* What is seen of opponent colours. */
static int flip_add_seen(struct metric_build *b, const struct flip_taps *t, graph_plane opponent, graph_plane *seen)
{
    const uint32_t w = b->pair->format.width, h = b->pair->format.height;
    graph_plane taps, columns;
    TRY(graph_table(b->graph, t->tap, sizeof t->tap[0], SAMPLE_F32, (uint32_t)t->reach + 1, FLIP_FILTERS, &taps,
                    b->error));
    if (t->near)
        return flip_seen_add(b->graph, PASS_GRID(flip_seen, w, h, .opponent = opponent, .taps = taps), seen, b->error);
    TRY(flip_columns_add(b->graph, PASS_GRID(flip_columns, w, h, .opponent = opponent, .taps = taps), &columns,
                         b->error));
    return flip_rows_add(b->graph, PASS_GRID(flip_rows, w, h, .columns = columns, .taps = taps), seen, b->error);
}

static int flip_add_side(struct metric_build *b, enum graph_side side, unsigned background, const struct flip_taps *t,
                         graph_plane *seen)
{
    const struct flip_options *o = b->metric->options;
    const struct colour_options colour = colour_by_tags(&o->colour);
    graph_plane light, opponent;
    TRY(colour_linear(b, side, &colour, background, &light));
    TRY(flip_opponent_add(b->graph, PASS_GRID(flip_opponent, b->pair->format.width, b->pair->format.height,
                                              .light = light),
                          &opponent, b->error));
    return flip_add_seen(b, t, opponent, seen);
}

/* In the colours that figures of FLIP have. */
static int flip_show(struct metric_build *b, const char *name, graph_plane map, uint32_t colours)
{
    TRY(metric_add_map(b, name, map, 1.0));
    b->metric->maps[b->metric->n_maps - 1].colours = colours;
    return ASSAY_OK;
}

/* The map of a background is needed for its pools, and that of the first one to look at. */
static bool flip_shows(const struct metric_build *b, unsigned background)
{
    return b->maps && !background;
}

static int flip_add_map(struct metric_build *b, unsigned background, graph_plane map)
{
    const struct flip_options *o = b->metric->options;
    struct flip_state *s = b->metric->state;
    if (o->pools)
        TRY(flip_values_add(b->graph, PASS_GRID(flip_values, b->pair->format.width, b->pair->format.height, .map = map),
                            &s->values[background], b->error));
    return flip_shows(b, background) ? flip_show(b, "flip", map, ASSAY_COLOURS_MAGMA) : ASSAY_OK;
}

static int flip_add_background(struct metric_build *b, unsigned background, const struct flip_taps *t)
{
    const struct flip_options *o = b->metric->options;
    struct flip_state *s = b->metric->state;
    graph_plane seen[2], map;
    for (unsigned side = 0; side < 2; side++)
        TRY(flip_add_side(b, side, background, t, &seen[side]));
    const struct flip_pass pass = PASS_GRID(flip, b->pair->format.width, b->pair->format.height, .ref = seen[0],
                                            .dis = seen[1]);
    TRY(flip_add(b->graph, pass, &s->error[background], b->error));
    if (!o->pools && !flip_shows(b, background))
        return ASSAY_OK;
    TRY(flip_map_add(b->graph, pass, &map, b->error));
    return flip_add_map(b, background, map);
}

/* ---- light of any range ------------------------------------------------------------------------------------------ */

/* What is seen of light at an exposure. */
static int flip_add_exposed(struct metric_build *b, int i, const struct flip_taps *t, graph_plane light,
                            graph_plane *seen)
{
    const struct flip_state *s = b->metric->state;
    float curve[5];
    graph_plane opponent;
    flip_tone_curve(s->exposures.tone, curve);
    TRY(flip_exposed_add(b->graph,
                         PASS_GRID(flip_exposed, b->pair->format.width, b->pair->format.height, .light = light,
                                   .reinhard = s->exposures.tone == FLIP_REINHARD,
                                   .gain = flip_exposure_gain(&s->exposures, i), .curve = &curve),
                         &opponent, b->error));
    return flip_add_seen(b, t, opponent, seen);
}

/* The largest error over the exposures. Each exposure waits for the one before, so that they share memory. */
static int flip_add_exposures(struct metric_build *b, const struct flip_taps *t, const graph_plane light[2],
                              graph_plane *most)
{
    const struct flip_state *s = b->metric->state;
    const uint32_t w = b->pair->format.width, h = b->pair->format.height;
    for (int i = 0; i < s->exposures.count; i++) {
        graph_plane seen[2];
        for (unsigned side = 0; side < 2; side++)
            TRY(flip_add_exposed(b, i, t, light[side], &seen[side]));
        if (i)
            TRY(flip_more_add(b->graph,
                              PASS_GRID(flip_more, w, h, .ref = seen[0], .dis = seen[1], .before = *most,
                                        .at = flip_exposure_at(&s->exposures, i)),
                              most, b->error));
        else
            TRY(flip_first_add(b->graph, PASS_GRID(flip_first, w, h, .ref = seen[0], .dis = seen[1]), most, b->error));
        graph_behind(b->graph, *most);
    }
    return ASSAY_OK;
}

static int flip_add_bright(struct metric_build *b, unsigned background, const struct flip_taps *t)
{
    const struct flip_options *o = b->metric->options;
    const struct colour_options colour = colour_by_tags(&o->colour);
    struct flip_state *s = b->metric->state;
    const uint32_t w = b->pair->format.width, h = b->pair->format.height;
    graph_plane light[2], most, map;
    for (unsigned side = 0; side < 2; side++)
        TRY(colour_linear(b, side, &colour, background, &light[side]));
    TRY(flip_add_exposures(b, t, light, &most));
    TRY(flip_total_add(b->graph, PASS_GRID(flip_total, w, h, .most = most), &s->most[background], b->error));
    if (!o->pools && !flip_shows(b, background))
        return ASSAY_OK;
    TRY(flip_layer_add(b->graph, PASS_GRID(flip_layer, w, h, .most = most, .layer = 0), &map, b->error));
    TRY(flip_add_map(b, background, map));
    if (!flip_shows(b, background))
        return ASSAY_OK;
    TRY(flip_layer_add(b->graph, PASS_GRID(flip_layer, w, h, .most = most, .layer = 1), &map, b->error));
    return flip_show(b, "flip_exposure", map, ASSAY_COLOURS_VIRIDIS);
}

static int flip_build_bright(struct metric_build *b, const struct flip_taps *t)
{
    const struct flip_options *o = b->metric->options;
    struct flip_state *s = b->metric->state;
    static const char *const key[] = {"start", "stop", "num"};
    TRY(flip_exposures_find(&o->exposures, &b->pair->side[SIDE_REF], &s->exposures, b->error));
    for (unsigned i = 0; i < s->backgrounds; i++)
        TRY(flip_add_bright(b, i, t));
    graph_behind_none(b->graph);
    TRY(metric_add_key(b, &outputs[0], "flip"));
    for (unsigned i = 0; i < 3; i++)
        TRY(metric_add_key(b, &outputs[1], i < 2 ? "flip_%s_exposure" : "flip_%s_exposures", key[i]));
    return ASSAY_OK;
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

static int flip_add_pools(struct metric_build *b)
{
    struct flip_state *s = b->metric->state;
    s->bins = malloc((HIGH_BINS + LOW_BINS) * sizeof *s->bins);
    if (!s->bins)
        return assay_fail_memory(b->error, "the bins of flip");
    for (unsigned i = 0; i < POOLS; i++)
        TRY(metric_add_key(b, &outputs[2], "flip_%s", pool[i]));
    /* Four times the sum of all weights is less than 2^64. */
    for (s->weight_bits = 40; s->weight_bits && s->pixels >> (61 - s->weight_bits); s->weight_bits--)
        ;
    return ASSAY_OK;
}

static int flip_build(struct metric_build *b)
{
    const struct flip_options *o = b->metric->options;
    struct flip_state *s = b->metric->state;
    const struct colour_options colour = colour_by_tags(&o->colour);
    struct flip_taps taps;
    flip_taps_make(&taps, flip_ppd(o));
    colour_note(b, &colour);
    s->pixels = (uint64_t)b->pair->format.width * b->pair->format.height;
    s->backgrounds = b->pair->format.alpha ? COLOUR_BACKGROUNDS : 1;
    s->bright = format_is_float(&b->pair->format);
    if (s->bright)
        TRY(flip_build_bright(b, &taps));
    for (unsigned i = 0; !s->bright && i < s->backgrounds; i++)
        TRY(flip_add_background(b, i, &taps));
    if (!s->bright)
        TRY(metric_add_key(b, &outputs[0], "flip"));
    return o->pools ? flip_add_pools(b) : ASSAY_OK;
}

static void flip_close(struct metric *m)
{
    struct flip_state *s = m->state;
    free(s->bins);
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

static uint64_t flip_weight(const struct flip_state *s, uint32_t bits)
{
    return (uint64_t)((double)float_of_bits(bits) * assay_power_of_two(s->weight_bits));
}

static uint32_t flip_high_bin(uint32_t bits)
{
    const uint32_t bin = bits >> LOW_BITS;
    return bin < HIGH_BINS ? bin : HIGH_BINS - 1;
}

/* The first bin at which 4 times the sum, `below` and that of the bins so far, is more than `quarters` times `total`.
 * `below` receives the sum of what comes before it. */
static uint32_t flip_find(const uint64_t *bins, uint32_t n, unsigned quarters, uint64_t total, uint64_t *below)
{
    for (uint32_t i = 0; i < n; i++) {
        if (4 * (*below + bins[i]) > quarters * total)
            return i;
        *below += bins[i];
    }
    return 0;
}

/* The least value at which the sum of all values up to it is more than `quarters` / 4 of the sum of all; 0 where all
 * are 0. `high` has the sums of the values by their high bits. */
static double flip_quantile(const struct flip_state *s, const int64_t *value, unsigned quarters, uint64_t total)
{
    const uint64_t *high = s->bins;
    uint64_t *low = s->bins + HIGH_BINS, below = 0;
    if (!total)
        return 0.0;
    const uint32_t bin = flip_find(high, HIGH_BINS, quarters, total, &below);
    memset(low, 0, LOW_BINS * sizeof *low);
    for (uint64_t i = 0; i < s->pixels; i++)
        if (flip_high_bin((uint32_t)value[i]) == bin)
            low[value[i] & (LOW_BINS - 1)] += flip_weight(s, (uint32_t)value[i]);
    return (double)float_of_bits(bin << LOW_BITS | flip_find(low, LOW_BINS, quarters, total, &below));
}

static void flip_pool(const struct flip_state *s, const int64_t *value, double pools[POOLS])
{
    static const unsigned quarters[QUANTILES] = {2, 1, 3};
    uint32_t least = UINT32_MAX, largest = 0;
    uint64_t total = 0;
    memset(s->bins, 0, HIGH_BINS * sizeof *s->bins);
    for (uint64_t i = 0; i < s->pixels; i++) {
        const uint32_t bits = (uint32_t)value[i];
        const uint64_t weight = flip_weight(s, bits);
        s->bins[flip_high_bin(bits)] += weight;
        total += weight;
        least = bits < least ? bits : least;
        largest = bits > largest ? bits : largest;
    }
    for (unsigned i = 0; i < QUANTILES; i++)
        pools[i] = flip_quantile(s, value, quarters[i], total);
    pools[QUANTILES] = (double)float_of_bits(least);
    pools[QUANTILES + 1] = (double)float_of_bits(largest);
}

static double flip_sum(const struct flip_state *s, unsigned background, const int64_t *totals)
{
    if (s->bright) {
        const struct flip_total_totals most = flip_total_totals(s->most[background], totals);
        return METRIC_JOIN(most.error, FLIP_TOTAL_SCALE);
    }
    const struct flip_totals sums = flip_totals(s->error[background], totals);
    return METRIC_JOIN(sums.error, FLIP_SCALE);
}

/* Writes the largest mean over the backgrounds, with its pools. */
static void flip_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct flip_options *o = m->options;
    const struct flip_state *s = m->state;
    unsigned worst = 0;
    for (unsigned i = 0; i < s->backgrounds; i++) {
        const double v = flip_sum(s, i, totals) / (double)s->pixels;
        if (i && v <= values[0])
            continue;
        values[0] = v;
        worst = i;
    }
    values++;
    if (s->bright) {
        *values++ = s->exposures.start;
        *values++ = s->exposures.stop;
        *values++ = s->exposures.count;
    }
    if (o->pools)
        flip_pool(s, flip_values_words(s->values[worst], totals), values);
    (void)accumulators;
}

const struct metric_ops metric_flip = {
    .name = "flip", .summary = "FLIP: the error seen when flipping between two pictures, 0 for identical ones",
    METRIC_PARTS(flip, options, outputs), .given = offsetof(struct flip_options, given),
    .of_colour = true, .of_light = true, .close = flip_close, .allows = flip_allows, .build = flip_build,
    .frame = flip_frame,
};
