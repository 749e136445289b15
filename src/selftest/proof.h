/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a graph on a device and on the scalar kernels, on frames of several patterns, and compares every plane, total
 * and extremum, pass by pass. It works for any device, because it uses graphs and executors alone.
 */
#ifndef ASSAY_SELFTEST_PROOF_H
#define ASSAY_SELFTEST_PROOF_H

#include "executors/executor.h"
#include "selftest/patterns.h"

/* The first patterns of enum pattern, one per frame. A primitive of bit patterns has 4087 adversarial inputs in
 * each. */
enum { PROOF_FRAMES = PATTERN_SMOOTH + 1 };

/* Opens executors of the device under test: several, one after the other. `threads`: also at a time, from any threads.
 * Without it the caller's thread alone opens and uses them: a context of the application may be current there only. */
struct selftest_device {
    int (*open)(void *opaque, struct executor **out, struct assay_error *e);
    void *opaque;
    bool threads;
};

/* A graph that keeps its planes, and the contents of the planes of the pair. */
struct proof {
    const struct graph *graph;
    void (*fill)(const void *opaque, const struct graph_plane_info *input, enum pattern pattern, uint32_t seed,
                 const struct kernel_plane *to);
    const void *opaque;
};

enum selftest_state { SELFTEST_NOT_RUN, SELFTEST_PASSED, SELFTEST_FAILED };

/* The result of one kernel. */
struct selftest_result {
    enum selftest_state state;
    char text[440];  /* of a failure: the first difference with both bit patterns, or why it can't run */
};

/* Runs the graphs, several at a time where the device may be opened so. Scalar kernels have threads of their own: they
 * need the stack, and the caller's may be small. Adds to the results, which are indexed by kernel. A kernel that failed
 * stays failed. A kernel is not judged when each of its passes reads planes that a failed kernel wrote. A kernel that
 * differs or can't run is a result. These are errors: the device can't be opened, it fails though every kernel can run
 * alone, or the host has no memory or no thread. */
int proof_run(const struct selftest_device *device, const struct proof *proof, unsigned proofs,
              struct selftest_result result[KERNEL_VARIANTS], struct assay_error *e);

#endif
