/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/opengl/opengl.h"

#include <stdlib.h>
#include <string.h>

#include "executors/gpu/digest.h"
#include "executors/opengl/frame.h"

enum { DEPTH = 6 }; /* frames in flight: copies, passes and the host stay busy, and a frame may be late */

/* Memory that we gave out: a mapped buffer, or plain memory where the driver can't keep one mapped. */
struct host_block {
    struct host_block *next;
    char *memory;
    size_t bytes;
    GLuint buffer;
};

struct gl_executor {
    struct executor base;
    struct gl_context *context;
    const struct graph *graph;
    struct gpu_plan plan;
    struct gl_frames frames;
    struct gl_source *sources; /* of the frame that is being submitted, by plane */
    struct host_block *blocks; /* touched on the context's thread only */
};

/* ---- on the context's thread ---------------------------------------------------------------------------------------- */

struct call {
    struct gl_executor *x;
    uint32_t slot, slots;
    const struct frame_inputs *inputs;
    graph_plane plane;
    void *memory;
    size_t bytes;
    struct frame_times times;
    enum executor_copy kind;
    unsigned repeats;
    double seconds;
};

static void release_block(struct gl_context *c, struct host_block *b)
{
    if (b->buffer)
        c->gl.glDeleteBuffers(1, &b->buffer);
    else
        free(b->memory);
    free(b);
}

static int do_close(struct gl_context *c, void *opaque, struct assay_error *e)
{
    struct gl_executor *x = opaque;
    gl_frames_free(c, &x->frames);
    while (x->blocks) {
        struct host_block *b = x->blocks;
        x->blocks = b->next;
        release_block(c, b);
    }
    (void)e;
    return ASSAY_OK;
}

static int do_prepare(struct gl_context *c, void *opaque, struct assay_error *e)
{
    struct call *call = opaque;
    return gl_frames_init(c, &call->x->frames, call->slots, e);
}

static int do_host_alloc(struct gl_context *c, void *opaque, struct assay_error *e)
{
    struct call *call = opaque;
    struct host_block *b = calloc(1, sizeof *b);
    void *memory = NULL;
    if (!b)
        return assay_fail_memory(e, "a frame");
    b->bytes = call->bytes;
    if (c->gl.glBufferStorage) {
        if (gl_buffer_create(c, call->bytes, &b->buffer, &b->memory, e) || !b->memory || (uintptr_t)b->memory % 64) {
            c->gl.glDeleteBuffers(1, &b->buffer);
            b->buffer = 0;
            b->memory = NULL;
        }
    }
    if (!b->memory && !posix_memalign(&memory, 64, call->bytes ? call->bytes : 64))
        b->memory = memory;
    if (!b->memory) {
        free(b);
        return assay_fail_memory(e, "a frame");
    }
    b->next = call->x->blocks;
    call->x->blocks = b;
    call->memory = b->memory;
    return ASSAY_OK;
}

static int do_host_free(struct gl_context *c, void *opaque, struct assay_error *e)
{
    struct call *call = opaque;
    struct host_block **at = &call->x->blocks;
    while (*at && (*at)->memory != call->memory)
        at = &(*at)->next;
    struct host_block *b = *at;
    if (b) {
        *at = b->next;
        release_block(c, b);
    }
    (void)e;
    return ASSAY_OK;
}

static const struct host_block *find_block(const struct gl_executor *x, const void *first, uint64_t bytes)
{
    for (const struct host_block *b = x->blocks; b; b = b->next) {
        const uintptr_t start = (uintptr_t)b->memory, at = (uintptr_t)first;
        if (at >= start && at - start + bytes <= b->bytes)
            return b;
    }
    return NULL;
}

/* Where the driver takes a plane from: our own memory as it lies, anything else row by row into the slot's copy, because
 * bytes between the rows of somebody's plane are not ours to read. */
