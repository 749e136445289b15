/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/gpu/plan.h"

#include <stdlib.h>
#include <string.h>

static int gpu_plan_pass(struct gpu_plan *plan, graph_pass p, const struct gpu_limits *limits, gpu_find_kernel *find,
                         struct assay_error *e)
{
    const struct graph_pass_info *pass = &plan->graph->pass[p];
    const struct kernel_info *k = &assay_kernel_info[pass->kernel];
    struct gpu_pass *out = &plan->pass[p];
    TRY(find(limits, pass->kernel, &out->kernel, e));
    out->groups_x = (pass->grid_w + out->kernel.tile_w - 1) / out->kernel.tile_w;
    out->groups_y = (pass->grid_h + out->kernel.tile_h - 1) / out->kernel.tile_h;
    if (out->groups_x > limits->groups[0] || out->groups_y > limits->groups[1])
        return assay_fail(e, ASSAY_EDEVICE, "kernel %s on %ux%u items: the device takes at most %ux%u workgroups",
                          k->name, pass->grid_w, pass->grid_h, limits->groups[0], limits->groups[1]);
    out->totals_bound = k->sums || k->histogram || k->row_sums || k->words;
    out->extrema_bound = k->extrema;
    const uint64_t tiles = limits->extrema_keys ? 1 : (uint64_t)out->groups_x * out->groups_y;
    const uint64_t pairs = tiles * k->extrema + plan->pairs;
    if (pairs > INT32_MAX / 8)
        return assay_fail(e, ASSAY_EDEVICE, "kernel %s: too many tiles with extrema", k->name);
    out->extrema = plan->pairs;
    plan->pairs = (uint32_t)pairs;
    return ASSAY_OK;
}

static int gpu_plan_order(struct gpu_plan *plan, struct assay_error *e)
{
    const struct graph *g = plan->graph;
    plan->order = calloc(g->passes + 1, sizeof *plan->order);
    if (!plan->order)
        return assay_fail_memory(e, "the GPU plan");
    uint32_t n = 0;
    for (uint32_t level = 0; n < g->passes; level++)
        for (graph_pass p = 0; p < g->passes; p++)
            if (g->pass[p].level == level) {
                plan->pass[p].waits = n && g->pass[plan->order[n - 1]].level < level;
                plan->order[n++] = p;
            }
    return ASSAY_OK;
}

uint64_t gpu_plane_bytes(const struct graph_plane_info *plane)
{
    return (uint64_t)graph_stride(plane) * (plane->height - 1) + (uint64_t)plane->width * sample_size(plane->type);
}

static int gpu_plan_check_plane(const struct graph_plane_info *plane, uint64_t bytes, const struct gpu_limits *limits,
                                struct assay_error *e)
{
    if (bytes <= limits->plane_bytes)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EDEVICE, "a plane of %ux%u needs %llu bytes; the device binds at most %llu",
                      plane->width, plane->height, (unsigned long long)bytes, (unsigned long long)limits->plane_bytes);
}

static uint64_t gpu_plan_align(uint64_t value, uint64_t to)
{
    return (value + to - 1) / to * to;
}

static bool gpu_plan_before(const struct graph_plane_info *a, const struct graph_plane_info *b)
{
    return a->age != b->age ? a->age < b->age : a->side != b->side ? a->side < b->side : a->component < b->component;
}

/* Insertion sort: there are few planes. */
static void gpu_plan_sort_inputs(struct gpu_plan *plan)
{
    const struct graph *g = plan->graph;
    for (graph_plane p = 0; p < g->planes; p++) {
        const struct graph_plane_info *plane = &g->plane[p];
        if (!plane->input || plane->table)
            continue;
        if (plane->age)
            plan->history = plan->kept[plane->of] = true;
        uint32_t at = plan->inputs++;
        for (; at > 0 && gpu_plan_before(plane, &g->plane[plan->input[at - 1]]); at--)
            plan->input[at] = plan->input[at - 1];
        plan->input[at] = p;
    }
}

/* Inputs lie without gaps where the alignment of bindings allows it. So do a session's own planes, and then one copy
 * takes all of them. */
