/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel dialect on SYCL 2020, in C++17. A work item is an item of an nd_range, a tile is a work-group of NT items,
 * tile memory is one local accessor that is handed out piece by piece. docs/dialect.md is the reference of every word.
 *
 * tools/sycl_module.py puts each text into a namespace of its own and defines TILE_W, TILE_H, NT, KERNEL_SYMBOL,
 * KERNEL_SUMS, KERNEL_SUM_MAX, KERNEL_WIDE, KERNEL_HISTOGRAM, KERNEL_ROW_SUMS and KERNEL_EXTREMA around it.
 *
 * No optional feature is used: no 64-bit float, no 64-bit atomic, no group algorithm, no function of a device's math
 * library. Doubles are exact_wide.h's integers. Sums of a tile are added in tile memory, then to their 64-bit totals as
 * two 32-bit words with a carry. The build forbids fused operations.
 */
#ifndef ASSAY_DIALECT_SYCL_H
#define ASSAY_DIALECT_SYCL_H

#include <sycl/sycl.hpp>

#include "kernels/dialect/interface.h"
#include "kernels/dialect/sycl_args.h"
#include "kernels/shared.h"

#define TARGET_SYCL 1
#define ROWS (TILE_W * TILE_H / NT)
#ifndef RUN
#define RUN 4
#endif
#define INLINE_ inline __attribute__((always_inline))
#define FN static INLINE_
#define FOR(i, n) _Pragma("unroll") for (int i = 0; i < (n); i++)
#define FOR_LARGE(i, n) FOR(i, n)
#define LOOP(i, n) _Pragma("unroll 1") for (int i = 0; i < (n); i++)

typedef float f32;
typedef int32_t i32;
typedef uint32_t u32;
typedef bool mask;
typedef int lane_x, lane_y;
typedef sycl::nd_item<2> item_;

/* ---- values ------------------------------------------------------------------------------------------------------ */

#define F32(c) ((f32)(c))
#define I32(c) ((i32)(c))
#define U32(c) ((u32)(c))

FN f32 sel_f32(mask m, f32 a, f32 b) { return m ? a : b; }
FN i32 sel_i32(mask m, i32 a, i32 b) { return m ? a : b; }
FN u32 sel_u32(mask m, u32 a, u32 b) { return m ? a : b; }
FN mask and_(mask a, mask b) { return a & b; }
FN mask or_(mask a, mask b) { return a | b; }
FN mask not_(mask m) { return !m; }
FN bool any_(mask m) { return m; }

FN u32 f32_bits(f32 v) { return sycl::bit_cast<u32>(v); }
FN f32 bits_f32(u32 v) { return sycl::bit_cast<f32>(v); }
FN u32 u32_from_i32(i32 v) { return (u32)v; }
FN i32 i32_from_u32(u32 v) { return (i32)v; }
FN i32 i32_from_f32(f32 v) { return (i32)v; }
FN f32 f32_from_i32(i32 v) { return (f32)v; }
FN f32 f32_from_u32(u32 v) { return (f32)(i32)v; }
FN f32 to_f32(i32 v) { return (f32)v; }
FN f32 to_f32(u32 v) { return (f32)(i32)v; }
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

/* Two 16-bit numbers in a u32: the sum of the signed products of both halves, and the low and the high 16 bits of the
 * unsigned product of each. */
FN u32 dot_i16(u32 a, u32 b)
{
    return (u32)((int16_t)a * (int16_t)b) + (u32)((int16_t)(a >> 16) * (int16_t)(b >> 16));
}
#define KEPT(v) (v)
FN u32 dot_add_i16(u32 sum, u32 a, u32 b) { return sum + dot_i16(a, b); }
FN u32 mul_low_u16(u32 a, u32 b) { return ((a & 0xffffu) * (b & 0xffffu) & 0xffffu) | (a >> 16) * (b >> 16) << 16; }
FN u32 mul_high_u16(u32 a, u32 b)
{
    return (a & 0xffffu) * (b & 0xffffu) >> 16 | ((a >> 16) * (b >> 16) & 0xffff0000u);
}
/* The size of each half; and (a b + 2^14) >> 15 of numbers from 0 to 2^15 - 1. */
FN u32 abs_i16(u32 a)
{
    u32 minus = (a >> 15 & 0x00010001u) * 0xffffu;
    return (a ^ minus) + (minus & 0x00010001u);
}
FN i32 mul_q15(i32 a, i32 b) { return (a * b + 16384) >> 15; }

