/* SPDX-License-Identifier: BSD-2-Clause */
/* A digest of the bits of a score's values, which reports with few decimals hold too: FNV-1a of 64 bits over the frame
 * numbers and values, eight bytes each, the lowest first. Every NaN counts as the same one. */
#ifndef ASSAY_RESULTS_DIGEST_H
#define ASSAY_RESULTS_DIGEST_H

#include <string.h>

#include "host/digest.h"

static inline uint64_t digest_word(uint64_t digest, uint64_t word)
{
    for (unsigned i = 0; i < 64; i += 8)
        digest = digest_more(digest, &(unsigned char){word >> i & 0xff}, 1);
    return digest;
}

static inline uint64_t digest_text(uint64_t digest, const char *text)
{
    for (; *text; text++)
        digest = digest_word(digest, (unsigned char)*text);
    return digest;
}

/* A text (NULL: an empty one) and its end, among others. */
static inline uint64_t digest_item(uint64_t digest, const char *text)
{
    return digest_word(text ? digest_text(digest, text) : digest, UINT64_MAX);
}

static inline uint64_t digest_value(uint64_t digest, uint64_t frame, double value)
{
    uint64_t bits = UINT64_C(0x7ff8000000000000);
    if (value == value)
        memcpy(&bits, &value, sizeof bits);
    return digest_word(digest_word(digest, frame), bits);
}

#endif
