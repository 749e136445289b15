/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A shard is a file with the exact result of one part of a run: scores and totals. Parts are merged into the whole run.
 *
 * The merged run has the scores and totals of a run over all frames at once, bit for bit, so its reports have the same
 * bytes. A shard has no pools, because they are computed from the merged scores. It has no aggregates, because a metric
 * computes them from the merged totals.
 */
#ifndef ASSAY_REPORT_SHARD_H
#define ASSAY_REPORT_SHARD_H

#include "host/int128.h"
#include "report/report.h"

/* A sum of 2^32 pixels' 80-bit limbs fits. */
typedef assay_i128 exact_total;

struct shard_total {
    char name[512];
    exact_total value;
};

struct shard {
    const char *path;     /* for messages */
    struct report_run run; /* without fps and aggregates */
    uint64_t first, count; /* the pairs [first, first + count) of the whole run were compared ... */
    uint64_t every;       /* ... and those whose number is a multiple of this have scores, one row each */
    uint64_t total;       /* pairs in the whole run; 0: this part has not seen the end of the inputs */
    struct scores scores;
    uint32_t totals;
    struct shard_total *exact;
    struct shard_memory *memory; /* what strings and lists point into, in a shard that was read or merged */
};

/* Frames and sizes in a shard stay below this: JSON's numbers are doubles for many readers. */
#define SHARD_MAX_FRAMES (UINT64_C(1) << 53)

/* A shard that is written may point at anybody's memory; shard_free is for those that were read or merged. */
int shard_write(const struct shard *s, const char *path, struct assay_error *e);

/* Reading is strict: what shard_write would not have written is refused (ASSAY_EINPUT) with a line that says what is
 * wrong. *s is empty after a failure. `path` is borrowed. */
int shard_read(struct shard *s, const char *path, struct assay_error *e);
int shard_parse(struct shard *s, const char *path, const char *text, size_t size, struct assay_error *e);

/* Puts parts, given in any order, together. Refused (ASSAY_EMISMATCH) are a gap, an overlap, and parts of different
 * runs, by the name of what differs. A whole of which no part has seen the end is marked incomplete. Incidental fields
 * that differ are kept with a value that says so. The whole owns all that it points to; it is empty after a failure. */
int shards_merge(const struct shard *parts, uint32_t n, struct shard *whole, struct assay_error *e);

void shard_free(struct shard *s);

/* Memory that lives as long as the shard; zeroed; NULL when there is none. */
void *shard_alloc(struct shard *s, size_t count, size_t size);
char *shard_copy(struct shard *s, const char *text); /* NULL stays NULL, and is no failure then */

/* Totals as decimal text of at most 41 bytes with the NUL. The parser takes what the writer writes and no more. */
enum { TOTAL_TEXT_SIZE = 41 };
void total_format(char *text, exact_total v);
bool total_parse(const char *text, exact_total *v);

/* From and to what the library's functions take. */
exact_total total_join(assay_total halves);
assay_total total_halves(exact_total v);

/* The frame of row `row`, and how many rows the pairs of a part have. */
uint64_t shard_row_frame(const struct shard *s, uint64_t row);
uint64_t shard_rows(const struct shard *s);

#endif
