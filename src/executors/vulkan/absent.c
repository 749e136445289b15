/* SPDX-License-Identifier: BSD-2-Clause */
/* The Vulkan executor of a build without it. */
#include "executors/executor.h"

const struct executor_ops executor_vulkan = {
    .name = "vulkan",
    .missing = "Vulkan: this build has no kernels for it, because glslc, spirv-val or the Vulkan headers "
               "were absent or left out (-Dvulkan) when it was made"};
