/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu/opengl_state.h"

#include <stdio.h>
#include <string.h>

/* ---- the functions that may be called, and what they change ------------------------------------------------------ */

/* Functions that change no state but of objects of ours. Any other one must be listed below, or the executor does not
 * get it. */
static const char *const harmless[] = {
    "glGetString", "glGetIntegerv", "glGetInteger64v", "glGetIntegeri_v", "glGetInteger64i_v", "glGetFloatv",
    "glGetError", "glFlush", "glFinish", "glGenBuffers", "glDeleteBuffers", "glBufferData", "glBufferSubData",
    "glGetBufferSubData", "glCopyBufferSubData", "glClearBufferData", "glCreateShader", "glShaderSource",
    "glDeleteShader", "glCreateProgram", "glAttachShader", "glLinkProgram", "glGetProgramiv", "glGetShaderiv",
    "glGetProgramBinary", "glProgramBinary", "glProgramParameteri", "glGetShaderInfoLog", "glGetProgramInfoLog",
    "glDeleteProgram", "glDispatchCompute", "glMemoryBarrier", "glGenQueries", "glDeleteQueries", "glQueryCounter",
    "glGetQueryObjectui64v", "glFenceSync", "glClientWaitSync", "glDeleteSync", "glBufferStorage", "glMapBufferRange",
    "glGetTextureParameteriv", "glGetTextureLevelParameteriv", "glGetTextureSubImage", "glIsTexture", "glGetStringi",
    "glGetUnsignedBytevEXT", "glGetUnsignedBytei_vEXT", "glCreateMemoryObjectsEXT", "glDeleteMemoryObjectsEXT",
    "glMemoryObjectParameterivEXT", "glNamedBufferStorageMemEXT", "glImportMemoryFdEXT",
};

static struct opengl_app *watched_app;
static bool unknown;
static struct { GLenum touched[64]; unsigned n; } seen; /* targets and names that were set */
static GLenum injected;                                 /* what glGetError says at check `fail_at` */
static unsigned long errors_asked, fail_at;
/* a check begins: the context was asked whether it is lost; what follows empties the queue of errors */
static bool fresh;

static void note(GLenum what)
{
    for (unsigned i = 0; i < seen.n; i++)
        if (seen.touched[i] == what)
            return;
    if (seen.n < 64)
        seen.touched[seen.n++] = what;
}

static void APIENTRY watched_bind(GLenum target, GLuint buffer)
{
    note(target);
    watched_app->gl.glBindBuffer(target, buffer);
}
static void APIENTRY watched_base(GLenum target, GLuint i, GLuint b)
{
    note(target + (i << 16));
    watched_app->gl.glBindBufferBase(target, i, b);
}
static void APIENTRY watched_range(GLenum target, GLuint i, GLuint b, GLintptr o, GLsizeiptr n)
{
    note(target + (i << 16));
    watched_app->gl.glBindBufferRange(target, i, b, o, n);
}
static void APIENTRY watched_store(GLenum name, GLint value) { note(name); watched_app->gl.glPixelStorei(name, value); }
static void APIENTRY watched_use(GLuint program) { note(GL_CURRENT_PROGRAM); watched_app->gl.glUseProgram(program); }
static GLenum APIENTRY watched_reset(void)
{
    fresh = true;
    return watched_app->gl.glGetGraphicsResetStatus();
}
static GLenum APIENTRY watched_error(void)
{
    const GLenum error = watched_app->gl.glGetError();
    const bool first = fresh;
    fresh = false;
    return first && ++errors_asked == fail_at ? injected : error;
}

static unsigned long compiled;
static void APIENTRY watched_compile(GLuint shader) { compiled++; watched_app->gl.glCompileShader(shader); }

unsigned long opengl_compiled(void)
{
    return compiled;
}

