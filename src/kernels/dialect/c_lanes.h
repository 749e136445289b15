/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lane values of the C build: vectors of LANES items (gcc and clang vector extensions), plain scalars when LANES is 1.
 * Compilers' built-in functions are used only where gcc 12 makes slow code of the portable form: widening loads and
 * square roots.
 */
#ifndef ASSAY_DIALECT_C_LANES_H
#define ASSAY_DIALECT_C_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernels/kernel.h"

#if defined(__aarch64__) && LANES > 1
#include <arm_neon.h>
#define INTS_(most, a, b) (i32)v##most##q_s32((int32x4_t)(a), (int32x4_t)(b))
#endif

#if LANES != 1 && LANES != 4 && LANES != 8 && LANES != 16
#error "LANES is 1, 4, 8 or 16"
#endif

#define LANE_FN static inline __attribute__((always_inline, unused))
/* Code for the ends of rows and for what is rare: out of line, or the loops around it would outgrow the cache. */
#define EDGE_FN static __attribute__((noinline, unused))
#define UNALIGNED_OF(T) T __attribute__((aligned(1), may_alias))

#if LANES == 1
typedef float f32;
typedef int32_t i32;
typedef uint32_t u32;
typedef int32_t mask; /* 0 or 1 */
#define F32(c) ((f32)(c))
#define I32(c) ((i32)(c))
#define U32(c) ((u32)(c))
#define LANE(v, l) (v)
#define SET_LANE(v, l, s) ((v) = (s))
#else
typedef float f32 __attribute__((vector_size(LANES * 4)));
typedef int32_t i32 __attribute__((vector_size(LANES * 4)));
typedef uint32_t u32 __attribute__((vector_size(LANES * 4)));
typedef i32 mask; /* 0 or -1 */
#define F32(c) ((float)(c) - (f32){0}) /* 0 + -0 would be 0 */
#define I32(c) ((i32){0} + (int32_t)(c))
#define U32(c) ((u32){0} + (uint32_t)(c))
#define LANE(v, l) ((v)[l])
#define SET_LANE(v, l, s) ((v)[l] = (s))
#endif

/* f(0), f(1), ... for all lanes, and for half of them. */
#if LANES == 1
#define EACH_LANE(f) f(0)
#elif LANES == 4
#define HALF_LANES(f) f(0), f(1)
#define EACH_LANE(f) HALF_LANES(f), f(2), f(3)
#elif LANES == 8
#define HALF_LANES(f) f(0), f(1), f(2), f(3)
#define EACH_LANE(f) HALF_LANES(f), f(4), f(5), f(6), f(7)
#else
#define HALF_LANES(f) f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)
#define EACH_LANE(f) HALF_LANES(f), f(8), f(9), f(10), f(11), f(12), f(13), f(14), f(15)
#endif

typedef float f32_cell;
typedef int32_t i32_cell;
typedef uint32_t u32_cell;
typedef UNALIGNED_OF(f32) f32_any;
typedef UNALIGNED_OF(i32) i32_any;
typedef UNALIGNED_OF(u32) u32_any;

#if defined(__x86_64__) && LANES > 1
#include "kernels/dialect/c_x86.h"
#endif

/* ---- checks: only the checking build pays for them -------------------------------------------------------------- */

/* CHECK_AT_ notes the position of a word in the kernel text, so that KERNEL_CHECK in the word's function can name it.
 * Every build with checks checks indices in every lane. Values (VALUE_CHECK) are checked only where a lane is an item:
 * lanes behind the end of a row hold arbitrary values, which do no harm in vectors. */
