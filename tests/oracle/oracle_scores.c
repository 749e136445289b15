/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * oracle_scores REF DIS [-w W -h H -p 400|420|422|444 -b DEPTH] [--frames N] [--scales]
 *
 * Prints the oracle's scores of a pair as JSON, in the shape and under the keys of the command's report. Forms that the
 * report gives the same key (dB, a stated scale) have a key of their own here: float_ssim_db, float_ssim_clip_db,
 * float_ssim_scale3.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_read.h"

static const char *const plane_name[ORACLE_PLANES] = { "y", "cb", "cr" };

struct options {
    struct input_options ref, dis;
    uint64_t frames;
    bool scales;
};

struct totals {
    unsigned __int128 sse[ORACLE_PLANES];
    uint64_t samples[ORACLE_PLANES];
};

static assay_layout layout_of(const char *text)
{
    if (!strcmp(text, "400"))
        return ASSAY_LAYOUT_400;
    if (!strcmp(text, "420"))
        return ASSAY_LAYOUT_420;
    if (!strcmp(text, "422"))
        return ASSAY_LAYOUT_422;
    if (!strcmp(text, "444"))
        return ASSAY_LAYOUT_444;
    oracle_fail("-p takes 400, 420, 422 or 444");
    return ASSAY_LAYOUT_UNKNOWN;
}

static struct options parse(int argc, char **argv)
{
    struct options o = { .frames = UINT64_MAX };
    struct input_options raw = { .bit_depth = 8, .layout = ASSAY_LAYOUT_420, .decode_threads = 1 };
    const char *path[2] = { NULL, NULL };
    int paths = 0;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(a, "--scales")) {
            o.scales = true;
            continue;
        }
        if (a[0] != '-') {
            if (paths == 2)
                oracle_fail("too many paths");
            path[paths++] = a;
            continue;
        }
        if (!strcmp(a, "-w"))
            raw.width = (uint32_t)strtoul(value, NULL, 10);
        else if (!strcmp(a, "-h"))
            raw.height = (uint32_t)strtoul(value, NULL, 10);
        else if (!strcmp(a, "-b"))
            raw.bit_depth = (uint32_t)strtoul(value, NULL, 10);
        else if (!strcmp(a, "-p"))
            raw.layout = layout_of(value);
        else if (!strcmp(a, "--frames"))
            o.frames = strtoul(value, NULL, 10);
        else
            oracle_fail("unknown option");
        i++;
    }
    if (paths != 2)
        oracle_fail("two paths wanted");
    raw.form = raw.width > 0 ? INPUT_RAW : INPUT_CODED;
    o.ref = o.dis = raw;
    o.ref.path = path[0];
    o.dis.path = path[1];
    return o;
}

static const char *separator;

static void value(const char *key, const char *tail, double v)
{
    printf("%s\n        \"%s%s\": ", separator, key, tail);
    if (isfinite(v))
        printf("%.17g", v);
    else
        printf("null");
    separator = ",";
}

static void print_psnr(const struct oracle_picture *r, const struct oracle_picture *d, struct totals *t)
{
    static const struct { const char *key; struct oracle_psnr_options options; } form[] = {
        { "psnr_", { false, 0 } },
        { "psnr_reduced_", { true, 0 } },
        { "psnr_min_sse_", { false, 0.5 } },
    };
    for (uint32_t k = 0; k < r->planes; k++) {
        for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
            const struct oracle_psnr s = oracle_psnr(r, d, k, &form[i].options);
            value(form[i].key, plane_name[k], s.psnr);
            if (i == 0) {
                value("mse_", plane_name[k], s.mse);
                t->sse[k] += s.sse;
                t->samples[k] += (uint64_t)r->width[k] * r->height[k];
            }
        }
    }
}

static void print_lcs(const char *name, const char *tail, const struct oracle_lcs *m)
{
    char key[64];
    snprintf(key, sizeof key, "%s_l", name);
    value(key, tail, m->l);
    snprintf(key, sizeof key, "%s_c", name);
    value(key, tail, m->c);
    snprintf(key, sizeof key, "%s_s", name);
    value(key, tail, m->s);
}

