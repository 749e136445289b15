/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads at positions that a table gives, for scaling: the positions of neighbouring items lie close together.
 *
 *   SCALE_PAIR(name, xi, k, oy, ny, y)  columns xi + k and xi + k + 1 of row oy + ny y, the first in the low half of a
 *                                       u32. xi is an i32 that does not fall from an item to the next; k is uniform
 *   SCALE_ROW(name, ox, x, yi, k)       column ox + x of row yi + k. yi is an i32, the same for all items of a row
 *   SCALE_AT(name, c, oy, y)            column c, uniform, of row oy + y
 *
 * Columns and rows behind the last one are the last one; none lies before the first.
 */
#ifndef ASSAY_KERNELS_SCALE_H
#define ASSAY_KERNELS_SCALE_H

#if defined(TARGET_C)

#define SCALE_PAIR(name, xi, k, oy, ny, y) \
    (CHECK_AT_, OF_SAMPLES_(scale_pair, name, xi, k, (oy) + (ny) * (y).v))
#define SCALE_ROW(name, ox, x, yi, k) LDB(name, REPLICATE, REPLICATE, ox, x, LANE(yi, 0) + (k), SCALE_TOP_)
#define SCALE_AT(name, c, oy, y) (CHECK_AT_, U32(scale_cell((name).p, c, (oy) + (y).v)))
#define SCALE_TOP_ ((lane_y){0})

LANE_FN uint32_t scale_cell(const struct kernel_plane *p, int x, int y)
{
    KERNEL_CHECK(x >= 0 && x < p->width && y >= 0 && y < p->height, "a table of scaling");
    uint32_t cell; /* planes lie at any byte */
    memcpy(&cell, plane_row(p, y) + x * (ptrdiff_t)sizeof cell, sizeof cell);
    return cell;
}

#define SCALE_PAIR_LANES(T, C) \
    EDGE_FN u32 scale_pair_lanes_##T(const char *row, int width, i32 xi, int k) \
    { \
        u32 v = U32(0); \
        for (int l = 0; l < LANES; l++) { \
            const int x = LANE(xi, l) + k, a = x < width ? x : width - 1, b = a + 1 < width ? a + 1 : a; \
            KERNEL_CHECK(x >= 0, "a column of scaling"); \
            C first, second; \
            memcpy(&first, row + a * (ptrdiff_t)sizeof(C), sizeof first); \
            memcpy(&second, row + b * (ptrdiff_t)sizeof(C), sizeof second); \
            SET_LANE(v, l, first | (uint32_t)second << 16); \
        } \
        return v; \
    }
SCALE_PAIR_LANES(u8, uint8_t)
SCALE_PAIR_LANES(u16, uint16_t)
#undef SCALE_PAIR_LANES

LANE_FN int scale_least(int a, int b)
{
    return a < b ? a : b;
}

/* A vector of neighbouring samples, of which one instruction picks the pairs of some lanes. Where the lanes' positions
 * reach over more samples, or the row has fewer, they are loaded one by one. The last window of a row ends with it. */
#if LANES == 16 && defined(__x86_64__)
enum { SCALE_WINDOW_u8 = 32, SCALE_WINDOW_u16 = 32, SCALE_GROUP = 16 };

LANE_FN u32 scale_pick(u32 samples, i32 at)
{
    const pairs_i16 index = (pairs_i16)((u32)at * 0x10001u + 0x10000u), all = (pairs_i16)samples;
#if defined(__clang__)
    return (u32)__builtin_ia32_permvarhi512(all, index);
#else
    return (u32)__builtin_ia32_permvarhi512_mask(all, index, (pairs_i16){0}, 0xffffffffu);
#endif
}
#define SCALE_PICK_u8(row, start, at) scale_pick(widen_pairs_u8((const void *)((row) + (start)[0])), at)
#define SCALE_PICK_u16(row, start, at) scale_pick(load_u32((row) + 2 * (start)[0]), at)

