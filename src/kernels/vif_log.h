/* SPDX-License-Identifier: BSD-2-Clause */
/* The logarithm of integer VIF. */
/* 2048 log2(x), rounded, where x keeps only its highest 16 bits; 2^17 <= x < 2^31. A float holds those bits. Its
 * exponent and mantissa are the logarithm but for a correction, which a polynomial gives in units of 2^-12. For all
 * 32768 values of 16 bits the result is that of libvmaf's table, which has the logarithm rounded to float before it is
 * rounded to an integer (tests/exact/test_vif_log.c). */
FN i32 vif_log(u32 x)
{
    u32 bits = f32_bits(to_f32(sel_u32(x >= 0x1000000u, x & 0xffffff00u, x))) & 0xffffff00u;
    f32 t = bits_f32((bits & 0x7fffffu) | 0x3f800000u) - 1.0f;
    f32 c = t * VIF_LOG_8 + VIF_LOG_7;
    c = c * t + VIF_LOG_6;
    c = c * t + VIF_LOG_5;
    c = c * t + VIF_LOG_4;
    c = c * t + VIF_LOG_3;
    c = c * t + VIF_LOG_2;
    c = c * t + VIF_LOG_1;
    c = c * t + VIF_LOG_0;
    return shr_i32(i32_from_u32(bits) + i32_from_f32(c), 12) - 127 * 2048;
}
