/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * butteraugli against its definition in double, on pictures made to hurt: noise of all codes, stripes, one bright
 * sample, black against white, waves with little noise, a step of one code on a flat picture, identical pictures; of
 * grey, Y'CbCr and R'G'B' of 8 to 16 bits, of sizes that are padded, that have one scale and two, at several viewing
 * conditions. Score and norms are within 1e-4 max(1, v) on all of them, and identical pictures have exactly 0.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "one_pair.h"
#include "oracle_butteraugli.h"

enum { KEYS = 4 };
static const double bound = 1e-4;

static const struct trial {
    uint32_t width, height, depth;
    assay_layout layout;
    double target, asymmetry, xmul;
    int p, q;
} trials[] = {
    {61, 47, 8, ASSAY_LAYOUT_RGB, 80, 1, 1, 3, 2},    {97, 53, 16, ASSAY_LAYOUT_RGB, 203, 0.8, 1, 3, 1},
    {70, 40, 10, ASSAY_LAYOUT_420, 80, 1, 2, 1, 4},   {64, 33, 8, ASSAY_LAYOUT_444, 1000, 1.3, 0.5, 2, 6},
    {51, 39, 8, ASSAY_LAYOUT_400, 80, 2, 1, 4, 12},   {9, 3, 8, ASSAY_LAYOUT_RGB, 80, 1, 1, 3, 2},
    {1, 1, 12, ASSAY_LAYOUT_RGB, 10000, 1, 1, 3, 2},  {14, 30, 8, ASSAY_LAYOUT_RGB, 10, 1, 3, 3, 5},
    {15, 15, 9, ASSAY_LAYOUT_422, 80, 0.1, 0, 3, 2},  {7, 44, 8, ASSAY_LAYOUT_RGB, 80, 10, 10, 3, 2},
};
enum { TRIALS = sizeof trials / sizeof trials[0] };

static unsigned compare(const struct trial *t, int content, double *worst)
{
    const bool rgb = t->layout == ASSAY_LAYOUT_RGB;
    const assay_format f = {.width = t->width, .height = t->height, .bit_depth = t->depth, .layout = t->layout};
    const struct oracle_colour colour = {.rgb = rgb, .full = rgb, .kr = 0.2126, .kb = 0.0722, .site_x = ORACLE_FIRST,
                                         .site_y = ORACLE_BETWEEN, .transfer = ORACLE_SRGB};
    const struct oracle_butteraugli_options options = {t->target, t->asymmetry, t->xmul};
    struct oracle_picture picture[2];
    struct oracle_image light[2][3], map;
    assay_picture pair[2];
    double want[KEYS] = {0}, got[ONE_PAIR_LEVELS][KEYS];
    char metric[160];
    unsigned wrong = 0;
    for (unsigned side = 0; side < 2; side++) {
        one_pair_picture(&picture[side], &pair[side], &f, content, side, 0);
        oracle_linear(light[side], &picture[side], &colour);
    }
    snprintf(metric, sizeof metric, "butteraugli=norms=true:intensity_target=%g:hf_asymmetry=%g:xmul=%g:pnorm=%d:"
             "qnorm=%d", t->target, t->asymmetry, t->xmul, t->p, t->q);
    for (unsigned l = 0; l < ONE_PAIR_LEVELS; l++)
        one_pair_scores(metric, one_pair_level[l], &f, pair, got[l]);
    oracle_butteraugli(&map, light[0], light[1], &options);
    for (size_t i = 0; i < map.width * map.height; i++)
        want[0] = fmax(want[0], map.value[i]);
    want[1] = oracle_butteraugli_pnorm(&map, t->p);
    want[2] = oracle_butteraugli_norm(&map, 3);
    want[3] = oracle_butteraugli_norm(&map, t->q);
    wrong += memcmp(got[0], got[1], sizeof got[0]) != 0;
    for (int k = 0; k < KEYS; k++) {
        const double off = fabs(got[0][k] - want[k]) / fmax(1.0, want[k]);
        *worst = off > *worst ? off : *worst;
        wrong += !(off <= bound) || (content == ONE_PAIR_CONTENTS - 1 && got[0][k] != 0.0);
    }
    if (wrong)
        printf("%ux%u, %u bits, layout %d, content %d: %.7f and not %.7f; norms %.7f, %.7f; %.7f, %.7f; %.7f, %.7f\n",
               t->width, t->height, t->depth, (int)t->layout, content, got[0][0], want[0], got[0][1], want[1],
               got[0][2], want[2], got[0][3], want[3]);
    oracle_image_free(&map);
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t k = 0; k < 3; k++) {
            oracle_image_free(&light[side][k]);
            if (k < picture[side].planes) {
                free(picture[side].sample[k]);
                free((void *)(uintptr_t)pair[side].plane[k]);
            }
        }
    return wrong;
}

int main(void)
{
    unsigned wrong = 0;
    double worst = 0;
    for (int t = 0; t < TRIALS; t++)
        for (int content = 0; content < ONE_PAIR_CONTENTS; content++)
            wrong += compare(&trials[t], content, &worst);
    printf("%d pairs, figures at most %.2e off, %u wrong\n", TRIALS * ONE_PAIR_CONTENTS, worst, wrong);
    return (wrong != 0) != ORACLE_SABOTAGE;
}
