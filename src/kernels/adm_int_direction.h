/* SPDX-License-Identifier: BSD-2-Clause */
/* The direction test of the integer ADM: the double decides, and float where it surely says the same. */
#ifndef ASSAY_KERNELS_ADM_INT_DIRECTION_H
#define ASSAY_KERNELS_ADM_INT_DIRECTION_H

#include "kernels/exact.h"

/* The bits of float(cos^2(1 degree)) as a double. */
#define ADM_INT_COS2_WIDE F64X(0x3feffd81u, 0x40000000u)

/* Do the directions of (o_h, o_v) and (t_h, t_v) differ by at most one degree? From the scalar product and the squared
 * lengths, each rounded to a float. The square and the first product are exact in double, the last product rounds. */
FN mask adm_int_exact_direction(f32 dot, f32 oo, f32 tt)
{
    f64x d = f64x_from_f32(dot);
    f64x limit = f64x_mul(f64x_mul(ADM_INT_COS2_WIDE, f64x_from_f32(oo)), f64x_from_f32(tt));
    return and_(not_(dot < 0.0f), f64x_le(limit, f64x_mul(d, d)));
}

/* The same test in float. Let u be 2^-24, and let oo and tt be off by at most 4 u of themselves, the scalar product by
 * at most 4 u sqrt(oo tt). Then `square`, which has the sign of the product, is off by less than 10 u oo tt, and
 * `limit` by less than 11 u oo tt. What the exact form compares is off by at most 4 u oo tt: it rounds its three
 * operands to floats. So both forms agree where the difference, which is itself rounded, is 2^-18 limit or more, which
 * is more than 60 u oo tt. Where limit is 0, so is the square, and both forms say yes. */
struct adm_int_direction {
    mask same, unsure;
};
#ifdef TARGET_C
typedef struct adm_int_direction adm_int_direction;
#endif
FN adm_int_direction adm_int_direction_of(f32 dot, f32 oo, f32 tt)
{
    adm_int_direction r;
    f32 square = dot * abs_f32(dot);
    f32 limit = (F32(ADM_INT_COS2) * oo) * tt;
    f32 above = square - limit;
    r.same = not_(above < 0.0f);
    r.unsure = abs_f32(above) < limit * ADM_INT_NEAR;
    return r;
}

/* Of 16-bit numbers, h in the low halves, v in the high ones, none below -2^15 + 1: sums are exact. */
FN mask adm_int_same_direction_16(u32 o, u32 t)
{
    f32 dot = f32_from_i32(i32_from_u32(dot_i16(o, t)));
    f32 oo = f32_from_i32(i32_from_u32(dot_i16(o, o)));
    f32 tt = f32_from_i32(i32_from_u32(dot_i16(t, t)));
    adm_int_direction direction = adm_int_direction_of(dot, oo, tt);
    if (any_(direction.unsure)) {
        direction.same = adm_int_exact_direction(dot, oo, tt);
    }
    return direction.same;
}

/* Of numbers of at most 1.51e9 in size: the squares of the squared lengths are below 2^128. */
FN mask adm_int_same_direction_32(i32 oh, i32 ov, i32 th, i32 tv)
{
    f32 fo = f32_from_i32(oh);
    f32 go = f32_from_i32(ov);
    f32 ft = f32_from_i32(th);
    f32 gt = f32_from_i32(tv);
    adm_int_direction direction = adm_int_direction_of(fo * ft + go * gt, fo * fo + go * go, ft * ft + gt * gt);
    if (any_(direction.unsure)) {
        u64x dot = u64x_add(u64x_mul_i32(oh, th), u64x_mul_i32(ov, tv));
        mask towards = not_(i32_from_u32(u64x_hi(dot)) < 0);
        direction.same = and_(towards, adm_int_exact_direction(
            sel_f32(towards, u64x_to_f32(dot), F32(0.0f)),
            u64x_to_f32(u64x_add(u64x_mul_i32(oh, oh), u64x_mul_i32(ov, ov))),
            u64x_to_f32(u64x_add(u64x_mul_i32(th, th), u64x_mul_i32(tv, tv)))));
    }
    return direction.same;
}

#endif
