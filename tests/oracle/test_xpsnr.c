/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xpsnr against its definition in plain C, on short clips made to hurt: noise of all codes, stripes, one bright sample,
 * black against white, smooth waves, identical pictures. Of several sizes, so that there are cut blocks, blocks without
 * a high-pass, pictures with cells of 2x2, with a last column that the definition drops; of all layouts and several
 * depths; with both temporal filters. The weighted errors and the averages are equal; so are the scores of a part of
 * the clip.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "one_pair.h"
#include "oracle.h"

enum { FRAMES = 4, CONTENTS = 5, MOST_KEYS = 6 };

struct trial {
    uint32_t width, height, depth, fps;
    assay_layout layout;
};

static const struct trial trials[] = {
    {45, 45, 8, 24, ASSAY_LAYOUT_400},    {131, 77, 8, 30, ASSAY_LAYOUT_420},  {3, 731, 8, 60, ASSAY_LAYOUT_444},
    {333, 211, 10, 60, ASSAY_LAYOUT_422}, {322, 242, 14, 50, ASSAY_LAYOUT_444}, {401, 303, 12, 31, ASSAY_LAYOUT_411},
    {707, 461, 9, 32, ASSAY_LAYOUT_420},  {1183, 2, 11, 25, ASSAY_LAYOUT_400},  {2, 1213, 11, 25, ASSAY_LAYOUT_420},
    {2048, 1154, 8, 24, ASSAY_LAYOUT_420}, {1602, 1474, 14, 60, ASSAY_LAYOUT_400},
};
enum { TRIALS = sizeof trials / sizeof trials[0] };

/* A clip: [frame][side] with a plane of samples each, and the same as bytes. */
struct clip {
    assay_format format;
    uint32_t planes, width[3], height[3];
    uint16_t *sample[FRAMES][2][3];
    uint8_t *byte[FRAMES][2][3];
};

static uint32_t code_of(int content, uint32_t frame, unsigned side, uint32_t plane, uint32_t x, uint32_t y)
{
    const uint32_t seed = frame * 31 + plane * 7;
    const uint32_t noise = one_pair_noise(x + 70001 * y + 1000003 * seed) & 0xffff;
    switch (content) {
    case 0: return side ? one_pair_noise(noise + 77) & 0xffff : noise;
    case 1: return (x / 3 + y / 5 + frame + side) % 2 * 65535;
    case 2: return x == 31 && y == 17 ? 65535u - 40000u * side : 9000 + (frame == 2) * 3000;
    case 3: return 20000 + 37 * x % 9000 + 53 * (y + 3 * frame) % 11000 + side * (noise & 0x7ff);
    default: return 20000 + (noise & 0xfff); /* identical, but for one sample of the last frame */
    }
}

static void make(struct clip *c, const struct trial *t, int content)
{
    *c = (struct clip){.format = {.width = t->width, .height = t->height, .bit_depth = t->depth, .layout = t->layout,
                                  .rate_num = t->fps, .rate_den = 1}};
    c->planes = assay_format_planes(&c->format);
    for (uint32_t f = 0; f < FRAMES; f++)
        for (unsigned side = 0; side < 2; side++)
            for (uint32_t p = 0; p < c->planes; p++) {
                const uint32_t w = c->width[p] = assay_format_plane_width(&c->format, p),
                               h = c->height[p] = assay_format_plane_height(&c->format, p);
                uint16_t *s = c->sample[f][side][p] = oracle_alloc((size_t)w * h, sizeof *s);
                uint8_t *b = c->byte[f][side][p] = oracle_alloc((size_t)w * h, 1);
                for (uint32_t i = 0; i < w * h; i++) {
                    s[i] = (uint16_t)(code_of(content, f, side, p, i % w, i / w) >> (16 - t->depth));
                    b[i] = (uint8_t)s[i];
                }
                if (content == CONTENTS - 1 && f == FRAMES - 1 && side)
                    b[0] = (uint8_t)(s[0] ^= 1);
            }
}

static void drop(struct clip *c)
{
    for (uint32_t i = 0; i < FRAMES * 2 * c->planes; i++) {
        free(c->sample[i / c->planes / 2][i / c->planes % 2][i % c->planes]);
        free(c->byte[i / c->planes / 2][i / c->planes % 2][i % c->planes]);
    }
}

/* ---- the definition ---------------------------------------------------------------------------------------------- */

struct definition {
    const struct clip *clip;
    int64_t w, h, side, cols, rows;
    bool coarse, second;
    double *weight;
};

/* A sample of the reference's luma; 0 of frames before the first. */
static int64_t luma(const struct definition *d, int64_t frame, int64_t x, int64_t y)
{
    return frame < 0 ? 0 : d->clip->sample[frame][0][0][y * d->w + x];
}

