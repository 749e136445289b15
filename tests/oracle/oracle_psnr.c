/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>

#include "oracle.h"

static double peak_of(uint32_t depth, bool reduced)
{
    return (double)(reduced ? 255u << (depth - 8) : (1u << depth) - 1);
}

/* Sum of squared differences: below 2^32 per sample and 2^32 samples, so it fits 64 bits. */
static uint64_t squared_error(const struct oracle_picture *ref, const struct oracle_picture *dis, uint32_t plane)
{
    uint64_t sse = 0;
    for (size_t i = 0; i < (size_t)ref->width[plane] * ref->height[plane]; i++) {
        const int64_t d = (int64_t)ref->sample[plane][i] - dis->sample[plane][i];
        sse += (uint64_t)(d * d);
    }
    return sse;
}

struct oracle_psnr oracle_psnr(const struct oracle_picture *ref, const struct oracle_picture *dis, uint32_t plane,
    const struct oracle_psnr_options *options)
{
    const double peak = peak_of(ref->depth, options->reduced_peak);
    const double samples = (double)ref->width[plane] * ref->height[plane];
    double largest = 6.0 * ref->depth + 12;
    if (options->min_sse > 0)
        largest = ceil(10 * log10(peak * peak / (options->min_sse / samples)));

    struct oracle_psnr out = { .sse = squared_error(ref, dis, plane) };
    out.mse = (double)out.sse / samples;
    out.psnr = fmin(10 * log10(peak * peak / fmax(out.mse, 1e-16)), largest);
    return out;
}

double oracle_apsnr(uint32_t depth, bool reduced_peak, unsigned __int128 sse, uint64_t samples)
{
    const double peak = peak_of(depth, reduced_peak);
    const double n = (double)samples;
    const double largest = ceil(10 * log10(peak * peak * n * 2));
    if (sse == 0)
        return largest;
    return fmin(10 * (log10(peak * peak) + log10(n) - log10((double)sse)), largest);
}

double oracle_float_psnr(const struct oracle_picture *ref, const struct oracle_picture *dis)
{
    const double unit = (double)(1u << (ref->depth - 8));
    const double samples = (double)ref->width[0] * ref->height[0];
    const double noise = (double)squared_error(ref, dis, 0) / (unit * unit) / samples;
    const double peak = peak_of(ref->depth, false) / unit;
    return fmin(10 * log10(peak * peak / fmax(noise, 1e-10)), 6.0 * ref->depth + 12);
}
