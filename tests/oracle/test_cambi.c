/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cambi against its definition in plain C (oracle_cambi.c), on pictures made to hurt: one code, alternating codes,
 * ramps, steps so regular that most contrasts are equal, codes at both ends, noise; the smallest and the largest
 * window. At the scalar and the best instruction set. Equality, no bound. With ORACLE_SABOTAGE=1 the definition is
 * wrong, and the first difference is enough.
 */
#include <stdio.h>
#include <stdlib.h>

#include "one_pair.h"
#include "oracle.h"

enum { CONTENTS = 7 };
static const char *const content_name[CONTENTS] = { "flat", "alternating", "ramp", "steps", "both ends", "noise",
    "corners" };

/* A code of 10 bits. */
static uint32_t code_of(int content, uint32_t x, uint32_t y, uint32_t w, uint32_t h)
{
    switch (content) {
    case 0: return 300;
    case 1: return 300 + (x / 9 + y / 7) % 2;
    case 2: return 64 + (x + y / 3) / 7 % 800;
    case 3: return 200 + x / 16 % 2 * 4 + y / 32 % 2;
    case 4: return (x / 20 + y / 20) % 3 == 0 ? 1023 : (x / 20 + y / 20) % 3 == 1 ? 1020 : y / 40 % 4;
    case 5: return 150 + (one_pair_noise(x / 2 + 5000 * (y / 3)) & 3) + x / 40;
    default: return (x < 12 || x + 12 >= w) && (y < 12 || y + 12 >= h) ? 302 + (x + y) % 3 : 300;
    }
}

struct trial {
    uint32_t width, height, depth;
    const char *options;
    struct oracle_cambi_options definition;
};

#define DEFAULT .window_size = 65, .topk = 0.6, .tvi_threshold = 0.019, .max_log_contrast = 2
static const struct trial trials[] = {
    { 217, 33, 10, "", { DEFAULT } },
    { 64, 216, 8, "", { DEFAULT, .dither = true } },
    { 255, 219, 12, ":topk=0.0001", { DEFAULT, .topk = 0.0001 } },
    { 230, 220, 16, ":cambi_topk=1:max_log_contrast=5", { DEFAULT, .topk = 1, .max_log_contrast = 5 } },
    { 300, 90, 10, ":max_log_contrast=0:cambi_eotf=pq", { DEFAULT, .max_log_contrast = 0, .pq = true } },
    { 300, 90, 10, ":max_log_contrast=3:tvi_threshold=0.01:cambi_vis_lum_threshold=0.5",
      { DEFAULT, .max_log_contrast = 3, .tvi_threshold = 0.01, .vis_lum_threshold = 0.5 } },
    { 300, 90, 10, ":cambi_vis_lum_threshold=300", { DEFAULT, .vis_lum_threshold = 300 } },
    { 2920, 110, 10, ":window_size=127", { DEFAULT, .window_size = 127 } },
    { 1200, 1728, 9, ":cambi_high_res_speedup=1080:window_size=15",
      { DEFAULT, .window_size = 15, .dither = true, .speedup = true } },
};
enum { TRIALS = sizeof trials / sizeof trials[0] };

static double score(const struct trial *t, const char *level, void *samples)
{
    const assay_format format = { .width = t->width, .height = t->height, .bit_depth = t->depth,
        .layout = ASSAY_LAYOUT_400 };
    const assay_picture picture = { .plane = { samples }, .stride = { (ptrdiff_t)t->width * (t->depth > 8 ? 2 : 1) } };
    const assay_picture pair[2] = { picture, picture };
    double value[8];
    char metric[128];
    snprintf(metric, sizeof metric, "cambi=full_ref=false%s", t->options);
    one_pair_scores(metric, level, &format, pair, value);
    return value[0];
}

/* Samples whose codes are those of the content, or with fewer bits near to them. */
static unsigned compare(const struct trial *t, int content)
{
    const size_t n = (size_t)t->width * t->height;
    uint16_t *samples = oracle_alloc(n, sizeof *samples);
    uint8_t *bytes = oracle_alloc(n, 1);
    const struct oracle_picture p = { .depth = t->depth, .planes = 1, .width = { t->width }, .height = { t->height },
        .sample = { samples } };
    unsigned wrong = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t code = code_of(content, (uint32_t)(i % t->width), (uint32_t)(i / t->width), t->width, t->height);
        samples[i] = (uint16_t)(t->depth < 10 ? code >> (10 - t->depth) : code << (t->depth - 10));
        bytes[i] = (uint8_t)samples[i];
    }
    const double should = oracle_cambi(&p, &t->definition);
    for (unsigned l = 0; l < ONE_PAIR_LEVELS; l++) {
        const double is = score(t, one_pair_level[l], t->depth > 8 ? (void *)samples : (void *)bytes);
        if (is == should)
            continue;
        wrong++;
        printf("%s, %ux%u, %u bits%s, %s: %.17g, by definition %.17g\n", content_name[content], t->width, t->height,
            t->depth, t->options, one_pair_level[l] ? one_pair_level[l] : "best", is, should);
    }
    free(samples);
    free(bytes);
    return wrong;
}

int main(void)
{
    unsigned wrong = 0;
    for (int t = 0; t < TRIALS; t++)
        for (int content = 0; content < CONTENTS && !(ORACLE_SABOTAGE && wrong); content++)
            wrong += compare(&trials[t], content);
    printf("%d pictures, %u scores differ\n", TRIALS * CONTENTS, wrong);
    return (wrong != 0) != ORACLE_SABOTAGE;
}
