/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes that the CPU executor computes together: those of encodes of one reference, and none that differ in more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "executors/cpu/together.h"

static struct assay_error error;

static struct graph *graph_of_encodes(void)
{
    struct graph *g = graph_new(&error);
    assert_non_null(g);
    return g;
}

/* The plane of a side, of 64 x 48 samples; SIDE_DIS is that of the encode that was begun. */
static graph_plane luma(struct graph *g, enum graph_side side, uint32_t component)
{
    graph_plane plane;
    assert_int_equal(graph_input(g, side, component, SAMPLE_U8, 64, 48, &plane, &error), 0);
    return plane;
}

static graph_pass add(struct graph *g, const struct graph_pass_request *r, graph_plane *out)
{
    graph_pass pass;
    assert_int_equal(graph_add(g, r, &pass, out, &error), 0);
    return pass;
}

static graph_pass add_ssim(struct graph *g, graph_plane ref, graph_plane dis, float scale)
{
    struct graph_pass_request r = {.family = KERNEL_SSIM, .in = {ref, dis}, .grid_w = 54, .grid_h = 38};
    r.param[0].f = scale;
    return add(g, &r, NULL);
}

/* Passes that run together, and the room for the arguments of those behind the first, which no other passes have. */
static void check(struct graph *g, unsigned groups, const graph_pass *first, const unsigned *members)
{
    struct together *t;
    bool used[32] = {false};
    assert_int_equal(graph_seal(g, &error), 0);
    assert_int_equal(together_plan(&t, g, &error), 0);
    unsigned seen = 0;
    for (graph_pass p = 0; p < g->passes; p++) {
        if (t->pass[p].leader != p)
            continue;
        unsigned n = 1;
        for (graph_pass q = t->pass[p].next; q < g->passes; q = t->pass[q].next, n++) {
            assert_int_equal(t->pass[q].leader, p);
            assert_true(q > p && t->pass[p].from + n - 1 < g->passes && !used[t->pass[p].from + n - 1]);
            used[t->pass[p].from + n - 1] = true;
        }
        if (n > 1) {
            assert_true(seen < groups);
            assert_int_equal(p, first[seen]);
            assert_int_equal(n, members[seen]);
            seen++;
        }
    }
    assert_int_equal(seen, groups);
    together_free(&t);
    assert_null(t);
    graph_free(&g);
}

/* Two kernels of three encodes: two groups of three, whose passes lie between each other. */
static void encodes_of_one_reference(void **state)
{
    struct graph *g = graph_of_encodes();
    graph_pass ssim[3], vif[3];
    (void)state;
    for (uint32_t k = 0; k < 3; k++) {
        graph_begin_encode(g, k, 0);
        const graph_plane ref = luma(g, SIDE_REF, 0), dis = luma(g, SIDE_DIS, 0);
        const struct graph_pass_request r = {.family = KERNEL_VIF_0, .in = {ref, dis}, .grid_w = 32, .grid_h = 24};
        ssim[k] = add_ssim(g, ref, dis, 1.0f);
        vif[k] = add(g, &r, NULL);
    }
    check(g, 2, (const graph_pass[]){ssim[0], vif[0]}, (const unsigned[]){3, 3});
}

/* Another parameter, another plane of the reference, a kernel without ENCODES. */
static void what_differs_runs_alone(void **state)
{
    struct graph *g = graph_of_encodes();
    (void)state;
    for (uint32_t k = 0; k < 2; k++) {
        graph_begin_encode(g, k, 0);
        const graph_plane ref = luma(g, SIDE_REF, k), dis = luma(g, SIDE_DIS, 0);
        const struct graph_pass_request sse = {.family = KERNEL_SSE, .in = {luma(g, SIDE_REF, 0), dis}};
        add_ssim(g, ref, dis, 1.0f);
        add_ssim(g, luma(g, SIDE_REF, 0), dis, k ? 0.5f : 0.25f);
        add(g, &sse, NULL);
    }
    check(g, 0, NULL, NULL);
}

/* A plane that a pass makes is not there when the first encode runs. */
static void planes_that_passes_make(void **state)
{
    struct graph *g = graph_of_encodes();
    (void)state;
    for (uint32_t k = 0; k < 2; k++) {
        graph_begin_encode(g, k, 0);
        graph_plane half[2];
        for (unsigned side = 0; side < 2; side++) {
            struct graph_pass_request r = {.family = KERNEL_HALVE, .in = {luma(g, side ? SIDE_DIS : SIDE_REF, 0)},
                                           .out = {{32, 24}}, .grid_w = 32, .grid_h = 24};
            r.param[0].f = 1.0f;
            add(g, &r, &half[side]);
        }
        const struct graph_pass_request r = {.family = KERNEL_SSIM, .in = {half[0], half[1]}, .grid_w = 22,
                                             .grid_h = 14};
        add(g, &r, NULL);
    }
    check(g, 0, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodes_of_one_reference), cmocka_unit_test(what_differs_runs_alone),
        cmocka_unit_test(planes_that_passes_make)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
