/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/cpu/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executors/cpu/strips.h"
#include "executors/cpu/pool.h"
#include "executors/cpu/together.h"
#include "executors/open.h"
#include "graph/kept.h"
#include "host/clock.h"
#include "host/system.h"
#include "levels_gen.h"

enum {
    MAX_THREADS = 1024,
    GROUP_THREADS = 4, /* of a group, at least */
    GROUP_FRAMES = 8,  /* that a group scores, at least: fewer do not pay for its memory */
    MOST_GROUPS = 8,
};

/* The most memory that frames keep of what later ones need (graph/kept.h), and that groups of threads take. */
static const uint64_t KEPT_MOST = 1 << 30, GROUPS_MOST = 1 << 30;

struct cpu_slot {
    int64_t *totals;
    uint32_t *extrema;
    struct frame_times times;
    char *kept; /* NULL: nothing is kept, or no frame was here */
};

struct cpu_executor {
    struct executor base;
    const struct cpu_kernels *kernels;
    const struct graph *graph;
    uint32_t tile_w, tile_h, strip_h;
    struct cpu_slot *slot;
    uint32_t slots;
    void **storage;
    struct cpu_pool *pool;
    struct strips_tiles *tiles; /* [pass] */
    struct strips *strips;
    struct together *together;
    struct graph_kept kept;
    /* The wave that runs. Its passes are independent, and their tiles are handed out together. */
    struct cpu_job *job;
    uint32_t *tile_extrema; /* pairs of its tiles */
};

static unsigned cpu_threads(const struct executor_config *config)
{
    return config->threads ? config->threads : cpu_allowed_count();
}

static void cpu_close(struct executor **out)
{
    struct cpu_executor *x = (struct cpu_executor *)*out;
    if (!x)
        return;
    *out = NULL;
    cpu_pool_free(&x->pool);
    for (uint32_t s = 0; s < x->slots; s++) {
        free(x->slot[s].totals);
        free(x->slot[s].extrema);
        memory_aligned_free(x->slot[s].kept);
    }
    for (uint32_t i = 0; x->storage && i < x->strips->storages; i++)
        memory_aligned_free(x->storage[i]);
    free(x->storage);
    free(x->slot);
    free(x->tiles);
    strips_free(&x->strips);
    together_free(&x->together);
    graph_kept_free(&x->kept);
    free(x->job);
    free(x->tile_extrema);
    free(x);
}

static int cpu_no_level(const char *level, struct assay_error *e)
{
    if (cpu_level_from_name(level) < 0)
        return assay_fail(e, ASSAY_EUSAGE, "no instruction set is called '%s'", level);
    if (cpu_kernels_missing(level))
        return assay_fail(e, ASSAY_EDEVICE, "this build has no kernels for '%s': " KERNEL_OTHER_LEVELS, level);
    return assay_fail(e, ASSAY_EDEVICE, "this processor has no '%s'", level);
}

/* Names the device, and says so where this build lacks the kernels that are the processor's fastest. */
static void cpu_describe(struct executor *x, const char *title, const char *missing)
{
    snprintf(x->device, sizeof x->device, "CPU (%s%s%s)", title, missing ? "; this build has no kernels for " : "",
             missing ? missing : "");
    if (missing)
        snprintf(x->notice, sizeof x->notice, "this build has no kernels for %s, the best instruction set of this "
                 "processor, and uses %s: " KERNEL_OTHER_LEVELS, missing, title);
}

static int cpu_open(struct executor **out, const struct executor_config *config, struct assay_error *e)
{
    *out = NULL;
    const struct cpu_kernels *kernels = cpu_kernels_by_name(config->level);
    if (!kernels)
        return cpu_no_level(config->level, e);
    const char *const title = cpu_level_title(kernels->level);
    const unsigned all = cpu_threads(config), threads = config->groups ? (all + config->group) / config->groups : all;
    if (config->device && !device_name_matches(config->device, 0, title) &&
        !device_name_matches(config->device, 0, "CPU"))
        return assay_fail(e, ASSAY_EDEVICE, "cpu: no device '%s': there is only 0, 'CPU (%s)'", config->device, title);
    if (all > MAX_THREADS)
        return assay_fail(e, ASSAY_EUSAGE, "%u threads: at most %d", all, MAX_THREADS);
    struct cpu_executor *x = calloc(1, sizeof *x);
    if (!x)
        return assay_fail_memory(e, "the CPU executor");
    *x = (struct cpu_executor){.base = {.ops = &executor_cpu, .threads = threads, .depth = 1}, .kernels = kernels,
                               .tile_w = config->tile_w, .tile_h = config->tile_h, .strip_h = config->strip_h};
    cpu_describe(&x->base, title, config->level ? NULL : cpu_kernels_missing(NULL));
    *out = &x->base;
    const int rc = cpu_pool_new(&x->pool, threads, all, e);
    if (rc)
        cpu_close(out);
    return rc;
}

