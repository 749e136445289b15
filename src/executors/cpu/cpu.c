/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/cpu/cpu.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/cpu.h"
#include "host/fpenv.h"

enum {
    MAX_THREADS = 1024,
    WORKER_STACK = 4 << 20, /* tile memory of a kernel lies on the worker's stack: at most 1 MiB (asserted by the tests) */
};

struct cpu_slot {
    int64_t *totals;
    uint32_t *extrema;
    struct frame_times times;
};

/* One pass of one frame, handed to all workers. */
struct cpu_job {
    kernel_fn *run;
    struct kernel_args args; /* all but the tile */
    uint32_t tiles_x, tiles_y, tile_w, tile_h;
};

struct cpu_executor {
    struct executor base;
    const struct cpu_kernels *kernels;
    const struct graph *graph;
    uint32_t tile_w, tile_h;
    struct cpu_slot *slot;
    uint32_t slots;
    void **storage;
    uint32_t *tile_extrema; /* pairs of the tiles of the pass that runs */

    /* The team: `generation` counts jobs; a worker that sees a new one takes tiles until none is left. */
    pthread_t *worker;
    unsigned workers;
    pthread_mutex_t lock;
    pthread_cond_t start, done;
    uint64_t generation;
    unsigned busy;
    bool quit;
    struct cpu_job job;
    uint32_t next_tile; /* atomic */
};

static void run_tiles(struct cpu_executor *x)
{
    const struct cpu_job *job = &x->job;
    const uint32_t tiles = job->tiles_x * job->tiles_y;
    struct kernel_args args = job->args;
    for (;;) {
        const uint32_t t = __atomic_fetch_add(&x->next_tile, 1, __ATOMIC_RELAXED);
        if (t >= tiles)
            return;
        args.tile_index = (int32_t)t;
        args.tile_x = (int32_t)(t % job->tiles_x * job->tile_w);
        args.tile_y = (int32_t)(t / job->tiles_x * job->tile_h);
        const int32_t left = args.grid_w - args.tile_x, below = args.grid_h - args.tile_y;
        args.tile_w = left < (int32_t)job->tile_w ? left : (int32_t)job->tile_w;
        args.tile_h = below < (int32_t)job->tile_h ? below : (int32_t)job->tile_h;
        job->run(&args);
    }
}

static void *work(void *opaque)
{
    struct cpu_executor *x = opaque;
    struct assay_fpenv saved;
    assay_fpenv_enter(&saved);
    uint64_t seen = 0;
    pthread_mutex_lock(&x->lock);
    for (;;) {
        while (!x->quit && x->generation == seen)
            pthread_cond_wait(&x->start, &x->lock);
        if (x->quit)
            break;
        seen = x->generation;
        pthread_mutex_unlock(&x->lock);
        run_tiles(x);
        pthread_mutex_lock(&x->lock);
        if (--x->busy == 0)
            pthread_cond_signal(&x->done);
    }
    pthread_mutex_unlock(&x->lock);
    assay_fpenv_leave(&saved);
    return NULL;
}

static void run_job(struct cpu_executor *x)
{
    x->next_tile = 0;
    pthread_mutex_lock(&x->lock);
    x->busy = x->workers;
    x->generation++;
    pthread_cond_broadcast(&x->start);
    while (x->busy)
        pthread_cond_wait(&x->done, &x->lock);
    pthread_mutex_unlock(&x->lock);
}

static void cpu_close(struct executor **out)
{
    struct cpu_executor *x = (struct cpu_executor *)*out;
    if (!x)
        return;
    *out = NULL;
    pthread_mutex_lock(&x->lock);
    x->quit = true;
    pthread_cond_broadcast(&x->start);
    pthread_mutex_unlock(&x->lock);
    for (unsigned i = 0; i < x->workers; i++)
        pthread_join(x->worker[i], NULL);
    pthread_mutex_destroy(&x->lock);
    pthread_cond_destroy(&x->start);
    pthread_cond_destroy(&x->done);
    for (uint32_t s = 0; s < x->slots; s++) {
        free(x->slot[s].totals);
        free(x->slot[s].extrema);
    }
    for (uint32_t i = 0; x->storage && i < x->graph->storages; i++)
        free(x->storage[i]);
    free(x->storage);
    free(x->slot);
    free(x->tile_extrema);
    free(x->worker);
    free(x);
}

