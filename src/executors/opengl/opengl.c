/* SPDX-License-Identifier: BSD-2-Clause */
/* The OpenGL executor, and its buffers and slots. Commands start when they are given. Everything runs where the context
 * is current. */
#include "executors/executor.h"

#include <stdlib.h>

#include "executors/opengl/context.h"

enum {
    WAIT_SLICE = 1000000000, /* nanoseconds; after each the device is asked whether it was lost */
    HOST_ALIGN = 64,         /* bytes, of host_alloc's memory */
};

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

/* Host memory instead of a mapped buffer, for drivers without glBufferStorage. */
static int gl_create_plain(struct gpu_buffer *out, struct assay_error *e)
{
    out->coherent = false;
    if (!posix_memalign(&out->map, HOST_ALIGN, out->bytes))
        return ASSAY_OK;
    out->map = NULL;
    return assay_fail_memory(e, "a frame");
}

/* A persistently mapped buffer: the device copies from it and to it, the processor copies nothing. */
static void gl_create_mapped(const struct gl_api *gl, struct gpu_buffer *out)
{
    const GLbitfield access = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    gl->glBufferStorage(GL_COPY_WRITE_BUFFER, (GLsizeiptr)out->bytes, NULL, access | GL_CLIENT_STORAGE_BIT);
    out->map = gl->glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, (GLsizeiptr)out->bytes, access);
    out->coherent = true;
}

static int gl_create(const struct gl_api *gl, bool mapped, struct gpu_buffer *out, struct assay_error *e)
{
    GLuint name = 0;
    gl->glGenBuffers(1, &name);
    out->handle = name;
    gl->glBindBuffer(GL_COPY_WRITE_BUFFER, name);
    if (mapped)
        gl_create_mapped(gl, out);
    else
        gl->glBufferData(GL_COPY_WRITE_BUFFER, (GLsizeiptr)out->bytes, NULL, GL_DYNAMIC_COPY);
    TRY(gl_check(gl, "allocating memory", e));
    if (mapped && (!out->map || (uintptr_t)out->map % HOST_ALIGN))
        return assay_fail(e, ASSAY_EDEVICE, "OpenGL: a buffer is mapped to no address, or to an odd one");
    return ASSAY_OK;
}

static void gl_buffer_destroy(struct gpu_device *d, struct gpu_buffer *b)
{
    const GLuint name = (GLuint)b->handle;
    if (!b->coherent)
        free(b->map);
    if (name)
        ((struct gl_context *)d)->gl.glDeleteBuffers(1, &name); /* unmaps */
    *b = (struct gpu_buffer){0};
}

static int gl_buffer_create(struct gpu_device *d, enum gpu_memory kind, uint64_t bytes, struct gpu_buffer *out,
                            struct assay_error *e)
{
    const struct gl_api *gl = &((struct gl_context *)d)->gl;
    const bool host = kind == GPU_MEMORY_UPLOAD || kind == GPU_MEMORY_READBACK, mapped = host && gl->glBufferStorage;
    int rc = ASSAY_OK;
    *out = (struct gpu_buffer){.bytes = (bytes + 3) / 4 * 4};
    if (mapped || kind != GPU_MEMORY_UPLOAD)
        rc = gl_create(gl, mapped, out, e);
    if (!rc && host && !mapped)
        rc = gl_create_plain(out, e);
    if (rc)
        gl_buffer_destroy(d, out);
    return rc;
}

static int gl_buffer_invalidate(struct gpu_device *d, struct gpu_buffer *b, struct assay_error *e)
{
    const struct gl_api *gl = &((struct gl_context *)d)->gl;
    if (!b->coherent) {
        gl->glBindBuffer(GL_COPY_READ_BUFFER, (GLuint)b->handle);
        gl->glGetBufferSubData(GL_COPY_READ_BUFFER, 0, (GLsizeiptr)b->bytes, b->map);
    }
    return gl_check(gl, "reading results", e);
}

/* ---- a slot ------------------------------------------------------------------------------------------------------ */

