/* SPDX-License-Identifier: BSD-2-Clause */
/* A frame in flight: where its planes are copied from, its commands, its results. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "executors/gpu/executor.h"

/* The slot that keeps a plane for later frames; NULL: none does. */
static const struct gpu_slot *gpu_keeper(const struct gpu_device *d, const struct gpu_slot *s, graph_plane i)
{
    const struct graph_kept *twins = &d->plan->twins;
    return !twins->bytes || !twins->place[i] ? NULL
           : twins->plane_age[i]            ? s->before[twins->plane_age[i] - 1] : s;
}

unsigned gpu_slot_bindings(const struct gpu_device *d, const struct gpu_slot *s, graph_pass p,
                           struct gpu_binding binding[GPU_BINDINGS])
{
    const struct graph_pass_info *pass = &d->graph->pass[p];
    const struct kernel_info *k = &assay_kernel_info[pass->kernel];
    unsigned n = 0;
    for (; n < (unsigned)k->planes_in + k->planes_out; n++) {
        const graph_plane i = pass->plane[n];
        const struct graph_plane_info *plane = &d->graph->plane[i];
        const struct gpu_slot *keeper = gpu_keeper(d, s, i);
        const uint64_t bytes = (uint64_t)graph_stride(plane) * plane->height, at = d->plan->input_offset[i];
        binding[n] = keeper         ? (struct gpu_binding){&keeper->kept, d->plan->twins.place[i] - 1, bytes}
                     : plane->table ? (struct gpu_binding){&d->tables, at, bytes}
                     : plane->input ? (struct gpu_binding){&s->inputs, at, bytes}
                                    : (struct gpu_binding){&s->storage[plane->storage], 0,
                                                           d->graph->storage_bytes[plane->storage]};
    }
    if (d->plan->pass[p].totals_bound)
        binding[n++] = (struct gpu_binding){&s->results, 0, (uint64_t)d->graph->totals * 8};
    if (d->plan->pass[p].extrema_bound)
        binding[n++] = (struct gpu_binding){&s->results, d->plan->extrema_offset, (uint64_t)d->plan->pairs * 8};
    return n;
}

/* Sets which earlier frames' planes the passes read. Recorded passes read those that they were recorded with. */
static void gpu_slot_follow(const struct gpu_executor *x, struct gpu_slot *s, const uint32_t *held)
{
    for (unsigned i = 0; x->plan.twins.bytes && i < GRAPH_HISTORY; i++) {
        const struct gpu_slot *before = held[i] && held[i] - 1 != s->number ? &x->slot[held[i] - 1] : NULL;
        s->recorded[GPU_PASSES] = s->recorded[GPU_PASSES] && s->before[i] == before;
        s->before[i] = before;
    }
}

/* ---- what the upload copies -------------------------------------------------------------------------------------- */

/* Copies into the slot's inputs. The first `fresh` come from the host; the others come from slots that hold earlier
 * frames. */
struct upload {
    struct gpu_copy *copy; /* at most one for each input plane */
    uint32_t fresh, copies;
    const uint32_t *held;
};

/* Most bytes between a plane's last sample and the next plane: the end of a row and the alignment of a binding. */
enum { UPLOAD_GAP = 512 };

/* A copy that continues the last one, in the source and in the destination, is joined to it. */
static void gpu_upload_add(struct upload *u, const struct gpu_copy *c)
{
    struct gpu_copy *last = u->copies ? &u->copy[u->copies - 1] : NULL;
    const uintptr_t at = (uintptr_t)c->host + c->from_offset;
    if (last && last->from == c->from && c->to_offset - last->to_offset - last->bytes < UPLOAD_GAP) {
        const uintptr_t from = (uintptr_t)last->host + last->from_offset;
        if (at >= from && at - from == c->to_offset - last->to_offset) {
            last->bytes = c->to_offset - last->to_offset + c->bytes;
            return;
        }
    }
    u->copy[u->copies++] = *c;
}

/* Staging memory for all inputs of a slot, zeros at first: the upload copies the ends of rows, too. */
static int gpu_staging(struct gpu_executor *x, struct gpu_slot *s, struct assay_error *e)
{
    if (s->staging.bytes)
        return ASSAY_OK;
    TRY(gpu_buffer_create(x, GPU_MEMORY_UPLOAD, x->plan.input_bytes, &s->staging, e));
    memset(s->staging.map, 0, x->plan.input_bytes);
    return ASSAY_OK;
}

