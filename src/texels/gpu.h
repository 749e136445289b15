/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an assay_gpu is: executors on the application's device, one for each shape of pair that was compared lately, because an
 * executor is prepared for one graph.
 */
#ifndef ASSAY_TEXELS_GPU_H
#define ASSAY_TEXELS_GPU_H

#include "texels/compare.h"

enum { GPU_SHAPES = 8 };

/* A pair of a size: the graph of a band of rows, and an executor that is prepared for it. */
struct gpu_shape {
    const struct texel_format *format[2];
    uint32_t width, rows;
    struct graph *graph;
    struct executor *executor;
    uint64_t used; /* 0: empty; else the larger, the later */
};

struct assay_gpu {
    struct assay_error error;
    /* A new executor on the device. */
    int (*open)(struct assay_gpu *gpu, struct executor **out, struct assay_error *e);
    void *handles; /* of the API, owned */
    struct executor *probe; /* on the device, prepared for nothing */
    char device[128], driver[128];
    struct gpu_shape shape[GPU_SHAPES];
    uint64_t clock;
    uint64_t passes_run; /* on the device, for tests */
};

/* Rows of both images that one submission takes. */
struct gpu_band {
    uint32_t first, rows;
    bool is_first, is_last; /* of its pair */
};

/* Submits slot 0 of x: the band's texels are the inputs of its graph. */
typedef int gpu_submit(struct assay_gpu *gpu, struct executor *x, const void *images, const struct gpu_band *band);

/* Opens an executor to see whether the device can run, keeps a copy of `handles`. */
int gpu_new(assay_gpu **gpu, const void *handles, size_t size,
            int (*open)(struct assay_gpu *gpu, struct executor **out, struct assay_error *e), char *error, size_t error_size);

/* The whole comparison; `images` goes to `submit`. */
int gpu_compare(struct assay_gpu *gpu, const struct texel_pair *pair, const assay_compare_options *options,
                gpu_submit *submit, const void *images, assay_image_figures *figures);

/* Starts a public call: its error is the last one. */
void gpu_begin(struct assay_gpu *gpu);

/* The rectangle of an image, which must lie inside; `which` is "reference" or "distorted image". */
int gpu_rectangle(assay_rectangle *r, uint32_t width, uint32_t height, const char *which, struct assay_error *e);

/* The pair's size, which both rectangles have. */
int gpu_pair_size(struct texel_pair *pair, const assay_rectangle rectangle[2], struct assay_error *e);

/* Another executor on the device, for the self-test: of a selftest_device whose `opaque` is a struct assay_gpu. */
int gpu_reopen(void *gpu, struct executor **out, struct assay_error *e);

/* "reference", "distorted image". */
const char *gpu_side_name(unsigned side);

#endif
