/* SPDX-License-Identifier: BSD-2-Clause */
/* float_adm: detail loss (adm2) and additive impairment (aim) of luma over four wavelet scales. Definition:
 * docs/metrics/adm.md. */
#include "host/exact_math.h"
#include "metrics/adm_csf.h"
#include "metrics/adm_map.h"
#include "metrics/options.h"

enum { SCALES = 4, SMALLEST = 17 };

/* The first of each kind among the values of a scale: detail of the reference, detail that is kept, detail that is
 * added. */
enum { REFERENCE = 0, KEPT = ADM_BANDS, ADDED = 2 * ADM_BANDS };

struct float_adm_options {
    bool debug, harmonic, skip_scale0;
    int height, csf_mode, bypass_cm, skip_aim_scale;
    double gain, distance, noise_weight, csf_scale, csf_diag_scale, p_norm, dlm_weight, min_val;
    double factor_hv[SCALES], factor_d[SCALES];
};

struct float_adm_state {
    struct adm_scale {
        uint32_t limbs;        /* of a sum: 4, 5, 6 */
        union {                /* where the sums are, by limbs */
            struct adm_cubes_fine_at four;
            struct adm_at five;
            struct adm_fourths_at six;
        } sums;
        int bits;              /* the first limb of a sum counts 2^-bits */
        /* Of powers other than 1 to 4: sums of powers of the values times 2^-exponent, and the exponents. */
        struct power_sums_at powers;
        struct layer_scales_at exponents;
        double noise;          /* the root of the noise term of a band */
    } scale[SCALES];
    double root;         /* 1 / p */
    bool any_power;      /* not 1, 2, 3 or 4 */
    double insignificant;
};

#define OPTIONS struct float_adm_options
#define FACTOR(alias, field, help) KEY_DOUBLE_OPTION(field, "adm_" alias, alias, -1, -1, 10, help)
static const struct metric_option options[] = {
    FLAG_OPTION(debug, "debug", false, "also write numerators and denominators"),
    KEY_DOUBLE_OPTION(gain, "adm_enhn_gain_limit", "egl", 100, 1, 100,
                      "largest credit for enhanced contrast; 1 gives none"),
    KEY_DOUBLE_OPTION(distance, "adm_norm_view_dist", "nvd", 3, 0.75, 24, "viewing distance in display heights"),
    KEY_INT_OPTION(height, "adm_ref_display_height", "rdf", 1080, 1, 4320, "height of the display in pixels"),
    KEY_DOUBLE_OPTION(noise_weight, "adm_noise_weight", "nw", 0.03125, 0, 1500,
                      "weight of the constant in each band's sum"),
    KEY_DOUBLE_OPTION(csf_scale, "adm_csf_scale", "scf", 1, 0, 50, "factor of Barten's curve, bands h and v"),
    KEY_DOUBLE_OPTION(csf_diag_scale, "adm_csf_diag_scale", "scfd", 1, 0, 50, "factor of Barten's curve, band d"),
    KEY_INT_OPTION(csf_mode, "adm_csf_mode", "csf", 0, 0, 9,
                   "contrast sensitivity: 1 Barten, 2 the authors', else Watson 1997"),
    KEY_INT_OPTION(bypass_cm, "adm_bypass_cm", "bcm", 0, 0, 1, "no contrast masking"),
    KEY_FLAG_OPTION(harmonic, "adm_adm3_apply_hm", "aah", false, "adm3 is the harmonic mean of adm2 and aim"),
    KEY_DOUBLE_OPTION(p_norm, "adm_p_norm", "apn", 3, 1, 8, "power of the norm"),
    KEY_DOUBLE_OPTION(dlm_weight, "adm_dlm_weight", "dlmw", 0.5, 0, 1, "weight of adm2 in adm3"),
    KEY_DOUBLE_OPTION(min_val, "adm_min_val", "min", 0, 0, 1, "smallest value of adm3"),
    FACTOR("f1s0", factor_hv[0], "sensitivity of bands h and v at scale 0; below 0: by the mode"),
    FACTOR("f1s1", factor_hv[1], "the same at scale 1"),
    FACTOR("f1s2", factor_hv[2], "the same at scale 2"),
    FACTOR("f1s3", factor_hv[3], "the same at scale 3"),
    FACTOR("f2s0", factor_d[0], "sensitivity of band d at scale 0; below 0: by the mode"),
    FACTOR("f2s1", factor_d[1], "the same at scale 1"),
    FACTOR("f2s2", factor_d[2], "the same at scale 2"),
    FACTOR("f2s3", factor_d[3], "the same at scale 3"),
    KEY_INT_OPTION(skip_aim_scale, "adm_skip_aim_scale", "sasc", -1, -1, 3, "leave this scale out of aim; -1: none"),
    KEY_FLAG_OPTION(skip_scale0, "adm_skip_scale0", "ssz", false, "leave scale 0 out"),
};
#undef FACTOR

