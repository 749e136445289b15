/* SPDX-License-Identifier: BSD-2-Clause */
/* The same scene, drawn without a window by two graphics APIs into an image of WIDTH x HEIGHT texels of 8 bits. */
#ifndef SCENE_H
#define SCENE_H

#include <assay/gpu.h>

enum { WIDTH = 320, HEIGHT = 240 };

/* Fill in what assay_gpu_open_* and assay_gpu_compare_* take; the process ends when a device is missing. */
void draw_with_vulkan(assay_vulkan *device, assay_vulkan_image *image);
void draw_with_opengl(float tint, assay_opengl *context, assay_opengl_texture *texture);

/* Ends the process with the status by which a test is skipped. */
void no_device(const char *what);

#endif
