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

/* Rounding, flushing and fusing; conversions and selects; indices of parameters and tables; the order of shared memory; sums in
 * 64 bits, extrema and bins. One sample type each. */
bool case_at_first_use(unsigned kernel)
{
    static const char *const names[] = {
        "t_divide_u32", "t_roots_u32", "t_round_u32", "t_denormals_u32", "t_fuse_u32", "t_convert_u32", "t_shift_u32",
        "t_select_u32", "t_u64_u32", "t_params_u8", "t_table_u8", "t_clamp_u32", "t_barriers_u8", "t_groups_f32",
        "t_sums_u32", "t_sum_f32_f32", "t_row_sums_u8", "t_extrema_u32", "t_histogram_u8",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(names[i], assay_kernel_info[kernel].name))
            return true;
    return false;
}
