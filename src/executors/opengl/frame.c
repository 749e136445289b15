/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/opengl/frame.h"

#include <stdlib.h>
#include <string.h>

enum { WAIT_SLICE = 1000000000 }; /* nanoseconds; after each the device is asked whether it was lost */

/* ---- programs -------------------------------------------------------------------------------------------------------- */

/* The first line of a compiler's log: the rest rarely helps and would not fit one line. */
static int build_failed(const char *kernel, char *log, struct assay_error *e)
{
    char *line = log;
    while (*line == '\n' || *line == ' ')
        line++;
    line[strcspn(line, "\n")] = 0;
    return assay_fail(e, ASSAY_EDEVICE, "OpenGL: building kernel %s: %.200s", kernel, *line ? line : "no reason given");
}

static int build_program(struct gl_context *c, const char *text, const char *kernel, GLuint *program,
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
    return ok ? gl_check(gl, "building a kernel", e) : build_failed(kernel, log, e);
}

static int build_programs(struct gl_context *c, struct gl_frames *f, struct assay_error *e)
{
    f->program = calloc(KERNEL_VARIANTS, sizeof *f->program);
    if (!f->program)
        return assay_fail_memory(e, "the OpenGL programs");
    int rc = ASSAY_OK;
    for (graph_pass p = 0; !rc && p < f->graph->passes; p++) {
        const uint16_t k = f->graph->pass[p].kernel;
        if (!f->program[k])
            rc = build_program(c, f->plan->pass[p].shader->code, assay_kernel_info[k].name, &f->program[k], e);
    }
    return rc;
}

/* ---- buffers --------------------------------------------------------------------------------------------------------- */

int gl_buffer_create(struct gl_context *c, uint64_t bytes, GLuint *buffer, char **map, struct assay_error *e)
{
    const struct gl_api *gl = &c->gl;
    const GLbitfield access = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    const GLsizeiptr size = (GLsizeiptr)(bytes ? (bytes + 3) / 4 * 4 : 4);
    gl->glGenBuffers(1, buffer);
    gl->glBindBuffer(GL_COPY_WRITE_BUFFER, *buffer);
    if (map && gl->glBufferStorage) {
        gl->glBufferStorage(GL_COPY_WRITE_BUFFER, size, NULL, access | GL_CLIENT_STORAGE_BIT);
        *map = gl->glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, size, access);
    } else {
        gl->glBufferData(GL_COPY_WRITE_BUFFER, size, NULL, GL_DYNAMIC_COPY);
    }
    return gl_check(gl, "allocating memory", e);
}

static int slot_init(struct gl_context *c, struct gl_frames *f, struct gl_slot *s, struct assay_error *e)
{
    const struct graph *g = f->graph;
    s->storage = calloc(g->storages + 1, sizeof *s->storage);
    s->strides = calloc(g->planes + 1, sizeof *s->strides);
    s->totals = calloc(g->totals + 1, sizeof *s->totals);
    s->extrema = calloc(g->extrema + 1, 2 * sizeof *s->extrema);
    s->results_copy = malloc(f->plan->results_bytes);
    if (!s->storage || !s->strides || !s->totals || !s->extrema || !s->results_copy)
        return assay_fail_memory(e, "a frame in flight");
    int rc = gl_buffer_create(c, f->plan->input_bytes, &s->inputs, NULL, e);
    for (uint32_t i = 0; !rc && i < g->storages; i++)
        rc = gl_buffer_create(c, gpu_storage_bytes(g, i), &s->storage[i], NULL, e);
    if (!rc)
        rc = gl_buffer_create(c, f->plan->results_bytes, &s->results, NULL, e);
    if (!rc)
        rc = gl_buffer_create(c, f->plan->results_bytes, &s->readback, &s->readback_map, e);
    if (!rc)
        rc = gl_buffer_create(c, (uint64_t)f->constants_step * (g->passes + 1), &s->constants, NULL, e);
    return rc;
}

int gl_frames_init(struct gl_context *c, struct gl_frames *f, uint32_t slots, struct assay_error *e)
{
    const GLintptr align = c->uniform_align > 0 ? c->uniform_align : 1;
    f->constants_step = ((GLintptr)sizeof(struct shader_push) + align - 1) / align * align;
    int rc = build_programs(c, f, e);
    if (!rc && !(f->slot = calloc(slots, sizeof *f->slot)))
        rc = assay_fail_memory(e, "the frames in flight");
    while (!rc && f->slots < slots)
        rc = slot_init(c, f, &f->slot[f->slots++], e);
    return rc;
}

