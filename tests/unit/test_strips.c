/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan of strips, played on memory that holds names of rows instead of samples: a pass writes its rows' names and
 * checks that every row that it may read bears the right one. So no row is read before it is made, after it has left
 * its window, or after another plane has taken its place; every row of every grid runs once, and passes of a wave leave
 * each other alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "executors/cpu/strips.h"

enum { MAX_PASSES = 192 };

static struct assay_error error;
static unsigned plans; /* that were begun */

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
    plans += n == 1 && size == sizeof(struct strips);
    return __real_calloc(n, size);
}

struct play {
    const struct graph *g;
    const struct strips *b;
    void **storage;
    unsigned long reads;
};

static uint32_t row_name(graph_plane plane, uint32_t layer, uint32_t y)
{
    return (plane + 1) << 20 ^ layer << 16 ^ y;
}

static uint32_t *row_at(const struct play *p, graph_plane plane, uint32_t step, uint32_t layer, uint32_t y)
{
    const struct strips_plane *own = &p->b->plane[plane];
    const struct kernel_plane v = strips_view(p->b, p->g, plane, step, p->storage);
    char *at = (char *)v.data + (ptrdiff_t)layer * ((ptrdiff_t)own->height * v.stride + v.layer_gap) +
               (ptrdiff_t)y * v.stride;
    const char *base = p->storage[own->storage];
    assert_true(at >= base && at + v.stride <= base + p->b->storage_bytes[own->storage]);
    return (uint32_t *)(void *)at;
}

/* The rows of a job: read with all that the kernel states, in the layers that the plane was written in. */
static void check_reads(struct play *p, graph_pass pass, uint32_t step, uint32_t y0, uint32_t y1)
{
    const struct graph_pass_info *info = &p->g->pass[pass];
    for (unsigned i = 0; i < assay_kernel_info[info->kernel].planes_in; i++) {
        const graph_plane plane = info->plane[i];
        const struct strips_plane *own = &p->b->plane[plane];
        const struct kernel_rows *r = &assay_kernel_info[info->kernel].rows[i];
        if (p->g->plane[plane].input)
            continue;
        int64_t first = 0, end = own->height;
        if (r->layers == own->layers) { /* else it has another idea of its layers, or none: all of it */
            const int64_t up = r->factor ? r->factor : own->height, down = r->factor ? 1 : info->grid_h;
            first = y0 * up / down - r->before;
            end = (y1 - 1) * up / down + r->after + 1;
            first = first < 0 ? 0 : first;
            end = end > own->height ? own->height : end;
        }
        assert_true(first < end && end <= own->height);
        for (uint32_t k = 0; k < own->layers; k++)
            for (int64_t y = first; y < end; y++, p->reads++)
                assert_int_equal(*row_at(p, plane, step, k, (uint32_t)y), row_name(plane, k, (uint32_t)y));
    }
}

/* Where nothing is stated, no row is right before all of the grid is done. */
static void write_rows(struct play *p, graph_pass pass, uint32_t step, uint32_t y0, uint32_t y1)
{
    const struct graph_pass_info *info = &p->g->pass[pass];
    const struct kernel_info *k = &assay_kernel_info[info->kernel];
    for (unsigned i = k->planes_in; i < k->planes_in + k->planes_out; i++) {
        const struct strips_plane *own = &p->b->plane[info->plane[i]];
        const bool stated = k->rows[i].layers != 0, last = y1 == info->grid_h;
        const uint32_t from = stated ? y0 : 0, until = stated && !last ? y1 : own->height;
        for (uint32_t layer = 0; layer < own->layers; layer++)
            for (uint32_t y = from; y < until && y < own->height; y++)
                *row_at(p, info->plane[i], step, layer, y) = stated || last ? row_name(info->plane[i], layer, y) : 0;
    }
}

static bool share(const struct graph *g, const struct strips *b, graph_pass writer, graph_pass other)
{
    const struct kernel_info *w = &assay_kernel_info[g->pass[writer].kernel],
                             *o = &assay_kernel_info[g->pass[other].kernel];
    for (unsigned i = w->planes_in; i < w->planes_in + w->planes_out; i++)
        for (unsigned j = 0; j < o->planes_in + o->planes_out; j++)
            if (!g->plane[g->pass[other].plane[j]].input &&
                b->plane[g->pass[other].plane[j]].storage == b->plane[g->pass[writer].plane[i]].storage)
                return true;
    return false;
}

