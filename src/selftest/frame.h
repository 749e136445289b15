/* SPDX-License-Identifier: BSD-2-Clause */
/* One frame of a graph in memory: all of its planes, totals and extrema. The scalar kernels fill one in pass by pass;
 * what a device gave is put into another one. */
#ifndef ASSAY_SELFTEST_FRAME_H
#define ASSAY_SELFTEST_FRAME_H

#include "executors/executor.h"
#include "selftest/trial.h"

struct selftest_frame {
    const struct graph *graph;
    struct kernel_plane *plane; /* by handle; rows start at multiples of 64 bytes */
    int64_t *totals;
    uint32_t *extrema;
    void *memory; /* of all of these */
};

/* Everything 0. */
int selftest_frame_init(struct selftest_frame *f, const struct graph *g, struct assay_error *e);
void selftest_frame_free(struct selftest_frame *f);

/* Runs every pass in order with the scalar kernels. The planes of the pair are filled in before. */
void selftest_frame_run(struct selftest_frame *f);

/* What a pass read and wrote there. */
struct trial selftest_frame_trial(const struct selftest_frame *f, graph_pass pass);

/* Where an executor is told of a plane of the pair. */
struct kernel_plane *selftest_input(struct frame_inputs *inputs, const struct graph_plane_info *p);

#endif
