/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the jobs of `assay batch`: starts them in the order of the list, as many at once as there is room for. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/batch/batch.h"
#include "input/stream.h"

enum { LOOK = 100 }; /* milliseconds between two looks at how far the jobs are */

struct runner {
    struct batch *batch;
    struct jobs_machine machine;
    struct batch_show show;
    struct batch_child *child;
    struct batch_told *told;      /* of each child, in memory that is shared with it */
    uint32_t children;            /* places for them */
    uint32_t running, left;       /* left: units that have not been started */
    uint32_t next;                /* index of the first one of them, or behind */
    uint64_t largest;             /* bytes that a job has taken at most */
    double more;                  /* how many times what was expected a job has taken at most; at least 1 */
    bool stopped;
};

static bool next_unit(struct runner *r, uint32_t *unit)
{
    while (r->next < r->batch->plan.units && r->batch->unit[r->next].progress != BATCH_WAITING)
        r->next++;
    *unit = r->next;
    return r->next < r->batch->plan.units;
}

static uint64_t memory_of(const struct runner *r, uint32_t width, uint32_t height)
{
    return (uint64_t)((double)jobs_memory(width, height) * r->more);
}

/* What running jobs take, which they tell when they have opened their files. */
static void count_taken(const struct runner *r, uint32_t *processors, uint64_t *memory)
{
    *processors = 0;
    *memory = 0;
    for (uint32_t i = 0; i < r->children; i++) {
        const struct batch_child *c = &r->child[i];
        if (!c->busy)
            continue;
        *processors += c->told->threads ? c->told->threads : c->threads;
        *memory += memory_of(r, c->told->width, c->told->height);
    }
}

/* Whether a unit may be started now, and with how many threads. `fixed`: with these and no fewer. */
static bool has_room(const struct runner *r, uint32_t unit, uint32_t *threads, bool *fixed)
{
    const struct batch *b = r->batch;
    const uint32_t all = r->machine.processors, jobs = b->options->jobs;
    uint32_t processors;
    uint64_t memory;
    *fixed = jobs;
    if (jobs) {
        *threads = all > jobs ? all / jobs : 1;
        return r->running < jobs;
    }
    count_taken(r, &processors, &memory);
    const struct batch_job *job = &b->job[b->plan.unit[unit].job];
    *threads = jobs_threads(job->threads, job->on_gpu, 0, 0, all);
    /* The last jobs share what the others leave. */
    const uint32_t left = all > processors ? all - processors : 0;
    if (r->left && left / r->left > *threads) {
        *threads = left / r->left;
        *fixed = true;
    }
    const uint32_t least = *threads < left ? *threads : left; /* small pictures take less than is asked for */
    const bool fits = !r->machine.memory || memory + memory_of(r, 0, 0) <= r->machine.memory;
    if (r->running && least && least < *threads)
        *threads = least;
    return !r->running || (r->running < r->children && least && fits);
}

static int start_jobs(struct runner *r, struct assay_error *e)
{
    uint32_t threads, unit;
    bool fixed;
    while (!signals_why() && next_unit(r, &unit) && has_room(r, unit, &threads, &fixed)) {
        struct batch_child *child = r->child;
        while (child->busy)
            child++;
        TRY(batch_start(r->batch, child, unit, threads, fixed, e));
        r->running++;
        r->left--;
    }
    return ASSAY_OK;
}

/* Takes the results of a job of one unit. What is damaged already is a failure. */
static int take(struct runner *r, uint32_t unit, struct assay_error *e)
{
    struct batch *b = r->batch;
    struct batch_unit *u = &b->unit[unit];
    const uint32_t job = b->plan.unit[unit].job;
    struct assay_error why = {0};
    bool again;
    if (u->progress != BATCH_ENDED || u->note.code || b->plan.job[job].units > 1 || b->options->work)
        return ASSAY_OK;
    const int rc = batch_take(b, job, &again, &why);
    return rc ? batch_blame(u, rc, &why, e) : ASSAY_OK;
}

