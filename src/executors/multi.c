/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/multi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/clock.h"
#include "host/text.h"
#include "host/thread.h"

enum {
    /* Frames per device beyond executor.depth. Scores come in order, so a late device holds up the others; and a slot
     * passes through three threads before its next frame. */
    SPARE = 10,
    GROUP_SPARE = 1, /* that of a group of threads: the next frame is there when one ends */
};

enum state { IDLE, QUEUED, DONE };

struct job {
    enum state state;
    bool timed;
    struct frame_inputs inputs;
    struct frame_results results;
    uint64_t submit;              /* nanoseconds that the device's submit took */
    uint64_t passes, submissions; /* that the frame added to its device's counters */
    struct assay_error error;
};

struct multi;

struct device {
    struct multi *all;
    struct executor *x;
    char number[DEVICE_NUMBER];
    uint32_t slots;
    pthread_t thread;
    pthread_cond_t work; /* a slot was queued, or the thread shall end */
    bool running;
    /* A ring of slots in the order in which they were queued. */
    uint32_t *ring;
    uint64_t queued, done;
    double seconds;      /* that its copies took */
};

/* The copies that are measured. */
struct copies {
    enum executor_copy kind;
    size_t bytes;
    unsigned times;
};

struct multi {
    struct executor base;
    struct executor_ops ops; /* ours under the name of the devices' */
    const struct graph *graph;
    int (*open)(struct executor **out, const struct executor_config *config, struct assay_error *e);
    const struct executor_config *config; /* while they are opened */
    struct copies copies;
    struct device device[DEVICE_LIST];
    uint32_t devices;
    bool groups; /* of threads (device_list) */
    struct job *job; /* by slot */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a job is done */
    bool quit;
};

static struct device *multi_device_of(struct multi *x, uint32_t slot)
{
    return &x->device[slot % x->devices];
}

/* ---- a device's thread ------------------------------------------------------------------------------------------- */

static void multi_start_frame(struct device *d, uint32_t slot)
{
    struct job *j = &d->all->job[slot];
    const uint64_t before = d->x->submissions, passes = d->x->passes_run, start = j->timed ? clock_ns() : 0;
    d->x->timed = j->timed;
    d->x->ops->submit(d->x, slot / d->all->devices, &j->inputs, &j->error);
    j->submissions = d->x->submissions - before;
    j->passes = d->x->passes_run - passes;
    j->submit = j->timed ? clock_ns() - start : 0;
}

static void multi_end_frame(struct device *d, uint32_t slot)
{
    struct job *j = &d->all->job[slot];
    const uint64_t before = d->x->passes_run;
    if (!j->error.code) /* a frame that was refused is not waited for */
        d->x->ops->wait(d->x, slot / d->all->devices, &j->results, &j->error);
    j->passes += d->x->passes_run - before;
    j->results.times.submit = j->submit;
    j->results.times.device = (uint32_t)(d - d->all->device);
}

static void *multi_run(void *opaque)
{
    struct device *d = opaque;
    struct multi *x = d->all;
    uint64_t submitted = 0;
    pthread_mutex_lock(&x->lock);
    for (;;) {
        while (!x->quit && d->queued == d->done)
            pthread_cond_wait(&d->work, &x->lock);
        if (d->queued == d->done)
            break;
        /* A frame of a group is over when submit returns: the next one would only hold up its scores. */
        while (submitted < d->queued && !(x->groups && submitted > d->done)) {
            const uint32_t slot = d->ring[submitted++ % d->slots];
            pthread_mutex_unlock(&x->lock);
            multi_start_frame(d, slot);
            pthread_mutex_lock(&x->lock);
        }
        const uint32_t slot = d->ring[d->done % d->slots];
        pthread_mutex_unlock(&x->lock);
        multi_end_frame(d, slot);
        pthread_mutex_lock(&x->lock);
        d->done++;
        x->job[slot].state = DONE;
        pthread_cond_broadcast(&x->changed);
    }
    pthread_mutex_unlock(&x->lock);
    return NULL;
}

/* ---- the executor's functions ------------------------------------------------------------------------------------ */

static void multi_close(struct executor **out)
{
    struct multi *x = (struct multi *)*out;
    if (!x)
        return;
    *out = NULL;
    pthread_mutex_lock(&x->lock);
    x->quit = true;
    for (uint32_t i = 0; i < x->devices; i++)
        pthread_cond_signal(&x->device[i].work);
    pthread_mutex_unlock(&x->lock);
    for (uint32_t i = 0; i < x->devices; i++) {
        struct device *d = &x->device[i];
        if (d->running)
            pthread_join(d->thread, NULL);
        if (d->x)
            d->x->ops->close(&d->x);
        pthread_cond_destroy(&d->work);
        free(d->ring);
    }
    pthread_mutex_destroy(&x->lock);
    pthread_cond_destroy(&x->changed);
    free(x->job);
    free(x);
}

