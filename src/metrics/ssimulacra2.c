/* SPDX-License-Identifier: BSD-2-Clause */
/* ssimulacra2: SSIMULACRA 2.1 of the picture in colour. Definition: docs/metrics/ssimulacra2.md. */
#include <stddef.h>
#include <string.h>

#include "host/exact_math.h"
#include "metrics/colour.h"

enum { SCALES = 6, CHANNELS = 3, SMALLEST = 8 };

/* The terms of a channel and scale, in the order of the weights, and as bits: the means of SSIM error, artefacts and lost detail,
 * then their 4-norms. */
enum { TERMS = 6, SSIM_TERMS = 1 | 8, EDGE_TERMS = 2 | 4 | 16 | 32, ALL_TERMS = SSIM_TERMS | EDGE_TERMS };

/* What ssimulacra2.k makes of an error: limbs of its mean and of its fourth power, from 2^20 and 2^16 down where no light is more than
 * 1, else from 2^16 and 2^2. */
enum { MEAN_LIMBS = 2, FOURTH_LIMBS = 5, ERROR_SUMS = MEAN_LIMBS + FOURTH_LIMBS };

struct ssimulacra2_options {
    struct colour_options colour;
    bool ssimulacra2_sub, map;
};

struct ssimulacra2_state {
    uint32_t scales;
    uint32_t weighed; /* scales of a channel in the table of weights */
    uint32_t mean_lift, fourth_lift;
    double pixels[SCALES];
    uint32_t backgrounds; /* 1, or those that alpha is blended over */
    struct errors {
        int wanted;        /* terms that are summed up; the others are 0 */
        uint32_t first[3]; /* totals of SSIM error, artefacts, lost detail */
    } errors[COLOUR_BACKGROUNDS][CHANNELS][SCALES];
};

#define AT(field) offsetof(struct ssimulacra2_options, field)
static const struct metric_option options[] = {
    COLOUR_OPTIONS(struct ssimulacra2_options, colour),
    {"ssimulacra2_sub", NULL, OPTION_BOOL, AT(ssimulacra2_sub), 0, 0, 1, false, "also write the 108 terms of the score"},
    {"map", NULL, OPTION_BOOL, AT(map), 0, 0, 1, false, "make a plane of where the errors are, for --heatmap and --dump-stage"},
};
#undef AT

static const struct metric_output outputs[] = {
    {"ssimulacra2", "always"},
    {"ssimulacra2_{x,y,b}_scale{0..5}_{ssim,artefact,detail}_{1,4}", "ssimulacra2_sub, for the scales that the size allows"},
};

/* Weights of the terms: channel x scale x norm (1, 4) x (ssim, artefact, detail). libjxl, tools/ssimulacra2.cc, version 2.1. With
 * fewer than six scales they are walked with one running index, as there; with yuv_matrix each scale keeps its own, as in the system
 * that has this option. */
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
    95.1080498811086, 0.9863978034400682, 0.9834382792465353, 0.0012286405048278493, 171.2667255897307, 0.9807858872435379,
    0.0, 0.0, 0.0, 0.0005130064588990679, 0.0, 0.00010854057858411537,
};

static int allows(const struct metric_pair *pair, const void *opaque, struct assay_error *e)
{
    const struct ssimulacra2_options *o = opaque;
    const int rc = colour_allows(pair, &o->colour, "ssimulacra2", e);
    return rc ? rc : metric_needs_size(pair, "ssimulacra2", SMALLEST, e);
}

static int halve(struct metric_build *b, uint32_t w, uint32_t h, graph_plane *linear)
{
    struct graph_pass_request r = {.family = KERNEL_LINEAR_HALF, .in = {*linear}, .grid_w = (w + 1) / 2, .grid_h = (h + 1) / 2};
    graph_pass pass;
    r.out[0].width = r.grid_w;
    r.out[0].height = 3 * r.grid_h;
    r.param[0].i = (int32_t)h;
    return graph_add(b->graph, &r, &pass, linear, b->error);
}

static int add_sub_keys(struct metric_build *b, uint32_t scales)
{
    static const char *const term[] = {"ssim", "artefact", "detail"};
    for (unsigned c = 0; c < CHANNELS; c++)
        for (uint32_t scale = 0; scale < scales; scale++)
            for (unsigned t = 0; t < TERMS; t++) {
                const int rc = metric_add_key(b, "ssimulacra2_%c_scale%u_%s_%c", "xyb"[c], scale, term[t % 3], "14"[t / 3]);
                if (rc)
                    return rc;
            }
    return ASSAY_OK;
}

