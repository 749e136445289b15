/* SPDX-License-Identifier: BSD-2-Clause */
/* The CUDA executor. */
#ifndef ASSAY_EXECUTORS_CUDA_CUDA_H
#define ASSAY_EXECUTORS_CUDA_CUDA_H

#include "executors/executor.h"

extern const struct executor_ops executor_cuda;

#endif