static void print_float_ssim(const struct oracle_picture *r, const struct oracle_picture *d, bool scales)
{
    struct oracle_lcs m;
    if (oracle_float_ssim(r, d, 0, &m)) {
        value("float_ssim", "", m.ssim);
        value("float_ssim", "_db", oracle_db(m.ssim, INFINITY));
        value("float_ssim", "_clip_db", oracle_db(m.ssim, oracle_clip_db(r)));
        print_lcs("float_ssim", "", &m);
    }
    for (uint32_t scale = 1; scales && scale <= 10; scale++) {
        char tail[32];
        snprintf(tail, sizeof tail, "_scale%" PRIu32, scale);
        if (oracle_float_ssim(r, d, scale, &m)) {
            value("float_ssim", tail, m.ssim);
            print_lcs("float_ssim", tail, &m);
        }
    }
}

static void print_float_ms_ssim(const struct oracle_picture *r, const struct oracle_picture *d)
{
    struct oracle_ms_ssim m;
    if (!oracle_float_ms_ssim(r, d, &m))
        return;
    value("float_ms_ssim", "", m.score);
    value("float_ms_ssim", "_db", oracle_db(m.score, INFINITY));
    value("float_ms_ssim", "_clip_db", oracle_db(m.score, oracle_clip_db(r)));
    for (int k = 0; k < ORACLE_MS_SCALES; k++) {
        char tail[32];
        snprintf(tail, sizeof tail, "_scale%d", k);
        print_lcs("float_ms_ssim", tail, &m.scale[k]);
    }
}

/* `whole`: adm2, aim, adm3. */
static void print_adm_figures(const char *prefix, const double whole[3], const double scale[ORACLE_ADM_SCALES])
{
    static const char *const names[] = { "adm2", "aim", "adm3" };
    char key[32], tail[32];
    for (int i = 0; i < 3; i++) {
        snprintf(key, sizeof key, "%s%s", prefix, names[i]);
        value(key, "", whole[i]);
    }
    snprintf(key, sizeof key, "%sadm", prefix);
    for (int k = 0; k < ORACLE_ADM_SCALES; k++) {
        snprintf(tail, sizeof tail, "_scale%d", k);
        value(key, tail, scale[k]);
    }
}

static void print_float_adm(const struct oracle_picture *r, const struct oracle_picture *d)
{
    const struct oracle_adm_options defaults = { .gain = 100, .p = 3, .noise_weight = 0.03125, .float_wavelet = true };
    struct oracle_adm m;
    if (!oracle_float_adm(r, d, &defaults, &m))
        return;
    print_adm_figures("", (double[]){ m.adm2, m.aim, m.adm3 }, m.scale);
}

/* In the metric's own precision, and with all of it in double. */
static void print_float_vif(const struct oracle_picture *r, const struct oracle_picture *d)
{
    for (int exact = 0; exact < 2; exact++) {
        const struct oracle_vif_options options = { .gain = 100, .noise = 2, .float_windows = !exact };
        struct oracle_vif m;
        if (!oracle_float_vif(r, d, &options, &m))
            return;
        for (int k = 0; k < ORACLE_VIF_SCALES; k++) {
            char tail[32];
            snprintf(tail, sizeof tail, "_scale%d", k);
            value(exact ? "exact_vif" : "vif", tail, m.scale[k]);
        }
    }
}

static void print_psnr_hvs(const struct oracle_picture *r, const struct oracle_picture *d)
{
    double score[ORACLE_PLANES + 1];
    if (!oracle_psnr_hvs(r, d, score))
        return;
    for (uint32_t k = 0; k < r->planes; k++)
        value("psnr_hvs_", plane_name[k], score[k]);
    if (r->planes == ORACLE_PLANES)
        value("psnr_hvs", "", score[ORACLE_PLANES]);
    double of_libvmaf[ORACLE_PLANES], of_blocks[ORACLE_PLANES];
    if (!oracle_psnr_hvs_in_float(r, d, of_libvmaf, of_blocks))
        return;
    for (uint32_t k = 0; k < ORACLE_PLANES; k++) {
        value("libvmaf_psnr_hvs_", plane_name[k], of_libvmaf[k]);
        value("blocks_psnr_hvs_", plane_name[k], of_blocks[k]);
    }
}