/* Many threads wait for each other at the end of every wave. What earlier frames keep is at hand in one group alone. A
 * group takes at most what passes write, and the inputs of a frame and of the next one. */
static uint32_t cpu_groups(const struct executor_config *c)
{
    struct graph_kept kept = {.bytes = 0};
    const bool apart = c->graph && !c->graph->keep && !graph_kept_plan(&kept, c->graph, NULL) && !kept.bytes;
    const uint64_t bytes = apart ? graph_memory(c->graph) + 2 * graph_input_bytes(c->graph) : 0;
    const uint32_t fit = !apart ? 1 : c->in_flight ? c->in_flight : (uint32_t)(GROUPS_MOST / (bytes + 1)) + 1,
                   pay = c->frames ? c->frames / GROUP_FRAMES : MOST_GROUPS;
    graph_kept_free(&kept);
    return strips_least(strips_least(fit, pay), strips_least(MOST_GROUPS, cpu_threads(c) / GROUP_THREADS));
}

static uint32_t cpu_divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

/* The schedule's tiles, or smaller ones when a test asks. Sizes are powers of two: a tile then lies inside one of the
 * blocks that kernels define (32x32), and its width is a multiple of the widest vector. */
static struct strips_tiles cpu_pass_tiles(const struct cpu_executor *x, const struct graph_pass_info *pass)
{
    const struct kernel_schedule *s = &assay_kernel_info[pass->kernel].schedule[TARGET_CPU];
    const uint32_t w = x->tile_w ? strips_least(x->tile_w, s->tile_w) : s->tile_w;
    return (struct strips_tiles){.w = w, .h = x->tile_h ? strips_least(x->tile_h, s->tile_h) : s->tile_h,
                                 .across = cpu_divide_up(pass->grid_w, w)};
}

static int cpu_prepare(struct executor *base, const struct graph *g, uint32_t slots, struct assay_error *e)
{
    struct cpu_executor *x = (struct cpu_executor *)base;
    x->graph = g;
    if (!(x->tiles = calloc(g->passes + 1, sizeof *x->tiles)))
        return assay_fail_memory(e, "the plan of strips");
    for (graph_pass p = 0; p < g->passes; p++)
        x->tiles[p] = cpu_pass_tiles(x, &g->pass[p]);
    TRY(strips_plan(&x->strips, g, &(struct strips_config){x->tiles, x->strip_h, base->threads}, e));
    TRY(together_plan(&x->together, g, e));
    TRY(graph_kept_plan(&x->kept, g, e));
    if (g->keep || x->kept.bytes * slots > KEPT_MOST)
        graph_kept_free(&x->kept);
    x->slot = calloc(slots, sizeof *x->slot);
    x->storage = calloc(x->strips->storages + 1, sizeof *x->storage);
    x->job = calloc(g->passes + 1, sizeof *x->job);
    x->tile_extrema = calloc(x->strips->most_pairs + 1, 2 * sizeof *x->tile_extrema);
    if (!x->slot || !x->storage || !x->job || !x->tile_extrema)
        return assay_fail_memory(e, "the CPU executor");
    x->slots = slots;
    for (uint32_t s = 0; s < slots; s++) {
        x->slot[s].totals = calloc(g->totals + 1, sizeof(int64_t));
        x->slot[s].extrema = calloc(g->extrema + 1, 2 * sizeof(uint32_t));
        if (!x->slot[s].totals || !x->slot[s].extrema)
            return assay_fail_memory(e, "the totals of a frame");
    }
    /* 64 bytes more: an executor may read whole words at the end of the last row. */
    for (uint32_t i = 0; i < x->strips->storages; i++)
        if (!(x->storage[i] = memory_planes(x->strips->storage_bytes[i] + 64)))
            return assay_fail(e, ASSAY_EINTERNAL, "out of memory for an intermediate plane of %llu bytes",
                              (unsigned long long)x->strips->storage_bytes[i]);
    return ASSAY_OK;
}

/* Joins the pairs of the tiles to what earlier strips found. */
static void cpu_join_extrema(const struct cpu_job *job, const struct graph_pass_info *pass, uint32_t *best)
{
    for (uint32_t k = 0; k < pass->extrema_n; k++)
        for (uint32_t t = 0; t < job->tiles; t++)
            extremum_join(best + 2 * k, job->args.extrema + 2 * ((size_t)t * pass->extrema_n + k));
}