/* Copies a plane into the slot's staging memory, row by row: bytes between the rows of a caller's plane may not be
 * read. */
static int gpu_stage_plane(struct gpu_executor *x, struct gpu_slot *s, graph_plane i, const struct kernel_plane *host,
                           struct assay_error *e)
{
    const struct graph_plane_info *plane = &x->graph->plane[i];
    TRY(gpu_staging(x, s, e));
    char *to = (char *)s->staging.map + x->plan.input_offset[i];
    for (uint32_t y = 0; y < plane->height; y++)
        memcpy(to + y * graph_stride(plane), (const char *)host->data + (ptrdiff_t)y * host->stride,
               (size_t)plane->width * sample_size(plane->type));
    return ASSAY_OK;
}

/* Adds the copy of a host plane. The device copies the plane from where it lies if host_alloc gave that memory or the
 * device reads any host memory; else from staging memory. */
static int gpu_upload_plane(struct gpu_executor *x, struct gpu_slot *s, struct upload *u, graph_plane i,
                            const struct kernel_plane *host, struct assay_error *e)
{
    const struct graph_plane_info *plane = &x->graph->plane[i];
    struct gpu_copy c = {.to = &s->inputs, .to_offset = x->plan.input_offset[i], .bytes = gpu_plane_bytes(plane)};
    const bool rows = host->stride == (ptrdiff_t)graph_stride(plane) || plane->height == 1;
    struct gpu_buffer *block = rows && !x->device->reads_host ? gpu_find_block(x, host->data, c.bytes) : NULL;
    if (rows && x->device->reads_host) {
        c.host = host->data;
    } else if (block) {
        c.from = block;
        c.from_offset = (uint64_t)((const char *)host->data - (const char *)block->map);
        TRY(x->device->ops->flush(x->device, block, e));
    } else {
        TRY(gpu_stage_plane(x, s, i, host, e));
        c.from = &s->staging;
        c.from_offset = c.to_offset;
    }
    c.serial = c.from ? c.from->serial : 0;
    gpu_upload_add(u, &c);
    return ASSAY_OK;
}

/* Adds the copies of earlier frames' planes from the slots that hold them. */
static void gpu_upload_held(struct gpu_executor *x, struct gpu_slot *s, struct upload *u)
{
    for (uint32_t k = 0; k < x->plan.inputs; k++) {
        const graph_plane i = x->plan.input[k];
        const struct graph_plane_info *plane = &x->graph->plane[i];
        if (!plane->age || !u->held[plane->age - 1] ||
            (x->plan.twins.bytes && x->plan.twins.plane_age[i] && s->before[plane->age - 1]))
            continue;
        const struct gpu_slot *from = &x->slot[u->held[plane->age - 1] - 1];
        u->copy[u->copies++] = (struct gpu_copy){
            .from = &from->inputs, .to = &s->inputs, .from_offset = x->plan.input_offset[plane->of],
            .to_offset = x->plan.input_offset[i], .bytes = gpu_plane_bytes(plane), .serial = from->inputs.serial};
    }
}

/* Adds the copies of zeros for planes of frames before a sequence of images. Nothing else is staged for images. */
static int gpu_upload_zeros(struct gpu_executor *x, struct gpu_slot *s, struct upload *u, struct assay_error *e)
{
    for (uint32_t k = 0; k < x->plan.inputs; k++) {
        const graph_plane i = x->plan.input[k];
        const struct graph_plane_info *plane = &x->graph->plane[i];
        if (!plane->age || u->held[plane->age - 1])
            continue;
        TRY(gpu_staging(x, s, e));
        u->copy[u->copies++] = (struct gpu_copy){
            .from = &s->staging, .to = &s->inputs, .from_offset = x->plan.input_offset[i],
            .to_offset = x->plan.input_offset[i], .bytes = gpu_plane_bytes(plane), .serial = s->staging.serial};
    }
    return s->staging.bytes ? x->device->ops->flush(x->device, &s->staging, e) : ASSAY_OK;
}

