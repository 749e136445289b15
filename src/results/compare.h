/* SPDX-License-Identifier: BSD-2-Clause */
/* Two JSON reports of scores: do the scores have the same bits, and what else differs? */
#ifndef ASSAY_RESULTS_COMPARE_H
#define ASSAY_RESULTS_COMPARE_H

#include <stdio.h>

#include <assay/run.h>

#include "results/results.h"

/* Compares a score of two. `decimals`: those that both values are rounded to; -1: none are. `equal` is of the exact
 * values in any case. */
void stored_compare(const struct stored *a, const struct stored *b, const char *name, int decimals,
                    assay_comparison *c);

/* Prints the differences to `out`, unless `out` is NULL. Returns 0 when both reports have the same frames and keys and
 * all scores have equal bits, 1 when not, or a negative code. */
int reports_compare(const char *a, const char *b, FILE *out, struct assay_error *e);

#endif
