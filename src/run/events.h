/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run has to say, until its client asks. The run's thread and its session's add; the client takes. */
#ifndef ASSAY_RUN_EVENTS_H
#define ASSAY_RUN_EVENTS_H

#include <assay/run.h>
#include <pthread.h>
#include <stdbool.h>

#include "host/error.h"

struct event_text; /* an event that is kept by itself */

/* All functions but events_wait are called with `lock` held. */
struct events {
    pthread_mutex_t lock;
    pthread_cond_t news;
    struct event_text *first, *last, *given; /* `given` is the client's until its next call */
    uint32_t notes;             /* in the list */
    uint64_t lost;              /* notes for which there was no room */
    uint64_t done, total;       /* of the pairs that are scored together; said where `moved` */
    double rate;
    bool moved;
    struct { uint64_t said, rows; } encode[ASSAY_ENCODES];
    bool over;
    int result;
    char lost_text[64];
};

int events_init(struct events *q, struct assay_error *e); /* which is zeroed */
void events_free(struct events *q);

/* Adds an event with a copy of the line and the format, which may be NULL. */
void events_add(struct events *q, int kind, uint32_t encode, const char *code, const char *text, size_t length,
                const assay_format *format, int result);
void events_rows(struct events *q, uint32_t encode, uint64_t rows);
void events_progress(struct events *q, uint64_t done, uint64_t total, double rate);
void events_end(struct events *q, int result);

/* Takes the lock, and waits for an event. */
void events_wait(struct events *q, uint32_t milliseconds, assay_event *event);

#endif
