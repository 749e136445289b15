/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>

#include "oracle.h"

enum { TAPS = 11 };

/* The window's floats. They sum to 1.000002, so the variance of a flat area is slightly negative before it is clamped;
 * that is part of the definition. */
static const float tap[TAPS] = { 0.001028f, 0.007599f, 0.036001f, 0.109361f, 0.213006f,
    0.266012f + ORACLE_SABOTAGE * 1e-6f, 0.213006f, 0.109361f, 0.036001f, 0.007599f, 0.001028f };

/* Window sums of a * b (of a alone when b is NULL) where the window lies inside: rows first, then columns. */
static struct oracle_image blur(const struct oracle_image *a, const struct oracle_image *b)
{
    const size_t width = a->width - (TAPS - 1), height = a->height - (TAPS - 1);
    struct oracle_image rows, out;
    oracle_image_new(&rows, width, a->height);
    for (size_t y = 0; y < a->height; y++) {
        for (size_t x = 0; x < width; x++) {
            double sum = 0;
            for (size_t k = 0; k < TAPS; k++) {
                const size_t i = y * a->width + x + k;
                sum += (double)tap[k] * a->value[i] * (b ? b->value[i] : 1);
            }
            rows.value[y * width + x] = sum;
        }
    }
    oracle_image_new(&out, width, height);
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++) {
            double sum = 0;
            for (size_t k = 0; k < TAPS; k++)
                sum += (double)tap[k] * rows.value[(y + k) * width + x];
            out.value[y * width + x] = sum;
        }
    }
    oracle_image_free(&rows);
    return out;
}

/* One position: means, second moments and the product moment in, the three factors out. */
static struct oracle_lcs factors(double mr, double md, double rr, double dd, double rd)
{
    const double c1 = (double)(0.01f * 255 * (0.01f * 255)), c2 = (double)(0.03f * 255 * (0.03f * 255)), c3 = c2 / 2;
    const double var_r = fmax(0, rr - mr * mr), var_d = fmax(0, dd - md * md);
    const double g = sqrt(var_r * var_d);
    double cov = rd - mr * md;
    if (cov < 0 && g <= 0)
        cov = 0; /* a flat area is like another flat area */
    struct oracle_lcs out;
    out.l = (2 * mr * md + c1) / (mr * mr + md * md + c1);
    out.c = (2 * g + c2) / (var_r + var_d + c2);
    out.s = (cov + c3) / (g + c3);
    out.ssim = out.l * out.c * out.s;
    return out;
}

struct oracle_lcs oracle_ssim_map(const struct oracle_image *ref, const struct oracle_image *dis)
{
    struct oracle_image mr = blur(ref, NULL), md = blur(dis, NULL);
    struct oracle_image rr = blur(ref, ref), dd = blur(dis, dis), rd = blur(ref, dis);
    const size_t n = mr.width * mr.height;
    long double ssim = 0, l = 0, c = 0, s = 0;
    for (size_t i = 0; i < n; i++) {
        const struct oracle_lcs f = factors(mr.value[i], md.value[i], rr.value[i], dd.value[i], rd.value[i]);
        ssim += f.ssim;
        l += f.l;
        c += f.c;
        s += f.s;
    }
    oracle_image_free(&mr);
    oracle_image_free(&md);
    oracle_image_free(&rr);
    oracle_image_free(&dd);
    oracle_image_free(&rd);
    return (struct oracle_lcs){
        .ssim = (double)(ssim / n), .l = (double)(l / n), .c = (double)(c / n), .s = (double)(s / n)};
}

/*
 * Means of boxes of scale x scale, borders mirrored. An odd side gives one more sample than side / scale, whatever the
 * scale; that sample's box may lie partly or wholly in the mirror image.
 */
static struct oracle_image shrink(const struct oracle_image *in, uint32_t scale)
{
    const ptrdiff_t first = -(ptrdiff_t)(scale / 2);
    const double weight = (double)(1.0f / (float)(scale * scale));
    struct oracle_image out;
    oracle_image_new(&out, in->width / scale + (in->width & 1), in->height / scale + (in->height & 1));
    for (size_t y = 0; y < out.height; y++) {
        for (size_t x = 0; x < out.width; x++) {
            double sum = 0;
            for (ptrdiff_t v = first; v < first + (ptrdiff_t)scale; v++) {
                for (ptrdiff_t u = first; u < first + (ptrdiff_t)scale; u++) {
                    const size_t sy = oracle_symmetric((ptrdiff_t)(y * scale) + v, in->height);
                    const size_t sx = oracle_symmetric((ptrdiff_t)(x * scale) + u, in->width);
                    sum += in->value[sy * in->width + sx];
                }
            }
            out.value[y * out.width + x] = sum * weight;
        }
    }
    return out;
}

bool oracle_float_ssim(const struct oracle_picture *ref, const struct oracle_picture *dis, uint32_t scale,
                       struct oracle_lcs *out)
{
    struct oracle_image r, d;
    oracle_luma(&r, ref);
    oracle_luma(&d, dis);
    if (scale == 0) {
        const size_t side = r.width < r.height ? r.width : r.height;
        scale = side < 128 ? 1
                           : (uint32_t)((side + 128) / 256); /* the nearest to side / 256, half upwards, at least 1 */
    }
    if (scale > 1) {
        struct oracle_image sr = shrink(&r, scale), sd = shrink(&d, scale);
        oracle_image_free(&r);
        oracle_image_free(&d);
        r = sr;
        d = sd;
    }
    const bool fits = r.width >= TAPS && r.height >= TAPS;
    if (fits)
        *out = oracle_ssim_map(&r, &d);
    oracle_image_free(&r);
    oracle_image_free(&d);
    return fits;
}
