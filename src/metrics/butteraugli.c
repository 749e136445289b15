/* SPDX-License-Identifier: BSD-2-Clause */
/* Butteraugli: the psychovisual distance of libjxl. Definition: docs/metrics/butteraugli.md. */

#include "host/bits.h"
#include "host/exact_math.h"
#include "metrics/butteraugli_passes.h"

struct butteraugli_options {
    struct colour_options colour;
    double intensity_target;
    struct butteraugli_weights weights;
    int pnorm, qnorm;
    bool norms;
    uint64_t given;
};
enum { TARGET = 1 << 0 }; /* its row */

struct butteraugli_state {
    double pixels;
    struct butteraugli_peak_at peak;
    struct butteraugli_norms_at norms;
};

#define OPTIONS struct butteraugli_options
static const struct metric_option options[] = {
    DOUBLE_OPTION(intensity_target, "intensity_target", 80, 1, 10000,
                  "cd/m2 of the light 1.0 of SDR; of PQ and HLG `white` says it"),
    DOUBLE_OPTION(weights.hf_asymmetry, "hf_asymmetry", 1.0, 0.1, 10,
                  "above 1: what is added in high frequencies counts less than what is lost"),
    DOUBLE_OPTION(weights.xmul, "xmul", 1.0, 0, 10, "weight of differences of red against green"),
    INT_OPTION(pnorm, "pnorm", 3, 1, 4, "p of butteraugli_{p}norm, the mean of the norms p, 2 p and 4 p"),
    INT_OPTION(qnorm, "qnorm", 2, 1, 12, "q of butteraugli_norm{q}, which `norms` writes"),
    FLAG_OPTION(norms, "norms", false, "also write the plain norms 3 and q of the map"),
    COLOUR_TAG_OPTIONS(colour),
    COLOUR_LIGHT_OPTIONS(colour),
};

static const struct metric_output outputs[] = {
    {"butteraugli", "always", ASSAY_LOWER},
    {"butteraugli_1norm butteraugli_2norm butteraugli_3norm butteraugli_4norm", "that of pnorm", ASSAY_LOWER},
    {"butteraugli_norm1 ... butteraugli_norm12", "norms: 3 and that of qnorm", ASSAY_LOWER},
};

/* There is no option yuv_matrix. */
static struct colour_options butteraugli_colour(const struct butteraugli_options *o)
{
    struct colour_options colour = o->colour;
    colour.yuv_matrix = -1;
    return colour;
}

static int butteraugli_allows(const struct metric_pair *pair, const void *opaque, struct assay_error *e)
{
    const struct butteraugli_options *o = opaque;
    const struct colour_options colour = butteraugli_colour(o);
    TRY(colour_allows(pair, &colour, "butteraugli", e));
    if (colour_is_hdr(pair, &colour) && o->given & TARGET)
        return assay_fail(e, ASSAY_EUSAGE, "butteraugli: intensity_target is of SDR; the light of PQ and HLG is in "
                          "cd/m2 already (butteraugli=white=%g says what white of SDR is beside it)",
                          o->intensity_target);
    return ASSAY_OK;
}

static int butteraugli_build(struct metric_build *b)
{
    const struct butteraugli_options *o = b->metric->options;
    struct butteraugli_state *s = b->metric->state;
    const struct butteraugli_viewing viewing = {
        .colour = butteraugli_colour(o),
        .target = colour_is_hdr(b->pair, &o->colour) ? o->colour.white : o->intensity_target,
    };
    graph_plane map, peak;
    colour_note(b, &viewing.colour);
    TRY(butteraugli_add_map(b, &viewing, &o->weights, &map));
    TRY(butteraugli_add_peak(b, map, &s->peak, &peak));
    TRY(butteraugli_norms_add(b->graph, PASS(butteraugli_norms, .map = map, .peak = peak, .p = o->pnorm,
                                             .q = o->qnorm, .plain = o->norms), &s->norms, b->error));
    if (b->maps) {
        TRY(metric_add_map(b, "butteraugli", map, BUTTERAUGLI_FULL));
        b->metric->maps[b->metric->n_maps - 1].colours = ASSAY_COLOURS_BUTTERAUGLI;
    }
    s->pixels = (double)b->pair->format.width * b->pair->format.height;
    TRY(metric_add_key(b, &outputs[0], "butteraugli"));
    TRY(metric_add_key(b, &outputs[1], "butteraugli_%dnorm", o->pnorm));
    if (!o->norms)
        return ASSAY_OK;
    TRY(metric_add_key(b, &outputs[2], "butteraugli_norm3"));
    return o->qnorm == 3 ? ASSAY_OK : metric_add_key(b, &outputs[2], "butteraugli_norm%d", o->qnorm);
}

/* The norm `power` of values whose powers, over a power of two, have a sum. */
static double butteraugli_norm(double sum, double pixels, int power)
{
    return sum > 0.0 ? assay_pow(sum / pixels, 1.0 / power) : 0.0;
}

static void butteraugli_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct butteraugli_options *o = m->options;
    const struct butteraugli_state *s = m->state;
    const struct butteraugli_peak_totals peak = butteraugli_peak_totals(s->peak, totals);
    const struct butteraugli_norms_totals sums = butteraugli_norms_totals(s->norms, totals);
    const uint32_t bits = (uint32_t)pass_join_halves(peak.bits);
    const double scale = assay_power_of_two((int)(bits >> 23) - 126); /* as butteraugli_norms.k divides by */
    double mean = 0.0;
    for (int i = 0; i < 3; i++)
        mean += butteraugli_norm(METRIC_JOIN(sums.powers[i], BUTTERAUGLI_NORMS_SCALE), s->pixels, o->pnorm << i);
    *values++ = (double)float_of_bits(bits);
    *values++ = scale * mean / 3.0;
    if (o->norms) {
        *values++ = scale * butteraugli_norm(METRIC_JOIN(sums.third, BUTTERAUGLI_NORMS_SCALE), s->pixels, 3);
        if (o->qnorm != 3)
            *values = scale * butteraugli_norm(METRIC_JOIN(sums.other, BUTTERAUGLI_NORMS_SCALE), s->pixels, o->qnorm);
    }
    (void)accumulators;
}

const struct metric_ops metric_butteraugli = {
    .name = "butteraugli", .summary = "Butteraugli: psychovisual distance of libjxl, 0 for identical pictures",
    METRIC_PARTS(butteraugli, options, outputs), .given = offsetof(struct butteraugli_options, given),
    .of_colour = true, .slow = true, .allows = butteraugli_allows, .build = butteraugli_build,
    .frame = butteraugli_frame,
};
