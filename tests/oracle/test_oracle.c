/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The library's scores against the double oracle, on pictures that are hard on rounding: every content at several
 * depths and sizes, the smallest and odd ones among them. Prints the largest difference of each family of scores.
 *
 * Built with ORACLE_SABOTAGE=1 the oracle's windows have one tap that is wrong in its last digit; the test then passes
 * if every family that uses one notices. It ends as soon as they all have.
 */
#include <assay/assay.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "pictures.h"

enum family {
    MSE,
    DECIBEL,
    MOMENT,
    SSIM,
    FLOAT_SSIM,
    FLOAT_SSIM_LCS,
    FLOAT_MS_SSIM,
    FLOAT_MS_SSIM_LCS,
    FLOAT_ADM,
    FLOAT_VIF,
    ADM,
    CIEDE2000,
    CIEDE2000_MEAN,
    PSNR_HVS,
    FLOAT_MOTION,
    VIF,
    SSIMULACRA2,
    SSIMULACRA2_BRIGHT,
    FAMILIES
};

/*
 * What is promised; relative where the score has a scale of its own.
 */
static const struct {
    const char *name;
    double bound;
    bool relative, windowed;
} family_of[FAMILIES] = {
    [MSE] = { "mse", 0, false, false },
    [DECIBEL] = { "psnr, apsnr, float_psnr, dB forms", 1e-12, true, false },
    [MOMENT] = { "float_moment", 1e-12, true, false },
    [SSIM] = { "ssim", 1e-6, false, true },
    [FLOAT_SSIM] = { "float_ssim", 2e-6, false, true },
    [FLOAT_SSIM_LCS] = { "float_ssim l, c, s", 2e-6, false, true },
    [FLOAT_MS_SSIM] = { "float_ms_ssim", 2e-6, false, true },
    [FLOAT_MS_SSIM_LCS] = { "float_ms_ssim l, c, s", 2e-6, false, true },
    [FLOAT_ADM] = { "float_adm", 1e-6, false, true },
    [FLOAT_VIF] = { "float_vif", 1e-5, false, true },
    [ADM] = { "adm", 0, false, true },
    [CIEDE2000] = { "ciede2000 of natural pictures", 1e-5, false, false },
    [CIEDE2000_MEAN] = { "ciede2000's mean difference", 1e-4, false, true },
    [PSNR_HVS] = { "psnr_hvs", 1e-5, false, true },
    [FLOAT_MOTION] = { "float_motion", 2e-5, false, true },
    [VIF] = { "vif", 0, false, true },
    [SSIMULACRA2] = { "ssimulacra2", 0.02, false, true },
    [SSIMULACRA2_BRIGHT] = { "ssimulacra2 of PQ and HLG", 0.2, false, true },
};

static struct {
    unsigned checks, failures;
    double worst;
    char where[256];
} found[FAMILIES];
static unsigned other_failures;
static char place[96]; /* what is being compared: size, depth, content */

/* The contents of this run. */
static enum content content_of[CONTENTS];
static unsigned contents;

static void compare(enum family f, const char *key, double got, double expected)
{
    double difference = got == expected ? 0 : fabs(got - expected); /* equal infinities too */
    if (family_of[f].relative && expected != 0)
        difference /= fabs(expected);
    found[f].checks++;
    if (difference > found[f].worst) {
        found[f].worst = difference;
        snprintf(found[f].where, sizeof found[f].where, "%s, %s", key, place);
    }
    if (difference <= family_of[f].bound)
        return;
    found[f].failures++;
    if (!ORACLE_SABOTAGE && found[f].failures <= 5)
        printf("%s, %s: %.17g, the oracle has %.17g\n", key, place, got, expected);
}

static void fail(const char *what, const char *reason)
{
    printf("%s, %s: %s\n", what, place, reason);
    other_failures++;
}

/* ---- the library ---- */

/* Scores of one metric for all contents at one size and depth. */
struct run {
    assay_session *session;
    uint32_t keys;
    double *value; /* a row of `keys` per content */
};

static void picture_of(assay_picture *out, const struct oracle_picture *p, uint8_t *bytes)
{
    *out = (assay_picture){ 0 };
    for (uint32_t k = 0; k < p->planes; k++) {
        const size_t n = (size_t)p->width[k] * p->height[k];
        out->plane[k] = p->sample[k];
        out->stride[k] = (ptrdiff_t)p->width[k] * (p->depth > 8 ? 2 : 1);
        if (p->depth == 8) {
            for (size_t i = 0; i < n; i++)
                bytes[i] = (uint8_t)p->sample[k][i];
            out->plane[k] = bytes;
            bytes += n;
        }
    }
}

