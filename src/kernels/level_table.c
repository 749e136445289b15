/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels of one instruction set in the order of assay_kernel_info; built once per level. With vectors the
 * primitives are NULL but in tests, which link them.
 */
#include "kernels/dialect/level.h"
#include "kernels_gen.h"

#define DECLARE(name) void KERNEL_AT_LEVEL(name)(const struct kernel_args *args);
KERNEL_EACH_OF_METRICS(DECLARE)
#if LANES > 1
#define DECLARE_PRIMITIVE(name) __attribute__((weak)) DECLARE(name)
#else
#define DECLARE_PRIMITIVE(name) DECLARE(name)
#endif
KERNEL_EACH_PRIMITIVE(DECLARE_PRIMITIVE)

extern kernel_fn *const KERNEL_AT_LEVEL(table)[KERNEL_VARIANTS];
#define ENTRY(name) KERNEL_AT_LEVEL(name),
kernel_fn *const KERNEL_AT_LEVEL(table)[KERNEL_VARIANTS] = {KERNEL_EACH_VARIANT(ENTRY)};
