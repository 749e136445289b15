/* SPDX-License-Identifier: BSD-2-Clause */
/* The CUDA executor, and its buffers and slots. */
#include "executors/executor.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "executors/cuda/device.h"

enum {
    NAP = 10000, /* nanoseconds between two looks; the system adds about 50,000 */
    LOOKS = 40,  /* before the thread blocks */
};

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

/* Mapped memory is page-locked memory of the host, which copies read and write: it has no handle. */
static int cu_buffer_create(struct gpu_device *d, enum gpu_memory kind, uint64_t bytes, struct gpu_buffer *out,
                            struct assay_error *e)
{
    const struct cu_driver *driver = &((struct cu_gpu *)d)->driver;
    const bool host = kind == GPU_MEMORY_UPLOAD || kind == GPU_MEMORY_READBACK;
    *out = (struct gpu_buffer){.bytes = bytes};
    const cu_result r = host ? driver->host_alloc(&out->map, bytes, CU_HOST_PORTABLE)
                             : driver->memory_alloc(&out->handle, bytes);
    if (r)
        *out = (struct gpu_buffer){0};
    return cu_check(driver, r, host ? "allocating page-locked memory" : "allocating device memory", e);
}

static void cu_buffer_destroy(struct gpu_device *d, struct gpu_buffer *b)
{
    const struct cu_driver *driver = &((struct cu_gpu *)d)->driver;
    if (b->map)
        driver->host_free(b->map);
    if (b->handle)
        driver->memory_free(b->handle);
    *b = (struct gpu_buffer){0};
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static cu_result cu_create_event(const struct cu_driver *d, cu_event *event, unsigned flags)
{
    const cu_result r = *event ? 0 : d->event_create(event, flags);
    if (r)
        *event = NULL;
    return r;
}

static void cu_destroy_event(const struct cu_driver *d, cu_event event)
{
    if (event)
        d->event_destroy(event);
}

static int cu_slot_create(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e)
{
    const struct cu_driver *driver = &((struct cu_gpu *)d)->driver;
    struct cu_slot *own = s->own = calloc(1, sizeof *own);
    if (!own)
        return assay_fail_memory(e, "a frame in flight");
    cu_result r = driver->stream_create(&own->stream, CU_STREAM_APART);
    if (r)
        own->stream = NULL;
    TRY(cu_check(driver, r, "making a stream", e));
    own->at = own->stream;
    r = cu_create_event(driver, &own->done, CU_EVENT_BLOCKING | CU_EVENT_NO_TIMING);
    if (!r && d->plan && d->plan->history)
        r = cu_create_event(driver, &own->brought, CU_EVENT_BLOCKING | CU_EVENT_NO_TIMING);
    return cu_check(driver, r, "making an event", e);
}

static void cu_slot_destroy(struct gpu_device *d, struct gpu_slot *s)
{
    const struct cu_driver *driver = &((struct cu_gpu *)d)->driver;
    struct cu_slot *own = s->own;
    if (!own)
        return;
    if (own->passes)
        driver->graph_exec_destroy(own->passes);
    cu_destroy_event(driver, own->done);
    cu_destroy_event(driver, own->brought);
    cu_destroy_event(driver, own->bringing);
    cu_destroy_event(driver, own->copied);
    for (unsigned i = 0; i < GRAPH_SIDES; i++)
        cu_destroy_event(driver, own->arrived[i]);
    for (unsigned i = 0; i < GPU_MARKS; i++)
        cu_destroy_event(driver, own->mark[i]);
    if (own->ahead)
        driver->stream_destroy(own->ahead);
    if (own->stream)
        driver->stream_destroy(own->stream);
    free(own);
    s->own = NULL;
}

/* ---- commands: a failure is kept until the part ends ------------------------------------------------------------- */

static void cu_copy(struct gpu_device *d, struct gpu_slot *s, const struct gpu_copy *c)
{
    const struct cu_driver *driver = &((struct cu_gpu *)d)->driver;
    struct cu_slot *own = s->own;
    const char *host = c->from ? c->from->map : c->host;
    if (own->failed)
        return;
    if (!c->to->handle)
        own->failed = driver->download((char *)c->to->map + c->to_offset, c->from->handle + c->from_offset, c->bytes,
                                       own->at);
    else if (host)
        own->failed = driver->upload(c->to->handle + c->to_offset, host + c->from_offset, c->bytes, own->at);
    else
        own->failed = driver->copy_device(c->to->handle + c->to_offset, c->from->handle + c->from_offset, c->bytes,
                                          own->at);
}

static void cu_clear(struct gpu_device *d, struct gpu_slot *s, const struct gpu_buffer *b)
{
    struct cu_slot *own = s->own;
    if (!own->failed)
        own->failed = ((struct cu_gpu *)d)->driver.fill(b->handle, 0, b->bytes, own->at);
}

cu_result cu_launch(const struct cu_gpu *gpu, const struct gpu_slot *s, unsigned kernel, struct cuda_args *args)
{
    const struct kernel_schedule *schedule = &assay_kernel_info[kernel].schedule[TARGET_CUDA];
    const struct cu_slot *own = s->own;
    void *parameters[] = {args};
    return gpu->driver.launch(gpu->kernels.function[kernel],
                              ((unsigned)args->grid_w + schedule->tile_w - 1) / schedule->tile_w,
                              ((unsigned)args->grid_h + schedule->tile_h - 1) / schedule->tile_h, 1, schedule->threads,
                              1, 1, 0, own->at, parameters, NULL);
}

static void cu_dispatch(struct gpu_device *d, struct gpu_slot *s, graph_pass p)
{
    const struct graph_pass_info *pass = &d->graph->pass[p];
    const struct kernel_info *k = &assay_kernel_info[pass->kernel];
    struct cu_slot *own = s->own;
    struct gpu_binding binding[GPU_BINDINGS];
    struct cuda_args args = {
        .totals = s->results.handle + pass->totals * sizeof(int64_t),
        .extrema = s->results.handle + d->plan->extrema_offset + d->plan->pass[p].extrema * sizeof(int64_t),
        .grid_w = (int32_t)pass->grid_w, .grid_h = (int32_t)pass->grid_h,
    };
    gpu_slot_bindings(d, s, p, binding);
    for (unsigned i = 0; i < (unsigned)k->planes_in + k->planes_out; i++) {
        const struct graph_plane_info *plane = &d->graph->plane[pass->plane[i]];
        const struct gpu_place *place = &s->place[pass->plane[i]];
        const bool elsewhere = s->direct && place->address;
        args.plane[i] = (struct cuda_plane){.data = elsewhere ? place->address
                                                              : binding[i].buffer->handle + binding[i].offset,
                                            .stride = (int32_t)(elsewhere ? place->stride : graph_stride(plane)),
                                            .width = (int32_t)plane->width,
                                            .height = (int32_t)plane->height};
    }
    memcpy(args.param, pass->param, sizeof args.param);
    if (!own->failed)
        own->failed = cu_launch((struct cu_gpu *)d, s, pass->kernel, &args);
}

/* A stream runs its work in order. Other slots wait for an event. */
static void cu_barrier(struct gpu_device *d, struct gpu_slot *s, enum gpu_barrier barrier)
{
    struct cu_slot *own = s->own;
    if (!own->failed && barrier == GPU_INPUTS_THERE)
        own->failed = ((struct cu_gpu *)d)->driver.event_record(own->brought, own->at);
}

static void cu_follow(struct gpu_device *d, struct gpu_slot *s, struct gpu_slot *other)
{
    struct cu_slot *own = s->own;
    if (!own->failed)
        own->failed = ((struct cu_gpu *)d)
                          ->driver.stream_wait_event(own->at, ((struct cu_slot *)other->own)->brought, 0);
}

/* Work on `to` that is queued later waits for what is on `from` now. */
static cu_result cu_join(const struct cu_driver *d, cu_event *event, cu_stream from, cu_stream to)
{
    cu_result r = cu_create_event(d, event, CU_EVENT_BLOCKING | CU_EVENT_NO_TIMING);
    if (!r)
        r = d->event_record(*event, from);
    return r ? r : d->stream_wait_event(to, *event, 0);
}

cu_result cu_arrive(const struct cu_gpu *gpu, struct gpu_slot *s, unsigned side, cu_stream stream)
{
    struct cu_slot *own = s->own;
    return cu_join(&gpu->driver, &own->arrived[side], stream, own->at);
}

/* Work that the application queues later on a stream of its pictures waits for `event`. */
static cu_result cu_hold_streams(const struct cu_gpu *gpu, const struct gpu_slot *s, cu_event event)
{
    cu_result r = 0;
    for (unsigned side = 0; !r && side < gpu_slot_streams(s); side++)
        r = gpu->driver.stream_wait_event(s->frame->order[side].stream, event, 0);
    return r;
}

cu_result cu_let_go(const struct cu_gpu *gpu, struct gpu_slot *s)
{
    struct cu_slot *own = s->own;
    cu_result r = cu_create_event(&gpu->driver, &own->copied, CU_EVENT_BLOCKING | CU_EVENT_NO_TIMING);
    if (!r)
        r = gpu->driver.event_record(own->copied, own->at);
    return r ? r : cu_hold_streams(gpu, s, own->copied);
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

/* Creates the slot's timestamps, and the device's time 0. */
static cu_result cu_make_marks(struct cu_gpu *gpu, struct cu_slot *own)
{
    const struct cu_driver *d = &gpu->driver;
    cu_result r = 0;
    for (unsigned i = 0; !r && i < GPU_MARKS; i++)
        r = cu_create_event(d, &own->mark[i], 0);
    if (r || gpu->origin)
        return r;
    if ((r = cu_create_event(d, &gpu->origin, 0)) || (r = d->event_record(gpu->origin, own->stream)))
        return r;
    return d->event_wait(gpu->origin);
}

/* Captured passes take no timestamps: cu_submit takes them around the graph. */
static void cu_mark(struct gpu_device *d, struct gpu_slot *s, unsigned mark)
{
    struct cu_slot *own = s->own;
    if (!own->failed && !own->capturing)
        own->failed = ((struct cu_gpu *)d)->driver.event_record(own->mark[mark], own->stream);
}

static int cu_times(struct gpu_device *d, struct gpu_slot *s, uint64_t at[GPU_MARKS], struct assay_error *e)
{
    const struct cu_gpu *gpu = (const struct cu_gpu *)d;
    const struct cu_slot *own = s->own;
    for (unsigned i = 0; i < GPU_MARKS; i++) {
        float ms = 0.0f;
        TRY(cu_check(&gpu->driver, gpu->driver.event_elapsed(&ms, gpu->origin, own->mark[i]),
                     "asking for a frame's times", e));
        at[i] = (uint64_t)((double)ms * 1e6);
    }
    return ASSAY_OK;
}

/* ---- the stream of an application's pictures --------------------------------------------------------------------- */

/* The application waits for the copies of its pictures, so these come before the passes of other frames. */
static cu_result cu_go_ahead(const struct cu_driver *d, struct cu_slot *own)
{
    cu_result r = own->ahead ? 0 : d->stream_create_before(&own->ahead, CU_STREAM_APART, CU_STREAM_FIRST);
    if (r) {
        own->ahead = NULL;
        return r;
    }
    own->at = own->ahead;
    return own->uploads ? cu_join(d, &own->bringing, own->stream, own->ahead) : 0;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static int cu_begin(struct gpu_device *d, struct gpu_slot *s, enum gpu_part part, struct assay_error *e)
{
    struct cu_gpu *gpu = (struct cu_gpu *)d;
    struct cu_slot *own = s->own;
    own->failed = 0;
    own->at = own->stream;
    own->uploads = own->uploads || part == GPU_UPLOAD;
    if (part == GPU_BRING)
        TRY(cu_check(&gpu->driver, cu_go_ahead(&gpu->driver, own), "making a stream", e));
    if (part == GPU_UPLOAD && s->timed)
        TRY(cu_check(&gpu->driver, cu_make_marks(gpu, own), "making an event", e));
    for (unsigned side = 0; part == GPU_BRING && side < gpu_slot_streams(s); side++)
        TRY(cu_check(&gpu->driver, cu_arrive(gpu, s, side, s->frame->order[side].stream),
                     "waiting for the application's stream", e));
    if (part != GPU_PASSES || s->direct)
        return ASSAY_OK;
    const cu_result r = gpu->driver.capture_begin(own->stream, CU_CAPTURE_THREAD_LOCAL);
    own->capturing = !r;
    return cu_check(&gpu->driver, r, "recording a frame", e);
}

static cu_result cu_end_capture(const struct cu_driver *d, struct cu_slot *own)
{
    cu_graph graph = NULL;
    cu_result r = own->failed;
    own->capturing = false;
    const cu_result ended = d->capture_end(own->stream, &graph);
    if (own->passes)
        d->graph_exec_destroy(own->passes);
    own->passes = NULL;
    if (!r)
        r = ended;
    if (!r && (r = d->graph_instantiate(&own->passes, graph, 0)))
        own->passes = NULL;
    if (!ended && graph)
        d->graph_destroy(graph);
    return r;
}

static int cu_end(struct gpu_device *d, struct gpu_slot *s, enum gpu_part part, struct assay_error *e)
{
    static const char *const what[] = {[GPU_UPLOAD] = "uploading a frame", [GPU_BRING] = "copying a frame's planes",
                                       [GPU_PASSES] = "starting a frame"};
    const struct cu_driver *driver = &((struct cu_gpu *)d)->driver;
    struct cu_slot *own = s->own;
    const bool captured = own->capturing;
    cu_result r = captured ? cu_end_capture(driver, own) : own->failed;
    if (part == GPU_BRING) {
        own->uploads = false;
        r = r ? r : cu_join(driver, &own->bringing, own->ahead, own->stream);
    }
    own->at = own->stream;
    return cu_check(driver, r, captured ? "recording a frame" : what[part], e);
}

static int cu_submit(struct gpu_device *d, struct gpu_slot *s, enum gpu_part first, bool passes, struct assay_error *e)
{
    const struct cu_driver *driver = &((struct cu_gpu *)d)->driver;
    struct cu_slot *own = s->own;
    cu_result r = 0;
    (void)first; /* its commands have started already */
    s->submissions = 1;
    if (!passes)
        return ASSAY_OK;
    if (!s->direct) {
        if (s->timed)
            r = driver->event_record(own->mark[2], own->stream);
        if (!r)
            r = driver->graph_launch(own->passes, own->stream);
        if (!r && s->timed)
            r = driver->event_record(own->mark[3], own->stream);
    }
    if (!r)
        r = driver->event_record(own->done, own->stream);
    TRY(cu_check(driver, r, "starting a frame", e));
    if (s->direct)
        r = cu_hold_streams((struct cu_gpu *)d, s, own->done);
    return cu_check(driver, r, "letting the application's stream wait", e);
}

/* A blocked thread is woken by an interrupt, which takes as long as a frame where the machine is virtual: a short sleep
 * between looks costs a processor little and comes back sooner. Frames that take longer are waited for without
 * looking. */
static int cu_wait(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e)
{
    const struct cu_driver *driver = &((struct cu_gpu *)d)->driver;
    const struct timespec nap = {.tv_nsec = NAP};
    const struct cu_slot *own = s->own;
    cu_result r = CU_NOT_READY;
    for (unsigned i = 0; i < LOOKS && (r = driver->event_query(own->done)) == CU_NOT_READY; i++)
        nanosleep(&nap, NULL);
    if (r == CU_NOT_READY)
        r = driver->event_wait(own->done);
    return cu_check(driver, r, "waiting for a frame", e);
}

static int cu_finish(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e)
{
    const struct cu_driver *driver = &((struct cu_gpu *)d)->driver;
    const struct cu_slot *own = s->own;
    const cu_result ahead = own->ahead ? driver->stream_wait(own->ahead) : 0;
    const cu_result r = own->stream ? driver->stream_wait(own->stream) : 0;
    return cu_check(driver, r ? r : ahead, "waiting for a frame", e);
}

/* ---- the device and the executor --------------------------------------------------------------------------------- */

/* Without the context, frames are waited for and memory is freed as far as the driver allows; the rest is freed with
 * the context. */
static int cu_run(struct gpu_device *d, enum gpu_urgency urgency, gpu_work *work, void *opaque, struct assay_error *e)
{
    const struct cu_gpu *gpu = (const struct cu_gpu *)d;
    struct assay_error unread = {0};
    const int entered = cu_enter(gpu, e);
    if (entered && urgency == GPU_OR_FAIL)
        return entered;
    const int rc = work(opaque, entered ? &unread : e);
    if (!entered)
        cu_leave(gpu);
    return entered ? entered : rc;
}

static int cu_free_bytes(struct gpu_device *d, uint64_t *bytes, struct assay_error *e)
{
    const struct cu_driver *driver = &((struct cu_gpu *)d)->driver;
    size_t room = 0, total = 0;
    const cu_result r = driver->memory_info(&room, &total);
    *bytes = room;
    return cu_check(driver, r, "asking for the free memory", e);
}

static int cu_find_kernel(const struct gpu_limits *limits, unsigned kernel, struct gpu_kernel *out,
                          struct assay_error *e)
{
    const struct kernel_schedule *s = &assay_kernel_info[kernel].schedule[TARGET_CUDA];
    (void)limits, (void)e;
    *out = (struct gpu_kernel){.tile_w = s->tile_w, .tile_h = s->tile_h, .threads = s->threads};
    return ASSAY_OK;
}

const struct gpu_device_ops cu_device_ops = {
    .api = "CUDA", .run = cu_run, .close = cu_gpu_close, .free_bytes = cu_free_bytes, .kernel = cu_find_kernel,
    .buffer_create = cu_buffer_create, .buffer_destroy = cu_buffer_destroy, .flush = gpu_no_flush,
    .invalidate = gpu_no_flush, .prepare = cu_prepare, .slot_create = cu_slot_create,
    .slot_destroy = cu_slot_destroy, .begin = cu_begin, .copy = cu_copy, .clear = cu_clear, .dispatch = cu_dispatch,
    .barrier = cu_barrier, .follow = cu_follow, .mark = cu_mark, .end = cu_end, .submit = cu_submit,
    .wait = cu_wait, .finish = cu_finish, .times = cu_times, .bring = cu_bring, .take = cu_take,
};

GPU_EXECUTOR_OPENS(cu, executor_cuda, cu_gpu_open(&device, config->device, e),
                   cu_gpu_adopt(&device, lent->cuda.context, e))

static const char *cu_needs(void)
{
    const struct module *module = module_opened(MODULE_CUDA);
    return module ? ((const struct cuda_images *)module->content)->needs : NULL;
}

GPU_EXECUTOR_MODULES(cu, MODULE_CUDA)

static const struct image_ops cu_image_ops = {.adopt = cu_executor_adopt, .submit = gpu_executor_submit_images};

const struct executor_ops executor_cuda = {
    .name = "cuda", .open = cu_executor_open, GPU_EXECUTOR_OPS, .take = gpu_executor_take, .needs = cu_needs,
    .modules = cu_modules, .list = cu_gpu_list, .images = &cu_image_ops,
};
