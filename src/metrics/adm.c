/* SPDX-License-Identifier: BSD-2-Clause */
/* adm: detail loss (adm2) and additive impairment (aim) of luma over four wavelet scales, in integers. Every step is
 * that of libvmaf's scalar code. Definition: docs/metrics/adm.md. */
#include "host/exact_math.h"
#include "metrics/adm_csf.h"
#include "metrics/adm_map.h"
#include "metrics/options.h"

enum { SCALES = 4, SMALLEST = 17 };

/* The first of each kind among the sums of a row. */
enum { REFERENCE = 0, KEPT = ADM_BANDS, ADDED = 2 * ADM_BANDS };

struct adm_options {
    bool debug, skip_aim, skip_scale0;
    int height, csf_mode;
    double gain, distance, noise_weight, csf_scale, csf_diag_scale, dlm_weight, min_val;
};

struct adm_state {
    struct adm_scale {
        struct adm_int_at sums;
        uint32_t rows;                /* of a band, and so of sums */
        int row_shift[2];             /* of a row's sum: of the reference, of the parts */
        int bits[2][ADM_BANDS];       /* a sum over rows counts 2^-bits */
        double factor[ADM_BANDS];     /* cubed: of the reference */
        float noise;                  /* the root of the noise term of a band */
    } scale[SCALES];
    double insignificant;
};

#define OPTIONS struct adm_options
static const struct metric_option options[] = {
    FLAG_OPTION(debug, "debug", false, "also write numerators and denominators"),
    KEY_DOUBLE_OPTION(csf_scale, "adm_csf_scale", "scf", 1, 0, 50, "factor of Barten's curve, bands h and v"),
    KEY_DOUBLE_OPTION(csf_diag_scale, "adm_csf_diag_scale", "scfd", 1, 0, 50, "factor of Barten's curve, band d"),
    KEY_DOUBLE_OPTION(dlm_weight, "adm_dlm_weight", "dlmw", 0.5, 0, 1, "weight of adm2 in adm3"),
    KEY_DOUBLE_OPTION(gain, "adm_enhn_gain_limit", "egl", 100, 1, 100,
                      "largest credit for enhanced contrast; 1 gives none"),
    KEY_DOUBLE_OPTION(distance, "adm_norm_view_dist", "nvd", 3, 0.75, 24, "viewing distance in display heights"),
    KEY_INT_OPTION(height, "adm_ref_display_height", "rdh", 1080, 1, 4320, "height of the display in pixels"),
    KEY_INT_OPTION(csf_mode, "adm_csf_mode", "csf", 0, 0, 3,
                   "contrast sensitivity: 0 Watson 1997, 1 Barten, 2 and 3 blends of both"),
    KEY_DOUBLE_OPTION(noise_weight, "adm_noise_weight", "nw", 0.03125, 0, 1500,
                      "weight of the constant in each band's sum"),
    FLAG_OPTION(skip_aim, "adm_skip_aim", false, "aim is 0"),
    KEY_FLAG_OPTION(skip_scale0, "adm_skip_scale0", "ssz", false, "leave scale 0 out"),
    KEY_DOUBLE_OPTION(min_val, "adm_min_val", "min", 0, 0, 1, "smallest value of adm3"),
};

static const struct metric_output outputs[] = {
    [OUT_KEPT] = {"integer_adm2 integer_adm3 integer_adm_scale0 ... integer_adm_scale3", "always", ASSAY_HIGHER},
    [OUT_ADDED] = {"integer_aim", "always", ASSAY_LOWER},
    [OUT_KEPT_DEBUG] = {"integer_adm", "debug", ASSAY_HIGHER},
    [OUT_SUMS] = {"integer_adm_num integer_adm_den integer_adm_num_scale0 integer_adm_den_scale0 ... "
                  "integer_adm_den_scale3", "debug", ASSAY_NEUTRAL},
};