#ifdef ASSAY_KERNEL_CHECKS
void kernel_check_at(const char *kernel, const char *file, int line);
void kernel_check_failed(const char *what) __attribute__((noreturn, cold));
#define CHECK_AT_ kernel_check_at(KERNEL_STRING_(KERNEL_SYMBOL), __FILE__, __LINE__)
#define KERNEL_STRING_(s) KERNEL_STRING__(s)
#define KERNEL_STRING__(s) #s
#define KERNEL_CHECK(ok, what) ((ok) ? (void)0 : kernel_check_failed(what))
#else
#define CHECK_AT_ ((void)0)
#define KERNEL_CHECK(ok, what) ((void)0)
#endif
#if LANES == 1
#define VALUE_CHECK(ok, what) KERNEL_CHECK(ok, what)
#else
#define VALUE_CHECK(ok, what) ((void)0)
#endif

LANE_FN int tile_index_(int i, size_t n)
{
    KERNEL_CHECK(i >= 0 && (size_t)i < n, "tile memory index");
    (void)n;
    return i;
}

LANE_FN i32 check_sum(i32 v, int32_t max)
{
    VALUE_CHECK(v >= -max && v <= max, "a sum's stated bound");
    (void)max;
    return v;
}

LANE_FN i32 check_zero_(mask inside, i32 v)
{
    for (int l = 0; l < LANES; l++)
        KERNEL_CHECK(LANE(inside, l) || LANE(v, l) == 0, "0 outside the grid");
    (void)inside;
    return v;
}

/* A number stays in a register until its next uses are done. Compilers would make or load a constant at each use. */
#if LANES > 1 && defined(__x86_64__)
#define IN_REGISTER_ "+v"
#elif LANES > 1 && defined(__aarch64__)
#define IN_REGISTER_ "+w"
#endif
#if LANES > 1 && LANES < 16
/* The array v lies in memory, and what is read of it behind this is read from there. Compilers would keep its elements
 * in more registers than there are. */
#define IN_MEMORY(v) __asm__ volatile("" : "+m"(v));
#endif
#ifdef IN_REGISTER_
/* Addresses are made of x and y here. Compilers would step one for each row of each array, in as many registers. */
#define HERE(x, y) __asm__ volatile("" : "+r"((x).v), "+r"((y).v));
#define KEPT(v) __extension__({ __typeof__(v) kept_ = (v); __asm__ volatile("" : IN_REGISTER_(kept_)); kept_; })
/* v[0] to v[n - 1] are there before what is made of them. Compilers would finish one chain of operations and then begin
 * the next. */
#define SIDE_BY_SIDE(v, n) FOR(i_, (n) > 1 ? (n) : 0) { __asm__ volatile("" : IN_REGISTER_((v)[i_])); }
#endif

/* ---- values ------------------------------------------------------------------------------------------------------ */

#define LANE_NUMBER_(l) l
LANE_FN i32 iota_lanes(void) { return (i32){EACH_LANE(LANE_NUMBER_)}; }

#if LANES == 1
#define ITEM_FN LANE_FN
#include "kernels/dialect/one_item.h"
LANE_FN u32 f32_bits(f32 v) { u32 b; memcpy(&b, &v, 4); return b; }
LANE_FN f32 bits_f32(u32 b) { f32 v; memcpy(&v, &b, 4); return v; }
LANE_FN f32 f32_from_i32(i32 v) { return (f32)v; }
LANE_FN i32 max_i32(i32 a, i32 b) { return sel_i32(a > b, a, b); }
LANE_FN i32 min_i32(i32 a, i32 b) { return sel_i32(a < b, a, b); }
#else
#if defined(__aarch64__)
LANE_FN i32 sel_i32(mask m, i32 a, i32 b) { return (i32)vbslq_s32((uint32x4_t)m, (int32x4_t)a, (int32x4_t)b); }
#else
LANE_FN i32 sel_i32(mask m, i32 a, i32 b) { return (a & m) | (b & ~m); }
#endif
LANE_FN f32 sel_f32(mask m, f32 a, f32 b) { return (f32)sel_i32(m, (i32)a, (i32)b); }
LANE_FN u32 sel_u32(mask m, u32 a, u32 b) { return (u32)sel_i32(m, (i32)a, (i32)b); }
LANE_FN mask not_(mask m) { return ~m; }
LANE_FN u32 f32_bits(f32 v) { return (u32)v; }
LANE_FN f32 bits_f32(u32 b) { return (f32)b; }
LANE_FN f32 f32_from_i32(i32 v) { return __builtin_convertvector(v, f32); }
LANE_FN i32 max_i32(i32 a, i32 b) { return INTS_(max, a, b); }
LANE_FN i32 min_i32(i32 a, i32 b) { return INTS_(min, a, b); }
#endif
LANE_FN int64_t lanes_sum(i32 v)
{
    int64_t s = 0;
    for (int l = 0; l < LANES; l++)
        s += LANE(v, l);
    return s;
}

