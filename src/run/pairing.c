/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/pairing.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "host/text.h"
#include "input/times.h"

/* ROUNDING: containers that count milliseconds round the first time and every other one by up to half of one. ROUNDED:
 * the distance of two frames is made of four times, each rounded by up to half a nanosecond. */
enum { ROUNDING = 1000000, SECOND = 1000000000, ROUNDED = 2 };

/* A distorted picture, in the format of its input. Times count from the first picture of the side. */
struct held {
    struct picture picture;
    int64_t begin, end; /* when it is shown, by itself */
    bool there;
    uint64_t shown;     /* with how many reference pictures */
    uint64_t number;    /* from 0, of those that were read */
};

struct pairing {
    struct pair *pair;
    int64_t nominal[2]; /* how long a picture is shown by the side's frame rate; 0: not known */
    int64_t tolerance;
    struct held held[2], *now, *next;
    int64_t zero[2];    /* the time of the first picture */
    bool begun;         /* the first distorted picture was read */
    pthread_mutex_t lock;
    pthread_cond_t moved;
    struct times times; /* of the reference's pictures, from 0 on */
    struct times partner; /* of the same pictures: numbers of distorted pictures */
    uint64_t read;      /* distorted pictures */
    uint64_t known;     /* how many of them; guarded by `lock`, as are the two fields below */
    int64_t last;       /* the time of the last one */
    bool ended, abandoned;
};

static int64_t nominal(const struct input *in)
{
    const assay_format *f = &in->format;
    return f->rate_num && f->rate_den ? (int64_t)((uint64_t)SECOND * f->rate_den / f->rate_num) : 0;
}

static int no_times(const struct input *in, struct assay_error *e)
{
    return assay_fail(e, ASSAY_EUSAGE, "--pair time needs the times of the pictures, and %s has none", in->name);
}

int pairing_open(struct pairing **out, struct pair *p, struct assay_error *e)
{
    struct pairing *g = *out = calloc(1, sizeof *g);
    if (!g)
        return assay_fail_memory(e, "the pairing");
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->moved, NULL);
    g->times.lock = g->partner.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    g->pair = p;
    g->now = &g->held[0];
    g->next = &g->held[1];
    int64_t shorter = 0;
    for (unsigned side = 0; side < 2; side++) {
        const struct input *in = p->source[side].input;
        if (!in->time_num || !in->time_den)
            return no_times(in, e);
        g->nominal[side] = nominal(in);
        shorter = !shorter || (g->nominal[side] && g->nominal[side] < shorter) ? g->nominal[side] : shorter;
        TRY(pair_picture(&g->held[side].picture, &p->source[1].input->format, e));
    }
    g->tolerance = (shorter / 4 > ROUNDING ? shorter / 4 : ROUNDING) + ROUNDED;
    return ASSAY_OK;
}

void pairing_close(struct pairing **of)
{
    struct pairing *g = *of;
    if (!g)
        return;
    free(g->held[0].picture.plane[0]);
    free(g->held[1].picture.plane[0]);
    times_free(&g->times);
    times_free(&g->partner);
    pthread_cond_destroy(&g->moved);
    pthread_mutex_destroy(&g->lock);
    free(g);
    *of = NULL;
}

/* ---- the reference ----------------------------------------------------------------------------------------------- */

static int times_go_back(const struct input *in, uint64_t picture, struct assay_error *e)
{
    return assay_fail(e, ASSAY_EINPUT, "%s: frame %" PRIu64 ": is shown before the frame in front of it, so "
                      "--pair time can't tell what is on display", in->name, picture);
}

int pairing_reference(struct pairing *g, int64_t time, struct assay_error *e)
{
    const struct input *in = g->pair->source[0].input;
    const int64_t lasts = g->pair->source[0].lasts;
    if (time == SCORES_NO_TIME)
        return no_times(in, e);
    pthread_mutex_lock(&g->lock);
    if (!g->known)
        g->zero[0] = time;
    int rc = g->known && time - g->zero[0] < g->last ? times_go_back(in, in->index - 1, e)
                                                     : times_put(&g->times, g->known, time - g->zero[0], e);
    if (!rc) {
        g->last = time - g->zero[0];
        g->pair->paired.end[0] = g->last + (lasts > 0 ? lasts : g->nominal[0]);
        g->known++;
    }
    pthread_cond_signal(&g->moved);
    pthread_mutex_unlock(&g->lock);
    return rc;
}

static void wake(struct pairing *g, bool *why)
{
    pthread_mutex_lock(&g->lock);
    *why = true;
    pthread_cond_signal(&g->moved);
    pthread_mutex_unlock(&g->lock);
}

void pairing_reference_ended(struct pairing *g)
{
    wake(g, &g->ended);
}

