/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel dialect on the CPU. A kernel text is compiled once per instruction set; a work item is a lane of a
 * vector of LANES items that lie side by side in a row. docs/dialect.md is the reference of every word. It is C11, and
 * C++17 with GNU's vectors, for SYCL devices that are processors (sycl_tiles.h).
 *
 * Two kinds of values:
 *   uniform  int, float             the same for all lanes; loops and `if` may depend on them
 *   lane     f32 i32 u32 mask       one per work item; selects only, no branches
 * A work item's position (lane_x, lane_y) is neither: it only goes into loads, stores and XPOS/YPOS. With LANES > 1
 * lane values are vectors, so a branch on one does not compile.
 *
 * The build gives LANES, TILE_W and TILE_H (the largest tile) and KERNEL_SYMBOL. With ASSAY_KERNEL_CHECKS the kernels
 * check indices at run time, and with LANES 1 also ranges and the stated size of every sum.
 */
#ifndef ASSAY_DIALECT_C_H
#define ASSAY_DIALECT_C_H

#include <assert.h>

#include "kernels/dialect/c_lanes.h"
#include "kernels/dialect/c_pairs.h"
#include "kernels/dialect/c_tally.h"
#include "kernels/dialect/c_wide.h"
#include "kernels/dialect/interface.h"

#include "constants_gen.h"
#include "kernels/shared.h"

#define ROWS 4
#define TARGET_C 1
#define FN static inline __attribute__((always_inline, unused))
#define FOR(i, n) _Pragma("GCC unroll 64") for (int i = 0; i < (n); i++)
#define FOR_LARGE(i, n) _Pragma("GCC unroll 1") for (int i = 0; i < (n); i++)
#define LOOP(i, n) FOR_LARGE(i, n)

typedef struct { int v; } lane_x; /* of the first lane */
typedef struct { int v; } lane_y;

/* ---- interface of a kernel ------------------------------------------------------------------------------------ */

typedef struct { const struct kernel_plane *p; } u8_in;
typedef struct { const struct kernel_plane *p; } u16_in;
typedef struct { const struct kernel_plane *p; } u32_in;
typedef struct { const struct kernel_plane *p; } i32_in;
typedef struct { const struct kernel_plane *p; } f32_in;
typedef struct { const struct kernel_plane *p; } u32_out;
typedef struct { const struct kernel_plane *p; } i32_out;
typedef struct { const struct kernel_plane *p; } f32_out;

#include "kernels/dialect/c_select.h"

