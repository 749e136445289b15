/* SPDX-License-Identifier: BSD-2-Clause */
/* Every kernel by itself: one pass over a 1080p frame, tile by tile in one thread, on noise. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "exact/harness.h"
#include "executors/cpu/cpu.h"

static void run_tiles(const struct trial_pass *pass, kernel_fn *run, struct kernel_args *args)
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

static double least_ms(const struct trial_pass *pass, struct buffers *b, kernel_fn *run, unsigned rounds)
{
    double least = 0;
    struct kernel_args args = {.totals = b->totals, .extrema = b->extrema, .grid_w = (int32_t)pass->grid_w,
                               .grid_h = (int32_t)pass->grid_h};
    memcpy(args.plane, b->plane, sizeof args.plane);
    memcpy(args.param, pass->param, sizeof args.param);
    memset(b->totals, 0, trial_totals(pass) * sizeof *b->totals);
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

/* What a kernel reads does not change how long it takes. But i32 in one row are columns or rows of the first plane. */
static void fill(const struct trial_pass *pass, unsigned plane, struct kernel_plane *to)
{
    const enum sample_type type = pass->info->plane[plane];
    const size_t size = sample_size(type), samples = (size_t)pass->plane[plane].width * pass->plane[plane].height;
    const uint32_t columns = pass->plane[0].width, rows = pass->plane[0].height;
    const uint32_t least = columns < rows ? columns : rows;
    const bool table = type == SAMPLE_I32 && pass->plane[plane].height == 1;
    uint32_t random = plane + 1;
    for (size_t i = 0; i < samples; i++) {
        random = random * 1664525u + 1013904223u;
        const float f = (float)(random >> 8) * 0x1p-24f;
        const uint32_t code = table ? (random >> 16) % least
                              : type == SAMPLE_I32 || type == SAMPLE_U32 ? random >> 16
                                                                         : (random >> 8) & ((1u << pass->bits) - 1);
        if (type == SAMPLE_F32)
            memcpy((char *)to->data + i * size, &f, size);
        else
            memcpy((char *)to->data + i * size, &code, size);
    }
}

static int time_pass(struct results *r, const struct bench_options *o, const struct trial_pass *pass)
{
    const struct kernel_info *k = pass->info;
    struct kernel_plane read[KERNEL_PLANES] = {{0}};
    const struct trials_pass from = {.pass = *pass, .read = read};
    struct buffers b;
    uint64_t bytes = 0;
    int rc = ASSAY_OK;
    for (unsigned i = 0; i < (unsigned)(k->planes_in + k->planes_out); i++) {
        const uint64_t row = (uint64_t)pass->plane[i].width * sample_size(k->plane[i]),
                       size = row * pass->plane[i].height;
        bytes += size;
        if (i >= k->planes_in)
            continue;
        read[i] = (struct kernel_plane){.data = malloc(size), .stride = (ptrdiff_t)row};
        if (!read[i].data)
            rc = ASSAY_EINTERNAL;
        else
            fill(pass, i, &read[i]);
    }
    if (!rc) {
        buffers_make(&b, &from, LAYOUT_TIGHT);
        for (const char *const *level = r->level; !rc && *level; level++) {
            const struct kernel_time t = {.name = k->name, .level = *level, .width = 1920, .height = 1080,
                                          .bytes = bytes, .ms = least_ms(pass, &b,
                                                                         cpu_kernel(cpu_kernels_by_name(*level),
                                                                                    pass->kernel), o->rounds)};
            rc = add(r, &t);
        }
        buffers_free(&b);
    } else {
        fprintf(stderr, "assay_bench: out of memory for a frame\n");
    }
    for (unsigned i = 0; i < k->planes_in; i++)
        free(read[i].data);
    return rc;
}

/* The first pass of the kernel that sessions of 1080p frames have, which is the one with the largest grid. */
int bench_kernels(struct results *r, const struct bench_options *o)
{
    struct trials t;
    int rc = ASSAY_OK;
    trials_open(&t, 1920, 1080);
    for (unsigned k = 0; !rc && k < KERNEL_VARIANTS; k++) {
        const struct kernel_info *info = &assay_kernel_info[k];
        const uint32_t bits = info->sample == SAMPLE_U8 ? 8 : 10;
        struct trial_pass pass;
        if (!wanted(info, o) || !trials_first(&t, k, bits, &pass))
            continue;
        pass.bits = bits;
        rc = time_pass(r, o, &pass);
    }
    trials_close(&t);
    return rc;
}