static int start_workers(struct cpu_executor *x, unsigned threads, struct assay_error *e)
{
    pthread_attr_t attr;
    if (pthread_attr_init(&attr))
        return assay_fail_memory(e, "the CPU executor");
    pthread_attr_setstacksize(&attr, WORKER_STACK);
    int rc = ASSAY_OK;
    while (!rc && x->workers < threads) {
        if (pthread_create(&x->worker[x->workers], &attr, work, x))
            rc = assay_fail(e, ASSAY_EINTERNAL, "can't start compute thread %u of %u", x->workers + 1, threads);
        else
            x->workers++;
    }
    pthread_attr_destroy(&attr);
    return rc;
}

static int cpu_open(struct executor **out, const struct executor_config *config, struct assay_error *e)
{
    *out = NULL;
    const struct cpu_kernels *kernels = cpu_kernels_by_name(config->level);
    if (!kernels)
        return assay_fail(e, ASSAY_EDEVICE, "this CPU or this build has no instruction set '%s'", config->level);
    const unsigned threads = config->threads ? config->threads : cpu_allowed_count();
    if (threads > MAX_THREADS)
        return assay_fail(e, ASSAY_EUSAGE, "%u threads: at most %d", threads, MAX_THREADS);
    struct cpu_executor *x = calloc(1, sizeof *x);
    if (!x)
        return assay_fail_memory(e, "the CPU executor");
    x->base = (struct executor){.ops = &executor_cpu, .threads = threads, .depth = 1};
    x->kernels = kernels;
    x->tile_w = config->tile_w;
    x->tile_h = config->tile_h;
    snprintf(x->base.device, sizeof x->base.device, "CPU (%s)", kernels->title);
    pthread_mutex_init(&x->lock, NULL);
    pthread_cond_init(&x->start, NULL);
    pthread_cond_init(&x->done, NULL);
    struct executor *base = &x->base;
    x->worker = calloc(threads, sizeof *x->worker);
    const int rc = x->worker ? start_workers(x, threads, e) : assay_fail_memory(e, "the CPU executor");
    if (rc) {
        cpu_close(&base);
        return rc;
    }
    *out = base;
    return ASSAY_OK;
}

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

/* The largest power of two that is at most `wanted` and at least `least`. */
static uint32_t power_up_to(uint32_t wanted, uint32_t least)
{
    uint32_t n = least;
    while (2 * n <= wanted)
        n *= 2;
    return n;
}

/* The tile of a pass: the schedule's, or smaller when a test asks. Sizes are powers of two: a tile then lies inside one of the
 * blocks that kernels define (32x32), and its width is a multiple of the widest vector. */
static void pass_tiles(const struct cpu_executor *x, const struct graph_pass_info *pass, struct cpu_job *job)
{
    const struct kernel_schedule *s = &assay_kernel_info[pass->kernel].schedule[TARGET_CPU];
    job->tile_w = x->tile_w && x->tile_w < s->tile_w ? power_up_to(x->tile_w, 16) : s->tile_w;
    job->tile_h = x->tile_h && x->tile_h < s->tile_h ? power_up_to(x->tile_h, 4) : s->tile_h;
    job->tiles_x = divide_up(pass->grid_w, job->tile_w);
    job->tiles_y = divide_up(pass->grid_h, job->tile_h);
}

static void *aligned(size_t bytes)
{
    void *p = NULL;
    return posix_memalign(&p, 64, bytes ? bytes : 64) ? NULL : p;
}

