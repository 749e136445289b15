/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frames in flight: their buffers, and their commands, which are recorded once and replayed. A slot has two command
 * buffers: the upload, recorded again when the host's planes lie elsewhere than last time, and the passes, recorded again
 * when a stride differs. They go in one submission, or each in one of its own when the device has a queue that only copies:
 * the passes then wait for a semaphore, while the upload runs beside the passes of earlier frames.
 */
#ifndef ASSAY_EXECUTORS_VULKAN_FRAME_H
#define ASSAY_EXECUTORS_VULKAN_FRAME_H

#include "executors/vulkan/device.h"

/* Where an input plane comes from. */
struct vk_source {
    VkBuffer buffer;
    VkDeviceSize offset, bytes;
    uint32_t stride;
};

struct vk_slot {
    struct vk_buffer inputs, results, readback;
    struct vk_buffer staging;   /* for planes that don't lie in memory of host_alloc; made when the first one comes */
    struct vk_buffer *storage;  /* intermediate planes */
    VkDescriptorSet *sets;      /* by pass */
    VkQueue queue;              /* that computes, of this slot */
    VkCommandBuffer upload, passes;
    VkCommandBuffer apart;      /* the upload for the queue that copies; null where there is none */
    VkSemaphore uploaded;       /* between the two queues; made for the first frame */
    VkFence fence;
    struct vk_source *recorded; /* by plane: what the command buffers hold */
    uint32_t *strides;          /* by plane */
    bool upload_recorded, passes_recorded, in_flight;
    bool separate;              /* the upload is recorded in `apart` */
    uint32_t dispatches;        /* in `passes` */
    bool marked;                /* the command buffers write the frame's times */
    VkQueryPool marks;          /* around the upload and around the passes; made for the first frame that is timed */
    int64_t *totals;
    uint32_t *extrema;
};

struct vk_frames {
    struct vk_device *device;
    const struct graph *graph;
    const struct gpu_plan *plan;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool sets;
    VkCommandPool commands, copies; /* the latter for the queue that copies */
    VkPipeline *pipeline; /* by kernel; null where the graph does not use it */
    struct vk_slot *slot;
    uint32_t slots;
    bool timed;           /* frames from now on are */
};

int vk_frames_init(struct vk_frames *f, struct vk_device *d, const struct graph *g, const struct gpu_plan *plan,
                   uint32_t slots, struct assay_error *e);
void vk_frames_free(struct vk_frames *f);

/* Starts a frame whose input plane i lies at sources[i]. */
int vk_frames_submit(struct vk_frames *f, uint32_t slot, const struct vk_source *sources, struct assay_error *e);

/* The same for inputs that lie on the device: `bring` records the commands that bring them to where the plan has them, at
 * sources[i].stride for input plane i. The semaphores may be null. */
typedef void vk_record_fn(const struct vk_frames *f, const struct vk_slot *s, const void *opaque);
struct vk_sync {
    VkSemaphore wait, signal;
};
int vk_frames_submit_on_device(struct vk_frames *f, uint32_t slot, const struct vk_source *sources, vk_record_fn *bring,
                               const void *opaque, const struct vk_sync *sync, struct assay_error *e);

/* Waits for it and reads its results into the slot. */
int vk_frames_wait(struct vk_frames *f, uint32_t slot, struct assay_error *e);

/* Copies device memory into a mapped buffer, now; the slot must be idle. */
int vk_frames_read(struct vk_frames *f, uint32_t slot, const struct vk_buffer *from, VkDeviceSize offset,
                   const struct vk_buffer *to, VkDeviceSize bytes, struct assay_error *e);

/* Commands that run at once, in the slot's `upload`: begin, record, end (which waits for them). The slot must be idle. */
int vk_slot_begin(struct vk_frames *f, struct vk_slot *s, struct assay_error *e);
int vk_slot_end(struct vk_frames *f, struct vk_slot *s, struct assay_error *e);

/* ---- measuring (measure.c) ---- */

enum { VK_MARKS = 4 };
/* Marks for a slot whose frames are timed, where the device has a clock. The slot must be idle. */
int vk_slot_marks(struct vk_frames *f, struct vk_slot *s, struct assay_error *e);
/* Records mark `which`: when all that was submitted before to its queue is done. Nothing when the slot isn't marked. */
void vk_slot_mark(const struct vk_frames *f, const struct vk_slot *s, VkCommandBuffer c, uint32_t which);
/* Records that the marks go behind the results in the slot's readback buffer, and, as a queue that only copies can't clear them,
 * that they are clear for the slot's next frame. */
void vk_slot_collect_marks(const struct vk_frames *f, const struct vk_slot *s, VkCommandBuffer c);
/* The times of the frame that was waited for; all 0 when it wasn't timed. */
void vk_slot_times(const struct vk_frames *f, const struct vk_slot *s, struct frame_times *times);
/* The executor's copy_rate. */
int vk_copy_rate(struct vk_device *d, enum executor_copy kind, size_t bytes, unsigned times, double *seconds,
                 struct assay_error *e);

#endif
