/* SPDX-License-Identifier: BSD-2-Clause */
/* Butteraugli, step by step: libjxl (aea3a06e) lib/jxl/butteraugli/butteraugli.cc, BSD-3-Clause, whose constants these
 * are. */
#include "oracle_butteraugli.h"

#include <math.h>
#include <stdlib.h>

enum { X, Y, B, CHANNELS };

static struct oracle_image same_size(const struct oracle_image *a)
{
    struct oracle_image to;
    oracle_image_new(&to, a->width, a->height);
    return to;
}

/* A Gaussian along rows or columns. Beyond a border the picture is mirrored, or the taps inside are scaled up. */
static struct oracle_image along(const struct oracle_image *from, double sigma, bool rows, bool mirror)
{
    struct oracle_image to = same_size(from);
    const int h = (int)(2.25 * sigma);
    const ptrdiff_t n = (ptrdiff_t)(rows ? from->width : from->height);
    for (size_t y = 0; y < to.height; y++)
        for (size_t x = 0; x < to.width; x++) {
            double sum = 0, taps = 0;
            for (int i = -h; i <= h; i++) {
                ptrdiff_t at = (ptrdiff_t)(rows ? x : y) + i;
                double tap = exp(-i * i / (2 * sigma * sigma));
                if (ORACLE_SABOTAGE && i == 1)
                    tap *= 1.003;
                if (mirror)
                    at = (ptrdiff_t)oracle_symmetric(at, (size_t)n);
                else if (at < 0 || at >= n)
                    continue;
                taps += tap;
                sum += tap * from->value[rows ? y * to.width + (size_t)at : (size_t)at * to.width + x];
            }
            to.value[y * to.width + x] = sum / taps;
        }
    return to;
}

static struct oracle_image blur(const struct oracle_image *from, double sigma)
{
    const bool mirror = sigma > 1.19 && sigma < 1.21;
    struct oracle_image rows = along(from, sigma, true, mirror);
    const struct oracle_image to = along(&rows, sigma, false, mirror);
    oracle_image_free(&rows);
    return to;
}

/* ---- a side ------------------------------------------------------------------------------------------------------ */

static void receptors(const double light[3], double target, double to[3])
{
    static const double m[3][3] = {{0.29956550340058319, 0.63373087833825936, 0.077705617820981968},
                                   {0.22158691104574774, 0.69391388044116142, 0.0987313588422},
                                   {0.02, 0.02, 0.20480129041026129}};
    static const double c[3] = {1.7557483643287353, 1.7557483643287353, 12.226454707163354};
    for (int k = 0; k < 3; k++)
        to[k] = c[k] + target * (m[k][0] * light[0] + m[k][1] * light[1] + m[k][2] * light[2]);
}

static double at_least(int k, double v)
{
    return fmax(v, k < 2 ? 1.7557483643287353 : 12.226454707163354);
}

static void opsin(const struct oracle_image light[3], double target, struct oracle_image to[3])
{
    struct oracle_image around[3];
    for (int k = 0; k < 3; k++) {
        around[k] = blur(&light[k], 1.2);
        to[k] = same_size(&light[k]);
    }
    for (size_t i = 0; i < to[0].width * to[0].height; i++) {
        const double own[3] = {light[0].value[i], light[1].value[i], light[2].value[i]};
        const double near[3] = {around[0].value[i], around[1].value[i], around[2].value[i]};
        double a[3], p[3], q[3];
        receptors(own, target, a);
        receptors(near, target, p);
        for (int k = 0; k < 3; k++) {
            const double v = at_least(k, p[k]);
            const double gamma = 19.245013259874995 * log(v + 9.9710635769299145) - 23.16046239805755;
            q[k] = at_least(k, a[k] * fmax(gamma / v, 1e-4));
        }
        to[X].value[i] = q[0] - q[1];
        to[Y].value[i] = q[0] + q[1];
        to[B].value[i] = q[2];
    }
    for (int k = 0; k < 3; k++)
        oracle_image_free(&around[k]);
}

