/* SPDX-License-Identifier: BSD-2-Clause */
/* An application's textures, as gpu/images.h has them. */
#include "executors/gpu/images.h"
#include "executors/opengl/opengl.h"

static struct gl_texture lent_texture(const struct image *i)
{
    return (struct gl_texture){.texture = i->opengl.texture, .x = (GLint)i->x, .y = (GLint)i->y, .layer = (GLint)i->opengl.layer,
                               .width = (GLsizei)i->width, .height = (GLsizei)i->height, .format = i->opengl.format,
                               .type = i->opengl.type, .texel_bytes = i->texel_bytes};
}

static int lent_adopt(struct executor **out, const struct image_device *device, struct assay_error *e)
{
    return gl_executor_adopt(out, device->opengl.get_proc_address, e);
}

static int lent_submit(struct executor *x, uint32_t slot, const struct image_frame *f, struct assay_error *e)
{
    const struct gl_texture texture[2] = {lent_texture(&f->side[0]), lent_texture(&f->side[1])};
    return gl_executor_submit_textures(x, slot, f->held, texture, e);
}

static int lent_look(struct executor *x, uint32_t texture, struct image_facts *facts, struct assay_error *e)
{
    struct gl_texture_facts f;
    TRY(gl_executor_texture(x, texture, &f, e));
    *facts = (struct image_facts){.target = f.target, .internal_format = f.internal_format, .width = f.width, .height = f.height,
                                  .layers = f.layers, .samples = f.samples};
    return ASSAY_OK;
}

static int lent_pack(struct executor *x, const struct image *image, const struct image_memory *to, struct assay_error *e)
{
    const struct gl_texture texture = lent_texture(image);
    const struct gl_memory shared = {.fd = to->fd, .allocated = to->allocated};
    return gl_executor_pack(x, &texture, to->stride, to->bytes, to->fd < 0 ? NULL : &shared, to->host, e);
}

const struct image_ops gl_image_ops = {
    .adopt = lent_adopt, .submit = lent_submit, .look = lent_look, .ready = gl_executor_ready,
    .is_device = gl_executor_is_device, .pack = lent_pack,
};
