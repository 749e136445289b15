/* SPDX-License-Identifier: BSD-2-Clause */
/* The pass graph: equal passes become one, others stay apart, no two planes that live at once
 * share memory, and its print. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph/graph.h"

static struct assay_error error;

static graph_plane input(struct graph *g, enum graph_side side, uint32_t component, enum sample_type type, uint32_t w,
                         uint32_t h)
{
    graph_plane plane;
    assert_int_equal(graph_input(g, side, component, type, w, h, &plane, &error), 0);
    return plane;
}

static graph_pass add(struct graph *g, const struct graph_pass_request *r, graph_plane *out)
{
    graph_pass pass;
    if (graph_add(g, r, &pass, out, &error))
        fail_msg("%s", error.text);
    return pass;
}

static struct graph *new_graph(void)
{
    memset(&error, 0, sizeof error);
    struct graph *g = graph_new(&error);
    assert_non_null(g);
    return g;
}

static void equal_passes_merge(void **state)
{
    (void)state;
    struct graph *g = new_graph();
    const graph_plane ref = input(g, SIDE_REF, 0, SAMPLE_U8, 64, 48), dis = input(g, SIDE_DIS, 0, SAMPLE_U8, 64, 48);
    assert_int_equal(input(g, SIDE_REF, 0, SAMPLE_U8, 64, 48), ref);
    assert_int_not_equal(ref, dis);
    graph_plane half[4];
    struct graph_pass_request r = {.family = KERNEL_HALVE, .in = {ref}, .out = {{32, 24}}, .grid_w = 32, .grid_h = 24};
    r.param[0].f = 1.0f;
    const graph_pass first = add(g, &r, &half[0]);
    assert_int_equal(add(g, &r, &half[1]), first);
    assert_int_equal(half[0], half[1]);
    r.in[0] = dis;
    assert_int_not_equal(add(g, &r, &half[2]), first);
    r.in[0] = ref;
    r.param[0].f = 0.5f;
    assert_int_not_equal(add(g, &r, &half[3]), first);
    assert_int_not_equal(half[3], half[0]);
    r.param[0].u = 0x3f800001; /* one ULP */
    assert_int_equal(add(g, &r, &half[3]), 3);
    r.param[0].f = 1.0f;
    r.out[0].width = 31;
    assert_int_equal(add(g, &r, &half[3]), 4);
    r.out[0].width = 32;
    r.grid_w = 31;
    assert_int_equal(add(g, &r, &half[3]), 5);

    /* The grid's default is the first plane's size; sums of one pass are found again. */
    const struct graph_pass_request sse = {.family = KERNEL_SSE, .in = {ref, dis}};
    struct graph_pass_request stated = sse, swapped = {.family = KERNEL_SSE, .in = {dis, ref}};
    stated.grid_w = 64;
    stated.grid_h = 48;
    assert_int_equal(add(g, &sse, NULL), add(g, &stated, NULL));
    assert_int_not_equal(add(g, &sse, NULL), add(g, &swapped, NULL));
    assert_int_equal(g->passes, 8);
    assert_int_equal(graph_seal(g, &error), 0);
    graph_free(&g);
    assert_null(g);
}

static void refusals(void **state)
{
    (void)state;
    struct graph *g = new_graph();
    graph_pass pass;
    graph_plane out[KERNEL_PLANES];
    const graph_plane a = input(g, SIDE_REF, 0, SAMPLE_U8, 8, 8), b = input(g, SIDE_DIS, 0, SAMPLE_U16, 8, 8);
    const struct graph_pass_request mixed = {.family = KERNEL_SSE, .in = {a, b}}, good = {.family = KERNEL_SSE,
                                                                                          .in = {a, a}};
    assert_int_equal(graph_add(g, &mixed, &pass, out, &error), ASSAY_EINTERNAL);
    assert_non_null(strstr(error.text, "another type"));
    memset(&error, 0, sizeof error);
    assert_int_equal(graph_seal(g, &error), 0);
    assert_int_equal(graph_add(g, &good, &pass, out, &error), ASSAY_EINTERNAL);
    assert_int_equal(g->passes, 0);
    graph_free(&g);
    graph_free(&g);
}

