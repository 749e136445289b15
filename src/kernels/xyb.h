/* SPDX-License-Identifier: BSD-2-Clause */
/* The XYB space of JPEG XL on SSIMULACRA 2's scale of positive numbers, in the dialect. */
#ifndef ASSAY_KERNELS_XYB_H
#define ASSAY_KERNELS_XYB_H

/* The cube root of a mix of linear light (at most 156) and its bias, less that of the bias: 0 for black. Light outside
 * of sRGB's colours may make a negative mix, which counts as 0 with its bias. From the bias up the root is within 1
 * ULP, with fewer steps than exact.h's: x^(-1/3) from a third of the bits (341/1024 of them), |1 - x y^3| <= 0.106; one
 * step of fourth order, and one of second order on the root. */
FN f32 xyb_root(f32 mix)
{
    f32 x = max_f32(mix + OPSIN_BIAS, F32(0.0f));
    f32 y = bits_f32(XYB_ROOT_SEED - shr_u32(f32_bits(x), 10) * 341u);
    f32 e = 1.0f - (x * y) * (y * y);
    y = y + y * (e * (EXACT_ONE_THIRD + e * (EXACT_TWO_NINTHS + e * XYB_14_81)));
    f32 y2 = y * y;
    f32 c = x * y2;
    return (c + (x - c * c * c) * (y2 * EXACT_ONE_THIRD)) - OPSIN_BIAS_ROOT;
}

#define XYB_L(r, g, b) xyb_root((OPSIN_LR * (r) + OPSIN_LG * (g)) + OPSIN_LB * (b))
#define XYB_M(r, g, b) xyb_root((OPSIN_MR * (r) + OPSIN_MG * (g)) + OPSIN_MB * (b))
#define XYB_S(r, g, b) xyb_root((OPSIN_SR * (r) + OPSIN_SG * (g)) + OPSIN_SB * (b))

#endif
