/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers and slots on CUDA. A slot has a stream; its passes are captured once as a graph, so a frame is
 * its copies and one launch. */
#ifndef ASSAY_EXECUTORS_CUDA_SLOT_H
#define ASSAY_EXECUTORS_CUDA_SLOT_H

#include "executors/cuda/device.h"
#include "kernels/dialect/cuda_args.h"

struct cu_slot {
    cu_stream stream;
    cu_event done;
    cu_event brought;    /* the inputs are there; only where frames have a history */
    /* of a side's picture on the device: its owner's stream has come to it; made for the first one */
    cu_event arrived[2];
    cu_graph_exec passes;
    cu_event mark[GPU_MARKS]; /* made for the first frame that is timed */
    cu_result failed;    /* the first failure since `begin` */
    bool capturing;
};

int cu_buffer_create(struct gpu_device *d, enum gpu_memory kind, uint64_t bytes, struct gpu_buffer *out,
                     struct assay_error *e);
void cu_buffer_destroy(struct gpu_device *d, struct gpu_buffer *b);

int cu_slot_create(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e);
void cu_slot_destroy(struct gpu_device *d, struct gpu_slot *s);
int cu_begin(struct gpu_device *d, struct gpu_slot *s, enum gpu_part part, struct assay_error *e);
int cu_end(struct gpu_device *d, struct gpu_slot *s, enum gpu_part part, struct assay_error *e);
void cu_copy(struct gpu_device *d, struct gpu_slot *s, const struct gpu_copy *copy);
void cu_clear(struct gpu_device *d, struct gpu_slot *s, const struct gpu_buffer *b);
void cu_dispatch(struct gpu_device *d, struct gpu_slot *s, graph_pass p);
void cu_barrier(struct gpu_device *d, struct gpu_slot *s, enum gpu_barrier barrier);
void cu_follow(struct gpu_device *d, struct gpu_slot *s, struct gpu_slot *other);
void cu_mark(struct gpu_device *d, struct gpu_slot *s, unsigned mark);
int cu_submit(struct gpu_device *d, struct gpu_slot *s, enum gpu_part first, bool passes, struct assay_error *e);
int cu_wait(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e);
int cu_finish(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e);
int cu_times(struct gpu_device *d, struct gpu_slot *s, uint64_t at[GPU_MARKS], struct assay_error *e);

/* Work of the slot from now on waits for the stream's work until now, on behalf of a side. */
cu_result cu_arrive(const struct cu_gpu *gpu, struct gpu_slot *s, unsigned side, cu_stream stream);

/* Runs a kernel on the slot's stream. */
cu_result cu_launch(const struct cu_gpu *gpu, const struct gpu_slot *s, unsigned kernel, struct cuda_args *args);

/* pictures.c */
int cu_bring(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e);
int cu_take(struct gpu_device *d, struct gpu_slot *s, unsigned side, const struct device_picture *picture,
            struct assay_error *e);

#endif
