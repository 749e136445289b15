/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Primitives that share a graph. Opening a device costs more than a pass, and a frame pair has eight planes. So
 * primitives run as one frame while they read at most eight different planes.
 */
#ifndef ASSAY_SELFTEST_BATCH_H
#define ASSAY_SELFTEST_BATCH_H

#include "selftest/primitives.h"

enum { BATCH_INPUTS = 8 };

struct batch {
    struct graph *graph; /* keeps every plane */
    /* What fills the planes of the pair. Input i is component i / 2 of side i % 2. */
    struct { struct trial_pass pass; unsigned plane; } input[BATCH_INPUTS];
    unsigned inputs;
};

struct batches {
    struct batch *batch;
    unsigned n;
};

/* Adds passes of a kernel with all of its sets of parameters, on planes of width x height. */
int batches_add(struct batches *b, unsigned kernel, uint32_t width, uint32_t height, uint32_t bits,
                struct assay_error *e);

/* Call after the last batches_add. */
int batches_seal(struct batches *b, struct assay_error *e);
void batches_free(struct batches *b);

#endif
