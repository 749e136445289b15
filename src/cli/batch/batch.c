/* SPDX-License-Identifier: BSD-2-Clause */
/* assay batch: its options, and the steps that it takes one after the other. */
#include "cli/batch/batch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/options.h"
#include "host/text.h"

#define AT(field) .offset = offsetof(struct batch_options, field)
static const struct option options[] = {
    {"summary", 0, OPTION_STRING, 0, AT(summary),
     RESULTS("FILE", "CSV with a row for each job (default: standard output)")},
    {"jobs", 'j', OPTION_U32, 0, AT(jobs), 1, BATCH_JOBS,
     RESULTS("N", "pairs at once (default: as many as fill the processors; 2 on a GPU)")},
    {"state", 0, OPTION_STRING, 0, AT(state),
     RESULTS("FOLDER", "what is done; a run that was stopped or killed goes on there (default: JOBS.csv.state)")},
    {"plan", 0, OPTION_STRING, 0, AT(plan), RESULTS("FOLDER", "write what is to be done, and score nothing")},
    {"work", 0, OPTION_STRING, 0, AT(work), RESULTS("FOLDER", "do tasks of a plan until none is left")},
    {"task", 0, OPTION_U32, 0, AT(task), 0, UINT32_MAX - 1,
     RESULTS("N", "with --work: this task alone, from 0 (default: that of Slurm, Kubernetes or AWS Batch)")},
    {"collect", 0, OPTION_STRING, 0, AT(collect), RESULTS("FOLDER", "write the reports and the summary")},
    {"status", 0, OPTION_STRING, 0, AT(status), RESULTS("FOLDER", "print how far a plan is")},
    {"engine", 0, OPTION_STRING, 0, AT(engine), .words = "slurm",
     RESULTS("NAME", "have a cluster do the tasks and collect: slurm; --jobs N is tasks at once")},
    {"engine-options", 0, OPTION_STRING, 0, AT(engine_options),
     RESULTS("TEXT", "for all jobs of the engine: options of sbatch, cut into words as by a shell")},
    {"resume", 0, OPTION_STRING, 0, AT(resume), RESULTS("FOLDER", "with --engine: submit what is missing of a plan")},
    {"wait", 0, OPTION_FLAG, 0, AT(wait), RESULTS(NULL, "with --engine: until all is collected, with progress")},
    {"task-seconds", 0, OPTION_STRING, 0, AT(task_seconds),
     RESULTS("N", "with --plan: about how long a task takes four processors (default: 600)")},
    {"force", 0, OPTION_FLAG, 0, AT(force), RESULTS(NULL, "overwrite a summary that assay did not write")},
    {"quiet", 'q', OPTION_FLAG, 0, AT(quiet), RESULTS(NULL, "no lines but for jobs that fail")},
    {"progress", 0, OPTION_FLAG, 0, AT(progress), RESULTS(NULL, "a line a minute where standard error is no terminal")},
    {"no-progress", 0, OPTION_FLAG, 0, AT(no_progress), RESULTS(NULL, "no progress line")},
    {"help", 'h', OPTION_FLAG, 0, AT(help)},
};

static int add_list(void *to, char *path, struct assay_error *e)
{
    struct batch_options *o = to;
    if (o->list)
        return assay_fail(e, ASSAY_EUSAGE, "more than one list; the second is %s", path);
    o->list = path;
    return ASSAY_OK;
}

const struct option_list batch_option_list = {
    options, sizeof options / sizeof options[0], "assay batch --help; options of scoring are columns of the list",
    .word = add_list};

/* ---- the command line -------------------------------------------------------------------------------------------- */

