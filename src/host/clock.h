/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ASSAY_HOST_CLOCK_H
#define ASSAY_HOST_CLOCK_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/* Nanoseconds of CLOCK_MONOTONIC: only differences mean anything. */
uint64_t clock_ns(void);

/* Seconds since a time of clock_ns. */
double clock_seconds_since(uint64_t ns);

/* Makes a condition that is waited for until a time of clock_until. 0, or a code of pthread. */
int clock_condition(pthread_cond_t *condition);
void clock_until(struct timespec *until, uint32_t milliseconds);

#endif
