/* SPDX-License-Identifier: BSD-2-Clause */
/* float_adm: detail loss (adm2) and additive impairment (aim) of luma over four wavelet scales. Definition: docs/metrics/adm.md. */
#include <stddef.h>
#include <string.h>

#include "host/exact_math.h"
#include "metrics/adm_csf.h"
#include "metrics/options.h"

enum { SCALES = 4, SMALLEST = 17, BANDS = 3, LIMB_BITS = 20 };
enum { VALUES = 3 * BANDS, POWER_LIMBS = 3 }; /* of power_sums.k */
enum { SIGNAL_LIFT = 19 }; /* the kernels work on samples times 2^19, see adm_dwt.k */

struct adm_options {
    bool debug, harmonic, skip_scale0;
    int height, csf_mode, bypass_cm, skip_aim_scale;
    double gain, distance, noise_weight, csf_scale, csf_diag_scale, p_norm, dlm_weight, min_val;
    double factor_hv[SCALES], factor_d[SCALES];
};

struct adm_state {
    struct adm_scale {
        uint32_t totals, limbs;
        uint32_t exponents; /* totals of layer_scales.k; only for powers other than 1, 2, 3, 4 */
        int lift;     /* of the sums: the first limb counts 2^-lift */
        double noise; /* the noise term of one band, its root taken */
    } scale[SCALES];
    double root;         /* 1 / p */
    bool any_power;      /* not 1, 2, 3 or 4 */
    double insignificant;
};

#define AT(field) offsetof(struct adm_options, field)
#define FACTOR(name, field, what) {"adm_" name, name, OPTION_DOUBLE, AT(field), -1, -1, 10, true, what}
static const struct metric_option options[] = {
    {"debug", NULL, OPTION_BOOL, AT(debug), 0, 0, 1, false, "also write numerators and denominators"},
    {"adm_enhn_gain_limit", "egl", OPTION_DOUBLE, AT(gain), 100, 1, 100, true,
     "largest credit for enhanced contrast; 1 gives none"},
    {"adm_norm_view_dist", "nvd", OPTION_DOUBLE, AT(distance), 3, 0.75, 24, true, "viewing distance in display heights"},
    {"adm_ref_display_height", "rdf", OPTION_INT, AT(height), 1080, 1, 4320, true, "height of the display in pixels"},
    {"adm_noise_weight", "nw", OPTION_DOUBLE, AT(noise_weight), 0.03125, 0, 1500, true, "weight of the constant in each band's sum"},
    {"adm_csf_scale", "scf", OPTION_DOUBLE, AT(csf_scale), 1, 0, 50, true, "factor of Barten's curve, bands h and v"},
    {"adm_csf_diag_scale", "scfd", OPTION_DOUBLE, AT(csf_diag_scale), 1, 0, 50, true, "factor of Barten's curve, band d"},
    {"adm_csf_mode", "csf", OPTION_INT, AT(csf_mode), 0, 0, 9, true, "contrast sensitivity: 1 Barten, 2 the authors', else Watson 1997"},
    {"adm_bypass_cm", "bcm", OPTION_INT, AT(bypass_cm), 0, 0, 1, true, "no contrast masking"},
    {"adm_adm3_apply_hm", "aah", OPTION_BOOL, AT(harmonic), 0, 0, 1, true, "adm3 is the harmonic mean of adm2 and aim"},
    {"adm_p_norm", "apn", OPTION_DOUBLE, AT(p_norm), 3, 1, 8, true, "power of the norm"},
    {"adm_dlm_weight", "dlmw", OPTION_DOUBLE, AT(dlm_weight), 0.5, 0, 1, true, "weight of adm2 in adm3"},
    {"adm_min_val", "min", OPTION_DOUBLE, AT(min_val), 0, 0, 1, true, "smallest value of adm3"},
    FACTOR("f1s0", factor_hv[0], "sensitivity of bands h and v at scale 0; below 0: by the mode"),
    FACTOR("f1s1", factor_hv[1], "the same at scale 1"),
    FACTOR("f1s2", factor_hv[2], "the same at scale 2"),
    FACTOR("f1s3", factor_hv[3], "the same at scale 3"),
    FACTOR("f2s0", factor_d[0], "sensitivity of band d at scale 0; below 0: by the mode"),
    FACTOR("f2s1", factor_d[1], "the same at scale 1"),
    FACTOR("f2s2", factor_d[2], "the same at scale 2"),
    FACTOR("f2s3", factor_d[3], "the same at scale 3"),
    {"adm_skip_aim_scale", "sasc", OPTION_INT, AT(skip_aim_scale), -1, -1, 3, true, "leave this scale out of aim; -1: none"},
    {"adm_skip_scale0", "ssz", OPTION_BOOL, AT(skip_scale0), 0, 0, 1, true, "leave scale 0 out"},
};
#undef FACTOR
#undef AT

