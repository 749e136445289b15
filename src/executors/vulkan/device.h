/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A Vulkan device and its queues: opened by us, or an application's. Buffers of either kind of memory.
 */
#ifndef ASSAY_EXECUTORS_VULKAN_DEVICE_H
#define ASSAY_EXECUTORS_VULKAN_DEVICE_H

#include "executors/gpu/plan.h"
#include "executors/vulkan/queues.h"

struct vk_device {
    struct vk_api api;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    struct vk_queues queues;
    bool ours; /* the device, to destroy */
    struct gpu_limits limits;
    VkPhysicalDeviceMemoryProperties memory;
    float tick;          /* nanoseconds of the queues' clock; 0: those that compute have none */
    uint64_t clock_mask; /* bits of that clock that count */
    bool copy_clock;     /* the queue that copies has it, too */
    bool memory_budget;  /* the driver says how much is free */
    char name[128], driver[128];
};

/* What an application hands in: its queue is used from the session's thread while frames are in flight. */
struct vk_handles {
    PFN_vkGetInstanceProcAddr get_instance_proc_addr;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t family;
};

/* `want` is a number or a part of a name; NULL takes the first real GPU, or a software device when there is no other. */
int vk_device_open(struct vk_device **out, const char *want, struct assay_error *e);
int vk_device_adopt(struct vk_device **out, const struct vk_handles *handles, struct assay_error *e);
void vk_device_close(struct vk_device **out);

/* Of executor_ops. */
int vk_device_list(void (*show)(void *opaque, const struct executor_device *device), void *opaque, struct assay_error *e);

/* Bytes of device memory that are free, as well as the driver knows. */
uint64_t vk_device_free_bytes(const struct vk_device *d);

enum vk_memory_kind {
    VK_MEMORY_DEVICE,   /* for kernels */
    VK_MEMORY_INPUTS,   /* the same, which the queue that copies fills */
    VK_MEMORY_UPLOAD,   /* mapped; the host writes, the device copies from it */
    VK_MEMORY_READBACK, /* mapped; the device copies into it, the host reads */
    VK_MEMORY_SHARED,   /* on the device; another API writes it, see vk_buffer_share */
};

struct vk_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceSize bytes, allocated;
    void *map;     /* of mapped memory */
    bool coherent;
};

int vk_buffer_create(struct vk_device *d, enum vk_memory_kind kind, VkDeviceSize bytes, struct vk_buffer *out,
                     struct assay_error *e);
void vk_buffer_destroy(struct vk_device *d, struct vk_buffer *b);

/* Makes the host's writes visible to the device, or the device's to the host; nothing to do where memory is coherent. */
VkResult vk_buffer_flush(const struct vk_device *d, const struct vk_buffer *b);
VkResult vk_buffer_invalidate(const struct vk_device *d, const struct vk_buffer *b);

/* A buffer that another API of the same device can write, and a file descriptor of its memory, which the caller owns. Where the
 * driver can't, the error says why. */
int vk_buffer_share(struct vk_device *d, VkDeviceSize bytes, struct vk_buffer *out, int *fd, struct assay_error *e);

#endif
