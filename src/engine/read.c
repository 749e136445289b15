/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/clock.h"
#include "host/thread.h"

enum { READERS = 16, REASON = 1024 };

/* One side and the threads that read it. One thread at a time finds the next picture. Each thread then reads the
 * picture that it has found. */
struct side {
    struct reading *all;
    unsigned number;
    pthread_t thread[READERS];
    unsigned threads;
    pthread_cond_t more; /* a thread of the side may find the next picture, or end */
    bool finding;
    uint64_t next;       /* the pair whose picture is found next */
    uint64_t slots;      /* slots whose pictures were found */
    /* the first pair without a readable picture; UINT64_MAX while none is known */
    uint64_t stop;
    bool gone;           /* an encode that has ended: nobody waits for the side */
    int got;             /* why the side stopped: 0, it has ended; else the failure, with its reason in `error` */
    char error[REASON];
};

struct reading {
    struct assay_session *session;
    assay_reader reader;
    uint64_t pair, end;        /* the pair that is submitted next; the one behind the last */
    bool over;                 /* it is not submitted */
    assay_read_end result;
    uint64_t base;             /* slots that the session had taken before */
    uint64_t taken, submitted; /* slots taken since; `submitted` belongs to the caller's thread */
    bool quit;
    struct side side[SESSION_SIDES];
    unsigned sides;
    pthread_mutex_t lock;      /* guards what changes here, and `filled` in the slots */
    pthread_cond_t ready;      /* for the caller's thread: a side has made progress */
};

static int use_of(const struct reading *r, uint64_t pair)
{
    return r->reader.use ? r->reader.use(r->reader.opaque, pair) : ASSAY_SCORED;
}

/* ---- the threads of a side -------------------------------------------------------------------------------------- */

/* The first pair that is not read as far as is known: where the reference ends, and where the first encode does, or the
 * last one if encodes may end before others. */
static uint64_t last_pair(const struct reading *r)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (unsigned k = 1; k < r->sides; k++) {
        const struct side *d = &r->side[k];
        least = !d->gone && d->stop < least ? d->stop : least;
        most = !d->gone && d->stop > most ? d->stop : most;
    }
    const uint64_t encodes = r->reader.ended ? most : least;
    return encodes < r->side[0].stop ? encodes : r->side[0].stop;
}

/* Whether nobody needs the side's next picture. */
static bool is_over(const struct side *d)
{
    const struct reading *r = d->all;
    return r->quit || d->stop != UINT64_MAX || d->next >= r->end || d->next > last_pair(r);
}

static bool must_wait(const struct side *d)
{
    const struct reading *r = d->all;
    return !is_over(d) && (d->finding || (d->slots == r->taken && use_of(r, d->next)));
}

/* Records why the side stops. The first pair without a picture decides, not the first thread that ends. */
static void stop_side(struct side *d, uint64_t pair, int got, const char *error)
{
    if (pair >= d->stop)
        return;
    d->stop = pair;
    d->got = got;
    memcpy(d->error, error, sizeof d->error);
}

/* Finds the next picture of the side. 1: the thread reads it into *slot. 0: the picture is skipped, or there is none.
 * The caller holds the lock, which is free while the reader works. */
static int find_next(struct side *d, uint32_t *slot, uint64_t *place, char error[REASON])
{
    struct reading *r = d->all;
    const assay_reader *reader = &r->reader;
    const uint64_t pair = d->next;
    const int use = use_of(r, pair);
    int got = 1;
    d->finding = true;
    pthread_mutex_unlock(&r->lock);
    if (reader->find)
        got = reader->find(reader->opaque, d->number, pair, use, place, error, REASON);
    else if (!use)
        got = reader->read(reader->opaque, d->number, pair, 0, NULL, error, REASON);
    pthread_mutex_lock(&r->lock);
    d->finding = false;
    if (got <= 0) {
        stop_side(d, pair, got, error);
    } else {
        if (use != ASSAY_UNUSED) /* the slot was taken: must_wait */
            *slot = ring_slot(r->session, r->base + d->slots++);
        d->next++;
        pthread_cond_signal(&d->more);
    }
    pthread_cond_signal(&r->ready);
    return got > 0 && use;
}

