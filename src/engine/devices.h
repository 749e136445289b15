/* SPDX-License-Identifier: BSD-2-Clause */
/* The devices of this machine, over all backends. */
#ifndef ASSAY_ENGINE_DEVICES_H
#define ASSAY_ENGINE_DEVICES_H

#include "executors/executor.h"

/* Shows every device of `backend` (NULL: of all), and each backend that can't show any with the reason. It is an error when no
 * backend has that name, or when the host has no memory. */
int devices_list(const char *backend, assay_device_callback *show, void *opaque, struct assay_error *e);

/* The number of the first device of a backend that `want` names, as --device does; 0 for NULL. */
int device_number(const char *backend, const char *want, unsigned *number, struct assay_error *e);

#endif
