/* SPDX-License-Identifier: BSD-2-Clause */
/* One pass of one kernel, and the planes and results of one run. A C kernel runs it tile by tile. */
#ifndef ASSAY_SELFTEST_TRIAL_H
#define ASSAY_SELFTEST_TRIAL_H

#include <stdbool.h>

#include "graph/graph.h"

enum { TRIAL_EXTREMA = 4 };

/* A pass without its planes' samples. */
struct trial_pass {
    const struct kernel_info *info;
    uint16_t kernel; /* index into assay_kernel_info */
    struct { uint32_t width, height; } plane[KERNEL_PLANES]; /* read, then written */
    uint32_t grid_w, grid_h;
    union kernel_param param[KERNEL_PARAMS];
    uint32_t bits;   /* of u8 and u16 samples that a pattern fills in */
};

/* The planes of a pass, read and written, and its results. */
struct trial {
    struct kernel_plane plane[KERNEL_PLANES];
    int64_t *totals;
    uint32_t *extrema; /* (value, position) pairs */
    int32_t others;    /* encodes that a tile is computed for beside that of `plane` and `totals`, 0 on a device */
    const struct kernel_encode *other;
};

/* A pass of a graph. */
struct trial_pass trial_of(const struct graph *g, graph_pass pass);

/* The number of 64-bit words that the pass adds to: sums, then bins or row sums. */
size_t trial_totals(const struct trial_pass *pass);

/* Runs the whole grid in tiles of at most tile_w x tile_h (0: the schedule's own) with a kernel built in C. The totals
 * are added to; the extrema are overwritten. */
void trial_run(const struct trial_pass *pass, kernel_fn *run, const struct trial *t, uint32_t tile_w, uint32_t tile_h);

/* Clears the totals and runs the scalar kernel, which every library holds. */
void trial_expect(const struct trial_pass *pass, const struct trial *t);

/* Describes the first difference of two trials, with both bit patterns and the input samples there. False when they are
 * equal. */
bool trial_difference(const struct trial *expected, const struct trial *got, const struct trial_pass *pass, char *text,
                      size_t size);

#endif
