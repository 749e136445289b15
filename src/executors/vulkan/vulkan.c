/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/vulkan/vulkan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "executors/gpu/digest.h"
#include "executors/vulkan/images.h"

enum {
    DEPTH = 6, /* frames in flight that keep upload, two queues of passes and the host busy at once */
};

/* Mapped memory that we gave out. */
struct host_block {
    struct host_block *next;
    struct vk_buffer buffer;
};

struct vk_executor {
    struct executor base;
    struct vk_device *device;
    const struct graph *graph;
    struct gpu_plan plan;
    struct vk_frames frames;
    struct vk_source *sources; /* of the frame that is being submitted, by plane */
    uint32_t slots;
    struct vk_buffer (*foreign)[2]; /* by slot and side: texels that another API wrote; made when the first ones come */
    /* Callers take and give memory while the session's thread submits. */
    pthread_mutex_t lock;
    struct host_block *blocks;
};

static void vulkan_close(struct executor **out)
{
    struct vk_executor *x = (struct vk_executor *)*out;
    if (!x)
        return;
    *out = NULL;
    vk_frames_free(&x->frames);
    gpu_plan_free(&x->plan);
    for (uint32_t i = 0; x->foreign && i < 2 * x->slots; i++)
        vk_buffer_destroy(x->device, &x->foreign[i / 2][i % 2]);
    while (x->blocks) {
        struct host_block *b = x->blocks;
        x->blocks = b->next;
        vk_buffer_destroy(x->device, &b->buffer);
        free(b);
    }
    vk_device_close(&x->device);
    pthread_mutex_destroy(&x->lock);
    free(x->sources);
    free(x->foreign);
    free(x);
}

/* Takes the device, also when it fails. */
static int open_on(struct executor **out, struct vk_device *device, struct assay_error *e)
{
    struct vk_executor *x = calloc(1, sizeof *x);
    if (!x) {
        vk_device_close(&device);
        return assay_fail_memory(e, "the Vulkan executor");
    }
    x->base = (struct executor){.ops = &executor_vulkan, .depth = DEPTH};
    x->device = device;
    pthread_mutex_init(&x->lock, NULL);
    snprintf(x->base.device, sizeof x->base.device, "%s", device->name);
    snprintf(x->base.driver, sizeof x->base.driver, "%s", device->driver);
    *out = &x->base;
    return ASSAY_OK;
}

static int vulkan_open(struct executor **out, const struct executor_config *config, struct assay_error *e)
{
    *out = NULL;
    struct vk_device *device;
    const int rc = vk_device_open(&device, config->device, e);
    return rc ? rc : open_on(out, device, e);
}

int vk_executor_adopt(struct executor **out, const struct vk_handles *handles, struct assay_error *e)
{
    *out = NULL;
    struct vk_device *device;
    const int rc = vk_device_adopt(&device, handles, e);
    return rc ? rc : open_on(out, device, e);
}

/* Device memory is looked at before any is taken, so that a frame that can't fit is named as such. */
static int check_memory(const struct vk_executor *x, uint32_t slots, struct assay_error *e)
{
    uint64_t most;
    const int rc = gpu_memory_from_environment(&most, e);
    if (rc)
        return rc;
    const uint64_t room = vk_device_free_bytes(x->device);
    return gpu_plan_fits(&x->plan, x->device->name, slots, room < most ? room : most, e);
}

static int vulkan_prepare(struct executor *base, const struct graph *g, uint32_t slots, struct assay_error *e)
{
    struct vk_executor *x = (struct vk_executor *)base;
    x->graph = g;
    x->sources = calloc(g->planes + 1, sizeof *x->sources);
    x->foreign = calloc(slots, sizeof *x->foreign);
    x->slots = slots;
    int rc = x->sources && x->foreign ? gpu_plan_init(&x->plan, g, &x->device->limits, e) : assay_fail_memory(e, "the Vulkan executor");
    if (!rc)
        rc = check_memory(x, slots, e);
    if (!rc)
        rc = vk_frames_init(&x->frames, x->device, g, &x->plan, slots, e);
    return rc;
}

static void *vulkan_host_alloc(struct executor *base, uint32_t slot, size_t bytes)
{
    (void)slot;
    struct vk_executor *x = (struct vk_executor *)base;
    struct host_block *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    if (vk_buffer_create(x->device, VK_MEMORY_UPLOAD, bytes ? bytes : 4, &b->buffer, NULL)) {
        free(b);
        return NULL;
    }
    pthread_mutex_lock(&x->lock);
    b->next = x->blocks;
    x->blocks = b;
    pthread_mutex_unlock(&x->lock);
    return b->buffer.map;
}

