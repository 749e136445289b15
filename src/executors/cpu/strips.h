/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan by which a graph runs in strips of rows: in each step every pass runs the next tiles whose inputs are
 * there, and of a plane only the rows are kept that somebody still needs. It rests on what kernels state of their
 * rows (struct kernel_rows); a plane of which nothing is stated is whole, and a pass that reads such a plane waits
 * for all of it. Every tile of every pass runs once, where it always lies, so no result depends on the plan. One step
 * is the graph as it was sealed.
 */
#ifndef ASSAY_EXECUTORS_CPU_STRIPS_H
#define ASSAY_EXECUTORS_CPU_STRIPS_H

#include "graph/graph.h"

struct strips_config {
    const uint32_t *tile_h;  /* by pass: rows of its tiles */
    const uint32_t *tiles_x; /* by pass: tiles in a row of them */
    uint32_t rows;           /* of the tallest grid in a step; 0: the planner's choice */
    unsigned threads;        /* that share a step */
};

/* Where the rows of a plane lie; none for inputs. */
struct strips_plane {
    uint32_t storage;
    uint32_t layers;
    uint32_t height; /* rows of a layer */
    uint32_t window; /* rows of each layer that there is room for */
};

struct strips {
    uint32_t steps, passes, planes;
    uint32_t *done;              /* [steps][passes]: rows of the grid that are done after the step */
    uint32_t *first;             /* [steps][planes]: the row that its window starts with during the step */
    /* [steps][passes]: those that run in the step, in waves: passes of a wave don't touch each other's */
    graph_pass *order;
    /* planes. [steps][passes]: by position in the order that starts a wave, where it ends */
    uint32_t *wave_end;
    uint32_t *running;           /* [steps]: how many run */
    struct strips_plane *plane;
    uint64_t *storage_bytes;
    uint32_t storages;
    uint32_t most_pairs;         /* extrema pairs of the tiles of a wave */
};

/* A sealed graph without views; the strips hold nothing of it. */
int strips_plan(struct strips **out, const struct graph *g, const struct strips_config *config, struct assay_error *e);
void strips_free(struct strips **b);

/* Rows of the grid of a pass that are done before a step. */
uint32_t strips_done(const struct strips *b, uint32_t step, graph_pass pass);

/* Rows of each layer that rows y0 to y1 - 1 of the grid touch of plane i of a pass; all where nothing is stated. */
void strips_touched(const struct graph *g, const struct graph_pass_info *pass, unsigned i, uint32_t y0, uint32_t y1,
                    uint32_t *first, uint32_t *end);

/* A plane as kernels see it during a step: rows count from the picture's first one, also where the
 * window starts further down. */
struct kernel_plane strips_view(const struct strips *b, const struct graph *g, graph_plane plane, uint32_t step,
                                void *const *storage);

/* Before a step: moves the rows that are still needed to where their windows start now. */
void strips_move(const struct strips *b, const struct graph *g, uint32_t step, void *const *storage);

/* Bytes of all storages. */
uint64_t strips_memory(const struct strips *b);

/* For people: a line per storage. */
void strips_print(const struct strips *b, const struct graph *g, FILE *out);

#endif
