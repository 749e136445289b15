/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ladder: several encodes of one reference, scored together; a single pair is a ladder of one. It takes the steps of
 * the walk (run/walk.h), and makes of them reports, pictures of the worst frames and lines for the user.
 * docs/ladder.md is its description for users.
 */
#ifndef ASSAY_CLI_SCORE_LADDER_H
#define ASSAY_CLI_SCORE_LADDER_H

#include "cli/cli.h"
#include "cli/worst.h"
#include "report/progress.h"
#include "run/walk.h"

/* An encode of the command line. */
struct rung {
    struct lane *lane;               /* the walk's; its request is that of `cli` */
    struct stored x;
    struct cli *cli;                 /* with the encode's own paths; in the memory of the results */
    bool told;                       /* the user knows of its failure */
    struct worst_first worst;
    struct cli_results results;
};

struct ladder {
    const struct cli *cli;           /* as the user gave it */
    struct walk walk;
    struct rung rung[ASSAY_ENCODES];
    uint32_t rungs;
    bool mixed;                      /* encodes have waited for a run after the first one */
    struct progress progress;
    struct plane_codes codes;
    struct cli_results reports;
};

/* An encode of the group that is walked. */
static inline struct rung *rung_at(struct ladder *l, uint32_t k)
{
    return &l->rung[l->walk.run.lane[k] - l->walk.lane];
}

/* ---- the steps of the walk (score.c) ---- */

void score_notices(const struct ladder *l);                    /* of the inputs, which are ready */
int score_started(struct ladder *l, struct assay_error *e);    /* opens the reports */
int score_pair(struct ladder *l, struct assay_error *e);       /* writes the planes that were asked for */
void score_frame(struct ladder *l);                            /* takes the scores of a frame */
void score_read(struct ladder *l);                             /* finishes the encodes, and their reports */

/* ---- an encode's arguments (ladder.c) ---- */

/* Sets the arguments of encode `number`, from 0: its own path, and output paths with its name. Reports on all encodes
 * are left out. */
int ladder_arguments(const struct cli *c, uint32_t number, struct rung *g, struct assay_error *e);

#endif
