/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies the texels of an application's images, or of buffers that another API wrote, into a slot's inputs. */
#include "executors/vulkan/device.h"

static const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, copying = VK_PIPELINE_STAGE_TRANSFER_BIT;

/* Hands an image over to our copy, or back. */
static void vk_hand_over(const struct vk_device *d, VkCommandBuffer c, const struct image *i, bool back)
{
    const uint32_t family = back ? i->vulkan.to : i->vulkan.from;
    const bool other = family != VK_QUEUE_FAMILY_IGNORED && family != d->queues.family;
    const uint32_t theirs = other ? family : VK_QUEUE_FAMILY_IGNORED, ours = other ? d->queues.family : theirs;
    const VkImageLayout read = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, lent = (VkImageLayout)i->vulkan.layout;
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .image = VK_HANDLE(VkImage, i->vulkan.image),
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, i->vulkan.layer, 1},
        .srcAccessMask = back ? VK_ACCESS_TRANSFER_READ_BIT : VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = back ? VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT : VK_ACCESS_TRANSFER_READ_BIT,
        .oldLayout = back ? read : lent, .newLayout = back ? lent : read,
        .srcQueueFamilyIndex = back ? ours : theirs, .dstQueueFamilyIndex = back ? theirs : ours};
    d->api.vkCmdPipelineBarrier(c, back ? copying : all, back ? all : copying, 0, 0, NULL, 0, NULL, 1, &barrier);
}

/* Each of the frame's images once, also an image that no metric reads: the application gets all of them back. */
static void vk_hand_over_all(const struct vk_device *d, VkCommandBuffer c, const struct image side[2], bool back)
{
    const bool same = side[0].api == side[1].api && side[0].vulkan.image == side[1].vulkan.image &&
                      side[0].vulkan.layer == side[1].vulkan.layer;
    for (unsigned i = 0; i < (same ? 1 : 2); i++)
        if (side[i].api == IMAGE_VULKAN)
            vk_hand_over(d, c, &side[i], back);
}

static void vk_copy_image(const struct vk_device *d, const struct gpu_slot *s, graph_plane plane, const struct image *i)
{
    const struct vk_slot *own = s->own;
    const VkBufferImageCopy copy = {
        .bufferOffset = d->base.plan->input_offset[plane],
        .bufferRowLength = (uint32_t)graph_stride(&d->base.graph->plane[plane]) / i->texel_bytes,
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, i->vulkan.layer, 1},
        .imageOffset = {(int32_t)i->x, (int32_t)i->y, 0}, .imageExtent = {i->width, i->height, 1}};
    d->api.vkCmdCopyImageToBuffer(own->now, VK_HANDLE(VkImage, i->vulkan.image), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                  VK_HANDLE(VkBuffer, s->inputs.handle), 1, &copy);
}

/* Copies the texels of another API's image. Shared memory is acquired from that API first. */
static void vk_copy_foreign(const struct vk_device *d, const struct gpu_slot *s, graph_plane plane, bool shared)
{
    const struct graph_plane_info *info = &d->base.graph->plane[plane];
    const struct vk_slot *own = s->own;
    const VkBuffer from = VK_HANDLE(VkBuffer, s->foreign[info->side].handle);
    const VkBufferMemoryBarrier acquire = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER, .buffer = from, .size = VK_WHOLE_SIZE,
        .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT, .srcQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL,
        .dstQueueFamilyIndex = d->queues.family};
    const VkBufferCopy copy = {.dstOffset = d->base.plan->input_offset[plane],
                               .size = (VkDeviceSize)graph_stride(info) * info->height};
    if (shared)
        d->api.vkCmdPipelineBarrier(own->now, all, copying, 0, 0, NULL, 1, &acquire, 0, NULL);
    d->api.vkCmdCopyBuffer(own->now, from, VK_HANDLE(VkBuffer, s->inputs.handle), 1, &copy);
}

int vk_bring(struct gpu_device *base, struct gpu_slot *s, struct assay_error *e)
{
    const struct vk_device *d = (const struct vk_device *)base;
    const struct vk_slot *own = s->own;
    (void)e;
    vk_hand_over_all(d, own->now, s->frame->side, false);
    for (uint32_t k = 0; k < base->plan->inputs; k++) {
        const graph_plane i = base->plan->input[k];
        const struct image *from = &s->frame->side[base->graph->plane[i].side];
        if (base->graph->plane[i].age)
            continue;
        if (from->api == IMAGE_VULKAN)
            vk_copy_image(d, s, i, from);
        else
            vk_copy_foreign(d, s, i, !from->opengl.staged);
    }
    vk_hand_over_all(d, own->now, s->frame->side, true);
    return ASSAY_OK;
}
