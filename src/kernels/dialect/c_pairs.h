/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two 16-bit numbers in a u32, on the CPU: the low half and the high half. Instruction sets multiply those at twice the
 * rate of 32-bit numbers, and add the products of a pair at no cost.
 */
#ifndef ASSAY_DIALECT_C_PAIRS_H
#define ASSAY_DIALECT_C_PAIRS_H

#include "kernels/dialect/c_lanes.h"

#if LANES > 1
typedef int16_t pairs_i16 __attribute__((vector_size(LANES * 4)));
typedef uint16_t pairs_u16 __attribute__((vector_size(LANES * 4)));
LANE_FN u32 mul_low_u16(u32 a, u32 b) { return (u32)((pairs_u16)a * (pairs_u16)b); }
LANE_FN u32 sub_u16(u32 a, u32 b) { return (u32)((pairs_u16)a - (pairs_u16)b); }
#endif

/* docs/dialect.md says what each word means. dot_i16 wraps around only for four times -2^15. */
#if LANES == 1

#define mul_q15(a, b) (CHECK_AT_, mul_q15_(a, b))
LANE_FN i32 mul_q15_(i32 a, i32 b)
{
    VALUE_CHECK(a >= 0 && a < 32768 && b >= 0 && b < 32768, "a factor of mul_q15");
    return (a * b + 16384) >> 15;
}
LANE_FN u32 widen_pairs_u8(const uint8_t *p) { return p[0] | (u32)p[1] << 16; }

#elif defined(__x86_64__)

#if LANES == 16 && !defined(__clang__)
/* every lane is selected, so the vectors before the masks are not used */
#define PAIRS_(name, a, b) __builtin_ia32_##name##512_mask((pairs_i16)(a), (pairs_i16)(b), (pairs_i16){0}, 0xffffffffu)
#define PAIRS_DOT_(a, b) __builtin_ia32_pmaddwd512_mask((pairs_i16)(a), (pairs_i16)(b), (i32){0}, 0xffff)
#define PAIRS_ABS_(a) __builtin_ia32_pabsw512_mask(a, (pairs_i16){0}, 0xffffffffu)
#else
#define PAIRS_(name, a, b) X86_(name)((pairs_i16)(a), (pairs_i16)(b))
#define PAIRS_DOT_(a, b) PAIRS_(pmaddwd, a, b)
#define PAIRS_ABS_(a) X86_(pabsw)(a)
#endif
#if LANES < 16
#define HALVES_OF(low, high) ((u32)X86_(pblendw)((pairs_i16)(low), (pairs_i16)(high), 0xaa))
#endif
LANE_FN u32 dot_i16(u32 a, u32 b) { return (u32)PAIRS_DOT_(a, b); }
LANE_FN u32 mul_high_u16(u32 a, u32 b) { return (u32)PAIRS_(pmulhuw, a, b); }
LANE_FN i32 mul_q15(i32 a, i32 b) { return (i32)PAIRS_(pmulhrsw, a, b); }
#if defined(__clang__)
LANE_FN u32 abs_i16(u32 a) { return (u32)__builtin_elementwise_abs((pairs_i16)a); }
LANE_FN u32 min_u16(u32 a, u32 b) { return (u32)__builtin_elementwise_min((pairs_u16)a, (pairs_u16)b); }
#else
LANE_FN u32 abs_i16(u32 a) { return (u32)PAIRS_ABS_((pairs_i16)a); }
LANE_FN u32 min_u16(u32 a, u32 b) { return (u32)PAIRS_(pminuw, a, b); }
#endif

#if defined(__clang__)
typedef uint8_t pairs_u8 __attribute__((vector_size(LANES * 2), aligned(1), may_alias));
LANE_FN u32 widen_pairs_u8(const void *p) { return (u32)__builtin_convertvector(*(const pairs_u8 *)p, pairs_u16); }
#elif LANES == 4
LANE_FN u32 widen_pairs_u8(const void *p)
{
    return (u32)__builtin_ia32_pmovzxbw128((x86_u8)(x86_u64){*(const x86_u64_any *)p, 0});
}
#elif LANES == 8
LANE_FN u32 widen_pairs_u8(const void *p) { return (u32)__builtin_ia32_pmovzxbw256((x86_u8)*(const x86_two_any *)p); }
#else
typedef char x86_u8_32 __attribute__((vector_size(32)));
LANE_FN u32 widen_pairs_u8(const void *p)
{
    return (u32)__builtin_ia32_pmovzxbw512_mask((x86_u8_32)*(const x86_words_any *)p, (pairs_i16){0}, 0xffffffffu);
}
#endif

