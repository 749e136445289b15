/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU executor: the tiles of one frame on all threads, in rounds of passes that don't depend on each other. */
#ifndef ASSAY_EXECUTORS_CPU_CPU_H
#define ASSAY_EXECUTORS_CPU_CPU_H

#include "executors/executor.h"
#include "host/cpu.h"

/* Kernels of one instruction set, or NULL when this build or this machine lacks it. NULL name: the best one. */
struct cpu_kernels {
    enum cpu_level level;
    kernel_fn *const *kernel; /* by kernel; NULL for self-test kernels that this build has in scalar C only */
};
const struct cpu_kernels *cpu_kernels_by_name(const char *name);

/* The name of an instruction set, NULL: of this machine's best one, if the machine has it and this build has no kernels
 * for it. Else NULL. */
const char *cpu_kernels_missing(const char *name);

/* The function of a kernel at that level. */
kernel_fn *cpu_kernel(const struct cpu_kernels *kernels, unsigned kernel);

#endif
