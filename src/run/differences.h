/* SPDX-License-Identifier: BSD-2-Clause */
/* The differences between the two inputs of a pair. docs/inputs.md lists every kind and how it is handled. */
#ifndef ASSAY_RUN_DIFFERENCES_H
#define ASSAY_RUN_DIFFERENCES_H

#include "run/pair.h"

/* Compares the two inputs before the first frame. Sets p->format, to which both are converted, p->overridden and
 * p->notices. A refusal lists all differences in one message, and the flags that would allow them. */
int differences_check(struct pair *p, const struct request *q, struct assay_error *e);

/* Adds a line to p->notices. A line that does not fit is cut off. */
PRINTF_LIKE(2, 3) void pair_notice(struct pair *p, const char *format, ...);

/* Whether two frame rates are one: both known, and less than 1/4000 apart. A rate of 0/0 is unknown. */
bool differences_same_rate(uint32_t an, uint32_t ad, uint32_t bn, uint32_t bd);

#endif
