/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scores in the order of the video. The scores of a frame are resolved when the later frames that a metric looks at
 * have been combined, or when the sequence ends. A neighbour is a frame that metrics look at from another one: it has
 * no scores of its own.
 */
#ifndef ASSAY_ENGINE_SEQUENCE_H
#define ASSAY_ENGINE_SEQUENCE_H

#include "metrics/metric.h"

enum { SEQUENCE_ROWS = METRIC_BEFORE + 1 + METRIC_AFTER };

struct sequence {
    struct metric *const *metric;
    uint32_t metrics, keys;
    uint32_t before, after;  /* the most that a metric looks at */
    uint64_t added, resolved; /* frames since it began; frame n lies in row n % SEQUENCE_ROWS */
    struct { uint64_t frame; bool neighbour; double *value; } row[SEQUENCE_ROWS];
    double *memory, *out;    /* `out`: the scores that were resolved last */
};

/* The metrics are borrowed; their `build` has run. */
int sequence_init(struct sequence *q, struct metric *const *metric, uint32_t metrics, struct assay_error *e);
void sequence_free(struct sequence *q);

/* Room for the values of the next frame, to be filled at once. Only when nothing more can be resolved. */
double *sequence_add(struct sequence *q, uint64_t frame, bool neighbour);

/* Resolves the next frame, if it can be: true, and its scores in q->out, which live until the next call. `ended`: no
 * more frames come; those that are left have their last scores. Neighbours are passed over. */
bool sequence_resolve(struct sequence *q, bool ended, uint64_t *frame);

/* The next frame begins a new one. */
void sequence_restart(struct sequence *q);

#endif
