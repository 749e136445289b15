/* SPDX-License-Identifier: BSD-2-Clause */
/* In what the two inputs of a pair differ. docs/inputs.md lists every kind of difference and what becomes of it. */
#ifndef ASSAY_CLI_DIFFERENCES_H
#define ASSAY_CLI_DIFFERENCES_H

#include "cli/cli.h"

/* Compares what the two inputs say of themselves before the first frame. Sets p->format, which both are brought to,
 * p->overridden and p->notices. Refuses with all differences in one message, and with the flags that would allow
 * them. */
int differences_check(struct pair *p, const struct cli *c, struct assay_error *e);

/* Adds a line to p->notices. A line that does not fit is cut off. */
__attribute__((format(printf, 2, 3))) void pair_notice(struct pair *p, const char *format, ...);

/* Whether two frame rates are one: both known, and less than 1/4000 apart. A rate of 0/0 is unknown. */
bool differences_same_rate(uint32_t an, uint32_t ad, uint32_t bn, uint32_t bd);

#endif