struct gl_slot {
    GLsync fence; /* NULL: nothing to wait for */
    GLuint mark[GPU_MARKS];
};

static int gl_slot_create(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e)
{
    (void)d;
    s->own = calloc(1, sizeof(struct gl_slot));
    return s->own ? ASSAY_OK : assay_fail_memory(e, "a frame in flight");
}

static void gl_slot_destroy(struct gpu_device *d, struct gpu_slot *s)
{
    const struct gl_api *gl = &((struct gl_context *)d)->gl;
    struct gl_slot *own = s->own;
    if (!own)
        return;
    if (own->fence)
        gl->glDeleteSync(own->fence);
    gl->glDeleteQueries(GPU_MARKS, own->mark);
    free(own);
    s->own = NULL;
}

static int gl_begin(struct gpu_device *d, struct gpu_slot *s, enum gpu_part part, struct assay_error *e)
{
    (void)d, (void)s, (void)part, (void)e;
    return ASSAY_OK;
}

static void gl_copy(struct gpu_device *d, struct gpu_slot *s, const struct gpu_copy *c)
{
    const struct gl_api *gl = &((struct gl_context *)d)->gl;
    const GLintptr to = (GLintptr)c->to_offset;
    (void)s;
    gl->glBindBuffer(GL_COPY_WRITE_BUFFER, (GLuint)c->to->handle);
    if (c->from && c->from->handle) {
        gl->glBindBuffer(GL_COPY_READ_BUFFER, (GLuint)c->from->handle);
        gl->glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (GLintptr)c->from_offset, to,
                                (GLsizeiptr)c->bytes);
    } else {
        const char *memory = c->from ? c->from->map : c->host;
        gl->glBufferSubData(GL_COPY_WRITE_BUFFER, to, (GLsizeiptr)c->bytes, memory + c->from_offset);
    }
}

static void gl_clear(struct gpu_device *d, struct gpu_slot *s, const struct gpu_buffer *b)
{
    const struct gl_api *gl = &((struct gl_context *)d)->gl;
    (void)s;
    gl->glBindBuffer(GL_COPY_WRITE_BUFFER, (GLuint)b->handle);
    gl->glClearBufferData(GL_COPY_WRITE_BUFFER, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, NULL);
}

/* Later commands see what was copied or cleared. Only what kernels write needs a barrier. */
static void gl_barrier(struct gpu_device *d, struct gpu_slot *s, enum gpu_barrier barrier)
{
    static const GLbitfield bits[] = {[GPU_BETWEEN_PASSES] = GL_SHADER_STORAGE_BARRIER_BIT,
                                      [GPU_AFTER_PASSES] = GL_BUFFER_UPDATE_BARRIER_BIT,
                                      [GPU_BEFORE_HOST] = GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT};
    const struct gl_context *c = (const struct gl_context *)d;
    (void)s;
    if (bits[barrier] && !(barrier == GPU_BEFORE_HOST && !c->gl.glBufferStorage))
        c->gl.glMemoryBarrier(bits[barrier]);
}

static void gl_mark(struct gpu_device *d, struct gpu_slot *s, unsigned mark)
{
    const struct gl_api *gl = &((struct gl_context *)d)->gl;
    struct gl_slot *own = s->own;
    if (!own->mark[mark])
        gl->glGenQueries(1, &own->mark[mark]);
    gl->glQueryCounter(own->mark[mark], GL_TIMESTAMP);
}

static int gl_times(struct gpu_device *d, struct gpu_slot *s, uint64_t at[GPU_MARKS], struct assay_error *e)
{
    const struct gl_api *gl = &((struct gl_context *)d)->gl;
    const struct gl_slot *own = s->own;
    for (unsigned i = 0; i < GPU_MARKS; i++) {
        GLuint64 time = 0;
        gl->glGetQueryObjectui64v(own->mark[i], GL_QUERY_RESULT, &time);
        at[i] = time;
    }
    return gl_check(gl, "reading a frame's times", e);
}

