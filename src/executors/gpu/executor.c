/* SPDX-License-Identifier: BSD-2-Clause */
/* The executor of every GPU: opening, preparing, host memory for callers, closing. Frames are in frame.c. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "executors/gpu/executor.h"
#include "host/clock.h"

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

int gpu_buffer_create(struct gpu_executor *x, enum gpu_memory kind, uint64_t bytes, struct gpu_buffer *out,
                      struct assay_error *e)
{
    TRY(x->device->ops->buffer_create(x->device, kind, bytes ? bytes : 4, out, e));
    out->serial = atomic_fetch_add(&x->serial, 1) + 1;
    return ASSAY_OK;
}

static void gpu_buffer_destroy(struct gpu_executor *x, struct gpu_buffer *b)
{
    x->device->ops->buffer_destroy(x->device, b);
}

/* ---- host memory for callers ------------------------------------------------------------------------------------- */

struct gpu_block {
    struct gpu_block *next;
    struct gpu_buffer buffer;
};

struct block_call {
    struct gpu_executor *x;
    struct gpu_block *block;
    size_t bytes;
};

static int gpu_block_create_work(void *opaque, struct assay_error *e)
{
    struct block_call *call = opaque;
    return gpu_buffer_create(call->x, GPU_MEMORY_UPLOAD, call->bytes, &call->block->buffer, e);
}

static int gpu_block_destroy_work(void *opaque, struct assay_error *e)
{
    struct block_call *call = opaque;
    (void)e;
    gpu_buffer_destroy(call->x, &call->block->buffer);
    return ASSAY_OK;
}

void *gpu_executor_host_alloc(struct executor *base, uint32_t slot, size_t bytes)
{
    struct gpu_executor *x = (struct gpu_executor *)base;
    struct gpu_block *b = calloc(1, sizeof *b);
    struct block_call call = {x, b, bytes};
    (void)slot;
    if (!b || gpu_run(x, GPU_OR_FAIL, gpu_block_create_work, &call, NULL)) {
        free(b);
        return NULL;
    }
    pthread_mutex_lock(&x->lock);
    b->next = x->blocks;
    x->blocks = b;
    pthread_mutex_unlock(&x->lock);
    return b->buffer.map;
}

void gpu_executor_host_free(struct executor *base, uint32_t slot, void *memory)
{
    struct gpu_executor *x = (struct gpu_executor *)base;
    (void)slot;
    if (!memory)
        return;
    pthread_mutex_lock(&x->lock);
    struct gpu_block **at = &x->blocks;
    while (*at && (*at)->buffer.map != memory)
        at = &(*at)->next;
    struct gpu_block *b = *at;
    if (b)
        *at = b->next;
    pthread_mutex_unlock(&x->lock);
    if (!b)
        return;
    gpu_run(x, GPU_CLOSING, gpu_block_destroy_work, &(struct block_call){.x = x, .block = b}, NULL);
    free(b);
}

struct gpu_buffer *gpu_find_block(struct gpu_executor *x, const void *first, uint64_t bytes)
{
    struct gpu_buffer *found = NULL;
    pthread_mutex_lock(&x->lock);
    for (struct gpu_block *b = x->blocks; b && !found; b = b->next) {
        const uintptr_t start = (uintptr_t)b->buffer.map, at = (uintptr_t)first;
        if (at >= start && at - start + bytes <= b->buffer.bytes)
            found = &b->buffer;
    }
    pthread_mutex_unlock(&x->lock);
    return found;
}

/* ---- opening, preparing, closing --------------------------------------------------------------------------------- */

