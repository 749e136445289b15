/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A contrast is 0, or 0.5 to 9506.25. The bits of a positive float, less those of 0.5, are a key below 15 * 2^23 that
 * orders contrasts as they are. It has three digits of nine bits: the first is below 480.
 */
#ifndef ASSAY_CAMBI_KEY_H
#define ASSAY_CAMBI_KEY_H

#define CAMBI_DIGITS 512

FN i32 cambi_key(f32 contrast) { return i32_from_u32(f32_bits(contrast)) - I32(0x3f000000); }

#endif