/* Stands for plane `component` of a side: the frame's plane 8 through a pass, as samples of a byte. */
static int bring(struct graph *g, void *opaque, uint32_t age, enum graph_side side, uint32_t component, uint32_t width,
                 uint32_t height, graph_plane *plane, struct assay_error *e)
{
    assert_in_range(width, 17, 18); /* 17: the size that no plane has, which graph_input refuses */
    assert_int_equal(height, 7);
    struct graph_pass_request r = {.family = KERNEL_TEXEL_PLANES, .grid_w = 5, .grid_h = 7};
    graph_plane words[3];
    graph_pass pass;
    ++*(unsigned *)opaque;
    for (unsigned i = 0; i < 3; i++) {
        r.out[i].width = 5;
        r.out[i].height = 7;
    }
    const int rc = graph_frame(g, age, side, 8, SAMPLE_U32, 18, 7, &r.in[0], e);
    return rc || graph_add(g, &r, &pass, words, e) ? e->code : graph_view(g, words[component], SAMPLE_U8, 18, plane, e);
}

/* A table is found again by its contents, whatever lies between the rows that it was made of; it belongs to no side. */
static void tables(void **state)
{
    const uint32_t apart[2][4] = {{1, 2, 3, 99}, {4, 5, 6, 99}}, together[2][3] = {{1, 2, 3}, {4, 5, 6}},
                   other[2][3] = {{1, 2, 3}, {4, 5, 7}};
    graph_plane table[5], plane;
    struct graph *g = new_graph();
    (void)state;
    plane = input(g, SIDE_REF, 0, SAMPLE_U32, 3, 2);
    assert_int_equal(graph_table(g, apart, sizeof apart[0], SAMPLE_U32, 3, 2, &table[0], &error), 0);
    assert_int_equal(graph_table(g, together, sizeof together[0], SAMPLE_U32, 3, 2, &table[1], &error), 0);
    assert_int_equal(graph_table(g, other, sizeof other[0], SAMPLE_U32, 3, 2, &table[2], &error), 0);
    assert_int_equal(graph_table(g, together, sizeof together[0], SAMPLE_U32, 2, 2, &table[3], &error), 0);
    assert_int_equal(graph_table(g, together, sizeof together[0], SAMPLE_I32, 3, 2, &table[4], &error), 0);
    assert_int_equal(table[0], table[1]);
    assert_int_equal(g->planes, 5);
    assert_int_equal(input(g, SIDE_REF, 0, SAMPLE_U32, 3, 2), plane);
    const struct graph_plane_info *p = &g->plane[table[0]];
    assert_true(p->input && p->table && !p->age);
    for (unsigned y = 0; y < 2; y++)
        assert_memory_equal((const char *)p->table + y * graph_stride(p), together[y], sizeof together[y]);
    graph_free(&g);
}

static void planes_of_something_else(void **state)
{
    (void)state;
    unsigned asked = 0;
    graph_plane plane[2][3], again, half;
    struct graph *g = new_graph();
    g->bring = bring;
    g->bring_opaque = &asked;
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t c = 0; c < 3; c++)
            plane[side][c] = input(g, (enum graph_side)side, c, SAMPLE_U8, 18, 7);
    assert_int_equal(input(g, SIDE_DIS, 1, SAMPLE_U8, 18, 7), plane[1][1]);
    assert_int_equal(asked, 7);
    assert_int_equal(graph_input_before(g, 1, SIDE_REF, 0, SAMPLE_U8, 18, 7, &again, &error), 0);
    assert_true(again != plane[0][0] && g->plane[again].view && g->history[SIDE_REF] == 1 && !g->history[SIDE_DIS]);
    assert_int_equal(g->passes, 3); /* one a side, found again, and one for the earlier frame */
    const struct graph_plane_info *p = &g->plane[plane[0][2]];
    assert_true(p->view && !p->input && p->type == SAMPLE_U8 && p->width == 18 && p->height == 7 && p->pass == 0);
    assert_int_equal(graph_stride(p), graph_stride(&g->plane[p->of]));
    assert_int_equal(graph_input(g, SIDE_REF, 0, SAMPLE_U8, 17, 7, &again, &error), ASSAY_EINTERNAL);
    assert_non_null(strstr(error.text, "u8[18x7], not u8[17x7]"));
    memset(&error, 0, sizeof error);

    struct graph_pass_request r = {.family = KERNEL_HALVE, .in = {plane[0][1]}, .out = {{9, 4}}, .grid_w = 9,
                                   .grid_h = 4};
    add(g, &r, &half);
    assert_int_equal(graph_view(g, plane[0][1], SAMPLE_U8, 18, &again, &error), ASSAY_EINTERNAL); /* of a view */
    memset(&error, 0, sizeof error);
    /* of 4 words */
    assert_int_equal(graph_view(g, g->plane[plane[0][1]].of, SAMPLE_U8, 16, &again, &error), ASSAY_EINTERNAL);
    memset(&error, 0, sizeof error);
    assert_int_equal(graph_view(g, g->plane[plane[0][1]].of, SAMPLE_U16, 9, &again, &error), 0);
    assert_int_not_equal(again, plane[0][1]);
    assert_int_equal(graph_seal(g, &error), 0);
    assert_int_equal(g->plane[plane[0][1]].storage, g->plane[g->plane[plane[0][1]].of].storage);
    assert_int_equal(g->plane[g->plane[plane[0][1]].of].last_use, 3);
    assert_int_not_equal(g->plane[half].storage, g->plane[plane[0][1]].storage);
    graph_free(&g);
}

