/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/cuda/frame.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/dialect/cuda_args.h"

enum { NAP = 10000, LOOKS = 40 }; /* nanoseconds, to which the system adds its own 50000 or so; before it blocks */

/* ---- a slot's passes --------------------------------------------------------------------------------------------- */

/* Inputs lie in the slot's memory, or where the frame has them, if it has. */
static cu_result launch_pass(const struct cu_slot *s, const struct cu_gpu *gpu, const struct cu_layout *l, graph_pass p,
                             const struct cu_frame *frame)
{
    const struct graph *g = l->graph;
    const struct graph_pass_info *pass = &g->pass[p];
    const struct kernel_info *k = &assay_kernel_info[pass->kernel];
    const struct kernel_schedule *schedule = &k->schedule[TARGET_GPU];
    struct cuda_args args = {
        .totals = s->memory + pass->totals * sizeof(int64_t),
        .extrema = s->memory + ((uint64_t)g->totals + pass->extrema) * sizeof(int64_t),
        .grid_w = (int32_t)pass->grid_w, .grid_h = (int32_t)pass->grid_h,
    };
    for (unsigned i = 0; i < k->planes_in + k->planes_out; i++) {
        const struct graph_plane_info *plane = &g->plane[pass->plane[i]];
        args.plane[i] = (struct cuda_plane){.data = s->memory + l->plane_offset[pass->plane[i]],
                                            .stride = (int32_t)graph_stride(plane), .width = (int32_t)plane->width,
                                            .height = (int32_t)plane->height};
        if (frame && plane->input && !plane->age && frame->side[plane->side].plane[plane->component].data) {
            args.plane[i].data = frame->side[plane->side].plane[plane->component].data;
            args.plane[i].stride = (int32_t)frame->side[plane->side].plane[plane->component].pitch;
        }
    }
    memcpy(args.param, pass->param, sizeof args.param);
    void *parameters[] = {&args};
    return gpu->driver.launch(gpu->kernels.function[pass->kernel],
                              (pass->grid_w + schedule->tile_w - 1) / schedule->tile_w,
                              (pass->grid_h + schedule->tile_h - 1) / schedule->tile_h, 1, schedule->threads, 1, 1, 0,
                              s->stream, parameters, NULL);
}

/* Clears the results, runs the passes in order, brings the results back. */
static cu_result run_passes(const struct cu_slot *s, const struct cu_gpu *gpu, const struct cu_layout *l,
                            const struct cu_frame *frame)
{
    const struct cu_driver *d = &gpu->driver;
    cu_result r = 0;
    if (l->results_bytes)
        r = d->fill(s->memory, 0, l->results_bytes, s->stream);
    for (graph_pass p = 0; !r && p < l->graph->passes; p++)
        r = launch_pass(s, gpu, l, p, frame);
    if (!r && l->results_bytes)
        r = d->download(s->results, s->memory, l->results_bytes, s->stream);
    return r;
}

/* The same for every frame of the slot that is uploaded. */
static int capture(struct cu_slot *s, const struct cu_gpu *gpu, const struct cu_layout *l, struct assay_error *e)
{
    const struct cu_driver *d = &gpu->driver;
    cu_graph graph = NULL;
    cu_result r = d->capture_begin(s->stream, CU_CAPTURE_THREAD_LOCAL);
    if (r)
        return cu_fail(d, r, "recording a frame", e);
    r = run_passes(s, gpu, l, NULL);
    const cu_result ended = d->capture_end(s->stream, &graph);
    if (!r)
        r = ended;
    if (!r && (r = d->graph_instantiate(&s->passes, graph, 0)))
        s->passes = NULL;
    if (!ended && graph)
        d->graph_destroy(graph);
    return r ? cu_fail(d, r, "recording a frame", e) : ASSAY_OK;
}

static int make_resources(struct cu_slot *s, const struct cu_gpu *gpu, const struct cu_layout *l, struct assay_error *e)
{
    const struct cu_driver *d = &gpu->driver;
    const struct graph *g = l->graph;
    void *results = NULL;
    cu_result r = d->memory_alloc(&s->memory, l->bytes ? l->bytes : 1);
    if (r) {
        s->memory = 0;
        return cu_fail(d, r, "allocating device memory", e);
    }
    if ((r = d->host_alloc(&results, l->results_bytes ? l->results_bytes : 1, CU_HOST_PORTABLE)))
        return cu_fail(d, r, "allocating page-locked memory", e);
    s->results = results;
    if ((r = d->stream_create(&s->stream, CU_STREAM_APART))) {
        s->stream = NULL;
        return cu_fail(d, r, "making a stream", e);
    }
    if ((r = d->event_create(&s->done, CU_EVENT_BLOCKING | CU_EVENT_NO_TIMING))) {
        s->done = NULL;
        return cu_fail(d, r, "making an event", e);
    }
    if (l->history && (r = d->event_create(&s->brought, CU_EVENT_BLOCKING | CU_EVENT_NO_TIMING))) {
        s->brought = NULL;
        return cu_fail(d, r, "making an event", e);
    }
    s->extrema = calloc(g->extrema + 1, 2 * sizeof *s->extrema);
    return s->extrema ? ASSAY_OK : assay_fail_memory(e, "the extrema of a frame");
}

