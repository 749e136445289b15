/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flip of pictures of floats against HDR-FLIP in double: light from 2^-14 to 2^14, with samples below 0, of RGB, grey
 * and other primaries, with alpha, smaller than the filters and larger, with each tone mapper, at exposures that are
 * found and that are stated. The mean is within 2e-5, the exposures are those of the definition, and a test by hand
 * has what a session refuses.
 */
#include <assay/floats.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "one_pair.h"
#include "oracle_flip.h"

enum { CONTENTS = 5, KEYS = 9, SIZE = 80 * 60, PLANES = 4 };
static const double bound = 2e-5;
static const double ppd_default = 0.7 * (3840 / 0.7) * 3.14159265358979323846 / 180;
static const double p3[9] = {1.225, -0.225, 0, -0.042, 1.042, 0, -0.02, -0.078, 1.098};

static const struct trial {
    uint32_t width, height;
    bool grey, alpha, wide; /* wide: primaries of p3 */
    const char *tone;
    double start, stop; /* both 0: found */
    int count;
} trials[] = {
    {71, 53, false, false, false, "aces", 0, 0, 0},     {40, 33, false, false, true, "hable", 0, 0, 0},
    {64, 41, false, false, false, "reinhard", 0, 0, 0}, {80, 60, true, false, false, "aces", -3.5, 4.25, 4},
    {33, 20, false, true, false, "reinhard", -2, 3, 3}, {1, 1, false, false, false, "aces", -1, 2, 0},
    {9, 3, true, false, false, "hable", 0, 0, 7},
};
enum { TRIALS = sizeof trials / sizeof trials[0] };

static float sample(int content, unsigned side, uint32_t plane, uint32_t x, uint32_t y)
{
    const uint32_t noise = one_pair_noise(x + 70001 * y + 1000003 * plane), other = one_pair_noise(noise + side);
    const float scene = 0.05f + 0.3f * (float)((x / 8 + y / 8) % 2) + ((x % 32) > 24 && (y % 24) > 15 ? 900.0f : 0.0f);
    switch (content) {
    case 0: return ldexpf((float)(other & 0xffff), (int)(other >> 24) % 20 - 24);
    case 1: return scene * (1.0f + (side ? 0.25f * (float)(noise & 255) / 256 : 0.0f)) / (float)(1 + plane);
    case 2: return 0.25f + 0.002f * (float)side;
    case 3: return x == 3 && y == 1 ? 9000.0f : x % 5 == 1 ? -0.5f : 0.125f * (float)(1 + side);
    default: return scene;
    }
}

static float alpha_of(uint32_t x, uint32_t y)
{
    return x < 10 ? 0.0f : x < 20 ? 0.25f * (float)(y % 6) : 1.0f;
}

/* A side: the floats that a session gets, and the light that they are. */
struct side {
    float floats[PLANES][SIZE];
    struct oracle_image light[3];
};

static void make(struct side *s, const struct trial *t, int content, unsigned side, double background)
{
    for (int k = 0; k < 3; k++)
        oracle_image_new(&s->light[k], t->width, t->height);
    for (uint32_t i = 0; i < t->width * t->height; i++) {
        double v[3], sum[3];
        for (uint32_t k = 0; k < 3; k++) {
            s->floats[k][i] = sample(content, side, t->grey ? 0 : k, i % t->width, i / t->width);
            v[k] = fmax((double)s->floats[k][i], 0);
        }
        s->floats[3][i] = alpha_of(i % t->width, i / t->width);
        const double a = t->alpha ? fmin(fmax((double)s->floats[3][i], 0), 1) : 1;
        for (int k = 0; k < 3; k++) {
            sum[k] = t->wide ? fmax(p3[3 * k] * v[0] + p3[3 * k + 1] * v[1] + p3[3 * k + 2] * v[2], 0) : v[k];
            s->light[k].value[i] = sum[k] * a + background * (1 - a);
        }
    }
}

static assay_format format_of(const struct trial *t)
{
    assay_format f = {.width = t->width, .height = t->height, .bit_depth = ASSAY_DEPTH_FLOAT, .transfer = 8,
                      .layout = t->grey ? ASSAY_LAYOUT_400 : ASSAY_LAYOUT_RGB, .alpha = t->alpha,
                      .primaries = t->wide ? 255 : 1};
    if (t->wide)
        memcpy(f.to_bt709, p3, sizeof p3);
    return f;
}

static assay_float_image lent(const struct side *s, const struct trial *t)
{
    assay_float_image p = {.width = t->width, .height = t->height};
    for (uint32_t k = 0; k < PLANES; k++)
        if (k < 3 ? !k || !t->grey : t->alpha) {
            p.plane[k] = s->floats[k];
            p.stride[k] = (ptrdiff_t)(t->width * sizeof(float));
        }
    return p;
}