#define NAMED_(which) NAMED__(which, KERNEL_SYMBOL)
#define NAMED__(which, symbol) NAMED___(which, symbol)
#define NAMED___(which, symbol) which##symbol
/* The text of a kernel with INNER is compiled once more, for tiles whose words leave no plane. */
#define KERNEL(name) \
    void KERNEL_SYMBOL(const struct kernel_args *a_); \
    static void NAMED_(inner_)(const struct kernel_args *a_) __attribute__((unused)); \
    FN void NAMED_(any_)(const struct kernel_args *a_, const bool inner_) { \
        static_assert(TILE_W % 16 == 0 && TILE_H % ROWS == 0, "a tile is whole vectors of any width and whole strips");

#define PLANE_IN(slot, T, name) PLANE_(slot, T, _in, name)
#define PLANE_OUT(slot, T, name) PLANE_(slot, T, _out, name)
/* A local copy: nothing else points to it, so the compiler keeps strides and sizes in registers across stores into a
 * plane. ENCODES changes that of an encode. */
#define PLANE_(slot, T, way, name) \
    struct kernel_plane name##_plane_ = a_->plane[slot]; \
    name##_plane_.inner = inner_; \
    const T##way name = {&name##_plane_};

#define INNER(columns, rows) INNER_IF_(1, columns, rows)
#define INNER_IF_(n, columns, rows) \
    HIDE_(INNER_N = (n)) HIDE_(INNER_COLUMNS = (columns)) HIDE_(INNER_ROWS = (rows))
LANE_FN bool tile_is_inner_(const struct kernel_args *a, int columns, int rows)
{
    return a->tile_x >= columns && (a->tile_x + a->tile_w + 15) / 16 * 16 + columns <= a->grid_w
           && a->tile_y >= rows && (a->tile_y + a->tile_h + ROWS - 1) / ROWS * ROWS + rows <= a->grid_h;
}
/* Computes a wide tile in up to three calls, of which the one in the middle tests no borders: each load of a short text
 * costs less than its test. The last item of the grid is not in the middle, because it may be a half. */
EDGE_FN bool tile_in_parts_(const struct kernel_args *a, int columns, int rows, kernel_fn *any, kernel_fn *inner)
{
    const int end = a->tile_x + a->tile_w, first = (columns + 15) / 16 * 16, last = a->grid_w - columns - 1;
    const int x[] = {a->tile_x, a->tile_x > first ? a->tile_x : first, (end < last ? end : last) / 16 * 16, end};
    struct kernel_args part = *a;
    for (int i = 1; i <= 3; i++) { /* the middle, the right, the left */
        part.tile_x = x[i % 3], part.tile_w = x[i % 3 + 1] - part.tile_x;
        if (i == 1 && (part.tile_w < 32 || !tile_is_inner_(&part, columns, rows)))
            return false;
        if (part.tile_w > 0)
            (i == 1 ? inner : any)(&part);
    }
    return true;
}
#define INNER_PART(columns, rows) INNER_IF_(LANES > 1, columns, rows) HIDE_(INNER_PARTS = LANES > 1)
#define PARAM_I32(slot, name) const int name = a_->param[slot].i;
#define PARAM_F32(slot, name) const float name = a_->param[slot].f;
/* n parameters from `slot` on, read with a uniform index. */
#define PARAMS_I32(slot, n, name) const struct { const union kernel_param *p; } name = {a_->param + (slot)};
#define PARAMS_F32(slot, n, name) PARAMS_I32(slot, n, name)
#define PARAM_AT_I32(name, n) ((name).p[n].i)
#define PARAM_AT_F32(name, n) ((name).p[n].f)

/* Tile memory: rows padded so that a vector may start at any column. A vector more where rows would lie a multiple of
 * 512 bytes apart: a cache keeps few lines that lie 4096 bytes apart, and strips of ROWS rows lie as far. */
#define TILE(T, name, cols, rows) \
    T##_cell name[rows][TILE_ROW_((cols) + 2 * LANES - 2, sizeof(T##_cell))] __attribute__((aligned(64)));
#define TILE_ROW_(n, size) ((n) / LANES * LANES + ((n) / LANES * LANES * (size) % 512 == 0 ? LANES : 0))

/* n sums; no single addition is larger than `max` in size. A lane adds in 32 bits for FLUSH_ROWS rows of the widest
 * tile. */
#define TOTALS(n, max) TOTALS_(n, max) enum { WIDE_N = 0 };
#define TOTALS_(n, max) \
    enum { SUMS_N = (n), SUM_MAX = (max) }; \
    enum { ADDS_ROW = (TILE_W + LANES - 1) / LANES * ROWS, FLUSH_ROWS = INT32_MAX / SUM_MAX / ADDS_ROW }; \
    static_assert(FLUSH_ROWS >= 1, "a row of the widest tile overflows a 32-bit lane sum");
#define NO_TOTALS enum { SUMS_N = 0, SUM_MAX = 0, FLUSH_ROWS = 1, WIDE_N = 0 };
/* As TOTALS, then `wide` sums of u64x values, which have no bound: they add modulo 2^64. */
#define TOTALS_U64(n, max, wide) \
    TOTALS_(n, (max) > 0 ? (max) : 1) \
    enum { WIDE_N = (wide) };

/* The plane `name` and the sums are an encode's: a call computes its tile for one encode after the other. What is of
 * the reference alone is computed for the first one; tile memory keeps it, and RECALL what loops hold in arrays. */
#define ENCODES(name) HIDE_(ENCODES_N = 1) SHADOW_(struct kernel_plane *const of_encode_ = &name##_plane_)

#define FIRST_ENCODE (encode_ == 0)
/* v[0] to v[n - 1] of an item: from the first encode to tile memory, from there to the others. In strips the ROWS
 * values of a row each lie together. */
#define RECALL(v, n, name, cy, x, y) \
    if (encode_ > 0) \
        FOR(i_, n) { (v)[i_] = TLD(name, 0, x, (cy) + i_ / ALONG_ * TILE_H + i_ % ALONG_, y); } \
    else if (ENCODES_N && a_->others > 0) \
        FOR(i_, n) { TST(name, 0, x, (cy) + i_ / ALONG_ * TILE_H + i_ % ALONG_, y, (v)[i_]); }
#define TILE_RECALLED(T, name, n) TILE(T, name, TILE_W, (n) * TILE_H)

#define BEGIN \
        if (INNER_PARTS > 0 && !inner_ && \
            tile_in_parts_(a_, INNER_COLUMNS, INNER_ROWS, KERNEL_SYMBOL, NAMED_(inner_))) \
            return; \
        if (INNER_N && !INNER_PARTS && !inner_ && tile_is_inner_(a_, INNER_COLUMNS, INNER_ROWS) && \
            (NAMED_(inner_)(a_), true)) \
            return; \
        const int TILE_X = a_->tile_x, TILE_Y = a_->tile_y, SPAN_W = a_->tile_w, SPAN_H = a_->tile_h; \
        const int GRID_W = a_->grid_w, GRID_H = a_->grid_h; \
        (void)TILE_X; (void)TILE_Y; (void)SPAN_W; (void)SPAN_H; (void)GRID_W; (void)GRID_H; \
        for (int encode_ = 0; encode_ <= (ENCODES_N ? a_->others : 0); encode_++) { \
        i32 acc_[SUMS_N + 1]; \
        int64_t total_[SUMS_N + 1]; \
        int64_t *const totals_ = encode_ > 0 ? a_->other[encode_ - 1].totals : a_->totals; \
        if (encode_ > 0) \
            *of_encode_ = a_->other[encode_ - 1].plane; \
        int rows_ = 0; \
        u64x wide_[WIDE_N + 1]; \
        FOR(k_, SUMS_N + 1) { acc_[k_] = I32(0); total_[k_] = 0; } \
        FOR(k_, WIDE_N + 1) wide_[k_] = u64x_from_u32(U32(0)); \
        uint32_t bins_[HISTOGRAM_N + 1]; \
        if (HISTOGRAM_N > 0) \
            memset(bins_, 0, sizeof bins_); \
        (void)rows_; (void)acc_; (void)total_; (void)wide_; (void)bins_;

#define FLUSH_ { FOR(k_, SUMS_N) { total_[k_] += lanes_sum(acc_[k_]); acc_[k_] = I32(0); } rows_ = 0; }

#define END \
        if (rows_ > 0) FLUSH_ \
        FOR(k_, SUMS_N) __atomic_fetch_add(&totals_[k_], total_[k_], __ATOMIC_RELAXED); \
        FOR(k_, WIDE_N) \
            __atomic_fetch_add(&totals_[SUMS_N + k_], (int64_t)lanes_sum_u64(wide_[k_]), __ATOMIC_RELAXED); \
        for (int k_ = 0; k_ < HISTOGRAM_N; k_++) \
            if (bins_[k_]) \
                __atomic_fetch_add(&totals_[SUMS_N + WIDE_N + k_], bins_[k_], __ATOMIC_RELAXED); \
        } \
        LEAVE_VECTORS_ \
    } \
    static void NAMED_(inner_)(const struct kernel_args *a_) { NAMED_(any_)(a_, true); } \
    void KERNEL_SYMBOL(const struct kernel_args *a_) { NAMED_(any_)(a_, false); }