/* Is m set in any lane? */
#if LANES == 1
LANE_FN bool any_(mask m) { return m != 0; }
#elif defined(__x86_64__) && LANES < 16
LANE_FN bool any_(mask m) { return !X86_(ptestz)((x86_mask)m, (x86_mask)m); }
#elif defined(__x86_64__)
LANE_FN bool any_(mask m) { return __builtin_ia32_cvtd2mask512(m) != 0; }
#else
LANE_FN bool any_(mask m) { return vmaxvq_u32((uint32x4_t)m) != 0; }
#endif

LANE_FN u32 u32_from_i32(i32 v) { return (u32)v; }
LANE_FN i32 i32_from_u32(u32 v) { return (i32)v; }
LANE_FN mask and_(mask a, mask b) { return a & b; }
LANE_FN mask or_(mask a, mask b) { return a | b; }

/* Truncates; the argument must lie inside the range of i32 in every lane. */
#define i32_from_f32(v) (CHECK_AT_, i32_from_f32_(v))
LANE_FN i32 i32_from_f32_(f32 v)
{
#if LANES == 1
    VALUE_CHECK(v > -2147483904.0f && v < 2147483648.0f, "float to integer range");
    return (i32)v;
#else
    return __builtin_convertvector(v, i32);
#endif
}

/* Shifts by a uniform count, 0 to 31. The right shift of an i32 keeps the sign. */
#define shl_u32(v, n) (CHECK_AT_, shl_u32_(v, n))
#define shr_u32(v, n) (CHECK_AT_, shr_u32_(v, n))
#define shr_i32(v, n) (CHECK_AT_, shr_i32_(v, n))
LANE_FN u32 shl_u32_(u32 v, int n) { KERNEL_CHECK(n >= 0 && n < 32, "shift count"); return v << n; }
LANE_FN u32 shr_u32_(u32 v, int n) { KERNEL_CHECK(n >= 0 && n < 32, "shift count"); return v >> n; }
LANE_FN i32 shr_i32_(i32 v, int n) { KERNEL_CHECK(n >= 0 && n < 32, "shift count"); return v >> n; }

/* By counts of lanes, 0 to 31. */
#define shl_u32_by(v, n) (CHECK_AT_, shl_u32_by_(v, n))
#define shr_u32_by(v, n) (CHECK_AT_, shr_u32_by_(v, n))
#define shr_i32_by(v, n) (CHECK_AT_, shr_i32_by_(v, n))
LANE_FN u32 shl_u32_by_(u32 v, u32 n) { VALUE_CHECK(n < 32, "shift count"); return v << n; }
LANE_FN u32 shr_u32_by_(u32 v, u32 n) { VALUE_CHECK(n < 32, "shift count"); return v >> n; }
LANE_FN i32 shr_i32_by_(i32 v, u32 n) { VALUE_CHECK(n < 32, "shift count"); return v >> (i32)n; }

LANE_FN f32 abs_f32(f32 v) { return bits_f32(f32_bits(v) & 0x7fffffffu); }
/* Compare and select, because the max of targets differs for NaN and -0. */
#if defined(__x86_64__) && LANES > 1
LANE_FN f32 max_f32(f32 a, f32 b) { return X86_FLOATS(max, a, b); }
LANE_FN f32 min_f32(f32 a, f32 b) { return X86_FLOATS(min, a, b); }
#else
LANE_FN f32 max_f32(f32 a, f32 b) { return sel_f32(a > b, a, b); }
LANE_FN f32 min_f32(f32 a, f32 b) { return sel_f32(a < b, a, b); }
#endif