static assay_picture picture_of(const assay_float_image *p)
{
    assay_picture out = {.release = NULL};
    for (uint32_t k = 0; k < PLANES; k++) {
        out.plane[k] = p->plane[k];
        out.stride[k] = p->stride[k];
    }
    return out;
}

static double mean_of(const struct oracle_image *map)
{
    double sum = 0;
    for (size_t i = 0; i < map->width * map->height; i++)
        sum += map->value[i];
    return sum / (double)(map->width * map->height);
}

/* The definition's mean; sets the exposures where they are found. Over two backgrounds the larger mean counts. */
static double definition(struct side s[2], const struct trial *t, int content, double range[2], int *count)
{
    double largest = 0;
    for (unsigned background = 0; background < (t->alpha ? 2 : 1); background++) {
        struct oracle_image map, exposure;
        for (unsigned side = 0; side < 2; side++)
            make(&s[side], t, content, side, background ? (double)0.9f : (double)0.1f);
        if (!(t->start < 0 || t->start > 0))
            oracle_flip_range(s[0].light, t->tone, &range[0], &range[1]);
        *count = t->count ? t->count : (int)fmax(2, ceil(range[1] - range[0]));
        oracle_flip_bright(&map, &exposure, s[0].light, s[1].light, ppd_default, t->tone, range[0], range[1], *count);
        largest = fmax(largest, mean_of(&map));
        oracle_image_free(&map);
        oracle_image_free(&exposure);
        for (int k = 0; k < 6; k++)
            oracle_image_free(&s[k / 3].light[k % 3]);
    }
    return largest;
}

