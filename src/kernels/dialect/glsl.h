/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel dialect on GLSL. Vulkan takes it as SPIR-V, OpenGL 4.3 as GLSL 4.30 made from that SPIR-V. A work item is
 * an invocation, a tile is a workgroup of NT invocations, tile memory is shared memory. docs/dialect.md is the
 * reference of every word.
 *
 * The C preprocessor reads this header (GLSL's own lacks ##), then tools/spirv.py puts dialect/prologue.glsl in front.
 * The build gives: TILE_W, TILE_H, NT, KERNEL_PLANES_N (the number of the kernel's planes, which is the first binding
 * after them), KERNEL_SUMS, KERNEL_SUM_MAX, KERNEL_WIDE, KERNEL_HISTOGRAM, KERNEL_ROW_SUMS, KERNEL_WORDS,
 * KERNEL_EXTREMA, and SUBGROUPS where 32-bit subgroup sums may be used.
 *
 * No optional feature is used: no integer of 8, 16 or 64 bits, no 64-bit atomic. Samples of 8 and 16 bits are extracted
 * from 32-bit words. A sum is at most 2^31 - 1 per invocation. Sums are added in shared memory, then to their 64-bit
 * totals as two 32-bit words with a carry.
 */
#ifndef ASSAY_DIALECT_GLSL_H
#define ASSAY_DIALECT_GLSL_H

#include "kernels/dialect/gpu.h"
#include "kernels/dialect/interface.h"
#include "kernels/shared.h"

#define TARGET_GLSL 1
#define RUN 4
#define FN
/* tools/spirv.py writes the body n times, so that indices are constants. Drivers do not always unroll. */
#define FOR(i, n) UNROLLED for (int i = 0; i < (n); i++)
#define LOOP(i, n) [[dont_unroll]] for (int i = 0; i < (n); i++)

#if TILE_W * TILE_H % NT != 0 || TILE_H % (TILE_W * TILE_H / NT) != 0
#error "a tile is whole strips of whole rows"
#endif
#if KERNEL_SUM_MAX * (TILE_W * TILE_H / NT) > 2147483647
#error "an invocation's sum overflows 32 bits: more threads or a smaller tile"
#endif

/* 128 bytes, the largest size that every Vulkan device has. Indices are constants: some drivers get a loop variable as
 * index wrong. */
layout(push_constant) uniform push_block {
    ivec4 plane[4]; /* offset in words, stride in bytes, width, height */
    ivec4 grid;     /* width, height, offsets of the totals (64-bit words) and of the extrema (pairs) */
    ivec4 param[3];
} push;

layout(local_size_x = NT) in;

/* ---- values ------------------------------------------------------------------------------------------------------ */

#define F32(c) f32(c)
#define I32(c) i32(c)
#define U32(c) u32(c)

i32 sel_i32(mask m, i32 a, i32 b) { return m ? a : b; }
u32 sel_u32(mask m, u32 a, u32 b) { return m ? a : b; }
mask and_(mask a, mask b) { return a && b; }
mask or_(mask a, mask b) { return a || b; }
/* True, because the grid is never empty. No compiler knows this, so none simplifies a mask that is compared with it. */
#define TRUE_ (push.grid.x > 0)
/* Not `!m`: drivers make `a >= b` of `!(a < b)`, which differs for NaN. */
mask not_(mask m) { return m != TRUE_; }
bool any_(mask m) { return m; }
/* Drivers make a max of `a > b ? a : b`, which differs for NaN and signed zeros. */
f32 sel_f32(mask m, f32 a, f32 b)
{
    return uintBitsToFloat(sel_u32(m == TRUE_, floatBitsToUint(a), floatBitsToUint(b)));
}

u32 f32_bits(f32 v) { return floatBitsToUint(v); }
f32 bits_f32(u32 v) { return uintBitsToFloat(v); }
u32 u32_from_i32(i32 v) { return u32(v); }
i32 i32_from_u32(u32 v) { return i32(v); }
i32 i32_from_f32(f32 v) { return i32(v); }
f32 f32_from_i32(i32 v) { return f32(v); }
f32 f32_from_u32(u32 v) { return f32(i32(v)); }
f32 to_f32(i32 v) { return f32(v); }
f32 to_f32(u32 v) { return f32(i32(v)); }
f32 to_f32(f32 v) { return v; }
i32 to_i32(i32 v) { return v; }
i32 to_i32(u32 v) { return i32(v); }
u32 to_u32(i32 v) { return u32(v); }
u32 to_u32(u32 v) { return v; }

u32 shl_u32(u32 v, int n) { return v << n; }
u32 shr_u32(u32 v, int n) { return v >> n; }
i32 shr_i32(i32 v, int n) { return v >> n; }
u32 shl_u32_by(u32 v, u32 n) { return v << n; }
u32 shr_u32_by(u32 v, u32 n) { return v >> n; }
i32 shr_i32_by(i32 v, u32 n) { return v >> n; }

/* Two 16-bit numbers in a u32: the sum of the signed products of both halves, and the low and the high 16 bits of the
 * unsigned product of each. */
u32 dot_i16(u32 a, u32 b)
{
    i32 low = (i32(a << 16) >> 16) * (i32(b << 16) >> 16);
    return u32(low) + u32((i32(a) >> 16) * (i32(b) >> 16));
}
#define dot_sum u32
#define dot_sum_from(start) (start)
u32 dot_add_i16(dot_sum sum, u32 a, u32 b) { return sum + dot_i16(a, b); }
#define u32_from_dots(sum) (sum)
u32 mul_low_u16(u32 a, u32 b) { return (((a & 0xffffu) * (b & 0xffffu)) & 0xffffu) | (((a >> 16) * (b >> 16)) << 16); }
u32 mul_high_u16(u32 a, u32 b)
{
    return (((a & 0xffffu) * (b & 0xffffu)) >> 16) | (((a >> 16) * (b >> 16)) & 0xffff0000u);
}
u32 sub_u16(u32 a, u32 b) { return ((a - b) & 0xffffu) | ((a & 0xffff0000u) - (b & 0xffff0000u)); }
u32 min_u16(u32 a, u32 b) { return min(a & 0xffffu, b & 0xffffu) | (min(a >> 16, b >> 16) << 16); }
/* The size of each half; and (a b + 2^14) >> 15 of numbers from 0 to 2^15 - 1. */
u32 abs_i16(u32 a)
{
    u32 minus = ((a >> 15) & 0x00010001u) * 0xffffu;
    return (a ^ minus) + (minus & 0x00010001u);
}
i32 mul_q15(i32 a, i32 b) { return (a * b + 16384) >> 15; }

/* Compare and select, because the abs, max and min of targets differ for NaN and -0. */
f32 abs_f32(f32 v) { return uintBitsToFloat(floatBitsToUint(v) & 0x7fffffffu); }
f32 max_f32(f32 a, f32 b) { return sel_f32(a > b, a, b); }
f32 min_f32(f32 a, f32 b) { return sel_f32(a < b, a, b); }
i32 max_i32(i32 a, i32 b) { return a > b ? a : b; }
i32 min_i32(i32 a, i32 b) { return a < b ? a : b; }

/* GLSL's own division and square root are not correctly rounded. exact.h's are, on their stated domain. */
#define div_rn(a, b) div_rn_(a, b)
#define sqrt_rn(v) sqrt_rn_(v)

/* ---- borders ----------------------------------------------------------------------------------------------------- */

#define REFLECT101 0
#define SYMMETRIC 1
#define REPLICATE 2
#define MIXED 3
#define REFLECT_ONCE 4
#define WITHIN 5

int clamp_index(int i, int n) { return max(min(i, n - 1), 0); }

/* Folds any index until it is inside 0..n-1, for any n of at least 1. */
int border_index(int rule, int i, int n)
{
    if (rule == WITHIN)
        return i;
    if (rule == REFLECT_ONCE) {
        int from_end = n - 1 - max(i, -i);
        return max(n - 1 - max(from_end, -from_end), 0);
    }
    if (rule == MIXED) {
        int size = max(i, -i);
        return max(min(size, 2 * n - 1 - size), 0);
    }
    if (rule == REPLICATE || n == 1)
        return clamp_index(i, n);
    int low = rule == SYMMETRIC ? -1 : 0;
    int high = rule == REFLECT101 ? 2 * n - 2 : 2 * n - 1;
    while (i < 0 || i >= n)
        i = i < 0 ? low - i : high - i;
    return i;
}

/* ---- interface of a kernel ------------------------------------------------------------------------------------ */

#define KERNEL(name)

#define PLANE_IN_(slot, T, name) PLANE_IN_##T(slot, name)
#define PLANE_IN_u8(slot, name) \
    PLANE_SAMPLES_(slot, name, (at & 3) << 3, 0xffu) \
    PLANE_LOADS_(slot, name, i32, x) \
    u32 name##_four(int rx, int ry, int x, int y) \
    { \
        if (rx == WITHIN && (push.plane[slot].y & 3) == 0) \
            return name##_word[push.plane[slot].x + ((y * push.plane[slot].y + x) >> 2)]; \
        u32 v = 0u; \
        FOR(i, 4) { v |= u32(name##_ldb(rx, ry, x + i, y)) << 8 * i; } \
        return v; \
    }
#define PLANE_IN_u16(slot, name) \
    PLANE_SAMPLES_(slot, name, (at & 2) << 3, 0xffffu) \
    PLANE_LOADS_(slot, name, i32, 2 * x)
#define PLANE_IN_u32(slot, name) PLANE_WORDS_(slot, name, u32)
#define PLANE_IN_i32(slot, name) PLANE_WORDS_(slot, name, i32)
#define PLANE_IN_f32(slot, name) PLANE_WORDS_(slot, name, f32)

/* A plane's bytes are below 2^31. */
#define PLANE_SAMPLES_(slot, name, shift, bits) \
    layout(std430, binding = slot) readonly restrict buffer name##_block { u32 name##_word[]; }; \
    i32 name##_at(int at) { return i32((name##_word[push.plane[slot].x + (at >> 2)] >> (shift)) & bits); }
#define PLANE_WORDS_(slot, name, T) \
    layout(std430, binding = slot) readonly restrict buffer name##_block { T name##_word[]; }; \
    T name##_at(int at) { return name##_word[push.plane[slot].x + (at >> 2)]; } \
    PLANE_LOADS_(slot, name, T, 4 * x)
#define PLANE_LOADS_(slot, name, T, offset) \
    const int name##_slot = slot; \
    T name##_cell(int x, int y) { return name##_at(y * push.plane[slot].y + offset); } \
    T name##_ld(int x, int y) \
    { \
        T v = T(0); \
        if (uint(x) < uint(push.plane[slot].z) && uint(y) < uint(push.plane[slot].w)) \
            v = name##_cell(x, y); \
        return v; \
    } \
    T name##_ldb(int rx, int ry, int x, int y) \
    { \
        return name##_cell(border_index(rx, x, push.plane[slot].z), border_index(ry, y, push.plane[slot].w)); \
    } \
    T name##_ld_layer(int top, int h, int x, int y) \
    { \
        T v = T(0); \
        if (uint(x) < uint(push.plane[slot].z) && uint(y) < uint(h)) \
            v = name##_cell(x, top + y); \
        return v; \
    } \
    T name##_ldb_layer(int top, int h, int rx, int ry, int x, int y) \
    { \
        return name##_cell(border_index(rx, x, push.plane[slot].z), top + border_index(ry, y, h)); \
    } \
    T name##_ldg(int x, int y) \
    { \
        return name##_cell(clamp_index(x, push.plane[slot].z), clamp_index(y, push.plane[slot].w)); \
    }

#define PLANE_OUT_(slot, T, name) \
    const int name##_slot = slot; \
    layout(std430, binding = slot) writeonly restrict buffer name##_block { T name##_word[]; };

#define PARAM_I32(slot, name) i32 name = PARAM_WORD_(slot);
#define PARAM_F32(slot, name) f32 name = intBitsToFloat(PARAM_WORD_(slot));
#define PARAMS_I32(slot, n, name) const int name##_slot = slot;
#define PARAMS_F32(slot, n, name) const int name##_slot = slot;
#define PARAM_AT_I32(name, n) param_at_(name##_slot + (n))
#define PARAM_AT_F32(name, n) intBitsToFloat(param_at_(name##_slot + (n)))
#define PARAM_WORD_(slot) push.param[(slot) / 4][(slot) % 4]

int param_at_(int i)
{
    ivec4 four = i < 4 ? push.param[0] : i < 8 ? push.param[1] : push.param[2];
    int k = i & 3;
    return k < 2 ? (k == 0 ? four.x : four.y) : (k == 2 ? four.z : four.w);
}

#define TILE(T, name, cols, rows) \
    const int name##_cols = cols; \
    shared T name[(rows) * (cols)];

#define TILE_X (int(gl_WorkGroupID.x) * TILE_W)
#define TILE_Y (int(gl_WorkGroupID.y) * TILE_H)
#define GRID_W push.grid.x
#define GRID_H push.grid.y
#define THREAD_ int(gl_LocalInvocationIndex)

#if defined(SUBGROUPS) && TILE_W * TILE_H != NT
#define ROW_SUMS_OF_SUBGROUPS_ 1
#else
#define ROW_SUMS_OF_SUBGROUPS_ 0
#endif

/* ---- loops ------------------------------------------------------------------------------------------------------ */

#define ROUNDS_(items) for (int t_ = THREAD_; t_ < (items); t_ += NT) {

/* For row sums of more than one item: do the items of a subgroup lie in one row? */
#if KERNEL_ROW_SUMS && ROW_SUMS_OF_SUBGROUPS_
#define ALONG_(y) \
        uint first_y_ = subgroupAdd(subgroupElect() ? uint(y) : 0u); \
        bool along_ = subgroupAdd(uint(y) == first_y_ ? 0u : 1u) == 0u;
#else
#define ALONG_(y)
#endif

#define SYNC { memoryBarrierShared(); barrier(); }

/*
 * Counts of codes in windows (TALLIES). A workgroup has a table in shared memory: how often each code occurs in a
 * column of the tile or beside it, among the rows of the window of the row that is computed. The table slides down the
 * rows: each invocation has columns of its own, to which it adds the row that enters and from which it takes the one
 * that leaves. A count of a window is the sum over its columns.
 *
 * A count of a column is at most 65 and has a byte, four codes a word. The table holds TALLY_WORDS of them. Where the
 * items' codes lie farther apart than it has codes, the tile is computed in rounds: an item is computed in the round
 * that has its code. Groups of 32 codes are numbered; the last one has what is above, too.
 */
#define TALLY(name, last) \
    shared uint name##_table_[TALLY_WORDS]; \
    shared uint name##_groups_; \
    /* The code of an element, -1 outside the plane and where it is not counted. */ \
    int name##_code_(int first, int last_code, int x, int y) \
    { \
        int code = -1; \
        if (uint(x) < uint(PLANE_W(name)) && uint(y) < uint(PLANE_H(name))) \
            code = int(name##_cell(x, y)); \
        return code >= first && code <= last_code ? code : -1; \
    } \
    void name##_count_(int columns, int words, int from, int column, int code, uint n) \
    { \
        int at = code - from; \
        if (code >= 0 && uint(at) < 4u * uint(words)) \
            name##_table_[(at >> 2) * columns + column] += n << (8 * (at & 3)); \
    }
int tally_group_(int code) { return min(code >> 5, 31); }

/* words_: of a column; from_: the table's first code; begin_, end_: the round's groups; others_: this round has the
 * items without a code, too. */
#define TALLIES(x, y, name, radius, reach, first, last) { \
        int radius_ = radius; \
        int first_ = first; \
        int last_ = last; \
        int columns_ = TILE_W + 2 * radius_; \
        int words_ = TALLY_WORDS / columns_; \
        if (THREAD_ == 0) \
            name##_groups_ = 0u; \
        SYNC \
        uint found_ = 0u; \
        for (int t_ = THREAD_; t_ < TILE_W * TILE_H; t_ += NT) { \
            int code_ = name##_code_(first_, last_, TILE_X + t_ % TILE_W, TILE_Y + t_ / TILE_W); \
            found_ |= code_ < 0 ? 0u : 1u << uint(tally_group_(code_)); \
        } \
        if (found_ != 0u) \
            atomicOr(name##_groups_, found_); \
        SYNC \
        uint groups_ = name##_groups_; \
        bool others_ = true; \
        int tally_rows_ = min(TILE_H, GRID_H - TILE_Y); \
        do { \
            bool counts_ = groups_ != 0u; \
            int begin_ = counts_ ? findLSB(groups_) : 0; \
            int end_ = min(begin_ + (4 * words_ - 2 * (reach) - 8) / 32, 32); \
            int from_ = (32 * begin_ - (reach)) & ~3; \
            groups_ = end_ < 32 ? (groups_ >> uint(end_)) << uint(end_) : 0u; \
            if (counts_) \
                for (int c_ = THREAD_; c_ < columns_; c_ += NT) { \
                    int at_ = TILE_X - radius_ + c_; \
                    for (int i_ = 0; i_ < words_; i_++) \
                        name##_table_[i_ * columns_ + c_] = 0u; \
                    for (int i_ = TILE_Y - radius_; i_ < TILE_Y + radius_; i_++) \
                        name##_count_(columns_, words_, from_, c_, name##_code_(first_, last_, at_, i_), 1u); \
                } \
            for (int y = 0; y < tally_rows_; y++) { \
                if (counts_) { \
                    for (int c_ = THREAD_; c_ < columns_; c_ += NT) { \
                        int at_ = TILE_X - radius_ + c_; \
                        int enters_ = name##_code_(first_, last_, at_, TILE_Y + y + radius_); \
                        int leaves_ = name##_code_(first_, last_, at_, TILE_Y + y - radius_ - 1); \
                        name##_count_(columns_, words_, from_, c_, enters_, 1u); \
                        name##_count_(columns_, words_, from_, c_, y > 0 ? leaves_ : -1, 0xffffffffu); \
                    } \
                    SYNC \
                } \
                for (int x = THREAD_; x < TILE_W; x += NT) { \
                    int own_ = name##_code_(first_, last_, TILE_X + x, TILE_Y + y); \
                    int group_ = tally_group_(own_); \
                    if (own_ < 0 ? others_ : group_ >= begin_ && group_ < end_) {
#define END_TALLIES \
                    } \
                } \
                if (counts_) \
                    SYNC \
            } \
            others_ = false; \
        } while (groups_ != 0u); \
    }

/* Bytes hold the counts of 7 columns of windows up to 35 wide, of 3 columns of wider ones. n codes in a row lie in at
 * most (n + 6) / 4 words. */
#define TALLY_OF(name, n, counts, m, code, x, y) { \
        int at_ = (code) - from_; \
        int cell_ = (at_ >> 2) * columns_ + (x); \
        int few_ = radius_ <= 17 ? 7 : 3; \
        uint even_[3]; \
        uint odd_[3]; \
        uint part_[3]; \
        uint of_[12]; \
        FOR(i_, 3) { even_[i_] = 0u; odd_[i_] = 0u; part_[i_] = 0u; } \
        for (int rest_ = (m) ? 2 * radius_ + 1 : 0; rest_ > 0; rest_ -= few_) { \
            FOR(i_, 3) { part_[i_] = 0u; } \
            for (int k_ = min(rest_, few_); k_ > 0; k_--) { \
                FOR(i_, ((n) + 6) / 4) { part_[i_] += name##_table_[cell_ + i_ * columns_]; } \
                cell_++; \
            } \
            FOR(i_, 3) { even_[i_] += part_[i_] & 0xff00ffu; odd_[i_] += (part_[i_] >> 8) & 0xff00ffu; } \
        } \
        FOR(i_, 12) { of_[i_] = (((i_ & 1) != 0 ? odd_[i_ / 4] : even_[i_ / 4]) >> (8 * (i_ & 2))) & 0xffffu; } \
        FOR(i_, 11) { of_[i_] = (at_ & 1) != 0 ? of_[i_ + 1] : of_[i_]; } \
        FOR(i_, n) { counts[i_] = int((at_ & 2) != 0 ? of_[i_ + 2] : of_[i_]); } \
    }

/* ---- positions -------------------------------------------------------------------------------------------------- */

#define INSIDE(x, y, dy) (TILE_X + (x) < GRID_W && TILE_Y + (y) + (dy) < GRID_H)

/* ---- planes ----------------------------------------------------------------------------------------------------- */

#define LD_(name, x, y) name##_ld(x, y)
#define LDB_(name, rx, ry, x, y) name##_ldb(rx, ry, x, y)
#define LDB_FOUR_(name, rx, ry, x, y) name##_four(rx, ry, x, y)
#define LD_LAYER_(name, top, h, x, y) name##_ld_layer(top, h, x, y)
#define LDB_LAYER_(name, top, h, rx, ry, x, y) name##_ldb_layer(top, h, rx, ry, x, y)
#define LDG(name, xi, yi) name##_ldg(xi, yi)
#define ST_LAYER_AT(name, k, w, ox, x, ny, oy, y, val) \
    STG(name, (x) < (w) && (oy) + (ny) * (y) < GRID_H, (ox) + (x), (oy) + (ny) * (y) + (k) * GRID_H, val)
#define STG(name, m, xi, yi, val) { \
        int x_ = xi; \
        int y_ = yi; \
        if ((m) && uint(x_) < uint(PLANE_W(name)) && uint(y_) < uint(PLANE_H(name))) \
            name##_word[push.plane[name##_slot].x + ((y_ * push.plane[name##_slot].y) >> 2) + x_] = val; \
    }
#define PLANE_W(name) push.plane[name##_slot].z
#define PLANE_H(name) push.plane[name##_slot].w

/* ---- tile memory ------------------------------------------------------------------------------------------------ */

#define TILE_CELL_(name, col, row) name[(row) * name##_cols + (col)]
#define TADD(name, m, xi, yi, val) { \
        if (m) \
            atomicAdd(TILE_CELL_(name, xi, yi), val); \
    }

/* ---- totals ----------------------------------------------------------------------------------------------------- */

#define BEGIN void main() { SUMS_BEGIN_ WIDE_BEGIN_ ROW_SUMS_BEGIN_ EXTREMA_BEGIN_ SHARED_BEGIN_
#define END SHARED_END_ SUMS_END_ WIDE_END_ ROW_SUMS_END_ EXTREMA_END_ }

#if KERNEL_SUMS || KERNEL_WIDE || KERNEL_ROW_SUMS
#define SHARED_BEGIN_ SYNC
#define SHARED_END_ SHARED_FLUSH_ WIDE_FLUSH_ ROW_FLUSH_ SYNC
#else
#define SHARED_BEGIN_
#define SHARED_END_
#endif

#if KERNEL_SUMS || KERNEL_WIDE || KERNEL_HISTOGRAM || KERNEL_ROW_SUMS || KERNEL_WORDS
#define EXTREMA_BINDING_ (KERNEL_PLANES_N + 1)
layout(std430, binding = KERNEL_PLANES_N) restrict buffer totals_block { uint totals_word[]; };

/* Adds to a 64-bit total. Exactly one addition sees each wrap of the low word and carries it. */
void total_add(int at, uint low, uint high)
{
    int word = 2 * (push.grid.z + at);
    uint before = atomicAdd(totals_word[word], low);
    high += before + low < before ? 1u : 0u;
    if (high != 0u)
        atomicAdd(totals_word[word + 1], high);
}
void total_add(int at, int v) { total_add(at, uint(v), uint(v >> 31)); }
void total_add_shifted_16(int at, int v) { total_add(at, uint(v) << 16, uint(v >> 16)); }

/* A 64-bit number as three pieces of 22, 22 and 20 bits: a word holds the sum of 1024 of them. */
#define PIECE_0_(v) ((v).lo & 0x3fffffu)
#define PIECE_1_(v) (((v).lo >> 22 | (v).hi << 10) & 0x3fffffu)
#define PIECE_2_(v) ((v).hi >> 12)
void total_add_pieces(int at, uint p0, uint p1, uint p2)
{
    uint low = p0 + (p1 << 22);
    total_add(at, low, (p1 >> 10) + (p2 << 12) + (low < p0 ? 1u : 0u));
}
#else
#define EXTREMA_BINDING_ KERNEL_PLANES_N
#endif

/* The sum of a tile: one 32-bit word where it surely fits, else separate words for the low 16 bits and the rest of each
 * summand. */
#if KERNEL_SUMS
#if KERNEL_SUM_MAX * TILE_W * TILE_H <= 2147483647
#define SUM_WORDS_ 1
#else
#define SUM_WORDS_ 2
#endif
shared int tile_sum_[KERNEL_SUMS * SUM_WORDS_];
#define SUMS_BEGIN_ \
    int acc_[KERNEL_SUMS]; \
    FOR(k_, KERNEL_SUMS) { acc_[k_] = 0; } \
    for (int t_ = THREAD_; t_ < KERNEL_SUMS * SUM_WORDS_; t_ += NT) \
        tile_sum_[t_] = 0;
/* A subgroup adds its values first, then adds the sum to a word. Without subgroups every invocation adds to the same
 * word: several copies of the word cost more than they saved on an H200. */
#ifdef SUBGROUPS
#define TILE_SUM_(k, v) { int s_ = subgroupAdd(v); if (subgroupElect()) atomicAdd(tile_sum_[k], s_); }
#else
#define TILE_SUM_(k, v) atomicAdd(tile_sum_[k], v);
#endif
#if SUM_WORDS_ == 1
#define SHARED_FLUSH_ FOR(k_, KERNEL_SUMS) TILE_SUM_(k_, acc_[k_])
#define SUMS_END_ \
    for (int t_ = THREAD_; t_ < KERNEL_SUMS; t_ += NT) \
        total_add(t_, tile_sum_[t_]);
#else
#define SHARED_FLUSH_ FOR(k_, KERNEL_SUMS) { \
        TILE_SUM_(2 * k_, acc_[k_] & 0xffff) \
        TILE_SUM_(2 * k_ + 1, acc_[k_] >> 16) \
    }
#define SUMS_END_ \
    for (int t_ = THREAD_; t_ < KERNEL_SUMS; t_ += NT) { \
        total_add(t_, tile_sum_[2 * t_]); \
        total_add_shifted_16(t_, tile_sum_[2 * t_ + 1]); \
    }
#endif
#else
#define SUMS_BEGIN_
#define SHARED_FLUSH_
#define SUMS_END_
#endif

#if KERNEL_WIDE
#if NT > 1024
#error "pieces of 64-bit numbers overflow their words"
#endif
shared uint wide_sum_[KERNEL_WIDE * 3];
#define WIDE_BEGIN_ \
    u64x wide_[KERNEL_WIDE]; \
    FOR(k_, KERNEL_WIDE) { wide_[k_] = u64x_from_u32(0u); } \
    for (int t_ = THREAD_; t_ < KERNEL_WIDE * 3; t_ += NT) \
        wide_sum_[t_] = 0u;
#ifdef SUBGROUPS
#define WIDE_SUM_(k, v) { uint s_ = subgroupAdd(v); if (subgroupElect()) atomicAdd(wide_sum_[k], s_); }
#else
#define WIDE_SUM_(k, v) atomicAdd(wide_sum_[k], v);
#endif
#define WIDE_FLUSH_ FOR(k_, KERNEL_WIDE) { \
        WIDE_SUM_(3 * k_, PIECE_0_(wide_[k_])) \
        WIDE_SUM_(3 * k_ + 1, PIECE_1_(wide_[k_])) \
        WIDE_SUM_(3 * k_ + 2, PIECE_2_(wide_[k_])) \
    }
