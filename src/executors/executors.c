/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/executor.h"

const struct executor_ops *const assay_executors[] = {
    &executor_cpu, &executor_cuda, &executor_vulkan, &executor_opengl, &executor_sycl, NULL,
};