static int64_t high_pass(const struct definition *d, int64_t f, int64_t x, int64_t y)
{
    static const int fine[3][3] = {{-1, -2, -1}, {-2, 12 + ORACLE_SABOTAGE, -2}, {-1, -2, -1}};
    static const int coarse[6][6] = {{0, -1, -1, -1, -1, 0},   {-1, -2, -3, -3, -2, -1}, {-1, -3, 12, 12, -3, -1},
                                     {-1, -3, 12, 12, -3, -1}, {-1, -2, -3, -3, -2, -1}, {0, -1, -1, -1, -1, 0}};
    int64_t sum = 0;
    for (int j = 0; j < (d->coarse ? 6 : 3); j++)
        for (int i = 0; i < (d->coarse ? 6 : 3); i++)
            sum += d->coarse ? coarse[j][i] * luma(d, f, x + i - 2, y + j - 2)
                             : fine[j][i] * luma(d, f, x + i - 1, y + j - 1);
    return sum < 0 ? -sum : sum;
}

static int64_t change(const struct definition *d, int64_t f, int64_t x, int64_t y)
{
    int64_t sum = 0;
    for (int64_t j = 0; j < 1 + d->coarse; j++)
        for (int64_t i = 0; i < 1 + d->coarse; i++)
            sum += luma(d, f, x + i, y + j) - (1 + d->second) * luma(d, f - 1, x + i, y + j) +
                   (d->second ? luma(d, f - 2, x + i, y + j) : 0);
    return sum < 0 ? -sum : sum;
}

