/* SPDX-License-Identifier: BSD-2-Clause */
/* What --device names: one device by its number or a part of its name, a list of numbers, or all of a backend. */
#ifndef ASSAY_EXECUTORS_OPEN_H
#define ASSAY_EXECUTORS_OPEN_H

#include "executors/executor.h"

const struct executor_ops *executor_find(const char *name); /* NULL: none has this name */

/* "0 is 'A', 1 is 'B'", for messages; shortened when long. */
struct device_names {
    char text[384];
};
void device_names_add(struct device_names *names, unsigned number, const char *name);

/* Whether `want` is this device's number, or a part of its name in either case. */
bool device_name_matches(const char *want, unsigned number, const char *name);

/* Opens what config->device names: one device as `ops` does, or as one executor (multi.h) the devices of a list of
 * numbers ("0,2"; the same one twice counts twice) or of "all": every device that is no software and can be used. */
int executor_open(struct executor **out, const struct executor_ops *ops, const struct executor_config *config,
                  struct assay_error *e);

/* The number of devices that executor_open would open for this name, and the number of the first one. NULL is device 0,
 * as for CUDA. A name that executor_open refuses is refused here with the same message, unless only opening the device
 * shows why. */
int executor_named(const struct executor_ops *ops, const char *device, unsigned *count, unsigned *first,
                   struct assay_error *e);

#endif
