/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * assay batch: a list of pairs, each scored as `assay REFERENCE DISTORTED OPTIONS` scores it, in a process of its own.
 * Such a process is a fork of this one, which has no other thread: nothing is started by name, and no shell is.
 */
#ifndef ASSAY_CLI_BATCH_BATCH_H
#define ASSAY_CLI_BATCH_BATCH_H

#include <sys/stat.h>
#include <sys/types.h>

#include "cli/cli.h"
#include "results/file.h"
#include "cli/outcome.h"
#include "report/progress.h"

enum { BATCH_JOBS = 1024 }; /* at once */

struct batch_options {
    const char *list;    /* "-": standard input */
    const char *state;   /* NULL: the list's name and ".state"; of standard input: none */
    const char *summary; /* NULL: standard output */
    uint32_t jobs;       /* at once; 0: as many as fill the machine */
    bool quiet, progress, no_progress, force, help;
};

/* WAITING also of a job that a stop kept from being started. */
enum batch_progress { BATCH_WAITING, BATCH_RUNNING, BATCH_STOPPED, BATCH_ENDED };

struct batch_output {
    char *path;      /* as listed */
    uint32_t column; /* from 1; 0: not known */
};

struct batch_job {
    uint32_t line;                /* of the list */
    char *reference, *distorted;  /* as listed */
    char *options;                /* as one text, for messages and the summary */
    char **argv;                  /* of scoring */
    int argc;
    struct file_spot spot[2];     /* of the inputs */
    uint64_t digest;              /* of the inputs, as they were when the list was read, and the options */
    struct batch_output *output;  /* files and folders that the job makes */
    uint32_t outputs;
    uint32_t threads;             /* that the user named; 0: none */
    bool on_gpu, measured;        /* measured: what follows is known, as far as the files say it */
    uint64_t frames;              /* 0: not known */
    uint32_t width, height;       /* 0: not known */
    enum batch_progress progress;
    bool kept;                    /* the outcome is that of an earlier run */
    struct outcome outcome;       /* of a job that has ended */
};

struct batch {
    const struct batch_options *options;
    int here, folder;             /* the folder in which the command was called, and that of the list */
    char name[256];               /* of the list, in messages */
    struct batch_column *column;
    uint32_t columns;
    char *checked;                /* the metrics of the row before, which are in order */
    bool no_models;               /* these name no file */
    uint64_t *gate;               /* digests of gates that are in order, with their jobs' metrics */
    uint32_t gated;
    char *folder_checked;         /* the last folder of outputs that is in order */
    struct batch_look *look;      /* the last files that were looked at, of each side */
    struct cli *parsed;           /* of a row */
    struct batch_job *job;
    uint32_t jobs;
    struct batch_state *state;    /* NULL: none is kept */
};

/* ---- the list (batch_list.c, batch_row.c) ---- */

/* False of standard input, and of a pipe by another name: a list from there has no folder. */
bool batch_list_is_file(const struct batch_options *o);
/* Reads the list and checks all of it: columns, options, files, and that no two jobs are the same or write the same
 * file. */
int batch_read(struct batch *b, struct assay_error *e);
void batch_free(struct batch *b);

/* The columns of a list. */
enum batch_column_kind { BATCH_REFERENCE, BATCH_DISTORTED, BATCH_OPTIONS, BATCH_VALUE, BATCH_FLAG };
struct batch_column {
    const char *name; /* as in the list */
    char option[48];  /* "--metric" */
    enum batch_column_kind kind;
};

/* Makes a job of the cells of a row, one for each column. */
int batch_row(struct batch *b, struct batch_job *job, char *const *cell, struct assay_error *e);

/* What stat says of an input of side 0 or 1, and its path without links, until the next call for the side. Returns an
 * errno where it can't be read. */
int batch_look(struct batch *b, unsigned side, const char *path, struct stat *st, const char **real);

/* Refuses (ASSAY_EUSAGE) gates on scores that the metrics of a job have for no kind of pictures; *bad is the gate. */
int batch_check_gates(struct batch *b, const struct cli *c, const struct gate **bad, struct assay_error *e);

/* Fails with a message that begins with the list, the line and, unless it is 0, the number of the column, from 1. */
__attribute__((format(printf, 6, 7)))
int batch_refuse(const struct batch *b, int code, uint32_t line, uint32_t column, struct assay_error *e,
                 const char *format, ...);

