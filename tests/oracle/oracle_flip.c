/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FLIP, step by step: Andersson and others, "FLIP: A Difference Evaluator for Alternating Images", HPG 2020, with the
 * separable filters of NVlabs/flip 1.6.
 */
#include "oracle_flip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 300 };
static const double pi = 3.14159265358979323846;

/* A filter of one axis: tap i is of the pixel i - radius. */
struct filter {
    int radius;
    double tap[2 * MOST + 1];
};

static double sum_of(const struct filter *f)
{
    double sum = 0;
    for (int i = 0; i <= 2 * f->radius; i++)
        sum += f->tap[i];
    return sum;
}

static struct filter gaussian(double ppd, double a, double b)
{
    struct filter f = {.radius = (int)ceil(3 * sqrt(0.04 / (2 * pi * pi)) * ppd)};
    for (int i = -f.radius; i <= f.radius; i++)
        f.tap[i + f.radius] = a * exp(-pi * pi * (i / ppd) * (i / ppd) / b);
    return f;
}

static void divide(struct filter *f, double positive, double negative)
{
    for (int i = 0; i <= 2 * f->radius; i++)
        f->tap[i] /= f->tap[i] > 0 ? positive : negative;
}

/* Derivative 0, 1 or 2 of the Gaussian of features. */
static struct filter feature(double ppd, int derivative)
{
    const double s = 0.5 * 0.082 * ppd;
    struct filter f = {.radius = (int)ceil(3 * s)};
    double positive = 0, negative = 0;
    for (int i = -f.radius; i <= f.radius; i++) {
        const double g = exp(-i * i / (2 * s * s));
        const double v = derivative == 0 ? g : derivative == 1 ? -i * g : (i * i / (s * s) - 1) * g;
        f.tap[i + f.radius] = v;
        *(v > 0 ? &positive : &negative) += fabs(v);
    }
    divide(&f, positive, negative);
    if (ORACLE_SABOTAGE && derivative == 1)
        f.tap[0] += 0.001;
    return f;
}

static size_t clamp(ptrdiff_t i, size_t n)
{
    return i < 0 ? 0 : i >= (ptrdiff_t)n ? n - 1 : (size_t)i;
}

static struct oracle_image along(const struct oracle_image *from, const struct filter *f, bool rows)
{
    struct oracle_image to;
    oracle_image_new(&to, from->width, from->height);
    for (size_t y = 0; y < to.height; y++)
        for (size_t x = 0; x < to.width; x++) {
            double sum = 0;
            for (int i = -f->radius; i <= f->radius; i++) {
                const size_t cx = rows ? clamp((ptrdiff_t)x + i, to.width) : x;
                const size_t cy = rows ? y : clamp((ptrdiff_t)y + i, to.height);
                sum += f->tap[i + f->radius] * from->value[cy * to.width + cx];
            }
            to.value[y * to.width + x] = sum;
        }
    return to;
}

static struct oracle_image filtered(const struct oracle_image *from, const struct filter *x, const struct filter *y)
{
    struct oracle_image first = along(from, x, true), both = along(&first, y, false);
    oracle_image_free(&first);
    return both;
}

static void to_xyz(const double rgb[3], double xyz[3])
{
    const double r = rgb[0], g = rgb[1], b = rgb[2];
    xyz[0] = (10135552 * r + 8788810 * g + 4435075 * b) / 24577794 * 1.052156925;
    xyz[1] = (2613072 * r + 8788810 * g + 887015 * b) / 12288897;
    xyz[2] = (1425312 * r + 8788810 * g + 70074185 * b) / 73733382 * 0.918357670;
}

static double lab(double t)
{
    const double d = 6.0 / 29;
    return t > d * d * d ? cbrt(t) : t / (3 * d * d) + 4.0 / 29;
}

/* Hunt-adjusted L*a*b* of linear light. */
static void hunt(const double rgb[3], double out[3])
{
    double xyz[3];
    to_xyz(rgb, xyz);
    out[0] = 116 * lab(xyz[1]) - 16;
    out[1] = 0.01 * out[0] * 500 * (lab(xyz[0]) - lab(xyz[1]));
    out[2] = 0.01 * out[0] * 200 * (lab(xyz[1]) - lab(xyz[2]));
}

static double power_of_distance(const double a[3], const double b[3])
{
    return pow(fabs(a[0] - b[0]) + sqrt((a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2])), 0.7);
}