static int check(struct batch_options *o, struct assay_error *e)
{
    const char *const name[] = {"--plan", "--work", "--collect", "--status", "--resume"},
               *const folder[] = {o->plan, o->work, o->collect, o->status, o->resume}, *step = NULL;
    for (unsigned i = 0; i < 5; i++) {
        if (step && folder[i])
            return assay_fail(e, ASSAY_EUSAGE, "%s and %s are two steps: one at a time", step, name[i]);
        step = folder[i] ? name[i] : step;
    }
    const bool needs_list = !step || o->plan;
    if (needs_list && (!o->list || !*o->list))
        return assay_fail(e, ASSAY_EUSAGE, "batch needs a list of jobs: assay batch JOBS.csv (assay batch --help)");
    if (!needs_list && o->list)
        return assay_fail(e, ASSAY_EUSAGE, "%s takes no list: the folder has its plan", step);
    if (step && o->state)
        return assay_fail(e, ASSAY_EUSAGE, "%s names the folder, and so would --state", step);
    const bool idle = o->status || (o->plan && !o->engine); /* nothing is scored */
    if ((idle && o->jobs) || ((idle || o->work) && strcmp(o->summary, "-")))
        return assay_fail(e, ASSAY_EUSAGE, "%s is not for %s", idle && o->jobs ? "--jobs" : "--summary", step);
    if (o->task != UINT32_MAX && !o->work)
        return assay_fail(e, ASSAY_EUSAGE, "--task is for --work");
    if (o->task_seconds && !o->plan && !(o->engine && !step))
        return assay_fail(e, ASSAY_EUSAGE, "--task-seconds is for --plan");
    if (!o->engine && (o->engine_options || o->resume || o->wait))
        return assay_fail(e, ASSAY_EUSAGE, "%s is for --engine", o->resume ? "--resume" : o->wait ? "--wait"
                                                                                        : "--engine-options");
    if (o->engine && step && !o->plan && !o->resume)
        return assay_fail(e, ASSAY_EUSAGE, "%s is a step of this machine, without --engine", step);
    if (o->engine && !step && !o->state && !batch_list_is_file(o))
        return assay_fail(e, ASSAY_EUSAGE, "--engine needs --state FOLDER for a list that is no file");
    if (o->task_seconds && !(parse_number(o->task_seconds, &o->seconds) && o->seconds > 0))
        return assay_fail(e, ASSAY_EUSAGE, "--task-seconds takes a number above 0, not '%s'", o->task_seconds);
    if (o->progress && o->no_progress)
        return assay_fail(e, ASSAY_EUSAGE, "--progress and --no-progress contradict each other");
    return ASSAY_OK;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* Sets the result of a job that has no unit left: the failure of its first unit that failed, or else what is stored.
 * Where that is damaged, the units that are missing are WAITING. Any other failure is the job's. */
static int settle(struct batch *b, uint32_t number, struct assay_error *e)
{
    struct jobs_job *job = &b->plan.job[number];
    struct jobs_unit *u = &b->plan.unit[job->unit];
    struct assay_error why = {0};
    bool ended = true, again;
    for (uint32_t k = 0; !job->has && k < job->units; k++) {
        ended = ended && u[k].state >= UNIT_FAILED;
        job->has = u[k].state == UNIT_FAILED;
        if (job->has) {
            jobs_result_free(&job->result);
            job->result.note = u[k].note;
            u[k].note = (struct jobs_note){0};
        }
    }
    if (job->has || !ended)
        return ASSAY_OK;
    int rc = batch_take(b, number, &again, &why);
    if (again && job->units > 1) { /* where the parts are there, the whole is made of them again */
        why = (struct assay_error){0};
        rc = batch_take(b, number, &again, &why);
    }
    if (rc && !again) {
        jobs_result_free(&job->result);
        job->has = true;
        return batch_blame(&job->result.note, rc, why.text, e);
    }
    if (again)
        text_say("%s, so %s is scored again", why.text, job->units > 1 ? "a part" : "the job");
    for (uint32_t k = 0; again && k < job->units; k++) {
        jobs_look_at(&b->plan, &u[k]);
        u[k].kept = u[k].kept && u[k].state == UNIT_DONE;
        u[k].state = u[k].state == UNIT_DONE ? UNIT_DONE : UNIT_WAITING;
    }
    return ASSAY_OK;
}

/* Takes the results of jobs that have none yet, and writes the reports of those that were cut. */
static int take_all(struct batch *b, struct assay_error *e)
{
    batch_join(b);
    for (uint32_t i = 0; i < b->plan.jobs; i++) {
        struct jobs_job *job = &b->plan.job[i];
        struct jobs_note *n = &job->result.note;
        struct assay_error why = {0};
        const bool had = job->has;
        TRY(settle(b, i, e));
        const bool written = had || !job->has || n->code > 1 || (b->joined && b->joined[i]);
        const int rc = written ? ASSAY_OK : batch_report(b, i, &why);
        TRY(rc ? batch_blame(n, rc, why.text, e) : ASSAY_OK);
    }
    return ASSAY_OK;
}

/* The code of the first job that failed, or 1 when no more than gates failed. */
static int conclude(const struct batch *b, struct assay_error *e)
{
    const struct jobs_job *first = NULL;
    uint32_t failed = 0, gates = 0, left = 0;
    for (uint32_t i = 0; i < b->plan.jobs; i++) {
        const struct jobs_job *job = &b->plan.job[i];
        const int code = job->result.note.code;
        failed += code > 1;
        gates += code == 1;
        left += !job->has;
        first = !first && code > 1 ? job : first;
    }
    if (first)
        return assay_fail(e, -first->result.note.code, "%u of %u jobs failed; the first is line %u of %s: %s", failed,
                          b->plan.jobs, first->line, b->name, first->result.note.reason);
    if (left)
        return assay_fail(e, ASSAY_EMISMATCH, "%u of %u jobs are not done yet: assay batch --work %s", left,
                          b->plan.jobs, b->options->collect ? b->options->collect : b->plan.path);
    return gates > 0;
}

/* Takes and writes the results, unless running failed with rc. */
static int finish(struct batch *b, int rc, struct assay_error *e)
{
    struct assay_error late = {0};
    const bool stopped = signals_why();
    rc = rc ? rc : batch_enter(b->folder, e);
    rc = rc ? rc : take_all(b, e);
    if (batch_summary(b, &late) && !rc)
        rc = assay_fail(e, late.code, "%s", late.text);
    return stopped ? signals_stopped(e) : rc ? rc : conclude(b, e);
}

/* ---- the steps --------------------------------------------------------------------------------------------------- */

/* Units that are done are kept, if what their jobs make is there. */
static int keep(struct batch *b, struct assay_error *e)
{
    for (uint32_t i = 0; i < b->plan.jobs; i++) {
        const struct jobs_job *job = &b->plan.job[i];
        for (uint32_t k = 0; k < job->units; k++) {
            struct jobs_unit *u = &b->plan.unit[job->unit + k];
            u->kept = u->state == UNIT_DONE && (job->units > 1 || job->complete);
            u->state = u->kept ? UNIT_DONE : UNIT_WAITING;
        }
        TRY(settle(b, i, e));
    }
    return ASSAY_OK;
}

/* All three steps with processes of this machine. */
static int do_all(struct batch *b, const char *state, struct assay_error *e)
{
    TRY(batch_plan(b, state, e));
    TRY(keep(b, e));
    return finish(b, batch_run(b, e), e);
}

/* A list from a pipe has a folder for the time being. */
static int do_all_for_now(struct batch *b, struct assay_error *e)
{
    const char *temporary = getenv("TMPDIR");
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/assay-batch-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    signals_catch(false); /* from here on, so that the folder is removed */
    if (!mkdtemp(folder))
        return assay_fail(e, ASSAY_EINTERNAL, "%s: can't be made (--state names a folder)", folder);
    const int rc = do_all(b, folder, e);
    jobs_erase(b->plan.path ? b->plan.path : folder);
    return rc;
}

static int run_list(struct batch *b, const char *state, struct assay_error *e)
{
    TRY(batch_read(b, e));
    if (b->options->engine)
        TRY(batch_summary_check(b, e));
    if (b->options->plan) {
        TRY(batch_plan(b, b->options->plan, e));
        if (signals_why())
            return signals_stopped(e);
        if (!b->options->quiet && !b->options->engine)
            text_say("%s: %u jobs in %u parts, which are tasks 0 to %u", b->options->plan, b->plan.jobs, b->plan.units,
                     b->plan.tasks - 1);
        return b->options->engine ? batch_slurm(b, e) : ASSAY_OK;
    }
    TRY(batch_summary_check(b, e));
    return state ? do_all(b, state, e) : do_all_for_now(b, e);
}

/* ---- steps on a folder ------------------------------------------------------------------------------------------- */

/* Collects what is done, or has an engine do what is left and collect. */
static int go_on(struct batch *b, const char *folder, struct assay_error *e)
{
    TRY(batch_load(b, folder, e));
    TRY(batch_summary_check(b, e));
    return b->options->engine ? batch_slurm(b, e) : finish(b, ASSAY_OK, e);
}

static int status(struct batch *b, struct assay_error *e)
{
    const char *path = b->options->status;
    uint32_t count[UNIT_STATES] = {0};
    TRY(batch_load(b, path, e));
    for (uint32_t i = 0; i < b->plan.units; i++)
        count[b->plan.unit[i].state]++;
    printf("%s: %u of %u parts are done, %u failed, %u are left, in %u tasks of %u jobs\n", path, count[UNIT_DONE],
           b->plan.units, count[UNIT_FAILED], count[UNIT_LEFT], b->plan.tasks, b->plan.jobs);
    for (uint32_t i = 0; i < b->plan.units; i++) {
        const struct jobs_unit *u = &b->plan.unit[i];
        if (u->state != UNIT_FAILED)
            continue;
        text_plain(u->note.reason);
        printf("task %u: line %u failed with exit code %d: %s\n", u->task, b->plan.job[u->job].line, u->note.code,
               u->note.reason);
    }
    return ASSAY_OK;
}

/* The number that an engine of arrays has given to this process. */
static int task_of_engine(uint32_t *task, struct assay_error *e)
{
    static const char *const names[] = {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX"};
    for (unsigned i = 0; *task == UINT32_MAX && i < sizeof names / sizeof names[0]; i++) {
        const char *text = getenv(names[i]);
        if (text && *text)
            return option_u32(names[i], text, strlen(text), 0, UINT32_MAX - 1, task, e);
    }
    return ASSAY_OK;
}

/* Makes the units of a task WAITING that are to be done. A failure that lasts is not tried again. Returns how many
 * units there are. */
static uint32_t choose(struct batch *b, uint32_t task)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->plan.units; i++) {
        struct jobs_unit *u = &b->plan.unit[i];
        u->state = u->state == UNIT_WAITING ? UNIT_LEFT : u->state;
        if (u->task != task || u->state >= UNIT_FAILED)
            continue;
        jobs_look_at(&b->plan, u);
        u->kept = !jobs_is_left(u);
        u->state = u->kept ? u->state : UNIT_WAITING;
        n += !u->kept;
    }
    return n;
}

