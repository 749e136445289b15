/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/vulkan/vulkan.h"

#include "executors/gpu/digest.h"
#include "executors/vulkan/slot.h"

/* Any thread may use the device at any time. */
static int vulkan_run(struct gpu_device *d, enum gpu_urgency urgency, gpu_work *work, void *opaque,
                      struct assay_error *e)
{
    (void)d, (void)urgency;
    return work(opaque, e);
}

static void vulkan_close(struct gpu_device **out)
{
    struct vk_device *d = (struct vk_device *)*out;
    *out = NULL;
    vk_device_close(&d);
}

const struct gpu_device_ops vk_device_ops = {
    .api = "Vulkan", .run = vulkan_run, .close = vulkan_close, .free_bytes = vk_free_bytes, .kernel = gpu_find_shader,
    .buffer_create = vk_buffer_create, .buffer_destroy = vk_buffer_destroy, .flush = vk_buffer_flush,
    .invalidate = vk_buffer_invalidate, .prepare = vk_prepare, .slot_create = vk_slot_create,
    .slot_destroy = vk_slot_destroy, .begin = vk_begin, .copy = vk_copy, .clear = vk_clear, .dispatch = vk_dispatch,
    .barrier = vk_barrier, .mark = vk_mark, .end = vk_end, .submit = vk_submit, .wait = vk_wait, .finish = vk_wait,
    .times = vk_times, .bring = vk_bring, .share = vk_buffer_share, .uuids = vk_uuids,
};

static int vulkan_open(struct executor **out, const struct executor_config *config, struct assay_error *e)
{
    struct vk_device *d;
    *out = NULL;
    TRY(vk_device_open(&d, config->device, e));
    return gpu_executor_open(out, &executor_vulkan, &d->base, e);
}

static int vulkan_adopt(struct executor **out, const struct image_device *lent, struct assay_error *e)
{
    struct vk_device *d;
    *out = NULL;
    TRY(vk_device_adopt(&d, lent, e));
    return gpu_executor_open(out, &executor_vulkan, &d->base, e);
}

static const struct image_ops vulkan_images = {.adopt = vulkan_adopt, .submit = gpu_executor_submit_images,
                                               .can_share = gpu_executor_can_share};

static uint64_t vulkan_modules(void)
{
    return gpu_digest_module(MODULE_VULKAN);
}

const struct executor_ops executor_vulkan = {
    .name = "vulkan", .open = vulkan_open, GPU_EXECUTOR_OPS, .list = vk_device_list, .modules = vulkan_modules,
    .images = &vulkan_images,
};
