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

/* C's sums of columns grow side by side and leave no register for taps: FVIF_TAP reads those from memory. The sum of a
 * row takes FVIF_KEPT_TAP. FVIF_TABLE is before the loops, FVIF_READ before taps are read again, FVIF_KEEP_TAPS in the
 * loop over rows. */
#ifdef TARGET_C
#define FVIF_TABLE f32 table[VIF_RADIUS + 1]; FOR(k, VIF_RADIUS + 1) { table[k] = F32(fvif_tap(k)); }
#define FVIF_READ IN_MEMORY(table)
#define FVIF_KEEP_TAPS f32 kept[VIF_RADIUS + 1]; FOR(k, VIF_RADIUS + 1) { kept[k] = KEPT(table[k]); }
#define FVIF_AT(k) ((k) <= VIF_RADIUS ? (k) : VIF_TAPS - 1 - (k))
#define FVIF_TAP(k) table[FVIF_AT(k)]
#define FVIF_KEPT_TAP(k) kept[FVIF_AT(k)]
#else
#define FVIF_TABLE
#define FVIF_READ
#define FVIF_KEEP_TAPS
#define FVIF_TAP(k) fvif_tap(k)
#define FVIF_KEPT_TAP(k) fvif_tap(k)
#endif

/* A sample on the 8-bit scale, less 128. Pictures of the scales after the first hold such values: their `scale` is 1
 * and their `middle` 0. */
#define FVIF_SAMPLE(v) (to_f32(v) * scale - middle)
