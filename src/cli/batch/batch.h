/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * assay batch: a list of pairs, each scored as `assay REFERENCE DISTORTED OPTIONS` scores it, in steps on a folder of
 * jobs (jobs/jobs.h): a plan of the list, the scoring of its units, reports and the summary. A unit is scored in a
 * process of its own, a fork of this one, which has no other thread: nothing is started by name, and no shell is.
 */
#ifndef ASSAY_CLI_BATCH_BATCH_H
#define ASSAY_CLI_BATCH_BATCH_H

#include <sys/types.h>

#include "cli/cli.h"
#include "host/system.h"
#include "input/stream.h"
#include "jobs/figures.h"
#include "jobs/jobs.h"
#include "report/progress.h"
#include "results/file.h"

enum { BATCH_JOBS = 1024 }; /* at once */

struct batch_options {
    const char *list;    /* "-": standard input; NULL with --work, --collect and --status */
    const char *state;   /* the folder; NULL: the list's name and ".state"; of standard input: one for the time being */
    const char *summary; /* "-": standard output */
    const char *plan, *work, *collect, *status, *resume; /* folders: the one step that is taken */
    const char *engine, *engine_options;
    uint32_t task;       /* UINT32_MAX: none was given */
    const char *task_seconds;
    double seconds;      /* that a task is to take */
    uint32_t jobs;       /* at once; 0: as many as fill the machine */
    bool wait, quiet, progress, no_progress, force, help;
};

struct batch {
    const struct batch_options *options;
    int here, folder;             /* the folder in which the command was called, and that of the list */
    char name[256];               /* of the list, in messages */
    bool no_models;               /* the metrics of the last job name no file */
    struct jobs_seen seen[2];     /* the last files that were looked at, of each side */
    struct cli *parsed;           /* the command line of a row or of a job. That of a job points into the next two */
    struct assay_request *request;
    char **option, **line;
    struct jobs plan;
    bool *joined;                 /* of each job that was cut: it and its reports are written; NULL: of none */
    struct jobs_figures figures;
};

/* ---- the list (list.c) ---- */

/* False of standard input, and of a pipe by another name: a list from there has no folder. */
bool batch_list_is_file(const struct batch_options *o);
/* Reads the list and checks all of it: columns, options, files, and that no two jobs are the same or write the same
 * file. Jobs get their requests. */
int batch_read(struct batch *b, struct assay_error *e);

/* Looks at the inputs of a job, unless they are those of the job before. Returns an errno; *side is the one that can't
 * be read. */
int batch_see(struct batch *b, const struct jobs_job *job, unsigned *side);
uint64_t batch_key(struct batch *b, const struct jobs_job *job, const struct cli *c);

/* Opens the folder of the list, and the current one. */
int batch_folders(struct batch *b, const char *folder, struct assay_error *e);
/* Makes the folder of the list, or the one in which the command was called, the current one. Jobs are run, and their
 * results taken, in the first one; what options name is found in the second one. */
int batch_enter(int folder, struct assay_error *e);

/* ---- the plan (plan.c) ---- */

/* Opens the folder `path` for a planner, and makes the plan of the list that was read, whose folder is entered. */
int batch_plan(struct batch *b, const char *path, struct assay_error *e);
/* Opens a folder that has a plan. */
int batch_load(struct batch *b, const char *path, struct assay_error *e);

/* How long and how large inputs are, opened with little effort. 0: not known; whoever scores them finds out why. */
struct batch_size {
    uint64_t frames;
    uint32_t width, height;
};
struct batch_size batch_measure(const struct cli *c);

/* Makes a job the parsed command line of scoring. */
int batch_ask(struct batch *b, const struct jobs_job *job, struct assay_error *e);
void batch_ask_free(struct batch *b);

/* ---- running (run.c) ---- */

/* Scores the units that are WAITING. Fails when no process can be made. After a signal, units are WAITING or STOPPED.
 * Results are put in place, and taken of jobs of one unit. */
