/* SPDX-License-Identifier: BSD-2-Clause */
/* Colour in the dialect: transfer functions to linear light, and the XYB space of JPEG XL on a scale of positive numbers. */
#ifndef ASSAY_KERNELS_COLOUR_H
#define ASSAY_KERNELS_COLOUR_H

#include "kernels/exact.h"

/* t^2.4 for 0 <= t <= 2, within 1e-6 relative: t^3 (t^(-1/5))^3. The seed takes a fifth of the bits; two steps of third order
 * bring |1 - t y^5| from 0.16 to 2e-9. */
FN f32 colour_pow24(f32 t)
{
    u32 bits = f32_bits(t);
    u32 fifth = shr_u32(bits, 3) + shr_u32(bits, 4); /* bits / 5 = bits (1/8 + 1/16) (1 + 1/16) (1 + 1/256) ... */
    fifth = fifth + shr_u32(fifth, 4);
    fifth = fifth + shr_u32(fifth, 8);
    fifth = fifth + shr_u32(fifth, 16);
    f32 y = bits_f32(COLOUR_FIFTH_SEED - fifth);
    FOR(i, 2) {
        f32 y2 = y * y;
        f32 e = 1.0f - (t * y) * (y2 * y2);
        y = y + y * (e * (COLOUR_ONE_FIFTH + e * (COLOUR_3_25 + e * COLOUR_11_125)));
    }
    f32 ty = t * y;
    return ty * (ty * ty);
}

/* Linear light of a code value in 0..1. transfer: 0 linear, 1 sRGB (IEC 61966-2-1), 2 a power of 2.4 (BT.1886 with a black of 0). */
FN f32 colour_linear(f32 v, int transfer)
{
    f32 r = v;
    if (transfer == 1) {
        f32 high = colour_pow24(v * SRGB_SLOPE + SRGB_OFFSET);
        r = sel_f32(v <= SRGB_KNEE, v * SRGB_LOW, high);
    }
    if (transfer == 2) {
        r = sel_f32(v > COLOUR_BLACK, colour_pow24(v), F32(0.0f));
    }
    return r;
}

FN f32 colour_clamp(f32 v) { return min_f32(max_f32(v, F32(0.0f)), F32(1.0f)); }

/* Cube root of a mix of linear light, less that of the bias: 0 for black. */
FN f32 colour_opsin(f32 mix)
{
    f32 v = mix + OPSIN_BIAS;
    return cbrt_(sel_f32(v > 0.0f, v, F32(0.0f))) - OPSIN_BIAS_ROOT;
}

#define COLOUR_L(r, g, b) colour_opsin((OPSIN_LR * (r) + OPSIN_LG * (g)) + OPSIN_LB * (b))
#define COLOUR_M(r, g, b) colour_opsin((OPSIN_MR * (r) + OPSIN_MG * (g)) + OPSIN_MB * (b))
#define COLOUR_S(r, g, b) colour_opsin((OPSIN_SR * (r) + OPSIN_SG * (g)) + OPSIN_SB * (b))

#endif
