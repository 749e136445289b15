/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scores of a run: one row of doubles per frame, in frame order, one column per key. This is the only thing
 * in assay that grows with the length of a video.
 */
#ifndef ASSAY_REPORT_SCORES_H
#define ASSAY_REPORT_SCORES_H

#include <stdbool.h>

#include "host/error.h"

struct scores {
    uint32_t keys;
    const char *const *key; /* borrowed; they outlive the scores */
    uint64_t rows, capacity;
    uint64_t *frame;        /* frame number of each row, ascending */
    double *value;          /* rows x keys; a value that is not finite has no finite score (identical pictures) */
};

int scores_init(struct scores *s, uint32_t keys, const char *const *key, struct assay_error *e);
int scores_add(struct scores *s, uint64_t frame, const double *values, struct assay_error *e);
void scores_free(struct scores *s);

/* Pooled figures over the rows in frame order. Values that are not finite take part in min, max and percentiles
 * (+inf is the largest); a mean over them is not finite. */
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
 * root-mean-square median percN pN percentile=N (N 0 to 100, decimals allowed). False when it is none of them. */
bool pool_parse(const char *name, enum pool *pool, double *percent);

/* NaN for a run without rows. *frame (may be NULL) receives the frame of the first minimum or maximum. */
double scores_pool(const struct scores *s, uint32_t key, enum pool pool, double percent, uint64_t *frame);

#endif
