/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device proves itself before it is used. At first use the arithmetic and the traps that drivers have fallen into,
 * and the passes of the graph that is to run, on small frames. What has passed is remembered (record.h), so that a
 * later run tests only what is new to it. The whole of it is for `assay doctor`.
 */
#ifndef ASSAY_SELFTEST_PROVE_H
#define ASSAY_SELFTEST_PROVE_H

#include "selftest/record.h"

/* What is to run: the same passes again, for frames of any size. */
struct selftest_subject {
    /* Not sealed yet. ASSAY_EUSAGE for frames that are too small. Passes that depend on a frame's size are chosen as
     * for `graph`. */
    int (*build)(void *opaque, uint32_t width, uint32_t height, struct graph **out, struct assay_error *e);
    void *opaque;
    uint32_t bits;                /* of u16 samples of the pair */
    const struct graph *graph;    /* what runs, */
    uint32_t width, height;       /* on frames of this size */
    /* pictures are taken from the device's memory: `unpack` may run in front of the graph */
    bool takes;
};

/* The subject on the smallest frames of which its graph has the same kernels in the same order. */
int selftest_small(const struct selftest_subject *subject, struct graph **out, struct assay_error *e);

/* What a pass is: its kernel, parameters, sizes. */
uint64_t selftest_pass_digest(const struct graph *g, graph_pass pass);

/* What the passes of a graph are and what they read: kernels, parameters, planes; and the bits of the pair's
 * samples. */
uint64_t selftest_digest(const struct graph *g, uint32_t bits);

/* Tests what `x`, an open executor, and the subject need and what is not known to pass. ASSAY_EDEVICE, with the kernel
 * and the first difference, when the device fails. Devices whose kernels are the library's own machine code are not
 * tested here. */
int selftest_prove(const struct executor *x, const struct selftest_device *device,
                   const struct selftest_subject *subject, struct assay_error *e);

/* Runs primitives: all of them and `unpack`, or (chosen not NULL) those that are chosen. */
int selftest_primitives(const struct selftest_device *device, const bool chosen[KERNEL_VARIANTS],
                        struct selftest_result result[KERNEL_VARIANTS], struct assay_error *e);

/* Runs a graph that keeps its planes, on frames of `bits`. */
int selftest_frames(const struct selftest_device *device, const struct graph *g, uint32_t bits,
                    struct selftest_result result[KERNEL_VARIANTS], struct assay_error *e);

/* Remembers results, and the graph of this digest (0: none), which passed when no kernel failed. */
void selftest_remember(const struct executor *x, const struct selftest_result result[KERNEL_VARIANTS], uint64_t digest);

/* What is remembered, all kernels together, and how many passed. */
enum selftest_state selftest_known(const struct selftest_identity *identity, unsigned *passed);

#endif
