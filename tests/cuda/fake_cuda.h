/* SPDX-License-Identifier: BSD-2-Clause */
/* The handles that a test has on the fake driver: the exported object `fake_cuda`. */
#ifndef ASSAY_TESTS_CUDA_FAKE_CUDA_H
#define ASSAY_TESTS_CUDA_FAKE_CUDA_H

#include <stddef.h>

struct fake_cuda {
    int devices, version, major, minor;
    size_t free_bytes;
    long fail_at;       /* the call that fails, counted from 1; 0: none */
    long calls;         /* so far; a test sets it back */
    const char *failed; /* the function whose call was made to fail */
    long left;          /* things that still existed when the device was given back */
    long uploads;       /* copies to the device */
    long looks;         /* at events */
    int retained;       /* times that the primary context was, less those that it was given back */
    long clock;         /* of events, in milliseconds */
};

#endif