static void gpu_slot_free(struct gpu_executor *x, struct gpu_slot *s)
{
    x->device->ops->slot_destroy(x->device, s);
    struct gpu_buffer *const buffers[] = {&s->inputs, &s->kept, &s->results, &s->readback, &s->staging, &s->foreign[0],
                                          &s->foreign[1]};
    for (unsigned i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        gpu_buffer_destroy(x, buffers[i]);
    for (uint32_t i = 0; s->storage && i < x->graph->storages; i++)
        gpu_buffer_destroy(x, &s->storage[i]);
    free(s->storage);
    free(s->copy);
    free(s->place);
    free(s->extrema);
}

static int gpu_close_work(void *opaque, struct assay_error *e)
{
    struct gpu_executor *x = opaque;
    (void)e;
    for (uint32_t i = 0; i < x->slots; i++)
        if (x->slot[i].in_flight)
            x->device->ops->finish(x->device, &x->slot[i], NULL);
    for (uint32_t i = 0; i < x->slots; i++)
        gpu_slot_free(x, &x->slot[i]);
    gpu_buffer_destroy(x, &x->reading);
    gpu_buffer_destroy(x, &x->device->tables);
    while (x->blocks) {
        struct gpu_block *b = x->blocks;
        x->blocks = b->next;
        gpu_buffer_destroy(x, &b->buffer);
        free(b);
    }
    return ASSAY_OK;
}

void gpu_executor_close(struct executor **out)
{
    struct gpu_executor *x = (struct gpu_executor *)*out;
    if (!x)
        return;
    *out = NULL;
    gpu_run(x, GPU_CLOSING, gpu_close_work, x, NULL);
    x->device->ops->close(&x->device);
    gpu_plan_free(&x->plan);
    pthread_mutex_destroy(&x->lock);
    free(x->slot);
    free(x->copy);
    free(x);
}

int gpu_executor_open(struct executor **out, const struct executor_ops *ops, struct gpu_device *device,
                      struct assay_error *e)
{
    struct gpu_executor *x = calloc(1, sizeof *x);
    *out = NULL;
    if (!x) {
        device->ops->close(&device);
        return assay_fail_memory(e, "the executor of a GPU");
    }
    x->base = (struct executor){.ops = ops, .depth = device->depth, .keeps = device->keeps};
    x->device = device;
    pthread_mutex_init(&x->lock, NULL);
    memcpy(x->base.device, device->name, sizeof x->base.device);
    memcpy(x->base.driver, device->driver, sizeof x->base.driver);
    *out = &x->base;
    return ASSAY_OK;
}

int gpu_no_flush(struct gpu_device *d, struct gpu_buffer *b, struct assay_error *e)
{
    (void)d, (void)b, (void)e;
    return ASSAY_OK;
}

int gpu_run_anywhere(struct gpu_device *d, enum gpu_urgency urgency, gpu_work *work, void *opaque,
                     struct assay_error *e)
{
    (void)d, (void)urgency;
    return work(opaque, e);
}

struct gpu_device *gpu_executor_device(struct executor *x)
{
    return ((struct gpu_executor *)x)->device;
}

static int gpu_slot_make(struct gpu_executor *x, struct gpu_slot *s, struct assay_error *e)
{
    const struct graph *g = x->graph;
    s->storage = calloc(g->storages + 1, sizeof *s->storage);
    s->copy = calloc(g->planes + 1, sizeof *s->copy);
    s->place = calloc(g->planes + 1, sizeof *s->place);
    s->extrema = calloc(g->extrema + 1, 2 * sizeof *s->extrema);
    if (!s->storage || !s->copy || !s->place || !s->extrema)
        return assay_fail_memory(e, "a frame in flight");
    TRY(gpu_buffer_create(x, GPU_MEMORY_INPUTS, x->plan.input_bytes, &s->inputs, e));
    for (uint32_t i = 0; i < g->storages; i++)
        TRY(gpu_buffer_create(x, GPU_MEMORY_DEVICE, g->storage_bytes[i], &s->storage[i], e));
    if (x->plan.twins.bytes)
        TRY(gpu_buffer_create(x, GPU_MEMORY_DEVICE, x->plan.twins.bytes, &s->kept, e));
    TRY(gpu_buffer_create(x, GPU_MEMORY_DEVICE, x->plan.results_bytes, &s->results, e));
    TRY(gpu_buffer_create(x, GPU_MEMORY_READBACK, x->plan.results_bytes, &s->readback, e));
    return x->device->ops->slot_create(x->device, s, e);
}

struct memory_call {
    struct gpu_executor *x;
    uint64_t free;
};

static int gpu_free_work(void *opaque, struct assay_error *e)
{
    struct memory_call *call = opaque;
    struct gpu_device *d = call->x->device;
    uint64_t most;
    TRY(gpu_memory_from_environment(&most, e));
    call->free = UINT64_MAX;
    if (d->ops->free_bytes)
        TRY(d->ops->free_bytes(d, &call->free, e));
    call->free = most < call->free ? most : call->free;
    return ASSAY_OK;
}

int gpu_executor_room(struct executor *base, const struct graph *g, struct executor_room *room, struct assay_error *e)
{
    struct memory_call call = {.x = (struct gpu_executor *)base};
    const struct gpu_device *d = call.x->device;
    struct gpu_plan plan;
    TRY(gpu_plan_init(&plan, g, &d->limits, d->ops->kernel, e));
    const uint64_t tables = plan.table_bytes;
    room->slot = gpu_plan_slot_bytes(&plan);
    gpu_plan_free(&plan);
    TRY(gpu_run(call.x, GPU_OR_FAIL, gpu_free_work, &call, e));
    room->free = call.free > tables ? call.free - tables : 0;
    return ASSAY_OK;
}

uint32_t gpu_executor_depth(const struct executor *base, const struct graph *g)
{
    const struct gpu_device *d = ((const struct gpu_executor *)base)->device;
    return d->ops->depth ? d->ops->depth(d, g) : d->depth;
}

/* Checked before anything is allocated, so that the message names the size of the frames. */
static int gpu_check_memory(struct gpu_executor *x, uint32_t slots, struct assay_error *e)
{
    struct memory_call call = {.x = x};
    TRY(gpu_free_work(&call, e));
    return gpu_plan_fits(&x->plan, x->device->name, slots, call.free, e);
}

/* Copies a buffer to another one, and waits. A slot that is not in flight lends its commands. */
static int gpu_copy_now(struct gpu_executor *x, struct gpu_slot *s, const struct gpu_copy *copy, struct assay_error *e)
{
    struct gpu_device *d = x->device;
    s->recorded[GPU_UPLOAD] = false; /* a device may record both parts in one command buffer */
    TRY(d->ops->begin(d, s, GPU_BRING, e));
    d->ops->barrier(d, s, GPU_AFTER_PASSES);
    d->ops->copy(d, s, copy);
    d->ops->barrier(d, s, GPU_BEFORE_HOST);
    TRY(d->ops->end(d, s, GPU_BRING, e));
    TRY(d->ops->submit(d, s, GPU_BRING, false, e));
    return d->ops->finish(d, s, e);
}

/* Brings the graph's tables to the device. */
static int gpu_fill_tables(struct gpu_executor *x, struct assay_error *e)
{
    struct gpu_device *d = x->device;
    struct gpu_buffer staging = {0};
    if (!x->plan.table_bytes)
        return ASSAY_OK;
    TRY(gpu_buffer_create(x, GPU_MEMORY_UPLOAD, x->plan.table_bytes, &staging, e));
    for (graph_plane i = 0; i < x->graph->planes; i++) {
        const struct graph_plane_info *p = &x->graph->plane[i];
        if (p->table)
            memcpy((char *)staging.map + x->plan.input_offset[i], p->table, (size_t)graph_stride(p) * p->height);
    }
    const struct gpu_copy copy = {.from = &staging, .to = &d->tables, .bytes = x->plan.table_bytes,
                                  .serial = staging.serial};
    int rc = d->ops->flush(d, &staging, e);
    if (!rc)
        rc = gpu_copy_now(x, &x->slot[0], &copy, e);
    if (rc)
        d->ops->finish(d, &x->slot[0], NULL);
    gpu_buffer_destroy(x, &staging);
    return rc;
}

static int gpu_prepare_work(void *opaque, struct assay_error *e)
{
    struct gpu_executor *x = opaque;
    TRY(gpu_check_memory(x, x->device->slots, e));
    TRY(x->device->ops->prepare(x->device, e));
    if (x->plan.table_bytes)
        TRY(gpu_buffer_create(x, GPU_MEMORY_INPUTS, x->plan.table_bytes, &x->device->tables, e));
    while (x->slots < x->device->slots) { /* close also frees a slot whose creation failed */
        struct gpu_slot *s = &x->slot[x->slots];
        s->number = x->slots++;
        TRY(gpu_slot_make(x, s, e));
    }
    return gpu_fill_tables(x, e);
}

int gpu_executor_prepare(struct executor *base, const struct graph *g, uint32_t slots, struct assay_error *e)
{
    struct gpu_executor *x = (struct gpu_executor *)base;
    x->graph = g;
    TRY(gpu_plan_init(&x->plan, g, &x->device->limits, x->device->ops->kernel, e));
    x->slot = calloc(slots, sizeof *x->slot);
    x->copy = calloc(g->planes + 1, sizeof *x->copy);
    if (!x->slot || !x->copy)
        return assay_fail_memory(e, "the frames in flight");
    x->device->graph = g;
    x->device->plan = &x->plan;
    x->device->slots = slots;
    return gpu_run(x, GPU_OR_FAIL, gpu_prepare_work, x, e);
}

uint64_t gpu_executor_memory(const struct executor *base, const struct graph *g, uint32_t slots)
{
    const struct gpu_device *d = ((const struct gpu_executor *)base)->device;
    struct gpu_plan plan;
    if (gpu_plan_init(&plan, g, &d->limits, d->ops->kernel, NULL))
        return 0;
    const uint64_t bytes = (gpu_plan_slot_bytes(&plan) + plan.twins.bytes) * slots + plan.table_bytes;
    gpu_plan_free(&plan);
    return bytes;
}

/* ---- reading a plane, measuring a copy --------------------------------------------------------------------------- */

struct read_call {
    struct gpu_executor *x;
    struct gpu_slot *slot;
    graph_plane plane;
    char *to;
    size_t stride;
};

static int gpu_read_work(void *opaque, struct assay_error *e)
{
    const struct read_call *call = opaque;
    struct gpu_executor *x = call->x;
    struct gpu_device *d = x->device;
    struct gpu_slot *s = call->slot;
    const struct graph_plane_info *plane = &x->graph->plane[call->plane];
    const struct gpu_copy copy = {.from = plane->input ? &s->inputs : &s->storage[plane->storage], .to = &x->reading,
                                  .from_offset = plane->input ? x->plan.input_offset[call->plane] : 0,
                                  .bytes = gpu_plane_bytes(plane)};
    if (x->reading.bytes < copy.bytes) {
        gpu_buffer_destroy(x, &x->reading);
        TRY(gpu_buffer_create(x, GPU_MEMORY_READBACK, copy.bytes, &x->reading, e));
    }
    TRY(gpu_copy_now(x, s, &copy, e));
    TRY(d->ops->invalidate(d, &x->reading, e));
    for (uint32_t y = 0; y < plane->height; y++)
        memcpy(call->to + y * call->stride, (const char *)x->reading.map + y * graph_stride(plane),
               (size_t)plane->width * sample_size(plane->type));
    return ASSAY_OK;
}

int gpu_executor_read_plane(struct executor *base, uint32_t slot, graph_plane plane, void *dst, size_t dst_stride,
                            struct assay_error *e)
{
    struct gpu_executor *x = (struct gpu_executor *)base;
    struct read_call call = {x, &x->slot[slot], plane, dst, dst_stride};
    return gpu_run(x, GPU_OR_FAIL, gpu_read_work, &call, e);
}

struct rate_call {
    struct gpu_executor *x;
    enum gpu_part part; /* GPU_UPLOAD may have a queue of its own */
    size_t bytes;
    unsigned times;
    double *seconds;
    struct gpu_slot slot;
    struct gpu_buffer from, to;
};

static int gpu_rate_measure(struct rate_call *call, struct assay_error *e)
{
    struct gpu_device *d = call->x->device;
    struct gpu_slot *s = &call->slot;
    const struct gpu_copy copy = {.from = &call->from, .to = &call->to, .bytes = call->bytes};
    TRY(gpu_buffer_create(call->x, call->part == GPU_UPLOAD ? GPU_MEMORY_UPLOAD : GPU_MEMORY_DEVICE, call->bytes,
                          &call->from, e));
    TRY(gpu_buffer_create(call->x, GPU_MEMORY_INPUTS, call->bytes, &call->to, e));
    TRY(d->ops->slot_create(d, s, e));
    for (unsigned round = 0; round < 2; round++) { /* the first round touches the memory */
        const uint64_t start = clock_ns();
        TRY(d->ops->begin(d, s, call->part, e));
        for (unsigned i = 0; i < (round ? call->times : 1); i++)
            d->ops->copy(d, s, &copy);
        TRY(d->ops->end(d, s, call->part, e));
        TRY(d->ops->submit(d, s, call->part, false, e));
        TRY(d->ops->finish(d, s, e));
        *call->seconds = clock_seconds_since(start);
    }
    return ASSAY_OK;
}

static int gpu_rate_work(void *opaque, struct assay_error *e)
{
    struct rate_call *call = opaque;
    struct gpu_device *d = call->x->device;
    const int rc = gpu_rate_measure(call, e);
    if (rc && call->slot.own)
        d->ops->finish(d, &call->slot, NULL);
    d->ops->slot_destroy(d, &call->slot);
    gpu_buffer_destroy(call->x, &call->from);
    gpu_buffer_destroy(call->x, &call->to);
    return rc;
}

int gpu_executor_copy_rate(struct executor *base, enum executor_copy kind, size_t bytes, unsigned times,
                           double *seconds, struct assay_error *e)
{
    struct rate_call call = {.x = (struct gpu_executor *)base, .part = kind == COPY_UPLOAD ? GPU_UPLOAD : GPU_BRING,
                             .bytes = bytes, .times = times, .seconds = seconds};
    *seconds = 0.0;
    return gpu_run(call.x, GPU_OR_FAIL, gpu_rate_work, &call, e);
}