struct bands {
    struct oracle_image lf[3], mf[3], hf[2], uhf[2], activity;
};

static double shrink(double v, double w)
{
    return v > w ? v - w : v < -w ? v + w : 0;
}

static double swell(double v, double w)
{
    return v > w ? v + w : v < -w ? v - w : 2 * v;
}

static double soft(double v, double m)
{
    const double k = 0.724216145665;
    return v >= m ? (v - m) * k + m : v < -m ? (v + m) * k - m : v;
}

/* Takes `high` out of what `low` is a blurred form of. */
static void leave(struct oracle_image *from, const struct oracle_image *low)
{
    for (size_t i = 0; i < low->width * low->height; i++)
        from->value[i] -= low->value[i];
}

static void split_high(struct bands *b, struct oracle_image rest[3], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double y = rest[Y].value[i];
        rest[X].value[i] *= 0.653020556257 + 0.346979443743 * 46 / (y * y + 46);
    }
    for (int k = 0; k < 2; k++) {
        b->hf[k] = blur(&rest[k], 1.56416327805);
        b->uhf[k] = same_size(&rest[k]);
        for (size_t i = 0; i < n; i++) {
            double *hf = &b->hf[k].value[i], *uhf = &b->uhf[k].value[i];
            if (k == X) {
                *uhf = shrink(rest[k].value[i] - *hf, 0.04);
                *hf = shrink(*hf, 1.5);
            } else {
                *hf = soft(*hf, 28.4691806922);
                *uhf = 2.69313763794 * soft(rest[k].value[i] - *hf, 5.19175294647);
                *hf = swell(2.155 * *hf, 0.132);
            }
        }
    }
}

static void find_activity(struct bands *b, size_t n)
{
    const double alpha = 6.19424080439, beta = 6.19424080439 * 12.61050594197;
    struct oracle_image d = same_size(&b->hf[0]);
    for (size_t i = 0; i < n; i++) {
        const double x = 2.5 * (b->uhf[X].value[i] + b->hf[X].value[i]);
        const double y = 0.4 * b->uhf[Y].value[i] + 0.4 * b->hf[Y].value[i];
        d.value[i] = sqrt(alpha * sqrt(x * x + y * y) + beta) - sqrt(beta);
    }
    b->activity = blur(&d, 2.7);
    oracle_image_free(&d);
}

static void split(const struct oracle_image light[3], double target, struct bands *b)
{
    struct oracle_image rest[3];
    const size_t n = light[0].width * light[0].height;
    opsin(light, target, rest);
    for (int k = 0; k < 3; k++) {
        b->lf[k] = blur(&rest[k], 7.15593339443);
        leave(&rest[k], &b->lf[k]);
        b->mf[k] = blur(&rest[k], 3.22489901262);
        leave(&rest[k], &b->mf[k]);
    }
    for (size_t i = 0; i < n; i++) {
        b->lf[B].value[i] = 49.87984651440 * (b->lf[B].value[i] - 0.362267051518 * b->lf[Y].value[i]);
        b->lf[X].value[i] *= 33.832837186260;
        b->lf[Y].value[i] *= 14.458268100570;
        b->mf[X].value[i] = shrink(b->mf[X].value[i], 0.29);
        b->mf[Y].value[i] = swell(b->mf[Y].value[i], 0.1);
    }
    split_high(b, rest, n);
    find_activity(b, n);
    for (int k = 0; k < 3; k++)
        oracle_image_free(&rest[k]);
}

static void bands_free(struct bands *b)
{
    for (int k = 0; k < 3; k++) {
        oracle_image_free(&b->lf[k]);
        oracle_image_free(&b->mf[k]);
    }
    for (int k = 0; k < 2; k++) {
        oracle_image_free(&b->hf[k]);
        oracle_image_free(&b->uhf[k]);
    }
    oracle_image_free(&b->activity);
}

/* ---- a pair ------------------------------------------------------------------------------------------------------ */