static const struct metric_output outputs[] = {
    {"adm2, aim, adm3, adm_scale0 ... adm_scale3", "always"},
    {"adm, adm_num, adm_den, adm_num_scale0, adm_den_scale0 ... adm_den_scale3", "debug"},
};

static const enum kernel_family family_of_power[] = {
    [1] = KERNEL_ADM_ONES, [2] = KERNEL_ADM_SQUARES, [3] = KERNEL_ADM_CUBES, [4] = KERNEL_ADM_FOURTHS,
};

static int allows(const struct metric_pair *pair, const void *opaque, struct assay_error *e)
{
    (void)opaque;
    const int rc = metric_needs_luma(pair, "float_adm", e);
    return rc ? rc : metric_needs_size(pair, "float_adm", SMALLEST, e);
}

static float power_of_two(int n)
{
    const uint32_t bits = (uint32_t)(127 + n) << 23;
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static double raise(double v, int p)
{
    double power = v;
    for (int i = 1; i < p; i++)
        power *= v;
    return power;
}

/* The largest |factor * coefficient|: samples are at most 128 in size, and these are the L1 norms of the equivalent filters. */
static double largest(unsigned scale, double factor_hv, double factor_d)
{
    static const double low[SCALES] = {1.6731, 2.3572, 3.3410, 4.7233}, high[SCALES] = {1.6731, 2.2902, 3.3465, 4.6848};
    const double hv = 128.0 * low[scale] * high[scale] * factor_hv, d = 128.0 * high[scale] * high[scale] * factor_d;
    return hv > d ? hv : d;
}

/* The exponent of two that brings `bound` to 2^20 or just below, and leaves the last limb above 2^-110: no denormal number counts. */
static int sum_lift(double bound, uint32_t limbs)
{
    int lift = 110 - LIMB_BITS * ((int)limbs - 1);
    for (double v = bound * 1.001 * (double)power_of_two(lift); v > 0x1p20; v *= 0.5)
        lift--;
    return lift;
}

/* A factor below 2^-30 counts as 0: the kernels' products then stay normal numbers. */
static float factor_of(const struct adm_options *o, unsigned scale, enum adm_band band)
{
    const double stated = band == ADM_BAND_D ? o->factor_d[scale] : o->factor_hv[scale];
    const struct adm_viewing viewing = {o->distance, o->height};
    const float f = stated >= 0.0 ? (float)stated
                  : adm_csf(o->csf_mode, scale, band, viewing, band == ADM_BAND_D ? o->csf_diag_scale : o->csf_scale);
    return f < 0x1p-30f ? 0.0f : f;
}

/* One level of the wavelet: *plane becomes its low-low, *bands the other three. */
static int add_wavelet(struct metric_build *b, float scale, float offset, graph_plane *plane, graph_plane *bands)
{
    const struct graph_plane_info *p = &b->graph->plane[*plane];
    const uint32_t w = p->width / 2 + (p->width & 1), h = p->height / 2 + (p->height & 1);
    struct graph_pass_request r = {.family = KERNEL_ADM_DWT, .in = {*plane}, .out = {{w, h}, {w, BANDS * h}},
                                   .grid_w = w, .grid_h = h};
    graph_plane out[KERNEL_PLANES];
    graph_pass pass;
    r.param[0].f = scale;
    r.param[1].f = offset;
    const int rc = graph_add(b->graph, &r, &pass, out, b->error);
    *plane = out[0];
    *bands = out[1];
    return rc;
}

/* The values of one scale without their power, then sums of powers of what they are to the largest of each layer. */
static int add_powers(struct metric_build *b, const struct graph_pass_request *request, struct adm_scale *out)
{
    const struct adm_options *o = b->metric->options;
    const uint32_t w = request->grid_w, h = request->grid_h;
    struct graph_pass_request values = *request, scales = {.family = KERNEL_LAYER_SCALES, .out = {{VALUES, 1}}, .grid_w = VALUES, .grid_h = 1};
    struct graph_pass_request peaks = {.family = KERNEL_COLUMN_PEAKS, .out = {{w, VALUES}}, .grid_w = w, .grid_h = VALUES};
    struct graph_pass_request sums = {.family = KERNEL_POWER_SUMS, .grid_w = w, .grid_h = h};
    graph_pass pass;
    values.family = KERNEL_ADM_VALUES;
    values.out[0].width = w;
    values.out[0].height = VALUES * h;
    peaks.param[0].i = (int32_t)h;
    sums.param[0].f = (float)o->p_norm;
    sums.param[1].f = (float)(o->p_norm - (double)sums.param[0].f);
    int rc = graph_add(b->graph, &values, &pass, &peaks.in[0], b->error);
    sums.in[0] = peaks.in[0];
    if (!rc)
        rc = graph_add(b->graph, &peaks, &pass, &scales.in[0], b->error);
    if (!rc)
        rc = graph_add(b->graph, &scales, &pass, &sums.in[1], b->error);
    if (!rc)
        out->exponents = metric_totals(b, pass);
    if (!rc)
        rc = graph_add(b->graph, &sums, &pass, NULL, b->error);
    if (!rc)
        out->totals = metric_totals(b, pass);
    return rc;
}

static int add_sums(struct metric_build *b, unsigned scale, float hv, float d, struct graph_pass_request *r, struct adm_scale *out)
{
    const struct adm_options *o = b->metric->options;
    const int power = (int)o->p_norm;
    /* At least 70 bits behind the point for cubes, 90 for fourth powers at their default sizes: the root makes small sums large. */
    out->limbs = power == 4 ? 6 : 5;
    out->lift = sum_lift(raise(largest(scale, (double)hv, (double)d), power), out->limbs);
    if (power == 3 && out->lift >= 10)
        out->limbs = 4;
    r->family = out->limbs == 4 ? KERNEL_ADM_CUBES_FINE : family_of_power[power];
    r->param[7].f = power_of_two(out->lift);
    graph_pass pass;
    const int rc = graph_add(b->graph, r, &pass, NULL, b->error);
    if (!rc)
        out->totals = metric_totals(b, pass);
    return rc;
}

static int add_scale(struct metric_build *b, unsigned scale, uint32_t rows, const graph_plane bands[2])
{
    const struct adm_options *o = b->metric->options;
    struct adm_state *s = b->metric->state;
    const int w = (int)b->graph->plane[bands[0]].width, h = (int)rows;
    const int left = (int)(w * 0.1 - 0.5), top = (int)(h * 0.1 - 0.5); /* towards 0 */
    const float hv = factor_of(o, scale, ADM_BAND_HV), d = factor_of(o, scale, ADM_BAND_D);
    struct adm_scale *out = &s->scale[scale];
    out->noise = assay_pow((double)(w - 2 * left) * (double)(h - 2 * top) * o->noise_weight, s->root);
    struct graph_pass_request r = {.in = {bands[0], bands[1]}, .grid_w = (uint32_t)(w - 2 * left), .grid_h = (uint32_t)(h - 2 * top)};
    r.param[0].i = left;
    r.param[1].i = top;
    r.param[2].i = h;
    r.param[3].f = hv * power_of_two(-SIGNAL_LIFT);
    r.param[4].f = d * power_of_two(-SIGNAL_LIFT);
    r.param[5].f = (float)o->gain;
    r.param[6].f = o->bypass_cm ? 0.0f : (float)(1.0 / 30.0);
    return s->any_power ? add_powers(b, &r, out) : add_sums(b, scale, hv, d, &r, out);
}

static int add_keys(struct metric_build *b)
{
    const struct adm_options *o = b->metric->options;
    char tail[METRIC_KEY_SIZE];
    int rc = options_key_tail(b->metric, tail, b->error);
    if (!rc)
        rc = metric_add_key(b, "adm2%s", tail);
    if (!rc)
        rc = metric_add_key(b, "aim%s", tail);
    if (!rc)
        rc = metric_add_key(b, "adm3%s", tail);
    for (unsigned i = 0; !rc && i < SCALES; i++)
        rc = metric_add_key(b, "adm_scale%u%s", i, tail);
    if (rc || !o->debug)
        return rc;
    rc = metric_add_key(b, "adm%s", tail);
    if (!rc)
        rc = metric_add_key(b, "adm_num%s", tail);
    if (!rc)
        rc = metric_add_key(b, "adm_den%s", tail);
    for (unsigned i = 0; !rc && i < SCALES; i++) {
        rc = metric_add_key(b, "adm_num_scale%u%s", i, tail);
        if (!rc)
            rc = metric_add_key(b, "adm_den_scale%u%s", i, tail);
    }
    return rc;
}

static int build(struct metric_build *b)
{
    const struct adm_options *o = b->metric->options;
    struct adm_state *s = b->metric->state;
    const assay_format *f = &b->pair->format;
    graph_plane plane[2], bands[2];
    s->root = (double)(float)(1.0 / o->p_norm); /* a float in the reference */
    s->any_power = o->p_norm > 4.0 || (double)(int)o->p_norm != o->p_norm;
    s->insignificant = 1e-10 * ((double)f->width * f->height) / (1920.0 * 1080.0);
    int rc = metric_luma(b, SIDE_REF, &plane[0]);
    if (!rc)
        rc = metric_luma(b, SIDE_DIS, &plane[1]);
    for (unsigned i = 0; !rc && i < SCALES; i++) {
        const float scale = i ? 1.0f : power_of_two(SIGNAL_LIFT + 8 - (int)f->bit_depth);
        const float offset = i ? 0.0f : 128.0f * power_of_two(SIGNAL_LIFT);
        for (unsigned side = 0; !rc && side < 2; side++)
            rc = add_wavelet(b, scale, offset, &plane[side], &bands[side]);
        if (!rc && !(i == 0 && o->skip_scale0))
            rc = add_scale(b, i, b->graph->plane[plane[0]].height, bands);
    }
    return rc ? rc : add_keys(b);
}

/* The norm of one of the nine kinds of values. */
static double value_norm(const struct adm_state *s, const struct adm_scale *scale, const int64_t *totals, uint32_t value)
{
    if (s->any_power) {
        const double sum = metric_join_limbs(totals + scale->totals + value * POWER_LIMBS, POWER_LIMBS, LIMB_BITS);
        return assay_pow(sum, s->root) * (double)power_of_two((int)totals[scale->exponents + value]);
    }
    /* The last two limbs are joined apart, because all of a large picture don't fit 128 bits. */
    const int64_t *limb = totals + scale->totals + value * scale->limbs;
    const uint32_t first = scale->limbs - 2;
    const double sum = metric_join_limbs(limb, first, 0) + metric_join_limbs(limb + first, 2, LIMB_BITS * first);
    return assay_pow(sum * (double)power_of_two(-scale->lift), s->root);
}

/* Of values `first` to `first` + 2: those of the reference 0, what was kept 3, what was added 6. */
static double three_bands(const struct adm_state *s, const struct adm_scale *scale, const int64_t *totals, uint32_t first, double noise)
{
    double sum = 0.0;
    for (uint32_t band = 0; band < BANDS; band++)
        sum += value_norm(s, scale, totals, first + band) + noise;
    return sum;
}

/* A denominator of 0 (a reference without any detail, and no noise term): nothing could be lost, and what was added is all. */
static double ratio(double num, double den, double undefined)
{
    return den > 0.0 ? num / den : undefined;
}

static double combine(const struct adm_options *o, double adm2, double aim)
{
    double adm3 = adm2 * o->dlm_weight + (1.0 - aim) * (1.0 - o->dlm_weight);
    if (o->harmonic)
        adm3 = ratio(2.0 * adm2 * aim, adm2 + aim, 0.0);
    return adm3 > o->min_val ? adm3 : o->min_val;
}

static void frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct adm_options *o = m->options;
    const struct adm_state *s = m->state;
    double num[SCALES], den[SCALES], sum_num = 0.0, sum_den = 0.0, aim_num = 0.0, aim_den = 0.0;
    for (unsigned i = 0; i < SCALES; i++) {
        const struct adm_scale *scale = &s->scale[i];
        const bool skip = i == 0 && o->skip_scale0;
        den[i] = skip ? (double)1e-10f : three_bands(s, scale, totals, 0, scale->noise);
        num[i] = skip ? 0.0 : three_bands(s, scale, totals, BANDS, scale->noise);
        sum_num += num[i];
        sum_den += den[i];
        if ((int)i != o->skip_aim_scale) {
            aim_num += skip ? 0.0 : three_bands(s, scale, totals, 2 * BANDS, 0.0);
            aim_den += den[i];
        }
    }
    sum_num = sum_num < s->insignificant ? 0.0 : sum_num;
    sum_den = sum_den < s->insignificant ? 0.0 : sum_den;
    const double adm2 = ratio(sum_num, sum_den, 1.0), whole_aim = ratio(aim_num, aim_den, aim_num > 0.0 ? 1.0 : 0.0);
    const double aim = whole_aim < 1.0 ? whole_aim : 1.0;
    values[0] = adm2;
    values[1] = aim;
    values[2] = combine(o, adm2, aim);
    for (unsigned i = 0; i < SCALES; i++)
        values[3 + i] = ratio(num[i], den[i], 1.0);
    if (o->debug) {
        values[7] = adm2;
        values[8] = sum_num;
        values[9] = sum_den;
        for (unsigned i = 0; i < SCALES; i++) {
            values[10 + 2 * i] = num[i];
            values[11 + 2 * i] = den[i];
        }
    }
    (void)accumulators;
}

extern const struct metric_ops metric_float_adm;
const struct metric_ops metric_float_adm = {
    .name = "float_adm", .summary = "detail loss and additive impairment of luma over four wavelet scales",
    .options = options, .n_options = sizeof options / sizeof options[0],
    .outputs = outputs, .n_outputs = sizeof outputs / sizeof outputs[0],
    .options_size = sizeof(struct adm_options), .state_size = sizeof(struct adm_state),
    .allows = allows, .build = build, .frame = frame,
};
