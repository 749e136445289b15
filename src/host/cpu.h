/* SPDX-License-Identifier: BSD-2-Clause */
/* What the processor and the operating system let this process use. */
#ifndef ASSAY_HOST_CPU_H
#define ASSAY_HOST_CPU_H

#include <stdint.h>

/* The instruction sets that kernels are built for, and what a build for one may assume:
 *   sse4    SSSE3 and SSE4.1
 *   avx2    that, AVX and AVX2 (not FMA, F16C or BMI)
 *   avx512  that, AVX-512 F, BW, DQ and VL
 *   neon    AArch64's own Advanced SIMD */
enum cpu_level { CPU_SCALAR, CPU_SSE4, CPU_AVX2, CPU_AVX512, CPU_NEON, CPU_LEVELS };

/* Bit 1 << level is set for each level that this machine can run; CPU_SCALAR's always is. */
uint32_t cpu_levels(void);

/* The widest of the levels in a mask that has at least CPU_SCALAR. */
enum cpu_level cpu_best_level(uint32_t levels);

/* "scalar", "sse4", "avx2", "avx512", "neon". */
const char *cpu_level_name(enum cpu_level level);

/* The level of a name, or -1. */
int cpu_level_from_name(const char *name);

/* How many CPUs this process may keep busy, at least 1: those in its affinity mask, or fewer where a control group
 * limits its CPU time. */
unsigned cpu_allowed_count(void);

/* The same for one control group hierarchy: `membership` is a file like /proc/self/cgroup, `root` the folder where the
 * hierarchies are mounted. The tightest limit on the way up from the process's own group, in whole CPUs rounded up;
 * 0 where there is none. */
unsigned cpu_cgroup_limit(const char *membership, const char *root);

#endif
