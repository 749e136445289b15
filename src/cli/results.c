/* SPDX-License-Identifier: BSD-2-Clause */
/* What comes out of a run, however its scores came about. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* The aggregates' keys; their values come later. */
static int list_aggregates(struct cli_results *r, const struct cli *c, const assay_session *s, uint32_t keys,
                           const char *const *key, struct assay_error *e)
{
    r->aggregates = assay_session_aggregates(s);
    r->aggregate = calloc(r->aggregates + 1, sizeof *r->aggregate);
    const char **name = calloc(r->aggregates + 1, sizeof *name);
    int rc = r->aggregate && name ? ASSAY_OK : assay_fail_memory(e, "the aggregates");
    for (uint32_t i = 0; !rc && i < r->aggregates; i++)
        r->aggregate[i].key = name[i] = assay_session_aggregate_key(s, i);
    if (!rc)
        rc = gates_validate(c->gate, c->gates, keys, key, r->aggregates, name, e);
    free(name);
    return rc;
}

int results_open(struct cli_results *r, const struct cli *c, const assay_session *s, const struct report_run *run,
                 uint32_t keys, const char *const *key, struct assay_error *e)
{
    memset(r, 0, sizeof *r);
    int rc = list_aggregates(r, c, s, keys, key, e);
    for (uint32_t i = 0; !rc && i < c->outputs; i++)
        rc = reporter_open(&r->reporter[i], c->output[i].kind, c->output[i].path,
                           c->precision == CLI_PRECISION_DEFAULT ? 6 : c->precision, run, keys, key, e);
    if (!rc)
        return ASSAY_OK;
    /* The ones that are open must not look like the report of a run. */
    struct report_run broken = *run;
    const struct scores none = {.keys = keys, .key = key};
    broken.incomplete = true;
    broken.reason = e->text;
    for (uint32_t i = 0; i < c->outputs; i++)
        if (r->reporter[i])
            reporter_finish(&r->reporter[i], &none, &broken, NULL);
    results_close(r);
    return rc;
}

int results_aggregates(struct cli_results *r, assay_session *s, struct report_run *run, struct assay_error *e)
{
    for (uint32_t i = 0; i < r->aggregates; i++)
        TRY(cli_failed(s, assay_session_aggregate(s, i, &r->aggregate[i].value), e));
    run->aggregates = r->aggregates;
    run->aggregate = r->aggregate;
    return ASSAY_OK;
}

void results_close(struct cli_results *r)
{
    free(r->aggregate);
    r->aggregate = NULL;
}

FILE *results_stream(const struct cli *c)
{
    for (uint32_t i = 0; i < c->outputs; i++)
        if (!strcmp(c->output[i].path, "-"))
            return stderr;
    return stdout;
}

int results_finish(struct cli_results *r, const struct cli *c, const struct scores *s, const struct report_run *run,
                   struct assay_error *e)
{
    FILE *people = results_stream(c);
    int rc = ASSAY_OK;
    for (uint32_t i = 0; i < c->outputs; i++) {
        const int wrote = r->reporter[i] ? reporter_finish(&r->reporter[i], s, run, e) : ASSAY_OK;
        rc = rc ? rc : wrote;
    }
    errno = 0;
    if (!rc && !c->quiet && people == stdout && s->rows && (rc = report_table(people, s, run, c->precision)))
        assay_fail(e, rc, "stdout: can't be written: %s", strerror(errno ? errno : EIO));
    if (rc || !c->gates)
        return rc;
    const int failed = gates_check(c->gate, c->gates, s, run, people, e);
    return failed > 0 ? 1 : failed;
}
