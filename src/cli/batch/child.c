/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes of `assay batch` that score. */
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
#include "report/report.h"
#include "results/file.h"

enum { SAID_MOST = 1 << 16, RESULT_MOST = 1 << 24 };

/* ---- inside ------------------------------------------------------------------------------------------------------ */

/* Makes /dev/null the standard input and output, and `said` standard error. The process ends with its parent, so that
 * what a run that was killed leaves behind is soon nobody's. False: the parent has ended already, or a file is
 * missing. */
static bool settle(struct batch *b, pid_t parent, int said)
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

/* Tells how long the files are, and how large their pictures. What can't be opened, or is refused, is told by the
 * scoring. */
static void measure(const struct cli *c, struct batch_told *told)
{
    static struct pair pair;
    struct assay_error e = {0};
    struct request q = c->q;
    q.hwdec = HWDEC_OFF;
    q.decode_threads = 1;
    if (!pair_open(&pair, &q, &e)) {
        told->frames = pair_frames(&pair, &q);
        told->width = pair.width;
        told->height = pair.height;
    }
    pair_close(&pair);
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
    const struct report_run *run;
    const struct scores *s = ladder_scores(l, 0, &run);
    struct report_run plain = *run;
    plain.fps = 0;
    plain.gates = plain.worsts = 0;
    return reporter_write(REPORT_JSON, path, REPORT_SHORTEST, &plain, s, e);
}

/* Scores as the command line does, up to the table. */
static int score_asked(struct batch *b, const struct jobs_unit *u, struct cli *c, const struct batch_child *child,
                       bool fixed, struct assay_error *e)
{
    const struct jobs_job *job = &b->plan.job[u->job];
    const bool whole = job->units == 1;
    struct ladder *l = NULL;
    c->only_scores = true;
    c->q.seeks_shift = false;
    if (!whole) {
        c->outputs = c->gates = 0;
        c->shard = child->beside;
        c->q.part = true;
        c->q.first = u->first;
        c->q.frames = u->frames;
    }
    TRY(check_inputs(b, job, c, "since the plan was made", e));
    TRY(moment_resolve(c, e));
    measure(c, child->told);
    const uint32_t granted = child->threads,
                   enough = jobs_threads(b->job[u->job].threads, b->job[u->job].on_gpu, child->told->width,
                                         child->told->height, granted);
    c->q.decode_threads = fixed ? granted : enough;
    if (!c->q.config.threads)
        c->q.config.threads = c->q.decode_threads;
    child->told->threads = c->q.config.threads;
    c->each = NULL;
    int rc = ladder_score(&l, c, e);
    if (rc >= 0 && whole)
        rc = write_results(l, child->beside, e) ? e->code : rc;
    ladder_close(&l);
    return rc < 0 ? rc : check_inputs(b, job, c, "while it was scored", e);
}

/* Writes the code and the reason to `result`. Returns whether that was possible. */
static bool score(struct batch *b, const struct batch_child *child, bool fixed, int result)
{
    const struct jobs_unit *u = &b->plan.unit[child->unit];
    struct batch_asked asked = {0};
    struct assay_error e = {0};
    struct cli *c = b->parsed;
    char text[1100];
    int rc = batch_ask(&b->plan.job[u->job], c, &asked, &e);
    rc = rc ? rc : score_asked(b, u, c, child, fixed, &e);
    snprintf(text, sizeof text, "%d %s", rc < 0 ? -rc : 0,
             rc >= 0 ? "" : e.text[0] ? e.text : "an error without a message");
    batch_asked_free(&asked);
    return !text_write(result, text, strlen(text));
}

/* ---- from outside ------------------------------------------------------------------------------------------------ */

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