static void vulkan_host_free(struct executor *base, uint32_t slot, void *memory)
{
    (void)slot;
    struct vk_executor *x = (struct vk_executor *)base;
    if (!memory)
        return;
    pthread_mutex_lock(&x->lock);
    struct host_block **at = &x->blocks;
    while (*at && (*at)->buffer.map != memory)
        at = &(*at)->next;
    struct host_block *b = *at;
    if (b)
        *at = b->next;
    pthread_mutex_unlock(&x->lock);
    if (b)
        vk_buffer_destroy(x->device, &b->buffer);
    free(b);
}

/* The block that holds all of a plane, or NULL. */
static const struct vk_buffer *find_block(struct vk_executor *x, const char *first, uint64_t bytes)
{
    const struct vk_buffer *found = NULL;
    pthread_mutex_lock(&x->lock);
    for (const struct host_block *b = x->blocks; b && !found; b = b->next) {
        const uintptr_t start = (uintptr_t)b->buffer.map, at = (uintptr_t)first;
        if (at >= start && at - start + bytes <= b->buffer.bytes)
            found = &b->buffer;
    }
    pthread_mutex_unlock(&x->lock);
    return found;
}

/* A plane that the device can copy from where it is: in our memory, with a stride that its buffer has room for. */
static bool in_place(struct vk_executor *x, graph_plane i, const struct kernel_plane *host, struct vk_source *source,
                     VkResult *flushed)
{
    const struct graph_plane_info *plane = &x->graph->plane[i];
    const uint32_t row = plane->width * sample_size(plane->type);
    if (host->stride < (ptrdiff_t)row || host->stride % 4 || (uint64_t)host->stride * plane->height > x->plan.input_room[i])
        return false;
    const uint64_t bytes = (uint64_t)host->stride * (plane->height - 1) + row;
    const struct vk_buffer *block = find_block(x, host->data, bytes);
    if (!block)
        return false;
    *flushed = vk_buffer_flush(x->device, block);
    *source = (struct vk_source){.buffer = block->buffer, .bytes = bytes, .stride = (uint32_t)host->stride,
                                 .offset = (VkDeviceSize)((const char *)host->data - (const char *)block->map)};
    return true;
}

/* Any other plane is copied into the slot's own staging memory first. */
static int stage(struct vk_executor *x, struct vk_slot *s, graph_plane i, const struct kernel_plane *host,
                 struct vk_source *source, struct assay_error *e)
{
    const struct graph_plane_info *plane = &x->graph->plane[i];
    const uint32_t row = plane->width * sample_size(plane->type), stride = gpu_input_stride(plane);
    if (!s->staging.buffer) {
        const int rc = vk_buffer_create(x->device, VK_MEMORY_UPLOAD, x->plan.input_bytes, &s->staging, e);
        if (rc)
            return rc;
    }
    char *to = (char *)s->staging.map + x->plan.input_offset[i];
    for (uint32_t y = 0; y < plane->height; y++)
        memcpy(to + (size_t)y * stride, (const char *)host->data + (ptrdiff_t)y * host->stride, row);
    *source = (struct vk_source){.buffer = s->staging.buffer, .offset = x->plan.input_offset[i], .stride = stride,
                                 .bytes = (VkDeviceSize)stride * (plane->height - 1) + row};
    return ASSAY_OK;
}

static int vulkan_submit(struct executor *base, uint32_t slot, const struct frame_inputs *inputs, struct assay_error *e)
{
    struct vk_executor *x = (struct vk_executor *)base;
    struct vk_slot *s = &x->frames.slot[slot];
    VkResult flushed = VK_SUCCESS;
    bool staged = false;
    for (graph_plane i = 0; i < x->graph->planes; i++) {
        const struct graph_plane_info *plane = &x->graph->plane[i];
        if (!plane->input)
            continue;
        const struct kernel_plane *host = frame_input(inputs, plane);
        if (!in_place(x, i, host, &x->sources[i], &flushed)) {
            const int rc = stage(x, s, i, host, &x->sources[i], e);
            if (rc)
                return rc;
            staged = true;
        }
        if (flushed)
            return vk_fail(e, flushed, "writing a frame's planes");
    }
    if (staged && (flushed = vk_buffer_flush(x->device, &s->staging)))
        return vk_fail(e, flushed, "writing a frame's planes");
    x->frames.timed = base->timed;
    const int rc = vk_frames_submit(&x->frames, slot, x->sources, e);
    base->submissions += rc ? 0 : s->separate ? 2 : 1;
    return rc;
}

