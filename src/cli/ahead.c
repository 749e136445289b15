/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/ahead.h"

#include <pthread.h>
#include <stdlib.h>

#include "input/stream.h"

struct asked {
    bool skipped;
    struct pair_place to[2];
    int got[2];
    struct assay_error error[2];
};

struct reader {
    struct ahead *all;
    unsigned side;
    pthread_t thread;
    bool running;
    uint64_t done; /* pairs of which this side is read */
};

struct ahead {
    struct pair *pair;
    struct asked asked[AHEAD_PAIRS];
    struct reader reader[2];
    uint64_t asked_for, finished;
    bool quit;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

/* 1, or 0 or negative: the side has ended, and is not asked again. */
static int read_one(struct reader *r, struct asked *one)
{
    struct pair *p = r->all->pair;
    struct assay_error *e = &one->error[r->side];
    return one->skipped ? input_skip(p->source[r->side].input, e) : pair_read(p, r->side, &one->to[r->side], e);
}

static void *run(void *opaque)
{
    struct reader *r = opaque;
    struct ahead *a = r->all;
    int got = 1;
    pthread_mutex_lock(&a->lock);
    for (;;) {
        while (!a->quit && r->done == a->asked_for)
            pthread_cond_wait(&a->changed, &a->lock);
        if (a->quit)
            break;
        struct asked *one = &a->asked[r->done % AHEAD_PAIRS];
        pthread_mutex_unlock(&a->lock);
        if (got > 0)
            got = read_one(r, one);
        one->got[r->side] = got;
        pthread_mutex_lock(&a->lock);
        r->done++;
        pthread_cond_broadcast(&a->changed);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

int ahead_open(struct ahead **out, struct pair *p, struct assay_error *e)
{
    struct ahead *a = *out = calloc(1, sizeof *a);
    if (!a)
        return assay_fail_memory(e, "reading");
    a->pair = p;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    for (unsigned side = 0; side < 2; side++) {
        struct reader *r = &a->reader[side];
        r->all = a;
        r->side = side;
        r->running = !pthread_create(&r->thread, NULL, run, r);
        if (!r->running) {
            ahead_close(out);
            return assay_fail(e, ASSAY_EINTERNAL, "can't start the threads that read");
        }
    }
    return ASSAY_OK;
}

void ahead_ask(struct ahead *a, const struct pair_place to[2])
{
    struct asked *one = &a->asked[a->asked_for % AHEAD_PAIRS];
    *one = (struct asked){.skipped = !to};
    for (unsigned side = 0; to && side < 2; side++)
        one->to[side] = to[side];
    pthread_mutex_lock(&a->lock);
    a->asked_for++;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

int ahead_finish(struct ahead *a, int got[2], struct assay_error *e)
{
    const struct asked *one = &a->asked[a->finished % AHEAD_PAIRS];
    pthread_mutex_lock(&a->lock);
    while (a->reader[0].done == a->finished || a->reader[1].done == a->finished)
        pthread_cond_wait(&a->changed, &a->lock);
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
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    input_abandon(true);
    for (unsigned side = 0; side < 2; side++)
        if (a->reader[side].running)
            pthread_join(a->reader[side].thread, NULL);
    input_abandon(false);
    pthread_mutex_destroy(&a->lock);
    pthread_cond_destroy(&a->changed);
    free(a);
}
