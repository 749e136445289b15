/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of one instruction set in the order of assay_kernel_info; built once per level. */
#include "kernels/dialect/level.h"
#include "kernels_gen.h"

#define DECLARE(name) void KERNEL_AT_LEVEL(name)(const struct kernel_args *args);
KERNEL_EACH_VARIANT(DECLARE)

extern kernel_fn *const KERNEL_AT_LEVEL(table)[KERNEL_VARIANTS];
#define ENTRY(name) KERNEL_AT_LEVEL(name),
kernel_fn *const KERNEL_AT_LEVEL(table)[KERNEL_VARIANTS] = {KERNEL_EACH_VARIANT(ENTRY)};
