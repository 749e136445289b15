/* SPDX-License-Identifier: BSD-2-Clause */
/* The logarithm of integer VIF. */
/* 2048 log2(x), rounded, where x keeps only its highest 16 bits; 2^17 <= x < 2^31. A float holds those bits. Its
 * exponent and mantissa are the logarithm but for a correction, which a polynomial gives in units of 2^-12. For all
 * 32768 values of 16 bits the result is that of libvmaf's table, which has the logarithm rounded to float before it is
 * rounded to an integer (tests/exact/test_vif_log.c). */
FN u32 vif_log_bits(u32 x) { return f32_bits(to_f32(x & ~shr_u32(x, 24))) & 0xffffff00u; }
FN i32 vif_log_whole(u32 bits, f32 c) { return shr_i32(i32_from_u32(bits) + i32_from_f32(c), 12); }
#define VIF_LOG_BIAS (127 * 2048) /* of the float's exponent */

/* y[j] = the logarithm of x[j] and VIF_LOG_BIAS for n values of j, step by step, because each step waits for the one
 * before. A difference of two needs no bias taken off. */
#if defined(PICK_32) || defined(CONSTANTS)
/* The same integers in fewer operations: of 1 + t in each 32nd of its range a parabola, whose coefficients its highest
 * bits pick. */
#ifdef CONSTANTS
#define VIF_LOG_ROW(n) {VIF_LOG_0_##n, VIF_LOG_1_##n, VIF_LOG_2_##n, 0.0f}
CONSTANTS(f32, vif_log_rows, 32, 4) = {
    VIF_LOG_ROW(0), VIF_LOG_ROW(1), VIF_LOG_ROW(2), VIF_LOG_ROW(3), VIF_LOG_ROW(4), VIF_LOG_ROW(5), VIF_LOG_ROW(6),
    VIF_LOG_ROW(7), VIF_LOG_ROW(8), VIF_LOG_ROW(9), VIF_LOG_ROW(10), VIF_LOG_ROW(11), VIF_LOG_ROW(12), VIF_LOG_ROW(13),
    VIF_LOG_ROW(14), VIF_LOG_ROW(15), VIF_LOG_ROW(16), VIF_LOG_ROW(17), VIF_LOG_ROW(18), VIF_LOG_ROW(19),
    VIF_LOG_ROW(20), VIF_LOG_ROW(21), VIF_LOG_ROW(22), VIF_LOG_ROW(23), VIF_LOG_ROW(24), VIF_LOG_ROW(25),
    VIF_LOG_ROW(26), VIF_LOG_ROW(27), VIF_LOG_ROW(28), VIF_LOG_ROW(29), VIF_LOG_ROW(30), VIF_LOG_ROW(31)};
#define VIF_LOG_PICK(k, i) CONSTANT(vif_log_rows, (i) & 31u, k)
#else
#define VIF_LOG_PICK(k, i) PICK_32(i, VIF_LOG_##k##_0, VIF_LOG_##k##_1, VIF_LOG_##k##_2, VIF_LOG_##k##_3, \
    VIF_LOG_##k##_4, VIF_LOG_##k##_5, VIF_LOG_##k##_6, VIF_LOG_##k##_7, VIF_LOG_##k##_8, VIF_LOG_##k##_9, \
    VIF_LOG_##k##_10, VIF_LOG_##k##_11, VIF_LOG_##k##_12, VIF_LOG_##k##_13, VIF_LOG_##k##_14, VIF_LOG_##k##_15, \
    VIF_LOG_##k##_16, VIF_LOG_##k##_17, VIF_LOG_##k##_18, VIF_LOG_##k##_19, VIF_LOG_##k##_20, VIF_LOG_##k##_21, \
    VIF_LOG_##k##_22, VIF_LOG_##k##_23, VIF_LOG_##k##_24, VIF_LOG_##k##_25, VIF_LOG_##k##_26, VIF_LOG_##k##_27, \
    VIF_LOG_##k##_28, VIF_LOG_##k##_29, VIF_LOG_##k##_30, VIF_LOG_##k##_31)
