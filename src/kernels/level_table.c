/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels of one instruction set in the order of assay_kernel_info; built once per level. With vectors the
 * primitives are NULL, but for tests, which link them and this text built with KERNEL_PRIMITIVES. A level with a level
 * below it has its own kernels of the units that use dot_add_i16.
 */
#include <stddef.h>

#include "kernels/dialect/level.h"
#include "kernels_gen.h"

#define DECLARE(name) void KERNEL_AT_LEVEL(name)(const struct kernel_args *args);
#define DECLARE_BELOW(name) void KERNEL_BELOW(name)(const struct kernel_args *args);
#define ENTRY(name) KERNEL_AT_LEVEL(name),
#define ENTRY_BELOW(name) KERNEL_BELOW(name),
KERNEL_EACH_OF_METRICS(DECLARE)
KERNEL_EACH_OF_METRICS(DECLARE_BELOW)
#if LANES > 1 && !defined(KERNEL_PRIMITIVES)
#define PRIMITIVE(name) NULL,
#define PRIMITIVE_BELOW PRIMITIVE
#else
KERNEL_EACH_PRIMITIVE(DECLARE)
KERNEL_EACH_PRIMITIVE(DECLARE_BELOW)
#define PRIMITIVE ENTRY
#define PRIMITIVE_BELOW ENTRY_BELOW
#endif

extern kernel_fn *const KERNEL_AT_LEVEL(table)[KERNEL_VARIANTS];
kernel_fn *const KERNEL_AT_LEVEL(table)[KERNEL_VARIANTS] = {
    KERNEL_EACH_BY_DOT(ENTRY, ENTRY_BELOW, PRIMITIVE, PRIMITIVE_BELOW)};