/* Rows and columns of half of each line; 99 ends it. */
static const int dense_lines[16][8] = {
    {0, -4, 0, -3, 0, -2, 0, -1},     {-4, 0, -3, 0, -2, 0, -1, 0},   {-3, -3, -2, -2, -1, -1, 99},
    {-3, 3, -2, 2, -1, 1, 99},        {-4, 1, -3, 1, -2, 1, -1, 0},   {-4, -1, -3, -1, -2, -1, -1, 0},
    {-1, -4, -1, -3, -1, -2, 0, -1},  {1, -4, 1, -3, 1, -2, 0, -1},   {-3, -2, -2, -1, -1, -1, 99},
    {-3, 2, -2, 1, -1, 1, 99},        {-2, -3, -1, -2, -1, -1, 99},   {-2, 3, -1, 2, -1, 1, 99},
    {1, -4, 1, -3, 1, -2, 0, -1},     {-1, -4, -1, -3, -1, -2, 0, -1}, {-4, -1, -3, -1, -2, -1, -1, 0},
    {-4, 1, -3, 1, -2, 1, -1, 0}};
static const int sparse_lines[16][8] = {
    {0, -4, 0, -2, 99},  {-4, 0, -2, 0, 99},   {-3, -3, -2, -2, 99}, {-3, 3, -2, 2, 99},  {-4, 1, -2, 1, 99},
    {-4, -1, -2, -1, 99}, {-1, -4, -1, -2, 99}, {1, -4, 1, -2, 99},   {-3, -2, -2, -1, 99}, {-3, 2, -2, 1, 99},
    {-2, -3, -1, -2, 99}, {-2, 3, -1, 2, 99},   {2, -4, 1, -2, 99},   {-2, -4, -1, -2, 99}, {-4, -2, -2, -1, 99},
    {-4, 2, -2, 1, 99}};

/* By how much b, in the direction of a, is too small (positive) or too large (negative). */
static double outside(double a, double b, double least, double most)
{
    const double size = fabs(a), along_a = a < 0 ? -b : b;
    return along_a < least * size ? least * size - along_a : along_a > most * size ? most * size - along_a : 0;
}

static double at(const struct oracle_image *d, ptrdiff_t y, ptrdiff_t x)
{
    const bool inside = x >= 0 && y >= 0 && x < (ptrdiff_t)d->width && y < (ptrdiff_t)d->height;
    return inside ? d->value[(size_t)y * d->width + (size_t)x] : 0;
}

static void add_lines(struct oracle_image *sums, const struct oracle_image *a, const struct oracle_image *b,
                      bool dense, double w01, double w10, double norm, double factor)
{
    const int(*lines)[8] = dense ? dense_lines : sparse_lines;
    const double k = dense ? 0.39905817637 : 0.611612573796;
    const double u = k * sqrt(0.5 * w01) / 8.5 * norm, v = k * sqrt(0.330000013113 * w10) / 8.5 * norm;
    struct oracle_image d = same_size(a);
    for (size_t i = 0; i < a->width * a->height; i++) {
        const double p = a->value[i], q = b->value[i], den = norm + (fabs(p) + fabs(q)) / 2;
        const double e = outside(p, q, 0.55, 1.05);
        d.value[i] = u / den * (p - q) + (p < 0 ? -e : e) * v / den;
    }
    for (ptrdiff_t y = 0; y < (ptrdiff_t)a->height; y++)
        for (ptrdiff_t x = 0; x < (ptrdiff_t)a->width; x++)
            for (int l = 0; l < 16; l++) {
                double sum = at(&d, y, x);
                for (int i = 0; i < 8 && lines[l][i] != 99; i += 2)
                    sum += at(&d, y + lines[l][i], x + lines[l][i + 1]) + at(&d, y - lines[l][i], x - lines[l][i + 1]);
                sums->value[(size_t)y * a->width + (size_t)x] += factor * sum * sum;
            }
    oracle_image_free(&d);
}

