/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/walk.h"

#include <stdlib.h>
#include <string.h>

#include "host/clock.h"

void walk_open(struct walk *w, const struct request *q, struct lane *const *lane, uint32_t lanes)
{
    memset(w, 0, sizeof *w);
    run_init(&w->run, q);
    w->lane = lane;
    w->lanes = lanes;
    w->step = WALK_END;
}

/* Closes the group. Its session stays where it has scores. */
static void close_group(struct walk *w)
{
    struct run *r = &w->run;
    if (!assay_session_finish(r->session)) { /* else it was not started */
        w->session[w->sessions++] = r->session; /* a group has an encode that no other group has */
        r->session = NULL;
    }
    run_close(r);
    free(w->values);
    w->values = NULL;
}

void walk_close(struct walk *w)
{
    if (w->step < WALK_OVER && w->reading) /* the caller leaves it in the middle */
        run_read_end(&w->run, RUN_STOPPED, &w->error);
    if (w->step < WALK_OVER)
        close_group(w);
    for (uint32_t k = 0; k < w->sessions; k++)
        assay_session_close(&w->session[k]);
}

void walk_fail(struct walk *w, int rc, const struct assay_error *why)
{
    w->rc = rc;
    w->error = *why;
}

/* ---- the steps --------------------------------------------------------------------------------------------------- */

/* Starts the session. */
static int start(struct walk *w, struct assay_error *e)
{
    struct run *r = &w->run;
    w->total = run_frames(r);
    TRY(run_start(r, e));
    w->values = calloc(assay_session_keys(r->session) + 1, sizeof *w->values);
    return w->values ? ASSAY_OK : assay_fail_memory(e, "the scores");
}

/* Whether a frame has scores that were not handed out. */
static bool scores_there(struct walk *w)
{
    return assay_session_poll(w->run.session, &w->frame, w->values) == 1;
}

/* Notes where nobody takes the scores. */
static void anybody_left(struct walk *w)
{
    bool left = false;
    for (uint32_t k = 0; k < w->run.lanes; k++)
        left = left || !w->run.lane[k]->not_taken.code;
    if (!left && !w->rc)
        walk_fail(w, w->run.lane[0]->not_taken.code, &w->run.lane[0]->not_taken);
}

/* Reads until there is a step. False: reading is at its end, or has failed. */
static bool read_on(struct walk *w)
{
    int got = ASSAY_READ_LATE;
    while (!w->rc && got == ASSAY_READ_LATE) {
        if (scores_there(w)) {
            w->step = WALK_SCORED;
            return true;
        }
        w->step = WALK_PAIR;
        got = run_read_next(&w->run, &w->frame, &w->error);
        w->rc = got < 0 ? got : ASSAY_OK;
    }
    return got == ASSAY_READ_PAIR;
}

/* What has become of the encodes of the group. */
static void conclude(struct walk *w)
{
    const struct run *r = &w->run;
    w->seconds = clock_seconds_since(w->started);
    if (!w->rc)
        run_judge_scores(&w->run);
    for (uint32_t k = 0; k < r->lanes; k++) {
        struct lane *l = r->lane[k];
        if (w->rc && (!l->rc || w->rc == RUN_STOPPED)) {
            l->rc = w->rc;
            l->error = w->error;
        }
        l->state = LANE_DONE;
    }
}

/* The steps from the first pair to the last scores, some of which come when all is read. */
static enum walk_step read_and_score(struct walk *w)
{
    w->scored += w->step == WALK_SCORED;
    anybody_left(w);
    if (w->reading && read_on(w))
        return w->step;
    if (w->reading)
        w->rc = run_read_end(&w->run, w->rc, &w->error);
    w->reading = false;
    if (scores_there(w))
        return WALK_SCORED;
    anybody_left(w);
    conclude(w);
    return WALK_READ;
}

static enum walk_step over(struct walk *w, bool failed)
{
    if (!failed)
        w->rc = ASSAY_OK; /* the lanes have it */
    if (w->rc && input_stopped(w->run.q->stop)) {
        w->error = (struct assay_error){0}; /* what the stop has caused */
        w->rc = assay_fail(&w->error, RUN_STOPPED, "the run was cancelled");
    }
    for (uint32_t k = 0; w->rc && k < w->lanes; k++)
        if (w->lane[k]->state != LANE_DONE)
            lane_fail(w->lane[k], w->rc, &w->error);
    close_group(w);
    return WALK_OVER;
}

/* Opens the reference for the encodes that wait. */
static enum walk_step begin(struct walk *w)
{
    for (uint32_t k = 0; w->step == WALK_OVER && k < w->lanes; k++)
        lane_clear(w->lane[k]);
    if (!lanes_wait(w->lane, w->lanes))
        return WALK_END;
    w->scored = w->total = 0;
    w->rc = ASSAY_OK;
    w->error = (struct assay_error){0};
    run_init(&w->run, w->run.q);
    for (uint32_t k = 0; k < w->lanes; k++)
        if (w->lane[k]->state == LANE_WAITING)
            pair_open_early(&w->lane[k]->pair, w->lane[k]->q);
    w->rc = pair_open_reference(&w->run.reference, w->lane[0]->q, &w->error);
    return w->rc ? over(w, true) : WALK_REFERENCE;
}

enum walk_step walk_next(struct walk *w)
{
    struct run *r = &w->run;
    const enum walk_step last = w->step;
    const bool before = last < WALK_STARTED;
    if (last >= WALK_OVER)
        return w->step = begin(w);
    if (last == WALK_READ || (before && (w->rc || (last == WALK_READY && !r->lanes))))
        return w->step = over(w, before);
    if (last == WALK_REFERENCE)
        w->rc = run_open(r, w->lane, w->lanes, &w->error);
    else if (last == WALK_OPENED)
        run_choose(r, w->lane, w->lanes);
    else if (last == WALK_CHOSEN)
        w->rc = r->lanes ? run_ready(r, &w->error) : ASSAY_OK;
    else if (last == WALK_READY)
        w->rc = start(w, &w->error);
    if (before)
        return w->step = w->rc ? over(w, true) : (enum walk_step)(last + 1);
    if (last == WALK_STARTED && w->rc) /* the caller's */
        return w->step = over(w, true);
    if (last == WALK_STARTED) {
        w->started = clock_ns();
        w->reading = true;
        w->rc = run_read_begin(r, &w->error);
    }
    return w->step = read_and_score(w);
}

bool walk_take(struct walk *w, struct lane *l, struct result *x)
{
    struct scores *s = &x->has.scores;
    if (l->not_taken.code || !run_counts(&w->run, l, w->frame))
        return false;
    const int64_t time = times_get(&w->run.times, w->frame - l->q->first);
    const double *values = assay_session_row(w->run.session, l->pair.encode, w->scored, NULL);
    run_watch_times(&w->run, l, w->frame);
    if (scores_lend(s, w->frame, time, values, &l->not_taken))
        return false;
    if (l->pairing)
        s->partner[s->rows - 1] = pairing_partner(l->pairing, w->frame);
    l->scored++;
    return true;
}
