/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel dialect on CUDA. A work item is a thread, a tile is a block of NT threads, tile memory is shared memory.
 * docs/dialect.md is the reference of every word.
 *
 * All variants are compiled in one translation unit, which includes this header once. tools/cuda_module.py puts each
 * text into a namespace of its own and defines TILE_W, TILE_H, NT, KERNEL_SYMBOL, KERNEL_SUMS, KERNEL_SUM_MAX,
 * KERNEL_WIDE, KERNEL_HISTOGRAM, KERNEL_ROW_SUMS and KERNEL_EXTREMA around it.
 *
 * The build uses --fmad=false. Division and square root are IEEE's; exact.h's are equal to them on their domain.
 */
#ifndef ASSAY_DIALECT_CUDA_H
#define ASSAY_DIALECT_CUDA_H

#include "kernels/dialect/cuda_args.h"
#include "kernels/dialect/interface.h"
#include "kernels/shared.h"

#define TARGET_CUDA 1
#define ROWS (TILE_W * TILE_H / NT)
#ifndef RUN
#define RUN 4
#endif
#define FN static __device__ __forceinline__
#define FOR(i, n) _Pragma("unroll") for (int i = 0; i < (n); i++)
#define FOR_LARGE(i, n) FOR(i, n)
#define LOOP(i, n) _Pragma("unroll 1") for (int i = 0; i < (n); i++)

typedef float f32;
typedef int32_t i32;
typedef uint32_t u32;
typedef bool mask;
typedef int lane_x, lane_y;
typedef unsigned long long total_;

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

FN u32 f32_bits(f32 v) { return __float_as_uint(v); }
FN f32 bits_f32(u32 v) { return __uint_as_float(v); }
FN u32 u32_from_i32(i32 v) { return (u32)v; }
FN i32 i32_from_u32(u32 v) { return (i32)v; }
FN i32 i32_from_f32(f32 v) { return __float2int_rz(v); }
FN f32 f32_from_i32(i32 v) { return __int2float_rn(v); }
FN f32 f32_from_u32(u32 v) { return __int2float_rn((i32)v); }
FN f32 to_f32(i32 v) { return __int2float_rn(v); }
FN f32 to_f32(u32 v) { return __int2float_rn((i32)v); }
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

/* Two 16-bit numbers in a u32: the sum of the signed products of both halves, the same
 * added to a number, and the low and the high 16 bits of the
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

FN f32 div_rn(f32 a, f32 b) { return __fdiv_rn(a, b); }
FN f32 sqrt_rn(f32 v) { return __fsqrt_rn(v); }

/* ---- 64 bits ----------------------------------------------------------------------------------------------------- */

typedef unsigned long long u64x;

FN u64x u64x_make(u32 lo, u32 hi) { return (u64x)hi << 32 | lo; }
FN u32 u64x_lo(u64x v) { return (u32)v; }
FN u32 u64x_hi(u64x v) { return (u32)(v >> 32); }
FN u64x u64x_from_u32(u32 v) { return v; }
FN u64x u64x_from_i32(i32 v) { return (u64x)(long long)v; }
FN u64x u64x_sel(mask m, u64x a, u64x b) { return m ? a : b; }
FN mask u64x_eq(u64x a, u64x b) { return a == b; }
FN mask u64x_lt(u64x a, u64x b) { return a < b; }
FN mask u64x_lt_signed(u64x a, u64x b) { return (long long)a < (long long)b; }
FN u64x u64x_add(u64x a, u64x b) { return a + b; }
FN u64x u64x_sub(u64x a, u64x b) { return a - b; }
FN u64x u64x_neg(u64x a) { return 0 - a; }
FN u64x u64x_mul_u32(u32 a, u32 b) { return (u64x)a * b; }
FN u64x u64x_mul_lo_u32(u64x a, u32 b) { return (u64x)(u32)a * b; }
FN u64x u64x_mul_i32(i32 a, i32 b) { return (u64x)((long long)a * b); }
FN u64x u64x_mul(u64x a, u64x b) { return a * b; }
FN u64x u64x_shl(u64x v, int n) { return v << n; }
FN u64x u64x_shr(u64x v, int n) { return v >> n; }
FN u64x u64x_shr_signed(u64x v, int n) { return (u64x)((long long)v >> n); }
FN f32 u64x_to_f32(u64x v) { return __ull2float_rn(v); }

