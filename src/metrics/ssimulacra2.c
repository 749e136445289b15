/* SPDX-License-Identifier: BSD-2-Clause */
/* ssimulacra2: SSIMULACRA 2.1 of the picture in colour. Definition: docs/metrics/ssimulacra2.md. */
#include <string.h>

#include "host/exact_math.h"
#include "metrics/colour.h"

enum { SCALES = 6, CHANNELS = 3, SMALLEST = 8 };

/* The errors of a channel and scale are S2_SSIM, S2_ARTEFACT, S2_DETAIL. Its terms, in the order of the weights, are
 * their means, then their 4-norms: term t is bit t of what S2_TERM makes. */
enum { ERRORS = 3, TERMS = 2 * ERRORS };
enum {
    SSIM_TERMS = S2_TERM(S2_SSIM, 0) | S2_TERM(S2_SSIM, 1),
    ALL_TERMS = (1 << TERMS) - 1,
    EDGE_TERMS = ALL_TERMS - SSIM_TERMS
};

struct ssimulacra2_options {
    struct colour_options colour;
    bool ssimulacra2_sub, map;
};

struct ssimulacra2_state {
    uint32_t scales;
    uint32_t weighed; /* scales of a channel in the table of weights, for its index */
    /* An error is summed in units of 2^-mean_bits, its fourth power of 2^-fourth_bits. */
    uint32_t mean_bits, fourth_bits;
    double pixels[SCALES];
    uint32_t backgrounds; /* COLOUR_BACKGROUNDS with alpha, else 1 */
    struct errors {
        int wanted; /* bits of the terms that are summed up; the others are 0 */
        /* Results of the pass that sums all errors, the SSIM error alone, or artefacts and lost detail alone. */
        struct ssimulacra2_at all;
        struct ssimulacra2_ssim_at ssim;
        struct ssimulacra2_edges_at edges;
    } errors[COLOUR_BACKGROUNDS][CHANNELS][SCALES];
};

#define OPTIONS struct ssimulacra2_options
static const struct metric_option options[] = {
    COLOUR_OPTIONS(colour),
    FLAG_OPTION(ssimulacra2_sub, "ssimulacra2_sub", false, "also write the 108 terms of the score"),
    FLAG_OPTION(map, "map", false, "make a plane of where the errors are, for --heatmap and --dump-stage"),
};

static const struct metric_output outputs[] = {
    {"ssimulacra2", "always", ASSAY_HIGHER},
    {"ssimulacra2_{x,y,b}_scale{0..5}_{ssim,artefact,detail}_{1,4}",
     "ssimulacra2_sub, for the scales that the size allows", ASSAY_LOWER},
};

/* Weights of the terms: channel x scale x norm (1, 4) x (ssim, artefact, detail), from libjxl's tools/ssimulacra2.cc,
 * version 2.1. A picture with fewer than six scales takes them from the front without a gap, as there. With
 * yuv_matrix each scale keeps its own, as in the system that has this option. */
static const double weight[CHANNELS * SCALES * TERMS] = {
    0.0, 0.0007376606707406586, 0.0, 0.0, 0.0007793481682867309, 0.0,
    0.0, 0.0004371155730107379, 0.0, 1.1041726426657346, 0.00066284834129271, 0.00015231632783718752,
    0.0, 0.0016406437456599754, 0.0, 1.8422455520539298, 11.441172603757666, 0.0,
    0.0007989109436015163, 0.000176816438078653, 0.0, 1.8787594979546387, 10.94906990605142, 0.0,
    0.0007289346991508072, 0.9677937080626833, 0.0, 0.00014003424285435884, 0.9981766977854967, 0.00031949755934435053,
    0.0004550992113792063, 0.0, 0.0, 0.0013648766163243398, 0.0, 0.0,
    0.0, 0.0, 0.0, 7.466890328078848, 0.0, 17.445833984131262,
    0.0006235601634041466, 0.0, 0.0, 6.683678146179332, 0.00037724407979611296, 1.027889937768264,
    225.20515300849274, 0.0, 0.0, 19.213238186143016, 0.0011401524586618361, 0.001237755635509985,
    176.39317598450694, 0.0, 0.0, 24.43300999870476, 0.28520802612117757, 0.0004485436923833408,
    0.0, 0.0, 0.0, 34.77906344483772, 44.835625328877896, 0.0,
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.0008680556573291698, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.0005313191874358747, 0.0, 0.00016533814161379112, 0.0, 0.0,
    0.0, 0.0, 0.0, 0.0004179171803251336, 0.0017290828234722833, 0.0,
    0.0020827005846636437, 0.0, 0.0, 8.826982764996862, 23.19243343998926, 0.0,
    95.1080498811086, 0.9863978034400682, 0.9834382792465353,
    0.0012286405048278493, 171.2667255897307, 0.9807858872435379,
    0.0, 0.0, 0.0, 0.0005130064588990679, 0.0, 0.00010854057858411537,
};

