/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan of a graph on a GPU: the workgroups of each pass, the order of the passes and their barriers, the places of
 * planes and results. It uses no graphics API.
 */
#ifndef ASSAY_EXECUTORS_GPU_PLAN_H
#define ASSAY_EXECUTORS_GPU_PLAN_H

#include "executors/executor.h"
#include "executors/gpu/memory.h"
#include "executors/gpu/shaders.h"
#include "graph/kept.h"

struct gpu_pass {
    struct gpu_kernel kernel;
    uint32_t groups_x, groups_y;
    uint32_t extrema;    /* index of the pass's first pair or key in the results, counted from extrema_offset */
    bool totals_bound, extrema_bound; /* the kernel writes totals, extrema */
    bool waits;          /* the first of its level: a barrier stands before it */
    bool ahead;          /* with `twins`: makes what the frame keeps, of inputs alone, and runs behind their upload */
};

struct gpu_plan {
    const struct graph *graph;
    struct gpu_pass *pass;
    graph_pass *order;       /* the passes by level (graph.h) */
    graph_plane *input;      /* input planes by age, side and component, the order in which a session's planes lie */
    uint32_t inputs;
    bool history;            /* some input plane belongs to an earlier frame */
    bool *kept;              /* [plane]: later frames read this input */
    uint64_t *input_offset;  /* [plane]: bytes from the start of the slot's inputs, or of the tables, to the plane */
    uint64_t input_bytes;    /* of the slot's inputs */
    uint64_t table_bytes;    /* of the tables, which all slots share */
    uint32_t pairs;          /* 64-bit words of extrema: a key each with limits->extrema_keys, else a pair per tile */
    uint64_t extrema_offset; /* bytes from the start of the results to the extrema; the totals come first */
    uint64_t results_bytes;
    struct graph_kept twins; /* what frames keep for later ones, where limits->binds_late; `bytes` 0: nothing */
};

/* Finds a kernel that fits the limits; gpu_device_ops.kernel. */
typedef int gpu_find_kernel(const struct gpu_limits *limits, unsigned kernel, struct gpu_kernel *out,
                            struct assay_error *e);

/* Fails when a plane or a pass exceeds the limits. */
int gpu_plan_init(struct gpu_plan *plan, const struct graph *g, const struct gpu_limits *limits, gpu_find_kernel *find,
                  struct assay_error *e);
void gpu_plan_free(struct gpu_plan *plan);

/* Device memory of one frame in flight, but for plan->twins. */
uint64_t gpu_plan_slot_bytes(const struct gpu_plan *plan);

/* Fails when `slots` frames in flight on `device` need more than `available` bytes. Where there is room for nothing
 * more, no frame keeps anything. */
int gpu_plan_fits(struct gpu_plan *plan, const char *device, uint32_t slots, uint64_t available, struct assay_error *e);

/* Bytes from a plane's first sample to its last one, with rows graph_stride bytes apart. */
uint64_t gpu_plane_bytes(const struct graph_plane_info *plane);

/* Fills in the constants of a pass. */
void gpu_plan_push(const struct gpu_plan *plan, graph_pass p, struct shader_push *push);

/* Reads the graph's extrema from the results. */
void gpu_plan_extrema(const struct gpu_plan *plan, const struct gpu_limits *limits, const void *results,
                      uint32_t *extrema);

#endif