/* Cuts a text into words as a shell does: at blanks, with '...', "..." and \, and nothing is expanded. `words` holds
 * strlen(text) + 1 bytes; it becomes the words, each with its NUL. Returns how many they are, or -1 where a quote is
 * open. */
int batch_words(const char *text, char *words);

/* Makes the folder of the list, or the one in which the command was called, the current one. */
int batch_enter(int folder, struct assay_error *e);

/* ---- what was done before (state.c) ---- */

/* Opens the state file, makes it where there is none, and locks it. Sets the outcome of each job that it has. */
int batch_state_open(struct batch *b, const char *path, struct assay_error *e);
/* Adds a job that has ended. A file that can't be written is given up; batch_state_close fails then. */
void batch_state_add(struct batch *b, const struct batch_job *job);
int batch_state_close(struct batch *b, struct assay_error *e);
/* In a process that scores: the lock stays with its parent. */
void batch_state_leave(struct batch *b);

/* ---- running (batch_run.c, batch_plan.c, batch_child.c) ---- */

/* Runs the jobs that have no outcome. Fails when no process can be made. After a signal, jobs are WAITING or
 * STOPPED. */
int batch_run(struct batch *b, struct assay_error *e);

/* What a machine gives to jobs. */
struct batch_machine {
    uint32_t processors;
    uint64_t memory;     /* bytes that all jobs may take together; 0: not known */
};
struct batch_machine batch_machine(void);
/* How many processors a job is given, and about how many bytes it takes. */
uint32_t batch_threads(const struct batch_job *job, uint32_t processors);
uint64_t batch_memory(const struct batch_job *job);

/* A process that scores a job, seen from the one that started it. */
struct batch_text {
    char *text;
    size_t size, most; /* beyond `most` bytes nothing is kept */
    bool lost;         /* there was no memory for a part of it */
    int fd;            /* -1: at its end */
};
struct batch_child {
    struct batch_job *job; /* NULL: this place is free */
    pid_t pid;
    struct batch_text result, said;
    struct progress_count *count;
    uint32_t threads;
    uint64_t memory;
};

/* Starts a process. Its progress goes to child->count. */
int batch_start(struct batch *b, struct batch_child *child, struct batch_job *job, uint32_t threads,
                struct assay_error *e);
/* Takes what a process has said, if there is anything. */
void batch_listen(struct batch_text *t);
/* Waits for a process that has closed its ends, and sets the job's outcome. *memory becomes the bytes that it took. */
int batch_end(struct batch_child *child, uint64_t *memory, struct assay_error *e);

/* Starts a process that opens the files of all waiting jobs in order and tells how long they are. *fd is where it tells
 * that; batch_measured takes one answer, which sets a job's fields, and returns false at the end. */
int batch_measure(struct batch *b, pid_t *pid, int *fd, struct assay_error *e);
bool batch_measured(struct batch *b, int fd);

/* ---- progress and messages (show.c) ---- */

struct batch_show {
    const struct batch *batch;
    struct progress progress;
    uint64_t start;       /* of clock_ns */
    uint64_t frames;      /* of the jobs that have ended since */
    char **notice;        /* that were shown */
    uint32_t notices;
};
void batch_show_start(struct batch_show *s, const struct batch *b, const struct batch_machine *machine);
void batch_show_running(struct batch_show *s, const struct batch_child *child, uint32_t children);
/* Tells what became of a job, and what it said that no other one has said before. */
void batch_show_end(struct batch_show *s, const struct batch_job *job);
/* Tells how many jobs have ended how, and what memory they took: `largest` bytes at most by one job. */
void batch_show_free(struct batch_show *s, uint64_t largest);

/* "ok", "gate", "failed", "stopped", "not run" */
const char *batch_status(const struct batch_job *job);

/* Checks before the first job that the summary can be written, and writes it at the end. */
int batch_summary_check(const struct batch *b, struct assay_error *e);
int batch_summary(const struct batch *b, struct assay_error *e);

struct option;
const struct option *batch_options_table(uint32_t *rows);
int cli_batch(int argc, char **argv, struct assay_error *e); /* the arguments behind "batch" */

#endif
