/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle.h"

enum { REACH = 4 };

/* Gaussian of sigma 1.5 in 256ths. */
static const int64_t tap[2 * REACH + 1] = { 2, 9, 28, 55, 68 + ORACLE_SABOTAGE, 55, 28, 9, 2 };

struct moments {
    int64_t w, x, y, xx, xy, yy; /* at most 2^16 * 2^32 */
};

/* Taps outside the picture are left out, and out of the weight. */
static struct moments window(const struct oracle_picture *ref, const struct oracle_picture *dis, int64_t cx, int64_t cy)
{
    const int64_t width = ref->width[0], height = ref->height[0];
    struct moments m = { 0 };
    for (int64_t dy = -REACH; dy <= REACH; dy++) {
        for (int64_t dx = -REACH; dx <= REACH; dx++) {
            const int64_t x = cx + dx, y = cy + dy;
            if (x < 0 || x >= width || y < 0 || y >= height)
                continue;
            const int64_t k = tap[dy + REACH] * tap[dx + REACH];
            const int64_t r = ref->sample[0][y * width + x], d = dis->sample[0][y * width + x];
            m.w += k;
            m.x += k * r;
            m.y += k * d;
            m.xx += k * r * r;
            m.xy += k * r * d;
            m.yy += k * d * d;
        }
    }
    return m;
}

double oracle_ssim(const struct oracle_picture *ref, const struct oracle_picture *dis)
{
    const double peak = (double)((1u << ref->depth) - 1);
    const double k1 = peak * peak * (0.01 * 0.01), k2 = peak * peak * (0.03 * 0.03);
    long double sum = 0;
    uint64_t weights = 0;
    for (int64_t y = 0; y < ref->height[0]; y++) {
        for (int64_t x = 0; x < ref->width[0]; x++) {
            const struct moments m = window(ref, dis, x, y);
            /* The terms that cancel are formed as integers; they reach 2^65. */
            const __int128 mean_product = (__int128)m.x * m.y, mean_squares = (__int128)m.x * m.x + (__int128)m.y * m.y;
            const double covariance = (double)((__int128)m.xy * m.w - mean_product);
            const double variances = (double)((__int128)(m.xx + m.yy) * m.w - mean_squares);
            const double w = (double)m.w, c1 = k1 * w * w, c2 = k2 * w * w;
            sum += w * (2 * (double)mean_product + c1) * (c2 + 2 * covariance)
                / (((double)mean_squares + c1) * (variances + c2));
            weights += (uint64_t)m.w;
        }
    }
    return (double)(sum / (long double)weights);
}
