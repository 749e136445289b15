/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Passes of every kernel with what they read: primitives as src/selftest describes them, all others as sessions have
 * them, on frames that a pattern fills and that the scalar kernels of the passes before went through.
 */
#ifndef ASSAY_TESTS_EXACT_TRIALS_H
#define ASSAY_TESTS_EXACT_TRIALS_H

#include "selftest/frame.h"
#include "selftest/primitives.h"

enum { TRIALS_GRAPHS = 32 };

/* Of one size of frames. */
struct trials {
    uint32_t width, height;
    struct graph *graph[TRIALS_GRAPHS];
    uint32_t bits[TRIALS_GRAPHS];
    unsigned count[KERNEL_VARIANTS]; /* passes of all graphs */
    struct selftest_frame frame[TRIALS_GRAPHS];
    bool *ran[TRIALS_GRAPHS];  /* by pass, in that frame; NULL: there is none yet */
    struct { enum pattern pattern; uint32_t seed; } filled[TRIALS_GRAPHS]; /* with what */
    unsigned graphs;
};

/* A pass, the planes that it reads, and of which frame. */
struct trials_pass {
    struct trial_pass pass;
    const struct kernel_plane *read;
    enum pattern pattern;
    uint32_t seed;
};

/* In messages. */
const char *pattern_name(enum pattern pattern);

typedef void trials_fn(void *opaque, const struct trials_pass *pass);

/* Ends the program when there is no memory. */
void trials_open(struct trials *t, uint32_t width, uint32_t height);
void trials_close(struct trials *t);

/* In how many ways the kernel is used: sets of parameters of a primitive, else passes in the graphs. 0: frames of this
 * size never need it. */
unsigned trials_count(const struct trials *t, unsigned kernel);

/* The first of these, without samples; false when there is none. */
bool trials_first(const struct trials *t, unsigned kernel, uint32_t bits, struct trial_pass *pass);

/* Way `number` of using it, on frame `seed` of the pattern. 16-bit samples that primitives read have `bits`. */
void trials_each(struct trials *t, unsigned kernel, unsigned number, enum pattern pattern, uint32_t seed, uint32_t bits,
                 trials_fn *test, void *opaque);

/* The kernel of this name; ends the program when there is none. */
unsigned trials_kernel(const char *name);

/* A sealed graph of the pass alone, whose plane i is component i / 2 of side i % 2, age(opaque, i) frames earlier
 * (NULL: of the frame itself). NULL with the error when that fails. */
struct graph *trials_graph(const struct trial_pass *pass, unsigned (*age)(unsigned turn, unsigned plane), unsigned turn,
                           graph_plane out[KERNEL_PLANES], struct assay_error *e);

#endif