static int ssimulacra2_allows(const struct metric_pair *pair, const void *opaque, struct assay_error *e)
{
    const struct ssimulacra2_options *o = opaque;
    const int rc = colour_allows(pair, &o->colour, "ssimulacra2", e);
    return rc ? rc : metric_needs_size(pair, "ssimulacra2", SMALLEST, e);
}

static int ssimulacra2_add_sub_keys(struct metric_build *b, uint32_t scales)
{
    static const char *const term[] = {"ssim", "artefact", "detail"};
    for (unsigned c = 0; c < CHANNELS; c++)
        for (uint32_t scale = 0; scale < scales; scale++)
            for (unsigned t = 0; t < TERMS; t++) {
                TRY(metric_add_key(b, &outputs[1], "ssimulacra2_%c_scale%u_%s_%c", "xyb"[c], scale, term[t % 3],
                                   "14"[t / 3]));
            }
    return ASSAY_OK;
}

/* The bits of the terms of a channel and scale whose weight is not 0. */
static int ssimulacra2_weighed(const double weights[TERMS])
{
    int bits = 0;
    for (unsigned t = 0; t < TERMS; t++)
        bits |= weights[t] != 0.0 ? 1 << t : 0;
    return bits;
}

/* A scale of the pair: its size, and what the kernel xyb makes of each side. */
struct scale {
    uint32_t width, height;
    graph_plane layers[2];
};

/* Adds the pass for the errors of one channel at one scale. It sums up the wanted terms alone. */
static int ssimulacra2_add_errors(struct metric_build *b, const struct scale *scale, unsigned channel, int wanted,
                                  struct errors *errors)
{
    const struct ssimulacra2_state *s = b->metric->state;
    const struct ssimulacra2_pass pass = PASS_GRID(ssimulacra2, scale->width, scale->height, .ref = scale->layers[0],
                                                   .dis = scale->layers[1], .layer = (int32_t)channel,
                                                   .wanted = wanted, .mean_scale = (float)(1 << s->mean_bits),
                                                   .fourth_scale = (float)(1 << s->fourth_bits));
    errors->wanted = wanted;
    if (!wanted)
        return ASSAY_OK;
    if (!(wanted & EDGE_TERMS))
        return ssimulacra2_ssim_add(b->graph, pass, &errors->ssim, b->error);
    if (!(wanted & SSIM_TERMS))
        return ssimulacra2_edges_add(b->graph, pass, &errors->edges, b->error);
    return ssimulacra2_add(b->graph, pass, &errors->all, b->error);
}

static int ssimulacra2_add_maps(struct metric_build *b, unsigned background, const struct scale *scale,
                                uint32_t number)
{
    const struct ssimulacra2_options *o = b->metric->options;
    struct ssimulacra2_state *s = b->metric->state;
    for (unsigned c = 0; c < CHANNELS; c++) {
        const int wanted = o->ssimulacra2_sub ? ALL_TERMS
                                              : ssimulacra2_weighed(weight + (c * s->weighed + number) * TERMS);
        TRY(ssimulacra2_add_errors(b, scale, c, wanted, &s->errors[background][c][number]));
    }
    return ASSAY_OK;
}

/* Adds the plane that holds each pixel's share of the weighted errors. Each pass adds a channel of a scale to the plane
 * of the pass before, from the smallest scale up. */