static int gl_submit(struct gpu_device *d, struct gpu_slot *s, enum gpu_part first, bool passes, struct assay_error *e)
{
    const struct gl_api *gl = &((struct gl_context *)d)->gl;
    struct gl_slot *own = s->own;
    (void)first, (void)passes;
    TRY(gl_check(gl, "submitting a frame", e));
    own->fence = gl->glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl->glFlush();
    s->submissions = 1;
    if (own->fence)
        return ASSAY_OK;
    const int rc = gl_check(gl, "submitting a frame", e);
    return rc ? rc : assay_fail(e, ASSAY_EDEVICE, "OpenGL: the driver makes no fence");
}

static int gl_wait(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e)
{
    const struct gl_api *gl = &((struct gl_context *)d)->gl;
    struct gl_slot *own = s->own;
    int rc = ASSAY_OK;
    for (GLenum state = GL_TIMEOUT_EXPIRED; !rc;) {
        state = gl->glClientWaitSync(own->fence, GL_SYNC_FLUSH_COMMANDS_BIT, WAIT_SLICE);
        if (state == GL_ALREADY_SIGNALED || state == GL_CONDITION_SATISFIED)
            break;
        rc = gl_check(gl, "waiting for a frame", e);
        if (!rc && state == GL_WAIT_FAILED)
            rc = assay_fail(e, ASSAY_EDEVICE, "OpenGL: waiting for a frame failed");
    }
    gl->glDeleteSync(own->fence);
    own->fence = NULL;
    return rc;
}

static int gl_finish(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e)
{
    const struct gl_api *gl = &((struct gl_context *)d)->gl;
    struct gl_slot *own = s->own;
    gl->glFinish();
    if (own->fence)
        gl->glDeleteSync(own->fence);
    own->fence = NULL;
    return gl_check(gl, "waiting for a frame", e);
}

/* ---- the device and the executor --------------------------------------------------------------------------------- */

static int gl_run(struct gpu_device *d, enum gpu_urgency urgency, gpu_work *work, void *opaque, struct assay_error *e)
{
    struct gl_context *c = (struct gl_context *)d;
    if (c->applications && urgency == GPU_CLOSING)
        return work(opaque, e); /* changes no state of the context */
    return gl_context_run(c, work, opaque, e);
}

static void gl_close(struct gpu_device **out)
{
    struct gl_context *c = (struct gl_context *)*out;
    *out = NULL;
    gl_run(&c->base, GPU_CLOSING, gl_unprepare, c, &(struct assay_error){0});
    gl_context_close(c);
}

/* No flush: mapped memory is coherent, and the driver reads any other during the copy. */
const struct gpu_device_ops gl_device_ops = {
    .api = "OpenGL", .run = gl_run, .close = gl_close, .kernel = gpu_find_shader,
    .buffer_create = gl_buffer_create, .buffer_destroy = gl_buffer_destroy, .flush = gpu_no_flush,
    .invalidate = gl_buffer_invalidate, .prepare = gl_prepare, .slot_create = gl_slot_create,
    .slot_destroy = gl_slot_destroy, .begin = gl_begin, .copy = gl_copy, .clear = gl_clear, .dispatch = gl_dispatch,
    .barrier = gl_barrier, .mark = gl_mark, .end = gl_begin, .submit = gl_submit, .wait = gl_wait, .finish = gl_finish,
    .times = gl_times, .bring = gl_bring,
};

GPU_EXECUTOR_OPENS(gl, executor_opengl, gl_context_open(&device, config->device, e),
                   gl_context_adopt(&device, lent->opengl.get_proc_address, e))

static const struct image_ops gl_images = {.adopt = gl_executor_adopt, .submit = gpu_executor_submit_images,
                                               .look = gl_look, .ready = gl_ready, .is_device = gl_is_device,
                                               .pack = gl_pack};

GPU_EXECUTOR_MODULES(gl, MODULE_OPENGL)

const struct executor_ops executor_opengl = {
    .name = "opengl", .open = gl_executor_open, GPU_EXECUTOR_OPS, .list = gl_device_list, .modules = gl_modules,
    .images = &gl_images,
};