static int work(struct batch *b, struct assay_error *e)
{
    uint32_t task = b->options->task, taken = 0, failed = 0, first = 0;
    TRY(task_of_engine(&task, e));
    TRY(batch_load(b, b->options->work, e));
    const bool one = task != UINT32_MAX;
    if (one && task >= b->plan.tasks)
        return assay_fail(e, ASSAY_EUSAGE, "task %u: the plan has tasks 0 to %u", task, b->plan.tasks - 1);
    for (uint32_t i = 0; i < b->plan.units; i++) { /* what has failed is looked at with its task */
        struct jobs_unit *u = &b->plan.unit[i];
        u->kept = u->state == UNIT_DONE;
        u->state = u->kept ? UNIT_DONE : UNIT_LEFT;
    }
    for (uint32_t t = one ? task : 0; t < (one ? task + 1 : b->plan.tasks) && !signals_why(); t++) {
        if (!choose(b, t))
            continue;
        if (!jobs_lock(&b->plan, t)) {
            taken++;
            continue;
        }
        const int rc = choose(b, t) ? batch_run(b, e) : ASSAY_OK; /* somebody may have done it meanwhile */
        jobs_unlock(&b->plan, t);
        TRY(rc);
    }
    if (signals_why())
        return signals_stopped(e);
    if (taken && !b->options->quiet)
        text_say("%u task%s being done by others", taken, taken == 1 ? " is" : "s are");
    for (uint32_t i = 0; i < b->plan.units; i++)
        if (b->plan.unit[i].state == UNIT_FAILED && !b->plan.unit[i].kept) {
            first = failed ? first : i;
            failed++;
        }
    const struct jobs_unit *u = &b->plan.unit[first];
    return failed ? assay_fail(e, -u->note.code, "%u part%s failed; the first is of line %u of %s: %s", failed,
                               failed == 1 ? "" : "s", b->plan.job[u->job].line, b->name, u->note.reason) : ASSAY_OK;
}

