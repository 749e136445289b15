/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of the kernel dialect that targets in C++ spell alike: CUDA and SYCL, on which an item is a thread. Those
 * that GLSL spells like them are in gpu.h.
 * docs/dialect.md is the reference of every word.
 *
 * The target's header includes this one. Before that it defines FN (before a function), METHOD_ (before a member
 * function), plane_ (the type of a plane's description), f32_bits, bits_f32, load_cell_ and store_cell_ (one cell from
 * and to a plane's memory). The rest that macros name here comes after it: ROUNDS_, a loop over this thread's items,
 * TILE_X, TILE_Y, and the arguments a_ of a kernel.
 */
#ifndef ASSAY_DIALECT_CPP_H
#define ASSAY_DIALECT_CPP_H

#include "kernels/dialect/gpu.h"

#ifndef RUN
#define RUN 4
#endif
#define FOR(i, n) _Pragma("unroll") for (int i = 0; i < (n); i++)
#define LOOP(i, n) _Pragma("unroll 1") for (int i = 0; i < (n); i++)
/* A counted loop: the compiler then unrolls it by a few rounds instead of wholly. */
#define ROUNDS_(items) for (int t_ = ITEM_; t_ < (items); t_ += NT) {

typedef float f32;
typedef int32_t i32;
typedef uint32_t u32;
typedef bool mask;
typedef int lane_x, lane_y;

/* ---- values ------------------------------------------------------------------------------------------------------ */

#define F32(c) ((f32)(c))
#define I32(c) ((i32)(c))
#define U32(c) ((u32)(c))

#define ITEM_FN FN
#include "kernels/dialect/one_item.h"

FN mask and_(mask a, mask b) { return a & b; }
FN mask or_(mask a, mask b) { return a | b; }
FN bool any_(mask m) { return m; }

FN u32 u32_from_i32(i32 v) { return (u32)v; }
FN i32 i32_from_u32(u32 v) { return (i32)v; }
FN f32 to_f32(f32 v) { return v; }
FN i32 to_i32(i32 v) { return v; }
FN i32 to_i32(u32 v) { return (i32)v; }
FN u32 to_u32(i32 v) { return (u32)v; }
FN u32 to_u32(u32 v) { return v; }

FN u32 shl_u32(u32 v, int n) { return v << n; }
FN u32 shr_u32(u32 v, int n) { return v >> n; }
FN i32 shr_i32(i32 v, int n) { return v >> n; }
FN u32 shl_u32_by(u32 v, u32 n) { return v << n; }
FN u32 shr_u32_by(u32 v, u32 n) { return v >> n; }
FN i32 shr_i32_by(i32 v, u32 n) { return v >> n; }

typedef u32 dot_sum;
FN dot_sum dot_sum_from(u32 start) { return start; }
FN dot_sum dot_add_i16(dot_sum sum, u32 a, u32 b) { return sum + dot_i16(a, b); }
FN u32 u32_from_dots(dot_sum sum) { return sum; }
/* (a b + 2^14) >> 15 of numbers from 0 to 2^15 - 1. */
FN i32 mul_q15(i32 a, i32 b) { return (a * b + 16384) >> 15; }

/* Compare and select, because the abs, max and min of targets differ for NaN and -0. */
FN f32 abs_f32(f32 v) { return bits_f32(f32_bits(v) & 0x7fffffffu); }
FN f32 max_f32(f32 a, f32 b) { return a > b ? a : b; }
FN f32 min_f32(f32 a, f32 b) { return a < b ? a : b; }
FN i32 max_i32(i32 a, i32 b) { return a > b ? a : b; }
FN i32 min_i32(i32 a, i32 b) { return a < b ? a : b; }

/* ---- 64 bits ----------------------------------------------------------------------------------------------------- */

FN u64x u64x_shl(u64x v, int n) { return v << n; }
FN u64x u64x_shr(u64x v, int n) { return v >> n; }
FN u64x u64x_shr_signed(u64x v, int n) { return (u64x)((int64_t)v >> n); }

/* ---- borders ----------------------------------------------------------------------------------------------------- */

enum border_rule { REFLECT101, SYMMETRIC, REPLICATE, MIXED, REFLECT_ONCE, WITHIN };

FN int clamp_index(int i, int n) { return max_i32(min_i32(i, n - 1), 0); }

/* Folds any index until it is inside 0..n-1, for any n of at least 1. */
FN int border_index(border_rule rule, int i, int n)
{
    if (rule == WITHIN)
        return i;
    if (rule == REFLECT_ONCE) {
        const int from_end = n - 1 - (i < 0 ? -i : i);
        return max_i32(n - 1 - (from_end < 0 ? -from_end : from_end), 0);
    }
    if (rule == MIXED) {
        const int size = i < 0 ? -i : i;
        return max_i32(min_i32(size, 2 * n - 1 - size), 0);
    }
    if (rule == REPLICATE || n == 1)
        return clamp_index(i, n);
    const int low = rule == SYMMETRIC ? -1 : 0, high = rule == REFLECT101 ? 2 * n - 2 : 2 * n - 1;
    while ((unsigned)i >= (unsigned)n)
        i = i < 0 ? low - i : high - i;
    return i;
}

/* ---- planes ------------------------------------------------------------------------------------------------------ */

#ifndef CELL_INSIDE_ /* the tests' emulated device looks */
#define CELL_INSIDE_(p, x, y)
#endif

/* Address of a cell; a plane has less than 2^32 bytes (the executor refuses larger ones). */
template <typename C> FN C *cell_(const plane_ &p, int x, int y)
{
    CELL_INSIDE_(p, x, y)
    return (C *)((char *)p.data + ((uint32_t)y * (uint32_t)p.stride + (uint32_t)x * (uint32_t)sizeof(C)));
}

/* A plane of cells C read as lane values V. */
template <typename C, typename V> struct plane_in {
    const plane_ &p;

    METHOD_ V cell(int x, int y) const { return (V)load_cell_(cell_<const C>(p, x, y)); }
    METHOD_ V ld(int x, int y) const
    {
        return (unsigned)x < (unsigned)p.width && (unsigned)y < (unsigned)p.height ? cell(x, y) : (V)0;
    }
    METHOD_ u32 four(border_rule rx, border_rule ry, int x, int y) const
    {
        if (rx == WITHIN && (((uintptr_t)p.data | (uintptr_t)p.stride) & 3) == 0)
            return load_cell_((const u32 *)cell_<const C>(p, x, y));
        u32 v = 0;
        FOR(i, 4) v |= (u32)ldb(rx, ry, x + i, y) << 8 * i;
        return v;
    }
    METHOD_ V ldb(border_rule rx, border_rule ry, int x, int y) const
    {
        return cell(border_index(rx, x, p.width), border_index(ry, y, p.height));
    }
    /* Of the h rows from `top` on. */
    METHOD_ V ld_layer(int top, int h, int x, int y) const
    {
        return (unsigned)x < (unsigned)p.width && (unsigned)y < (unsigned)h ? cell(x, top + y) : (V)0;
    }
    METHOD_ V ldb_layer(int top, int h, border_rule rx, border_rule ry, int x, int y) const
    {
        return cell(border_index(rx, x, p.width), top + border_index(ry, y, h));
    }
    /* An index outside is a defect of the text, which the checking C build names. Here it is clamped and does no
     * harm. */
    METHOD_ V ldg(int x, int y) const { return cell(clamp_index(x, p.width), clamp_index(y, p.height)); }
};
typedef plane_in<uint8_t, i32> u8_in;
typedef plane_in<uint16_t, i32> u16_in;
typedef plane_in<uint32_t, u32> u32_in;
typedef plane_in<int32_t, i32> i32_in;
typedef plane_in<float, f32> f32_in;

template <typename V> struct plane_out {
    const plane_ &p;

    METHOD_ void st(mask m, int x, int y, V v) const
    {
        if (m && (unsigned)x < (unsigned)p.width && (unsigned)y < (unsigned)p.height)
            store_cell_(cell_<V>(p, x, y), v);
    }
};
typedef plane_out<u32> u32_out;
typedef plane_out<i32> i32_out;
typedef plane_out<f32> f32_out;

#define LD_(name, x, y) name.ld(x, y)
#define LDB_(name, rx, ry, x, y) name.ldb(rx, ry, x, y)
#define FOURS
#define LDB_FOUR_(name, rx, ry, x, y) name.four(rx, ry, x, y)
#define LD_LAYER_(name, top, h, x, y) name.ld_layer(top, h, x, y)
#define LDB_LAYER_(name, top, h, rx, ry, x, y) name.ldb_layer(top, h, rx, ry, x, y)
#define LDG(name, xi, yi) name.ldg(xi, yi)
#define ST_LAYER_AT(name, k, w, ox, x, ny, oy, y, val) \
    name.st(((x) < (w)) & ((oy) + (ny) * (y) < GRID_H), (ox) + (x), (oy) + (ny) * (y) + (k) * GRID_H, val)
#define STG(name, m, xi, yi, val) name.st(m, xi, yi, val)
#define PLANE_W(name) (name.p.width)
#define PLANE_H(name) (name.p.height)

/* ---- interface of a kernel --------------------------------------------------------------------------------------- */

#define PLANE_IN_(slot, T, name) const T##_in name = {a_.plane[slot]};
#define PLANE_OUT_(slot, T, name) const T##_out name = {a_.plane[slot]};
#define PARAM_I32(slot, name) const int name = a_.param[slot].i;
#define PARAM_F32(slot, name) const float name = a_.param[slot].f;
#define PARAMS_I32(slot, n, name) const kernel_param *const name = a_.param + (slot);
#define PARAMS_F32(slot, n, name) PARAMS_I32(slot, n, name)
#define PARAM_AT_I32(name, n) (name[n].i)
#define PARAM_AT_F32(name, n) (name[n].f)

#define GRID_W (a_.grid_w)
#define GRID_H (a_.grid_h)

/* ---- loops ------------------------------------------------------------------------------------------------------- */

#define ALONG_(y)
/* Every item, with counts of codes in its window: sliding_tally.h, tally.h. */
#define TALLY(name, last) TALLY_(name)
#define TALLIES(x, y, name, radius, reach, first, last) TALLIES_(x, y, name, radius, reach, first, last)
#define END_TALLIES END_TALLIES_
#define TALLY_OF(name, n, counts, m, code, x, y) TALLY_OF_(name, counts, m, code, x, y)

/* ---- positions -------------------------------------------------------------------------------------------------- */

#define INSIDE(x, y, dy) ((TILE_X + (x) < GRID_W) & (TILE_Y + (y) + (dy) < GRID_H))

#define TILE_CELL_(name, col, row) name[row][col]

/* ---- totals ------------------------------------------------------------------------------------------------------ */

#define SUM_U64(k, m, v) wide_[(k) - KERNEL_SUMS] += u64x_sel(m, v, 0)

#endif
