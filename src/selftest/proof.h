/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a graph on a device and on the scalar kernels, on frames of several patterns, and compares every plane, total
 * and extremum, pass by pass. Any device will do: it is reached through graphs and executors alone.
 */
#ifndef ASSAY_SELFTEST_PROOF_H
#define ASSAY_SELFTEST_PROOF_H

#include "executors/executor.h"
#include "selftest/patterns.h"

/* The first patterns, one a frame. A primitive of bit patterns has 4087 adversarial inputs in each. */
enum { PROOF_FRAMES = PATTERN_SMOOTH + 1 };

/* How executors of the device under test are opened: several, one after the other. */
struct selftest_device {
    int (*open)(void *opaque, struct executor **out, struct assay_error *e);
    void *opaque;
};

/* A graph that keeps its planes, and what fills those of the pair. */
struct proof {
    const struct graph *graph;
    void (*fill)(const void *opaque, const struct graph_plane_info *input, enum pattern pattern, uint32_t seed,
                 const struct kernel_plane *to);
    const void *opaque;
};

enum selftest_state { SELFTEST_NOT_RUN, SELFTEST_PASSED, SELFTEST_FAILED };

/* Of a kernel. */
struct selftest_result {
    enum selftest_state state;
    char text[400];  /* of a failure: the first difference with both bit patterns, or why the kernel can't run */
};

/* Runs the graph and adds to the results, which are kept by kernel: a kernel that failed stays failed. A kernel whose
 * every pass reads what a failed one wrote is not judged. A kernel that differs or can't run is a result; it is an
 * error when the device can't be opened, fails though every kernel can run alone, or the host has no memory. */
int proof_run(const struct selftest_device *device, const struct proof *proof,
              struct selftest_result result[KERNEL_VARIANTS], struct assay_error *e);

#endif
