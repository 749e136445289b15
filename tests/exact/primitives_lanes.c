/* SPDX-License-Identifier: BSD-2-Clause */
/* Built once per instruction set with LANES and PRIMITIVES_LEVEL. With SABOTAGE every function of exact.h is a little
 * wrong: a Newton step less, a lost carry, a division that fails next to some midpoints only. */
#include "exact/primitives.h"

#ifdef SABOTAGE
#define EXACT_DIV_STEPS 1
#define EXACT_SQRT_STEPS 2
#define EXACT_CBRT_STEPS 1
#endif

#define TILE_W 16 /* the header wants a tile; none is used here */
#define TILE_H 16
#include "kernels/dialect/c.h"

#include "kernels/exact.h"

#ifdef SABOTAGE
#define u64x_add(a, b) u64x_make((a).lo + (b).lo, (a).hi + (b).hi)
#define div_rn_(a, b) corrected_twice(a, b)

/* Four Newton steps, then twice the remainder times the reciprocal. */
FN f32 corrected_twice(f32 a, f32 b)
{
    f32 r = reciprocal_estimate(b);
    FOR(i, 3) {
        r = r + r * (1.0f - b * r);
    }
    f32 q = a * r;
    FOR(k, 2) {
        f32 p = q * b;
        q = q + ((a - p) - product_error(q, b, p)) * r;
    }
    return q;
}
#endif

#define EACH_VECTOR(i) for (size_t i = 0; i < PRIMITIVES_BLOCK; i += LANES)

static void store_f32(float *p, f32 v)
{
    memcpy(p, &v, sizeof v);
}

static void reciprocal(const float *b, float *r)
{
    EACH_VECTOR(i)
        store_f32(r + i, reciprocal_estimate(load_f32(b + i)));
}

static void divide(const float *a, const float *b, float *portable, float *native)
{
    EACH_VECTOR(i) {
        const f32 n = load_f32(a + i), d = load_f32(b + i);
        store_f32(portable + i, div_rn_(n, d));
        store_f32(native + i, div_rn(n, d));
    }
}

static void square_root(const float *x, float *portable, float *native)
{
    EACH_VECTOR(i) {
        const f32 v = load_f32(x + i);
        store_f32(portable + i, sqrt_rn_(v));
        store_f32(native + i, sqrt_rn(v));
    }
}

static void cube_root(const float *x, float *y)
{
    EACH_VECTOR(i)
        store_f32(y + i, cbrt_(load_f32(x + i)));
}

static u64x from_mask(mask m)
{
    return u64x_from_u32(sel_u32(m, U32(1u), U32(0u)));
}

static u64x apply(enum integer_op op, int shift, u64x a, u64x b)
{
    switch (op) {
    case OP_ADD: return u64x_add(a, b);
    case OP_SUB: return u64x_sub(a, b);
    case OP_NEG: return u64x_neg(a);
    case OP_MUL: return u64x_mul(a, b);
    case OP_MUL_U32: return u64x_mul_u32(a.lo, b.lo);
    case OP_SHL: return u64x_shl(a, shift);
    case OP_SHR: return u64x_shr(a, shift);
    case OP_SHR_SIGNED: return u64x_shr_signed(a, shift);
    case OP_LT: return from_mask(u64x_lt(a, b));
    case OP_LT_SIGNED: return from_mask(u64x_lt_signed(a, b));
    case OP_EQ: return from_mask(u64x_eq(a, b));
    case OP_SEL: return u64x_sel(u64x_lt(a, b), a, b);
    case OP_FROM_U32: return u64x_from_u32(a.lo);
    case OP_FROM_I32: return u64x_from_i32(i32_from_u32(a.lo));
    case OP_TO_F32: return u64x_from_u32(f32_bits(u64x_to_f32(a)));
    case INTEGER_OPS: break;
    }
    return a;
}

static void integer(enum integer_op op, int shift, const struct halves *a, const struct halves *b, struct halves *out)
{
    EACH_VECTOR(i) {
        const u64x r = apply(op, shift, u64x_make(load_u32(a->lo + i), load_u32(a->hi + i)),
                             u64x_make(load_u32(b->lo + i), load_u32(b->hi + i)));
        memcpy(out->lo + i, &r.lo, sizeof r.lo);
        memcpy(out->hi + i, &r.hi, sizeof r.hi);
    }
}

#define TEXT(x) TEXT_(x)
#define TEXT_(x) #x
#define JOIN(a, b) JOIN_(a, b)
#define JOIN_(a, b) a##b

const struct primitives JOIN(primitives_, PRIMITIVES_LEVEL) = {
    TEXT(PRIMITIVES_LEVEL), reciprocal, divide, square_root, cube_root, integer,
};