#elif LANES > 1
enum { SCALE_WINDOW_u8 = 16, SCALE_WINDOW_u16 = 8, SCALE_GROUP = 4 };
typedef char scale_bytes __attribute__((vector_size(LANES * 4)));
typedef uint32_t scale_four __attribute__((vector_size(16)));

/* 16 bytes for each group of four lanes. */
LANE_FN u32 scale_samples(const char *row, const int start[LANES / 4], int size)
{
#if LANES == 8
    scale_four a, b;
    memcpy(&a, row + start[0] * size, sizeof a);
    memcpy(&b, row + start[1] * size, sizeof b);
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    return load_u32(row + start[0] * size);
#endif
}

LANE_FN u32 scale_pick(u32 samples, u32 index)
{
#if LANES == 8
    return (u32)__builtin_ia32_pshufb256((scale_bytes)samples, (scale_bytes)index);
#elif defined(__x86_64__)
    return (u32)__builtin_ia32_pshufb128((scale_bytes)samples, (scale_bytes)index);
#else
    return (u32)vqtbl1q_u8((uint8x16_t)samples, (uint8x16_t)index);
#endif
}
/* An index from 128 on gives a byte of 0. */
#define SCALE_PICK_u8(row, start, at) scale_pick(scale_samples(row, start, 1), (u32)(at) * 0x10001u + 0x80018000u)
#define SCALE_PICK_u16(row, start, at) scale_pick(scale_samples(row, start, 2), (u32)(at) * 0x02020202u + 0x03020100u)
#endif

#if LANES == 1
#define SCALE_PAIRS(T) \
    LANE_FN u32 scale_pair_##T(const struct kernel_plane *p, i32 xi, int k, int y) \
    { \
        return scale_pair_lanes_##T(plane_row(p, scale_least(y, p->height - 1)), p->width, xi, k); \
    }
#else
#define SCALE_PAIRS(T) \
    LANE_FN u32 scale_pair_##T(const struct kernel_plane *p, i32 xi, int k, int y) \
    { \
        enum { WINDOW = SCALE_WINDOW_##T, GROUPS = LANES / SCALE_GROUP }; \
        const char *row = plane_row(p, scale_least(y, p->height - 1)); \
        int start[GROUPS]; \
        bool fits = p->width >= WINDOW; \
        i32 at = xi + k; \
        FOR(g, GROUPS) { \
            start[g] = scale_least(LANE(xi, g * SCALE_GROUP) + k, p->width - WINDOW); \
            fits &= LANE(xi, (g + 1) * SCALE_GROUP - 1) + k + 1 - start[g] < WINDOW; \
        } \
        if (!fits) \
            return scale_pair_lanes_##T(row, p->width, xi, k); \
        at -= GROUPS > 1 ? TWO_STARTS_(start[0], start[GROUPS - 1]) : I32(start[0]); \
        return SCALE_PICK_##T(row, start, at); \
    }
#if LANES == 8
#define TWO_STARTS_(a, b) (i32){a, a, a, a, b, b, b, b}
#else
#define TWO_STARTS_(a, b) I32(a)
#endif
#endif
SCALE_PAIRS(u8)
SCALE_PAIRS(u16)
#undef SCALE_PAIRS
OVERLOADS_SAMPLES_(scale_pair)

#else

#define SCALE_LAST_(at, size) min_i32(at, (size) - 1)
#define SCALE_PAIR(name, xi, k, oy, ny, y) \
    (to_u32(LDG(name, SCALE_LAST_((xi) + (k), PLANE_W(name)), SCALE_LAST_((oy) + (ny) * (y), PLANE_H(name)))) | \
     shl_u32(to_u32(LDG(name, SCALE_LAST_((xi) + (k) + 1, PLANE_W(name)), \
                        SCALE_LAST_((oy) + (ny) * (y), PLANE_H(name)))), 16))
#define SCALE_ROW(name, ox, x, yi, k) \
    LDG(name, SCALE_LAST_((ox) + (x), PLANE_W(name)), SCALE_LAST_((yi) + (k), PLANE_H(name)))
#define SCALE_AT(name, c, oy, y) LDG(name, c, SCALE_LAST_((oy) + (y), PLANE_H(name)))

#endif

#endif
