/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/light.h"

#include <stdlib.h>
#include <string.h>

#include "host/bits.h"
#include "host/colour.h"

enum { COLOURS = 3, PLANES = 4 };

/* LIGHT_LEAST and LIGHT_MOST of kernels/constants.txt; test_light.c holds them equal. */
static const double least = 0x1p-60, most = 0x1p59;

static float sample_at(const struct light_planes *p, unsigned plane, uint32_t x, uint32_t y)
{
    float v;
    memcpy(&v, (const char *)p->plane[plane] + (ptrdiff_t)y * p->stride[plane] + sizeof v * x, sizeof v);
    return v;
}

struct light_wild light_find_wild(const struct light_planes *p)
{
    struct light_wild wild = {.samples = 0};
    for (unsigned i = 0; i < PLANES; i++)
        for (uint32_t y = 0; p->plane[i] && y < p->height; y++)
            for (uint32_t x = 0; x < p->width; x++) {
                const float v = sample_at(p, i, x, y), zero = v - v;
                if (zero >= 0.0f)
                    continue;
                if (!wild.samples++)
                    wild.plane = i, wild.x = x, wild.y = y;
            }
    return wild;
}

static double limit(double v)
{
    return v > least ? v < most ? v : most : 0.0;
}

/* Luminance of a pixel over black; not negative. */
static double luminance_at(const struct light_planes *p, const double matrix[9], uint32_t x, uint32_t y)
{
    const double kr = colour_luma[MATRIX_709][0], kb = colour_luma[MATRIX_709][1];
    const double luma[COLOURS] = {kr, 1.0 - kr - kb, kb};
    double v[COLOURS], sum = 0.0;
    for (unsigned i = 0; i < COLOURS; i++)
        v[i] = limit((double)sample_at(p, p->plane[1] ? i : 0, x, y));
    for (unsigned row = 0; row < COLOURS; row++)
        sum += luma[row] * limit(matrix[3 * row] * v[0] + matrix[3 * row + 1] * v[1] + matrix[3 * row + 2] * v[2]);
    const double alpha = p->plane[3] ? limit((double)sample_at(p, 3, x, y)) : 1.0;
    return sum * (alpha < 1.0 ? alpha : 1.0);
}

/* The element `number` of n sorted values that are not negative, digit by digit of their bits, which sort as the values
 * do. */
enum { DIGIT = 16, DIGITS = 4, BINS = 1 << DIGIT };
static double find_element(const double *value, uint64_t n, uint64_t number, uint64_t *bins)
{
    uint64_t found = 0;
    for (int digit = DIGITS - 1; digit >= 0; digit--) {
        const int shift = digit * DIGIT;
        memset(bins, 0, BINS * sizeof *bins);
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t bits = bits_of_double(value[i]);
            if (digit == DIGITS - 1 || bits >> (shift + DIGIT) == found)
                bins[bits >> shift & (BINS - 1)]++;
        }
        uint64_t bin = 0;
        for (; bins[bin] <= number; bin++)
            number -= bins[bin];
        found = found << DIGIT | bin;
    }
    return double_of_bits(found);
}

int light_measure(const struct light_planes *p, const double matrix[9], struct light *light, struct assay_error *e)
{
    const uint64_t n = (uint64_t)p->width * p->height;
    uint64_t *bins = malloc(BINS * sizeof *bins);
    double *value = malloc(n * sizeof *value);
    *light = (struct light){.largest = 0.0};
    if (bins && value) {
        for (uint64_t i = 0; i < n; i++) {
            const uint32_t x = (uint32_t)(i % p->width), y = (uint32_t)(i / p->width);
            value[i] = luminance_at(p, matrix, x, y);
            light->largest = value[i] > light->largest ? value[i] : light->largest;
            for (unsigned k = 0; k < COLOURS; k++)
                light->negative += p->plane[k] && sample_at(p, k, x, y) < 0.0f;
        }
        light->median = find_element(value, n, n / 2, bins);
    }
    const int rc = bins && value ? ASSAY_OK : assay_fail_memory(e, "the light of a picture");
    free(bins);
    free(value);
    return rc;
}
