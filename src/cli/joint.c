/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of several encodes together: reports, the table, the gates. */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"
#include "report/joint.h"
#include "results/encodes.h"

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

/* Of a run of this encode alone, with the gates of this command. */
static void judge(const struct cli *c, struct report_encode *x)
{
    double v;
    for (uint32_t i = 0; i < c->gates && !x->exit_code && x->scores; i++)
        x->exit_code = gate_verdict(&c->gate[i], x->scores, x->run, &v) != GATE_PASSED;
}

int ladder_reports_finish(struct ladder_reports *r, const struct cli *c, const char *reference,
                          struct report_encode *entry, uint32_t n, struct assay_error *e)
{
    struct assay_error failed = {0};
    FILE *people = results_stream(c);
    int gates = 0;
    bool scored = false;
    for (uint32_t k = 0; k < n; k++) {
        judge(c, &entry[k]);
        scored = scored || (entry[k].scores && entry[k].scores->rows);
    }
    for (uint32_t i = 0; i < c->outputs; i++)
        if (r->joint[i] && scored)
            joint_finish(&r->joint[i], entry[0].run->version, entry, n, &failed);
    errno = 0;
    if (!c->quiet && !c->only_scores && people == stdout && scored &&
        report_ladder_table(people, reference, entry, n, c->precision, table_width(people)))
        assay_fail(&failed, ASSAY_EINTERNAL, "stdout: can't be written: %s", strerror(errno ? errno : EIO));
    for (uint32_t k = 0; k < n && scored && c->gates; k++) {
        const int bad = check_gates(c, &entry[k], people, &failed);
        gates += bad > 0 ? bad : 0;
    }
    return failed.code ? assay_fail(e, failed.code, "%s", failed.text) : gates > 0;
}
