/* SPDX-License-Identifier: BSD-2-Clause */
/* The instruction sets and CPUs that this process may use. */
#ifndef ASSAY_HOST_CPU_H
#define ASSAY_HOST_CPU_H

#include <stdint.h>

/* The levels that kernels are built for, and the instruction sets that a build for a level may use:
 *   sse4    SSSE3 and SSE4.1
 *   avx2    those of sse4, AVX and AVX2 (not FMA, F16C or BMI)
 *   avx512  those of avx2, AVX-512 F, BW, DQ and VL
 *   avx512vnni  those of avx512 and AVX-512 VNNI
 *   neon    AArch64's own Advanced SIMD */
enum cpu_level { CPU_SCALAR, CPU_SSE4, CPU_AVX2, CPU_AVX512, CPU_AVX512VNNI, CPU_NEON, CPU_LEVELS };

/* A mask with bit 1 << level set for each level that this machine can run. CPU_SCALAR's bit is always set. */
uint32_t cpu_levels(void);

/* The widest level in a mask. The mask has at least CPU_SCALAR. */
enum cpu_level cpu_best_level(uint32_t levels);

/* "scalar", "sse4", "avx2", "avx512", "avx512vnni", "neon". */
const char *cpu_level_name(enum cpu_level level);

/* The name in messages and tables: "scalar C", "SSE4.1", "AVX2", "AVX-512", "AVX-512 VNNI", "NEON". */
const char *cpu_level_title(enum cpu_level level);

/* The level with this name, or -1. */
int cpu_level_from_name(const char *name);

/* Number of CPUs that this process may keep busy, at least 1: the CPUs in its affinity mask, or fewer where a control
 * group limits its CPU time. */
unsigned cpu_allowed_count(void);

/* The tightest limit that control groups set, in whole CPUs, rounded up; 0: no limit. Groups are searched from the
 * process's own group up to the root. `membership` is a file like /proc/self/cgroup, `root` the folder where the
 * hierarchies are mounted. */
unsigned cpu_cgroup_limit(const char *membership, const char *root);

#endif
