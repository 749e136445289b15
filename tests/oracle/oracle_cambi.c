/* SPDX-License-Identifier: BSD-2-Clause */
/* CAMBI, pixel by pixel: a window's codes are counted along each row, contrasts are sorted. */
#include "oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SCALES = 5 };

struct cells {
    int64_t width, height;
    int *code;
    bool *seen;
};

static struct cells cells_new(int64_t width, int64_t height)
{
    const size_t n = (size_t)(width * height);
    return (struct cells){ width, height, oracle_alloc(n, sizeof(int)), oracle_alloc(n, sizeof(bool)) };
}

static void cells_free(struct cells *c)
{
    free(c->code);
    free(c->seen);
}

static double light(bool pq, int code)
{
    const int inside = code < 64 ? 64 : code > 940 ? 940 : code;
    const double v = (inside - 64) / 876.0;
    if (pq) {
        const double e = pow(v, 1 / 78.84375);
        return 10000 * pow(fmax(e - 0.8359375, 0) / (18.8515625 - 18.6875 * e), 1 / 0.1593017578125);
    }
    const double white = pow(300, 1 / 2.4), black = pow(0.01, 1 / 2.4);
    return pow(white - black, 2.4) * pow(fmax(v + black / (white - black), 0), 2.4);
}

/* The largest code at which a step up is seen, by trying all of them. */
static int reach(const struct oracle_cambi_options *o, int step)
{
    int last = 0;
    bool seen = true;
    for (int code = 64; seen && code < 940 - step + 1; code++) {
        const double now = light(o->pq, code);
        seen = light(o->pq, code + step) - now > o->tvi_threshold * now;
        last = seen ? code : last;
    }
    return seen ? 1023 : last;
}

static int clog2(int64_t n)
{
    int bits = 0;
    while (((int64_t)1 << bits) < n)
        bits++;
    return bits;
}

/* Codes of 10 bits at full size, and where more than a threshold of the 7x7 pixels around have equal neighbours. */
static struct cells prepare(const struct oracle_picture *p, bool dither)
{
    struct cells c = cells_new(p->width[0], p->height[0]);
    int *plain = oracle_alloc((size_t)(c.width * c.height), sizeof(int));
    const int bits = (int)p->depth;
    for (int64_t i = 0; i < c.width * c.height; i++)
        plain[i] = bits > 10 ? (p->sample[0][i] + (1 << (bits - 11))) / (1 << (bits - 10))
                             : p->sample[0][i] * (1 << (10 - bits));
    for (int64_t y = 0; y < c.height; y++)
        for (int64_t x = 0; x < c.width; x++) {
            const int64_t right = x + 1 < c.width ? 1 : 0, below = y + 1 < c.height ? c.width : 0, at = y * c.width + x;
            c.code[at] = dither ? (plain[at] + plain[at + right] + plain[at + below] + plain[at + right + below]) / 4
                                : plain[at];
        }
    free(plain);
    const int threshold = (49 + 3 * (clog2((c.width / 64) * (c.height / 64)) - 11) - 1) >> 1;
    for (int64_t y = 0; y < c.height; y++)
        for (int64_t x = 0; x < c.width; x++) {
            int equal = 0;
            for (int64_t v = y - 3; v <= y + 3; v++)
                for (int64_t u = x - 3; u <= x + 3; u++) {
                    if (u < 0 || v < 0 || u >= c.width || v >= c.height)
                        continue;
                    const int own = c.code[v * c.width + u];
                    equal += (u + 1 == c.width || own == c.code[v * c.width + u + 1])
                        && (v + 1 == c.height || own == c.code[(v + 1) * c.width + u]);
                }
            c.seen[y * c.width + x] = equal > threshold + ORACLE_SABOTAGE;
        }
    return c;
}

static int mode(int a, int b, int c)
{
    if (a == b || a == c)
        return a;
    return b == c ? b : a < b ? (a < c ? a : c) : (b < c ? b : c);
}