static int gpu_upload_find(struct gpu_executor *x, struct gpu_slot *s, struct upload *u,
                           const struct frame_inputs *inputs, struct assay_error *e)
{
    static const uint32_t nothing[GRAPH_HISTORY] = {0};
    u->held = x->device->keeps ? inputs->held : nothing;
    gpu_slot_follow(x, s, u->held);
    for (uint32_t k = 0; k < x->plan.inputs; k++) {
        const struct graph_plane_info *plane = &x->graph->plane[x->plan.input[k]];
        if (plane->age ? !u->held[plane->age - 1] : !inputs->taken[plane->side])
            TRY(gpu_upload_plane(x, s, u, x->plan.input[k], frame_input(inputs, plane), e));
    }
    if (s->staging.bytes)
        TRY(x->device->ops->flush(x->device, &s->staging, e));
    u->fresh = u->copies;
    gpu_upload_held(x, s, u);
    return ASSAY_OK;
}

/* ---- a frame's commands ------------------------------------------------------------------------------------------ */

static void gpu_put_copies(struct gpu_device *d, struct gpu_slot *s, const struct upload *u, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        d->ops->copy(d, s, &u->copy[i]);
}

/* The commands behind a frame's own inputs: passes whose planes later frames read, where those are not behind them
 * anyway, the barrier that these wait for, and copies from earlier frames. A slot is taken again when the frames that
 * look at it are done. */
static void gpu_put_held(struct gpu_executor *x, struct gpu_slot *s, const struct upload *u)
{
    struct gpu_device *d = x->device;
    if (!x->plan.history)
        return;
    if (x->plan.twins.bytes && !d->in_order) { /* else the upload may go to a queue that knows no passes */
        d->ops->barrier(d, s, GPU_BEFORE_PASSES);
        for (graph_pass p = 0; p < x->graph->passes; p++)
            if (x->plan.pass[p].ahead)
                d->ops->dispatch(d, s, p);
        d->ops->barrier(d, s, GPU_BETWEEN_PASSES);
    }
    d->ops->barrier(d, s, GPU_INPUTS_THERE);
    for (unsigned i = 0; i < GRAPH_HISTORY && d->ops->follow; i++)
        if (u->held[i] && u->held[i] - 1 != s->number)
            d->ops->follow(d, s, &x->slot[u->held[i] - 1]);
    gpu_put_copies(d, s, u, u->fresh, u->copies);
}

static void gpu_put_mark(struct gpu_device *d, struct gpu_slot *s, unsigned mark)
{
    if (s->timed)
        d->ops->mark(d, s, mark);
}

static int gpu_put_upload(struct gpu_executor *x, struct gpu_slot *s, const struct upload *u, struct assay_error *e)
{
    struct gpu_device *d = x->device;
    TRY(d->ops->begin(d, s, GPU_UPLOAD, e));
    gpu_put_mark(d, s, 0);
    gpu_put_copies(d, s, u, 0, u->fresh);
    gpu_put_held(x, s, u);
    gpu_put_mark(d, s, 1);
    return d->ops->end(d, s, GPU_UPLOAD, e);
}

/* The passes of n frames, level by level: between two barriers stand those of all n. */
static int gpu_put_passes(struct gpu_executor *x, struct gpu_slot *const *s, uint32_t n, struct assay_error *e)
{
    struct gpu_device *d = x->device;
    for (uint32_t k = 0; k < n; k++) {
        s[k]->dispatches = x->graph->passes;
        TRY(d->ops->begin(d, s[k], GPU_PASSES, e));
        gpu_put_mark(d, s[k], 2);
        d->ops->clear(d, s[k], &s[k]->results);
    }
    d->ops->barrier(d, s[0], GPU_BEFORE_PASSES);
    for (uint32_t i = 0; i < x->graph->passes; i++) {
        const graph_pass p = x->plan.order[i];
        const bool keeps = x->plan.twins.bytes;
        const uint8_t age = keeps ? x->plan.twins.pass_age[p] : 0;
        if (x->plan.pass[p].waits)
            d->ops->barrier(d, s[0], GPU_BETWEEN_PASSES);
        for (uint32_t k = 0; k < n; k++)
            if (age && s[k]->before[age - 1])
                s[k]->dispatches--; /* the earlier frame has run its twin */
            else if (!keeps || !x->plan.pass[p].ahead || d->in_order)
                d->ops->dispatch(d, s[k], p);
    }
    d->ops->barrier(d, s[0], GPU_AFTER_PASSES);
    for (uint32_t k = 0; k < n; k++) {
        const struct gpu_copy results = {.from = &s[k]->results, .to = &s[k]->readback, .bytes = x->plan.results_bytes};
        d->ops->copy(d, s[k], &results);
        gpu_put_mark(d, s[k], 3);
    }
    d->ops->barrier(d, s[0], GPU_BEFORE_HOST);
    for (uint32_t k = 0; k < n; k++)
        TRY(d->ops->end(d, s[k], GPU_PASSES, e));
    return ASSAY_OK;
}

