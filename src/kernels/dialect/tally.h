/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts of codes in windows (TALLIES) on SYCL, where a module is for processors, too: each item looks at every element
 * of its window. A table that slides (sliding_tally.h) needs a barrier in a loop.
 */
#ifndef ASSAY_DIALECT_TALLY_H
#define ASSAY_DIALECT_TALLY_H

template <typename P, int N>
FN void tally_(const P &plane, int radius, int first, int last, mask m, i32 code, int x, int y, i32 (&counts)[N])
{
    const int x1 = min_i32(x + radius, plane.p.width - 1), y1 = min_i32(y + radius, plane.p.height - 1);
    FOR(i, N) counts[i] = 0;
    for (int row = max_i32(y - radius, 0); m && row <= y1; row++)
        for (int at = max_i32(x - radius, 0); at <= x1; at++) {
            const i32 v = (i32)plane.ld(at, row);
            FOR(i, N) counts[i] += v == code + i && v >= first && v <= last;
        }
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
