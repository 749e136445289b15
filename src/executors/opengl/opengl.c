/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/opengl/opengl.h"

#include "executors/gpu/digest.h"
#include "executors/opengl/context.h"

static int opengl_run(struct gpu_device *d, enum gpu_urgency urgency, gpu_work *work, void *opaque,
                      struct assay_error *e)
{
    struct gl_context *c = (struct gl_context *)d;
    if (c->applications && urgency == GPU_CLOSING)
        return work(opaque, e); /* changes no state of the context */
    return gl_context_run(c, work, opaque, e);
}

static int opengl_unprepare(void *opaque, struct assay_error *e)
{
    (void)e;
    gl_unprepare(opaque);
    return ASSAY_OK;
}

static void opengl_close(struct gpu_device **out)
{
    struct gl_context *c = (struct gl_context *)*out;
    *out = NULL;
    opengl_run(&c->base, GPU_CLOSING, opengl_unprepare, c, &(struct assay_error){0});
    gl_context_close(&c);
}

const struct gpu_device_ops gl_device_ops = {
    .api = "OpenGL", .run = opengl_run, .close = opengl_close, .kernel = gpu_find_shader,
    .buffer_create = gl_buffer_create, .buffer_destroy = gl_buffer_destroy, .flush = gl_buffer_flush,
    .invalidate = gl_buffer_invalidate, .prepare = gl_prepare, .slot_create = gl_slot_create,
    .slot_destroy = gl_slot_destroy, .begin = gl_begin, .copy = gl_copy, .clear = gl_clear, .dispatch = gl_dispatch,
    .barrier = gl_barrier, .mark = gl_mark, .end = gl_begin, .submit = gl_submit, .wait = gl_wait, .finish = gl_finish,
    .times = gl_times, .bring = gl_bring,
};

static int opengl_open(struct executor **out, const struct executor_config *config, struct assay_error *e)
{
    struct gl_context *c;
    *out = NULL;
    TRY(gl_context_open(&c, config->device, e));
    return gpu_executor_open(out, &executor_opengl, &c->base, e);
}

static int opengl_adopt(struct executor **out, const struct image_device *lent, struct assay_error *e)
{
    struct gl_context *c;
    *out = NULL;
    TRY(gl_context_adopt(&c, lent->opengl.get_proc_address, e));
    return gpu_executor_open(out, &executor_opengl, &c->base, e);
}

static const struct image_ops opengl_images = {.adopt = opengl_adopt, .submit = gpu_executor_submit_images,
                                               .look = gl_look, .ready = gl_ready, .is_device = gl_is_device,
                                               .pack = gl_pack};

static uint64_t opengl_modules(void)
{
    return gpu_digest_module(MODULE_OPENGL);
}

const struct executor_ops executor_opengl = {
    .name = "opengl", .open = opengl_open, GPU_EXECUTOR_OPS, .list = gl_device_list, .modules = opengl_modules,
    .images = &opengl_images,
};