/* Recorded passes are submitted again as they are. */
static int gpu_put_passes_once(struct gpu_executor *x, struct gpu_slot *s, struct assay_error *e)
{
    if (s->recorded[GPU_PASSES] && !s->direct)
        return ASSAY_OK;
    s->recorded[GPU_PASSES] = false;
    TRY(gpu_put_passes(x, &s, 1, e));
    s->recorded[GPU_PASSES] = x->device->replays[GPU_PASSES] && !s->direct;
    return ASSAY_OK;
}

static bool gpu_same_copies(const struct gpu_slot *s, const struct upload *u)
{
    bool same = s->copies == u->copies;
    for (uint32_t i = 0; same && i < u->copies; i++) {
        const struct gpu_copy *a = &s->copy[i], *b = &u->copy[i];
        same = a->serial == b->serial && a->from_offset == b->from_offset && a->to_offset == b->to_offset &&
               a->bytes == b->bytes && a->host == b->host;
    }
    return same;
}

static int gpu_put_upload_once(struct gpu_executor *x, struct gpu_slot *s, const struct upload *u,
                               struct assay_error *e)
{
    if (s->recorded[GPU_UPLOAD] && gpu_same_copies(s, u))
        return ASSAY_OK;
    s->recorded[GPU_UPLOAD] = false;
    TRY(gpu_put_upload(x, s, u, e));
    memcpy(s->copy, u->copy, u->copies * sizeof *u->copy);
    s->copies = u->copies;
    s->recorded[GPU_UPLOAD] = x->device->replays[GPU_UPLOAD];
    return ASSAY_OK;
}

/* ---- submitting -------------------------------------------------------------------------------------------------- */

/* Recorded parts contain the timestamps, so a change of `timed` makes them invalid. */
static void gpu_slot_begin(struct gpu_slot *s, bool timed, const struct image_frame *frame)
{
    if (s->timed != timed)
        s->recorded[GPU_UPLOAD] = s->recorded[GPU_PASSES] = false;
    s->timed = timed;
    s->frame = frame;
    s->direct = false;
}

/* Of so many frames the passes are submitted together: at most half of those in flight, so that the device has others
 * meanwhile. */
static uint32_t gpu_together(const struct gpu_executor *x)
{
    const uint32_t half = x->slots / 2;
    return x->device->together < half ? x->device->together : half;
}

static int gpu_submit_parts(struct gpu_executor *x, struct gpu_slot *s, enum gpu_part first, struct assay_error *e)
{
    TRY(gpu_put_passes_once(x, s, e));
    TRY(x->device->ops->submit(x->device, s, first, true, e));
    x->base.submissions += s->submissions;
    return ASSAY_OK;
}

/* Submits the passes of the frames that wait for one another. After a failure none of them is in flight, and nothing
 * reads their planes. */
static int gpu_submit_waiting(struct gpu_executor *x, struct assay_error *e)
{
    struct gpu_device *d = x->device;
    int rc = gpu_put_passes(x, x->waiting, x->n_waiting, e);
    for (uint32_t k = 0; k < x->n_waiting && !rc; k++) {
        rc = d->ops->submit(d, x->waiting[k], GPU_PASSES, false, e);
        x->base.submissions += rc ? 0 : x->waiting[k]->submissions;
    }
    for (uint32_t k = 0; k < x->n_waiting; k++) {
        x->waiting[k]->waits = false;
        x->waiting[k]->in_flight = !rc;
        if (rc)
            d->ops->finish(d, x->waiting[k], NULL);
    }
    x->n_waiting = 0;
    return rc;
}

