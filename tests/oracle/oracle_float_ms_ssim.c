/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>

#include "oracle.h"

enum { REACH = 4, SMALLEST = 176 };

static const float tap[2 * REACH + 1] = {0.026727f, -0.016828f, -0.078201f, 0.266846f, 0.602914f,
                                         0.266846f, -0.078201f, -0.016828f, 0.026727f};
static const float luminance_weight[ORACLE_MS_SCALES] = { 0, 0, 0, 0, 0.1333f };
static const float weight[ORACLE_MS_SCALES] = { 0.0448f, 0.2856f, 0.3001f, 0.2363f, 0.1333f };

/* Every second sample of the low-passed image, borders mirrored; sides round up. Rows first, then columns. */
static struct oracle_image halve(const struct oracle_image *in)
{
    struct oracle_image rows, out;
    oracle_image_new(&rows, (in->width + 1) / 2, in->height);
    for (size_t y = 0; y < rows.height; y++) {
        for (size_t x = 0; x < rows.width; x++) {
            double sum = 0;
            for (ptrdiff_t k = -REACH; k <= REACH; k++)
                sum += (double)tap[k + REACH] *
                       in->value[y * in->width + oracle_symmetric((ptrdiff_t)(2 * x) + k, in->width)];
            rows.value[y * rows.width + x] = sum;
        }
    }
    oracle_image_new(&out, rows.width, (in->height + 1) / 2);
    for (size_t y = 0; y < out.height; y++) {
        for (size_t x = 0; x < out.width; x++) {
            double sum = 0;
            for (ptrdiff_t k = -REACH; k <= REACH; k++)
                sum += (double)tap[k + REACH] *
                       rows.value[oracle_symmetric((ptrdiff_t)(2 * y) + k, in->height) * rows.width + x];
            out.value[y * out.width + x] = sum;
        }
    }
    oracle_image_free(&rows);
    return out;
}

static void step_down(struct oracle_image *image)
{
    struct oracle_image half = halve(image);
    oracle_image_free(image);
    *image = half;
}

/* A mean under 0 has no fractional power and enters as 0. */
static double factor(double mean, float exponent)
{
    return pow(fmax(mean, 0), (double)exponent);
}

bool oracle_float_ms_ssim(const struct oracle_picture *ref, const struct oracle_picture *dis,
                          struct oracle_ms_ssim *out)
{
    if (ref->width[0] < SMALLEST || ref->height[0] < SMALLEST)
        return false;
    struct oracle_image r, d;
    oracle_luma(&r, ref);
    oracle_luma(&d, dis);
    out->score = 1;
    for (int k = 0; k < ORACLE_MS_SCALES; k++) {
        if (k > 0) {
            step_down(&r);
            step_down(&d);
        }
        const struct oracle_lcs m = out->scale[k] = oracle_ssim_map(&r, &d);
        out->score *= factor(m.l, luminance_weight[k]) * factor(m.c, weight[k]) * factor(m.s, weight[k]);
    }
    oracle_image_free(&r);
    oracle_image_free(&d);
    return true;
}