/* Compare and select, because the abs, max and min of targets differ for NaN and -0. */
FN f32 abs_f32(f32 v) { return bits_f32(f32_bits(v) & 0x7fffffffu); }
FN f32 max_f32(f32 a, f32 b) { return a > b ? a : b; }
FN f32 min_f32(f32 a, f32 b) { return a < b ? a : b; }
FN i32 max_i32(i32 a, i32 b) { return a > b ? a : b; }
FN i32 min_i32(i32 a, i32 b) { return a < b ? a : b; }

/* The processor's own division and square root are correctly rounded. SYCL promises that of no other device. */
#ifdef SYCL_ON_PROCESSOR
FN f32 div_rn(f32 a, f32 b) { return a / b; }
FN f32 sqrt_rn(f32 v) { return __builtin_sqrtf(v); }
#else
#define div_rn(a, b) div_rn_(a, b)
#define sqrt_rn(v) sqrt_rn_(v)
#endif

/* ---- 64 bits ----------------------------------------------------------------------------------------------------- */

typedef uint64_t u64x;

FN u64x u64x_make(u32 lo, u32 hi) { return (u64x)hi << 32 | lo; }
FN u32 u64x_lo(u64x v) { return (u32)v; }
FN u32 u64x_hi(u64x v) { return (u32)(v >> 32); }
FN u64x u64x_from_u32(u32 v) { return v; }
FN u64x u64x_from_i32(i32 v) { return (u64x)(int64_t)v; }
FN u64x u64x_sel(mask m, u64x a, u64x b) { return m ? a : b; }
FN mask u64x_eq(u64x a, u64x b) { return a == b; }
FN mask u64x_lt(u64x a, u64x b) { return a < b; }
FN mask u64x_lt_signed(u64x a, u64x b) { return (int64_t)a < (int64_t)b; }
FN u64x u64x_add(u64x a, u64x b) { return a + b; }
FN u64x u64x_sub(u64x a, u64x b) { return a - b; }
FN u64x u64x_neg(u64x a) { return 0 - a; }
FN u64x u64x_mul_u32(u32 a, u32 b) { return (u64x)a * b; }
FN u64x u64x_mul_lo_u32(u64x a, u32 b) { return (u64x)(u32)a * b; }
FN u64x u64x_mul_i32(i32 a, i32 b) { return (u64x)((int64_t)a * b); }
FN u64x u64x_mul(u64x a, u64x b) { return a * b; }
FN u64x u64x_shl(u64x v, int n) { return v << n; }
FN u64x u64x_shr(u64x v, int n) { return v >> n; }
FN u64x u64x_shr_signed(u64x v, int n) { return (u64x)((int64_t)v >> n); }

/* exact_wide.h's, in whose two words the 64 bits are put (split_) and taken out of them (joined_). */
#define u64x_to_f32(v) u64x_to_f32_(split_(v))
#define f64x f64x_
#define F64X(hi, lo) f64x_make_(U32(hi), U32(lo))
#define f64x_bits(v) joined_(f64x_bits_(v))
#define bits_f64x(v) bits_f64x_(split_(v))
#define f64x_from_i32(v) f64x_from_i32_(v)
#define f64x_from_u64(v) f64x_from_u64_(split_(v))
#define f64x_from_i64(v) f64x_from_i64_(split_(v))
#define f64x_from_f32(v) f64x_from_f32_(v)
#define f64x_to_f32(v) f64x_to_f32_(v)
#define f64x_add(a, b) f64x_add_(a, b)
#define f64x_sub(a, b) f64x_sub_(a, b)
#define f64x_mul(a, b) f64x_mul_(a, b)
#define f64x_div(a, b) f64x_div_(a, b)
#define f64x_lt(a, b) f64x_lt_(a, b)
#define f64x_le(a, b) f64x_le_(a, b)
#define f64x_sel(m, a, b) f64x_sel_(m, a, b)
#define f64x_min(a, b) f64x_min_(a, b)
#define f64x_to_i32(v) f64x_to_i32_(v)
#define f64x_to_i64(v) joined_(f64x_to_i64_(v))