int cu_slot_init(struct cu_slot *s, struct cu_gpu *gpu, const struct cu_layout *l, struct assay_error *e)
{
    int rc = make_resources(s, gpu, l, e);
    for (graph_pass p = 0; !rc && p < l->graph->passes; p++)
        rc = cu_load_kernel(gpu, l->graph->pass[p].kernel, e);
    return rc ? rc : capture(s, gpu, l, e);
}

void cu_slot_free(struct cu_slot *s, const struct cu_gpu *gpu)
{
    const struct cu_driver *d = &gpu->driver;
    if (s->stream)
        d->stream_wait(s->stream);
    if (s->passes)
        d->graph_exec_destroy(s->passes);
    if (s->done)
        d->event_destroy(s->done);
    if (s->brought)
        d->event_destroy(s->brought);
    for (unsigned i = 0; i < 2; i++)
        if (s->arrived[i])
            d->event_destroy(s->arrived[i]);
    for (unsigned i = 0; i < 3; i++)
        if (s->mark[i])
            d->event_destroy(s->mark[i]);
    if (s->stream)
        d->stream_destroy(s->stream);
    if (s->results)
        d->host_free(s->results);
    if (s->staging)
        d->host_free(s->staging);
    if (s->memory)
        d->memory_free(s->memory);
    free(s->extrema);
    *s = (struct cu_slot){0};
}

/* ---- a frame ------------------------------------------------------------------------------------------------------ */

/* Copies that are adjacent on both sides go as one. */
struct run {
    const char *from;
    uint64_t to;   /* offset in the slot */
    size_t bytes;
};

static cu_result send(const struct cu_slot *s, const struct cu_driver *d, struct run *run)
{
    const cu_result r = run->bytes ? d->upload(s->memory + run->to, run->from, run->bytes, s->stream) : 0;
    run->bytes = 0;
    return r;
}

/* Rows in an order that no copy of the driver's has: bottom-up, or overlapping. */
static cu_result upload_staged(struct cu_slot *s, const struct cu_gpu *gpu, const struct cu_layout *l, graph_plane p,
                               const struct kernel_plane *from)
{
    const struct graph_plane_info *plane = &l->graph->plane[p];
    const size_t row = (size_t)plane->width * sample_size(plane->type), stride = graph_stride(plane);
    if (!s->staging) {
        void *memory = NULL;
        const cu_result r = gpu->driver.host_alloc(&memory, l->input_bytes, CU_HOST_PORTABLE);
        if (r)
            return r;
        s->staging = memory;
        memset(s->staging, 0, l->input_bytes); /* the ends of rows are copied too */
    }
    char *const to = s->staging + (l->plane_offset[p] - l->input_offset);
    for (uint32_t y = 0; y < plane->height; y++)
        memcpy(to + y * stride, (const char *)from->data + (ptrdiff_t)y * from->stride, row);
    return gpu->driver.upload(s->memory + l->plane_offset[p], to, stride * plane->height, s->stream);
}

static cu_result upload_rows(const struct cu_slot *s, const struct cu_driver *d, const struct cu_layout *l, graph_plane p,
                             const struct kernel_plane *from)
{
    const struct graph_plane_info *plane = &l->graph->plane[p];
    const struct cu_copy_2d copy = {
        .src_kind = CU_MEMORY_HOST, .src_host = from->data, .src_pitch = (size_t)from->stride,
        .dst_kind = CU_MEMORY_DEVICE, .dst_device = s->memory + l->plane_offset[p], .dst_pitch = graph_stride(plane),
        .width = (size_t)plane->width * sample_size(plane->type), .height = plane->height,
    };
    return d->copy_2d(&copy, s->stream);
}

