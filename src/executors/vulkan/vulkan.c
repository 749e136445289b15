/* SPDX-License-Identifier: BSD-2-Clause */
/* The Vulkan executor, and what a slot does on its device: recording, submitting, waiting, times. */
#include "executors/executor.h"

#include <stdlib.h>
#include <string.h>

#include "executors/vulkan/device.h"

/* ---- making ------------------------------------------------------------------------------------------------------ */

static int vk_create_commands(const struct vk_device *d, uint32_t family, uint32_t n, VkCommandPool *pool,
                              VkCommandBuffer *out, struct assay_error *e)
{
    const VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = family,
                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    const int rc = vk_check(e, d->api.vkCreateCommandPool(d->device, &info, NULL, pool), "creating a command pool");
    if (rc) {
        *pool = VK_NULL_HANDLE;
        return rc;
    }
    const VkCommandBufferAllocateInfo buffers = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                 .commandPool = *pool, .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                 .commandBufferCount = n};
    return vk_check(e, d->api.vkAllocateCommandBuffers(d->device, &buffers, out), "allocating command buffers");
}

static uint32_t vk_depth(const struct gpu_device *base, const struct graph *g)
{
    return vk_queues_depth(&((const struct vk_device *)base)->queues, g->passes, graph_memory(g));
}

static int vk_slot_create(struct gpu_device *base, struct gpu_slot *s, struct assay_error *e)
{
    struct vk_device *d = (struct vk_device *)base;
    struct vk_slot *own = s->own = calloc(1, sizeof *own);
    VkCommandBuffer buffers[2];
    if (!own || !(own->sets = calloc(base->graph ? base->graph->passes + 1 : 1, sizeof *own->sets)))
        return assay_fail_memory(e, "a frame in flight");
    const struct graph *g = base->graph;
    const uint32_t queues = vk_queues_used(&d->queues, g ? g->passes : 0, g ? graph_memory(g) : 0);
    /* Passes that read what earlier frames keep run behind those that made it. */
    own->queue = d->queues.compute[base->plan && base->plan->twins.bytes ? 0 : s->number % queues];
    TRY(vk_create_commands(d, d->queues.family, 2, &own->commands, buffers, e));
    own->first = buffers[0];
    own->passes = buffers[1];
    if (d->queues.copy)
        TRY(vk_create_commands(d, d->queues.copy_family, 1, &own->copies, &own->apart, e));
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    return vk_check(e, d->api.vkCreateFence(d->device, &fence, NULL, &own->fence), "creating a fence");
}

static void vk_slot_destroy(struct gpu_device *base, struct gpu_slot *s)
{
    const struct vk_device *d = (const struct vk_device *)base;
    struct vk_slot *own = s->own;
    if (!own)
        return;
    vk_buffer_destroy(base, &own->times);
    d->api.vkDestroyFence(d->device, own->fence, NULL);
    d->api.vkDestroySemaphore(d->device, own->uploaded, NULL);
    d->api.vkDestroyQueryPool(d->device, own->marks, NULL);
    d->api.vkDestroyCommandPool(d->device, own->commands, NULL);
    d->api.vkDestroyCommandPool(d->device, own->copies, NULL);
    free(own->sets); /* they go with their pool */
    free(own);
    s->own = NULL;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

/* Binary semaphores around a submission. */
struct vk_order {
    VkSemaphore wait[2], signal[2];
    uint32_t waits, signals;
};

static int vk_run_commands(const struct vk_device *d, struct vk_slot *own, VkQueue queue,
                           const VkCommandBuffer *commands, uint32_t n, const struct vk_order *order,
                           struct assay_error *e)
{
    const VkPipelineStageFlags stages[2] = {VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT};
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = n,
                               .pCommandBuffers = commands, .pWaitDstStageMask = stages,
                               .waitSemaphoreCount = order->waits, .pWaitSemaphores = order->wait,
                               .signalSemaphoreCount = order->signals, .pSignalSemaphores = order->signal};
    TRY(vk_check(e, d->api.vkResetFences(d->device, 1, &own->fence), "resetting a fence"));
    vk_opened_lock(d->opened);
    const VkResult r = d->api.vkQueueSubmit(queue, 1, &info, own->fence);
    vk_opened_unlock(d->opened);
    TRY(vk_check(e, r, "submitting a frame"));
    own->pending = true;
    return ASSAY_OK;
}

