/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/thread.h"

#include <stdbool.h>
#include <stdlib.h>

#include "host/fpenv.h"

struct each {
    thread_work *work;
    void *opaque;
    struct assay_error *error; /* [n] */
    unsigned n, next;          /* next: atomic */
    bool apart;                /* a thread takes one */
};

static void *take_each(void *opaque)
{
    struct each *x = opaque;
    struct assay_fpenv saved;
    assay_fpenv_enter(&saved);
    for (unsigned i; (i = __atomic_fetch_add(&x->next, 1, __ATOMIC_RELAXED)) < x->n;) {
        x->work(x->opaque, i, &x->error[i]);
        if (x->apart)
            break;
    }
    assay_fpenv_leave(&saved);
    return NULL;
}

int thread_each(unsigned threads, unsigned n, thread_work *work, void *opaque, struct assay_error *e)
{
    struct each x = {work, opaque, calloc(n + 1, sizeof *x.error), n, 0, threads >= n};
    pthread_t *const thread = calloc(n + 1, sizeof *thread);
    unsigned started = 0;
    int rc = x.error && thread ? ASSAY_OK : assay_fail_memory(e, "threads");
    if (!rc && !threads)
        take_each(&x);
    for (; !rc && started < threads && started < n; started += !rc)
        if (thread_start(&thread[started], take_each, &x))
            rc = assay_fail(e, ASSAY_EINTERNAL, "can't start thread %u of %u", started + 1, threads);
    while (started)
        pthread_join(thread[--started], NULL);
    for (unsigned i = 0; !rc && i < n; i++)
        if (x.error[i].code)
            rc = assay_fail(e, x.error[i].code, "%s", x.error[i].text);
    free(x.error);
    free(thread);
    return rc;
}
