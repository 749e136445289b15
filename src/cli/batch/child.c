/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes of `assay batch`: those that score, and the one that looks how long the files are. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/batch/batch.h"
#include "host/text.h"
#include "input/stream.h"

enum { SAID_MOST = 1 << 16, RESULT_MOST = 1 << 24 };

/* ---- inside ------------------------------------------------------------------------------------------------------ */

/* Makes /dev/null the standard input and output, and `said`, unless it is negative, standard error. The process ends
 * with its parent, so that no two processes write the same reports. False: the parent has ended already, or a file is
 * missing. */
static bool settle(struct batch *b, pid_t parent, int said)
{
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 ||
        dup2(said >= 0 ? said : nothing, 2) < 0)
        return false;
    batch_state_leave(b);
    return !batch_enter(b->folder, NULL);
}

/* Scores as the command line does, up to the table, and writes the outcome to `result`. Returns whether that was
 * possible. */
static bool score(struct batch *b, struct batch_job *job, uint32_t threads, int result)
{
    struct outcome outcome = {.job = job->digest};
    struct assay_error e = {0};
    struct cli *c = b->parsed;
    struct ladder *l = NULL;
    char *text = NULL;
    int rc = cli_parse(c, COMMAND_SCORE, job->argc, job->argv, &e);
    c->only_scores = true;
    c->q.seeks_shift = false;
    if (!c->q.config.threads)
        c->q.config.threads = threads;
    c->q.decode_threads = threads;
    rc = rc ? rc : moment_resolve(c, &e);
    rc = rc ? rc : ladder_score(&l, c, &e);
    if (rc >= 0) { /* a job has one encode */
        const struct report_run *run;
        const struct scores *s = ladder_scores(l, 0, &run);
        const int taken = outcome_take(&outcome, s, run, c->gate, c->gates, &e);
        rc = taken < 0 ? taken : rc;
    }
    if (rc < 0)
        rc = outcome_start(&outcome, job->digest, -rc, e.text[0] ? e.text : "an error without a message", NULL);
    const bool good = rc >= 0 && !outcome_text(&outcome, &text, NULL);
    ladder_close(&l);
    return good && !text_write(result, text, strlen(text));
}

/* ---- from outside ------------------------------------------------------------------------------------------------ */

static int open_pipe(int end[2], struct assay_error *e)
{
    return pipe2(end, O_CLOEXEC) ? assay_fail(e, ASSAY_EINTERNAL, "a job can't be started: %s", strerror(errno))
                                 : ASSAY_OK;
}

static void close_pipe(int end[2])
{
    for (unsigned i = 0; i < 2; i++)
        if (end[i] >= 0)
            close(end[i]);
}

int batch_start(struct batch *b, struct batch_child *child, struct batch_job *job, uint32_t threads,
                struct assay_error *e)
{
    int result[2] = {-1, -1}, said[2] = {-1, -1};
    int rc = open_pipe(result, e);
    rc = rc ? rc : open_pipe(said, e);
    fflush(stdout); /* what is in a buffer would be written twice */
    const pid_t parent = getpid(), pid = rc ? -1 : fork();
    if (!pid) {
        progress_share(child->count);
        const bool good = settle(b, parent, said[1]) && score(b, job, threads, result[1]);
        fflush(stderr);
        _exit(!good);
    }
    if (!rc && pid < 0)
        rc = assay_fail(e, ASSAY_EINTERNAL, "a job can't be started: %s", strerror(errno));
    if (rc) {
        close_pipe(result);
        close_pipe(said);
        return rc;
    }
    close(result[1]);
    close(said[1]);
    *child->count = (struct progress_count){0};
    child->job = job;
    child->pid = pid;
    child->threads = threads;
    child->result = (struct batch_text){.fd = result[0], .most = RESULT_MOST};
    child->said = (struct batch_text){.fd = said[0], .most = SAID_MOST};
    job->progress = BATCH_RUNNING;
    return ASSAY_OK;
}

