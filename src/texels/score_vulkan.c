/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions whose pictures are Vulkan images. */
#include "texels/score.h"

#ifdef ASSAY_HAVE_VULKAN
#include "texels/sides.h"

static int look(const assay_vulkan_image *const image[2], struct texel_pair *pair, assay_rectangle rectangle[2],
                struct assay_error *e)
{
    int rc = ASSAY_OK;
    for (unsigned side = 0; !rc && side < 2; side++)
        rc = gpu_vulkan_check(image[side], side, &pair->format[side], &rectangle[side], e);
    return rc;
}

static int start(struct assay_session *s, struct assay_gpu *gpu, const assay_vulkan_image *const image[2],
                 const assay_image_colour *colour)
{
    struct score like = {.kind = SCORE_VULKAN, .gpu = gpu};
    assay_rectangle rectangle[2];
    if (!gpu || !gpu_is_vulkan(gpu))
        return assay_fail(&s->error, ASSAY_EUSAGE, "not a Vulkan device");
    const int rc = look(image, &like.pair, rectangle, &s->error);
    return rc ? rc : score_start(s, &like, rectangle, colour);
}

struct frame {
    struct gpu_vulkan_pair images;
    struct gpu_band band;
};

static int submit_frame(struct executor *x, uint32_t slot, const uint32_t *held, const void *opaque, struct assay_error *e)
{
    const struct frame *frame = opaque;
    return gpu_vulkan_submit(x, slot, held, &frame->images, &frame->band, e);
}

static int submit(struct assay_session *s, uint64_t number, const assay_vulkan_image *const image[2],
                  const assay_vulkan_sync *sync)
{
    struct texel_pair pair = {0};
    assay_rectangle rectangle[2];
    struct score *score;
    int rc = score_find(s, SCORE_VULKAN, &score);
    if (!rc)
        rc = look(image, &pair, rectangle, &s->error);
    if (!rc)
        rc = score_check(score, &pair, rectangle, &s->error);
    if (rc)
        return rc;
    const struct frame frame = {.images = {.pair = &score->pair, .image = {image[0], image[1]}, .rectangle = rectangle, .sync = sync},
                                .band = score_band(score)};
    return session_submit_inlined(s, number, submit_frame, &frame);
}

#else

static int start(struct assay_session *s, struct assay_gpu *gpu, const assay_vulkan_image *const image[2],
                 const assay_image_colour *colour)
{
    (void)gpu, (void)image, (void)colour;
    return assay_fail(&s->error, ASSAY_EDEVICE, "this build has no Vulkan");
}

static int submit(struct assay_session *s, uint64_t number, const assay_vulkan_image *const image[2],
                  const assay_vulkan_sync *sync)
{
    struct score *score;
    (void)number, (void)image, (void)sync;
    return score_find(s, SCORE_VULKAN, &score);
}

#endif

int assay_session_start_vulkan(assay_session *s, assay_gpu *gpu, const assay_vulkan_image *reference,
                               const assay_vulkan_image *distorted, const assay_image_colour *colour)
{
    const assay_vulkan_image *const image[2] = {reference, distorted};
    if (!s)
        return ASSAY_EUSAGE;
    const int rc = score_begin(s);
    return rc ? rc : start(s, gpu, image, colour);
}

int assay_session_submit_vulkan(assay_session *s, uint64_t frame, const assay_vulkan_image *reference,
                                const assay_vulkan_image *distorted, const assay_vulkan_sync *sync)
{
    const assay_vulkan_image *const image[2] = {reference, distorted};
    return s ? submit(s, frame, image, sync) : ASSAY_EUSAGE;
}
