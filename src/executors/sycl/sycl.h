/* SPDX-License-Identifier: BSD-2-Clause */
/* The SYCL executor. */
#ifndef ASSAY_EXECUTORS_SYCL_SYCL_H
#define ASSAY_EXECUTORS_SYCL_SYCL_H

#include "executors/executor.h"

extern const struct executor_ops executor_sycl;

#endif
