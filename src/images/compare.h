/* SPDX-License-Identifier: BSD-2-Clause */
/* The comparison of two images of packed texels: its pass, and the figures that its totals give. */
#ifndef ASSAY_IMAGES_COMPARE_H
#define ASSAY_IMAGES_COMPARE_H

#include <assay/gpu.h>

#include "executors/executor.h"
#include "images/formats.h"
#include "passes_gen.h"

/* A pair of images: [0] is the reference. */
struct texel_pair {
    const struct texel_format *format[2];
    uint32_t width, height;
};

/* What was counted so far; starts as 0. An image may be counted in strips of rows. */
struct texel_sums {
    /* The totals of the pass: of the pair's kind. */
    union {
        struct texel_codes_totals codes;
        struct texel_half_totals half;
        struct texel_float_totals floats;
        int64_t word[sizeof(struct texel_float_totals) / sizeof(int64_t)];
    } total;
    struct { uint32_t value, x, y; } largest[4];
};

/* Whether the figures of such a pair mean something: the same channels with the same bits, sRGB against sRGB. */
int texel_pair_check(const struct texel_pair *pair, bool srgb_as_unorm, struct assay_error *e);

/* A byte per channel, as the kernels take where each field begins and how many bits it has. */
int32_t texel_fields(const uint8_t of[4]);

/* From a channel's field to a half: its missing last bits, under the sign that an unsigned float has not. */
uint8_t texel_half_shift(uint8_t bits);

/* Adds the comparison of a strip of `rows` rows: its inputs are plane 0 of either side, `elements` x width wide. */
int texel_passes(struct graph *g, const struct texel_pair *pair, uint32_t rows, struct assay_error *e);

/* Adds the results of a strip that begins at first_row. */
void texel_sums_add(struct texel_sums *sums, const struct texel_pair *pair, const struct frame_results *strip,
                    uint32_t first_row);

/* `peak` is that of float formats. */
void texel_figures(const struct texel_pair *pair, const struct texel_sums *sums, double peak,
                   assay_image_figures *figures);

#endif
