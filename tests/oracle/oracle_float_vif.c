/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * float_vif, scale by scale over whole planes. Means, variances and covariances under a window are part of the
 * definition in float: they cancel, and a variance below the noise is a hard switch. Everything behind them is in
 * double, with the mathematical logarithm. `float_windows` false has them in double, too: how far the definition itself
 * is from that.
 */
#include <math.h>

#include "oracle.h"

/* Gaussians of n taps with a standard deviation of n / 5 as floats, up to the middle. */
static const float window[ORACLE_VIF_SCALES][9] = {
    { 0.00745626912f + ORACLE_SABOTAGE * 1e-4f, 0.0142655009f, 0.0250313189f, 0.0402820669f, 0.059452612f,
      0.0804750994f, 0.0999041051f, 0.113746069f, 0.118773833f },
    { 0.0189780816f, 0.0558981709f, 0.120920911f, 0.192116067f, 0.224173561f },
    { 0.0544886813f, 0.244201332f, 0.402619928f },
    { 0.166378513f, 0.667242944f },
};

static size_t mirrored(ptrdiff_t i, size_t n)
{
    if (i < 0)
        i = -i;
    return (size_t)(i < (ptrdiff_t)n ? i : 2 * ((ptrdiff_t)n - 1) - i);
}

static double weighed(double sum, int taps, int k, int scale, double v, bool in_float)
{
    const float tap = window[scale][k <= taps / 2 ? k : taps - 1 - k];
    return in_float ? (double)((float)sum + tap * (float)v) : sum + (double)tap * v;
}

/* Columns first, then rows; the sizes stay. */
static void filtered(const struct oracle_image *in, int taps, int scale, bool in_float, struct oracle_image *out)
{
    struct oracle_image columns;
    oracle_image_new(&columns, in->width, in->height);
    oracle_image_new(out, in->width, in->height);
    for (int along_rows = 0; along_rows < 2; along_rows++) {
        const struct oracle_image *from = along_rows ? &columns : in;
        struct oracle_image *to = along_rows ? out : &columns;
        for (size_t y = 0; y < in->height; y++)
            for (size_t x = 0; x < in->width; x++) {
                double sum = 0;
                for (int k = 0; k < taps; k++) {
                    const ptrdiff_t step = k - taps / 2;
                    const size_t at = along_rows ? y * in->width + mirrored((ptrdiff_t)x + step, in->width)
                                                 : mirrored((ptrdiff_t)y + step, in->height) * in->width + x;
                    sum = weighed(sum, taps, k, scale, from->value[at], in_float);
                }
                to->value[y * in->width + x] = sum;
            }
    }
    oracle_image_free(&columns);
}

static void product(const struct oracle_image *a, const struct oracle_image *b, int taps, int scale, bool in_float,
                    struct oracle_image *out)
{
    struct oracle_image both;
    oracle_image_new(&both, a->width, a->height);
    for (size_t i = 0; i < a->width * a->height; i++)
        both.value[i] = in_float ? (double)((float)a->value[i] * (float)b->value[i]) : a->value[i] * b->value[i];
    filtered(&both, taps, scale, in_float, out);
    oracle_image_free(&both);
}

/* Every second column and row of the filtered image. */
static void halve(struct oracle_image *image, int taps, int scale, bool in_float)
{
    struct oracle_image all, half;
    filtered(image, taps, scale, in_float, &all);
    oracle_image_new(&half, image->width / 2, image->height / 2);
    for (size_t y = 0; y < half.height; y++)
        for (size_t x = 0; x < half.width; x++)
            half.value[y * half.width + x] = all.value[2 * y * all.width + 2 * x];
    oracle_image_free(&all);
    oracle_image_free(image);
    *image = half;
}

/* A moment of second order less the product of means. */
static double central(double second, double a, double b, bool in_float)
{
    return in_float ? (double)((float)second - (float)a * (float)b) : second - a * b;
}

struct sums {
    double num, den;
};

static void add_item(struct sums *s, double var1, double var2, double cov, const struct oracle_vif_options *o)
{
    const double least = (double)1e-10f;
    var1 = fmax(var1, 0);
    var2 = fmax(var2, 0);
    if (var1 < o->noise) {
        s->num += 1 - var2 * (o->noise * o->noise / (255.0 * 255.0));
        s->den += 1;
        return;
    }
    double gain = cov / (var1 + least), rest = var2 - gain * cov;
    if (var2 < least) {
        gain = 0;
        rest = 0;
    }
    if (gain < 0) {
        gain = 0;
        rest = var2;
    }
    gain = fmin(gain, o->gain);
    if (cov >= 0)
        s->num += log2(1 + gain * gain * var1 / (fmax(rest, least) + o->noise));
    s->den += log2(1 + var1 / o->noise);
}

static struct sums score_scale(const struct oracle_image *ref, const struct oracle_image *dis, int taps, int scale,
                               const struct oracle_vif_options *o)
{
    struct oracle_image mean1, mean2, square1, square2, both;
    const bool in_float = o->float_windows;
    filtered(ref, taps, scale, in_float, &mean1);
    filtered(dis, taps, scale, in_float, &mean2);
    product(ref, ref, taps, scale, in_float, &square1);
    product(dis, dis, taps, scale, in_float, &square2);
    product(ref, dis, taps, scale, in_float, &both);
    struct sums s = { 0, 0 };
    for (size_t i = 0; i < ref->width * ref->height; i++) {
        const double m1 = mean1.value[i], m2 = mean2.value[i];
        add_item(&s, central(square1.value[i], m1, m1, in_float), central(square2.value[i], m2, m2, in_float),
                 central(both.value[i], m1, m2, in_float), o);
    }
    oracle_image_free(&mean1);
    oracle_image_free(&mean2);
    oracle_image_free(&square1);
    oracle_image_free(&square2);
    oracle_image_free(&both);
    return s;
}

static void centred(struct oracle_image *image, const struct oracle_picture *picture)
{
    oracle_luma(image, picture);
    for (size_t i = 0; i < image->width * image->height; i++)
        image->value[i] -= 128;
}

bool oracle_float_vif(const struct oracle_picture *ref, const struct oracle_picture *dis,
                      const struct oracle_vif_options *options, struct oracle_vif *out)
{
    static const int whole[ORACLE_VIF_SCALES] = { 17, 9, 5, 3 }, half[ORACLE_VIF_SCALES] = { 9, 5, 3, 3 };
    if (ref->width[0] < 16 || ref->height[0] < 16)
        return false;
    struct oracle_image r, d;
    centred(&r, ref);
    centred(&d, dis);
    double num = 0, den = 0;
    for (int k = 0; k < ORACLE_VIF_SCALES; k++) {
        const int taps = (options->half_kernel ? half : whole)[k];
        const int which = taps == 17 ? 0 : taps == 9 ? 1 : taps == 5 ? 2 : 3;
        if (k) {
            halve(&r, taps, which, options->float_windows);
            halve(&d, taps, which, options->float_windows);
        }
        const struct sums s = score_scale(&r, &d, taps, which, options);
        num += s.num;
        den += s.den;
        out->scale[k] = s.num / s.den;
    }
    out->vif = num / den;
    oracle_image_free(&r);
    oracle_image_free(&d);
    return true;
}