void batch_listen(struct batch_text *t)
{
    char piece[4096];
    const ssize_t n = read(t->fd, piece, sizeof piece);
    if (n < 0 && errno == EINTR)
        return;
    if (n <= 0) {
        close(t->fd);
        t->fd = -1;
        return;
    }
    const size_t left = t->most - t->size, more = (size_t)n < left ? (size_t)n : left;
    char *text = realloc(t->text, t->size + more + 1);
    t->lost = t->lost || !text;
    if (!text)
        return;
    memcpy(text + t->size, piece, more);
    t->text = text;
    t->size += more;
    text[t->size] = '\0';
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

/* Where the process has not handed out a whole outcome. */
static int outcome_of_status(struct batch_job *job, int status, struct assay_error *e)
{
    char reason[100];
    if (WIFSIGNALED(status))
        snprintf(reason, sizeof reason, "its process was ended by signal %d%s", WTERMSIG(status),
                 WTERMSIG(status) == SIGKILL ? " (out of memory?)" : "");
    else
        snprintf(reason, sizeof reason, "its process ended without a result");
    return outcome_start(&job->outcome, job->digest, -ASSAY_EINTERNAL, reason, e);
}

int batch_end(struct batch_child *child, uint64_t *memory, struct assay_error *e)
{
    struct batch_job *job = child->job;
    struct rusage usage = {0};
    bool no_memory = false;
    int status = 0, rc = ASSAY_OK;
    while (wait4(child->pid, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    *memory = (uint64_t)usage.ru_maxrss * 1024;
    const bool told = !status && child->result.text &&
                      outcome_parse(&job->outcome, child->result.text, child->result.size, &no_memory);
    if (!told)
        rc = no_memory || child->result.lost ? assay_fail_memory(e, "a result") : outcome_of_status(job, status, e);
    if (!rc && child->said.lost)
        rc = assay_fail_memory(e, "a result");
    if (!rc && child->said.text) {
        char *notices = notices_of(child->said.text, job->outcome.reason);
        free(job->outcome.notices);
        job->outcome.notices = notices;
        rc = notices ? ASSAY_OK : assay_fail_memory(e, "a result");
    }
    free(child->result.text);
    free(child->said.text);
    child->job = NULL;
    job->progress = signals_why() && job->outcome.code > 128 ? BATCH_STOPPED : BATCH_ENDED;
    return rc;
}

/* ---- how long the files are -------------------------------------------------------------------------------------- */

struct measured {
    uint32_t job, width, height;
    uint64_t frames;
};
_Static_assert(sizeof(struct measured) <= 512, "a pipe takes it whole (PIPE_BUF)");

/* Opens the files of a job. One that can't be opened, or is refused, will say so when it is run. */
static void measure(struct batch *b, const struct batch_job *job, struct measured *m)
{
    static struct pair pair;
    struct assay_error e = {0};
    struct cli *c = b->parsed;
    if (cli_parse(c, COMMAND_SCORE, job->argc, job->argv, &e))
        return;
    c->q.hwdec = HWDEC_OFF;
    c->q.decode_threads = 1;
    if (!moment_resolve(c, &e) && !pair_open(&pair, &c->q, &e)) {
        m->width = pair.width;
        m->height = pair.height;
        m->frames = pair_frames(&pair, &c->q);
    }
    pair_close(&pair);
}

int batch_measure(struct batch *b, pid_t *pid, int *fd, struct assay_error *e)
{
    int end[2];
    TRY(open_pipe(end, e));
    fflush(stdout);
    const pid_t parent = getpid();
    *pid = fork();
    if (!*pid) {
        bool good = settle(b, parent, -1);
        for (uint32_t i = 0; good && i < b->jobs; i++) {
            struct measured m = {.job = i};
            if (b->job[i].progress != BATCH_WAITING)
                continue;
            measure(b, &b->job[i], &m);
            good = !text_write(end[1], (const char *)&m, sizeof m);
        }
        _exit(0);
    }
    close(end[1]);
    *fd = end[0];
    if (*pid > 0)
        return ASSAY_OK;
    close(end[0]);
    return assay_fail(e, ASSAY_EINTERNAL, "a process can't be started: %s", strerror(errno));
}

bool batch_measured(struct batch *b, int fd)
{
    struct measured m;
    ssize_t n;
    while ((n = read(fd, &m, sizeof m)) < 0 && errno == EINTR)
        ;
    if (n != sizeof m || m.job >= b->jobs)
        return false;
    struct batch_job *job = &b->job[m.job];
    job->measured = true;
    job->frames = m.frames;
    job->width = m.width;
    job->height = m.height;
    return true;
}