static gl_proc watched_proc(const char *name)
{
    static const struct { const char *name; gl_proc function; } watched[] = {
        {"glBindBuffer", (gl_proc)watched_bind}, {"glBindBufferBase", (gl_proc)watched_base},
        {"glBindBufferRange", (gl_proc)watched_range}, {"glPixelStorei", (gl_proc)watched_store},
        {"glUseProgram", (gl_proc)watched_use}, {"glCompileShader", (gl_proc)watched_compile}};
    if (!strcmp(name, "glGetError"))
        return (gl_proc)watched_error;
    if (!strcmp(name, "glGetGraphicsResetStatus"))
        return (gl_proc)watched_reset;
    for (unsigned i = 0; i < sizeof watched / sizeof watched[0]; i++)
        if (!strcmp(name, watched[i].name))
            return watched[i].function;
    for (unsigned i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
        if (!strcmp(name, harmless[i]))
            return watched_app->get(name);
    fprintf(stderr, "%s: does it change state of the application's context?\n", name);
    unknown = true;
    return watched_app->get(name);
}

gl_get_proc *opengl_watched(struct opengl_app *app)
{
    watched_app = app;
    return watched_proc;
}

bool opengl_watched_unknown(void)
{
    return unknown;
}

void opengl_fail_at(unsigned long at, GLenum error)
{
    errors_asked = 0;
    fail_at = at;
    injected = error;
}

bool opengl_failed(void)
{
    return fail_at && errors_asked >= fail_at;
}

/* ---- state ------------------------------------------------------------------------------------------------------- */

static const struct { GLenum target, binding; } targets[] = {
    {GL_ARRAY_BUFFER, GL_ARRAY_BUFFER_BINDING}, {GL_COPY_READ_BUFFER, GL_COPY_READ_BUFFER_BINDING},
    {GL_COPY_WRITE_BUFFER, GL_COPY_WRITE_BUFFER_BINDING}, {GL_PIXEL_PACK_BUFFER, GL_PIXEL_PACK_BUFFER_BINDING},
    {GL_PIXEL_UNPACK_BUFFER, GL_PIXEL_UNPACK_BUFFER_BINDING}, {GL_UNIFORM_BUFFER, GL_UNIFORM_BUFFER_BINDING},
    {GL_SHADER_STORAGE_BUFFER, GL_SHADER_STORAGE_BUFFER_BINDING},
    {GL_ATOMIC_COUNTER_BUFFER, GL_ATOMIC_COUNTER_BUFFER_BINDING},
    {GL_DISPATCH_INDIRECT_BUFFER, GL_DISPATCH_INDIRECT_BUFFER_BINDING},
    {GL_DRAW_INDIRECT_BUFFER, GL_DRAW_INDIRECT_BUFFER_BINDING}, {GL_QUERY_BUFFER, GL_QUERY_BUFFER_BINDING}};
static const struct { GLenum name; GLint value; } stores[] = {
    {GL_PACK_SWAP_BYTES, 1}, {GL_PACK_LSB_FIRST, 1}, {GL_PACK_ROW_LENGTH, 77}, {GL_PACK_IMAGE_HEIGHT, 5},
    {GL_PACK_SKIP_ROWS, 2}, {GL_PACK_SKIP_PIXELS, 3}, {GL_PACK_SKIP_IMAGES, 1}, {GL_PACK_ALIGNMENT, 8},
    {GL_UNPACK_ALIGNMENT, 2}, {GL_UNPACK_ROW_LENGTH, 9}};
static const GLenum others[] = {GL_CURRENT_PROGRAM, GL_ACTIVE_TEXTURE, GL_TEXTURE_BINDING_2D, GL_VERTEX_ARRAY_BINDING,
                                GL_DRAW_FRAMEBUFFER_BINDING, GL_READ_FRAMEBUFFER_BINDING, GL_RENDERBUFFER_BINDING,
                                GL_PROGRAM_PIPELINE_BINDING, GL_BLEND, GL_DEPTH_TEST, GL_SCISSOR_TEST,
                                GL_RASTERIZER_DISCARD};
enum { TARGETS = sizeof targets / sizeof targets[0], STORES = sizeof stores / sizeof stores[0],
       OTHERS = sizeof others / sizeof others[0], INDICES = STATE_INDICES };
_Static_assert((int)TARGETS == STATE_TARGETS && (int)STORES == STATE_STORES && (int)OTHERS == STATE_OTHERS,
               "as a snapshot has them");

void opengl_state_snap(struct opengl_app *app, struct opengl_snapshot *s)
{
    static const GLenum indexed[2][3] = {{GL_UNIFORM_BUFFER_BINDING, GL_UNIFORM_BUFFER_START, GL_UNIFORM_BUFFER_SIZE},
                                         {GL_SHADER_STORAGE_BUFFER_BINDING, GL_SHADER_STORAGE_BUFFER_START,
                                          GL_SHADER_STORAGE_BUFFER_SIZE}};
    memset(s, 0, sizeof *s);
    for (unsigned i = 0; i < TARGETS; i++)
        app->gl.glGetIntegerv(targets[i].binding, &s->target[i]);
    for (unsigned i = 0; i < STORES; i++)
        app->gl.glGetIntegerv(stores[i].name, &s->store[i]);
    for (unsigned i = 0; i < OTHERS; i++)
        app->gl.glGetIntegerv(others[i], &s->other[i]);
    for (unsigned t = 0; t < 2; t++)
        for (GLuint i = 0; i < INDICES; i++)
            for (unsigned k = 0; k < 3; k++)
                app->gl.glGetInteger64i_v(indexed[t][k], i, &s->indexed[t][i][k]);
}

void opengl_state_disturb(struct opengl_app *app, struct opengl_state_objects *o)
{
    GLuint *buffer = o->buffer;
    static const char *const text = "#version 430\nlayout(local_size_x = 1) in;\nvoid main() {}\n";
    const GLuint shader = app->gl.glCreateShader(GL_COMPUTE_SHADER), program = app->gl.glCreateProgram();
    app->gl.glShaderSource(shader, 1, &text, NULL);
    app->gl.glCompileShader(shader);
    app->gl.glAttachShader(program, shader);
    app->gl.glLinkProgram(program);
    app->gl.glDeleteShader(shader);
    app->gl.glUseProgram(program);
    app->glGenVertexArrays(1, &o->array);
    app->glBindVertexArray(o->array);
    app->glEnable(GL_BLEND);
    app->gl.glGenBuffers(8, buffer);
    for (unsigned i = 0; i < 8; i++) {
        app->gl.glBindBuffer(GL_COPY_WRITE_BUFFER, buffer[i]);
        app->gl.glBufferData(GL_COPY_WRITE_BUFFER, 4096, NULL, GL_DYNAMIC_COPY);
    }
    for (GLuint i = 0; i < INDICES; i++) {
        if (i % 2)
            app->gl.glBindBufferBase(GL_SHADER_STORAGE_BUFFER, i, buffer[i]);
        else
            app->gl.glBindBufferRange(GL_SHADER_STORAGE_BUFFER, i, buffer[i], 256, 512);
    }
    app->gl.glBindBufferRange(GL_UNIFORM_BUFFER, 0, buffer[7], 512, 256);
    app->gl.glBindBufferBase(GL_UNIFORM_BUFFER, 1, buffer[6]);
    for (unsigned i = 0; i < TARGETS; i++)
        if (targets[i].target != GL_PIXEL_UNPACK_BUFFER && targets[i].target != GL_QUERY_BUFFER)
            app->gl.glBindBuffer(targets[i].target, buffer[i % 8]);
    for (unsigned i = 0; i < STORES; i++)
        app->gl.glPixelStorei(stores[i].name, stores[i].value);
    o->program = program;
}

void opengl_state_reset(struct opengl_app *app, const struct opengl_state_objects *o)
{
    for (unsigned i = 0; i < STORES; i++)
        app->gl.glPixelStorei(stores[i].name,
                              stores[i].name == GL_PACK_ALIGNMENT || stores[i].name == GL_UNPACK_ALIGNMENT ? 4 : 0);
    app->gl.glUseProgram(0);
    app->gl.glDeleteProgram(o->program);
    app->gl.glDeleteBuffers(8, o->buffer);
    app->glBindVertexArray(0);
}

/* Whether a thing that the executor set is one that a snapshot holds. */
static bool in_snapshot(GLenum what)
{
    for (unsigned i = 0; i < TARGETS; i++)
        if (targets[i].target == (what & 0xffff))
            return what >> 16 < INDICES;
    for (unsigned i = 0; i < STORES; i++)
        if (stores[i].name == what)
            return true;
    return what == GL_CURRENT_PROGRAM;
}

void opengl_watched_forget(void)
{
    seen.n = 0;
}

unsigned opengl_watched_in_snapshot(void)
{
    for (unsigned i = 0; i < seen.n; i++)
        if (!in_snapshot(seen.touched[i])) {
            fprintf(stderr, "0x%x was set and is not looked at\n", seen.touched[i]);
            return 0;
        }
    return seen.n;
}