/* ---- borders ----------------------------------------------------------------------------------------------------- */

enum border_rule { REFLECT101, SYMMETRIC, REPLICATE, MIXED, REFLECT_ONCE };

FN int clamp_index(int i, int n) { return max_i32(min_i32(i, n - 1), 0); }

/* Folds any index until it is inside 0..n-1, for any n of at least 1. */
FN int border_index(border_rule rule, int i, int n)
{
    if (rule == REFLECT_ONCE) {
        const int from_end = n - 1 - (i < 0 ? -i : i);
        return max_i32(n - 1 - (from_end < 0 ? -from_end : from_end), 0);
    }
    if (rule == REPLICATE || n == 1)
        return clamp_index(i, n);
    const int low = rule == SYMMETRIC ? -1 : 0, high = rule == REFLECT101 ? 2 * n - 2 : 2 * n - 1;
    while ((unsigned)i >= (unsigned)n)
        i = i < 0 ? low - i : high - i;
    return i;
}

/* ---- planes ------------------------------------------------------------------------------------------------------ */

/* Address of a cell; a plane has less than 2^32 bytes (the executor refuses larger ones). */
template <typename C> FN C *cell_(const sycl_plane &p, int x, int y)
{
    return (C *)((char *)p.data + ((uint32_t)y * (uint32_t)p.stride + (uint32_t)x * (uint32_t)sizeof(C)));
}

/* A plane of cells C read as lane values V. */
template <typename C, typename V> struct plane_in {
    const sycl_plane &p;

    INLINE_ V cell(int x, int y) const { return (V)*cell_<const C>(p, x, y); }
    INLINE_ V ld(int x, int y) const
    {
        return (unsigned)x < (unsigned)p.width && (unsigned)y < (unsigned)p.height ? cell(x, y) : (V)0;
    }
    INLINE_ V ldb(border_rule rx, border_rule ry, int x, int y) const
    {
        return cell(border_index(rx, x, p.width), border_index(ry, y, p.height));
    }
    /* Of the h rows from `top` on. */
    INLINE_ V ld_layer(int top, int h, int x, int y) const
    {
        return (unsigned)x < (unsigned)p.width && (unsigned)y < (unsigned)h ? cell(x, top + y) : (V)0;
    }
    INLINE_ V ldb_layer(int top, int h, border_rule rx, border_rule ry, int x, int y) const
    {
        return cell(border_index(rx, x, p.width), top + border_index(ry, y, h));
    }
    /* An index outside is a defect of the text, which the checking C build names. Here it is clamped and does no
     * harm. */
    INLINE_ V ldg(int x, int y) const { return cell(clamp_index(x, p.width), clamp_index(y, p.height)); }
};
typedef plane_in<uint8_t, i32> u8_in;
typedef plane_in<uint16_t, i32> u16_in;
typedef plane_in<uint32_t, u32> u32_in;
typedef plane_in<int32_t, i32> i32_in;
typedef plane_in<float, f32> f32_in;

template <typename V> struct plane_out {
    const sycl_plane &p;

    INLINE_ void st(mask m, int x, int y, V v) const
    {
        if (m && (unsigned)x < (unsigned)p.width && (unsigned)y < (unsigned)p.height)
            *cell_<V>(p, x, y) = v;
    }
};
typedef plane_out<u32> u32_out;
typedef plane_out<i32> i32_out;
typedef plane_out<f32> f32_out;

#define LD(name, ox, x, oy, y) name.ld((ox) + (x), (oy) + (y))
#define LDB(name, rx, ry, ox, x, oy, y) name.ldb(rx, ry, (ox) + (x), (oy) + (y))
#define LDBN(name, rx, ry, nx, ox, x, ny, oy, y) name.ldb(rx, ry, (ox) + (nx) * (x), (oy) + (ny) * (y))
#define LDB_PAIR(name, rx, ry, ox, x, ny, oy, y) \
    (to_u32(name.ldb(rx, ry, (ox) + 2 * (x), (oy) + (ny) * (y))) \
     | to_u32(name.ldb(rx, ry, (ox) + 2 * (x) + 1, (oy) + (ny) * (y))) << 16)