static int gpu_plan_planes(struct gpu_plan *plan, const struct gpu_limits *limits, struct assay_error *e)
{
    const struct graph *g = plan->graph;
    gpu_plan_sort_inputs(plan);
    for (uint32_t i = 0; i < plan->inputs; i++) {
        const struct graph_plane_info *plane = &g->plane[plan->input[i]];
        plan->input_offset[plan->input[i]] = plan->input_bytes;
        plan->input_bytes += gpu_plan_align((uint64_t)graph_stride(plane) * plane->height, limits->offset_align);
    }
    for (graph_plane i = 0; i < g->planes; i++) {
        const struct graph_plane_info *plane = &g->plane[i];
        if (!plane->table)
            continue;
        plan->input_offset[i] = plan->table_bytes;
        plan->table_bytes += gpu_plan_align((uint64_t)graph_stride(plane) * plane->height, limits->offset_align);
    }
    for (graph_plane i = 0; i < g->planes; i++) {
        const struct graph_plane_info *plane = &g->plane[i];
        const uint64_t bytes = plane->input ? (uint64_t)graph_stride(plane) * plane->height
                                            : g->storage_bytes[plane->storage];
        TRY(gpu_plan_check_plane(plane, bytes, limits, e));
    }
    plan->extrema_offset = gpu_plan_align((uint64_t)g->totals * 8, limits->offset_align > 8 ? limits->offset_align : 8);
    plan->results_bytes = plan->extrema_offset + (uint64_t)plan->pairs * 8;
    if (!plan->results_bytes)
        plan->results_bytes = 8;
    if (plan->results_bytes > limits->binding_bytes)
        return assay_fail(e, ASSAY_EDEVICE, "%llu bytes of totals: the device binds at most %llu",
                          (unsigned long long)plan->results_bytes, (unsigned long long)limits->binding_bytes);
    return ASSAY_OK;
}

/* Passes that make what a frame keeps run ahead of all others. Where one reads more than inputs, nothing is kept. An
 * input of an earlier frame has an age in the plan where no pass of its own needs it. */
static int gpu_plan_twins(struct gpu_plan *plan, struct assay_error *e)
{
    const struct graph *g = plan->graph;
    struct graph_kept *k = &plan->twins;
    TRY(graph_kept_plan(k, g, e));
    for (uint32_t i = 0; i < g->planes; i++)
        k->plane_age[i] = g->plane[i].input && !g->plane[i].table ? g->plane[i].age : k->plane_age[i];
    for (graph_pass p = 0; k->bytes && p < g->passes; p++) {
        const struct kernel_info *info = &assay_kernel_info[g->pass[p].kernel];
        const graph_plane *in = g->pass[p].plane, *out = in + info->planes_in;
        for (unsigned i = 0; i < info->planes_in && !k->pass_age[p]; i++)
            k->plane_age[in[i]] = g->plane[in[i]].input ? 0 : k->plane_age[in[i]];
        for (unsigned i = 0; i < info->planes_out; i++)
            plan->pass[p].ahead = plan->pass[p].ahead || (k->place[out[i]] && !k->plane_age[out[i]]);
        k->bytes = plan->pass[p].ahead && g->pass[p].level ? 0 : k->bytes;
    }
    return ASSAY_OK;
}

static int gpu_plan_make(struct gpu_plan *plan, const struct gpu_limits *limits, gpu_find_kernel *find,
                         struct assay_error *e)
{
    const struct graph *g = plan->graph;
    plan->pass = calloc(g->passes + 1, sizeof *plan->pass);
    plan->input = calloc(g->planes + 1, sizeof *plan->input);
    plan->kept = calloc(g->planes + 1, sizeof *plan->kept);
    plan->input_offset = calloc(g->planes + 1, sizeof *plan->input_offset);
    if (!plan->pass || !plan->input || !plan->kept || !plan->input_offset)
        return assay_fail_memory(e, "the GPU plan");
    for (graph_pass p = 0; p < g->passes; p++)
        TRY(gpu_plan_pass(plan, p, limits, find, e));
    TRY(gpu_plan_order(plan, e));
    TRY(limits->binds_late && !g->keep ? gpu_plan_twins(plan, e) : ASSAY_OK);
    return gpu_plan_planes(plan, limits, e);
}

