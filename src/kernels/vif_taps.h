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

/* VIF_TAPS makes the arrays `even` and `odd`, what the pairs are multiplied by; VIF_EVEN_TAPS the first of them. */
#define VIF_TAP(tap, low, high) tap = U32((low) + (high) * 65536u);
#define VIF_EVEN_TAPS u32 even[VIF_PAIRS]; VIF_EVEN_TAPS_
#define VIF_TAPS VIF_EVEN_TAPS u32 odd[VIF_PAIRS]; VIF_ODD_TAPS_
/* Adds a window of the pairs from v[i] on to a sum of even numbers. */
#define VIF_FILTER_EVEN(sum, v, i) { \
        dot_sum dots = dot_sum_from(sum); \
        FOR(n_, VIF_PAIRS) { dots = dot_add_i16(dots, v[(i) + VIF_EVEN_AT(n_)], even[n_]); } \
        sum = u32_from_dots(dots); \
    }
/* Windows a[j] of even numbers and b[j] of odd ones, n of each, which start with `start`. PAIR(j, m) is pair m of
 * window j. All go on by a tap together: so few numbers are in use at a time that the registers of AVX2 hold them. */
#define VIF_FILTER(n, start, PAIR) \
    u32 a[n], b[n]; \
    dot_sum evens[n], odds[n]; \
    FOR(j, n) { evens[j] = dot_sum_from(start); odds[j] = evens[j]; } \
    FOR(m, VIF_PAIRS) { \
        u32 even_tap = KEPT(even[m]), odd_tap = KEPT(odd[m]); \
        FOR(j, n) { \
            u32 pair = KEPT(PAIR(j, VIF_EVEN_AT(m))); \
            evens[j] = dot_add_i16(evens[j], pair, even_tap); \
            odds[j] = dot_add_i16(odds[j], VIF_ODD_AT(m) == VIF_EVEN_AT(m) ? pair : PAIR(j, VIF_ODD_AT(m)), \
                                   odd_tap); \
        } \
    } \
    FOR(j, n) { a[j] = u32_from_dots(evens[j]); b[j] = u32_from_dots(odds[j]); }

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
    VIF_TAP(even[0], 0u, VIF_T0) VIF_TAP(even[1], VIF_T1 / 2u, VIF_T0) VIF_TAP(even[2], VIF_T1 / 2u, 0u)
#define VIF_ODD_TAPS_ \
    VIF_TAP(odd[0], VIF_T0, VIF_T1 / 2u) VIF_TAP(odd[1], 0u, VIF_T1 / 2u) VIF_TAP(odd[2], VIF_T0, 0u)
#endif
#if VIF_SCALE < 3
#define VIF_EVEN_AT(n) (n)
#define VIF_ODD_AT(n) (n)
/* Tap i of the 4 VIF_HALO + 1, 0 in front of them and behind. */
#define VIF_TAP_AT(i) ((i) < 0 || (i) > 4 * VIF_HALO ? 0u : VIF_HALF((i) <= 2 * VIF_HALO ? (i) : 4 * VIF_HALO - (i)))
#define VIF_EVEN_TAPS_ FOR(n_, VIF_PAIRS) { VIF_TAP(even[n_], VIF_TAP_AT(2 * n_), VIF_TAP_AT(2 * n_ + 1)) }
#define VIF_ODD_TAPS_ FOR(n_, VIF_PAIRS) { VIF_TAP(odd[n_], VIF_TAP_AT(2 * n_ - 1), VIF_TAP_AT(2 * n_)) }
#else
#define VIF_EVEN_AT(n) ((n) == 0 ? 0 : 1)
#define VIF_ODD_AT(n) ((n) == 2 ? 2 : 1)
#endif

#define VIF_PAIRS (2 * VIF_HALO + 1)

/* Both low halves of two u32, and both high halves, as a pair. */
FN u32 vif_low_halves(u32 a, u32 b) { return (a & 0xffffu) | shl_u32(b, 16); }
FN u32 vif_high_halves(u32 a, u32 b) { return shr_u32(a, 16) | (b & 0xffff0000u); }

