/* SPDX-License-Identifier: BSD-2-Clause */
/* assay vmaf: scoring with the options, the reports and the exit codes of libvmaf's command `vmaf`. docs/vmaf.md is the
 * table of its options, and of what scoring takes for them. */
#include <stdarg.h>
#include <stdlib.h>
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

/* ---- options: features ---- */

/* The feature of libvmaf's that is no metric of assay's. */
static const char no_metric[] = "float_ansnr";

/* Keeps a text for as long as the command runs. NULL: there is no room. */
PRINTF_LIKE(2, 3) static char *keep(struct cli_vmaf *v, const char *format, ...)
{
    char *at = v->text + v->used;
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(at, sizeof v->text - v->used, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof v->text - v->used)
        return NULL;
    v->used += (size_t)n + 1;
    return at;
}

static int no_such_feature(const char *text, struct assay_error *e)
{
    const size_t n = strcspn(text, "=");
    char hint[SUGGEST_TEXT];
    struct suggestion like = suggest_for(text, n);
    if (n == sizeof no_metric - 1 && !strncmp(text, no_metric, n))
        return assay_fail(e, ASSAY_EUSAGE, "libvmaf's feature '%s' is not there yet (assay --list-metrics)", no_metric);
    suggest_offer(&like, "ciede"); /* libvmaf's name of ciede2000 */
    cli_offer_metrics(&like);
    return assay_fail(e, ASSAY_EUSAGE, "no feature is called '%.*s'%s (assay --list-metrics)", (int)n, text,
                      suggest_text(&like, hint));
}

/* Adds a feature, "ciede" or "psnr=enable_apsnr=true". The same one twice counts once. */
static int add_feature(struct cli_vmaf *v, const char *text, struct assay_error *e)
{
    const char *name = assay_metric_name(assay_metric_find(text)), *options = text + strcspn(text, "=");
    if (!name)
        return no_such_feature(text, e);
    char *metric = v->features < REQUEST_METRICS ? keep(v, "%s%s", name, options) : NULL;
    if (!metric)
        return assay_fail(e, ASSAY_EUSAGE, "--feature: too many");
    for (uint32_t i = 0; i < v->features; i++)
        if (!strcmp(v->feature[i], metric))
            return ASSAY_OK;
    v->feature[v->features++] = metric;
    return ASSAY_OK;
}

int vmaf_feature(void *cli, char *text, uint64_t unused, struct assay_error *e)
{
    (void)unused;
    return add_feature(&((struct cli *)cli)->vmaf, text, e);
}

/* ---- options: models ---- */

/* The value of `key` in "version=a:name=b", or NULL; *n is its length. */
static const char *member(const char *text, const char *key, size_t *n)
{
    const size_t length = strlen(key);
    for (;; text++) {
        const size_t part = strcspn(text, ":");
        if (part > length && !strncmp(text, key, length) && text[length] == '=') {
            *n = part - length - 1;
            return text + length + 1;
        }
        text += part;
        if (!*text)
            return NULL;
    }
}

/* Adds a model. `label` is printed before its score at the end of the run. */
static int add_model(struct cli *c, const char *text, struct assay_error *e)
{
    struct cli_vmaf *v = &c->vmaf;
    if (v->models == CLI_MODELS)
        return assay_fail(e, ASSAY_EUSAGE, "more than %d models", CLI_MODELS);
    struct cli_model *m = &v->model[v->models];
    size_t n = 4, l = 0;
    const char *name = member(text, "name", &n), *label = member(text, "version", &l);
    if (!label)
        label = member(text, "path", &l);
    if (!n || n >= sizeof m->name)
        return assay_fail(e, ASSAY_EUSAGE, "--model %s: a name has 1 to %d characters", text, (int)sizeof m->name - 1);
    snprintf(m->name, sizeof m->name, "%.*s", (int)n, name ? name : "vmaf");
    for (uint32_t i = 0; i < v->models; i++)
        if (!strcmp(v->model[i].name, m->name))
            return assay_fail(e, ASSAY_EUSAGE,
                              "two models are called '%s': give each a name (--model version=...:name=...)", m->name);
    m->label = label ? keep(v, "%.*s", (int)l, label) : m->name;
    char *metric = m->label ? keep(v, "vmaf=%s%s", text, name ? "" : *text ? ":name=vmaf" : "name=vmaf") : NULL;
    if (!metric || c->q.metrics == REQUEST_METRICS)
        return assay_fail(e, ASSAY_EUSAGE, "--model: too long");
    v->models++;
    c->q.metric[c->q.metrics++] = metric;
    return ASSAY_OK;
}

int vmaf_model(void *cli, char *text, uint64_t unused, struct assay_error *e)
{
    (void)unused;
    if (!*text)
        return assay_fail(e, ASSAY_EUSAGE, "--model: version=... or path=... is missing");
    return add_model(cli, text, e);
}

/* ---- presets ---- */

#define DB "enable_db=true:clip_db=true"
static const char *const aom_models[] = {"version=vmaf_v0.6.1:name=vmaf", "version=vmaf_v0.6.1neg:name=vmaf_neg"};
static const char *const nflx_models[] = {"version=vmaf_4k_v0.6.1:name=vmaf",
                                          "version=vmaf_4k_v0.6.1neg:name=vmaf_neg"};

#define AOM(ssim) \
    "psnr=reduced_hbd_peak=true:enable_apsnr=true:min_sse=0.5", "ciede", ssim, "float_ms_ssim=" DB, "psnr_hvs"

