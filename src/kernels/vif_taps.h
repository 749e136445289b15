/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The low-pass filters of VIF's four scales, as integers of sum 65536: 17, 9, 5 and 3 taps, symmetric (libvmaf's
 * vif_filter1d_table, Netflix), on pairs.
 *
 * A pair is a u32 with two neighbours a and b, an even and the odd one behind it; its halves hold a - 2^15 and b - 2^15
 * as signed numbers (VIF_BIAS), or a and b where those are below 2^15. The windows of the even and of the
 * odd number of pair i are pairs i - VIF_HALO to i + VIF_HALO. Of biased pairs the sums are less by 2^31, because the
 * taps sum to 2^16. The sum of 16-bit numbers is below 2^32.
 */
#ifdef TARGET_C
#define VIF_BIAS 0x80008000u
#define VIF_SUM_BIAS 0x80000000u
#endif

/* VIF_TAPS makes `taps`: a window's pair n is multiplied by taps[2 n] for the even number and by taps[2 n + 1] for the
 * odd one. VIF_EVEN_TAPS makes the first of the two alone. */
#define VIF_TAP(tap, low, high) tap = U32((low) + (high) * 65536u);
#define VIF_EVEN_TAPS u32 taps[2 * VIF_PAIRS]; VIF_EVEN_TAPS_
#define VIF_TAPS VIF_EVEN_TAPS VIF_ODD_TAPS_ IN_MEMORY(taps)
/* Adds a window of the pairs from v[i] on to a sum of even numbers. */
#define VIF_FILTER_EVEN(sum, v, i) { \
        dot_sum dots = dot_sum_from(sum); \
        FOR(n_, VIF_PAIRS) { dots = dot_add_i16(dots, v[(i) + VIF_EVEN_AT(n_)], taps[2 * n_]); } \
        sum = u32_from_dots(dots); \
    }
/* Sums a[j] of even numbers and b[j] of odd ones for n windows, which start with `start`. 16 registers hold the sums,
 * but no taps beside them. Down a column, where window j begins at pair j, PAIR(i) is pair i. It is made once and goes
 * into every window that has it. Along a row PAIR(j, m) is pair m of window j, and a tap is read once for all. */
#define VIF_SUMS(n, start) \
    u32 a[n], b[n]; \
    dot_sum evens[n], odds[n]; \
    FOR(j, n) { evens[j] = dot_sum_from(start); odds[j] = evens[j]; }
#define VIF_SUMMED(n) FOR(j, n) { a[j] = u32_from_dots(evens[j]); b[j] = u32_from_dots(odds[j]); }
#define VIF_FILTER_DOWN(n, start, PAIR) \
    VIF_SUMS(n, start) \
    FOR(i, (n) + 2 * VIF_HALO) { \
        u32 pair = PAIR(i); \
        IN_MEMORY(taps) \
        FOR(j, n) { \
            FOR(m, VIF_PAIRS) { \
                if (j + VIF_EVEN_AT(m) == i) \
                    evens[j] = dot_add_i16(evens[j], pair, taps[2 * m]); \
                if (j + VIF_ODD_AT(m) == i) \
                    odds[j] = dot_add_i16(odds[j], pair, taps[2 * m + 1]); \
            } \
        } \
    } \
    VIF_SUMMED(n)
#define VIF_FILTER_ALONG(n, start, PAIR) \
    VIF_SUMS(n, start) \
    FOR(m, VIF_PAIRS) { \
        IN_MEMORY(taps) \
        u32 even_tap = KEPT(taps[2 * m]), odd_tap = KEPT(taps[2 * m + 1]); \
        FOR(j, n) { \
            u32 pair = KEPT(PAIR(j, VIF_EVEN_AT(m))); \
            evens[j] = dot_add_i16(evens[j], pair, even_tap); \
            odds[j] = dot_add_i16(odds[j], VIF_ODD_AT(m) == VIF_EVEN_AT(m) ? pair : PAIR(j, VIF_ODD_AT(m)), \
                                  odd_tap); \
        } \
    } \
    VIF_SUMMED(n)

#if VIF_SCALE == 0
#define VIF_HALO 4
#define VIF_T0 489u
#define VIF_T1 935u
#define VIF_T2 1640u
#define VIF_T3 2640u
#define VIF_T4 3896u
#define VIF_T5 5274u
#define VIF_T6 6547u
#define VIF_T7 7455u
#define VIF_T8 7784u
#define VIF_HALF(i) ((i) == 0 ? VIF_T0 : (i) == 1 ? VIF_T1 : (i) == 2 ? VIF_T2 : (i) == 3 ? VIF_T3 : \
                     (i) == 4 ? VIF_T4 : (i) == 5 ? VIF_T5 : (i) == 6 ? VIF_T6 : (i) == 7 ? VIF_T7 : VIF_T8)
