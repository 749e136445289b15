/* SPDX-License-Identifier: BSD-2-Clause */
/* Packed texels in the dialect: fields of their elements, halves. */
#ifndef ASSAY_KERNELS_TEXEL_H
#define ASSAY_KERNELS_TEXEL_H

/* The number, 0 to 31, for channel c; `channels` has a byte for each of four channels. */
FN int texel_stated(int channels, int c) { return (channels >> (8 * c)) & 31; }

/* A field of 0 to 16 bits. */
FN u32 texel_field(u32 element, int shift, int bits) { return shr_u32(element, shift) & U32((1 << bits) - 1); }

/* The float of a finite half without its sign: the exponent moved, or a multiple of 2^-24. */
FN f32 texel_half_size(u32 size)
{
    f32 normal = bits_f32(shl_u32(size, 13) + 0x38000000u);
    return sel_f32(size < U32(0x400u), f32_from_u32(size) * TEXEL_HALF_UNIT, normal);
}

/* The float of a finite half. */
FN f32 texel_half(u32 h)
{
    return bits_f32(f32_bits(texel_half_size(h & 0x7fffu)) | shl_u32(h & 0x8000u, 16));
}

#endif
