/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the jobs of `assay batch`: starts the processes that score them, in the order of the list, as many at once as
 * there is room for. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/batch/batch.h"
#include "host/text.h"
#include "report/report.h"

enum {
    SAID_MOST = 1 << 16, /* bytes that are kept of what a process says */
    LOOK = 100,          /* milliseconds between two looks at how far the jobs are */
};

/* ---- inside a process -------------------------------------------------------------------------------------------- */

/* Makes /dev/null the standard input and output, and `said` standard error. The process ends with its parent, so that
 * what a run that was killed leaves behind is soon nobody's. False: the parent has ended already, or a file is
 * missing. */
static bool begin_process(struct batch *b, pid_t parent, int said)
{
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(said, 2) < 0)
        return false;
    if (b->plan.lock >= 0)
        close(b->plan.lock); /* the lock stays with the parent */
    b->plan.lock = -1;
    return !batch_enter(b->folder, NULL);
}

/* Refuses inputs that are others than when the plan was made. */
static int check_inputs(struct batch *b, const struct jobs_job *job, const struct cli *c, const char *when,
                        struct assay_error *e)
{
    unsigned side;
    *b->seen[0].path = *b->seen[1].path = '\0'; /* look anew */
    b->no_models = false;
    const int unread = batch_see(b, job, &side);
    if (unread)
        return assay_fail(e, ASSAY_EINPUT, "%s: can't be opened: %s", side ? job->distorted : job->reference,
                          strerror(unread));
    return batch_key(b, job, c) == job->key
        ? ASSAY_OK : assay_fail(e, ASSAY_EMISMATCH, "an input has been changed %s: plan again", when);
}

/* Writes the exact results of a whole job, as --json --precision max would. */
static int write_results(const struct ladder *l, const char *path, struct assay_error *e)
{
    struct stored plain = *ladder_results(l, 0);
    plain.run.fps = 0;
    plain.run.gates = plain.run.worsts = 0;
    return reporter_write(REPORT_JSON, path, REPORT_SHORTEST, &plain, e);
}

/* Scores as the command line does, up to the table. */
static int score_unit(struct batch *b, struct batch_child *child, bool fixed, struct assay_error *e)
{
    const struct jobs_unit *u = &b->plan.unit[child->unit];
    const struct jobs_job *job = &b->plan.job[u->job];
    const bool whole = job->units == 1;
    struct cli *c = b->parsed;
    struct ladder *l = NULL;
    TRY(batch_ask(b, job, e));
    c->only_scores = true;
    c->q.seeks_shift = false;
    if (!whole) {
        c->outputs = 0;
        c->shard = child->beside;
        c->q.part = true;
        c->q.first = u->first;
        c->q.frames = u->frames;
    }
    TRY(check_inputs(b, job, c, "since the plan was made", e));
    TRY(moment_resolve(c, e));
    const struct batch_size size = batch_measure(c);
    child->told.frames = size.frames;
    child->told.width = size.width;
    child->told.height = size.height;
    const uint32_t granted = child->threads,
                   enough = jobs_threads(job->threads, job->on_gpu, size.width, size.height, granted);
    c->q.decode_threads[0] = c->q.decode_threads[1] = fixed ? granted : enough;
    if (!c->q.config.threads)
        c->q.config.threads = c->q.decode_threads[0];
    child->told.threads = c->q.config.threads;
    int rc = ladder_score(&l, c, e);
    if (rc >= 0 && whole)
        rc = write_results(l, child->beside, e) ? e->code : rc;
    ladder_close(&l);
    return rc < 0 ? rc : check_inputs(b, job, c, "while it was scored", e);
}

static void score(struct batch *b, struct batch_child *child, bool fixed)
{
    struct assay_error e = {0};
    const int rc = score_unit(b, child, fixed, &e);
    if (rc < 0)
        assay_fail(&child->told.why, rc, "%s", e.text[0] ? e.text : "an error without a message");
    child->told.ended = true;
}

/* ---- a process from outside -------------------------------------------------------------------------------------- */

