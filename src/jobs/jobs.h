/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A folder in which a list of jobs is worked off, by any number of processes on any number of machines that see it:
 *
 *     plan.jsonl       a line of JSON for the folder, and one for each job: its request, and its units
 *     done/AB/KEY.json the results of a unit: an ordinary report with exact values, put in place when it is whole
 *     done/AB/KEY.note what a unit told its user, or why it failed
 *     lock             a byte for each task, which whoever does the task has locked
 *
 * A unit is a job, or a range of a job's pairs. Its name is a digest of what it is made of: its inputs, its options,
 * assay's version. So a file of that name is the unit's result, whoever made it and when, and a changed input gives
 * the unit another name. A task is a list of units that one worker does. Locks spare work and no more: where a file
 * system has none, or where they are lost, a unit is done twice, and the second result replaces the first, which is
 * equal to it.
 */
#ifndef ASSAY_JOBS_JOBS_H
#define ASSAY_JOBS_JOBS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "host/error.h"
#include "host/numbers.h"

/* What is known of a unit. Behind STOPPED it has ended. From WAITING to STOPPED it is this process's to do.
 * WAITING also where a stop kept it from being started. The others are what jobs_look finds. */
enum jobs_state { UNIT_LEFT, UNIT_WAITING, UNIT_RUNNING, UNIT_STOPPED, UNIT_FAILED, UNIT_DONE, UNIT_STATES };

/* What a unit has told. */
struct jobs_note {
    int code;               /* exit code of the unit */
    char *reason, *notices; /* lines */
};

struct jobs_unit {
    uint64_t key;
    uint32_t job, task;     /* numbers from 0 */
    uint64_t first, frames; /* the pairs that it scores; frames 0: all from `first` on */
    enum jobs_state state;
    bool kept;              /* it had ended before this process began */
    struct jobs_note note;  /* of one that has ended here, or has failed */
};

/* What came out of a job. */
struct jobs_result {
    struct jobs_note note;      /* reason and notices may be NULL */
    uint64_t frames;            /* scored */
    uint32_t width, height;     /* of what was compared; 0: not known */
    char bytes[NUMBER_TEXT_SIZE], seconds[NUMBER_TEXT_SIZE], kbps[NUMBER_TEXT_SIZE]; /* of the encode; "": not known */
    uint32_t figures;
    struct jobs_figure {
        uint32_t name;          /* number of jobs_figures.name: "vmaf.mean", or the key of a figure of the whole run */
        double value;
    } *figure;
};
void jobs_result_free(struct jobs_result *r);

struct jobs_job {
    uint64_t key;
    uint32_t line;                  /* of the list */
    char *reference, *distorted;    /* as listed */
    char *request;                  /* JSON: what is compared, and how */
    char *options;                  /* what becomes of the scores, as on a command line */
    char *listed;                   /* all options of the list, as one text */
    uint32_t unit, units;           /* its first unit, and how many it has, one after the other */
    double seconds;                 /* about how long it takes JOBS_PROCESSORS processors; 0: not known */
    uint64_t pairs;                 /* it can be cut, and has about so many; 0: it can't */
    /* Not of the plan: */
    uint32_t threads;               /* that the user named; 0: none, or it is not known */
    bool on_gpu;
    bool complete;                  /* all that it makes was there when the list was read */
    bool has;                       /* `result` is there */
    struct jobs_result result;
};

struct jobs {
    char *path;            /* of the folder, without links; NULL: none */
    char *list;            /* the list's name, for messages */
    char *folder;          /* of the list, in which paths of jobs begin: as seen from `path`, or from the root */
    int lock;              /* a descriptor; -1: none */
    struct jobs_job *job;
    struct jobs_unit *unit;
    uint32_t jobs, units, tasks;
};
#define JOBS_START {.lock = -1}

void jobs_free(struct jobs *j);

/* ---- the folder (folder.c) ---- */

/* Makes the folder where there is none. Refuses (ASSAY_EUSAGE) what is there and is no folder of jobs. */
int jobs_open(struct jobs *j, const char *path, bool make, struct assay_error *e);

/* The way from one folder to another, both without links: "../..", "../videos". The caller frees it. */
char *jobs_way(const char *from, const char *to);

/* The plan is read into j, whose jobs and units are empty, or written from it and put in place. jobs_read: *found is
 * false where there is none yet. */
int jobs_read(struct jobs *j, bool *found, struct assay_error *e);
int jobs_write(const struct jobs *j, struct assay_error *e);

/* Takes the lock of a task, or of the whole folder, for a planner: JOBS_ALL. False: somebody else has it. A lock goes
 * with its process. */
enum { JOBS_ALL = -1 };
bool jobs_lock(const struct jobs *j, int64_t task);
void jobs_unlock(const struct jobs *j, int64_t task);

