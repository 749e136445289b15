/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel dialect on CUDA. A work item is a thread, a tile is a block of NT threads, tile memory is shared memory.
 * docs/dialect.md is the reference of every word.
 *
 * All variants are compiled in one translation unit, which includes this header once. tools/cuda_module.py puts each
 * text into a namespace of its own and defines TILE_W, TILE_H, NT, KERNEL_SYMBOL, KERNEL_SUMS, KERNEL_SUM_MAX,
 * KERNEL_WIDE, KERNEL_HISTOGRAM, KERNEL_ROW_SUMS, KERNEL_WORDS and KERNEL_EXTREMA around it.
 *
 * The build uses --fmad=false. Division and square root are IEEE's; exact.h's are equal to them on their domain.
 */
#ifndef ASSAY_DIALECT_CUDA_H
#define ASSAY_DIALECT_CUDA_H

#include "kernels/dialect/cuda_args.h"
#include "kernels/dialect/interface.h"
#include "kernels/shared.h"

#define TARGET_CUDA 1
#define METHOD_ __device__ __forceinline__
#define FN static METHOD_

typedef unsigned long long total_;
typedef cuda_plane plane_;

FN uint32_t f32_bits(float v) { return __float_as_uint(v); }
FN float bits_f32(uint32_t v) { return __uint_as_float(v); }
/* No pass reads a plane that it writes, so loads go through the read-only cache. */
template <typename C> FN C load_cell_(const C *at) { return __ldg(at); }
template <typename V> FN void store_cell_(V *at, V v) { __stwb(at, v); }

#include "kernels/dialect/cpp.h"

/* ---- values ------------------------------------------------------------------------------------------------------ */

FN i32 i32_from_f32(f32 v) { return __float2int_rz(v); }
FN f32 f32_from_i32(i32 v) { return __int2float_rn(v); }
FN f32 f32_from_u32(u32 v) { return __int2float_rn((i32)v); }
FN f32 f32_cut(u32 v) { return __uint2float_rz(v); }
FN f32 to_f32(i32 v) { return __int2float_rn(v); }
FN f32 to_f32(u32 v) { return __int2float_rn((i32)v); }

FN f32 div_rn(f32 a, f32 b) { return __fdiv_rn(a, b); }
FN f32 sqrt_rn(f32 v) { return __fsqrt_rn(v); }

/* Of numbers with one address, the neighbours come in one load. */
#define CONSTANTS(T, name, rows, columns) static __device__ __align__(16) const T name[rows][columns]
#define CONSTANT(name, row, column) load_cell_(&name[row][column])

/* ---- 64 bits ----------------------------------------------------------------------------------------------------- */

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

/* ---- products of matrices ---------------------------------------------------------------------------------------- */

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define MATRICES
#define PIECES(x, y, w, h, columns, rows) \
    for (int t_ = ITEM_ / 32; t_ < (w) / (columns) * ((h) / (rows)); t_ += NT / 32) { \
        const int x = t_ % ((w) / (columns)) * (columns), y = t_ / ((w) / (columns)) * (rows);
#define END_PIECES }
#define MATRIX_ROW (ITEM_ % 32 / 4)
#define MATRIX_CELL (ITEM_ % 4)
#ifdef __CUDACC__
FN void matrix_add_u8(u32 (&sums)[4], const u32 (&a)[4], const u32 (&b)[2])
{
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif
FN u32 pick_bytes(u32 low, u32 high, u32 which) { return __byte_perm(low, high, which); }
#define TST_HALF(name, cx, x, cy, y, val) ((uint16_t *)name[(cy) + (y)])[(cx) + (x)] = (uint16_t)(val)
#endif

/* ---- interface of a kernel ------------------------------------------------------------------------------------ */

#define KERNEL(name) \
    extern "C" __global__ void __launch_bounds__(NT) KERNEL_SYMBOL(const __grid_constant__ cuda_args a_) \
    { \
        static_assert(TILE_W * TILE_H % NT == 0 && TILE_H % ROWS == 0 && NT % 32 == 0, "a tile is whole strips");

/* Aligned, so that neighbours are loaded and stored at once. */
#define TILE(T, name, cols, rows) __shared__ __align__(16) T name[rows][cols];

#define TILE_X ((int)blockIdx.x * TILE_W)
#define TILE_Y ((int)blockIdx.y * TILE_H)

#define TOTALS_ ((total_ *)a_.totals)

#define BEGIN \
        int acc_[KERNEL_SUMS + 1]; \
        FOR(k_, KERNEL_SUMS) acc_[k_] = 0; \
        total_ wide_[KERNEL_WIDE + 1]; \
        FOR(k_, KERNEL_WIDE) wide_[k_] = 0; \
        total_ best_[KERNEL_EXTREMA + 1]; \
        FOR(k_, KERNEL_EXTREMA) best_[k_] = 0; \
        __shared__ bins_<KERNEL_HISTOGRAM> histogram_; \
        rows_<KERNEL_ROW_SUMS, TILE_W == 32 && TILE_W * TILE_H == NT> row_sums_; \
        histogram_.clear(NT); \
        row_sums_.clear(); \
        if (KERNEL_HISTOGRAM) \
            SYNC

#define END \
        total_ *const totals_ = TOTALS_; \
        if (KERNEL_HISTOGRAM) \
            SYNC \
        sums_<KERNEL_SUMS, NT, (int64_t)KERNEL_SUM_MAX * ROWS>::flush(acc_, totals_); \
        wide_sums_<KERNEL_WIDE, NT>::flush(wide_, totals_ + KERNEL_SUMS); \
        histogram_.flush(NT, totals_ + KERNEL_SUMS + KERNEL_WIDE); \
        row_sums_.flush(totals_ + KERNEL_SUMS + KERNEL_WIDE, TILE_Y, GRID_H); \
        extrema_<KERNEL_EXTREMA, NT>::flush(best_, (total_ *)a_.extrema); \
    }

/* ---- loops ------------------------------------------------------------------------------------------------------ */

#define ITEM_ ((int)threadIdx.x)

#define SYNC __syncthreads();

#define TALLY_OR_(to, v) atomicOr(to, v)
#define TALLY_(name) __shared__ u32 name##_table_[TALLY_WORDS], name##_groups_[1];
#include "kernels/dialect/sliding_tally.h"

#define TADD(name, m, xi, yi, val) { \
        if (m) \
            atomicAdd(&name[yi][xi], val); \
    }

/* ---- totals ----------------------------------------------------------------------------------------------------- */

#define COUNT(m, bin) histogram_.count(m, bin, TOTALS_ + KERNEL_SUMS + KERNEL_WIDE)
#define ROW_SUM(k, m, y, dy, val) ROW_SUM_U64(k, m, y, dy, u64x_from_i32(val))
#define ROW_SUM_U64(k, m, y, dy, val) row_sums_.add(m, k, val)
#define ST_WORD(x, y, val) { \
        if (INSIDE_ALL(x, y)) \
            TOTALS_[KERNEL_SUMS + KERNEL_WIDE + (size_t)(TILE_Y + (y)) * (size_t)GRID_W + (size_t)(TILE_X + (x))] = \
                (total_)(val); \
    }