/* X, Y and B of linear light. */
static int to_xyb(struct metric_build *b, graph_plane linear, uint32_t w, uint32_t h, graph_plane xyb[CHANNELS])
{
    const struct graph_pass_request r = {.family = KERNEL_XYB, .in = {linear}, .out = {{w, h}, {w, h}, {w, h}}, .grid_w = w, .grid_h = h};
    graph_pass pass;
    return graph_add(b->graph, &r, &pass, xyb, b->error);
}

/* A bit for each term of a channel and scale whose weight is not 0. */
static int weighed(const double weights[TERMS])
{
    int bits = 0;
    for (unsigned t = 0; t < TERMS; t++)
        bits |= weights[t] != 0.0 ? 1 << t : 0;
    return bits;
}

/* The errors of one channel at one scale: only the sums of terms that count or are to be written. */
static int add_errors(struct metric_build *b, graph_plane ref, graph_plane dis, int wanted, struct errors *errors)
{
    const struct ssimulacra2_state *s = b->metric->state;
    const bool ssim = wanted & SSIM_TERMS, edges = wanted & EDGE_TERMS;
    struct graph_pass_request r = {.family = !edges ? KERNEL_SSIMULACRA2_SSIM : ssim ? KERNEL_SSIMULACRA2 : KERNEL_SSIMULACRA2_EDGES,
                                   .in = {ref, dis}};
    graph_pass pass;
    errors->wanted = wanted;
    if (!wanted)
        return ASSAY_OK;
    r.param[0].i = wanted;
    r.param[1].f = (float)(1 << s->mean_lift);
    r.param[2].f = (float)(1 << s->fourth_lift);
    const int rc = graph_add(b->graph, &r, &pass, NULL, b->error);
    if (rc)
        return rc;
    errors->first[0] = metric_totals(b, pass);
    errors->first[1] = errors->first[0] + (ssim ? ERROR_SUMS : 0);
    errors->first[2] = errors->first[1] + ERROR_SUMS;
    return ASSAY_OK;
}

static int add_maps(struct metric_build *b, unsigned background, graph_plane xyb[2][CHANNELS], uint32_t scale)
{
    const struct ssimulacra2_options *o = b->metric->options;
    struct ssimulacra2_state *s = b->metric->state;
    int rc = ASSAY_OK;
    for (unsigned c = 0; !rc && c < CHANNELS; c++) {
        const int wanted = o->ssimulacra2_sub ? ALL_TERMS : weighed(weight + (c * s->weighed + scale) * TERMS);
        rc = add_errors(b, xyb[0][c], xyb[1][c], wanted, &s->errors[background][c][scale]);
    }
    return rc;
}

/* A plane of what each pixel adds to the weighted errors: from the smallest scale up, each channel on top of what is there. */
static int add_error_map(struct metric_build *b, graph_plane xyb[SCALES][2][CHANNELS])
{
    const struct ssimulacra2_state *s = b->metric->state;
    graph_plane map = xyb[0][0][0];
    graph_pass pass;
    int rc = ASSAY_OK;
    for (uint32_t scale = s->scales; !rc && scale-- > 0;)
        for (unsigned c = 0; !rc && c < CHANNELS; c++) {
            const struct graph_plane_info *plane = &b->graph->plane[xyb[scale][0][c]];
            const double *weights = weight + (c * s->weighed + scale) * TERMS;
            struct graph_pass_request r = {.family = KERNEL_SSIMULACRA2_MAP, .in = {xyb[scale][0][c], xyb[scale][1][c], map},
                                           .out = {{plane->width, plane->height}}};
            r.param[0].i = c ? 0 : scale + 1 < s->scales ? 1 : -1;
            for (unsigned t = 0; t < 3; t++)
                r.param[1 + t].f = (float)(weights[t] + weights[3 + t]);
            rc = graph_add(b->graph, &r, &pass, &map, b->error);
        }
    return rc ? rc : metric_add_map(b, "ssimulacra2", map);
}

/* Planes of XYB of both sides from linear light, which is halved for the next scale. */
static int add_planes(struct metric_build *b, unsigned background, graph_plane linear[2], uint32_t scale, uint32_t w, uint32_t h,
                      graph_plane xyb[2][CHANNELS])
{
    const struct ssimulacra2_options *o = b->metric->options;
    struct ssimulacra2_state *s = b->metric->state;
    int rc = ASSAY_OK;
    for (unsigned side = 0; !rc && side < 2; side++) {
        if (!scale)
            rc = colour_linear(b, side, &o->colour, background, &linear[side]);
        if (!rc)
            rc = to_xyb(b, linear[side], w, h, xyb[side]);
        if (!rc && scale + 1 < s->scales)
            rc = halve(b, w, h, &linear[side]);
    }
    s->pixels[scale] = (double)w * h;
    return rc;
}

/* The size is tested before a scale is halved, so the last one may be smaller than 8; the system that yuv_matrix names tests it
 * afterwards. */
static uint32_t count_scales(uint32_t w, uint32_t h, bool small_last)
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