/* Runs the plan twice, as two frames. Returns the rows read. */
static unsigned long play(const struct graph *g, const struct strips *b, const struct strips_tiles *tiles)
{
    struct play p = {.g = g, .b = b, .storage = calloc(b->storages + 1, sizeof(void *))};
    assert_non_null(p.storage);
    for (uint32_t s = 0; s < b->storages; s++)
        assert_non_null(p.storage[s] = calloc(1, b->storage_bytes[s] + 1));
    for (unsigned frame = 0; frame < 2; frame++) {
        uint32_t done[MAX_PASSES] = {0};
        for (uint32_t step = 0; step < b->steps; step++) {
            const graph_pass *order = b->order + (size_t)step * b->passes;
            strips_move(b, g, step, p.storage);
            for (uint32_t begin = 0, end; begin < b->turn[step].running; begin = end) {
                end = b->wave_end[(size_t)step * b->passes + begin];
                assert_true(end > begin && end <= b->turn[step].running);
                for (uint32_t i = begin; i < end; i++)
                    for (uint32_t j = begin; j < end; j++)
                        assert_true(i == j || !share(g, b, order[i], order[j]));
                for (uint32_t i = begin; i < end; i++) {
                    const graph_pass pass = order[i];
                    const uint32_t y1 = strips_done(b, step + 1, pass);
                    assert_int_equal(done[pass], strips_done(b, step, pass));
                    assert_true(y1 > done[pass] && (y1 == g->pass[pass].grid_h || y1 % tiles[pass].h == 0));
                    check_reads(&p, pass, step, done[pass], y1);
                    write_rows(&p, pass, step, done[pass], y1);
                    done[pass] = y1;
                }
            }
        }
        for (graph_pass pass = 0; pass < g->passes; pass++)
            assert_int_equal(done[pass], g->pass[pass].grid_h);
    }
    for (uint32_t s = 0; s < b->storages; s++)
        free(p.storage[s]);
    free(p.storage);
    return p.reads;
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

static struct graph *new_graph(void)
{
    memset(&error, 0, sizeof error);
    struct graph *g = graph_new(&error);
    assert_non_null(g);
    return g;
}

static void add(struct graph *g, const struct graph_pass_request *r, graph_plane *out)
{
    graph_pass pass;
    if (graph_add(g, r, &pass, out, &error))
        fail_msg("%s", error.text);
}

static graph_plane input(struct graph *g, enum graph_side side, uint32_t component, uint32_t w, uint32_t h)
{
    graph_plane plane;
    assert_int_equal(graph_input(g, side, component, SAMPLE_U8, w, h, &plane, &error), 0);
    return plane;
}

/* A pyramid in colour with maps, as deep as the size allows. */
static void add_pyramid(struct graph *g, uint32_t w, uint32_t h)
{
    graph_plane light[2];
    for (unsigned side = 0; side < 2; side++) {
        struct graph_pass_request r = {.family = KERNEL_LINEAR_RGB, .out = {{w, 3 * h}}, .grid_w = w, .grid_h = h};
        for (uint32_t c = 0; c < 3; c++)
            r.in[c] = input(g, (enum graph_side)side, c, w, h);
        add(g, &r, &light[side]);
    }
    for (unsigned scale = 0; scale < 6 && w >= 8 && h >= 8; scale++, w = (w + 1) / 2, h = (h + 1) / 2) {
        for (unsigned side = 0; side < 2; side++) {
            struct graph_pass_request r = {.family = scale ? KERNEL_XYB_HALF : KERNEL_XYB, .in = {light[side]},
                                           .grid_w = (w + 1) / 2 * 2, .grid_h = (h + 1) / 2 * 2};
            r.param[0].i = (int32_t)w;
            r.param[1].i = (int32_t)h;
            add(g, &r, &light[side]);
        }
        for (int32_t c = 0; c < 3; c++) {
            struct graph_pass_request r = {.family = KERNEL_SSIMULACRA2, .in = {light[0], light[1]}, .grid_w = w,
                                           .grid_h = h};
            r.param[0].i = c;
            add(g, &r, NULL);
        }
    }
}

/* The reference's pyramid is one for all encodes. */
static struct graph *pyramids(uint32_t w, uint32_t h, uint32_t encodes)
{
    struct graph *g = new_graph();
    g->encodes = (uint8_t)encodes;
    for (uint32_t k = 0; k < encodes; k++) {
        graph_begin_encode(g, k, 0);
        add_pyramid(g, w, h);
    }
    assert_int_equal(graph_seal(g, &error), 0);
    return g;
}

static struct graph *pyramid(uint32_t w, uint32_t h)
{
    return pyramids(w, h, 1);
}

/* Kernels that state their rows and some that do not, layers that are read as rows, planes that nobody reads, and one
 * that two read at different paces. */
static struct graph *mixed(uint32_t w, uint32_t h)
{
    struct graph *g = new_graph();
    graph_plane sums[2], means[2], half[2], unread[2], more, stack;
    for (unsigned side = 0; side < 2; side++) {
        const graph_plane in = input(g, (enum graph_side)side, 0, w, h);
        add(g, &(struct graph_pass_request){.family = KERNEL_COLUMN_SUMS, .in = {in}, .out = {{w, h}}}, &sums[side]);
        add(g, &(struct graph_pass_request){.family = KERNEL_ROW_MEANS, .in = {sums[side]},
                                            .out = {{w, h}}}, &means[side]);
        add(g, &(struct graph_pass_request){.family = KERNEL_HALVE, .in = {means[side]},
                                            .out = {{(w + 1) / 2, (h + 1) / 2}}, .grid_w = (w + 1) / 2,
                                            .grid_h = (h + 1) / 2}, &half[side]);
    }
    /* waits for all of it */
    add(g, &(struct graph_pass_request){.family = KERNEL_COLUMN_SUMS, .in = {sums[0]}, .out = {{w, h}}}, &more);
    add(g, &(struct graph_pass_request){.family = KERNEL_MOMENTS, .in = {more}}, NULL);
    add(g, &(struct graph_pass_request){.family = KERNEL_SSIM, .in = {means[0], means[1]}}, NULL);
    add(g, &(struct graph_pass_request){.family = KERNEL_SSIM, .in = {half[0], half[1]}}, NULL);
    add(g, &(struct graph_pass_request){.family = KERNEL_HALVE, .in = {half[0]}, .out = {{(w + 3) / 4, (h + 3) / 4}},
                                        .grid_w = (w + 3) / 4, .grid_h = (h + 3) / 4}, unread);
    add(g, &(struct graph_pass_request){.family = KERNEL_LINEAR_RGB, .in = {0, 0, 0}, .out = {{w, 3 * h}}, .grid_w = w,
                                        .grid_h = h},
        &stack);
    add(g, &(struct graph_pass_request){.family = KERNEL_HALVE, .in = {stack}, .out = {{w, 2 * h}}, .grid_w = w,
                                        .grid_h = 2 * h}, unread);
    add(g, &(struct graph_pass_request){.family = KERNEL_ADM_DWT, .in = {means[1]}, .out = {{w, h}, {w, 3 * h}},
                                        .grid_w = w, .grid_h = h},
        unread);
    add(g, &(struct graph_pass_request){.family = KERNEL_SSIM, .in = {unread[0], unread[0]}}, NULL);
    assert_int_equal(graph_seal(g, &error), 0);
    return g;
}

static void plan_and_play(const struct graph *g, uint32_t rows, uint32_t tile, unsigned threads, struct strips **kept)
{
    struct strips_tiles tiles[MAX_PASSES];
    struct strips *b = NULL;
    assert_true(g->passes <= MAX_PASSES);
    for (graph_pass p = 0; p < g->passes; p++) {
        const struct kernel_schedule *s = &assay_kernel_info[g->pass[p].kernel].schedule[TARGET_CPU];
        tiles[p] = (struct strips_tiles){.w = s->tile_w, .h = tile && tile < s->tile_h ? tile : s->tile_h,
                                         .across = (g->pass[p].grid_w + s->tile_w - 1) / s->tile_w};
    }
    const struct strips_config config = {.tiles = tiles, .rows = rows, .threads = threads};
    if (strips_plan(&b, g, &config, &error))
        fail_msg("%s", error.text);
    assert_true(play(g, b, tiles) > 0);
    if (kept)
        *kept = b;
    else
        strips_free(&b);
}

static void every_row_is_there(void **state)
{
    static const uint32_t size[][2] = {{16, 8}, {24, 9}, {40, 31}, {33, 64}, {20, 65}, {48, 131}, {17, 200}, {64, 333}};
    static const uint32_t rows[] = {0, 1, 4, 7, 16, 32, 63, 64, 100, 128, 5000, UINT32_MAX}, tiles[] = {0, 4, 8, 32};
    (void)state;
    for (unsigned s = 0; s < sizeof size / sizeof size[0]; s++) {
        struct graph *graph[2] = {pyramid(size[s][0], size[s][1]), mixed(size[s][0], size[s][1])};
        for (unsigned k = 0; k < 2; k++) {
            for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++)
                for (unsigned t = 0; t < sizeof tiles / sizeof tiles[0]; t++)
                    plan_and_play(graph[k], rows[r], tiles[t], 1 + t, NULL);
            graph_free(&graph[k]);
        }
    }
}

