/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several devices as one executor: --device all, --device 0,1; or groups of the host's threads (executor_ops.groups).
 * Slot n runs on device n % devices. Each device has a thread that submits its frames and waits for them. A frame's
 * totals are integers that one device computes, so they don't depend on the number of devices.
 */
#ifndef ASSAY_EXECUTORS_MULTI_H
#define ASSAY_EXECUTORS_MULTI_H

#include "executors/executor.h"

enum { DEVICE_LIST = 32, DEVICE_NUMBER = 12 };

/* A list of devices: their numbers as text. */
struct device_list {
    char number[DEVICE_LIST][DEVICE_NUMBER];
    uint32_t count;
    bool too_many; /* more were named than the list holds */
    bool groups;   /* of the host's threads: each gets its share */
};

int multi_open(struct executor **out, const struct executor_ops *ops, const struct executor_config *config,
               const struct device_list *list, struct assay_error *e);

#endif