static const struct metric_output outputs[] = {
    [OUT_KEPT] = {"adm2 adm3 adm_scale0 ... adm_scale3", "always", ASSAY_HIGHER},
    [OUT_ADDED] = {"aim", "always", ASSAY_LOWER},
    [OUT_KEPT_DEBUG] = {"adm", "debug", ASSAY_HIGHER},
    [OUT_SUMS] = {"adm_num adm_den adm_num_scale0 adm_den_scale0 ... adm_den_scale3", "debug", ASSAY_NEUTRAL},
};

/* 2^n as a parameter of kernels. */
static double float_adm_raise(double v, int p)
{
    double power = v;
    for (int i = 1; i < p; i++)
        power *= v;
    return power;
}

/* The largest |factor * coefficient| of a scale. |sample - 128| is at most 128; the tables are L1 norms of the
 * filters from samples. */
static double float_adm_largest(unsigned scale, double factor_hv, double factor_d)
{
    static const double low[SCALES] = {1.6731, 2.3572, 3.3410, 4.7233}, high[SCALES] = {1.6731, 2.2902, 3.3465, 4.6848};
    const double hv = 128.0 * low[scale] * high[scale] * factor_hv, d = 128.0 * high[scale] * high[scale] * factor_d;
    return hv > d ? hv : d;
}

/* The largest n for which bound * 2^n is at most 2^20 and the last limb counts at least 2^-110, so that no denormal
 * number counts. */
static int float_adm_sum_bits(double bound, uint32_t limbs)
{
    int bits = 110 - LIMB_BITS * ((int)limbs - 1);
    for (double v = bound * 1.001 * assay_power_of_two(bits); v > 0x1p20; v *= 0.5)
        bits--;
    return bits;
}

/* A factor below 2^-30 counts as 0, so that products of the kernels are normal numbers. */
static float float_adm_factor_of(const struct float_adm_options *o, unsigned scale, enum adm_band band)
{
    const double stated = band == ADM_BAND_D ? o->factor_d[scale] : o->factor_hv[scale];
    const struct adm_viewing viewing = {o->distance, o->height};
    const float f = stated >= 0.0 ? (float)stated
                  : adm_csf(o->csf_mode, scale, band, viewing, band == ADM_BAND_D ? o->csf_diag_scale : o->csf_scale);
    return f < 0x1p-30f ? 0.0f : f;
}

/* For any power. The passes write the values of a scale, find the largest value of each layer, find the power of two
 * that brings it below 1, and sum the powers of the scaled values. */
static int float_adm_add_powers(struct metric_build *b, struct adm_values_pass pass, struct adm_scale *out)
{
    const struct float_adm_options *o = b->metric->options;
    const uint32_t w = pass.grid_w, h = pass.grid_h;
    const float power = (float)o->p_norm;
    graph_plane values, peaks, scales;
    TRY(adm_values_add(b->graph, pass, &values, b->error));
    TRY(column_peaks_add(b->graph, PASS_GRID(column_peaks, w, ADM_VALUES, .values = values, .rows = (int32_t)h), &peaks,
                         b->error));
    TRY(layer_scales_add(b->graph, PASS_GRID(layer_scales, ADM_VALUES, 1, .peaks = peaks), &out->exponents, &scales,
                         b->error));
    return power_sums_add(b->graph, PASS_GRID(power_sums, w, h, .values = values, .scales = scales, .power = power,
                                              .power_low = (float)(o->p_norm - (double)power)), &out->powers, b->error);
}

/* At default options sums of cubes get at least 70 bits behind the point, sums of fourth powers 90: the root makes
 * small sums large. */