/* What is seen of a side: Hunt-adjusted L*a*b*, edges, points. */
struct seen {
    struct oracle_image layer[5];
};

static void unfiltered(const struct oracle_image light[3], struct oracle_image opponent[3])
{
    for (int k = 0; k < 3; k++)
        oracle_image_new(&opponent[k], light[0].width, light[0].height);
    for (size_t i = 0; i < light[0].width * light[0].height; i++) {
        double rgb[3], xyz[3];
        for (int k = 0; k < 3; k++)
            rgb[k] = fmin(fmax(light[k].value[i], 0), 1);
        to_xyz(rgb, xyz);
        opponent[0].value[i] = 116 * xyz[1] - 16;
        opponent[1].value[i] = 500 * (xyz[0] - xyz[1]);
        opponent[2].value[i] = 200 * (xyz[1] - xyz[2]);
    }
}

static void colours(struct oracle_image opponent[3], double ppd, struct seen *s)
{
    const size_t n = opponent[0].width * opponent[0].height;
    struct filter y = gaussian(ppd, 1, 0.0047), cx = gaussian(ppd, 1, 0.0053);
    struct filter cz[2] = {gaussian(ppd, sqrt(34.1 * sqrt(pi / 0.04)), 0.04),
                           gaussian(ppd, sqrt(13.5 * sqrt(pi / 0.025)), 0.025)};
    const double norm = sqrt(sum_of(&cz[0]) * sum_of(&cz[0]) + sum_of(&cz[1]) * sum_of(&cz[1]));
    divide(&y, sum_of(&y), 1);
    divide(&cx, sum_of(&cx), 1);
    divide(&cz[0], norm, 1);
    divide(&cz[1], norm, 1);
    struct oracle_image f[4] = {filtered(&opponent[0], &y, &y), filtered(&opponent[1], &cx, &cx),
                                filtered(&opponent[2], &cz[0], &cz[0]), filtered(&opponent[2], &cz[1], &cz[1])};
    for (size_t i = 0; i < n; i++) {
        static const double back[3][3] = {{3.241003275, -1.537398934, -0.498615861},
                                          {-0.969224334, 1.875930071, 0.041554224},
                                          {0.055639423, -0.204011202, 1.057148933}};
        const double ny = (f[0].value[i] + 16) / 116, nx = ny + f[1].value[i] / 500,
                     nz = ny - (f[2].value[i] + f[3].value[i]) / 200;
        const double xyz[3] = {nx * 0.950428545, ny, nz * 1.088900371};
        double rgb[3], out[3];
        for (int k = 0; k < 3; k++)
            rgb[k] = fmin(fmax(back[k][0] * xyz[0] + back[k][1] * xyz[1] + back[k][2] * xyz[2], 0), 1);
        hunt(rgb, out);
        for (int k = 0; k < 3; k++)
            s->layer[k].value[i] = out[k];
    }
    for (int k = 0; k < 4; k++)
        oracle_image_free(&f[k]);
}

/* The lengths of edges (derivative 1) or points (2) of a plane of luminance. */
static void features(const struct oracle_image *y, double ppd, int derivative, struct oracle_image *to)
{
    const struct filter g = feature(ppd, 0), d = feature(ppd, derivative);
    struct oracle_image across = filtered(y, &d, &g), down = filtered(y, &g, &d);
    for (size_t i = 0; i < y->width * y->height; i++)
        to->value[i] = hypot(across.value[i], down.value[i]);
    oracle_image_free(&across);
    oracle_image_free(&down);
}

static struct seen see(const struct oracle_image light[3], double ppd)
{
    struct seen s;
    struct oracle_image opponent[3];
    unfiltered(light, opponent);
    for (int k = 0; k < 5; k++)
        oracle_image_new(&s.layer[k], light[0].width, light[0].height);
    colours(opponent, ppd, &s);
    for (size_t i = 0; i < light[0].width * light[0].height; i++)
        opponent[0].value[i] = (opponent[0].value[i] + 16) / 116;
    features(&opponent[0], ppd, 1, &s.layer[3]);
    features(&opponent[0], ppd, 2, &s.layer[4]);
    for (int k = 0; k < 3; k++)
        oracle_image_free(&opponent[k]);
    return s;
}

