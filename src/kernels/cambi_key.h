/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A contrast is 0, or 0.5 to 9506.25. The bits of a positive float, less those of 0.5, are a key below 15 * 2^23 that
 * orders contrasts as they are. It has three digits of nine bits: the first is below 480.
 */
#ifndef ASSAY_CAMBI_KEY_H
#define ASSAY_CAMBI_KEY_H

#include "kernels/exact.h"

#define CAMBI_DIGITS 512

FN i32 cambi_key(f32 contrast) { return i32_from_u32(f32_bits(contrast)) - I32(0x3f000000); }

/* The contrast in units of 2^-24, for sums: a mantissa below 2^24 times 2^(e - 24) with e from 0 to 14, so the
 * multiple is below 2^38. */
FN u64x cambi_multiple(f32 contrast, i32 key)
{
    return u64x_mul_u32((f32_bits(contrast) & 0x7fffffu) | 0x800000u,
                        shl_u32_by(U32(1u), u32_from_i32(shr_i32(key, 23))));
}

#endif
