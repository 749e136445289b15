/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel dialect on SYCL 2020, in C++17. A work item is an item of an nd_range, a tile is a work-group of NT items,
 * tile memory is one local accessor that is handed out piece by piece. docs/dialect.md is the reference of every word.
 *
 * tools/sycl_module.py puts each text into a namespace of its own and defines TILE_W, TILE_H, NT, KERNEL_SYMBOL,
 * KERNEL_SUMS, KERNEL_SUM_MAX, KERNEL_WIDE, KERNEL_HISTOGRAM, KERNEL_ROW_SUMS, KERNEL_WORDS and KERNEL_EXTREMA
 * around it.
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
#define METHOD_ inline __attribute__((always_inline))
#define FN static METHOD_

typedef sycl::nd_item<2> item_;
typedef sycl_plane plane_;

FN uint32_t f32_bits(float v) { return sycl::bit_cast<uint32_t>(v); }
FN float bits_f32(uint32_t v) { return sycl::bit_cast<float>(v); }
template <typename C> FN C load_cell_(const C *at) { return *at; }
template <typename V> FN void store_cell_(V *at, V v) { *at = v; }

#include "kernels/dialect/cpp.h"

/* ---- values ------------------------------------------------------------------------------------------------------ */

FN i32 i32_from_f32(f32 v) { return (i32)v; }
FN f32 f32_from_i32(i32 v) { return (f32)v; }
FN f32 f32_from_u32(u32 v) { return (f32)(i32)v; }
FN f32 to_f32(i32 v) { return (f32)v; }
FN f32 to_f32(u32 v) { return (f32)(i32)v; }

/* The processor's own division and square root are correctly rounded. SYCL promises that of no other device. */
#ifdef SYCL_ON_PROCESSOR
FN f32 div_rn(f32 a, f32 b) { return a / b; }
FN f32 sqrt_rn(f32 v) { return __builtin_sqrtf(v); }
#else
#define div_rn(a, b) div_rn_(a, b)
#define sqrt_rn(v) sqrt_rn_(v)
#endif

/* ---- 64 bits ----------------------------------------------------------------------------------------------------- */

/* exact_wide.h's, in whose two words the 64 bits are put (split_) and taken out of them (joined_). */
#define u64x_to_f32(v) u64x_to_f32_(split_(v))
#define f64x_bits(v) joined_(f64x_bits_(v))
#define bits_f64x(v) bits_f64x_(split_(v))
#define f64x_from_u64(v) f64x_from_u64_(split_(v))
#define f64x_from_i64(v) f64x_from_i64_(split_(v))
#define f64x_to_i64(v) joined_(f64x_to_i64_(v))

/* ---- interface of a kernel ------------------------------------------------------------------------------------ */

/* Tile memory is handed out from its start, in multiples of 8 bytes. */
struct memory_ {
    uint64_t *first;
    size_t words;

    template <typename T> METHOD_ T *take(size_t n)
    {
        T *const taken = (T *)(first + words);
        words += (n * sizeof(T) + 7) / 8;
        return taken;
    }
};

/* A kernel is called on the host with MEASURE: it then returns the words of tile memory that it takes, and neither the
 * arguments nor the item are looked at. */
#define KERNEL(name) \
    template <bool MEASURE> METHOD_ size_t KERNEL_SYMBOL(const sycl_args &a_, const item_ *at_, memory_ memory_left_) \
    { \
        static_assert(TILE_W * TILE_H % NT == 0 && TILE_H % ROWS == 0, "a tile is whole strips"); \
        static_assert((int64_t)KERNEL_SUM_MAX * ROWS <= INT32_MAX, "an item's sum overflows 32 bits"); \
        bins_<KERNEL_HISTOGRAM> histogram_ = {memory_left_.take<u32>(bins_<KERNEL_HISTOGRAM>::CELLS)}; \
        rows_<TILE_H, KERNEL_ROW_SUMS> row_sums_ = {memory_left_.take<u32>(TILE_H * KERNEL_ROW_SUMS * 3)}; \
        memory_ parts_ = memory_left_; /* tiles are done with when sums are added up */

#define TILE(T, name, cols, rows) T (*const name)[cols] = (T (*)[cols])memory_left_.take<T>((cols) * (rows));

#define TILE_X ((int)at_->get_group(1) * TILE_W)
#define TILE_Y ((int)at_->get_group(0) * TILE_H)
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

#define SYNC sycl::group_barrier(at_->get_group());

#ifdef SYCL_FOR_PROCESSORS
#include "kernels/dialect/tally.h"
#else
#define TALLY_OR_(to, v) tile_or_(to, v)
#define TALLY_(name) u32 *const name##_table_ = memory_left_.take<u32>(TALLY_WORDS), \
                         *const name##_groups_ = memory_left_.take<u32>(1);
#include "kernels/dialect/sliding_tally.h"
#endif

#define TADD(name, m, xi, yi, val) { \
        if (m) \
            tile_add_((u32 *)&name[yi][xi], (u32)(val)); \
    }

