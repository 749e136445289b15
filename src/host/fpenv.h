/* SPDX-License-Identifier: BSD-2-Clause */
/* The floating-point modes of the calling thread. An application may have changed them: -ffast-math sets flush-to-zero
 * at start-up, and some audio code does so on purpose. That must not change a score. So every public function of the
 * library that does arithmetic, and every thread that it starts, runs between enter and leave. The modes there: round
 * to nearest even, denormals neither flushed nor read as zero, no traps, IEEE NaN.
 *
 * A compiler does not know these modes and may move arithmetic across the calls. So call enter and leave in a function
 * that does no arithmetic itself, and that calls the work in another file, where it can't be inlined. */
#ifndef ASSAY_HOST_FPENV_H
#define ASSAY_HOST_FPENV_H

#include <stdint.h>

struct assay_fpenv {
    uint64_t control; /* MXCSR or FPCR */
    uint64_t status;  /* FPSR; on x86, whose MXCSR has the flags, the control word of x87 */
};

/* Saves the thread's modes in *saved and sets the library's. Calls may nest. */
void assay_fpenv_enter(struct assay_fpenv *saved);

/* Restores the modes and the sticky exception flags that enter saved. Flags that the library raised are dropped. */
void assay_fpenv_leave(const struct assay_fpenv *saved);

#endif
