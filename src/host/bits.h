/* SPDX-License-Identifier: BSD-2-Clause */
/* Floating-point numbers and their bits, and numbers of a few bytes. */
#ifndef ASSAY_HOST_BITS_H
#define ASSAY_HOST_BITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BITS_OF(type, word) \
    static inline word bits_of_##type(type v) { word bits; memcpy(&bits, &v, sizeof bits); return bits; } \
    static inline type type##_of_bits(word bits) { type v; memcpy(&v, &bits, sizeof v); return v; }
BITS_OF(float, uint32_t)
BITS_OF(double, uint64_t)
#undef BITS_OF

/* Of at most 8 bytes. */
static inline uint64_t big_endian(const unsigned char *at, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v = v << 8 | at[i];
    return v;
}

static inline uint64_t little_endian(const unsigned char *at, size_t n)
{
    uint64_t v = 0;
    while (n-- > 0)
        v = v << 8 | at[n];
    return v;
}

/* AV1's leb128: a number in at most 8 bytes, seven bits of each, the lowest first. *at moves behind it, or to `end`. */
static inline uint64_t leb128(const unsigned char **at, const unsigned char *end)
{
    uint64_t v = 0;
    for (unsigned bits = 0, more = 1; more && bits < 56 && *at < end; bits += 7) {
        more = **at >> 7;
        v |= (uint64_t)(*(*at)++ & 0x7f) << bits;
    }
    return v;
}

#endif
