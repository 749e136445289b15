/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flip against its definition in double, on pictures made to hurt: noise of all codes, stripes, one bright sample,
 * black against white, waves with little noise, a step of one code on a flat picture, identical pictures; of grey,
 * Y'CbCr and R'G'B' of 8 to 16 bits, smaller than the filters and larger, at several pixels per degree. The mean is
 * within 2e-5 on all of them, the pools are those of the map, and identical pictures have no error at all.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "one_pair.h"
#include "oracle_flip.h"

enum { KEYS = 6 };
static const double bound = 2e-5, of_pool = 2e-3;

static const struct trial {
    uint32_t width, height, depth;
    assay_layout layout;
    double ppd; /* 0: the default */
} trials[] = {
    {61, 47, 8, ASSAY_LAYOUT_RGB, 0},  {97, 53, 16, ASSAY_LAYOUT_RGB, 0}, {70, 40, 10, ASSAY_LAYOUT_420, 0},
    {64, 33, 8, ASSAY_LAYOUT_444, 20}, {51, 39, 8, ASSAY_LAYOUT_400, 90}, {9, 3, 8, ASSAY_LAYOUT_RGB, 0},
    {1, 1, 12, ASSAY_LAYOUT_RGB, 150}, {40, 30, 8, ASSAY_LAYOUT_RGB, 2},  {33, 45, 9, ASSAY_LAYOUT_422, 5.5},
};
enum { TRIALS = sizeof trials / sizeof trials[0] };

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The mean, then the pools, of a map, which is sorted on the way. */
static void pool(struct oracle_image *map, double v[KEYS])
{
    static const double part[3] = {0.5, 0.25, 0.75};
    const size_t n = map->width * map->height;
    double total = 0, sum = 0;
    qsort(map->value, n, sizeof *map->value, ascending);
    for (size_t i = 0; i < n; i++)
        total += map->value[i];
    memset(v, 0, KEYS * sizeof *v);
    v[0] = total / (double)n;
    for (int k = 0; k < 3; k++) {
        size_t i = 0;
        for (sum = 0; i < n && !(sum > part[k] * total); i++)
            sum += map->value[i];
        v[1 + k] = total > 0 ? map->value[i - 1] : 0;
    }
    v[4] = map->value[0];
    v[5] = map->value[n - 1];
}

static unsigned compare(const struct trial *t, int content, double *worst)
{
    const bool rgb = t->layout == ASSAY_LAYOUT_RGB;
    const assay_format f = {.width = t->width, .height = t->height, .bit_depth = t->depth, .layout = t->layout};
    const struct oracle_colour colour = {.rgb = rgb, .full = rgb, .kr = 0.2126, .kb = 0.0722, .site_x = ORACLE_FIRST,
                                         .site_y = ORACLE_BETWEEN, .transfer = ORACLE_SRGB};
    struct oracle_picture picture[2];
    struct oracle_image light[2][3], map;
    assay_picture pair[2];
    double want[KEYS], got[ONE_PAIR_LEVELS][KEYS];
    char metric[64];
    unsigned wrong = 0;
    for (unsigned side = 0; side < 2; side++) {
        one_pair_picture(&picture[side], &pair[side], &f, content, side, 0);
        oracle_linear(light[side], &picture[side], &colour);
    }
    snprintf(metric, sizeof metric, "flip=pools=true:ppd=%g", t->ppd);
    for (unsigned l = 0; l < ONE_PAIR_LEVELS; l++)
        one_pair_scores(metric, one_pair_level[l], &f, pair, got[l]);
    oracle_flip(&map, light[0], light[1], t->ppd > 0 ? t->ppd : 0.7 * (3840 / 0.7) * 3.14159265358979323846 / 180);
    pool(&map, want);
    wrong += memcmp(got[0], got[1], sizeof got[0]) != 0;
    const double off = fabs(got[0][0] - want[0]);
    *worst = off > *worst ? off : *worst;
    wrong += !(off <= bound) || (content == ONE_PAIR_CONTENTS - 1 && got[0][0] != 0.0);
    for (int k = 1; k < KEYS; k++)
        wrong += !(fabs(got[0][k] - want[k]) <= of_pool);
    if (wrong)
        printf("%ux%u, %u bits, layout %d, ppd %g, content %d: %.9f and not %.9f; median %.6f, %.6f\n", t->width,
               t->height, t->depth, (int)t->layout, t->ppd, content, got[0][0], want[0], got[0][1], want[1]);
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
    printf("%d pairs, the mean at most %.2e off, %u figures wrong\n", TRIALS * ONE_PAIR_CONTENTS, worst, wrong);
    return (wrong != 0) != ORACLE_SABOTAGE;
}