static size_t samples_of(const struct oracle_picture *p)
{
    size_t n = 0;
    for (uint32_t k = 0; k < p->planes; k++)
        n += (size_t)p->width[k] * p->height[k];
    return n;
}

static bool submit(struct run *r, uint64_t frame, const struct oracle_pair *pair)
{
    const size_t n = samples_of(&pair->ref);
    uint8_t *bytes = oracle_alloc(2 * n, 1);
    assay_picture ref, dis;
    picture_of(&ref, &pair->ref, bytes);
    picture_of(&dis, &pair->dis, bytes + n);
    const int rc = assay_session_submit(r->session, frame, &ref, &dis);
    free(bytes);
    return rc == 0;
}

/* False when the library refuses the metric for such pictures. Everything else that goes wrong is a failure. */
static bool run_metric(struct run *r, const char *metric, const struct oracle_pair *pair)
{
    const struct oracle_picture *p = &pair[0].ref;
    const assay_format format = { .width = p->width[0], .height = p->height[0], .bit_depth = p->depth,
        .layout = p->planes == 1 ? ASSAY_LAYOUT_400 : ASSAY_LAYOUT_420, .rate_num = 25, .rate_den = 1 };
    const assay_config config = { .threads = 1 };
    char error[512] = "";
    *r = (struct run){ 0 };
    if (assay_session_new(&r->session, &config, error, sizeof error) != 0) {
        fail(metric, error);
        return false;
    }
    if (assay_session_add_metric(r->session, metric) != 0) {
        fail(metric, assay_session_error(r->session));
        return false;
    }
    const int rc = assay_session_start(r->session, &format);
    if (rc == ASSAY_EUSAGE)
        return false;
    bool ok = rc == 0;
    r->keys = ok ? assay_session_keys(r->session) : 0;
    r->value = oracle_alloc((size_t)contents * r->keys, sizeof(double));
    for (uint64_t i = 0; ok && i < contents; i++)
        ok = submit(r, i, &pair[i]);
    ok = ok && assay_session_flush(r->session) == 0;
    for (uint64_t i = 0, frame; ok && i < contents; i++)
        ok = assay_session_poll(r->session, &frame, &r->value[i * r->keys]) == 1 && frame == i;
    if (!ok)
        fail(metric, assay_session_error(r->session));
    return ok;
}

static void run_close(struct run *r)
{
    assay_session_close(&r->session);
    free(r->value);
}

static double value_of(const struct run *r, unsigned content, const char *key)
{
    for (uint32_t i = 0; i < r->keys; i++) {
        if (!strcmp(assay_session_key(r->session, i), key))
            return r->value[content * r->keys + i];
    }
    fail(key, "the library has no such key");
    return NAN;
}

static double aggregate_of(const struct run *r, const char *key)
{
    for (uint32_t i = 0; i < assay_session_aggregates(r->session); i++) {
        double value;
        if (!strcmp(assay_session_aggregate_key(r->session, i), key) && !assay_session_aggregate(r->session, i, &value))
            return value;
    }
    fail(key, "the library has no such aggregate");
    return NAN;
}

/* ---- the metrics ---- */

static const char all_contents[] = "all contents";

/* Names the place of a comparison: "177x176 10 bit, checkerboard". */
static void at(const struct oracle_picture *p, const char *content)
{
    snprintf(place, sizeof place, "%ux%u %u bit, %s", p->width[0], p->height[0], p->depth, content);
}

static const char *const plane_name[ORACLE_PLANES] = { "y", "cb", "cr" };

static void check_psnr(const char *metric, const struct oracle_psnr_options *options, const struct oracle_pair *pair)
{
    struct run r;
    at(&pair[0].ref, all_contents);
    if (run_metric(&r, metric, pair)) {
        for (uint32_t k = 0; k < pair[0].ref.planes; k++) {
            char psnr[16], mse[16], apsnr[16];
            snprintf(psnr, sizeof psnr, "psnr_%s", plane_name[k]);
            snprintf(mse, sizeof mse, "mse_%s", plane_name[k]);
            snprintf(apsnr, sizeof apsnr, "apsnr_%s", plane_name[k]);
            unsigned __int128 sse = 0;
            for (unsigned c = 0; c < contents; c++) {
                at(&pair[c].ref, content_name[content_of[c]]);
                const struct oracle_psnr o = oracle_psnr(&pair[c].ref, &pair[c].dis, k, options);
                compare(DECIBEL, psnr, value_of(&r, c, psnr), o.psnr);
                compare(MSE, mse, value_of(&r, c, mse), o.mse);
                sse += o.sse;
            }
            at(&pair[0].ref, all_contents);
            const uint64_t n = (uint64_t)contents * pair[0].ref.width[k] * pair[0].ref.height[k];
            compare(DECIBEL, apsnr, aggregate_of(&r, apsnr),
                    oracle_apsnr(pair[0].ref.depth, options->reduced_peak, sse, n));
        }
    } else {
        fail(metric, "refused");
    }
    run_close(&r);
}

