/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu/texel_oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/exact_math.h"
#include "host/int128.h"

/* ---- texels ------------------------------------------------------------------------------------------------------ */

uint32_t texels_field(const struct host_image *image, uint32_t x, uint32_t y, unsigned c)
{
    const struct texel_format *f = image->format;
    const unsigned char *texel = image->texels + ((size_t)y * image->width + x) * texel_bytes(f);
    uint64_t word = 0;
    const unsigned element = f->kind == TEXEL_FLOAT ? c : f->elements == 2 ? c / 2 : 0;
    memcpy(&word, texel + element * sample_size(f->element), sample_size(f->element));
    return (uint32_t)(word >> f->shift[c] & ((1ull << f->bits[c]) - 1));
}

void texels_set_field(struct host_image *image, uint32_t x, uint32_t y, unsigned c, uint32_t value)
{
    const struct texel_format *f = image->format;
    unsigned char *texel = image->texels + ((size_t)y * image->width + x) * texel_bytes(f);
    uint64_t word = 0;
    const unsigned element = f->kind == TEXEL_FLOAT ? c : f->elements == 2 ? c / 2 : 0;
    memcpy(&word, texel + element * sample_size(f->element), sample_size(f->element));
    const uint64_t mask = ((1ull << f->bits[c]) - 1) << f->shift[c];
    word = (word & ~mask) | ((uint64_t)value << f->shift[c] & mask);
    memcpy(texel + element * sample_size(f->element), &word, sample_size(f->element));
}

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    uint32_t v = *state;
    v = (v ^ v >> 16) * 0x7feb352du;
    v = (v ^ v >> 15) * 0x846ca68bu;
    return v ^ v >> 16;
}

/* A float of a size from 2^-42 to 2^20. */
static uint32_t some_float(uint32_t random)
{
    return (random & 0x80000000u) | (127 - 42 + (random >> 8) % 62) << 23 | (random & 0x7fffff);
}

static void make_channel(struct host_image image[2], uint32_t x, uint32_t y, unsigned c, enum texel_pattern pattern,
                         uint32_t *state)
{
    const struct texel_format *f = image[0].format;
    const uint32_t full = f->bits[c] < 32 ? (1u << f->bits[c]) - 1 : UINT32_MAX, r = next(state), d = next(state);
    uint32_t a = r & full, b = d & full;
    const bool real = f->kind == TEXEL_FLOAT;
    if (pattern == TEXELS_NEAR) {
        a = real ? (r & 0x80000000u) | 0x3f000000u | (r & 0x7fffff) : texel_is_codes(f) ? a : a & ~(full ^ full >> 2);
        b = d % 7 ? a : a ^ 1;
    } else if (pattern == TEXELS_EQUAL) {
        b = a;
    } else if (pattern == TEXELS_FAR) {
        a = real ? some_float(r) : r & 1 ? full : 0;
        b = real ? (d % 5 ? some_float(d) : a + 1) : full - a;
    }
    texels_set_field(&image[0], x, y, c, a);
    texels_set_field(&image[1], x, y, c, b);
}

void texels_make(struct host_image image[2], const struct texel_format *reference, const struct texel_format *distorted,
                 uint32_t width, uint32_t height, enum texel_pattern pattern, uint32_t seed)
{
    uint32_t state = seed;
    for (unsigned side = 0; side < 2; side++) {
        image[side] = (struct host_image){.format = side ? distorted : reference, .width = width, .height = height};
        image[side].texels = calloc((size_t)width * height, texel_bytes(image[side].format));
        if (!image[side].texels) {
            fprintf(stderr, "out of memory\n");
            exit(99);
        }
    }
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (unsigned c = 0; c < 4; c++)
                if (reference->bits[c])
                    make_channel(image, x, y, c, pattern, &state);
}

