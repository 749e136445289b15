/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions whose pictures are OpenGL textures. */
#include "texels/score.h"

#ifdef ASSAY_HAVE_OPENGL
#include "texels/sides.h"

static int ready(const struct score *score, struct assay_error *e)
{
    return executor_ready(score->gpu->probe, e);
}

static int start(struct assay_session *s, struct assay_gpu *gpu, const assay_opengl_texture *const texture[2],
                 const assay_image_colour *colour)
{
    struct score like = {.kind = SCORE_OPENGL, .gpu = gpu, .ready = ready};
    struct gpu_opengl_pair textures = {.texture = {texture[0], texture[1]}};
    if (!gpu || !gpu_is_opengl(gpu))
        return assay_fail(&s->error, ASSAY_EUSAGE, "not an OpenGL context");
    const int rc = gpu_opengl_look(gpu->probe, &textures, &like.pair, &s->error);
    return rc ? rc : score_start(s, &like, colour);
}

static int submit(struct assay_session *s, uint64_t number, const assay_opengl_texture *const texture[2])
{
    struct texel_pair pair = {0};
    struct gpu_opengl_pair textures = {.pair = &pair, .texture = {texture[0], texture[1]}};
    struct score *score;
    int rc = score_find(s, SCORE_OPENGL, &score);
    if (!rc)
        rc = gpu_opengl_look(score->gpu->probe, &textures, &pair, &s->error);
    if (!rc)
        rc = score_check(score, &pair, &s->error);
    if (rc)
        return rc;
    textures.band = score_band(score);
    return session_submit_on_device(s, number, gpu_opengl_submit, &textures);
}

#else

static int start(struct assay_session *s, struct assay_gpu *gpu, const assay_opengl_texture *const texture[2],
                 const assay_image_colour *colour)
{
    (void)gpu, (void)texture, (void)colour;
    return assay_fail(&s->error, ASSAY_EDEVICE, "this build has no OpenGL");
}

static int submit(struct assay_session *s, uint64_t number, const assay_opengl_texture *const texture[2])
{
    struct score *score;
    (void)number, (void)texture;
    return score_find(s, SCORE_OPENGL, &score);
}

#endif

int assay_session_start_opengl(assay_session *s, assay_gpu *gpu, const assay_opengl_texture *reference,
                               const assay_opengl_texture *distorted, const assay_image_colour *colour)
{
    const assay_opengl_texture *const texture[2] = {reference, distorted};
    if (!s)
        return ASSAY_EUSAGE;
    const int rc = score_begin(s);
    return rc ? rc : start(s, gpu, texture, colour);
}

int assay_session_submit_opengl(assay_session *s, uint64_t frame, const assay_opengl_texture *reference,
                                const assay_opengl_texture *distorted)
{
    const assay_opengl_texture *const texture[2] = {reference, distorted};
    return s ? submit(s, frame, texture) : ASSAY_EUSAGE;
}
