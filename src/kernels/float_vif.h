/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The windows of float VIF (float_vif.k, float_vif_half.k): VIF_RADIUS taps on either side of the middle one, the same
 * on both sides. Every variant reads this file again.
 */
#define VIF_TAPS (2 * VIF_RADIUS + 1)

/* Tap k, 0 to VIF_TAPS - 1. */
FN float fvif_tap(int k)
{
    int i = k <= VIF_RADIUS ? k : VIF_TAPS - 1 - k;
#if VIF_RADIUS == 8
    return i == 0 ? FVIF_17_0 : i == 1 ? FVIF_17_1 : i == 2 ? FVIF_17_2 : i == 3 ? FVIF_17_3 : i == 4 ? FVIF_17_4
         : i == 5 ? FVIF_17_5 : i == 6 ? FVIF_17_6 : i == 7 ? FVIF_17_7 : FVIF_17_8;
#elif VIF_RADIUS == 4
    return i == 0 ? FVIF_9_0 : i == 1 ? FVIF_9_1 : i == 2 ? FVIF_9_2 : i == 3 ? FVIF_9_3 : FVIF_9_4;
#elif VIF_RADIUS == 2
    return i == 0 ? FVIF_5_0 : i == 1 ? FVIF_5_1 : FVIF_5_2;
#else
    return i == 0 ? FVIF_3_0 : FVIF_3_1;
#endif
}

/* A sample on the 8-bit scale, less 128. Pictures of the scales after the first hold such values: their `scale` is 1
 * and their `middle` 0. */
#define FVIF_SAMPLE(v) (to_f32(v) * scale - middle)
