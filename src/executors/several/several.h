/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several devices as one executor: --device all, --device 0,1. Slot n runs on device n % devices, so frames go round; each
 * device has a thread that hands it frames and waits for them. Totals are integers and each frame's come from one device, so
 * nothing depends on how many there are.
 */
#ifndef ASSAY_EXECUTORS_SEVERAL_SEVERAL_H
#define ASSAY_EXECUTORS_SEVERAL_SEVERAL_H

#include "executors/executor.h"

/* Opens what config->device names: one device as `ops` does, or a list of numbers ("0,2"; the same one twice counts twice),
 * or "all": every device that is no software and can be used. */
int executor_open(struct executor **out, const struct executor_ops *ops, const struct executor_config *config,
                  struct assay_error *e);

/* How many devices that would be, and the number of the first one. NULL stands for number 0, as CUDA has it. What executor_open
 * refuses before it opens a device, or because none has the first one's name, is refused here in the same words. */
int executor_named(const struct executor_ops *ops, const char *device, unsigned *count, unsigned *first, struct assay_error *e);

#endif
