/* SPDX-License-Identifier: BSD-2-Clause */
#include "selftest/patterns.h"

#include <stdbool.h>
#include <string.h>

#include "host/bits.h"
#include "selftest/words.h"

/* From 0 at the top left to `full` at the bottom right. Side 1 adds noise of up to 1/128 of `full`, up or down. */
static uint32_t smooth(unsigned side, uint32_t x, uint32_t y, uint32_t w, uint32_t h, uint32_t full, uint32_t random)
{
    const uint64_t slope = (uint64_t)full * (3 * (uint64_t)x + 2 * (uint64_t)y) / (3 * (uint64_t)w + 2 * (uint64_t)h);
    const int64_t noise = side & 1 ? (int64_t)(random % (full / 64 + 2)) - (int64_t)(full / 128 + 1) : 0,
                  v = (int64_t)slope + noise;
    return v < 0 ? 0 : v > (int64_t)full ? full : (uint32_t)v;
}

uint32_t pattern_sample(enum pattern pattern, unsigned side, uint32_t x, uint32_t y, uint32_t w, uint32_t h,
                        uint32_t full, uint32_t random)
{
    const bool odd = side & 1;
    switch (pattern) {
    case PATTERN_CHECKERBOARD: return ((x + y) & 1) == odd ? 0 : full;
    case PATTERN_ZERO_FULL: return odd ? full : 0;
    case PATTERN_FLAT: return full / 3 + 1;
    case PATTERN_NOISE_ON_WHITE:
        return odd && (random & 1) ? full - 1 - (random >> 1 & 1) : full - (odd ? 0 : random >> 2 & 1);
    case PATTERN_SMOOTH: return smooth(side, x, y, w, h, full, random);
    case PATTERN_FIRST_PIXEL: return !odd && x == 0 && y == 0 ? full : 0;
    case PATTERN_LAST_PIXEL: return !odd && x == w - 1 && y == h - 1 ? full : 0;
    case PATTERN_TOP_RIGHT: return !odd && x == w - 1 && y == 0 ? full : 0;
    case PATTERN_BOTTOM_LEFT: return !odd && x == 0 && y == h - 1 ? full : 0;
    default: return full == UINT32_MAX ? random : random % (full + 1);
    }
}

/* Both sides come from one pair of words, so that equal words, neighbours and opposites meet. */
static uint32_t element(enum pattern pattern, unsigned side, uint32_t random, uint32_t index)
{
    struct word_pair pair;
    switch (pattern) {
    case PATTERN_CHECKERBOARD: pair = words_special(pattern, random, index); break;
    case PATTERN_ZERO_FULL: pair = words_parts(0, random, index); break;
    case PATTERN_FLAT: pair = words_parts(1, random, index); break; /* halfway between two codes */
    case PATTERN_NOISE_ON_WHITE: pair = words_any(1, random, index); break;
    default: pair = words_any(0, random, index); break;
    }
    return side ? pair.b : pair.a;
}

/* A float of 2^-66 to 2^64, every sixteenth below 0; beside a few that are 0. */
static uint32_t any_light(uint32_t random)
{
    const uint32_t exponent = 127 - 66 + (random >> 24) % 131, sign = random % 16 == 5;
    return random % 64 == 9 ? 0 : sign << 31 | exponent << 23 | (random & 0x7fffff);
}

/* Light of the pattern: its samples in 1024ths, up to 64. */
static uint32_t light(enum pattern pattern, uint32_t sample, uint32_t random)
{
    return pattern == PATTERN_RANDOM ? any_light(random) : bits_of_float((float)sample * 0x1p-10f);
}

void pattern_fill(enum pattern pattern, unsigned side, uint32_t seed, enum sample_type type, uint32_t bits,
                  const struct kernel_plane *to)
{
    const uint32_t w = (uint32_t)to->width, h = (uint32_t)to->height, size = sample_size(type);
    const uint32_t full = type == SAMPLE_U8 ? 255 : type == SAMPLE_F32 ? 65535 : (1u << bits) - 1;
    for (uint32_t y = 0; y < h; y++) {
        char *row = (char *)to->data + (ptrdiff_t)y * to->stride;
        for (uint32_t x = 0; x < w; x++) {
            const uint32_t index = y * w + x, paired = words_mix(seed * 0x9e3779b9u + index);
            const uint32_t random = words_mix(paired + side + 1);
            uint32_t v = type == SAMPLE_U32 ? element(pattern, side, paired, index)
                                            : pattern_sample(pattern, side, x, y, w, h, full, random);
            v = type == SAMPLE_F32 ? light(pattern, v, random) : v;
            memcpy(row + (size_t)x * size, &v, size); /* little-endian, as everything here */
        }
    }
}
