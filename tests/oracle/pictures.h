/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs of pictures that are hard on rounding, made from a seed. */
#ifndef ASSAY_TESTS_PICTURES_H
#define ASSAY_TESTS_PICTURES_H

#include "oracle.h"

enum content {
    CONTENT_NATURAL,         /* gradients, texture and an edge against a coarser, shifted copy */
    CONTENT_NOISE,           /* full-range noise against other noise */
    CONTENT_BRIGHT_NOISE,    /* weak noise on near-white against other such noise: E[x^2] - mu^2 cancels */
    CONTENT_DARK_NOISE,
    CONTENT_WHITE_ONE,       /* white against white with every sample 0 or 1 below */
    CONTENT_WHITE_ONES,      /* two such pictures: the window's variance is near its own bias */
    CONTENT_SPARSE,          /* noise, 1 sample in 1000 off by one */
    CONTENT_CHECKERBOARD,    /* against its inverse */
    CONTENT_STRIPES,         /* columns against rows */
    CONTENT_BLACK_WHITE,     /* 0 against full scale */
    CONTENT_FLAT,            /* grey against nearly the same grey */
    CONTENT_SAME,            /* noise against itself */
    CONTENT_SAME_FLAT,       /* white against itself */
    CONTENT_BLACK,           /* black against itself */
    CONTENT_CORNERS,         /* one impulse in each corner against flat grey */
    CONTENT_HALVES,          /* black and white halves against the same with noise */
    CONTENTS
};

extern const char *const content_name[CONTENTS];


struct oracle_pair {
    struct oracle_picture ref, dis;
};

/* 4:2:0 with odd sides rounded up, or luma alone. */
void pair_new(struct oracle_pair *pair, uint32_t width, uint32_t height, uint32_t depth, uint32_t planes);
void pair_fill(struct oracle_pair *pair, enum content content, uint64_t seed);
void pair_free(struct oracle_pair *pair);

#endif