/* ---- contrast sensitivity ---------------------------------------------------------------------------------------- */

/* False: the mode has no factors for this viewing distance. */
static bool adm_factor(const struct adm_options *o, unsigned scale, enum adm_band band, float *factor)
{
    const struct adm_viewing v = {o->distance, o->height};
    if (o->csf_mode == ADM_CSF_BLEND || o->csf_mode == ADM_CSF_BLEND_MAE)
        return adm_csf_blend(o->csf_mode, scale, band, v, factor);
    *factor = adm_csf(o->csf_mode, scale, band, v, band == ADM_BAND_D ? o->csf_diag_scale : o->csf_scale);
    return true;
}

/* Bits of a factor as an integer: of the bands h and v, of d. */
static int adm_factor_bits(unsigned scale, enum adm_band band)
{
    return scale > 0 ? 32 : band == ADM_BAND_D ? 23 : 21;
}

/* The factor as the kernels take it, as a real number: not yet cut to an integer. libvmaf states those of scale 0 for
 * its default distance; the formula would give 36451 and 49414. */
static double adm_whole_factor(const struct adm_options *o, unsigned scale, enum adm_band band, float factor)
{
    const double off = o->distance * o->height - 3.0 * 1080.0;
    if (scale == 0 && o->csf_mode == ADM_CSF_WATSON && off < 1.0e-8 && off > -1.0e-8)
        return band == ADM_BAND_D ? 49417 : 36453;
    return (double)factor * assay_power_of_two(adm_factor_bits(scale, band));
}

/* The largest factor for which the contrast of the largest coefficient fits 16 bits at scale 0, and is below 2^30 at
 * the others. A factor of scale 0 has 16 bits. */
static double adm_largest_factor(unsigned scale, enum adm_band band)
{
    static const double largest[SCALES][2] = {
        {46825, 65535}, {0x1p58 / 1.51e9, 0x1p58 / 1.41e9}, {0x1p58 / 7.8e8, 0x1p58 / 7.6e8},
        {0x1p58 / 7.8e8, 0x1p58 / 7.4e8}};
    return largest[scale][band];
}

static int adm_check_factors(const struct adm_options *o, struct assay_error *e)
{
    for (unsigned scale = o->skip_scale0; scale < SCALES; scale++)
        for (int band = ADM_BAND_HV; band <= ADM_BAND_D; band++) {
            float factor;
            if (!adm_factor(o, scale, (enum adm_band)band, &factor))
                return assay_fail(e, ASSAY_EUSAGE, "adm: adm_csf_mode %d has no factors for a display of %d pixels "
                                  "at %g heights: 1080 at 3 or 5, 2160 at 1.5, 3 or 5, 720 at 5", o->csf_mode,
                                  o->height, o->distance);
            const double whole = adm_whole_factor(o, scale, (enum adm_band)band, factor);
            const double largest = adm_largest_factor(scale, (enum adm_band)band);
            if (!(whole <= largest))
                return assay_fail(e, ASSAY_EUSAGE, "adm: adm_csf_mode %d has the factor %.4g for the bands %s of scale "
                                  "%u; integers hold %.4g: lower %s", o->csf_mode, (double)factor,
                                  band == ADM_BAND_D ? "d" : "h and v", scale,
                                  largest * assay_power_of_two(-adm_factor_bits(scale, (enum adm_band)band)),
                                  band == ADM_BAND_D ? "adm_csf_diag_scale" : "adm_csf_scale");
        }
    return ASSAY_OK;
}

static int adm_allows(const struct metric_pair *pair, const void *opaque, struct assay_error *e)
{
    const struct adm_options *o = opaque;
    (void)pair;
    if (o->distance * o->height < 3.0 * 1080.0)
        return assay_fail(e, ASSAY_EUSAGE, "adm: adm_norm_view_dist times adm_ref_display_height is %g; 16-bit "
                          "integers need at least 3240", o->distance * o->height);
    return adm_check_factors(o, e);
}

