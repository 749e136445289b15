/* SPDX-License-Identifier: BSD-2-Clause */
/* float_motion in double: the mean size of the difference of two blurred pictures, and of those at half their size. */
#include <math.h>

#include "oracle.h"

static const float window[5] = { 0.054488685f, 0.244201342f, 0.402619947f + ORACLE_SABOTAGE * 1e-4f, 0.244201342f,
                                 0.054488685f };

static size_t mirrored(ptrdiff_t i, size_t n)
{
    if (i < 0)
        i = -i;
    return (size_t)(i < (ptrdiff_t)n ? i : 2 * ((ptrdiff_t)n - 1) - i);
}

static void blurred(const struct oracle_picture *p, struct oracle_image *out)
{
    struct oracle_image luma;
    oracle_luma(&luma, p);
    oracle_image_new(out, luma.width, luma.height);
    for (size_t y = 0; y < luma.height; y++)
        for (size_t x = 0; x < luma.width; x++) {
            double sum = 0;
            for (int i = 0; i < 5; i++)
                for (int k = 0; k < 5; k++) {
                    const size_t at = mirrored((ptrdiff_t)y + i - 2, luma.height) * luma.width +
                                      mirrored((ptrdiff_t)x + k - 2, luma.width);
                    sum += (double)window[i] * (double)window[k] * (luma.value[at] - 128);
                }
            out->value[y * luma.width + x] = sum;
        }
    oracle_image_free(&luma);
}

/* Interpolated at the middle of column x, row y of the half. */
static double halved(const struct oracle_image *whole, size_t half_w, size_t half_h, size_t x, size_t y)
{
    const double across = ((double)x + 0.5) * (double)whole->width / (double)half_w - 0.5;
    const double down = ((double)y + 0.5) * (double)whole->height / (double)half_h - 0.5;
    const size_t left = (size_t)across, top = (size_t)down;
    const double dx = across - (double)left, dy = down - (double)top;
    const double *v = whole->value + top * whole->width + left;
    const size_t right = dx > 0 ? 1 : 0, below = dy > 0 ? whole->width : 0;
    return (1 - dy) * ((1 - dx) * v[0] + dx * v[right]) + dy * ((1 - dx) * v[below] + dx * v[below + right]);
}

static double half_motion(const struct oracle_image *a, const struct oracle_image *b)
{
    const size_t w = (a->width + 1) / 2, h = (a->height + 1) / 2;
    double sum = 0;
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++)
            sum += fabs(halved(a, w, h, x, y) - halved(b, w, h, x, y));
    return sum / (double)(w * h);
}

double oracle_float_motion(const struct oracle_picture *earlier, const struct oracle_picture *later, bool add_half)
{
    struct oracle_image a, b;
    blurred(earlier, &a);
    blurred(later, &b);
    double sum = 0;
    for (size_t i = 0; i < a.width * a.height; i++)
        sum += fabs(a.value[i] - b.value[i]);
    sum /= (double)(a.width * a.height);
    if (add_half)
        sum += half_motion(&a, &b);
    oracle_image_free(&a);
    oracle_image_free(&b);
    return sum;
}
