/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/cpu/cpu.h"

#include <string.h>

#include "levels_gen.h"

#define DECLARE(name, level) extern kernel_fn *const assay_k_table_##name[KERNEL_VARIANTS];
KERNEL_EACH_LEVEL(DECLARE)

static const struct cpu_kernels levels[] = {
#define ENTRY(name, level) {level, assay_k_table_##name},
    KERNEL_EACH_LEVEL(ENTRY)
};
enum { LEVELS = sizeof levels / sizeof levels[0] };

static bool cpu_runs(enum cpu_level level)
{
    return cpu_levels() >> level & 1;
}

const struct cpu_kernels *cpu_kernels_by_name(const char *name)
{
    for (unsigned i = 0; i < LEVELS; i++)
        if (cpu_runs(levels[i].level) && (!name || !strcmp(name, cpu_level_name(levels[i].level))))
            return &levels[i];
    return NULL;
}

const char *cpu_kernels_missing(const char *name)
{
    const int level = name ? cpu_level_from_name(name) : (int)cpu_best_level(cpu_levels());
    if (level < 0 || !cpu_runs((enum cpu_level)level))
        return NULL;
    name = cpu_level_name((enum cpu_level)level);
    return cpu_kernels_by_name(name) ? NULL : name;
}

kernel_fn *cpu_kernel(const struct cpu_kernels *kernels, unsigned kernel)
{
    return kernels->kernel[kernel] ? kernels->kernel[kernel] : assay_k_table_scalar[kernel];
}
