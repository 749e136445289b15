/* SPDX-License-Identifier: BSD-2-Clause */
/* A float as its bit pattern, and back. */
#ifndef ASSAY_TESTS_EXACT_FLOAT_BITS_H
#define ASSAY_TESTS_EXACT_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t bits_of(float v)
{
    uint32_t u;
    memcpy(&u, &v, sizeof u);
    return u;
}

static inline float float_of(uint32_t u)
{
    float v;
    memcpy(&v, &u, sizeof v);
    return v;
}

#endif