int vk_executor_submit_texels(struct executor *base, uint32_t slot, const struct vk_texel_frame *frame,
                              const struct vk_sync *sync, struct assay_error *e)
{
    struct vk_executor *x = (struct vk_executor *)base;
    for (graph_plane i = 0; i < x->graph->planes; i++)
        if (x->graph->plane[i].input)
            x->sources[i].stride = gpu_input_stride(&x->graph->plane[i]);
    return vk_frames_submit_on_device(&x->frames, slot, x->sources, vk_record_texels, frame, sync, e);
}

struct vk_buffer *vk_executor_foreign(struct executor *base, uint32_t slot, unsigned side)
{
    return &((struct vk_executor *)base)->foreign[slot][side];
}

struct vk_device *vk_executor_device(struct executor *base)
{
    return ((struct vk_executor *)base)->device;
}

static int vulkan_wait(struct executor *base, uint32_t slot, struct frame_results *results, struct assay_error *e)
{
    struct vk_executor *x = (struct vk_executor *)base;
    const int rc = vk_frames_wait(&x->frames, slot, e);
    if (rc)
        return rc;
    base->passes_run += x->frames.slot[slot].dispatches;
    results->totals = x->frames.slot[slot].totals;
    results->extrema = x->frames.slot[slot].extrema;
    vk_slot_times(&x->frames, &x->frames.slot[slot], &results->times);
    return ASSAY_OK;
}

static int vulkan_read_plane(struct executor *base, uint32_t slot, graph_plane i, void *dst, size_t dst_stride,
                             struct assay_error *e)
{
    struct vk_executor *x = (struct vk_executor *)base;
    const struct graph_plane_info *plane = &x->graph->plane[i];
    const struct vk_slot *s = &x->frames.slot[slot];
    const uint32_t row = plane->width * sample_size(plane->type);
    const size_t stride = plane->input ? s->strides[i] : graph_stride(plane);
    const VkDeviceSize bytes = (VkDeviceSize)stride * (plane->height - 1) + row;
    struct vk_buffer to;
    int rc = vk_buffer_create(x->device, VK_MEMORY_READBACK, bytes, &to, e);
    if (rc)
        return rc;
    rc = plane->input ? vk_frames_read(&x->frames, slot, &s->inputs, x->plan.input_offset[i], &to, bytes, e)
                      : vk_frames_read(&x->frames, slot, &s->storage[plane->storage], 0, &to, bytes, e);
    for (uint32_t y = 0; !rc && y < plane->height; y++)
        memcpy((char *)dst + y * dst_stride, (const char *)to.map + y * stride, row);
    vk_buffer_destroy(x->device, &to);
    return rc;
}

static int vulkan_copy_rate(struct executor *base, enum executor_copy kind, size_t bytes, unsigned times, double *seconds,
                            struct assay_error *e)
{
    return vk_copy_rate(((struct vk_executor *)base)->device, kind, bytes, times, seconds, e);
}

static uint64_t vulkan_memory(const struct executor *base, const struct graph *g, uint32_t slots)
{
    const struct vk_executor *x = (const struct vk_executor *)base;
    struct gpu_plan plan;
    if (gpu_plan_init(&plan, g, &x->device->limits, NULL))
        return 0;
    const uint64_t bytes = gpu_plan_slot_bytes(&plan) * slots;
    gpu_plan_free(&plan);
    return bytes;
}

static uint64_t vulkan_modules(void)
{
    return gpu_digest_module(MODULE_VULKAN);
}

const struct executor_ops executor_vulkan = {
    .name = "vulkan", .open = vulkan_open, .prepare = vulkan_prepare, .host_alloc = vulkan_host_alloc,
    .host_free = vulkan_host_free, .submit = vulkan_submit, .wait = vulkan_wait, .read_plane = vulkan_read_plane,
    .memory = vulkan_memory, .close = vulkan_close, .copy_rate = vulkan_copy_rate, .list = vk_device_list, .modules = vulkan_modules,
    .images = &vk_image_ops,
};
