/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/cpu/cpu.h"
#include "executors/cuda/cuda.h"
#ifdef ASSAY_HAVE_VULKAN
#include "executors/vulkan/vulkan.h"
#endif
#ifdef ASSAY_HAVE_OPENGL
#include "executors/opengl/opengl.h"
#endif

const struct executor_ops *const assay_executors[] = {
    &executor_cpu,
    &executor_cuda,
#ifdef ASSAY_HAVE_VULKAN
    &executor_vulkan,
#endif
#ifdef ASSAY_HAVE_OPENGL
    &executor_opengl,
#endif
    NULL,
};
