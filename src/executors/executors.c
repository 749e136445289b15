/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/cpu/cpu.h"
#include "executors/cuda/cuda.h"
#include "executors/opengl/opengl.h"
#include "executors/sycl/sycl.h"
#include "executors/vulkan/vulkan.h"

const struct executor_ops *const assay_executors[] = {
    &executor_cpu, &executor_cuda, &executor_vulkan, &executor_opengl, &executor_sycl, NULL,
};
