/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The checking build stops a kernel that breaks a rule, and says where. Small wrong kernels, written here
 * in the dialect, run in a child process each: it must abort with the right words. The same kernels on
 * harmless input must pass.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact/child.h"

#define TILE_W 16
#define TILE_H 4
#include "kernels/dialect/c.h"

/* Each reads one u8 plane of 16 x 1; what its first sample makes it do is said beside it. */
#define SAMPLE u8
#define SAMPLE_PLANE PLANE_IN(0, u8, src)

#define KERNEL_SYMBOL table_index
KERNEL(table_index) /* a sample is an index into the row itself */
    SAMPLE_PLANE
    TOTALS(1, 255)
BEGIN
    EACH(x, y, SPAN_W, SPAN_H)
        SUM_I32(0, INSIDE_ALL(x, y), LDG(src, LD(src, TILE_X, x, TILE_Y, y), I32(0)));
    END_EACH
END

#undef KERNEL_SYMBOL
#define KERNEL_SYMBOL large_sum
KERNEL(large_sum) /* states 100 */
    SAMPLE_PLANE
    TOTALS(1, 100)
BEGIN
    EACH(x, y, SPAN_W, SPAN_H)
        SUM_I32(0, INSIDE_ALL(x, y), LD(src, TILE_X, x, TILE_Y, y));
    END_EACH
END

#undef KERNEL_SYMBOL
#define KERNEL_SYMBOL large_limb
KERNEL(large_limb) /* states 2^20 and scales by 2^20: samples above 1 are too large */
    SAMPLE_PLANE
    TOTALS(2, 1048576)
BEGIN
    EACH(x, y, SPAN_W, SPAN_H)
        SUM_F32(0, INSIDE_ALL(x, y), to_f32(LD(src, TILE_X, x, TILE_Y, y)), 1048576.0f, 2)
    END_EACH
END

#undef KERNEL_SYMBOL
#define KERNEL_SYMBOL conversion
KERNEL(conversion) /* samples above 63 leave the integers */
    SAMPLE_PLANE
    TOTALS(1, INT32_MAX / 1024)
BEGIN
    EACH(x, y, SPAN_W, SPAN_H)
        i32 v = i32_from_f32(to_f32(LD(src, TILE_X, x, TILE_Y, y)) * 33554432.0f);
        SUM_I32(0, INSIDE_ALL(x, y), shr_i32(v, 20));
    END_EACH
END

#undef KERNEL_SYMBOL
#define KERNEL_SYMBOL not_a_number
KERNEL(not_a_number) /* 0 / 0 to an integer when two samples are equal */
    SAMPLE_PLANE
    TOTALS(1, 1000)
BEGIN
    EACH(x, y, SPAN_W, SPAN_H)
        f32 d = to_f32(LD(src, TILE_X, x, TILE_Y, y)) - to_f32(LD(src, TILE_X + 1, x, TILE_Y, y));
        SUM_I32(0, INSIDE_ALL(x, y), i32_from_f32(div_rn(d, d)));
    END_EACH
END

#undef KERNEL_SYMBOL
#define KERNEL_SYMBOL bin
KERNEL(bin)
    SAMPLE_PLANE
    NO_TOTALS
    HISTOGRAM(32)
BEGIN
    EACH(x, y, SPAN_W, SPAN_H)
        COUNT(INSIDE_ALL(x, y), LD(src, TILE_X, x, TILE_Y, y));
    END_EACH
END

#undef KERNEL_SYMBOL
#define KERNEL_SYMBOL tile_row
KERNEL(tile_row) /* a sample, uniform here, is a row of tile memory */
    SAMPLE_PLANE
    TILE(i32, staged, TILE_W, 32)
    TOTALS(1, 255)
BEGIN
    EACH(x, y, SPAN_W, 32)
        TST(staged, 0, x, 0, y, I32(1));
    END_EACH
    EACH(x, y, SPAN_W, SPAN_H)
        SUM_I32(0, INSIDE_ALL(x, y), TLD(staged, 0, x, LD(src, TILE_X, x, TILE_Y, y), y));
    END_EACH
END

#undef KERNEL_SYMBOL
#define KERNEL_SYMBOL shift_count
KERNEL(shift_count) /* so is it a count */
    SAMPLE_PLANE
    TOTALS(1, 1)
BEGIN
    EACH(x, y, SPAN_W, SPAN_H)
        SUM_I32(0, INSIDE_ALL(x, y), i32_from_u32(shr_u32(U32(1), LD(src, TILE_X, x, TILE_Y, y))));
    END_EACH
END

#undef KERNEL_SYMBOL
#define KERNEL_SYMBOL stated_rows
KERNEL(stated_rows) /* loads row 0: whoever gives it a window looks at what READS states */
    SAMPLE_PLANE
    READS(src, 1, 1, 0, 0)
    TOTALS(1, 1)
BEGIN
    EACH(x, y, SPAN_W, SPAN_H)
        SUM_I32(0, INSIDE_ALL(x, y), LD(src, TILE_X, x, TILE_Y, y) & 1);
    END_EACH
END

#undef KERNEL_SYMBOL
#define KERNEL_SYMBOL stated_store
KERNEL(stated_store) /* stores all rows of its tile: whoever gives it a window looks at what WRITES states */
    SAMPLE_PLANE
    PLANE_OUT(1, u32, dst)
    WRITES(dst, 1)
    NO_TOTALS
