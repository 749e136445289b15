/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions whose pictures are Vulkan images and, distorted, OpenGL textures. */
#include "texels/score.h"

/* Both sides as they are lent; the OpenGL context is current. */
struct sides {
    const assay_vulkan_image *image;
    const assay_opengl_texture *texture;
};

#if defined ASSAY_HAVE_VULKAN && defined ASSAY_HAVE_OPENGL
#include "texels/sides.h"

static int start(struct assay_session *s, struct assay_gpu *vulkan, struct assay_gpu *opengl, const struct sides *sides,
                 uint32_t path, const assay_image_colour *colour)
{
    struct score like = {.kind = SCORE_BOTH, .gpu = vulkan, .opengl = opengl, .staged = path == ASSAY_GPU_STAGED};
    struct gpu_both_pair both = {.opengl = opengl, .image = sides->image, .texture = sides->texture};
    if (!vulkan || !gpu_is_vulkan(vulkan) || !opengl || !gpu_is_opengl(opengl) || path > ASSAY_GPU_STAGED)
        return assay_fail(&s->error, ASSAY_EUSAGE, "not a Vulkan device and an OpenGL context, or no such path");
    int rc = gpu_both_look(&both, &like.pair, &s->error);
    if (!rc && !like.staged)
        rc = gpu_both_check_sharing(vulkan, opengl, &s->error);
    return rc ? rc : score_start(s, &like, colour);
}

static int submit(struct assay_session *s, uint64_t number, const struct sides *sides, const assay_vulkan_sync *sync)
{
    struct texel_pair pair = {0};
    struct gpu_both_pair both = {.pair = &pair, .image = sides->image, .texture = sides->texture, .sync = sync};
    struct score *score;
    int rc = score_find(s, SCORE_BOTH, &score);
    if (rc)
        return rc;
    both.vulkan = score->gpu;
    both.opengl = score->opengl;
    both.staged = score->staged;
    both.band = score_band(score);
    rc = gpu_both_look(&both, &pair, &s->error);
    if (!rc)
        rc = score_check(score, &pair, &s->error);
    return rc ? rc : session_submit_on_device(s, number, gpu_both_submit, &both);
}

#else

static int start(struct assay_session *s, struct assay_gpu *vulkan, struct assay_gpu *opengl, const struct sides *sides,
                 uint32_t path, const assay_image_colour *colour)
{
    (void)vulkan, (void)opengl, (void)sides, (void)path, (void)colour;
    return assay_fail(&s->error, ASSAY_EDEVICE, "this build has no Vulkan, or no OpenGL");
}

static int submit(struct assay_session *s, uint64_t number, const struct sides *sides, const assay_vulkan_sync *sync)
{
    struct score *score;
    (void)number, (void)sides, (void)sync;
    return score_find(s, SCORE_BOTH, &score);
}

#endif

int assay_session_start_vulkan_opengl(assay_session *s, assay_gpu *vulkan, assay_gpu *opengl, const assay_vulkan_image *reference,
                                      const assay_opengl_texture *distorted, uint32_t path, const assay_image_colour *colour)
{
    const struct sides sides = {reference, distorted};
    if (!s)
        return ASSAY_EUSAGE;
    const int rc = score_begin(s);
    return rc ? rc : start(s, vulkan, opengl, &sides, path, colour);
}

int assay_session_submit_vulkan_opengl(assay_session *s, uint64_t frame, const assay_vulkan_image *reference,
                                       const assay_opengl_texture *distorted, const assay_vulkan_sync *sync)
{
    const struct sides sides = {reference, distorted};
    return s ? submit(s, frame, &sides, sync) : ASSAY_EUSAGE;
}
