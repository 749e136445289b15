/* SPDX-License-Identifier: BSD-2-Clause */
/* A SYCL device. */
#ifndef ASSAY_EXECUTORS_SYCL_DEVICE_H
#define ASSAY_EXECUTORS_SYCL_DEVICE_H

#include "executors/gpu/device.h"
#include "kernels/sycl/module.h"

extern const struct gpu_device_ops sy_device_ops;

/* Limits of a device with SYCL_TILES are work-groups of one item, which is a tile. */
enum { SYCL_TILE_THREADS = 1 };

struct sy_gpu {
    struct gpu_device base;
    const struct sycl_interface *sycl;
    struct sycl_facts facts;
    sycl_device *device;
};

struct sy_slot {
    sycl_stream *stream;
    bool timed;  /* the stream takes times */
    enum gpu_part part; /* that is being put together */
    bool failed; /* a command since `begin` */
    char why[SYCL_WHY];
};

/* `want`: a number or a part of the name; NULL: the first GPU, else the first device. With the sycl::queue of an
 * application its device. */
int sy_gpu_open(struct gpu_device **out, const char *want, void *queue, struct assay_error *e);
void sy_gpu_close(struct gpu_device **gpu);

/* The executor's `list`. */
int sy_gpu_list(void (*show)(void *opaque, const struct executor_device *device), void *opaque, struct assay_error *e);

/* One line: what was being done, and why it failed. */
int sy_fail(const char *what, const char *why, struct assay_error *e);

/* sycl.c: the form in which the device runs the kernel. */
enum sycl_form sy_form(const struct sy_gpu *gpu, unsigned kernel);
/* device.c: ASSAY_SYCL_FORM=items lets processors run what is for GPUs, for tests. */
bool sy_items_wanted(void);

/* pictures.c: gpu_device_ops.bring. */
int sy_bring(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e);

#endif
