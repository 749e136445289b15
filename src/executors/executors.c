/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/cpu/cpu.h"
#ifdef ASSAY_HAVE_CUDA
#include "executors/cuda/cuda.h"
#else
static const struct executor_ops executor_cuda = {.name = "cuda", .missing = "CUDA: this build has no kernels for it, because nvcc "
                                                  "was absent or left out (-Dcuda) when it was made"};
#endif
#ifdef ASSAY_HAVE_VULKAN
#include "executors/vulkan/vulkan.h"
#else
static const struct executor_ops executor_vulkan = {.name = "vulkan", .missing = "Vulkan: this build has no kernels for it, because "
                                                    "glslangValidator, spirv-val or the Vulkan headers were absent or left out "
                                                    "(-Dvulkan) when it was made"};
#endif
#ifdef ASSAY_HAVE_OPENGL
#include "executors/opengl/opengl.h"
#else
static const struct executor_ops executor_opengl = {.name = "opengl", .missing = "OpenGL: this build has no kernels for it, because "
                                                    "glslangValidator, spirv-cross or the EGL and OpenGL headers were absent or "
                                                    "left out (-Dopengl) when it was made"};
#endif

const struct executor_ops *const assay_executors[] = {
    &executor_cpu, &executor_cuda, &executor_vulkan, &executor_opengl, NULL,
};
