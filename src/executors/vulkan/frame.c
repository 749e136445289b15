/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/vulkan/frame.h"

#include <string.h>


static void barrier(const struct vk_frames *f, VkCommandBuffer c, VkPipelineStageFlags from, VkAccessFlags written,
                    VkPipelineStageFlags to, VkAccessFlags used)
{
    const VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = written,
                                    .dstAccessMask = used};
    f->device->api.vkCmdPipelineBarrier(c, from, to, 0, 1, &memory, 0, NULL, 0, NULL);
}

static int begin(const struct vk_frames *f, VkCommandBuffer c, struct assay_error *e)
{
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkResult r = f->device->api.vkBeginCommandBuffer(c, &info);
    return r ? vk_fail(e, r, "recording commands") : ASSAY_OK;
}

static int end(const struct vk_frames *f, VkCommandBuffer c, struct assay_error *e)
{
    const VkResult r = f->device->api.vkEndCommandBuffer(c);
    return r ? vk_fail(e, r, "recording commands") : ASSAY_OK;
}

/* The results are cleared beside the upload, so that the passes find both done. */
static void clear_results(const struct vk_frames *f, const struct vk_slot *s, VkCommandBuffer c)
{
    f->device->api.vkCmdFillBuffer(c, s->results.buffer, 0, VK_WHOLE_SIZE, 0);
}

