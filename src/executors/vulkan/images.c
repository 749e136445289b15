/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/vulkan/images.h"

#include <string.h>

static const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, copying = VK_PIPELINE_STAGE_TRANSFER_BIT;

/* Hands an image over to our copy, or back. */
static void hand_over(const struct vk_frames *f, VkCommandBuffer c, const struct vk_image *i, bool back)
{
    const uint32_t family = back ? i->to : i->from;
    const bool other = family != VK_QUEUE_FAMILY_IGNORED && family != f->device->queues.family;
    const uint32_t theirs = other ? family : VK_QUEUE_FAMILY_IGNORED, ours = other ? f->device->queues.family : theirs;
    const VkImageLayout read = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .image = i->image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, i->layer, 1},
        .srcAccessMask = back ? VK_ACCESS_TRANSFER_READ_BIT : VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = back ? VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT : VK_ACCESS_TRANSFER_READ_BIT,
        .oldLayout = back ? read : i->layout, .newLayout = back ? i->layout : read,
        .srcQueueFamilyIndex = back ? ours : theirs, .dstQueueFamilyIndex = back ? theirs : ours};
    f->device->api.vkCmdPipelineBarrier(c, back ? copying : all, back ? all : copying, 0, 0, NULL, 0, NULL, 1, &barrier);
}

/* Each of the frame's images once, whether or not a metric reads it: what is lent is given back. */
static void hand_over_images(const struct vk_frames *f, VkCommandBuffer c, const struct vk_texel_frame *frame, bool back)
{
    const struct vk_image *first = frame->side[0].image, *second = frame->side[1].image;
    if (first)
        hand_over(f, c, first, back);
    if (second && !(first && first->image == second->image && first->layer == second->layer))
        hand_over(f, c, second, back);
}

static void copy_image(const struct vk_frames *f, const struct vk_slot *s, graph_plane plane, const struct vk_image *i)
{
    const VkBufferImageCopy copy = {
        .bufferOffset = f->plan->input_offset[plane], .bufferRowLength = s->strides[plane] / i->texel_bytes,
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, i->layer, 1}, .imageOffset = {i->x, i->y, 0},
        .imageExtent = {i->width, i->height, 1}};
    f->device->api.vkCmdCopyImageToBuffer(s->upload, i->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, s->inputs.buffer, 1, &copy);
}

static void copy_buffer(const struct vk_frames *f, const struct vk_slot *s, graph_plane plane, const struct vk_texels *t)
{
    const VkBufferMemoryBarrier acquire = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER, .buffer = t->buffer->buffer, .size = VK_WHOLE_SIZE,
        .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT, .srcQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL,
        .dstQueueFamilyIndex = f->device->queues.family};
    const VkBufferCopy copy = {.dstOffset = f->plan->input_offset[plane],
                               .size = (VkDeviceSize)s->strides[plane] * f->graph->plane[plane].height};
    if (t->shared)
        f->device->api.vkCmdPipelineBarrier(s->upload, all, copying, 0, 0, NULL, 1, &acquire, 0, NULL);
    f->device->api.vkCmdCopyBuffer(s->upload, t->buffer->buffer, s->inputs.buffer, 1, &copy);
}

/* The texels of earlier frames lie where these were brought to. One that begins the sequence stands in for them itself. */
static void copy_earlier(const struct vk_frames *f, const struct vk_slot *s, const uint32_t *held)
{
    const VkMemoryBarrier brought = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT};
    f->device->api.vkCmdPipelineBarrier(s->upload, copying, copying, 0, 1, &brought, 0, NULL, 0, NULL);
    for (graph_plane i = 0; i < f->graph->planes; i++) {
        const struct graph_plane_info *to = &f->graph->plane[i];
        if (!to->age)
            continue;
        const VkBufferCopy copy = {.srcOffset = f->plan->input_offset[to->of], .dstOffset = f->plan->input_offset[i],
                                   .size = (VkDeviceSize)s->strides[i] * to->height};
        f->device->api.vkCmdCopyBuffer(s->upload, f->slot[held[to->age - 1] - 1].inputs.buffer, s->inputs.buffer, 1, &copy);
    }
}

void vk_record_texels(const struct vk_frames *f, const struct vk_slot *s, const void *opaque)
{
    const struct vk_texel_frame *frame = opaque;
    bool earlier = false;
    hand_over_images(f, s->upload, frame, false);
    for (graph_plane i = 0; i < f->graph->planes; i++) {
        const struct vk_texels *t = &frame->side[f->graph->plane[i].side];
        earlier = earlier || f->graph->plane[i].age;
        if (!f->graph->plane[i].input || f->graph->plane[i].age)
            continue;
        if (t->image)
            copy_image(f, s, i, t->image);
        else
            copy_buffer(f, s, i, t);
    }
    hand_over_images(f, s->upload, frame, true);
    if (earlier)
        copy_earlier(f, s, frame->held);
}

void vk_device_uuids(const struct vk_device *d, uint8_t device[VK_UUID_SIZE], uint8_t driver[VK_UUID_SIZE])
{
    VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id};
    d->api.vkGetPhysicalDeviceProperties2(d->physical, &p);
    memcpy(device, id.deviceUUID, VK_UUID_SIZE);
    memcpy(driver, id.driverUUID, VK_UUID_SIZE);
}
