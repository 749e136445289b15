/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts of codes in windows (TALLIES) on SYCL, where a module is for processors: each item looks at every element of
 * its window. A table that slides (sliding_tally.h) needs a barrier in a loop.
 */
#ifndef ASSAY_DIALECT_TALLY_H
#define ASSAY_DIALECT_TALLY_H

/* A code's distance d from the first of nine as 1 in field d of three bits; bits from 27 on say nothing. */
FN u32 tally_bit_(u32 d)
{
    const u32 shift = 3 * d;
    return 1u << (shift < 31 ? shift : 31);
}

/* Three times three fields, of nine bits each. */
FN void tally_few_(u32 few, u32 (&part)[3])
{
    FOR(k, 3) part[k] += few >> (3 * k) & 0x1c0e07;
}

/* Seven codes fill a field of three bits at most; seven rows of 65 codes fit one of nine bits. */
template <typename P, int N>
FN void tally_(const P &plane, int radius, int first, int last, mask m, i32 code, int x, int y, i32 (&counts)[N])
{
    static_assert(N <= 9, "at most nine codes");
    const int x0 = max_i32(x - radius, 0), x1 = min_i32(x + radius, plane.p.width - 1),
              y1 = min_i32(y + radius, plane.p.height - 1);
    FOR(i, N) counts[i] = 0;
    for (int row = max_i32(y - radius, 0); m && row <= y1;) {
        u32 part[3] = {0, 0, 0};
        for (int rows = 0; rows < 7 && row <= y1; rows++, row++) {
            int at = x0;
            u32 few = 0;
            for (; at + 6 <= x1; at += 7) {
                few = 0;
                FOR(k, 7) few += tally_bit_((u32)plane.ld(at + k, row) - (u32)code);
                tally_few_(few, part);
            }
            few = 0;
            for (; at <= x1; at++)
                few += tally_bit_((u32)plane.ld(at, row) - (u32)code);
            tally_few_(few, part);
        }
        FOR(i, N) counts[i] += (i32)(part[i % 3] >> (9 * (i / 3)) & 511);
    }
    FOR(i, N) counts[i] = code + i >= first && code + i <= last ? counts[i] : 0;
}

/* Every item, with counts of codes in its window. */
#define TALLY_(name)
#define TALLIES_(x, y, name, radius, reach, first, last) { \
        const int radius_ = radius, first_ = first, last_ = last; \
        EACH(x, y, SPAN_W, SPAN_H)
#define END_TALLIES_ END_EACH }
#define TALLY_OF_(name, counts, m, code, x, y) \
    tally_(name, radius_, first_, last_, m, code, TILE_X + (x), TILE_Y + (y), counts);

#endif
