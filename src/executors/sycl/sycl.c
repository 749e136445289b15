/* SPDX-License-Identifier: BSD-2-Clause */
/* The SYCL executor, and its buffers and slots. */
#include "executors/executor.h"

#include <stdlib.h>
#include <string.h>

#include "executors/sycl/device.h"

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

/* Mapped memory is memory of the host, which copies read and write: it has no handle. */
static int sy_buffer_create(struct gpu_device *d, enum gpu_memory kind, uint64_t bytes, struct gpu_buffer *out,
                            struct assay_error *e)
{
    const struct sy_gpu *gpu = (const struct sy_gpu *)d;
    const bool host = kind == GPU_MEMORY_UPLOAD || kind == GPU_MEMORY_READBACK;
    char why[SYCL_WHY] = "";
    void *memory = NULL;
    *out = (struct gpu_buffer){0};
    if (!gpu->sycl->allocate(gpu->device, host, bytes, &memory, why))
        return sy_fail(host ? "allocating memory of the host" : "allocating device memory", why, e);
    *out = (struct gpu_buffer){.bytes = bytes, .map = host ? memory : NULL,
                               .handle = host ? 0 : (uint64_t)(uintptr_t)memory};
    return ASSAY_OK;
}

static void sy_buffer_destroy(struct gpu_device *d, struct gpu_buffer *b)
{
    const struct sy_gpu *gpu = (const struct sy_gpu *)d;
    void *const memory = b->map ? b->map : (void *)(uintptr_t)b->handle;
    if (memory)
        gpu->sycl->release(gpu->device, memory);
    *b = (struct gpu_buffer){0};
}

/* ---- slots ------------------------------------------------------------------------------------------------------- */

/* A stream that takes times is another one. */
static int sy_stream(const struct sy_gpu *gpu, struct sy_slot *own, bool timed, struct assay_error *e)
{
    char why[SYCL_WHY] = "";
    if (own->stream && own->timed == timed)
        return ASSAY_OK;
    if (own->stream)
        gpu->sycl->stream_drop(own->stream);
    own->stream = NULL;
    own->timed = timed;
    return gpu->sycl->stream_make(gpu->device, timed, &own->stream, why) ? ASSAY_OK
                                                                         : sy_fail("making a queue", why, e);
}

static int sy_slot_create(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e)
{
    struct sy_slot *own = s->own = calloc(1, sizeof *own);
    return own ? sy_stream((struct sy_gpu *)d, own, false, e) : assay_fail_memory(e, "a frame in flight");
}

static void sy_slot_destroy(struct gpu_device *d, struct gpu_slot *s)
{
    struct sy_slot *own = s->own;
    if (own && own->stream)
        ((struct sy_gpu *)d)->sycl->stream_drop(own->stream);
    free(own);
    s->own = NULL;
}

/* ---- commands: a failure is kept until the part ends ------------------------------------------------------------- */

static int sy_begin(struct gpu_device *d, struct gpu_slot *s, enum gpu_part part, struct assay_error *e)
{
    struct sy_slot *own = s->own;
    own->failed = false;
    own->part = part;
    return part == GPU_UPLOAD ? sy_stream((struct sy_gpu *)d, own, s->timed, e) : ASSAY_OK;
}

static void sy_copy(struct gpu_device *d, struct gpu_slot *s, const struct gpu_copy *c)
{
    struct sy_slot *own = s->own;
    const char *const from = !c->from ? c->host : c->from->map ? c->from->map : (char *)(uintptr_t)c->from->handle;
    char *const to = c->to->map ? c->to->map : (char *)(uintptr_t)c->to->handle;
    if (!own->failed)
        own->failed = !((struct sy_gpu *)d)->sycl->copy(own->stream, to + c->to_offset, from + c->from_offset,
                                                        c->bytes, own->why);
}

static void sy_clear(struct gpu_device *d, struct gpu_slot *s, const struct gpu_buffer *b)
{
    struct sy_slot *own = s->own;
    if (!own->failed)
        own->failed = !((struct sy_gpu *)d)->sycl->clear(own->stream, (void *)(uintptr_t)b->handle, b->bytes, own->why);
}

static bool sy_fits(const struct gpu_limits *limits, const struct sycl_code *code)
{
    return code->local_bytes <= limits->shared_bytes && code->threads <= limits->threads;
}

