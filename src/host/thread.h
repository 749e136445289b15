/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ASSAY_HOST_THREAD_H
#define ASSAY_HOST_THREAD_H

#include <pthread.h>

#include "host/error.h"

/* Bytes of a thread's stack. A system's own size may be too small, and a shell's limit changes it: tile memory of a
 * kernel lies on the stack, at most 1 MiB, and so do rows of the widest pictures. */
enum { THREAD_STACK = 4 << 20 };

/* As pthread_create, with a stack of this size. */
static inline int thread_start(pthread_t *thread, void *(*run)(void *), void *opaque)
{
    pthread_attr_t attr;
    int rc = pthread_attr_init(&attr);
    if (rc)
        return rc;
    rc = pthread_attr_setstacksize(&attr, THREAD_STACK);
    rc = rc ? rc : pthread_create(thread, &attr, run, opaque);
    pthread_attr_destroy(&attr);
    return rc;
}

/* Calls work(opaque, i, error) for each i below n in the library's floating-point state, by so many threads of its own,
 * or, of 0, by the caller's. Of n or more threads each takes one, so that all of them go on at once. Tells the failure
 * of the first i that has one. That a thread can't be started is a failure, too, behind the work of those before it. */
typedef void thread_work(void *opaque, unsigned i, struct assay_error *e);
int thread_each(unsigned threads, unsigned n, thread_work *work, void *opaque, struct assay_error *e);

#endif