/* Division and square root are correctly rounded by IEEE here; other targets have exact.h's, equal on the domain that
 * docs/dialect.md states. */
LANE_FN f32 div_rn(f32 a, f32 b) { return a / b; }
LANE_FN f32 sqrt_rn(f32 v)
{
#if LANES == 1
    return __builtin_sqrtf(v);
#elif defined(__x86_64__)
    return x86_sqrt(v);
#else
    return (f32)vsqrtq_f32((float32x4_t)v);
#endif
}

LANE_FN f32 f32_same_(f32 v) { return v; }
LANE_FN i32 i32_same_(i32 v) { return v; }
LANE_FN u32 u32_same_(u32 v) { return v; }
/* v is at most 2^31 - 1, so no target needs an unsigned conversion. */
#define f32_from_u32(v) (CHECK_AT_, f32_from_u32_(v))
LANE_FN f32 f32_from_u32_(u32 v)
{
    VALUE_CHECK(v <= INT32_MAX, "unsigned to float range");
    return f32_from_i32(i32_from_u32(v));
}

/* ---- borders ----------------------------------------------------------------------------------------------------- */

enum border_rule {
    REFLECT101, /* -1 -> 1, n -> n - 2 */
    SYMMETRIC,  /* -1 -> 0, n -> n - 1 */
    REPLICATE,  /* -1 -> 0, n -> n - 1, -5 -> 0 */
    /* these two fold once at 0, then once at the other end, then give 0: GPUs need no branch */
    MIXED,        /* reflect-101 at 0, symmetric at n */
    REFLECT_ONCE, /* reflect-101 at 0, then at n - 1 */
    WITHIN,       /* nothing is outside */
    ZEROS,        /* C's own, of columns: 0 is outside */
};

/* Folds an index outside 0..n-1 until it is inside, for any n of at least 1. */
EDGE_FN int border_fold(enum border_rule rule, int i, int n)
{
    if (rule == REFLECT_ONCE || rule == MIXED) {
        const int size = i < 0 ? -i : i, folded = size < n ? size : 2 * n - (rule == MIXED ? 1 : 2) - size;
        return folded < 0 ? 0 : folded;
    }
    if (rule == REPLICATE || n == 1)
        return i < 0 ? 0 : n - 1;
    const int low = rule == SYMMETRIC ? -1 : 0, high = rule == REFLECT101 ? 2 * n - 2 : 2 * n - 1;
    while (i < 0 || i >= n)
        i = i < 0 ? low - i : high - i;
    return i;
}

LANE_FN int border_index(enum border_rule rule, int i, int n)
{
    return i >= 0 && i < n ? i : border_fold(rule, i, n);
}

LANE_FN mask lanes_inside(bool inner, int x, int w, int y, int h)
{
    KERNEL_CHECK(!inner || (x + LANES <= w && y < h), "the grid that INNER states");
    const mask all = (mask)(I32(0) == I32(0)), m = inner ? all : (mask)(iota_lanes() < I32(w - x));
    return inner || y < h ? m : (mask)I32(0);
}

/* Is a load inside of the plane? Nearly always, so what a loop does then follows the test. Inner tiles make none. */
LANE_FN bool plane_inside(const struct kernel_plane *p, bool inside)
{
    KERNEL_CHECK(!p->inner || inside, "the columns and rows that INNER states");
    return p->inner || __builtin_expect(inside, 1);
}

/* Columns x to x + n - 1. */
LANE_FN bool columns_inside(const struct kernel_plane *p, int x, int n)
{
    const int starts = p->width - n + 1; /* 0 in place of less, without a branch: it is the same for a whole row */
    return plane_inside(p, (unsigned)x < (unsigned)(starts & ~(starts >> 31)));
}