static double weight(const struct definition *d, int64_t frame, int64_t bx, int64_t by)
{
    const int64_t x = bx * d->side, y = by * d->side, v = 1 + d->coarse, depth = d->clip->format.bit_depth;
    const int64_t w = x + d->side < d->w ? d->side : d->w - x, h = y + d->side < d->h ? d->side : d->h - y;
    const int64_t xa = x ? 0 : v, ya = y ? 0 : v, xe = x + w == d->w ? w - v : w, ye = y + h == d->h ? h - v : h;
    int64_t spatial = 0, temporal = 0;
    if (xe <= xa || ye <= ya)
        return 1.0;
    for (int64_t j = ya; j < ye; j += v)
        for (int64_t i = xa; i < xe; i += v)
            spatial += high_pass(d, frame, x + i, y + j);
    if (d->coarse && xe <= 12)
        spatial = 0;
    for (int64_t j = 0; j < h; j += v)
        for (int64_t i = 0; i < w; i += v)
            temporal += 2 * change(d, frame, x + i, y + j);
    double a = (double)spatial / ((double)(xe - xa) * (double)(ye - ya));
    a = a + (double)temporal / ((double)w * (double)h);
    return 1.0 / fmax(a, pow(2, (double)depth - 6));
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static void weights(struct definition *d, int64_t frame)
{
    const int64_t n = d->cols * d->rows;
    double *w = d->weight;
    for (int64_t i = 0; i < n; i++) {
        w[i] = weight(d, frame, i % d->cols, i / d->cols);
        if (d->w * d->h > 640 * 480)
            continue;
        const int64_t x = i % d->cols;
        double p = x == 0 ? (i > 1 ? w[i - 2] : 0) : x > 1 ? larger(w[i - 2], w[i]) : w[i];
        if (i > d->cols)
            p = larger(p, w[i - 1 - d->cols]);
        if (i > 0 && w[i - 1] > p)
            w[i - 1] = p;
        if (i == n - 1 && i > d->cols && w[i] > larger(w[i - 1], w[i - d->cols]))
            w[i] = larger(w[i - 1], w[i - d->cols]);
    }
}

static double weighted_error(const struct definition *d, int64_t frame, uint32_t p)
{
    const struct clip *c = d->clip;
    const int64_t pw = c->width[p], ph = c->height[p], bw = d->side * pw / d->w, bh = d->side * ph / d->h;
    const double part = (double)(d->w * d->h) / (3840.0 * 2160.0);
    const double factor = sqrt(16.0 * pow(2, 2.0 * c->format.bit_depth - 9) / sqrt(fmax(0.00001, part)));
    double sum = 0.0;
    for (int64_t i = 0; i < d->cols * d->rows; i++) {
        int64_t error = 0;
        for (int64_t y = i / d->cols * bh; y < (i / d->cols + 1) * bh && y < ph; y++)
            for (int64_t x = i % d->cols * bw; x < (i % d->cols + 1) * bw && x < pw; x++) {
                const int64_t e = (int64_t)c->sample[frame][0][p][y * pw + x] - c->sample[frame][1][p][y * pw + x];
                error += e * e;
            }
        sum = sum + (double)error * d->weight[i];
    }
    return sum <= 0 ? 0 : floor(sum * factor + 0.5);
}

static struct definition define(const struct clip *c)
{
    struct definition d = {.clip = c, .w = c->width[0], .h = c->height[0], .second = c->format.rate_num >= 32};
    d.side = 4 * (int64_t)(32.0 * sqrt((double)(d.w * d.h) / (3840.0 * 2160.0)) + 0.5);
    d.coarse = d.w * d.h > 2048 * 1152;
    d.cols = (d.w + d.side - 1) / d.side;
    d.rows = (d.h + d.side - 1) / d.side;
    d.weight = oracle_alloc((size_t)(d.cols * d.rows), sizeof *d.weight);
    return d;
}

/* ---- the library ------------------------------------------------------------------------------------------------- */

static void check(assay_session *s, int rc)
{
    if (!rc)
        return;
    fprintf(stderr, "xpsnr: %s\n", assay_session_error(s));
    exit(99);
}

/* Scores the frames from `first` on: earlier ones are neighbours. */
static void score(const struct clip *c, const char *level, uint32_t first, double value[FRAMES][MOST_KEYS],
                  double average[3])
{
    const assay_config config = {.cpu_level = level, .threads = 2};
    assay_session *s;
    uint64_t frame;
    if (assay_session_new(&s, &config, NULL, 0))
        exit(99);
    check(s, assay_session_add_metric(s, "xpsnr"));
    check(s, assay_session_start(s, &c->format));
    for (uint32_t f = 0; f < FRAMES; f++) {
        assay_picture pair[2] = {{.release = NULL}};
        for (uint32_t i = 0; i < 2 * c->planes; i++) {
            const uint32_t side = i / c->planes, p = i % c->planes;
            const bool wide = c->format.bit_depth > 8;
            pair[side].plane[p] = wide ? (void *)c->sample[f][side][p] : c->byte[f][side][p];
            pair[side].stride[p] = (ptrdiff_t)c->width[p] * (1 + wide);
        }
        check(s, f < first ? assay_session_submit_neighbour(s, f, &pair[0], &pair[1])
                           : assay_session_submit(s, f, &pair[0], &pair[1]));
    }
    check(s, assay_session_flush(s));
    for (uint32_t f = first; f < FRAMES; f++)
        if (assay_session_poll(s, &frame, value[f]) != 1 || frame != f)
            exit(99);
    for (uint32_t p = 0; p < c->planes; p++)
        check(s, assay_session_aggregate(s, p, &average[p]));
    assay_session_close(&s);
}

static bool near(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-12 * fabs(b);
}

static double db(const struct clip *c, uint32_t p, double root)
{
    const double peak = (1u << c->format.bit_depth) - 1;
    return root >= 1 ? 10 * log10((double)c->width[p] * c->height[p] * peak * peak / (root * root)) : (double)INFINITY;
}

static unsigned compare(const struct trial *t, int content)
{
    struct clip c;
    make(&c, t, content);
    struct definition d = define(&c);
    double is[2][FRAMES][MOST_KEYS], part[FRAMES][MOST_KEYS], average[2][3], of_part[3], roots[3] = {0};
    unsigned wrong = 0;
    for (unsigned l = 0; l < ONE_PAIR_LEVELS; l++)
        score(&c, one_pair_level[l], 0, is[l], average[l]);
    score(&c, NULL, 2, part, of_part);
    for (uint32_t f = 0; f < FRAMES; f++) {
        weights(&d, f);
        for (uint32_t p = 0; p < c.planes; p++) {
            const double error = weighted_error(&d, f, p);
            roots[p] += sqrt(error);
            for (unsigned l = 0; l < ONE_PAIR_LEVELS; l++)
                wrong += is[l][f][c.planes + p] != error || !near(is[l][f][p], db(&c, p, sqrt(error)));
            wrong += f >= 2 && part[f][c.planes + p] != error;
        }
    }
    for (uint32_t p = 0; p < c.planes; p++)
        for (unsigned l = 0; l < ONE_PAIR_LEVELS; l++)
            wrong += !near(average[l][p], roots[p] >= FRAMES ? db(&c, p, roots[p] / FRAMES) : (double)INFINITY);
    if (wrong)
        printf("%ux%u, %u bits, %u frames/s, content %d: %u figures differ\n", t->width, t->height, t->depth, t->fps,
               content, wrong);
    free(d.weight);
    drop(&c);
    return wrong;
}

int main(void)
{
    unsigned wrong = 0;
    for (int t = 0; t < TRIALS; t++)
        for (int content = 0; content < CONTENTS; content++)
            if (content == t % CONTENTS || trials[t].width * trials[t].height < 100000)
                wrong += compare(&trials[t], content);
    printf("%d sizes, %u figures differ\n", TRIALS, wrong);
    return (wrong != 0) != ORACLE_SABOTAGE;
}