/* The planes of a scale come before the maps of the one above it: neither needs the other, so a device can run them side by side. */
static int add_scales(struct metric_build *b, unsigned background)
{
    const struct ssimulacra2_options *o = b->metric->options;
    const struct ssimulacra2_state *s = b->metric->state;
    uint32_t w = b->pair->format.width, h = b->pair->format.height;
    graph_plane linear[2], xyb[SCALES][2][CHANNELS];
    int rc = ASSAY_OK;
    for (uint32_t scale = 0; !rc && scale <= s->scales; scale++) {
        if (scale < s->scales)
            rc = add_planes(b, background, linear, scale, w, h, xyb[scale]);
        if (!rc && scale)
            rc = add_maps(b, background, xyb[scale - 1], scale - 1);
        w = (w + 1) / 2;
        h = (h + 1) / 2;
    }
    return rc || background || !o->map ? rc : add_error_map(b, xyb); /* of alpha over the first background */
}

static int build(struct metric_build *b)
{
    const struct ssimulacra2_options *o = b->metric->options;
    struct ssimulacra2_state *s = b->metric->state;
    const bool small_last = o->colour.yuv_matrix < 0, bright = colour_largest(b->pair, &o->colour) > 1.0;
    int rc = ASSAY_OK;
    colour_note(b, &o->colour);
    s->scales = count_scales(b->pair->format.width, b->pair->format.height, small_last);
    s->weighed = small_last ? s->scales : SCALES;
    s->mean_lift = bright ? 16 : 20;
    s->fourth_lift = bright ? 2 : 16;
    s->backgrounds = b->pair->format.alpha ? COLOUR_BACKGROUNDS : 1;
    for (unsigned i = 0; !rc && i < s->backgrounds; i++)
        rc = add_scales(b, i);
    if (!rc)
        rc = metric_add_key(b, "ssimulacra2");
    return rc || !o->ssimulacra2_sub ? rc : add_sub_keys(b, s->scales);
}

static double fourth_root(double v)
{
    return assay_sqrt(assay_sqrt(v));
}

static void terms_of(const struct ssimulacra2_state *s, const int64_t *totals, const struct errors *errors, double pixels, double *term)
{
    for (unsigned t = 0; t < 3; t++) {
        const int64_t *sums = totals + errors->first[t];
        term[t] = errors->wanted & 1 << t ? metric_join_limbs(sums, MEAN_LIMBS, s->mean_lift) / pixels : 0.0;
        term[3 + t] = errors->wanted & 8 << t
            ? fourth_root(metric_join_limbs(sums + MEAN_LIMBS, FOURTH_LIMBS, s->fourth_lift) / pixels) : 0.0;
    }
}

/* The score over one background, and its terms in the order of their keys. */
static double score(const struct ssimulacra2_state *s, const int64_t *totals, unsigned background, double term[CHANNELS * SCALES * TERMS])
{
    double sum = 0.0;
    for (unsigned c = 0; c < CHANNELS; c++)
        for (uint32_t scale = 0; scale < s->scales; scale++) {
            double *own = term + (c * s->scales + scale) * TERMS;
            terms_of(s, totals, &s->errors[background][c][scale], s->pixels[scale], own);
            for (unsigned t = 0; t < TERMS; t++)
                sum += weight[(c * s->weighed + scale) * TERMS + t] * own[t];
        }
    const double v = sum * 0.9562382616834844;
    const double u = 2.326765642916932 * v - 0.020884521182843837 * v * v + 6.248496625763138e-05 * v * v * v;
    return u > 0.0 ? 100.0 - 10.0 * assay_pow(u, 0.6276336467831387) : 100.0;
}

/* The lowest score, with its own terms. */
static void frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct ssimulacra2_options *o = m->options;
    const struct ssimulacra2_state *s = m->state;
    double term[CHANNELS * SCALES * TERMS];
    for (unsigned i = 0; i < s->backgrounds; i++) {
        const double v = score(s, totals, i, term);
        if (i && v >= values[0])
            continue;
        values[0] = v;
        if (o->ssimulacra2_sub)
            memcpy(values + 1, term, s->scales * CHANNELS * TERMS * sizeof *term);
    }
    (void)accumulators;
}

extern const struct metric_ops metric_ssimulacra2;
const struct metric_ops metric_ssimulacra2 = {
    .name = "ssimulacra2", .summary = "SSIMULACRA 2.1: perceptual similarity in colour, 100 for identical pictures",
    .options = options, .n_options = sizeof options / sizeof options[0],
    .outputs = outputs, .n_outputs = sizeof outputs / sizeof outputs[0],
    .options_size = sizeof(struct ssimulacra2_options), .state_size = sizeof(struct ssimulacra2_state),
    .allows = allows, .build = build, .frame = frame,
};