static void check_simple(const char *metric, const struct oracle_pair *pair)
{
    struct run r;
    at(&pair[0].ref, all_contents);
    if (!run_metric(&r, metric, pair))
        fail(metric, "refused");
    for (unsigned c = 0; r.keys && c < contents; c++) {
        const struct oracle_picture *ref = &pair[c].ref, *dis = &pair[c].dis;
        at(ref, content_name[content_of[c]]);
        if (!strcmp(metric, "float_psnr")) {
            compare(DECIBEL, metric, value_of(&r, c, metric), oracle_float_psnr(ref, dis));
        } else if (!strcmp(metric, "ssim")) {
            compare(SSIM, metric, value_of(&r, c, metric), oracle_ssim(ref, dis));
        } else {
            double first, second;
            oracle_float_moment(ref, &first, &second);
            compare(MOMENT, "float_moment_ref1st", value_of(&r, c, "float_moment_ref1st"), first);
            compare(MOMENT, "float_moment_ref2nd", value_of(&r, c, "float_moment_ref2nd"), second);
            oracle_float_moment(dis, &first, &second);
            compare(MOMENT, "float_moment_dis1st", value_of(&r, c, "float_moment_dis1st"), first);
            compare(MOMENT, "float_moment_dis2nd", value_of(&r, c, "float_moment_dis2nd"), second);
        }
    }
    run_close(&r);
}

static void compare_lcs(enum family f, const struct run *r, unsigned content, const char *name, const char *tail,
    const struct oracle_lcs *m)
{
    const double factor[3] = { m->l, m->c, m->s };
    for (int i = 0; i < 3; i++) {
        char key[64];
        snprintf(key, sizeof key, "%s_%c%s", name, "lcs"[i], tail);
        compare(f, key, value_of(r, content, key), factor[i]);
    }
}

static void check_float_ssim(uint32_t scale, const struct oracle_pair *pair)
{
    char metric[64];
    snprintf(metric, sizeof metric, "float_ssim=enable_lcs=true:scale=%u", scale);
    struct run r;
    at(&pair[0].ref, all_contents);
    const bool scored = run_metric(&r, metric, pair);
    for (unsigned c = 0; c < contents; c++) {
        struct oracle_lcs m;
        at(&pair[c].ref, content_name[content_of[c]]);
        if (oracle_float_ssim(&pair[c].ref, &pair[c].dis, scale, &m) != scored) {
            fail(metric, scored ? "scored, but the picture is too small" : "refused");
            break;
        }
        if (scored) {
            compare(FLOAT_SSIM, metric, value_of(&r, c, "float_ssim"), m.ssim);
            compare_lcs(FLOAT_SSIM_LCS, &r, c, "float_ssim", "", &m);
        }
    }
    run_close(&r);
}

static void check_float_ms_ssim(const struct oracle_pair *pair)
{
    const char *metric = "float_ms_ssim=enable_lcs=true";
    struct run r;
    at(&pair[0].ref, all_contents);
    const bool scored = run_metric(&r, metric, pair);
    for (unsigned c = 0; c < contents; c++) {
        struct oracle_ms_ssim m;
        at(&pair[c].ref, content_name[content_of[c]]);
        if (oracle_float_ms_ssim(&pair[c].ref, &pair[c].dis, &m) != scored) {
            fail(metric, scored ? "scored, but the picture is too small" : "refused");
            break;
        }
        if (!scored)
            continue;
        compare(FLOAT_MS_SSIM, "float_ms_ssim", value_of(&r, c, "float_ms_ssim"), m.score);
        for (int k = 0; k < ORACLE_MS_SCALES; k++) {
            char tail[16];
            snprintf(tail, sizeof tail, "_scale%d", k);
            compare_lcs(FLOAT_MS_SSIM_LCS, &r, c, "float_ms_ssim", tail, &m.scale[k]);
        }
    }
    run_close(&r);
}