/* ---- random graphs ---- */

static uint32_t seed;

static uint32_t below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(seed >> 8) * n) >> 24);
}

static int family_of(uint32_t variant)
{
    for (int f = 0; f < KERNEL_FAMILIES; f++)
        for (int t = 0; t < SAMPLE_TYPES; t++)
            if (assay_kernel_variant[f][t] == (int)variant)
                return f;
    return -1;
}

/* Any plane so far of this type, a late one more often than not; -1 when there is none. */
static int any_plane(const struct graph *g, enum sample_type type)
{
    for (unsigned tries = 0; tries < 64; tries++) {
        const uint32_t back = below(below(3) ? 6 : g->planes);
        const graph_plane i = g->planes - 1 - (back < g->planes ? back : g->planes - 1);
        if (g->plane[i].type == type)
            return (int)i;
    }
    return -1;
}

static void add_random(struct graph *g)
{
    const uint32_t variant = below(KERNEL_VARIANTS);
    const struct kernel_info *k = &assay_kernel_info[variant];
    const int family = family_of(variant);
    struct graph_pass_request r = {.grid_w = 1 + below(90), .grid_h = 1 + below(50)};
    graph_plane out[KERNEL_PLANES];
    if (family < 0 || !k->planes_in)
        return;
    r.family = (enum kernel_family)family;
    for (unsigned i = 0; i < k->planes_in; i++) {
        const int plane = any_plane(g, k->plane[i]);
        if (plane < 0)
            return;
        r.in[i] = (graph_plane)plane;
    }
    if (assay_kernel_variant[family][g->plane[r.in[0]].type] != (int)variant)
        return;
    for (unsigned i = 0; i < k->planes_out; i++) {
        r.out[i].width = 1 + below(200);
        r.out[i].height = 1 + below(100);
    }
    for (unsigned i = 0; i < k->params; i++)
        r.param[i].u = below(4);
    add(g, &r, out);
    for (unsigned i = 0; i < k->planes_out; i++) {
        const uint32_t width = g->plane[out[i]].width;
        graph_plane view;
        if (!below(3))
            assert_int_equal(graph_view(g, out[i], SAMPLE_U8, 4 * width - below(4), &view, &error), 0);
        if (!below(3))
            assert_int_equal(graph_view(g, out[i], SAMPLE_U16, 2 * width - below(2), &view, &error), 0);
    }
}

static struct graph *random_graph(uint32_t n)
{
    struct graph *g = new_graph();
    seed = n * 2654435761u + 1;
    for (unsigned t = 0; t < SAMPLE_TYPES; t++)
        for (unsigned side = 0; side < 2; side++)
            input(g, (enum graph_side)side, t, (enum sample_type)t, 100, 80);
    for (unsigned i = 0; i < 4 + n % 120; i++)
        add_random(g);
    return g;
}

/* The plane whose rows a view's are. */
static graph_plane rows_of(const struct graph *g, graph_plane plane)
{
    return g->plane[plane].view ? g->plane[plane].of : plane;
}

