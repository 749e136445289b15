/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/ahead.h"

#include <pthread.h>
#include <stdlib.h>

#include "host/cpu.h"
#include "host/format.h"
#include "input/stream.h"

struct asked {
    bool skipped;
    struct pair_place to[2];
    bool done[2];
    int got[2];
    struct assay_error error[2];
};

/* The threads that read one side. One of them at a time begins the next picture; each then reads the one that it has begun. */
struct side {
    struct ahead *all;
    unsigned number;
    pthread_t thread[AHEAD_READERS];
    unsigned threads;
    bool beginning;
    uint64_t begun;       /* pairs of which this side's picture was begun */
    int got;              /* 1, or 0 or negative: the side has ended, and is not asked again */
    pthread_cond_t asked;
};

struct ahead {
    struct pair *pair;
    struct asked asked[AHEAD_PAIRS];
    struct side side[2];
    uint64_t asked_for, finished;
    bool quit;
    pthread_mutex_t lock;
    pthread_cond_t done;
};

/*
 * One thread copies 4 to 8 GB/s from the page cache, 1400 to 2500 pictures of 1080p a second; a fast device wants more. On a machine with
 * few processors a second thread of a side only takes time from the computation, and a picture of less than AHEAD_BYTES is read in less
 * time than it takes to wake one.
 */
enum { AHEAD_BYTES = 512 * 1024, AHEAD_LARGE = 2 * 1024 * 1024 };

static unsigned ahead_readers(const struct pair *p, unsigned side)
{
    const struct source *s = &p->source[side];
    const unsigned processors = cpu_allowed_count() / 4;
    const size_t parts = format_frame_bytes(&s->input->format) / AHEAD_BYTES;
    unsigned readers = s->input->positioned && s->direct ? AHEAD_READERS : 1;
    readers = readers < processors ? readers : processors;
    readers = readers < parts ? readers : (unsigned)parts;
    return readers ? readers : 1;
}

unsigned ahead_pairs(const struct pair *p)
{
    unsigned most = 1;
    bool steady = true; /* every picture takes as long as the one before, and long enough to hide how a thread is woken */
    for (unsigned side = 0; side < 2; side++) {
        const struct input *in = p->source[side].input;
        const unsigned readers = ahead_readers(p, side);
        most = readers > most ? readers : most;
        steady = steady && in->positioned && format_frame_bytes(&in->format) >= AHEAD_LARGE;
    }
    /* The more frame slots there are, the less of them is in a cache when it is used again: psnr of 1080p takes 8 % more processor time
     * with 4 slots than with 3. */
    return most > 1 || steady ? most + 1 : AHEAD_DEFAULT;
}

/* The next picture of a side, of which every thread knows the place. Nothing is left to finish of one that is skipped. */
static int side_begin(const struct side *s, struct asked *one, struct input_place *place)
{
    struct input *const in = s->all->pair->source[s->number].input;
    struct assay_error *const e = &one->error[s->number];
    return one->skipped ? input_skip(in, e) : input_begin(in, place, e);
}

static void *side_run(void *opaque)
{
    struct side *const s = opaque;
    struct ahead *const a = s->all;
    const unsigned number = s->number;
    pthread_mutex_lock(&a->lock);
    for (;;) {
        while (!a->quit && (s->beginning || s->begun == a->asked_for))
            pthread_cond_wait(&s->asked, &a->lock);
        if (a->quit)
            break;
        struct asked *const one = &a->asked[s->begun % AHEAD_PAIRS];
        struct input_place place;
        int got = s->got;
        s->beginning = true;
        pthread_mutex_unlock(&a->lock);
        if (got > 0)
            got = side_begin(s, one, &place);
        pthread_mutex_lock(&a->lock);
        s->beginning = false;
        if (++s->begun < a->asked_for)
            pthread_cond_signal(&s->asked);
        pthread_mutex_unlock(&a->lock);
        if (got > 0 && !one->skipped)
            got = pair_finish(a->pair, number, &place, &one->to[number], &one->error[number]);
        pthread_mutex_lock(&a->lock);
        if (got <= 0)
            s->got = got;
        one->got[number] = got;
        one->done[number] = true;
        pthread_cond_signal(&a->done);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static int side_start(struct ahead *a, unsigned number, struct assay_error *e)
{
    struct side *const s = &a->side[number];
    const unsigned readers = ahead_readers(a->pair, number);
    s->all = a;
    s->number = number;
    s->got = 1;
    while (s->threads < readers && !pthread_create(&s->thread[s->threads], NULL, side_run, s))
        s->threads++;
    return s->threads ? ASSAY_OK : assay_fail(e, ASSAY_EINTERNAL, "can't start the threads that read");
}

int ahead_open(struct ahead **out, struct pair *p, struct assay_error *e)
{
    struct ahead *a = *out = calloc(1, sizeof *a);
    if (!a)
        return assay_fail_memory(e, "reading");
    a->pair = p;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->done, NULL);
    for (unsigned side = 0; side < 2; side++)
        pthread_cond_init(&a->side[side].asked, NULL);
    int rc = side_start(a, 0, e);
    if (!rc)
        rc = side_start(a, 1, e);
    if (rc)
        ahead_close(out);
    return rc;
}

void ahead_ask(struct ahead *a, const struct pair_place to[2])
{
    struct asked *one = &a->asked[a->asked_for % AHEAD_PAIRS];
    *one = (struct asked){.skipped = !to};
    for (unsigned side = 0; to && side < 2; side++)
        one->to[side] = to[side];
    pthread_mutex_lock(&a->lock);
    a->asked_for++;
    for (unsigned side = 0; side < 2; side++)
        pthread_cond_signal(&a->side[side].asked);
    pthread_mutex_unlock(&a->lock);
}

int ahead_finish(struct ahead *a, int got[2], struct assay_error *e)
{
    const struct asked *one = &a->asked[a->finished % AHEAD_PAIRS];
    pthread_mutex_lock(&a->lock);
    while (!one->done[0] || !one->done[1])
        pthread_cond_wait(&a->done, &a->lock);
    pthread_mutex_unlock(&a->lock);
    a->finished++;
    for (unsigned side = 0; side < 2; side++) {
        got[side] = one->got[side];
        if (got[side] < 0)
            return assay_fail(e, got[side], "%s", one->error[side].text);
    }
    return ASSAY_OK;
}

void ahead_close(struct ahead **out)
{
    struct ahead *a = *out;
    if (!a)
        return;
    *out = NULL;
    pthread_mutex_lock(&a->lock);
    a->quit = true;
    for (unsigned side = 0; side < 2; side++)
        pthread_cond_broadcast(&a->side[side].asked);
    pthread_mutex_unlock(&a->lock);
    input_abandon(true);
    for (unsigned side = 0; side < 2; side++) {
        while (a->side[side].threads)
            pthread_join(a->side[side].thread[--a->side[side].threads], NULL);
        pthread_cond_destroy(&a->side[side].asked);
    }
    input_abandon(false);
    pthread_mutex_destroy(&a->lock);
    pthread_cond_destroy(&a->done);
    free(a);
}
