/* SPDX-License-Identifier: BSD-2-Clause */
/* A ladder: several encodes of one reference, scored together. docs/ladder.md is its description for users. */
#ifndef ASSAY_CLI_SCORE_LADDER_H
#define ASSAY_CLI_SCORE_LADDER_H

#include "cli/score/rungs.h"

/* Scores the encodes of a run whose inputs are open (score.c), and sets the result of each. Fails where nothing can be
 * scored. */
int cli_run_score(struct cli_run *r, struct assay_error *e);

/* Prints a line with the memory that the session of a run has taken. */
int ladder_memory(const struct cli_run *r, struct assay_error *e);

/* Closes what a run has opened, but for its encodes (score.c). */
void cli_run_close(struct cli_run *r);

/* ---- an encode's arguments (ladder_paths.c) ---- */

/* Sets the arguments of encode `number`, from 0: its own path, and output paths with its name. Reports on all encodes
 * are left out. Also after a failure, ladder_arguments_free frees them. */
int ladder_arguments(const struct cli *c, uint32_t number, struct rung *g, struct assay_error *e);
void ladder_arguments_free(struct rung *g);

/* Refuses two encodes that would write to one file, and an encode that would write to a report on all of them. */
int ladder_spared(const struct cli *c, struct rung *const *rung, uint32_t rungs, struct assay_error *e);

/* ---- results of all encodes (ladder_report.c) ---- */

struct ladder_reports {
    struct joint *joint[CLI_OUTPUTS]; /* by the number of the output; NULL: it is the encodes' own */
};

int ladder_reports_open(struct ladder_reports *r, const struct cli *c, struct assay_error *e);

/* Writes reports on all encodes, the table and the gates. Returns 1 when a gate failed. */
int ladder_reports_finish(struct ladder_reports *r, const struct cli *c, struct rung *const *rung, uint32_t rungs,
                          struct assay_error *e);
void ladder_reports_close(struct ladder_reports *r);

#endif