static unsigned compare(struct side s[2], const struct trial *t, int content, double *worst)
{
    double range[2] = {t->start, t->stop}, got[ONE_PAIR_LEVELS][KEYS];
    int count, n;
    char metric[160];
    const double want = definition(s, t, content, range, &count);
    const bool given = t->start < 0 || t->start > 0;
    assay_format f = format_of(t);
    assay_float_light light;
    const assay_float_image floats[2] = {lent(&s[0], t), lent(&s[1], t)};
    const assay_picture pair[2] = {picture_of(&floats[0]), picture_of(&floats[1])};
    if (assay_floats_light(&floats[0], &f, &light, NULL, 0) || light.not_finite || (content == 3 && !light.negative))
        return 1;
    f.light_largest = light.largest;
    f.light_median = light.median;
    n = snprintf(metric, sizeof metric, "flip=pools:tone_mapper=%s:num_exposures=%d", t->tone, t->count);
    if (given)
        snprintf(metric + n, sizeof metric - (size_t)n, ":start_exposure=%.17g:stop_exposure=%.17g", t->start, t->stop);
    for (unsigned l = 0; l < ONE_PAIR_LEVELS; l++)
        one_pair_scores(metric, one_pair_level[l], &f, pair, got[l]);
    const double off = fabs(got[0][0] - want);
    *worst = off > *worst ? off : *worst;
    const bool wrong = !(off <= bound) || memcmp(got[0], got[1], sizeof got[0]) ||
                       !(fabs(got[0][1] - range[0]) < 1e-12) || !(fabs(got[0][2] - range[1]) < 1e-12) ||
                       (int)got[0][3] != count || (content == CONTENTS - 1 && got[0][0] > 0);
    if (wrong)
        printf("%ux%u, %s, content %d: %.9f and not %.9f; exposures %.9f to %.9f and not %.9f to %.9f; %.0f, %d\n",
               t->width, t->height, t->tone, content, got[0][0], want, got[0][1], got[0][2], range[0], range[1],
               got[0][3], count);
    return wrong;
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

/* How far a session of the metric gets with the pair; `says` is part of the message. */
static unsigned expect(const char *what, const char *metric, const assay_format *ref, const assay_format *dis,
                       const assay_picture pair[2], int code, const char *says)
{
    const assay_config config = {.distorted = dis};
    assay_session *s = NULL;
    int rc = assay_session_new(&s, &config, NULL, 0);
    rc = rc ? rc : assay_session_add_metric(s, metric);
    rc = rc ? rc : assay_session_start(s, ref);
    rc = rc ? rc : assay_session_submit(s, 7, &pair[0], &pair[1]);
    rc = rc ? rc : assay_session_flush(s);
    const bool right = rc == code && strstr(assay_session_error(s), says);
    if (!right)
        printf("%s: %d, %s\n", what, rc, assay_session_error(s));
    assay_session_close(&s);
    return !right;
}

/* A pair that is filled in a session's own memory is refused, too. */
static unsigned taken(void)
{
    enum { SIDE = 8 };
    const assay_format f = {.width = SIDE, .height = SIDE, .bit_depth = ASSAY_DEPTH_FLOAT,
                            .layout = ASSAY_LAYOUT_400, .transfer = 8};
    const assay_config config = {.distorted = &f};
    const char *says = "frame 7: 1 samples of the reference picture are not finite, the first is in plane 0 at 6,2";
    assay_session *s = NULL;
    assay_buffer to[2];
    int rc = assay_session_new(&s, &config, NULL, 0);
    rc = rc ? rc : assay_session_add_metric(s, "flip=start_exposure=-2:stop_exposure=1");
    rc = rc ? rc : assay_session_start(s, &f);
    rc = rc ? rc : assay_session_take(s, &to[0], &to[1]);
    for (unsigned i = 0; !rc && i < 2 * SIDE; i++) {
        float *row = (float *)(void *)((char *)to[i % 2].plane[0] + to[i % 2].stride[0] * (ptrdiff_t)(i / 2));
        for (unsigned x = 0; x < SIDE; x++)
            row[x] = i == 4 && x == 6 ? INFINITY : 1.0f;
    }
    rc = rc ? rc : assay_session_commit(s, 7, ASSAY_SCORED);
    const bool right = rc == ASSAY_EINPUT && !strcmp(assay_session_error(s), says);
    if (!right)
        printf("taken: %d, %s\n", rc, assay_session_error(s));
    assay_session_close(&s);
    return !right;
}

static unsigned refusals(struct side s[2])
{
    const struct trial *t = &trials[0];
    double range[2];
    int count;
    unsigned wrong = 0;
    definition(s, t, 1, range, &count);
    const assay_float_image floats[2] = {lent(&s[0], t), lent(&s[1], t)};
    const assay_picture pair[2] = {picture_of(&floats[0]), picture_of(&floats[1])};
    const assay_format f = format_of(t);
    assay_format good = f, other;
    good.light_largest = 900;
    good.light_median = 0.2;
    const char *metric = "flip", *stated = "flip=start_exposure=-2:stop_exposure=1";
    wrong += expect("stated", stated, &f, &f, pair, ASSAY_OK, "");
    wrong += expect("light", metric, &good, &f, pair, ASSAY_OK, "");
    wrong += expect("no light", metric, &f, &f, pair, ASSAY_EUSAGE, "the reference is black, or");
    wrong += expect("no median", "flip=start_exposure=-2", &f, &f, pair, ASSAY_EUSAGE, "more than half");
    wrong += expect("one", "flip=num_exposures=1", &good, &f, pair, ASSAY_EUSAGE, "2 or more");
    wrong += expect("turned", "flip=start_exposure=2:stop_exposure=1", &f, &f, pair, ASSAY_EUSAGE, "above the stop");
    wrong += expect("far", "flip=start_exposure=2:stop_exposure=80", &f, &f, pair, ASSAY_EUSAGE, "-63 to 63");
    wrong += expect("curve", "flip=transfer=srgb", &good, &f, pair, ASSAY_EUSAGE, "linear light");
    wrong += expect("of codes", "psnr", &f, &f, pair, ASSAY_EUSAGE, "compares codes");
    wrong += expect("codes of colour", "ssimulacra2", &f, &f, pair, ASSAY_EUSAGE, "compares codes");
    other = f;
    other.transfer = 13;
    wrong += expect("no light of that kind", stated, &other, &other, pair, ASSAY_EUSAGE, "a transfer of 8");
    other = f;
    other.layout = ASSAY_LAYOUT_444;
    wrong += expect("YUV", stated, &other, &other, pair, ASSAY_EUSAGE, "RGB or grey");
    other = f;
    other.light_largest = -1;
    wrong += expect("light below 0", stated, &other, &f, pair, ASSAY_EUSAGE, "none that assay_floats_light");
    other = f;
    other.bit_depth = 16;
    wrong += expect("codes against floats", stated, &f, &other, pair, ASSAY_EMISMATCH, "of floats");
    wrong += expect("exposures of codes", stated, &other, &other, pair, ASSAY_EUSAGE, "these are codes");
    s[1].floats[2][5 + 3 * t->width] = NAN;
    wrong += expect("NaN", stated, &f, &f, pair, ASSAY_EINPUT, "frame 7: 1 samples of the distorted picture are not "
                    "finite, the first is in plane 2 at 5,3");
    return wrong + taken();
}

int main(void)
{
    struct side *s = oracle_alloc(2, sizeof *s);
    double worst = 0;
    unsigned wrong = 0;
    for (size_t i = 0; i < TRIALS; i++)
        for (int content = 0; content < CONTENTS; content++)
            if (content != 3 || trials[i].height > 3) /* a lamp in the dark has no median where the picture is small */
                wrong += compare(s, &trials[i], content, &worst);
    wrong += refusals(s);
    free(s);
    printf("largest distance %.2e\n", worst);
    if (ORACLE_SABOTAGE)
        return wrong ? 0 : 1;
    return wrong ? 1 : 0;
}
