/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu/memory_fault.h"

#include <errno.h>
#include <stdlib.h>

static unsigned long fail_at, allocations;

void memory_fail_at(unsigned long allocation)
{
    __atomic_store_n(&allocations, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&fail_at, allocation, __ATOMIC_RELAXED);
}

bool memory_failed(void)
{
    return fail_at && __atomic_load_n(&allocations, __ATOMIC_RELAXED) >= fail_at;
}

static bool fails(void)
{
    const unsigned long at = __atomic_load_n(&fail_at, __ATOMIC_RELAXED);
    return at && __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED) == at;
}

#define WRAP(type, name, parameters, arguments, failed) \
    type __real_##name parameters; \
    type __wrap_##name parameters; \
    type __wrap_##name parameters { return fails() ? (errno = ENOMEM, failed) : __real_##name arguments; }

WRAP(void *, malloc, (size_t n), (n), NULL)
WRAP(void *, calloc, (size_t n, size_t size), (n, size), NULL)
WRAP(void *, realloc, (void *p, size_t n), (p, n), NULL)
WRAP(char *, strdup, (const char *s), (s), NULL)
WRAP(int, posix_memalign, (void **p, size_t align, size_t n), (p, align, n), ENOMEM)
