/* SPDX-License-Identifier: BSD-2-Clause */
/* A Vulkan device: its queues and memory, the pipelines of a plan, and what a slot has of it. */
#ifndef ASSAY_EXECUTORS_VULKAN_DEVICE_H
#define ASSAY_EXECUTORS_VULKAN_DEVICE_H

#include "executors/gpu/device.h"
#include "executors/vulkan/queues.h"

/* Handles that are 64 bits wide are pointers in the headers of a 64-bit machine. */
#define VK_HANDLE(type, value) ((type)(uintptr_t)(value))

struct vk_device {
    struct gpu_device base;
    struct vk_api api;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    struct vk_queues queues;
    bool ours; /* the device, to destroy */
    VkPhysicalDeviceMemoryProperties memory;
    float tick;          /* nanoseconds of the queues' clock; 0: those that compute have none */
    uint64_t clock_mask; /* bits of that clock that count */
    bool copy_clock;     /* the queue that copies has it, too */
    bool memory_budget;  /* the driver says how much is free */
    /* Of the plan (pipelines.c). */
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool sets;
    VkPipeline *pipeline; /* by kernel; null where the graph does not use it */
};

/*
 * A slot has a command buffer for what goes before the passes, one for the passes, and where the device has a queue
 * that only copies one for uploads there: the passes then wait for a semaphore, while the upload runs beside the passes
 * of earlier frames.
 */
struct vk_slot {
    VkQueue queue; /* that computes, of this slot */
    VkCommandPool commands, copies;
    VkCommandBuffer first, passes;
    VkCommandBuffer apart;  /* uploads for the queue that copies; null where there is none */
    VkCommandBuffer now;    /* being recorded */
    VkResult failed;        /* while it was */
    VkSemaphore uploaded;   /* between the two queues; made for the first frame */
    VkFence fence;
    VkDescriptorSet *sets;  /* by pass */
    bool separate;          /* the upload is recorded in `apart` */
    bool pending;           /* the fence is not waited for yet */
    VkQueryPool marks;      /* made for the first frame that is timed */
    bool marked;            /* the command buffers write them */
    struct gpu_buffer times; /* where they are copied to */
};

/* `want` is a number or a part of a name; NULL takes the first real GPU, or a software device when there is no
 * other. */
int vk_device_open(struct vk_device **out, const char *want, struct assay_error *e);
int vk_device_adopt(struct vk_device **out, const struct image_device *lent, struct assay_error *e);
void vk_device_close(struct vk_device **out);

/* Of executor_ops. */
int vk_device_list(void (*show)(void *opaque, const struct executor_device *device), void *opaque,
                   struct assay_error *e);

/* ---- of gpu_device_ops ------------------------------------------------------------------------------------------- */

extern const struct gpu_device_ops vk_device_ops;

/* device.c */
int vk_free_bytes(struct gpu_device *d, uint64_t *bytes, struct assay_error *e);
void vk_uuids(struct gpu_device *d, uint8_t device[VK_UUID_SIZE], uint8_t driver[VK_UUID_SIZE]);

/* buffer.c */
int vk_buffer_create(struct gpu_device *d, enum gpu_memory kind, uint64_t bytes, struct gpu_buffer *out,
                     struct assay_error *e);
int vk_buffer_share(struct gpu_device *d, uint64_t bytes, struct gpu_buffer *out, int *fd, struct assay_error *e);
void vk_buffer_destroy(struct gpu_device *d, struct gpu_buffer *b);
int vk_buffer_flush(struct gpu_device *d, struct gpu_buffer *b, struct assay_error *e);
int vk_buffer_invalidate(struct gpu_device *d, struct gpu_buffer *b, struct assay_error *e);

/* pipelines.c */
int vk_prepare(struct gpu_device *d, struct assay_error *e);
void vk_unprepare(struct vk_device *d);
void vk_dispatch(struct gpu_device *d, struct gpu_slot *s, graph_pass p);

/* images.c */
int vk_bring(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e);

#endif
