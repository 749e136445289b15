/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Passes that share a graph. Opening a device costs more than a pass, and a frame pair has six planes: passes that read the
 * same planes, or few enough different ones, run as one frame.
 */
#ifndef ASSAY_SELFTEST_BATCH_H
#define ASSAY_SELFTEST_BATCH_H

#include "graph/graph.h"
#include "selftest/cases.h"

enum { BATCH_INPUTS = 6 };

/* One pass: a kernel with one of its sets of parameters. */
struct batch_entry {
    struct recipe_pass recipe;
    unsigned set;
    unsigned result; /* whose it is: an index of the caller's */
    unsigned input[KERNEL_PLANES]; /* which planes of the batch it reads */
    graph_pass pass;               /* after batch_graph */
    graph_plane out[KERNEL_PLANES];
};

struct batch {
    struct batch_entry *entry;
    unsigned entries, capacity;
    /* A plane of the frame pair is filled as plane `plane` of the pass of entry `entry`. */
    struct { unsigned entry, plane; } input[BATCH_INPUTS];
    unsigned inputs;
};

struct batches {
    struct batch *batch;
    unsigned n, capacity;
};

/* Adds a kernel with all of its sets of parameters where there is room. */
int batches_add(struct batches *b, unsigned kernel, unsigned result, struct assay_error *e);

/* A batch of its own for a kernel with its first set of parameters, on frames of another size. */
int batches_add_one(struct batches *b, unsigned kernel, uint32_t width, uint32_t height, struct assay_error *e);
void batches_free(struct batches *b);

/* The sealed graph of a batch, every plane of which is kept; NULL when that fails. */
struct graph *batch_graph(struct batch *b, struct assay_error *e);

#endif