static int ssimulacra2_add_error_map(struct metric_build *b, const struct scale scales[SCALES])
{
    const struct ssimulacra2_state *s = b->metric->state;
    graph_plane map = scales[0].layers[0];
    for (uint32_t i = s->scales; i-- > 0;)
        for (unsigned c = 0; c < CHANNELS; c++) {
            const double *w = weight + (c * s->weighed + i) * TERMS;
            TRY(ssimulacra2_map_add(b->graph,
                                    PASS_GRID(ssimulacra2_map, scales[i].width, scales[i].height,
                                              .ref = scales[i].layers[0], .dis = scales[i].layers[1], .other = map,
                                              .layer = (int32_t)c, .shift = c ? 0 : i + 1 < s->scales ? 1 : -1,
                                              .error_factor = (float)(w[0] + w[3]),
                                              .artefact_factor = (float)(w[1] + w[4]),
                                              .lost_factor = (float)(w[2] + w[5])),
                                    &map, b->error));
        }
    return metric_add_map(b, "ssimulacra2", map, 0);
}

/* Adds the passes that make XYB of both sides and their light at half the size, for the next scale. `before` is the
 * scale that is twice as large, NULL for the first scale. */
static int ssimulacra2_add_scale(struct metric_build *b, unsigned background, const struct scale *before,
                                 struct scale *scale)
{
    const struct ssimulacra2_options *o = b->metric->options;
    const uint32_t w = scale->width, h = scale->height;
    for (unsigned side = 0; side < 2; side++) {
        if (!before)
            TRY(colour_xyb(b, side, &o->colour, background, &scale->layers[side]));
        else
            TRY(xyb_half_add(b->graph, PASS_GRID(xyb, w + w % 2, h + h % 2, .light = before->layers[side],
                                                 .width = (int32_t)w, .height = (int32_t)h),
                             &scale->layers[side], b->error));
    }
    return ASSAY_OK;
}

/* The size is tested before it is halved, so the last scale may be smaller than 8. The system that has yuv_matrix
 * tests it afterwards (small_last is false). */
static uint32_t ssimulacra2_count_scales(uint32_t w, uint32_t h, bool small_last)
{
    uint32_t scales = 0;
    for (uint32_t x = w, y = h; scales < SCALES && x >= SMALLEST && y >= SMALLEST; scales++) {
        if (scales && !small_last && (x < 2 * SMALLEST - 1 || y < 2 * SMALLEST - 1))
            break;
        x = scales ? (x + 1) / 2 : x;
        y = scales ? (y + 1) / 2 : y;
    }
    return scales;
}

/* The planes of a scale come before the errors of the scale before it. Neither needs the other, so a device can run
 * them together. */
static int ssimulacra2_add_scales(struct metric_build *b, unsigned background)
{
    const struct ssimulacra2_options *o = b->metric->options;
    struct ssimulacra2_state *s = b->metric->state;
    struct scale scales[SCALES] = {{.width = b->pair->format.width, .height = b->pair->format.height}};
    for (uint32_t i = 0; i <= s->scales; i++) {
        if (i && i < s->scales) {
            scales[i].width = (scales[i - 1].width + 1) / 2;
            scales[i].height = (scales[i - 1].height + 1) / 2;
        }
        if (i < s->scales) {
            TRY(ssimulacra2_add_scale(b, background, i ? &scales[i - 1] : NULL, &scales[i]));
            s->pixels[i] = (double)scales[i].width * scales[i].height;
        }
        if (i)
            TRY(ssimulacra2_add_maps(b, background, &scales[i - 1], i - 1));
    }
    const bool map = !background && (o->map || b->maps); /* of the first background */
    return map ? ssimulacra2_add_error_map(b, scales) : ASSAY_OK;
}

static int ssimulacra2_build(struct metric_build *b)
{
    const struct ssimulacra2_options *o = b->metric->options;
    struct ssimulacra2_state *s = b->metric->state;
    const bool small_last = o->colour.yuv_matrix < 0, bright = colour_largest(b->pair, &o->colour) > 1.0;
    colour_note(b, &o->colour);
    s->scales = ssimulacra2_count_scales(b->pair->format.width, b->pair->format.height, small_last);
    s->weighed = small_last ? s->scales : SCALES;
    s->mean_bits = bright ? 16 : 20;
    s->fourth_bits = bright ? 2 : 16;
    s->backgrounds = b->pair->format.alpha ? COLOUR_BACKGROUNDS : 1;
    for (unsigned i = 0; i < s->backgrounds; i++)
        TRY(ssimulacra2_add_scales(b, i));
    TRY(metric_add_key(b, &outputs[0], "ssimulacra2"));
    return o->ssimulacra2_sub ? ssimulacra2_add_sub_keys(b, s->scales) : ASSAY_OK;
}