static void check_float_adm(const char *tail, const struct oracle_adm_options *options, const struct oracle_pair *pair)
{
    static const char *const scale_key[ORACLE_ADM_SCALES] = { "adm_scale0", "adm_scale1", "adm_scale2", "adm_scale3" };
    char metric[160];
    if (*tail)
        snprintf(metric, sizeof metric,
                 "float_adm=adm_enhn_gain_limit=%g:adm_p_norm=%g:adm_noise_weight=%g:adm_bypass_cm=%d", options->gain,
                 options->p, options->noise_weight, options->bypass_cm);
    else
        snprintf(metric, sizeof metric, "float_adm");
    struct run r;
    at(&pair[0].ref, all_contents);
    const bool scored = run_metric(&r, metric, pair);
    for (unsigned c = 0; c < contents; c++) {
        struct oracle_adm m;
        char key[128];
        at(&pair[c].ref, content_name[content_of[c]]);
        if (oracle_float_adm(&pair[c].ref, &pair[c].dis, options, &m) != scored) {
            fail(metric, scored ? "scored, but the picture is too small" : "refused");
            break;
        }
        if (!scored)
            continue;
        snprintf(key, sizeof key, "adm2%s", tail);
        compare(FLOAT_ADM, key, value_of(&r, c, key), m.adm2);
        snprintf(key, sizeof key, "aim%s", tail);
        compare(FLOAT_ADM, key, value_of(&r, c, key), m.aim);
        snprintf(key, sizeof key, "adm3%s", tail);
        compare(FLOAT_ADM, key, value_of(&r, c, key), m.adm3);
        for (int k = 0; k < ORACLE_ADM_SCALES; k++) {
            snprintf(key, sizeof key, "%s%s", scale_key[k], tail);
            compare(FLOAT_ADM, key, value_of(&r, c, key), m.scale[k]);
        }
    }
    run_close(&r);
}

static void check_float_vif(const char *arguments, const char *tail, const struct oracle_vif_options *options,
                            const struct oracle_pair *pair)
{
    char metric[160];
    snprintf(metric, sizeof metric, "float_vif=debug=true%s", arguments);
    struct run r;
    at(&pair[0].ref, all_contents);
    const bool scored = run_metric(&r, metric, pair);
    for (unsigned c = 0; c < contents; c++) {
        struct oracle_vif m;
        char key[64];
        at(&pair[c].ref, content_name[content_of[c]]);
        if (oracle_float_vif(&pair[c].ref, &pair[c].dis, options, &m) != scored) {
            fail(metric, scored ? "scored, but the picture is too small" : "refused");
            break;
        }
        if (!scored)
            continue;
        snprintf(key, sizeof key, "vif%s", tail);
        compare(FLOAT_VIF, key, value_of(&r, c, key), m.vif);
        for (int k = 0; k < ORACLE_VIF_SCALES; k++) {
            snprintf(key, sizeof key, "vif_scale%d%s", k, tail);
            compare(FLOAT_VIF, key, value_of(&r, c, key), m.scale[k]);
        }
    }
    run_close(&r);
}

static void check_psnr_hvs(const struct oracle_pair *pair)
{
    static const char *const key[ORACLE_PLANES + 1] = { "psnr_hvs_y", "psnr_hvs_cb", "psnr_hvs_cr", "psnr_hvs" };
    struct run r;
    at(&pair[0].ref, all_contents);
    const bool scored = run_metric(&r, "psnr_hvs", pair);
    for (unsigned c = 0; c < contents; c++) {
        double score[ORACLE_PLANES + 1];
        at(&pair[c].ref, content_name[content_of[c]]);
        if (oracle_psnr_hvs(&pair[c].ref, &pair[c].dis, score) != scored) {
            fail("psnr_hvs", scored ? "scored, but a plane is too small" : "refused");
            break;
        }
        for (uint32_t k = 0; scored && k < (pair[c].ref.planes == 1 ? 1 : ORACLE_PLANES + 1); k++)
            compare(PSNR_HVS, key[k], value_of(&r, c, key[k]), score[k]);
    }
    run_close(&r);
}

/* The contents are the frames of a video. */
static void check_float_motion(const char *metric, const char *key, bool add_half, const struct oracle_pair *pair)
{
    struct run r;
    at(&pair[0].ref, all_contents);
    const bool scored = run_metric(&r, metric, pair);
    const bool large = pair[0].ref.width[0] >= 3 && pair[0].ref.height[0] >= 3;
    if (scored != large)
        fail(metric, scored ? "scored, but the picture is too small" : "refused");
    for (unsigned c = 1; scored && c < contents; c++) {
        at(&pair[c].ref, content_name[content_of[c]]);
        const double exact = oracle_float_motion(&pair[c - 1].ref, &pair[c].ref, add_half);
        /* Blurred samples round in units of 2^-17, whatever the motion is; a half adds a second mean of them. */
        const double unit = fmax(exact, add_half ? 2 : 1);
        compare(FLOAT_MOTION, key, value_of(&r, c, key) / unit, exact / unit);
    }
    run_close(&r);
}

