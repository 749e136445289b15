/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which queues of a device run frames: one or more that compute, to which frames go in turn, and one that only copies,
 * where the device has such a family: the upload of a frame runs there beside the passes of those before it.
 */
#ifndef ASSAY_EXECUTORS_VULKAN_QUEUES_H
#define ASSAY_EXECUTORS_VULKAN_QUEUES_H

#include <stdbool.h>

#include "executors/vulkan/api.h"

enum { VK_COMPUTE_MOST = 8 };
enum { VK_NO_FAMILY = UINT32_MAX };

/* What a device has. */
struct vk_families {
    uint32_t compute, compute_queues, compute_clock_bits; /* the family is VK_NO_FAMILY where there is none */
    uint32_t copy, copy_clock_bits;                       /* one that copies and does nothing else */
};

/* The queues that we use. */
struct vk_queues {
    VkQueue compute[VK_COMPUTE_MOST];
    uint32_t computes, family;
    bool asked;   /* the environment states how many compute */
    VkQueue copy; /* null: uploads go to the compute queues */
    uint32_t copy_family;
};

/* `only`, when not NULL, is the one family to look at; it need not exist. */
void vk_families_look(const struct vk_api *vk, VkPhysicalDevice physical, const uint32_t *only,
                      struct vk_families *out);

/* Leaves out queues of a device that are not worth the time that opening them takes, for so many frames (0: many). */
void vk_families_limit(struct vk_families *have, uint32_t frames);

/* Chooses the number of compute queues and the families; `one` asks for a single queue. ASSAY_VULKAN_QUEUES overrides
 * the choice in tests: it may name more queues than the device has, and the first queue then stands for the others. */
int vk_queues_plan(const struct vk_families *have, bool one, struct vk_queues *out, struct assay_error *e);

/* To how many of the compute queues frames of `passes` passes go, with `bytes` bytes of planes between them; and how
 * many such frames in flight keep uploads, these queues and the host busy at once. */
uint32_t vk_queues_used(const struct vk_queues *queues, uint32_t passes, uint64_t bytes);
uint32_t vk_queues_depth(const struct vk_queues *queues, uint32_t passes, uint64_t bytes);

/* Opens a device with all the queues that any plan takes. */
int vk_queues_device(const struct vk_api *vk, VkPhysicalDevice physical, const struct vk_families *have,
                     VkDevice *device, struct assay_error *e);

/* The plan on such a device. The first of its compute queues is the device's number `first`, modulo how many there
 * are. */
void vk_queues_take(const struct vk_api *vk, VkDevice device, const struct vk_families *have, uint32_t first,
                    struct vk_queues *queues);

/* The plan on an application's only queue, of the family that was planned with. */
void vk_queues_adopt(struct vk_queues *queues, VkQueue queue);

#endif