/* The steps of several encodes, in one band and in some. */
static void several_encodes(void **state)
{
    static const uint32_t size[][2] = {{24, 9}, {40, 31}, {48, 131}, {64, 333}, {1200, 700}, {1500, 1100}};
    static const uint32_t rows[] = {0, 4, 16, 63, UINT32_MAX};
    (void)state;
    for (unsigned s = 0; s < sizeof size / sizeof size[0]; s++) {
        struct graph *one = pyramid(size[s][0], size[s][1]), *four = pyramids(size[s][0], size[s][1], 4);
        assert_true(four->passes < 4 * one->passes);
        for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            struct strips *a, *b;
            plan_and_play(one, rows[r], 0, 2, &a);
            plan_and_play(four, rows[r], 0, 2, &b);
            assert_int_equal(b->steps, b->parts > 1 ? 4 * b->parts : 1);
            assert_true(size[s][0] < 1000 || b->steps == 1 || strips_memory(b) < 5 * strips_memory(a));
            strips_free(&a);
            strips_free(&b);
        }
        graph_free(&one);
        graph_free(&four);
    }
}

/* Of encodes that share no plane each has the whole picture for itself, and the windows are those of one. */
static void encodes_that_share_nothing(void **state)
{
    struct graph *g[2];
    struct strips *b[2];
    (void)state;
    for (uint32_t n = 0; n < 2; n++) {
        g[n] = new_graph();
        for (uint32_t k = 0; k <= 5 * n; k++) {
            graph_plane half;
            graph_begin_encode(g[n], k, 0);
            const graph_plane in = input(g[n], SIDE_DIS, 0, 1920, 1080);
            add(g[n], &(struct graph_pass_request){.family = KERNEL_HALVE, .in = {in}, .out = {{960, 540}},
                                                   .grid_w = 960, .grid_h = 540}, &half);
            add(g[n], &(struct graph_pass_request){.family = KERNEL_SSIM, .in = {half, half}}, NULL);
        }
        assert_int_equal(graph_seal(g[n], &error), 0);
        plan_and_play(g[n], 0, 0, 1, &b[n]);
    }
    assert_int_equal(graph_memory(g[0]), graph_memory(g[1]));
    assert_int_equal(b[1]->steps, 6 * b[0]->steps);
    assert_int_equal(strips_memory(b[0]), strips_memory(b[1]));
    for (unsigned n = 0; n < 2; n++) {
        strips_free(&b[n]);
        graph_free(&g[n]);
    }
}