static void multi_prepare_one(void *opaque, unsigned i, struct assay_error *e)
{
    struct device *d = &((struct multi *)opaque)->device[i];
    d->ring = calloc(d->slots + 1, sizeof *d->ring);
    if (!d->ring)
        assay_fail_memory(e, "the devices");
    else if (d->slots)
        d->x->ops->prepare(d->x, d->all->graph, d->slots, e);
}

static int multi_prepare(struct executor *base, const struct graph *g, uint32_t slots, struct assay_error *e)
{
    struct multi *x = (struct multi *)base;
    x->graph = g;
    x->job = calloc(slots, sizeof *x->job);
    if (!x->job)
        return assay_fail_memory(e, "the devices");
    for (uint32_t i = 0; i < x->devices; i++)
        x->device[i].slots = (slots - i + x->devices - 1) / x->devices;
    TRY(thread_each(x->devices, x->devices, multi_prepare_one, x, e));
    for (uint32_t i = 0; i < x->devices; i++) {
        struct device *d = &x->device[i];
        if (!(d->running = !thread_start(&d->thread, multi_run, d)))
            return assay_fail(e, ASSAY_EINTERNAL, "can't start the thread of a device");
    }
    return ASSAY_OK;
}

/* The room of the device that has the least, because all devices get as many slots. A device that is listed twice
 * shares its memory between the two. */
static int multi_room(struct executor *base, const struct graph *g, struct executor_room *room, struct assay_error *e)
{
    const struct multi *x = (const struct multi *)base;
    for (uint32_t i = 0; i < x->devices; i++) {
        struct executor_room one;
        uint32_t same = 0;
        TRY(x->device[i].x->ops->room(x->device[i].x, g, &one, e));
        for (uint32_t k = 0; k < x->devices; k++)
            same += !strcmp(x->device[k].number, x->device[i].number);
        one.free /= same;
        if (!i || one.free / one.slot < room->free / room->slot)
            *room = one;
    }
    return ASSAY_OK;
}

static uint32_t multi_depth(const struct executor *base, const struct graph *g)
{
    const struct multi *x = (const struct multi *)base;
    uint32_t depth = 0;
    for (uint32_t i = 0; i < x->devices; i++) {
        const struct executor *one = x->device[i].x;
        depth += (g && one->ops->depth ? one->ops->depth(one, g) : one->depth) + (x->groups ? GROUP_SPARE : SPARE);
    }
    return depth;
}

static void *multi_host_alloc(struct executor *base, uint32_t slot, size_t bytes)
{
    struct multi *x = (struct multi *)base;
    const struct device *d = multi_device_of(x, slot);
    return d->x->ops->host_alloc(d->x, slot / x->devices, bytes);
}

static void multi_host_free(struct executor *base, uint32_t slot, void *memory)
{
    const struct device *d = multi_device_of((struct multi *)base, slot);
    d->x->ops->host_free(d->x, slot / ((struct multi *)base)->devices, memory);
}

static int multi_submit(struct executor *base, uint32_t slot, const struct frame_inputs *inputs, struct assay_error *e)
{
    struct multi *x = (struct multi *)base;
    struct device *d = multi_device_of(x, slot);
    (void)e; /* wait reports failures */
    x->job[slot] = (struct job){.state = QUEUED, .timed = base->timed, .inputs = *inputs};
    for (unsigned i = 0; i < GRAPH_HISTORY; i++) {
        const uint32_t held = inputs->held[i]; /* a slot of another device does not count */
        x->job[slot].inputs.held[i] = held && multi_device_of(x, held - 1) == d ? (held - 1) / x->devices + 1 : 0;
    }
    pthread_mutex_lock(&x->lock);
    d->ring[d->queued++ % d->slots] = slot;
    pthread_cond_signal(&d->work);
    pthread_mutex_unlock(&x->lock);
    return ASSAY_OK;
}

static int multi_wait(struct executor *base, uint32_t slot, struct frame_results *results, struct assay_error *e)
{
    struct multi *x = (struct multi *)base;
    struct job *j = &x->job[slot];
    pthread_mutex_lock(&x->lock);
    while (j->state == QUEUED)
        pthread_cond_wait(&x->changed, &x->lock);
    pthread_mutex_unlock(&x->lock);
    j->state = IDLE;
    if (j->error.code)
        return assay_fail(e, j->error.code, "device %s: %s", multi_device_of(x, slot)->number, j->error.text);
    base->passes_run += j->passes;
    base->submissions += j->submissions;
    *results = j->results;
    return ASSAY_OK;
}

/* The frame was waited for, so its device's thread sleeps. */
static int multi_read_plane(struct executor *base, uint32_t slot, graph_plane plane, void *dst, size_t dst_stride,
                            struct assay_error *e)
{
    struct multi *x = (struct multi *)base;
    const struct device *d = multi_device_of(x, slot);
    return d->x->ops->read_plane(d->x, slot / x->devices, plane, dst, dst_stride, e);
}

