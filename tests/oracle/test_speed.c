/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * speed_chroma against its definition in plain C (oracle_speed.c), on planes made to hurt: one code, stripes whose
 * covariance is singular, black against white, one bright sample, noise of one step and of all codes, ramps; the
 * smallest size, odd ones, several depths and windows. At the scalar and the best instruction set. Equality, no bound.
 */
#include <stdio.h>
#include <stdlib.h>

#include "one_pair.h"
#include "oracle.h"

enum { CONTENTS = 8 };
static const char *const content_name[CONTENTS] = { "flat", "stripes", "checkerboard", "one bright sample",
    "faint noise", "noise", "ramp and noise", "waves" };

/* A code of 16 bits. */
static uint32_t code_of(int content, uint32_t x, uint32_t y, uint32_t seed)
{
    switch (content) {
    case 0: return 28000 + 256 * seed;
    case 1: return (one_pair_noise(x / 8 + 77 * seed) & 0x3fff) + 20000;
    case 2: return (x / 16 + y / 16 + seed) % 2 * 65535;
    case 3: return x == 64 && y == 32 ? 65535 : 512;
    case 4: return 32768 + (one_pair_noise(x + 5000 * y + seed) & 1) * 256;
    case 5: return one_pair_noise(x + 5000 * y + 900000 * seed) & 0xffff;
    case 6: return 30 * x + 90 * y + (one_pair_noise(x / 5 + 5000 * (y / 3) + 900000 * seed) & 0x1fff);
    default:
        return 20000 + (one_pair_noise(x / 11 + 3000 * (y / 13)) & 0x3fff) +
            (one_pair_noise(x + 4000 * y + seed) & 0x7ff);
    }
}

struct trial {
    uint32_t width, height, depth; /* of a chroma plane, 4:4:4 */
    const char *options;
    struct oracle_speed_options definition;
};

#define DEFAULT .kernelscale = 1, .prescale = 1, .noise = 0.29
static const struct trial trials[] = {
    { 80, 80, 8, "", { DEFAULT } },
    { 165, 167, 8, "", { DEFAULT } },
    { 241, 163, 10, ":speed_weight_var_mode=5:speed_nn_floor=0.1", { DEFAULT, .mode = 5, .floor = 0.1 } },
    { 199, 253, 12, ":speed_weight_var_mode=3:speed_kernelscale=2", { DEFAULT, .mode = 3, .kernelscale = 2 } },
    { 193, 240, 16, ":speed_weight_var_mode=4:speed_kernelscale=3", { DEFAULT, .mode = 4, .kernelscale = 3 } },
    { 401, 333, 8, ":speed_prescale=0.6:speed_prescale_method=bilinear:speed_weight_var_mode=6",
      { DEFAULT, .mode = 6, .prescale = 0.6 } },
    { 133, 161, 9, ":speed_prescale=1.5:speed_prescale_method=bilinear:speed_sigma_nn=1:speed_weight_var_mode=2",
      { DEFAULT, .mode = 2, .prescale = 1.5, .noise = 1 } },
};
#undef DEFAULT
enum { TRIALS = sizeof trials / sizeof trials[0] };

static void scores(const struct trial *t, const char *level, void *samples[2], double value[3])
{
    const assay_format format = { .width = t->width, .height = t->height, .bit_depth = t->depth,
        .layout = ASSAY_LAYOUT_444 };
    const ptrdiff_t stride = (ptrdiff_t)t->width * (t->depth > 8 ? 2 : 1);
    assay_picture pair[2];
    char metric[160];
    for (unsigned side = 0; side < 2; side++)
        pair[side] = (assay_picture){ .plane = { samples[0], samples[side], samples[1 - side] },
            .stride = { stride, stride, stride } };
    snprintf(metric, sizeof metric, "speed_chroma=speed_max_val=1000%s", t->options);
    one_pair_scores(metric, level, &format, pair, value);
}

static double least(double v)
{
    return v < 1000 ? v : 1000;
}

/* u compares one content with another, v the second with the first. */
static unsigned compare(const struct trial *t, int a, int b)
{
    const size_t n = (size_t)t->width * t->height;
    uint16_t *samples[2];
    uint8_t *bytes[2];
    struct oracle_picture p[2];
    double should[3], is[3];
    bool bad[2];
    unsigned wrong = 0;
    for (unsigned side = 0; side < 2; side++) {
        samples[side] = oracle_alloc(n, sizeof *samples[side]);
        bytes[side] = oracle_alloc(n, 1);
        p[side] = (struct oracle_picture){ .depth = t->depth, .planes = 1, .width = { t->width },
            .height = { t->height }, .sample = { samples[side] } };
        for (size_t i = 0; i < n; i++) {
            const uint32_t x = (uint32_t)(i % t->width), y = (uint32_t)(i / t->width);
            samples[side][i] = (uint16_t)(code_of(side ? b : a, x, y, side) >> (16 - t->depth));
            bytes[side][i] = (uint8_t)samples[side][i];
        }
    }
    should[0] = oracle_speed(&p[0], &p[1], 0, &t->definition, &bad[0]);
    should[1] = oracle_speed(&p[1], &p[0], 0, &t->definition, &bad[1]);
    should[2] = least((double)(((float)should[0] + (float)should[1]) / 2));
    for (unsigned l = 0; l < ONE_PAIR_LEVELS; l++) {
        void *given[2] = { t->depth > 8 ? (void *)samples[0] : bytes[0], t->depth > 8 ? (void *)samples[1] : bytes[1] };
        scores(t, one_pair_level[l], given, is);
        if (is[0] == least(should[0]) && is[1] == least(should[1]) && is[2] == should[2])
            continue;
        wrong++;
        printf("%s, %s, %ux%u, %u bits%s, %s: %.9g %.9g %.9g, by definition %.9g %.9g %.9g\n", content_name[a],
            content_name[b], t->width, t->height, t->depth, t->options, one_pair_level[l] ? one_pair_level[l] : "best",
            is[0], is[1], is[2], should[0], should[1], should[2]);
    }
    for (unsigned side = 0; side < 2; side++) {
        free(samples[side]);
        free(bytes[side]);
    }
    return wrong;
}

int main(void)
{
    unsigned wrong = 0;
    for (int t = 0; t < TRIALS; t++)
        for (int a = 0; a < CONTENTS; a++)
            for (int b = a; b < CONTENTS && b < a + 3; b++)
                wrong += compare(&trials[t], a, b);
    printf("%d sizes, %d contents, %u scores differ\n", TRIALS, CONTENTS, wrong);
    return (wrong != 0) != ORACLE_SABOTAGE;
}