#define WIDE_END_ \
    for (int t_ = THREAD_; t_ < KERNEL_WIDE; t_ += NT) \
        total_add_pieces(KERNEL_SUMS + t_, wide_sum_[3 * t_], wide_sum_[3 * t_ + 1], wide_sum_[3 * t_ + 2]);
#define SUM_U64(k, m, v) { \
        u64x v_ = v; \
        wide_[(k) - KERNEL_SUMS] = u64x_add(wide_[(k) - KERNEL_SUMS], u64x_sel(m, v_, u64x_from_u32(0u))); \
    }
#else
#define WIDE_BEGIN_
#define WIDE_FLUSH_
#define WIDE_END_
#endif

/* Bins, row sums and extrema come after the sums. */
#if KERNEL_HISTOGRAM
#define COUNT(m, bin) { if (m) total_add(KERNEL_SUMS + KERNEL_WIDE + clamp_index(bin, KERNEL_HISTOGRAM), 1u, 0u); }
#endif

/* An item's word: no other item writes there. */
#if KERNEL_WORDS
#define ST_WORD(x, y, val) { \
        if (INSIDE_ALL(x, y)) { \
            u64x v_ = val; \
            int word_ = 2 * (push.grid.z + KERNEL_SUMS + KERNEL_WIDE + (TILE_Y + (y)) * GRID_W + TILE_X + (x)); \
            totals_word[word_] = v_.lo; \
            totals_word[word_ + 1] = v_.hi; \
        } \
    }
