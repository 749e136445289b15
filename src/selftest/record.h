/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of a device, kept between runs: which kernels passed the self-test and how fast they are. One small text file
 * per device, driver, library version and code of the kernels, in $XDG_CACHE_HOME/assay or ~/.cache/assay. A file that can't be
 * read or is damaged is as good as none; one that can't be written is no error.
 */
#ifndef ASSAY_SELFTEST_RECORD_H
#define ASSAY_SELFTEST_RECORD_H

#include "selftest/run.h"

/* What the answers depend on, besides the library's version. */
struct selftest_identity {
    char backend[32], device[128], driver[160];
    uint64_t modules; /* digest of the code that the device gets */
};

struct selftest_record {
    struct selftest_identity identity;
    uint8_t state[KERNEL_VARIANTS];  /* enum selftest_state */
    uint64_t rate[KERNEL_VARIANTS];  /* femtoseconds per work item, with all that the device has; 0: not measured */
    uint64_t frame_time;             /* femtoseconds that a frame costs whatever its size; 0: not measured */
    uint64_t byte_time;              /* femtoseconds per byte of its planes */
};

/* The identity of an open device. */
struct selftest_identity selftest_identity_of(const struct executor *x);

/* An empty record where nothing is known. */
void selftest_record_load(struct selftest_record *r, const struct selftest_identity *identity);
void selftest_record_save(const struct selftest_record *r);

#endif
