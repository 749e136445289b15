/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A shard is the report of one part of a run, with exact figures and totals. Parts are merged into the whole run.
 *
 * The merged run has the scores and totals of a run over all frames at once, bit for bit, so its reports have the same
 * bytes. Its pools are computed from the merged scores. It has no aggregates, because a metric computes them from the
 * merged totals.
 */
#ifndef ASSAY_RESULTS_SHARD_H
#define ASSAY_RESULTS_SHARD_H

#include "results/results.h"

/* Frame numbers and sizes in a shard stay below this, because many readers of JSON take numbers as doubles. */
#define SHARD_MAX_FRAMES (UINT64_C(1) << 53)

/* Merges parts, given in any order. ASSAY_EMISMATCH: a gap, an overlap, or parts of different runs; the message names
 * what differs. If no part has seen the end of the inputs, the whole is marked incomplete. The value of an incidental
 * field that differs becomes a text that says so. The whole is empty after a failure. */
int shards_merge(const struct stored *parts, uint32_t n, struct stored *whole, struct assay_error *e);

/* Totals as decimal text of at most 41 bytes, the NUL included. total_parse takes only what total_format writes. */
enum { TOTAL_TEXT_SIZE = 41 };
void total_format(char *text, exact_total v);
bool total_parse(const char *text, exact_total *v);

/* Convert a total from and to the two halves that the library's functions take. */
exact_total total_join(assay_total halves);
assay_total total_halves(exact_total v);

/* How many of the first n pairs have scores: those whose number is a multiple of `every`. */
static inline uint64_t shard_scored(uint64_t n, uint64_t every)
{
    return n / every + (n % every != 0);
}

/* The frame number of row `row` (from 0), and the number of rows of a part. */
uint64_t shard_row_frame(const struct report_part *p, uint64_t row);
uint64_t shard_rows(const struct report_part *p);

#endif
