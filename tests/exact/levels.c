/* SPDX-License-Identifier: BSD-2-Clause */
#include "exact/levels.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

extern kernel_fn *const assay_k_table_sabotaged[KERNEL_VARIANTS];

kernel_fn *const *sabotaged_kernels(void)
{
    return assay_k_table_sabotaged;
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
