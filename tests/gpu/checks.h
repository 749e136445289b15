/* SPDX-License-Identifier: BSD-2-Clause */
/* How tests on a device start, count and end. */
#ifndef ASSAY_TESTS_GPU_CHECKS_H
#define ASSAY_TESTS_GPU_CHECKS_H

#include <stdbool.h>

#include "assay/gpu.h"

/* Counts, and names what failed on stderr. */
void check(bool ok, const char *what);

/* Says how many checks there were; the program's exit status. */
int checked(void);

/* Ends the program for want of a device: 77, or 1 where CI must have one. */
_Noreturn void checks_skip(const char *why);

/* The application's device as assay's, named on stdout; ends the program when it is refused. */
assay_gpu *checks_open(assay_gpu_handles handles);

#endif
