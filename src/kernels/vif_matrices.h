/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * VIF's filters as products of matrices of bytes, for devices that have them (MATRICES, docs/dialect.md). A filter of
 * 16 neighbouring outputs is a matrix, outputs by the 32 numbers that they read, whose taps stand in a diagonal band.
 * Numbers and taps are cut into bytes. Products of bytes of one weight go into one sum.
 *
 * Tile memory has the samples of both pictures in `staged`, of a column, four in a word or, of more than 8 bits, two.
 * Filtered down the columns they are means of 16 bits and products of 32. `bytes` has a plane of each byte of these, of
 * a row, four in a word. A band reads more numbers than its taps reach. Those count 0 times, whatever is there.
 *
 * Range: a sum has at most two products of 17 taps, and a rounding: below 2^22.
 */
#define VIF_COLUMNS (2 * TILE_W + 16)
#define VIF_FOURS ((2 * TILE_H + 16) / 4) /* of rows of samples */
/* Rows that a warp reads at once begin 4, 8, 12 or 24 banks apart. */
#define VIF_MATRIX_TILES \
    TILE(u32, staged, VIF_COLUMNS + 8, 2 * VIF_WORDS * VIF_FOURS) \
    TILE(u32, bytes, VIF_COLUMNS / 4, 16 * 2 * TILE_H)
#define VIF_SAMPLES_AT(picture, word) ((VIF_WORDS * (picture) + (word)) * VIF_FOURS)
#define VIF_BYTES_AT(kind, byte) (((kind) < 2 ? 2 * (kind) + (byte) : 4 * ((kind) - 1) + (byte)) * 2 * TILE_H)
#define VIF_BYTES_OF(kind) ((kind) < 2 ? 2 : 4)

#ifdef SAMPLE_IS_U8
#define VIF_STAGE_FOURS(rule) \
    EACH(x, y, VIF_STAGED_W / 2, VIF_STAGED_H / 2) \
        u32 rows[2][4]; \
        FOR(i, 4) { \
            rows[0][i] = VIF_LOAD_FOUR(ref, rule, x, 4, i, y); \
            rows[1][i] = VIF_LOAD_FOUR(dis, rule, x, 4, i, y); \
        } \
        FOR(k, 2) { \
            u32 columns[4]; \
            TRANSPOSE_BYTES(columns, rows[k]) \
            FOR(i, 4) { TST(staged, i, 4 * x, VIF_SAMPLES_AT(k, 0), y, columns[i]); } \
        } \
    END_EACH
#else
#define VIF_STAGE_FOURS(rule) \
    EACH(x, y, 2 * VIF_STAGED_W, VIF_STAGED_H / 2) \
        FOR(i, 2) { \
            VIF_LOAD_TWO(rule, 1, 0, x, 4, 2 * i, y) \
            TST(staged, 0, x, VIF_SAMPLES_AT(0, i), y, of_ref); \
            TST(staged, 0, x, VIF_SAMPLES_AT(1, i), y, of_dis); \
        } \
    END_EACH
#endif

/* Word i of the result has byte i of four numbers. */
FN void vif_transpose(u32 (&to)[4], u32 a, u32 b, u32 c, u32 d)
{
    u32 low_ab = pick_bytes(a, b, 0x5140u);
    u32 low_cd = pick_bytes(c, d, 0x5140u);
    u32 high_ab = pick_bytes(a, b, 0x7362u);
    u32 high_cd = pick_bytes(c, d, 0x7362u);
    to[0] = pick_bytes(low_ab, low_cd, 0x5410u);
    to[1] = pick_bytes(low_ab, low_cd, 0x7632u);
    to[2] = pick_bytes(high_ab, high_cd, 0x5410u);
    to[3] = pick_bytes(high_ab, high_cd, 0x7632u);
}

/* This item's four outputs of a band, from numbers of n bytes: `rounding` is added, then they are shifted right by
 * `shift`, 0 to 16. */
FN void vif_filter(u32 (&to)[4], const u32 (&band)[2][4], const u32 (&numbers)[4][2], int n, u32 rounding, int shift)
{
    u32 sums[5][4]; /* of a weight */
    FOR(weight, 5) { FOR(i, 4) { sums[weight][i] = weight == 0 ? rounding : 0u; } }
    FOR(byte, n) { FOR(t, 2) { matrix_add_u8(sums[byte + t], band[t], numbers[byte]); } }
    FOR(i, 4) {
        to[i] = vif_join(sums[2][i] + shl_u32(sums[3][i], 8) + shl_u32(sums[4][i], 16),
                         sums[0][i] + shl_u32(sums[1][i], 8), shift);
    }
}

/* Four neighbouring taps in a word, from tap i on, which is -15 to 28: the low byte of each, or the high one. */
#define VIF_TAP_BYTE(i, byte) (VIF_TAP_AT(i) >> 8 * (byte) & 0xffu)
#define VIF_BAND_WORD(i, byte) (VIF_TAP_BYTE(i, byte) | VIF_TAP_BYTE((i) + 1, byte) << 8 \
                                | VIF_TAP_BYTE((i) + 2, byte) << 16 | VIF_TAP_BYTE((i) + 3, byte) << 24)
