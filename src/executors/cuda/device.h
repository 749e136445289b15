/* SPDX-License-Identifier: BSD-2-Clause */
/* A CUDA device and the kernels loaded on it. */
#ifndef ASSAY_EXECUTORS_CUDA_DEVICE_H
#define ASSAY_EXECUTORS_CUDA_DEVICE_H

#include <pthread.h>
#include <stdbool.h>

#include "executors/cuda/driver.h"
#include "executors/gpu/device.h"
#include "kernels/cuda/module.h"
#include "kernels/dialect/cuda_args.h"

struct cu_kernels {
    cu_library whole;                  /* all kernels as finished code */
    bool whole_tried;
    cu_library single[KERNEL_VARIANTS]; /* [kernel]: from PTX */
    cu_function function[KERNEL_VARIANTS];
};

extern const struct gpu_device_ops cu_device_ops;

struct cu_gpu {
    struct gpu_device base;
    const struct cuda_images *images;
    struct cu_driver driver;
    cu_device device;
    cu_context context; /* the device's primary context, or an application's */
    bool applications;  /* the context is the application's */
    int version, major, minor; /* the driver's CUDA version; the compute capability */
    pthread_mutex_t loading;   /* of `kernels`: several threads call `take` */
    struct cu_kernels kernels;
    cu_event origin; /* time 0 of frame_times; NULL before the first timed frame */
};

/* `want`: a number or a part of the name; NULL: device 0. */
int cu_gpu_open(struct gpu_device **out, const char *want, struct assay_error *e);
/* The device of an application's context (NULL: the current one), which stays the application's. */
int cu_gpu_adopt(struct gpu_device **out, cu_context context, struct assay_error *e);
void cu_gpu_close(struct gpu_device **gpu);

/* The executor's `list`. */
int cu_gpu_list(void (*show)(void *opaque, const struct executor_device *device), void *opaque, struct assay_error *e);

/* Makes the context current in this thread until cu_leave; what was current before comes back. */
int cu_enter(const struct cu_gpu *gpu, struct assay_error *e);
void cu_leave(const struct cu_gpu *gpu);

/* Loads kernel `kernel` (an index into assay_kernel_info) unless that is done. The context is current. */
int cu_load_kernel(struct cu_gpu *gpu, unsigned kernel, struct assay_error *e);
int cu_prepare(struct gpu_device *d, struct assay_error *e); /* of gpu_device_ops */

/* The passes of a slot are captured once as a graph, so a frame is its copies and one launch. */
struct cu_slot {
    cu_stream stream;
    cu_stream ahead;          /* copies of an application's pictures, before passes of other frames; created for the
                               * first ones */
    cu_stream at;             /* the one that commands go to */
    cu_event done;            /* behind the passes */
    cu_event brought;         /* behind the inputs; NULL when no frame reads another one's */
    cu_event arrived[GRAPH_SIDES]; /* [side]: behind the owner's work on a picture; created for the first picture */
    cu_event bringing;        /* between the two streams */
    cu_event copied;          /* behind the copies of an application's pictures; created for the first ones */
    cu_graph_exec passes;
    cu_event mark[GPU_MARKS]; /* the timestamps; created for the first frame that is timed */
    cu_result failed;         /* the first failure since `begin` */
    bool capturing;
    bool uploads;             /* `stream` has copies that an application's pictures come after */
};

/* cuda.c */

/* Orders later work of the slot behind all work that is on the stream now. Each side has an event for it. */
cu_result cu_arrive(const struct cu_gpu *gpu, struct gpu_slot *s, unsigned side, cu_stream stream);

/* Called when all of a frame's pictures are copied: work that the application queues later waits for that alone, and
 * not for the passes. */
cu_result cu_let_go(const struct cu_gpu *gpu, struct gpu_slot *s);

/* Runs a kernel on the slot's stream. */
cu_result cu_launch(const struct cu_gpu *gpu, const struct gpu_slot *s, unsigned kernel, struct cuda_args *args);

/* pictures.c */
int cu_bring(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e);
int cu_take(struct gpu_device *d, struct gpu_slot *s, unsigned side, const struct device_picture *picture,
            struct assay_error *e);

#endif
