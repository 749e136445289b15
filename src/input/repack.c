/* SPDX-License-Identifier: BSD-2-Clause */
#include "input/repack.h"

#include <string.h>

/* This and repack_row_words are inlined into calls with a constant step, which compilers turn into vector code. */
static inline void repack_row_bytes(unsigned char *restrict dst, const unsigned char *restrict src, size_t n,
                                    size_t step)
{
    for (size_t i = 0; i < n; i++)
        dst[i] = src[i * step];
}

static void repack_copy_bytes(unsigned char *dst, const unsigned char *src, size_t n, int step)
{
    if (step == 1)
        memcpy(dst, src, n);
    else if (step == 2)
        repack_row_bytes(dst, src, n, 2);
    else if (step == 3)
        repack_row_bytes(dst, src, n, 3);
    else if (step == 4)
        repack_row_bytes(dst, src, n, 4);
    else
        repack_row_bytes(dst, src, n, (size_t)step);
}

/* Returns the bits that are set in any of the words. */
static inline uint32_t repack_row_words(unsigned char *restrict dst, const unsigned char *restrict src, size_t n,
                                        size_t step, int shift, uint16_t mask, bool big_endian)
{
    uint16_t all = 0;
    for (size_t i = 0; i < n; i++) {
        uint16_t v;
        memcpy(&v, src + i * step, sizeof v);
        if (big_endian)
            v = (uint16_t)(v << 8 | v >> 8);
        all = (uint16_t)(all | v);
        v = (uint16_t)(v >> shift & mask);
        memcpy(dst + 2 * i, &v, sizeof v);
    }
    return all;
}

static uint32_t repack_copy_words(unsigned char *dst, const unsigned char *src, size_t n, int step, int shift,
                                  uint16_t mask, bool big_endian)
{
    if (step == 2 && !big_endian)
        return repack_row_words(dst, src, n, 2, shift, mask, false);
    if (step == 2)
        return repack_row_words(dst, src, n, 2, shift, mask, true);
    if (step == 4 && !big_endian)
        return repack_row_words(dst, src, n, 4, shift, mask, false);
    return repack_row_words(dst, src, n, (size_t)step, shift, mask, big_endian);
}

bool repack_plane(const struct repack *r, uint32_t p, const unsigned char *src, ptrdiff_t pitch, unsigned char *to,
                  ptrdiff_t stride, size_t w, uint32_t h)
{
    const struct repack_component *c = &r->component[p];
    const uint16_t mask = (uint16_t)((1u << r->depth) - 1);
    uint32_t bits = 0;
    src += c->offset;
    for (uint32_t y = 0; y < h; y++) {
        if (r->wide)
            bits |= repack_copy_words(to, src, w, c->step, c->shift, mask, r->big_endian);
        else
            repack_copy_bytes(to, src, w, c->step);
        src += pitch;
        to += stride;
    }
    return !c->alone || (bits & ~((uint32_t)mask << c->shift)) == 0;
}