/* What an earlier frame has kept of age `age`; NULL: nothing, or it is the frame that runs in `own`. */
static char *cpu_kept(const struct cpu_executor *x, uint32_t age, const struct cpu_slot *own,
                      const struct frame_inputs *inputs)
{
    const uint32_t held = age && x->kept.bytes ? inputs->held[age - 1] : 0;
    return held && &x->slot[held - 1] != own ? x->slot[held - 1].kept : NULL;
}

/* Where a plane that passes write is: with what a frame keeps, or in the executor's memory for the frame that runs. */
static struct kernel_plane cpu_written(const struct cpu_executor *x, graph_plane plane, uint32_t step,
                                       const struct cpu_slot *own, const struct frame_inputs *inputs)
{
    const struct graph_plane_info *p = &x->graph->plane[plane];
    const uint32_t place = x->kept.bytes ? x->kept.place[plane] : 0;
    char *const kept = !place ? NULL
                       : x->kept.plane_age[plane] ? cpu_kept(x, x->kept.plane_age[plane], own, inputs) : own->kept;
    if (!kept)
        return strips_view(x->strips, x->graph, plane, step, x->storage);
    return (struct kernel_plane){.data = kept + place - 1, .stride = (ptrdiff_t)graph_stride(p),
                                 .width = (int32_t)p->width, .height = (int32_t)p->height};
}

/* What the kernel reads of plane i of a pass for these rows of its grid. */
static struct kernel_plane cpu_view(const struct cpu_executor *x, graph_pass p, unsigned i, uint32_t step,
                                    const struct cpu_slot *slot, const struct frame_inputs *inputs,
                                    const struct cpu_job *job)
{
    const struct graph_pass_info *pass = &x->graph->pass[p];
    const struct graph_plane_info *plane = &x->graph->plane[pass->plane[i]];
    uint32_t first, end;
    struct kernel_plane view = plane->table ? frame_table(plane)
                             : plane->input ? *frame_input(inputs, plane)
                                            : cpu_written(x, pass->plane[i], step, slot, inputs);
    strips_touched(x->graph, pass, i, job->row, job->end_row, &first, &end);
    view.first_row = (int32_t)first;
    view.end_row = (int32_t)end;
    return view;
}

/* Whether no encode needs what a pass writes. */
static bool cpu_is_idle(const struct graph *g, graph_pass p, const struct frame_inputs *inputs)
{
    return g->pass[p].encodes && !(g->pass[p].encodes & ~inputs->without);
}

/* The first of the passes that run together with p and that is not idle; p itself where all are. */
static graph_pass cpu_leader(const struct cpu_executor *x, graph_pass p, const struct frame_inputs *inputs)
{
    graph_pass q = x->together->pass[p].leader;
    while (q < x->graph->passes && cpu_is_idle(x->graph, q, inputs))
        q = x->together->pass[q].next;
    return q < x->graph->passes ? q : p;
}

/* The rows of pass p that run in a step: none where another pass runs it together with its own, or where it is idle. */
static void cpu_set_job(const struct cpu_executor *x, graph_pass p, uint32_t step, const struct cpu_slot *slot,
                        const struct frame_inputs *inputs, uint32_t *extrema, struct cpu_job *job)
{
    const struct graph *g = x->graph;
    const struct graph_pass_info *pass = &g->pass[p];
    const struct kernel_info *k = &assay_kernel_info[pass->kernel];
    const struct strips_tiles *tiles = &x->tiles[p];
    *job = (struct cpu_job){.tile_w = tiles->w, .tile_h = tiles->h, .tiles_x = tiles->across,
                            .row = strips_done(x->strips, step, p), .end_row = strips_done(x->strips, step + 1, p)};
    if (cpu_is_idle(g, p, inputs) || cpu_leader(x, p, inputs) != p ||
        (x->kept.bytes && cpu_kept(x, x->kept.pass_age[p], slot, inputs)))
        return;
    job->tiles = job->tiles_x * cpu_divide_up(job->end_row - job->row, job->tile_h);
    job->run = cpu_kernel(x->kernels, pass->kernel);
    job->args.grid_w = (int32_t)pass->grid_w;
    job->args.grid_h = (int32_t)pass->grid_h;
    memcpy(job->args.param, pass->param, sizeof pass->param);
    for (unsigned i = 0; i < k->planes_in + k->planes_out; i++)
        job->args.plane[i] = cpu_view(x, p, i, step, slot, inputs, job);
    struct kernel_encode *const other = x->together->other + x->together->pass[x->together->pass[p].leader].from;
    for (graph_pass q = x->together->pass[p].next; q < g->passes; q = x->together->pass[q].next)
        if (!cpu_is_idle(g, q, inputs))
            other[job->args.others++] = (struct kernel_encode){
                .plane = cpu_view(x, q, k->encode_plane, step, slot, inputs, job),
                .totals = slot->totals + g->pass[q].totals};
    job->args.other = other;
    job->args.totals = slot->totals + pass->totals;
    job->args.extrema = extrema;
    extrema_clear(extrema, (size_t)job->tiles * pass->extrema_n);
}

