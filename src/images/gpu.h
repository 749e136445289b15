/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An assay_gpu holds executors on the application's device. An executor is prepared for one graph, so there is one for
 * each shape of pair among those that were compared last.
 */
#ifndef ASSAY_IMAGES_GPU_H
#define ASSAY_IMAGES_GPU_H

#include "images/lent.h"

enum { GPU_SHAPES = 8 };

/* The graph of a strip of rows of pairs of one size and format, and the executor that is prepared for it. */
struct gpu_shape {
    const struct texel_format *format[2];
    uint32_t width, rows;
    struct graph *graph;
    struct executor *executor;
    uint64_t used; /* 0: empty; else larger for a later use */
};

struct assay_gpu {
    struct assay_error error;
    uint32_t kind;               /* ASSAY_GPU_VULKAN ... */
    struct image_device handles;
    struct executor *probe;      /* on the device, prepared for nothing */
    struct gpu_shape shape[GPU_SHAPES];
    uint64_t clock;
    uint64_t passes_run;         /* on the device, for tests */
};

/* "a Vulkan device", "a Vulkan image". */
const char *gpu_kind_name(uint32_t kind);
const char *gpu_image_name(uint32_t kind);

/* Another executor on the device: the `open` of a selftest_device whose `opaque` is a struct assay_gpu. */
int gpu_reopen(void *gpu, struct executor **out, struct assay_error *e);

#endif
