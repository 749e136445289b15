/* SPDX-License-Identifier: BSD-2-Clause */
/* Floating-point numbers and their bits. */
#ifndef ASSAY_HOST_BITS_H
#define ASSAY_HOST_BITS_H

#include <stdint.h>
#include <string.h>

#define BITS_OF(type, word) \
    static inline word bits_of_##type(type v) { word bits; memcpy(&bits, &v, sizeof bits); return bits; } \
    static inline type type##_of_bits(word bits) { type v; memcpy(&v, &bits, sizeof v); return v; }
BITS_OF(float, uint32_t)
BITS_OF(double, uint64_t)
#undef BITS_OF

#endif
