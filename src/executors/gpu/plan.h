/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every GPU executor does the same way: which shader of a kernel a device takes, how a pass is cut into workgroups,
 * where planes and results lie, where passes have to wait for each other. No graphics API here.
 */
#ifndef ASSAY_EXECUTORS_GPU_PLAN_H
#define ASSAY_EXECUTORS_GPU_PLAN_H

#include "executors/executor.h"
#include "executors/gpu/memory.h"
#include "executors/modules.h"
#include "kernels/shaders/shaders.h"

struct gpu_limits {
    const struct shader_set *shaders; /* of this build */
    uint64_t binding_bytes;  /* largest range of a storage buffer binding */
    uint32_t offset_align;   /* of a binding's offset, a power of two */
    uint32_t shared_bytes, threads, groups[2];
    bool subgroups;          /* 32-bit integer sums over a subgroup */
    bool minimal;            /* lowered for a test */
};

struct gpu_pass {
    const struct shader *shader;
    enum shader_kind kind;
    uint32_t groups_x, groups_y;
    uint32_t extrema;    /* first pair of the pass in the buffer of extrema */
    uint8_t bindings;    /* planes, then totals, then extrema */
    bool totals_bound, extrema_bound;
    bool waits;          /* needs what an earlier pass wrote, or overwrites what one reads or wrote */
};

struct gpu_plan {
    const struct graph *graph;
    struct gpu_pass *pass;
    uint64_t *input_offset;  /* of an input plane in the slot's buffer of inputs, by plane */
    uint64_t *input_room;    /* its bytes there */
    uint64_t input_bytes;    /* of that buffer */
    uint32_t pairs;          /* of extrema, tiles apart */
    uint64_t extrema_offset; /* of the extrema in the buffer of results; the totals start at 0 */
    uint64_t results_bytes;
};

/* ASSAY_GPU_LIMITS=minimal lowers the limits to what every device has, for tests; full (or unset) leaves them. */
int gpu_limits_from_environment(struct gpu_limits *limits, struct assay_error *e);

/* Opens the module that holds the device's shaders. */
int gpu_shaders_open(struct gpu_limits *limits, enum module_name module, struct assay_error *e);

/* Fails when a plane or a pass exceeds the limits. */
int gpu_plan_init(struct gpu_plan *plan, const struct graph *g, const struct gpu_limits *limits, struct assay_error *e);
void gpu_plan_free(struct gpu_plan *plan);

/* Device memory of one frame in flight. */
uint64_t gpu_plan_slot_bytes(const struct gpu_plan *plan);

/* Fails when `slots` frames in flight on `device` need more than `available` bytes, and says how many would fit. */
int gpu_plan_fits(const struct gpu_plan *plan, const char *device, uint32_t slots, uint64_t available,
                  struct assay_error *e);

/* Stride at which an input plane lies on the device when the host's is not kept. */
uint32_t gpu_input_stride(const struct graph_plane_info *plane);

/* Constants of a pass; strides[i] is the stride of the graph's plane i where that is an input. */
void gpu_plan_push(const struct gpu_plan *plan, graph_pass p, const uint32_t *strides, struct shader_push *push);

/* Joins the tiles' pairs into the graph's. */
void gpu_plan_extrema(const struct gpu_plan *plan, const uint32_t *pairs, uint32_t *extrema);

/* Bytes of a storage as bindings see it: whole words. */
uint64_t gpu_storage_bytes(const struct graph *g, uint32_t storage);

#endif
