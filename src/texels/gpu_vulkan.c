/* SPDX-License-Identifier: BSD-2-Clause */
/* The public functions for Vulkan images. */
#include <string.h>

#include "texels/gpu.h"

#ifdef ASSAY_HAVE_VULKAN
#include "texels/sides.h"

enum { LAYOUT_UNDEFINED = 0, LAYOUT_PREINITIALIZED = 8 };

static int open_executor(struct assay_gpu *gpu, struct executor **out, struct assay_error *e)
{
    const assay_vulkan *v = gpu->handles;
    const struct image_device device = {.api = IMAGE_VULKAN, .vulkan = {
        .get_instance_proc_addr = v->get_instance_proc_addr, .instance = v->instance, .physical = v->physical_device,
        .device = v->device, .queue = v->queue, .family = v->queue_family}};
    return executor_adopt(out, &device, e);
}

bool gpu_is_vulkan(const struct assay_gpu *gpu)
{
    return gpu->open == open_executor;
}

struct image gpu_vulkan_image(const assay_vulkan_image *i, const struct texel_format *format, const assay_rectangle *r,
                              const struct gpu_band *band)
{
    return (struct image){
        .api = IMAGE_VULKAN, .x = r->x, .y = r->y + band->first, .width = r->width, .height = band->rows,
        .texel_bytes = texel_bytes(format),
        .vulkan = {.image = i->image, .layout = i->layout, .layer = i->layer,
                   .from = band->is_first ? i->queue_family : IMAGE_FAMILY_IGNORED,
                   .to = band->is_last ? i->queue_family : IMAGE_FAMILY_IGNORED}};
}

void gpu_vulkan_sync(struct image_frame *frame, const assay_vulkan_sync *sync, const struct gpu_band *band)
{
    frame->wait = sync && band->is_first ? sync->wait : 0;
    frame->signal = sync && band->is_last ? sync->signal : 0;
}

int gpu_vulkan_submit(struct executor *x, uint32_t slot, const uint32_t *held, const void *opaque, struct assay_error *e)
{
    const struct gpu_vulkan_pair *images = opaque;
    struct image_frame frame = {.held = held};
    gpu_vulkan_sync(&frame, images->sync, &images->band);
    for (unsigned side = 0; side < 2; side++)
        frame.side[side] = gpu_vulkan_image(images->image[side], images->pair->format[side], &images->rectangle[side], &images->band);
    return executor_submit_images(x, slot, &frame, e);
}

static int submit(struct assay_gpu *gpu, struct executor *x, const void *opaque, const struct gpu_band *band)
{
    struct gpu_vulkan_pair images = *(const struct gpu_vulkan_pair *)opaque;
    images.band = *band;
    return gpu_vulkan_submit(x, 0, NULL, &images, &gpu->error);
}

int gpu_vulkan_check(const assay_vulkan_image *image, unsigned side, const struct texel_format **format,
                     assay_rectangle *rectangle, struct assay_error *e)
{
    const char *which = gpu_side_name(side);
    if (!image || !image->image)
        return assay_fail(e, ASSAY_EUSAGE, "no %s", which);
    if (image->samples > 1)
        return assay_fail(e, ASSAY_EUSAGE, "the %s is multisampled (%u samples): resolve it first", which, image->samples);
    if (!(*format = texel_format_vulkan(image->format)))
        return assay_fail(e, ASSAY_EUSAGE, "images of VkFormat %u can't be compared (the %s)", image->format, which);
    if (image->layout == LAYOUT_UNDEFINED || image->layout == LAYOUT_PREINITIALIZED)
        return assay_fail(e, ASSAY_EUSAGE, "the %s is in layout %s: its texels are not there, or can't be kept", which,
                          image->layout ? "PREINITIALIZED" : "UNDEFINED");
    *rectangle = image->rectangle;
    return gpu_rectangle(rectangle, image->width, image->height, which, e);
}

int gpu_vulkan_look(struct gpu_vulkan_pair *images, struct texel_pair *pair, struct assay_error *e)
{
    int rc = ASSAY_OK;
    for (unsigned side = 0; !rc && side < 2; side++)
        rc = gpu_vulkan_check(images->image[side], side, &pair->format[side], &images->rectangle[side], e);
    return rc ? rc : gpu_pair_size(pair, images->rectangle, e);
}

int assay_gpu_compare_vulkan(assay_gpu *gpu, const assay_vulkan_image *reference, const assay_vulkan_image *distorted,
                             const assay_compare_options *options, const assay_vulkan_sync *sync,
                             assay_image_figures *figures)
{
    struct texel_pair pair = {0};
    struct gpu_vulkan_pair images = {.pair = &pair, .image = {reference, distorted}, .sync = sync};
    if (!gpu)
        return ASSAY_EUSAGE;
    gpu_begin(gpu);
    if (!gpu_is_vulkan(gpu) || !figures)
        return assay_fail(&gpu->error, ASSAY_EUSAGE, "not a Vulkan device, or no figures");
    const int rc = gpu_vulkan_look(&images, &pair, &gpu->error);
    return rc ? rc : gpu_compare(gpu, &pair, options, submit, &images, figures);
}

int assay_gpu_open_vulkan(assay_gpu **gpu, const assay_vulkan *vulkan, char *error, size_t error_size)
{
    if (!gpu)
        return ASSAY_EUSAGE;
    *gpu = NULL;
    if (!vulkan || !vulkan->instance || !vulkan->physical_device || !vulkan->device || !vulkan->queue) {
        if (error && error_size)
            snprintf(error, error_size, "a Vulkan device is an instance, a physical device, a device and a queue");
        return ASSAY_EUSAGE;
    }
    return gpu_new(gpu, vulkan, sizeof *vulkan, open_executor, error, error_size);
}

#else

int assay_gpu_open_vulkan(assay_gpu **gpu, const assay_vulkan *vulkan, char *error, size_t error_size)
{
    (void)vulkan;
    if (gpu)
        *gpu = NULL;
    if (error && error_size)
        snprintf(error, error_size, "this build has no Vulkan");
    return ASSAY_EDEVICE;
}

int assay_gpu_compare_vulkan(assay_gpu *gpu, const assay_vulkan_image *reference, const assay_vulkan_image *distorted,
                             const assay_compare_options *options, const assay_vulkan_sync *sync,
                             assay_image_figures *figures)
{
    (void)reference, (void)distorted, (void)options, (void)sync, (void)figures;
    return gpu ? assay_fail(&gpu->error, ASSAY_EDEVICE, "this build has no Vulkan") : ASSAY_EUSAGE;
}

#endif