static void check_vif(const char *tail, double gain_limit, const struct oracle_pair *pair)
{
    char metric[64], key[64];
    snprintf(metric, sizeof metric, "vif=debug=true:vif_enhn_gain_limit=%g", gain_limit);
    struct run r;
    at(&pair[0].ref, all_contents);
    const bool scored = run_metric(&r, metric, pair);
    for (unsigned c = 0; c < contents; c++) {
        struct oracle_integer_vif m;
        at(&pair[c].ref, content_name[content_of[c]]);
        if (oracle_integer_vif(&pair[c].ref, &pair[c].dis, gain_limit, &m) != scored) {
            fail(metric, scored ? "scored, but the picture is too small" : "refused");
            break;
        }
        for (int k = 0; scored && k < ORACLE_VIF_SCALES; k++) {
            snprintf(key, sizeof key, "integer_vif_scale%d%s", k, tail);
            compare(VIF, key, value_of(&r, c, key), m.scale[k]);
            snprintf(key, sizeof key, "integer_vif_num_scale%d%s", k, tail);
            compare(VIF, key, value_of(&r, c, key), m.num[k]);
            snprintf(key, sizeof key, "integer_vif_den_scale%d%s", k, tail);
            compare(VIF, key, value_of(&r, c, key), m.den[k]);
        }
    }
    run_close(&r);
}

static void compare_adm(const struct run *r, unsigned content, const char *tail, const struct oracle_adm_int *m)
{
    const struct {
        const char *key;
        double value;
    } row[] = {
        { "2", m->adm2 }, { "3", m->adm3 }, { "_scale0", m->scale[0] }, { "_scale1", m->scale[1] },
        { "_scale2", m->scale[2] }, { "_scale3", m->scale[3] }, { "_num_scale0", m->num[0] },
        { "_num_scale1", m->num[1] }, { "_num_scale2", m->num[2] }, { "_num_scale3", m->num[3] },
        { "_den_scale0", m->den[0] }, { "_den_scale1", m->den[1] }, { "_den_scale2", m->den[2] },
        { "_den_scale3", m->den[3] },
    };
    char key[128];
    snprintf(key, sizeof key, "integer_aim%s", tail);
    compare(ADM, key, value_of(r, content, key), m->aim);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        snprintf(key, sizeof key, "integer_adm%s%s", row[i].key, tail);
        compare(ADM, key, value_of(r, content, key), row[i].value);
    }
}

static void check_adm(const char *tail, const struct oracle_adm_int_options *options, const struct oracle_pair *pair)
{
    char metric[160];
    snprintf(metric, sizeof metric, "adm=debug=true:adm_enhn_gain_limit=%g:adm_noise_weight=%g", options->gain,
             options->noise_weight);
    struct run r;
    at(&pair[0].ref, all_contents);
    const bool scored = run_metric(&r, metric, pair);
    for (unsigned c = 0; c < contents; c++) {
        struct oracle_adm_int m;
        at(&pair[c].ref, content_name[content_of[c]]);
        if (oracle_adm_int(&pair[c].ref, &pair[c].dis, options, &m) != scored) {
            fail(metric, scored ? "scored, but the picture is too small" : "refused");
            break;
        }
        if (scored)
            compare_adm(&r, c, tail, &m);
    }
    run_close(&r);
}

static void check_ssimulacra2(const char *metric, const struct oracle_colour *colour, const struct oracle_pair *pair)
{
    struct run r;
    at(&pair[0].ref, all_contents);
    const bool scored = run_metric(&r, metric, pair), large = pair[0].ref.width[0] >= 8 && pair[0].ref.height[0] >= 8;
    if (scored != large)
        fail(metric, scored ? "scored, but the picture is too small" : "refused");
    for (unsigned c = 0; r.keys && c < contents; c++) {
        struct oracle_image ref[3], dis[3];
        at(&pair[c].ref, content_name[content_of[c]]);
        oracle_linear(ref, &pair[c].ref, colour);
        oracle_linear(dis, &pair[c].dis, colour);
        const double exact = oracle_ssimulacra2(ref, dis), got = value_of(&r, c, "ssimulacra2");
        /* Below 0 a score has no end: there, parts of its distance from 100. */
        const double unit = exact < 0 ? (100 - exact) / 100 : 1;
        compare(colour->peak > 0 ? SSIMULACRA2_BRIGHT : SSIMULACRA2, metric, got / unit, exact / unit);
        if (exact == 100 && got != 100)
            fail(metric, "identical pictures do not score 100");
        for (int k = 0; k < 3; k++) {
            oracle_image_free(&ref[k]);
            oracle_image_free(&dis[k]);
        }
    }
    run_close(&r);
}