static int cpu_prepare(struct executor *base, const struct graph *g, uint32_t slots, struct assay_error *e)
{
    struct cpu_executor *x = (struct cpu_executor *)base;
    x->graph = g;
    size_t pairs = 0;
    for (graph_pass p = 0; p < g->passes; p++) {
        struct cpu_job job;
        pass_tiles(x, &g->pass[p], &job);
        const size_t n = (size_t)job.tiles_x * job.tiles_y * g->pass[p].extrema_n;
        pairs = n > pairs ? n : pairs;
    }
    x->slot = calloc(slots, sizeof *x->slot);
    x->storage = calloc(g->storages + 1, sizeof *x->storage);
    x->tile_extrema = calloc(pairs + 1, 2 * sizeof *x->tile_extrema);
    if (!x->slot || !x->storage || !x->tile_extrema)
        return assay_fail_memory(e, "the CPU executor");
    x->slots = slots;
    for (uint32_t s = 0; s < slots; s++) {
        x->slot[s].totals = calloc(g->totals + 1, sizeof(int64_t));
        x->slot[s].extrema = calloc(g->extrema + 1, 2 * sizeof(uint32_t));
        if (!x->slot[s].totals || !x->slot[s].extrema)
            return assay_fail_memory(e, "the totals of a frame");
    }
    /* 64 bytes more: an executor may read whole words at the end of the last row. */
    for (uint32_t i = 0; i < g->storages; i++)
        if (!(x->storage[i] = aligned(g->storage_bytes[i] + 64)))
            return assay_fail(e, ASSAY_EINTERNAL, "out of memory for an intermediate plane of %llu bytes",
                              (unsigned long long)g->storage_bytes[i]);
    return ASSAY_OK;
}

static struct kernel_plane plane_view(const struct cpu_executor *x, graph_plane i, const struct frame_inputs *inputs)
{
    const struct graph_plane_info *p = &x->graph->plane[i];
    if (p->input)
        return inputs->plane[p->side][p->component];
    return (struct kernel_plane){.data = x->storage[p->storage], .stride = (ptrdiff_t)graph_stride(p),
                                 .width = (int32_t)p->width, .height = (int32_t)p->height};
}

/* Joins the pairs of the tiles: the largest value, the first position among equals. */
static void join_extrema(const struct cpu_executor *x, const struct graph_pass_info *pass, uint32_t tiles, uint32_t *best)
{
    for (uint32_t k = 0; k < pass->extrema_n; k++) {
        best[2 * k] = 0;
        best[2 * k + 1] = UINT32_MAX;
        for (uint32_t t = 0; t < tiles; t++) {
            const uint32_t *pair = x->tile_extrema + 2 * ((size_t)t * pass->extrema_n + k);
            if (pair[0] > best[2 * k] || (pair[0] == best[2 * k] && pair[1] < best[2 * k + 1])) {
                best[2 * k] = pair[0];
                best[2 * k + 1] = pair[1];
            }
        }
    }
}

