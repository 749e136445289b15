/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions whose pictures are Vulkan images. */
#include "texels/score.h"

#ifdef ASSAY_HAVE_VULKAN
#include "texels/sides.h"

static int start(struct assay_session *s, struct assay_gpu *gpu, const assay_vulkan_image *const image[2],
                 const assay_image_colour *colour)
{
    struct score like = {.kind = SCORE_VULKAN, .gpu = gpu};
    struct gpu_vulkan_pair images = {.image = {image[0], image[1]}};
    if (!gpu || !gpu_is_vulkan(gpu))
        return assay_fail(&s->error, ASSAY_EUSAGE, "not a Vulkan device");
    const int rc = gpu_vulkan_look(&images, &like.pair, &s->error);
    return rc ? rc : score_start(s, &like, colour);
}

static int submit(struct assay_session *s, uint64_t number, const assay_vulkan_image *const image[2],
                  const assay_vulkan_sync *sync)
{
    struct texel_pair pair = {0};
    struct gpu_vulkan_pair images = {.pair = &pair, .image = {image[0], image[1]}, .sync = sync};
    struct score *score;
    int rc = score_find(s, SCORE_VULKAN, &score);
    if (!rc)
        rc = gpu_vulkan_look(&images, &pair, &s->error);
    if (!rc)
        rc = score_check(score, &pair, &s->error);
    if (rc)
        return rc;
    images.band = score_band(score);
    return session_submit_on_device(s, number, gpu_vulkan_submit, &images);
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