/* Models, features and options of the common test conditions of AOM and of Netflix, as libvmaf's command has them. */
enum { PRESETS = 7, PRESET_FEATURES = 6, PRESET_MODELS = 2 };
static const struct preset {
    const char *name, *const *model, *feature[PRESET_FEATURES];
    bool common_depth;
} presets[2][PRESETS] = {
    {{"v1.0", aom_models, {AOM("float_ssim=" DB)}, false},
     {"v2.0", aom_models, {AOM("float_ssim=" DB)}, false},
     {"v3.0", aom_models, {AOM("float_ssim=" DB), "cambi"}, false},
     {"v4.0", aom_models, {AOM("float_ssim=" DB), "cambi"}, false},
     {"v5.0", aom_models, {AOM("float_ssim=" DB), "cambi"}, false},
     {"v6.0", aom_models, {AOM("float_ssim=" DB), "cambi"}, true},
     {"v7.0", aom_models, {AOM("float_ssim=scale=1:" DB), "cambi"}, true}},
    {{"v1.0", nflx_models, {"psnr=enable_chroma=true:enable_apsnr=true", "float_ssim=" DB, "cambi"}, false}},
};

int vmaf_preset(void *cli, char *text, uint64_t nflx, struct assay_error *e)
{
    struct cli *c = cli;
    const struct preset *p = presets[nflx], *end = p + PRESETS;
    while (p < end && p->name && strcmp(p->name, text))
        p++;
    if (p == end || !p->name)
        return assay_fail(e, ASSAY_EUSAGE, "--%s takes %s, not '%s'", nflx ? "nflx_ctc" : "aom_ctc",
                          nflx ? "v1.0" : "v1.0 to v7.0", text);
    for (unsigned i = 0; i < PRESET_FEATURES && p->feature[i]; i++)
        TRY(add_feature(&c->vmaf, p->feature[i], e));
    for (unsigned i = 0; i < PRESET_MODELS; i++)
        TRY(add_model(c, p->model[i], e));
    c->vmaf.common_depth |= p->common_depth;
    return ASSAY_OK;
}

/* ---- instruction sets ---- */

/* A mask in decimal, octal or hexadecimal, as in C. That of the GPU decides nothing: a GPU is used when --backend names
 * one, and all of them have the same bits. */
int vmaf_mask(void *cli, char *text, uint64_t gpu, struct assay_error *e)
{
    struct cli *c = cli;
    char *end = text; /* a digit begins it: strtoull would take blanks and a sign, too */
    const uint64_t v = *text >= '0' && *text <= '9' ? strtoull(text, &end, 0) : 0;
    if (end == text || *end || v > UINT32_MAX)
        return assay_fail(e, ASSAY_EUSAGE, "--%s takes a whole number below 2^32, not '%s'",
                          gpu ? "gpumask" : "cpumask", text);
    if (!gpu)
        c->vmaf.cpu_mask = (uint32_t)v;
    return ASSAY_OK;
}

/* ---- all of them ---- */

/* Whether a model brings a feature. Its columns are where the model's are, however often it is asked for. */
static bool is_of_model(const struct cli *c, const char *metric)
{
    bool found = false;
    for (uint32_t i = 0; i < c->vmaf.models && !found; i++) {
        assay_model *model;
        assay_feature feature;
        assay_model_open(&model, c->q.metric[i], NULL, NULL, 0);
        for (uint32_t k = 0; !found && !assay_model_feature(model, k, &feature); k++)
            found = !strcmp(feature.metric, metric);
        assay_model_close(&model);
    }
    return found;
}

int vmaf_conclude(struct cli *c, struct assay_error *e)
{
    static const enum allow unseen[] = {ALLOW_LENGTH, ALLOW_RATE, ALLOW_RANGE, ALLOW_SAR, ALLOW_FIELD_ORDER,
                                        ALLOW_ROTATION, ALLOW_COLOUR, ALLOW_ALPHA};
    struct cli_vmaf *v = &c->vmaf;
    const bool gpu = c->q.config.backend && strcmp(c->q.config.backend, "cpu");
    if (!v->models && !v->no_prediction)
        TRY(add_model(c, "version=vmaf_v0.6.1", e));
    for (uint32_t i = 0; i < v->features; i++) {
        if (is_of_model(c, v->feature[i]))
            continue;
        if (c->q.metrics == REQUEST_METRICS)
            return assay_fail(e, ASSAY_EUSAGE, "more than %d models and features", REQUEST_METRICS);
        c->q.metric[c->q.metrics++] = v->feature[i];
    }
    if (!c->q.metrics)
        return assay_fail(e, ASSAY_EUSAGE, "nothing is asked for: --no_prediction without --feature or --model");
    if (v->output)
        c->output[c->outputs++] = (struct cli_output){(enum report_kind)v->kind, v->output};
    for (unsigned side = 0; side < 2; side++) /* raw means both sides, and no look at what they begin with */
        if (request_described(&c->q, side) && c->q.form[side] == FORM_AUTO)
            c->q.form[side] = FORM_RAW;
    /* libvmaf's command sees none of these differences. assay notices them and goes on. */
    for (unsigned i = 0; i < sizeof unseen / sizeof unseen[0]; i++)
        c->q.allow[unseen[i]] = true;
    c->q.allow[ALLOW_DEPTH] |= v->common_depth;
    c->q.every = c->q.every ? c->q.every : 1;
    c->force = true;
    if (!c->q.config.cpu_level && !gpu)
        c->q.config.cpu_level = libvmaf_cpu_level(v->cpu_mask);
    return ASSAY_OK;
}
