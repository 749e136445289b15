/* SPDX-License-Identifier: BSD-2-Clause */
/* The words are the same on every machine: no expression draws twice from the generator, because compilers may choose
 * the order of such draws. */
#include "selftest/words.h"

#include "host/bits.h"

uint32_t words_mix(uint32_t v)
{
    v ^= v >> 16;
    v *= 0x7feb352du;
    v ^= v >> 15;
    v *= 0x846ca68bu;
    return v ^ v >> 16;
}

static uint32_t next(uint32_t *state)
{
    return *state = words_mix(*state + 0x9e3779b9u);
}

static int between(uint32_t *state, int low, int high)
{
    return low + (int)(next(state) % (uint32_t)(high - low + 1));
}

static uint32_t float_word(uint32_t sign, int exponent, uint32_t mantissa)
{
    return sign << 31 | (uint32_t)(exponent + 127) << 23 | (mantissa & 0x7fffff);
}

/* A mantissa: random, near a power of two (within 2), or with few bits set. */
static uint32_t mantissa(unsigned set, uint32_t *state)
{
    const uint32_t r = next(state);
    switch (set % 4) {
    case 1: return (r & 1 ? 0u : 0x7fffffu) + (r >> 1 & 3) - 1;
    case 2: return 1u << r % 23 | 1u << (r >> 8) % 23;
    case 3: return (0x7fffffu << r % 24) ^ (r >> 8 & 1);
    default: return r;
    }
}

struct word_pair words_division(unsigned set, uint32_t random, uint32_t index)
{
    uint32_t state = random;
    const uint32_t signs = next(&state);
    const int eb = between(&state, -59, 58);
    /* a / b lies within a factor of two of 2^(ea - eb). */
    int low = eb - 58, high = eb + 58;
    low = low < -75 ? -75 : low;
    high = high > 98 ? 98 : high;
    const int ea = between(&state, low, high);
    const uint32_t mb = mantissa(set, &state) & 0x7fffff;
    uint32_t ma = mantissa(set, &state) & 0x7fffff;
    struct word_pair pair = {.b = float_word(signs & 1, eb, mb)};
    if (set % 3 == 2) {
        /* a next to b times a number halfway between two floats */
        const uint64_t half_way = 0x1000000u | (next(&state) & 0xffffff) | 1;
        uint64_t product = half_way * (0x800000u | mb);
        while (product >= 1u << 24)
            product = product >> 1;
        ma = ((uint32_t)product + next(&state) % 3 - 1) & 0x7fffff;
    }
    pair.a = index % 61 == 60 ? (signs & 2) << 30 : float_word(signs >> 1 & 1, ea, ma);
    return pair;
}

struct word_pair words_roots(unsigned set, uint32_t random, uint32_t index)
{
    uint32_t state = random;
    const int exponent = between(&state, -100, 99);
    struct word_pair pair = {.a = float_word(0, exponent, mantissa(set, &state))};
    if (set % 3 == 1) {
        /* next to a square or a cube */
        const float root = 1.0f + (float)(next(&state) & 0xfff) * 0x1p-11f;
        const uint32_t r = next(&state);
        pair.a = bits_of_float(r & 1 ? root * root : root * root * root) + (r >> 1) % 3 - 1;
    }
    if (index % 61 == 60)
        pair.a = 0;
    pair.b = pair.a;
    return pair;
}

static struct word_pair within(int limit, unsigned set, uint32_t random, uint32_t index)
{
    uint32_t state = random;
    const uint32_t signs = next(&state);
    const int ea = between(&state, -limit, limit);
    int eb = between(&state, -limit, limit);
    if (set % 3 == 1 && ea - 25 >= -limit) /* the sum rounds, or halves an ULP */
        eb = ea - between(&state, 0, 25);
    if (set % 3 == 2) /* products near the smallest normal number */
        eb = -limit + (ea + limit) / 62;
    const uint32_t ma = mantissa(set, &state);
    struct word_pair pair = {.a = float_word(signs & 1, set % 3 == 2 ? -limit : ea, ma)};
    pair.b = float_word(signs >> 1 & 1, eb, mantissa(set + 1, &state));
    if (index % 61 == 60)
        pair.b = pair.a ^ 0x80000000u;
    if (index % 61 == 59)
        pair.b = (signs & 4) << 29;
    return pair;
}

struct word_pair words_rounding(unsigned set, uint32_t random, uint32_t index)
{
    return within(62, set, random, index);
}