static struct cells next_scale(const struct cells *from, int step)
{
    struct cells to = cells_new((from->width + step - 1) / step, (from->height + step - 1) / step);
    const int64_t w = to.width, h = to.height;
    int *source = oracle_alloc((size_t)(w * h), sizeof(int)), *along = oracle_alloc((size_t)(w * h), sizeof(int));
    for (int64_t y = 0; y < h; y++)
        for (int64_t x = 0; x < w; x++) {
            source[y * w + x] = from->code[step * y * from->width + step * x];
            to.seen[y * w + x] = from->seen[step * y * from->width + step * x];
        }
    for (int64_t y = 0; y < h; y++)
        for (int64_t x = 0; x < w; x++) {
            const int *at = source + y * w + x;
            along[y * w + x] = x == 0 || x == w - 1 ? *at : mode(at[-1], at[0], at[1]);
        }
    for (int64_t y = 0; y < h; y++)
        for (int64_t x = 0; x < w; x++) {
            const int *at = along + y * w + x;
            to.code[y * w + x] = y == 0 || y == h - 1 ? source[y * w + x] : mode(at[-w], at[0], at[w]);
        }
    free(source);
    free(along);
    return to;
}

/* As libvmaf's table has it: nine digits of the reciprocal, read as a float. */
static float reciprocal(int n)
{
    static float known[65 * 65 + 1];
    if (n && known[n] == 0) {
        char text[32];
        snprintf(text, sizeof text, "%.9g", 1.0 / n);
        known[n] = strtof(text, NULL);
    }
    return known[n];
}

/* Of the codes that are seen in a window, how many there are of each; up to 32 codes on either side of 0 to 1023 are
 * asked for. */
struct counts {
    int code[32 + 1024 + 32];
};

/* Adds the part of column u that is in the window around row y, `by` times. */
static void count_column(struct counts *n, const struct cells *c, int64_t u, int64_t y, int radius, int by)
{
    if (u < 0 || u >= c->width)
        return;
    for (int64_t v = y < radius ? 0 : y - radius; v <= y + radius && v < c->height; v++)
        if (c->seen[v * c->width + u])
            n->code[32 + c->code[v * c->width + u]] += by;
}

static double contrast(const struct cells *c, int64_t x, int64_t y, const struct counts *n, int steps, const int *to,
                       int visible)
{
    static const int weight[33] = { 0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9,
        9, 9, 9, 9, 9 };
    const int *of = n->code + 32;
    float best = 0;
    if (!c->seen[y * c->width + x])
        return 0;
    const int own = c->code[y * c->width + x];
    for (int d = 1; d <= steps; d++) {
        const int other = of[own + d] > of[own - d] ? of[own + d] : of[own - d];
        if (own > to[d] || own + steps + d <= visible)
            continue;
        const float value = (float)(weight[d] * of[own] * other) * reciprocal(of[own] + other);
        best = value > best ? value : best;
    }
    return (double)best;
}

static void contrasts_of_row(const struct cells *c, int64_t y, int radius, int steps, const int *to, int visible,
                             double *out)
{
    struct counts n = { { 0 } };
    for (int64_t u = 0; u < radius; u++)
        count_column(&n, c, u, y, radius, 1);
    for (int64_t x = 0; x < c->width; x++) {
        count_column(&n, c, x + radius, y, radius, 1);
        out[x] = contrast(c, x, y, &n, steps, to, visible);
        count_column(&n, c, x - radius, y, radius, -1);
    }
}

static int falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

double oracle_cambi(const struct oracle_picture *p, const struct oracle_cambi_options *o)
{
    const int64_t whole_w = p->width[0], whole_h = p->height[0];
    const int scaled = (int)((o->window_size * (whole_w + whole_h) / 375) >> 4);
    const int window = (o->speedup ? (scaled + 1) >> 1 : scaled) | 1, steps = 1 << o->max_log_contrast;
    int to[33] = { 0 }, visible = 64;
    double score = 0;
    for (int d = 1; d <= steps; d++)
        to[d] = reach(o, d);
    while (visible < 940 && light(o->pq, visible) < o->vis_lum_threshold)
        visible++;
    visible = visible == 64 ? 0 : visible;
    struct cells c = prepare(p, o->dither);
    for (int s = 0; s < SCALES; s++) {
        struct cells next = next_scale(&c, s || o->speedup ? 2 : 1);
        cells_free(&c);
        c = next;
        const int64_t n = c.width * c.height;
        double *all = oracle_alloc((size_t)n, sizeof *all), sum = 0;
        for (int64_t y = 0; y < c.height; y++)
            contrasts_of_row(&c, y, window / 2, steps, to, visible, all + y * c.width);
        qsort(all, (size_t)n, sizeof *all, falling);
        int64_t k = (int64_t)(o->topk * (double)n);
        k = k < 1 ? 1 : k;
        for (int64_t i = 0; i < k; i++)
            sum += all[i];
        score += (16 >> s) * (sum / (double)k);
        free(all);
    }
    cells_free(&c);
    return score / (window * window);
}