void texels_make_parts(struct host_image image[2], uint32_t seed)
{
    const struct texel_format *f = image[0].format;
    uint32_t state = seed;
    for (uint32_t y = 0; y < image[0].height; y++)
        for (uint32_t x = 0; x < image[0].width; x++)
            for (unsigned c = 0; c < 4; c++) {
                /* 1.0: the exponent's middle, under 16, 11 or 10 bits of a half, or 32 of a float. */
                const uint32_t one = f->bits[c] == 32   ? 0x3f800000u
                                     : f->bits[c] == 16 ? 0x3c00u
                                                        : 15u << (f->bits[c] - 5);
                const uint32_t sign = f->bits[c] == 32 ? 0x80000000u : f->bits[c] == 16 ? 0x8000u : 0;
                const uint32_t r = next(&state), a = r % 97 == 0 ? sign : r % (one + 1), d = next(&state);
                if (!f->bits[c])
                    continue;
                texels_set_field(&image[0], x, y, c, a);
                texels_set_field(&image[1], x, y, c, d % 3 || a > one ? a : a ? a - 1 : a + d % 64);
            }
}

void texels_free(struct host_image image[2])
{
    free(image[0].texels);
    free(image[1].texels);
}

/* ---- the definition ---------------------------------------------------------------------------------------------- */

float texels_value(const struct texel_format *f, unsigned c, uint32_t field)
{
    float v;
    if (texel_is_codes(f))
        return (float)field;
    if (f->kind == TEXEL_FLOAT) {
        memcpy(&v, &field, sizeof v);
        return v;
    }
    const unsigned fraction = f->bits[c] == 16 ? 10 : f->bits[c] - 5u;
    const uint32_t m = field & ((1u << fraction) - 1), e = field >> fraction & 31;
    const float sign = f->bits[c] == 16 && field >> 15 ? -1.0f : 1.0f;
    if (e == 31)
        return m ? NAN : sign * INFINITY;
    return sign * (e ? ldexpf((float)(m + (1u << fraction)), (int)e - 15 - (int)fraction)
                     : ldexpf((float)m, -14 - (int)fraction));
}

struct channel_sums {
    assay_i128 squares;
    uint64_t values, left_out;
    float largest;
    uint32_t x, y;
};

/* Adds one pair of values; the bits set in `what`: 1 not finite, 2 outside, 4 differs. */
static unsigned add(struct channel_sums *s, const struct texel_format *f, float a, float b, uint32_t x, uint32_t y)
{
    const bool finite = isfinite(a) && isfinite(b);
    unsigned what = (finite ? 0 : 1) | (a != b && !(isnan(a) && isnan(b)) ? 4 : 0);
    const float size = finite ? fabsf(a - b) : 0;
    if (size > s->largest && size >= 0x1p-100f) {
        s->largest = size;
        s->x = x;
        s->y = y;
    }
    if (finite && f->kind == TEXEL_FLOAT && size >= 0x1p17f)
        what |= 2;
    if (what & 3) {
        s->left_out++;
        return what;
    }
    /* Exact in double: halves have 11 bits and at most 41 between the ends of two; floats were rounded above. */
    const double units = f->kind == TEXEL_HALF ? fabs((double)a - (double)b) * 0x1p24
                       : f->kind == TEXEL_FLOAT ? floor((double)size * 0x1p39) : (double)size;
    const assay_i128 integer = (assay_i128)units;
    s->squares += integer * integer;
    s->values++;
    return what;
}

static double mean_of(assay_i128 squares, uint64_t values, const struct texel_format *f)
{
    const double unit = f->kind == TEXEL_HALF ? 0x1p-48 : f->kind == TEXEL_FLOAT ? 0x1p-78 : 1;
    return values ? (double)squares * unit / (double)values : NAN;
}

static double psnr_of(double mse, double peak)
{
    return isnan(mse) ? NAN : mse > 0 ? 10.0 * assay_log10(peak * peak / mse) : INFINITY;
}