/* The last pass that reads or writes a plane by any name, counted from the passes alone. */
static graph_pass last_touch(const struct graph *g, graph_plane plane)
{
    graph_pass last = g->plane[plane].pass;
    for (graph_pass p = 0; p < g->passes; p++) {
        const struct kernel_info *k = &assay_kernel_info[g->pass[p].kernel];
        for (unsigned i = 0; i < k->planes_in; i++)
            if (rows_of(g, g->pass[p].plane[i]) == rows_of(g, plane) && p > last)
                last = p;
    }
    return last;
}

/* The highest level of the passes that read or write a plane by any name. */
static uint32_t last_level(const struct graph *g, graph_plane plane)
{
    uint32_t last = g->pass[g->plane[plane].pass].level;
    for (graph_pass p = 0; p < g->passes; p++) {
        const struct kernel_info *k = &assay_kernel_info[g->pass[p].kernel];
        for (unsigned i = 0; i < k->planes_in; i++)
            if (rows_of(g, g->pass[p].plane[i]) == rows_of(g, plane) && g->pass[p].level > last)
                last = g->pass[p].level;
    }
    return last;
}

/* A pass reads planes of lower levels only, one of them of the level below it. */
static void check_levels(const struct graph *g)
{
    for (graph_pass p = 0; p < g->passes; p++) {
        const struct kernel_info *k = &assay_kernel_info[g->pass[p].kernel];
        uint32_t expected = 0;
        for (unsigned i = 0; i < k->planes_in; i++) {
            const graph_plane plane = rows_of(g, g->pass[p].plane[i]);
            if (!g->plane[plane].input && g->pass[g->plane[plane].pass].level + 1 > expected)
                expected = g->pass[g->plane[plane].pass].level + 1;
        }
        assert_int_equal(g->pass[p].level, expected);
    }
}

static void check_memory(const struct graph *g, uint32_t *shared)
{
    uint64_t sum = 0;
    for (uint32_t s = 0; s < g->storages; s++)
        sum += g->storage_bytes[s];
    assert_true(sum == graph_memory(g));
    for (graph_plane a = 0; a < g->planes; a++) {
        const struct graph_plane_info *pa = &g->plane[a];
        if (pa->input)
            continue;
        assert_true(pa->storage < g->storages);
        assert_true(graph_stride(pa) >= (size_t)pa->width * sample_size(pa->type) && graph_stride(pa) % 64 == 0);
        assert_true(g->storage_bytes[pa->storage] >= (uint64_t)graph_stride(pa) * pa->height);
        for (graph_plane b = 0; b < a; b++) {
            const struct graph_plane_info *pb = &g->plane[b];
            if (rows_of(g, a) == rows_of(g, b)) {
                assert_int_equal(pa->storage, pb->storage);
                continue;
            }
            if (pb->input || pb->storage != pa->storage)
                continue;
            ++*shared;
            assert_false(g->keep);
            /* alive from the pass that writes to the last one that reads, both included */
            assert_true(last_touch(g, a) < pb->pass || last_touch(g, b) < pa->pass);
            /* where passes run level by level, too */
            assert_true(last_level(g, a) < g->pass[pb->pass].level || last_level(g, b) < g->pass[pa->pass].level);
        }
    }
}

/* Totals and extrema of the passes lie behind each other, without holes. */
static void check_totals(const struct graph *g)
{
    uint32_t totals = 0, extrema = 0;
    for (graph_pass p = 0; p < g->passes; p++) {
        const struct kernel_info *k = &assay_kernel_info[g->pass[p].kernel];
        assert_int_equal(g->pass[p].totals, totals);
        const uint32_t of_row = k->row_sums + k->words * g->pass[p].grid_w;
        assert_int_equal(g->pass[p].totals_n, k->sums + k->histogram + of_row * g->pass[p].grid_h);
        assert_int_equal(g->pass[p].extrema, extrema);
        totals += g->pass[p].totals_n;
        extrema += g->pass[p].extrema_n;
    }
    assert_int_equal(totals, g->totals);
    assert_int_equal(extrema, g->extrema);
}