void pairing_abandon(struct pairing *g)
{
    wake(g, &g->abandoned);
}

/* Waits for the time of reference picture i. False: there is no such picture. */
static bool wait_for(struct pairing *g, uint64_t i, int64_t *time)
{
    pthread_mutex_lock(&g->lock);
    while (g->known <= i && !g->ended && !g->abandoned)
        pthread_cond_wait(&g->moved, &g->lock);
    const bool there = g->known > i;
    pthread_mutex_unlock(&g->lock);
    *time = there ? times_get(&g->times, i) : 0;
    return there;
}

/* ---- the distorted side ------------------------------------------------------------------------------------------ */

/* Reads the next distorted picture. 1, 0 or negative, as input_read. */
static int read_next(struct pairing *g, struct held *h, struct assay_error *e)
{
    struct pair *p = g->pair;
    const struct input *in = p->source[1].input;
    int64_t time;
    h->shown = 0;
    h->there = false;
    const int got = pair_next(p, 1, &h->picture, &time, e);
    if (got <= 0)
        return got;
    if (time == SCORES_NO_TIME)
        return no_times(in, e);
    if (!g->begun)
        g->zero[1] = time;
    h->begin = time - g->zero[1];
    if (g->begun && h->begin < p->paired.begin)
        return times_go_back(in, in->index - 1, e);
    g->begun = true;
    p->paired.begin = h->begin;
    p->paired.end[1] = h->end = h->begin + (p->source[1].lasts > 0 ? p->source[1].lasts : g->nominal[1]);
    h->number = g->read++;
    h->there = true;
    return 1;
}

/* Leaves the picture that is on display. */
static void count_shown(struct pair_figures *f, const struct held *h)
{
    if (!h->shown) {
        f->left_out++;
        return;
    }
    f->least = !f->shown || h->shown < f->least ? h->shown : f->least;
    f->most = h->shown > f->most ? h->shown : f->most;
    f->shown++;
}

/* Moves on while the next picture is shown at `time` or before. 1, or negative. */
static int advance(struct pairing *g, int64_t time, struct assay_error *e)
{
    if (!g->begun) {
        const int got = read_next(g, g->now, e);
        if (got <= 0)
            return got;
        TRY(read_next(g, g->next, e) < 0 ? e->code : ASSAY_OK);
    }
    while (g->next->there && g->next->begin <= time) {
        struct held *shown = g->now;
        count_shown(&g->pair->paired, shown);
        g->now = g->next;
        g->next = shown;
        TRY(read_next(g, g->next, e) < 0 ? e->code : ASSAY_OK);
    }
    return 1;
}

/* The reference has ended. 1: the distorted side has a picture that begins when the last one of the reference is no
 * longer shown. */
static int goes_on(struct pairing *g, struct assay_error *e)
{
    if (!g->known || g->abandoned)
        return 0;
    const int got = advance(g, g->pair->paired.end[0] - g->tolerance - 1, e);
    return got < 0 ? got : g->next->there;
}

int pairing_read(struct pairing *g, uint64_t i, const assay_buffer *to, struct assay_error *e)
{
    struct pair_figures *f = &g->pair->paired;
    int64_t time;
    if (!wait_for(g, i, &time))
        return goes_on(g, e);
    const int got = advance(g, time + g->tolerance, e);
    if (got <= 0)
        return got;
    if (!g->next->there && time >= g->now->end - g->tolerance)
        return 0;
    TRY(times_put(&g->partner, i, (int64_t)g->now->number, e));
    pair_convert(g->pair, 1, &g->now->picture, to);
    const int64_t apart = time - g->now->begin, size = apart < 0 ? -apart : apart;
    g->now->shown++;
    f->apart = size > f->apart ? size : f->apart;
    f->pairs++;
    return 1;
}

uint64_t pairing_partner(struct pairing *g, uint64_t i)
{
    return (uint64_t)times_get(&g->partner, i);
}

void pairing_finish(struct pairing *g)
{
    if (g->now->there)
        count_shown(&g->pair->paired, g->now);
    g->now->there = false;
}

void pairing_text(const struct pair_figures *f, char *text, size_t size)
{
    char how[160] = "";
    if (f->least == f->most && f->most > 1)
        snprintf(how, sizeof how, ", each shown with %" PRIu64, f->most);
    else if (f->most > 1)
        snprintf(how, sizeof how, ", of which some are shown with up to %" PRIu64, f->most);
    text_set(text, size, "paired by time: %" PRIu64 " reference frames with %" PRIu64 " distorted ones%s; %" PRIu64
             " distorted ones are left out; largest distance %.3f ms", f->pairs, f->shown, how, f->left_out,
             (double)f->apart / 1e6);
}
