/* SPDX-License-Identifier: BSD-2-Clause */
/* One side of a pair: what the public description of an image or a texture is to its executor. */
#ifndef ASSAY_TEXELS_SIDES_H
#define ASSAY_TEXELS_SIDES_H

#include "texels/gpu.h"

#ifdef ASSAY_HAVE_VULKAN
#include "executors/vulkan/vulkan.h"

bool gpu_is_vulkan(const struct assay_gpu *gpu);

/* Format and rectangle of an image, or why it can't be compared. */
int gpu_vulkan_check(const assay_vulkan_image *image, unsigned side, const struct texel_format **format,
                     assay_rectangle *rectangle, struct assay_error *e);

/* A band of it; `acquire` and `release`: from and to the queue family that it is said to be of. */
struct vk_image gpu_vulkan_image(const assay_vulkan_image *i, const struct texel_format *format, const assay_rectangle *r,
                                 const struct gpu_band *band, bool acquire, bool release);

/* The semaphores that belong to a band. */
struct vk_sync gpu_vulkan_sync(const assay_vulkan_sync *sync, const struct gpu_band *band);
#endif

#ifdef ASSAY_HAVE_OPENGL
#include "executors/opengl/opengl.h"

bool gpu_is_opengl(const struct assay_gpu *gpu);
int gpu_opengl_check(struct executor *x, const assay_opengl_texture *texture, unsigned side,
                     const struct texel_format **format, assay_rectangle *rectangle, struct assay_error *e);
struct gl_texture gpu_opengl_texture(const assay_opengl_texture *t, const struct texel_format *f, const assay_rectangle *r,
                                     const struct gpu_band *band);
#endif

#endif
