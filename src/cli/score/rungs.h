/* SPDX-License-Identifier: BSD-2-Clause */
/* What the command makes of a run and its encodes: reports, pictures of the worst frames, lines for the user. */
#ifndef ASSAY_CLI_SCORE_RUNGS_H
#define ASSAY_CLI_SCORE_RUNGS_H

#include "cli/cli.h"
#include "cli/thumbs.h"
#include "report/progress.h"
#include "run/run.h"

/* An encode of the command line. */
struct rung {
    struct lane lane;                /* whose request is that of `cli` */
    struct cli *cli;                 /* with the encode's own paths */
    char *name;                      /* of the file, without folder and ending */
    char *path[CLI_OUTPUTS + 1];     /* of outputs that have the encode's name in them */
    bool told;                       /* the user knows of its failure */
    uint32_t columns;                /* of the scores */
    uint32_t *column;                /* the session's key that each one is */
    uint32_t *alone_column;          /* the key in a session of this encode alone */
    const char **key;                /* by column */
    signed char *direction;          /* by column */
    struct scores scores;            /* rows of the session; written by its thread, read after flush */
    struct worst_run worst;
    struct thumbs thumbs;
    struct cli_results results;
    struct description description;
    struct report_run report;
    char reason[1024];
    char *kept;                      /* texts that outlive the run */
};

/* A run of encodes of the command line. */
struct cli_run {
    struct run run;                  /* whose lanes are those of rungs */
    const struct cli *cli;           /* as the user gave it */
    struct progress progress;
    struct plane_codes codes;
    uint64_t scored;                 /* pairs; belongs to the session's thread until flush */
    uint64_t started;                /* of clock_ns */
    double seconds;                  /* that reading and scoring took */
};

static inline struct rung *rung_at(const struct cli_run *r, uint32_t k)
{
    return (struct rung *)(void *)r->run.lane[k]; /* its first member */
}

/* Prints lines to standard error, behind `name` and a colon unless it is NULL. */
void run_show(const struct cli_run *r, const char *name, const char *lines);

/* The name that messages about an encode begin with; NULL of a single pair. */
const char *run_name(const struct cli_run *r, const struct rung *g);

#endif