#elif VIF_SCALE == 1
#define VIF_HALO 2
#define VIF_T0 1244u
#define VIF_T1 3663u
#define VIF_T2 7925u
#define VIF_T3 12590u
#define VIF_T4 14692u
#define VIF_HALF(i) ((i) == 0 ? VIF_T0 : (i) == 1 ? VIF_T1 : (i) == 2 ? VIF_T2 : (i) == 3 ? VIF_T3 : VIF_T4)
#elif VIF_SCALE == 2
#define VIF_HALO 1
#define VIF_T0 3571u
#define VIF_T1 16004u
#define VIF_T2 26386u
#define VIF_HALF(i) ((i) == 0 ? VIF_T0 : (i) == 1 ? VIF_T1 : VIF_T2)
#else /* 10904, 43728, 10904: the tap in the middle does not fit a signed half and comes in two halves of itself */
#define VIF_HALO 1
#define VIF_T0 10904u
#define VIF_T1 43728u
#define VIF_EVEN_TAPS_ \
    VIF_TAP(taps[0], 0u, VIF_T0) VIF_TAP(taps[2], VIF_T1 / 2u, VIF_T0) VIF_TAP(taps[4], VIF_T1 / 2u, 0u)
#define VIF_ODD_TAPS_ \
    VIF_TAP(taps[1], VIF_T0, VIF_T1 / 2u) VIF_TAP(taps[3], 0u, VIF_T1 / 2u) VIF_TAP(taps[5], VIF_T0, 0u)
#endif
#if VIF_SCALE < 3
#define VIF_EVEN_AT(n) (n)
#define VIF_ODD_AT(n) (n)
/* Tap i of the 4 VIF_HALO + 1, 0 in front of them and behind. */
#define VIF_TAP_AT(i) ((i) < 0 || (i) > 4 * VIF_HALO ? 0u : VIF_HALF((i) <= 2 * VIF_HALO ? (i) : 4 * VIF_HALO - (i)))
#define VIF_EVEN_TAPS_ FOR(n_, VIF_PAIRS) { VIF_TAP(taps[2 * n_], VIF_TAP_AT(2 * n_), VIF_TAP_AT(2 * n_ + 1)) }
#define VIF_ODD_TAPS_ FOR(n_, VIF_PAIRS) { VIF_TAP(taps[2 * n_ + 1], VIF_TAP_AT(2 * n_ - 1), VIF_TAP_AT(2 * n_)) }
#else
#define VIF_EVEN_AT(n) ((n) == 0 ? 0 : 1)
#define VIF_ODD_AT(n) ((n) == 2 ? 2 : 1)
#endif

#define VIF_PAIRS (2 * VIF_HALO + 1)

/* Both low halves of two u32, and both high halves, as a pair. */
FN u32 vif_low_halves(u32 a, u32 b) { return HALVES_OF(a, shl_u32(b, 16)); }
FN u32 vif_high_halves(u32 a, u32 b) { return HALVES_OF(shr_u32(a, 16), b); }

/* Pairs of rows 2j and 2j + 1 for n values of j, a multiple of 4: v[0] of the reference's even column of an item, v[1]
 * of the odd one, v[2] and v[3] of the distorted picture's. (x0 + x, y0 + y) is the first item's position. */
#ifdef VIF_OF_SAMPLES
#define VIF_WIDTH PLANE_W(ref)
#define VIF_HEIGHT PLANE_H(ref)
#define VIF_WITHIN(from, w, h) TILE_WITHIN(ref, 2, from, w, 2, from, h)
#define VIF_LOAD_ROWS(v, n, x0, x, y0, y) \
    FOR_LARGE(i, (n) / 4) { \
        VIF_LOAD_8(v[0], v[1], ref, x0, x, (y0) + 4 * i, y) \
        VIF_LOAD_8(v[2], v[3], dis, x0, x, (y0) + 4 * i, y) \
    }
#define VIF_LOAD_8(evens, odds, picture, x0, x, y0, y) { \
        u32 rows[8]; \
        LDB_PAIR_ROWS(rows, 8, picture, REFLECT101, REFLECT101, 2 * (x0), x, 2, 2 * (y0), y) \
        FOR(j, 4) { \
            evens[4 * i + j] = vif_low_halves(rows[2 * j], rows[2 * j + 1]); \
            odds[4 * i + j] = vif_high_halves(rows[2 * j], rows[2 * j + 1]); \
        } \
    }
