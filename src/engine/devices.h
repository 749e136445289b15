/* SPDX-License-Identifier: BSD-2-Clause */
/* The devices of this machine, over all backends. */
#ifndef ASSAY_ENGINE_DEVICES_H
#define ASSAY_ENGINE_DEVICES_H

#include "executors/executor.h"

/* Finds the backend of this name, with or without devices. */
int backend_named(const char *name, const struct executor_ops **out, struct assay_error *e);

/* Opens the executor that a configuration (an assay_config) names, the CPU where it names none: the `open` of a
 * selftest_device. */
int devices_open(void *config, struct executor **out, struct assay_error *e);

/* devices_open with a sealed graph that will run, by which the CPU groups its threads. */
int devices_open_for(const assay_config *c, const struct graph *g, struct executor **out, struct assay_error *e);

/* Shows every device of `backend` (NULL: of all backends). A backend that can't show a device is shown with the reason.
 * It is an error when no backend has that name, or when the host has no memory. */
int devices_list(const char *backend, assay_device_callback *show, void *opaque, struct assay_error *e);

/* The number of devices of a backend that --device `want` names, and the number of the first of them:
 * executor_named. */
int devices_named(const char *backend, const char *want, unsigned *count, unsigned *first, struct assay_error *e);

#endif
