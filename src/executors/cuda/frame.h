/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames in flight. A slot has one block of device memory (results, inputs, intermediate planes), a stream, and the passes
 * of the graph captured once: a frame is its uploads, one graph launch, and an event.
 */
#ifndef ASSAY_EXECUTORS_CUDA_FRAME_H
#define ASSAY_EXECUTORS_CUDA_FRAME_H

#include "executors/cuda/device.h"

/* Where things lie in a slot's memory; the same for all slots. */
struct cu_layout {
    const struct graph *graph;
    graph_plane *input;      /* input planes by age, side and component: the order in which a session's own planes lie */
    uint32_t inputs;
    uint64_t *plane_offset;  /* of every plane of the graph */
    bool history;            /* some input is of an earlier frame */
    uint64_t input_offset;   /* of the first input */
    uint64_t input_bytes;    /* of all inputs */
    uint64_t results_bytes;  /* totals, then a key per extremum, at offset 0 */
    uint64_t bytes;
};

struct cu_slot {
    cu_address memory;
    cu_stream stream;
    cu_event done;
    cu_event brought;   /* the inputs are there; only where frames have a history */
    cu_event arrived[2]; /* of a side's picture on the device: its owner's stream has come to it; made for the first one */
    cu_graph_exec passes;
    int64_t *results;   /* page-locked copy of the device's */
    uint32_t *extrema;  /* pairs, from the keys */
    char *staging;      /* page-locked, made when a frame's planes can't be copied as they lie */
    bool broken;        /* the last submission failed on its way */
    bool timed;         /* the last submission passed the marks */
    cu_event mark[3];   /* before and after the upload, at the end; made for the first frame that is timed */
};

int cu_layout_init(struct cu_layout *l, const struct graph *g, struct assay_error *e);
void cu_layout_free(struct cu_layout *l);

/* The context is current in all of these. */
int cu_slot_init(struct cu_slot *s, struct cu_gpu *gpu, const struct cu_layout *l, struct assay_error *e);
void cu_slot_free(struct cu_slot *s, const struct cu_gpu *gpu);
/* Of slot `number` of them: the others may hold earlier frames. */
int cu_slot_submit(struct cu_slot *slots, uint32_t number, struct cu_gpu *gpu, const struct cu_layout *l,
                   const struct frame_inputs *inputs, bool timed, struct assay_error *e);

/* A frame pair that is on the device, by side and component. */
struct cu_frame {
    struct device_picture side[2];
    cu_stream stream; /* whose work until now writes the planes, and whose work from now on may overwrite them */
};

/* Loads the kernels that unpacking takes, unless that is done. */
int cu_unpack_load(struct cu_gpu *gpu, const struct device_picture *picture, enum sample_type type, struct assay_error *e);
/* Queues a side's picture from where it lies to the slot's input planes: whole, or only the planes that a kernel can't read as
 * they lie, whose address in `picture` becomes 0. */
cu_result cu_unpack(const struct cu_slot *s, const struct cu_gpu *gpu, const struct cu_layout *l, unsigned side,
                    struct device_picture *picture, bool whole);
/* The executor's `take`; the kernels are loaded. */
int cu_slot_take(struct cu_slot *s, const struct cu_gpu *gpu, const struct cu_layout *l, unsigned side,
                 const struct device_picture *picture, struct assay_error *e);

/* Scores such a pair in place, but for what has to be unpacked first (the kernels for that are loaded), and what later frames
 * read of it, which is copied. */
int cu_slot_submit_device(struct cu_slot *slots, uint32_t number, struct cu_gpu *gpu, const struct cu_layout *l, const uint32_t *held,
                          const struct cu_frame *frame, struct assay_error *e);
int cu_slot_wait(struct cu_slot *s, const struct cu_gpu *gpu, const struct cu_layout *l, struct assay_error *e);
int cu_slot_read_plane(struct cu_slot *s, const struct cu_gpu *gpu, const struct cu_layout *l, graph_plane plane,
                       void *dst, size_t dst_stride, struct assay_error *e);

/* ---- measuring (measure.c) ---- */

/* Makes the marks, and the device's origin of time on the slot's stream, unless that is done. */
int cu_slot_marks(struct cu_slot *s, struct cu_gpu *gpu, struct assay_error *e);
/* The times of the frame that was waited for; all 0 when it wasn't timed. */
int cu_slot_times(const struct cu_slot *s, const struct cu_gpu *gpu, struct frame_times *times, struct assay_error *e);
/* The executor's copy_rate. */
int cu_copy_rate(const struct cu_gpu *gpu, enum executor_copy kind, size_t bytes, unsigned times, double *seconds,
                 struct assay_error *e);

#endif
