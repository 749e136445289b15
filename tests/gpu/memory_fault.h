/* SPDX-License-Identifier: BSD-2-Clause */
/* The N-th allocation of the program's own objects fails (the linker's --wrap; drivers are libraries and go on). */
#ifndef ASSAY_TESTS_GPU_MEMORY_FAULT_H
#define ASSAY_TESTS_GPU_MEMORY_FAULT_H

#include <stdbool.h>

/* 0: none does. */
void memory_fail_at(unsigned long allocation);

/* Whether it came. */
bool memory_failed(void);

#endif
