/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernels/shaders/shaders.h"

#define DECLARE(name) extern const struct shader assay_shader_min_##name, assay_shader_full_##name;
KERNEL_EACH_VARIANT(DECLARE)

#define MIN(name) &assay_shader_min_##name,
#define FULL(name) &assay_shader_full_##name,
const struct shader *const assay_shaders[SHADER_KINDS][KERNEL_VARIANTS] = {
    [SHADER_MIN] = {KERNEL_EACH_VARIANT(MIN)},
    [SHADER_FULL] = {KERNEL_EACH_VARIANT(FULL)},
};