LANE_FN int border_row(const struct kernel_plane *p, enum border_rule rule, int y)
{
    return plane_inside(p, y >= 0 && y < p->height) ? y : border_fold(rule, y, p->height);
}

/* ---- permutations ------------------------------------------------------------------------------------------------ */

#if LANES == 1
#define EVEN_OF_TWO(a, b) (a)
#define TWICE_EACH(v) (v)
#define TWICE_APART(v) (v)
#define TWO_GROUPS(a, b) (a)
#else
/* Lane l is the lane `from(l)` of a and then b. */
#define SHUFFLED(from, a, b) __builtin_shufflevector(a, b, EACH_LANE(from))
/* Cells 0, 2, 4, ... of the 2 * LANES that start at p. The last wanted cell is 2 * LANES - 2. The second vector starts
 * one cell early and gives its odd cells, so nothing is read behind that cell. */
#define EVEN_OF_TWO(a, b) SHUFFLED(EVEN_CELL_, a, b)
#define EVEN_CELL_(l) ((l) < LANES / 2 ? 2 * (l) : 2 * (l) + 1)
/* Lane l gets element l / 2. In TWICE_APART odd lanes get the element two further on. */
#define TWICE_EACH(v) SHUFFLED(HALF_OF_, v, v)
#define TWICE_APART(v) SHUFFLED(HALF_APART_, v, v)
#define HALF_OF_(l) ((l) / 2)
#define HALF_APART_(l) ((l) / 2 + (l) % 2 * 2)
/* The first 8 lanes of a, then those of b. A narrower vector lies inside one group of 8. */
#define TWO_GROUPS(a, b) SHUFFLED(GROUPED_, a, b)
#define GROUPED_(l) ((l) < 8 ? (l) : LANES + (l) - 8)
#endif

/* ---- loads and stores -------------------------------------------------------------------------------------------- */

LANE_FN i32 widen_u8(const void *p)
{
#if LANES == 1
    return *(const uint8_t *)p;
#elif defined(__x86_64__)
    return x86_widen_u8(p);
#else
    uint32_t four;
    memcpy(&four, p, 4);
    return (i32)vmovl_u16(vget_low_u16(vmovl_u8(vreinterpret_u8_u32(vdup_n_u32(four)))));
#endif
}

LANE_FN i32 widen_u16(const void *p)
{
#if LANES == 1
    uint16_t v;
    memcpy(&v, p, 2);
    return v;
#elif defined(__x86_64__)
    return x86_widen_u16(p);
#else
    return (i32)vmovl_u16(vreinterpret_u16_u8(vld1_u8((const uint8_t *)p)));
#endif
}

LANE_FN f32 load_f32(const void *p) { return *(const f32_any *)p; }
LANE_FN i32 load_i32(const void *p) { return *(const i32_any *)p; }
LANE_FN u32 load_u32(const void *p) { return *(const u32_any *)p; }

/* The start of a row of the plane. */
LANE_FN char *plane_row(const struct kernel_plane *p, int y)
{
    KERNEL_CHECK(!p->end_row || (y >= p->first_row && y < p->end_row), "the rows that READS and WRITES state");
    return (char *)p->data + (ptrdiff_t)y * p->stride;
}

/* Layer k of stacked layers of h rows each, as a plane. */
LANE_FN struct kernel_plane plane_layer(const struct kernel_plane *p, int k, int h)
{
    const int rest = p->height - k * h;
    return (struct kernel_plane){.data = (char *)p->data + k * ((ptrdiff_t)h * p->stride + p->layer_gap),
                                 .stride = p->stride, .width = p->width, .height = rest < h ? rest : h,
                                 .first_row = p->first_row, .end_row = p->end_row, .inner = p->inner};
}

/* The cells of one row of 32 are lanes of two or four vectors. */
#ifdef X86_OF_32
#define OF_32_(V, C) \
    if (sizeof(C) == 4 && p->width == 32 && !any_(yi != I32(LANE(yi, 0)))) \
        return (V)X86_OF_32(plane_row(p, LANE(yi, 0)), xi);
