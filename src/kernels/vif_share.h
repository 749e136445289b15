/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What VIF's channel makes of a pixel: the part of the distorted picture's variance that the reference explains, and
 * the rest. s1 and s2 are the variances of the reference and of the distorted picture, s12 is their covariance. Their
 * unit is 2^-16.
 *
 * vif_share_exact has libvmaf's operations in double, in their order. vif_share_quick has the same integers without a
 * double, or says that it is not sure of them.
 *
 * Domain of both: 2^17 <= s1 < 2^30 + 2^18, 0 < s2, s12 < 2^30 + 2^18, s12^2 / s1 < 1.7 2^30. vif_share_exact
 * takes s1 = s12 = 0, too. The limit of the gain is 1 to 100. tests/exact/test_vif_share.c compares the two.
 */
#define VIF_NOISE 131072u /* the variance of the noise in the eye, 2, in units of 2^-16 */

struct vif_shares {
    u32 rest; /* s2 less what the reference explains, at least 0 */
    u32 kept; /* what it explains, with the gain limited */
    mask sure;
};
#ifdef TARGET_C
typedef struct vif_shares vif_shares;
#endif

/* The gain of the channel g, the variance that it leaves unexplained, then the limit of the gain. */
FN vif_shares vif_share_exact(i32 s1, i32 s2, i32 s12, f64x limit)
{
    vif_shares r;
    f64x variance = f64x_from_i32(s1);
    f64x covariance = f64x_from_i32(s12);
    f64x g = f64x_div(covariance, f64x_add(variance, F64X(VIF_EPSILON_HIGH, VIF_EPSILON_LOW)));
    i32 rest = f64x_to_i32(f64x_sub(f64x_from_i32(s2), f64x_mul(g, covariance)));
    g = f64x_min(g, limit);
    r.rest = u32_from_i32(max_i32(rest, I32(0)));
    r.kept = u32_from_i32(f64x_to_i32(f64x_mul(f64x_mul(g, g), variance)));
    r.sure = I32(0) == 0;
    return r;
}

/* With e = VIF_EPSILON, the doubles stand for P = s12^2 / (s1 + e) and P s1 / (s1 + e): s12^2 / s1 less d and less 2 d,
 * where d = e s12^2 / s1^2 < 0.1; terms of e^2 are below 2^-37. Roundings of doubles move s2 - P by less than 2^-20,
 * those of the other by less than 2^-19.6.
 *
 * s12^2 / s1 = q + part, in integers. The reciprocal is within 2^-23 of itself, so the float quotient is within 2^-21.4
 * of itself, and q within 661 of its value. What is left is less than 661 s1 < 2^40. Its upper bits correct q, so that
 * the last remainder is less than 1.01 s1 in size; part and d are floats, within 2^-21 of their values.
 *
 * So with an error of less than 2^-18.9 in all, and 2^-18 kept clear on both sides of every integer, the whole parts
 * are those of the doubles. Equal pictures have part = 0, and d = e > 2^-17.3.
 *
 * A float from 4 to 8 has its whole part in the two highest bits of the mantissa, and 21 bits behind. 6 is added, and
 * 0x206 is (4 + 2) 2 with the exponent's bits in front.
 *
 * With a whole limit L, g < L is s12 <= L s1: s12 = L s1 makes g less than L by e / s1 > 2^-48 of itself, and
 * s12 = L s1 + 1 makes it larger by 2^-38 of itself. L^2 s1 is a whole number and exact in double. */
FN vif_shares vif_share_quick(i32 s1, i32 s2, i32 s12, int whole_limit)
{
    vif_shares r;
    u32 variance = u32_from_i32(s1);
    u32 covariance = u32_from_i32(s12);
    f32 v = to_f32(s1);
    f32 c = to_f32(s12);
    f32 reciprocal = reciprocal_positive(v);
    reciprocal = reciprocal + reciprocal * (1.0f - v * reciprocal);
    f32 quotient = c * c * reciprocal;
    u32 q = u32_from_i32(i32_from_f32(quotient));
    u64x left = u64x_sub(u64x_mul_u32(covariance, covariance), u64x_mul_u32(q, variance));
    i32 upper = i32_from_u32(u64x_lo(u64x_shr(left, 9)));
    u32 more = u32_from_i32(i32_from_f32(to_f32(upper) * (reciprocal * VIF_2P9)));
    f32 part = to_f32(i32_from_u32(u64x_lo(left) - more * variance)) * reciprocal;
    f32 d = quotient * (reciprocal * VIF_EPSILON);
    u32 one = f32_bits(part - d + VIF_SIX);
    u32 two = f32_bits(part - d - d + VIF_SIX);
    q = q + more - 0x206u;
    i32 rest = s2 - 1 - i32_from_u32(q + shr_u32(one, 21));
    r.rest = u32_from_i32(max_i32(rest, I32(0)));
    u64x most = u64x_mul_u32(variance, U32(whole_limit));
    mask limited = and_(u64x_hi(most) == 0u, u64x_lo(most) < covariance);
    r.kept = sel_u32(limited, variance * U32(whole_limit * whole_limit), q + shr_u32(two, 21));
    r.sure = and_(((one + 8u) & 0x1fffffu) >= 16u, or_(limited, ((two + 8u) & 0x1fffffu) >= 16u));
    r.sure = and_(r.sure, I32(whole_limit) > 0);
    return r;
}

#ifndef TARGET_C /* vectors of a CPU have doubles that are as quick */
/* `seen`: where the result counts. */
FN vif_shares vif_share(i32 s1, i32 s2, i32 s12, mask seen, f64x limit, int whole_limit)
{
    vif_shares r = vif_share_quick(s1, s2, s12, whole_limit);
    if (any_(and_(seen, not_(r.sure)))) {
        vif_shares exact = vif_share_exact(s1, s2, s12, limit);
        r.rest = sel_u32(r.sure, r.rest, exact.rest);
        r.kept = sel_u32(r.sure, r.kept, exact.kept);
    }
    return r;
}
#endif
