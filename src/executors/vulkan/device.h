/* SPDX-License-Identifier: BSD-2-Clause */
/* A Vulkan device: its queues and memory, the pipelines of a plan, and its slots. */
#ifndef ASSAY_EXECUTORS_VULKAN_DEVICE_H
#define ASSAY_EXECUTORS_VULKAN_DEVICE_H

#include "executors/gpu/device.h"
#include "executors/vulkan/opened.h"

/* Handles that are 64 bits wide are pointers in the headers of a 64-bit machine. */
#define VK_HANDLE(type, value) ((type)(uintptr_t)(value))

struct vk_device {
    struct gpu_device base;
    struct vk_api api;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    struct vk_queues queues;
    bool ours;
    struct vk_opened *opened; /* NULL: the application's device */
    VkPhysicalDeviceMemoryProperties memory;
    float tick;          /* nanoseconds per tick of the compute queues' clock; 0: they have no clock */
    uint64_t clock_mask; /* the valid bits of that clock */
    bool copy_clock;     /* the copy queue has that clock, too */
    bool memory_budget;  /* the driver tells how much memory is free */
    /* Of the plan (pipelines.c). */
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool sets;
    VkPipeline *pipeline; /* [kernel]; null when the graph does not use the kernel */
};

/*
 * A slot has a command buffer for the passes and one for the copies before them. A device with a copy queue has a third
 * one, for uploads on that queue: they run beside the passes of earlier frames, and the slot's own passes wait for them
 * by a semaphore.
 */
struct vk_slot {
    VkQueue queue;          /* the compute queue of this slot */
    VkCommandPool commands, copies;
    VkCommandBuffer first, passes;
    VkCommandBuffer apart;  /* uploads on the copy queue; null without such a queue */
    VkCommandBuffer now;    /* the one that is being recorded */
    VkResult failed;        /* the first failure since `begin` */
    VkSemaphore uploaded;   /* from the copy queue to the compute queue; created for the first frame */
    VkFence fence;
    VkDescriptorSet *sets;  /* [pass] */
    bool separate;          /* the upload is recorded in `apart` */
    bool pending;           /* nobody has waited for the fence yet */
    VkQueryPool marks;      /* the timestamps; created for the first frame that is timed */
    bool marked;            /* the command buffers write timestamps */
    struct gpu_buffer times; /* the host's copy of the timestamps */
};

/* The configured device is a number or a part of a name; NULL takes the first real GPU, or a software device when there
 * is no other. With `lent` it is the application's device, and `config` is not read. */
int vk_device_open(struct gpu_device **out, const struct executor_config *config, const struct image_device *lent,
                   struct assay_error *e);
void vk_device_close(struct gpu_device **out);

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