#else
#define OF_32_(V, C)
#endif

/* Cells x to x + n - 1 of a row with a border rule, to at[0] to at[n - 1]; n is a constant, and at has n more cells
 * before and behind. Where the row has 2 n cells and x is near it, no index folds twice, and the cells inside are part
 * of the row's first or last n. */
#define EDGE_CELLS(T, C) \
    typedef UNALIGNED_OF(C) T##_any_cell; \
    LANE_FN void edge_cells_##T(C *at, const char *row, int width, enum border_rule rule, int x, int n) \
    { \
        const T##_any_cell *cells = (const T##_any_cell *)row; \
        if (LANES == 1 || rule == ZEROS || width < 2 * n || x < -n || x > width) { \
            for (int i = 0; i < n; i++) \
                at[i] = rule == ZEROS && (x + i < 0 || x + i >= width) ? 0 : cells[border_index(rule, x + i, width)]; \
            return; \
        } \
        const int from = x < 0 ? 0 : width - n, step = rule != REPLICATE; \
        memcpy(at + (from - x), cells + from, (size_t)n * sizeof(C)); \
        const T##_any_cell *mirror = cells + (rule == SYMMETRIC ? -1 - x : rule == REPLICATE ? 0 : -x); \
        for (int i = 0; i < -x; i++) \
            at[i] = mirror[-step * i]; \
        const int end = width - x; \
        mirror = cells + (rule == REFLECT101 || rule == REFLECT_ONCE ? width - 2 : width - 1); \
        for (int i = 0; i < n - end; i++) \
            at[end + i] = mirror[-step * i]; \
    }

/* Loads of a plane of cells C as lane values V. A load never touches a byte outside its row: the vectors at a row's
 * ends are gathered cell by cell. */
#define PLANE_LOADS(T, C, V, load) \
    EDGE_CELLS(T, C) \
    EDGE_FN V ldb_edge_##T(const char *row, int width, enum border_rule rule, int x) \
    { \
        C cells[3 * LANES]; \
        edge_cells_##T(cells + LANES, row, width, rule, x, LANES); \
        return load(cells + LANES); \
    } \
    EDGE_FN V ldb2_edge_##T(const char *row, int width, enum border_rule rule, int x) \
    { \
        C cells[6 * LANES]; \
        edge_cells_##T(cells + 2 * LANES, row, width, rule, x, 2 * LANES); \
        return EVEN_OF_TWO(load(cells + 2 * LANES), load(cells + 3 * LANES - 1)); \
    } \
    LANE_FN V ld_row_##T(const struct kernel_plane *p, enum border_rule rx, int x, int y) \
    { \
        const char *row = plane_row(p, y); \
        if (columns_inside(p, x, LANES)) \
            return load(row + (ptrdiff_t)x * (int)sizeof(C)); \
        return ldb_edge_##T(row, p->width, rx, x); \
    } \
    LANE_FN V ld_##T(const struct kernel_plane *p, int x, int y) \
    { \
        return plane_inside(p, y >= 0 && y < p->height) ? ld_row_##T(p, ZEROS, x, y) : (V){0}; \
    } \
    LANE_FN V ldb_##T(const struct kernel_plane *p, enum border_rule rx, enum border_rule ry, int x, int y) \
    { \
        return ld_row_##T(p, rx, x, border_row(p, ry, y)); \
    } \
    LANE_FN V ldbn_##T(const struct kernel_plane *p, enum border_rule rx, enum border_rule ry, int nx, int x, int y) \
    { \
        if (nx == 1) \
            return ldb_##T(p, rx, ry, x, y); \
        const char *row = plane_row(p, border_row(p, ry, y)); \
        const bool inside = columns_inside(p, x, nx * (LANES - 1) + 1); \
        if (nx == 2 && inside && LANES > 1) \
            return EVEN_OF_TWO(load(row + (ptrdiff_t)x * (int)sizeof(C)), \
                               load(row + (ptrdiff_t)(x + LANES - 1) * (int)sizeof(C))); \
        if (nx == 2) \
            return ldb2_edge_##T(row, p->width, rx, x); \
        V v = {0}; \
        for (int l = 0; l < LANES; l++) { \
            C c; \
            const int at = inside ? x + nx * l : border_index(rx, x + nx * l, p->width); \
            memcpy(&c, row + (ptrdiff_t)at * (int)sizeof(C), sizeof c); \
            SET_LANE(v, l, c); \
        } \
        return v; \
    } \
    EDGE_FN V ldc_edge_##T(const char *row, int width, int even, int odd, int x) \
    { \
        C cells[LANES]; \
        for (int i = x; i < x + LANES; i++) \
            cells[i - x] = ((const T##_any_cell *)row)[border_index(REPLICATE, (i >> 1) + (i & 1 ? odd : even), \
                                                                    width)]; \
        return load(cells); \
    } \
    LANE_FN V ldc_##T(const struct kernel_plane *p, int sx, int even, int odd, int x, int y) \
    { \
        if (!sx) \
            return ldb_##T(p, REPLICATE, REPLICATE, x, y); \
        const char *row = plane_row(p, border_row(p, REPLICATE, y)); \
        const int start = (x >> 1) + even; /* x is even where LANES > 1 */ \
        if (LANES > 1 && columns_inside(p, start, LANES)) { \
            const V v = load(row + (ptrdiff_t)start * (int)sizeof(C)); \
            return odd == even ? TWICE_EACH(v) : TWICE_APART(v); \
        } \
        return ldc_edge_##T(row, p->width, even, odd, x); \
    } \
    LANE_FN V ldg_##T(const struct kernel_plane *p, i32 xi, i32 yi) \
    { \
        OF_32_(V, C) \
        V v = {0}; \
        for (int l = 0; l < LANES; l++) { \
            const int x = LANE(xi, l), y = LANE(yi, l); \
            KERNEL_CHECK(x >= 0 && x < p->width && y >= 0 && y < p->height, "gathered load"); \
            C c; \
            memcpy(&c, plane_row(p, y) + (ptrdiff_t)x * (int)sizeof(C), sizeof c); \
            SET_LANE(v, l, c); \
        } \
        return v; \
    }
