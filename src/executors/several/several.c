/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/several/several.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executors/gpu/names.h"
#include "host/clock.h"

enum {
    MAX_DEVICES = 32,
    NUMBER_TEXT = 12,
    SPARE = 10, /* frames more per device than it wants in flight: scores come in order, so a late device holds up the others, and
                 * what frees a slot passes through three threads before the next frame is handed over */
};

enum state { IDLE, QUEUED, DONE };

struct job {
    enum state state;
    bool timed;
    struct frame_inputs inputs;
    struct frame_results results;
    uint64_t submit;              /* nanoseconds that handing it over took */
    uint64_t passes, submissions; /* what the frame added to its device's counters */
    struct assay_error error;
};

struct several;

struct device {
    struct several *all;
    struct executor *x;
    char number[NUMBER_TEXT];
    uint32_t slots;
    pthread_t thread;
    pthread_cond_t work; /* something was queued, or it is time to end */
    bool running;
    /* Slots in the order that they were queued, a ring: behind `queued` the thread is to submit, behind `done` to wait. */
    uint32_t *ring;
    uint64_t queued, done;
};

struct several {
    struct executor base;
    struct executor_ops ops; /* ours under the name of the devices' */
    const struct graph *graph;
    struct device device[MAX_DEVICES];
    uint32_t devices;
    struct job *job; /* by slot */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a job is done */
    bool quit;
};

static struct device *device_of(struct several *x, uint32_t slot)
{
    return &x->device[slot % x->devices];
}

/* ---- a device's thread --------------------------------------------------------------------------------------------- */

static void start_frame(struct device *d, uint32_t slot)
{
    struct job *j = &d->all->job[slot];
    const uint64_t before = d->x->submissions, start = j->timed ? clock_ns() : 0;
    d->x->timed = j->timed;
    d->x->ops->submit(d->x, slot / d->all->devices, &j->inputs, &j->error);
    j->submissions = d->x->submissions - before;
    j->submit = j->timed ? clock_ns() - start : 0;
}

static void end_frame(struct device *d, uint32_t slot)
{
    struct job *j = &d->all->job[slot];
    const uint64_t before = d->x->passes_run;
    if (!j->error.code) /* what was refused is not waited for */
        d->x->ops->wait(d->x, slot / d->all->devices, &j->results, &j->error);
    j->passes = d->x->passes_run - before;
    j->results.times.submit = j->submit;
    j->results.times.device = (uint32_t)(d - d->all->device);
}

static void *run(void *opaque)
{
    struct device *d = opaque;
    struct several *x = d->all;
    uint64_t submitted = 0;
    pthread_mutex_lock(&x->lock);
    for (;;) {
        while (!x->quit && d->queued == d->done)
            pthread_cond_wait(&d->work, &x->lock);
        if (d->queued == d->done)
            break;
        while (submitted < d->queued) {
            const uint32_t slot = d->ring[submitted++ % d->slots];
            pthread_mutex_unlock(&x->lock);
            start_frame(d, slot);
            pthread_mutex_lock(&x->lock);
        }
        const uint32_t slot = d->ring[d->done % d->slots];
        pthread_mutex_unlock(&x->lock);
        end_frame(d, slot);
        pthread_mutex_lock(&x->lock);
        d->done++;
        x->job[slot].state = DONE;
        pthread_cond_broadcast(&x->changed);
    }
    pthread_mutex_unlock(&x->lock);
    return NULL;
}

/* ---- the executor's functions -------------------------------------------------------------------------------------- */

