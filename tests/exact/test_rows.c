/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What kernels state of their rows (READS, WRITES) holds: each row of tiles runs on windows that hold the stated rows
 * only, between rows of rubbish, and gives the bits that it gives on whole planes. Rubbish that is written to is
 * noticed; in the checking build the kernel itself stops at a row that is not stated, also when it drops what it loads
 * there.
 *
 * First it proves that it can fail: with one row less on either side, kernels must be noticed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact/child.h"
#include "exact/harness.h"
#include "executors/cpu/cpu.h"
#include "host/fpenv.h"

enum { MARGIN = 9, RUBBISH = 0x5b }; /* rows beside a window; bytes, as floats large but far from infinite */

struct window {
    char *memory;
    size_t bytes;
    uint32_t first, end, layers; /* rows of each layer */
    ptrdiff_t stride, apart;     /* bytes from layer to layer */
};

static unsigned long runs, failures;

static void *allocate(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(99);
    }
    return p;
}

static char *window_row(const struct window *w, uint32_t layer, uint32_t y)
{
    return w->memory + (ptrdiff_t)layer * w->apart + (MARGIN + (ptrdiff_t)y - (ptrdiff_t)w->first) * w->stride;
}

/* The plane's own row. */
static char *plane_row(const struct kernel_plane *p, uint32_t layers, uint32_t layer, uint32_t y)
{
    return (char *)p->data + ((ptrdiff_t)layer * (p->height / (int32_t)layers) + (ptrdiff_t)y) * p->stride;
}

/* A window on a plane, with its rows when it is read. */
static struct kernel_plane open_window(struct window *w, const struct kernel_plane *p, const struct kernel_rows *r,
                                       uint32_t grid_h, uint32_t y0, uint32_t y1, size_t row, bool read)
{
    const int64_t height = p->height / r->layers, up = r->factor ? r->factor : height, down = r->factor ? 1 : grid_h,
                  first = y0 * up / down - r->before, end = (y1 - 1) * up / down + r->after + 1;
    w->layers = r->layers;
    w->first = (uint32_t)(first < 0 ? 0 : first < height ? first : height);
    w->end = (uint32_t)(end < height ? end : height);
    w->end = w->end > w->first ? w->end : w->first;
    w->stride = (ptrdiff_t)((row + 3) / 4 * 4);
    w->apart = (2 * MARGIN + (ptrdiff_t)(w->end - w->first)) * w->stride;
    w->bytes = (size_t)w->apart * r->layers;
    w->memory = allocate(w->bytes);
    memset(w->memory, RUBBISH, w->bytes);
    for (uint32_t k = 0; read && k < r->layers; k++)
        for (uint32_t y = w->first; y < w->end; y++)
            memcpy(window_row(w, k, y), plane_row(p, r->layers, k, y), row);
    struct kernel_plane view = *p;
    view.data = window_row(w, 0, 0);
    view.stride = w->stride;
    view.layer_gap = w->apart - height * w->stride;
    view.first_row = (int32_t)w->first;
    view.end_row = (int32_t)w->end + (w->end == 0); /* 0 would be all */
    return view;
}

/* Copies what was written to the plane. Returns whether the rubbish is untouched. */
static bool close_window(struct window *w, const struct kernel_plane *p, size_t row, bool written)
{
    bool same = true;
    for (uint32_t k = 0; written && k < w->layers; k++)
        for (uint32_t y = w->first; y < w->end; y++) {
            memcpy(plane_row(p, w->layers, k, y), window_row(w, k, y), row);
            memset(window_row(w, k, y), RUBBISH, row);
        }
    for (size_t i = 0; written && i < w->bytes; i++)
        same &= w->memory[i] == RUBBISH;
    free(w->memory);
    w->memory = NULL;
    return same;
}

/* Rows y0 to y1 - 1 of the grid, a row of tiles. */
static bool run_rows(struct buffers *b, const struct trial_pass *pass, const struct kernel_rows *rows, kernel_fn *run,
                     uint32_t y0, uint32_t y1)
{
    const struct kernel_info *k = pass->info;
    const uint32_t tile_w = k->schedule[TARGET_CPU].tile_w;
    struct window window[KERNEL_PLANES] = {{0}};
    struct kernel_args args = {.totals = b->totals, .extrema = b->extrema, .grid_w = (int32_t)pass->grid_w,
                               .grid_h = (int32_t)pass->grid_h, .tile_y = (int32_t)y0, .tile_h = (int32_t)(y1 - y0)};
    bool same = true;
    memcpy(args.plane, b->plane, sizeof args.plane);
    memcpy(args.param, pass->param, sizeof args.param);
    for (unsigned i = 0; i < k->planes_in + k->planes_out; i++)
        if (rows[i].layers)
            args.plane[i] = open_window(&window[i], &b->plane[i], &rows[i], pass->grid_h, y0, y1,
                                        (size_t)pass->plane[i].width * sample_size(k->plane[i]), i < k->planes_in);
    for (uint32_t x = 0; x < pass->grid_w; x += tile_w) {
        args.tile_x = (int32_t)x;
        args.tile_w = (int32_t)(pass->grid_w - x < tile_w ? pass->grid_w - x : tile_w);
        run(&args);
    }
    for (unsigned i = 0; i < k->planes_in + k->planes_out; i++)
        if (window[i].memory)
            same &= close_window(&window[i], &b->plane[i], (size_t)pass->plane[i].width * sample_size(k->plane[i]),
                                 i >= k->planes_in);
    return same;
}

