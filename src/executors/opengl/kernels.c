/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of a plan as programs, and passes that run them. */
#include <stdlib.h>

#include "executors/gpu/compile.h"
#include "executors/opengl/context.h"

struct gl_kept { GLenum format; unsigned char data[]; }; /* a program */

/* Makes a program of what is kept. Drivers refuse one of another driver, which is no error. */
static bool gl_take_kept(const struct gl_api *gl, const struct compile_kernel *k, GLuint program)
{
    GLint ok = GL_FALSE;
    size_t bytes;
    struct gl_kept *kept = compile_load(k, &bytes);
    if (kept && bytes > sizeof *kept) {
        gl->glProgramBinary(program, kept->format, kept->data, (GLsizei)(bytes - sizeof *kept));
        gl->glGetProgramiv(program, GL_LINK_STATUS, &ok);
        if (!ok)
            gl->glGetError();
    }
    free(kept);
    return ok;
}

static void gl_keep(const struct gl_api *gl, const struct compile_kernel *k, GLuint program)
{
    GLint bytes = 0, got = 0;
    gl->glGetProgramiv(program, GL_PROGRAM_BINARY_LENGTH, &bytes);
    struct gl_kept *kept = bytes > 0 ? malloc(sizeof *kept + (size_t)bytes) : NULL;
    if (kept)
        gl->glGetProgramBinary(program, bytes, &got, &kept->format, kept->data);
    if (kept && got == bytes)
        compile_save(k, kept, sizeof *kept + (size_t)bytes);
    free(kept);
}

/* Starts to build a program, and asks for no result: drivers with threads of their own compile many at a time. */
static int gl_start_program(struct gpu_device *d, graph_pass p, struct assay_error *e)
{
    const struct gl_context *c = (const struct gl_context *)d;
    const struct gl_api *gl = &c->gl;
    const struct compile_kernel k = compile_shader(d, p);
    const GLchar *const text = k.code;
    GLuint *const program = &c->program[d->graph->pass[p].kernel], *const shader = program + KERNEL_VARIANTS;
    *program = gl->glCreateProgram();
    if (*program && gl_take_kept(gl, &k, *program))
        return ASSAY_OK;
    *shader = gl->glCreateShader(GL_COMPUTE_SHADER);
    if (!text || !*shader || !*program)
        return text ? gl_check(gl, "creating a program", e) : compile_failed(&k, "this build has no text of it", e);
    gl->glShaderSource(*shader, 1, &text, NULL);
    gl->glCompileShader(*shader);
    gl->glAttachShader(*program, *shader);
    gl->glProgramParameteri(*program, GL_PROGRAM_BINARY_RETRIEVABLE_HINT, GL_TRUE);
    gl->glLinkProgram(*program);
    return ASSAY_OK;
}

static int gl_end_program(struct gpu_device *d, graph_pass p, struct assay_error *e)
{
    const struct gl_context *c = (const struct gl_context *)d;
    const struct gl_api *gl = &c->gl;
    const struct compile_kernel k = compile_shader(d, p);
    const GLuint program = c->program[d->graph->pass[p].kernel],
                 shader = c->program[KERNEL_VARIANTS + d->graph->pass[p].kernel];
    char log[512] = "";
    GLint compiled = GL_FALSE, linked = GL_FALSE;
    if (!shader)
        return ASSAY_OK; /* it was kept */
    gl->glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    gl->glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (!compiled)
        gl->glGetShaderInfoLog(shader, sizeof log, NULL, log);
    else if (!linked)
        gl->glGetProgramInfoLog(program, sizeof log, NULL, log);
    if (!compiled || !linked)
        return compile_failed(&k, log, e);
    gl_keep(gl, &k, program);
    return gl_check(gl, "building a kernel", e);
}

static int gl_fill_constants(struct gl_context *c, struct assay_error *e)
{
    const struct gl_api *gl = &c->gl;
    const GLintptr align = c->uniform_align > 0 ? c->uniform_align : 1;
    c->constants_step = ((GLintptr)sizeof(struct shader_push) + align - 1) / align * align;
    gl->glGenBuffers(1, &c->constants);
    gl->glBindBuffer(GL_COPY_WRITE_BUFFER, c->constants);
    gl->glBufferData(GL_COPY_WRITE_BUFFER, c->constants_step * (GLintptr)(c->base.graph->passes + 1), NULL,
                     GL_STATIC_DRAW);
    for (graph_pass p = 0; p < c->base.graph->passes; p++) {
        struct shader_push push;
        gpu_plan_push(c->base.plan, p, &push);
        gl->glBufferSubData(GL_COPY_WRITE_BUFFER, c->constants_step * (GLintptr)p, sizeof push, &push);
    }
    return gl_check(gl, "allocating memory", e);
}

int gl_prepare(struct gpu_device *d, struct assay_error *e)
{
    struct gl_context *c = (struct gl_context *)d;
    c->program = calloc(2 * KERNEL_VARIANTS, sizeof *c->program);
    if (!c->program)
        return assay_fail_memory(e, "the OpenGL programs");
    TRY(compile_all(d, false, gl_start_program, e));
    TRY(compile_all(d, false, gl_end_program, e));
    return gl_fill_constants(c, e);
}

int gl_unprepare(void *context, struct assay_error *e)
{
    struct gl_context *c = context;
    (void)e;
    for (unsigned k = 0; c->program && k < KERNEL_VARIANTS; k++)
        c->gl.glDeleteProgram(c->program[k]), c->gl.glDeleteShader(c->program[KERNEL_VARIANTS + k]);
    if (c->constants)
        c->gl.glDeleteBuffers(1, &c->constants);
    free(c->program);
    c->program = NULL;
    return ASSAY_OK;
}

void gl_dispatch(struct gpu_device *d, struct gpu_slot *s, graph_pass p)
{
    const struct gl_context *c = (const struct gl_context *)d;
    const struct gl_api *gl = &c->gl;
    const struct gpu_pass *pass = &d->plan->pass[p];
    struct gpu_binding binding[GPU_BINDINGS];
    const unsigned n = gpu_slot_bindings(d, s, p, binding);
    for (unsigned i = 0; i < n; i++)
        gl->glBindBufferRange(GL_SHADER_STORAGE_BUFFER, i, (GLuint)binding[i].buffer->handle,
                              (GLintptr)binding[i].offset, (GLsizeiptr)binding[i].bytes);
    gl->glBindBufferRange(GL_UNIFORM_BUFFER, 0, c->constants, c->constants_step * (GLintptr)p,
                          sizeof(struct shader_push));
    gl->glUseProgram(c->program[d->graph->pass[p].kernel]);
    gl->glDispatchCompute(pass->groups_x, pass->groups_y, 1);
}