static void several_close(struct executor **out)
{
    struct several *x = (struct several *)*out;
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

static int several_prepare(struct executor *base, const struct graph *g, uint32_t slots, struct assay_error *e)
{
    struct several *x = (struct several *)base;
    x->graph = g;
    x->job = calloc(slots, sizeof *x->job);
    if (!x->job)
        return assay_fail_memory(e, "the devices");
    int rc = ASSAY_OK;
    for (uint32_t i = 0; !rc && i < x->devices && i < slots; i++) {
        struct device *d = &x->device[i];
        d->slots = (slots - i + x->devices - 1) / x->devices;
        d->ring = calloc(d->slots, sizeof *d->ring);
        rc = d->ring ? d->x->ops->prepare(d->x, g, d->slots, e) : assay_fail_memory(e, "the devices");
        if (!rc && pthread_create(&d->thread, NULL, run, d))
            rc = assay_fail(e, ASSAY_EINTERNAL, "can't start the thread of a device");
        d->running = !rc;
    }
    return rc;
}

static void *several_host_alloc(struct executor *base, uint32_t slot, size_t bytes)
{
    struct several *x = (struct several *)base;
    const struct device *d = device_of(x, slot);
    return d->x->ops->host_alloc(d->x, slot / x->devices, bytes);
}

static void several_host_free(struct executor *base, uint32_t slot, void *memory)
{
    const struct device *d = device_of((struct several *)base, slot);
    d->x->ops->host_free(d->x, slot / ((struct several *)base)->devices, memory);
}

static int several_submit(struct executor *base, uint32_t slot, const struct frame_inputs *inputs, struct assay_error *e)
{
    struct several *x = (struct several *)base;
    struct device *d = device_of(x, slot);
    (void)e; /* what goes wrong is told by wait */
    x->job[slot] = (struct job){.state = QUEUED, .timed = base->timed, .inputs = *inputs};
    for (unsigned i = 0; i < GRAPH_HISTORY; i++) {
        const uint32_t held = inputs->held[i]; /* by another device: not by this one */
        x->job[slot].inputs.held[i] = held && device_of(x, held - 1) == d ? (held - 1) / x->devices + 1 : 0;
    }
    pthread_mutex_lock(&x->lock);
    d->ring[d->queued++ % d->slots] = slot;
    pthread_cond_signal(&d->work);
    pthread_mutex_unlock(&x->lock);
    return ASSAY_OK;
}

static int several_wait(struct executor *base, uint32_t slot, struct frame_results *results, struct assay_error *e)
{
    struct several *x = (struct several *)base;
    struct job *j = &x->job[slot];
    pthread_mutex_lock(&x->lock);
    while (j->state == QUEUED)
        pthread_cond_wait(&x->changed, &x->lock);
    pthread_mutex_unlock(&x->lock);
    j->state = IDLE;
    if (j->error.code)
        return assay_fail(e, j->error.code, "device %s: %s", device_of(x, slot)->number, j->error.text);
    base->passes_run += j->passes;
    base->submissions += j->submissions;
    *results = j->results;
    return ASSAY_OK;
}

/* The frame was waited for, so its device's thread sleeps. */
static int several_read_plane(struct executor *base, uint32_t slot, graph_plane plane, void *dst, size_t dst_stride,
                              struct assay_error *e)
{
    struct several *x = (struct several *)base;
    const struct device *d = device_of(x, slot);
    return d->x->ops->read_plane(d->x, slot / x->devices, plane, dst, dst_stride, e);
}

static uint64_t several_memory(const struct executor *base, const struct graph *g, uint32_t slots)
{
    const struct several *x = (const struct several *)base;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < x->devices && i < slots; i++)
        bytes += x->device[i].x->ops->memory(x->device[i].x, g, (slots - i + x->devices - 1) / x->devices);
    return bytes;
}

/* Of one device: all have the same plan. */
static void several_print_memory(const struct executor *base, const struct graph *g, FILE *out)
{
    const struct executor *one = ((const struct several *)base)->device[0].x;
    one->ops->print_memory(one, g, out);
}

/* ---- copies: all devices at once, since they may share what connects them ------------------------------------------- */

struct copy {
    struct executor *x;
    enum executor_copy kind;
    size_t bytes;
    unsigned times;
    double seconds;
    struct assay_error error;
    pthread_t thread;
    bool running;
};

static void *run_copy(void *opaque)
{
    struct copy *c = opaque;
    c->x->ops->copy_rate(c->x, c->kind, c->bytes, c->times, &c->seconds, &c->error);
    return NULL;
}

