/* SPDX-License-Identifier: BSD-2-Clause */
/* Every kernel by itself: one pass over a 1080p frame, tile by tile in one thread, on the inputs of the exact tests. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "exact/harness.h"
#include "executors/cpu/cpu.h"

static void run_tiles(const struct recipe_pass *pass, kernel_fn *run, struct kernel_args *args)
{
    const struct kernel_schedule *s = &pass->info->schedule[TARGET_CPU];
    const int32_t w = s->tile_w, h = s->tile_h;
    for (args->tile_y = 0; args->tile_y < args->grid_h; args->tile_y += h)
        for (args->tile_x = 0; args->tile_x < args->grid_w; args->tile_x += w) {
            args->tile_w = args->grid_w - args->tile_x < w ? args->grid_w - args->tile_x : w;
            args->tile_h = args->grid_h - args->tile_y < h ? args->grid_h - args->tile_y : h;
            run(args);
        }
}

static double least_ms(const struct recipe_pass *pass, struct buffers *b, kernel_fn *run, unsigned rounds)
{
    double least = 0;
    struct kernel_args args = {.totals = b->totals, .extrema = b->extrema, .grid_w = (int32_t)pass->grid_w,
                               .grid_h = (int32_t)pass->grid_h};
    memcpy(args.plane, b->plane, sizeof args.plane);
    memcpy(args.param, pass->param, sizeof args.param);
    memset(b->totals, 0, recipe_totals(pass) * sizeof *b->totals);
    run_tiles(pass, run, &args);
    for (unsigned i = 0; i < rounds; i++) {
        const double from = bench_cpu();
        run_tiles(pass, run, &args);
        const double ms = 1e3 * (bench_cpu() - from);
        least = !i || ms < least ? ms : least;
    }
    return least;
}

static int add(struct results *r, const struct kernel_time *t)
{
    if (r->kernels == r->kernel_capacity) {
        const unsigned capacity = r->kernel_capacity ? 2 * r->kernel_capacity : 64;
        struct kernel_time *more = realloc(r->kernel, capacity * sizeof *more);
        if (!more) {
            fprintf(stderr, "assay_bench: out of memory for the results\n");
            return ASSAY_EINTERNAL;
        }
        r->kernel = more;
        r->kernel_capacity = capacity;
    }
    r->kernel[r->kernels++] = *t;
    return ASSAY_OK;
}

/* Kernels of the self-test have names that start with "t_"; they are measured when asked for by name. */
static bool wanted(const struct kernel_info *k, const struct bench_options *o)
{
    return o->only ? !strncmp(k->name, o->only, strlen(o->only)) : strncmp(k->name, "t_", 2) != 0;
}

int bench_kernels(struct results *r, const struct bench_options *o)
{
    int rc = ASSAY_OK;
    for (unsigned k = 0; !rc && k < KERNEL_VARIANTS; k++) {
        struct recipe_pass pass;
        struct buffers b;
        const struct kernel_info *info = &assay_kernel_info[k];
        if (!wanted(info, o) || recipe_make(&pass, k, 1920, 1080, info->sample == SAMPLE_U8 ? 8 : 10, 0) != RECIPE_OK)
            continue;
        buffers_make(&b, &pass, PATTERN_RANDOM, 1, LAYOUT_TIGHT);
        uint64_t bytes = 0;
        for (unsigned i = 0; i < (unsigned)(info->planes_in + info->planes_out); i++)
            bytes += (uint64_t)pass.plane[i].width * pass.plane[i].height * sample_size(info->plane[i]);
        for (const char *const *level = r->level; !rc && *level; level++) {
            const struct kernel_time t = {.name = info->name, .level = *level, .width = 1920, .height = 1080, .bytes = bytes,
                                          .ms = least_ms(&pass, &b, cpu_kernels_by_name(*level)->kernel[k], o->rounds)};
            rc = add(r, &t);
        }
        buffers_free(&b);
    }
    return rc;
}
