/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ASSAY_HOST_CLOCK_H
#define ASSAY_HOST_CLOCK_H

#include <stdint.h>

/* Nanoseconds of CLOCK_MONOTONIC: only differences mean anything. */
uint64_t clock_ns(void);

/* Seconds since a time of clock_ns. */
double clock_seconds_since(uint64_t ns);

#endif
