/* SPDX-License-Identifier: BSD-2-Clause */
/* Packed texels that are on the device already: an application's images, and buffers that another API wrote. */
#ifndef ASSAY_EXECUTORS_VULKAN_IMAGES_H
#define ASSAY_EXECUTORS_VULKAN_IMAGES_H

#include "executors/vulkan/frame.h"

/* A 2D image of the application: mip 0, one layer, a rectangle of it, in texels. It is left in the layout that it came in. */
struct vk_image {
    VkImage image;
    VkImageLayout layout;
    uint32_t from, to; /* queue families that own it before and afterwards; VK_QUEUE_FAMILY_IGNORED: ours */
    uint32_t layer;
    int32_t x, y;
    uint32_t width, height, texel_bytes;
};

/* One side of a pair. */
struct vk_texels {
    const struct vk_image *image;    /* or NULL: */
    const struct vk_buffer *buffer;  /* rows at gpu_input_stride of the plane */
    bool shared;                     /* the buffer is VK_MEMORY_SHARED: another API had it */
};

/* Both sides of a frame, and where its inputs of earlier frames are: frame_inputs.held; NULL when the graph has none. */
struct vk_texel_frame {
    struct vk_texels side[2];
    const uint32_t *held;
};

/* A vk_record_fn whose `opaque` is a struct vk_texel_frame. */
void vk_record_texels(const struct vk_frames *f, const struct vk_slot *s, const void *opaque);

/* The UUIDs by which other APIs know the device and its driver. */
void vk_device_uuids(const struct vk_device *d, uint8_t device[VK_UUID_SIZE], uint8_t driver[VK_UUID_SIZE]);

#endif