static void slot_free(struct gl_context *c, struct gl_frames *f, struct gl_slot *s)
{
    const GLuint buffers[] = {s->inputs, s->results, s->readback, s->constants};
    if (s->fence)
        c->gl.glDeleteSync(s->fence);
    c->gl.glDeleteQueries(3, s->mark);
    c->gl.glDeleteBuffers(4, buffers); /* unmaps */
    if (s->storage)
        c->gl.glDeleteBuffers((GLsizei)f->graph->storages, s->storage);
    free(s->storage);
    free(s->strides);
    free(s->packed);
    free(s->totals);
    free(s->extrema);
    free(s->results_copy);
}

void gl_frames_free(struct gl_context *c, struct gl_frames *f)
{
    for (uint32_t i = 0; i < f->slots; i++)
        slot_free(c, f, &f->slot[i]);
    free(f->slot);
    for (unsigned k = 0; f->program && k < KERNEL_VARIANTS; k++)
        if (f->program[k])
            c->gl.glDeleteProgram(f->program[k]);
    free(f->program);
    *f = (struct gl_frames){0};
}

/* ---- a frame --------------------------------------------------------------------------------------------------------- */

static void upload(struct gl_context *c, const struct gl_frames *f, const struct gl_slot *s,
                   const struct gl_source *sources)
{
    const struct gl_api *gl = &c->gl;
    gl->glBindBuffer(GL_COPY_WRITE_BUFFER, s->inputs);
    for (graph_plane i = 0; i < f->graph->planes; i++) {
        const struct gl_source *from = &sources[i];
        const GLintptr to = (GLintptr)f->plan->input_offset[i];
        if (!f->graph->plane[i].input)
            continue;
        if (from->buffer) {
            gl->glBindBuffer(GL_COPY_READ_BUFFER, from->buffer);
            gl->glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, from->offset, to, from->bytes);
        } else {
            gl->glBufferSubData(GL_COPY_WRITE_BUFFER, to, from->bytes, from->memory);
        }
    }
}

/* The constants of all passes, again only when a stride differs from last time. */
static void fill_constants(struct gl_context *c, const struct gl_frames *f, struct gl_slot *s,
                           const struct gl_source *sources)
{
    bool same = s->constants_filled;
    for (graph_plane i = 0; i < f->graph->planes; i++)
        if (f->graph->plane[i].input && s->strides[i] != sources[i].stride) {
            s->strides[i] = sources[i].stride;
            same = false;
        }
    if (same)
        return;
    c->gl.glBindBuffer(GL_COPY_WRITE_BUFFER, s->constants);
    for (graph_pass p = 0; p < f->graph->passes; p++) {
        struct shader_push push;
        gpu_plan_push(f->plan, p, s->strides, &push);
        c->gl.glBufferSubData(GL_COPY_WRITE_BUFFER, f->constants_step * (GLintptr)p, sizeof push, &push);
    }
    s->constants_filled = true;
}

static void bind(struct gl_context *c, GLuint index, GLuint buffer, uint64_t offset, uint64_t bytes)
{
    c->gl.glBindBufferRange(GL_SHADER_STORAGE_BUFFER, index, buffer, (GLintptr)offset, (GLsizeiptr)bytes);
}

static void run_pass(struct gl_context *c, const struct gl_frames *f, struct gl_slot *s, graph_pass p)
{
    const struct gl_api *gl = &c->gl;
    const struct graph_pass_info *pass = &f->graph->pass[p];
    const struct gpu_pass *planned = &f->plan->pass[p];
    const struct kernel_info *k = &assay_kernel_info[pass->kernel];
    GLuint n = 0;
    if (planned->waits)
        gl->glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
    for (; n < (GLuint)(k->planes_in + k->planes_out); n++) {
        const graph_plane i = pass->plane[n];
        const struct graph_plane_info *plane = &f->graph->plane[i];
        if (plane->input)
            bind(c, n, s->inputs, f->plan->input_offset[i], f->plan->input_room[i]);
        else
            bind(c, n, s->storage[plane->storage], 0, gpu_storage_bytes(f->graph, plane->storage));
    }
    if (planned->totals_bound)
        bind(c, n++, s->results, 0, (uint64_t)f->graph->totals * 8);
    if (planned->extrema_bound)
        bind(c, n, s->results, f->plan->extrema_offset, (uint64_t)f->plan->pairs * 8);
    gl->glBindBufferRange(GL_UNIFORM_BUFFER, 0, s->constants, f->constants_step * (GLintptr)p, sizeof(struct shader_push));
    gl->glUseProgram(f->program[pass->kernel]);
    gl->glDispatchCompute(planned->groups_x, planned->groups_y, 1);
    s->dispatches++;
}