typedef double f64x;

#define F64X(hi, lo) __hiloint2double((int)(hi), (int)(lo))
FN u64x f64x_bits(f64x v) { return (u64x)__double_as_longlong(v); }
FN f64x bits_f64x(u64x v) { return __longlong_as_double((long long)v); }
FN f64x f64x_from_i32(i32 v) { return __int2double_rn(v); }
FN f64x f64x_from_u64(u64x v) { return __ull2double_rn(v); }
FN f64x f64x_from_i64(u64x v) { return __ll2double_rn((long long)v); }
FN f64x f64x_from_f32(f32 v) { return (f64x)v; }
FN f32 f64x_to_f32(f64x v) { return __double2float_rn(v); }
FN f64x f64x_add(f64x a, f64x b) { return __dadd_rn(a, b); }
FN f64x f64x_sub(f64x a, f64x b) { return __dsub_rn(a, b); }
FN f64x f64x_mul(f64x a, f64x b) { return __dmul_rn(a, b); }
FN f64x f64x_div(f64x a, f64x b) { return __ddiv_rn(a, b); }
FN mask f64x_lt(f64x a, f64x b) { return a < b; }
FN mask f64x_le(f64x a, f64x b) { return a <= b; }
FN f64x f64x_sel(mask m, f64x a, f64x b) { return m ? a : b; }
FN f64x f64x_min(f64x a, f64x b) { return a < b ? a : b; }
FN i32 f64x_to_i32(f64x v) { return __double2int_rz(v); }
FN u64x f64x_to_i64(f64x v) { return (u64x)__double2ll_rz(v); }

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
template <typename C> FN C *cell_(const cuda_plane &p, int x, int y)
{
    return (C *)((char *)p.data + ((uint32_t)y * (uint32_t)p.stride + (uint32_t)x * (uint32_t)sizeof(C)));
}

/* A plane of cells C read as lane values V. No pass reads a plane that it writes, so loads go
 * through the read-only cache. */
template <typename C, typename V> struct plane_in {
    const cuda_plane &p;

    FN V cell(const cuda_plane &p, int x, int y) { return (V)__ldg(cell_<const C>(p, x, y)); }
    __device__ __forceinline__ V ld(int x, int y) const
    {
        return (unsigned)x < (unsigned)p.width && (unsigned)y < (unsigned)p.height ? cell(p, x, y) : (V)0;
    }
    __device__ __forceinline__ V ldb(border_rule rx, border_rule ry, int x, int y) const
    {
        return cell(p, border_index(rx, x, p.width), border_index(ry, y, p.height));
    }
    /* Of the h rows from `top` on. */
    __device__ __forceinline__ V ld_layer(int top, int h, int x, int y) const
    {
        return (unsigned)x < (unsigned)p.width && (unsigned)y < (unsigned)h ? cell(p, x, top + y) : (V)0;
    }
    __device__ __forceinline__ V ldb_layer(int top, int h, border_rule rx, border_rule ry, int x, int y) const
    {
        return cell(p, border_index(rx, x, p.width), top + border_index(ry, y, h));
    }
    /* An index outside is a defect of the text, which the checking C build names. Here it is clamped and does no
     * harm. */
    __device__ __forceinline__ V ldg(int x, int y) const
    {
        return cell(p, clamp_index(x, p.width), clamp_index(y, p.height));
    }
};
typedef plane_in<uint8_t, i32> u8_in;
typedef plane_in<uint16_t, i32> u16_in;
typedef plane_in<uint32_t, u32> u32_in;
typedef plane_in<int32_t, i32> i32_in;
typedef plane_in<float, f32> f32_in;

