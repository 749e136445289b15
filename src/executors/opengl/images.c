/* SPDX-License-Identifier: BSD-2-Clause */
/* Textures of the application that owns the context. */
#include "executors/opengl/context.h"

/* Pixel transfer of old contexts changes texels on their way. */
static bool gl_transfer_is_plain(const struct gl_api *gl)
{
    enum {
        MAP_COLOR = 0x0d10, RED_SCALE = 0x0d14, RED_BIAS, GREEN_SCALE = 0x0d18, GREEN_BIAS, BLUE_SCALE, BLUE_BIAS,
        ALPHA_SCALE, ALPHA_BIAS,
    };
    static const GLenum ones[] = {RED_SCALE, GREEN_SCALE, BLUE_SCALE, ALPHA_SCALE};
    static const GLenum zeros[] = {MAP_COLOR, RED_BIAS, GREEN_BIAS, BLUE_BIAS, ALPHA_BIAS};
    GLint profile = 0;
    bool plain = true;
    gl->glGetIntegerv(GL_CONTEXT_PROFILE_MASK, &profile);
    if (profile & GL_CONTEXT_CORE_PROFILE_BIT)
        return true;
    for (unsigned i = 0; i < sizeof ones / sizeof ones[0]; i++) {
        GLfloat v = 1.0f;
        gl->glGetFloatv(ones[i], &v);
        plain = plain && v == 1.0f;
    }
    for (unsigned i = 0; i < sizeof zeros / sizeof zeros[0]; i++) {
        GLfloat v = 0.0f;
        gl->glGetFloatv(zeros[i], &v);
        plain = plain && v == 0.0f;
    }
    return plain;
}

struct look_call {
    const struct gl_context *c;
    GLuint texture;
    struct image_facts *facts;
};

static int gl_look_work(void *opaque, struct assay_error *e)
{
    const struct look_call *call = opaque;
    const struct gl_api *gl = &call->c->gl;
    GLint target = 0, format = 0, width = 0, height = 0, depth = 0, samples = 0;
    if (!gl->glGetTextureSubImage || !gl->glGetTextureParameteriv || !gl->glGetTextureLevelParameteriv ||
        !gl->glIsTexture)
        return assay_fail(e, ASSAY_EDEVICE, "OpenGL: comparing textures needs version 4.5; this is %s",
                          call->c->base.driver);
    if (!gl_transfer_is_plain(gl))
        return assay_fail(e, ASSAY_EUSAGE,
                          "OpenGL: the context's pixel transfer (GL_RED_SCALE and the like) would change texels");
    if (!gl->glIsTexture(call->texture))
        return assay_fail(e, ASSAY_EUSAGE, "OpenGL: %u is no texture of this context", call->texture);
    gl->glGetTextureParameteriv(call->texture, GL_TEXTURE_TARGET, &target);
    gl->glGetTextureLevelParameteriv(call->texture, 0, GL_TEXTURE_INTERNAL_FORMAT, &format);
    gl->glGetTextureLevelParameteriv(call->texture, 0, GL_TEXTURE_WIDTH, &width);
    gl->glGetTextureLevelParameteriv(call->texture, 0, GL_TEXTURE_HEIGHT, &height);
    gl->glGetTextureLevelParameteriv(call->texture, 0, GL_TEXTURE_DEPTH, &depth);
    gl->glGetTextureLevelParameteriv(call->texture, 0, GL_TEXTURE_SAMPLES, &samples);
    *call->facts = (struct image_facts){
        .target = (uint32_t)target, .internal_format = (uint32_t)format, .width = (uint32_t)width,
        .height = (uint32_t)height, .layers = target == GL_TEXTURE_CUBE_MAP ? 6 : (uint32_t)depth,
        .samples = (uint32_t)samples};
    return gl_check(gl, "looking at a texture", e);
}

int gl_look(struct executor *x, uint32_t texture, struct image_facts *facts, struct assay_error *e)
{
    struct gl_context *c = (struct gl_context *)gpu_executor_device(x);
    return gl_context_run(c, gl_look_work, &(struct look_call){c, texture, facts}, e);
}

static int gl_no_work(void *opaque, struct assay_error *e)
{
    (void)opaque, (void)e;
    return ASSAY_OK;
}

int gl_ready(struct executor *x, struct assay_error *e)
{
    return gl_context_run((struct gl_context *)gpu_executor_device(x), gl_no_work, NULL, e);
}

/* Packs the texels into the slot's inputs, which are bound as a pixel pack buffer. */
int gl_bring(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e)
{
    const struct gl_api *gl = &((struct gl_context *)d)->gl;
    gl->glBindBuffer(GL_PIXEL_PACK_BUFFER, (GLuint)s->inputs.handle);
    for (uint32_t k = 0; k < d->plan->inputs; k++) {
        const graph_plane i = d->plan->input[k];
        const struct graph_plane_info *plane = &d->graph->plane[i];
        const struct image *from = &s->frame->side[plane->side];
        const uint32_t stride = (uint32_t)graph_stride(plane);
        if (plane->age)
            continue;
        gl->glPixelStorei(GL_PACK_ROW_LENGTH, (GLint)(stride / from->texel_bytes));
        gl->glGetTextureSubImage(from->opengl.texture, 0, (GLint)from->x, (GLint)from->y, (GLint)from->opengl.layer,
                                 (GLsizei)from->width, (GLsizei)from->height, 1, from->opengl.format, from->opengl.type,
                                 (GLsizei)(stride * plane->height), (void *)(uintptr_t)d->plan->input_offset[i]);
    }
    gl->glPixelStorei(GL_PACK_ROW_LENGTH, 0);
    gl->glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    return gl_check(gl, "reading the textures", e);
}
