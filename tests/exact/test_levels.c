/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every kernel at every instruction set, tile size and thread count against the scalar build at its own tiles: output planes,
 * totals and extrema have the same bits. And with flush-to-zero on: no output depends on denormal numbers.
 *
 *     test_levels [--full] [--level NAME] [--kernel PREFIX]
 *
 * Prints a digest of all results, which must not depend on the machine or the compiler.
 *
 * First it proves that it can fail: a scalar build with some constants off by one ULP must be noticed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact/harness.h"
#include "exact/levels.h"
#include "executors/cpu/cpu.h"
#include "host/fpenv.h"

struct options {
    bool full;
    const char *level, *kernel;
};

static unsigned long runs, failures;
static uint64_t digest = DIGEST_START;
enum { MAX_FAILURES = 20 };

static const struct { uint32_t w, h; } tiles[] = {{0, 0}, {64, 16}, {16, 8}};
enum { TILES = sizeof tiles / sizeof tiles[0] };

static void check(bool ok)
{
    runs++;
    if (!ok && ++failures >= MAX_FAILURES) {
        fprintf(stderr, "stopped after %d failures\n", MAX_FAILURES);
        exit(1);
    }
}

static const char *describe(const struct recipe_pass *pass, const char *level, const char *how, enum recipe_pattern pattern,
                            uint32_t tile_w, uint32_t tile_h)
{
    static char text[200];
    snprintf(text, sizeof text, "%s at %s%s, %ux%u, %u bits, tiles %ux%u, %s", pass->info->name, level, how,
             pass->plane[0].width, pass->plane[0].height, pass->bits, tile_w, tile_h, recipe_pattern_name(pattern));
    return text;
}

/* One pass with one input: every level, every tile size, two layouts, and flush-to-zero. */
static void test_pass(const struct options *o, const struct recipe_pass *pass, enum recipe_pattern pattern, uint32_t seed)
{
    const struct cpu_kernels *scalar = cpu_kernels_by_name("scalar");
    struct buffers expected, tight, odd;
    buffers_make(&expected, pass, pattern, seed, LAYOUT_TIGHT);
    buffers_make(&tight, pass, pattern, seed, LAYOUT_TIGHT);
    buffers_make(&odd, pass, pattern, seed, LAYOUT_ODD);
    buffers_run(&expected, pass, scalar->kernel[pass->kernel], 0, 0);
    digest = buffers_digest(&expected, pass, digest);
    for (const char *const *name = cpu_kernel_names(); *name; name++) {
        kernel_fn *run = cpu_kernels_by_name(*name)->kernel[pass->kernel];
        if (o->level && strcmp(o->level, *name))
            continue;
        for (unsigned t = 0; t < TILES; t++) {
            struct buffers *b = t ? &tight : &odd;
            buffers_run(b, pass, run, tiles[t].w, tiles[t].h);
            check(buffers_same(&expected, b, pass, describe(pass, *name, "", pattern, tiles[t].w, tiles[t].h), false));
        }
        const uint64_t modes = flush_to_zero_on();
        buffers_run(&tight, pass, run, 0, 0);
        flush_to_zero_off(modes);
        check(buffers_same(&expected, &tight, pass, describe(pass, *name, ", flush to zero", pattern, 0, 0), false));
    }
    buffers_free(&expected);
    buffers_free(&tight);
    buffers_free(&odd);
}

/* Calls test for every kernel, parameter set and depth of one size. */
static void each_pass(const struct options *o, uint32_t w, uint32_t h, unsigned turn,
                      void (*test)(const struct options *, const struct recipe_pass *, unsigned turn))
{
    static const uint32_t depths[] = {16, 10, 9, 12};
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++) {
        if (o->kernel && strncmp(o->kernel, assay_kernel_info[k].name, strlen(o->kernel)))
            continue;
        const unsigned sets = recipe_param_sets(k);
        for (unsigned set = 0; set < sets; set++) {
            struct recipe_pass pass;
            if (!o->full && set != turn % sets)
                continue;
            const enum recipe_result made = recipe_make(&pass, k, w, h, depths[turn % 4], set);
            if (made == RECIPE_UNKNOWN) {
                fprintf(stderr, "%s has no recipe in src/selftest/recipes.c\n", assay_kernel_info[k].name);
                check(false);
            } else if (made == RECIPE_OK) {
                test(o, &pass, turn);
            }
        }
    }
}

