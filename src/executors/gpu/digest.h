/* SPDX-License-Identifier: BSD-2-Clause */
/* Digests of embedded code: executor_ops.modules. */
#ifndef ASSAY_EXECUTORS_GPU_DIGEST_H
#define ASSAY_EXECUTORS_GPU_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define GPU_DIGEST_START 0xcbf29ce484222325u
uint64_t gpu_digest(uint64_t digest, const void *data, size_t bytes);

/* The variables that restrict what a device is given. */
uint64_t gpu_digest_environment(uint64_t digest);

#endif
