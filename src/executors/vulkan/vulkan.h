/* SPDX-License-Identifier: BSD-2-Clause */
/* The Vulkan executor. */
#ifndef ASSAY_EXECUTORS_VULKAN_VULKAN_H
#define ASSAY_EXECUTORS_VULKAN_VULKAN_H

#include "executors/vulkan/images.h"

extern const struct executor_ops executor_vulkan;

/* The executor on an application's device, which stays the application's. */
int vk_executor_adopt(struct executor **out, const struct vk_handles *handles, struct assay_error *e);

/* Submits a frame whose two inputs, plane 0 of either side, are packed texels on the device; so were those of earlier frames that
 * the graph asks for. */
int vk_executor_submit_texels(struct executor *x, uint32_t slot, const struct vk_texel_frame *frame, const struct vk_sync *sync,
                              struct assay_error *e);

struct vk_device *vk_executor_device(struct executor *x);

/* Where texels that another API writes for a slot lie. */
struct vk_buffer *vk_executor_foreign(struct executor *x, uint32_t slot, unsigned side);

extern const struct image_ops vk_image_ops; /* lent.c */

#endif
