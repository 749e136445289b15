/* SPDX-License-Identifier: BSD-2-Clause */
#include "pictures.h"

#include <math.h>
#include <stdlib.h>

const char *const content_name[CONTENTS] = {
    [CONTENT_NATURAL] = "natural",
    [CONTENT_NOISE] = "noise",
    [CONTENT_BRIGHT_NOISE] = "bright noise",
    [CONTENT_DARK_NOISE] = "dark noise",
    [CONTENT_WHITE_ONE] = "white, one picture noisy",
    [CONTENT_WHITE_ONES] = "white, both noisy",
    [CONTENT_SPARSE] = "sparse differences",
    [CONTENT_CHECKERBOARD] = "checkerboard",
    [CONTENT_STRIPES] = "stripes",
    [CONTENT_BLACK_WHITE] = "black and white",
    [CONTENT_FLAT] = "flat",
    [CONTENT_SAME] = "identical noise",
    [CONTENT_SAME_FLAT] = "identical white",
    [CONTENT_BLACK] = "identical black",
    [CONTENT_CORNERS] = "corners",
    [CONTENT_HALVES] = "halves",
};

void pair_new(struct oracle_pair *pair, uint32_t width, uint32_t height, uint32_t depth, uint32_t planes)
{
    struct oracle_picture *side[2] = { &pair->ref, &pair->dis };
    for (int i = 0; i < 2; i++) {
        *side[i] = (struct oracle_picture){ .depth = depth, .planes = planes };
        for (uint32_t k = 0; k < planes; k++) {
            side[i]->width[k] = k ? (width + 1) / 2 : width;
            side[i]->height[k] = k ? (height + 1) / 2 : height;
            side[i]->sample[k] = oracle_alloc((size_t)side[i]->width[k] * side[i]->height[k], sizeof(uint16_t));
        }
    }
}

void pair_free(struct oracle_pair *pair)
{
    for (uint32_t k = 0; k < pair->ref.planes; k++) {
        free(pair->ref.sample[k]);
        free(pair->dis.sample[k]);
    }
}

/* splitmix64 */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static uint32_t below(uint64_t *state, uint32_t n)
{
    return (uint32_t)((next(state) >> 32) * n >> 32);
}

static uint32_t clamp(double v, uint32_t peak)
{
    return v < 0 ? 0 : v > peak ? peak : (uint32_t)(v + 0.5);
}

/* Something like a picture: slopes, a texture and one hard edge. */
static double scene(double x, double y, double peak)
{
    const double slope = 0.3 + 0.2 * sin(x / 37) + 0.2 * cos(y / 23 + x / 91);
    const double texture = 0.08 * sin(x * 1.3 + y * 0.7) * sin(y / 11);
    return peak * (slope + texture + (x + y > 150 && x < y ? 0.25 : 0));
}

struct samples {
    uint32_t ref, dis;
};

/* One position of a plane of width x height; `unit` is one step of an 8-bit picture. */
static struct samples content_at(enum content content, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                                 uint32_t peak, uint32_t unit, uint64_t *state)
{
    const bool odd = (x + y) & 1, corner = (x == 0 || x == width - 1) && (y == 0 || y == height - 1);
    struct samples v = { 0, 0 };
    switch (content) {
    case CONTENT_NATURAL:
        v.ref = clamp(scene(x, y, peak) + below(state, 4 * unit), peak);
        v.dis = clamp(scene(x + 0.4, y - 0.3, peak), peak) / (6 * unit) * (6 * unit) + 3 * unit;
        break;
    case CONTENT_NOISE:
        v.ref = below(state, peak + 1);
        v.dis = below(state, peak + 1);
        break;
    case CONTENT_BRIGHT_NOISE:
        v.ref = peak - 10 * unit - below(state, 3 * unit);
        v.dis = peak - 10 * unit - below(state, 3 * unit);
        break;
    case CONTENT_DARK_NOISE:
        v.ref = below(state, 3 * unit);
        v.dis = below(state, 3 * unit);
        break;
    case CONTENT_WHITE_ONE:
        v.ref = peak;
        v.dis = peak - below(state, 2);
        break;
    case CONTENT_WHITE_ONES:
        v.ref = peak - below(state, 2);
        v.dis = peak - below(state, 2);
        break;
    case CONTENT_SPARSE:
        v.ref = 1 + below(state, peak - 1);
        v.dis = below(state, 1000) ? v.ref : v.ref + 1 - 2 * below(state, 2);
        break;
    case CONTENT_CHECKERBOARD:
        v.ref = odd ? peak : 0;
        v.dis = odd ? 0 : peak;
        break;
    case CONTENT_STRIPES:
        v.ref = x & 1 ? peak : 0;
        v.dis = y & 1 ? peak : 0;
        break;
    case CONTENT_BLACK_WHITE:
        v.dis = peak;
        break;
    case CONTENT_FLAT:
        v.ref = peak / 2;
        v.dis = peak / 2 + 1;
        break;
    case CONTENT_SAME:
        v.ref = v.dis = below(state, peak + 1);
        break;
    case CONTENT_SAME_FLAT:
        v.ref = v.dis = peak;
        break;
    case CONTENT_BLACK:
        break;
    case CONTENT_CORNERS:
        v.ref = corner ? peak : peak / 2;
        v.dis = peak / 2;
        break;
    case CONTENT_HALVES:
        v.ref = 2 * x < width ? 0 : peak;
        v.dis = 2 * x < width ? below(state, 2) : peak - below(state, 2);
        break;
    case CONTENTS:
        break;
    }
    if (v.dis > peak)
        v.dis = peak;
    return v;
}

void pair_fill(struct oracle_pair *pair, enum content content, uint64_t seed)
{
    const uint32_t depth = pair->ref.depth, peak = (1u << depth) - 1, unit = 1u << (depth - 8);
    uint64_t state = seed;
    for (uint32_t k = 0; k < pair->ref.planes; k++) {
        const uint32_t width = pair->ref.width[k], height = pair->ref.height[k];
        for (uint32_t y = 0; y < height; y++) {
            for (uint32_t x = 0; x < width; x++) {
                const struct samples v = content_at(content, x, y, width, height, peak, unit, &state);
                pair->ref.sample[k][(size_t)y * width + x] = (uint16_t)v.ref;
                pair->dis.sample[k][(size_t)y * width + x] = (uint16_t)v.dis;
            }
        }
    }
}
