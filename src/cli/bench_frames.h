/* SPDX-License-Identifier: BSD-2-Clause */
/* Made-up frame pairs for benchmarks: edges, texture, grain and motion, and a copy with the marks of a coarse encoder.
 * The same on every machine. */
#ifndef ASSAY_CLI_BENCH_FRAMES_H
#define ASSAY_CLI_BENCH_FRAMES_H

#include <assay/assay.h>
#include <stdbool.h>

/* Fills one plane of pair number `pair`. */
void bench_frames_draw(const assay_format *f, unsigned pair, uint32_t plane, const assay_buffer *ref,
                       const assay_buffer *dis);

/* Pairs of one format that were drawn once; {0} at first. */
struct bench_frames {
    assay_format format;
    unsigned pairs, drawn;
    void *memory;
};

/* Room for pairs of this format; what was drawn stays when it is the same. False: out of memory. */
bool bench_frames_take(struct bench_frames *c, const assay_format *f, unsigned pairs);
void bench_frames_free(struct bench_frames *c);

/* A pair, in order: pair n is copied after pair n - 1 was, at least once. */
void bench_frames_copy(struct bench_frames *c, unsigned pair, const assay_buffer *ref, const assay_buffer *dis);

#endif