/* After an upload whose passes could not be submitted, nobody waits for the semaphore and the timestamps stay
 * written. */
static void vk_abandon_upload(const struct vk_device *d, struct gpu_slot *s)
{
    struct vk_slot *own = s->own;
    vk_opened_lock(d->opened);
    d->api.vkQueueWaitIdle(d->queues.copy);
    vk_opened_unlock(d->opened);
    d->api.vkDestroySemaphore(d->device, own->uploaded, NULL);
    d->api.vkDestroyQueryPool(d->device, own->marks, NULL);
    own->uploaded = VK_NULL_HANDLE;
    own->marks = VK_NULL_HANDLE;
    s->recorded[GPU_UPLOAD] = s->recorded[GPU_PASSES] = false;
}

static int vk_submit_apart(const struct vk_device *d, struct gpu_slot *s, struct assay_error *e)
{
    struct vk_slot *own = s->own;
    const VkSubmitInfo upload = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1,
                                 .pCommandBuffers = &own->apart, .signalSemaphoreCount = 1,
                                 .pSignalSemaphores = &own->uploaded};
    vk_opened_lock(d->opened);
    const VkResult r = d->api.vkQueueSubmit(d->queues.copy, 1, &upload, VK_NULL_HANDLE);
    vk_opened_unlock(d->opened);
    TRY(vk_check(e, r, "submitting an upload"));
    const int rc = vk_run_commands(d, own, own->queue, &own->passes, 1,
                                   &(struct vk_order){.wait = {own->uploaded}, .waits = 1}, e);
    if (rc)
        vk_abandon_upload(d, s);
    s->submissions = 2;
    return rc;
}

static int vk_submit(struct gpu_device *base, struct gpu_slot *s, enum gpu_part first, bool passes,
                     struct assay_error *e)
{
    const struct vk_device *d = (const struct vk_device *)base;
    struct vk_slot *own = s->own;
    const bool apart = first == GPU_UPLOAD && own->separate;
    struct vk_order order = {.waits = 0};
    if (apart && passes)
        return vk_submit_apart(d, s, e);
    s->submissions = 1;
    if (apart)
        return vk_run_commands(d, own, d->queues.copy, &own->apart, 1, &order, e);
    for (unsigned side = 0; s->frame && side < 2; side++) {
        const struct image_order *lent = &s->frame->order[side];
        if (lent->wait)
            order.wait[order.waits++] = VK_HANDLE(VkSemaphore, lent->wait);
        if (lent->signal)
            order.signal[order.signals++] = VK_HANDLE(VkSemaphore, lent->signal);
    }
    return vk_run_commands(d, own, own->queue, (VkCommandBuffer[]){own->first, own->passes}, passes ? 2 : 1, &order, e);
}

static int vk_wait(struct gpu_device *base, struct gpu_slot *s, struct assay_error *e)
{
    const struct vk_device *d = (const struct vk_device *)base;
    struct vk_slot *own = s->own;
    if (!own->pending)
        return ASSAY_OK;
    own->pending = false;
    return vk_check(e, d->api.vkWaitForFences(d->device, 1, &own->fence, VK_TRUE, UINT64_MAX), "waiting for a frame");
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

static int vk_begin(struct gpu_device *base, struct gpu_slot *s, enum gpu_part part, struct assay_error *e);
static int vk_end(struct gpu_device *base, struct gpu_slot *s, enum gpu_part part, struct assay_error *e);

/* Timestamps must be reset before they are written, and a copy queue can't reset them. */
static int vk_clear_marks(struct gpu_device *base, struct gpu_slot *s, struct assay_error *e)
{
    const struct vk_device *d = (const struct vk_device *)base;
    const struct vk_slot *own = s->own;
    TRY(vk_begin(base, s, GPU_BRING, e));
    d->api.vkCmdResetQueryPool(own->now, own->marks, 0, GPU_MARKS);
    TRY(vk_end(base, s, GPU_BRING, e));
    TRY(vk_submit(base, s, GPU_BRING, false, e));
    return vk_wait(base, s, e);
}

static int vk_make_marks(struct gpu_device *base, struct gpu_slot *s, struct assay_error *e)
{
    const struct vk_device *d = (const struct vk_device *)base;
    struct vk_slot *own = s->own;
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = GPU_MARKS};
    if (!own->times.handle)
        TRY(vk_buffer_create(base, GPU_MEMORY_READBACK, GPU_MARKS * sizeof(uint64_t), &own->times, e));
    int rc = vk_check(e, d->api.vkCreateQueryPool(d->device, &info, NULL, &own->marks), "creating a query pool");
    if (!rc && own->apart && d->copy_clock && (rc = vk_clear_marks(base, s, e)))
        d->api.vkDestroyQueryPool(d->device, own->marks, NULL);
    if (rc)
        own->marks = VK_NULL_HANDLE;
    return rc;
}

