/* SPDX-License-Identifier: BSD-2-Clause */
/* assay vmaf: scoring with the options, the reports and the exit codes of libvmaf's command `vmaf`. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

/* libvmaf 3.2.0 is what the numbers are equal to. The form is a version of Python's packages and of semver: programs
 * that compare versions read 3.2.0. */
#define LIBVMAF "3.2.0"

const char *vmaf_version(void)
{
    static char text[64];
    snprintf(text, sizeof text, LIBVMAF "+assay.%s", assay_version());
    return text;
}

int cli_vmaf(const struct cli *c, struct assay_error *e)
{
    if (isatty(STDERR_FILENO) && !c->quiet)
        fprintf(stderr, "VMAF version %s\n", vmaf_version());
    return cli_score(c, e);
}

int vmaf_exit(const struct cli *c, bool parsed, int rc)
{
    if (rc >= 0 || rc < -128 || c->gates)
        return rc;
    return parsed ? -255 : -1;
}

/* ---- the columns of a report ---- */

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* Whether the key is a score of a model: NAME, NAME_0001, ..., NAME_bagging, NAME_stddev, NAME_ci_p95_lo, ... */
static bool of_model(const struct cli *c, const assay_session *s, uint32_t key)
{
    return assay_session_key_metric(s, key) < c->vmaf.models;
}

/* Where a key stands in libvmaf's logs. Its features come in the order in which their first values are known: those of
 * the models, then those asked for. motion3 of float_motion is known a frame later, what looks at the next frame in
 * motion is known behind the last one, and then the scores of models: first those of all models, then those of the
 * members of each. */
enum place { OF_MODELS, ASKED_FOR, A_FRAME_LATER, BEHIND_ALL, AT_THE_END, MEMBERS, PLACES };
static enum place place_of(const struct cli *c, const assay_session *s, uint32_t key)
{
    const char *name = assay_session_key(s, key);
    if (of_model(c, s, key))
        return strcmp(name, c->vmaf.model[assay_session_key_metric(s, key)].name) ? MEMBERS : AT_THE_END;
    if (begins(name, "integer_motion2") || begins(name, "integer_motion3"))
        return BEHIND_ALL;
    if (begins(name, "motion3") && !strstr(name, "_force_0"))
        return A_FRAME_LATER;
    return assay_session_key_feature(s, key) ? OF_MODELS : ASKED_FOR;
}

/* The key "psnr_P" of the key "mse_P", or the other way round, of the same metric. False: there is none. */
static bool partner(const assay_session *s, uint32_t key, const char *from, const char *to, uint32_t *other)
{
    const char *name = assay_session_key(s, key);
    if (!begins(name, from))
        return false;
    for (*other = 0; *other < assay_session_keys(s); ++*other)
        if (begins(assay_session_key(s, *other), to) &&
            !strcmp(assay_session_key(s, *other) + strlen(to), name + strlen(from)))
            return true;
    return false;
}

uint32_t vmaf_columns(const struct cli *c, const assay_session *s, uint32_t *column)
{
    uint32_t columns = 0, other;
    for (enum place at = 0; at < (c->vmaf.no_prediction ? AT_THE_END : PLACES); at++)
        for (uint32_t key = 0; key < assay_session_keys(s); key++) {
            if (place_of(c, s, key) != at || partner(s, key, "mse_", "psnr_", &other))
                continue;
            column[columns++] = key;
            if (partner(s, key, "psnr_", "mse_", &other))
                column[columns++] = other;
        }
    return columns;
}

/* ---- the scores at the end ---- */

/* Sets *mean to the mean of NAME or NAME_TAIL. False: there is no such score. */
static bool mean_of(const struct scores *s, const char *name, const char *tail, double *mean)
{
    char key[160];
    snprintf(key, sizeof key, "%s%s", name, tail);
    for (uint32_t i = 0; i < s->keys; i++)
        if (!strcmp(s->key[i], key)) {
            *mean = scores_pool(s, i, POOL_MEAN, 0, NULL);
            return true;
        }
    return false;
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