/* ---- passes ------------------------------------------------------------------------------------------------------ */

/* The least n with 2^n >= v, for v of at least 1. */
static int adm_log2_ceil(uint64_t v)
{
    int n = 0;
    while (n < 63 && (UINT64_C(1) << n) < v)
        n++;
    return n;
}

/* float(x^(1/3)) with libvmaf's exponent, a third as a float. Its powf is 1 unit off for a few arguments of a thousand;
 * this is the correctly rounded power. */
static float adm_cube_root(float x)
{
    return (float)assay_pow((double)x, (double)(1.0f / 3.0f));
}

/* What is left out of a side of n at each end. */
static uint32_t adm_margin(uint32_t n)
{
    return n < 5 ? 0 : (n - 5) / 10;
}

/* Adds the wavelet of a scale: from the planes of both sides at scale 0, else from `lows`. */
static int adm_add_wavelet(struct metric_build *b, unsigned scale, graph_plane *lows, graph_plane *bands)
{
    const struct graph_plane_info *source = &b->graph->plane[*lows];
    const uint32_t rows = scale > 1 ? source->height / 2 : source->height;
    const uint32_t w = (source->width + 1) / 2, h = (rows + 1) / 2;
    if (scale == 0) {
        graph_plane ref, dis;
        struct adm_int_dwt_0_written written;
        TRY(metric_luma(b, SIDE_REF, &ref));
        TRY(metric_luma(b, SIDE_DIS, &dis));
        TRY(adm_int_dwt_0_add(b->graph, PASS_GRID(adm_int_dwt_0, w, h, .ref = ref, .dis = dis,
                                                  .depth = (int32_t)b->pair->format.bit_depth), &written, b->error));
        *lows = written.lows;
        *bands = written.bands;
        return ASSAY_OK;
    }
    const struct adm_int_dwt_pass pass = PASS_GRID(adm_int_dwt, w, h, .source = *lows, .rows = (int32_t)rows,
                                                   .shift = scale == 2 ? 16 : 15);
    if (scale == 1) {
        struct adm_int_dwt_1_written written;
        TRY(adm_int_dwt_1_add(b->graph, pass, &written, b->error));
        *lows = written.lows;
        *bands = written.bands;
        return ASSAY_OK;
    }
    struct adm_int_dwt_2_written written;
    TRY(adm_int_dwt_2_add(b->graph, pass, &written, b->error));
    *lows = written.lows;
    *bands = written.bands;
    return ASSAY_OK;
}

/* How a scale's sums become real numbers: the shifts, which depend on the size of the band (w x h) and of the part of
 * it that is pooled, and the factors. */
static void adm_set_scale(const struct adm_options *o, unsigned scale, uint32_t w, uint32_t h, struct adm_scale *s)
{
    static const int fine_bits[ADM_BANDS] = {52, 52, 57}, part_bits[SCALES] = {0, 45, 39, 36};
    static const int reference_bits[SCALES] = {18, 32, 27, 23};
    const uint32_t cw = w - 2 * adm_margin(w), ch = h - 2 * adm_margin(h);
    const int columns = adm_log2_ceil(w), pooled = adm_log2_ceil((uint64_t)cw * ch);
    const int row_shift = scale > 0 ? adm_log2_ceil(ch) : pooled > 20 ? pooled - 20 : 0;
    s->rows = h;
    s->row_shift[0] = row_shift;
    s->row_shift[1] = adm_log2_ceil(h);
    s->noise = adm_cube_root((float)((double)ch * (double)cw * o->noise_weight));
    for (unsigned band = 0; band < ADM_BANDS; band++) {
        const int cube = scale > 0 ? columns : columns - (band == 2 ? 3 : 4);
        float factor = 0;
        (void)adm_factor(o, scale, band == 2 ? ADM_BAND_D : ADM_BAND_HV, &factor);
        s->factor[band] = (double)factor * (double)factor * (double)factor;
        s->bits[0][band] = reference_bits[scale] - row_shift - (scale > 0 ? adm_log2_ceil(cw) : 0);
        s->bits[1][band] = (scale > 0 ? part_bits[scale] : fine_bits[band]) - cube - s->row_shift[1];
    }
}

