/* SPDX-License-Identifier: BSD-2-Clause */
/* The public functions for OpenGL textures. */
#include "texels/gpu.h"

#ifdef ASSAY_HAVE_OPENGL
#include "texels/sides.h"

enum {
    GL_TEXTURE_2D = 0x0de1, GL_TEXTURE_3D = 0x806f, GL_TEXTURE_RECTANGLE = 0x84f5, GL_TEXTURE_CUBE_MAP = 0x8513,
    GL_TEXTURE_2D_ARRAY = 0x8c1a, GL_TEXTURE_CUBE_MAP_ARRAY = 0x9009, GL_TEXTURE_2D_MULTISAMPLE = 0x9100,
    GL_TEXTURE_2D_MULTISAMPLE_ARRAY = 0x9102,
};

static int open_executor(struct assay_gpu *gpu, struct executor **out, struct assay_error *e)
{
    const assay_opengl *opengl = gpu->handles;
    const struct image_device device = {.api = IMAGE_OPENGL, .opengl = {opengl->get_proc_address}};
    return executor_adopt(out, &device, e);
}

bool gpu_is_opengl(const struct assay_gpu *gpu)
{
    return gpu->open == open_executor;
}

struct image gpu_opengl_texture(const assay_opengl_texture *t, const struct texel_format *f, const assay_rectangle *r,
                                const struct gpu_band *band)
{
    return (struct image){.api = IMAGE_OPENGL, .x = r->x, .y = r->y + band->first, .width = r->width, .height = band->rows,
                          .texel_bytes = texel_bytes(f),
                          .opengl = {.texture = t->texture, .layer = t->layer, .format = f->opengl_format, .type = f->opengl_type}};
}

int gpu_opengl_submit(struct executor *x, uint32_t slot, const uint32_t *held, const void *opaque, struct assay_error *e)
{
    const struct gpu_opengl_pair *textures = opaque;
    struct image_frame frame = {.held = held};
    for (unsigned side = 0; side < 2; side++)
        frame.side[side] = gpu_opengl_texture(textures->texture[side], textures->pair->format[side], &textures->rectangle[side],
                                              &textures->band);
    return executor_submit_images(x, slot, &frame, e);
}

static int submit(struct assay_gpu *gpu, struct executor *x, const void *opaque, const struct gpu_band *band)
{
    struct gpu_opengl_pair textures = *(const struct gpu_opengl_pair *)opaque;
    textures.band = *band;
    return gpu_opengl_submit(x, 0, NULL, &textures, &gpu->error);
}

static bool can_target(uint32_t target)
{
    static const uint32_t good[] = {GL_TEXTURE_2D, GL_TEXTURE_RECTANGLE, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_2D_ARRAY,
                                  GL_TEXTURE_CUBE_MAP_ARRAY, GL_TEXTURE_3D};
    for (unsigned i = 0; i < sizeof good / sizeof good[0]; i++)
        if (target == good[i])
            return true;
    return false;
}

int gpu_opengl_check(struct executor *x, const assay_opengl_texture *texture, unsigned side,
                     const struct texel_format **format, assay_rectangle *rectangle, struct assay_error *e)
{
    const char *which = gpu_side_name(side);
    struct image_facts facts;
    if (!texture || !texture->texture)
        return assay_fail(e, ASSAY_EUSAGE, "no %s", which);
    const int rc = executor_look_at_texture(x, texture->texture, &facts, e);
    if (rc)
        return rc;
    if (facts.samples > 1 || facts.target == GL_TEXTURE_2D_MULTISAMPLE || facts.target == GL_TEXTURE_2D_MULTISAMPLE_ARRAY)
        return assay_fail(e, ASSAY_EUSAGE, "the %s is multisampled (%u samples): resolve it first", which, facts.samples);
    if (!can_target(facts.target))
        return assay_fail(e, ASSAY_EUSAGE, "the %s is no 2D texture (target 0x%04x)", which, facts.target);
    if (!(*format = texel_format_opengl(facts.internal_format)))
        return assay_fail(e, ASSAY_EUSAGE, "textures of internal format 0x%04x can't be compared (the %s)",
                          facts.internal_format, which);
    if (texture->layer >= facts.layers)
        return assay_fail(e, ASSAY_EUSAGE, "the %s has no layer %u, but %u layers", which, texture->layer, facts.layers);
    *rectangle = texture->rectangle;
    return gpu_rectangle(rectangle, facts.width, facts.height, which, e);
}

int gpu_opengl_look(struct executor *x, struct gpu_opengl_pair *textures, struct texel_pair *pair, struct assay_error *e)
{
    int rc = ASSAY_OK;
    for (unsigned side = 0; !rc && side < 2; side++)
        rc = gpu_opengl_check(x, textures->texture[side], side, &pair->format[side], &textures->rectangle[side], e);
    return rc ? rc : gpu_pair_size(pair, textures->rectangle, e);
}

int assay_gpu_compare_opengl(assay_gpu *gpu, const assay_opengl_texture *reference, const assay_opengl_texture *distorted,
                             const assay_compare_options *options, assay_image_figures *figures)
{
    struct texel_pair pair = {0};
    struct gpu_opengl_pair textures = {.pair = &pair, .texture = {reference, distorted}};
    if (!gpu)
        return ASSAY_EUSAGE;
    gpu_begin(gpu);
    if (!gpu_is_opengl(gpu) || !figures)
        return assay_fail(&gpu->error, ASSAY_EUSAGE, "not an OpenGL context, or no figures");
    const int rc = gpu_opengl_look(gpu->probe, &textures, &pair, &gpu->error);
    return rc ? rc : gpu_compare(gpu, &pair, options, submit, &textures, figures);
}

int assay_gpu_open_opengl(assay_gpu **gpu, const assay_opengl *opengl, char *error, size_t error_size)
{
    if (!gpu)
        return ASSAY_EUSAGE;
    *gpu = NULL;
    if (!opengl || !opengl->get_proc_address) {
        if (error && error_size)
            snprintf(error, error_size, "an OpenGL context is used through get_proc_address");
        return ASSAY_EUSAGE;
    }
    return gpu_new(gpu, opengl, sizeof *opengl, open_executor, error, error_size);
}

#else

int assay_gpu_open_opengl(assay_gpu **gpu, const assay_opengl *opengl, char *error, size_t error_size)
{
    (void)opengl;
    if (gpu)
        *gpu = NULL;
    if (error && error_size)
        snprintf(error, error_size, "this build has no OpenGL");
    return ASSAY_EDEVICE;
}

int assay_gpu_compare_opengl(assay_gpu *gpu, const assay_opengl_texture *reference, const assay_opengl_texture *distorted,
                             const assay_compare_options *options, assay_image_figures *figures)
{
    (void)reference, (void)distorted, (void)options, (void)figures;
    return gpu ? assay_fail(&gpu->error, ASSAY_EDEVICE, "this build has no OpenGL") : ASSAY_EUSAGE;
}

#endif
