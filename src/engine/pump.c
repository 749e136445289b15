/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/pump.h"

#include <math.h> /* NAN only */

#include "engine/crew.h"
#include "engine/lead.h"
#include "engine/ring.h"
#include "host/clock.h"
#include "host/fpenv.h"
#include "host/thread.h"

/* ---- scores ------------------------------------------------------------------------------------------------------ */

/* Moves the scores of an encode that no later frame can change to its table. */
static int settle(struct assay_session *s, struct session_encode *own, bool ended, struct assay_error *e)
{
    struct assay_fpenv saved;
    uint64_t frame;
    for (;;) {
        assay_fpenv_enter(&saved);
        const bool one = sequence_resolve(&own->sequence, ended, &frame);
        assay_fpenv_leave(&saved);
        if (!one)
            return ASSAY_OK;
        pthread_mutex_lock(&s->lock);
        const int rc = scores_add(&own->scores, frame, SCORES_NO_TIME, own->sequence.out, e);
        pthread_mutex_unlock(&s->lock);
        TRY(rc);
    }
}

/* Rows that no encode adds to any more. All encodes begin with the same frame, and one that is over has the rows of its
 * frames, so row n is of the same frame in all tables. */
static uint64_t complete_rows(const struct assay_session *s)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t k = 0; k < s->encodes; k++) {
        const uint64_t rows = s->encode[k].scores.rows;
        most = rows > most ? rows : most;
        if (!(s->over >> k & 1))
            least = rows < least ? rows : least;
    }
    return least < most ? least : most;
}

uint64_t pump_row(const struct assay_session *s, uint64_t row, double *values)
{
    uint64_t frame = 0;
    for (uint32_t k = 0; k < s->encodes; k++) {
        const struct scores *of = &s->encode[k].scores;
        const bool there = row < of->rows;
        frame = there ? of->frame[row] : frame;
        for (uint32_t i = 0; i < of->keys; i++)
            *values++ = there ? scores_value(of, row, i) : (double)NAN;
    }
    return frame;
}

/* Delivers the frames whose scores are complete. Only this thread adds rows. */
static int deliver(struct assay_session *s, struct assay_error *e)
{
    for (const uint64_t rows = complete_rows(s); s->delivered < rows;) {
        const uint64_t frame = s->callback ? pump_row(s, s->delivered, s->row) : 0;
        pthread_mutex_lock(&s->lock);
        s->delivered++;
        pthread_mutex_unlock(&s->lock);
        if (s->callback && s->callback(s->callback_opaque, frame, s->row))
            return assay_fail(e, ASSAY_EINTERNAL, "the frame callback stopped the session");
    }
    return ASSAY_OK;
}

/* Adds an encode's values of a frame to its sequence. `accumulators` are those of its first metric. */
static void combine_encode(struct assay_session *s, uint32_t encode, const struct frame_slot *slot,
                           const struct frame_results *results, assay_i128 *accumulators)
{
    double *values = sequence_add(&s->encode[encode].sequence, slot->frame, slot->neighbour);
    for (uint32_t i = 0; i < s->metrics_each; i++) {
        const struct metric *m = s->metric[encode * s->metrics_each + i];
        if (m->ops->frame)
            m->ops->frame(m, results->totals, values, accumulators);
        if (m->ops->extremes)
            m->ops->extremes(m, results->extrema, values);
        values += m->n_keys;
        accumulators += m->n_accumulators;
    }
    s->encode[encode].counted += !slot->neighbour;
}