/* One step is the plan that the graph was sealed with. */
static void one_step_is_the_graph(void **state)
{
    (void)state;
    struct graph *g = pyramid(61, 130);
    struct strips *b;
    plan_and_play(g, 130, 0, 1, &b);
    assert_int_equal(b->steps, 1);
    assert_int_equal(b->storages, g->storages);
    assert_memory_equal(b->storage_bytes, g->storage_bytes, g->storages * sizeof *b->storage_bytes);
    for (graph_plane i = 0; i < g->planes; i++)
        assert_true(g->plane[i].input || b->plane[i].storage == g->plane[i].storage);
    strips_free(&b);
    graph_free(&g);
}

/* Tiles that read nothing but the frame pair, in all steps. */
static uint64_t tiles_of_inputs(const struct graph *g)
{
    uint64_t tiles = 0;
    for (graph_pass p = 0; p < g->passes; p++) {
        const struct kernel_info *k = &assay_kernel_info[g->pass[p].kernel];
        const struct kernel_schedule *s = &k->schedule[TARGET_CPU];
        bool inputs = true;
        for (unsigned i = 0; i < k->planes_in; i++)
            inputs &= g->plane[g->pass[p].plane[i]].input;
        if (inputs)
            tiles += (uint64_t)((g->pass[p].grid_w + s->tile_w - 1) / s->tile_w) *
                     ((g->pass[p].grid_h + s->tile_h - 1) / s->tile_h);
    }
    return tiles;
}

/* 4K, the planner's choice: a few windows instead of 400 MB, and in a step, on the average, at least 24 tiles for each
 * of several threads; not in each step, since tiles don't divide the picture's height. */