/* The frame's passes are submitted with those of the frames behind it, or when it is waited for. */
static int gpu_wait_for_others(struct gpu_executor *x, struct gpu_slot *s, struct assay_error *e)
{
    s->waits = true;
    x->waiting[x->n_waiting++] = s;
    return x->n_waiting < gpu_together(x) ? ASSAY_OK : gpu_submit_waiting(x, e);
}

/* What is to be done for a frame; the other fields are those that it needs. */
struct frame_call {
    struct gpu_executor *x;
    struct gpu_slot *slot;
    const struct frame_inputs *inputs;
    const struct image_frame *frame;
    unsigned side;
    const struct device_picture *picture;
    struct frame_results *results;
};

static int gpu_submit_host(const struct frame_call *call, struct assay_error *e)
{
    struct gpu_executor *x = call->x;
    struct upload u = {.copy = x->copy};
    gpu_slot_begin(call->slot, x->base.timed, NULL);
    TRY(gpu_upload_find(x, call->slot, &u, call->inputs, e));
    TRY(gpu_put_upload_once(x, call->slot, &u, e));
    return gpu_together(x) > 1 ? gpu_wait_for_others(x, call->slot, e) : gpu_submit_parts(x, call->slot, GPU_UPLOAD, e);
}

/* ---- images ------------------------------------------------------------------------------------------------------ */

/* The buffer through which the texels of another API's image go. A staging buffer that is large enough is used
 * again. */
static int gpu_foreign_room(struct gpu_executor *x, const struct image *i, uint64_t bytes, struct gpu_buffer *b,
                            int *fd, struct assay_error *e)
{
    if (i->opengl.staged && b->map && b->bytes >= bytes)
        return ASSAY_OK;
    x->device->ops->buffer_destroy(x->device, b); /* its frame is done */
    return i->opengl.staged ? gpu_buffer_create(x, GPU_MEMORY_UPLOAD, bytes, b, e)
                            : x->device->ops->share(x->device, bytes, b, fd, e);
}

static int gpu_foreign_bring(struct gpu_executor *x, const struct image *i, struct gpu_buffer *b, struct assay_error *e)
{
    const struct graph_plane_info plane = {.type = SAMPLE_U8, .width = i->width * i->texel_bytes};
    struct executor *from = i->opengl.context;
    struct image_memory to = {.fd = -1, .stride = (uint32_t)graph_stride(&plane)};
    to.bytes = (uint64_t)to.stride * i->height;
    TRY(gpu_foreign_room(x, i, to.bytes, b, &to.fd, e));
    to.allocated = b->allocated;
    to.host = b->map;
    TRY(from->ops->images->pack(from, i, &to, e));
    return i->opengl.staged ? x->device->ops->flush(x->device, b, e) : ASSAY_OK;
}

static int gpu_submit_images(const struct frame_call *call, struct assay_error *e)
{
    static const uint32_t nothing[GRAPH_HISTORY] = {0};
    struct gpu_executor *x = call->x;
    struct gpu_device *d = x->device;
    struct gpu_slot *s = call->slot;
    struct upload u = {.copy = x->copy, .held = call->frame->held ? call->frame->held : nothing};
    gpu_slot_begin(s, false, call->frame);
    gpu_slot_follow(x, s, u.held);
    memset(s->place, 0, x->graph->planes * sizeof *s->place);
    for (unsigned side = 0; side < 2; side++)
        if (call->frame->side[side].api == IMAGE_OPENGL && d->ops->share)
            TRY(gpu_foreign_bring(x, &call->frame->side[side], &s->foreign[side], e));
    s->recorded[GPU_UPLOAD] = false;
    gpu_upload_held(x, s, &u);
    TRY(gpu_upload_zeros(x, s, &u, e));
    TRY(d->ops->begin(d, s, GPU_BRING, e));
    TRY(d->ops->bring(d, s, e));
    gpu_put_held(x, s, &u);
    TRY(d->ops->end(d, s, GPU_BRING, e));
    return gpu_submit_parts(x, s, GPU_BRING, e);
}

