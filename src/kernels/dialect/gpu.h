/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of the kernel dialect that GPUs spell alike: CUDA, SYCL and GLSL. docs/dialect.md is the reference of every
 * word. The target's header includes this one and defines what macros name here: LD_, LDB_, LD_LAYER_ and LDB_LAYER_,
 * loads of a cell; STG; PLANE_IN_ and PLANE_OUT_, where T is a type and no macro; TILE_CELL_, a cell of a tile;
 * ROUNDS_, a loop over a thread's items by number t_; and ALONG_, what is to be done where an item's row is known.
 */
#ifndef ASSAY_DIALECT_GPU_H
#define ASSAY_DIALECT_GPU_H

#define ROWS (TILE_W * TILE_H / NT)
#define FOR_LARGE(i, n) FOR(i, n)
#define PLANE_IN(slot, T, name) PLANE_IN_(slot, T, name)
#define PLANE_OUT(slot, T, name) PLANE_OUT_(slot, T, name)

/* Tiles are whole, so trip counts of loops are constants. Items outside the grid are masked, as on the CPU. */
#define SPAN_W TILE_W
#define SPAN_H TILE_H

#define EACH(x, y, w, h) \
    ROUNDS_((w) * (h)) \
        int y = int(u32(t_) / u32(w)); \
        int x = t_ - y * (w); \
        ALONG_(y)
#define END_EACH }
#define STRIPS(x, y, w, h) \
    ROUNDS_((w) * (((h) + ROWS - 1) / ROWS)) \
        int y = int(u32(t_) / u32(w)); \
        int x = t_ - y * (w); \
        y *= ROWS; \
        ALONG_(y)
#define END_STRIPS }
/* Consecutive threads take consecutive rows: in a tile of odd width no two of them share a bank. */
#define RUNS(x, y, w, h) \
    ROUNDS_((w) / RUN * (h)) \
        int x = int(u32(t_) / u32(h)); \
        int y = t_ - x * (h); \
        x *= RUN; \
        ALONG_(y)
#define END_RUNS }

#define XPOS(x) (TILE_X + (x))
#define YPOS(y) (TILE_Y + (y))
#define ROW_BELOW(y, dy) ((y) + (dy))
#define INSIDE_ALL(x, y) INSIDE(x, y, 0)
#define TILE_WITHIN(name, nx, ox, w, ny, oy, h) \
    ((nx) * TILE_X + (ox) >= 0 && (nx) * TILE_X + (ox) + (w) <= PLANE_W(name) && \
     (ny) * TILE_Y + (oy) >= 0 && (ny) * TILE_Y + (oy) + (h) <= PLANE_H(name))

/* Two by two, then pairs by pairs. */
#define TRANSPOSE_BYTES(to, v) { \
        u32 even_[2]; \
        u32 odd_[2]; \
        FOR(i_, 2) { \
            even_[i_] = (v[2 * i_] & 0xff00ffu) | (v[2 * i_ + 1] & 0xff00ffu) << 8; \
            odd_[i_] = (v[2 * i_] >> 8 & 0xff00ffu) | (v[2 * i_ + 1] & 0xff00ff00u); \
        } \
        to[0] = (even_[0] & 0xffffu) | even_[1] << 16; \
        to[1] = (odd_[0] & 0xffffu) | odd_[1] << 16; \
        to[2] = even_[0] >> 16 | (even_[1] & 0xffff0000u); \
        to[3] = odd_[0] >> 16 | (odd_[1] & 0xffff0000u); \
    }

#define LD(name, ox, x, oy, y) LD_(name, (ox) + (x), (oy) + (y))
#define LDB(name, rx, ry, ox, x, oy, y) LDB_(name, rx, ry, (ox) + (x), (oy) + (y))
#define LDBN(name, rx, ry, nx, ox, x, ny, oy, y) LDB_(name, rx, ry, (ox) + (nx) * (x), (oy) + (ny) * (y))
#define LDB_PAIR(name, rx, ry, ox, x, ny, oy, y) \
    (to_u32(LDBN(name, rx, ry, 2, ox, x, ny, oy, y)) | to_u32(LDBN(name, rx, ry, 2, (ox) + 1, x, ny, oy, y)) << 16)