#define LD_LAYER(name, k, h, ox, x, oy, y) name.ld_layer((k) * (h), h, (ox) + (x), (oy) + (y))
#define LDBN_LAYER(name, k, h, rx, ry, nx, ox, x, ny, oy, y) \
    name.ldb_layer((k) * (h), h, rx, ry, (ox) + (nx) * (x), (oy) + (ny) * (y))
#define LD_CHROMA(name, sx, even_x, odd_x, x, sy, even_y, odd_y, y) \
    name.ldb(REPLICATE, REPLICATE, CHROMA_AT_(sx, even_x, odd_x, TILE_X + (x)), \
             CHROMA_AT_(sy, even_y, odd_y, TILE_Y + (y)))
#define CHROMA_AT_(s, even, odd, at) ((s) != 0 ? ((at) >> 1) + (((at) & 1) != 0 ? (odd) : (even)) : (at))
#define LDG(name, xi, yi) name.ldg(xi, yi)
#define ST(name, x, y, val) ST_ROW(name, x, y, 0, val)
#define ST_ROW(name, x, y, dy, val) name.st(INSIDE(x, y, dy), TILE_X + (x), TILE_Y + (y) + (dy), val)
#define ST_LAYER(name, k, x, y, val) name.st(INSIDE(x, y, 0), TILE_X + (x), TILE_Y + (y) + (k) * GRID_H, val)
#define ST_LAYER_AT(name, k, w, ox, x, ny, oy, y, val) \
    name.st(((x) < (w)) & ((oy) + (ny) * (y) < GRID_H), (ox) + (x), (oy) + (ny) * (y) + (k) * GRID_H, val)
#define STG(name, m, xi, yi, val) name.st(m, xi, yi, val)
#define PLANE_W(name) (name.p.width)
#define PLANE_H(name) (name.p.height)

#include "kernels/dialect/tally.h"

/* ---- interface of a kernel ------------------------------------------------------------------------------------ */

/* Tile memory is handed out from its start, in multiples of 8 bytes. */
struct memory_ {
    uint64_t *first;
    size_t words;

    template <typename T> INLINE_ T *take(size_t n)
    {
        T *const taken = (T *)(first + words);
        words += (n * sizeof(T) + 7) / 8;
        return taken;
    }
};

/* A kernel is called on the host with MEASURE: it then returns the words of tile memory that it takes, and neither the
 * arguments nor the item are looked at. */