static int several_copy_rate(struct executor *base, enum executor_copy kind, size_t bytes, unsigned times, double *seconds,
                             struct assay_error *e)
{
    const struct several *x = (const struct several *)base;
    struct copy copy[MAX_DEVICES];
    int rc = ASSAY_OK;
    *seconds = 0.0;
    for (uint32_t i = 0; i < x->devices; i++) {
        copy[i] = (struct copy){.x = x->device[i].x, .kind = kind, .bytes = bytes, .times = times};
        copy[i].running = !pthread_create(&copy[i].thread, NULL, run_copy, &copy[i]);
    }
    for (uint32_t i = 0; i < x->devices; i++) {
        if (copy[i].running)
            pthread_join(copy[i].thread, NULL);
        else if (!rc)
            rc = assay_fail(e, ASSAY_EINTERNAL, "can't start the thread of a copy");
        if (copy[i].error.code && !rc)
            rc = assay_fail(e, copy[i].error.code, "device %s: %s", x->device[i].number, copy[i].error.text);
        if (copy[i].seconds > *seconds)
            *seconds = copy[i].seconds;
    }
    return rc;
}

/* ---- opening --------------------------------------------------------------------------------------------------------- */

struct wanted {
    char number[MAX_DEVICES][NUMBER_TEXT];
    uint32_t count;
    bool too_many;
};

static void want(struct wanted *w, const char *number)
{
    if (w->count == MAX_DEVICES)
        w->too_many = true;
    else
        snprintf(w->number[w->count++], NUMBER_TEXT, "%.*s", NUMBER_TEXT - 1, number);
}

/* Numbers with commas between. A device's name may hold commas too, but is no list of numbers. */
static bool is_list(const char *text, struct wanted *w)
{
    if (strspn(text, "0123456789,") != strlen(text) || !strchr(text, ','))
        return false;
    while (*text) {
        char number[NUMBER_TEXT];
        const size_t n = strcspn(text, ",");
        if (!n || n >= sizeof number)
            return false;
        snprintf(number, sizeof number, "%.*s", (int)n, text);
        want(w, number);
        text += n;
        if (*text == ',' && !*++text)
            return false;
    }
    return true;
}

static void want_real(void *opaque, const struct executor_device *device)
{
    char number[NUMBER_TEXT];
    snprintf(number, sizeof number, "%u", device->number);
    if (device->usable && !device->software)
        want(opaque, number);
}

/* Of a backend that has the one device. */
static int only_first(const struct wanted *w, const struct executor_ops *ops, struct assay_error *e)
{
    for (uint32_t i = 0; i < w->count; i++)
        if (strspn(w->number[i], "0") != strlen(w->number[i]))
            return assay_fail(e, ASSAY_EDEVICE, "%s: no device %s: there is only 0", ops->name, w->number[i]);
    return ASSAY_OK;
}

static int find_devices(struct wanted *w, const struct executor_ops *ops, const char *device, struct assay_error *e)
{
    *w = (struct wanted){0};
    if (!device || (strcmp(device, "all") && !is_list(device, w))) {
        w->count = 0;
        return ASSAY_OK;
    }
    if (!strcmp(device, "all") && ops->list) {
        const int rc = ops->list(want_real, w, e);
        if (rc)
            return rc;
        if (!w->count)
            return assay_fail(e, ASSAY_EDEVICE, "%s: no GPU for '--device all'; software devices are taken when they are named",
                              ops->name);
    } else if (!w->count) {
        want(w, "0");
    }
    const int rc = ops->list ? ASSAY_OK : only_first(w, ops, e);
    if (rc)
        return rc;
    return w->too_many ? assay_fail(e, ASSAY_EUSAGE, "more than %d devices", MAX_DEVICES) : ASSAY_OK;
}

/* "2 x NVIDIA H200", or all names. */
static void describe(struct several *x)
{
    struct executor *b = &x->base;
    bool same = true;
    for (uint32_t i = 1; i < x->devices; i++)
        same = same && !strcmp(x->device[i].x->device, x->device[0].x->device);
    if (same)
        snprintf(b->device, sizeof b->device, "%u x %.100s", x->devices, x->device[0].x->device);
    for (uint32_t i = 0; !same && i < x->devices; i++) {
        const size_t at = strlen(b->device);
        snprintf(b->device + at, sizeof b->device - at, "%s%s", i ? ", " : "", x->device[i].x->device);
    }
    snprintf(b->driver, sizeof b->driver, "%s", x->device[0].x->driver);
}