static bool holds(const struct trials_pass *from, const struct kernel_rows *rows, kernel_fn *run, uint32_t tile_h,
                  bool quiet)
{
    const struct trial_pass *pass = &from->pass;
    const struct kernel_info *k = pass->info;
    struct buffers expected, got;
    char what[120];
    bool same = true;
    snprintf(what, sizeof what, "%s in windows, %ux%u, tiles %u high", k->name, pass->plane[0].width,
             pass->plane[0].height, tile_h);
    buffers_make(&expected, from, LAYOUT_TIGHT);
    buffers_make(&got, from, LAYOUT_TIGHT);
    buffers_run(&expected, pass, run, 0, tile_h);
    buffers_clear(&got, pass);
    for (uint32_t y = 0; same && y < pass->grid_h; y += tile_h)
        same = run_rows(&got, pass, rows, run, y, y + tile_h < pass->grid_h ? y + tile_h : pass->grid_h);
    if (!same && !quiet)
        fprintf(stderr, "%s: writes to rows that it does not state\n", what);
    same = same && buffers_same(&expected, &got, pass, what, quiet);
    buffers_free(&expected);
    buffers_free(&got);
    return same;
}

/* One row less before or after: rows that a result depends on. */
static const struct less {
    const char *name;
    unsigned plane, before, after;
} lacking[] = {
    {"ssimulacra2_f32", 0, 1, 0}, {"ssimulacra2_f32", 1, 0, 1}, {"halve_u8", 0, 1, 0}, {"xyb_half_f32", 0, 0, 1},
    {"ssim_f32", 0, 0, 1}, {"ssim_int_u16", 1, 1, 0}, {"t_stacked_u8", 0, 1, 0}, {"t_stacked_u16", 0, 0, 1}};
enum { LACKING = sizeof lacking / sizeof lacking[0] };

struct noticed {
    const struct less *less;
    bool yes;
};

static void notice(void *opaque, const struct trials_pass *from)
{
    struct noticed *n = opaque;
    const struct less *less = n->less;
    struct kernel_rows rows[KERNEL_PLANES];
    memcpy(rows, from->pass.info->rows, sizeof rows);
    rows[less->plane].before = (uint8_t)(rows[less->plane].before - less->before);
    rows[less->plane].after = (uint8_t)(rows[less->plane].after - less->after);
    n->yes = !holds(from, rows, cpu_kernels_by_name("scalar")->kernel[from->pass.kernel], 4, true);
}

/* In a child, which the checking build may stop. */
static bool is_noticed(const struct less *less)
{
    struct noticed n = {.less = less};
    struct trials t;
    trials_open(&t, 180, 190);
    trials_each(&t, trials_kernel(less->name), 0, PATTERN_RANDOM, 7, 16, notice, &n);
    trials_close(&t);
    return n.yes;
}

static bool can_fail(const char *program)
{
    bool all = true;
    for (unsigned i = 0; i < LACKING; i++) {
        const char which[] = {(char)('0' + i), '\0'};
        if (child_run(program, "--less", which, CHILD_NOWHERE))
            continue;
        fprintf(stderr, "%s with a row less of plane %u is not noticed\n", lacking[i].name, lacking[i].plane);
        all = false;
    }
    return all;
}

/* Tiles of every height. */
static void test_tiles(void *opaque, const struct trials_pass *from)
{
    kernel_fn *const *kernel = opaque;
    const struct kernel_info *k = from->pass.info;
    for (uint32_t tile_h = 4; tile_h <= k->schedule[TARGET_CPU].tile_h; tile_h *= 2, runs++)
        failures += !holds(from, k->rows, kernel[from->pass.kernel], tile_h, false);
}

static bool states_rows(const struct kernel_info *k)
{
    bool any = false;
    for (unsigned i = 0; i < KERNEL_PLANES; i++)
        any |= k->rows[i].layers != 0;
    return any && !k->extrema; /* pairs of tiles are joined elsewhere; diff_count reads as moments does */
}

int main(int argc, char **argv)
{
    static const struct { uint32_t w, h; } sizes[] = {{40, 70}, {33, 131}, {300, 187}, {17, 12}, {5, 3}};
    enum { SIZES = sizeof sizes / sizeof sizes[0], WAYS = 6, WAYS_LARGE = 2 };
    unsigned stated = 0;
    unsigned long reached[KERNEL_VARIANTS] = {0};
    struct assay_fpenv saved;
    assay_fpenv_enter(&saved);
    if (argc == 3)
        return is_noticed(&lacking[(argv[2][0] - '0') % LACKING]);
    if (!can_fail(argv[0]))
        return 1;
    for (unsigned i = 0; i < SIZES; i++) {
        struct trials t;
        trials_open(&t, sizes[i].w, sizes[i].h);
        for (unsigned k = 0; k < KERNEL_VARIANTS && failures < 20; k++) {
            const unsigned ways = states_rows(&assay_kernel_info[k]) ? trials_count(&t, k) : 0,
                           most = sizes[i].w * sizes[i].h > 10000 ? WAYS_LARGE : WAYS,
                           step = ways > most ? ways / most : 1;
            for (unsigned way = i % step; way < ways; way += step)
                for (const char *const *name = runnable_levels(); *name; name++, reached[k]++)
                    trials_each(&t, k, way, PATTERN_RANDOM, 7, 10, test_tiles,
                                (void *)(uintptr_t)cpu_kernels_by_name(*name)->kernel);
        }
        trials_close(&t);
    }
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++) {
        stated += states_rows(&assay_kernel_info[k]);
        if (!states_rows(&assay_kernel_info[k]) || reached[k])
            continue;
        fprintf(stderr, "%s states rows and sees none of the sizes\n", assay_kernel_info[k].name);
        failures++;
    }
    printf("%u kernels that state rows, %lu runs, %lu wrong\n", stated, runs, failures);
    assay_fpenv_leave(&saved);
    return failures != 0;
}