/* ---- totals ----------------------------------------------------------------------------------------------------- */

#define COUNT(m, bin) histogram_.count(m, bin, a_.totals, KERNEL_SUMS + KERNEL_WIDE)
#define ROW_SUM(k, m, y, dy, val) ROW_SUM_U64(k, m, y, dy, u64x_from_i32(val))
#define ROW_SUM_U64(k, m, y, dy, val) row_sums_.add((m) & (TILE_Y + (y) + (dy) < GRID_H), (y) + (dy), k, val)
#define ST_WORD(x, y, val) { \
        if (INSIDE_ALL(x, y)) { \
            const u64x v_ = val; \
            u32 *const word_ = a_.totals + 2 * (KERNEL_SUMS + KERNEL_WIDE + \
                                                (size_t)(TILE_Y + (y)) * (size_t)GRID_W + (size_t)(TILE_X + (x))); \
            word_[0] = u64x_lo(v_); \
            word_[1] = u64x_hi(v_); \
        } \
    }
/* A key is value * 2^32 + (2^32 - 1 - position): the largest wins. */
#define EXTREMUM(k, m, val, x, y, dy) { \
        const u32 where_ = (u32)(TILE_Y + (y) + (dy)) * (u32)GRID_W + (u32)(TILE_X + (x)); \
        const uint64_t key_ = u64x_make(~where_, val); \
        if ((m) && key_ > best_[k]) \
            best_[k] = key_; \
    }

template <sycl::memory_scope SCOPE, sycl::access::address_space SPACE>
using atomic_ = sycl::atomic_ref<u32, sycl::memory_order::relaxed, SCOPE, SPACE>;
typedef atomic_<sycl::memory_scope::work_group, sycl::access::address_space::local_space> tile_atomic_;
FN void tile_or_(u32 *to, u32 v) { tile_atomic_(*to).fetch_or(v); }
FN void tile_add_(u32 *to, u32 v)
{
    if (v)
        tile_atomic_(*to).fetch_add(v);
}

/* Adds to 64-bit total k. Exactly one addition sees each wrap of the low word and carries it. */
FN void total_add_(u32 *totals, int k, uint64_t v)
{
    typedef atomic_<sycl::memory_scope::device, sycl::access::address_space::global_space> total;
    if (!v)
        return;
    const u32 before = total(totals[2 * k]).fetch_add((u32)v);
    const u32 high = (u32)(v >> 32) + (before + (u32)v < before ? 1u : 0u);
    if (high)
        total(totals[2 * k + 1]).fetch_add(high);
}

/*
 * No barrier is in a loop, but for those of sliding_tally.h, which are for GPUs: every step is a call of its own, by
 * recursion where there are many, and asks the item anew which one it is. AdaptiveCpp's CPU flow splits a kernel at its
 * barriers, and loses values that live across one that is in a loop.
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

    METHOD_ void clear(int item, int items) const
    {
        for (int i = item; i < CELLS; i += items)
            cell[i] = 0;
    }
    METHOD_ void count(mask m, int bin, u32 *totals, int first) const
    {
        const int i = clamp_index(bin, N);
        if (m && TILED)
            tile_add_(cell + i, 1);
        else if (m)
            total_add_(totals, first + i, 1);
    }
    METHOD_ void flush(int item, int items, u32 *totals, int first) const
    {
        for (int i = item; i < CELLS; i += items)
            total_add_(totals, first + i, cell[i]);
    }
};

/* The sums of a tile's rows, as pieces of 22, 22 and 20 bits: a word holds the sum of 1024 of them. */
template <int H, int N> struct rows_ {
    u32 *part;

    METHOD_ void clear(int item, int items) const
    {
        for (int i = item; i < H * N * 3; i += items)
            part[i] = 0;
    }
    METHOD_ void add(mask m, int y, int k, u64x v) const
    {
        u32 *const cell = part + 3 * (y * N + k);
        v = m ? v : 0;
        tile_add_(cell, (u32)v & 0x3fffff);
        tile_add_(cell + 1, (u32)(v >> 22) & 0x3fffff);
        tile_add_(cell + 2, (u32)(v >> 44));
    }
    METHOD_ void flush(int item, int items, u32 *totals, int first, int tile_y, int height) const
    {
        for (int i = item; i < H * N; i += items)
            if (tile_y + i / (N ? N : 1) < height)
                total_add_(totals, first + tile_y * N + i,
                           part[3 * i] + ((uint64_t)part[3 * i + 1] << 22) + ((uint64_t)part[3 * i + 2] << 44));
    }
};

#endif
