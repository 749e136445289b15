/* SPDX-License-Identifier: BSD-2-Clause */
/* One side of a pair: what the public description of an image or a texture is to its executor. */
#ifndef ASSAY_TEXELS_SIDES_H
#define ASSAY_TEXELS_SIDES_H

#include "texels/gpu.h"

#include "executors/gpu/images.h"

#ifdef ASSAY_HAVE_VULKAN

bool gpu_is_vulkan(const struct assay_gpu *gpu);

/* Format and rectangle of an image, or why it can't be compared. */
int gpu_vulkan_check(const assay_vulkan_image *image, unsigned side, const struct texel_format **format,
                     assay_rectangle *rectangle, struct assay_error *e);

/* A band of it. Between the first band and the last one it stays ours. */
struct image gpu_vulkan_image(const assay_vulkan_image *i, const struct texel_format *format, const assay_rectangle *r,
                                 const struct gpu_band *band);

/* The semaphores that belong to a band. */
void gpu_vulkan_sync(struct image_frame *frame, const assay_vulkan_sync *sync, const struct gpu_band *band);

/* Both images as they are lent, and a band of them. */
struct gpu_vulkan_pair {
    const struct texel_pair *pair;
    const assay_vulkan_image *image[2];
    assay_rectangle rectangle[2];
    const assay_vulkan_sync *sync;
    struct gpu_band band;
};

/* Their formats and sizes, or why they can't be compared. */
int gpu_vulkan_look(struct gpu_vulkan_pair *images, struct texel_pair *pair, struct assay_error *e);

/* Submits the band as a frame: a session_submit_fn whose frame is a struct gpu_vulkan_pair. */
int gpu_vulkan_submit(struct executor *x, uint32_t slot, const uint32_t *held, const void *images, struct assay_error *e);
#endif

#ifdef ASSAY_HAVE_OPENGL

bool gpu_is_opengl(const struct assay_gpu *gpu);
int gpu_opengl_check(struct executor *x, const assay_opengl_texture *texture, unsigned side,
                     const struct texel_format **format, assay_rectangle *rectangle, struct assay_error *e);
struct image gpu_opengl_texture(const assay_opengl_texture *t, const struct texel_format *f, const assay_rectangle *r,
                                     const struct gpu_band *band);

/* Likewise. */
struct gpu_opengl_pair {
    const struct texel_pair *pair;
    const assay_opengl_texture *texture[2];
    assay_rectangle rectangle[2];
    struct gpu_band band;
};
int gpu_opengl_look(struct executor *x, struct gpu_opengl_pair *textures, struct texel_pair *pair, struct assay_error *e);
int gpu_opengl_submit(struct executor *x, uint32_t slot, const uint32_t *held, const void *textures, struct assay_error *e);
#endif

#if defined ASSAY_HAVE_VULKAN && defined ASSAY_HAVE_OPENGL
struct gpu_both_pair {
    struct assay_gpu *vulkan, *opengl;
    const struct texel_pair *pair;
    const assay_vulkan_image *image;
    const assay_opengl_texture *texture;
    assay_rectangle rectangle[2];
    const assay_vulkan_sync *sync;
    bool staged;
    struct gpu_band band;
};
int gpu_both_look(struct gpu_both_pair *both, struct texel_pair *pair, struct assay_error *e);
int gpu_both_submit(struct executor *x, uint32_t slot, const uint32_t *held, const void *both, struct assay_error *e);

/* Whether the two run on one device and can share memory; looked at before any of it is made. */
int gpu_both_check_sharing(struct assay_gpu *vulkan, struct assay_gpu *opengl, struct assay_error *e);
#endif

#endif