/* The form of the kernel that a device with these limits runs, and its code. */
static enum sycl_form sy_choose_form(const struct sycl_interface *sycl, const struct gpu_limits *limits,
                                     unsigned kernel, struct sycl_code *code)
{
    enum sycl_form form = limits->threads == SYCL_TILE_THREADS ? SYCL_TILES : limits->minimal ? SYCL_MINIMAL
                                                                                             : SYCL_FULL;
    sycl->code(kernel, form, code);
    if (form == SYCL_FULL && !sy_fits(limits, code))
        sycl->code(kernel, form = SYCL_MINIMAL, code);
    return form;
}

enum sycl_form sy_form(const struct sy_gpu *gpu, unsigned kernel)
{
    struct sycl_code code;
    return sy_choose_form(gpu->sycl, &gpu->base.limits, kernel, &code);
}

static void sy_dispatch(struct gpu_device *d, struct gpu_slot *s, graph_pass p)
{
    const struct sy_gpu *gpu = (const struct sy_gpu *)d;
    const struct graph_pass_info *pass = &d->graph->pass[p];
    const struct kernel_info *k = &assay_kernel_info[pass->kernel];
    struct sy_slot *own = s->own;
    struct gpu_binding binding[GPU_BINDINGS];
    char *const results = (char *)(uintptr_t)s->results.handle;
    struct sycl_args args = {
        .totals = (uint32_t *)(void *)(results + pass->totals * sizeof(int64_t)),
        .extrema = (uint32_t *)(void *)(results + d->plan->extrema_offset + d->plan->pass[p].extrema * sizeof(int64_t)),
        .grid_w = (int32_t)pass->grid_w, .grid_h = (int32_t)pass->grid_h,
    };
    gpu_slot_bindings(d, s, p, binding);
    for (unsigned i = 0; i < (unsigned)k->planes_in + k->planes_out; i++) {
        const struct graph_plane_info *plane = &d->graph->plane[pass->plane[i]];
        const struct gpu_place *place = &s->place[pass->plane[i]];
        const bool elsewhere = s->direct && place->address;
        const uint64_t at = elsewhere ? place->address : binding[i].buffer->handle + binding[i].offset;
        args.plane[i] = (struct sycl_plane){.data = (void *)(uintptr_t)at,
                                            .stride = (int32_t)(elsewhere ? place->stride : graph_stride(plane)),
                                            .width = (int32_t)plane->width, .height = (int32_t)plane->height};
    }
    memcpy(args.param, pass->param, sizeof args.param);
    if (!own->failed)
        own->failed = !gpu->sycl->launch(own->stream, pass->kernel, sy_form(gpu, pass->kernel), &args,
                                         own->timed || own->part != GPU_PASSES, own->why);
}

/* A queue runs its commands in order. Other slots wait for what was noted. */
static void sy_barrier(struct gpu_device *d, struct gpu_slot *s, enum gpu_barrier barrier)
{
    if (barrier == GPU_INPUTS_THERE)
        ((struct sy_gpu *)d)->sycl->note(((struct sy_slot *)s->own)->stream);
}

static void sy_follow(struct gpu_device *d, struct gpu_slot *s, struct gpu_slot *other)
{
    struct sy_slot *own = s->own;
    if (!own->failed)
        own->failed = !((struct sy_gpu *)d)->sycl->follow(own->stream, ((struct sy_slot *)other->own)->stream,
                                                          own->why);
}

static void sy_mark(struct gpu_device *d, struct gpu_slot *s, unsigned mark)
{
    ((struct sy_gpu *)d)->sycl->mark(((struct sy_slot *)s->own)->stream, mark);
}

static int sy_end(struct gpu_device *d, struct gpu_slot *s, enum gpu_part part, struct assay_error *e)
{
    static const char *const what[] = {[GPU_UPLOAD] = "uploading a frame", [GPU_BRING] = "copying a frame's planes",
                                       [GPU_PASSES] = "starting a frame"};
    const struct sy_slot *own = s->own;
    (void)d;
    return own->failed ? sy_fail(what[part], own->why, e) : ASSAY_OK;
}

/* ---- a frame ----------------------------------------------------------------------------------------------------- */

