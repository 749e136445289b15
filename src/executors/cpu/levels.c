/* SPDX-License-Identifier: BSD-2-Clause */
#include "executors/cpu/cpu.h"

#include <string.h>

#include "host/cpu.h"

#if defined(ASSAY_CHECKED_LEVELS) && defined(__x86_64__)
#define EACH_LEVEL(X) X(sse4, "SSE4.1", CPU_SSE4) X(scalar, "scalar C", CPU_SCALAR)
#elif defined(__x86_64__)
#define EACH_LEVEL(X) X(avx512vnni, "AVX-512 VNNI", CPU_AVX512VNNI) X(avx512, "AVX-512", CPU_AVX512) \
    X(avx2, "AVX2", CPU_AVX2) X(sse4, "SSE4.1", CPU_SSE4) X(scalar, "scalar C", CPU_SCALAR)
#else
#define EACH_LEVEL(X) X(neon, "NEON", CPU_NEON) X(scalar, "scalar C", CPU_SCALAR)
#endif

#define DECLARE(level, title, flag) extern kernel_fn *const assay_k_table_##level[KERNEL_VARIANTS];
EACH_LEVEL(DECLARE)

static const struct {
    struct cpu_kernels kernels;
    enum cpu_level needs;
} levels[] = {
#define ENTRY(level, title, flag) {{#level, title, assay_k_table_##level}, flag},
    EACH_LEVEL(ENTRY)
};
enum { LEVELS = sizeof levels / sizeof levels[0] };

static bool cpu_runs_here(unsigned i)
{
    return levels[i].needs == CPU_SCALAR || (cpu_levels() >> levels[i].needs & 1);
}

const struct cpu_kernels *cpu_kernels_by_name(const char *name)
{
    for (unsigned i = 0; i < LEVELS; i++)
        if (cpu_runs_here(i) && (!name || !strcmp(name, levels[i].kernels.name)))
            return &levels[i].kernels;
    return NULL;
}

kernel_fn *cpu_kernel(const struct cpu_kernels *kernels, unsigned kernel)
{
    return kernels->kernel[kernel] ? kernels->kernel[kernel] : assay_k_table_scalar[kernel];
}

const char *const *cpu_kernel_names(void)
{
    static const char *names[LEVELS + 1]; /* the same content whoever fills it */
    unsigned n = 0;
    for (unsigned i = 0; i < LEVELS; i++)
        if (cpu_runs_here(i))
            names[n++] = levels[i].kernels.name;
    return names;
}