static int locate(struct gl_executor *x, struct gl_slot *s, graph_plane i, const struct kernel_plane *host,
                  struct gl_source *source, struct assay_error *e)
{
    const struct graph_plane_info *plane = &x->graph->plane[i];
    const uint32_t row = plane->width * sample_size(plane->type), stride = gpu_input_stride(plane);
    if (host->stride >= (ptrdiff_t)row && host->stride % 4 == 0 &&
        (uint64_t)host->stride * plane->height <= x->plan.input_room[i]) {
        const uint64_t bytes = (uint64_t)host->stride * (plane->height - 1) + row;
        const struct host_block *b = find_block(x, host->data, bytes);
        if (b) {
            *source = (struct gl_source){.buffer = b->buffer, .memory = host->data, .bytes = (GLsizeiptr)bytes,
                                         .offset = (const char *)host->data - b->memory, .stride = (uint32_t)host->stride};
            return ASSAY_OK;
        }
    }
    if (!s->packed && !(s->packed = calloc(1, x->plan.input_bytes)))
        return assay_fail_memory(e, "a frame in flight");
    char *to = s->packed + x->plan.input_offset[i];
    for (uint32_t y = 0; y < plane->height; y++)
        memcpy(to + (size_t)y * stride, (const char *)host->data + (ptrdiff_t)y * host->stride, row);
    *source = (struct gl_source){.memory = to, .stride = stride,
                                 .bytes = (GLsizeiptr)((uint64_t)stride * (plane->height - 1) + row)};
    return ASSAY_OK;
}

static int do_submit(struct gl_context *c, void *opaque, struct assay_error *e)
{
    struct call *call = opaque;
    struct gl_executor *x = call->x;
    for (graph_plane i = 0; i < x->graph->planes; i++) {
        const struct graph_plane_info *plane = &x->graph->plane[i];
        if (!plane->input)
            continue;
        const int rc = locate(x, &x->frames.slot[call->slot], i, frame_input(call->inputs, plane),
                              &x->sources[i], e);
        if (rc)
            return rc;
    }
    x->frames.timed = x->base.timed;
    const int rc = gl_frames_submit(c, &x->frames, call->slot, x->sources, e);
    x->base.submissions += !rc;
    return rc;
}

static int do_copy_rate(struct gl_context *c, void *opaque, struct assay_error *e)
{
    struct call *call = opaque;
    return gl_copy_rate(c, call->kind, call->bytes, call->repeats, &call->seconds, e);
}

static int do_wait(struct gl_context *c, void *opaque, struct assay_error *e)
{
    struct call *call = opaque;
    const int rc = gl_frames_wait(c, &call->x->frames, call->slot, e);
    if (!rc)
        call->times = gl_slot_times(c, &call->x->frames.slot[call->slot]);
    return rc;
}

static int do_read(struct gl_context *c, void *opaque, struct assay_error *e)
{
    struct call *call = opaque;
    const struct gl_executor *x = call->x;
    const struct graph_plane_info *plane = &x->graph->plane[call->plane];
    const struct gl_slot *s = &x->frames.slot[call->slot];
    const GLintptr offset = plane->input ? (GLintptr)x->plan.input_offset[call->plane] : 0;
    c->gl.glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    c->gl.glBindBuffer(GL_COPY_READ_BUFFER, plane->input ? s->inputs : s->storage[plane->storage]);
    c->gl.glGetBufferSubData(GL_COPY_READ_BUFFER, offset, (GLsizeiptr)call->bytes, call->memory);
    return gl_check(&c->gl, "reading a plane", e);
}

/* ---- the executor's functions ---------------------------------------------------------------------------------------- */

static void opengl_close(struct executor **out)
{
    struct gl_executor *x = (struct gl_executor *)*out;
    if (!x)
        return;
    *out = NULL;
    if (x->context && x->context->applications)
        do_close(x->context, x, NULL); /* changes no state of the context */
    else if (x->context)
        gl_context_run(x->context, do_close, x, NULL);
    gl_context_close(&x->context);
    gpu_plan_free(&x->plan);
    free(x->sources);
    free(x);
}