#else
#define VIF_WIDTH PLANE_W(both)
#define VIF_HEIGHT PLANE_H(both)
#define VIF_WITHIN(from, w, h) TILE_WITHIN(both, 2, from, w, 2, from, h)
#define VIF_LOAD_ROWS(v, n, x0, x, y0, y) \
    FOR_LARGE(i, n) { \
        FOR(c, 2) { \
            u32 v0 = LDBN(both, REFLECT101, REFLECT101, 2, 2 * (x0) + c, x, 2, 2 * ((y0) + i), y); \
            u32 v1 = LDBN(both, REFLECT101, REFLECT101, 2, 2 * (x0) + c, x, 2, 2 * ((y0) + i) + 1, y); \
            v[c][i] = vif_low_halves(v0, v1); \
            v[2 + c][i] = vif_high_halves(v0, v1); \
        } \
    }
#endif

/* GPUs have no products of pairs, and a multiplication costs them more than an addition. So their windows are arrays of
 * numbers, two of each pair (VIF_TAKE), and the numbers with the same tap are added first. VIF_WINDOW(v, 2 * i) is the
 * window of pair i's even number, VIF_WINDOW(v, 2 * i + 1) that of its odd one, both without a bias.
 *
 * The strips of a GPU's tile overlap by more than half. VIF_STAGE loads every pair of two rows once, to tile memory.
 * VIF_SEEN takes from there the two numbers of pair i of column c of a strip: to v from 2 i on those of the reference,
 * behind n pairs those of the distorted picture. Windows that count reach at most n - 1 beyond a picture of n columns
 * or rows: 8 of at least 16, 4 of 8, 2 of 4, 1 of 2; so folding once is enough. */
#ifdef TARGET_C
#define VIF_STAGED
#else
#define VIF_TAKE(v, i, pair) { \
        u32 pair_ = pair; \
        v[2 * (i)] = pair_ & 0xffffu; \
        v[2 * (i) + 1] = shr_u32(pair_, 16); \
    }
#if VIF_SCALE == 0
#define VIF_WINDOW(v, at) ((v[at] + v[(at) + 16]) * VIF_T0 + (v[(at) + 1] + v[(at) + 15]) * VIF_T1 \
    + (v[(at) + 2] + v[(at) + 14]) * VIF_T2 + (v[(at) + 3] + v[(at) + 13]) * VIF_T3 \
    + (v[(at) + 4] + v[(at) + 12]) * VIF_T4 + (v[(at) + 5] + v[(at) + 11]) * VIF_T5 \
    + (v[(at) + 6] + v[(at) + 10]) * VIF_T6 + (v[(at) + 7] + v[(at) + 9]) * VIF_T7 + v[(at) + 8] * VIF_T8)
#elif VIF_SCALE == 1
#define VIF_WINDOW(v, at) ((v[at] + v[(at) + 8]) * VIF_T0 + (v[(at) + 1] + v[(at) + 7]) * VIF_T1 \
    + (v[(at) + 2] + v[(at) + 6]) * VIF_T2 + (v[(at) + 3] + v[(at) + 5]) * VIF_T3 + v[(at) + 4] * VIF_T4)
#elif VIF_SCALE == 2
#define VIF_WINDOW(v, at) ((v[at] + v[(at) + 4]) * VIF_T0 + (v[(at) + 1] + v[(at) + 3]) * VIF_T1 + v[(at) + 2] * VIF_T2)
#else
#define VIF_WINDOW(v, at) ((v[(at) + 1] + v[(at) + 3]) * VIF_T0 + v[(at) + 2] * VIF_T1)
#endif

/* n windows of v, which has `count` numbers of 32 bits: their 48-bit sums and `rounding`, shifted right by `shift`. */
#define VIF_WIDE_WINDOWS(to, n, v, count, rounding, shift) { \
        u32 lows[count]; \
        u32 highs[count]; \
        FOR(at, count) { \
            lows[at] = v[at] & 0xffffu; \
            highs[at] = shr_u32(v[at], 16); \
        } \
        FOR(nth, n) { to[nth] = vif_join(VIF_WINDOW(highs, nth), VIF_WINDOW(lows, nth) + (rounding), shift); } \
    }

