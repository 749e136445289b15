/* SPDX-License-Identifier: BSD-2-Clause */
#include "null_executor.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/system.h"

struct null_slot {
    struct frame_inputs inputs;
    uint64_t checksum; /* of the planes when they were submitted */
};

struct null_executor {
    struct executor base;
    const struct graph *graph;
    struct null_slot *slot;
    int64_t *totals;
    uint32_t *extrema;
    uint32_t slots;
    uint64_t submitted, waited;
    uint32_t *queue; /* slots in flight, oldest first, a ring of `slots` */
};

static struct {
    pthread_mutex_t lock;
    struct null_log log;
    uint32_t depth;
    enum null_call fail;
    uint32_t fail_at;
    struct executor_room room;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER, .depth = 1, .room = {1, UINT64_MAX}};

void null_reset(uint32_t depth, enum null_call fail, uint32_t fail_at)
{
    pthread_mutex_lock(&shared.lock);
    memset(&shared.log, 0, sizeof shared.log);
    shared.depth = depth;
    shared.fail = fail;
    shared.fail_at = fail_at;
    shared.room = (struct executor_room){1, UINT64_MAX};
    pthread_mutex_unlock(&shared.lock);
}

void null_limit(uint64_t slot, uint64_t free_bytes)
{
    pthread_mutex_lock(&shared.lock);
    shared.room = (struct executor_room){slot, free_bytes};
    pthread_mutex_unlock(&shared.lock);
}

const struct null_log *null_look(void)
{
    return &shared.log;
}

/* Writes a call down. True when this is the one that shall fail. */
static bool fails(enum null_call call, uint32_t slot)
{
    pthread_mutex_lock(&shared.lock);
    struct null_log *log = &shared.log;
    if (log->entries < NULL_LOG)
        log->entry[log->entries] = (struct null_entry){call, slot};
    log->entries++;
    log->count[call]++;
    const bool now = shared.fail == call && shared.fail_at == log->count[call];
    pthread_mutex_unlock(&shared.lock);
    return now;
}

static void count(uint32_t *field)
{
    pthread_mutex_lock(&shared.lock);
    ++*field;
    pthread_mutex_unlock(&shared.lock);
}

static int null_open(struct executor **out, const struct executor_config *config, struct assay_error *e)
{
    *out = NULL;
    if (fails(NULL_OPEN, 0))
        return assay_fail(e, ASSAY_EDEVICE, "the null executor was told not to open");
    struct null_executor *x = calloc(1, sizeof *x);
    if (!x)
        return assay_fail_memory(e, "the null executor");
    x->base = (struct executor){.ops = &executor_null, .threads = config->threads ? config->threads : 1,
                                .depth = shared.depth};
    snprintf(x->base.device, sizeof x->base.device, "nothing");
    *out = &x->base;
    return ASSAY_OK;
}

static int null_room(struct executor *base, const struct graph *g, struct executor_room *room, struct assay_error *e)
{
    (void)base, (void)g, (void)e;
    pthread_mutex_lock(&shared.lock);
    *room = shared.room;
    pthread_mutex_unlock(&shared.lock);
    return ASSAY_OK;
}

static int null_prepare(struct executor *base, const struct graph *g, uint32_t slots, struct assay_error *e)
{
    struct null_executor *x = (struct null_executor *)base;
    x->graph = g;
    if (fails(NULL_PREPARE, slots))
        return assay_fail(e, ASSAY_EDEVICE, "the null executor was told not to prepare");
    x->slot = calloc(slots, sizeof *x->slot);
    x->queue = calloc(slots, sizeof *x->queue);
    x->totals = calloc(g->totals + 1, sizeof *x->totals);
    x->extrema = calloc(g->extrema + 1, 2 * sizeof *x->extrema);
    x->slots = slots;
    return x->slot && x->queue && x->totals && x->extrema ? ASSAY_OK : assay_fail_memory(e, "the null executor");
}

static void *null_host_alloc(struct executor *base, uint32_t slot, size_t bytes)
{
    void *p = NULL;
    (void)base;
    (void)slot;
    if (fails(NULL_HOST_ALLOC, 0) || !(p = memory_aligned(64, bytes)))
        return NULL;
    pthread_mutex_lock(&shared.lock);
    shared.log.host_blocks++;
    pthread_mutex_unlock(&shared.lock);
    return p;
}

static void null_host_free(struct executor *base, uint32_t slot, void *memory)
{
    (void)slot;
    (void)base;
    memory_aligned_free(memory);
    pthread_mutex_lock(&shared.lock);
    shared.log.host_blocks--;
    pthread_mutex_unlock(&shared.lock);
}