#define KERNEL(name) \
    template <bool MEASURE> INLINE_ size_t KERNEL_SYMBOL(const sycl_args &a_, const item_ *at_, memory_ memory_left_) \
    { \
        static_assert(TILE_W * TILE_H % NT == 0 && TILE_H % ROWS == 0, "a tile is whole strips"); \
        static_assert((int64_t)KERNEL_SUM_MAX * ROWS <= INT32_MAX, "an item's sum overflows 32 bits"); \
        bins_<KERNEL_HISTOGRAM> histogram_ = {memory_left_.take<u32>(bins_<KERNEL_HISTOGRAM>::CELLS)}; \
        rows_<TILE_H, KERNEL_ROW_SUMS> row_sums_ = {memory_left_.take<u32>(TILE_H * KERNEL_ROW_SUMS * 3)}; \
        memory_ parts_ = memory_left_; /* tiles are done with when sums are added up */

#define PLANE_IN(slot, T, name) PLANE_IN_(slot, T, name)
#define PLANE_IN_(slot, T, name) const T##_in name = {a_.plane[slot]};
#define PLANE_OUT(slot, T, name) PLANE_OUT_(slot, T, name)
#define PLANE_OUT_(slot, T, name) const T##_out name = {a_.plane[slot]};
#define PARAM_I32(slot, name) const int name = a_.param[slot].i;
#define PARAM_F32(slot, name) const float name = a_.param[slot].f;
#define PARAMS_I32(slot, n, name) const kernel_param *const name = a_.param + (slot);
#define PARAMS_F32(slot, n, name) PARAMS_I32(slot, n, name)
#define PARAM_AT_I32(name, n) (name[n].i)
#define PARAM_AT_F32(name, n) (name[n].f)
#define TILE(T, name, cols, rows) T (*const name)[cols] = (T (*)[cols])memory_left_.take<T>((cols) * (rows));

/* tools/kernel_list.py reads these words of the head; the build defines KERNEL_SUMS and so on from them. */
#define TOTALS(n, max)
#define NO_TOTALS
#define TOTALS_U64(n, max, wide)
#define HISTOGRAM(n)
#define ROW_SUMS(n)
#define EXTREMA(n)

#define TILE_X ((int)at_->get_group(1) * TILE_W)
#define TILE_Y ((int)at_->get_group(0) * TILE_H)
/* Tiles are whole, so trip counts of loops are constants. Items outside the grid are masked, as on the CPU. */
#define SPAN_W TILE_W
#define SPAN_H TILE_H
#define GRID_W (a_.grid_w)
#define GRID_H (a_.grid_h)
#define ITEM_ ((int)at_->get_local_id(1))

/* Whole multiples of 16 bytes, because AdaptiveCpp's CPU flow puts the arrays of all items one behind the other and
 * takes each to be aligned like the first. */
#define ROOM_(n) (((n) + 4) / 4 * 4)

#define BEGIN \
        int32_t *const sum_cells_ = parts_.take<int32_t>(sums_<KERNEL_SUMS, NT>::CELLS); \
        uint64_t *const wide_cells_ = parts_.take<uint64_t>(KERNEL_WIDE || KERNEL_EXTREMA ? NT : 0); \
        if constexpr (MEASURE) { \
            return memory_left_.words > parts_.words ? memory_left_.words : parts_.words; \
        } else { \
            int32_t acc_[ROOM_(KERNEL_SUMS)]; \
            FOR(k_, KERNEL_SUMS) acc_[k_] = 0; \
            uint64_t wide_[ROOM_(KERNEL_WIDE)]; \
            FOR(k_, KERNEL_WIDE) wide_[k_] = 0; \
            uint64_t best_[ROOM_(KERNEL_EXTREMA)]; \
            FOR(k_, KERNEL_EXTREMA) best_[k_] = 0; \
            histogram_.clear(ITEM_, NT); \
            row_sums_.clear(ITEM_, NT); \
            if (KERNEL_HISTOGRAM || KERNEL_ROW_SUMS) \
                SYNC

#define END \
            if (KERNEL_SUMS || KERNEL_WIDE || KERNEL_EXTREMA || KERNEL_HISTOGRAM || KERNEL_ROW_SUMS) \
                SYNC \
            sums_<KERNEL_SUMS, NT>::flush(*at_, acc_, sum_cells_, a_.totals); \
            wide_sums_<KERNEL_WIDE, NT>(*at_, wide_, wide_cells_, a_.totals + 2 * KERNEL_SUMS); \
            histogram_.flush(ITEM_, NT, a_.totals, KERNEL_SUMS + KERNEL_WIDE); \
            row_sums_.flush(ITEM_, NT, a_.totals, KERNEL_SUMS + KERNEL_WIDE, TILE_Y, GRID_H); \
            extrema_<KERNEL_EXTREMA, NT>(*at_, best_, wide_cells_, a_.extrema); \
            return 0; \
        } \
    }

/* ---- loops ------------------------------------------------------------------------------------------------------ */

#define ROUNDS_(items) for (int t_ = ITEM_; t_ < (items); t_ += NT) {

#define EACH(x, y, w, h) \
    ROUNDS_((w) * (h)) \
        const lane_y y = (int)((unsigned)t_ / (unsigned)(w)); \
        const lane_x x = t_ - y * (w);
#define END_EACH }

#define STRIPS(x, y, w, h) \
    ROUNDS_((w) * (((h) + ROWS - 1) / ROWS)) \
        const int strip_ = (int)((unsigned)t_ / (unsigned)(w)); \
        const lane_y y = strip_ * ROWS; \
        const lane_x x = t_ - strip_ * (w);
#define END_STRIPS }

