/* SPDX-License-Identifier: BSD-2-Clause */
/* A slot's part of gpu_device_ops. */
#ifndef ASSAY_EXECUTORS_VULKAN_SLOT_H
#define ASSAY_EXECUTORS_VULKAN_SLOT_H

#include "executors/vulkan/device.h"

int vk_slot_create(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e);
void vk_slot_destroy(struct gpu_device *d, struct gpu_slot *s);
int vk_begin(struct gpu_device *d, struct gpu_slot *s, enum gpu_part part, struct assay_error *e);
int vk_end(struct gpu_device *d, struct gpu_slot *s, enum gpu_part part, struct assay_error *e);
void vk_copy(struct gpu_device *d, struct gpu_slot *s, const struct gpu_copy *copy);
void vk_clear(struct gpu_device *d, struct gpu_slot *s, const struct gpu_buffer *b);
void vk_barrier(struct gpu_device *d, struct gpu_slot *s, enum gpu_barrier barrier);
void vk_mark(struct gpu_device *d, struct gpu_slot *s, unsigned mark);
int vk_submit(struct gpu_device *d, struct gpu_slot *s, enum gpu_part first, bool passes, struct assay_error *e);
int vk_wait(struct gpu_device *d, struct gpu_slot *s, struct assay_error *e);
int vk_times(struct gpu_device *d, struct gpu_slot *s, uint64_t at[GPU_MARKS], struct assay_error *e);

#endif