/* FNV-1a over the rows of every input plane that the graph reads. */
static uint64_t checksum(const struct null_executor *x, const struct frame_inputs *inputs)
{
    uint64_t h = 14695981039346656037u;
    for (graph_plane i = 0; i < x->graph->planes; i++) {
        const struct graph_plane_info *p = &x->graph->plane[i];
        if (!p->input || p->table)
            continue;
        const struct kernel_plane *k = frame_input(inputs, p);
        for (uint32_t y = 0; y < p->height; y++) {
            const unsigned char *row = (const unsigned char *)k->data + (ptrdiff_t)y * k->stride;
            for (size_t b = 0; b < (size_t)p->width * sample_size(p->type); b++)
                h = (h ^ row[b]) * 1099511628211u;
        }
    }
    return h;
}

/* Does the slot that is said to hold a plane of an earlier frame hold it? */
static void check_held(struct null_executor *x, uint32_t slot, const struct frame_inputs *inputs)
{
    for (graph_plane i = 0; i < x->graph->planes; i++) {
        const struct graph_plane_info *p = &x->graph->plane[i];
        const uint32_t held = p->input && p->age ? inputs->held[p->age - 1] : 0;
        if (!held || (p->side && inputs->without >> (p->side - 1) & 1))
            continue;
        const struct frame_inputs *there = held - 1 == slot
                                               ? inputs
                                               : &x->slot[held < x->slots ? held - 1 : x->slots - 1].inputs;
        count(&shared.log.held);
        if (held > x->slots || there->plane[p->side][p->component].data != frame_input(inputs, p)->data)
            count(&shared.log.misplaced);
    }
}

static int null_submit(struct executor *base, uint32_t slot, const struct frame_inputs *inputs, struct assay_error *e)
{
    struct null_executor *x = (struct null_executor *)base;
    if (fails(NULL_SUBMIT, slot))
        return assay_fail(e, ASSAY_EDEVICE, "the null executor was told not to take a frame");
    check_held(x, slot, inputs);
    x->slot[slot] = (struct null_slot){.inputs = *inputs, .checksum = checksum(x, inputs)};
    x->queue[x->submitted++ % x->slots] = slot;
    const uint32_t in_flight = (uint32_t)(x->submitted - x->waited);
    pthread_mutex_lock(&shared.lock);
    if (in_flight > shared.log.most_in_flight)
        shared.log.most_in_flight = in_flight;
    pthread_mutex_unlock(&shared.lock);
    return ASSAY_OK;
}

static int null_wait(struct executor *base, uint32_t slot, struct frame_results *results, struct assay_error *e)
{
    struct null_executor *x = (struct null_executor *)base;
    const bool failing = fails(NULL_WAIT, slot);
    if (x->waited == x->submitted || x->queue[x->waited % x->slots] != slot)
        count(&shared.log.out_of_order);
    else
        x->waited++;
    if (checksum(x, &x->slot[slot].inputs) != x->slot[slot].checksum)
        count(&shared.log.changed_inputs);
    if (failing)
        return assay_fail(e, ASSAY_EDEVICE, "the null executor was told to lose a frame");
    *results = (struct frame_results){.totals = x->totals, .extrema = x->extrema};
    return ASSAY_OK;
}

static int null_read_plane(struct executor *base, uint32_t slot, graph_plane plane, void *dst, size_t dst_stride,
                           struct assay_error *e)
{
    const struct null_executor *x = (const struct null_executor *)base;
    const struct graph_plane_info *p = &x->graph->plane[plane];
    for (uint32_t y = 0; y < p->height; y++)
        memset((char *)dst + y * dst_stride, 0, (size_t)p->width * sample_size(p->type));
    (void)slot;
    (void)e;
    return ASSAY_OK;
}

static uint64_t null_memory(const struct executor *base, const struct graph *g, uint32_t slots)
{
    (void)base;
    (void)g;
    (void)slots;
    return 0;
}

static void null_close(struct executor **out)
{
    struct null_executor *x = (struct null_executor *)*out;
    if (!x)
        return;
    *out = NULL;
    fails(NULL_CLOSE, 0);
    free(x->slot);
    free(x->queue);
    free(x->totals);
    free(x->extrema);
    free(x);
}

const struct executor_ops executor_null = {
    .name = "null", .open = null_open, .room = null_room, .prepare = null_prepare, .host_alloc = null_host_alloc,
    .host_free = null_host_free, .submit = null_submit, .wait = null_wait, .read_plane = null_read_plane,
    .memory = null_memory, .close = null_close,
};
