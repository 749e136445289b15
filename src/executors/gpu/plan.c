/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/gpu/plan.h"

#include <stdlib.h>
#include <string.h>

enum {
    MINIMAL_SHARED_BYTES = 16384,
    MINIMAL_THREADS = 128,
    MINIMAL_GROUPS = 65535,
    MINIMAL_BINDING = 128 << 20,
    ROW_ALIGN = 64, /* of rows: kernels read words, and copies like whole cache lines */
};

int gpu_limits_from_environment(struct gpu_limits *limits, struct assay_error *e)
{
    const char *text = getenv("ASSAY_GPU_LIMITS");
    if (!text || !*text || !strcmp(text, "full"))
        return ASSAY_OK;
    if (strcmp(text, "minimal"))
        return assay_fail(e, ASSAY_EUSAGE, "ASSAY_GPU_LIMITS is 'minimal' or 'full', not '%s'", text);
    limits->binding_bytes = MINIMAL_BINDING;
    limits->shared_bytes = MINIMAL_SHARED_BYTES;
    limits->threads = MINIMAL_THREADS;
    limits->groups[0] = limits->groups[1] = MINIMAL_GROUPS;
    limits->subgroups = false;
    limits->minimal = true;
    return ASSAY_OK;
}

int gpu_shaders_open(struct gpu_limits *limits, enum module_name name, struct assay_error *e)
{
    const struct module *module;
    const int rc = module_open(name, &module, e);
    limits->shaders = rc ? NULL : module->content;
    return rc;
}

static bool fits(const struct shader *s, enum shader_kind kind, const struct gpu_limits *limits)
{
    return s->shared_bytes <= limits->shared_bytes && s->threads <= limits->threads &&
           (kind == SHADER_MIN || limits->subgroups);
}

static int plan_pass(struct gpu_plan *plan, graph_pass p, const struct gpu_limits *limits, struct assay_error *e)
{
    const struct graph_pass_info *pass = &plan->graph->pass[p];
    const struct kernel_info *k = &assay_kernel_info[pass->kernel];
    struct gpu_pass *out = &plan->pass[p];
    out->kind = fits(&limits->shaders->shader[SHADER_FULL][pass->kernel], SHADER_FULL, limits) ? SHADER_FULL : SHADER_MIN;
    out->shader = &limits->shaders->shader[out->kind][pass->kernel];
    if (!fits(out->shader, out->kind, limits))
        return assay_fail(e, ASSAY_EDEVICE, "kernel %s needs %u bytes of shared memory and %u invocations per workgroup; "
                          "the device has %u and %u", k->name, out->shader->shared_bytes, out->shader->threads,
                          limits->shared_bytes, limits->threads);
    out->groups_x = (pass->grid_w + out->shader->tile_w - 1) / out->shader->tile_w;
    out->groups_y = (pass->grid_h + out->shader->tile_h - 1) / out->shader->tile_h;
    if (out->groups_x > limits->groups[0] || out->groups_y > limits->groups[1])
        return assay_fail(e, ASSAY_EDEVICE, "kernel %s on %ux%u items: the device takes at most %ux%u workgroups", k->name,
                          pass->grid_w, pass->grid_h, limits->groups[0], limits->groups[1]);
    out->totals_bound = k->sums || k->histogram || k->row_sums;
    out->extrema_bound = k->extrema;
    out->bindings = (uint8_t)(k->planes_in + k->planes_out + out->totals_bound + out->extrema_bound);
    const uint64_t pairs = (uint64_t)out->groups_x * out->groups_y * k->extrema + plan->pairs;
    if (pairs > INT32_MAX / 8)
        return assay_fail(e, ASSAY_EDEVICE, "kernel %s: too many tiles with extrema", k->name);
    out->extrema = plan->pairs;
    plan->pairs = (uint32_t)pairs;
    return ASSAY_OK;
}

/* A barrier stands before a pass that reads or writes a storage written since the last barrier, or writes one read since. */
static int plan_waits(struct gpu_plan *plan, struct assay_error *e)
{
    enum { READ = 1, WRITTEN = 2 };
    const struct graph *g = plan->graph;
    uint8_t *touched = calloc(g->storages + 1, 1);
    if (!touched)
        return assay_fail_memory(e, "the GPU plan");
    for (graph_pass p = 0; p < g->passes; p++) {
        const struct kernel_info *k = &assay_kernel_info[g->pass[p].kernel];
        const unsigned planes = k->planes_in + k->planes_out;
        for (int round = 0; round < 2; round++) {
            for (unsigned i = 0; i < planes; i++) {
                const struct graph_plane_info *plane = &g->plane[g->pass[p].plane[i]];
                const bool writes = i >= k->planes_in;
                if (plane->input)
                    continue;
                if (round)
                    touched[plane->storage] |= writes ? WRITTEN : READ;
                else if (touched[plane->storage] & (writes ? READ | WRITTEN : WRITTEN))
                    plan->pass[p].waits = true;
            }
            if (!round && plan->pass[p].waits)
                memset(touched, 0, g->storages);
        }
    }
    free(touched);
    return ASSAY_OK;
}

uint32_t gpu_input_stride(const struct graph_plane_info *plane)
{
    return (plane->width * sample_size(plane->type) + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
}

uint64_t gpu_storage_bytes(const struct graph *g, uint32_t storage)
{
    return (g->storage_bytes[storage] + 3) / 4 * 4;
}

static int check_plane(const struct graph_plane_info *plane, uint64_t bytes, const struct gpu_limits *limits,
                       struct assay_error *e)
{
    const uint64_t most = limits->binding_bytes < INT32_MAX ? limits->binding_bytes : INT32_MAX;
    if (bytes <= most)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EDEVICE, "a plane of %ux%u needs %llu bytes; the device binds at most %llu", plane->width,
                      plane->height, (unsigned long long)bytes, (unsigned long long)most);
}

