/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How to build one valid pass of every kernel: sizes, grid, parameters and inputs inside the ranges that the kernel states.
 * Shared by the self-test of devices and the tests of every backend: whoever runs the same recipe must get the same bits.
 * Inputs are a pure function of (kernel, plane, size, pattern, seed).
 */
#ifndef ASSAY_SELFTEST_RECIPES_H
#define ASSAY_SELFTEST_RECIPES_H

#include <stdbool.h>

#include "kernels_gen.h"

/* What lies in the input planes. Plane 0 is the reference of a pair, plane 1 the distorted one. Planes of bit patterns (the
 * primitives) have as many sets of adversarial words instead. */
enum recipe_pattern {
    PATTERN_RANDOM,
    PATTERN_CHECKERBOARD,     /* against its inverse */
    PATTERN_ZERO_FULL,        /* 0 against full scale */
    PATTERN_FLAT,
    PATTERN_FIRST_PIXEL,      /* one full-scale pixel in a corner of plane 0 */
    PATTERN_LAST_PIXEL,
    PATTERN_TOP_RIGHT,
    PATTERN_BOTTOM_LEFT,
    PATTERN_NOISE_ON_WHITE,   /* full scale, the second plane plus or minus one */
    PATTERNS
};

struct recipe_pass {
    const struct kernel_info *info;
    uint16_t kernel; /* index into assay_kernel_info */
    struct { uint32_t width, height; } plane[KERNEL_PLANES]; /* read, then written */
    uint32_t grid_w, grid_h;
    union kernel_param param[KERNEL_PARAMS];
    uint32_t bits;   /* of u8 and u16 samples */
};

enum recipe_result {
    RECIPE_OK,
    RECIPE_TOO_SMALL, /* the kernel is never asked for a plane of this size */
    RECIPE_UNKNOWN,   /* a kernel with parameters or tables has no recipe yet: add one to recipes.c */
};

/* How many sets of parameters the kernel has, at least 1. */
unsigned recipe_param_sets(unsigned kernel);

/* The pass of `kernel` for frames of width x height. `bits` is used when plane 0 is u8 (then 8) or u16. */
enum recipe_result recipe_make(struct recipe_pass *pass, unsigned kernel, uint32_t width, uint32_t height, uint32_t bits,
                               unsigned param_set);

/* Writes input plane `plane`, rows `stride` bytes apart, no byte outside its rows. */
void recipe_fill(const struct recipe_pass *pass, unsigned plane, enum recipe_pattern pattern, uint32_t seed, void *data,
                 size_t stride);

/* Whether plane i of a and plane j of b are filled with the same samples by equal patterns and seeds. */
bool recipe_same_plane(const struct recipe_pass *a, unsigned i, const struct recipe_pass *b, unsigned j);

const char *recipe_pattern_name(enum recipe_pattern pattern);

/* 64-bit words that the pass adds to: sums, then bins or row sums. */
size_t recipe_totals(const struct recipe_pass *pass);

#endif
