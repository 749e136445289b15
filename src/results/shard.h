/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A shard is a file with the exact result of one part of a run: scores and totals. Parts are merged into the whole run.
 *
 * The merged run has the scores and totals of a run over all frames at once, bit for bit, so its reports have the same
 * bytes. A shard has no pools, because they are computed from the merged scores. It has no aggregates, because a metric
 * computes them from the merged totals.
 */
#ifndef ASSAY_RESULTS_SHARD_H
#define ASSAY_RESULTS_SHARD_H

#include "host/int128.h"
#include "results/results.h"

/* The sum of the 80-bit limbs of 2^32 pixels fits. */
typedef assay_i128 exact_total;

struct shard_total {
    char name[512];
    exact_total value;
};

struct shard {
    const char *path;     /* for messages */
    struct report_run run; /* without fps and aggregates */
    uint64_t first, count; /* this part has the pairs [first, first + count) of the whole run */
    uint64_t every;       /* pairs whose number is a multiple of this have scores, one row each */
    uint64_t total;       /* pairs in the whole run; 0: this part has not seen the end of the inputs */
    struct scores scores;
    uint32_t totals;
    struct shard_total *exact;
    struct shard_memory *memory; /* holds the strings and lists of a shard that was read or merged */
};

/* Frame numbers and sizes in a shard stay below this, because many readers of JSON take numbers as doubles. */
#define SHARD_MAX_FRAMES (UINT64_C(1) << 53)

/* The caller owns the memory that the shard points to. shard_free is for shards that were read or merged. */
int shard_write(const struct shard *s, const char *path, struct assay_error *e);

/* Reading is strict: a file that shard_write would not have written is refused (ASSAY_EINPUT), and the message says
 * what is wrong. *s is empty after a failure. `path` is borrowed. */
int shard_read(struct shard *s, const char *path, struct assay_error *e);
int shard_parse(struct shard *s, const char *path, const char *text, size_t size, struct assay_error *e);

/* Merges parts, given in any order. ASSAY_EMISMATCH: a gap, an overlap, or parts of different runs; the message names
 * what differs. If no part has seen the end of the inputs, the whole is marked incomplete. The value of an incidental
 * field that differs becomes a text that says so. The whole owns all its memory; it is empty after a failure. */
int shards_merge(const struct shard *parts, uint32_t n, struct shard *whole, struct assay_error *e);

void shard_free(struct shard *s);

/* Zeroed memory that lives as long as the shard. NULL: out of memory. */
void *shard_alloc(struct shard *s, size_t count, size_t size);
char *shard_copy(struct shard *s, const char *text); /* a copy of NULL is NULL, and no failure */

/* Totals as decimal text of at most 41 bytes, the NUL included. total_parse takes only what total_format writes. */
enum { TOTAL_TEXT_SIZE = 41 };
void total_format(char *text, exact_total v);
bool total_parse(const char *text, exact_total *v);

/* Convert a total from and to the two halves that the library's functions take. */
exact_total total_join(assay_total halves);
assay_total total_halves(exact_total v);

/* The frame number of row `row` (from 0), and the number of rows of a part. */
uint64_t shard_row_frame(const struct shard *s, uint64_t row);
uint64_t shard_rows(const struct shard *s);

#endif