/* All patterns, or random and two that change from size to size. */
static void test_patterns(const struct options *o, const struct recipe_pass *pass, unsigned turn)
{
    for (unsigned p = 0; p < PATTERNS; p++)
        if (o->full || p == PATTERN_RANDOM || p == 1 + turn % (PATTERNS - 1) || p == 1 + (turn + 3) % (PATTERNS - 1))
            test_pass(o, pass, (enum recipe_pattern)p, 1000 * turn + p);
}

/* ---- through the graph and the executor: threads ------------------------------------------------------------------ */

static void in_graph(const struct recipe_pass *pass, struct graph *g, graph_plane *out)
{
    struct assay_error e = {0};
    struct graph_pass_request request = {.grid_w = pass->grid_w, .grid_h = pass->grid_h};
    const struct kernel_info *k = pass->info;
    graph_pass p;
    int rc = 0;
    for (unsigned f = 0; f < KERNEL_FAMILIES; f++)
        if (assay_kernel_variant[f][k->plane[0]] == (int)pass->kernel)
            request.family = (enum kernel_family)f;
    for (unsigned i = 0; i < k->planes_in && !rc; i++)
        rc = graph_input(g, i % 2 ? SIDE_DIS : SIDE_REF, i / 2, k->plane[i], pass->plane[i].width, pass->plane[i].height,
                         &request.in[i], &e);
    for (unsigned i = 0; i < k->planes_out; i++) {
        request.out[i].width = pass->plane[k->planes_in + i].width;
        request.out[i].height = pass->plane[k->planes_in + i].height;
    }
    memcpy(request.param, pass->param, sizeof request.param);
    g->keep = true;
    if (rc || graph_add(g, &request, &p, out, &e) || graph_seal(g, &e)) {
        fprintf(stderr, "%s: %s\n", k->name, e.text);
        exit(1);
    }
}

static bool run_executor(const struct options *o, const struct recipe_pass *pass, const struct executor_config *config,
                         struct buffers *b)
{
    struct assay_error e = {0};
    struct graph *g = graph_new(&e);
    struct executor *x = NULL;
    struct frame_inputs inputs = {0};
    struct frame_results results;
    graph_plane out[KERNEL_PLANES];
    const struct kernel_info *k = pass->info;
    (void)o;
    if (!g)
        return false;
    in_graph(pass, g, out);
    for (unsigned i = 0; i < k->planes_in; i++)
        inputs.plane[i % 2][i / 2] = b->plane[i];
    int rc = executor_cpu.open(&x, config, &e);
    if (!rc)
        rc = executor_cpu.prepare(x, g, 1, &e);
    if (!rc)
        rc = executor_cpu.submit(x, 0, &inputs, &e);
    if (!rc)
        rc = executor_cpu.wait(x, 0, &results, &e);
    for (unsigned i = 0; i < k->planes_out && !rc; i++)
        rc = executor_cpu.read_plane(x, 0, out[i], b->plane[k->planes_in + i].data,
                                     (size_t)b->plane[k->planes_in + i].stride, &e);
    if (rc) {
        fprintf(stderr, "%s: %s\n", k->name, e.text);
    } else {
        memcpy(b->totals, results.totals, g->totals * sizeof *b->totals);
        memcpy(b->extrema, results.extrema, (size_t)g->extrema * 2 * sizeof *b->extrema);
    }
    if (x)
        executor_cpu.close(&x);
    graph_free(&g);
    return !rc;
}

static void test_threads(const struct options *o, const struct recipe_pass *pass, unsigned turn)
{
    static const unsigned threads[] = {1, 2, 7};
    const enum recipe_pattern pattern = turn % 2 ? PATTERN_CHECKERBOARD : PATTERN_RANDOM;
    struct buffers expected, got;
    buffers_make(&expected, pass, pattern, turn, LAYOUT_TIGHT);
    buffers_make(&got, pass, pattern, turn, LAYOUT_TIGHT);
    buffers_run(&expected, pass, cpu_kernels_by_name("scalar")->kernel[pass->kernel], 0, 0);
    for (const char *const *name = cpu_kernel_names(); *name; name++)
        for (unsigned t = 0; t < TILES; t++)
            for (unsigned n = 0; n < 3; n++) {
                char how[32];
                const struct executor_config config = {.threads = threads[n], .level = *name, .tile_w = tiles[t].w,
                                                       .tile_h = tiles[t].h};
                if ((o->level && strcmp(o->level, *name)) || (!o->full && n != (t + turn) % 3))
                    continue;
                snprintf(how, sizeof how, ", %u threads", threads[n]);
                check(run_executor(o, pass, &config, &got) &&
                      buffers_same(&expected, &got, pass, describe(pass, *name, how, pattern, tiles[t].w, tiles[t].h), false));
            }
    buffers_free(&expected);
    buffers_free(&got);
}