void oracle_flip(struct oracle_image *map, const struct oracle_image ref[3], const struct oracle_image dis[3],
                 double ppd)
{
    static const double green[3] = {0, 1, 0}, blue[3] = {0, 0, 1};
    double of_green[3], of_blue[3];
    hunt(green, of_green);
    hunt(blue, of_blue);
    const double most = power_of_distance(of_green, of_blue), knee = 0.4 * most;
    struct seen a = see(ref, ppd), b = see(dis, ppd);
    oracle_image_new(map, ref[0].width, ref[0].height);
    for (size_t i = 0; i < map->width * map->height; i++) {
        double one[5], two[5];
        for (int k = 0; k < 5; k++) {
            one[k] = a.layer[k].value[i];
            two[k] = b.layer[k].value[i];
        }
        const double d = power_of_distance(one, two);
        const double c = d < knee ? 0.95 * d / knee : 0.95 + 0.05 * (d - knee) / (most - knee);
        const double f = sqrt(fmax(fabs(one[3] - two[3]), fabs(one[4] - two[4])) / sqrt(2));
        map->value[i] = c > 0 ? pow(c, 1 - f) : 0;
    }
    for (int k = 0; k < 5; k++) {
        oracle_image_free(&a.layer[k]);
        oracle_image_free(&b.layer[k]);
    }
}

static bool is(const char *tone, const char *name)
{
    return !strcmp(tone, name);
}

static double curve(const char *tone, double v)
{
    if (is(tone, "hable"))
        return (0.231683 * v * v + 0.013791 * v) / (0.18 * v * v + 0.3 * v + 0.018);
    const double w = 0.6 * v;
    return w * (2.51 * w + 0.03) / (w * (2.43 * w + 0.59) + 0.14);
}

static double luminance(const double v[3])
{
    return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
}

static struct oracle_image *expose(const struct oracle_image light[3], const char *tone, double gain)
{
    struct oracle_image *out = oracle_alloc(3, sizeof *out);
    for (int k = 0; k < 3; k++)
        oracle_image_new(&out[k], light[0].width, light[0].height);
    for (size_t i = 0; i < light[0].width * light[0].height; i++) {
        double v[3];
        for (int k = 0; k < 3; k++)
            v[k] = fmax(light[k].value[i], 0) * gain;
        for (int k = 0; k < 3; k++)
            out[k].value[i] = is(tone, "reinhard") ? v[k] / (1 + luminance(v)) : curve(tone, v[k]);
    }
    return out;
}

static void release(struct oracle_image *light)
{
    for (int k = 0; k < 3; k++)
        oracle_image_free(&light[k]);
    free(light);
}

void oracle_flip_bright(struct oracle_image *map, struct oracle_image *exposure, const struct oracle_image ref[3],
                        const struct oracle_image dis[3], double ppd, const char *tone, double start, double stop,
                        int count)
{
    oracle_image_new(map, ref[0].width, ref[0].height);
    oracle_image_new(exposure, ref[0].width, ref[0].height);
    for (int i = 0; i < count; i++) {
        const double gain = exp2(start + i * (stop - start) / (count - 1));
        struct oracle_image *a = expose(ref, tone, gain), *b = expose(dis, tone, gain), one;
        oracle_flip(&one, a, b, ppd);
        for (size_t p = 0; p < map->width * map->height; p++)
            if (!i || one.value[p] > map->value[p]) {
                map->value[p] = one.value[p];
                exposure->value[p] = one.value[p] > 0 ? (double)i / (count - 1) : 0;
            }
        oracle_image_free(&one);
        release(a);
        release(b);
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void oracle_flip_range(const struct oracle_image light[3], const char *tone, double *start, double *stop)
{
    const size_t n = light[0].width * light[0].height;
    const double at = is(tone, "aces") ? 2.1188723239873153 : is(tone, "hable") ? 3.127749277955621 : 17.0 / 3;
    double *sorted = oracle_alloc(n, sizeof *sorted);
    for (size_t i = 0; i < n; i++) {
        double v[3];
        for (int k = 0; k < 3; k++)
            v[k] = fmax(light[k].value[i], 0);
        sorted[i] = luminance(v);
    }
    qsort(sorted, n, sizeof *sorted, ascending);
    *start = log2(at / sorted[n - 1]);
    *stop = log2(at / sorted[n / 2]);
    free(sorted);
}