/* A factor as a kernel's parameter. */
static int32_t adm_parameter(const struct adm_options *o, unsigned scale, enum adm_band band)
{
    float factor = 0;
    (void)adm_factor(o, scale, band, &factor);
    return (int32_t)adm_whole_factor(o, scale, band, factor);
}

static int adm_add_scale(struct metric_build *b, unsigned scale, uint32_t w, uint32_t h, graph_plane bands)
{
    static const int reference_square[SCALES] = {0, 31, 30, 31};
    const struct adm_options *o = b->metric->options;
    struct adm_scale *s = &((struct adm_state *)b->metric->state)->scale[scale];
    const uint32_t left = adm_margin(w), top = adm_margin(h), cw = w - 2 * left;
    const bool whole = o->gain == (double)(int)o->gain;
    const int columns = adm_log2_ceil(w);
    uint64_t bits;
    memcpy(&bits, &o->gain, sizeof bits);
    const int32_t gain = whole ? (int32_t)o->gain : 0;
    const int32_t gain_high = whole ? 0 : (int32_t)(uint32_t)(bits >> 32);
    const int32_t gain_low = whole ? 0 : (int32_t)(uint32_t)bits;
    const int32_t hv = adm_parameter(o, scale, ADM_BAND_HV), d = adm_parameter(o, scale, ADM_BAND_D);
    adm_set_scale(o, scale, w, h, s);
    if (scale == 0)
        return adm_int_fine_add(b->graph,
                                PASS_GRID(adm_int_fine, cw, h, .bands = bands, .left = (int32_t)left,
                                          .top = (int32_t)top, .bottom = (int32_t)(h - top), .factor_hv = hv,
                                          .factor_d = d, .gain = gain, .gain_high = gain_high, .gain_low = gain_low,
                                          .added = !o->skip_aim, .cube = columns - 4),
                                &s->sums, b->error);
    return adm_int_add(b->graph,
                       PASS_GRID(adm_int, cw, h, .bands = bands, .left = (int32_t)left, .top = (int32_t)top,
                                 .bottom = (int32_t)(h - top), .factor_hv = hv, .factor_d = d, .gain = gain,
                                 .gain_high = gain_high, .gain_low = gain_low, .added = !o->skip_aim,
                                 .cube = columns, .reference_square = reference_square[scale],
                                 .reference_cube = adm_log2_ceil(cw)),
                       &s->sums, b->error);
}

/* The maps are made of the wavelet in floats: they need no integer to be libvmaf's. */
static int adm_add_own_maps(struct metric_build *b)
{
    const struct adm_options *o = b->metric->options;
    struct adm_map maps = {.lost = "integer_adm", .added = "integer_aim", .gain = (float)o->gain,
                           .masking = (float)(1.0 / 30.0), .skip_scale0 = o->skip_scale0};
    for (unsigned i = 0; i < SCALES; i++) {
        (void)adm_factor(o, i, ADM_BAND_HV, &maps.hv[i]);
        (void)adm_factor(o, i, ADM_BAND_D, &maps.d[i]);
    }
    return adm_add_maps(b, &maps);
}

static int adm_build(struct metric_build *b)
{
    const struct adm_options *o = b->metric->options;
    struct adm_state *s = b->metric->state;
    const assay_format *f = &b->pair->format;
    uint32_t w = f->width, h = f->height;
    graph_plane lows, bands;
    s->insignificant = 1e-10 * ((double)f->width * f->height) / (1920.0 * 1080.0);
    TRY(metric_luma(b, SIDE_REF, &lows));
    for (unsigned i = 0; i < SCALES; i++) {
        TRY(adm_add_wavelet(b, i, &lows, &bands));
        w = (w + 1) / 2;
        h = (h + 1) / 2;
        if (i || !o->skip_scale0)
            TRY(adm_add_scale(b, i, w, h, bands));
    }
    if (b->maps)
        TRY(adm_add_own_maps(b));
    return adm_add_keys(b, "integer_adm", "integer_aim", outputs, o->debug);
}