/* In a context of our own, or (get not NULL) in the one that is current. */
static int open_on(struct executor **out, const char *device, gl_get_proc *get, struct assay_error *e)
{
    *out = NULL;
    struct gl_executor *x = calloc(1, sizeof *x);
    if (!x)
        return assay_fail_memory(e, "the OpenGL executor");
    x->base = (struct executor){.ops = &executor_opengl, .depth = DEPTH};
    struct executor *base = &x->base;
    const int rc = get ? gl_context_adopt(&x->context, get, e) : gl_context_open(&x->context, device, e);
    if (rc) {
        opengl_close(&base);
        return rc;
    }
    snprintf(x->base.device, sizeof x->base.device, "%s", x->context->name);
    snprintf(x->base.driver, sizeof x->base.driver, "%s", x->context->driver);
    *out = base;
    return ASSAY_OK;
}

static int opengl_open(struct executor **out, const struct executor_config *config, struct assay_error *e)
{
    return open_on(out, config->device, NULL, e);
}

int gl_executor_adopt(struct executor **out, gl_get_proc *get, struct assay_error *e)
{
    return open_on(out, NULL, get, e);
}

static int opengl_prepare(struct executor *base, const struct graph *g, uint32_t slots, struct assay_error *e)
{
    struct gl_executor *x = (struct gl_executor *)base;
    uint64_t most = 0;
    x->graph = g;
    x->sources = calloc(g->planes + 1, sizeof *x->sources);
    int rc = x->sources ? gpu_plan_init(&x->plan, g, &x->context->limits, e) : assay_fail_memory(e, "the OpenGL executor");
    if (!rc)
        rc = gpu_memory_from_environment(&most, e);
    if (!rc)
        rc = gpu_plan_fits(&x->plan, base->device, slots, most, e);
    x->frames.graph = g;
    x->frames.plan = &x->plan;
    struct call call = {.x = x, .slots = slots};
    return rc ? rc : gl_context_run(x->context, do_prepare, &call, e);
}

static void *opengl_host_alloc(struct executor *base, uint32_t slot, size_t bytes)
{
    (void)slot;
    struct gl_executor *x = (struct gl_executor *)base;
    struct call call = {.x = x, .bytes = bytes};
    return gl_context_run(x->context, do_host_alloc, &call, NULL) ? NULL : call.memory;
}

static void opengl_host_free(struct executor *base, uint32_t slot, void *memory)
{
    (void)slot;
    struct gl_executor *x = (struct gl_executor *)base;
    struct call call = {.x = x, .memory = memory};
    if (memory)
        gl_context_run(x->context, do_host_free, &call, NULL);
}

static int opengl_submit(struct executor *base, uint32_t slot, const struct frame_inputs *inputs, struct assay_error *e)
{
    struct gl_executor *x = (struct gl_executor *)base;
    struct call call = {.x = x, .slot = slot, .inputs = inputs};
    return gl_context_run(x->context, do_submit, &call, e);
}

struct gl_context *gl_executor_context(struct executor *base)
{
    return ((struct gl_executor *)base)->context;
}

/* ---- textures of the application --------------------------------------------------------------------------------------- */

struct texture_call {
    struct gl_executor *x;
    GLuint texture;
    struct gl_texture_facts *facts;
    uint32_t slot;
    const uint32_t *held;              /* slots of earlier frames */
    const struct gl_texture *textures; /* by side */
};