static void *read_side(void *opaque)
{
    struct side *d = opaque;
    struct reading *r = d->all;
    const assay_reader *reader = &r->reader;
    pthread_mutex_lock(&r->lock);
    for (;;) {
        while (must_wait(d))
            pthread_cond_wait(&d->more, &r->lock);
        if (is_over(d))
            break;
        const uint64_t pair = d->next;
        uint64_t place = 0;
        uint32_t slot = 0;
        assay_buffer to;
        char error[REASON] = "";
        if (!find_next(d, &slot, &place, error))
            continue;
        pthread_mutex_unlock(&r->lock);
        ring_buffer(r->session, slot, d->number, &to);
        const int got = reader->read(reader->opaque, d->number, pair, place, &to, error, sizeof error);
        if (got > 0)
            ring_convert(r->session, slot, d->number);
        pthread_mutex_lock(&r->lock);
        if (got > 0)
            r->session->slot[slot].filled[d->number] = true;
        else
            stop_side(d, pair, got, error);
        pthread_cond_signal(&r->ready);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

static int start_side(struct side *d)
{
    const uint32_t wanted = d->all->reader.threads[d->number], most = d->all->reader.find ? wanted : 1;
    while (d->threads < (most ? most : 1) && d->threads < READERS &&
           !thread_start(&d->thread[d->threads], read_side, d))
        d->threads++;
    return d->threads ? ASSAY_OK
                      : assay_fail(&d->all->session->error, ASSAY_EINTERNAL, "can't start the threads that read");
}

/* ---- the caller's thread ---------------------------------------------------------------------------------------- */

/* Takes slots: one for the next pair to submit, waiting for it, then more while there is room. */
static int take_slots(struct reading *r)
{
    struct assay_session *s = r->session;
    const uint64_t most = s->config.prefetch_frames ? s->config.prefetch_frames : 1;
    while (r->taken == r->submitted || (r->taken - r->submitted < most && session_has_room(s))) {
        assay_buffer unused[SESSION_SIDES];
        TRY(session_take(s, &unused[0], &unused[1]));
        pthread_mutex_lock(&r->lock);
        r->taken++;
        for (unsigned k = 0; k < r->sides; k++)
            pthread_cond_signal(&r->side[k].more);
        pthread_mutex_unlock(&r->lock);
    }
    return ASSAY_OK;
}

/* Waits for all sides of a pair until the time is up, and notes those that have no picture. */
enum pictures { PICTURES_THERE, PICTURES_MISSING, PICTURES_LATE };
static enum pictures wait_for(struct reading *r, int use, const struct timespec *until)
{
    struct assay_session *s = r->session;
    const bool *filled = s->slot[ring_slot(s, r->base + r->submitted)].filled;
    bool all = true, late = false;
    pthread_mutex_lock(&r->lock);
    for (unsigned k = 0; k < r->sides && !late; k++) {
        const struct side *d = &r->side[k];
        if (d->gone)
            continue;
        while (!late && d->stop > r->pair && (use ? !filled[k] : d->next <= r->pair))
            late = pthread_cond_timedwait(&r->ready, &r->lock, until) == ETIMEDOUT;
        r->result.ended[k] = d->stop == r->pair;
        all = all && !r->result.ended[k];
    }
    pthread_mutex_unlock(&r->lock);
    return late ? PICTURES_LATE : all ? PICTURES_THERE : PICTURES_MISSING;
}

/* Ends an encode that has no picture for a pair, as the reader says. */
static int end_encode(struct reading *r, uint32_t encode)
{
    struct assay_session *s = r->session;
    struct side *d = &r->side[encode + 1];
    const int how = r->reader.ended(r->reader.opaque, encode, r->pair, d->got, d->error);
    s->error = (struct assay_error){0}; /* what `ended` caused is no failure of reading */
    if (how < 0)
        return assay_fail(&s->error, how, "the reader ended at encode %u", encode);
    TRY(session_end_encode(s, encode, how));
    pthread_mutex_lock(&r->lock);
    d->gone = true;
    pthread_mutex_unlock(&r->lock);
    return ASSAY_OK;
}

/* A side has no picture for this pair. Reading is over, unless the others are read on. When several sides failed and
 * that is the end, the failure of the first one is returned. */
static int side_ended(struct reading *r)
{
    struct assay_session *s = r->session;
    const assay_read_end *end = &r->result;
    unsigned failed = r->sides;
    r->over = true;
    for (unsigned k = r->sides; k-- > 0;) /* a thread that has stopped its side writes no more to it */
        if (end->ended[k] && !r->side[k].gone && r->side[k].got < 0 && (!k || !r->reader.ended))
            failed = k;
    if (failed < r->sides) {
        s->error = (struct assay_error){0};
        return assay_fail(&s->error, r->side[failed].got, "%s", r->side[failed].error);
    }
    if (!r->reader.ended)
        return ASSAY_OK;
    for (uint32_t k = 0; k + 1 < r->sides; k++)
        if (end->ended[k + 1] && !r->side[k + 1].gone && (!end->ended[0] || r->side[k + 1].got < 0))
            TRY(end_encode(r, k));
    for (uint32_t k = 1; k < r->sides; k++)
        r->over = r->over && (end->ended[0] || end->ended[k]);
    return ASSAY_OK;
}

/* Submits the next pair, unless its pictures are late. */
static int next_pair(struct reading *r, uint32_t milliseconds, uint64_t *pair, int *use)
{
    struct timespec until;
    *pair = r->pair;
    *use = use_of(r, r->pair);
    TRY(*use ? take_slots(r) : ASSAY_OK);
    clock_until(&until, milliseconds);
    const enum pictures pictures = wait_for(r, *use, &until);
    if (pictures == PICTURES_LATE)
        return ASSAY_READ_LATE;
    if (pictures == PICTURES_MISSING)
        TRY(side_ended(r));
    if (r->over)
        return ASSAY_READ_OVER;
    TRY(*use ? session_commit(r->session, r->pair, *use) : ASSAY_OK);
    r->submitted += *use != ASSAY_UNUSED;
    r->result.pairs++;
    r->pair++;
    return ASSAY_READ_PAIR;
}

int session_read_next(struct assay_session *s, uint32_t milliseconds, uint64_t *pair, int *use)
{
    struct reading *r = s->reading;
    if (r->over || r->pair >= r->end)
        return ASSAY_READ_OVER;
    const int rc = next_pair(r, milliseconds, pair, use);
    r->over = r->over || rc < 0;
    return rc;
}

static void stop_threads(struct reading *r)
{
    pthread_mutex_lock(&r->lock);
    r->quit = true;
    for (unsigned k = 0; k < r->sides; k++)
        pthread_cond_broadcast(&r->side[k].more);
    pthread_mutex_unlock(&r->lock);
    if (r->reader.abandon)
        r->reader.abandon(r->reader.opaque);
    for (unsigned k = 0; k < r->sides; k++) {
        while (r->side[k].threads)
            pthread_join(r->side[k].thread[--r->side[k].threads], NULL);
        pthread_cond_destroy(&r->side[k].more);
    }
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->ready);
}

static int begin(struct reading *r, uint64_t first)
{
    struct assay_session *s = r->session;
    if (clock_condition(&r->ready))
        return assay_fail(&s->error, ASSAY_EINTERNAL, "reading can't begin");
    pthread_mutex_init(&r->lock, NULL);
    for (unsigned k = 0; k < r->sides; k++) {
        r->side[k] = (struct side){.all = r, .number = k, .next = first, .stop = UINT64_MAX,
                                   .gone = k && s->ended >> (k - 1) & 1};
        r->result.ended[k] = r->side[k].gone;
        pthread_cond_init(&r->side[k].more, NULL);
    }
    s->reading = r;
    TRY(ring_check_left(s));
    for (unsigned k = 0; k < r->sides; k++)
        TRY(r->side[k].gone ? ASSAY_OK : start_side(&r->side[k]));
    return ASSAY_OK;
}

int session_read_begin(struct assay_session *s, const assay_reader *reader, uint64_t first, uint64_t end)
{
    struct reading *r = calloc(1, sizeof *r);
    if (!r)
        return assay_fail_memory(&s->error, "reading");
    r->session = s;
    r->reader = *reader;
    r->pair = first;
    r->end = end;
    r->base = s->taken;
    r->sides = s->encodes + 1;
    const int rc = begin(r, first);
    if (rc && s->reading)
        session_read_stop(s, NULL);
    else if (rc)
        free(r);
    return rc;
}

void session_read_stop(struct assay_session *s, assay_read_end *result)
{
    struct reading *r = s->reading;
    stop_threads(r);
    for (unsigned k = 0; k < r->sides; k++)
        r->result.had[k] = r->side[k].stop < r->pair ? r->side[k].stop : r->pair;
    if (result)
        *result = r->result;
    s->reading = NULL;
    free(r);
    if (s->held) /* slots of pairs that do not exist */
        session_commit(s, 0, ASSAY_UNUSED);
}
