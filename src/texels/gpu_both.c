/* SPDX-License-Identifier: BSD-2-Clause */
/* A Vulkan image against an OpenGL texture: the texture's bits get to the Vulkan device through memory that both APIs see, or
 * through the host's. */
#include "texels/gpu.h"

#if defined ASSAY_HAVE_VULKAN && defined ASSAY_HAVE_OPENGL
#include <unistd.h>

#include "texels/sides.h"

struct both {
    struct assay_gpu *opengl;
    const struct texel_pair *pair;
    const assay_vulkan_image *image;
    const assay_opengl_texture *texture;
    const assay_rectangle *rectangle; /* by side */
    const assay_vulkan_sync *sync;
    bool staged;
    struct vk_buffer *buffer; /* of the band that is being compared */
};

/* Fills a Vulkan buffer with a band of the texture. */
static int bring(struct assay_gpu *gpu, const struct both *both, struct vk_device *device, const struct gpu_band *band,
                 struct vk_buffer *buffer)
{
    const struct texel_format *f = both->pair->format[1];
    const struct gl_texture texture = gpu_opengl_texture(both->texture, f, &both->rectangle[1], band);
    const struct graph_plane_info plane = {.type = f->element, .width = both->pair->width * f->elements};
    const uint32_t stride = gpu_input_stride(&plane);
    const uint64_t bytes = (uint64_t)stride * band->rows;
    struct gl_memory shared;
    int rc = both->staged ? vk_buffer_create(device, VK_MEMORY_UPLOAD, bytes, buffer, &gpu->error)
                          : vk_buffer_share(device, bytes, buffer, &shared.fd, &gpu->error);
    if (rc)
        return rc;
    shared.allocated = buffer->allocated;
    rc = gl_executor_pack(both->opengl->probe, &texture, stride, bytes, both->staged ? NULL : &shared, buffer->map, &gpu->error);
    const VkResult flushed = !rc && both->staged ? vk_buffer_flush(device, buffer) : VK_SUCCESS;
    return flushed ? vk_fail(&gpu->error, flushed, "writing a texture") : rc;
}

static int submit(struct assay_gpu *gpu, struct executor *x, const void *opaque, const struct gpu_band *band)
{
    const struct both *both = opaque;
    struct vk_device *device = vk_executor_device(gpu->probe);
    const struct vk_image image = gpu_vulkan_image(both->image, both->pair->format[0], &both->rectangle[0], band,
                                                   band->is_first, band->is_last);
    const struct vk_texels texels[2] = {{.image = &image}, {.buffer = both->buffer, .shared = !both->staged}};
    const struct vk_sync sync = gpu_vulkan_sync(both->sync, band);
    if (both->buffer->buffer) /* of the band before, which is done */
        vk_buffer_destroy(device, both->buffer);
    const int rc = bring(gpu, both, device, band, both->buffer);
    return rc ? rc : vk_executor_submit_texels(x, 0, texels, &sync, &gpu->error);
}

/* Whether the two run on one device and can share memory; looked at before any of it is made. */
static int check_sharing(struct assay_gpu *vulkan, struct assay_gpu *opengl)
{
    struct vk_device *device = vk_executor_device(vulkan->probe);
    struct assay_error e = {0};
    struct vk_buffer buffer = {0};
    uint8_t uuid[2][16];
    int fd = -1;
    vk_device_uuids(device, uuid[0], uuid[1]);
    int rc = gl_executor_is_device(opengl->probe, uuid[0], uuid[1], &e);
    if (!rc && !(rc = vk_buffer_share(device, 4, &buffer, &fd, &e))) {
        close(fd);
        vk_buffer_destroy(device, &buffer);
    }
    return rc ? assay_fail(&vulkan->error, rc, "%s; ASSAY_GPU_STAGED goes through memory of the host instead", e.text) : rc;
}

int assay_gpu_compare_vulkan_opengl(assay_gpu *vulkan, assay_gpu *opengl, const assay_vulkan_image *reference,
                                    const assay_opengl_texture *distorted, uint32_t path,
                                    const assay_compare_options *options, const assay_vulkan_sync *sync,
                                    assay_image_figures *figures)
{
    struct texel_pair pair = {0};
    assay_rectangle rectangle[2];
    struct vk_buffer buffer = {0};
    const struct both both = {.opengl = opengl, .pair = &pair, .image = reference, .texture = distorted, .rectangle = rectangle,
                              .sync = sync, .staged = path == ASSAY_GPU_STAGED, .buffer = &buffer};
    if (!vulkan)
        return ASSAY_EUSAGE;
    gpu_begin(vulkan);
    if (!gpu_is_vulkan(vulkan) || !opengl || !gpu_is_opengl(opengl) || !figures || path > ASSAY_GPU_STAGED)
        return assay_fail(&vulkan->error, ASSAY_EUSAGE, "not a Vulkan device and an OpenGL context, no figures, or no such path");
    int rc = gpu_vulkan_check(reference, 0, &pair.format[0], &rectangle[0], &vulkan->error);
    if (!rc)
        rc = gpu_opengl_check(opengl->probe, distorted, 1, &pair.format[1], &rectangle[1], &vulkan->error);
    if (!rc)
        rc = gpu_same_size(&rectangle[0], &rectangle[1], &vulkan->error);
    if (!rc && !both.staged)
        rc = check_sharing(vulkan, opengl);
    if (rc)
        return rc;
    pair.width = rectangle[0].width;
    pair.height = rectangle[0].height;
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