int batch_run(struct batch *b, struct assay_error *e);

/* A process that scores a unit, seen from the one that started it, in memory that both have. */
struct batch_child {
    bool busy;
    uint32_t unit;
    pid_t pid;
    char *beside;          /* where it writes its results */
    struct buffer_text said; /* on standard error */
    int fd;                /* from which it is read; -1: at its end */
    uint32_t threads;
    struct input_stop stop; /* above the cli_stop of its process; the run sets it */
    struct {               /* what it tells; the rest is not its own */
        struct progress_count count;
        _Atomic uint32_t width, height, threads; /* threads: that it takes; 0: what it was given */
        _Atomic uint64_t frames;                 /* that the files say they have */
        bool ended;                              /* `why`: the failure; its code is 0 where there is none */
        struct assay_error why;
    } told;
};

/* The running of units. */
struct batch_runner {
    struct batch *batch;
    struct jobs_machine machine;
    struct batch_child *child;
    struct pollfd *poll;          /* of each child */
    uint32_t children;            /* places for them */
    uint32_t units;               /* that are to be scored */
    uint32_t running, left;       /* left: units that have not been started */
    uint32_t next;                /* index of the first one of them, or behind */
    uint32_t ended;               /* units of the plan that have ended, those that were done before, too */
    uint64_t frames;              /* of the units that have ended here */
    double pixels;                /* of these, which are the work that was done */
    uint32_t measured;            /* how many units that is the work of */
    uint64_t largest;             /* bytes that a job has taken at most */
    double more;                  /* how many times what was expected a job has taken at most; at least 1 */
    uint64_t start;               /* of clock_ns */
    struct progress progress;
    char **notice;                /* that were shown */
    uint32_t notices;
};

/* Has Slurm do the tasks of a plan that are left, and collect (slurm.c). */
int batch_slurm(struct batch *b, struct assay_error *e);

/* ---- results (results.c) ---- */

/* Makes a unit or a job fail with code rc. Fails where there is no memory for the reason. */
int batch_blame(struct jobs_note *n, int rc, const char *reason, struct assay_error *e);

/* Sets the result of a job whose units have ended: reads what is in its place, with the parts of a job that was cut put
 * together first. What turns out to be damaged is removed, and *again is set: the units must be scored again. */
int batch_take(struct batch *b, uint32_t job, bool *again, struct assay_error *e);
/* Puts jobs together that were cut and are done, and writes their reports, in processes side by side. What fails there
 * is left to the functions above and below, which tell why. */
void batch_join(struct batch *b);
/* Writes the reports of a job that was cut, and those of any other that are missing. */
int batch_report(struct batch *b, uint32_t job, struct assay_error *e);

/* Checks before the first job that the summary can be written, and writes it at the end. */
int batch_summary_check(const struct batch *b, struct assay_error *e);
int batch_summary(struct batch *b, struct assay_error *e);

/* ---- progress and messages (show.c) ---- */

void batch_show_start(struct batch_runner *r);
void batch_show_running(struct batch_runner *r);
/* Tells what became of a unit, and what it said that no other one has said before. */
void batch_show_end(struct batch_runner *r, const struct batch_child *child);
/* Tells how many jobs have ended how, and what memory they took. */
void batch_show_free(struct batch_runner *r);

enum batch_status { BATCH_OK, BATCH_GATE, BATCH_FAILED, BATCH_UNFINISHED, BATCH_NOT_RUN, BATCH_STATUSES };
extern const char *const batch_status_name[BATCH_STATUSES]; /* in the summary */
enum batch_status batch_status(const struct batch *b, uint32_t job);

/* ---- all of it (batch.c) ---- */

void batch_free(struct batch *b);
extern const struct option_list batch_option_list;
int cli_batch(int argc, char **argv, struct assay_error *e); /* the arguments behind "batch" */

#endif