#else

typedef struct { int32x4_t low, high; u32 start; } dot_sum;
LANE_FN dot_sum dot_sum_from(u32 start) { return (dot_sum){(int32x4_t){0}, (int32x4_t){0}, start}; }
LANE_FN u32 u32_from_dots(dot_sum sum) { return (u32)vpaddq_s32(sum.low, sum.high) + sum.start; }
#define LOW_(v) vget_low_s16((int16x8_t)(v))
LANE_FN int32x4_t dot_low_(int32x4_t sum, u32 a, u32 b) { return vmlal_s16(sum, LOW_(a), LOW_(b)); }
LANE_FN int32x4_t dot_high_(int32x4_t sum, u32 a, u32 b) { return vmlal_high_s16(sum, (int16x8_t)a, (int16x8_t)b); }
/* A constant is kept in one register: compilers would hold its low half in another one. */
LANE_FN dot_sum dot_add_i16(dot_sum sum, u32 a, u32 b)
{
    if (__builtin_constant_p(b[0]))
        __asm__("" : "+w"(b));
    return (dot_sum){dot_low_(sum.low, a, b), dot_high_(sum.high, a, b), sum.start};
}
/* A sum is of all lanes, so it does not matter which of them a product is added to. */
#define SUM_DOT_I16(k, x, y, a, b) (acc_[k] = (i32)dot_high_(dot_low_((int32x4_t)acc_[k], a, b), a, b))
#define HALVES_OF(low, high) ((u32)vbslq_u32(U32(0xffffu), (uint32x4_t)(low), (uint32x4_t)(high)))
#define INNER_PAIRS(columns, rows) INNER_IF_(1, columns, rows) HIDE_(INNER_PARTS = 4)
/* The loops of a short text do four vectors in turn. */
#define UNROLLED_ _Pragma("GCC unroll INNER_PARTS + !INNER_PARTS")
LANE_FN u32 dot_i16(u32 a, u32 b) { return u32_from_dots(dot_add_i16(dot_sum_from(U32(0)), a, b)); }
LANE_FN u32 mul_high_u16(u32 a, u32 b)
{
    const uint16x8_t x = (uint16x8_t)a, y = (uint16x8_t)b;
    const uint32x4_t low = vmull_u16(vget_low_u16(x), vget_low_u16(y)), high = vmull_high_u16(x, y);
    return (u32)vuzp2q_u16((uint16x8_t)low, (uint16x8_t)high);
}
LANE_FN u32 abs_i16(u32 a) { return (u32)vabsq_s16((int16x8_t)a); }
LANE_FN u32 min_u16(u32 a, u32 b) { return (u32)vminq_u16((uint16x8_t)a, (uint16x8_t)b); }
LANE_FN i32 mul_q15(i32 a, i32 b) { return (i32)vqrdmulhq_s16((int16x8_t)a, (int16x8_t)b); }
LANE_FN u32 widen_pairs_u8(const void *p) { return (u32)vmovl_u8(vld1_u8((const uint8_t *)p)); }
#endif

/* dot_sum grows by dot_i16(a, b), modulo 2^32. NEON multiplies and adds in one operation as long as the two products of
 * a pair stay apart; elsewhere it is a u32. */
#if LANES == 1 || defined(__x86_64__)
#define INNER_PAIRS(columns, rows)
#define UNROLLED_
typedef u32 dot_sum;
LANE_FN dot_sum dot_sum_from(u32 start) { return start; }
LANE_FN u32 u32_from_dots(dot_sum sum) { return sum; }
#if LANES == 16 && defined(__AVX512VNNI__) && defined(__clang__)
LANE_FN u32 dot_add_i16(u32 sum, u32 a, u32 b) { return (u32)__builtin_ia32_vpdpwssd512((i32)sum, (i32)a, (i32)b); }
#elif LANES == 16 && defined(__AVX512VNNI__)
LANE_FN u32 dot_add_i16(u32 sum, u32 a, u32 b) { return (u32)__builtin_ia32_vpdpwssd_v16si((i32)sum, (i32)a, (i32)b); }
#elif defined(__x86_64__) && LANES > 1
/* KEPT: gcc would add the products of long sums in an order of its own, for which 16 registers are too few. */
LANE_FN dot_sum dot_add_i16(dot_sum sum, u32 a, u32 b) { return KEPT(sum + dot_i16(a, b)); }
#else
LANE_FN dot_sum dot_add_i16(dot_sum sum, u32 a, u32 b) { return sum + dot_i16(a, b); }
#endif
#endif