static void float_adm_choose_limbs(struct adm_scale *out, int power, double most)
{
    out->limbs = power == 4 ? 6 : 5;
    out->bits = float_adm_sum_bits(float_adm_raise(most, power), out->limbs);
    if (power == 3 && out->bits >= 10)
        out->limbs = 4;
}

static float float_adm_masking(const struct float_adm_options *o)
{
    return o->bypass_cm ? 0.0f : (float)(1.0 / 30.0);
}

static int float_adm_add_scale(struct metric_build *b, unsigned scale, uint32_t rows, const graph_plane bands[2])
{
    const struct float_adm_options *o = b->metric->options;
    struct float_adm_state *s = b->metric->state;
    struct adm_scale *out = &s->scale[scale];
    const int w = (int)b->graph->plane[bands[0]].width, h = (int)rows;
    const int left = (int)(w * 0.1 - 0.5), top = (int)(h * 0.1 - 0.5); /* towards 0 */
    const uint32_t grid_w = (uint32_t)(w - 2 * left), grid_h = (uint32_t)(h - 2 * top);
    const float hv = float_adm_factor_of(o, scale, ADM_BAND_HV), d = float_adm_factor_of(o, scale, ADM_BAND_D),
                unit = (float)assay_power_of_two(-ADM_SIGNAL_BITS);
    const float gain = (float)o->gain, masking = float_adm_masking(o);
    const int power = (int)o->p_norm;
    out->noise = assay_pow((double)grid_w * (double)grid_h * o->noise_weight, s->root);
    if (s->any_power)
        return float_adm_add_powers(b,
                                    PASS_GRID(adm_values, grid_w, grid_h, .ref = bands[0], .dis = bands[1],
                                              .left = left, .top = top, .rows = h, .factor_hv = hv * unit,
                                              .factor_d = d * unit, .gain = gain, .masking = masking),
                                    out);
    float_adm_choose_limbs(out, power, float_adm_largest(scale, (double)hv, (double)d));
    const struct adm_pass sums =
        PASS_GRID(adm, grid_w, grid_h, .ref = bands[0], .dis = bands[1], .left = left, .top = top, .rows = h,
                  .factor_hv = hv * unit, .factor_d = d * unit, .gain = gain, .masking = masking,
                  .sum_scale = (float)assay_power_of_two(out->bits), .power = power);
    if (power == 4)
        return adm_fourths_add(b->graph, sums, &out->sums.six, b->error);
    if (out->limbs == 4)
        return adm_cubes_fine_add(b->graph, sums, &out->sums.four, b->error);
    return power == 3 ? adm_cubes_add(b->graph, sums, &out->sums.five, b->error)
                      : adm_add(b->graph, sums, &out->sums.five, b->error);
}

static int float_adm_add_own_maps(struct metric_build *b)
{
    const struct float_adm_options *o = b->metric->options;
    struct adm_map maps = {.lost = "adm", .added = "aim", .gain = (float)o->gain, .masking = float_adm_masking(o),
                           .skip_scale0 = o->skip_scale0};
    for (unsigned i = 0; i < SCALES; i++) {
        maps.hv[i] = float_adm_factor_of(o, i, ADM_BAND_HV);
        maps.d[i] = float_adm_factor_of(o, i, ADM_BAND_D);
    }
    return adm_add_maps(b, &maps);
}

static int float_adm_build(struct metric_build *b)
{
    const struct float_adm_options *o = b->metric->options;
    struct float_adm_state *s = b->metric->state;
    const assay_format *f = &b->pair->format;
    graph_plane plane[2], bands[2];
    s->root = (double)(float)(1.0 / o->p_norm); /* a float in libvmaf */
    s->any_power = o->p_norm > 4.0 || (double)(int)o->p_norm != o->p_norm;
    s->insignificant = 1e-10 * ((double)f->width * f->height) / (1920.0 * 1080.0);
    TRY(metric_luma(b, SIDE_REF, &plane[0]));
    TRY(metric_luma(b, SIDE_DIS, &plane[1]));
    for (unsigned i = 0; i < SCALES; i++) {
        for (unsigned side = 0; side < 2; side++)
            TRY(adm_add_level(b, i, &plane[side], &bands[side]));
        if (i || !o->skip_scale0)
            TRY(float_adm_add_scale(b, i, b->graph->plane[plane[0]].height, bands));
    }
    if (b->maps)
        TRY(float_adm_add_own_maps(b));
    return adm_add_keys(b, "adm", "aim", outputs, o->debug);
}