static void run_pass(struct cpu_executor *x, const struct graph_pass_info *pass, struct cpu_slot *slot,
                     const struct frame_inputs *inputs)
{
    const struct kernel_info *k = &assay_kernel_info[pass->kernel];
    struct cpu_job *job = &x->job;
    memset(job, 0, sizeof *job);
    pass_tiles(x, pass, job);
    job->run = x->kernels->kernel[pass->kernel];
    job->args.grid_w = (int32_t)pass->grid_w;
    job->args.grid_h = (int32_t)pass->grid_h;
    memcpy(job->args.param, pass->param, sizeof pass->param);
    for (unsigned i = 0; i < k->planes_in + k->planes_out; i++)
        job->args.plane[i] = plane_view(x, pass->plane[i], inputs);
    job->args.totals = slot->totals + pass->totals;
    job->args.extrema = x->tile_extrema;
    const uint32_t tiles = job->tiles_x * job->tiles_y;
    for (size_t i = 0; i < (size_t)tiles * pass->extrema_n; i++) {
        x->tile_extrema[2 * i] = 0;
        x->tile_extrema[2 * i + 1] = UINT32_MAX;
    }
    run_job(x);
    join_extrema(x, pass, tiles, slot->extrema + 2 * (size_t)pass->extrema);
    x->base.passes_run++;
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int cpu_submit(struct executor *base, uint32_t slot, const struct frame_inputs *inputs, struct assay_error *e)
{
    struct cpu_executor *x = (struct cpu_executor *)base;
    struct frame_times *times = &x->slot[slot].times;
    *times = (struct frame_times){.passes = {base->timed ? now() : 0}};
    memset(x->slot[slot].totals, 0, x->graph->totals * sizeof(int64_t));
    for (graph_pass p = 0; p < x->graph->passes; p++)
        run_pass(x, &x->graph->pass[p], &x->slot[slot], inputs);
    times->passes[1] = base->timed ? now() : 0;
    base->submissions++;
    (void)e;
    return ASSAY_OK;
}

static int cpu_wait(struct executor *base, uint32_t slot, struct frame_results *results, struct assay_error *e)
{
    const struct cpu_executor *x = (const struct cpu_executor *)base;
    results->totals = x->slot[slot].totals;
    results->extrema = x->slot[slot].extrema;
    results->times = x->slot[slot].times;
    (void)e;
    return ASSAY_OK;
}

static int cpu_read_plane(struct executor *base, uint32_t slot, graph_plane plane, void *dst, size_t dst_stride,
                          struct assay_error *e)
{
    const struct cpu_executor *x = (const struct cpu_executor *)base;
    const struct graph_plane_info *p = &x->graph->plane[plane];
    const struct kernel_plane view = plane_view(x, plane, NULL);
    for (uint32_t y = 0; y < p->height; y++)
        memcpy((char *)dst + y * dst_stride, (const char *)view.data + (ptrdiff_t)y * view.stride,
               (size_t)p->width * sample_size(p->type));
    (void)slot;
    (void)e;
    return ASSAY_OK;
}

static void *cpu_host_alloc(struct executor *base, uint32_t slot, size_t bytes)
{
    (void)base;
    (void)slot;
    return aligned(bytes);
}

static void cpu_host_free(struct executor *base, uint32_t slot, void *memory)
{
    (void)slot;
    (void)base;
    free(memory);
}

/* Both kinds are the same here: what one thread copies. */
static int cpu_copy_rate(struct executor *base, enum executor_copy kind, size_t bytes, unsigned times, double *seconds,
                         struct assay_error *e)
{
    char *const from = aligned(bytes), *const to = aligned(bytes);
    (void)base;
    (void)kind;
    if (from && to) {
        memset(from, 1, bytes);
        memset(to, 2, bytes);
        const uint64_t start = now();
        for (unsigned i = 0; i < times; i++) {
            memcpy(to, from, bytes);
            __asm__ volatile("" : : "r"(to) : "memory"); /* every copy is made */
        }
        *seconds = 1e-9 * (double)(now() - start);
    }
    const int rc = from && to ? ASSAY_OK : assay_fail_memory(e, "a copy");
    free(from);
    free(to);
    return rc;
}

static uint64_t cpu_memory(const struct executor *base, const struct graph *g, uint32_t slots)
{
    (void)base;
    return graph_memory(g) + slots * (uint64_t)g->totals * sizeof(int64_t);
}

const struct executor_ops executor_cpu = {
    .name = "cpu", .open = cpu_open, .prepare = cpu_prepare, .host_alloc = cpu_host_alloc,
    .host_free = cpu_host_free, .submit = cpu_submit, .wait = cpu_wait, .read_plane = cpu_read_plane,
    .memory = cpu_memory, .close = cpu_close, .copy_rate = cpu_copy_rate,
};