/* Pairs of rows 2j and 2j + 1 for n values of j: v[0] of the reference's even column of an item, v[1] of the odd one,
 * v[2] and v[3] of the distorted picture's. (x0 + x, y0 + y) is the first item's position. */
#ifdef VIF_OF_SAMPLES
#define VIF_LOAD_ROWS(v, n, x0, x, y0, y) \
    FOR_LARGE(i, n) { \
        u32 r_[2]; \
        u32 d_[2]; \
        LDB_PAIR_ROWS(r_, 2, ref, REFLECT101, REFLECT101, 2 * (x0), x, 2, 2 * ((y0) + i), y) \
        LDB_PAIR_ROWS(d_, 2, dis, REFLECT101, REFLECT101, 2 * (x0), x, 2, 2 * ((y0) + i), y) \
        v[0][i] = vif_low_halves(r_[0], r_[1]); \
        v[1][i] = vif_high_halves(r_[0], r_[1]); \
        v[2][i] = vif_low_halves(d_[0], d_[1]); \
        v[3][i] = vif_high_halves(d_[0], d_[1]); \
    }
#else
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
 * VIF_PAIR takes from there pair i of column c of a strip, of the reference (0) or of the distorted picture (1).
 * Windows that count reach at most n - 1 beyond a picture of n columns or rows: 8 of at least 16, 4 of 8, 2 of 4, 1 of
 * 2; so folding once is enough. */
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

#define VIF_STAGED_W (TILE_W + 2 * VIF_HALO)
#define VIF_STAGED_H (TILE_H + 2 * VIF_HALO)
#define VIF_STAGED TILE(u32, staged, VIF_STAGED_W, 4 * VIF_STAGED_H)
#define VIF_PAIR(picture, c, i, x, y) TLD(staged, 0, x, (2 * (picture) + (c)) * VIF_STAGED_H + (i), y)
#ifdef VIF_OF_SAMPLES
#define VIF_LOAD_(name, dy, x, y) LDB_PAIR(name, REFLECT_ONCE, REFLECT_ONCE, 2 * (TILE_X - VIF_HALO), x, \
                                           2, 2 * (TILE_Y - VIF_HALO) + (dy), y)
#define VIF_STAGE \
    EACH(x, y, VIF_STAGED_W, VIF_STAGED_H) \
        u32 r0 = VIF_LOAD_(ref, 0, x, y); \
        u32 r1 = VIF_LOAD_(ref, 1, x, y); \
        u32 d0 = VIF_LOAD_(dis, 0, x, y); \
        u32 d1 = VIF_LOAD_(dis, 1, x, y); \
        TST(staged, 0, x, 0, y, vif_low_halves(r0, r1)); \
        TST(staged, 0, x, VIF_STAGED_H, y, vif_high_halves(r0, r1)); \
        TST(staged, 0, x, 2 * VIF_STAGED_H, y, vif_low_halves(d0, d1)); \
        TST(staged, 0, x, 3 * VIF_STAGED_H, y, vif_high_halves(d0, d1)); \
    END_EACH \
    SYNC
#else
#define VIF_LOAD_(dx, dy, x, y) LDBN(both, REFLECT_ONCE, REFLECT_ONCE, 2, 2 * (TILE_X - VIF_HALO) + (dx), x, \
                                     2, 2 * (TILE_Y - VIF_HALO) + (dy), y)
#define VIF_STAGE \
    EACH(x, y, VIF_STAGED_W, VIF_STAGED_H) \
        FOR(c, 2) { \
            u32 v0 = VIF_LOAD_(c, 0, x, y); \
            u32 v1 = VIF_LOAD_(c, 1, x, y); \
            TST(staged, 0, x, c * VIF_STAGED_H, y, vif_low_halves(v0, v1)); \
            TST(staged, 0, x, (2 + c) * VIF_STAGED_H, y, vif_high_halves(v0, v1)); \
        } \
    END_EACH \
    SYNC
#endif
#endif