/* The last two limbs are joined apart: together, the limbs of a large picture exceed 128 bits. */
static double float_adm_join(const int64_t *limb, uint32_t limbs)
{
    const uint32_t first = limbs - 2;
    return metric_join_limbs(limb, first, 0) + metric_join_limbs(limb + first, 2, LIMB_BITS * first);
}

/* The sum of powers of a value, times 2^bits. */
static double float_adm_scaled_sum(const struct adm_scale *scale, const int64_t *totals, uint32_t value)
{
    switch (scale->limbs) {
    case 4: return float_adm_join(adm_cubes_fine_totals(scale->sums.four, totals).values[value], 4);
    case 5: return float_adm_join(adm_totals(scale->sums.five, totals).values[value], 5);
    default: return float_adm_join(adm_fourths_totals(scale->sums.six, totals).values[value], 6);
    }
}

/* The norm of one of the nine values of a scale. */
static double float_adm_value_norm(const struct float_adm_state *s, const struct adm_scale *scale,
                                   const int64_t *totals, uint32_t value)
{
    if (!s->any_power)
        return assay_pow(float_adm_scaled_sum(scale, totals, value) * assay_power_of_two(-scale->bits), s->root);
    const double sum = METRIC_JOIN(power_sums_totals(scale->powers, totals).powers[value], POWER_SUMS_SCALE);
    return assay_pow(sum, s->root) *
           assay_power_of_two((int)layer_scales_totals(scale->exponents, totals).exponent[value]);
}

/* The sum over the bands of a kind of values, each with the noise term. */
static double float_adm_three_bands(const struct float_adm_state *s, const struct adm_scale *scale,
                                    const int64_t *totals, uint32_t first, double noise)
{
    double sum = 0.0;
    for (uint32_t band = 0; band < ADM_BANDS; band++)
        sum += float_adm_value_norm(s, scale, totals, first + band) + noise;
    return sum;
}

static void float_adm_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct float_adm_options *o = m->options;
    const struct float_adm_state *s = m->state;
    double num[SCALES], den[SCALES], sum_num = 0.0, sum_den = 0.0, aim_num = 0.0, aim_den = 0.0;
    for (unsigned i = 0; i < SCALES; i++) {
        const struct adm_scale *scale = &s->scale[i];
        const bool skip = i == 0 && o->skip_scale0;
        den[i] = skip ? (double)1e-10f : float_adm_three_bands(s, scale, totals, REFERENCE, scale->noise);
        num[i] = skip ? 0.0 : float_adm_three_bands(s, scale, totals, KEPT, scale->noise);
        sum_num += num[i];
        sum_den += den[i];
        if ((int)i != o->skip_aim_scale) {
            aim_num += skip ? 0.0 : float_adm_three_bands(s, scale, totals, ADDED, 0.0);
            aim_den += den[i];
        }
    }
    sum_num = sum_num < s->insignificant ? 0.0 : sum_num;
    sum_den = sum_den < s->insignificant ? 0.0 : sum_den;
    const double adm2 = adm_ratio(sum_num, sum_den, 1.0),
                 whole_aim = adm_ratio(aim_num, aim_den, aim_num > 0.0 ? 1.0 : 0.0);
    const double aim = whole_aim < 1.0 ? whole_aim : 1.0;
    const double adm3 = o->harmonic ? adm_ratio(2.0 * adm2 * aim, adm2 + aim, 0.0)
                                    : adm2 * o->dlm_weight + (1.0 - aim) * (1.0 - o->dlm_weight);
    values[0] = adm2;
    values[1] = aim;
    values[2] = adm3 > o->min_val ? adm3 : o->min_val;
    for (unsigned i = 0; i < SCALES; i++)
        values[3 + i] = adm_ratio(num[i], den[i], 1.0);
    if (o->debug)
        metric_write_scale_sums(values + 7, SCALES, adm2, sum_num, sum_den, num, den);
    (void)accumulators;
}

const struct metric_ops metric_float_adm = {
    .name = "float_adm", .summary = "detail loss and additive impairment of luma over four wavelet scales",
    METRIC_PARTS(float_adm, options, outputs),
    .least = SMALLEST, .build = float_adm_build, .frame = float_adm_frame,
};
