/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diff, and psnr over all planes, against their definitions in plain integers: every layout and depth, odd sizes, at
 * every instruction set of this machine. Equality, no bound. -DSABOTAGE=1 counts equal pixels too and must be noticed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "one_pair.h"

#ifndef SABOTAGE
#define SABOTAGE 0
#endif

enum { KEYS = 10 };

struct content {
    const char *name;
    uint32_t (*distort)(uint32_t sample, uint32_t peak, uint32_t hash);
};

static uint32_t equal(uint32_t sample, uint32_t peak, uint32_t hash)
{
    (void)peak, (void)hash;
    return sample;
}

static uint32_t inverse(uint32_t sample, uint32_t peak, uint32_t hash)
{
    (void)hash;
    return peak - sample;
}

/* One sample in about 500 moves, by any amount. */
static uint32_t rare(uint32_t sample, uint32_t peak, uint32_t hash)
{
    return hash % 509 ? sample : (sample + (hash >> 9)) & peak;
}

static uint32_t off_by_one(uint32_t sample, uint32_t peak, uint32_t hash)
{
    return hash & 1 ? sample : sample < peak ? sample + 1 : sample - 1;
}

static const struct content contents[] = {{"equal", equal}, {"inverse", inverse}, {"rare", rare},
                                          {"off by one", off_by_one}};

struct pair {
    assay_format format;
    uint32_t width[3], height[3], planes;
    uint16_t *sample[2][3];
};

static void make_pair(struct pair *p, const struct content *c)
{
    const uint32_t peak = (1u << p->format.bit_depth) - 1;
    p->planes = assay_format_planes(&p->format);
    for (uint32_t i = 0; i < p->planes; i++) {
        p->width[i] = assay_format_plane_width(&p->format, i);
        p->height[i] = assay_format_plane_height(&p->format, i);
        const size_t n = (size_t)p->width[i] * p->height[i];
        for (unsigned side = 0; side < 2; side++)
            if (!(p->sample[side][i] = malloc(n * sizeof(uint16_t))))
                exit(99);
        for (size_t k = 0; k < n; k++) {
            const uint32_t v = one_pair_noise((uint32_t)k + 7919 * i) & peak;
            p->sample[0][i][k] = (uint16_t)v;
            p->sample[1][i][k] = (uint16_t)c->distort(v, peak, one_pair_noise((uint32_t)k * 31 + i + 1));
        }
    }
}

/* The figures as docs/metrics say them. */
static void define(const struct pair *p, double *value, double *mse)
{
    static const uint32_t shift_x[] = {
        [ASSAY_LAYOUT_420] = 1, [ASSAY_LAYOUT_422] = 1, [ASSAY_LAYOUT_411] = 2, [ASSAY_LAYOUT_RGB] = 0};
    const uint32_t sx = shift_x[p->format.layout], sy = p->format.layout == ASSAY_LAYOUT_420;
    uint64_t pixels = 0, plane_max[3] = {0}, plane_count[3] = {0}, sse = 0, samples = 0, best = 0, at = 0;
    for (uint32_t y = 0; y < p->format.height; y++)
        for (uint32_t x = 0; x < p->format.width; x++) {
            uint64_t d = 0;
            for (uint32_t i = 0; i < p->planes; i++) {
                const size_t k = i ? (size_t)(y >> sy) * p->width[i] + (x >> sx) : (size_t)y * p->width[0] + x;
                const uint64_t one = (uint64_t)abs(p->sample[0][i][k] - p->sample[1][i][k]);
                d = one > d ? one : d;
            }
            pixels += d > 0 || SABOTAGE;
            if (d > best) {
                best = d;
                at = (uint64_t)y * p->format.width + x;
            }
        }
    for (uint32_t i = 0; i < p->planes; i++)
        for (size_t k = 0; k < (size_t)p->width[i] * p->height[i]; k++) {
            const uint64_t one = (uint64_t)abs(p->sample[0][i][k] - p->sample[1][i][k]);
            plane_max[i] = one > plane_max[i] ? one : plane_max[i];
            plane_count[i] += one > 0;
            sse += one * one;
            samples++;
        }
    value[0] = (double)best;
    value[1] = (double)(at % p->format.width);
    value[2] = (double)(at / p->format.width);
    value[3] = (double)pixels;
    for (uint32_t i = 0; i < p->planes; i++) {
        value[4 + 2 * i] = (double)plane_max[i];
        value[5 + 2 * i] = (double)plane_count[i];
    }
    *mse = (double)sse / (double)samples;
}