static void cpu_run_step(struct cpu_executor *x, uint32_t step, struct cpu_slot *s, const struct frame_inputs *inputs)
{
    const struct strips *b = x->strips;
    const graph_pass *order = b->order + (size_t)step * b->passes;
    strips_move(b, x->graph, step, x->storage);
    for (uint32_t begin = 0, end; begin < b->turn[step].running; begin = end) {
        uint32_t *extrema = x->tile_extrema;
        end = b->wave_end[(size_t)step * b->passes + begin];
        for (uint32_t i = begin; i < end; i++) {
            struct cpu_job *job = &x->job[i - begin];
            cpu_set_job(x, order[i], step, s, inputs, extrema, job);
            extrema += 2 * (size_t)job->tiles * x->graph->pass[order[i]].extrema_n;
        }
        cpu_pool_run(x->pool, x->job, end - begin);
        for (uint32_t i = begin; i < end; i++) {
            const struct graph_pass_info *pass = &x->graph->pass[order[i]];
            cpu_join_extrema(&x->job[i - begin], pass, s->extrema + 2 * (size_t)pass->extrema);
        }
    }
}

static int cpu_submit(struct executor *base, uint32_t slot, const struct frame_inputs *inputs, struct assay_error *e)
{
    struct cpu_executor *x = (struct cpu_executor *)base;
    const struct graph *g = x->graph;
    struct cpu_slot *s = &x->slot[slot];
    s->times = (struct frame_times){.passes = {base->timed ? clock_ns() : 0}};
    memset(s->totals, 0, g->totals * sizeof(int64_t));
    if (x->kept.bytes && !s->kept && !(s->kept = memory_planes(x->kept.bytes + 64)))
        return assay_fail_memory(e, "what a frame keeps for later ones");
    extrema_clear(s->extrema, g->extrema);
    for (uint32_t step = 0; step < x->strips->steps; step++)
        cpu_run_step(x, step, s, inputs);
    base->passes_run += g->passes;
    s->times.passes[1] = base->timed ? clock_ns() : 0;
    base->submissions++;
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
    const struct kernel_plane view = strips_view(x->strips, x->graph, plane, x->strips->steps - 1, x->storage);
    for (uint32_t y = 0; y < p->height; y++)
        memcpy((char *)dst + y * dst_stride, (const char *)view.data + (ptrdiff_t)y * view.stride,
               (size_t)p->width * sample_size(p->type));
    (void)slot, (void)e;
    return ASSAY_OK;
}

static void *cpu_host_alloc(struct executor *base, uint32_t slot, size_t bytes)
{
    (void)base, (void)slot;
    return memory_planes(bytes);
}

static void cpu_host_free(struct executor *base, uint32_t slot, void *memory)
{
    (void)base, (void)slot;
    memory_aligned_free(memory);
}

/* Both kinds of copies are one thread's copy within memory. */
static int cpu_copy_rate(struct executor *base, enum executor_copy kind, size_t bytes, unsigned times, double *seconds,
                         struct assay_error *e)
{
    char *const from = memory_planes(bytes), *const to = memory_planes(bytes);
    (void)base, (void)kind;
    if (from && to) {
        memset(from, 1, bytes);
        memset(to, 2, bytes);
        const uint64_t start = clock_ns();
        for (unsigned i = 0; i < times; i++) {
            memcpy(to, from, bytes);
            __asm__ volatile("" : : "r"(to) : "memory"); /* every copy is made */
        }
        *seconds = clock_seconds_since(start);
    }
    const int rc = from && to ? ASSAY_OK : assay_fail_memory(e, "a copy");
    memory_aligned_free(from);
    memory_aligned_free(to);
    return rc;
}

static uint64_t cpu_memory(const struct executor *base, const struct graph *g, uint32_t slots)
{
    const struct cpu_executor *x = (const struct cpu_executor *)base;
    return strips_memory(x->strips) + slots * ((uint64_t)g->totals * sizeof(int64_t) + x->kept.bytes);
}

static void cpu_print_memory(const struct executor *base, const struct graph *g, FILE *out)
{
    strips_print(((const struct cpu_executor *)base)->strips, g, out);
}

const struct executor_ops executor_cpu = {
    .name = "cpu", .open = cpu_open, .groups = cpu_groups, .prepare = cpu_prepare, .host_alloc = cpu_host_alloc,
    .host_free = cpu_host_free, .submit = cpu_submit, .wait = cpu_wait, .read_plane = cpu_read_plane,
    .memory = cpu_memory, .print_memory = cpu_print_memory, .close = cpu_close, .copy_rate = cpu_copy_rate,
};
