/* SPDX-License-Identifier: BSD-2-Clause */
#include "frames.h"

#include <stdlib.h>
#include <string.h>

#include "host/format.h"

static uint32_t hash(uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t h = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ z * 0xc2b2ae3du;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return h ^ h >> 15;
}

/* Noise of 0 to 255 on a grid of 2^shift pixels, linear in between. */
static int32_t noise(int32_t x, int32_t y, int shift, uint32_t seed)
{
    const int32_t cell = 1 << shift, fx = x & (cell - 1), fy = y & (cell - 1);
    const uint32_t cx = (uint32_t)(x >> shift), cy = (uint32_t)(y >> shift);
    const int32_t a = (int32_t)(hash(cx, cy, seed) & 255), b = (int32_t)(hash(cx + 1, cy, seed) & 255);
    const int32_t c = (int32_t)(hash(cx, cy + 1, seed) & 255), d = (int32_t)(hash(cx + 1, cy + 1, seed) & 255);
    const int32_t top = a * cell + (b - a) * fx, bottom = c * cell + (d - c) * fx;
    return (top * cell + (bottom - top) * fy) >> (2 * shift);
}

/* A sample on a scale of 0 to 1023: sky and ground, drifting texture of three sizes, a moving disc, bars, film
 * grain. */
static int32_t scene(int32_t x, int32_t y, int32_t width, int32_t height, uint32_t frame, uint32_t plane)
{
    const int32_t t = (int32_t)frame;
    int32_t v = plane ? 400 + noise(x + 2 * t, y, 6, plane) / 2 : 200 + 400 * y / height + noise(x + 3 * t, y, 7, 11);
    v += noise(x + 5 * t, y + t, 4, 12) / (y > height / 2 ? 3 : 12) + noise(x + 5 * t, y + t, 2, 13) / 8;
    const int32_t dx = x - width / 3 - 7 * t, dy = y - height / 2, radius = height / 5;
    if (dx * dx + dy * dy < radius * radius)
        v = 850 - v / 3;
    if (x > width - width / 5 && (x >> 5 & 1) && !plane)
        v /= 3;
    v += (int32_t)(hash((uint32_t)x, (uint32_t)y, 99 + frame + 16 * plane) & 15) - 8;
    return v < 64 ? 64 : v > 940 ? 940 : v;
}

/* From the scale of 0 to 1023 to samples of 8 to 16 bits, and back. */
static void put(void *data, size_t i, uint32_t bits, int32_t v)
{
    const uint32_t sample = ((uint32_t)v << bits) >> 10;
    if (bits == 8)
        ((uint8_t *)data)[i] = (uint8_t)sample;
    else
        ((uint16_t *)data)[i] = (uint16_t)sample;
}

static int32_t get(const void *data, size_t i, uint32_t bits)
{
    const uint32_t sample = bits == 8 ? ((const uint8_t *)data)[i] : ((const uint16_t *)data)[i];
    return (int32_t)((sample << 10) >> bits);
}

/* Each 8x8 block keeps three quarters of its mean and a quarter of its details, both in coarse steps. */
static void encode(const assay_buffer *ref, const assay_buffer *dis, uint32_t p, int32_t width, int32_t height,
                   uint32_t bits)
{
    for (int32_t by = 0; by < height; by += 8)
        for (int32_t bx = 0; bx < width; bx += 8) {
            const int32_t w = width - bx < 8 ? width - bx : 8, h = height - by < 8 ? height - by : 8;
            const char *from = (const char *)ref->plane[p] + by * ref->stride[p];
            char *to = (char *)dis->plane[p] + by * dis->stride[p];
            int32_t sum = 0;
            for (int32_t y = 0; y < h; y++)
                for (int32_t x = 0; x < w; x++)
                    sum += get(from + y * ref->stride[p], (size_t)(bx + x), bits);
            const int32_t mean = sum / (w * h) / 8 * 8;
            for (int32_t y = 0; y < h; y++)
                for (int32_t x = 0; x < w; x++)
                    put(to + y * dis->stride[p], (size_t)(bx + x), bits,
                        mean + (get(from + y * ref->stride[p], (size_t)(bx + x), bits) - mean) / 16 * 12);
        }
}

void bench_frames_draw(const assay_format *f, unsigned pair, uint32_t plane, const assay_buffer *ref,
                       const assay_buffer *dis)
{
    const int32_t width = (int32_t)assay_format_plane_width(f, plane),
                  height = (int32_t)assay_format_plane_height(f, plane);
    const uint32_t seed = f->layout == ASSAY_LAYOUT_RGB ? 0 : plane; /* colours share their structure */
    for (int32_t y = 0; y < height; y++) {
        char *row = (char *)ref->plane[plane] + y * ref->stride[plane];
        for (int32_t x = 0; x < width; x++)
            put(row, (size_t)x, f->bit_depth, scene(x + (int32_t)(plane - seed), y, width, height, pair, seed));
    }
    encode(ref, dis, plane, width, height, f->bit_depth);
}

bool bench_frames_take(struct bench_frames *c, const assay_format *f, unsigned pairs)
{
    const assay_format *had = &c->format;
    if (c->memory && c->pairs >= pairs && had->width == f->width && had->height == f->height &&
        had->layout == f->layout && had->bit_depth == f->bit_depth)
        return true;
    free(c->memory);
    *c = (struct bench_frames){.format = *f, .pairs = pairs, .memory = malloc(2 * pairs * format_frame_bytes(f))};
    return c->memory;
}

void bench_frames_free(struct bench_frames *c)
{
    free(c->memory);
    *c = (struct bench_frames){0};
}

void bench_frames_copy(struct bench_frames *c, unsigned pair, const assay_buffer *ref, const assay_buffer *dis)
{
    const assay_format *f = &c->format;
    const assay_buffer *const to[2] = {ref, dis};
    assay_buffer from[2] = {0};
    void *at = (char *)c->memory + 2 * pair * format_frame_bytes(f);
    for (unsigned side = 0; side < 2; side++)
        at = format_place(f, at, from[side].plane, from[side].stride);
    for (uint32_t p = 0; p < assay_format_planes(f); p++) {
        if (pair == c->drawn)
            bench_frames_draw(f, pair, p, &from[0], &from[1]);
        for (unsigned side = 0; side < 2; side++)
            for (uint32_t y = 0; y < assay_format_plane_height(f, p); y++)
                memcpy((char *)to[side]->plane[p] + (ptrdiff_t)y * to[side]->stride[p],
                       (const char *)from[side].plane[p] + (ptrdiff_t)y * from[side].stride[p], format_row_bytes(f, p));
    }
    c->drawn += pair == c->drawn;
}
