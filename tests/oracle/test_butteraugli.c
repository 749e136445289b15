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

enum { CONTENTS = 7, KEYS = 4 };
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

static uint32_t code_of(int content, unsigned side, uint32_t plane, uint32_t x, uint32_t y)
{
    const uint32_t noise = one_pair_noise(x + 70001 * y + 1000003 * plane) & 0xffff;
    switch (content) {
    case 0: return side ? one_pair_noise(noise + 77) & 0xffff : noise;
    case 1: return (x / 3 + y / 5 + side) % 2 * 65535;
    case 2: return x == 5 && y == 2 ? 65535u - 40000u * side : 9000;
    case 3: return side * 65535;
    case 4: return 20000 + 137 * x % 9000 + 153 * y % 11000 + side * (noise & 0x7ff);
    case 5: return 30000 + 512 * side;
    default: return noise;
    }
}

static void make(struct oracle_picture *p, assay_picture *given, const struct trial *t, int content, unsigned side)
{
    const assay_format f = {.width = t->width, .height = t->height, .bit_depth = t->depth, .layout = t->layout};
    *p = (struct oracle_picture){.depth = t->depth, .planes = t->layout == ASSAY_LAYOUT_400 ? 1 : 3};
    memset(given, 0, sizeof *given);
    for (uint32_t k = 0; k < p->planes; k++) {
        const bool half_x = k && (t->layout == ASSAY_LAYOUT_420 || t->layout == ASSAY_LAYOUT_422);
        const uint32_t w = p->width[k] = half_x ? (f.width + 1) / 2 : f.width;
        const uint32_t h = p->height[k] = k && t->layout == ASSAY_LAYOUT_420 ? (f.height + 1) / 2 : f.height;
        const size_t n = (size_t)w * h;
        uint8_t *bytes = oracle_alloc(n, 2);
        p->sample[k] = oracle_alloc(n, sizeof *p->sample[k]);
        for (uint32_t i = 0; i < n; i++) {
            p->sample[k][i] = (uint16_t)(code_of(content, side, k, i % w, i / w) >> (16 - t->depth));
            if (t->depth > 8)
                memcpy(bytes + 2 * i, &p->sample[k][i], 2);
            else
                bytes[i] = (uint8_t)p->sample[k][i];
        }
        given->plane[k] = bytes;
        given->stride[k] = (ptrdiff_t)w * (t->depth > 8 ? 2 : 1);
    }
}

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
        make(&picture[side], &pair[side], t, content, side);
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
        wrong += !(off <= bound) || (content == CONTENTS - 1 && got[0][k] != 0.0);
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
        for (int content = 0; content < CONTENTS; content++)
            wrong += compare(&trials[t], content, &worst);
    printf("%d pairs, figures at most %.2e off, %u wrong\n", TRIALS * CONTENTS, worst, wrong);
    return (wrong != 0) != ORACLE_SABOTAGE;
}
