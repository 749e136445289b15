/* SPDX-License-Identifier: BSD-2-Clause */
/* What came out of a run. The run's thread writes; any thread reads. */
#ifndef ASSAY_RUN_RESULTS_H
#define ASSAY_RUN_RESULTS_H

#include <assay/run.h>
#include <pthread.h>

#include "results/results.h"
#include "run/run.h"

struct assay_results {
    pthread_mutex_t *lock; /* the run's, or the kept results' */
    const char *reference; /* its file */
    uint32_t encodes;
    struct stored of[ASSAY_ENCODES];
    bool over[ASSAY_ENCODES]; /* its scores are all there, or it has failed */
    char *path;            /* of results that are kept; NULL: those of a run */
    pthread_mutex_t own;   /* of results that are kept */
};

/* ---- what a run writes of an encode (result.c) ---- */

/* Makes the table of an encode's scores, whose keys and rows are the session's, which has started: of all, or with
 * `column`, which outlives the results, of the first `columns` keys of a session of this encode alone that it names.
 * Takes the description of the encode from the session. */
int result_begin(struct stored *x, const struct lane *l, const assay_session *session, const uint32_t *column,
                 uint32_t columns, struct assay_error *e);

/* Takes the description at the end, with the aggregates. A lane that has failed has frames missing; one whose
 * description can't be taken has failed. */
void result_end(struct stored *x, struct lane *l, assay_session *session);

/* Copies the lane's size, code and error, whose text may change afterwards. */
void result_over(struct stored *x, const struct lane *l);

/* Takes the figures of the one pair of pictures that was compared, as those of frame 0. */
struct images;
int result_pictures(struct stored *x, const struct images *r, struct assay_error *e);

/* ---- what clients read (results.c) ---- */

/* What an encode has, as long as its results are there. Who pools takes the lock. ASSAY_EUSAGE: nothing, or not all of
 * it yet. */
int result_stored(const assay_results *results, uint32_t encode, struct stored *s, struct assay_error *e);

#endif
