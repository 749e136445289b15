/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Devices that we have opened, each at most once in a process: sessions and self-tests that run at a time share it.
 * Drivers open one device after another, for 0.3 s each on some.
 */
#ifndef ASSAY_EXECUTORS_VULKAN_OPENED_H
#define ASSAY_EXECUTORS_VULKAN_OPENED_H

#include <pthread.h>

#include "executors/vulkan/queues.h"

struct vk_opened {
    VkPhysicalDevice physical;
    VkDevice device;
    uint32_t users, taken;  /* now; since it was opened */
    uint32_t computes;      /* queues */
    bool lost;              /* nobody else gets it */
    pthread_mutex_t queues; /* held by whoever submits */
    struct vk_opened *next;
};

/* Opens the device, or joins those that have it, and fills in the queues of the plan. vk gets the device's functions.
 * Users begin with different compute queues. */
int vk_opened_take(struct vk_opened **out, struct vk_api *vk, VkPhysicalDevice physical,
                   const struct vk_families *have, struct vk_queues *queues, struct assay_error *e);
/* The last user destroys the device. Nothing for NULL. */
void vk_opened_leave(struct vk_opened **opened, const struct vk_api *vk);

/* Around each use of a queue. Nothing for NULL, an application's device, whose queue is this user's alone. */
void vk_opened_lock(struct vk_opened *opened);
void vk_opened_unlock(struct vk_opened *opened);

#endif
