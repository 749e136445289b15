/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk over the frames of a reference and its encodes. Its caller asks for one step after another, and looks at the
 * walk between them: at inputs that are open, at the planes of a pair, at scores. Encodes that one session can't score
 * together are walked group by group. All is done by the caller's thread, but for reading pictures and computing.
 */
#ifndef ASSAY_RUN_WALK_H
#define ASSAY_RUN_WALK_H

#include "run/results.h"

/* The steps of a group, in this order. A group that fails as a whole goes on with OVER, and one that was begun to be
 * read with READ. */
enum walk_step {
    WALK_REFERENCE, /* the reference is open. Offsets of encodes may be set now */
    WALK_OPENED,    /* the encodes that wait are open, and compared with the reference */
    WALK_CHOSEN,    /* the group is chosen; those that don't stand in it know why */
    WALK_READY,     /* the group's inputs are ready to be read; it may be empty */
    WALK_STARTED,   /* the session has started */
    WALK_PAIR,      /* pair `frame` was submitted last, to be scored: its planes can be read */
    WALK_SCORED,    /* the scores of `frame` are final: walk_take gives them */
    WALK_READ,      /* all is read and scored: each lane of the group is done, with its result */
    WALK_OVER,      /* the group is closed. `rc`: why it failed as a whole. Lanes that are not done wait for another */
    WALK_END        /* no encode waits */
};

struct walk {
    struct run run;              /* the group */
    struct lane lane[ASSAY_ENCODES]; /* of all encodes; their requests are the caller's */
    uint32_t lanes;
    enum walk_step step;         /* the last one */
    bool reading;
    uint64_t frame;
    uint64_t scored, total;      /* frames of the group; 0: it is not known how many there will be */
    double *values;              /* of a frame */
    uint64_t started;            /* of clock_ns: when reading began */
    double seconds;              /* that reading and scoring took */
    int rc;                      /* the failure of the group as a whole, or a negative code of the caller */
    struct assay_error error;
    assay_session *session[ASSAY_ENCODES]; /* finished ones, which have the scores until the walk is closed */
    uint32_t sessions;
};

/* A walk, which is zeroed, of lanes that wait. The caller sets their requests. */
void walk_open(struct walk *w, const struct request *q, uint32_t lanes);
enum walk_step walk_next(struct walk *w);
void walk_close(struct walk *w);
/* Whether an encode waits for a group. */
bool walk_waits(const struct walk *w);

/* Says that the caller has failed: the group ends with this failure. */
void walk_fail(struct walk *w, int rc, const struct assay_error *why);

/* WALK_SCORED: adds the frame's row to the results of an encode. False: it is not the encode's, or could not be added,
 * and l->not_taken says why. A caller that can't take the scores sets l->not_taken, too; when nobody takes any, the
 * group ends. */
bool walk_take(struct walk *w, struct lane *l, struct stored *x);

#endif
