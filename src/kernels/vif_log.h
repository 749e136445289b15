/* SPDX-License-Identifier: BSD-2-Clause */
/* The logarithm of integer VIF. */
/* 2048 log2(x), rounded, where x keeps only its highest 16 bits; 2^17 <= x < 2^31. A float holds those bits. Its
 * exponent and mantissa are the logarithm but for a correction, which a polynomial gives in units of 2^-12. For all
 * 32768 values of 16 bits the result is that of libvmaf's table, which has the logarithm rounded to float before it is
 * rounded to an integer (tests/exact/test_vif_log.c). */
FN u32 vif_log_bits(u32 x) { return f32_bits(to_f32(x & ~shr_u32(x, 24))) & 0xffffff00u; }
FN f32 vif_log_rest(u32 bits) { return bits_f32((bits & 0x7fffffu) | 0x3f800000u) - 1.0f; }
FN i32 vif_log_whole(u32 bits, f32 c) { return shr_i32(i32_from_u32(bits) + i32_from_f32(c), 12); }
#define VIF_LOG_BIAS (127 * 2048) /* of the float's exponent */

/* y[j] = the logarithm of x[j] and VIF_LOG_BIAS for n values of j, step by step, because each step waits for the one
 * before. A difference of two needs no bias taken off. */
#ifdef PICK_32
/* The same integers in fewer operations: of 1 + t in each 32nd of its range a parabola, whose coefficients its highest
 * bits pick. */
#define VIF_LOG_PICK_2(i) PICK_32(i, VIF_LOG_2_0, VIF_LOG_2_1, VIF_LOG_2_2, VIF_LOG_2_3, VIF_LOG_2_4, VIF_LOG_2_5, \
    VIF_LOG_2_6, VIF_LOG_2_7, VIF_LOG_2_8, VIF_LOG_2_9, VIF_LOG_2_10, VIF_LOG_2_11, VIF_LOG_2_12, VIF_LOG_2_13, \
    VIF_LOG_2_14, VIF_LOG_2_15, VIF_LOG_2_16, VIF_LOG_2_17, VIF_LOG_2_18, VIF_LOG_2_19, VIF_LOG_2_20, VIF_LOG_2_21, \
    VIF_LOG_2_22, VIF_LOG_2_23, VIF_LOG_2_24, VIF_LOG_2_25, VIF_LOG_2_26, VIF_LOG_2_27, VIF_LOG_2_28, VIF_LOG_2_29, \
    VIF_LOG_2_30, VIF_LOG_2_31)
#define VIF_LOG_PICK_1(i) PICK_32(i, VIF_LOG_1_0, VIF_LOG_1_1, VIF_LOG_1_2, VIF_LOG_1_3, VIF_LOG_1_4, VIF_LOG_1_5, \
    VIF_LOG_1_6, VIF_LOG_1_7, VIF_LOG_1_8, VIF_LOG_1_9, VIF_LOG_1_10, VIF_LOG_1_11, VIF_LOG_1_12, VIF_LOG_1_13, \
    VIF_LOG_1_14, VIF_LOG_1_15, VIF_LOG_1_16, VIF_LOG_1_17, VIF_LOG_1_18, VIF_LOG_1_19, VIF_LOG_1_20, VIF_LOG_1_21, \
    VIF_LOG_1_22, VIF_LOG_1_23, VIF_LOG_1_24, VIF_LOG_1_25, VIF_LOG_1_26, VIF_LOG_1_27, VIF_LOG_1_28, VIF_LOG_1_29, \
    VIF_LOG_1_30, VIF_LOG_1_31)
#define VIF_LOG_PICK_0(i) PICK_32(i, VIF_LOG_0_0, VIF_LOG_0_1, VIF_LOG_0_2, VIF_LOG_0_3, VIF_LOG_0_4, VIF_LOG_0_5, \
    VIF_LOG_0_6, VIF_LOG_0_7, VIF_LOG_0_8, VIF_LOG_0_9, VIF_LOG_0_10, VIF_LOG_0_11, VIF_LOG_0_12, VIF_LOG_0_13, \
    VIF_LOG_0_14, VIF_LOG_0_15, VIF_LOG_0_16, VIF_LOG_0_17, VIF_LOG_0_18, VIF_LOG_0_19, VIF_LOG_0_20, VIF_LOG_0_21, \
    VIF_LOG_0_22, VIF_LOG_0_23, VIF_LOG_0_24, VIF_LOG_0_25, VIF_LOG_0_26, VIF_LOG_0_27, VIF_LOG_0_28, VIF_LOG_0_29, \
    VIF_LOG_0_30, VIF_LOG_0_31)
#define VIF_LOGS(n, y, x) { \
    u32 bits_[n]; \
    u32 piece_[n]; \
    f32 m_[n]; \
    f32 poly_[n]; \
    FOR(j, n) bits_[j] = f32_bits(f32_cut((x)[j])) & 0xffffff00u; \
    FOR(j, n) m_[j] = bits_f32((bits_[j] & 0x7fffffu) | 0x3f800000u); \
    FOR(j, n) piece_[j] = shr_u32(bits_[j], 18); \
    FOR(j, n) poly_[j] = VIF_LOG_PICK_2(piece_[j]) * m_[j]; \
    FOR(j, n) poly_[j] = poly_[j] + VIF_LOG_PICK_1(piece_[j]); \
    FOR(j, n) poly_[j] = poly_[j] * m_[j]; \
    FOR(j, n) poly_[j] = poly_[j] + VIF_LOG_PICK_0(piece_[j]); \
    FOR(j, n) (y)[j] = vif_log_whole(bits_[j], poly_[j]); \
}
#else
#define VIF_LOGS(n, y, x) { \
    u32 bits_[n]; \
    f32 ratio_[n]; \
    f32 poly_[n]; \
    FOR(j, n) bits_[j] = vif_log_bits((x)[j]); \
    FOR(j, n) ratio_[j] = vif_log_rest(bits_[j]); \
    FOR(j, n) poly_[j] = ratio_[j] * VIF_LOG_8 + VIF_LOG_7; \
    FOR(j, n) poly_[j] = poly_[j] * ratio_[j] + VIF_LOG_6; \
    FOR(j, n) poly_[j] = poly_[j] * ratio_[j] + VIF_LOG_5; \
    FOR(j, n) poly_[j] = poly_[j] * ratio_[j] + VIF_LOG_4; \
    FOR(j, n) poly_[j] = poly_[j] * ratio_[j] + VIF_LOG_3; \
    FOR(j, n) poly_[j] = poly_[j] * ratio_[j] + VIF_LOG_2; \
    FOR(j, n) poly_[j] = poly_[j] * ratio_[j] + VIF_LOG_1; \
    FOR(j, n) poly_[j] = poly_[j] * ratio_[j] + VIF_LOG_0; \
    FOR(j, n) (y)[j] = vif_log_whole(bits_[j], poly_[j]); \
}
#endif

FN i32 vif_log(u32 x)
{
    u32 number[1];
    i32 logs[1];
    number[0] = x;
    VIF_LOGS(1, logs, number)
    return logs[0] - VIF_LOG_BIAS;
}
