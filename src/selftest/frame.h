/* SPDX-License-Identifier: BSD-2-Clause */
/* One frame of a graph in memory: all of its planes, totals and extrema. The scalar kernels fill one frame pass by
 * pass; the results of a device fill another. */
#ifndef ASSAY_SELFTEST_FRAME_H
#define ASSAY_SELFTEST_FRAME_H

#include "executors/executor.h"
#include "selftest/trial.h"

struct selftest_frame {
    const struct graph *graph;
    struct kernel_plane *plane; /* indexed by handle; rows start at multiples of 64 bytes */
    int64_t *totals;
    uint32_t *extrema;
    void *memory; /* holds all of the above */
};

/* Allocates a frame of zeros. */
int selftest_frame_init(struct selftest_frame *f, const struct graph *g, struct assay_error *e);
void selftest_frame_free(struct selftest_frame *f);

/* Runs every pass in order with the scalar kernels. The caller has filled the planes of the pair. */
void selftest_frame_run(struct selftest_frame *f);

/* The planes, totals and extrema of a pass in the frame. */
struct trial selftest_frame_trial(const struct selftest_frame *f, graph_pass pass);

/* Inputs with room for the planes of earlier frames. */
struct selftest_inputs {
    struct frame_inputs frame;
    struct kernel_plane (*earlier)[GRAPH_SIDES][INPUT_PLANES]; /* [age - 1] */
};
int selftest_inputs_init(struct selftest_inputs *inputs, struct assay_error *e);
void selftest_inputs_free(struct selftest_inputs *inputs);

/* The entry of `inputs` that describes input plane `p`. */
struct kernel_plane *selftest_input(struct selftest_inputs *inputs, const struct graph_plane_info *p);

#endif