struct word_pair words_products(unsigned set, uint32_t random, uint32_t index)
{
    return within(30, set, random, index);
}

struct word_pair words_conversion(unsigned set, uint32_t random, uint32_t index)
{
    static const float edge[] = {0.0f, -0.0f, 0.5f, -0.5f, 0.99999994f, -0.99999994f, 1.0f, -1.0f, 1.5f, 2.5f, -2.5f,
                                 8388607.5f, -8388607.5f, 8388608.0f, 16777215.0f, 16777216.0f, 2147483520.0f,
                                 -2147483520.0f, -2147483648.0f, 1e-30f};
    static const uint32_t integer[] = {0, 1, 0xffffffffu, 0x7fffffffu, 0x80000000u, 0x80000001u, 16777217, 16777219,
                                       33554434, 33554438, 0x7fffffbfu, 0x7fffffc0u, 0x7fffffc1u};
    uint32_t state = random;
    const uint32_t r = next(&state);
    const int exponent = between(&state, -30, 30);
    struct word_pair pair = {.a = float_word(r & 1, exponent, mantissa(set, &state))};
    pair.b = next(&state) >> (r >> 8) % 32;
    if (r >> 4 & 1)
        pair.b = 0u - pair.b;
    if (index < sizeof edge / sizeof edge[0])
        pair.a = bits_of_float(edge[index]);
    if (index < sizeof integer / sizeof integer[0])
        pair.b = integer[index];
    return pair;
}

struct word_pair words_special(unsigned set, uint32_t random, uint32_t index)
{
    static const uint32_t odd[] = {0x00000000u, 0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0xffc00000u,
                                   0x7fc12345u, 0x3f800000u, 0xbf800000u, 0x3f800001u, 0x7f7fffffu, 0xff7fffffu,
                                   0x00800000u, 0x80800000u};
    enum { N = sizeof odd / sizeof odd[0] };
    uint32_t state = random;
    if (index < N * N)
        return (struct word_pair){odd[index / N], odd[index % N]};
    const uint32_t r = next(&state);
    const int exponent = between(&state, -120, 120);
    const uint32_t v = float_word(r >> 31, exponent, mantissa(set, &state));
    return (struct word_pair){v, r % 3 ? v + r % 5 - 2 : odd[(r >> 8) % N]};
}

struct word_pair words_denormal(unsigned set, uint32_t random, uint32_t index)
{
    uint32_t state = random;
    const uint32_t r = next(&state), tiny = mantissa(set, &state) & 0x7fffff;
    const int exponent = between(&state, -90, 89);
    struct word_pair pair = {.a = (r & 1) << 31 | tiny >> (r >> 8) % 23};
    pair.b = float_word(r >> 1 & 1, exponent, mantissa(set + 1, &state));
    if (index % 61 == 60)
        pair.a = r & 0x80000000u;
    return pair;
}

struct word_pair words_parts(unsigned set, uint32_t random, uint32_t index)
{
    static const uint32_t odd[] = {0x80000000u, 0x3f800001u, 0x7f800000u, 0x7fc00000u, 0xbf000000u, 0x80000001u,
                                   0x3f800000u, 0};
    uint32_t state = random;
    const uint32_t r = next(&state), near = next(&state) % 5 - 2;
    struct word_pair pair;
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t code = (i ? r >> 16 : r) & 0xffffu, at = (index + i) % 8;
        const float v = ((float)code + (set & 1 ? 0.5f : 0.0f)) / 65535.0f;
        *(i ? &pair.b : &pair.a) = at == 7 ? odd[(r >> 8) % 8] : bits_of_float(v) + (code && code < 65535 ? near : 0);
    }
    return pair;
}

struct word_pair words_any(unsigned set, uint32_t random, uint32_t index)
{
    static const uint32_t edge[] = {0, 1, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0xfffffffeu, 0x0000ffffu, 0x00010000u,
                                    0xffff0000u, 0x01000000u, 0x00ffffffu};
    enum { N = sizeof edge / sizeof edge[0] };
    uint32_t state = random;
    if (set % 2 && index < N * N)
        return (struct word_pair){edge[index / N], edge[index % N]};
    const uint32_t a = next(&state), b = next(&state), shift = next(&state);
    return set % 3 == 1 ? (struct word_pair){a >> shift % 32, b >> (shift >> 8) % 32} : (struct word_pair){a, b};
}
