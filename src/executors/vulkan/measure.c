/* SPDX-License-Identifier: BSD-2-Clause */
/* What the device's own clock says of a frame, and how fast it copies. */
#include <string.h>

#include "host/clock.h"

#include "executors/vulkan/frame.h"

int vk_slot_marks(struct vk_frames *f, struct vk_slot *s, struct assay_error *e)
{
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = VK_MARKS};
    if (s->marks || f->device->tick <= 0.0f)
        return ASSAY_OK;
    const VkResult r = f->device->api.vkCreateQueryPool(f->device->device, &info, NULL, &s->marks);
    if (r)
        return vk_fail(e, r, "creating a query pool");
    int rc = vk_slot_begin(f, s, e);
    if (!rc) {
        f->device->api.vkCmdResetQueryPool(s->upload, s->marks, 0, VK_MARKS);
        rc = vk_slot_end(f, s, e);
    }
    if (rc) {
        f->device->api.vkDestroyQueryPool(f->device->device, s->marks, NULL);
        s->marks = VK_NULL_HANDLE;
    }
    return rc;
}

void vk_slot_mark(const struct vk_frames *f, const struct vk_slot *s, VkCommandBuffer c, uint32_t which)
{
    if (s->marked)
        f->device->api.vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, s->marks, which);
}

void vk_slot_collect_marks(const struct vk_frames *f, const struct vk_slot *s, VkCommandBuffer c)
{
    if (!s->marked)
        return;
    f->device->api.vkCmdCopyQueryPoolResults(c, s->marks, 0, VK_MARKS, s->readback.buffer, f->plan->results_bytes,
                                             sizeof(uint64_t), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    if (s->separate)
        f->device->api.vkCmdResetQueryPool(c, s->marks, 0, VK_MARKS);
}

void vk_slot_times(const struct vk_frames *f, const struct vk_slot *s, struct frame_times *times)
{
    const struct vk_device *d = f->device;
    uint64_t at[VK_MARKS];
    *times = (struct frame_times){0};
    if (!s->marked)
        return;
    memcpy(at, (const char *)s->readback.map + f->plan->results_bytes, sizeof at);
    for (unsigned i = 0; i < VK_MARKS; i++)
        at[i] = (uint64_t)((double)(at[i] & d->clock_mask) * (double)d->tick);
    *times = (struct frame_times){.upload = {at[0], at[1]}, .passes = {at[2], at[3]}};
}

/* ---- copies ---------------------------------------------------------------------------------------------------------- */

struct copies {
    struct vk_buffer from, to;
    VkCommandPool pool;
    VkCommandBuffer commands; /* one copy; goes with the pool */
    VkFence fence;
    VkQueue queue;            /* the one that frames' copies of this kind take */
    uint32_t family;
};

static VkResult record(const struct vk_device *d, struct copies *c, size_t bytes)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = c->family};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT};
    const VkBufferCopy copy = {.size = bytes};
    VkResult r = d->api.vkCreateFence(d->device, &fence, NULL, &c->fence);
    if (!r)
        r = d->api.vkCreateCommandPool(d->device, &pool, NULL, &c->pool);
    if (r)
        return r;
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = c->pool,
                                              .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
    r = d->api.vkAllocateCommandBuffers(d->device, &info, &c->commands);
    if (!r)
        r = d->api.vkBeginCommandBuffer(c->commands, &begin);
    if (r)
        return r;
    d->api.vkCmdCopyBuffer(c->commands, c->from.buffer, c->to.buffer, 1, &copy);
    return d->api.vkEndCommandBuffer(c->commands);
}

static VkResult run(const struct vk_device *d, const struct copies *c, unsigned times)
{
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c->commands};
    VkResult r = d->api.vkResetFences(d->device, 1, &c->fence);
    for (unsigned i = 0; !r && i < times; i++)
        r = d->api.vkQueueSubmit(c->queue, 1, &info, i + 1 == times ? c->fence : VK_NULL_HANDLE);
    return r ? r : d->api.vkWaitForFences(d->device, 1, &c->fence, VK_TRUE, UINT64_MAX);
}

int vk_copy_rate(struct vk_device *d, enum executor_copy kind, size_t bytes, unsigned times, double *seconds,
                 struct assay_error *e)
{
    const bool apart = kind == COPY_UPLOAD && d->queues.copy;
    struct copies c = {.queue = apart ? d->queues.copy : d->queues.compute[0],
                       .family = apart ? d->queues.copy_family : d->queues.family};
    int rc = vk_buffer_create(d, kind == COPY_UPLOAD ? VK_MEMORY_UPLOAD : VK_MEMORY_DEVICE, bytes, &c.from, e);
    if (!rc)
        rc = vk_buffer_create(d, VK_MEMORY_INPUTS, bytes, &c.to, e);
    if (!rc) {
        VkResult r = record(d, &c, bytes);
        if (!r)
            r = run(d, &c, 1); /* the first one touches the memory */
        const uint64_t start = clock_ns();
        if (!r)
            r = run(d, &c, times);
        *seconds = clock_seconds_since(start);
        if (r) {
            d->api.vkDeviceWaitIdle(d->device);
            rc = vk_fail(e, r, "measuring a copy");
        }
    }
    d->api.vkDestroyCommandPool(d->device, c.pool, NULL);
    d->api.vkDestroyFence(d->device, c.fence, NULL);
    vk_buffer_destroy(d, &c.to);
    vk_buffer_destroy(d, &c.from);
    return rc;
}