static void print_vif(const struct oracle_picture *r, const struct oracle_picture *d, double gain_limit,
                      const char *tail)
{
    struct oracle_integer_vif m;
    if (!oracle_integer_vif(r, d, gain_limit, &m))
        return;
    double num = 0, den = 0;
    for (int k = 0; k < ORACLE_VIF_SCALES; k++) {
        char key[64];
        snprintf(key, sizeof key, "integer_vif_scale%d", k);
        value(key, tail, m.scale[k]);
        snprintf(key, sizeof key, "integer_vif_num_scale%d", k);
        value(key, tail, m.num[k]);
        snprintf(key, sizeof key, "integer_vif_den_scale%d", k);
        value(key, tail, m.den[k]);
        num += m.num[k];
        den += m.den[k];
    }
    value("integer_vif", tail, num / den);
    value("integer_vif_num", tail, num);
    value("integer_vif_den", tail, den);
}

static void print_adm(const struct oracle_picture *r, const struct oracle_picture *d)
{
    struct oracle_adm_int m;
    if (!oracle_adm_int(r, d, &(struct oracle_adm_int_options){ .gain = 100, .noise_weight = 0.03125 }, &m))
        return;
    print_adm_figures("integer_", (double[]){ m.adm2, m.aim, m.adm3 }, m.scale);
}

static void print_moments(const struct oracle_picture *p, const char *side)
{
    double first, second;
    oracle_float_moment(p, &first, &second);
    char key[32];
    snprintf(key, sizeof key, "float_moment_%s", side);
    value(key, "1st", first);
    value(key, "2nd", second);
}

/* `earlier` is the reference of the frame before. */
static void print_frame(uint64_t index, const struct oracle_picture *earlier, const struct oracle_picture *r,
                        const struct oracle_picture *d, bool scales, struct totals *t)
{
    printf("%s\n    {\n      \"frameNum\": %" PRIu64 ",\n      \"metrics\": {", index ? "," : "", index);
    separator = "";
    print_psnr(r, d, t);
    value("float_psnr", "", oracle_float_psnr(r, d));
    print_moments(r, "ref");
    print_moments(d, "dis");
    value("ssim", "", oracle_ssim(r, d));
    print_float_ssim(r, d, scales);
    print_float_ms_ssim(r, d);
    print_float_adm(r, d);
    print_float_vif(r, d);
    print_adm(r, d);
    if (r->planes == ORACLE_PLANES)
        value("ciede2000", "", oracle_ciede2000(r, d));
    print_psnr_hvs(r, d);
    value("motion", "", index ? oracle_float_motion(earlier, r, false) : 0.0);
    print_vif(r, d, 100, "");
    print_vif(r, d, 1, "_egl_1");
    printf("\n      }\n    }");
}

int main(int argc, char **argv)
{
    const struct options o = parse(argc, argv);
    struct input *ref = NULL, *dis = NULL;
    struct assay_error e = { 0 };
    if (input_open(&ref, &o.ref, &e) || input_open(&dis, &o.dis, &e))
        oracle_fail(e.text);
    const assay_format *f = &ref->format, *g = &dis->format;
    if (f->width != g->width || f->height != g->height || f->layout != g->layout || f->bit_depth != g->bit_depth
        || f->layout == ASSAY_LAYOUT_RGB || f->layout == ASSAY_LAYOUT_411)
        oracle_fail("the streams differ in kind, or are RGB or 4:1:1");
    struct oracle_picture r, d, earlier;
    oracle_picture_new(&earlier, f);
    oracle_picture_new(&r, f);
    oracle_picture_new(&d, g);
    struct totals t = { 0 };
    printf("{\n  \"frames\": [");
    for (uint64_t i = 0; i < o.frames && oracle_picture_read(&r, ref) && oracle_picture_read(&d, dis); i++) {
        print_frame(i, &earlier, &r, &d, o.scales, &t);
        const struct oracle_picture swap = earlier;
        earlier = r;
        r = swap;
    }
    printf("\n  ],\n  \"aggregate_metrics\": {");
    separator = "";
    for (uint32_t k = 0; k < r.planes && t.samples[0]; k++)
        value("apsnr_", plane_name[k], oracle_apsnr(r.depth, false, t.sse[k], t.samples[k]));
    printf("\n  }\n}\n");
    oracle_picture_free(&earlier);
    oracle_picture_free(&r);
    oracle_picture_free(&d);
    input_close(&ref);
    input_close(&dis);
    return fflush(stdout) || ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