#define LDB_FOUR(name, rx, ry, ox, x, ny, oy, y) LDB_FOUR_(name, rx, ry, (ox) + 4 * (x), (oy) + (ny) * (y))
#define LDB_PAIR_ROWS(to, n, name, rx, ry, ox, x, ny, oy, y) \
    FOR(i_, n) { to[i_] = LDB_PAIR(name, rx, ry, ox, x, ny, (oy) + i_, y); }
#define LD_PAIR(name, ox, x, oy, y) \
    (to_u32(LD_(name, (ox) + 2 * (x), (oy) + (y))) | to_u32(LD_(name, (ox) + 2 * (x) + 1, (oy) + (y))) << 16)
#define LD_LAYER(name, k, h, ox, x, oy, y) LD_LAYER_(name, (k) * (h), h, (ox) + (x), (oy) + (y))
#define LDBN_LAYER(name, k, h, rx, ry, nx, ox, x, ny, oy, y) \
    LDB_LAYER_(name, (k) * (h), h, rx, ry, (ox) + (nx) * (x), (oy) + (ny) * (y))
#define LD_CHROMA(name, sx, even_x, odd_x, x, sy, even_y, odd_y, y) \
    LDB_(name, REPLICATE, REPLICATE, CHROMA_AT_(sx, even_x, odd_x, XPOS(x)), CHROMA_AT_(sy, even_y, odd_y, YPOS(y)))
#define LD_CHROMA_LAYER(name, k, h, sx, even_x, odd_x, x, sy, even_y, odd_y, y) \
    LDB_LAYER_(name, (k) * (h), h, REPLICATE, REPLICATE, CHROMA_AT_(sx, even_x, odd_x, XPOS(x)), \
               CHROMA_AT_(sy, even_y, odd_y, YPOS(y)))
#define CHROMA_AT_(s, even, odd, at) ((s) != 0 ? ((at) >> 1) + (((at) & 1) != 0 ? (odd) : (even)) : (at))
#define ST(name, x, y, val) ST_ROW(name, x, y, 0, val)
#define ST_ROW(name, x, y, dy, val) STG(name, INSIDE(x, y, dy), XPOS(x), YPOS(y) + (dy), val)
#define ST_LAYER(name, k, x, y, val) STG(name, INSIDE(x, y, 0), XPOS(x), YPOS(y) + (k) * GRID_H, val)

#define TLD(name, cx, x, cy, y) TILE_CELL_(name, (cx) + (x), (cy) + (y))
#define TST(name, cx, x, cy, y, val) TILE_CELL_(name, (cx) + (x), (cy) + (y)) = val
#define TLD_RUN(v, n, name, cx, x, cy, y) FOR(i_, n) { v[i_] = TLD(name, (cx) + i_, x, cy, y); }
#define TLD8(name, cx, x, cy, y) TLD(name, cx, (x) & ~7, cy, y)
#define TLDX2(name, cx, x, cy, y) TILE_CELL_(name, (cx) + 2 * (x), (cy) + (y))
#define TLDY2(name, cx, x, cy, y) TILE_CELL_(name, (cx) + (x), (cy) + 2 * (y))
#define TLDN(name, n, cx, x, m, cy, y) TILE_CELL_(name, (cx) + (n) * (x), (cy) + (m) * (y))

#define SUM_I32(k, m, v) acc_[k] += sel_i32(m, v, 0)
#define SUM_ZERO_I32(k, x, y, v) acc_[k] += (v)
/* v * scale as `limbs` limbs of LIMB_BITS: every step is exact, every limb has v's sign. */
#define SUM_F32(k, m, v, scale, limbs) { \
        f32 rest_ = sel_f32(m, v, 0.0f) * (scale); \
        FOR(l_, limbs) { \
            i32 limb_ = i32_from_f32(rest_); \
            acc_[(k) + l_] += limb_; \
            rest_ = (rest_ - f32_from_i32(limb_)) * LIMB_SIZE; \
        } \
    }

#endif
