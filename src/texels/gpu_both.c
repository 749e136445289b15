/* SPDX-License-Identifier: BSD-2-Clause */
/* A Vulkan image against an OpenGL texture: the texture's bits get to the Vulkan device through memory that both APIs see, or
 * through the host's. */
#include "texels/gpu.h"

#if defined ASSAY_HAVE_VULKAN && defined ASSAY_HAVE_OPENGL
#include "texels/sides.h"

int gpu_both_submit(struct executor *x, uint32_t slot, const uint32_t *held, const void *opaque, struct assay_error *e)
{
    const struct gpu_both_pair *both = opaque;
    struct image_frame frame = {.held = held};
    gpu_vulkan_sync(&frame, both->sync, &both->band);
    frame.side[0] = gpu_vulkan_image(both->image, both->pair->format[0], &both->rectangle[0], &both->band);
    frame.side[1] = gpu_opengl_texture(both->texture, both->pair->format[1], &both->rectangle[1], &both->band);
    frame.side[1].opengl.context = both->opengl->probe;
    frame.side[1].opengl.staged = both->staged;
    return executor_submit_images(x, slot, &frame, e);
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
    struct assay_error why = {0};
    const int rc = executor_can_share(vulkan->probe, opengl->probe, &why);
    return rc ? assay_fail(e, rc, "%s; ASSAY_GPU_STAGED goes through memory of the host instead", why.text) : rc;
}

int assay_gpu_compare_vulkan_opengl(assay_gpu *vulkan, assay_gpu *opengl, const assay_vulkan_image *reference,
                                    const assay_opengl_texture *distorted, uint32_t path,
                                    const assay_compare_options *options, const assay_vulkan_sync *sync,
                                    assay_image_figures *figures)
{
    struct texel_pair pair = {0};
    struct gpu_both_pair both = {.vulkan = vulkan, .opengl = opengl, .pair = &pair, .image = reference, .texture = distorted,
                                 .sync = sync, .staged = path == ASSAY_GPU_STAGED};
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
    return gpu_compare(vulkan, &pair, options, submit, &both, figures);
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
