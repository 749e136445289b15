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

static int record_upload(const struct vk_frames *f, struct vk_slot *s, const struct vk_source *sources,
                         struct assay_error *e)
{
    int rc = begin(f, s->upload, e);
    if (rc)
        return rc;
    if (s->marked)
        f->device->api.vkCmdResetQueryPool(s->upload, s->marks, 0, VK_MARKS);
    vk_slot_mark(f, s, s->upload, 0);
    for (graph_plane i = 0; i < f->graph->planes; i++) {
        if (!f->graph->plane[i].input)
            continue;
        const VkBufferCopy copy = {.srcOffset = sources[i].offset, .dstOffset = f->plan->input_offset[i],
                                   .size = sources[i].bytes};
        f->device->api.vkCmdCopyBuffer(s->upload, sources[i].buffer, s->inputs.buffer, 1, &copy);
    }
    vk_slot_mark(f, s, s->upload, 1);
    return end(f, s->upload, e);
}

static void record_pass(const struct vk_frames *f, const struct vk_slot *s, graph_pass p)
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
}

static int record_passes(const struct vk_frames *f, struct vk_slot *s, struct assay_error *e)
{
    const struct vk_api *vk = &f->device->api;
    const int rc = begin(f, s->passes, e);
    if (rc)
        return rc;
    vk->vkCmdFillBuffer(s->passes, s->results.buffer, 0, VK_WHOLE_SIZE, 0);
    barrier(f, s->passes, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    for (graph_pass p = 0; p < f->graph->passes; p++)
        record_pass(f, s, p);
    barrier(f, s->passes, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    const VkBufferCopy copy = {.size = f->plan->results_bytes};
    vk->vkCmdCopyBuffer(s->passes, s->results.buffer, s->readback.buffer, 1, &copy);
    barrier(f, s->passes, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
            VK_ACCESS_HOST_READ_BIT);
    vk_slot_mark(f, s, s->passes, 2);
    return end(f, s->passes, e);
}

/* Brings the slot's command buffers up to what this frame needs. */
static int record(struct vk_frames *f, struct vk_slot *s, const struct vk_source *sources, struct assay_error *e)
{
    bool moved = !s->upload_recorded || s->marked != f->timed, restrided = !s->passes_recorded || s->marked != f->timed;
    int rc = f->timed ? vk_slot_marks(f, s, e) : ASSAY_OK;
    if (rc)
        return rc;
    s->marked = f->timed && s->marks;
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
    r = vk->vkQueueSubmit(f->device->queue, 1, &info, s->fence);
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

int vk_frames_submit(struct vk_frames *f, uint32_t slot, const struct vk_source *sources, struct assay_error *e)
{
    struct vk_slot *s = &f->slot[slot];
    const int rc = record(f, s, sources, e);
    return rc ? rc : run(f, s, (VkCommandBuffer[]){s->upload, s->passes}, 2, NULL, e);
}

int vk_frames_submit_on_device(struct vk_frames *f, uint32_t slot, const struct vk_source *sources, vk_record_fn *bring,
                               const void *opaque, const struct vk_sync *sync, struct assay_error *e)
{
    struct vk_slot *s = &f->slot[slot];
    bool restrided = !s->passes_recorded;
    for (graph_plane i = 0; i < f->graph->planes; i++)
        if (f->graph->plane[i].input) {
            restrided = restrided || sources[i].stride != s->strides[i];
            s->strides[i] = sources[i].stride;
        }
    s->upload_recorded = false; /* the application's images are bound anew each time */
    int rc = begin(f, s->upload, e);
    if (rc)
        return rc;
    bring(f, s, opaque);
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

int vk_frames_read(struct vk_frames *f, uint32_t slot, const struct vk_buffer *from, VkDeviceSize offset,
                   const struct vk_buffer *to, VkDeviceSize bytes, struct assay_error *e)
{
    struct vk_slot *s = &f->slot[slot];
    s->upload_recorded = false; /* its command buffer is taken for this */
    int rc = begin(f, s->upload, e);
    if (rc)
        return rc;
    barrier(f, s->upload, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_ACCESS_TRANSFER_READ_BIT);
    const VkBufferCopy copy = {.srcOffset = offset, .size = bytes};
    f->device->api.vkCmdCopyBuffer(s->upload, from->buffer, to->buffer, 1, &copy);
    barrier(f, s->upload, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
            VK_ACCESS_HOST_READ_BIT);
    rc = end(f, s->upload, e);
    if (!rc)
        rc = run(f, s, &s->upload, 1, NULL, e);
    if (!rc)
        rc = finish(f, s, e);
    if (rc)
        return rc;
    const VkResult r = vk_buffer_invalidate(f->device, to);
    return r ? vk_fail(e, r, "reading a plane") : ASSAY_OK;
}