#endif

/* The sums of a tile's rows, in pieces. */
#if KERNEL_ROW_SUMS
#if TILE_W > 1024
#error "pieces of 64-bit numbers overflow their words"
#endif
shared uint row_sum_[TILE_H * KERNEL_ROW_SUMS * 3];
#define ROW_SUMS_CLEAR_ \
    for (int t_ = THREAD_; t_ < TILE_H * KERNEL_ROW_SUMS * 3; t_ += NT) \
        row_sum_[t_] = 0u;
#define ROW_SUM_ATOMICS_(p0, p1, p2) { \
        atomicAdd(row_sum_[cell_], p0); \
        atomicAdd(row_sum_[cell_ + 1], p1); \
        atomicAdd(row_sum_[cell_ + 2], p2); \
    }
#if TILE_W * TILE_H == NT
/* An invocation has one item, which is of one row. It keeps the item's values to the end. Then all of them go to shared
 * memory, a few at a time, and eight invocations add each row. No two of 16 of these read the same banks. */
#define ROW_SUMS_BEGIN_ \
    ROW_SUMS_CLEAR_ \
    u64x row_value_[KERNEL_ROW_SUMS]; \
    FOR(k_, KERNEL_ROW_SUMS) { row_value_[k_] = u64x_from_u32(0u); }
