/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/clock.h"

#include <time.h>

uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

double clock_seconds_since(uint64_t ns)
{
    return 1e-9 * (double)(clock_ns() - ns);
}
