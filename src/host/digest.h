/* SPDX-License-Identifier: BSD-2-Clause */
/* FNV-1a of 64 bits, which notices damage and tells texts apart; no signature. */
#ifndef ASSAY_HOST_DIGEST_H
#define ASSAY_HOST_DIGEST_H

#include <stddef.h>
#include <stdint.h>

static const uint64_t digest_of_nothing = 0xcbf29ce484222325u;

static inline uint64_t digest_more(uint64_t digest, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++)
        digest = (digest ^ p[i]) * 0x100000001b3u;
    return digest;
}

static inline uint64_t digest_of(const void *data, size_t bytes)
{
    return digest_more(digest_of_nothing, data, bytes);
}

#endif
