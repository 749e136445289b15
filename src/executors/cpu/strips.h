/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan by which a graph runs in strips of rows. In each step every pass runs the next tiles whose inputs are
 * complete. A plane keeps only the rows that a later tile reads: its window. Kernels state which rows they read and
 * write (struct kernel_rows). A plane for which a kernel states nothing is kept whole, and a pass that reads such a
 * plane waits for all of it. Every tile of every pass runs once, at its usual place, so no result depends on the plan.
 * A plan of one step is the graph's own.
 *
 * Of several encodes one runs through a band of the picture in such steps, then the next one through the same band: so
 * its windows stay in a cache. Planes of the reference that several encodes read are kept for a band. The band is the
 * whole picture, and the encodes' windows share their memory, unless those planes are so large that lower bands and
 * windows for every encode take less.
 */
#ifndef ASSAY_EXECUTORS_CPU_STRIPS_H
#define ASSAY_EXECUTORS_CPU_STRIPS_H

#include "graph/graph.h"

/* The tiles of a pass. */
struct strips_tiles {
    uint32_t w, h, across; /* across: tiles side by side */
};

struct strips_config {
    const struct strips_tiles *tiles; /* [pass] */
    uint32_t rows;                    /* rows of the tallest grid in a step; 0: the planner's choice */
    unsigned threads;                 /* threads that share a step */
};

/* The place of a plane's rows. Inputs have none. */
struct strips_plane {
    uint32_t storage;
    uint32_t layers;
    uint32_t height; /* rows of a layer */
    uint32_t window; /* rows of each layer that have memory */
};

/* What a step runs: the passes of one encode, those that set the pace up to `part` of b->parts of their rows. */
struct strips_turn {
    uint32_t encode, part;
    uint32_t running; /* passes in the step's part of `order` */
};

struct strips {
    uint32_t steps, passes, planes;
    uint32_t parts;              /* of a grid's height; each encode has as many steps */
    struct strips_turn *turn;    /* [steps] */
    uint32_t *done;              /* [steps][passes]: rows of the grid that are done after the step */
    uint32_t *first;             /* [steps][planes]: the row that its window starts with during the step */
    /* [steps][passes]: the passes that run in the step, in waves. Passes of a wave share no storage that one of them
     * writes. */
    graph_pass *order;
    uint32_t *wave_end;          /* [steps][passes]: for a position in `order` that begins a wave, the wave's end */
    struct strips_plane *plane;
    uint64_t *storage_bytes;
    uint32_t storages;
    uint32_t most_pairs;         /* extrema pairs of the tiles of a wave */
};

/* Plans a sealed graph. The plan keeps no pointer to the graph. */
int strips_plan(struct strips **out, const struct graph *g, const struct strips_config *config, struct assay_error *e);
void strips_free(struct strips **b);

static inline uint32_t strips_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Rows of a pass's grid that are done before a step. */
uint32_t strips_done(const struct strips *b, uint32_t step, graph_pass pass);

/* The rows of each layer of a pass's plane i that rows y0 to y1 - 1 of the grid touch; all where nothing is stated. */
void strips_touched(const struct graph *g, const struct graph_pass_info *pass, unsigned i, uint32_t y0, uint32_t y1,
                    uint32_t *first, uint32_t *end);

/* A plane as kernels see it during a step. Rows count from the picture's first row, wherever the window starts. */
struct kernel_plane strips_view(const struct strips *b, const struct graph *g, graph_plane plane, uint32_t step,
                                void *const *storage);

/* Before a step: moves the rows that are still needed to the start of their windows. */
void strips_move(const struct strips *b, const struct graph *g, uint32_t step, void *const *storage);

/* Bytes of all storages. */
uint64_t strips_memory(const struct strips *b);

/* Prints a line per storage. */
void strips_print(const struct strips *b, const struct graph *g, FILE *out);

#endif
