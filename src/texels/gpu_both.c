/* SPDX-License-Identifier: BSD-2-Clause */
/* A Vulkan image against an OpenGL texture: the texture's bits get to the Vulkan device through memory that both APIs see, or
 * through the host's. */
#include "texels/gpu.h"

#if defined ASSAY_HAVE_VULKAN && defined ASSAY_HAVE_OPENGL
#include <unistd.h>

#include "texels/sides.h"

/* Room for the texels: memory of the host that is there already and large enough, else new. */
static int make_room(const struct gpu_both_pair *both, struct vk_device *device, uint64_t bytes, struct vk_buffer *buffer, int *fd,
                     struct assay_error *e)
{
    if (buffer->buffer && both->staged && buffer->bytes >= bytes)
        return ASSAY_OK;
    if (buffer->buffer) /* of a band or frame before, which is done */
        vk_buffer_destroy(device, buffer);
    return both->staged ? vk_buffer_create(device, VK_MEMORY_UPLOAD, bytes, buffer, e) : vk_buffer_share(device, bytes, buffer, fd, e);
}

/* Fills a Vulkan buffer with a band of the texture. */
static int bring(const struct gpu_both_pair *both, struct vk_device *device, struct vk_buffer *buffer, struct assay_error *e)
{
    const struct texel_format *f = both->pair->format[1];
    const struct gl_texture texture = gpu_opengl_texture(both->texture, f, &both->rectangle[1], &both->band);
    const struct graph_plane_info plane = {.type = f->element, .width = both->pair->width * f->elements};
    const uint32_t stride = gpu_input_stride(&plane);
    const uint64_t bytes = (uint64_t)stride * both->band.rows;
    struct gl_memory shared;
    int rc = make_room(both, device, bytes, buffer, &shared.fd, e);
    if (rc)
        return rc;
    shared.allocated = buffer->allocated;
    rc = gl_executor_pack(both->opengl->probe, &texture, stride, bytes, both->staged ? NULL : &shared, buffer->map, e);
    const VkResult flushed = !rc && both->staged ? vk_buffer_flush(device, buffer) : VK_SUCCESS;
    return flushed ? vk_fail(e, flushed, "writing a texture") : rc;
}

int gpu_both_submit(struct executor *x, uint32_t slot, const uint32_t *held, const void *opaque, struct assay_error *e)
{
    const struct gpu_both_pair *both = opaque;
    struct vk_device *device = vk_executor_device(both->vulkan->probe);
    struct vk_buffer *buffer = &both->buffer[slot];
    const struct vk_image image = gpu_vulkan_image(both->image, both->pair->format[0], &both->rectangle[0], &both->band);
    const struct vk_texel_frame frame = {.side = {{.image = &image}, {.buffer = buffer, .shared = !both->staged}}, .held = held};
    const struct vk_sync sync = gpu_vulkan_sync(both->sync, &both->band);
    const int rc = bring(both, device, buffer, e);
    return rc ? rc : vk_executor_submit_texels(x, slot, &frame, &sync, e);
}

static int submit(struct assay_gpu *gpu, struct executor *x, const void *opaque, const struct gpu_band *band)
{
    struct gpu_both_pair both = *(const struct gpu_both_pair *)opaque;
    both.band = *band;
    return gpu_both_submit(x, 0, NULL, &both, &gpu->error);
}

int gpu_both_look(struct gpu_both_pair *both, struct texel_pair *pair, struct assay_error *e)
{
    int rc = gpu_vulkan_check(both->image, 0, &pair->format[0], &both->rectangle[0], e);
    if (!rc)
        rc = gpu_opengl_check(both->opengl->probe, both->texture, 1, &pair->format[1], &both->rectangle[1], e);
    return rc ? rc : gpu_pair_size(pair, both->rectangle, e);
}

int gpu_both_check_sharing(struct assay_gpu *vulkan, struct assay_gpu *opengl, struct assay_error *e)
{
    struct vk_device *device = vk_executor_device(vulkan->probe);
    struct assay_error why = {0};
    struct vk_buffer buffer = {0};
    uint8_t uuid[2][16];
    int fd = -1;
    vk_device_uuids(device, uuid[0], uuid[1]);
    int rc = gl_executor_is_device(opengl->probe, uuid[0], uuid[1], &why);
    if (!rc && !(rc = vk_buffer_share(device, 4, &buffer, &fd, &why))) {
        close(fd);
        vk_buffer_destroy(device, &buffer);
    }
    return rc ? assay_fail(e, rc, "%s; ASSAY_GPU_STAGED goes through memory of the host instead", why.text) : rc;
}

int assay_gpu_compare_vulkan_opengl(assay_gpu *vulkan, assay_gpu *opengl, const assay_vulkan_image *reference,
                                    const assay_opengl_texture *distorted, uint32_t path,
                                    const assay_compare_options *options, const assay_vulkan_sync *sync,
                                    assay_image_figures *figures)
{
    struct texel_pair pair = {0};
    struct vk_buffer buffer = {0};
    struct gpu_both_pair both = {.vulkan = vulkan, .opengl = opengl, .pair = &pair, .image = reference, .texture = distorted,
                                 .sync = sync, .staged = path == ASSAY_GPU_STAGED, .buffer = &buffer};
    if (!vulkan)
        return ASSAY_EUSAGE;
    gpu_begin(vulkan);
    if (!gpu_is_vulkan(vulkan) || !opengl || !gpu_is_opengl(opengl) || !figures || path > ASSAY_GPU_STAGED)
        return assay_fail(&vulkan->error, ASSAY_EUSAGE, "not a Vulkan device and an OpenGL context, no figures, or no such path");
    int rc = gpu_both_look(&both, &pair, &vulkan->error);
    if (!rc && !both.staged)
        rc = gpu_both_check_sharing(vulkan, opengl, &vulkan->error);
    if (rc)
        return rc;
    rc = gpu_compare(vulkan, &pair, options, submit, &both, figures);
    if (buffer.buffer)
        vk_buffer_destroy(vk_executor_device(vulkan->probe), &buffer);
    return rc;
}

#else

int assay_gpu_compare_vulkan_opengl(assay_gpu *vulkan, assay_gpu *opengl, const assay_vulkan_image *reference,
                                    const assay_opengl_texture *distorted, uint32_t path,
                                    const assay_compare_options *options, const assay_vulkan_sync *sync,
                                    assay_image_figures *figures)
{
    (void)opengl, (void)reference, (void)distorted, (void)path, (void)options, (void)sync, (void)figures;
    return vulkan ? assay_fail(&vulkan->error, ASSAY_EDEVICE, "this build has no Vulkan, or no OpenGL") : ASSAY_EUSAGE;
}

#endif