static cu_result upload(struct cu_slot *s, const struct cu_gpu *gpu, const struct cu_layout *l,
                        const struct frame_inputs *inputs)
{
    const struct cu_driver *d = &gpu->driver;
    struct run run = {0};
    cu_result r = 0;
    for (uint32_t i = 0; !r && i < l->inputs; i++) {
        const graph_plane p = l->input[i];
        const struct graph_plane_info *plane = &l->graph->plane[p];
        if (plane->age ? inputs->held[plane->age - 1] != 0 : inputs->taken[plane->side])
            continue;
        const struct kernel_plane *from = frame_input(inputs, plane);
        const size_t row = (size_t)plane->width * sample_size(plane->type), stride = graph_stride(plane);
        const uint64_t to = l->plane_offset[p];
        if (from->stride == (ptrdiff_t)stride || plane->height == 1) {
            const char *const data = from->data;
            if (run.bytes && (data < run.from || (uint64_t)(data - run.from) != to - run.to))
                r = send(s, d, &run);
            if (!run.bytes)
                run = (struct run){.from = data, .to = to};
            /* Up to the last sample: what lies behind it need not be the caller's. */
            run.bytes = (size_t)(data - run.from) + stride * (plane->height - 1) + row;
        } else if (from->stride >= (ptrdiff_t)row) {
            r = upload_rows(s, d, l, p, from);
        } else {
            r = upload_staged(s, gpu, l, p, from);
        }
    }
    return r ? r : send(s, d, &run);
}

/* ---- earlier frames --------------------------------------------------------------------------------------------------- */

static size_t plane_bytes(const struct graph_plane_info *p)
{
    return graph_stride(p) * (p->height - 1) + (size_t)p->width * sample_size(p->type);
}

/* Planes of earlier frames from the slots that hold them, once they are there. The frame's own planes are on their way. */
static cu_result bring_earlier(const struct cu_slot *slots, const struct cu_slot *s, const struct cu_driver *d, const struct cu_layout *l,
                               const uint32_t *held)
{
    cu_result r = l->history ? d->event_record(s->brought, s->stream) : 0;
    for (uint32_t i = 0; !r && i < l->inputs; i++) {
        const struct graph_plane_info *plane = &l->graph->plane[l->input[i]];
        if (!plane->age || !held[plane->age - 1])
            continue;
        const struct cu_slot *from = &slots[held[plane->age - 1] - 1];
        if (from != s)
            r = d->stream_wait_event(s->stream, from->brought, 0);
        if (!r)
            r = d->copy_device(s->memory + l->plane_offset[l->input[i]], from->memory + l->plane_offset[plane->of],
                               plane_bytes(plane), s->stream);
    }
    return r;
}

/* What later frames read of a frame that lies elsewhere on the device. */
static cu_result keep(const struct cu_slot *s, const struct cu_driver *d, const struct cu_layout *l, const struct cu_frame *frame)
{
    cu_result r = 0;
    for (uint32_t i = 0; !r && i < l->inputs; i++) {
        const struct graph_plane_info *plane = &l->graph->plane[l->input[i]];
        bool old = false;
        const struct device_picture *from = &frame->side[plane->side];
        for (uint32_t k = 0; k < l->inputs; k++) {
            const struct graph_plane_info *other = &l->graph->plane[l->input[k]];
            old = old || (other->age && other->of == l->input[i]);
        }
        if (!old || !from->plane[plane->component].data)
            continue;
        const struct cu_copy_2d copy = {
            .src_kind = CU_MEMORY_DEVICE, .src_device = from->plane[plane->component].data,
            .src_pitch = from->plane[plane->component].pitch,
            .dst_kind = CU_MEMORY_DEVICE, .dst_device = s->memory + l->plane_offset[l->input[i]], .dst_pitch = graph_stride(plane),
            .width = (size_t)plane->width * sample_size(plane->type), .height = plane->height,
        };
        r = d->copy_2d(&copy, s->stream);
    }
    return r;
}

/* ---- submitting --------------------------------------------------------------------------------------------------------- */

static cu_result mark(const struct cu_slot *s, const struct cu_driver *d, unsigned which)
{
    return s->timed ? d->event_record(s->mark[which], s->stream) : 0;
}

int cu_slot_submit(struct cu_slot *slots, uint32_t number, struct cu_gpu *gpu, const struct cu_layout *l,
                   const struct frame_inputs *inputs, bool timed, struct assay_error *e)
{
    const struct cu_driver *d = &gpu->driver;
    struct cu_slot *const s = &slots[number];
    s->broken = true;
    s->timed = timed;
    const int rc = timed ? cu_slot_marks(s, gpu, e) : ASSAY_OK;
    if (rc)
        return rc;
    cu_result r = mark(s, d, 0);
    if (!r)
        r = upload(s, gpu, l, inputs);
    if (!r)
        r = bring_earlier(slots, s, d, l, inputs->held);
    if (!r)
        r = mark(s, d, 1);
    if (r)
        return cu_fail(d, r, "uploading a frame", e);
    if ((r = d->graph_launch(s->passes, s->stream)))
        return cu_fail(d, r, "starting a frame", e);
    if ((r = mark(s, d, 2)) || (r = d->event_record(s->done, s->stream)))
        return cu_fail(d, r, "starting a frame", e);
    s->broken = false;
    return ASSAY_OK;
}

/* A blocked thread is woken by an interrupt, which takes as long as a frame where the machine is virtual: a short sleep between
 * looks costs a processor little and comes back sooner. Frames that take longer are waited for without looking. */
