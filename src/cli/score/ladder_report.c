/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run of several encodes says of all of them: reports, the table, the gates. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/score/ladder.h"
#include "report/joint.h"

enum { NARROW = 80, WIDE = 120 }; /* columns of the table */

static bool is_joint(const struct cli *c, uint32_t output)
{
    return !ladder_has_place(c->output[output].path);
}

int ladder_reports_open(struct ladder_reports *r, const struct cli *c, struct assay_error *e)
{
    struct cli all = *c;
    all.outputs = 0;
    for (uint32_t i = 0; i < c->outputs; i++)
        if (is_joint(c, i))
            all.output[all.outputs++] = c->output[i];
    TRY(results_spared(&all, e));
    for (uint32_t i = 0; i < c->outputs; i++)
        if (is_joint(c, i))
            TRY(joint_open(&r->joint[i], c->output[i].kind, c->output[i].path,
                           results_precision(c, c->output[i].kind), e));
    return ASSAY_OK;
}

void ladder_reports_close(struct ladder_reports *r)
{
    for (unsigned i = 0; i < CLI_OUTPUTS; i++)
        joint_abandon(&r->joint[i]);
}

/* The results of an encode, for reports. */
static struct report_encode entry(const struct rung *g, struct report_run *run)
{
    const struct lane *l = &g->lane;
    struct report_encode x = {.name = g->x.has.path, .file = g->cli->q.path[1], .width = l->width, .height = l->height,
                              .failed = l->rc < 0 ? l->error.text : NULL, .exit_code = l->rc < 0 ? -l->rc : l->rc};
    if (g->x.has.run.version)
        x.scores = &g->x.has.scores;
    *run = g->x.has.run.version ? results_run(&g->results, g->cli, &g->x.has.run)
                             : (struct report_run){.version = assay_version(), .incomplete = true, .reason = x.failed,
                                                   .gates = g->cli->gates, .gate = g->cli->gate};
    x.run = run;
    return x;
}

/* Prints a line for each gate on an encode. Returns how many failed, or a negative code. */
static int check_gates(const struct cli *c, const struct report_encode *x, FILE *out, struct assay_error *e)
{
    static const struct scores nothing;
    char where[300];
    snprintf(where, sizeof where, "%.280s: ", x->file);
    return gates_check(where, c->gate, c->gates, x->scores ? x->scores : &nothing, x->run, out, e);
}

/* The width of the table: what a terminal has, within bounds. */
static int table_width(FILE *out)
{
    struct winsize size = {0};
    if (!isatty(fileno(out)) || ioctl(fileno(out), TIOCGWINSZ, &size) || size.ws_col < NARROW)
        return NARROW;
    return size.ws_col < WIDE ? size.ws_col : WIDE;
}

int ladder_reports_finish(struct ladder_reports *r, const struct cli *c, struct rung *const *rung, uint32_t rungs,
                          struct assay_error *e)
{
    struct report_encode entries[ASSAY_ENCODES];
    struct report_run runs[ASSAY_ENCODES];
    struct assay_error failed = {0};
    FILE *people = results_stream(c);
    int gates = 0;
    bool scored = false;
    for (uint32_t k = 0; k < rungs; k++) {
        entries[k] = entry(rung[k], &runs[k]);
        for (uint32_t i = 0; i < c->gates; i++) {
            double v;
            const bool whole = rung[k]->lane.rc == 0 && entries[k].scores;
            if (whole && gate_verdict(&c->gate[i], entries[k].scores, entries[k].run, &v) != GATE_PASSED)
                entries[k].exit_code = 1;
        }
        scored = scored || (entries[k].scores && entries[k].scores->rows);
    }
    for (uint32_t i = 0; i < c->outputs; i++)
        if (r->joint[i] && scored)
            joint_finish(&r->joint[i], assay_version(), entries, rungs, &failed);
    errno = 0;
    if (!c->quiet && !c->only_scores && people == stdout && scored &&
        report_ladder_table(people, rung[0]->cli->q.path[0], entries, rungs, c->precision, table_width(people)))
        assay_fail(&failed, ASSAY_EINTERNAL, "stdout: can't be written: %s", strerror(errno ? errno : EIO));
    for (uint32_t k = 0; k < rungs && scored && c->gates; k++) {
        const int n = check_gates(c, &entries[k], people, &failed);
        gates += n > 0 ? n : 0;
    }
    return failed.code ? assay_fail(e, failed.code, "%s", failed.text) : gates > 0;
}
