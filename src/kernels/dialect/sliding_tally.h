/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts of codes in windows (TALLIES) on CUDA, and on SYCL's GPUs. A tile has a table in its memory: how often each
 * code occurs in a column of the tile or beside it, among the rows of the window of the row that is computed. The table
 * slides down the rows: each thread or work-item has columns of its own, to which it adds the row that enters and from
 * which it takes the one that leaves. A count of a window is the sum over its columns. The dialect defines ITEM_, the
 * thread's number in its tile; TALLY_, which gets the table and `groups`; and TALLY_OR_, an atomic "or" of the tile.
 *
 * A count of a column is at most 65 and has a byte, four codes a word. The table holds TALLY_WORDS of them, which are
 * 124 codes for the widest window in a tile of 64 columns. Where the items' codes lie farther apart, the tile is
 * computed in rounds: an item is computed in the round that has its code.
 */
#ifndef ASSAY_DIALECT_SLIDING_TALLY_H
#define ASSAY_DIALECT_SLIDING_TALLY_H

template <typename P, int THREADS> struct tally_ {
    const P &plane;
    u32 *const table;
    const int item;
    const int left, top, columns; /* of the table in the plane */
    const int radius, first, last, reach, words; /* words: of a column */
    int begin, end; /* the round's groups of 32 codes; the last group has what is above, too */
    int from;       /* the table's first code */
    bool counts;    /* there are codes in this round */
    bool others;    /* this round has the items without a code, too */

    METHOD_ tally_(const P &plane_, u32 *table_, int item_, int x, int y, int w, int radius_, int reach_, int first_,
                   int last_)
        : plane(plane_), table(table_), item(item_), left(x - radius_), top(y - radius_), columns(w + 2 * radius_),
          radius(radius_), first(first_), last(last_), reach(reach_), words(TALLY_WORDS / columns), begin(0), end(0),
          from(0), counts(false), others(false)
    {
    }
    METHOD_ bool inside(int x, int y) const
    {
        return (unsigned)x < (unsigned)plane.p.width && (unsigned)y < (unsigned)plane.p.height;
    }
    METHOD_ bool has(int code) const { return code >= first && code <= last; }
    METHOD_ int group(int code) const { return min_i32(code >> 5, 31); }

    /* The group of an element's code as a bit; 0 without a code. */
    METHOD_ u32 group_bit(int x, int y) const
    {
        const int code = inside(x, y) ? (int)plane.cell(x, y) : -1;
        return has(code) ? 1u << group(code) : 0;
    }
    METHOD_ bool mine(int x, int y) const
    {
        const int code = inside(x, y) ? (int)plane.cell(x, y) : -1;
        return has(code) ? group(code) >= begin && group(code) < end : others;
    }

    /* Begins a round; `groups` are left. Returns those that are left after it. */
    METHOD_ u32 round(u32 groups)
    {
        counts = groups != 0;
        begin = 0;
        for (u32 g = groups; counts && (g & 1) == 0; g >>= 1)
            begin++;
        end = min_i32(begin + (4 * words - 2 * reach - 8) / 32, 32);
        from = (32 * begin - reach) & ~3;
        if (!counts)
            return 0;
        for (int c = item; c < columns; c += THREADS) {
            for (int i = 0; i < words; i++)
                table[i * columns + c] = 0;
            for (int y = 0; y < 2 * radius; y++)
                add(c, code_at(c, top + y), 1);
        }
        return end < 32 ? groups >> end << end : 0;
    }
    METHOD_ int code_at(int c, int y) const { return inside(left + c, y) ? (int)plane.cell(left + c, y) : -1; }
    METHOD_ void add(int c, int code, u32 n)
    {
        const int at = code - from;
        if (has(code) && (unsigned)at < 4u * (unsigned)words)
            table[(at >> 2) * columns + c] += n << 8 * (at & 3);
    }
    /* Prepares the table for row y of the tile. */
    METHOD_ void slide(int y)
    {
        for (int c = item; c < columns; c += THREADS) {
            const int enters = code_at(c, top + y + 2 * radius), leaves = y > 0 ? code_at(c, top + y - 1) : -1;
            add(c, enters, 1);
            add(c, leaves, ~0u);
        }
    }

    /* Bytes hold the counts of 7 columns of windows up to 35 wide, of 3 columns of wider ones. */
    template <int N> METHOD_ void of(mask m, int code, int x, i32 (&counts_)[N]) const
    {
        static_assert(N <= 9, "at most nine codes");
        constexpr int MOST = (N + 6) / 4; /* that hold N codes in a row, wherever these begin in a word */
        u32 even[3] = {0, 0, 0}, odd[3] = {0, 0, 0};
        const int at = code - from, few = radius <= 17 ? 7 : 3;
        const u32 *cell = table + (at >> 2) * columns + x;
        for (int rest = m ? 2 * radius + 1 : 0; rest > 0; rest -= few) {
            u32 sum[3] = {0, 0, 0};
            for (int k = min_i32(rest, few); k > 0; k--, cell++) {
                FOR(i, MOST) sum[i] += cell[i * columns];
            }
            FOR(i, 3) {
                even[i] += sum[i] & 0xff00ff;
                odd[i] += sum[i] >> 8 & 0xff00ff;
            }
        }
        u32 of[12];
        FOR(i, 12) of[i] = ((i & 1) != 0 ? odd[i / 4] : even[i / 4]) >> 8 * (i & 2) & 0xffff;
        const bool by_1 = (at & 1) != 0, by_2 = (at & 2) != 0;
        FOR(i, 11) of[i] = by_1 ? of[i + 1] : of[i];
        FOR(i, N) counts_[i] = (i32)(by_2 ? of[i + 2] : of[i]);
    }
};

#define TALLIES_(x, y, name, radius, reach, first, last) { \
        tally_<decltype(name), NT> tallies_(name, name##_table_, ITEM_, TILE_X, TILE_Y, TILE_W, radius, reach, first, \
                                            last); \
        if (ITEM_ == 0) \
            *name##_groups_ = 0; \
        SYNC \
        u32 found_ = 0; \
        ROUNDS_(TILE_W * TILE_H) \
            found_ |= tallies_.group_bit(TILE_X + t_ % TILE_W, TILE_Y + t_ / TILE_W); \
        } \
        if (found_ != 0) \
            TALLY_OR_(name##_groups_, found_); \
        SYNC \
        u32 groups_ = *name##_groups_; \
        const int rows_ = min_i32(TILE_H, GRID_H - TILE_Y); \
        tallies_.others = true; \
        do { \
            groups_ = tallies_.round(groups_); \
            for (lane_y y = 0; y < rows_; y++) { \
                if (tallies_.counts) { \
                    tallies_.slide(y); \
                    SYNC \
                } \
                for (lane_x x = ITEM_; x < TILE_W; x += NT) { \
                    if (tallies_.mine(TILE_X + x, TILE_Y + y)) {
#define END_TALLIES_ \
                    } \
                } \
                if (tallies_.counts) \
                    SYNC \
            } \
            tallies_.others = false; \
        } while (groups_ != 0); \
    }
#define TALLY_OF_(name, counts, m, code, x, y) tallies_.of(m, code, x, counts);

#endif