/* Consecutive items take consecutive rows: in a tile of odd width no two of them share a bank. */
#define RUNS(x, y, w, h) \
    ROUNDS_((w) / RUN * (h)) \
        const int run_ = (int)((unsigned)t_ / (unsigned)(h)); \
        const lane_x x = run_ * RUN; \
        const lane_y y = t_ - run_ * (h);
#define END_RUNS }

#define SYNC sycl::group_barrier(at_->get_group());

/* Every item, with counts of codes in its window. */
#define TALLY(name, last)
#define TALLIES(x, y, name, radius, first, last) { \
        const int radius_ = radius, first_ = first, last_ = last; \
        EACH(x, y, SPAN_W, SPAN_H)
#define END_TALLIES END_EACH }
#define TALLY_OF(name, n, counts, m, code, x, y) \
    tally_(name, radius_, first_, last_, m, code, TILE_X + (x), TILE_Y + (y), counts);

/* ---- positions -------------------------------------------------------------------------------------------------- */

#define XPOS(x) (TILE_X + (x))
#define YPOS(y) (TILE_Y + (y))
#define ROW_BELOW(y, dy) ((y) + (dy))
#define INSIDE(x, y, dy) ((TILE_X + (x) < GRID_W) & (TILE_Y + (y) + (dy) < GRID_H))
#define INSIDE_ALL(x, y) INSIDE(x, y, 0)

/* ---- tile memory ------------------------------------------------------------------------------------------------ */

#define TLD(name, cx, x, cy, y) name[(cy) + (y)][(cx) + (x)]
#define TST(name, cx, x, cy, y, val) name[(cy) + (y)][(cx) + (x)] = val
#define TLD_RUN(v, n, name, cx, x, cy, y) FOR(i_, n) { v[i_] = TLD(name, (cx) + i_, x, cy, y); }
#define TLD8(name, cx, x, cy, y) TLD(name, cx, (x) & ~7, cy, y)
#define TLDX2(name, cx, x, cy, y) name[(cy) + (y)][(cx) + 2 * (x)]
#define TLDY2(name, cx, x, cy, y) name[(cy) + 2 * (y)][(cx) + (x)]
#define TLDXN(name, n, cx, x, cy, y) TLDN(name, n, cx, x, 1, cy, y)
#define TLDN(name, n, cx, x, m, cy, y) name[(cy) + (m) * (y)][(cx) + (n) * (x)]
#define TADD(name, m, xi, yi, val) { \
        if (m) \
            tile_add_((u32 *)&name[yi][xi], (u32)(val)); \
    }

/* ---- totals ----------------------------------------------------------------------------------------------------- */

#define SUM_I32(k, m, v) acc_[k] += sel_i32(m, v, 0)
/* v * scale as `limbs` limbs of LIMB_BITS: every step is exact, every limb has v's sign. */
#define SUM_F32(k, m, v, scale, limbs) { \
        f32 rest_ = sel_f32(m, v, 0.0f) * (scale); \
        FOR(l_, limbs) { \
            const i32 limb_ = i32_from_f32(rest_); \
            acc_[(k) + l_] += limb_; \
            rest_ = (rest_ - f32_from_i32(limb_)) * LIMB_SIZE; \
        } \
    }
#define SUM_U64(k, m, v) wide_[(k) - KERNEL_SUMS] += u64x_sel(m, v, 0)
#define COUNT(m, bin) histogram_.count(m, bin, a_.totals, KERNEL_SUMS + KERNEL_WIDE)
#define ROW_SUM(k, m, y, dy, val) ROW_SUM_U64(k, m, y, dy, u64x_from_i32(val))
#define ROW_SUM_U64(k, m, y, dy, val) row_sums_.add((m) & (TILE_Y + (y) + (dy) < GRID_H), (y) + (dy), k, val)
/* A key is value * 2^32 + (2^32 - 1 - position): the largest wins. */
#define EXTREMUM(k, m, val, x, y, dy) { \
        const u32 where_ = (u32)(TILE_Y + (y) + (dy)) * (u32)GRID_W + (u32)(TILE_X + (x)); \
        const uint64_t key_ = u64x_make(~where_, val); \
        if ((m) && key_ > best_[k]) \
            best_[k] = key_; \
    }