BEGIN
    EACH(x, y, SPAN_W, SPAN_H)
        ST(dst, x, y, to_u32(LD(src, TILE_X, x, TILE_Y, y)));
    END_EACH
END

#undef KERNEL_SYMBOL
#define KERNEL_SYMBOL stated_layer
KERNEL(stated_layer) /* the same rows of layer 1 */
    SAMPLE_PLANE
    PLANE_OUT(1, u32, dst)
    WRITES(dst, 2)
    NO_TOTALS
BEGIN
    EACH(x, y, SPAN_W, SPAN_H)
        ST_LAYER(dst, 1, x, y, to_u32(LD(src, TILE_X, x, TILE_Y, y)));
    END_EACH
END

#undef KERNEL_SYMBOL
#define KERNEL_SYMBOL stated_columns
KERNEL(stated_columns) /* loads as many columns to the right of the tile as a sample says, and states none */
    SAMPLE_PLANE
    TOTALS(1, 255)
    INNER(0, 0)
BEGIN
    EACH(x, y, SPAN_W, SPAN_H)
        SUM_I32(0, INSIDE_ALL(x, y), LD(src, TILE_X + LD(src, TILE_X, x, TILE_Y, y), x, TILE_Y, y));
    END_EACH
END

static const struct {
    const char *name;
    kernel_fn *run;
    /* What the 16 samples are; not_a_number takes them as the step between two, stated_* as the first row of a
     * window. */
    unsigned char good, bad;
    const char *words;
} cases[] = {
    {"table_index", table_index, 15, 16, "gathered load"}, {"large_sum", large_sum, 100, 101, "stated bound"},
    {"large_limb", large_limb, 1, 2, "stated bound"}, {"conversion", conversion, 63, 64, "float to integer"},
    {"not_a_number", not_a_number, 1, 0, "float to integer"}, {"bin", bin, 31, 32, "histogram bin"},
    {"tile_row", tile_row, 31, 32, "tile memory index"}, {"shift_count", shift_count, 31, 32, "shift count"},
    {"stated_rows", stated_rows, 0, 1, "READS and WRITES"}, {"stated_store", stated_store, 0, 1, "READS and WRITES"},
    {"stated_layer", stated_layer, 0, 1, "READS and WRITES"}, {"stated_columns", stated_columns, 0, 1, "INNER"},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void run(unsigned i, unsigned char value)
{
    uint8_t row[16];
    uint32_t stored[2][16];
    int64_t totals[64] = {0};
    struct kernel_args args = {.plane[0] = {.data = row, .stride = sizeof row, .width = sizeof row, .height = 1},
                               .totals = totals, .grid_w = 15, .grid_h = 1, .tile_w = 15, .tile_h = 1};
    if (cases[i].run == stated_columns) { /* an inner tile: whole vectors of any level, a whole strip */
        args.grid_w = args.tile_w = sizeof row;
        args.grid_h = ROWS;
    }
    const bool writes = cases[i].run == stated_store || cases[i].run == stated_layer;
    args.plane[1] = (struct kernel_plane){.data = stored, .stride = sizeof stored[0], .width = 16,
                                          .height = cases[i].run == stated_layer ? 2 : 1};
    if (writes || cases[i].run == stated_rows) {
        args.plane[writes].first_row = value;
        args.plane[writes].end_row = 2;
    }
    for (int x = 0; x < 16; x++)
        row[x] = (uint8_t)(cases[i].run == not_a_number ? x * value : value);
    cases[i].run(&args);
}

/* Runs a case in a child; its messages come back in `text`. Returns how it ended. */
static int in_child(const char *program, unsigned i, unsigned char value, char *text, size_t size)
{
    char which[16], sample[16], said[4096];
    snprintf(which, sizeof which, "%u", i);
    snprintf(sample, sizeof sample, "%u", value);
    snprintf(said, sizeof said, "%s.said", program);
    const int code = child_run(program, which, sample, said);
    FILE *const f = fopen(said, "r");
    text[f ? fread(text, 1, size - 1, f) : 0] = '\0';
    if (f)
        fclose(f);
    remove(said);
    return code;
}

int main(int argc, char **argv)
{
    unsigned failures = 0;
    if (argc == 3) {
        run((unsigned)atoi(argv[1]) % CASES, (unsigned char)atoi(argv[2]));
        return 0;
    }
    for (unsigned i = 0; i < CASES; i++) {
        char text[512] = "", where[64];
        if (in_child(argv[0], i, cases[i].good, text, sizeof text)) {
            fprintf(stderr, "%s failed on harmless input: %s\n", cases[i].name, text);
            failures++;
        }
        const int code = in_child(argv[0], i, cases[i].bad, text, sizeof text);
        snprintf(where, sizeof where, "in %s, ", cases[i].name);
        if (code != CHILD_STOPPED || !strstr(text, cases[i].words) || !strstr(text, where) ||
            !strstr(text, "test_kernel_checks.c:")) {
            fprintf(stderr, "%s was not stopped for '%s': %s\n", cases[i].name, cases[i].words, text);
            failures++;
        }
    }
    printf("%d wrong kernels, %u not stopped\n", CASES, failures);
    return failures != 0;
}