static uint64_t multi_memory(const struct executor *base, const struct graph *g, uint32_t slots)
{
    const struct multi *x = (const struct multi *)base;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < x->devices && i < slots; i++)
        bytes += x->device[i].x->ops->memory(x->device[i].x, g, (slots - i + x->devices - 1) / x->devices);
    return bytes;
}

/* The plan of the first device; the others' are equal. */
static void multi_print_memory(const struct executor *base, const struct graph *g, FILE *out)
{
    const struct multi *x = (const struct multi *)base;
    const struct executor *one = x->device[0].x;
    if (x->groups)
        fprintf(out, "each of %u groups of threads has:\n", x->devices);
    one->ops->print_memory(one, g, out);
}

/* ---- copies: all devices at once, since they may share what connects them ---------------------------------------- */

static void multi_copy_one(void *opaque, unsigned i, struct assay_error *e)
{
    struct device *d = &((struct multi *)opaque)->device[i];
    const struct copies *c = &d->all->copies;
    struct assay_error why = {0};
    if (d->x->ops->copy_rate(d->x, c->kind, c->bytes, c->times, &d->seconds, &why))
        assay_fail(e, why.code, "device %s: %s", d->number, why.text);
}

static int multi_copy_rate(struct executor *base, enum executor_copy kind, size_t bytes, unsigned times,
                           double *seconds, struct assay_error *e)
{
    struct multi *x = (struct multi *)base;
    x->copies = (struct copies){kind, bytes, times};
    *seconds = 0.0;
    TRY(thread_each(x->devices, x->devices, multi_copy_one, x, e));
    for (uint32_t i = 0; i < x->devices; i++)
        *seconds = x->device[i].seconds > *seconds ? x->device[i].seconds : *seconds;
    return ASSAY_OK;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* "2 x NVIDIA H200", or all names; groups have one. */
static void multi_describe(struct multi *x)
{
    struct executor *b = &x->base;
    bool same = true;
    for (uint32_t i = 1; i < x->devices; i++)
        same = same && !strcmp(x->device[i].x->device, x->device[0].x->device);
    if (same && !x->groups)
        snprintf(b->device, sizeof b->device, "%u x %.100s", x->devices, x->device[0].x->device);
    for (uint32_t i = 0; i < (x->groups ? 1 : same ? 0 : x->devices); i++)
        text_append(b->device, sizeof b->device, "%s%s", i ? ", " : "", x->device[i].x->device);
    snprintf(b->driver, sizeof b->driver, "%s", x->device[0].x->driver);
    snprintf(b->notice, sizeof b->notice, "%s", x->device[0].x->notice);
}

static const struct executor_ops multi_ops = {
    .prepare = multi_prepare, .host_alloc = multi_host_alloc, .host_free = multi_host_free, .submit = multi_submit,
    .wait = multi_wait, .read_plane = multi_read_plane, .memory = multi_memory, .close = multi_close,
};

static void multi_open_one(void *opaque, unsigned i, struct assay_error *e)
{
    struct device *d = &((struct multi *)opaque)->device[i];
    struct executor_config one = *d->all->config;
    one.device = d->number;
    one.groups = d->all->groups ? d->all->devices : 0;
    one.group = i;
    d->all->open(&d->x, &one, e);
}

int multi_open(struct executor **out, const struct executor_ops *ops, const struct executor_config *config,
               const struct device_list *list, struct assay_error *e)
{
    struct multi *x = calloc(1, sizeof *x);
    if (!x)
        return assay_fail_memory(e, "the devices");
    struct executor *base = &x->base;
    x->ops = multi_ops;
    x->ops.name = ops->name;
    x->ops.list = ops->list;
    x->ops.needs = ops->needs;
    x->ops.modules = ops->modules;
    x->ops.room = ops->room ? multi_room : NULL;
    x->ops.depth = ops->depth ? multi_depth : NULL;
    x->ops.print_memory = ops->print_memory ? multi_print_memory : NULL;
    x->ops.copy_rate = ops->copy_rate ? multi_copy_rate : NULL;
    x->base.ops = &x->ops;
    pthread_mutex_init(&x->lock, NULL);
    pthread_cond_init(&x->changed, NULL);
    x->open = ops->open;
    x->config = config;
    x->groups = list->groups;
    for (; x->devices < list->count; x->devices++) {
        struct device *d = &x->device[x->devices];
        d->all = x;
        pthread_cond_init(&d->work, NULL);
        memcpy(d->number, list->number[x->devices], sizeof d->number);
    }
    const int rc = thread_each(x->devices, x->devices, multi_open_one, x, e);
    if (rc) {
        multi_close(&base);
        return rc;
    }
    for (uint32_t i = 0; i < x->devices; i++)
        x->base.threads += x->device[i].x->threads;
    x->base.depth = multi_depth(base, NULL);
    x->base.devices = x->devices;
    multi_describe(x);
    *out = base;
    return ASSAY_OK;
}
