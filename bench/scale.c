/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What scaling takes: milliseconds of a picture of 4:2:0 from 1280x720 to 1920x1080, by filter and depth, all planes,
 * nothing but scaling. On a CPU the processor time of one thread; on a GPU the device's time of the passes. The least
 * of many frames of noise. The column "start" is the time of the same passes for 32x18 to 48x27 at 8 bits: what
 * clearing, starting passes and reading back take.
 *
 *     assay_bench_scale [BACKEND [CPU-LEVEL]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "executors/executor.h"
#include "scale/passes.h"

enum { ROUNDS = 40, FRAMES = 5, UNIT_WIDTH = 16, UNIT_HEIGHT = 9, FROM = 80, SMALL = 2 }; /* a frame: FROM units */

static struct assay_error error;

static void must(bool ok)
{
    if (ok)
        return;
    fprintf(stderr, "assay_bench_scale: %s\n", error.text);
    exit(1);
}

static uint64_t processor_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Planes of noise for what the graph reads. */
static void make_inputs(const struct graph *g, uint32_t depth, struct frame_inputs *inputs)
{
    uint32_t state = 1;
    for (graph_plane i = 0; i < g->planes; i++) {
        const struct graph_plane_info *p = &g->plane[i];
        if (!p->input || p->table)
            continue;
        const size_t stride = graph_stride(p), n = stride * p->height;
        unsigned char *memory = malloc(n);
        must(memory != NULL);
        for (size_t k = 0; k < n; k++) {
            state = state * 1664525u + 1013904223u;
            memory[k] = (unsigned char)(state >> 24 >> (depth > 8 && k % 2 ? 16 - depth : 0));
        }
        inputs->plane[p->side][p->component] = (struct kernel_plane){.data = memory, .stride = (ptrdiff_t)stride,
                                                                     .width = (int32_t)p->width,
                                                                     .height = (int32_t)p->height};
    }
}

static uint64_t time_frames(struct executor *x, const struct frame_inputs *inputs)
{
    struct frame_results results;
    uint64_t device = 0;
    const uint64_t start = processor_ns();
    for (unsigned n = 0; n < FRAMES; n++) {
        must(!x->ops->submit(x, 0, inputs, &error) && !x->ops->wait(x, 0, &results, &error));
        device += results.times.passes[1] - results.times.passes[0];
    }
    return (x->ops->modules ? device : processor_ns() - start) / FRAMES;
}

/* Of pictures of `units` times UNIT_WIDTH x UNIT_HEIGHT that become half as large again. */
static uint64_t least_time(const struct executor_ops *ops, const char *level, enum scale_filter filter, uint32_t depth,
                           uint32_t units)
{
    const struct executor_config config = {.threads = 1, .level = level};
    const assay_format from = {.width = units * UNIT_WIDTH, .height = units * UNIT_HEIGHT, .bit_depth = depth,
                               .layout = ASSAY_LAYOUT_420};
    struct scale_plan plan = {.filter = filter, .side = {{.from = from, .to = from}, {.from = from, .to = from}}};
    struct frame_inputs inputs = {.taken = {false}};
    struct graph *g = graph_new(&error);
    struct executor *x = NULL;
    graph_plane plane;
    uint64_t least = UINT64_MAX;
    plan.side[1].to.width = from.width * 3 / 2;
    plan.side[1].to.height = from.height * 3 / 2;
    must(g != NULL);
    for (uint32_t c = 0; c < 3; c++)
        must(!scale_bring(g, &plan, 0, SIDE_DIS, c, assay_format_plane_width(&plan.side[1].to, c),
                          assay_format_plane_height(&plan.side[1].to, c), &plane, &error));
    must(!graph_seal(g, &error) && !ops->open(&x, &config, &error) && !x->ops->prepare(x, g, 1, &error));
    make_inputs(g, depth, &inputs);
    x->timed = true;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const uint64_t took = time_frames(x, &inputs);
        least = took < least ? took : least;
    }
    x->ops->close(&x);
    for (unsigned c = 0; c < 3; c++)
        free(inputs.plane[SIDE_DIS][c].data);
    graph_free(&g);
    return least;
}

int main(int argc, char **argv)
{
    const struct executor_ops *ops = assay_executors[0];
    const char *level = argc > 2 ? argv[2] : NULL;
    for (unsigned i = 0; argc > 1 && (ops = assay_executors[i]) && strcmp(ops->name, argv[1]);)
        i++;
    if (!ops || ops->missing) {
        fprintf(stderr, "assay_bench_scale: no such backend here\n");
        return 1;
    }
    printf("%ux%u to %ux%u, %s\n", FROM * UNIT_WIDTH, FROM * UNIT_HEIGHT, FROM * UNIT_WIDTH * 3 / 2,
           FROM * UNIT_HEIGHT * 3 / 2, ops->name);
    printf("%-10s%12s%12s%12s\n", "ms", "8 bit", "10 bit", "start");
    for (enum scale_filter f = 0; f < SCALE_FILTERS; f++) {
        printf("%-10s", scale_filter_name[f]);
        for (uint32_t depth = 8; depth <= 10; depth += 2)
            printf("%12.3f", (double)least_time(ops, level, f, depth, FROM) * 1e-6);
        printf("%12.3f", (double)least_time(ops, level, f, 8, SMALL) * 1e-6);
        putchar('\n');
        fflush(stdout);
    }
    return 0;
}