/* The sums of SSIM error, artefacts and lost detail; those that no pass made are 0. */
static struct ssimulacra2_totals ssimulacra2_sums_of(const struct errors *errors, const int64_t *totals)
{
    struct ssimulacra2_totals sums;
    memset(&sums, 0, sizeof sums);
    if (errors->wanted & SSIM_TERMS && errors->wanted & EDGE_TERMS)
        return ssimulacra2_totals(errors->all, totals);
    if (errors->wanted & SSIM_TERMS) {
        const struct ssimulacra2_ssim_totals ssim = ssimulacra2_ssim_totals(errors->ssim, totals);
        memcpy(sums.mean, ssim.mean, sizeof ssim.mean);
        memcpy(sums.fourth, ssim.fourth, sizeof ssim.fourth);
    } else if (errors->wanted) {
        const struct ssimulacra2_edges_totals edges = ssimulacra2_edges_totals(errors->edges, totals);
        memcpy(sums.mean + 1, edges.mean, sizeof edges.mean);
        memcpy(sums.fourth + 1, edges.fourth, sizeof edges.fourth);
    }
    return sums;
}

static void ssimulacra2_terms_of(const struct ssimulacra2_state *s, const int64_t *totals, const struct errors *errors,
                                 double pixels, double *term)
{
    const struct ssimulacra2_totals sums = ssimulacra2_sums_of(errors, totals);
    for (unsigned i = 0; i < ERRORS; i++) {
        const bool mean = errors->wanted & S2_TERM(i, 0), fourth = errors->wanted & S2_TERM(i, 1);
        term[i] = mean ? METRIC_JOIN(sums.mean[i], s->mean_bits) / pixels : 0.0;
        term[ERRORS + i] = fourth ? assay_sqrt(assay_sqrt(METRIC_JOIN(sums.fourth[i], s->fourth_bits) / pixels)) : 0.0;
    }
}

/* The score over one background, and its terms in the order of their keys. */
static double ssimulacra2_score(const struct ssimulacra2_state *s, const int64_t *totals, unsigned background,
                                double term[CHANNELS * SCALES * TERMS])
{
    double sum = 0.0;
    for (unsigned c = 0; c < CHANNELS; c++)
        for (uint32_t scale = 0; scale < s->scales; scale++) {
            double *own = term + (c * s->scales + scale) * TERMS;
            ssimulacra2_terms_of(s, totals, &s->errors[background][c][scale], s->pixels[scale], own);
            for (unsigned t = 0; t < TERMS; t++)
                sum += weight[(c * s->weighed + scale) * TERMS + t] * own[t];
        }
    const double v = sum * 0.9562382616834844;
    const double u = 2.326765642916932 * v - 0.020884521182843837 * v * v + 6.248496625763138e-05 * v * v * v;
    return u > 0.0 ? 100.0 - 10.0 * assay_pow(u, 0.6276336467831387) : 100.0;
}

/* Writes the lowest score over the backgrounds, with its terms. */
static void ssimulacra2_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct ssimulacra2_options *o = m->options;
    const struct ssimulacra2_state *s = m->state;
    double term[CHANNELS * SCALES * TERMS];
    for (unsigned i = 0; i < s->backgrounds; i++) {
        const double v = ssimulacra2_score(s, totals, i, term);
        if (i && v >= values[0])
            continue;
        values[0] = v;
        if (o->ssimulacra2_sub)
            memcpy(values + 1, term, s->scales * CHANNELS * TERMS * sizeof *term);
    }
    (void)accumulators;
}

const struct metric_ops metric_ssimulacra2 = {
    .name = "ssimulacra2", .summary = "SSIMULACRA 2.1: perceptual similarity in colour, 100 for identical pictures",
    METRIC_PARTS(ssimulacra2, options, outputs),
    .of_colour = true, .allows = ssimulacra2_allows, .build = ssimulacra2_build, .frame = ssimulacra2_frame,
};