static uint64_t align_up(uint64_t value, uint64_t to)
{
    return (value + to - 1) / to * to;
}

static int plan_planes(struct gpu_plan *plan, const struct gpu_limits *limits, struct assay_error *e)
{
    const struct graph *g = plan->graph;
    const uint64_t align = limits->offset_align > ROW_ALIGN ? limits->offset_align : ROW_ALIGN;
    int rc = ASSAY_OK;
    for (graph_plane i = 0; !rc && i < g->planes; i++) {
        const struct graph_plane_info *plane = &g->plane[i];
        if (plane->input) {
            /* Room for rows that the host pads by one more step, so that they need not be packed. */
            plan->input_room[i] = (uint64_t)(gpu_input_stride(plane) + ROW_ALIGN) * plane->height;
            plan->input_offset[i] = plan->input_bytes;
            plan->input_bytes += align_up(plan->input_room[i], align);
            rc = check_plane(plane, plan->input_room[i], limits, e);
        } else {
            rc = check_plane(plane, gpu_storage_bytes(g, plane->storage), limits, e);
        }
    }
    plan->extrema_offset = align_up((uint64_t)g->totals * 8, align);
    plan->results_bytes = plan->extrema_offset + (uint64_t)plan->pairs * 8;
    if (!plan->results_bytes)
        plan->results_bytes = 8;
    if (!rc && plan->results_bytes > limits->binding_bytes)
        rc = assay_fail(e, ASSAY_EDEVICE, "%llu bytes of totals: the device binds at most %llu",
                        (unsigned long long)plan->results_bytes, (unsigned long long)limits->binding_bytes);
    return rc;
}

int gpu_plan_init(struct gpu_plan *plan, const struct graph *g, const struct gpu_limits *limits, struct assay_error *e)
{
    *plan = (struct gpu_plan){.graph = g};
    plan->pass = calloc(g->passes + 1, sizeof *plan->pass);
    plan->input_offset = calloc(g->planes + 1, sizeof *plan->input_offset);
    plan->input_room = calloc(g->planes + 1, sizeof *plan->input_room);
    int rc = plan->pass && plan->input_offset && plan->input_room ? ASSAY_OK : assay_fail_memory(e, "the GPU plan");
    for (graph_pass p = 0; !rc && p < g->passes; p++)
        rc = plan_pass(plan, p, limits, e);
    if (!rc)
        rc = plan_waits(plan, e);
    if (!rc)
        rc = plan_planes(plan, limits, e);
    if (rc)
        gpu_plan_free(plan);
    return rc;
}

void gpu_plan_free(struct gpu_plan *plan)
{
    free(plan->pass);
    free(plan->input_offset);
    free(plan->input_room);
    *plan = (struct gpu_plan){0};
}

uint64_t gpu_plan_slot_bytes(const struct gpu_plan *plan)
{
    uint64_t bytes = plan->input_bytes + plan->results_bytes;
    for (uint32_t s = 0; s < plan->graph->storages; s++)
        bytes += gpu_storage_bytes(plan->graph, s);
    return bytes;
}

int gpu_plan_fits(const struct gpu_plan *plan, const char *device, uint32_t slots, uint64_t available,
                  struct assay_error *e)
{
    const uint64_t each = gpu_plan_slot_bytes(plan);
    if (each <= available / slots)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EDEVICE, "%s: %u frames in flight need %llu MiB and %llu MiB are free: %llu would fit",
                      device, slots, (unsigned long long)((each * slots + (1 << 20) - 1) >> 20),
                      (unsigned long long)(available >> 20), (unsigned long long)(available / each));
}

void gpu_plan_push(const struct gpu_plan *plan, graph_pass p, const uint32_t *strides, struct shader_push *push)
{
    const struct graph_pass_info *pass = &plan->graph->pass[p];
    const struct kernel_info *k = &assay_kernel_info[pass->kernel];
    memset(push, 0, sizeof *push);
    for (unsigned i = 0; i < k->planes_in + k->planes_out; i++) {
        const struct graph_plane_info *plane = &plan->graph->plane[pass->plane[i]];
        push->plane[i].stride = plane->input ? (int32_t)strides[pass->plane[i]] : (int32_t)graph_stride(plane);
        push->plane[i].width = (int32_t)plane->width;
        push->plane[i].height = (int32_t)plane->height;
    }
    push->grid_w = (int32_t)pass->grid_w;
    push->grid_h = (int32_t)pass->grid_h;
    push->totals = (int32_t)pass->totals;
    push->extrema = (int32_t)plan->pass[p].extrema;
    memcpy(push->param, pass->param, sizeof push->param);
}

void gpu_plan_extrema(const struct gpu_plan *plan, const uint32_t *pairs, uint32_t *extrema)
{
    for (graph_pass p = 0; p < plan->graph->passes; p++) {
        const struct graph_pass_info *pass = &plan->graph->pass[p];
        const uint32_t tiles = plan->pass[p].groups_x * plan->pass[p].groups_y;
        for (uint32_t k = 0; k < pass->extrema_n; k++) {
            uint32_t *best = extrema + 2 * ((size_t)pass->extrema + k);
            best[0] = 0;
            best[1] = UINT32_MAX;
            for (uint32_t t = 0; t < tiles; t++) {
                const uint32_t *pair = pairs + 2 * (plan->pass[p].extrema + (size_t)t * pass->extrema_n + k);
                if (pair[0] > best[0] || (pair[0] == best[0] && pair[1] < best[1])) {
                    best[0] = pair[0];
                    best[1] = pair[1];
                }
            }
        }
    }
}