/* Colours are floats that step by up to 3e-5. In flat pictures all pixels have the same rounding, so the mean
 * difference is that much off; in natural pictures it averages out. */
static void check_ciede2000(const struct oracle_pair *pair)
{
    struct run r;
    at(&pair[0].ref, all_contents);
    const bool scored = run_metric(&r, "ciede2000", pair), colour = pair[0].ref.planes == ORACLE_PLANES;
    if (scored != colour)
        fail("ciede2000", scored ? "scored without colour" : "refused");
    for (unsigned c = 0; r.keys && c < contents; c++) {
        at(&pair[c].ref, content_name[content_of[c]]);
        const double exact = oracle_ciede2000(&pair[c].ref, &pair[c].dis), got = value_of(&r, c, "ciede2000");
        if (content_of[c] == CONTENT_NATURAL && pair[0].ref.width[0] >= 64 && pair[0].ref.height[0] >= 64)
            compare(CIEDE2000, "ciede2000", got, exact);
        compare(CIEDE2000_MEAN, "ciede2000", pow(10, (45 - got) / 20), pow(10, (45 - exact) / 20));
    }
    run_close(&r);
}

/* Untagged video: BT.709, limited, sRGB's transfer, chroma between the rows and on the first of two columns. */
static const struct oracle_colour untagged = {
    .kr = 0.2126, .kb = 0.0722, .site_x = ORACLE_FIRST, .site_y = ORACLE_BETWEEN, .transfer = ORACLE_SRGB};

/* Each choice of each option of colour. */
static void check_colour(const struct oracle_pair *pair)
{
    static const double bt2020[4][2] = { { 0.708, 0.292 }, { 0.170, 0.797 }, { 0.131, 0.046 }, { 0.3127, 0.3290 } };
    static const double p3[4][2] = { { 0.680, 0.320 }, { 0.265, 0.690 }, { 0.150, 0.060 }, { 0.3127, 0.3290 } };
    static const double lines_625[4][2] = { { 0.64, 0.33 }, { 0.29, 0.60 }, { 0.15, 0.06 }, { 0.3127, 0.3290 } };
    static const double lines_525[4][2] = { { 0.630, 0.340 }, { 0.310, 0.595 }, { 0.155, 0.070 }, { 0.3127, 0.3290 } };
    struct oracle_colour c = untagged;
    c.kr = 0.299;
    c.kb = 0.114;
    c.full = true;
    c.primaries = lines_525;
    check_ssimulacra2("ssimulacra2=matrix=bt601:range=full:primaries=bt601-525", &c, pair);
    c.site_x = c.site_y = ORACLE_BETWEEN;
    c.full = false;
    c.primaries = lines_625;
    c.transfer = ORACLE_POWER;
    c.gamma = 2.8;
    check_ssimulacra2("ssimulacra2=matrix=bt601:chroma=center:transfer=gamma28:primaries=bt601-625", &c, pair);
    c = untagged;
    c.site_x = c.site_y = ORACLE_FIRST;
    c.transfer = ORACLE_POWER;
    c.gamma = 2.4;
    c.primaries = p3;
    check_ssimulacra2("ssimulacra2=chroma=topleft:transfer=bt1886:primaries=p3", &c, pair);
    c.gamma = 2.2;
    c.site_y = ORACLE_SECOND;
    c.primaries = NULL;
    check_ssimulacra2("ssimulacra2=chroma=bottomleft:transfer=gamma22", &c, pair);
    c.site_x = ORACLE_BETWEEN;
    c.transfer = ORACLE_LINEAR;
    check_ssimulacra2("ssimulacra2=chroma=bottom:transfer=linear", &c, pair);
    c = untagged;
    c.site_x = ORACLE_BETWEEN;
    c.site_y = ORACLE_FIRST;
    c.kr = 0.2627;
    c.kb = 0.0593;
    c.primaries = bt2020;
    c.transfer = ORACLE_PQ;
    c.white = 80;
    c.peak = 10000;
    check_ssimulacra2("ssimulacra2=chroma=top:matrix=bt2020:primaries=bt2020:transfer=pq:white=80:peak=10000", &c,
                      pair);
    c.site_x = c.site_y = ORACLE_NEAREST;
    c.peak = 1000;
    c.white = 203;
    check_ssimulacra2("ssimulacra2=chroma=nearest:matrix=bt2020:primaries=bt2020:transfer=pq", &c, pair);
    c.transfer = ORACLE_HLG;
    check_ssimulacra2("ssimulacra2=chroma=nearest:matrix=bt2020:primaries=bt2020:transfer=hlg", &c, pair);
    c.peak = 4000;
    check_ssimulacra2("ssimulacra2=chroma=nearest:matrix=bt2020:primaries=bt2020:transfer=hlg:peak=4000", &c, pair);
}

