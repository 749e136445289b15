/* SPDX-License-Identifier: BSD-2-Clause */
/* The GPU executor, for executor.c and frame.c. */
#ifndef ASSAY_EXECUTORS_GPU_EXECUTOR_H
#define ASSAY_EXECUTORS_GPU_EXECUTOR_H

#include <pthread.h>
#include <stdatomic.h>

#include "executors/gpu/device.h"

struct gpu_block;

struct gpu_executor {
    struct executor base;
    struct gpu_device *device;
    const struct graph *graph;
    struct gpu_plan plan;
    struct gpu_slot *slot;
    uint32_t slots;
    struct gpu_copy *copy;     /* the upload of the frame that is being submitted */
    struct gpu_slot *waiting[GPU_MOST_TOGETHER]; /* those of which slot.waits */
    uint32_t n_waiting;
    struct gpu_buffer reading; /* for read_plane; created by its first call */
    atomic_uint_fast64_t serial; /* of the newest buffer */
    pthread_mutex_t lock;      /* of `blocks`: callers allocate and free while a frame is submitted */
    struct gpu_block *blocks;
};

static inline int gpu_run(struct gpu_executor *x, enum gpu_urgency urgency, gpu_work *work, void *opaque,
                          struct assay_error *e)
{
    struct assay_error unread = {0};
    return x->device->ops->run(x->device, urgency, work, opaque, e ? e : &unread);
}

/* Creates a buffer of at least 4 bytes. */
int gpu_buffer_create(struct gpu_executor *x, enum gpu_memory kind, uint64_t bytes, struct gpu_buffer *out,
                      struct assay_error *e);

/* The block of host_alloc that contains all of these bytes, or NULL. */
struct gpu_buffer *gpu_find_block(struct gpu_executor *x, const void *first, uint64_t bytes);

#endif