static int combine(struct assay_session *s, const struct frame_slot *slot, const struct frame_results *results,
                   struct assay_error *e)
{
    assay_i128 *accumulators = slot->neighbour ? s->unused : s->accumulator;
    const uint32_t each = s->n_accumulators / s->encodes;
    struct assay_fpenv saved;
    assay_fpenv_enter(&saved);
    crew_run(s, results->totals, slot->without);
    for (uint32_t k = 0; k < s->encodes; k++, accumulators += each)
        if (!(slot->without >> k & 1))
            combine_encode(s, k, slot, results, accumulators);
    assay_fpenv_leave(&saved);
    for (uint32_t k = 0; k < s->encodes; k++)
        if (!(slot->without >> k & 1))
            TRY(settle(s, &s->encode[k], false, e));
    return deliver(s, e);
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

static int submit(const struct assay_session *s, uint32_t number, struct assay_error *e)
{
    struct executor *x = s->executor;
    struct frame_slot *slot = &s->slot[number];
    const uint64_t start = x->timed ? clock_ns() : 0;
    const int rc = slot->submit ? slot->submit(x, number, slot->inputs.held, slot->description, e)
                                : x->ops->submit(x, number, &slot->inputs, e);
    slot->submit_time = x->timed ? clock_ns() - start : 0;
    return rc;
}

static void tell_times(const struct assay_session *s, const struct frame_slot *slot)
{
    const struct frame_times *t = &s->results.times;
    const assay_frame_times times = {.upload = {t->upload[0], t->upload[1]}, .passes = {t->passes[0], t->passes[1]},
                                     .submit = t->submit ? t->submit : slot->submit_time, .device = t->device};
    s->on_times(s->on_times_opaque, slot->frame, &times);
}

/* Waits for the oldest frame on the device and combines its scores. It waits after a failure too, because the device
 * may still read the frame's planes. */
static void collect(struct assay_session *s, const struct frame_slot *slot, uint32_t number, struct assay_error *e)
{
    struct executor *x = s->executor;
    struct assay_error late = {0};
    const bool broken = e->code != 0;
    s->results = (struct frame_results){0};
    const int rc = x->ops->wait(x, number, &s->results, broken ? &late : e);
    if (rc || broken || slot->leads)
        return;
    if (s->on_times)
        tell_times(s, slot);
    if (s->source.opaque && s->source.check(s->source.opaque, s->graph, slot->frame, &s->results, e))
        return;
    combine(s, slot, &s->results, e);
}

/* Submits frames before number `queued` to the device, up to the number of frames that it can use. */
static void hand_over(struct assay_session *s, uint64_t queued)
{
    while (!s->run_error.code && s->submitted < queued && s->submitted - s->done < s->executor->depth) {
        if (s->refused.code || submit(s, ring_slot(s, s->submitted), &s->refused))
            return;
        s->submitted++;
    }
}

/* Keeps the device busy and finishes the oldest frame before number `queued`. There is at least one such frame. */
static void finish_oldest(struct assay_session *s, uint64_t queued)
{
    const uint32_t number = ring_slot(s, s->done);
    struct assay_error e = s->run_error; /* only this thread writes it */
    hand_over(s, queued);
    if (s->done < s->submitted)
        collect(s, &s->slot[number], number, &e);
    else if (!e.code)
        e = s->refused; /* all earlier frames are scored */
    ring_finish(s, &e);
}

/* Settles and delivers what the end that was asked for makes final. No frame is in flight. */
static int finish_ending(struct assay_session *s, struct assay_error *e)
{
    const bool all = s->ending == ENDING_SEQUENCE;
    for (uint32_t k = 0; k < s->encodes; k++)
        if (s->ending != ENDING_ENCODE_BROKEN && (all ? !(s->over >> k & 1) : k == s->leaving))
            TRY(settle(s, &s->encode[k], true, e));
    s->over |= all ? 0 : 1u << s->leaving;
    TRY(deliver(s, e));
    for (uint32_t k = 0; all && k < s->encodes; k++)
        sequence_restart(&s->encode[k].sequence);
    if (all)
        ring_release_all(s);
    else
        ring_release_side(s, s->leaving + 1);
    return ASSAY_OK;
}

/* Ends a sequence, of all encodes or of one: delivers the last scores, and keeps nothing for later frames. */
static void end_sequence(struct assay_session *s)
{
    struct assay_error e = {0};
    if (!s->run_error.code)
        finish_ending(s, &e);
    pthread_mutex_lock(&s->lock);
    if (e.code)
        s->run_error = e;
    s->ending = ENDING_NOTHING;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

/* ---- on the session's own thread --------------------------------------------------------------------------------- */

static void *run(void *opaque)
{
    struct assay_session *s = opaque;
    for (;;) {
        pthread_mutex_lock(&s->lock);
        while (!s->quit && s->queued == s->done && !s->ending)
            pthread_cond_wait(&s->changed, &s->lock);
        const uint64_t queued = s->queued;
        const bool idle = queued == s->done, stop = s->quit && idle;
        pthread_mutex_unlock(&s->lock);
        if (stop) {
            ring_release_all(s); /* pictures kept for frames that will not come */
            return NULL;
        }
        if (idle)
            end_sequence(s);
        else
            finish_oldest(s, queued);
    }
}

int pump_start_thread(struct assay_session *s)
{
    s->running = !thread_start(&s->runner, run, s);
    return s->running ? ASSAY_OK : assay_fail(&s->error, ASSAY_EINTERNAL, "can't start the session's thread");
}

/* ---- on the caller's thread -------------------------------------------------------------------------------------- */

/* Finishes the oldest frames until at most `leave` are in flight. */
static int finish_until(struct assay_session *s, uint64_t leave)
{
    while (s->queued - s->done > leave)
        finish_oldest(s, s->queued);
    return ring_failed(s);
}

int session_submit_on_device(struct assay_session *s, uint64_t frame, session_submit_fn *submit_frame,
                             const void *description)
{
    const uint32_t most = s->executor->depth < s->room ? s->executor->depth : s->room;
    TRY(ring_check_number(s, frame));
    TRY(finish_until(s, most - 1));
    struct frame_slot *slot = ring_take(s);
    slot->submit = submit_frame;
    slot->description = description;
    ring_queue(s, slot, frame, false);
    hand_over(s, s->queued);
    return s->refused.code ? finish_until(s, 0) : ASSAY_OK;
}

/* ---- on either --------------------------------------------------------------------------------------------------- */

int session_drain(struct assay_session *s)
{
    if (!s->running) {
        TRY(s->source.opaque ? s->source.ready(s->source.opaque, &s->error) : ASSAY_OK);
        return finish_until(s, 0);
    }
    pthread_mutex_lock(&s->lock);
    while (!s->run_error.code && s->done != s->queued)
        pthread_cond_wait(&s->changed, &s->lock);
    const int rc = ring_failed(s);
    pthread_mutex_unlock(&s->lock);
    return rc;
}

/* Ends what `ending` says behind the last frame, when the session's thread sleeps. */
static int end_behind(struct assay_session *s, enum session_ending ending)
{
    TRY(session_drain(s));
    pthread_mutex_lock(&s->lock);
    s->ending = ending;
    if (!s->running) {
        pthread_mutex_unlock(&s->lock);
        end_sequence(s);
        pthread_mutex_lock(&s->lock);
    }
    pthread_cond_broadcast(&s->changed);
    while (s->ending)
        pthread_cond_wait(&s->changed, &s->lock);
    const int rc = ring_failed(s);
    pthread_mutex_unlock(&s->lock);
    return rc;
}

int session_flush(struct assay_session *s)
{
    lead_end(s);
    const int rc = end_behind(s, ENDING_SEQUENCE);
    s->length = 0;
    lead_begin(s);
    return rc;
}

int session_end_encode(struct assay_session *s, uint32_t encode, int how)
{
    const bool last = (s->ended | 1u << encode) + 1 == UINT64_C(1) << s->encodes;
    if (how != ASSAY_ENCODE_ENDS && how != ASSAY_ENCODE_BREAKS_OFF)
        return assay_fail(&s->error, ASSAY_EUSAGE, "an encode ends as ASSAY_ENCODE_ENDS or _BREAKS_OFF, not as %d",
                          how);
    if (s->waiting && !last && how == ASSAY_ENCODE_ENDS)
        return assay_fail(&s->error, ASSAY_EUSAGE, "encode %u ends behind %u frames, and a metric takes the video as "
                          "mirrored at its first frame, which takes %u that all encodes have: score it apart",
                          encode, s->waiting, s->lead + 1);
    if (last && how == ASSAY_ENCODE_ENDS)
        lead_end(s);
    TRY(ring_blank(s, encode));
    s->leaving = encode;
    s->ended |= 1u << encode;
    return end_behind(s, how == ASSAY_ENCODE_ENDS ? ENDING_ENCODE : ENDING_ENCODE_BROKEN);
}

void pump_stop(struct assay_session *s)
{
    if (!s->running) {
        if (s->started)
            finish_until(s, 0);
        return;
    }
    pthread_mutex_lock(&s->lock);
    s->quit = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->runner, NULL);
    s->running = false;
}