static void finish(const struct channel_sums sums[4], const struct texel_format *f, double peak,
                   assay_image_figures *out)
{
    assay_i128 squares = 0, all = 0;
    uint64_t values = 0, all_values = 0;
    for (unsigned c = 0; c < 4; c++) {
        assay_channel_figures *channel = &out->channel[c];
        const double top = texel_is_codes(f) ? (double)((1u << f->bits[c]) - 1) : peak;
        channel->mse = f->bits[c] ? mean_of(sums[c].squares, sums[c].values, f) : NAN;
        channel->psnr = psnr_of(channel->mse, top);
        if (!f->bits[c])
            continue;
        out->channels |= 1u << c;
        channel->max_difference = (double)sums[c].largest;
        channel->max_x = sums[c].x;
        channel->max_y = sums[c].y;
        channel->left_out = sums[c].left_out;
        all += sums[c].squares;
        all_values += sums[c].values;
        if (c == 3)
            continue;
        squares += sums[c].squares;
        values += sums[c].values;
        const bool first = sums[c].y < out->max_y || (sums[c].y == out->max_y && sums[c].x < out->max_x);
        if (channel->max_difference > out->max_difference || (channel->max_difference == out->max_difference &&
                                                              channel->max_difference > 0 && first)) {
            out->max_difference = channel->max_difference;
            out->max_x = sums[c].x;
            out->max_y = sums[c].y;
            out->max_channel = c;
        }
    }
    const double top = texel_is_codes(f) ? (double)((1u << f->bits[0]) - 1) : peak;
    out->mse = mean_of(squares, values, f);
    out->psnr = psnr_of(out->mse, top);
    out->mse_all = texel_is_codes(f) && f->bits[3] && f->bits[3] != f->bits[0] ? NAN : mean_of(all, all_values, f);
    out->psnr_all = psnr_of(out->mse_all, top);
}

void texels_expect(const struct host_image image[2], const uint32_t x[2], const uint32_t y[2], uint32_t w, uint32_t h,
                   double peak, assay_image_figures *out)
{
    const struct texel_format *f = image[0].format;
    struct channel_sums sums[4] = {{0}};
    memset(out, 0, sizeof *out);
    for (uint32_t j = 0; j < h; j++)
        for (uint32_t i = 0; i < w; i++) {
            unsigned any = 0, colour = 0, alpha = 0;
            for (unsigned c = 0; c < 4; c++) {
                if (!f->bits[c])
                    continue;
                const float a = texels_value(f, c, texels_field(&image[0], x[0] + i, y[0] + j, c));
                const float b = texels_value(f, c, texels_field(&image[1], x[1] + i, y[1] + j, c));
                const unsigned what = add(&sums[c], f, a, b, i, j);
                any |= what;
                *(c < 3 ? &colour : &alpha) |= what;
            }
            out->not_finite += any & 1;
            out->outside += any >> 1 & 1;
            out->differing += colour >> 2 & 1;
            out->differing_alpha += alpha >> 2 & 1;
            out->differing_all += any >> 2 & 1;
        }
    out->pixels = (uint64_t)w * h;
    finish(sums, f, peak, out);
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static bool same(double expected, double got, const char *what, const char *name)
{
    if (expected == got || (isnan(expected) && isnan(got)))
        return true;
    if (what)
        fprintf(stderr, "%s: %s is %a, expected %a\n", what, name, got, expected);
    return false;
}

bool figures_same(const assay_image_figures *e, const assay_image_figures *g, const char *what)
{
    char name[40];
    bool ok = true;
#define SAME(field) ok = same((double)e->field, (double)g->field, what, #field) && ok;
    SAME(mse) SAME(psnr) SAME(mse_all) SAME(psnr_all) SAME(max_difference) SAME(max_x) SAME(max_y) SAME(max_channel)
    SAME(channels) SAME(pixels) SAME(differing) SAME(differing_alpha) SAME(differing_all) SAME(not_finite) SAME(outside)
#undef SAME
    for (unsigned c = 0; c < 4; c++) {
#define SAME(field) \
        snprintf(name, sizeof name, "channel %u's " #field, c); \
        ok = same((double)e->channel[c].field, (double)g->channel[c].field, what, name) && ok;
        SAME(mse) SAME(psnr) SAME(max_difference) SAME(max_x) SAME(max_y) SAME(left_out)
#undef SAME
    }
    return ok;
}