/* Where a process writes: beside the place of the results, under a name that no other process has. */
static char *beside_of(const struct batch *b, uint64_t key)
{
    static unsigned number;
    char host[64] = "", ending[120];
    gethostname(host, sizeof host - 1);
    for (char *at = host; *at; at++)
        *at = *at == '/' ? '-' : *at;
    snprintf(ending, sizeof ending, JOBS_NEW "%s-%d-%u", host, (int)getpid(), number++);
    char *path = jobs_path(&b->plan, key, ending);
    if (path)
        file_folders(path); /* what that can't make, the process names when it writes */
    return path;
}

/* Starts a process. `fixed`: it takes the threads that it is given. 1: the system has none now, and `e` says why. */
static int start(struct batch *b, struct batch_child *child, uint32_t unit, uint32_t threads, bool fixed,
                 struct assay_error *e)
{
    int said[2] = {-1, -1};
    *child = (struct batch_child){.unit = unit, .threads = threads, .beside = beside_of(b, b->plan.unit[unit].key)};
    int rc = child->beside && buffer_open(&child->said) ? ASSAY_OK : assay_fail_memory(e, "a job");
    fflush(stdout); /* what is in a buffer would be written twice */
    const pid_t parent = getpid(), pid = !rc && !pipe2(said, O_CLOEXEC) ? fork() : -1;
    if (!pid) {
        progress_share(&child->told.count);
        cli_stop.above = &child->stop;
        if (begin_process(b, parent, said[1]))
            score(b, child, fixed);
        fflush(stderr);
        _exit(0);
    }
    if (!rc && pid < 0) {
        assay_fail(e, ASSAY_EINTERNAL, "a job can't be started: %s", strerror(errno));
        rc = 1;
    }
    if (said[1] >= 0)
        close(said[1]);
    if (rc) {
        if (said[0] >= 0)
            close(said[0]);
        free(child->beside);
        free(buffer_close(&child->said));
        return rc;
    }
    child->busy = true;
    child->pid = pid;
    child->fd = said[0];
    jobs_note_free(&b->plan.unit[unit].note);
    b->plan.unit[unit].state = UNIT_RUNNING;
    return ASSAY_OK;
}

/* Takes what a process has said, if there is anything. */
static void listen_to(struct batch_child *c)
{
    char piece[4096];
    const ssize_t n = read(c->fd, piece, sizeof piece);
    if (n < 0 && errno == EINTR)
        return;
    if (n <= 0) {
        close(c->fd);
        c->fd = -1;
        return;
    }
    const long left = SAID_MOST - ftell(c->said.file);
    fwrite(piece, 1, (size_t)(n < left ? n : left), c->said.file);
}

/* The lines that a job has said, without "assay: " and without the one that says why it failed. */
static char *notices_of(const char *said, const char *reason)
{
    static const char name[] = "assay: ";
    char *text = calloc(1, strlen(said) + 1), *to = text;
    size_t n;
    for (const char *line; text && (line = text_line(&said, &n));) {
        const size_t skip = strncmp(line, name, sizeof name - 1) ? 0 : sizeof name - 1;
        if (n <= skip || (strlen(reason) == n - skip && !strncmp(line + skip, reason, n - skip)))
            continue;
        if (to > text)
            *to++ = '\n';
        to = stpncpy(to, line + skip, n - skip);
    }
    return text;
}

/* Sets the code and the reason of a unit. */
static int judge(struct jobs_unit *u, struct batch_child *child, int status, struct assay_error *e)
{
    char reason[100] = "its process ended without a result";
    const bool told = !status && child->told.ended;
    if (WIFSIGNALED(status))
        snprintf(reason, sizeof reason, "its process was ended by signal %d%s", WTERMSIG(status),
                 WTERMSIG(status) == SIGKILL ? " (out of memory?)" : "");
    char *said = buffer_close(&child->said);
    const int rc = batch_blame(&u->note, told ? child->told.why.code : ASSAY_EINTERNAL,
                               told ? child->told.why.text : reason, e);
    u->note.notices = said && !rc ? notices_of(said, u->note.reason) : NULL;
    free(said);
    return rc || u->note.notices ? rc : assay_fail_memory(e, "a result");
}

