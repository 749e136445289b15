/* SPDX-License-Identifier: BSD-2-Clause */
/* The times at which the pictures of a run are shown. Reading threads write them; the delivery of scores reads them. */
#ifndef ASSAY_INPUT_TIMES_H
#define ASSAY_INPUT_TIMES_H

#include <pthread.h>

#include "host/error.h"

struct times {
    pthread_mutex_t lock; /* starts as PTHREAD_MUTEX_INITIALIZER; all other fields as 0 */
    int64_t *time; /* in nanoseconds, or SCORES_NO_TIME, from picture 0 on */
    uint64_t size;
};

int times_put(struct times *t, uint64_t picture, int64_t time, struct assay_error *e);

/* SCORES_NO_TIME for a picture whose time was not put. */
int64_t times_get(struct times *t, uint64_t picture);
void times_free(struct times *t);

#endif
