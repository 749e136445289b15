/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/events.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/clock.h"

enum { NOTES_MOST = 1000 };

struct event_text {
    struct event_text *next;
    assay_event event;
    assay_format format;
    char text[];
};

int events_init(struct events *q, struct assay_error *e)
{
    if (clock_condition(&q->news))
        return assay_fail(e, ASSAY_EINTERNAL, "a run can't be started");
    pthread_mutex_init(&q->lock, NULL);
    return ASSAY_OK;
}

void events_free(struct events *q)
{
    for (struct event_text *t = q->first, *next; t; t = next) {
        next = t->next;
        free(t);
    }
    free(q->given);
    pthread_cond_destroy(&q->news);
    pthread_mutex_destroy(&q->lock);
}

void events_add(struct events *q, int kind, uint32_t encode, const char *code, const char *text, size_t length,
                const assay_format *format, int result)
{
    const bool note = kind == ASSAY_EVENT_NOTE;
    struct event_text *t = note && q->notes == NOTES_MOST ? NULL : malloc(sizeof *t + length + 1);
    if (!t) {
        q->lost++;
        return;
    }
    *t = (struct event_text){.event = {.kind = kind, .encode = encode, .code = code, .text = t->text,
                                       .result = result}};
    memcpy(t->text, text, length);
    t->text[length] = '\0';
    if (format) {
        t->format = *format;
        t->event.format = &t->format;
    }
    if (q->last)
        q->last->next = t;
    else
        q->first = t;
    q->last = t;
    q->notes += note;
    pthread_cond_signal(&q->news);
}

void events_rows(struct events *q, uint32_t encode, uint64_t rows)
{
    q->encode[encode].rows = rows;
    pthread_cond_signal(&q->news);
}

void events_progress(struct events *q, uint64_t done, uint64_t total, double rate)
{
    q->done = done;
    q->total = total;
    q->rate = rate;
    q->moved = true;
    pthread_cond_signal(&q->news);
}

void events_end(struct events *q, int result)
{
    q->over = true;
    q->result = result;
    pthread_cond_signal(&q->news);
}

static void take_text(struct events *q, assay_event *event)
{
    struct event_text *t = q->given = q->first;
    q->first = t->next;
    q->last = q->first ? q->last : NULL;
    q->notes -= t->event.kind == ASSAY_EVENT_NOTE;
    *event = t->event;
}

/* The rows of an encode that were not said; false: there are none. */
static bool take_rows(struct events *q, uint32_t encode, assay_event *event)
{
    const uint64_t from = q->encode[encode].said, to = q->encode[encode].rows;
    if (from == to)
        return false;
    q->encode[encode].said = to;
    *event = (assay_event){.kind = ASSAY_EVENT_FRAMES, .encode = encode, .first = from, .end = to};
    return true;
}

/* Rows of an encode come before its end. */
static bool take(struct events *q, assay_event *event)
{
    const struct event_text *t = q->first;
    if (t && (t->event.kind != ASSAY_EVENT_ENDED || !take_rows(q, t->event.encode, event))) {
        take_text(q, event);
        return true;
    }
    if (t)
        return true;
    for (uint32_t k = 0; k < ASSAY_ENCODES; k++)
        if (take_rows(q, k, event))
            return true;
    if (q->moved) {
        q->moved = false;
        *event = (assay_event){.kind = ASSAY_EVENT_PROGRESS, .encode = ASSAY_NONE, .done = q->done, .total = q->total,
                               .rate = q->rate};
        return true;
    }
    if (q->over && q->lost) {
        snprintf(q->lost_text, sizeof q->lost_text, "%" PRIu64 " more lines are not shown", q->lost);
        q->lost = 0;
        *event = (assay_event){.kind = ASSAY_EVENT_NOTE, .encode = ASSAY_NONE, .code = "lost", .text = q->lost_text};
        return true;
    }
    if (q->over)
        *event = (assay_event){.kind = ASSAY_EVENT_END, .encode = ASSAY_NONE, .result = q->result};
    return q->over;
}

void events_wait(struct events *q, uint32_t milliseconds, assay_event *event)
{
    struct timespec until;
    clock_until(&until, milliseconds);
    pthread_mutex_lock(&q->lock);
    free(q->given);
    q->given = NULL;
    *event = (assay_event){.kind = ASSAY_EVENT_NONE, .encode = ASSAY_NONE};
    while (!take(q, event))
        if (pthread_cond_timedwait(&q->news, &q->lock, &until) == ETIMEDOUT) {
            (void)take(q, event);
            break;
        }
    pthread_mutex_unlock(&q->lock);
}
