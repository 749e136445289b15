/* SPDX-License-Identifier: BSD-2-Clause */
/* Results of jobs of `assay batch`: reads the report of a job, or merges those of its units where it was cut, takes the
 * summary's figures from it, and writes the reports of jobs that were cut; and the summary, CSV with a row for each job
 * in the order of the list. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/batch/batch.h"
#include "results/report_read.h"
#include "results/sink.h"

int batch_blame(struct jobs_note *n, int rc, const char *reason, struct assay_error *e)
{
    free(n->reason);
    n->code = -rc;
    n->reason = strdup(reason);
    return n->reason ? ASSAY_OK : assay_fail_memory(e, "a result");
}

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
        c->quiet = c->only_scores = c->in_batch = c->force = true;
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
    struct cli *c = b->parsed;
    char *path = jobs_path(&b->plan, job->key, JOBS_PART);
    int rc = path ? batch_ask(b, job, e) : assay_fail_memory(e, "a report");
    const uint32_t outputs = rc ? 0 : c->outputs;
    c->outputs = 0;
    for (uint32_t i = 0; i < outputs; i++) /* the others were written by whoever scored the job, and had its pictures */
        if (job->units > 1 || (access(c->output[i].path, F_OK) && !(c->output[i].kind == REPORT_HTML && c->thumbnails)))
            c->output[c->outputs++] = c->output[i];
    if (!rc && c->outputs) {
        c->part = &path;
        c->parts = 1;
        c->quiet = c->only_scores = c->in_batch = true;
        rc = cli_report(c, e);
    }
    free(path);
    return rc < 0 ? rc : ASSAY_OK;
}

/* ---- jobs that were cut, side by side ---------------------------------------------------------------------------- */

enum { MEMORY = 1 << 29 }; /* bytes for a process; 60,000 frames of four scores take 225 MB */

/* Whether a job was cut and all of its units are done. */
static bool can_be_joined(const struct batch *b, const struct jobs_job *job)
{
    bool done = job->units > 1;
    for (uint32_t k = 0; done && k < job->units; k++)
        done = b->plan.unit[job->unit + k].state == UNIT_DONE;
    return done;
}

/* Does every n-th from number `first` on. One that is together already may be damaged, which batch_take finds out. */
static void join(struct batch *b, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0, number = 0; i < b->plan.jobs; i++) {
        const struct jobs_job *job = &b->plan.job[i];
        struct assay_error e = {0};
        if (!can_be_joined(b, job) || number++ % n != first)
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
    TRY(jobs_take(&b->figures, r, s, e));
    r->note.notices = jobs_notices(&b->plan, job);
    TRY(r->note.notices ? ASSAY_OK : assay_fail_memory(e, "a result"));
    if (!strstr(job->options, "-fail-"))
        return ASSAY_OK;
    TRY(batch_ask(b, job, e));
    return jobs_take_gates(r, b->parsed->gate, b->parsed->gates, s, e);
}

int batch_take(struct batch *b, uint32_t number, bool *again, struct assay_error *e)
{
    struct jobs_job *job = &b->plan.job[number];
    struct jobs_result *r = &job->result;
    struct assay_error why = {0};
    struct stored s = {0};
    *again = false;
    int rc = job->units > 1 && !jobs_has(&b->plan, job->key) ? merge_parts(b, job, again, &why) : ASSAY_OK;
    char *path = jobs_path(&b->plan, job->key, JOBS_PART);
    if (rc >= 0)
        rc = path ? stored_read(&s, path, NULL, 0, &why) : assay_fail_memory(&why, "a result");
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
    job->has = rc >= 0;
    return rc < 0 ? assay_fail(e, rc, "%s", why.text) : ASSAY_OK;
}

/* ---- the summary ------------------------------------------------------------------------------------------------- */

/* The names of all figures, in the order in which they come first. */
struct names {
    uint32_t *name; /* numbers of batch.figures.name */
    uint32_t names;
};