int batch_start(struct batch *b, struct batch_child *child, uint32_t unit, uint32_t threads, bool fixed,
                struct assay_error *e)
{
    int end[4] = {-1, -1, -1, -1}, *result = end, *said = end + 2;
    struct batch_told *told = child->told;
    *child = (struct batch_child){.unit = unit, .told = told, .threads = threads,
                                  .beside = beside_of(b, b->plan.unit[unit].key)};
    *told = (struct batch_told){0};
    int rc = child->beside ? ASSAY_OK : assay_fail_memory(e, "a job");
    fflush(stdout); /* what is in a buffer would be written twice */
    const bool good = !rc && !pipe2(result, O_CLOEXEC) && !pipe2(said, O_CLOEXEC);
    const pid_t parent = getpid(), pid = good ? fork() : -1;
    if (!pid) {
        progress_share(&told->count);
        const bool scored = settle(b, parent, said[1]) && score(b, child, fixed, result[1]);
        fflush(stderr);
        _exit(!scored);
    }
    if (!rc && pid < 0)
        rc = assay_fail(e, ASSAY_EINTERNAL, "a job can't be started: %s", strerror(errno));
    if (rc) {
        for (unsigned i = 0; i < 4; i++)
            if (end[i] >= 0)
                close(end[i]);
        free(child->beside);
        child->beside = NULL;
        return rc;
    }
    close(result[1]);
    close(said[1]);
    child->busy = true;
    child->pid = pid;
    child->result = (struct batch_text){.fd = result[0], .most = RESULT_MOST};
    child->said = (struct batch_text){.fd = said[0], .most = SAID_MOST};
    b->unit[unit].progress = BATCH_RUNNING;
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

/* Sets the code and the reason of a unit. */
static int judge(struct batch_unit *u, const struct batch_child *child, int status, struct assay_error *e)
{
    char reason[100] = "its process ended without a result", *text = child->result.text, *end = text;
    const long code = text && !status ? strtol(text, &end, 10) : 0;
    const bool told = end > text && *end == ' ' && code >= 0 && code < 256;
    if (WIFSIGNALED(status))
        snprintf(reason, sizeof reason, "its process was ended by signal %d%s", WTERMSIG(status),
                 WTERMSIG(status) == SIGKILL ? " (out of memory?)" : "");
    u->note.code = told ? (int)code : -ASSAY_EINTERNAL;
    u->note.reason = strdup(told ? end + 1 : reason);
    if (!u->note.reason || child->result.lost || child->said.lost)
        return assay_fail_memory(e, "a result");
    for (char *at = u->note.reason; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
    u->note.notices = child->said.text ? notices_of(child->said.text, u->note.reason) : strdup("");
    return u->note.notices ? ASSAY_OK : assay_fail_memory(e, "a result");
}

int batch_blame(struct batch_unit *u, int rc, const struct assay_error *why, struct assay_error *e)
{
    free(u->note.reason);
    u->note.code = -rc;
    u->note.reason = strdup(why->text);
    return u->note.reason ? ASSAY_OK : assay_fail_memory(e, "a result");
}

/* Puts the results in their place, or a note of the failure. A place that can't be written to makes the unit fail. */
static int put(struct batch *b, const struct batch_child *child, struct batch_unit *u, struct assay_error *e)
{
    const uint64_t key = b->plan.unit[child->unit].key;
    struct assay_error why = {0};
    if (u->note.code) {
        unlink(child->beside);
        jobs_note_write(&b->plan, key, &u->note, &why); /* the failure is told all the same */
        return ASSAY_OK;
    }
    const int rc = jobs_put(&b->plan, key, child->beside, *u->note.notices ? &u->note : NULL, &why);
    return rc ? batch_blame(u, rc, &why, e) : ASSAY_OK;
}

int batch_end(struct batch *b, struct batch_child *child, uint64_t *memory, struct assay_error *e)
{
    struct batch_unit *u = &b->unit[child->unit];
    const bool dropped = u->progress == BATCH_STOPPED;
    struct rusage usage = {0};
    int status = 0;
    while (wait4(child->pid, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    *memory = (uint64_t)usage.ru_maxrss * 1024;
    u->width = child->told->width;
    u->height = child->told->height;
    u->frames = child->told->count.done;
    int rc = judge(u, child, status, e);
    u->progress = dropped || (signals_why() && u->note.code > 128) ? BATCH_STOPPED : BATCH_ENDED;
    if (!rc && u->progress == BATCH_ENDED)
        rc = put(b, child, u, e);
    else
        unlink(child->beside);
    free(child->result.text);
    free(child->said.text);
    free(child->beside);
    child->beside = NULL;
    child->busy = false;
    return rc;
}
