/* SPDX-License-Identifier: BSD-2-Clause */
/* An application's images, as gpu/images.h has them. */
#include <string.h>
#include <unistd.h>

#include "executors/gpu/images.h"
#include "executors/vulkan/vulkan.h"

/* Handles that are 64 bits wide are pointers in the headers of a 64-bit machine. */
#define VK_HANDLE(type, value) ((type)(uintptr_t)(value))

static int lent_adopt(struct executor **out, const struct image_device *d, struct assay_error *e)
{
    const struct vk_handles handles = {
        .get_instance_proc_addr = (PFN_vkGetInstanceProcAddr)(PFN_vkVoidFunction)d->vulkan.get_instance_proc_addr,
        .instance = d->vulkan.instance, .physical = d->vulkan.physical, .device = d->vulkan.device,
        .queue = d->vulkan.queue, .family = d->vulkan.family};
    return vk_executor_adopt(out, &handles, e);
}

/* Fills the slot's buffer for a side with the texels of another API's image. */
static int lent_bring(struct vk_device *d, const struct image *i, struct vk_buffer *buffer, struct assay_error *e)
{
    const struct graph_plane_info plane = {.type = SAMPLE_U8, .width = i->width * i->texel_bytes};
    const uint32_t stride = gpu_input_stride(&plane);
    const uint64_t bytes = (uint64_t)stride * i->height;
    struct image_memory to = {.fd = -1, .bytes = bytes, .stride = stride};
    if (!(buffer->buffer && i->opengl.staged && buffer->bytes >= bytes)) {
        if (buffer->buffer) /* of a frame before, which is done */
            vk_buffer_destroy(d, buffer);
        TRY(i->opengl.staged ? vk_buffer_create(d, VK_MEMORY_UPLOAD, bytes, buffer, e)
                             : vk_buffer_share(d, bytes, buffer, &to.fd, e));
    }
    to.allocated = buffer->allocated;
    to.host = buffer->map;
    struct executor *from = i->opengl.context;
    TRY(from->ops->images->pack(from, i, &to, e));
    const VkResult flushed = i->opengl.staged ? vk_buffer_flush(d, buffer) : VK_SUCCESS;
    return flushed ? vk_fail(e, flushed, "writing a texture") : ASSAY_OK;
}

static int lent_submit(struct executor *x, uint32_t slot, const struct image_frame *f, struct assay_error *e)
{
    const struct vk_sync sync = {.wait = VK_HANDLE(VkSemaphore, f->wait), .signal = VK_HANDLE(VkSemaphore, f->signal)};
    struct vk_texel_frame frame = {.held = f->held};
    struct vk_image image[2];
    for (unsigned side = 0; side < 2; side++) {
        const struct image *i = &f->side[side];
        if (i->api == IMAGE_OPENGL) {
            struct vk_buffer *buffer = vk_executor_foreign(x, slot, side);
            TRY(lent_bring(vk_executor_device(x), i, buffer, e));
            frame.side[side] = (struct vk_texels){.buffer = buffer, .shared = !i->opengl.staged};
            continue;
        }
        image[side] = (struct vk_image){
            .image = VK_HANDLE(VkImage, i->vulkan.image), .layout = (VkImageLayout)i->vulkan.layout, .layer = i->vulkan.layer,
            .from = i->vulkan.from, .to = i->vulkan.to, .x = (int32_t)i->x, .y = (int32_t)i->y, .width = i->width,
            .height = i->height, .texel_bytes = i->texel_bytes};
        frame.side[side].image = &image[side];
    }
    return vk_executor_submit_texels(x, slot, &frame, &sync, e);
}

static int lent_can_share(struct executor *x, struct executor *from, struct assay_error *e)
{
    struct vk_device *d = vk_executor_device(x);
    struct vk_buffer buffer = {0};
    uint8_t uuid[2][VK_UUID_SIZE];
    int fd = -1;
    vk_device_uuids(d, uuid[0], uuid[1]);
    TRY(from->ops->images->is_device(from, uuid[0], uuid[1], e));
    TRY(vk_buffer_share(d, 4, &buffer, &fd, e));
    close(fd);
    vk_buffer_destroy(d, &buffer);
    return ASSAY_OK;
}

const struct image_ops vk_image_ops = {.adopt = lent_adopt, .submit = lent_submit, .can_share = lent_can_share};
