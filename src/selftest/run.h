/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs kernels on a device and judges them by the hashes that were made when the library was built. Any device will do:
 * it is reached through graphs and executors alone.
 */
#ifndef ASSAY_SELFTEST_RUN_H
#define ASSAY_SELFTEST_RUN_H

#include "executors/executor.h"

/* How executors of the device under test are opened: several, one after the other. */
struct selftest_device {
    int (*open)(void *opaque, struct executor **out, struct assay_error *e);
    void *opaque;
};

enum selftest_state { SELFTEST_NOT_RUN, SELFTEST_PASSED, SELFTEST_FAILED };

struct selftest_result {
    uint16_t kernel; /* index into assay_kernel_info */
    enum selftest_state state;
    char text[320];  /* of a failure: the first difference with both bit patterns, or why the kernel can't run */
};

/* Tests the kernels that `result` names and fills in the rest. A kernel that differs or can't run is a result; it is an error
 * when the device can't be opened or the host has no memory. */
int selftest_run(const struct selftest_device *device, struct selftest_result *result, unsigned n, struct assay_error *e);

#endif