#endif
#define VIF_LOGS(n, y, x) { \
    u32 bits_[n]; \
    u32 piece_[n]; \
    f32 m_[n]; \
    f32 poly_[n]; \
    FOR(j, n) bits_[j] = f32_bits(f32_cut((x)[j])) & 0xffffff00u; \
    FOR(j, n) m_[j] = bits_f32((bits_[j] & 0x7fffffu) | 0x3f800000u); \
    FOR(j, n) piece_[j] = shr_u32(bits_[j], 18); \
    FOR(j, n) poly_[j] = VIF_LOG_PICK(2, piece_[j]) * m_[j] + VIF_LOG_PICK(1, piece_[j]); \
    FOR(j, n) poly_[j] = poly_[j] * m_[j] + VIF_LOG_PICK(0, piece_[j]); \
    FOR(j, n) (y)[j] = vif_log_whole(bits_[j], poly_[j]); \
}
#else
#ifdef PICK_8
/* The same integers from a cubic of t in each 8th of its range. 2^23 t is a whole number, and a power of two in the
 * coefficients moves no bit. */
#define VIF_LOG_RATIO(bits) to_f32((bits) & 0x7fffffu)
#define VIF_LOG_PICK(k, unit, i) PICK_8(i, VIF_LOG8_##k##_0 * (unit), VIF_LOG8_##k##_1 * (unit), \
    VIF_LOG8_##k##_2 * (unit), VIF_LOG8_##k##_3 * (unit), VIF_LOG8_##k##_4 * (unit), VIF_LOG8_##k##_5 * (unit), \
    VIF_LOG8_##k##_6 * (unit), VIF_LOG8_##k##_7 * (unit))
#define VIF_LOG_POLY(n) \
    u32 piece_[n]; \
    FOR(j, n) piece_[j] = shr_u32(bits_[j], 20); \
    FOR(j, n) poly_[j] = VIF_LOG_PICK(3, 0x1p-69f, piece_[j]) * ratio_[j] + VIF_LOG_PICK(2, 0x1p-46f, piece_[j]); \
    FOR(j, n) poly_[j] = poly_[j] * ratio_[j] + VIF_LOG_PICK(1, 0x1p-23f, piece_[j]); \
    FOR(j, n) poly_[j] = poly_[j] * ratio_[j] + VIF_LOG_PICK(0, 1.0f, piece_[j]);
#else
#define VIF_LOG_RATIO(bits) (bits_f32(((bits) & 0x7fffffu) | 0x3f800000u) - 1.0f)
#define VIF_LOG_POLY(n) \
    FOR(j, n) poly_[j] = ratio_[j] * VIF_LOG_8 + VIF_LOG_7; \
    FOR(j, n) poly_[j] = poly_[j] * ratio_[j] + VIF_LOG_6; \
    FOR(j, n) poly_[j] = poly_[j] * ratio_[j] + VIF_LOG_5; \
    FOR(j, n) poly_[j] = poly_[j] * ratio_[j] + VIF_LOG_4; \
    FOR(j, n) poly_[j] = poly_[j] * ratio_[j] + VIF_LOG_3; \
    FOR(j, n) poly_[j] = poly_[j] * ratio_[j] + VIF_LOG_2; \
    FOR(j, n) poly_[j] = poly_[j] * ratio_[j] + VIF_LOG_1; \
    FOR(j, n) poly_[j] = poly_[j] * ratio_[j] + VIF_LOG_0;
#endif
#define VIF_LOGS(n, y, x) { \
    u32 bits_[n]; \
    f32 ratio_[n]; \
    f32 poly_[n]; \
    FOR(j, n) bits_[j] = vif_log_bits((x)[j]); \
    FOR(j, n) ratio_[j] = VIF_LOG_RATIO(bits_[j]); \
    VIF_LOG_POLY(n) \
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