/* Columns x and x + 1 of the first lane, then every second one. A load never touches a byte outside its row. */
#define PAIR_LOADS(T, C, load) \
    EDGE_FN u32 ldp_edge_##T(const char *row, int width, enum border_rule rule, int x) \
    { \
        C cells[6 * LANES]; \
        edge_cells_##T(cells + 2 * LANES, row, width, rule, x, 2 * LANES); \
        return load((const void *)(cells + 2 * LANES)); \
    } \
    LANE_FN u32 ldp_row_##T(const struct kernel_plane *p, enum border_rule rx, int x, int y) \
    { \
        const char *row = plane_row(p, y); \
        if (columns_inside(p, x, 2 * LANES)) \
            return load((const void *)(row + (ptrdiff_t)x * (int)sizeof(C))); \
        return ldp_edge_##T(row, p->width, rx, x); \
    } \
    LANE_FN u32 ldp_##T(const struct kernel_plane *p, enum border_rule rx, enum border_rule ry, int x, int y) \
    { \
        return ldp_row_##T(p, rx, x, p->inner ? y : border_index(ry, y, p->height)); \
    } \
    LANE_FN u32 ldpz_##T(const struct kernel_plane *p, int x, int y) \
    { \
        return !p->inner && (y < 0 || y >= p->height) ? U32(0) : ldp_row_##T(p, ZEROS, x, y); \
    } \
    EDGE_FN u32 ldp_any_##T(const struct kernel_plane *p, enum border_rule rx, enum border_rule ry, int x, int y) \
    { \
        return ldp_##T(p, rx, ry, x, y); \
    } \
    LANE_FN u32 ldp_inside_##T(const struct kernel_plane *p, int x, int y) \
    { \
        const char *at = plane_row(p, y) + (ptrdiff_t)x * (int)sizeof(C); \
        if (LANES == 16) \
            __builtin_prefetch(at + 128); \
        return load((const void *)at); \
    }
#define load_pairs_u16(p) load_u32(p)
#if LANES == 1
#define load_pairs_u32(p) (load_u32(p) | load_u32((const char *)(p) + 4) << 16)
#else
#define CELLS_FROM_(p, n) load_u32((const char *)(p) + 4 * (n))
/* the second vector starts one cell early: EVEN_OF_TWO */
#define load_pairs_u32(p) \
    (EVEN_OF_TWO(load_u32(p), CELLS_FROM_(p, LANES - 1)) \
     | EVEN_OF_TWO(CELLS_FROM_(p, 1), CELLS_FROM_(p, LANES)) << 16)
#endif
PAIR_LOADS(u8, uint8_t, widen_pairs_u8)
PAIR_LOADS(u16, uint16_t, load_pairs_u16)
PAIR_LOADS(u32, uint32_t, load_pairs_u32)
#undef PAIR_LOADS

/* Columns ox + 2x and ox + 2x + 1 of row oy + ny * y as the low and the high half, with border rules; elements below
 * 2^16. */
#define LDB_PAIR(name, rx, ry, ox, x, ny, oy, y) \
    (CHECK_AT_, OF_PAIRS_(ldp, name, rx, ry, (ox) + 2 * (x).v, (oy) + (ny) * (y).v))
/* The same pair of row oy + y; elements outside are 0. */
#define LD_PAIR(name, ox, x, oy, y) (CHECK_AT_, OF_PAIRS_(ldpz, name, (ox) + 2 * (x).v, (oy) + (y).v))
/* to[i] = LDB_PAIR of oy + i for i below n. Where all rows are inside, one test is enough. Processors do not see short
 * pieces of many rows as streams to read ahead, so they are asked for what comes next in each. */
#define LDB_PAIR_ROWS(to, n, name, rx, ry, ox, x, ny, oy, y) { \
        CHECK_AT_; \
        const int x_ = (ox) + 2 * (x).v, y_ = (oy) + (ny) * (y).v; \
        if (columns_inside((name).p, x_, 2 * LANES) && y_ >= 0 && y_ + (n) <= (name).p->height) \
            FOR(i_, n) { \
                (to)[i_] = OF_PAIRS_(ldp_inside, name, x_, y_ + i_); \
            } \
        else \
            FOR(i_, n) { \
                (to)[i_] = OF_PAIRS_(ldp_any, name, rx, ry, x_, y_ + i_); \
            } \
    }

#endif
