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
#include "kernels/exact_wide.h"

#ifdef SABOTAGE
#define u64x_add_(a, b) u64x_make_((a).lo + (b).lo, (a).hi + (b).hi)
#define u64x_add(a, b) u64x_make(u64x_lo(a) + u64x_lo(b), u64x_hi(a) + u64x_hi(b))
#define div_rn_(a, b) corrected_twice(a, b)
#define f64x_mul_(a, b) halves_up(a, b)

/* The product, but halfway between two doubles the larger one. */
FN f64x_ halves_up(f64x_ a, f64x_ b)
{
    const f64x_ p = (f64x_mul_)(a, b);
    const mask half = and_(or_((a.lo & 0x3ffffffu) == 0u, (b.lo & 0x3ffffffu) == 0u), (p.lo & 3u) == 0u);
    return f64x_make_(p.hi, p.lo | sel_u32(half, U32(1u), U32(0u)));
}

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

/* The target's own 64-bit integers, and those of exact_wide.h, whose names end in _. */
#define INTEGER_APPLY(_) \
    static u64x##_ integer_apply##_(enum integer_op op, int shift, u64x##_ a, u64x##_ b) \
    { \
        switch (op) { \
        case OP_ADD: return u64x_add##_(a, b); \
        case OP_SUB: return u64x_sub##_(a, b); \
        case OP_NEG: return u64x_neg##_(a); \
        case OP_MUL: return u64x_mul##_(a, b); \
        case OP_MUL_U32: return u64x_mul_u32##_(u64x_lo##_(a), u64x_lo##_(b)); \
        case OP_MUL_I32: return u64x_mul_i32##_(i32_from_u32(u64x_lo##_(a)), i32_from_u32(u64x_lo##_(b))); \
        case OP_SHL: return u64x_shl##_(a, shift); \
        case OP_SHR: return u64x_shr##_(a, shift); \
        case OP_SHR_SIGNED: return u64x_shr_signed##_(a, shift); \
        case OP_LT: return u64x_from_u32##_(one_of(u64x_lt##_(a, b))); \
        case OP_LT_SIGNED: return u64x_from_u32##_(one_of(u64x_lt_signed##_(a, b))); \
        case OP_EQ: return u64x_from_u32##_(one_of(u64x_eq##_(a, b))); \
        case OP_SEL: return u64x_sel##_(u64x_lt##_(a, b), a, b); \
        case OP_FROM_U32: return u64x_from_u32##_(u64x_lo##_(a)); \
        case OP_FROM_I32: return u64x_from_i32##_(i32_from_u32(u64x_lo##_(a))); \
        case OP_TO_F32: return u64x_from_u32##_(f32_bits(u64x_to_f32##_(a))); \
        case INTEGER_OPS: break; \
        } \
        return a; \
    } \
    static void integer##_(enum integer_op op, int shift, const struct halves *a, const struct halves *b, \
                           struct halves *out) \
    { \
        EACH_VECTOR(i) { \
            const u64x##_ r = integer_apply##_(op, shift, u64x_make##_(load_u32(a->lo + i), load_u32(a->hi + i)), \
                                               u64x_make##_(load_u32(b->lo + i), load_u32(b->hi + i))); \
            const u32 lo = u64x_lo##_(r), hi = u64x_hi##_(r); \
            memcpy(out->lo + i, &lo, sizeof lo); \
            memcpy(out->hi + i, &hi, sizeof hi); \
        } \
    }
static u32 one_of(mask m)
{
    return sel_u32(m, U32(1u), U32(0u));
}
INTEGER_APPLY()
INTEGER_APPLY(_)

#define REAL_APPLY(_) \
    static u64x##_ real_apply##_(enum real_op op, u64x##_ a, u64x##_ b) \
    { \
        const f64x##_ x = bits_f64x##_(a), y = bits_f64x##_(b); \
        switch (op) { \
        case REAL_ADD: return f64x_bits##_(f64x_add##_(x, y)); \
        case REAL_SUB: return f64x_bits##_(f64x_sub##_(x, y)); \
        case REAL_MUL: return f64x_bits##_(f64x_mul##_(x, y)); \
        case REAL_DIV: return f64x_bits##_(f64x_div##_(x, y)); \
        case REAL_LT: return u64x_from_u32##_(one_of(f64x_lt##_(x, y))); \
        case REAL_LE: return u64x_from_u32##_(one_of(f64x_le##_(x, y))); \
        case REAL_SEL: return f64x_bits##_(f64x_sel##_(f64x_lt##_(x, y), x, y)); \
        case REAL_FROM_I32: return f64x_bits##_(f64x_from_i32##_(i32_from_u32(u64x_lo##_(a)))); \
        case REAL_FROM_U64: return f64x_bits##_(f64x_from_u64##_(a)); \
        case REAL_FROM_I64: return f64x_bits##_(f64x_from_i64##_(a)); \
        case REAL_FROM_F32: return f64x_bits##_(f64x_from_f32##_(bits_f32(u64x_lo##_(a)))); \
        case REAL_TO_F32: return u64x_from_u32##_(f32_bits(f64x_to_f32##_(x))); \
        case REAL_TO_I32: return u64x_from_i32##_(f64x_to_i32##_(x)); \
        case REAL_TO_I64: return f64x_to_i64##_(x); \
        case REAL_OPS: break; \
        } \
        return a; \
    } \
    static void real##_(enum real_op op, const struct halves *a, const struct halves *b, struct halves *out) \
    { \
        EACH_VECTOR(i) { \
            const u64x##_ r = real_apply##_(op, u64x_make##_(load_u32(a->lo + i), load_u32(a->hi + i)), \
                                            u64x_make##_(load_u32(b->lo + i), load_u32(b->hi + i))); \
            const u32 lo = u64x_lo##_(r), hi = u64x_hi##_(r); \
            memcpy(out->lo + i, &lo, sizeof lo); \
            memcpy(out->hi + i, &hi, sizeof hi); \
        } \
    }
REAL_APPLY()
REAL_APPLY(_)

#define TEXT(x) TEXT_(x)
#define TEXT_(x) #x
#define JOIN(a, b) JOIN_(a, b)
#define JOIN_(a, b) a##b

const struct primitives JOIN(primitives_, PRIMITIVES_LEVEL) = {
    TEXT(PRIMITIVES_LEVEL), reciprocal, divide, square_root, cube_root, integer, integer_, real, real_,
};