int gpu_plan_init(struct gpu_plan *plan, const struct graph *g, const struct gpu_limits *limits, gpu_find_kernel *find,
                  struct assay_error *e)
{
    *plan = (struct gpu_plan){.graph = g};
    const int rc = gpu_plan_make(plan, limits, find, e);
    if (rc)
        gpu_plan_free(plan);
    return rc;
}

void gpu_plan_free(struct gpu_plan *plan)
{
    free(plan->pass);
    free(plan->input);
    free(plan->kept);
    free(plan->input_offset);
    free(plan->order);
    graph_kept_free(&plan->twins);
    *plan = (struct gpu_plan){0};
}

uint64_t gpu_plan_slot_bytes(const struct gpu_plan *plan)
{
    return plan->input_bytes + plan->results_bytes + graph_memory(plan->graph);
}

int gpu_plan_fits(struct gpu_plan *plan, const char *device, uint32_t slots, uint64_t available, struct assay_error *e)
{
    const uint64_t each = gpu_plan_slot_bytes(plan),
                   room = (available - (plan->table_bytes < available ? plan->table_bytes : available)) / slots;
    if (each + plan->twins.bytes > room)
        graph_kept_free(&plan->twins);
    if (each <= room)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EDEVICE, "%s: %u frames in flight need %llu MiB and %llu MiB are free", device, slots,
                      (unsigned long long)((each * slots + plan->table_bytes + (1 << 20) - 1) >> 20),
                      (unsigned long long)(available >> 20));
}

void gpu_plan_push(const struct gpu_plan *plan, graph_pass p, struct shader_push *push)
{
    const struct graph_pass_info *pass = &plan->graph->pass[p];
    const struct kernel_info *k = &assay_kernel_info[pass->kernel];
    memset(push, 0, sizeof *push);
    for (unsigned i = 0; i < k->planes_in + k->planes_out; i++) {
        const struct graph_plane_info *plane = &plan->graph->plane[pass->plane[i]];
        push->plane[i].stride = (int32_t)graph_stride(plane);
        push->plane[i].width = (int32_t)plane->width;
        push->plane[i].height = (int32_t)plane->height;
    }
    push->grid_w = (int32_t)pass->grid_w;
    push->grid_h = (int32_t)pass->grid_h;
    push->totals = (int32_t)pass->totals;
    push->extrema = (int32_t)plan->pass[p].extrema;
    memcpy(push->param, pass->param, sizeof push->param);
}

/* A key is value * 2^32 + (2^32 - 1 - position). A pair's words are the value and the position. The largest value wins,
 * among equal values the first position. */
static uint64_t gpu_plan_key(const uint64_t *at, bool keys)
{
    uint32_t pair[2];
    memcpy(pair, at, sizeof pair);
    return keys ? *at : (uint64_t)pair[0] << 32 | (uint32_t)~pair[1];
}

void gpu_plan_extrema(const struct gpu_plan *plan, const struct gpu_limits *limits, const void *results,
                      uint32_t *extrema)
{
    const uint64_t *first = (const uint64_t *)results + plan->extrema_offset / sizeof *first;
    for (graph_pass p = 0; p < plan->graph->passes; p++) {
        const struct graph_pass_info *pass = &plan->graph->pass[p];
        const struct gpu_pass *planned = &plan->pass[p];
        const uint32_t tiles = limits->extrema_keys ? 1 : planned->groups_x * planned->groups_y;
        for (uint32_t k = 0; k < pass->extrema_n; k++) {
            uint64_t best = 0; /* value 0 at position 2^32 - 1, the least of all keys */
            for (uint32_t t = 0; t < tiles; t++) {
                const uint64_t key = gpu_plan_key(first + planned->extrema + (size_t)t * pass->extrema_n + k,
                                              limits->extrema_keys);
                best = key > best ? key : best;
            }
            extrema[2 * ((size_t)pass->extrema + k)] = (uint32_t)(best >> 32);
            extrema[2 * ((size_t)pass->extrema + k) + 1] = ~(uint32_t)best;
        }
    }
}
