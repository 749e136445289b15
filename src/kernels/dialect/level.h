/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of the C builds. The build gives KERNEL_LEVEL (scalar sse4 avx2 avx512 avx512vnni neon) and its LANES. Levels
 * that have some kernels of their own also get KERNEL_LEVEL_BELOW, the level that they have the others of. */
#define KERNEL_AT_LEVEL(name) KERNEL_AT_LEVEL_(name, KERNEL_LEVEL)
#define KERNEL_AT_LEVEL_(name, level) KERNEL_AT_LEVEL__(name, level)
#define KERNEL_AT_LEVEL__(name, level) assay_k_##name##_##level
#ifdef KERNEL_LEVEL_BELOW
#define KERNEL_BELOW(name) KERNEL_AT_LEVEL_(name, KERNEL_LEVEL_BELOW)
#else
#define KERNEL_BELOW KERNEL_AT_LEVEL
#endif
