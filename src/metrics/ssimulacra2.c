/* SPDX-License-Identifier: BSD-2-Clause */
/* ssimulacra2: SSIMULACRA 2.1 of the picture in colour. Definition: docs/metrics/ssimulacra2.md. */
#include <stddef.h>

#include "host/exact_math.h"
#include "metrics/colour.h"

enum { SCALES = 6, CHANNELS = 3, SMALLEST = 8, SUMS = 21, TERMS = 6 };

struct ssimulacra2_options {
    struct colour_options colour;
    bool ssimulacra2_sub;
};

struct ssimulacra2_state {
    uint32_t scales, totals[SCALES];
    uint32_t weighed; /* scales of a channel in the table of weights */
    double pixels[SCALES];
};

#define AT(field) offsetof(struct ssimulacra2_options, field)
static const struct metric_option options[] = {
    COLOUR_OPTIONS(struct ssimulacra2_options, colour),
    {"ssimulacra2_sub", NULL, OPTION_BOOL, AT(ssimulacra2_sub), 0, 0, 1, false, "also write the 108 terms of the score"},
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

static int build(struct metric_build *b)
{
    const struct ssimulacra2_options *o = b->metric->options;
    struct ssimulacra2_state *s = b->metric->state;
    uint32_t w = b->pair->format.width, h = b->pair->format.height;
    graph_plane linear[2];
    colour_note(b, &o->colour);
    int rc = colour_linear(b, SIDE_REF, &o->colour, &linear[0]);
    if (!rc)
        rc = colour_linear(b, SIDE_DIS, &o->colour, &linear[1]);
    /* The size is tested before a scale is halved, so the last one may be smaller than 8; the system that yuv_matrix names tests it
     * afterwards. */
    const bool small_last = o->colour.yuv_matrix < 0;
    for (; !rc && s->scales < SCALES && w >= SMALLEST && h >= SMALLEST; s->scales++) {
        if (s->scales) {
            if (!small_last && (w < 2 * SMALLEST - 1 || h < 2 * SMALLEST - 1))
                break;
            for (unsigned side = 0; !rc && side < 2; side++)
                rc = halve(b, w, h, &linear[side]);
            w = (w + 1) / 2;
            h = (h + 1) / 2;
        }
        const struct graph_pass_request r = {.family = KERNEL_SSIMULACRA2, .in = {linear[0], linear[1]}, .grid_w = w, .grid_h = h};
        graph_pass pass;
        if (!rc)
            rc = graph_add(b->graph, &r, &pass, NULL, b->error);
        if (!rc)
            s->totals[s->scales] = metric_totals(b, pass);
        s->pixels[s->scales] = (double)w * h;
    }
    s->weighed = small_last ? s->scales : SCALES;
    if (!rc)
        rc = metric_add_key(b, "ssimulacra2");
    return rc || !o->ssimulacra2_sub ? rc : add_sub_keys(b, s->scales);
}

static double fourth_root(double v)
{
    return assay_sqrt(assay_sqrt(v));
}

/* ssim, artefact, detail as mean and as 4-norm: the order of the weights. */
static void terms_of(const int64_t *sums, double pixels, double term[TERMS])
{
    for (unsigned t = 0; t < 3; t++) {
        term[t] = metric_join_limbs(sums + 7 * t, 2, 16) / pixels;
        term[3 + t] = fourth_root(metric_join_limbs(sums + 7 * t + 2, 5, 2) / pixels);
    }
}

static void frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct ssimulacra2_options *o = m->options;
    const struct ssimulacra2_state *s = m->state;
    double sum = 0.0;
    unsigned at = 0;
    for (unsigned c = 0; c < CHANNELS; c++)
        for (uint32_t scale = 0; scale < s->scales; scale++) {
            double term[TERMS];
            terms_of(totals + s->totals[scale] + c * SUMS, s->pixels[scale], term);
            for (unsigned t = 0; t < TERMS; t++, at++) {
                sum += weight[(c * s->weighed + scale) * TERMS + t] * term[t];
                if (o->ssimulacra2_sub)
                    values[1 + at] = term[t];
            }
        }
    const double v = sum * 0.9562382616834844;
    const double u = 2.326765642916932 * v - 0.020884521182843837 * v * v + 6.248496625763138e-05 * v * v * v;
    values[0] = u > 0.0 ? 100.0 - 10.0 * assay_pow(u, 0.6276336467831387) : 100.0;
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
