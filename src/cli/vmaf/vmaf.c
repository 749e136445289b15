/* SPDX-License-Identifier: BSD-2-Clause */
/* assay vmaf: scoring with the options, the reports and the exit codes of libvmaf's command `vmaf`. */
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "host/libvmaf.h"
#include "report/libvmaf.h"

int cli_vmaf(const struct cli *c, struct assay_error *e)
{
    if (isatty(STDERR_FILENO) && !c->quiet)
        fprintf(stderr, "VMAF version %s\n", libvmaf_version());
    return cli_score(c, e);
}

int vmaf_exit(const struct cli *c, bool parsed, int rc)
{
    if (rc >= 0 || rc < -128 || c->gates)
        return rc;
    return parsed ? -255 : -1;
}

uint32_t vmaf_columns(const struct cli *c, const assay_session *s, uint32_t *column)
{
    const char *model[CLI_MODELS];
    for (uint32_t i = 0; i < c->vmaf.models; i++)
        model[i] = c->vmaf.model[i].name;
    return libvmaf_columns(s, model, c->vmaf.models, !c->vmaf.no_prediction, column);
}

/* ---- the scores at the end ---- */

/* Sets *mean to the mean of NAME or NAME_TAIL. False: there is no such score. */
static bool mean_of(const struct scores *s, const char *name, const char *tail, double *mean)
{
    char key[160];
    uint32_t column;
    snprintf(key, sizeof key, "%s%s", name, tail);
    if (!scores_column(s, key, &column))
        return false;
    *mean = scores_pool(s, column, POOL_MEAN, 0, NULL);
    return true;
}

/* libvmaf's command prints a line for each model, and another one for each with a confidence interval, if standard
 * error is a terminal. The lines "VMAF score: " are of ffmpeg's filter; programs look for them. */
void vmaf_print_scores(const struct cli *c, const struct scores *s)
{
    const struct cli_vmaf *v = &c->vmaf;
    const bool terminal = isatty(STDERR_FILENO);
    char text[4][NUMBER_TEXT_SIZE];
    double mean[4];
    if (v->no_prediction || !s->rows || (c->quiet && v->output))
        return;
    for (uint32_t i = 0; terminal && i < v->models; i++)
        if (mean_of(s, v->model[i].name, "", &mean[0])) {
            format_fixed(text[0], mean[0], 6);
            fprintf(stderr, "%s: %s\n", v->model[i].label, text[0]);
        }
    for (uint32_t i = 0; terminal && i < v->models; i++) {
        const char *name = v->model[i].name;
        if (!mean_of(s, name, "_bagging", &mean[0]) || !mean_of(s, name, "_ci_p95_lo", &mean[1]) ||
            !mean_of(s, name, "_ci_p95_hi", &mean[2]) || !mean_of(s, name, "_stddev", &mean[3]))
            continue;
        for (unsigned k = 0; k < 4; k++)
            format_fixed(text[k], mean[k], 6);
        fprintf(stderr, "%s: %s, ci.p95: [%s, %s], stddev: %s\n", v->model[i].label, text[0], text[1], text[2],
                text[3]);
    }
    for (uint32_t i = 0; i < v->models; i++)
        if (mean_of(s, v->model[i].name, "", &mean[0])) {
            format_fixed(text[0], mean[0], 6);
            fprintf(stderr, "VMAF score: %s\n", text[0]);
        }
}