void batch_free(struct batch *b)
{
    if (b->joined)
        munmap(b->joined, b->plan.jobs);
    jobs_figures_free(&b->figures);
    jobs_free(&b->plan);
    batch_ask_free(b);
    free(b->parsed);
    if (b->here >= 0)
        close(b->here);
    if (b->folder >= 0)
        close(b->folder);
}

int cli_batch(int argc, char **argv, struct assay_error *e)
{
    struct batch_options o = {.summary = "-", .task = UINT32_MAX, .seconds = 600};
    char *state = NULL;
    TRY(option_parse(&batch_option_list, &o, argc, argv, e));
    if (o.help) {
        cli_help("batch", stdout);
        return ASSAY_OK;
    }
    TRY(check(&o, e));
    if (o.list && !o.state && batch_list_is_file(&o)) {
        if (!(o.state = state = text_new("%s.state", o.list)))
            return assay_fail_memory(e, "the state");
    }
    if (o.engine && !o.resume && !o.plan)
        o.plan = o.state;
    struct batch b = {.options = &o, .here = -1, .folder = -1, .plan = JOBS_START};
    const char *folder = o.collect ? o.collect : o.resume;
    const int rc = o.work ? work(&b, e) : o.status ? status(&b, e) : folder ? go_on(&b, folder, e)
                          : run_list(&b, o.state, e);
    batch_free(&b);
    free(state);
    return rc;
}