/* ---- scores ------------------------------------------------------------------------------------------------------ */

/* One of the nine sums over the rows: each row's sum is rounded and shifted before it is added, modulo 2^64. */
static uint64_t adm_sum_rows(const int64_t (*row)[ADM_VALUES], uint32_t rows, uint32_t value, int shift)
{
    const uint64_t half = shift > 0 ? UINT64_C(1) << (shift - 1) : 0;
    uint64_t sum = 0;
    for (uint32_t y = 0; y < rows; y++)
        sum += ((uint64_t)row[y][value] + half) >> shift;
    return sum;
}

/* The sums over the three bands of a kind of values, in float as in libvmaf. */
static float adm_three_bands(const struct adm_scale *s, const int64_t (*row)[ADM_VALUES], uint32_t first, float noise)
{
    const unsigned kind = first != REFERENCE;
    float norm[ADM_BANDS];
    for (unsigned band = 0; band < ADM_BANDS; band++) {
        const uint64_t sum = adm_sum_rows(row, s->rows, first + band, s->row_shift[kind]);
        double value = (double)sum * assay_power_of_two(-s->bits[kind][band]);
        if (first == REFERENCE)
            value *= s->factor[band];
        norm[band] = adm_cube_root((float)value) + noise;
    }
    return (norm[0] + norm[1]) + norm[2];
}

static void adm_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct adm_options *o = m->options;
    const struct adm_state *s = m->state;
    double num[SCALES], den[SCALES], sum_num = 0.0, sum_den = 0.0, aim_num = 0.0; /* num and den hold floats */
    for (unsigned i = 0; i < SCALES; i++) {
        const struct adm_scale *scale = &s->scale[i];
        float aim = 0.0f;
        if (i == 0 && o->skip_scale0) {
            num[i] = 0.0;
            den[i] = (double)1e-10f;
        } else {
            const int64_t (*row)[ADM_VALUES] = adm_int_rows(scale->sums, totals);
            den[i] = (double)adm_three_bands(scale, row, REFERENCE, scale->noise);
            num[i] = (double)adm_three_bands(scale, row, KEPT, scale->noise);
            aim = o->skip_aim ? 0.0f : adm_three_bands(scale, row, ADDED, 0.0f);
        }
        sum_num += num[i];
        sum_den += den[i];
        aim_num += (double)aim;
    }
    sum_num = sum_num < s->insignificant ? 0.0 : sum_num;
    sum_den = sum_den < s->insignificant ? 0.0 : sum_den;
    const double adm2 = adm_ratio(sum_num, sum_den, 1.0), aim = adm_ratio(aim_num, sum_den, 0.0);
    const double adm3 = adm2 * o->dlm_weight + (1.0 - aim) * (1.0 - o->dlm_weight);
    values[0] = adm2;
    values[1] = aim;
    values[2] = adm3 > o->min_val ? adm3 : o->min_val;
    for (unsigned i = 0; i < SCALES; i++)
        values[3 + i] = adm_ratio(num[i], den[i], 1.0);
    if (o->debug)
        metric_write_scale_sums(values + 7, SCALES, adm2, sum_num, sum_den, num, den);
    (void)accumulators;
}

const struct metric_ops metric_adm = {
    .name = "adm", .summary = "detail loss and additive impairment of luma in integers, bit for bit libvmaf's",
    METRIC_PARTS(adm, options, outputs),
    .least = SMALLEST, .allows = adm_allows, .build = adm_build, .frame = adm_frame,
};