#define ROW_SUM_U64(k, m, y, dy, val) { \
        bool counts_ = (m) && TILE_Y + (y) + (dy) < GRID_H; \
        u64x v_ = val; \
        row_value_[k] = u64x_add(row_value_[k], u64x_sel(counts_, v_, u64x_from_u32(0u))); \
    }
#if KERNEL_ROW_SUMS % 3 == 0
#define ROW_CHUNK_ 3
#else
#define ROW_CHUNK_ 1
#endif
#define ROW_CELLS_ (TILE_W + 8)
shared uvec2 row_cell_[ROW_CHUNK_ * TILE_H * ROW_CELLS_];
#define ROW_FLUSH_ FOR(g_, KERNEL_ROW_SUMS / ROW_CHUNK_) { \
        SYNC \
        FOR(k_, ROW_CHUNK_) { \
            u64x v_ = row_value_[ROW_CHUNK_ * g_ + k_]; \
            row_cell_[(k_ * TILE_H + THREAD_ / TILE_W) * ROW_CELLS_ + THREAD_ % TILE_W] = uvec2(v_.lo, v_.hi); \
        } \
        SYNC \
        for (int t_ = THREAD_; t_ < ROW_CHUNK_ * TILE_H * 8; t_ += NT) { \
            int row_ = t_ / 8; \
            u64x v_ = u64x_from_u32(0u); \
            FOR(i_, TILE_W / 8) { \
                uvec2 part_ = row_cell_[row_ * ROW_CELLS_ + t_ % 8 + 8 * i_]; \
                v_ = u64x_add(v_, u64x_make(part_.x, part_.y)); \
            } \
            int cell_ = 3 * (row_ % TILE_H * KERNEL_ROW_SUMS + ROW_CHUNK_ * g_ + row_ / TILE_H); \
            ROW_SUM_ATOMICS_(PIECE_0_(v_), PIECE_1_(v_), PIECE_2_(v_)) \
        } \
    }
