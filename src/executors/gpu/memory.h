/* SPDX-License-Identifier: BSD-2-Clause */
/* The limit of device memory. */
#ifndef ASSAY_EXECUTORS_GPU_MEMORY_H
#define ASSAY_EXECUTORS_GPU_MEMORY_H

#include "host/error.h"

/* ASSAY_GPU_MEMORY: MiB of device memory to use at most; UINT64_MAX when it is not set. */
int gpu_memory_from_environment(uint64_t *bytes, struct assay_error *e);

#endif
