/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device for tests: the CPU under another name, with the faults that it is given. It takes part in the self-test as a
 * GPU does, because it says that it has modules.
 */
#ifndef ASSAY_TESTS_UNIT_WRONG_EXECUTOR_H
#define ASSAY_TESTS_UNIT_WRONG_EXECUTOR_H

#include "executors/executor.h"

enum wrong_fault {
    WRONG_NOTHING,
    WRONG_PLANE,
    WRONG_TOTAL,
    WRONG_EXTREMUM,
    WRONG_PREPARE,
    WRONG_SUBMIT,
    WRONG_OPEN,
    WRONG_MEMORY
};

struct wrong {
    enum wrong_fault fault;
    const char *kernel;    /* whose results are changed, or which can't be prepared or submitted */
    uint32_t x, y;         /* of the sample whose lowest bit is flipped */
    uint64_t modules;
    bool software, unusable, none; /* as the list shows it; `none`: the list finds no device */
    uint64_t delay;        /* nanoseconds that a frame takes besides */
    bool instant;          /* frames wider than the self-test's are not computed at all */
    unsigned opens, frames;
};

extern struct wrong wrong;

extern const struct executor_ops executor_wrong, executor_absent;

#endif
