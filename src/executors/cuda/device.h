/* SPDX-License-Identifier: BSD-2-Clause */
/* A CUDA device and the kernels loaded on it. */
#ifndef ASSAY_EXECUTORS_CUDA_DEVICE_H
#define ASSAY_EXECUTORS_CUDA_DEVICE_H

#include <pthread.h>
#include <stdbool.h>

#include "executors/cuda/driver.h"
#include "executors/gpu/device.h"
#include "kernels/cuda/module.h"

struct cu_kernels {
    cu_module whole;                   /* of the finished code */
    bool whole_tried;
    cu_module single[KERNEL_VARIANTS]; /* of PTX, kernel by kernel */
    cu_function function[KERNEL_VARIANTS];
};

extern const struct gpu_device_ops cu_device_ops;

struct cu_gpu {
    struct gpu_device base;
    const struct cuda_images *images;
    struct cu_driver driver;
    cu_device device;
    cu_context context; /* the device's primary one, shared with whatever else the process does there, or: */
    bool applications;  /* one that an application made */
    int version, major, minor; /* of CUDA as the driver has it; the compute capability */
    pthread_mutex_t loading; /* of kernels: pictures are taken by several threads */
    struct cu_kernels kernels;
    cu_event origin; /* of the times of frames; NULL: nothing was timed */
};

/* `want`: a number or a part of the name; NULL: device 0. */
int cu_gpu_open(struct cu_gpu **out, const char *want, struct assay_error *e);
/* The device of an application's context (NULL: the current one), which stays the application's. */
int cu_gpu_adopt(struct cu_gpu **out, cu_context context, struct assay_error *e);
void cu_gpu_close(struct cu_gpu **gpu);

/* The executor's `list`. */
int cu_gpu_list(void (*show)(void *opaque, const struct executor_device *device), void *opaque, struct assay_error *e);

/* Makes the context current in this thread until cu_leave; what was current before comes back. */
int cu_enter(const struct cu_gpu *gpu, struct assay_error *e);
void cu_leave(const struct cu_gpu *gpu);

/* Loads kernel `kernel` (an index into assay_kernel_info) unless that is done. The context is current. */
int cu_load_kernel(struct cu_gpu *gpu, unsigned kernel, struct assay_error *e);

#endif
