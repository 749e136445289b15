/* SPDX-License-Identifier: BSD-2-Clause */
#include "exact/levels.h"

#include <string.h>

#include "kernels_sabotaged.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#define DECLARE(name) void assay_k_##name##_sabotaged(const struct kernel_args *args);
#define ENTRY(name) {#name, assay_k_##name##_sabotaged},

KERNELS_SOME(DECLARE)

kernel_fn *sabotaged_kernel(unsigned kernel)
{
    static const struct { const char *name; kernel_fn *run; } all[] = {KERNELS_SOME(ENTRY)};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!strcmp(all[i].name, assay_kernel_info[kernel].name))
            return all[i].run;
    return NULL;
}

#if defined(__x86_64__)
enum { DENORMALS_ARE_ZERO = 0x40, FLUSH_TO_ZERO = 0x8000 };

uint64_t flush_to_zero_on(void)
{
    const unsigned modes = _mm_getcsr();
    _mm_setcsr(modes | DENORMALS_ARE_ZERO | FLUSH_TO_ZERO);
    return modes;
}

void flush_to_zero_off(uint64_t modes)
{
    _mm_setcsr((unsigned)modes);
}
#else
uint64_t flush_to_zero_on(void)
{
    uint64_t modes;
    __asm__ volatile("mrs %0, fpcr" : "=r"(modes));
    __asm__ volatile("msr fpcr, %0" : : "r"(modes | 1u << 24) : "memory");
    return modes;
}

void flush_to_zero_off(uint64_t modes)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(modes) : "memory");
}
#endif
