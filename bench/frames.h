/* SPDX-License-Identifier: BSD-2-Clause */
/* Made-up frame pairs for benchmarks: edges, texture, grain and motion, and a copy with the marks of a coarse encoder.
 * The same on every machine. */
#ifndef ASSAY_BENCH_FRAMES_H
#define ASSAY_BENCH_FRAMES_H

#include <assay/assay.h>
#include <stdbool.h>

/* Fills one plane of pair number `pair`. */
void bench_frames_draw(const assay_format *f, unsigned pair, uint32_t plane, const assay_buffer *ref,
                       const assay_buffer *dis);

/* Pairs of one format, each drawn once and kept. Starts as {0}. */
struct bench_frames {
    assay_format format;
    unsigned pairs, drawn;
    void *memory;
};

/* Makes room for `pairs` pairs of format f. Pairs of the same format that were drawn before are kept. False: out of
 * memory. */
bool bench_frames_take(struct bench_frames *c, const assay_format *f, unsigned pairs);
void bench_frames_free(struct bench_frames *c);

/* Copies pair number `pair`, and draws it the first time. Pair n - 1 must have been copied before pair n. */
void bench_frames_copy(struct bench_frames *c, unsigned pair, const assay_buffer *ref, const assay_buffer *dis);

#endif