static cu_result wait_done(const struct cu_slot *s, const struct cu_driver *d)
{
    const struct timespec nap = {.tv_nsec = NAP};
    cu_result r = CU_NOT_READY;
    for (unsigned i = 0; i < LOOKS && (r = d->event_query(s->done)) == CU_NOT_READY; i++)
        nanosleep(&nap, NULL);
    return r == CU_NOT_READY ? d->event_wait(s->done) : r;
}

/* The slot's stream goes on when the other one has come to here. */
static cu_result follow(struct cu_slot *s, const struct cu_driver *d, unsigned side, cu_stream stream)
{
    cu_event event = s->arrived[side];
    cu_result r = event ? 0 : d->event_create(&event, CU_EVENT_BLOCKING | CU_EVENT_NO_TIMING);
    if (r)
        return r;
    s->arrived[side] = event;
    r = d->event_record(event, stream);
    return r ? r : d->stream_wait_event(s->stream, event, 0);
}

int cu_slot_submit_device(struct cu_slot *slots, uint32_t number, struct cu_gpu *gpu, const struct cu_layout *l, const uint32_t *held,
                          const struct cu_frame *frame, struct assay_error *e)
{
    const struct cu_driver *d = &gpu->driver;
    struct cu_slot *const s = &slots[number];
    struct cu_frame left = *frame; /* to be read in place */
    s->broken = true;
    s->timed = false;
    cu_result r = follow(s, d, 0, frame->stream);
    if (r)
        return cu_fail(d, r, "waiting for the application's stream", e);
    for (unsigned side = 0; !r && side < 2; side++)
        r = cu_unpack(s, gpu, l, side, &left.side[side], false);
    if (r)
        return cu_fail(d, r, "unpacking a frame", e);
    if ((r = keep(s, d, l, &left)) || (r = bring_earlier(slots, s, d, l, held)))
        return cu_fail(d, r, "copying what later frames read", e);
    if ((r = run_passes(s, gpu, l, &left)) || (r = d->event_record(s->done, s->stream)))
        return cu_fail(d, r, "starting a frame", e);
    if ((r = d->stream_wait_event(frame->stream, s->done, 0)))
        return cu_fail(d, r, "letting the application's stream wait", e);
    s->broken = false;
    return ASSAY_OK;
}

int cu_slot_take(struct cu_slot *s, const struct cu_gpu *gpu, const struct cu_layout *l, unsigned side,
                 const struct device_picture *picture, struct assay_error *e)
{
    const struct cu_driver *d = &gpu->driver;
    struct device_picture left = *picture;
    cu_result r = follow(s, d, side, NULL); /* libav decodes into the default stream */
    if (!r)
        r = cu_unpack(s, gpu, l, side, &left, true);
    /* Also after a failure: what was queued reads the picture, whose owner takes it back. */
    const cu_result waited = d->stream_wait(s->stream);
    if (!r)
        r = waited;
    return r ? cu_fail(d, r, "taking a decoded picture", e) : ASSAY_OK;
}

int cu_slot_wait(struct cu_slot *s, const struct cu_gpu *gpu, const struct cu_layout *l, struct assay_error *e)
{
    const struct cu_driver *d = &gpu->driver;
    /* After a failure the planes may still be being read. */
    const cu_result r = s->broken ? d->stream_wait(s->stream) : wait_done(s, d);
    if (r)
        return cu_fail(d, r, "waiting for a frame", e);
    if (s->broken)
        return assay_fail(e, ASSAY_EDEVICE, "CUDA: the frame was not started");
    const uint64_t *const keys = (const uint64_t *)s->results + l->graph->totals;
    for (uint32_t i = 0; i < l->graph->extrema; i++) {
        s->extrema[2 * i] = (uint32_t)(keys[i] >> 32);
        s->extrema[2 * i + 1] = ~(uint32_t)keys[i];
    }
    return ASSAY_OK;
}

int cu_slot_read_plane(struct cu_slot *s, const struct cu_gpu *gpu, const struct cu_layout *l, graph_plane plane,
                       void *dst, size_t dst_stride, struct assay_error *e)
{
    const struct graph_plane_info *p = &l->graph->plane[plane];
    const struct cu_copy_2d copy = {
        .src_kind = CU_MEMORY_DEVICE, .src_device = s->memory + l->plane_offset[plane], .src_pitch = graph_stride(p),
        .dst_kind = CU_MEMORY_HOST, .dst_host = dst, .dst_pitch = dst_stride,
        .width = (size_t)p->width * sample_size(p->type), .height = p->height,
    };
    cu_result r = gpu->driver.copy_2d(&copy, s->stream);
    if (!r)
        r = gpu->driver.stream_wait(s->stream);
    return r ? cu_fail(&gpu->driver, r, "reading a plane", e) : ASSAY_OK;
}
