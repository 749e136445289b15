/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/clock.h"

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

/* Conditions of winpthreads know the time of day alone. */
int clock_condition(pthread_cond_t *condition)
{
    return pthread_cond_init(condition, NULL);
}

void clock_until(struct timespec *until, uint32_t milliseconds)
{
    clock_gettime(CLOCK_REALTIME, until);
    until->tv_sec += milliseconds / 1000;
    until->tv_nsec += (long)(milliseconds % 1000) * 1000000;
    if (until->tv_nsec >= 1000000000) {
        until->tv_sec++;
        until->tv_nsec -= 1000000000;
    }
}
