/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results for a device that are kept between runs: which kernels and graphs passed the self-test, and how fast the
 * graphs are. There is one small text file per device, driver, library version and code of the kernels (host/cache.h).
 * An unreadable or damaged file counts as absent. Failing to write one is no error.
 */
#ifndef ASSAY_SELFTEST_RECORD_H
#define ASSAY_SELFTEST_RECORD_H

#include "host/cache.h"
#include "selftest/proof.h"

/* What results depend on, besides the library's version. */
struct selftest_identity {
    char backend[32], device[128], driver[160];
    uint64_t modules; /* digest of the code that the device gets */
};

/* A graph on the frames of the self-test, by a digest of its passes. */
struct selftest_graph {
    uint64_t digest;
    bool proved;
    /* femtoseconds per frame of any size, with everything that the device has; 0: not measured */
    uint64_t frame_time;
    uint64_t pixel_time; /* femtoseconds per pixel of the frame */
};

enum { RECORD_GRAPHS = 256 }; /* graphs kept, the most recent ones */

struct selftest_record {
    struct selftest_identity identity;
    uint8_t state[KERNEL_VARIANTS]; /* enum selftest_state */
    struct selftest_graph graph[RECORD_GRAPHS];
    unsigned graphs;
};

/* The identity of an open device. */
struct selftest_identity selftest_identity_of(const struct executor *x);

/* Loads the record; an empty one where nothing is known. `why`, CACHE_WHY bytes or NULL, says which file or folder of
 * it is there and is not believed, and why; "" where all is in order. */
void selftest_record_load(struct selftest_record *r, const struct selftest_identity *identity, char *why);
void selftest_record_save(const struct selftest_record *r);

/* A record as text, which the caller frees; NULL: no memory. And back: the text is not trusted, and is cut. False, and
 * an empty record, for any text that selftest_record_text did not write for this identity. */
char *selftest_record_text(const struct selftest_record *r, size_t *bytes);
bool selftest_record_parse(struct selftest_record *r, const struct selftest_identity *identity, char *text,
                           size_t bytes);

/* The entry of a graph; adds an empty one where there is none. */
struct selftest_graph *selftest_record_graph(struct selftest_record *r, uint64_t digest);

#endif
