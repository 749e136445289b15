/* SPDX-License-Identifier: BSD-2-Clause */
#include "input/times.h"

#include <stdlib.h>

#include "host/scores.h"

static int make_room(struct times *t, uint64_t size, struct assay_error *e)
{
    uint64_t larger = t->size ? t->size : 256;
    while (larger < size)
        larger *= 2;
    int64_t *time = larger > SIZE_MAX / sizeof *time ? NULL : realloc(t->time, larger * sizeof *time);
    if (!time)
        return assay_fail_memory(e, "the times of the pictures");
    for (uint64_t i = t->size; i < larger; i++)
        time[i] = SCORES_NO_TIME;
    t->time = time;
    t->size = larger;
    return ASSAY_OK;
}

int times_put(struct times *t, uint64_t picture, int64_t time, struct assay_error *e)
{
    pthread_mutex_lock(&t->lock);
    const int rc = picture < t->size ? ASSAY_OK : make_room(t, picture + 1, e);
    if (!rc)
        t->time[picture] = time;
    pthread_mutex_unlock(&t->lock);
    return rc;
}

int64_t times_get(struct times *t, uint64_t picture)
{
    pthread_mutex_lock(&t->lock);
    const int64_t time = picture < t->size ? t->time[picture] : SCORES_NO_TIME;
    pthread_mutex_unlock(&t->lock);
    return time;
}

void times_free(struct times *t)
{
    free(t->time);
    pthread_mutex_destroy(&t->lock);
}