#define EXTREMUM(k, m, val, x, y, dy) { \
        const u32 at_ = (u32)(TILE_Y + (y) + (dy)) * (u32)GRID_W + (u32)(TILE_X + (x)); \
        const total_ key_ = (total_)(u32)(val) << 32 | ~at_; \
        if ((m) && key_ > best_[k]) \
            best_[k] = key_; \
    }

/* The sums of a block. A warp adds N sums (a power of two) at once. Each exchange halves the number of sums that a lane
 * still adds; the lanes with a set bit take the upper half. That is N - 1 + log2(32 / N) exchanges instead of 5 N. At
 * the end v[0] of lane l is sum l / (32 / N). Recursion makes every index a constant, so v stays in registers. */
template <int N, int BIT, typename T, int SIZE> FN void warp_sums_(T (&v)[SIZE])
{
    if constexpr (BIT > 0) {
        const bool upper = threadIdx.x & BIT;
        if constexpr (N > 1) {
            FOR(i, N / 2) {
                const T keep = upper ? v[i + N / 2] : v[i], give = upper ? v[i] : v[i + N / 2];
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

/* The sums of a tile's rows. A warp is a row: its threads keep what they add, and add the sums at once in the end: so
 * many as the largest power of two that is not above N, then the others, if there is anything to add. */
template <int N, bool ROW_WARPS> struct rows_ {
    static_assert(ROW_WARPS, "row sums need 32 columns in a tile and one item in a thread");
    total_ v[N];

    METHOD_ void clear() { FOR(k, N) v[k] = 0; }
    METHOD_ void add(mask m, int k, u64x value) { v[k] += m ? value : 0; }
    template <int FIRST> METHOD_ void flush_from(total_ *row)
    {
        enum { SOME = power_of_two_((N - FIRST) / 2 + 1), LANES_PER_SUM = 32 / SOME, NEXT = FIRST + SOME };
        total_ some[SOME], others = 0;
        FOR(k, SOME) some[k] = v[FIRST + k];
        warp_sums_<SOME, 16>(some);
        if (threadIdx.x % LANES_PER_SUM == 0 && some[0])
            atomicAdd(row + FIRST + (int)threadIdx.x % 32 / LANES_PER_SUM, some[0]);
        FOR(k, N - NEXT) others |= v[NEXT + k];
        if constexpr (NEXT < N)
            if (__any_sync(~0u, others != 0))
                flush_from<NEXT>(row);
    }
    METHOD_ void flush(total_ *totals, int tile_y, int height)
    {
        const int y = tile_y + (int)threadIdx.x / 32;
        if (y < height)
            flush_from<0>(totals + (int64_t)y * N);
    }
};
template <bool ROW_WARPS> struct rows_<0, ROW_WARPS> {
    METHOD_ void clear() {}
    METHOD_ void add(mask, int, u64x) {}
    METHOD_ void flush(total_ *, int, int) {}
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