static int gpu_submit_work(void *opaque, struct assay_error *e)
{
    const struct frame_call *call = opaque;
    struct gpu_slot *s = call->slot;
    const int rc = call->frame ? gpu_submit_images(call, e) : gpu_submit_host(call, e);
    s->frame = NULL;
    s->in_flight = !rc;
    if (rc) /* commands that have started may still read the caller's planes */
        call->x->device->ops->finish(call->x->device, s, NULL);
    return rc;
}

int gpu_executor_submit(struct executor *base, uint32_t slot, const struct frame_inputs *inputs, struct assay_error *e)
{
    struct gpu_executor *x = (struct gpu_executor *)base;
    struct frame_call call = {.x = x, .slot = &x->slot[slot], .inputs = inputs};
    return gpu_run(x, GPU_OR_FAIL, gpu_submit_work, &call, e);
}

int gpu_executor_submit_images(struct executor *base, uint32_t slot, const struct image_frame *frame,
                               struct assay_error *e)
{
    struct gpu_executor *x = (struct gpu_executor *)base;
    struct frame_call call = {.x = x, .slot = &x->slot[slot], .frame = frame};
    return gpu_run(x, GPU_OR_FAIL, gpu_submit_work, &call, e);
}

/* ---- taking ------------------------------------------------------------------------------------------------------ */

static int gpu_take_work(void *opaque, struct assay_error *e)
{
    const struct frame_call *call = opaque;
    return call->x->device->ops->take(call->x->device, call->slot, call->side, call->picture, e);
}

int gpu_executor_take(struct executor *base, uint32_t slot, unsigned side, const struct device_picture *picture,
                      struct assay_error *e)
{
    struct gpu_executor *x = (struct gpu_executor *)base;
    struct frame_call call = {.x = x, .slot = &x->slot[slot], .side = side, .picture = picture};
    return gpu_run(x, GPU_OR_FAIL, gpu_take_work, &call, e);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static int gpu_wait_work(void *opaque, struct assay_error *e)
{
    const struct frame_call *call = opaque;
    struct gpu_device *d = call->x->device;
    struct gpu_slot *s = call->slot;
    uint64_t at[GPU_MARKS] = {0};
    if (!s->in_flight)
        return assay_fail(e, ASSAY_EDEVICE, "%s: the frame was not submitted", d->ops->api);
    if (s->waits)
        TRY(gpu_submit_waiting(call->x, e));
    s->in_flight = false;
    TRY(d->ops->wait(d, s, e));
    for (unsigned side = 0; side < 2; side++) /* memory that two APIs share is of one frame; staging memory stays */
        if (s->foreign[side].bytes && !s->foreign[side].map)
            d->ops->buffer_destroy(d, &s->foreign[side]);
    TRY(d->ops->invalidate(d, &s->readback, e));
    if (s->timed)
        TRY(d->ops->times(d, s, at, e));
    gpu_plan_extrema(&call->x->plan, &d->limits, s->readback.map, s->extrema);
    *call->results = (struct frame_results){.totals = s->readback.map, .extrema = s->extrema,
                                            .times = {.upload = {at[0], at[1]}, .passes = {at[2], at[3]}}};
    call->x->base.passes_run += s->dispatches;
    return ASSAY_OK;
}

int gpu_executor_wait(struct executor *base, uint32_t slot, struct frame_results *results, struct assay_error *e)
{
    struct gpu_executor *x = (struct gpu_executor *)base;
    struct frame_call call = {.x = x, .slot = &x->slot[slot], .results = results};
    return gpu_run(x, GPU_WAITING, gpu_wait_work, &call, e);
}

/* ---- sharing with another API ------------------------------------------------------------------------------------ */

int gpu_executor_can_share(struct executor *base, struct executor *from, struct assay_error *e)
{
    struct gpu_device *d = ((struct gpu_executor *)base)->device;
    struct gpu_buffer buffer = {0};
    uint8_t uuid[2][16];
    int fd = -1;
    d->ops->uuids(d, uuid[0], uuid[1]);
    TRY(from->ops->images->is_device(from, uuid[0], uuid[1], e));
    TRY(d->ops->share(d, 4, &buffer, &fd, e));
    close(fd);
    d->ops->buffer_destroy(d, &buffer);
    return ASSAY_OK;
}
