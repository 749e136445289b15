/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a pixel of float VIF adds to numerator and denominator, from the moments under its window: means of both
 * pictures' samples, of their squares and of their products. float_vif.k has the parameters and the ranges.
 */
/* log2 of a normal number from 1 on: the exponent, and a polynomial of the mantissa. */
FN f32 fvif_log2(f32 v)
{
    u32 bits = f32_bits(v);
    f32 x = bits_f32((bits & 0x7fffffu) | 0x3f800000u) - 1.0f;
    f32 r = F32(FVIF_LOG_8);
    r = r * x + FVIF_LOG_7;
    r = r * x + FVIF_LOG_6;
    r = r * x + FVIF_LOG_5;
    r = r * x + FVIF_LOG_4;
    r = r * x + FVIF_LOG_3;
    r = r * x + FVIF_LOG_2;
    r = r * x + FVIF_LOG_1;
    return f32_from_i32(i32_from_u32(shr_u32(bits, 23)) - 127) + r * x;
}

struct fvif_terms {
    f32 num;
    f32 den;
};
#ifdef TARGET_C
typedef struct fvif_terms fvif_terms;
#endif

FN fvif_terms fvif_terms_of(f32 mean1, f32 mean2, f32 squares1, f32 squares2, f32 products, f32 gain, f32 noise,
                            f32 noise_inverse, f32 quiet, f32 quiet_factor)
{
    fvif_terms t;
    f32 var1 = max_f32(squares1 - mean1 * mean1, F32(0.0f));
    f32 var2 = max_f32(squares2 - mean2 * mean2, F32(0.0f));
    f32 cov = products - mean1 * mean2;
    cov = sel_f32(abs_f32(cov) < FVIF_TINY, F32(0.0f), cov);
    f32 g = div_rn(cov, var1 + FVIF_EPS);
    f32 rest = var2 - g * cov;
    mask none1 = var1 < FVIF_EPS;
    mask none2 = var2 < FVIF_EPS;
    g = sel_f32(none1, F32(0.0f), g);
    rest = sel_f32(none1, var2, rest);
    var1 = sel_f32(none1, F32(0.0f), var1);
    g = sel_f32(none2, F32(0.0f), g);
    rest = sel_f32(none2, F32(0.0f), rest);
    rest = sel_f32(g < 0.0f, var2, rest);
    g = max_f32(g, F32(0.0f));
    rest = max_f32(rest, F32(FVIF_EPS));
    g = min_f32(g, gain);
    f32 signal = g * g * var1;
    signal = sel_f32(signal < FVIF_TINY, F32(0.0f), signal);
    t.num = fvif_log2(1.0f + div_rn(signal, rest + noise));
    t.den = fvif_log2(1.0f + var1 * noise_inverse);
    t.num = sel_f32(cov < 0.0f, F32(0.0f), t.num);
    mask without = var1 < quiet;
    t.num = sel_f32(without, 1.0f - var2 * quiet_factor, t.num);
    t.den = sel_f32(without, F32(1.0f), t.den);
    return t;
}
