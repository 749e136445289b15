/* SPDX-License-Identifier: BSD-2-Clause */
/* What comes out of a run, however its scores came about. */
#include <string.h>

#include "cli/cli.h"

int results_open(struct cli_results *r, const struct cli *c, const struct report_run *run, uint32_t keys,
                 const char *const *key, struct assay_error *e)
{
    int rc = ASSAY_OK;
    memset(r, 0, sizeof *r);
    for (uint32_t i = 0; !rc && i < c->outputs; i++)
        rc = reporter_open(&r->reporter[i], c->output[i].kind, c->output[i].path,
                           c->precision == CLI_PRECISION_DEFAULT ? 6 : c->precision, run, keys, key, e);
    for (uint32_t i = 0; rc && i < c->outputs; i++)
        reporter_abandon(&r->reporter[i]);
    return rc;
}

/* The table and the gates go to standard output unless a report is written there. */
static FILE *for_people(const struct cli *c)
{
    for (uint32_t i = 0; i < c->outputs; i++)
        if (!strcmp(c->output[i].path, "-"))
            return NULL;
    return stdout;
}

int results_finish(struct cli_results *r, const struct cli *c, const struct scores *s, const struct report_run *run,
                   struct assay_error *e)
{
    FILE *people = for_people(c);
    int rc = ASSAY_OK;
    for (uint32_t i = 0; i < c->outputs; i++) {
        const int wrote = r->reporter[i] ? reporter_finish(&r->reporter[i], s, run, e) : ASSAY_OK;
        rc = rc ? rc : wrote;
    }
    if (!rc && !c->quiet && people && s->rows)
        rc = report_table(people, s, run, c->precision);
    if (rc || run->incomplete || !c->gates)
        return rc;
    const int failed = gates_check(c->gate, c->gates, s, run, people ? people : stderr, e);
    return failed > 0 ? 1 : failed;
}
