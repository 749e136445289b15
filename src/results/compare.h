/* SPDX-License-Identifier: BSD-2-Clause */
/* Two JSON reports of scores: do the scores have the same bits, and what else differs? */
#ifndef ASSAY_RESULTS_COMPARE_H
#define ASSAY_RESULTS_COMPARE_H

#include <stdio.h>

#include "host/error.h"

/* Prints the differences to `out`, unless `out` is NULL. Returns 0 when both reports have the same frames and keys and
 * all scores have equal bits, 1 when not, or a negative code. */
int reports_compare(const char *a, const char *b, FILE *out, struct assay_error *e);

#endif
