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
#define VIF_LOGS(n, y, x) { \
    u32 bits_[n]; \
    f32 t_[n]; \
    f32 c_[n]; \
    FOR(j, n) bits_[j] = vif_log_bits((x)[j]); \
    FOR(j, n) t_[j] = vif_log_rest(bits_[j]); \
    FOR(j, n) c_[j] = t_[j] * VIF_LOG_8 + VIF_LOG_7; \
    FOR(j, n) c_[j] = c_[j] * t_[j] + VIF_LOG_6; \
    FOR(j, n) c_[j] = c_[j] * t_[j] + VIF_LOG_5; \
    FOR(j, n) c_[j] = c_[j] * t_[j] + VIF_LOG_4; \
    FOR(j, n) c_[j] = c_[j] * t_[j] + VIF_LOG_3; \
    FOR(j, n) c_[j] = c_[j] * t_[j] + VIF_LOG_2; \
    FOR(j, n) c_[j] = c_[j] * t_[j] + VIF_LOG_1; \
    FOR(j, n) c_[j] = c_[j] * t_[j] + VIF_LOG_0; \
    FOR(j, n) (y)[j] = vif_log_whole(bits_[j], c_[j]); \
}

FN i32 vif_log(u32 x)
{
    u32 number[1];
    i32 logs[1];
    number[0] = x;
    VIF_LOGS(1, logs, number)
    return logs[0] - VIF_LOG_BIAS;
}