#else
#define ROW_FLUSH_
#define ROW_SUMS_BEGIN_ ROW_SUMS_CLEAR_
#define ROW_SUM_U64(k, m, y, dy, val) { \
        int cell_ = 3 * (((y) + (dy)) * KERNEL_ROW_SUMS + (k)); \
        bool counts_ = (m) && TILE_Y + (y) + (dy) < GRID_H; \
        u64x v_ = val; \
        ROW_SUM_ADD_ \
    }
#if ROW_SUMS_OF_SUBGROUPS_
#define ROW_SUM_ADD_ \
        if (along_) { \
            uint p0_ = subgroupAdd(counts_ ? PIECE_0_(v_) : 0u); \
            uint p1_ = subgroupAdd(counts_ ? PIECE_1_(v_) : 0u); \
            uint p2_ = subgroupAdd(counts_ ? PIECE_2_(v_) : 0u); \
            if (subgroupElect()) \
                ROW_SUM_ATOMICS_(p0_, p1_, p2_) \
        } else if (counts_) \
            ROW_SUM_ATOMICS_(PIECE_0_(v_), PIECE_1_(v_), PIECE_2_(v_))
#else
#define ROW_SUM_ADD_ \
        if (counts_) \
            ROW_SUM_ATOMICS_(PIECE_0_(v_), PIECE_1_(v_), PIECE_2_(v_))
