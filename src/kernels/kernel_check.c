/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the checking build of the kernels ends when a kernel breaks a rule: see dialect/c_lanes.h. */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/kernel.h"

void kernel_check_at(const char *kernel, const char *file, int line);
void kernel_check_failed(const char *what) __attribute__((noreturn, cold));

static _Thread_local struct {
    const char *kernel, *file;
    int line;
} place = {"", "", 0};

void kernel_check_at(const char *kernel, const char *file, int line)
{
    place.kernel = kernel;
    place.file = file;
    place.line = line;
}

void kernel_check_failed(const char *what)
{
    fprintf(stderr, "kernel check failed: %s, in %s, %s:%d\n", what, place.kernel, place.file, place.line);
    abort();
}