/* The dB forms, from the library's own similarity, so that only the conversion is judged. */
static void check_decibel(const char *name, bool clip, const struct oracle_pair *pair)
{
    char metric[64];
    snprintf(metric, sizeof metric, "%s=enable_db=true:clip_db=%s", name, clip ? "true" : "false");
    struct run plain = { 0 }, decibel = { 0 };
    at(&pair[0].ref, all_contents);
    if (run_metric(&plain, name, pair) && run_metric(&decibel, metric, pair)) {
        for (unsigned c = 0; c < contents; c++) {
            at(&pair[c].ref, content_name[content_of[c]]);
            compare(DECIBEL, metric, value_of(&decibel, c, name),
                oracle_db(value_of(&plain, c, name), clip ? oracle_clip_db(&pair[c].ref) : INFINITY));
        }
    } else {
        fail(metric, "refused");
    }
    run_close(&plain);
    run_close(&decibel);
}

/* ---- all of it ---- */

static void check_size(uint32_t width, uint32_t height, uint32_t depth, uint32_t planes, bool every_form)
{
    struct oracle_pair pair[CONTENTS];
    for (unsigned c = 0; c < contents; c++) {
        pair_new(&pair[c], width, height, depth, planes);
        pair_fill(&pair[c], content_of[c], (uint64_t)width << 40 | (uint64_t)height << 16 | depth);
    }
    check_psnr("psnr=enable_mse=true:enable_apsnr=true", &(struct oracle_psnr_options){ false, 0 }, pair);
    check_simple("float_psnr", pair);
    check_simple("float_moment", pair);
    check_simple("ssim", pair);
    check_float_ssim(0, pair);
    check_float_ms_ssim(pair);
    check_ciede2000(pair);
    check_float_adm("", &(struct oracle_adm_options){ 100, 3, 0.03125, false, true }, pair);
    check_vif("", 100, pair);
    check_float_vif("", "", &(struct oracle_vif_options){ 100, 2, false, true }, pair);
    check_psnr_hvs(pair);
    check_float_motion("float_motion", "motion", false, pair);
    check_float_motion("float_motion=motion_add_scale1=true", "motion_mdc", true, pair);
    check_adm("", &(struct oracle_adm_int_options){ 100, 0.03125 }, pair);
    check_adm("_egl_1", &(struct oracle_adm_int_options){ 1, 0.03125 }, pair);
    check_ssimulacra2("ssimulacra2", &untagged, pair);
    if (width == 65)
        check_colour(pair);
    if (every_form) {
        check_psnr("psnr=enable_mse=true:enable_apsnr=true:reduced_hbd_peak=true",
                   &(struct oracle_psnr_options){true, 0}, pair);
        check_psnr("psnr=enable_mse=true:enable_apsnr=true:min_sse=0.5", &(struct oracle_psnr_options){false, 0.5},
                   pair);
        for (uint32_t scale = 1; scale <= 10; scale++)
            check_float_ssim(scale, pair);
        check_float_adm("_bcm_1_egl_1_nw_0.5", &(struct oracle_adm_options){ 1, 3, 0.5, true, true }, pair);
        check_float_adm("_egl_1.2_nw_2_apn_1", &(struct oracle_adm_options){ 1.2, 1, 2, false, true }, pair);
        check_float_adm("_nw_0.25_apn_2", &(struct oracle_adm_options){ 100, 2, 0.25, false, true }, pair);
        check_float_adm("_nw_0.1_apn_1.3", &(struct oracle_adm_options){ 100, 1.3, 0.1, false, true }, pair);
        check_float_adm("_nw_0.5_apn_3.5", &(struct oracle_adm_options){ 100, 3.5, 0.5, false, true }, pair);
        check_float_adm("_egl_1_nw_0.02_apn_8", &(struct oracle_adm_options){ 1, 8, 0.02, false, true }, pair);
        check_float_adm("_egl_1_nw_0.01_apn_4", &(struct oracle_adm_options){ 1, 4, 0.01, false, true }, pair);
        check_vif("_egl_1", 1, pair);
        check_vif("_egl_1.3", 1.3, pair);
        check_adm("_egl_1.2_nw_0.5", &(struct oracle_adm_int_options){ 1.2, 0.5 }, pair);
        check_adm("_egl_1.1", &(struct oracle_adm_int_options){ 1.1, 0.03125 }, pair);
        check_float_vif(":vif_enhn_gain_limit=1", "_egl_1", &(struct oracle_vif_options){ 1, 2, false, true }, pair);
        check_float_vif(":vif_kernelscale=0.5:vif_sigma_nsq=0.4", "_ks_0.5_snsq_0.4",
                        &(struct oracle_vif_options){ 100, 0.4, true, true }, pair);
        check_decibel("float_ssim", false, pair);
        check_decibel("float_ssim", true, pair);
        check_decibel("float_ms_ssim", false, pair);
        check_decibel("float_ms_ssim", true, pair);
    }
    for (unsigned c = 0; c < contents; c++)
        pair_free(&pair[c]);
}

