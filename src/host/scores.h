/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scores of a run: one row of doubles per frame, in frame order, one column per key. This is the only thing
 * in assay that grows with the length of a video.
 */
#ifndef ASSAY_HOST_SCORES_H
#define ASSAY_HOST_SCORES_H

#include <stdbool.h>

#include "host/error.h"

struct sorted_column; /* scratch of the percentiles: the column asked for last, sorted */

struct scores {
    uint32_t keys;
    const char *const *key; /* borrowed; they outlive the scores */
    const signed char *direction; /* ASSAY_HIGHER, ASSAY_LOWER or ASSAY_NEUTRAL of each key; borrowed; NULL: neutral */
    uint64_t rows, capacity;
    uint64_t *frame;        /* frame number of each row, ascending */
    int64_t *time;          /* when the row's frame is shown, in nanoseconds, or SCORES_NO_TIME */
    double *value;          /* rows x keys; a value that is not finite has no finite score (identical pictures) */
    struct sorted_column *sorted;
};

int scores_init(struct scores *s, uint32_t keys, const char *const *key, struct assay_error *e);
/* Frames come in ascending order. A failure leaves the rows so far as they were. */
#define SCORES_NO_TIME INT64_MIN
int scores_add(struct scores *s, uint64_t frame, int64_t time, const double *values, struct assay_error *e);
void scores_free(struct scores *s);

/* Pooled figures over the rows in frame order. Values that are not finite take part in min, max and percentiles
 * (+inf is the largest); the mean over them is not finite, and the harmonic mean counts +inf as 1 / (s + 1) = 0.
 * A NaN among the values makes every pool NaN. */
enum pool {
    POOL_MIN,
    POOL_MAX,
    POOL_MEAN,
    POOL_HARMONIC_MEAN, /* n / sum(1 / (s + 1)) - 1 */
    POOL_STDDEV,        /* population standard deviation */
    POOL_VARIANCE,
    POOL_RMS,
    POOL_PERC,          /* percentile, linear interpolation at p * (n - 1) / 100 */
};

/* A pool by the names people use: min max mean harmonic_mean stddev standard-deviation var variance rms
 * root-mean-square median percN pN percentile=N (N 0 to 100, decimals allowed; `-` and `_` are the same). False when
 * it is none of them. *percent is 0 for pools other than percentiles. */
bool pool_parse(const char *name, enum pool *pool, double *percent);

/* NaN for a run without rows. *frame (may be NULL) receives the frame of the first minimum or maximum, of the first
 * NaN where there is one, and 0 for other pools. Allocates nothing and can't fail; percentiles use the scratch of
 * `s`, so two threads may not pool the same scores at once. */
double scores_pool(const struct scores *s, uint32_t key, enum pool pool, double percent, uint64_t *frame);

/* The row of the first of the worst values of a key: the lowest ones where higher is better, the highest ones where
 * lower is, a NaN before all others. False where a key is neutral, and without rows. */
bool scores_worst(const struct scores *s, uint32_t key, uint64_t *row);

#endif
