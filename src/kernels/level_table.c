/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels of one instruction set in the order of assay_kernel_info; built once per level. With vectors the
 * primitives are NULL but in tests, which link them. A level with a level below it has its own kernels of the units
 * that use dot_add_i16.
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

#ifdef KERNEL_LEVEL_BELOW
#define DECLARE_BELOW(name) void KERNEL_BELOW(name)(const struct kernel_args *args);
#define DECLARE_PRIMITIVE_BELOW(name) __attribute__((weak)) DECLARE_BELOW(name)
KERNEL_EACH_OF_METRICS(DECLARE_BELOW)
KERNEL_EACH_PRIMITIVE(DECLARE_PRIMITIVE_BELOW)
#define ENTRY_BELOW(name) KERNEL_BELOW(name),
#else
#define ENTRY_BELOW ENTRY
#endif

extern kernel_fn *const KERNEL_AT_LEVEL(table)[KERNEL_VARIANTS];
#define ENTRY(name) KERNEL_AT_LEVEL(name),
kernel_fn *const KERNEL_AT_LEVEL(table)[KERNEL_VARIANTS] = {KERNEL_EACH_BY_DOT(ENTRY, ENTRY_BELOW)};