static int sy_submit(struct gpu_device *d, struct gpu_slot *s, enum gpu_part first, bool passes, struct assay_error *e)
{
    struct sy_slot *own = s->own;
    (void)first; /* its commands have started already */
    s->submissions = 1;
    for (unsigned side = 0; passes && side < gpu_slot_streams(s); side++)
        if (!((struct sy_gpu *)d)->sycl->depart(own->stream, s->frame->order[side].stream, own->why))
            return sy_fail("letting the application's queue wait", own->why, e);
    return ASSAY_OK;
}

static int sy_finish(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e)
{
    const struct sy_slot *own = s->own;
    char why[SYCL_WHY] = "";
    return !own->stream || ((struct sy_gpu *)d)->sycl->wait(own->stream, why) ? ASSAY_OK
                                                                              : sy_fail("waiting for a frame", why, e);
}

static int sy_times(struct gpu_device *d, struct gpu_slot *s, uint64_t at[GPU_MARKS], struct assay_error *e)
{
    char why[SYCL_WHY] = "";
    return ((struct sy_gpu *)d)->sycl->times(((struct sy_slot *)s->own)->stream, at, why)
               ? ASSAY_OK : sy_fail("asking for a frame's times", why, e);
}

/* ---- the device and the executor --------------------------------------------------------------------------------- */

/* SYCL has no question for the memory that is free. */
static int sy_free_bytes(struct gpu_device *d, uint64_t *bytes, struct assay_error *e)
{
    (void)e;
    *bytes = ((struct sy_gpu *)d)->facts.memory;
    return ASSAY_OK;
}

static int sy_find_kernel(const struct gpu_limits *limits, unsigned kernel, struct gpu_kernel *out,
                          struct assay_error *e)
{
    const struct sycl_interface *sycl = module_opened(MODULE_SYCL)->content;
    struct sycl_code code;
    sy_choose_form(sycl, limits, kernel, &code);
    *out = (struct gpu_kernel){.tile_w = code.tile_w, .tile_h = code.tile_h, .threads = code.threads};
    if (sy_fits(limits, &code))
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EDEVICE, "kernel %s needs %llu bytes of local memory and %u items per work-group; the "
                      "device has %u and %u", assay_kernel_info[kernel].name, (unsigned long long)code.local_bytes,
                      code.threads, limits->shared_bytes, limits->threads);
}

static int sy_prepare(struct gpu_device *d, struct assay_error *e)
{
    (void)d, (void)e; /* the runtime makes a kernel's code when it is first started */
    return ASSAY_OK;
}

const struct gpu_device_ops sy_device_ops = {
    .api = "SYCL", .run = gpu_run_anywhere, .close = sy_gpu_close, .free_bytes = sy_free_bytes,
    .kernel = sy_find_kernel, .buffer_create = sy_buffer_create, .buffer_destroy = sy_buffer_destroy,
    .flush = gpu_no_flush, .invalidate = gpu_no_flush, .prepare = sy_prepare, .slot_create = sy_slot_create,
    .slot_destroy = sy_slot_destroy, .begin = sy_begin, .copy = sy_copy, .clear = sy_clear, .dispatch = sy_dispatch,
    .barrier = sy_barrier, .follow = sy_follow, .mark = sy_mark, .end = sy_end, .submit = sy_submit, .wait = sy_finish,
    .finish = sy_finish, .times = sy_times, .bring = sy_bring,
};

GPU_EXECUTOR_OPENS(sy, executor_sycl, sy_gpu_open(&device, config->device, NULL, e),
                   sy_gpu_open(&device, NULL, lent->sycl.queue, e))

static const char *sy_needs(void)
{
    const struct module *module = module_opened(MODULE_SYCL);
    return module ? ((const struct sycl_interface *)module->content)->needs : NULL;
}

/* Code that a test asked for is tested by itself. */
static uint64_t sy_modules(void)
{
    return module_digest(MODULE_SYCL) ^ (sy_items_wanted() ? 1 : 0);
}

static const struct image_ops sy_image_ops = {.adopt = sy_executor_adopt, .submit = gpu_executor_submit_images};

const struct executor_ops executor_sycl = {
    .name = "sycl", .open = sy_executor_open, GPU_EXECUTOR_OPS, .needs = sy_needs, .modules = sy_modules,
    .list = sy_gpu_list, .images = &sy_image_ops,
};