/* No pass does what another one does, and each reads only what was written before. */
static void check_passes(const struct graph *g)
{
    for (graph_pass p = 0; p < g->passes; p++) {
        const struct graph_pass_info *a = &g->pass[p];
        const struct kernel_info *k = &assay_kernel_info[a->kernel];
        for (unsigned i = 0; i < k->planes_in; i++)
            assert_true(g->plane[a->plane[i]].input || g->plane[a->plane[i]].pass < p);
        for (unsigned i = 0; i < k->planes_out; i++)
            assert_int_equal(g->plane[a->plane[k->planes_in + i]].pass, p);
        for (graph_pass q = 0; q < p; q++) {
            const struct graph_pass_info *b = &g->pass[q];
            bool equal = a->kernel == b->kernel && a->grid_w == b->grid_w && a->grid_h == b->grid_h &&
                         !memcmp(a->param, b->param, sizeof a->param);
            for (unsigned i = 0; i < k->planes_in; i++)
                equal = equal && a->plane[i] == b->plane[i];
            for (unsigned i = k->planes_in; equal && i < k->planes_in + k->planes_out; i++)
                equal = g->plane[a->plane[i]].width == g->plane[b->plane[i]].width &&
                        g->plane[a->plane[i]].height == g->plane[b->plane[i]].height;
            assert_false(equal);
        }
    }
}

static void random_graphs(void **state)
{
    uint32_t shared = 0, none = 0, planes = 0;
    (void)state;
    for (uint32_t n = 0; n < 400; n++) {
        struct graph *g = random_graph(n), *kept = random_graph(n);
        kept->keep = true;
        assert_int_equal(graph_seal(g, &error), 0);
        assert_int_equal(graph_seal(kept, &error), 0);
        check_passes(g);
        check_levels(g);
        check_totals(g);
        check_memory(g, &shared);
        check_memory(kept, &none);
        assert_true(graph_memory(kept) >= graph_memory(g));
        for (graph_plane i = 0; i < g->planes; i++)
            planes += !g->plane[i].input;
        graph_free(&g);
        graph_free(&kept);
    }
    assert_int_equal(none, 0);
    assert_true(planes > 2000 && shared > planes / 2); /* the plan does reuse memory */
}

/* A chain needs two buffers, however long it is. */
static void chain(void **state)
{
    (void)state;
    struct graph *g = new_graph();
    graph_plane at = input(g, SIDE_REF, 0, SAMPLE_U8, 1024, 1024);
    uint64_t most[2] = {0, 0};
    for (uint32_t size = 512, i = 0; size; size /= 2, i++) {
        struct graph_pass_request r = {.family = KERNEL_HALVE, .in = {at}, .out = {{size, size}}, .grid_w = size,
                                       .grid_h = size};
        add(g, &r, &at);
        const uint64_t bytes = (uint64_t)graph_stride(&g->plane[at]) * size;
        most[i & 1] = bytes > most[i & 1] ? bytes : most[i & 1];
    }
    assert_int_equal(graph_seal(g, &error), 0);
    assert_int_equal(g->storages, 2);
    assert_true(graph_memory(g) == most[0] + most[1]);
    graph_free(&g);
}

/* Rounds of two passes, the first of which reads the input, and one pass more, which waits for none. */
static struct graph *rounds(uint32_t n, bool behind)
{
    struct graph *g = new_graph();
    const graph_plane in = input(g, SIDE_REF, 0, SAMPLE_U8, 1024, 1024);
    graph_plane last = in;
    for (uint32_t i = 0; i < n; i++) {
        struct graph_pass_request r = {.family = KERNEL_HALVE, .in = {in}, .out = {{512, 512}}, .grid_w = 512,
                                       .grid_h = 512};
        r.param[0].f = (float)(i + 1);
        add(g, &r, &last);
        r.in[0] = last;
        r.out[0].width = r.out[0].height = r.grid_w = r.grid_h = 256;
        add(g, &r, &last);
        if (behind)
            graph_behind(g, last);
    }
    graph_behind_none(g);
    struct graph_pass_request r = {.family = KERNEL_HALVE, .in = {in}, .out = {{512, 512}}, .grid_w = 512,
                                   .grid_h = 512};
    const graph_pass after = add(g, &r, &last);
    assert_int_equal(graph_seal(g, &error), 0);
    assert_int_equal(g->pass[after].level, 0);
    return g;
}