static void check(assay_session *s, int rc, const char *what)
{
    if (!rc)
        return;
    fprintf(stderr, "test_diff: %s: %s\n", what, assay_session_error(s));
    exit(99);
}

/* The two sides as the session takes them: 8-bit samples are packed in place. */
static void lend(struct pair *p, unsigned side, assay_picture *to)
{
    *to = (assay_picture){0};
    for (uint32_t i = 0; i < p->planes; i++) {
        const size_t n = (size_t)p->width[i] * p->height[i];
        to->plane[i] = p->sample[side][i];
        to->stride[i] = (ptrdiff_t)p->width[i] * (p->format.bit_depth > 8 ? 2 : 1);
        for (size_t k = 0; p->format.bit_depth == 8 && k < n; k++)
            ((uint8_t *)p->sample[side][i])[k] = (uint8_t)p->sample[side][i][k];
    }
}

static unsigned compare(struct pair *p, const char *content, const char *level)
{
    double want[KEYS], got[KEYS + 64], mse;
    uint64_t frame;
    unsigned wrong = 0;
    assay_session *s;
    const assay_config config = {.cpu_level = level, .threads = 2, .tile_width = 32, .tile_height = 8};
    assay_picture side[2];
    define(p, want, &mse);
    lend(p, 0, &side[0]);
    lend(p, 1, &side[1]);
    if (assay_session_new(&s, &config, NULL, 0))
        exit(99);
    check(s, assay_session_add_metric(s, "diff=per_plane=true"), "diff");
    check(s, assay_session_add_metric(s, "psnr=enable_all=true:enable_mse=true"), "psnr");
    check(s, assay_session_start(s, &p->format), "start");
    check(s, assay_session_submit(s, 0, &side[0], &side[1]), "submit");
    check(s, assay_session_flush(s), "flush");
    if (assay_session_poll(s, &frame, got) != 1)
        exit(99);
    const uint32_t keys = 4 + 2 * p->planes, last = assay_session_keys(s) - 1;
    for (uint32_t i = 0; i <= keys; i++) {
        const double is = i < keys ? got[i] : got[last], should = i < keys ? want[i] : mse;
        if (is == should)
            continue;
        wrong++;
        printf("%s, layout %d, %u bits, %ux%u, %s: %s is %.17g, by definition %.17g\n", content, (int)p->format.layout,
               p->format.bit_depth, p->format.width, p->format.height, level ? level : "best",
               assay_session_key(s, i < keys ? i : last), is, should);
    }
    assay_session_close(&s);
    return wrong;
}

int main(void)
{
    static const assay_layout layouts[] = {ASSAY_LAYOUT_400, ASSAY_LAYOUT_420, ASSAY_LAYOUT_422, ASSAY_LAYOUT_444,
                                           ASSAY_LAYOUT_411, ASSAY_LAYOUT_RGB};
    static const uint32_t depths[] = {8, 10, 16}, sizes[][2] = {{1, 1}, {37, 19}, {130, 67}};
    static const char *const levels[] = {"scalar", NULL};
    unsigned wrong = 0, compared = 0;
    for (size_t c = 0; c < sizeof contents / sizeof contents[0]; c++)
        for (size_t l = 0; l < sizeof layouts / sizeof layouts[0]; l++)
            for (size_t d = 0; d < 3; d++)
                for (size_t z = 0; z < 3; z++)
                    for (size_t v = 0; v < 2; v++, compared++) {
                        struct pair p = {.format = {.width = sizes[z][0], .height = sizes[z][1], .bit_depth = depths[d],
                                                    .layout = layouts[l]}};
                        make_pair(&p, &contents[c]);
                        wrong += compare(&p, contents[c].name, levels[v]);
                        for (uint32_t i = 0; i < p.planes; i++) {
                            free(p.sample[0][i]);
                            free(p.sample[1][i]);
                        }
                    }
    printf("%u pairs, %u figures differ\n", compared, wrong);
    return (wrong != 0) != SABOTAGE;
}
