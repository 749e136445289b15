/* SPDX-License-Identifier: BSD-2-Clause */
/* Results of jobs of `assay batch`: reads the report of a job, or merges those of its units where it was cut, takes the
 * summary's figures from it, and writes the reports of jobs that were cut. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/batch/batch.h"
#include "results/report_read.h"

/* ---- a job that was cut ------------------------------------------------------------------------------------------ */

/* Merges the parts into the exact results of the job. *again: a damaged one was removed; NULL: none is removed. */
static int merge_parts(struct batch *b, const struct jobs_job *job, bool *again, struct assay_error *e)
{
    struct jobs *j = &b->plan;
    char **path = calloc(job->units + 1, sizeof *path), *whole = jobs_path(j, job->key, JOBS_PART);
    struct cli *c = b->parsed;
    int rc = path && whole ? ASSAY_OK : assay_fail_memory(e, "the parts");
    for (uint32_t k = 0; !rc && k < job->units; k++)
        if (!(path[k] = jobs_path(j, j->unit[job->unit + k].key, JOBS_PART)))
            rc = assay_fail_memory(e, "the parts");
    rc = rc ? rc : cli_parse(c, COMMAND_MERGE, (int)job->units, path, e);
    if (!rc) {
        c->quiet = c->only_scores = c->force = true;
        c->precision = REPORT_SHORTEST;
        c->output[c->outputs++] = (struct cli_output){REPORT_JSON, whole};
        rc = cli_merge(c, e);
    }
    for (uint32_t k = 0; again && rc == ASSAY_EINPUT && k < job->units; k++)
        *again = jobs_drop(j, j->unit[job->unit + k].key) || *again;
    for (uint32_t k = 0; path && k < job->units; k++)
        free(path[k]);
    free(path);
    free(whole);
    return rc;
}

int batch_report(struct batch *b, uint32_t number, struct assay_error *e)
{
    const struct jobs_job *job = &b->plan.job[number];
    struct batch_asked asked = {0};
    struct cli *c = b->parsed;
    char *path = jobs_path(&b->plan, job->key, JOBS_PART);
    TRY(path ? batch_enter(b->folder, e) : assay_fail_memory(e, "a report"));
    int rc = batch_ask(job, c, &asked, e);
    const uint32_t outputs = rc ? 0 : c->outputs;
    c->outputs = 0;
    for (uint32_t i = 0; i < outputs; i++) /* the others were written by whoever scored the job, and had its pictures */
        if (job->units > 1 || (access(c->output[i].path, F_OK) && !(c->output[i].kind == REPORT_HTML && c->thumbnails)))
            c->output[c->outputs++] = c->output[i];
    if (!rc && c->outputs) {
        c->part = &path;
        c->parts = 1;
        c->quiet = c->only_scores = true;
        rc = cli_report(c, e);
    }
    const int back = batch_enter(b->here, e);
    batch_asked_free(&asked);
    free(path);
    return rc < 0 ? rc : back;
}

/* ---- jobs that were cut, side by side ---------------------------------------------------------------------------- */

enum { MEMORY = 1 << 29 }; /* bytes for a process; 60,000 frames of four scores take 225 MB */

/* Whether a job was cut and all of its units are done. */
static bool can_be_joined(const struct batch *b, const struct jobs_job *job)
{
    bool done = job->units > 1;
    for (uint32_t k = 0; done && k < job->units; k++)
        done = b->unit[job->unit + k].progress == BATCH_ENDED && !b->unit[job->unit + k].note.code;
    return done;
}

/* Does every n-th from number `first` on. One that is together already may be damaged, which batch_take finds out. */
static void join(struct batch *b, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0, number = 0; i < b->plan.jobs; i++) {
        const struct jobs_job *job = &b->plan.job[i];
        struct assay_error e = {0};
        if (!can_be_joined(b, job) || number++ % n != first || batch_enter(b->folder, &e))
            continue;
        if (!jobs_has(&b->plan, job->key) && merge_parts(b, job, NULL, &e) >= 0)
            b->joined[i] = batch_report(b, i, &e) >= 0;
    }
}

void batch_join(struct batch *b)
{
    const struct jobs_machine machine = jobs_machine();
    const uint64_t fit = machine.memory ? machine.memory / MEMORY : machine.processors;
    uint32_t jobs = 0, n = 0, processes = fit < machine.processors ? (uint32_t)fit : machine.processors;
    for (uint32_t i = 0; i < b->plan.jobs; i++)
        jobs += can_be_joined(b, &b->plan.job[i]);
    processes = jobs < processes ? jobs : processes;
    void *shared = mmap(NULL, b->plan.jobs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return;
    b->joined = shared;
    fflush(stdout);
    for (pid_t child = 1; n < processes && processes > 1 && child > 0; n += child > 0)
        if (!(child = fork())) {
            join(b, n, processes);
            _exit(0);
        }
    while (n && (wait(NULL) > 0 || errno == EINTR))
        ;
}

/* ---- a job ------------------------------------------------------------------------------------------------------- */

static int take_stored(struct batch *b, const struct jobs_job *job, struct jobs_result *r, struct stored *s,
                       struct assay_error *e)
{
    struct batch_asked asked = {0};
    TRY(jobs_take(&b->figures, r, s, e));
    free(r->notices);
    r->notices = jobs_notices(&b->plan, job);
    TRY(r->notices ? ASSAY_OK : assay_fail_memory(e, "a result"));
    if (!strstr(job->options, "-fail-"))
        return ASSAY_OK;
    int rc = batch_ask(job, b->parsed, &asked, e);
    rc = rc ? rc : jobs_take_gates(r, b->parsed->gate, b->parsed->gates, s, e);
    batch_asked_free(&asked);
    return rc;
}

int batch_take(struct batch *b, uint32_t number, bool *again, struct assay_error *e)
{
    const struct jobs_job *job = &b->plan.job[number];
    struct jobs_result *r = &b->job[number].result;
    struct assay_error why = {0};
    struct stored s = {0};
    *again = false;
    TRY(batch_enter(b->folder, e)); /* models of users are there */
    int rc = job->units > 1 && !jobs_has(&b->plan, job->key) ? merge_parts(b, job, again, &why) : ASSAY_OK;
    char *path = jobs_path(&b->plan, job->key, JOBS_PART);
    if (rc >= 0 && !path)
        rc = assay_fail_memory(&why, "a result");
    if (rc >= 0)
        rc = stored_read(&s, path, NULL, 0, &why);
    if (!rc && (s.rounded || !s.bits || s.part.every))
        rc = assay_fail(&why, ASSAY_EINPUT, "%s: its values are not those of its digests", path);
    if (rc == ASSAY_EINPUT && path && !*again) {
        jobs_remove(&b->plan, job->key, JOBS_PART);
        *again = true;
    }
    jobs_result_free(r);
    rc = rc < 0 ? rc : take_stored(b, job, r, &s, &why);
    stored_free(&s);
    free(path);
    b->job[number].has = rc >= 0;
    const int back = batch_enter(b->here, e);
    return rc < 0 ? assay_fail(e, rc, "%s", why.text) : back;
}