#endif
#endif
#define ROW_SUM(k, m, y, dy, val) ROW_SUM_U64(k, m, y, dy, u64x_from_i32(val))
#define ROW_SUMS_END_ \
    for (int t_ = THREAD_; t_ < TILE_H * KERNEL_ROW_SUMS; t_ += NT) \
        if (TILE_Y + t_ / KERNEL_ROW_SUMS < GRID_H) \
            total_add_pieces(KERNEL_SUMS + KERNEL_WIDE + TILE_Y * KERNEL_ROW_SUMS + t_, row_sum_[3 * t_], \
                             row_sum_[3 * t_ + 1], row_sum_[3 * t_ + 2]);
#else
#define ROW_SUMS_BEGIN_
#define ROW_FLUSH_
#define ROW_SUMS_END_
#endif

/* The best of an invocation, then of the tile. Each round compares one half of the workgroup with the other. */
#if KERNEL_EXTREMA
#if (NT & (NT - 1)) != 0
#error "an extremum needs a power of two of invocations"
#endif
layout(std430, binding = EXTREMA_BINDING_) writeonly restrict buffer extrema_block { uvec2 extrema_pair[]; };
shared uint best_value_shared_[NT];
shared uint best_at_shared_[NT];
#define EXTREMA_BEGIN_ \
    uint best_value_[KERNEL_EXTREMA]; \
    uint best_at_[KERNEL_EXTREMA]; \
    FOR(k_, KERNEL_EXTREMA) { best_value_[k_] = 0u; best_at_[k_] = 0xffffffffu; }
