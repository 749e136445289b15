/* SPDX-License-Identifier: BSD-2-Clause */
/* What came out of a run. The run's thread writes; any thread reads. */
#ifndef ASSAY_RUN_RESULTS_H
#define ASSAY_RUN_RESULTS_H

#include <assay/run.h>
#include <pthread.h>

#include "results/results.h"
#include "run/run.h"

/* Of an encode. Texts are the result's own, but for `file` of a run and for those of its session: rows, keys,
 * aggregates. */
struct result {
    struct stored has;      /* `path` is what reports call the encode; `run.version` NULL: not known yet. It has no keys
                             * until the session starts */
    const char *file;
    uint32_t width, height;
    int state;              /* 1: not done; else the result */
    struct assay_error error;
};

struct assay_results {
    pthread_mutex_t *lock; /* the run's, or the kept results' */
    const char *reference; /* its file */
    uint32_t encodes;
    struct result of[ASSAY_ENCODES];
    char *path;            /* of results that are kept; NULL: those of a run */
    pthread_mutex_t own;   /* of results that are kept */
};

/* ---- what a run writes of an encode (result.c) ---- */

/* Makes the table of an encode's scores: of all, or with `column`, which outlives the result, of the first `columns`
 * keys of a session of this encode alone that it names. The session has started. */
int result_begin(struct result *x, const struct lane *l, const assay_session *session, const uint32_t *column,
                 uint32_t columns, struct assay_error *e);

/* Takes the description of the encode from the session. */
int result_state(struct result *x, const struct lane *l, const assay_session *session, struct assay_error *e);

/* The same at the end, with the aggregates. `broken`: frames are missing. */
int result_end(struct result *x, const struct lane *l, assay_session *session, bool broken, struct assay_error *e);

/* Takes the figures of the one pair of pictures that was compared, as those of frame 0. */
struct images;
int result_pictures(struct result *x, const struct images *r, struct assay_error *e);

/* ---- what clients read (results.c) ---- */

/* What an encode has, as long as its results are there. Who pools takes the lock. ASSAY_EUSAGE: nothing, or not all of
 * it yet. */
int result_stored(const assay_results *results, uint32_t encode, struct stored *s, struct assay_error *e);

#endif
