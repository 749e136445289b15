/* SPDX-License-Identifier: BSD-2-Clause */
/* The same scene, drawn without a window by two graphics APIs into an image of WIDTH x HEIGHT texels of 8 bits. */
#ifndef SCENE_H
#define SCENE_H

#include <assay/gpu.h>

enum { WIDTH = 320, HEIGHT = 240 };

/* Draw the scene, and fill in what assay_gpu_open and assay_gpu_compare take. The process ends when a device is
 * missing. */
void draw_with_vulkan(assay_gpu_handles *device, assay_gpu_image *image);
void draw_with_opengl(float tint, assay_gpu_handles *context, assay_gpu_image *image);

/* Ends the process with the status by which a test is skipped. */
void no_device(const char *what);

#endif