static int fail(struct jobs_unit *u, int rc, const struct assay_error *why, struct assay_error *e)
{
    u->state = UNIT_FAILED;
    return batch_blame(&u->note, rc, why->text, e);
}

/* Puts the results in their place, or a note of the failure. A place that can't be written to makes the unit fail. */
static int put(struct batch *b, const struct batch_child *child, struct jobs_unit *u, struct assay_error *e)
{
    struct assay_error why = {0};
    u->state = u->note.code ? UNIT_FAILED : UNIT_DONE;
    if (u->state == UNIT_FAILED) {
        unlink(child->beside);
        jobs_note_write(&b->plan, u->key, &u->note, &why); /* without a note, the failure is told here alone */
        return ASSAY_OK;
    }
    const int rc = jobs_put(&b->plan, u->key, child->beside, *u->note.notices ? &u->note : NULL, &why);
    return rc ? fail(u, rc, &why, e) : ASSAY_OK;
}

/* Waits for a process that has closed its end, and sets what became of the unit, unless it is STOPPED. *memory becomes
 * the bytes that it took. */
static int end(struct batch *b, struct batch_child *child, uint64_t *memory, struct assay_error *e)
{
    struct jobs_unit *u = &b->plan.unit[child->unit];
    struct rusage usage = {0};
    int status = 0;
    while (wait4(child->pid, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    *memory = (uint64_t)usage.ru_maxrss * 1024;
    int rc = judge(u, child, status, e);
    u->state = signals_why() && u->note.code > 128 ? UNIT_STOPPED : u->state;
    if (!rc && u->state != UNIT_STOPPED)
        rc = put(b, child, u, e);
    else
        unlink(child->beside);
    free(child->beside);
    child->busy = false;
    return rc;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static bool next_unit(struct batch_runner *r, uint32_t *unit)
{
    while (r->next < r->batch->plan.units && r->batch->plan.unit[r->next].state != UNIT_WAITING)
        r->next++;
    *unit = r->next;
    return r->next < r->batch->plan.units;
}

static uint64_t memory_of(const struct batch_runner *r, uint32_t width, uint32_t height)
{
    return (uint64_t)((double)jobs_memory(width, height) * r->more);
}

/* What running jobs take, which they tell when they have opened their files. */
static void count_taken(const struct batch_runner *r, uint32_t *processors, uint64_t *memory)
{
    *processors = 0;
    *memory = 0;
    for (uint32_t i = 0; i < r->children; i++) {
        const struct batch_child *c = &r->child[i];
        if (!c->busy)
            continue;
        *processors += c->told.threads ? c->told.threads : c->threads;
        *memory += memory_of(r, c->told.width, c->told.height);
    }
}

/* Whether a unit may be started now, and with how many threads. `fixed`: with these and no fewer. */
static bool has_room(const struct batch_runner *r, uint32_t unit, uint32_t *threads, bool *fixed)
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
    const struct jobs_job *job = &b->plan.job[b->plan.unit[unit].job];
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

static int start_jobs(struct batch_runner *r, struct assay_error *e)
{
    uint32_t threads, unit;
    bool fixed;
    while (!signals_why() && next_unit(r, &unit) && has_room(r, unit, &threads, &fixed)) {
        struct batch_child *child = r->child;
        while (child->busy)
            child++;
        const int rc = start(r->batch, child, unit, threads, fixed, e);
        if (rc == 1 && r->running) { /* when one of them has ended, there may be a process */
            *e = (struct assay_error){0};
            return ASSAY_OK;
        }
        TRY(rc ? e->code : ASSAY_OK);
        r->running++;
        r->left--;
    }
    return ASSAY_OK;
}

/* Takes the results of a job of one unit. What is damaged already is a failure. */
static int take(struct batch_runner *r, uint32_t unit, struct assay_error *e)
{
    struct batch *b = r->batch;
    struct jobs_unit *u = &b->plan.unit[unit];
    struct assay_error why = {0};
    bool again;
    if (u->state != UNIT_DONE || b->plan.job[u->job].units > 1 || b->options->work)
        return ASSAY_OK;
    const int rc = batch_take(b, u->job, &again, &why);
    return rc ? fail(u, rc, &why, e) : ASSAY_OK;
}

static int end_job(struct batch_runner *r, struct batch_child *child, struct assay_error *e)
{
    const uint64_t expected = jobs_memory(child->told.width, child->told.height);
    uint64_t taken = 0;
    TRY(end(r->batch, child, &taken, e));
    r->running--;
    r->largest = taken > r->largest ? taken : r->largest;
    const double more = (double)taken / (double)expected;
    r->more = more > r->more ? more : r->more;
    TRY(take(r, child->unit, e));
    batch_show_end(r, child);
    return ASSAY_OK;
}

/* Waits until a process says something, at most for LOOK. */
static int listen_to_all(struct batch_runner *r, struct assay_error *e)
{
    for (uint32_t i = 0; i < r->children; i++)
        r->poll[i] = (struct pollfd){.fd = r->child[i].busy ? r->child[i].fd : -1, .events = POLLIN};
    if (poll(r->poll, r->children, LOOK) < 0)
        return errno == EINTR ? ASSAY_OK
                              : assay_fail(e, ASSAY_EINTERNAL, "the jobs can't be watched: %s", strerror(errno));
    for (uint32_t i = 0; i < r->children; i++) {
        struct batch_child *c = &r->child[i];
        if (c->busy && r->poll[i].revents)
            listen_to(c);
        if (c->busy && c->fd < 0)
            TRY(end_job(r, c, e));
    }
    return ASSAY_OK;
}

/* The jobs write what they have, as after a signal of their own. They get one, too, again and again,
 * which ends each wait for whoever reads a report from a pipe. To a job that stops already it does nothing else. */
static void stop_jobs(struct batch_runner *r)
{
    for (uint32_t i = 0; i < r->children; i++)
        if (r->child[i].busy) {
            input_stop(&r->child[i].stop, signals_why());
            kill(r->child[i].pid, SIGTERM);
        }
}

static int run_all(struct batch_runner *r, struct assay_error *e)
{
    for (uint32_t unit;;) {
        if (signals_why())
            stop_jobs(r);
        TRY(start_jobs(r, e));
        if (!r->running && (signals_why() || !next_unit(r, &unit)))
            return ASSAY_OK;
        TRY(listen_to_all(r, e));
        batch_show_running(r);
    }
}

/* Ends what still runs after a failure of this process. */
static void abandon(struct batch_runner *r)
{
    for (uint32_t i = 0; r->child && i < r->children; i++) {
        struct batch_child *c = &r->child[i];
        if (!c->busy)
            continue;
        struct assay_error e = {0};
        uint64_t taken;
        kill(c->pid, SIGKILL);
        if (c->fd >= 0)
            close(c->fd);
        r->batch->plan.unit[c->unit].state = UNIT_STOPPED;
        end(r->batch, c, &taken, &e);
    }
}

static int prepare(struct batch_runner *r, struct assay_error *e)
{
    const uint32_t wanted = r->batch->options->jobs, least = wanted ? wanted : r->machine.processors;
    r->children = least < r->left ? least : r->left;
    r->children = r->children < BATCH_JOBS ? r->children : BATCH_JOBS;
    r->poll = calloc(r->children, sizeof *r->poll);
    void *shared = mmap(NULL, r->children * sizeof *r->child, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                        0);
    r->child = shared != MAP_FAILED ? shared : NULL;
    return r->poll && r->child ? ASSAY_OK : assay_fail_memory(e, "the jobs");
}

int batch_run(struct batch *b, struct assay_error *e)
{
    struct batch_runner r = {.batch = b, .machine = jobs_machine(), .more = 1};
    batch_show_start(&r);
    if (!r.left)
        return ASSAY_OK;
    signals_catch(false);
    int rc = prepare(&r, e);
    rc = rc ? rc : run_all(&r, e);
    abandon(&r);
    batch_show_free(&r);
    if (r.child)
        munmap(r.child, r.children * sizeof *r.child);
    free(r.poll);
    return rc;
}
