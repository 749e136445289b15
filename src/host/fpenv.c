/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/fpenv.h"

#if defined(__x86_64__)

#include <xmmintrin.h>

/* All six exceptions masked, no flag raised, round to nearest, FTZ and DAZ off: the processor's reset value. */
static const uint32_t library_mxcsr = 0x1f80;
/* The same modes for the x87 unit. glibc's strtod and printf round by its control word. */
static const uint16_t library_x87 = 0x37f;

void assay_fpenv_enter(struct assay_fpenv *saved)
{
    uint16_t x87;
    __asm__ volatile("fnstcw %0\n\tfldcw %1" : "=m"(x87) : "m"(library_x87));
    *saved = (struct assay_fpenv){.control = _mm_getcsr(), .status = x87};
    _mm_setcsr(library_mxcsr);
}

void assay_fpenv_leave(const struct assay_fpenv *saved)
{
    const uint16_t x87 = (uint16_t)saved->status;
    __asm__ volatile("fldcw %0" : : "m"(x87));
    _mm_setcsr((uint32_t)saved->control);
}

#elif defined(__aarch64__)

/* FPCR = 0: round to nearest, no flushing (FZ, FZ16, FIZ), NaN payloads kept, no traps, no alternate behaviour. */
void assay_fpenv_enter(struct assay_fpenv *saved)
{
    uint64_t control, status;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control)::"memory");
    __asm__ volatile("mrs %0, fpsr" : "=r"(status)::"memory");
    saved->control = control;
    saved->status = status;
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0) : "memory");
}

void assay_fpenv_leave(const struct assay_fpenv *saved)
{
    __asm__ volatile("msr fpsr, %0" : : "r"(saved->status) : "memory");
    __asm__ volatile("msr fpcr, %0" : : "r"(saved->control) : "memory");
}

#else
#error "fpenv.c: this machine's floating-point control register is not known"
#endif
