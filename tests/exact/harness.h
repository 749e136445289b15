/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs one pass of one C kernel by hand, on buffers that end where their last row ends: a sanitizer sees a byte touched
 * outside, and the bytes between the rows of an output are checked to be untouched.
 */
#ifndef ASSAY_TESTS_EXACT_HARNESS_H
#define ASSAY_TESTS_EXACT_HARNESS_H

#include "exact/trials.h"

/* Names of the levels that this build has and this machine runs, best first, NULL-terminated. */
const char *const *runnable_levels(void);

enum layout {
    LAYOUT_TIGHT, /* rows follow each other */
    LAYOUT_ODD,   /* odd strides and misaligned bases for planes read, gaps between the rows of planes written */
};

struct buffers {
    struct kernel_plane plane[KERNEL_PLANES];
    void *memory[KERNEL_PLANES];
    int64_t *totals;
    uint32_t extrema[2 * TRIAL_EXTREMA];
};

/* Allocates all planes and copies those that are read. Ends the program when there is no memory. */
void buffers_make(struct buffers *b, const struct trials_pass *from, enum layout layout);
void buffers_free(struct buffers *b);

/* Totals of 0, and rubbish in the planes written. */
void buffers_clear(struct buffers *b, const struct trial_pass *pass);

/* Clears the results and runs the whole grid in tiles of at most tile_w x tile_h (0: the schedule's own). */
void buffers_run(struct buffers *b, const struct trial_pass *pass, kernel_fn *run, uint32_t tile_w, uint32_t tile_h);

/* Whether the results have the same bits and no gap was written to; says on stderr where not, unless quiet. */
bool buffers_same(const struct buffers *expected, const struct buffers *got, const struct trial_pass *pass,
                  const char *what, bool quiet);

/* Folds the results into a digest (host/digest.h). Builds of other machines and compilers must have an equal one. */
uint64_t buffers_digest(const struct buffers *b, const struct trial_pass *pass, uint64_t digest);

#endif
