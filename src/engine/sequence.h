/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scores in the order of the video. The scores of a frame are resolved when all later frames that a metric looks at
 * have been combined, or when the sequence ends. A neighbour is a frame that has no scores of its own: metrics look at
 * it from other frames.
 */
#ifndef ASSAY_ENGINE_SEQUENCE_H
#define ASSAY_ENGINE_SEQUENCE_H

#include "metrics/metric.h"

enum { SEQUENCE_ROWS = METRIC_BEFORE + 1 + METRIC_AFTER };

struct sequence {
    struct metric *const *metric;
    uint32_t metrics, keys;
    uint32_t before, after;  /* the most frames before and after that a metric looks at */
    uint64_t added, resolved; /* frames since the sequence began; frame n is in row n % SEQUENCE_ROWS */
    struct { uint64_t frame; bool neighbour; double *value; } row[SEQUENCE_ROWS];
    double *memory, *out;    /* `out`: the scores that were resolved last */
    double *needed;          /* what a metric predicts from */
};

/* The metrics are borrowed; their `build` has run. */
int sequence_init(struct sequence *q, struct metric *const *metric, uint32_t metrics, struct assay_error *e);
void sequence_free(struct sequence *q);

/* Returns room for the values of the next frame; the caller fills it at once. Call only when sequence_resolve returns
 * false. */
double *sequence_add(struct sequence *q, uint64_t frame, bool neighbour);

/* Resolves the next frame. False when it can't be resolved yet. The scores are in q->out until the next call. `ended`:
 * no more frames come, so the remaining frames get their last scores. Neighbours are skipped. */
bool sequence_resolve(struct sequence *q, bool ended, uint64_t *frame);

/* Starts a new sequence with the next frame. */
void sequence_restart(struct sequence *q);

#endif
