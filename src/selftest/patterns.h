/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contents of frames of the self-test and of tests: a pure function of pattern, side, size and seed. Side 0 is the
 * reference, side 1 the distorted picture.
 */
#ifndef ASSAY_SELFTEST_PATTERNS_H
#define ASSAY_SELFTEST_PATTERNS_H

#include "kernels_gen.h"

enum pattern {
    PATTERN_RANDOM,
    PATTERN_CHECKERBOARD,     /* against its inverse */
    PATTERN_ZERO_FULL,        /* 0 against full scale */
    PATTERN_FLAT,
    PATTERN_NOISE_ON_WHITE,   /* full scale, side 1 plus or minus one */
    PATTERN_SMOOTH,           /* a gradient, side 1 with little noise on it, like a real pair */
    PATTERN_FIRST_PIXEL,      /* one full-scale pixel in a corner of side 0 */
    PATTERN_LAST_PIXEL,
    PATTERN_TOP_RIGHT,
    PATTERN_BOTTOM_LEFT,
    PATTERNS
};

/* A sample from 0 to `full` of a plane of w x h. */
uint32_t pattern_sample(enum pattern pattern, unsigned side, uint32_t x, uint32_t y, uint32_t w, uint32_t h,
                        uint32_t full, uint32_t random);

/* Fills a plane of a frame. u8 and u16 hold samples of `bits` (u8: all 8). u32 are elements of packed texels, which may
 * hold any bits; the pattern chooses arbitrary words, odd floats or floats from 0 to 1. f32 are light: up to 64, of
 * PATTERN_RANDOM every magnitude, of either sign. No byte outside the rows is written. */
void pattern_fill(enum pattern pattern, unsigned side, uint32_t seed, enum sample_type type, uint32_t bits,
                  const struct kernel_plane *to);

#endif
