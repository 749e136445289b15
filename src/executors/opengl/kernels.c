/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of a plan as programs, and passes that run them. */
#include <stdlib.h>
#include <string.h>

#include "executors/opengl/context.h"

/* The first line of a compiler's log: the rest rarely helps and would not fit one line. */
static int gl_build_failed(const char *kernel, char *log, struct assay_error *e)
{
    char *line = log;
    while (*line == '\n' || *line == ' ')
        line++;
    line[strcspn(line, "\n")] = 0;
    return assay_fail(e, ASSAY_EDEVICE, "OpenGL: building kernel %s: %.200s", kernel, *line ? line : "no reason given");
}

static int gl_build_program(struct gl_context *c, const char *text, const char *kernel, GLuint *program,
                            struct assay_error *e)
{
    const struct gl_api *gl = &c->gl;
    char log[512] = "";
    GLint ok = GL_FALSE;
    if (!text)
        return assay_fail(e, ASSAY_EDEVICE, "OpenGL: this build has no text of kernel %s", kernel);
    const GLuint shader = gl->glCreateShader(GL_COMPUTE_SHADER);
    *program = gl->glCreateProgram();
    if (!shader || !*program)
        return gl_check(gl, "creating a program", e);
    gl->glShaderSource(shader, 1, &text, NULL);
    gl->glCompileShader(shader);
    gl->glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (ok) {
        gl->glAttachShader(*program, shader);
        gl->glLinkProgram(*program);
        gl->glGetProgramiv(*program, GL_LINK_STATUS, &ok);
        if (!ok)
            gl->glGetProgramInfoLog(*program, sizeof log, NULL, log);
    } else {
        gl->glGetShaderInfoLog(shader, sizeof log, NULL, log);
    }
    gl->glDeleteShader(shader);
    return ok ? gl_check(gl, "building a kernel", e) : gl_build_failed(kernel, log, e);
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
    c->program = calloc(KERNEL_VARIANTS, sizeof *c->program);
    if (!c->program)
        return assay_fail_memory(e, "the OpenGL programs");
    for (graph_pass p = 0; p < d->graph->passes; p++) {
        const uint16_t k = d->graph->pass[p].kernel;
        if (!c->program[k])
            TRY(gl_build_program(c, d->plan->pass[p].kernel.shader->code, assay_kernel_info[k].name, &c->program[k],
                                 e));
    }
    return gl_fill_constants(c, e);
}

void gl_unprepare(struct gl_context *c)
{
    for (unsigned k = 0; c->program && k < KERNEL_VARIANTS; k++)
        if (c->program[k])
            c->gl.glDeleteProgram(c->program[k]);
    if (c->constants)
        c->gl.glDeleteBuffers(1, &c->constants);
    free(c->program);
    c->program = NULL;
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