static void vk_mark(struct gpu_device *base, struct gpu_slot *s, unsigned mark)
{
    const struct vk_device *d = (const struct vk_device *)base;
    const struct vk_slot *own = s->own;
    if (!own->marked)
        return;
    d->api.vkCmdWriteTimestamp(own->now, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, own->marks, mark);
    if (mark != GPU_MARKS - 1)
        return;
    d->api.vkCmdCopyQueryPoolResults(own->now, own->marks, 0, GPU_MARKS, VK_HANDLE(VkBuffer, own->times.handle), 0,
                                     sizeof(uint64_t), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    if (own->separate) /* for the next frame: a copy queue can't */
        d->api.vkCmdResetQueryPool(own->now, own->marks, 0, GPU_MARKS);
}

static int vk_times(struct gpu_device *base, struct gpu_slot *s, uint64_t at[GPU_MARKS], struct assay_error *e)
{
    const struct vk_device *d = (const struct vk_device *)base;
    struct vk_slot *own = s->own;
    if (!own->marked)
        return ASSAY_OK;
    TRY(vk_buffer_invalidate(base, &own->times, e));
    memcpy(at, own->times.map, GPU_MARKS * sizeof *at);
    for (unsigned i = 0; i < GPU_MARKS; i++)
        at[i] = (uint64_t)((double)(at[i] & d->clock_mask) * (double)d->tick);
    return ASSAY_OK;
}

/* ---- recording --------------------------------------------------------------------------------------------------- */

static int vk_begin_upload(struct gpu_device *base, struct gpu_slot *s, struct assay_error *e)
{
    const struct vk_device *d = (const struct vk_device *)base;
    struct vk_slot *own = s->own;
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    if (s->timed && d->tick > 0.0f && !own->marks)
        TRY(vk_make_marks(base, s, e));
    own->marked = s->timed && own->marks;
    /* Timed uploads need a queue with a clock. */
    own->separate = own->apart && (!own->marked || d->copy_clock);
    if (!own->separate || own->uploaded)
        return ASSAY_OK;
    const int rc = vk_check(e, d->api.vkCreateSemaphore(d->device, &info, NULL, &own->uploaded),
                            "creating a semaphore");
    if (rc)
        own->uploaded = VK_NULL_HANDLE;
    return rc;
}

static int vk_begin(struct gpu_device *base, struct gpu_slot *s, enum gpu_part part, struct assay_error *e)
{
    const struct vk_device *d = (const struct vk_device *)base;
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    struct vk_slot *own = s->own;
    if (part == GPU_UPLOAD)
        TRY(vk_begin_upload(base, s, e));
    else if (!s->timed)
        own->marked = false;
    own->now = part == GPU_PASSES ? own->passes : part == GPU_UPLOAD && own->separate ? own->apart : own->first;
    own->failed = VK_SUCCESS;
    TRY(vk_check(e, d->api.vkBeginCommandBuffer(own->now, &info), "recording commands"));
    if (part == GPU_UPLOAD && own->marked && !own->separate)
        d->api.vkCmdResetQueryPool(own->now, own->marks, 0, GPU_MARKS);
    return ASSAY_OK;
}

static int vk_end(struct gpu_device *base, struct gpu_slot *s, enum gpu_part part, struct assay_error *e)
{
    const struct vk_device *d = (const struct vk_device *)base;
    struct vk_slot *own = s->own;
    (void)part;
    const VkResult r = d->api.vkEndCommandBuffer(own->now);
    TRY(vk_check(e, own->failed, "allocating descriptor sets"));
    return vk_check(e, r, "recording commands");
}

static void vk_copy(struct gpu_device *base, struct gpu_slot *s, const struct gpu_copy *c)
{
    const struct vk_device *d = (const struct vk_device *)base;
    const struct vk_slot *own = s->own;
    const VkBufferCopy copy = {.srcOffset = c->from_offset, .dstOffset = c->to_offset, .size = c->bytes};
    d->api.vkCmdCopyBuffer(own->now, VK_HANDLE(VkBuffer, c->from->handle), VK_HANDLE(VkBuffer, c->to->handle), 1,
                           &copy);
}

static void vk_clear(struct gpu_device *base, struct gpu_slot *s, const struct gpu_buffer *b)
{
    const struct vk_device *d = (const struct vk_device *)base;
    const struct vk_slot *own = s->own;
    d->api.vkCmdFillBuffer(own->now, VK_HANDLE(VkBuffer, b->handle), 0, VK_WHOLE_SIZE, 0);
}

static void vk_barrier(struct gpu_device *base, struct gpu_slot *s, enum gpu_barrier barrier)
{
    enum {
        COPY = VK_PIPELINE_STAGE_TRANSFER_BIT,
        PASS = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
        HOST = VK_PIPELINE_STAGE_HOST_BIT
    };
    enum {
        COPIED = VK_ACCESS_TRANSFER_WRITE_BIT,
        PASSED = VK_ACCESS_SHADER_WRITE_BIT,
        COPIES = VK_ACCESS_TRANSFER_READ_BIT,
        PASSES = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
        READS = VK_ACCESS_HOST_READ_BIT
    };
    static const struct {
        VkPipelineStageFlags from;
        VkAccessFlags written;
        VkPipelineStageFlags to;
        VkAccessFlags used;
    } is[] = {[GPU_INPUTS_THERE] = {COPY, COPIED, COPY, COPIES},
              [GPU_BEFORE_PASSES] = {COPY, COPIED, PASS, PASSES},
              [GPU_BETWEEN_PASSES] = {PASS, PASSED, PASS, PASSES},
              [GPU_AFTER_PASSES] = {PASS, PASSED, COPY, COPIES},
              [GPU_BEFORE_HOST] = {COPY, COPIED, HOST, READS}};
    const struct vk_device *d = (const struct vk_device *)base;
    const struct vk_slot *own = s->own;
    const VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = is[barrier].written,
                                    .dstAccessMask = is[barrier].used};
    d->api.vkCmdPipelineBarrier(own->now, is[barrier].from, is[barrier].to, 0, 1, &memory, 0, NULL, 0, NULL);
}