PLANE_LOADS(u8, uint8_t, i32, widen_u8)
PLANE_LOADS(u16, uint16_t, i32, widen_u16)
PLANE_LOADS(u32, uint32_t, u32, load_u32)
PLANE_LOADS(i32, int32_t, i32, load_i32)
PLANE_LOADS(f32, float, f32, load_f32)
#undef PLANE_LOADS

/* Stores the items at (x, y) that are inside the grid of w x h and have an element in the plane. */
#define PLANE_STORES(T, C) \
    LANE_FN void st_##T(const struct kernel_plane *p, int w, int h, int x, int y, T v) \
    { \
        const int width = p->width < w ? p->width : w; \
        if (!p->inner && (y >= h || y >= p->height || x >= width)) \
            return; \
        KERNEL_CHECK(x + LANES <= width || !p->inner, "the columns that INNER states"); \
        char *at = plane_row(p, y) + (ptrdiff_t)x * 4; \
        if (p->inner || x + LANES <= width) \
            *(T##_any *)at = v; \
        else \
            memcpy(at, &v, (size_t)(width - x) * 4); \
    } \
    LANE_FN void stl_##T(const struct kernel_plane *p, bool of_grid, int k, int w, int h, int x, int y, T v) \
    { \
        struct kernel_plane layer = plane_layer(p, k, h); \
        layer.inner &= of_grid; /* INNER states nothing about another width */ \
        st_##T(&layer, w, h, x, y, v); \
    } \
    LANE_FN void stg_##T(const struct kernel_plane *p, mask m, i32 xi, i32 yi, T v) \
    { \
        for (int l = 0; l < LANES; l++) { \
            const int x = LANE(xi, l), y = LANE(yi, l); \
            if (!LANE(m, l)) \
                continue; \
            KERNEL_CHECK(x >= 0 && x < p->width && y >= 0 && y < p->height, "scattered store"); \
            const C c = LANE(v, l); \
            memcpy(plane_row(p, y) + (ptrdiff_t)x * 4, &c, sizeof c); \
        } \
    }
PLANE_STORES(u32, uint32_t)
PLANE_STORES(i32, int32_t)
PLANE_STORES(f32, float)
#undef PLANE_STORES

/* ---- tile memory ------------------------------------------------------------------------------------------------- */

/* Cells n apart. One initializer: lanes that are set one after the other become a masked store each with AVX-512. */
#define STEP_(l) p[(l) * n]
#define TILE_ACCESS(T, SPLAT) \
    LANE_FN void tile_store_##T(T##_cell *p, T v) { *(T##_any *)p = v; } \
    LANE_FN T tile_load8_##T(const T##_cell *p) \
    { \
        const T first = SPLAT(p[0]); \
        return TWO_GROUPS(first, SPLAT(p[LANES > 8 ? 8 : 0])); \
    } \
    LANE_FN T tile_load_n_##T(const T##_cell *p, int n) \
    { \
        if (n == 1) \
            return load_##T(p); \
        if (n == 2) \
            return EVEN_OF_TWO(load_##T(p), load_##T(p + LANES - 1)); \
        return n == 0 ? SPLAT(*p) : (T){EACH_LANE(STEP_)}; \
    }
TILE_ACCESS(f32, F32) TILE_ACCESS(i32, I32) TILE_ACCESS(u32, U32)

EDGE_FN void samples_at_edge(uint8_t *at, const struct kernel_plane *p, int x, int y)
{
    const i32 v = ld_u8(p, x, y);
    for (int l = 0; l < LANES; l++)
        at[l] = (uint8_t)LANE(v, l);
}
/* The cells whose numbers are samples. Samples are read one by one: taking lanes out of a vector takes longer. */
LANE_FN f32 tile_of(const f32_cell *cells, size_t n, const struct kernel_plane *p, int x, int y)
{
    uint8_t edge[LANES], *at = edge;
    f32_cell of[LANES];
    if (plane_inside(p, y >= 0 && y < p->height) && columns_inside(p, x, LANES))
        at = (uint8_t *)plane_row(p, y) + x;
    else
        samples_at_edge(edge, p, x, y);
    for (int l = 0; l < LANES; l++)
        of[l] = cells[tile_index_(at[l], n)];
    return load_f32(of);
}

/* ---- totals that are rare: a lane at a time ---------------------------------------------------------------------- */

/* Of a tile; its end adds them to the totals. */
EDGE_FN void lanes_count(uint32_t *bins, int n, mask m, i32 bin)
{
    for (int l = 0; l < LANES; l++)
        if (LANE(m, l)) {
            KERNEL_CHECK(LANE(bin, l) >= 0 && LANE(bin, l) < n, "histogram bin");
            bins[LANE(bin, l)]++;
        }
    (void)n;
}

EDGE_FN void tile_add(uint32_t *cell, size_t cols, size_t rows, mask m, i32 xi, i32 yi, u32 v)
{
    for (int l = 0; l < LANES; l++)
        if (LANE(m, l))
            cell[(size_t)tile_index_(LANE(yi, l), rows) * cols + (size_t)tile_index_(LANE(xi, l), cols)] += LANE(v, l);
}

/* Lanes behind the best position count only where they are larger. */
LANE_FN void lanes_extremum(uint32_t *best, mask m, u32 v, int x, int y, int width)
{
    const uint32_t first = (uint32_t)y * (uint32_t)width + (uint32_t)x;
    if (first >= best[1] && !any_(and_(m, v > U32(best[0]))))
        return;
    for (uint32_t l = 0; l < LANES; l++)
        if (LANE(m, l) && (LANE(v, l) > best[0] || (LANE(v, l) == best[0] && first + l < best[1]))) {
            best[0] = LANE(v, l);
            best[1] = first + l;
        }
}

#endif