static void add_squares(struct oracle_image *sums, const struct oracle_image *a, const struct oracle_image *b,
                        double weight)
{
    for (size_t i = 0; i < a->width * a->height; i++)
        sums->value[i] += weight * (a->value[i] - b->value[i]) * (a->value[i] - b->value[i]);
}

static void add_asymmetric(struct oracle_image *sums, const struct oracle_image *a, const struct oracle_image *b,
                           double w01, double w10, double factor)
{
    for (size_t i = 0; i < a->width * a->height; i++) {
        const double p = a->value[i], q = b->value[i], e = outside(p, q, 0.4, 1.0);
        sums->value[i] += factor * (0.8 * w01 * (p - q) * (p - q) + 0.8 * w10 * e * e);
    }
}

static void add_to_sums(struct oracle_image *ac, struct oracle_image *dc, const struct bands *r, const struct bands *d,
                        const struct oracle_butteraugli_options *o)
{
    const double s = o->asymmetry, root = sqrt(s), xmul = o->xmul;
    add_lines(ac, &r->uhf[X], &d->uhf[X], true, 173.5 * s, 173.5 / s, 5.0, xmul);
    add_lines(ac, &r->uhf[Y], &d->uhf[Y], true, 1.10039032555 * s, 1.10039032555 / s, 71.7800275169, 1);
    add_lines(ac, &r->hf[X], &d->hf[X], false, 6923.99476109 * root, 6923.99476109 / root, 8051.15833247, xmul);
    add_lines(ac, &r->hf[Y], &d->hf[Y], false, 18.7237414387 * root, 18.7237414387 / root, 4498534.45232, 1);
    add_lines(ac, &r->mf[X], &d->mf[X], false, 8246.75321353, 8246.75321353, 1009002.70582, xmul);
    add_lines(ac, &r->mf[Y], &d->mf[Y], false, 37.0819870399, 37.0819870399, 130262059.556, 1);
    add_asymmetric(ac, &r->hf[X], &d->hf[X], 400 * s, 400 / s, xmul);
    add_asymmetric(ac, &r->hf[Y], &d->hf[Y], 1.50815703118 * s, 1.50815703118 / s, 1);
    add_squares(ac, &r->mf[X], &d->mf[X], xmul * 2150);
    add_squares(ac, &r->mf[Y], &d->mf[Y], 10.6195433239);
    add_squares(ac, &r->mf[B], &d->mf[B], 16.2176043152);
    add_squares(ac, &r->activity, &d->activity, 10);
    add_squares(dc, &r->lf[X], &d->lf[X], xmul * 29.2353797994);
    add_squares(dc, &r->lf[Y], &d->lf[Y], 0.844626970982);
    add_squares(dc, &r->lf[B], &d->lf[B], 0.703646627719);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double mask_of(const struct oracle_image *e, ptrdiff_t y, ptrdiff_t x)
{
    const double own = at(e, y, x);
    double v[11] = {own, 2 * own, 2 * own};
    size_t n = 3;
    for (int dy = -3; dy <= 3; dy += 3)
        for (int dx = -3; dx <= 3; dx += 3)
            if ((dx || dy) && x + dx >= 0 && y + dy >= 0 && x + dx < (ptrdiff_t)e->width &&
                y + dy < (ptrdiff_t)e->height)
                v[n++] = at(e, y + dy, x + dx);
    qsort(v, n, sizeof *v, ascending);
    return 0.45 * v[0] + 0.3 * v[1] + 0.25 * v[2];
}

static double masked(double m, double offset, double slope, double power)
{
    const double w = (1 + power / (slope * m + offset)) / (17.83 * 0.79079917404);
    return w * w;
}

static void one_scale(struct oracle_image *map, const struct oracle_image ref[3], const struct oracle_image dis[3],
                      const struct oracle_butteraugli_options *o)
{
    struct bands r, d;
    struct oracle_image dc = same_size(&ref[0]);
    *map = same_size(&ref[0]);
    split(ref, o->target, &r);
    split(dis, o->target, &d);
    for (size_t i = 0; i < map->width * map->height; i++)
        map->value[i] = dc.value[i] = 0;
    add_to_sums(map, &dc, &r, &d, o);
    for (size_t y = 0; y < map->height; y++)
        for (size_t x = 0; x < map->width; x++) {
            const double m = mask_of(&r.activity, (ptrdiff_t)y, (ptrdiff_t)x);
            const size_t i = y * map->width + x;
            map->value[i] = sqrt(masked(m, 0.20025578522, 3.87449418804, 0.505054525019) * dc.value[i] +
                                 masked(m, 0.829591754942, 0.451936922203, 2.5485944793) * map->value[i]);
        }
    bands_free(&r);
    bands_free(&d);
    oracle_image_free(&dc);
}

static size_t fold(ptrdiff_t i, size_t n)
{
    return i < 0 ? 0 : i >= (ptrdiff_t)n ? n - 1 : (size_t)i;
}

/* The picture of w x h whose item (left, top) is the first one of `from`, with repeated borders. */
static struct oracle_image moved(const struct oracle_image *from, size_t w, size_t h, ptrdiff_t left, ptrdiff_t top)
{
    struct oracle_image to;
    oracle_image_new(&to, w, h);
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++)
            to.value[y * w + x] = from->value[fold((ptrdiff_t)y - top, from->height) * from->width +
                                              fold((ptrdiff_t)x - left, from->width)];
    return to;
}