/* ---- the device and the executor --------------------------------------------------------------------------------- */

const struct gpu_device_ops vk_device_ops = {
    .api = "Vulkan", .run = gpu_run_anywhere, .close = vk_device_close, .free_bytes = vk_free_bytes,
    .kernel = gpu_find_shader, .buffer_create = vk_buffer_create, .buffer_destroy = vk_buffer_destroy,
    .flush = vk_buffer_flush, .invalidate = vk_buffer_invalidate, .prepare = vk_prepare, .slot_create = vk_slot_create,
    .slot_destroy = vk_slot_destroy, .begin = vk_begin, .copy = vk_copy, .clear = vk_clear, .dispatch = vk_dispatch,
    .barrier = vk_barrier, .mark = vk_mark, .end = vk_end, .submit = vk_submit, .wait = vk_wait, .finish = vk_wait,
    .times = vk_times, .bring = vk_bring, .share = vk_buffer_share, .uuids = vk_uuids, .depth = vk_depth,
};

GPU_EXECUTOR_OPENS(vk, executor_vulkan, vk_device_open(&device, config, NULL, e),
                   vk_device_open(&device, NULL, lent, e))

static const struct image_ops vk_images = {.adopt = vk_executor_adopt, .submit = gpu_executor_submit_images,
                                               .can_share = gpu_executor_can_share};

GPU_EXECUTOR_MODULES(vk, MODULE_VULKAN)

const struct executor_ops executor_vulkan = {
    .name = "vulkan", .open = vk_executor_open, GPU_EXECUTOR_OPS, .list = vk_device_list, .modules = vk_modules,
    .images = &vk_images,
};
