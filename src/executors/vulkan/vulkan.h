/* SPDX-License-Identifier: BSD-2-Clause */
/* The Vulkan executor. */
#ifndef ASSAY_EXECUTORS_VULKAN_VULKAN_H
#define ASSAY_EXECUTORS_VULKAN_VULKAN_H

#include "executors/executor.h"

extern const struct executor_ops executor_vulkan;

#endif