static int collect(const struct batch *b, struct names *all, struct assay_error *e)
{
    all->name = calloc(b->figures.names + 1, sizeof *all->name);
    if (!all->name)
        return assay_fail_memory(e, "the summary");
    for (uint32_t i = 0; i < b->plan.jobs; i++) {
        const struct jobs_result *r = &b->plan.job[i].result;
        for (uint32_t k = 0; k < r->figures; k++) {
            uint32_t at = 0;
            while (at < all->names && all->name[at] != r->figure[k].name)
                at++;
            all->name[at] = r->figure[k].name;
            all->names += at == all->names;
        }
    }
    return ASSAY_OK;
}

/* A cell, and the comma in front of it unless it is the first one. Line ends become "; ". */
static void cell(struct sink *s, bool first, const char *text)
{
    const bool quoted = strpbrk(text, ",\"\r\n") || *text == ' ' || (*text && text[strlen(text) - 1] == ' ');
    sink_text(s, first ? "" : ",");
    sink_text(s, quoted ? "\"" : "");
    for (; *text; text++) {
        if (*text == '\n')
            sink_text(s, "; ");
        else if (*text == '"')
            sink_text(s, "\"\"");
        else
            sink_bytes(s, text, 1);
    }
    sink_text(s, quoted ? "\"" : "");
}

/* The figures of a job, which stand in the order of the columns but for gaps, mostly. */
static void figures(struct sink *s, const struct jobs_result *r, const struct names *all)
{
    for (uint32_t i = 0, at = 0; i < all->names; i++) {
        char text[NUMBER_TEXT_SIZE] = "";
        for (uint32_t k = 0; k < r->figures && !*text; k++) {
            const struct jobs_figure *f = &r->figure[(at + k) % r->figures];
            if (f->name == all->name[i]) {
                format_shortest(text, f->value);
                at = at + k + 1;
            }
        }
        cell(s, false, text);
    }
}

static void row(struct sink *s, const struct batch *b, uint32_t number, const struct names *all)
{
    const struct jobs_job *job = &b->plan.job[number];
    const struct jobs_result *r = &job->result;
    const bool ended = job->has, scored = ended && r->note.code <= 1;
    cell(s, true, job->reference);
    cell(s, false, job->distorted);
    cell(s, false, job->listed);
    cell(s, false, batch_status_name[batch_status(b, number)]);
    cell(s, false, ended && r->note.reason ? r->note.reason : "");
    const uint64_t number_of[] = {(uint64_t)r->note.code, r->frames, r->width, r->height};
    for (unsigned k = 0; k < 4; k++) {
        sink_text(s, ",");
        if (k ? scored : ended)
            sink_format(s, "%llu", (unsigned long long)number_of[k]);
    }
    cell(s, false, scored ? r->bytes : "");
    cell(s, false, scored ? r->seconds : "");
    cell(s, false, scored ? r->kbps : "");
    cell(s, false, ended && r->note.notices ? r->note.notices : "");
    figures(s, r, all);
    sink_text(s, "\n");
}

int batch_summary_check(const struct batch *b, struct assay_error *e)
{
    const char *const path = b->options->summary;
    struct sink s;
    if (!strcmp(path, "-"))
        return ASSAY_OK;
    if (!b->options->force)
        TRY(file_spare(path, FILE_CSV, e));
    TRY(sink_open(&s, path, e));
    sink_abandon(&s);
    return ASSAY_OK;
}

int batch_summary(struct batch *b, struct assay_error *e)
{
    struct names all = {0};
    struct sink s;
    int rc = batch_enter(b->here, e);
    rc = rc ? rc : collect(b, &all, e);
    rc = rc ? rc : sink_open(&s, b->options->summary, e);
    if (!rc) {
        sink_text(&s, "reference,distorted,options,status,reason,exit_code,frames,width_px,height_px,video_bytes,"
                      "duration_s,bitrate_kbps,notices");
        for (uint32_t i = 0; i < all.names; i++)
            cell(&s, false, b->figures.name[all.name[i]]);
        sink_text(&s, "\n");
        for (uint32_t i = 0; i < b->plan.jobs; i++)
            row(&s, b, i, &all);
        rc = sink_close(&s, e);
    }
    free(all.name);
    return rc;
}