/* ---- the proof that the comparison can fail ------------------------------------------------------------------------ */

static bool notices(const char *kernel, enum recipe_pattern pattern)
{
    for (unsigned k = 0; k < KERNEL_VARIANTS; k++) {
        struct recipe_pass pass;
        struct buffers expected, got;
        if (strcmp(kernel, assay_kernel_info[k].name) || recipe_make(&pass, k, 33, 17, 16, 0))
            continue;
        buffers_make(&expected, &pass, pattern, 1, LAYOUT_TIGHT);
        buffers_make(&got, &pass, pattern, 1, LAYOUT_TIGHT);
        buffers_run(&expected, &pass, cpu_kernels_by_name("scalar")->kernel[k], 0, 0);
        buffers_run(&got, &pass, sabotaged_kernels()[k], 0, 0);
        const bool same = buffers_same(&expected, &got, &pass, "", true);
        buffers_free(&expected);
        buffers_free(&got);
        return !same;
    }
    return false;
}

static bool can_fail(void)
{
    static const char *const wrong[] = {"t_decimate_u8", "t_decimate_f32", "t_sum_f32_u16", "t_fuse_u32", "ssim_u8",
                                        "ssim_u16", "halve_f32", "adm_dwt_u8", "linear_yuv_u8", "ssimulacra2_f32"};
    static const char *const right[] = {"t_load_u8", "t_stage_mixed_u16", "t_divide_u32", "sse_u8"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (!notices(wrong[i], PATTERN_RANDOM)) {
            fprintf(stderr, "a constant of %s is off by one ULP, and this test can't see it\n", wrong[i]);
            return false;
        }
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
        if (notices(right[i], PATTERN_RANDOM)) {
            fprintf(stderr, "%s uses none of the wrong constants, and differs\n", right[i]);
            return false;
        }
    return true;
}

int main(int argc, char **argv)
{
    static const struct { uint32_t w, h; } larger[] = {{67, 35}, {129, 5}, {1, 77}, {211, 19}, {1037, 3}, {40, 70}, {257, 33}};
    static const struct { uint32_t w, h; } threaded[] = {{1, 1}, {7, 5}, {33, 17}, {131, 67}, {1037, 9}};
    struct options o = {0};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--full")) {
            o.full = true;
        } else if (i + 1 < argc && !strcmp(argv[i], "--level")) {
            o.level = argv[++i];
        } else if (i + 1 < argc && !strcmp(argv[i], "--kernel")) {
            o.kernel = argv[++i];
        } else {
            fprintf(stderr, "usage: test_levels [--full] [--level NAME] [--kernel PREFIX]\n");
            return 2;
        }
    }
    struct assay_fpenv saved;
    assay_fpenv_enter(&saved);
    if (!can_fail())
        return 1;
    for (uint32_t w = 1; w <= 33; w++)
        for (uint32_t i = 0; i < (o.full ? 4u : 1u); i++)
            each_pass(&o, w, 1 + (w * 5 + i * 7) % 19, w + i, test_patterns);
    for (unsigned i = 0; i < sizeof larger / sizeof larger[0]; i++)
        each_pass(&o, larger[i].w, larger[i].h, i, test_patterns);
    const unsigned long direct = runs;
    for (unsigned i = 0; i < sizeof threaded / sizeof threaded[0]; i++)
        each_pass(&o, threaded[i].w, threaded[i].h, i, test_threads);
    printf("%u kernels, levels:", (unsigned)KERNEL_VARIANTS);
    for (const char *const *name = cpu_kernel_names(); *name; name++)
        printf(" %s", *name);
    printf("; %lu runs by hand, %lu through the executor, %lu differ\ndigest of all results: 0x%016" PRIx64 "\n", direct,
           runs - direct, failures, digest);
    assay_fpenv_leave(&saved);
    return failures != 0;
}
