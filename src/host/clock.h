/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ASSAY_HOST_CLOCK_H
#define ASSAY_HOST_CLOCK_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/* Nanoseconds of CLOCK_MONOTONIC: only differences mean anything. */
static inline uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Seconds since a time of clock_ns. */
static inline double clock_seconds_since(uint64_t ns)
{
    return 1e-9 * (double)(clock_ns() - ns);
}

/* Makes a condition that is waited for until a time of clock_until. 0, or a code of pthread. */
int clock_condition(pthread_cond_t *condition);

#ifdef _WIN32
#define CLOCK_OF_CONDITIONS CLOCK_REALTIME /* those of winpthreads know the time of day alone */
#else
#define CLOCK_OF_CONDITIONS CLOCK_MONOTONIC
#endif

static inline void clock_until(struct timespec *until, uint32_t milliseconds)
{
    clock_gettime(CLOCK_OF_CONDITIONS, until);
    until->tv_sec += milliseconds / 1000;
    until->tv_nsec += (long)(milliseconds % 1000) * 1000000;
    if (until->tv_nsec >= 1000000000) {
        until->tv_sec++;
        until->tv_nsec -= 1000000000;
    }
}

#endif
