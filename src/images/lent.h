/* SPDX-License-Identifier: BSD-2-Clause */
/* The images of a public call: checked, and in the terms of executors/gpu/images.h. */
#ifndef ASSAY_IMAGES_LENT_H
#define ASSAY_IMAGES_LENT_H

#include "executors/gpu/images.h"
#include "images/compare.h"

/* One image. */
struct lent {
    const struct assay_gpu *owner;
    const struct texel_format *format; /* of packed texels; NULL: planes of a picture */
    assay_format planes;               /* of a picture in planes */
    uint32_t packing;                  /* of a picture in planes: ASSAY_PACKED_* */
    uint32_t width, height;            /* of the whole image */
    struct image image;                /* its rectangle */
    struct image_order order;
};

/* [0] is the reference. texels.format is NULL for planes. */
struct lent_pair {
    struct lent side[2];
    struct texel_pair texels;
};

/* Checks the images of a call that runs on `gpu`. Fails when they can't meet in a pair. Whether their texels can be
 * compared is for texel_pair_check to say. */
int lent_look(const struct assay_gpu *gpu, const assay_gpu_image *reference, const assay_gpu_image *distorted,
              struct lent_pair *pair, struct assay_error *e);

/* Checks one picture in planes, and gives it in the form that executors take. */
int lent_look_planes(const assay_cuda_image *from, const char *which, struct device_picture *to, struct assay_error *e);

/* Checks the options, and decides by them how textures get to a device of another API. Fails when they can't. */
int lent_route(const struct assay_gpu *gpu, const assay_gpu_options *options, struct lent_pair *pair,
               struct assay_error *e);

/* Rows `first` to `first + rows - 1` of the pair's rectangles, for an executor. Between the strip that begins the pair
 * and the one that ends it, images stay with the executor's queue family; semaphores are waited for by the first and
 * signalled by the last. */
struct image_frame lent_band(const struct lent_pair *pair, uint32_t first, uint32_t rows);

/* "reference", "distorted image". */
const char *lent_name(unsigned side);

/* Fails when one of a structure's reserved fields is not 0. */
int lent_reserved(const uint32_t *reserved, size_t bytes, const char *of, struct assay_error *e);

#endif