#define EXTREMUM(k, m, val, x, y, dy) { \
        uint v_ = val; \
        uint p_ = uint(TILE_Y + (y) + (dy)) * uint(GRID_W) + uint(TILE_X + (x)); \
        if ((m) && (v_ > best_value_[k] || (v_ == best_value_[k] && p_ < best_at_[k]))) { \
            best_value_[k] = v_; \
            best_at_[k] = p_; \
        } \
    }
#define EXTREMA_END_ \
    FOR(k_, KERNEL_EXTREMA) { \
        int mine_ = THREAD_; \
        SYNC \
        best_value_shared_[mine_] = best_value_[k_]; \
        best_at_shared_[mine_] = best_at_[k_]; \
        SYNC \
        for (int half_ = NT / 2; half_ > 0; half_ /= 2) { \
            if (mine_ < half_) { \
                uint v_ = best_value_shared_[mine_ + half_]; \
                uint p_ = best_at_shared_[mine_ + half_]; \
                if (v_ > best_value_shared_[mine_] || \
                    (v_ == best_value_shared_[mine_] && p_ < best_at_shared_[mine_])) { \
                    best_value_shared_[mine_] = v_; \
                    best_at_shared_[mine_] = p_; \
                } \
            } \
            SYNC \
        } \
        if (mine_ == 0) { \
            int tile_ = int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x); \
            extrema_pair[push.grid.w + tile_ * KERNEL_EXTREMA + k_] = \
                uvec2(best_value_shared_[0], best_at_shared_[0]); \
        } \
    }
#else
#define EXTREMA_BEGIN_
#define EXTREMA_END_
#endif

#endif
