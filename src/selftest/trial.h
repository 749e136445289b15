/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One pass of one kernel on one frame: the planes it reads, and what comes out of it. The kernels in C run on it tile by
 * tile; results of a device are put into another one and compared with it.
 */
#ifndef ASSAY_SELFTEST_TRIAL_H
#define ASSAY_SELFTEST_TRIAL_H

#include "host/error.h"
#include "selftest/recipes.h"

enum { TRIAL_EXTREMA = 4 };

struct trial {
    struct kernel_plane plane[KERNEL_PLANES];
    int64_t *totals;
    uint32_t extrema[2 * TRIAL_EXTREMA];
    void *memory; /* of all of these */
};

/* Planes without gaps between their rows, all zero. */
int trial_init(struct trial *t, const struct recipe_pass *pass, struct assay_error *e);
void trial_free(struct trial *t);

/* Writes the planes that the pass reads. */
void trial_fill(struct trial *t, const struct recipe_pass *pass, enum recipe_pattern pattern, uint32_t seed);

/* Runs the whole grid in tiles of at most tile_w x tile_h (0: the schedule's own) with a kernel built in C. The totals are
 * added to; the extrema are overwritten. */
void trial_run(const struct recipe_pass *pass, kernel_fn *run, const struct kernel_plane *plane, int64_t *totals,
               uint32_t *extrema, uint32_t tile_w, uint32_t tile_h);

/* Clears the totals and runs the scalar kernels, which every library holds. */
void trial_expect(struct trial *t, const struct recipe_pass *pass);

/* A hash of everything that the pass wrote. */
uint64_t trial_digest(const struct trial *t, const struct recipe_pass *pass);

/* Says where two trials differ first, with both bit patterns and the samples that were read there. False when they are equal. */
bool trial_difference(const struct trial *expected, const struct trial *got, const struct recipe_pass *pass, char *text,
                      size_t size);

#endif