/* Pixel transfer of old contexts changes texels on their way. */
static bool transfer_is_plain(const struct gl_api *gl)
{
    enum { MAP_COLOR = 0x0d10, RED_SCALE = 0x0d14, RED_BIAS, GREEN_SCALE = 0x0d18, GREEN_BIAS, BLUE_SCALE, BLUE_BIAS, ALPHA_SCALE,
           ALPHA_BIAS };
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

static int do_look(struct gl_context *c, void *opaque, struct assay_error *e)
{
    const struct texture_call *call = opaque;
    const struct gl_api *gl = &c->gl;
    GLint target = 0, format = 0, width = 0, height = 0, depth = 0, samples = 0;
    if (!gl->glGetTextureSubImage || !gl->glGetTextureParameteriv || !gl->glGetTextureLevelParameteriv || !gl->glIsTexture)
        return assay_fail(e, ASSAY_EDEVICE, "OpenGL: comparing textures needs version 4.5; this is %s", c->driver);
    if (!transfer_is_plain(gl))
        return assay_fail(e, ASSAY_EUSAGE, "OpenGL: the context's pixel transfer (GL_RED_SCALE and the like) would change texels");
    if (!gl->glIsTexture(call->texture))
        return assay_fail(e, ASSAY_EUSAGE, "OpenGL: %u is no texture of this context", call->texture);
    gl->glGetTextureParameteriv(call->texture, GL_TEXTURE_TARGET, &target);
    gl->glGetTextureLevelParameteriv(call->texture, 0, GL_TEXTURE_INTERNAL_FORMAT, &format);
    gl->glGetTextureLevelParameteriv(call->texture, 0, GL_TEXTURE_WIDTH, &width);
    gl->glGetTextureLevelParameteriv(call->texture, 0, GL_TEXTURE_HEIGHT, &height);
    gl->glGetTextureLevelParameteriv(call->texture, 0, GL_TEXTURE_DEPTH, &depth);
    gl->glGetTextureLevelParameteriv(call->texture, 0, GL_TEXTURE_SAMPLES, &samples);
    *call->facts = (struct gl_texture_facts){
        .target = (GLenum)target, .internal_format = (GLenum)format, .width = (uint32_t)width, .height = (uint32_t)height,
        .layers = target == GL_TEXTURE_CUBE_MAP ? 6 : (uint32_t)depth, .samples = (uint32_t)samples};
    return gl_check(gl, "looking at a texture", e);
}

static int do_nothing(struct gl_context *c, void *opaque, struct assay_error *e)
{
    (void)c, (void)opaque, (void)e;
    return ASSAY_OK;
}

int gl_executor_ready(struct executor *x, struct assay_error *e)
{
    return gl_context_run(gl_executor_context(x), do_nothing, NULL, e);
}

int gl_executor_texture(struct executor *base, GLuint texture, struct gl_texture_facts *facts, struct assay_error *e)
{
    struct gl_executor *x = (struct gl_executor *)base;
    struct texture_call call = {.x = x, .texture = texture, .facts = facts};
    return gl_context_run(x->context, do_look, &call, e);
}

/* The texels of earlier frames lie where these were brought to. One that begins the sequence stands in for them itself. */
static void copy_earlier(struct gl_context *c, const struct gl_frames *f, const struct gl_slot *s, const uint32_t *held)
{
    const struct gl_api *gl = &c->gl;
    for (graph_plane i = 0; i < f->graph->planes; i++) {
        const struct graph_plane_info *to = &f->graph->plane[i];
        if (!to->age)
            continue;
        gl->glBindBuffer(GL_COPY_READ_BUFFER, f->slot[held[to->age - 1] - 1].inputs);
        gl->glBindBuffer(GL_COPY_WRITE_BUFFER, s->inputs);
        gl->glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (GLintptr)f->plan->input_offset[to->of],
                                (GLintptr)f->plan->input_offset[i], (GLsizeiptr)gpu_input_stride(to) * (GLsizeiptr)to->height);
    }
}

/* Into the slot's buffer of inputs, as if it were memory that texels are packed into. */
static void bring_textures(struct gl_context *c, const struct gl_frames *f, const struct gl_slot *s, const void *opaque)
{
    const struct texture_call *call = opaque;
    const struct gl_api *gl = &c->gl;
    gl->glBindBuffer(GL_PIXEL_PACK_BUFFER, s->inputs);
    for (graph_plane i = 0; i < f->graph->planes; i++) {
        const struct graph_plane_info *plane = &f->graph->plane[i];
        if (!plane->input || plane->age)
            continue;
        const struct gl_texture *t = &call->textures[plane->side];
        gl->glPixelStorei(GL_PACK_ROW_LENGTH, (GLint)(gpu_input_stride(plane) / t->texel_bytes));
        gl->glGetTextureSubImage(t->texture, 0, t->x, t->y, t->layer, t->width, t->height, 1, t->format, t->type,
                                 (GLsizei)f->plan->input_room[i], (void *)(uintptr_t)f->plan->input_offset[i]);
    }
    gl->glPixelStorei(GL_PACK_ROW_LENGTH, 0);
    gl->glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    copy_earlier(c, f, s, call->held);
}

