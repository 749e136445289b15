/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device is tested before it is used. The first use tests, on small frames, arithmetic, known defects of drivers, and
 * the passes of the graph that is about to run. Results are kept (record.h), so a later run tests only what is new to
 * it. `assay doctor` runs the whole self-test.
 */
#ifndef ASSAY_SELFTEST_PROVE_H
#define ASSAY_SELFTEST_PROVE_H

#include "selftest/record.h"

/* What is about to run. `build` makes the same passes for frames of any size. */
struct selftest_subject {
    /* The graph is not sealed. ASSAY_EUSAGE for frames that are too small. Passes that depend on the frame's size are
     * chosen as for `graph`. */
    int (*build)(void *opaque, uint32_t width, uint32_t height, struct graph **out, struct assay_error *e);
    void *opaque;
    uint32_t bits;                /* bits of the u16 samples of the pair */
    const struct graph *graph;    /* the graph that runs, */
    uint32_t width, height;       /* on frames of this size */
    /* pictures are taken from the device's memory: `unpack` may run in front of the graph */
    bool takes;
};

/* The subject's graph on the smallest frames for which it has the same kernels in the same order. */
int selftest_small(const struct selftest_subject *subject, struct graph **out, struct assay_error *e);

/* Digest of a pass: its kernel, parameters and sizes. */
uint64_t selftest_pass_digest(const struct graph *g, graph_pass pass);

/* Digest of the passes of a graph (kernels, parameters, planes) and of the bits of the pair's samples. */
uint64_t selftest_digest(const struct graph *g, uint32_t bits);

/* Tests the parts of `x`, an open executor, that the subject needs and that have not passed yet. ASSAY_EDEVICE, with
 * the kernel and the first difference, when the device fails. Devices that run the library's own machine code are not
 * tested. */
int selftest_prove(const struct executor *x, const struct selftest_device *device,
                   const struct selftest_subject *subject, struct assay_error *e);

/* Runs the chosen primitives, or with chosen = NULL all of them and `unpack`. */
int selftest_primitives(const struct selftest_device *device, const bool chosen[KERNEL_VARIANTS],
                        struct selftest_result result[KERNEL_VARIANTS], struct assay_error *e);

/* Runs a graph that keeps its planes, on frames of `bits`. */
int selftest_frames(const struct selftest_device *device, const struct graph *g, uint32_t bits,
                    struct selftest_result result[KERNEL_VARIANTS], struct assay_error *e);

/* Records the results, and the graph with this digest (0: none), which passed when no kernel failed. */
void selftest_remember(const struct executor *x, const struct selftest_result result[KERNEL_VARIANTS], uint64_t digest);

/* The recorded state of all kernels together, and how many passed. */
enum selftest_state selftest_known(const struct selftest_identity *identity, unsigned *passed);

#endif
