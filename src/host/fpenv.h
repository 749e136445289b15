/* SPDX-License-Identifier: BSD-2-Clause */
/* The floating-point modes of the calling thread. An application may have changed them (-ffast-math sets flush-to-zero
 * at start-up, some audio code does it on purpose); that must not change a score. Every public function of the
 * library that does arithmetic, and every thread that it starts, runs between enter and leave:
 * round to nearest even, denormals neither flushed nor read as zero, no traps, IEEE NaN.
 *
 * A compiler knows nothing of these modes and may move arithmetic across the calls; so call them in a function that
 * does no arithmetic of its own and reaches the work through calls that can't be inlined (another file's). */
#ifndef ASSAY_HOST_FPENV_H
#define ASSAY_HOST_FPENV_H

#include <stdint.h>

struct assay_fpenv {
    uint64_t control; /* MXCSR or FPCR */
    uint64_t status;  /* FPSR; on x86 a part of MXCSR */
};

/* Keeps the modes in *saved and sets the library's. Calls nest. */
void assay_fpenv_enter(struct assay_fpenv *saved);

/* Puts back what enter kept, sticky exception flags included: the library's own never reach the application. */
void assay_fpenv_leave(const struct assay_fpenv *saved);

#endif
