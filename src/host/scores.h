/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scores of a run: a table of doubles with a row per frame, in frame order, and a column per key. Nothing else in
 * assay grows with the length of a video.
 */
#ifndef ASSAY_HOST_SCORES_H
#define ASSAY_HOST_SCORES_H

#include <stdbool.h>

#include "host/error.h"

struct sorted_column; /* scratch of the percentiles: the sorted column of the last one */

struct scores {
    uint32_t keys;
    const char *const *key; /* borrowed; outlives the scores */
    const signed char *direction; /* ASSAY_HIGHER, ASSAY_LOWER or ASSAY_NEUTRAL of each key; borrowed; NULL: neutral */
    uint64_t rows, capacity;
    uint64_t *frame;        /* frame number of each row, ascending */
    int64_t *time;          /* time in nanoseconds at which the row's frame is shown, or SCORES_NO_TIME */
    bool paired;            /* frames were paired by time; set before the first row */
    uint64_t *partner;      /* of frames that were paired by time, the distorted frame of each row; else NULL */
    const double **row;     /* the values of each row, which never move: in a block, or the lender's */
    const uint32_t *column; /* where a row has the value of each key; borrowed; NULL: in the order of the keys */
    double **block;         /* of SCORES_BLOCK rows each, `blocks` of them */
    uint64_t blocks;
    struct sorted_column *sorted;
};

enum { SCORES_BLOCK = 256 };

/* The values of a row by column: by key, where s->column does not say otherwise. Not finite where there is no finite
 * score (identical pictures). */
static inline const double *scores_row(const struct scores *s, uint64_t row)
{
    return s->row[row];
}

static inline double scores_value(const struct scores *s, uint64_t row, uint32_t key)
{
    return s->row[row][s->column ? s->column[key] : key];
}

int scores_init(struct scores *s, uint32_t keys, const char *const *key, struct assay_error *e);
/* A value that a row lacks: a NaN that no score is. Reports leave it out. */
double scores_no_value(void);
bool scores_has(double v);
#define SCORES_NO_TIME INT64_MIN

/* A time in seconds, as a row has it: to the nearest nanosecond. SCORES_NO_TIME: NaN, or 2^33 seconds and more. */
static inline int64_t scores_time(double seconds)
{
    return seconds > -0x1p33 && seconds < 0x1p33 ? (int64_t)(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5))
                                                 : SCORES_NO_TIME;
}

/* Adds a row. Frames come in ascending order. A failure leaves the earlier rows unchanged. */
int scores_add(struct scores *s, uint64_t frame, int64_t time, const double *values, struct assay_error *e);
/* As scores_add, of values that stay where they are until the scores are freed: nothing is copied. */
int scores_lend(struct scores *s, uint64_t frame, int64_t time, const double *values, struct assay_error *e);
void scores_free(struct scores *s);

/* The first row of a frame with this number or a larger one; s->rows: there is none. */
uint64_t scores_find(const struct scores *s, uint64_t frame);
/* The same in a list of n numbers that ascend. */
uint64_t scores_place(const uint64_t *frame, uint64_t n, uint64_t wanted);

/* Figures pooled over the rows in frame order. Infinities count in min, max and percentiles (+inf is the largest). The
 * mean over an infinity is not finite. The harmonic mean counts +inf as 1 / (s + 1) = 0. A NaN among the values makes
 * every pool NaN. */
enum pool {
    POOL_MIN,
    POOL_MAX,
    POOL_MEAN,
    POOL_HARMONIC_MEAN, /* n / sum(1 / (s + 1)) - 1 */
    POOL_GEOMETRIC_MEAN, /* exp(sum(log(s)) / n); 0 where a score is 0, NaN where one is negative */
    POOL_STDDEV,        /* population standard deviation */
    POOL_VARIANCE,
    POOL_RMS,
    POOL_PERC,          /* percentile, linear interpolation at p * (n - 1) / 100 */
};

/* Sets *column to the column of a key. False: the scores have no such key. */
bool scores_column(const struct scores *s, const char *key, uint32_t *column);

/* Reads the name of a pool: min max mean harmonic_mean geometric_mean stddev standard-deviation var variance rms
 * root-mean-square median percN pN percentile=N (N is 0 to 100, with decimals or not; `-` and `_` are equal). False for
 * any other name. *percent is 0 for pools other than percentiles. */
bool pool_parse(const char *name, enum pool *pool, double *percent);

/* The pooled figure of a column. NaN for a run without rows, and of a column that is none. *frame (may be NULL) becomes
 * the frame of the first minimum or maximum, or of the first NaN if there is one; 0 for other pools. Allocates nothing
 * and can't fail. Percentiles use the scratch of `s`, so two threads may not pool the same scores at once. */
double scores_pool(const struct scores *s, uint32_t key, enum pool pool, double percent, uint64_t *frame);

/* As scores_pool, of a pool by its name; NaN for a name that pool_parse does not know. */
double scores_figure(const struct scores *s, uint32_t key, const char *pool);

/* As scores_pool, over the rows `first` to `end` - 1 alone. */
double scores_pool_rows(const struct scores *s, uint32_t key, uint64_t first, uint64_t end, enum pool pool,
                        double percent, uint64_t *frame);

/* Sets *row to the first row with the worst value of a key: a NaN if there is one, else the lowest value where higher
 * is better, or the highest where lower is better. False for a neutral key and without rows. */
bool scores_worst(const struct scores *s, uint32_t key, uint64_t *row);

#endif