#define VIF_STAGED_W (TILE_W + 2 * VIF_HALO)
#define VIF_STAGED_H (TILE_H + 2 * VIF_HALO)
#define VIF_STAGED TILE(u32, staged, VIF_STAGED_W, 2 * VIF_WORDS * VIF_STAGED_H)
#define VIF_STAGED_AT(word, c) ((2 * (word) + (c)) * VIF_STAGED_H)
#define VIF_LOAD_(picture, rule, nx, dx, x, ny, dy, y) \
    to_u32(LDBN(picture, rule, rule, nx, 2 * (TILE_X - VIF_HALO) + (dx), x, ny, 2 * (TILE_Y - VIF_HALO) + (dy), y))
#if defined(SAMPLE_IS_U8) && defined(FOURS)
#define VIF_LOAD_FOUR(picture, rule, x, ny, dy, y) \
    LDB_FOUR(picture, rule, rule, 2 * (TILE_X - VIF_HALO), x, ny, 2 * (TILE_Y - VIF_HALO) + (dy), y)
#define VIF_STAGE_BY(rule) \
    EACH(x, y, VIF_STAGED_W / 2, VIF_STAGED_H) \
        u32 rows[4]; \
        u32 columns[4]; \
        FOR(i, 2) { \
            rows[i] = VIF_LOAD_FOUR(ref, rule, x, 2, i, y); \
            rows[2 + i] = VIF_LOAD_FOUR(dis, rule, x, 2, i, y); \
        } \
        TRANSPOSE_BYTES(columns, rows) \
        FOR(c, 4) { TST(staged, c >> 1, 2 * x, VIF_STAGED_AT(0, c & 1), y, columns[c]); } \
    END_EACH
#else
#define VIF_STAGE_BY(rule) \
    EACH(x, y, VIF_STAGED_W, VIF_STAGED_H) \
        FOR(c, 2) { \
            VIF_LOAD_TWO(rule, 2, c, x, 2, 0, y) \
            VIF_KEEP_TWO(c, x, y) \
        } \
    END_EACH
#endif
#define VIF_STAGE(BY) \
    if (VIF_WITHIN(-2 * VIF_HALO, 2 * VIF_STAGED_W, 2 * VIF_STAGED_H)) { \
        BY(WITHIN) \
    } else { \
        BY(REFLECT_ONCE) \
    } \
    SYNC

/* Two rows of a column: both samples of the reference and both of the distorted picture, in a word of bytes or in a
 * word of halves for each. */
#ifdef SAMPLE_IS_U8
#define VIF_WORDS 1
#define VIF_SECOND 8
#define VIF_KEEP_TWO(c, x, y) TST(staged, 0, x, VIF_STAGED_AT(0, c), y, of_ref | shl_u32(of_dis, 16));
#define VIF_SEEN(v, n, c, i, x, y) { \
        u32 four = TLD(staged, 0, x, VIF_STAGED_AT(0, c) + (i), y); \
        v[2 * (i)] = four & 0xffu; \
        v[2 * (i) + 1] = shr_u32(four, 8) & 0xffu; \
        v[2 * ((n) + (i))] = shr_u32(four, 16) & 0xffu; \
        v[2 * ((n) + (i)) + 1] = shr_u32(four, 24); \
    }
#else
#define VIF_WORDS 2
#define VIF_SECOND 16
#define VIF_KEEP_TWO(c, x, y) \
    TST(staged, 0, x, VIF_STAGED_AT(0, c), y, of_ref); \
    TST(staged, 0, x, VIF_STAGED_AT(1, c), y, of_dis);
#define VIF_SEEN(v, n, c, i, x, y) \
    FOR(picture, 2) { VIF_TAKE(v, (n) * picture + (i), TLD(staged, 0, x, VIF_STAGED_AT(picture, c) + (i), y)) }
#endif
#ifdef VIF_OF_SAMPLES
#define VIF_LOAD_TWO(rule, nx, dx, x, ny, dy, y) \
    u32 of_ref = VIF_LOAD_(ref, rule, nx, dx, x, ny, dy, y) \
                 | shl_u32(VIF_LOAD_(ref, rule, nx, dx, x, ny, (dy) + 1, y), VIF_SECOND); \
    u32 of_dis = VIF_LOAD_(dis, rule, nx, dx, x, ny, dy, y) \
                 | shl_u32(VIF_LOAD_(dis, rule, nx, dx, x, ny, (dy) + 1, y), VIF_SECOND);
#else
#define VIF_LOAD_TWO(rule, nx, dx, x, ny, dy, y) \
    u32 upper = VIF_LOAD_(both, rule, nx, dx, x, ny, dy, y); \
    u32 lower = VIF_LOAD_(both, rule, nx, dx, x, ny, (dy) + 1, y); \
    u32 of_ref = vif_low_halves(upper, lower); \
    u32 of_dis = vif_high_halves(upper, lower);
#endif
#endif
