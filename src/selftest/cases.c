/* SPDX-License-Identifier: BSD-2-Clause */
#include "selftest/cases.h"

#include <string.h>

/* Kernels of bit patterns take the pattern's number as a way of being nasty: these reach each of the ways once. */
static const enum recipe_pattern patterns[CASE_FRAMES] = {PATTERN_RANDOM, PATTERN_CHECKERBOARD, PATTERN_ZERO_FULL,
                                                          PATTERN_FLAT, PATTERN_NOISE_ON_WHITE};

enum recipe_pattern case_pattern(unsigned frame)
{
    return patterns[frame];
}

uint32_t case_seed(unsigned frame)
{
    return 1000 + frame;
}

bool case_is_primitive(unsigned kernel)
{
    return !strncmp(assay_kernel_info[kernel].family, "t_", 2);
}