static void little_memory(void **state)
{
    (void)state;
    struct graph *g = pyramid(3840, 2160);
    struct strips *b;
    uint32_t steps = UINT32_MAX;
    for (unsigned threads = 1; threads <= 64; threads *= 4) {
        plan_and_play(g, 0, 0, threads, &b);
        assert_true(b->steps > 1 && b->steps <= steps);
        assert_true(threads == 1 || tiles_of_inputs(g) >= 24ull * threads * b->steps);
        assert_true(strips_memory(b) < graph_memory(g) / (threads < 16 ? 4 : 1));
        steps = b->steps;
        strips_free(&b);
    }
    graph_free(&g);
}

/* The planner's choice is as high as 96 tiles for each thread ask for, while the plan takes no more than 8 MiB for each
 * thread and one more. Where it takes more, 24 tiles have to do. */
static void high_strips(void **state)
{
    static const struct { uint32_t width, height; unsigned threads; } of[] = {
        {320, 2160, 2}, {640, 1080, 2}, {1280, 2160, 2}, {2560, 1080, 4}, {2560, 2160, 8}, {3840, 2160, 2}};
    (void)state;
    for (unsigned i = 0; i < sizeof of / sizeof of[0]; i++) {
        struct graph *g = pyramid(of[i].width, of[i].height);
        struct strips *b, *higher;
        const uint64_t most = (of[i].threads + 1ull) * (8 << 20);
        uint32_t rows = 16;
        plan_and_play(g, 0, 0, of[i].threads, &b);
        while ((of[i].height + rows - 1) / rows > b->steps)
            rows *= 2;
        plan_and_play(g, 2 * rows, 0, of[i].threads, &higher);
        const uint64_t each = tiles_of_inputs(g) * rows / of[i].height / of[i].threads;
        assert_true(each >= 96 || strips_memory(higher) > most);
        assert_true(each < 2 * 24 || strips_memory(b) <= most);
        strips_free(&higher);
        strips_free(&b);
        graph_free(&g);
    }
}

/* What is printed is the plan: also where more steps were asked for than there may be. */
static void printed(void **state)
{
    (void)state;
    struct graph *g = pyramid(8, 5000);
    struct strips *b;
    char *text = NULL, line[40];
    size_t size;
    plan_and_play(g, 1, 0, 1, &b);
    assert_true(b->steps > 1 && b->steps < 5000);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    strips_print(b, g, out);
    assert_int_equal(fclose(out), 0);
    snprintf(line, sizeof line, "\nstrips: %u\n", b->steps);
    assert_non_null(strstr(text, line));
    snprintf(line, sizeof line, "\nintermediate planes: %llu bytes\n", (unsigned long long)strips_memory(b));
    assert_non_null(strstr(text, line));
    free(text);
    strips_free(&b);
    graph_free(&g);
}

/* Small pictures and planes that are kept stay whole, and are planned once. */
static void whole(void **state)
{
    (void)state;
    struct graph *g = pyramid(64, 64);
    struct strips *b;
    plans = 0;
    plan_and_play(g, 0, 0, 1, &b);
    assert_int_equal(b->steps, 1);
    assert_int_equal(plans, 1);
    strips_free(&b);
    graph_free(&g);
    g = new_graph();
    graph_plane out;
    g->keep = true;
    add(g, &(struct graph_pass_request){.family = KERNEL_HALVE, .in = {input(g, SIDE_REF, 0, 640, 480)},
                                        .out = {{320, 240}}, .grid_w = 320, .grid_h = 240}, &out);
    add(g, &(struct graph_pass_request){.family = KERNEL_HALVE, .in = {out}, .out = {{160, 120}}, .grid_w = 160,
                                        .grid_h = 120}, &out);
    assert_int_equal(graph_seal(g, &error), 0);
    for (uint32_t rows = 0; rows <= 16; rows += 16) {
        plans = 0;
        plan_and_play(g, rows, 0, 1, &b);
        assert_int_equal(b->steps, 1);
        assert_int_equal(b->storages, 2);
        assert_int_equal(plans, 1);
        strips_free(&b);
    }
    graph_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_there),
        cmocka_unit_test(several_encodes),
        cmocka_unit_test(encodes_that_share_nothing),
        cmocka_unit_test(one_step_is_the_graph),
        cmocka_unit_test(little_memory),
        cmocka_unit_test(high_strips),
        cmocka_unit_test(printed),
        cmocka_unit_test(whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
