/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the jobs of `assay batch`: starts them in the order of the list, as many at once as there is room for. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/batch/batch.h"
#include "input/stream.h"

enum { LOOK = 100 }; /* milliseconds between two looks at how far the jobs are */

struct runner {
    struct batch *batch;
    struct batch_machine machine;
    struct batch_show show;
    struct batch_child *child;
    struct progress_count *count; /* of each child, in memory that is shared with it */
    uint32_t children;            /* places for them */
    uint32_t running, left;       /* left: jobs that have not been started */
    uint32_t next;                /* index of the first one of them, or behind */
    uint32_t processors;          /* that running jobs take */
    uint64_t memory;              /* the same, in bytes */
    uint64_t largest;             /* bytes that a job has taken at most */
    double more;                  /* how many times what was expected a job has taken at most; at least 1 */
    pid_t measurer;               /* 0: it has ended */
    int measures;                 /* where it tells; -1: it has ended */
    bool stopped;
};

static struct batch_job *next_job(struct runner *r)
{
    while (r->next < r->batch->jobs && r->batch->job[r->next].progress != BATCH_WAITING)
        r->next++;
    return r->next < r->batch->jobs ? &r->batch->job[r->next] : NULL;
}

static uint64_t memory_of(const struct runner *r, const struct batch_job *job)
{
    return (uint64_t)((double)batch_memory(job) * r->more);
}

/* Whether a job may be started now, and with how many threads. */
static bool has_room(const struct runner *r, const struct batch_job *job, uint32_t *threads)
{
    const uint32_t all = r->machine.processors, jobs = r->batch->options->jobs;
    if (jobs) {
        *threads = all > jobs ? all / jobs : 1;
        return r->running < jobs;
    }
    if (!job->measured && r->measures >= 0)
        return false; /* its size is not known yet */
    *threads = batch_threads(job, all);
    /* The last jobs share what the others leave. */
    const uint32_t left = all > r->processors ? all - r->processors : 0;
    if (r->left && left / r->left > *threads)
        *threads = left / r->left;
    const bool fits = !r->machine.memory || r->memory + memory_of(r, job) <= r->machine.memory;
    return !r->running || (r->running < r->children && *threads <= left && fits);
}

static int start_jobs(struct runner *r, struct assay_error *e)
{
    struct batch_job *job;
    uint32_t threads;
    while (!signals_why() && (job = next_job(r)) && has_room(r, job, &threads)) {
        struct batch_child *child = r->child;
        while (child->job)
            child++;
        TRY(batch_start(r->batch, child, job, threads, e));
        child->memory = memory_of(r, job);
        r->running++;
        r->left--;
        r->processors += threads;
        r->memory += child->memory;
    }
    return ASSAY_OK;
}

static int end_job(struct runner *r, struct batch_child *child, struct assay_error *e)
{
    struct batch_job *job = child->job;
    uint64_t taken = 0;
    TRY(batch_end(child, &taken, e));
    r->running--;
    r->processors -= child->threads;
    r->memory -= child->memory;
    r->largest = taken > r->largest ? taken : r->largest;
    const double more = (double)taken / (double)batch_memory(job);
    r->more = more > r->more ? more : r->more;
    if (job->progress == BATCH_ENDED)
        batch_state_add(r->batch, job);
    batch_show_end(&r->show, job);
    return ASSAY_OK;
}

