/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An executor that computes nothing, for tests of the engine: it writes down what it is asked, answers with
 * totals of zero and fails when it is told to. Tests link null_executors.c in the place of the library's list.
 */
#ifndef ASSAY_TESTS_NULL_EXECUTOR_H
#define ASSAY_TESTS_NULL_EXECUTOR_H

#include "executors/executor.h"

extern const struct executor_ops executor_null;

enum null_call { NULL_OPEN, NULL_PREPARE, NULL_HOST_ALLOC, NULL_SUBMIT, NULL_WAIT, NULL_CLOSE, NULL_CALLS };

/* One call, in the order that they came. `slot` is that of submit and wait, the number of slots of prepare. */
struct null_entry {
    enum null_call call;
    uint32_t slot;
};

enum { NULL_LOG = 4096 };

struct null_log {
    struct null_entry entry[NULL_LOG];
    uint32_t entries;             /* more than NULL_LOG are counted and not kept */
    uint32_t count[NULL_CALLS];
    uint32_t most_in_flight;      /* submitted and not yet waited for */
    uint32_t changed_inputs;      /* slots whose planes were not the same at wait as at submit */
    uint32_t held;                /* planes of earlier frames that a slot is said to hold ... */
    uint32_t misplaced;           /* ... and does not */
    uint32_t out_of_order;        /* waits for another slot than the oldest one in flight, or with none */
    int64_t host_blocks;          /* allocated and not freed */
};

/* Starts anew: the log is cleared, executors opened from now on want `depth` frames in flight, and the N-th call of
 * kind `fail` (1 is the first; 0: none) fails. Not while a session with this executor lives. */
void null_reset(uint32_t depth, enum null_call fail, uint32_t fail_at);

/* Until the next null_reset, a slot takes `slot` bytes of the device's memory, and `free_bytes` are free. */
void null_limit(uint64_t slot, uint64_t free_bytes);

/* What happened since. Read while no session with this executor lives, or between two calls from one thread. */
const struct null_log *null_look(void);

#endif
