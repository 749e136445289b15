/* SPDX-License-Identifier: BSD-2-Clause */
/* The Vulkan executor. */
#ifndef ASSAY_EXECUTORS_VULKAN_VULKAN_H
#define ASSAY_EXECUTORS_VULKAN_VULKAN_H

#include "executors/vulkan/device.h"

extern const struct executor_ops executor_vulkan;

/* The executor on an application's device, which stays the application's. */
int vk_executor_adopt(struct executor **out, const struct vk_handles *handles, struct assay_error *e);

#endif