template <typename V> struct plane_out {
    const cuda_plane &p;

    __device__ __forceinline__ void st(mask m, int x, int y, V v) const
    {
        if (m && (unsigned)x < (unsigned)p.width && (unsigned)y < (unsigned)p.height)
            __stwb(cell_<V>(p, x, y), v);
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

#define KERNEL(name) \
    extern "C" __global__ void __launch_bounds__(NT) KERNEL_SYMBOL(const __grid_constant__ cuda_args a_) \
    { \
        static_assert(TILE_W * TILE_H % NT == 0 && TILE_H % ROWS == 0 && NT % 32 == 0, "a tile is whole strips");

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
#define TILE(T, name, cols, rows) __shared__ T name[rows][cols];

/* tools/kernel_list.py reads these words of the head; the build defines KERNEL_SUMS and so on from them. */
#define TOTALS(n, max)
#define NO_TOTALS
#define TOTALS_U64(n, max, wide)
#define HISTOGRAM(n)
#define ROW_SUMS(n)
#define EXTREMA(n)

#define TILE_X ((int)blockIdx.x * TILE_W)
#define TILE_Y ((int)blockIdx.y * TILE_H)
/* Tiles are whole, so trip counts of loops are constants. Items outside the grid are masked, as on the CPU. */
#define SPAN_W TILE_W
#define SPAN_H TILE_H
#define GRID_W (a_.grid_w)
#define GRID_H (a_.grid_h)

#define TOTALS_ ((total_ *)a_.totals)

#define BEGIN \
        int acc_[KERNEL_SUMS + 1]; \
        FOR(k_, KERNEL_SUMS) acc_[k_] = 0; \
        total_ wide_[KERNEL_WIDE + 1]; \
        FOR(k_, KERNEL_WIDE) wide_[k_] = 0; \
        total_ best_[KERNEL_EXTREMA + 1]; \
        FOR(k_, KERNEL_EXTREMA) best_[k_] = 0; \
        __shared__ bins_<KERNEL_HISTOGRAM> histogram_; \
        __shared__ rows_<KERNEL_ROW_SUMS ? TILE_H : 0, KERNEL_ROW_SUMS> row_sums_; \
        histogram_.clear(NT); \
        row_sums_.clear(NT); \
        if (KERNEL_HISTOGRAM || KERNEL_ROW_SUMS) \
            SYNC

#define END \
        total_ *const totals_ = TOTALS_; \
        if (KERNEL_HISTOGRAM || KERNEL_ROW_SUMS) \
            SYNC \
        sums_<KERNEL_SUMS, NT, (int64_t)KERNEL_SUM_MAX * ROWS>::flush(acc_, totals_); \
        wide_sums_<KERNEL_WIDE, NT>::flush(wide_, totals_ + KERNEL_SUMS); \
        histogram_.flush(NT, totals_ + KERNEL_SUMS + KERNEL_WIDE); \
        row_sums_.flush(NT, totals_ + KERNEL_SUMS + KERNEL_WIDE, TILE_Y, GRID_H); \
        extrema_<KERNEL_EXTREMA, NT>::flush(best_, (total_ *)a_.extrema); \
    }

/* ---- loops ------------------------------------------------------------------------------------------------------ */

/* A counted loop: the compiler then unrolls it by a few rounds instead of wholly. */
#define ROUNDS_(items) for (int t_ = (int)threadIdx.x; t_ < (items); t_ += NT) {

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

/* Consecutive threads take consecutive rows: in a tile of odd width no two of them share a bank. */
#define RUNS(x, y, w, h) \
    ROUNDS_((w) / RUN * (h)) \
        const int run_ = (int)((unsigned)t_ / (unsigned)(h)); \
        const lane_x x = run_ * RUN; \
        const lane_y y = t_ - run_ * (h);
#define END_RUNS }

#define SYNC __syncthreads();

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
            atomicAdd(&name[yi][xi], val); \
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
#define COUNT(m, bin) histogram_.count(m, bin, TOTALS_ + KERNEL_SUMS + KERNEL_WIDE)
#define ROW_SUM(k, m, y, dy, val) ROW_SUM_U64(k, m, y, dy, u64x_from_i32(val))
#define ROW_SUM_U64(k, m, y, dy, val) \
    row_sums_.add<TILE_W % 32 == 0 ? 32 : 16>((m) & (TILE_Y + (y) + (dy) < GRID_H), (y) + (dy), k, val)
#define EXTREMUM(k, m, val, x, y, dy) { \
        const u32 at_ = (u32)(TILE_Y + (y) + (dy)) * (u32)GRID_W + (u32)(TILE_X + (x)); \
        const total_ key_ = (total_)(u32)(val) << 32 | ~at_; \
        if ((m) && key_ > best_[k]) \
            best_[k] = key_; \
    }

/* The sums of a block. A warp adds N sums (a power of two) at once. Each exchange halves the number of sums that a lane
 * still adds; the lanes with a set bit take the upper half. That is N - 1 + log2(32 / N) exchanges instead of 5 N. At
 * the end v[0] of lane l is sum l / (32 / N). Recursion makes every index a constant, so v stays in registers. */
template <int N, int BIT, int SIZE> FN void warp_sums_(int (&v)[SIZE])
{
    if constexpr (BIT > 0) {
        const bool upper = threadIdx.x & BIT;
        if constexpr (N > 1) {
            FOR(i, N / 2) {
                const int keep = upper ? v[i + N / 2] : v[i], give = upper ? v[i] : v[i + N / 2];
                v[i] = keep + __shfl_xor_sync(~0u, give, BIT);
            }
        } else {
            v[0] += __shfl_xor_sync(~0u, v[0], BIT);
        }
        warp_sums_<(N + 1) / 2, BIT / 2>(v);
    }
}

__host__ __device__ constexpr int power_of_two_(int n)
{
    int p = 1;
    while (p < n)
        p *= 2;
    return p;
}

/* MAX is the largest sum of one thread. Where 32 of them may overflow 32 bits, the low 16 bits and the rest are added
 * separately. */
template <int N, int THREADS, int64_t MAX> struct sums_ {
    static_assert(N <= THREADS, "more sums than threads");
    static_assert(MAX <= INT32_MAX, "a thread's sum overflows 32 bits: more threads or a smaller tile");
    /* A warp adds up to 32 sums at once, one per lane. */
    enum {
        GROUPS = (N + 31) / 32,
        PADDED = N < 32 ? power_of_two_(N) : 32,
        WARPS = THREADS / 32,
        LANES_PER_SUM = 32 / PADDED
    };

    FN void one(const int (&acc)[N + 1], int (*part)[WARPS], int shift, int bits)
    {
        FOR(g, GROUPS) {
            int v[PADDED];
            FOR(i, PADDED) {
                const int k = g * PADDED + i;
                v[i] = k < N ? acc[k < N ? k : 0] >> shift & bits : 0;
            }
            warp_sums_<PADDED, 16>(v);
            const int lane = (int)threadIdx.x % 32;
            if (lane % LANES_PER_SUM == 0)
                part[g * PADDED + lane / LANES_PER_SUM][threadIdx.x / 32] = v[0];
        }
    }
    FN int64_t warps(const int *part)
    {
        int64_t sum = 0;
        FOR(w, WARPS) sum += part[w];
        return sum;
    }
    FN void flush(const int (&acc)[N + 1], total_ *totals)
    {
        const bool wide = MAX * 32 > INT32_MAX;
        __shared__ int part[wide ? 2 : 1][GROUPS * PADDED][WARPS];
        if (wide) {
            one(acc, part[0], 0, 0xffff);
            one(acc, part[wide], 16, -1);
        } else {
            one(acc, part[0], 0, -1);
        }
        SYNC
        const int k = (int)threadIdx.x;
        if (k < N) {
            const int64_t sum = warps(part[0][k]) + (wide ? warps(part[wide][k]) * 65536 : 0);
            if (sum)
                atomicAdd(totals + k, (total_)sum);
        }
    }
};
template <int THREADS, int64_t MAX> struct sums_<0, THREADS, MAX> {
    FN void flush(const int (&)[1], total_ *) {}
};

/* 64-bit sums of a block. */
template <int N, int THREADS> struct wide_sums_ {
    FN void flush(const total_ (&acc)[N + 1], total_ *totals)
    {
        static_assert(N <= THREADS, "more sums than threads");
        __shared__ total_ part[N][THREADS / 32];
        FOR(k, N) {
            total_ v = acc[k];
            FOR(i, 5) v += __shfl_xor_sync(~0u, v, 16 >> i);
            if (threadIdx.x % 32 == 0)
                part[k][threadIdx.x / 32] = v;
        }
        SYNC
        if (threadIdx.x < N) {
            total_ v = 0;
            FOR(w, THREADS / 32) v += part[threadIdx.x][w];
            if (v)
                atomicAdd(totals + threadIdx.x, v);
        }
    }
};
template <int THREADS> struct wide_sums_<0, THREADS> {
    FN void flush(const total_ (&)[1], total_ *) {}
};

/* A histogram of the block in shared memory. A histogram that is too large for it adds to the totals directly. */
template <int N> struct bins_ {
    enum { SHARED = N <= 4096, CELLS = SHARED ? N : 1 };
    unsigned cell[CELLS];

    __device__ __forceinline__ void clear(int threads)
    {
        for (int i = (int)threadIdx.x; i < CELLS; i += threads)
            cell[i] = 0;
    }
    __device__ __forceinline__ void count(mask m, int bin, total_ *totals)
    {
        const int i = clamp_index(bin, N);
        if (m && SHARED)
            atomicAdd(&cell[i], 1u);
        else if (m)
            atomicAdd(totals + i, (total_)1);
    }
    __device__ __forceinline__ void flush(int threads, total_ *totals)
    {
        for (int i = (int)threadIdx.x; SHARED && i < CELLS; i += threads)
            if (cell[i])
                atomicAdd(totals + i, (total_)cell[i]);
    }
};
template <> struct bins_<0> {
    FN void clear(int) {}
    FN void flush(int, total_ *) {}
};

/* The sums of a tile's rows. `WIDTH` threads of a warp, 32 or 16, lie side by side in a row. They add first, then one
 * of them adds to shared memory: as pieces of 22, 22 and 20 bits of which a word holds the sum of 1024, because an
 * addition of 64 bits there is a loop. */
template <int H, int N> struct rows_ {
    unsigned part[H][N][3];

    __device__ __forceinline__ void clear(int threads)
    {
        for (int i = (int)threadIdx.x; i < H * N * 3; i += threads)
            (&part[0][0][0])[i] = 0;
    }
    template <int WIDTH> __device__ __forceinline__ void add(mask m, int y, int k, u64x v)
    {
        const unsigned row = WIDTH == 32 ? ~0u : 0xffffu << (threadIdx.x & 16); /* another row may have ended */
        v = m ? v : 0;
        for (int bit = WIDTH / 2; bit > 0; bit /= 2)
            v += __shfl_xor_sync(row, v, bit);
        if (threadIdx.x % WIDTH == 0 && v) {
            atomicAdd(&part[y][k][0], (unsigned)v & 0x3fffff);
            atomicAdd(&part[y][k][1], (unsigned)(v >> 22) & 0x3fffff);
            atomicAdd(&part[y][k][2], (unsigned)(v >> 44));
        }
    }
    __device__ __forceinline__ void flush(int threads, total_ *totals, int tile_y, int height)
    {
        for (int i = (int)threadIdx.x; i < H * N; i += threads) {
            const unsigned *p = part[i / N][i % N];
            const total_ sum = p[0] + ((total_)p[1] << 22) + ((total_)p[2] << 44);
            if (sum && tile_y + i / N < height)
                atomicAdd(totals + (int64_t)tile_y * N + i, sum);
        }
    }
};
template <> struct rows_<0, 0> {
    FN void clear(int) {}
    FN void flush(int, total_ *, int, int) {}
};

/* The best key of a block, then of the frame. Most blocks find a better key of the frame and store nothing. */
template <int N, int THREADS> struct extrema_ {
    FN void flush(const total_ (&best)[N + 1], total_ *extrema)
    {
        __shared__ total_ part[N][THREADS / 32];
        FOR(k, N) {
            total_ key = best[k];
            for (int bit = 16; bit > 0; bit /= 2) {
                const total_ other = __shfl_xor_sync(~0u, key, bit);
                key = other > key ? other : key;
            }
            if (threadIdx.x % 32 == 0)
                part[k][threadIdx.x / 32] = key;
        }
        SYNC
        if (threadIdx.x < N) {
            total_ key = 0;
            FOR(w, THREADS / 32) key = part[threadIdx.x][w] > key ? part[threadIdx.x][w] : key;
            if (key > *(volatile total_ *)(extrema + threadIdx.x))
                atomicMax(extrema + threadIdx.x, key);
        }
    }
};
template <int THREADS> struct extrema_<0, THREADS> {
    FN void flush(const total_ (&)[1], total_ *) {}
};

#endif