static struct oracle_image half_of(const struct oracle_image *from)
{
    struct oracle_image to;
    oracle_image_new(&to, (from->width + 1) / 2, (from->height + 1) / 2);
    for (size_t y = 0; y < to.height; y++)
        for (size_t x = 0; x < to.width; x++) {
            double sum = 0;
            for (int i = 0; i < 4; i++)
                sum += from->value[fold((ptrdiff_t)(2 * y) + i / 2, from->height) * from->width +
                                   fold((ptrdiff_t)(2 * x) + i % 2, from->width)];
            to.value[y * to.width + x] = sum / 4;
        }
    return to;
}

void oracle_butteraugli(struct oracle_image *map, const struct oracle_image ref[3], const struct oracle_image dis[3],
                        const struct oracle_butteraugli_options *o)
{
    const size_t w = ref->width, h = ref->height, wide = w < 8 ? 8 : w, high = h < 8 ? 8 : h;
    const ptrdiff_t left = (ptrdiff_t)(wide - w) / 2, top = (ptrdiff_t)(high - h) / 2;
    struct oracle_image side[2][3], half[2][3], all, small;
    for (int k = 0; k < 3; k++) {
        side[0][k] = moved(&ref[k], wide, high, left, top);
        side[1][k] = moved(&dis[k], wide, high, left, top);
        half[0][k] = half_of(&side[0][k]);
        half[1][k] = half_of(&side[1][k]);
    }
    one_scale(&all, side[0], side[1], o);
    if (half[0][0].width >= 8 && half[0][0].height >= 8) {
        one_scale(&small, half[0], half[1], o);
        for (size_t y = 0; y < high; y++)
            for (size_t x = 0; x < wide; x++)
                all.value[y * wide + x] = 0.85 * all.value[y * wide + x] +
                                          0.5 * small.value[y / 2 * small.width + x / 2];
        oracle_image_free(&small);
    }
    *map = moved(&all, w, h, -left, -top);
    oracle_image_free(&all);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++) {
            oracle_image_free(&side[i][k]);
            oracle_image_free(&half[i][k]);
        }
}

double oracle_butteraugli_norm(const struct oracle_image *map, double q)
{
    double sum = 0;
    for (size_t i = 0; i < map->width * map->height; i++)
        sum += pow(map->value[i], q);
    return pow(sum / (double)(map->width * map->height), 1 / q);
}

double oracle_butteraugli_pnorm(const struct oracle_image *map, double p)
{
    return (oracle_butteraugli_norm(map, p) + oracle_butteraugli_norm(map, 2 * p) +
            oracle_butteraugli_norm(map, 4 * p)) / 3;
}
