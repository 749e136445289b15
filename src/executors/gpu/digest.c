/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/gpu/digest.h"

#include <stdlib.h>
#include <string.h>

/* Eight bytes at a time: modules are megabytes, and this runs when a session starts. */
uint64_t gpu_digest(uint64_t digest, const void *data, size_t bytes)
{
    const char *at = data;
    for (; bytes; at += 8) {
        uint64_t word = 0;
        const size_t n = bytes < 8 ? bytes : 8;
        memcpy(&word, at, n);
        digest = (digest ^ word) * 0x9e3779b97f4a7c15u;
        digest ^= digest >> 32;
        bytes -= n;
    }
    return digest;
}

uint64_t gpu_digest_environment(uint64_t digest)
{
    const char *limits = getenv("ASSAY_GPU_LIMITS");
    return limits && strcmp(limits, "full") ? gpu_digest(digest, limits, strlen(limits)) : digest;
}