template <sycl::memory_scope SCOPE, sycl::access::address_space SPACE> FN u32 atomic_add_(u32 *to, u32 v)
{
    return sycl::atomic_ref<u32, sycl::memory_order::relaxed, SCOPE, SPACE>(*to).fetch_add(v);
}
FN void tile_add_(u32 *to, u32 v)
{
    if (v)
        atomic_add_<sycl::memory_scope::work_group, sycl::access::address_space::local_space>(to, v);
}

/* Adds to 64-bit total k. Exactly one addition sees each wrap of the low word and carries it. */
FN void total_add_(u32 *totals, int k, uint64_t v)
{
    constexpr auto SCOPE = sycl::memory_scope::device;
    constexpr auto SPACE = sycl::access::address_space::global_space;
    if (!v)
        return;
    const u32 before = atomic_add_<SCOPE, SPACE>(totals + 2 * k, (u32)v);
    const u32 high = (u32)(v >> 32) + (before + (u32)v < before ? 1u : 0u);
    if (high)
        atomic_add_<SCOPE, SPACE>(totals + 2 * k + 1, high);
}

/*
 * No barrier is in a loop: every step is a call of its own, by recursion where there are many, and asks the item anew
 * which one it is. AdaptiveCpp's CPU flow splits a kernel at its barriers, and loses values that live across one that
 * is in a loop.
 *
 * The sums of a tile. Each item puts up to AT_ONCE of its sums into tile memory; PARTS items add up a share of the
 * values of a sum each, and one of them the shares.
 */
template <int N, int THREADS> struct sums_ {
    enum {
        AT_ONCE = N < 8 ? N : 8,
        PARTS = THREADS / AT_ONCE < 16 ? THREADS / AT_ONCE : 16,
        SHARE = (THREADS + PARTS - 1) / PARTS,
        VALUES = (AT_ONCE * THREADS + 1) / 2 * 2,
        CELLS = VALUES + AT_ONCE * PARTS * 2 /* the values, then the shares of 64 bits each */
    };

    template <int FIRST = 0> FN void flush(const item_ &item, const int32_t *acc, int32_t *cells, u32 *totals)
    {
        static_assert(AT_ONCE * PARTS <= THREADS, "more shares than items");
        constexpr int HERE = N - FIRST < AT_ONCE ? N - FIRST : AT_ONCE;
        put<FIRST, HERE>((int)item.get_local_id(1), acc, cells);
        sycl::group_barrier(item.get_group());
        share<HERE>((int)item.get_local_id(1), cells);
        sycl::group_barrier(item.get_group());
        add<FIRST, HERE>((int)item.get_local_id(1), cells, totals);
        if constexpr (FIRST + HERE < N)
            flush<FIRST + HERE>(item, acc, cells, totals);
    }
    template <int FIRST, int HERE> FN void put(int t, const int32_t *acc, int32_t *cells)
    {
        FOR(i, HERE) cells[i * THREADS + t] = acc[FIRST + i];
    }
    template <int HERE> FN void share(int t, int32_t *cells)
    {
        const int first = t % PARTS * SHARE;
        int64_t sum = 0;
        if (t >= HERE * PARTS)
            return;
        for (int i = first; i < first + SHARE && i < THREADS; i++)
            sum += cells[t / PARTS * THREADS + i];
        ((int64_t *)(cells + VALUES))[t] = sum;
    }
    template <int FIRST, int HERE> FN void add(int t, const int32_t *cells, u32 *totals)
    {
        int64_t sum = 0;
        if (t >= HERE)
            return;
        for (int i = 0; i < PARTS; i++)
            sum += ((const int64_t *)(cells + VALUES))[t * PARTS + i];
        total_add_(totals, FIRST + t, (uint64_t)sum);
    }
};
template <int THREADS> struct sums_<0, THREADS> {
    enum { CELLS = 0 };
    FN void flush(const item_ &, const int32_t *, int32_t *, u32 *) {}
};