/* Waits until a process says something, at most for LOOK. */
static int listen_to_all(struct runner *r, struct pollfd *poll_of, struct assay_error *e)
{
    nfds_t n = 0;
    for (uint32_t i = 0; i < r->children; i++) {
        struct batch_child *c = &r->child[i];
        poll_of[n++] = (struct pollfd){.fd = c->job ? c->result.fd : -1, .events = POLLIN};
        poll_of[n++] = (struct pollfd){.fd = c->job ? c->said.fd : -1, .events = POLLIN};
    }
    poll_of[n++] = (struct pollfd){.fd = r->measures, .events = POLLIN};
    if (poll(poll_of, n, LOOK) < 0)
        return errno == EINTR ? ASSAY_OK
                              : assay_fail(e, ASSAY_EINTERNAL, "the jobs can't be watched: %s", strerror(errno));
    for (uint32_t i = 0; i < r->children; i++) {
        struct batch_child *c = &r->child[i];
        if (!c->job)
            continue;
        if (poll_of[2 * i].revents)
            batch_listen(&c->result);
        if (poll_of[2 * i + 1].revents)
            batch_listen(&c->said);
        if (c->result.fd < 0 && c->said.fd < 0)
            TRY(end_job(r, c, e));
    }
    if (poll_of[n - 1].revents && !batch_measured(r->batch, r->measures)) {
        close(r->measures);
        r->measures = -1;
    }
    return ASSAY_OK;
}

/* The jobs write what they have, as after a signal of their own. */
static void stop_jobs(struct runner *r)
{
    r->stopped = true;
    for (uint32_t i = 0; i < r->children; i++)
        if (r->child[i].job)
            kill(r->child[i].pid, SIGTERM);
}

static int run_all(struct runner *r, struct pollfd *poll_of, struct assay_error *e)
{
    for (;;) {
        if (signals_why() && !r->stopped)
            stop_jobs(r);
        TRY(start_jobs(r, e));
        if (!r->running && (signals_why() || !next_job(r)))
            return ASSAY_OK;
        TRY(listen_to_all(r, poll_of, e));
        batch_show_running(&r->show, r->child, r->children);
    }
}

/* Ends what still runs after a failure of this process. */
static void abandon(struct runner *r)
{
    for (uint32_t i = 0; r->child && i < r->children; i++) {
        struct batch_child *c = &r->child[i];
        if (!c->job)
            continue;
        struct assay_error e = {0};
        uint64_t taken;
        kill(c->pid, SIGKILL);
        for (struct batch_text *t = &c->result; t; t = t == &c->result ? &c->said : NULL)
            if (t->fd >= 0)
                close(t->fd);
        struct batch_job *job = c->job;
        batch_end(c, &taken, &e);
        outcome_free(&job->outcome);
        job->progress = BATCH_STOPPED;
    }
    if (r->measures >= 0)
        close(r->measures);
    if (r->measurer > 0) {
        kill(r->measurer, SIGKILL);
        while (waitpid(r->measurer, NULL, 0) < 0 && errno == EINTR)
            ;
    }
}

static int prepare(struct runner *r, struct assay_error *e)
{
    const uint32_t wanted = r->batch->options->jobs, least = wanted ? wanted : r->machine.processors;
    r->children = least < r->left ? least : r->left;
    r->children = r->children < BATCH_JOBS ? r->children : BATCH_JOBS;
    r->child = calloc(r->children, sizeof *r->child);
    void *shared = mmap(NULL, r->children * sizeof *r->count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                        0);
    r->count = shared != MAP_FAILED ? shared : NULL;
    if (!r->child || !r->count)
        return assay_fail_memory(e, "the jobs");
    for (uint32_t i = 0; i < r->children; i++)
        r->child[i].count = &r->count[i];
    return batch_measure(r->batch, &r->measurer, &r->measures, e);
}

int batch_run(struct batch *b, struct assay_error *e)
{
    struct runner r = {.batch = b, .machine = batch_machine(), .more = 1, .measures = -1};
    for (uint32_t i = 0; i < b->jobs; i++)
        r.left += b->job[i].progress == BATCH_WAITING;
    batch_show_start(&r.show, b, &r.machine);
    if (!r.left)
        return ASSAY_OK;
    signals_catch();
    int rc = prepare(&r, e);
    struct pollfd *poll_of = calloc(2 * (size_t)r.children + 1, sizeof *poll_of);
    if (!rc && !poll_of)
        rc = assay_fail_memory(e, "the jobs");
    rc = rc ? rc : run_all(&r, poll_of, e);
    abandon(&r);
    batch_show_free(&r.show, r.largest);
    if (r.count)
        munmap(r.count, r.children * sizeof *r.count);
    free(poll_of);
    free(r.child);
    return rc;
}
