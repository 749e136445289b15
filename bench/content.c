/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "input/input.h"

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

/* A sample on a scale of 0 to 1023: sky and ground, drifting texture of three sizes, a moving disc, bars, film grain. */
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

static void put(void *data, size_t i, uint32_t bits, int32_t v)
{
    if (bits == 8)
        ((uint8_t *)data)[i] = (uint8_t)(v >> 2);
    else
        ((uint16_t *)data)[i] = (uint16_t)(v << (bits - 10));
}

static int32_t get(const void *data, size_t i, uint32_t bits)
{
    return bits == 8 ? ((const uint8_t *)data)[i] << 2 : ((const uint16_t *)data)[i] >> (bits - 10);
}

/* Each 8x8 block keeps three quarters of its mean and a quarter of its details, both in coarse steps. */
static void encode(const void *ref, void *dis, int32_t width, int32_t height, uint32_t bits)
{
    for (int32_t by = 0; by < height; by += 8)
        for (int32_t bx = 0; bx < width; bx += 8) {
            const int32_t w = width - bx < 8 ? width - bx : 8, h = height - by < 8 ? height - by : 8;
            int32_t sum = 0;
            for (int32_t y = 0; y < h; y++)
                for (int32_t x = 0; x < w; x++)
                    sum += get(ref, (size_t)(by + y) * (size_t)width + (size_t)(bx + x), bits);
            const int32_t mean = sum / (w * h) / 8 * 8;
            for (int32_t y = 0; y < h; y++)
                for (int32_t x = 0; x < w; x++) {
                    const size_t i = (size_t)(by + y) * (size_t)width + (size_t)(bx + x);
                    put(dis, i, bits, mean + (get(ref, i, bits) - mean) / 16 * 12);
                }
        }
}

static void draw(struct content *c, unsigned pair, uint32_t plane)
{
    const int32_t width = (int32_t)assay_format_plane_width(&c->format, plane);
    const int32_t height = (int32_t)assay_format_plane_height(&c->format, plane);
    union { const void *in; void *out; } ref = {.in = c->picture[pair][0].plane[plane]};
    union { const void *in; void *out; } dis = {.in = c->picture[pair][1].plane[plane]};
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++)
            put(ref.out, (size_t)y * (size_t)width + (size_t)x, c->format.bit_depth,
                scene(x, y, width, height, pair, plane));
    encode(ref.in, dis.out, width, height, c->format.bit_depth);
}

static void released(void *opaque) { (void)opaque; }

static int allocate(struct content *c)
{
    const uint32_t planes = assay_format_planes(&c->format), sample = c->format.bit_depth > 8 ? 2 : 1;
    size_t bytes = 0;
    for (uint32_t p = 0; p < planes; p++)
        bytes += (size_t)assay_format_plane_width(&c->format, p) * assay_format_plane_height(&c->format, p) * sample;
    char *at = c->memory = malloc(2 * BENCH_PAIRS * bytes);
    if (!at) {
        fprintf(stderr, "assay_bench: out of memory for %d frame pairs\n", BENCH_PAIRS);
        return ASSAY_EINTERNAL;
    }
    for (unsigned i = 0; i < BENCH_PAIRS; i++)
        for (unsigned side = 0; side < 2; side++) {
            assay_picture *picture = &c->picture[i][side];
            picture->release = released;
            for (uint32_t p = 0; p < planes; p++) {
                picture->plane[p] = at;
                picture->stride[p] = (ptrdiff_t)assay_format_plane_width(&c->format, p) * (ptrdiff_t)sample;
                at += picture->stride[p] * (ptrdiff_t)assay_format_plane_height(&c->format, p);
            }
        }
    return ASSAY_OK;
}

int content_make(struct content *c, uint32_t width, uint32_t height, uint32_t bits)
{
    *c = (struct content){.format = {.width = width, .height = height, .bit_depth = bits, .layout = ASSAY_LAYOUT_420},
                          .pairs = BENCH_PAIRS};
    const int rc = allocate(c);
    for (unsigned i = 0; !rc && i < BENCH_PAIRS; i++)
        for (uint32_t p = 0; p < 3; p++)
            draw(c, i, p);
    return rc;
}

static int read_side(struct content *c, struct input *in, unsigned side, struct assay_error *e)
{
    unsigned n = 0;
    int rc = 1;
    while (n < BENCH_PAIRS) {
        struct picture to;
        struct picture_info info;
        for (unsigned p = 0; p < 3; p++) {
            union { const void *in; void *out; } data = {.in = c->picture[n][side].plane[p]};
            to.plane[p] = data.out;
            to.stride[p] = c->picture[n][side].stride[p];
        }
        rc = input_read(in, &to, &info, e);
        if (rc <= 0)
            break;
        n++;
    }
    if (n < c->pairs)
        c->pairs = n;
    return rc < 0 ? rc : ASSAY_OK;
}

int content_read(struct content *c, const char *ref, const char *dis)
{
    struct assay_error e = {0};
    struct input *in[2] = {0};
    int rc = input_open(&in[0], &(struct input_options){.path = ref}, &e);
    if (!rc)
        rc = input_open(&in[1], &(struct input_options){.path = dis}, &e);
    if (!rc && (in[0]->format.width != in[1]->format.width || in[0]->format.height != in[1]->format.height
                || in[0]->format.bit_depth != in[1]->format.bit_depth || in[0]->format.layout != in[1]->format.layout))
        rc = assay_fail(&e, ASSAY_EMISMATCH, "the two files differ in size, bit depth or layout");
    if (!rc) {
        *c = (struct content){.format = in[0]->format, .pairs = BENCH_PAIRS};
        rc = allocate(c);
    }
    for (unsigned side = 0; !rc && side < 2; side++)
        rc = read_side(c, in[side], side, &e);
    if (!rc && !c->pairs)
        rc = assay_fail(&e, ASSAY_EINPUT, "the files hold no frames");
    for (unsigned side = 0; side < 2; side++)
        if (in[side])
            input_close(&in[side]);
    if (rc && e.code)
        fprintf(stderr, "assay_bench: %s\n", e.text);
    return rc;
}

void content_free(struct content *c)
{
    free(c->memory);
    c->memory = NULL;
}