/* The first item gets what `join` makes of the values of all of them. */
enum { JOIN_PARTS_ = 16 };
template <int THREADS, typename J> FN void join_share_(int t, uint64_t *cells, J join)
{
    constexpr int SHARE = THREADS / JOIN_PARTS_;
    static_assert(THREADS % JOIN_PARTS_ == 0, "every part has as many items");
    if (t >= JOIN_PARTS_)
        return;
    uint64_t v = cells[t * SHARE];
    for (int i = 1; i < SHARE; i++)
        v = join(v, cells[t * SHARE + i]);
    cells[t * SHARE] = v;
}
template <int THREADS, typename J> FN uint64_t join_(const item_ &item, uint64_t v, uint64_t *cells, J join)
{
    sycl::group_barrier(item.get_group()); /* the cells may hold the last result */
    cells[item.get_local_id(1)] = v;
    sycl::group_barrier(item.get_group());
    join_share_<THREADS>((int)item.get_local_id(1), cells, join);
    sycl::group_barrier(item.get_group());
    uint64_t all = cells[0];
    for (int i = 1; i < JOIN_PARTS_; i++)
        all = join(all, cells[i * (THREADS / JOIN_PARTS_)]);
    return all;
}

template <int N, int THREADS, int K = 0>
FN void wide_sums_(const item_ &item, const uint64_t *sum, uint64_t *cells, u32 *totals)
{
    if constexpr (K < N) {
        const uint64_t v = join_<THREADS>(item, sum[K], cells, [](uint64_t a, uint64_t b) { return a + b; });
        if (item.get_local_id(1) == 0)
            total_add_(totals, K, v);
        wide_sums_<N, THREADS, K + 1>(item, sum, cells, totals);
    }
}

/* Every tile writes its best ones: (value, position). */
template <int N, int THREADS, int K = 0>
FN void extrema_(const item_ &item, const uint64_t *best, uint64_t *cells, u32 *extrema)
{
    if constexpr (K < N) {
        const uint64_t key = join_<THREADS>(item, best[K], cells, [](uint64_t a, uint64_t b) { return a > b ? a : b; });
        if (item.get_local_id(1) == 0) {
            const size_t tile = item.get_group(0) * item.get_group_range(1) + item.get_group(1);
            extrema[2 * (tile * N + K)] = (u32)(key >> 32);
            extrema[2 * (tile * N + K) + 1] = ~(u32)key;
        }
        extrema_<N, THREADS, K + 1>(item, best, cells, extrema);
    }
}

/* A histogram of the tile in its memory. A histogram that is too large for that adds to the totals directly. */
template <int N> struct bins_ {
    enum { TILED = N <= 1024, CELLS = TILED ? N : 0 };
    u32 *cell;

    INLINE_ void clear(int item, int items) const
    {
        for (int i = item; i < CELLS; i += items)
            cell[i] = 0;
    }
    INLINE_ void count(mask m, int bin, u32 *totals, int first) const
    {
        const int i = clamp_index(bin, N);
        if (m && TILED)
            tile_add_(cell + i, 1);
        else if (m)
            total_add_(totals, first + i, 1);
    }
    INLINE_ void flush(int item, int items, u32 *totals, int first) const
    {
        for (int i = item; i < CELLS; i += items)
            total_add_(totals, first + i, cell[i]);
    }
};

/* The sums of a tile's rows, as pieces of 22, 22 and 20 bits: a word holds the sum of 1024 of them. */
template <int H, int N> struct rows_ {
    u32 *part;

    INLINE_ void clear(int item, int items) const
    {
        for (int i = item; i < H * N * 3; i += items)
            part[i] = 0;
    }
    INLINE_ void add(mask m, int y, int k, u64x v) const
    {
        u32 *const cell = part + 3 * (y * N + k);
        v = m ? v : 0;
        tile_add_(cell, (u32)v & 0x3fffff);
        tile_add_(cell + 1, (u32)(v >> 22) & 0x3fffff);
        tile_add_(cell + 2, (u32)(v >> 44));
    }
    INLINE_ void flush(int item, int items, u32 *totals, int first, int tile_y, int height) const
    {
        for (int i = item; i < H * N; i += items)
            if (tile_y + i / (N ? N : 1) < height)
                total_add_(totals, first + tile_y * N + i,
                           part[3 * i] + ((uint64_t)part[3 * i + 1] << 22) + ((uint64_t)part[3 * i + 2] << 44));
    }
};

#endif