#define VIF_BAND_4(i, b) VIF_BAND_WORD(i, b), VIF_BAND_WORD((i) + 1, b), VIF_BAND_WORD((i) + 2, b), \
    VIF_BAND_WORD((i) + 3, b)
#define VIF_BAND_44(b) VIF_BAND_4(-15, b), VIF_BAND_4(-11, b), VIF_BAND_4(-7, b), VIF_BAND_4(-3, b), VIF_BAND_4(1, b), \
    VIF_BAND_4(5, b), VIF_BAND_4(9, b), VIF_BAND_4(13, b), VIF_BAND_4(17, b), VIF_BAND_4(21, b), VIF_BAND_4(25, b)
CONSTANTS(u32, vif_band_words, 2, 44) = {{VIF_BAND_44(0)}, {VIF_BAND_44(1)}};

/* This item's part of a band, of the low and of the high bytes of taps: its outputs are `one` and `other`. */
#define VIF_BAND(band, one, other) \
    FOR(i, 4) { \
        int first = 16 * (i >> 1) + 4 * MATRIX_CELL - ((i & 1) == 0 ? (one) : (other)); \
        FOR(t, 2) { band[t][i] = CONSTANT(vif_band_words, t, first + 15); } \
    }

/* Of four samples in VIF_WORDS words: a word of each of their bytes, and sample i. */
#ifdef SAMPLE_IS_U8
#define VIF_SAMPLE_BYTES(to, half, words) to[0][half] = words[0];
#define VIF_SAMPLE(words, i) (shr_u32(words[0], 8 * (i)) & 0xffu)
#else
#define VIF_SAMPLE_BYTES(to, half, words) \
    FOR(b, 2) { to[b][half] = pick_bytes(words[0], words[1], 0x6420u + 0x1111u * b); }
#define VIF_SAMPLE(words, i) (shr_u32(words[(i) >> 1], 16 * ((i) & 1)) & 0xffffu)
#endif

/* From `staged` to `bytes`, 8 columns of 16 rows at a time. */
#define VIF_FILTER_COLUMNS(band) \
    PIECES(x, y, 2 * TILE_W + 8 * ((VIF_HALO + 1) / 2), 2 * TILE_H, 8, 16) \
        u32 samples[2][4][2];  /* of a picture, of a byte, of a half of 32 rows */ \
        u32 products[3][4][2]; \
        FOR(half, 2) { \
            u32 words[2][2]; \
            FOR(k, 2) { \
                FOR(i, VIF_WORDS) { \
                    words[k][i] = TLD(staged, x, MATRIX_ROW, VIF_SAMPLES_AT(k, i) + y / 4 + 4 * half, MATRIX_CELL); \
                } \
                VIF_SAMPLE_BYTES(samples[k], half, words[k]) \
            } \
            FOR(k, 3) { \
                u32 v[4]; \
                u32 four[4]; \
                FOR(i, 4) { v[i] = VIF_SAMPLE(words[k & 1], i) * VIF_SAMPLE(words[(k + 1) >> 1], i); } \
                vif_transpose(four, v[0], v[1], v[2], v[3]); \
                FOR(b, 4) { products[k][b][half] = four[b]; } \
            } \
        } \
        FOR(kind, VIF_KINDS) { \
            u32 to[4]; \
            if (kind < 2) { \
                vif_filter(to, band, samples[kind], VIF_WORDS, U32(1 << (VIF_DEPTH - 1)), 0); \
                FOR(i, 4) { to[i] = shr_u32(to[i], VIF_DEPTH); } \
            } else { \
                vif_filter(to, band, products[kind - 2], 2 * VIF_WORDS, U32((1 << square_shift) >> 1), square_shift); \
            } \
            FOR(i, 2) { \
                FOR(b, VIF_BYTES_OF(kind)) { \
                    TST_HALF(bytes, x / 2, MATRIX_CELL, VIF_BYTES_AT(kind, b) + y + 8 * i, MATRIX_ROW, \
                             pick_bytes(to[2 * i], to[2 * i + 1], 0x0040u + 0x0011u * b)); \
                } \
            } \
        } \
    END_PIECES \
    SYNC

/* Of each kind and of this item's 2x2 pixels: both rows of the even column, then of the odd one. The items of a warp
 * are 8 columns by 4 rows from (left, top) on. */
#define VIF_FILTER_ROWS(to, band, left, top) \
    FOR(kind, VIF_KINDS) { \
        u32 numbers[4][2]; \
        FOR(b, VIF_BYTES_OF(kind)) { \
            FOR(half, 2) { \
                numbers[b][half] = TLD(bytes, (left) / 2 + 4 * half, MATRIX_CELL, VIF_BYTES_AT(kind, b) + 2 * (top), \
                                       MATRIX_ROW); \
            } \
        } \
        vif_filter(to[kind], band, numbers, VIF_BYTES_OF(kind), kind < 2 ? 0u : 0x8000u, kind < 2 ? 0 : 16); \
    }