static int do_textures(struct gl_context *c, void *opaque, struct assay_error *e)
{
    struct texture_call *call = opaque;
    struct gl_executor *x = call->x;
    for (graph_plane i = 0; i < x->graph->planes; i++)
        if (x->graph->plane[i].input)
            x->sources[i].stride = gpu_input_stride(&x->graph->plane[i]);
    return gl_frames_submit_on_device(c, &x->frames, call->slot, x->sources, bring_textures, call, e);
}

int gl_executor_submit_textures(struct executor *base, uint32_t slot, const uint32_t *held, const struct gl_texture texture[2],
                                struct assay_error *e)
{
    struct gl_executor *x = (struct gl_executor *)base;
    struct texture_call call = {.x = x, .slot = slot, .held = held, .textures = texture};
    return gl_context_run(x->context, do_textures, &call, e);
}

static int opengl_wait(struct executor *base, uint32_t slot, struct frame_results *results, struct assay_error *e)
{
    struct gl_executor *x = (struct gl_executor *)base;
    struct call call = {.x = x, .slot = slot};
    const int rc = gl_context_run(x->context, do_wait, &call, e);
    if (rc)
        return rc;
    base->passes_run += x->frames.slot[slot].dispatches;
    results->totals = x->frames.slot[slot].totals;
    results->extrema = x->frames.slot[slot].extrema;
    results->times = call.times;
    return ASSAY_OK;
}

static int opengl_read_plane(struct executor *base, uint32_t slot, graph_plane i, void *dst, size_t dst_stride,
                             struct assay_error *e)
{
    struct gl_executor *x = (struct gl_executor *)base;
    const struct graph_plane_info *plane = &x->graph->plane[i];
    const uint32_t row = plane->width * sample_size(plane->type);
    const size_t stride = plane->input ? x->frames.slot[slot].strides[i] : graph_stride(plane);
    struct call call = {.x = x, .slot = slot, .plane = i, .bytes = stride * (plane->height - 1) + row};
    call.memory = malloc(call.bytes);
    if (!call.memory)
        return assay_fail_memory(e, "a plane");
    const int rc = gl_context_run(x->context, do_read, &call, e);
    for (uint32_t y = 0; !rc && y < plane->height; y++)
        memcpy((char *)dst + y * dst_stride, (const char *)call.memory + y * stride, row);
    free(call.memory);
    return rc;
}

static int opengl_copy_rate(struct executor *base, enum executor_copy kind, size_t bytes, unsigned times, double *seconds,
                            struct assay_error *e)
{
    struct gl_executor *x = (struct gl_executor *)base;
    struct call call = {.x = x, .kind = kind, .bytes = bytes, .repeats = times};
    const int rc = gl_context_run(x->context, do_copy_rate, &call, e);
    *seconds = call.seconds;
    return rc;
}

static uint64_t opengl_memory(const struct executor *base, const struct graph *g, uint32_t slots)
{
    const struct gl_executor *x = (const struct gl_executor *)base;
    struct gpu_plan plan;
    if (gpu_plan_init(&plan, g, &x->context->limits, NULL))
        return 0;
    const uint64_t bytes = gpu_plan_slot_bytes(&plan) * slots;
    gpu_plan_free(&plan);
    return bytes;
}

static uint64_t opengl_modules(void)
{
    return gpu_digest_module(MODULE_OPENGL);
}

const struct executor_ops executor_opengl = {
    .name = "opengl", .open = opengl_open, .prepare = opengl_prepare, .host_alloc = opengl_host_alloc,
    .host_free = opengl_host_free, .submit = opengl_submit, .wait = opengl_wait, .read_plane = opengl_read_plane,
    .memory = opengl_memory, .close = opengl_close, .copy_rate = opengl_copy_rate, .list = gl_device_list, .modules = opengl_modules,
    .images = &gl_image_ops,
};