/* Rounds that wait for the one before take the memory of one, and levels of their own. */
static void rounds_behind_each_other(void **state)
{
    (void)state;
    enum { ROUNDS = 5 };
    struct graph *one = rounds(1, false), *free_ones = rounds(ROUNDS, false), *ordered = rounds(ROUNDS, true);
    uint32_t shared = 0;
    for (graph_pass p = 0; p < 2 * ROUNDS; p++) {
        assert_int_equal(free_ones->pass[p].level, p % 2);
        assert_int_equal(ordered->pass[p].level, p);
    }
    check_memory(ordered, &shared);
    assert_true(shared > 0);
    assert_true(graph_memory(ordered) == graph_memory(one));
    assert_true(graph_memory(ordered) < graph_memory(free_ones));
    graph_free(&one);
    graph_free(&free_ones);
    graph_free(&ordered);
}

/* ---- print ---- */

static char *printed(const struct graph *g, void (*print)(const struct graph *, FILE *))
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    print(g, f);
    assert_int_equal(fclose(f), 0);
    return text;
}

static void print(void **state)
{
    (void)state;
    struct graph *g = new_graph();
    const graph_plane ref = input(g, SIDE_REF, 0, SAMPLE_U8, 40, 30), dis = input(g, SIDE_DIS, 0, SAMPLE_U8, 40, 30);
    const struct graph_pass_request sse = {.family = KERNEL_SSE, .in = {ref, dis}};
    struct graph_pass_request halve = {.family = KERNEL_HALVE, .in = {ref}, .out = {{20, 15}}, .grid_w = 20,
                                       .grid_h = 15};
    graph_plane half;
    halve.param[0].f = 1.0f;
    add(g, &sse, NULL);
    add(g, &halve, &half);
    assert_int_equal(graph_seal(g, &error), 0);
    char *passes = printed(g, graph_print), *memory = printed(g, graph_print_memory);
    assert_string_equal(passes, "pass 0: sse_u8 grid 40x30 reads ref.0:u8[40x30], dis.0:u8[40x30] totals 0..1\n"
                                "pass 1: halve_u8 grid 20x15 reads ref.0:u8[40x30] writes plane2:f32[20x15] params 0x3f800000\n");
    assert_string_equal(memory, "buffer 0: 1920 bytes, holds plane2 (passes 1 to 1)\n"
                                "intermediate planes: 1920 bytes\ntotals: 2 words of 64 bits\n");
    free(passes);
    free(memory);
    graph_free(&g);
}

/* Planes of earlier frames are others than this frame's, and only so old. */
static void earlier_frames(void **state)
{
    (void)state;
    struct graph *g = new_graph();
    graph_plane plane[3], again;
    const graph_plane now = input(g, SIDE_DIS, 0, SAMPLE_U8, 40, 30);
    for (uint32_t age = 0; age < 3; age++) {
        assert_int_equal(graph_input_before(g, age, SIDE_DIS, 0, SAMPLE_U8, 40, 30, &plane[age], &error), 0);
        assert_int_equal(graph_input_before(g, age, SIDE_DIS, 0, SAMPLE_U8, 40, 30, &again, &error), 0);
        assert_int_equal(plane[age], again);
        assert_int_equal(g->plane[again].age, age);
        assert_int_equal(g->history[SIDE_DIS], age);
    }
    assert_int_equal(plane[0], now);
    assert_int_not_equal(plane[1], plane[2]);
    assert_int_equal(g->history[SIDE_REF], 0);
    for (uint32_t age = 0; age < 3; age++)
        add(g, &(struct graph_pass_request){.family = KERNEL_MOTION, .in = {plane[age], now},
                                            .param = {{.i = 7}}}, NULL);
    assert_int_equal(g->passes, 3);
    assert_int_equal(graph_seal(g, &error), 0);
    char *passes = printed(g, graph_print);
    assert_non_null(
        strstr(passes, "pass 2: motion_u8.2 grid 40x30 reads dis.0(-2):u8[40x30], dis.0:u8[40x30] params 0x00000007"));
    free(passes);
    graph_free(&g);
    g = new_graph();
    assert_int_equal(graph_input_before(g, GRAPH_HISTORY + 1, SIDE_REF, 0, SAMPLE_U8, 40, 30, &again, &error),
                     ASSAY_EINTERNAL);
    graph_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_passes_merge), cmocka_unit_test(refusals), cmocka_unit_test(random_graphs),
        cmocka_unit_test(chain),              cmocka_unit_test(print),         cmocka_unit_test(earlier_frames),
        cmocka_unit_test(planes_of_something_else), cmocka_unit_test(tables),
        cmocka_unit_test(rounds_behind_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