static int end_job(struct runner *r, struct batch_child *child, struct assay_error *e)
{
    const uint64_t expected = jobs_memory(child->told->width, child->told->height);
    uint64_t taken = 0;
    TRY(batch_end(r->batch, child, &taken, e));
    r->running--;
    r->largest = taken > r->largest ? taken : r->largest;
    const double more = (double)taken / (double)expected;
    r->more = more > r->more ? more : r->more;
    TRY(take(r, child->unit, e));
    batch_show_end(&r->show, child->unit);
    return ASSAY_OK;
}

/* Waits until a process says something, at most for LOOK. */
static int listen_to_all(struct runner *r, struct pollfd *poll_of, struct assay_error *e)
{
    nfds_t n = 0;
    for (uint32_t i = 0; i < r->children; i++) {
        struct batch_child *c = &r->child[i];
        poll_of[n++] = (struct pollfd){.fd = c->busy ? c->result.fd : -1, .events = POLLIN};
        poll_of[n++] = (struct pollfd){.fd = c->busy ? c->said.fd : -1, .events = POLLIN};
    }
    if (poll(poll_of, n, LOOK) < 0)
        return errno == EINTR ? ASSAY_OK
                              : assay_fail(e, ASSAY_EINTERNAL, "the jobs can't be watched: %s", strerror(errno));
    for (uint32_t i = 0; i < r->children; i++) {
        struct batch_child *c = &r->child[i];
        if (!c->busy)
            continue;
        if (poll_of[2 * i].revents)
            batch_listen(&c->result);
        if (poll_of[2 * i + 1].revents)
            batch_listen(&c->said);
        if (c->result.fd < 0 && c->said.fd < 0)
            TRY(end_job(r, c, e));
    }
    return ASSAY_OK;
}

/* The jobs write what they have, as after a signal of their own. */
static void stop_jobs(struct runner *r)
{
    r->stopped = true;
    for (uint32_t i = 0; i < r->children; i++)
        if (r->child[i].busy)
            kill(r->child[i].pid, SIGTERM);
}

static int run_all(struct runner *r, struct pollfd *poll_of, struct assay_error *e)
{
    for (uint32_t unit;;) {
        if (signals_why() && !r->stopped)
            stop_jobs(r);
        TRY(start_jobs(r, e));
        if (!r->running && (signals_why() || !next_unit(r, &unit)))
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
        if (!c->busy)
            continue;
        struct assay_error e = {0};
        uint64_t taken;
        kill(c->pid, SIGKILL);
        for (struct batch_text *t = &c->result; t; t = t == &c->result ? &c->said : NULL)
            if (t->fd >= 0)
                close(t->fd);
        r->batch->unit[c->unit].progress = BATCH_STOPPED;
        batch_end(r->batch, c, &taken, &e);
    }
}

static int prepare(struct runner *r, struct assay_error *e)
{
    const uint32_t wanted = r->batch->options->jobs, least = wanted ? wanted : r->machine.processors;
    r->children = least < r->left ? least : r->left;
    r->children = r->children < BATCH_JOBS ? r->children : BATCH_JOBS;
    r->child = calloc(r->children, sizeof *r->child);
    void *shared = mmap(NULL, r->children * sizeof *r->told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    r->told = shared != MAP_FAILED ? shared : NULL;
    if (!r->child || !r->told)
        return assay_fail_memory(e, "the jobs");
    for (uint32_t i = 0; i < r->children; i++)
        r->child[i].told = &r->told[i];
    return ASSAY_OK;
}

int batch_run(struct batch *b, struct assay_error *e)
{
    struct runner r = {.batch = b, .machine = jobs_machine(), .more = 1};
    batch_show_start(&r.show, b, &r.machine);
    r.left = r.show.left;
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
    if (r.told)
        munmap(r.told, r.children * sizeof *r.told);
    free(poll_of);
    free(r.child);
    return rc;
}
