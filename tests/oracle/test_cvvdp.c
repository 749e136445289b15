/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cvvdp against its definition in double, on pictures made to hurt: noise of all codes, stripes, one bright sample,
 * black against white, waves with little noise, a step of one code on a flat picture, identical pictures; of grey,
 * Y'CbCr and R'G'B' of 8 to 16 bits, from 2x2 on, on displays of several sizes and lights; and videos of 2 to 7 frames,
 * some of them mirrored at their first frame.
 * The figure is within 1e-4 JOD on all of them, and identical pictures have exactly 10.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "one_pair.h"
#include "oracle_cvvdp.h"

enum { FRAMES = 7 };
static const double bound = 1e-4;

static const struct screen {
    const char *name;
    struct oracle_cvvdp_display display;
} screens[] = {
    {"display=standard_4k", {75.40244934516305, 200, 0.2, 0.3978873577297384}},
    {"display=standard_hmd", {13.153262507309297, 100, 0.1, 0}},
    {"display=iphone_14_pro", {159.61187740300227, 1025, 0.0004, 0.3978873577297384}},
    {"ppd=3:peak=80:black=0:ambient=0", {3, 80, 0, 0}},
};

static const struct trial {
    uint32_t width, height, depth;
    assay_layout layout;
    int screen, frames; /* 1: a picture */
    double fps;
    bool symmetric;
} trials[] = {
    {61, 47, 8, ASSAY_LAYOUT_RGB, 0, 1, 0, false}, {96, 53, 16, ASSAY_LAYOUT_RGB, 1, 1, 0, false},
    {70, 41, 10, ASSAY_LAYOUT_420, 2, 1, 0, false}, {65, 32, 8, ASSAY_LAYOUT_444, 3, 1, 0, false},
    {51, 38, 8, ASSAY_LAYOUT_400, 0, 1, 0, false}, {9, 4, 8, ASSAY_LAYOUT_RGB, 1, 1, 0, false},
    {2, 2, 12, ASSAY_LAYOUT_RGB, 0, 1, 0, false}, {5, 7, 8, ASSAY_LAYOUT_RGB, 0, 1, 0, false},
    {33, 45, 9, ASSAY_LAYOUT_422, 0, 1, 0, false}, {40, 29, 8, ASSAY_LAYOUT_420, 0, 5, 24, false},
    {33, 26, 10, ASSAY_LAYOUT_RGB, 1, 2, 60, false}, {35, 31, 8, ASSAY_LAYOUT_444, 0, 7, 8, false},
    {40, 29, 8, ASSAY_LAYOUT_420, 0, 5, 24, true}, {35, 31, 8, ASSAY_LAYOUT_444, 0, 7, 16, true},
};
enum { TRIALS = sizeof trials / sizeof trials[0] };

static void fail(assay_session *s, const char *what)
{
    fprintf(stderr, "%s: %s\n", what, s ? assay_session_error(s) : "");
    exit(1);
}

/* The figure of the sequence, or of the picture. */
static double figure(const char *metric, const char *level, const assay_format *f, assay_picture (*pair)[2], int frames)
{
    const assay_config config = {.cpu_level = level, .threads = 2};
    char error[256];
    assay_session *s = NULL;
    double jod = NAN;
    uint64_t frame;
    if (assay_session_new(&s, &config, error, sizeof error))
        fail(NULL, error);
    if (assay_session_add_metric(s, metric) || assay_session_start(s, f))
        fail(s, metric);
    for (int n = 0; n < frames; n++)
        if (assay_session_submit(s, (uint64_t)n, &pair[n][0], &pair[n][1]))
            fail(s, metric);
    if (assay_session_flush(s) || (frames > 1 ? assay_session_aggregate(s, 0, &jod)
                                              : assay_session_poll(s, &frame, &jod) != 1))
        fail(s, metric);
    assay_session_close(&s);
    return jod;
}

static void free_frames(const struct trial *t, struct oracle_picture (*picture)[2], assay_picture (*pair)[2],
                        struct oracle_image (*light)[FRAMES][3])
{
    for (unsigned side = 0; side < 2; side++)
        for (int n = 0; n < t->frames; n++)
            for (uint32_t k = 0; k < 3; k++) {
                oracle_image_free(&light[side][n][k]);
                if (k < picture[n][side].planes) {
                    free(picture[n][side].sample[k]);
                    free((void *)(uintptr_t)pair[n][side].plane[k]);
                }
            }
}

static unsigned compare(const struct trial *t, int content, double *worst)
{
    const bool rgb = t->layout == ASSAY_LAYOUT_RGB;
    const assay_format f = {.width = t->width, .height = t->height, .bit_depth = t->depth, .layout = t->layout};
    const struct oracle_colour colour = {.rgb = rgb, .full = rgb, .kr = 0.2126, .kb = 0.0722, .site_x = ORACLE_FIRST,
                                         .site_y = ORACLE_BETWEEN, .transfer = ORACLE_SRGB};
    const struct screen *screen = &screens[t->screen];
    struct oracle_picture picture[FRAMES][2];
    struct oracle_image light[2][FRAMES][3];
    assay_picture pair[FRAMES][2];
    char metric[128];
    double got[ONE_PAIR_LEVELS];
    for (unsigned side = 0; side < 2; side++)
        for (int n = 0; n < t->frames; n++) {
            one_pair_picture(&picture[n][side], &pair[n][side], &f, content, side, n);
            oracle_linear(light[side][n], &picture[n][side], &colour);
        }
    if (t->frames > 1)
        snprintf(metric, sizeof metric, "cvvdp=%s:fps=%g%s", screen->name, t->fps,
                 t->symmetric ? ":padding=symmetric" : "");
    else
        snprintf(metric, sizeof metric, "cvvdp=%s:still", screen->name);
    for (unsigned l = 0; l < ONE_PAIR_LEVELS; l++)
        got[l] = figure(metric, one_pair_level[l], &f, pair, t->frames);
    const double want = oracle_cvvdp(light[0], light[1], t->frames, t->fps, t->symmetric, &screen->display),
                 off = fabs(got[0] - want);
    const bool wrong = got[0] != got[1] || !(off <= bound) || (content == ONE_PAIR_CONTENTS - 1 && got[0] != 10.0);
    *worst = off > *worst ? off : *worst;
    if (wrong)
        printf("%ux%u, %u bits, layout %d, %s, content %d: %.9f and not %.9f; %.9f at another level\n", t->width,
               t->height, t->depth, (int)t->layout, metric, content, got[0], want, got[1]);
    free_frames(t, picture, pair, light);
    return wrong;
}

int main(void)
{
    unsigned wrong = 0;
    double worst = 0;
    for (int t = 0; t < TRIALS; t++)
        for (int content = 0; content < ONE_PAIR_CONTENTS; content++)
            wrong += compare(&trials[t], content, &worst);
    printf("%d pairs, the figure at most %.2e off, %u figures wrong\n", TRIALS * ONE_PAIR_CONTENTS, worst, wrong);
    return (wrong != 0) != ORACLE_SABOTAGE;
}
