/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work in a context of the application. All state that the executor changes is listed here, is read before and set back
 * after; tests/gpu sees to it that the executor calls no function that changes any other.
 */
#include "executors/opengl/context.h"

enum { STORAGE_BINDINGS = 4 };

/* Targets of glBindBuffer, and how each is asked for. */
static const struct { GLenum target, binding; } buffers[] = {
    {GL_COPY_READ_BUFFER, GL_COPY_READ_BUFFER_BINDING}, {GL_COPY_WRITE_BUFFER, GL_COPY_WRITE_BUFFER_BINDING},
    {GL_PIXEL_PACK_BUFFER, GL_PIXEL_PACK_BUFFER_BINDING}, {GL_UNIFORM_BUFFER, GL_UNIFORM_BUFFER_BINDING},
    {GL_SHADER_STORAGE_BUFFER, GL_SHADER_STORAGE_BUFFER_BINDING},
};

/* How texels are packed, and how we want it. */
static const struct { GLenum name; GLint value; } packing[] = {
    {GL_PACK_SWAP_BYTES, 0}, {GL_PACK_LSB_FIRST, 0}, {GL_PACK_ROW_LENGTH, 0}, {GL_PACK_IMAGE_HEIGHT, 0},
    {GL_PACK_SKIP_ROWS, 0}, {GL_PACK_SKIP_PIXELS, 0}, {GL_PACK_SKIP_IMAGES, 0}, {GL_PACK_ALIGNMENT, 1},
};

enum { BUFFERS = sizeof buffers / sizeof buffers[0], PACKING = sizeof packing / sizeof packing[0] };

struct indexed {
    GLint buffer;
    GLint64 start, size;
};

struct state {
    GLint program, buffer[BUFFERS], packing[PACKING];
    struct indexed uniform, storage[STORAGE_BINDINGS];
};

static void gl_save_indexed(const struct gl_api *gl, GLenum binding, GLenum start, GLenum size, GLuint i,
                            struct indexed *s)
{
    gl->glGetIntegeri_v(binding, i, &s->buffer);
    gl->glGetInteger64i_v(start, i, &s->start);
    gl->glGetInteger64i_v(size, i, &s->size);
}

static void gl_restore_indexed(const struct gl_api *gl, GLenum target, GLuint i, const struct indexed *s)
{
    if (s->buffer && s->size)
        gl->glBindBufferRange(target, i, (GLuint)s->buffer, (GLintptr)s->start, (GLsizeiptr)s->size);
    else
        gl->glBindBufferBase(target, i, (GLuint)s->buffer);
}

static void gl_save(const struct gl_api *gl, struct state *s)
{
    gl->glGetIntegerv(GL_CURRENT_PROGRAM, &s->program);
    for (unsigned i = 0; i < BUFFERS; i++)
        gl->glGetIntegerv(buffers[i].binding, &s->buffer[i]);
    for (unsigned i = 0; i < PACKING; i++) {
        gl->glGetIntegerv(packing[i].name, &s->packing[i]);
        gl->glPixelStorei(packing[i].name, packing[i].value);
    }
    gl_save_indexed(gl, GL_UNIFORM_BUFFER_BINDING, GL_UNIFORM_BUFFER_START, GL_UNIFORM_BUFFER_SIZE, 0, &s->uniform);
    for (GLuint i = 0; i < STORAGE_BINDINGS; i++)
        gl_save_indexed(gl, GL_SHADER_STORAGE_BUFFER_BINDING, GL_SHADER_STORAGE_BUFFER_START,
                        GL_SHADER_STORAGE_BUFFER_SIZE, i, &s->storage[i]);
}

/* Indexed bindings set the plain ones too, so these come after. */
static void gl_restore(const struct gl_api *gl, const struct state *s)
{
    gl_restore_indexed(gl, GL_UNIFORM_BUFFER, 0, &s->uniform);
    for (GLuint i = 0; i < STORAGE_BINDINGS; i++)
        gl_restore_indexed(gl, GL_SHADER_STORAGE_BUFFER, i, &s->storage[i]);
    for (unsigned i = 0; i < PACKING; i++)
        gl->glPixelStorei(packing[i].name, s->packing[i]);
    for (unsigned i = 0; i < BUFFERS; i++)
        gl->glBindBuffer(buffers[i].target, (GLuint)s->buffer[i]);
    gl->glUseProgram((GLuint)s->program);
}

/* An error that the application has not asked for yet would be taken for ours, and could not be put back. */
int gl_context_run_adopted(struct gl_context *c, gpu_work *work, void *opaque, struct assay_error *e)
{
    const GLenum pending = c->gl.glGetError();
    struct state state;
    if (pending)
        return assay_fail(e, ASSAY_EUSAGE,
                          "OpenGL: the application's context reports error 0x%04x from before this call", pending);
    gl_save(&c->gl, &state);
    int rc = work(opaque, e);
    gl_restore(&c->gl, &state);
    const int late = gl_check(&c->gl, "setting the context's state back", e);
    return rc ? rc : late;
}

int gl_context_adopt(struct gpu_device **out, gl_get_proc *get, struct assay_error *e)
{
    struct gl_context *c;
    TRY(gl_context_make(&c, e));
    c->applications = true;
    c->get = get;
    int rc = gl_context_look(c, get, e);
    rc = rc ? rc : gpu_shaders_open(&c->base.limits, MODULE_OPENGL, e);
    rc = rc ? rc : gpu_limits_from_environment(&c->base.limits, e);
    *out = rc ? NULL : &c->base;
    if (rc)
        gl_context_close(c);
    return rc;
}