static const struct executor_ops several_ops = {
    .prepare = several_prepare, .host_alloc = several_host_alloc, .host_free = several_host_free, .submit = several_submit,
    .wait = several_wait, .read_plane = several_read_plane, .memory = several_memory, .close = several_close,
};

static int open_all(struct executor **out, const struct executor_ops *ops, const struct executor_config *config,
                    const struct wanted *w, struct assay_error *e)
{
    struct several *x = calloc(1, sizeof *x);
    if (!x)
        return assay_fail_memory(e, "the devices");
    struct executor *base = &x->base;
    int rc = ASSAY_OK;
    x->ops = several_ops;
    x->ops.name = ops->name;
    x->ops.list = ops->list;
    x->ops.needs = ops->needs;
    x->ops.modules = ops->modules;
    x->ops.print_memory = ops->print_memory ? several_print_memory : NULL;
    x->ops.copy_rate = ops->copy_rate ? several_copy_rate : NULL;
    x->base.ops = &x->ops;
    pthread_mutex_init(&x->lock, NULL);
    pthread_cond_init(&x->changed, NULL);
    for (uint32_t i = 0; !rc && i < w->count; i++) {
        struct device *d = &x->device[x->devices++];
        struct executor_config one = *config;
        d->all = x;
        pthread_cond_init(&d->work, NULL);
        memcpy(d->number, w->number[i], sizeof d->number);
        one.device = d->number;
        rc = ops->open(&d->x, &one, e);
        x->base.depth += rc ? 0 : d->x->depth + SPARE;
        x->base.threads += rc ? 0 : d->x->threads;
    }
    if (rc) {
        several_close(&base);
        return rc;
    }
    x->base.devices = x->devices;
    describe(x);
    *out = base;
    return ASSAY_OK;
}

struct search {
    const char *want;
    unsigned number;
    bool found;
};

static void compare(void *opaque, const struct executor_device *device)
{
    struct search *s = opaque;
    if (s->found || !gpu_name_matches(s->want, device->number, device->name))
        return;
    s->found = true;
    s->number = device->number;
}

/* The words are the executor's own, which knows what there is. */
static int no_such(const struct executor_ops *ops, const char *device, struct assay_error *e)
{
    const struct executor_config config = {.device = device};
    struct executor *x;
    const int rc = ops->open(&x, &config, e);
    if (rc)
        return rc;
    x->ops->close(&x); /* it has come just now */
    return assay_fail(e, ASSAY_EDEVICE, "%s: no device '%s'", ops->name, device);
}

int executor_named(const struct executor_ops *ops, const char *device, unsigned *count, unsigned *first, struct assay_error *e)
{
    struct wanted w;
    struct search s = {.want = device, .found = !device || !ops->list};
    *count = 1;
    *first = 0;
    if (ops->missing)
        return assay_fail(e, ASSAY_EDEVICE, "%s", ops->missing);
    int rc = find_devices(&w, ops, device, e);
    if (!rc && w.count) {
        *count = w.count;
        s.want = w.number[0];
    }
    if (!rc && !s.found)
        rc = ops->list(compare, &s, e);
    if (!rc && !s.found)
        rc = no_such(ops, s.want, e);
    *first = s.number;
    return rc;
}

int executor_open(struct executor **out, const struct executor_ops *ops, const struct executor_config *config,
                  struct assay_error *e)
{
    struct wanted w;
    struct executor_config one = *config;
    *out = NULL;
    if (ops->missing)
        return assay_fail(e, ASSAY_EDEVICE, "%s", ops->missing);
    const int rc = find_devices(&w, ops, config->device, e);
    if (rc)
        return rc;
    if (w.count > 1)
        return open_all(out, ops, config, &w, e);
    if (w.count == 1)
        one.device = w.number[0];
    return ops->open(out, &one, e);
}
