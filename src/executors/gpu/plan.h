/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan of a graph on a GPU: how a pass is cut into workgroups, where planes and results lie, where passes wait for
 * each other. No graphics API here.
 */
#ifndef ASSAY_EXECUTORS_GPU_PLAN_H
#define ASSAY_EXECUTORS_GPU_PLAN_H

#include "executors/executor.h"
#include "executors/gpu/memory.h"
#include "executors/gpu/shaders.h"

struct gpu_pass {
    struct gpu_kernel kernel;
    uint32_t groups_x, groups_y;
    uint32_t extrema;    /* first pair, or key, of the pass in the buffer of results, counted from extrema_offset */
    bool totals_bound, extrema_bound;
    bool waits;          /* the first of its level: a barrier stands before it */
};

struct gpu_plan {
    const struct graph *graph;
    struct gpu_pass *pass;
    graph_pass *order;       /* the passes by level (graph.h) */
    /* input planes by age, side and component: the order in which a session's own planes lie */
    graph_plane *input;
    uint32_t inputs;
    bool history;            /* some input is of an earlier frame */
    bool *kept;              /* by plane: later frames read this input */
    uint64_t *input_offset;  /* of an input plane in the slot's buffer of inputs, by plane */
    uint64_t input_bytes;    /* of that buffer */
    uint32_t pairs;          /* of extrema: 64 bits each, tiles apart where limits->extrema_keys is not set */
    uint64_t extrema_offset; /* of the extrema in the buffer of results; the totals start at 0 */
    uint64_t results_bytes;
};

/* Finds a kernel that fits the limits; gpu_device_ops.kernel. */
typedef int gpu_find_kernel(const struct gpu_limits *limits, unsigned kernel, struct gpu_kernel *out,
                            struct assay_error *e);

/* Fails when a plane or a pass exceeds the limits. */
int gpu_plan_init(struct gpu_plan *plan, const struct graph *g, const struct gpu_limits *limits, gpu_find_kernel *find,
                  struct assay_error *e);
void gpu_plan_free(struct gpu_plan *plan);

/* Device memory of one frame in flight. */
uint64_t gpu_plan_slot_bytes(const struct gpu_plan *plan);

/* Fails when `slots` frames in flight on `device` need more than `available` bytes. */
int gpu_plan_fits(const struct gpu_plan *plan, const char *device, uint32_t slots, uint64_t available,
                  struct assay_error *e);

/* Bytes of a plane from its first sample to its last one, rows at graph_stride. */
uint64_t gpu_plane_bytes(const struct graph_plane_info *plane);

/* Constants of a pass. */
void gpu_plan_push(const struct gpu_plan *plan, graph_pass p, struct shader_push *push);

/* The graph's extrema from the buffer of results. */
void gpu_plan_extrema(const struct gpu_plan *plan, const struct gpu_limits *limits, const void *results,
                      uint32_t *extrema);

#endif
