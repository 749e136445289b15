/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ASSAY_EXECUTORS_GPU_DIGEST_H
#define ASSAY_EXECUTORS_GPU_DIGEST_H

#include <stdint.h>

#include "executors/modules.h"

/* executor_ops.modules: of an open module's code, and of ASSAY_GPU_LIMITS, which restricts what of it is taken. */
uint64_t gpu_digest_module(enum module_name name);

#endif
