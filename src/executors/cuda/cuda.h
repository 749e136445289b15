/* SPDX-License-Identifier: BSD-2-Clause */
/* The CUDA executor. */
#ifndef ASSAY_EXECUTORS_CUDA_CUDA_H
#define ASSAY_EXECUTORS_CUDA_CUDA_H

#include "executors/cuda/frame.h"

extern const struct executor_ops executor_cuda;

/* The executor in an application's CUcontext (NULL: the current one), which stays the application's. */
int cu_executor_adopt(struct executor **out, void *context, struct assay_error *e);

/* Submits a frame that is on the device, where it lies. */
int cu_executor_submit_device(struct executor *x, uint32_t slot, const uint32_t *held, const struct cu_frame *frame,
                              struct assay_error *e);

#endif
