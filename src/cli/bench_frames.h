/* SPDX-License-Identifier: BSD-2-Clause */
/* Made-up frame pairs for benchmarks: edges, texture, grain and motion, and a copy with the marks of a coarse encoder. The
 * same on every machine. */
#ifndef ASSAY_CLI_BENCH_FRAMES_H
#define ASSAY_CLI_BENCH_FRAMES_H

#include <assay/assay.h>

/* Fills one plane of pair number `pair`. */
void bench_frames_draw(const assay_format *f, unsigned pair, uint32_t plane, const assay_buffer *ref, const assay_buffer *dis);

#endif