/* Passes of the same queue may follow; from another queue's copies the semaphore holds them back. */
static void let_passes_read(const struct vk_frames *f, VkCommandBuffer c)
{
    barrier(f, c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
            VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

static int record_upload(const struct vk_frames *f, struct vk_slot *s, const struct vk_source *sources,
                         struct assay_error *e)
{
    const VkCommandBuffer c = s->separate ? s->apart : s->upload;
    const int rc = begin(f, c, e);
    if (rc)
        return rc;
    if (s->marked && !s->separate)
        f->device->api.vkCmdResetQueryPool(c, s->marks, 0, VK_MARKS);
    vk_slot_mark(f, s, c, 0);
    clear_results(f, s, c);
    for (graph_plane i = 0; i < f->graph->planes; i++) {
        if (!f->graph->plane[i].input)
            continue;
        const VkBufferCopy copy = {.srcOffset = sources[i].offset, .dstOffset = f->plan->input_offset[i],
                                   .size = sources[i].bytes};
        f->device->api.vkCmdCopyBuffer(c, sources[i].buffer, s->inputs.buffer, 1, &copy);
    }
    if (!s->separate)
        let_passes_read(f, c);
    vk_slot_mark(f, s, c, 1);
    return end(f, c, e);
}

static void record_pass(const struct vk_frames *f, struct vk_slot *s, graph_pass p)
{
    const struct vk_api *vk = &f->device->api;
    const struct gpu_pass *pass = &f->plan->pass[p];
    struct shader_push push;
    gpu_plan_push(f->plan, p, s->strides, &push);
    if (pass->waits)
        barrier(f, s->passes, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    vk->vkCmdBindPipeline(s->passes, VK_PIPELINE_BIND_POINT_COMPUTE, f->pipeline[f->graph->pass[p].kernel]);
    vk->vkCmdBindDescriptorSets(s->passes, VK_PIPELINE_BIND_POINT_COMPUTE, f->layout, 0, 1, &s->sets[p], 0, NULL);
    vk->vkCmdPushConstants(s->passes, f->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    vk->vkCmdDispatch(s->passes, pass->groups_x, pass->groups_y, 1);
    s->dispatches++;
}

static int record_passes(const struct vk_frames *f, struct vk_slot *s, struct assay_error *e)
{
    const struct vk_api *vk = &f->device->api;
    const int rc = begin(f, s->passes, e);
    if (rc)
        return rc;
    vk_slot_mark(f, s, s->passes, 2);
    s->dispatches = 0;
    for (graph_pass p = 0; p < f->graph->passes; p++)
        record_pass(f, s, p);
    barrier(f, s->passes, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    const VkBufferCopy copy = {.size = f->plan->results_bytes};
    vk->vkCmdCopyBuffer(s->passes, s->results.buffer, s->readback.buffer, 1, &copy);
    vk_slot_mark(f, s, s->passes, 3);
    vk_slot_collect_marks(f, s, s->passes);
    barrier(f, s->passes, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
            VK_ACCESS_HOST_READ_BIT);
    return end(f, s->passes, e);
}

static int make_semaphore(const struct vk_frames *f, struct vk_slot *s, struct assay_error *e)
{
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    const VkResult r = f->device->api.vkCreateSemaphore(f->device->device, &info, NULL, &s->uploaded);
    if (!r)
        return ASSAY_OK;
    s->uploaded = VK_NULL_HANDLE;
    return vk_fail(e, r, "creating a semaphore");
}

/* Brings the slot's command buffers up to what this frame needs. */
static int record(struct vk_frames *f, struct vk_slot *s, const struct vk_source *sources, struct assay_error *e)
{
    bool moved = !s->upload_recorded || s->marked != f->timed, restrided = !s->passes_recorded || s->marked != f->timed;
    int rc = f->timed ? vk_slot_marks(f, s, e) : ASSAY_OK;
    if (rc)
        return rc;
    s->marked = f->timed && s->marks;
    /* A queue without a clock would leave the upload's times out. */
    s->separate = s->apart && (!s->marked || f->device->copy_clock);
    if (s->separate && !s->uploaded && (rc = make_semaphore(f, s, e)))
        return rc;
    for (graph_plane i = 0; i < f->graph->planes; i++) {
        const struct vk_source *a = &sources[i], *b = &s->recorded[i];
        if (!f->graph->plane[i].input)
            continue;
        moved = moved || a->buffer != b->buffer || a->offset != b->offset || a->bytes != b->bytes;
        restrided = restrided || a->stride != s->strides[i];
        s->strides[i] = a->stride;
    }
    if (moved) {
        s->upload_recorded = false;
        memcpy(s->recorded, sources, f->graph->planes * sizeof *sources);
        rc = record_upload(f, s, sources, e);
        s->upload_recorded = !rc;
    }
    if (!rc && restrided) {
        s->passes_recorded = false;
        rc = record_passes(f, s, e);
        s->passes_recorded = !rc;
    }
    return rc;
}

static int run(struct vk_frames *f, struct vk_slot *s, const VkCommandBuffer *commands, uint32_t n,
               const struct vk_sync *sync, struct assay_error *e)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const struct vk_api *vk = &f->device->api;
    VkResult r = vk->vkResetFences(f->device->device, 1, &s->fence);
    if (r)
        return vk_fail(e, r, "resetting a fence");
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = n, .pCommandBuffers = commands,
                         .pWaitDstStageMask = &stage};
    if (sync && sync->wait) {
        info.waitSemaphoreCount = 1;
        info.pWaitSemaphores = &sync->wait;
    }
    if (sync && sync->signal) {
        info.signalSemaphoreCount = 1;
        info.pSignalSemaphores = &sync->signal;
    }
    r = vk->vkQueueSubmit(s->queue, 1, &info, s->fence);
    if (r)
        return vk_fail(e, r, "submitting a frame");
    s->in_flight = true;
    return ASSAY_OK;
}

static int finish(struct vk_frames *f, struct vk_slot *s, struct assay_error *e)
{
    if (!s->in_flight)
        return assay_fail(e, ASSAY_EDEVICE, "Vulkan: the frame was not submitted");
    const VkResult r = f->device->api.vkWaitForFences(f->device->device, 1, &s->fence, VK_TRUE, UINT64_MAX);
    s->in_flight = false;
    return r ? vk_fail(e, r, "waiting for a frame") : ASSAY_OK;
}

/* An upload whose passes could not be submitted: nobody waits for its semaphore, and marks stay written. */
static void abandon_upload(struct vk_frames *f, struct vk_slot *s)
{
    const struct vk_api *vk = &f->device->api;
    vk->vkQueueWaitIdle(f->device->queues.copy);
    vk->vkDestroySemaphore(f->device->device, s->uploaded, NULL);
    vk->vkDestroyQueryPool(f->device->device, s->marks, NULL);
    s->uploaded = VK_NULL_HANDLE;
    s->marks = VK_NULL_HANDLE;
    s->upload_recorded = s->passes_recorded = false;
}

int vk_frames_submit(struct vk_frames *f, uint32_t slot, const struct vk_source *sources, struct assay_error *e)
{
    struct vk_slot *s = &f->slot[slot];
    int rc = record(f, s, sources, e);
    if (rc)
        return rc;
    if (!s->separate)
        return run(f, s, (VkCommandBuffer[]){s->upload, s->passes}, 2, NULL, e);
    const VkSubmitInfo upload = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &s->apart,
                                 .signalSemaphoreCount = 1, .pSignalSemaphores = &s->uploaded};
    const VkResult r = f->device->api.vkQueueSubmit(f->device->queues.copy, 1, &upload, VK_NULL_HANDLE);
    if (r)
        return vk_fail(e, r, "submitting an upload");
    rc = run(f, s, &s->passes, 1, &(struct vk_sync){.wait = s->uploaded}, e);
    if (rc)
        abandon_upload(f, s);
    return rc;
}

int vk_frames_submit_on_device(struct vk_frames *f, uint32_t slot, const struct vk_source *sources, vk_record_fn *bring,
                               const void *opaque, const struct vk_sync *sync, struct assay_error *e)
{
    struct vk_slot *s = &f->slot[slot];
    bool restrided = !s->passes_recorded || s->marked;
    s->marked = false;
    for (graph_plane i = 0; i < f->graph->planes; i++)
        if (f->graph->plane[i].input) {
            restrided = restrided || sources[i].stride != s->strides[i];
            s->strides[i] = sources[i].stride;
        }
    s->upload_recorded = false; /* the application's images are bound anew each time */
    int rc = begin(f, s->upload, e);
    if (rc)
        return rc;
    clear_results(f, s, s->upload);
    bring(f, s, opaque);
    let_passes_read(f, s->upload);
    rc = end(f, s->upload, e);
    if (!rc && restrided) {
        s->passes_recorded = false;
        rc = record_passes(f, s, e);
        s->passes_recorded = !rc;
    }
    return rc ? rc : run(f, s, (VkCommandBuffer[]){s->upload, s->passes}, 2, sync, e);
}

int vk_frames_wait(struct vk_frames *f, uint32_t slot, struct assay_error *e)
{
    struct vk_slot *s = &f->slot[slot];
    const int rc = finish(f, s, e);
    if (rc)
        return rc;
    const VkResult r = vk_buffer_invalidate(f->device, &s->readback);
    if (r)
        return vk_fail(e, r, "reading a frame's totals");
    memcpy(s->totals, s->readback.map, f->graph->totals * sizeof *s->totals);
    const char *results = s->readback.map;
    gpu_plan_extrema(f->plan, (const uint32_t *)(const void *)(results + f->plan->extrema_offset), s->extrema);
    return ASSAY_OK;
}

int vk_slot_begin(struct vk_frames *f, struct vk_slot *s, struct assay_error *e)
{
    s->upload_recorded = false;
    return begin(f, s->upload, e);
}

int vk_slot_end(struct vk_frames *f, struct vk_slot *s, struct assay_error *e)
{
    int rc = end(f, s->upload, e);
    if (!rc)
        rc = run(f, s, &s->upload, 1, NULL, e);
    return rc ? rc : finish(f, s, e);
}

int vk_frames_read(struct vk_frames *f, uint32_t slot, const struct vk_buffer *from, VkDeviceSize offset,
                   const struct vk_buffer *to, VkDeviceSize bytes, struct assay_error *e)
{
    struct vk_slot *s = &f->slot[slot];
    int rc = vk_slot_begin(f, s, e);
    if (rc)
        return rc;
    barrier(f, s->upload, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_ACCESS_TRANSFER_READ_BIT);
    const VkBufferCopy copy = {.srcOffset = offset, .size = bytes};
    f->device->api.vkCmdCopyBuffer(s->upload, from->buffer, to->buffer, 1, &copy);
    barrier(f, s->upload, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
            VK_ACCESS_HOST_READ_BIT);
    rc = vk_slot_end(f, s, e);
    if (rc)
        return rc;
    const VkResult r = vk_buffer_invalidate(f->device, to);
    return r ? vk_fail(e, r, "reading a plane") : ASSAY_OK;
}