/* While the upper parts of vector registers are in use, every operation of code for SSE waits for what its register
 * held before. Compilers clear them at the end of a function, but not behind a call that has vectors as arguments. */
#if defined(__x86_64__) && LANES >= 8
#define LEAVE_VECTORS_ __builtin_ia32_vzeroupper();
#else
#define LEAVE_VECTORS_
#endif

/* ---- loops ------------------------------------------------------------------------------------------------------ */

/* Every element of a w x h rectangle; x and y count from its corner. */
#define EACH(x, y, w, h) \
    for (lane_y y = {0}; y.v < (h); y.v++) { \
        ROW_SUMS_BEGIN_((y).v, 1) \
        UNROLLED_ for (lane_x x = {0}; x.v < (w); x.v += LANES) {
#define END_EACH \
        } \
        ROW_SUMS_END_ \
        if (SUMS_N > 0 && ++rows_ >= FLUSH_ROWS) FLUSH_ \
    }

/* Every strip of ROWS rows; y is its first row. */
#define STRIPS(x, y, w, h) \
    for (lane_y y = {0}; y.v < (h); y.v += ROWS) { \
        ROW_SUMS_BEGIN_((y).v, ROWS) \
        for (lane_x x = {0}; x.v < (w); x.v += LANES) {
#define END_STRIPS END_EACH

/* Every item of the tile, row by row, with counts of the codes first to last of a plane in the window of `radius`
 * columns and rows around it. */
#define TALLY(name, last) \
    int16_t name##_tally_[(last) + 1][TILE_W] __attribute__((aligned(64))); \
    uint64_t name##_there_[(last) / 64 + 1]; \
    bool name##_counted_[TILE_H + 64];
#define TALLIES(x, y, name, radius, reach, first, last) \
    const struct tally name##_tallies_ = {&name##_tally_[0][0], name##_there_, name##_counted_, TILE_W, (name).p, \
                                          TILE_X, TILE_Y, SPAN_W, radius, reach, first, last}; \
    for (lane_y y = {0}; y.v < SPAN_H; y.v++) { \
        CHECK_AT_; \
        tally_slide(&name##_tallies_, TALLY_LOAD_OF_(name), y.v); \
        ROW_SUMS_BEGIN_((y).v, 1) \
        for (lane_x x = {0}; x.v < SPAN_W; x.v += LANES) {
#define END_TALLIES END_EACH
/* counts[i] is how often code + i occurs around the items of m, 0 for the others. */
#define TALLY_OF(name, n, counts, m, code, x, y) { \
        KERNEL_CHECK((n) <= 9 && name##_tallies_.radius <= 32 && name##_tallies_.reach <= 40, "a window of codes"); \
        tally_check(&name##_tallies_, TALLY_LOAD_OF_(name), n, m, code, (x).v, (y).v); \
        tally_of(&name##_tallies_, n, counts, m, code, (x).v); \
    }

/* Every run of RUN columns; x is its first column. Lanes lie side by side already. */
#define RUN 1
#define RUNS(x, y, w, h) EACH(x, y, w, h)
#define END_RUNS END_EACH

#define SYNC /* the loops of a tile run one after the other in one thread */

/* ---- positions -------------------------------------------------------------------------------------------------- */

#define XPOS(x) (I32(TILE_X + (x).v) + iota_lanes())
#define YPOS(y) I32(TILE_Y + (y).v)
#define ROW_BELOW(y, dy) ((lane_y){(y).v + (dy)})
/* The items of the grid; a strip's rows are tested one by one with dy. */
#define INSIDE(x, y, dy) lanes_inside(inner_, TILE_X + (x).v, GRID_W, TILE_Y + (y).v + (dy), GRID_H)
#define INSIDE_ALL(x, y) INSIDE(x, y, 0)

/* ---- planes: docs/dialect.md says what each word means ----------------------------------------------------------- */

#define LD(name, ox, x, oy, y) (CHECK_AT_, OF_IN_(ld, name, (ox) + (x).v, (oy) + (y).v))
#define LDB(name, rx, ry, ox, x, oy, y) (CHECK_AT_, OF_IN_(ldb, name, rx, ry, (ox) + (x).v, (oy) + (y).v))
#define LDBN(name, rx, ry, nx, ox, x, ny, oy, y) \
    (CHECK_AT_, OF_IN_(ldbn, name, rx, ry, nx, (ox) + (nx) * (x).v, (oy) + (ny) * (y).v))
/* f of layer k of stacked layers of h rows each. */
#define OF_LAYER_(f, name, k, h, ...) \
    __extension__({ \
        const struct kernel_plane layer_ = plane_layer((name).p, k, h); \
        const __typeof__(name) of_layer_ = {&layer_}; \
        CHECK_AT_, OF_IN_(f, of_layer_, __VA_ARGS__); \
    })
#define LD_LAYER(name, k, h, ox, x, oy, y) OF_LAYER_(ld, name, k, h, (ox) + (x).v, (oy) + (y).v)
#define LDBN_LAYER(name, k, h, rx, ry, nx, ox, x, ny, oy, y) \
    OF_LAYER_(ldbn, name, k, h, rx, ry, nx, (ox) + (nx) * (x).v, (oy) + (ny) * (y).v)
/* The chroma sample of an item, or its neighbour. On a subsampled axis (sx, sy: uniform, 0 or 1) the element at half
 * the position, plus `even` or `odd` by the position's parity; on another axis the element at the position. Replicates
 * at the borders. odd - even is 0 or 2 on the x axis. */
#define LD_CHROMA(name, sx, even_x, odd_x, x, sy, even_y, odd_y, y) \
    (CHECK_AT_, OF_IN_(ldc, name, sx, even_x, odd_x, TILE_X + (x).v, CHROMA_ROW_(sy, even_y, odd_y, TILE_Y + (y).v)))
#define LD_CHROMA_LAYER(name, k, h, sx, even_x, odd_x, x, sy, even_y, odd_y, y) \
    OF_LAYER_(ldc, name, k, h, sx, even_x, odd_x, TILE_X + (x).v, CHROMA_ROW_(sy, even_y, odd_y, TILE_Y + (y).v))
#define CHROMA_ROW_(sy, even, odd, y) ((sy) ? ((y) >> 1) + ((y) & 1 ? (odd) : (even)) : (y))
#define LDG(name, xi, yi) (CHECK_AT_, OF_IN_(ldg, name, xi, yi))
#define ST(name, x, y, val) ST_ROW(name, x, y, 0, val)
#define ST_ROW(name, x, y, dy, val) \
    (CHECK_AT_, OF_OUT_(st, name, GRID_W, GRID_H, TILE_X + (x).v, TILE_Y + (y).v + (dy), val))
#define ST_LAYER(name, k, x, y, val) \
    (CHECK_AT_, OF_OUT_(stl, name, true, k, GRID_W, GRID_H, TILE_X + (x).v, TILE_Y + (y).v, val))
#define ST_LAYER_AT(name, k, w, ox, x, ny, oy, y, val) \
    (CHECK_AT_, OF_OUT_(stl, name, false, k, (ox) + (w), GRID_H, (ox) + (x).v, (oy) + (ny) * (y).v, val))
#define STG(name, m, xi, yi, val) (CHECK_AT_, OF_OUT_(stg, name, m, xi, yi, val))
#define PLANE_W(name) ((name).p->width)
#define PLANE_H(name) ((name).p->height)
#define TILE_WITHIN(name, nx, ox, w, ny, oy, h) 0 /* loads find out for themselves */

/* ---- tile memory ------------------------------------------------------------------------------------------------ */

#define TILE_CELL_(name, col, row) \
    (CHECK_AT_, &(name)[tile_index_(row, sizeof(name) / sizeof(name)[0])] \
                       [tile_index_(col, sizeof(name)[0] / sizeof(name)[0][0] - LANES + 1)])
#define TLD(name, cx, x, cy, y) TLDN(name, 1, cx, x, 1, cy, y)
#define TLDX2(name, cx, x, cy, y) TLDN(name, 2, cx, x, 1, cy, y)
#define TLDY2(name, cx, x, cy, y) TLDN(name, 1, cx, x, 2, cy, y)
#define TLDN(name, n, cx, x, m, cy, y) tile_load_n(TILE_CELL_(name, (cx) + (n) * (x).v, (cy) + (m) * (y).v), n)
/* v[i] = the cell of column cx + x + i for i below n, at most 17. */
#if defined(__x86_64__) && LANES == 16
/* Most of these loads cross a line of the cache and take two turns. Every second one is made from the vectors at both
 * ends instead, so that loads and shuffles take as long. */
#define TLD_RUN(v, n, name, cx, x, cy, y) { \
        (v)[0] = TLD(name, cx, x, cy, y); \
        const u32 end_ = (n) > 2 ? (u32)TLD(name, (cx) + LANES, x, cy, y) : U32(0); \
        FOR(i_, n) \
            if (i_ > 0) \
                (v)[i_] = i_ & 1 && (n) > 2 ? (__typeof__((v)[0]))x86_between((u32)(v)[0], end_, i_) \
                                            : TLD(name, (cx) + i_, x, cy, y); \
    }
#else
#define TLD_RUN(v, n, name, cx, x, cy, y) FOR(i_, n) { (v)[i_] = TLD(name, (cx) + i_, x, cy, y); }
#endif
#define TST(name, cx, x, cy, y, val) tile_store(TILE_CELL_(name, (cx) + (x).v, (cy) + (y).v), val)
#define TLD8(name, cx, x, cy, y) tile_load8(TILE_CELL_(name, (cx) + ((x).v & ~7), (cy) + (y).v))
#define TLD_OF(name, plane, ox, x, oy, y) \
    (CHECK_AT_, tile_of((name)[0], sizeof(name)[0] / sizeof(name)[0][0], (plane).p, (ox) + (x).v, (oy) + (y).v))
#define TADD(name, m, xi, yi, val) { \
        CHECK_AT_; \
        tile_add((uint32_t *)&(name)[0][0], sizeof(name)[0] / sizeof(name)[0][0], sizeof(name) / sizeof(name)[0], m, \
                 xi, yi, to_u32(val)); \
    }

/* ---- totals ----------------------------------------------------------------------------------------------------- */

#define SUM_U64(k, m, v) (wide_[(k) - SUMS_N] = u64x_add(wide_[(k) - SUMS_N], u64x_where_(m, v)))
#define SUM_I32(k, m, v) (CHECK_AT_, acc_[k] += check_sum(sel_i32(m, v, I32(0)), SUM_MAX))
/* Of a v that is 0 for items outside the grid: no mask is needed. */
#define SUM_ZERO_I32(k, x, y, v) (CHECK_AT_, acc_[k] += check_sum(check_zero_(INSIDE_ALL(x, y), v), SUM_MAX))
/* v * scale as `limbs` limbs of LIMB_BITS in the sums k, k + 1, ...: every step is exact, every limb has v's sign. */
#define SUM_F32(k, m, v, scale, limbs) { \
        f32 rest_ = sel_f32(m, v, F32(0.0f)) * (scale); \
        FOR(l_, limbs) { \
            i32 limb_ = i32_from_f32(rest_); \
            acc_[(k) + l_] += check_sum(limb_, SUM_MAX); \
            rest_ = (rest_ - f32_from_i32(limb_)) * LIMB_SIZE; \
        } \
    }

/* The number of a kernel hides the one of kernels that have none. */
enum { HISTOGRAM_N, ROW_SUMS_N = 0, ENCODES_N = 0, INNER_N = 0, INNER_PARTS = 0, INNER_COLUMNS = 0, INNER_ROWS = 0 };
static struct kernel_plane *const of_encode_ NO_PLANE_;
#define HIDE_(number) SHADOW_(enum { number })
#define SHADOW_(declaration) \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") \
    declaration; \
    _Pragma("GCC diagnostic pop")

/* Bins, row sums and extrema come after the sums. Bins and extrema take one lane at a time, because they are rare. */
#define HISTOGRAM(n) HIDE_(HISTOGRAM_N = (n))
#define COUNT(m, bin) (CHECK_AT_, lanes_count(bins_, HISTOGRAM_N, m, bin))

#define ROW_SUMS(n) HIDE_(ROW_SUMS_N = (n))
/* Of the rows that a pass of the x loop goes along. */
#define ROW_SUMS_BEGIN_(y, rows) \
    enum { ALONG_ = (rows) }; \
    const int along_y_ = (y); \
    u64x along_[ALONG_ * ROW_SUMS_N + 1]; \
    FOR(k_, ALONG_ * ROW_SUMS_N + 1) along_[k_] = u64x_from_u32(U32(0)); \
    (void)along_; (void)along_y_;
#define ROW_SUMS_END_ \
    FOR(k_, ALONG_ * ROW_SUMS_N) { \
        const int row_ = TILE_Y + along_y_ + k_ / (ROW_SUMS_N + !ROW_SUMS_N); \
        const int64_t sum_ = (int64_t)lanes_sum_u64(along_[k_]); \
        if (sum_ != 0 && row_ < GRID_H) \
            __atomic_fetch_add(&totals_[SUMS_N + WIDE_N + (ptrdiff_t)(TILE_Y + along_y_) * ROW_SUMS_N + k_], sum_, \
                               __ATOMIC_RELAXED); \
    }
#define ROW_SUM_U64(k, m, y, dy, val) { \
        u64x *along_sum_ = &along_[((y).v + (dy) - along_y_) * ROW_SUMS_N + (k)]; \
        KERNEL_CHECK((y).v + (dy) - along_y_ < ALONG_, "the row of a row sum"); \
        *along_sum_ = u64x_add(*along_sum_, u64x_where_(m, val)); \
    }
#define ROW_SUM(k, m, y, dy, val) ROW_SUM_U64(k, m, y, dy, u64x_from_i32(val))
/* A word of each item of the grid, after the sums. */
#define WORDS
#define ST_WORD(x, y, val) \
    lanes_store_words(totals_ + SUMS_N + WIDE_N + (ptrdiff_t)(TILE_Y + (y).v) * GRID_W + TILE_X + (x).v, \
                      INSIDE_ALL(x, y), val)
#define EXTREMA(n) enum { EXTREMA_N = (n) };
#define EXTREMUM(k, m, val, x, y, dy) \
    lanes_extremum(a_->extrema + 2 * (a_->tile_index * EXTREMA_N + (k)), m, val, TILE_X + (x).v, \
                   TILE_Y + (y).v + (dy), GRID_W)

#endif