/* Removes what processes that were killed have left unfinished. Of a folder that is locked as a whole. */
void jobs_clean(const struct jobs *j);
/* Removes a folder, of which nobody knows. */
void jobs_erase(const char *path);

/* ---- results of units (parts.c) ---- */

#define JOBS_PART ".json"
#define JOBS_NOTE ".note"
#define JOBS_NEW ".new-" /* begins the ending of what is being written */

/* The path of a unit's or a job's file with an ending. The caller frees it. NULL: no memory. */
char *jobs_path(const struct jobs *j, uint64_t key, const char *ending);

/* Whether a result is there and was written to its end. */
bool jobs_has(const struct jobs *j, uint64_t key);
/* Sets the state of a unit, or of all. A job whose whole result is there has no unit left. */
void jobs_look_at(const struct jobs *j, struct jobs_unit *u);
void jobs_look(const struct jobs *j);

/* Reading: false where there is no note, or none that jobs_note_write wrote. */
bool jobs_note_read(const struct jobs *j, uint64_t key, struct jobs_note *n);
int jobs_note_write(const struct jobs *j, uint64_t key, const struct jobs_note *n, struct assay_error *e);
void jobs_note_free(struct jobs_note *n);

/* Puts the results of a unit, written beside it, in their place, behind its note, which may be NULL. What is in place
 * is on the disk. */
int jobs_put(const struct jobs *j, uint64_t key, const char *beside, const struct jobs_note *n, struct assay_error *e);
/* Removes a result that turns out to be damaged. True: it was. */
bool jobs_drop(const struct jobs *j, uint64_t key);
/* What the units of a job told, each text once. The caller frees it. NULL: no memory. */
char *jobs_notices(const struct jobs *j, const struct jobs_job *job);
/* Removes the notes of units that failed: what stood in their way may be gone. */
void jobs_forget(const struct jobs *j);
void jobs_remove(const struct jobs *j, uint64_t key, const char *ending);

/* Whether a unit, whose state is known, is to be done: it is not done, and has not failed for a reason that lasts as
 * long as its inputs do, which is that what is asked for is wrong, or that the files are. */
bool jobs_is_left(const struct jobs_unit *u);

/* ---- keys (key.c) ---- */

/* An input: what it is as far as one sees without reading it all. */
struct jobs_seen {
    char path[4096];  /* "": none was looked at */
    struct stat st;
    uint64_t digest;  /* of a regular file: of its size, its time of change and its first bytes */
};
/* Looks at a file, unless it is the one that was looked at last. Returns an errno where it can't be read. */
int jobs_see(struct jobs_seen *l, const char *path);
/* The key of a job with inputs that were looked at. *no_models: its metrics are known to name no file; it becomes
 * whether they do. */
uint64_t jobs_key(const struct jobs_job *job, const struct jobs_seen seen[2], bool playlists,
                  const char *const *metric, uint32_t metrics, bool *no_models);
uint64_t jobs_unit_key(uint64_t job, uint64_t first, uint64_t frames);

/* ---- options as one text (words.c) ---- */

/* Cuts a text into words as a shell does: at blanks, with '...', "..." and \, and nothing is expanded. *words becomes
 * how many they are, or -1 where a quote is open. The caller frees the list, which ends with NULL, and
 * with it the words. NULL: no memory. */
char **jobs_words(const char *text, int *words);
/* Words as a text that jobs_words cuts into the same words. The caller frees it. NULL: no memory. */
char *jobs_quote(char *const *word, int words);

/* ---- how many at once (machine.c) ---- */

/* What a machine gives to jobs. */
struct jobs_machine {
    uint32_t processors;
    uint64_t memory;     /* bytes that all jobs may take together; 0: not known */
};
struct jobs_machine jobs_machine(void);
/* How many of the processors a job is given: `named` by its user, unless that is 0; and about how many bytes it takes.
 * A size of 0 is not known. */
uint32_t jobs_threads(uint32_t named, bool on_gpu, uint32_t width, uint32_t height, uint32_t processors);
uint64_t jobs_memory(uint32_t width, uint32_t height);

/* ---- cutting (cut.c) ---- */

/* The jobs by their keys, those of one key in their order; to be freed. NULL: no memory. */
struct jobs_job **jobs_sorted(const struct jobs *j);

/* Processors that a task is reckoned to have. */
enum { JOBS_PROCESSORS = 4 };

/* About how many seconds a job takes JOBS_PROCESSORS processors. `metric`: names with options; 0 of them: the default
 * ones. */
double jobs_seconds(uint64_t pairs, uint64_t pixels, const char *const *metric, uint32_t metrics);

/* Makes the units of all jobs and numbers their tasks, each of about `seconds`; 0: a job is one unit and one task. Jobs
 * of which a unit of `before` is done keep the units that they have there. */
int jobs_cut(struct jobs *j, const struct jobs *before, double seconds, struct assay_error *e);

#endif