/* Pictures from one block on each side to three: every number of samples that no block reaches. */
static void check_blocks(uint32_t depth)
{
    for (uint32_t width = 8; width < 24; width++) {
        struct oracle_pair pair[CONTENTS];
        for (unsigned c = 0; c < contents; c++) {
            pair_new(&pair[c], width, 8 + width * 5 % 16, depth, width % 2 ? 3 : 1);
            pair_fill(&pair[c], content_of[c], (uint64_t)width << 8 | depth);
        }
        check_psnr_hvs(pair);
        for (unsigned c = 0; c < contents; c++)
            pair_free(&pair[c]);
    }
}

/* An 8K picture at the bounds of the sums: everything differs as much as it can, or nothing
 * does. Minutes, and gigabytes. */
static void check_large(void)
{
    static const enum content large[] = { CONTENT_NOISE, CONTENT_CHECKERBOARD, CONTENT_BLACK };
    contents = sizeof large / sizeof *large;
    memcpy(content_of, large, sizeof large);
    struct oracle_pair pair[sizeof large / sizeof *large];
    for (unsigned c = 0; c < contents; c++) {
        pair_new(&pair[c], 7680, 4320, 16, 3);
        pair_fill(&pair[c], content_of[c], c);
    }
    check_float_adm("", &(struct oracle_adm_options){ 100, 3, 0.03125, false, true }, pair);
    check_float_adm("_nw_0.25_apn_7.5", &(struct oracle_adm_options){ 100, 7.5, 0.25, false, true }, pair);
    check_ssimulacra2("ssimulacra2", &untagged, pair);
    for (unsigned c = 0; c < contents; c++)
        pair_free(&pair[c]);
}

/* Whether every family that uses a window has noticed the wrong tap. */
static bool all_noticed(void)
{
    bool all = ORACLE_SABOTAGE;
    for (int f = 0; f < FAMILIES; f++)
        all = all && (found[f].failures > 0) == family_of[f].windowed;
    return all;
}

static bool conclude(bool all)
{
    bool ok = other_failures == 0;
    for (int f = 0; f < FAMILIES; f++) {
        printf("%-34s %5u figures\n", family_of[f].name, found[f].checks);
        printf("    largest difference %8.3g of %.3g: %s\n", found[f].worst, family_of[f].bound, found[f].where);
        ok = ok && (found[f].checks > 0 || !all) &&
             (found[f].failures > 0) == (ORACLE_SABOTAGE && family_of[f].windowed);
    }
    return ok;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--large")) {
        check_large();
        return conclude(false) ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    static const uint32_t depth[] = { 8, 9, 10, 12, 14, 16 };
    for (contents = 0; contents < CONTENTS; contents++)
        content_of[contents] = (enum content)contents;
    for (size_t i = 0; i < sizeof depth / sizeof *depth && !all_noticed(); i++) {
        const uint32_t d = depth[i];
        const bool common = d == 8 || d == 10 || d == 16;
        check_blocks(d);
        check_size(1, 1, d, 3, false);
        check_size(8, 8, d, 3, false);
        check_size(16, 16, d, 3, false);
        check_size(17, 17, d, 3, false);
        check_size(11, 11, d, 3, false);
        check_size(33, 17, d, 1, false);
        check_size(65, 48, d, 3, false);
        check_size(177, 176, d, 3, common);
        if (common)
            check_size(385, 401, d, 1, false); /* the choice of scale 2, odd on both sides */
    }
    return conclude(true) ? EXIT_SUCCESS : EXIT_FAILURE;
}