/* What a frame does once its inputs are there. */
static int run_passes(struct gl_context *c, struct gl_frames *f, struct gl_slot *s, const struct gl_source *sources,
                      struct assay_error *e)
{
    const struct gl_api *gl = &c->gl;
    fill_constants(c, f, s, sources);
    gl->glBindBuffer(GL_COPY_READ_BUFFER, s->results);
    gl->glClearBufferData(GL_COPY_READ_BUFFER, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, NULL);
    s->dispatches = 0;
    for (graph_pass p = 0; p < f->graph->passes; p++)
        run_pass(c, f, s, p);
    gl->glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    gl->glBindBuffer(GL_COPY_READ_BUFFER, s->results);
    gl->glBindBuffer(GL_COPY_WRITE_BUFFER, s->readback);
    gl->glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, (GLsizeiptr)f->plan->results_bytes);
    if (s->readback_map)
        gl->glMemoryBarrier(GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
    gl_slot_mark(c, s, 2);
    const int rc = gl_check(gl, "submitting a frame", e);
    if (rc)
        return rc;
    s->fence = gl->glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl->glFlush();
    return s->fence ? ASSAY_OK : gl_check(gl, "submitting a frame", e);
}

int gl_frames_submit(struct gl_context *c, struct gl_frames *f, uint32_t slot, const struct gl_source *sources,
                     struct assay_error *e)
{
    struct gl_slot *s = &f->slot[slot];
    s->timed = f->timed;
    gl_slot_mark(c, s, 0);
    upload(c, f, s, sources);
    gl_slot_mark(c, s, 1);
    return run_passes(c, f, s, sources, e);
}

int gl_frames_submit_on_device(struct gl_context *c, struct gl_frames *f, uint32_t slot, const struct gl_source *sources,
                               gl_bring_fn *bring, const void *opaque, struct assay_error *e)
{
    struct gl_slot *s = &f->slot[slot];
    bring(c, f, s, opaque);
    const int rc = gl_check(&c->gl, "reading the textures", e);
    return rc ? rc : run_passes(c, f, s, sources, e);
}

int gl_frames_wait(struct gl_context *c, struct gl_frames *f, uint32_t slot, struct assay_error *e)
{
    const struct gl_api *gl = &c->gl;
    struct gl_slot *s = &f->slot[slot];
    int rc = ASSAY_OK;
    if (!s->fence)
        return assay_fail(e, ASSAY_EDEVICE, "OpenGL: the frame was not submitted");
    for (;;) {
        const GLenum state = gl->glClientWaitSync(s->fence, GL_SYNC_FLUSH_COMMANDS_BIT, WAIT_SLICE);
        if (state == GL_ALREADY_SIGNALED || state == GL_CONDITION_SATISFIED)
            break;
        rc = gl_check(gl, "waiting for a frame", e);
        if (!rc && state == GL_WAIT_FAILED)
            rc = assay_fail(e, ASSAY_EDEVICE, "OpenGL: waiting for a frame failed");
        if (rc)
            break;
    }
    gl->glDeleteSync(s->fence);
    s->fence = NULL;
    if (rc)
        return rc;
    const void *results = s->readback_map;
    if (!results) {
        gl->glBindBuffer(GL_COPY_READ_BUFFER, s->readback);
        gl->glGetBufferSubData(GL_COPY_READ_BUFFER, 0, (GLsizeiptr)f->plan->results_bytes, s->results_copy);
        results = s->results_copy;
    }
    memcpy(s->totals, results, f->graph->totals * sizeof *s->totals);
    gpu_plan_extrema(f->plan, (const uint32_t *)(const void *)((const char *)results + f->plan->extrema_offset), s->extrema);
    return gl_check(gl, "reading a frame's totals", e);
}
