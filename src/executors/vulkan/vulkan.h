/* SPDX-License-Identifier: BSD-2-Clause */
/* The Vulkan executor. */
#ifndef ASSAY_EXECUTORS_VULKAN_VULKAN_H
#define ASSAY_EXECUTORS_VULKAN_VULKAN_H

#include "executors/vulkan/frame.h"

extern const struct executor_ops executor_vulkan;

/* The executor on an application's device, which stays the application's. */
int vk_executor_adopt(struct executor **out, const struct vk_handles *handles, struct assay_error *e);

/* A 2D image of the application: mip 0, one layer, a rectangle of it, in texels. It is left in the layout that it came in. */
struct vk_image {
    VkImage image;
    VkImageLayout layout;
    uint32_t from, to; /* queue families that own it before and afterwards; VK_QUEUE_FAMILY_IGNORED: ours */
    uint32_t layer;
    int32_t x, y;
    uint32_t width, height, texel_bytes;
};

/* Submits a frame whose two inputs, plane 0 of either side, are the bits of two images. */
int vk_executor_submit_images(struct executor *x, uint32_t slot, const struct vk_image image[2], const struct vk_sync *sync,
                              struct assay_error *e);

#endif
