/* SPDX-License-Identifier: BSD-2-Clause */
/* vmaf: the score that a model predicts from the values of other metrics. Definition: docs/metrics/vmaf.md. */
#include <stdio.h>
#include <string.h>

#include "host/colour.h"
#include "host/libvmaf.h"
#include "host/numbers.h"
#include "host/text.h"
#include "metrics/options.h"
#include "models/model.h"

enum { NAME_MOST = 100 };

struct vmaf_options {
    char model[METRIC_TEXT], path[METRIC_TEXT], name[METRIC_TEXT], digest[METRIC_TEXT], features[METRIC_TEXT];
    bool disable_clip, enable_transform;
};

struct vmaf_state {
    struct model *model; /* NULL before vmaf_settle, where the pair decides */
    bool hfr, chosen;    /* chosen: by the pair, as option `model` had it; hfr: as v1_hfr */
};

#define OPTIONS struct vmaf_options
#define VMAF_DEFAULT "vmaf_v0.6.1"
static const struct metric_option options[] = {
    TEXT_OPTION(model, "model", "version", VMAF_DEFAULT,
                "a built-in model, or the path of a file with /; v1, v1_hfr: the one for the pictures' size"),
    TEXT_OPTION(path, "path", NULL, "", "the path of a model in libvmaf's JSON, instead of a built-in one"),
    TEXT_OPTION(name, "name", NULL, "", "the key of the score; else vmaf, or of several models the version"),
    FLAG_OPTION(disable_clip, "disable_clip", false, "scores may leave the model's bounds"),
    FLAG_OPTION(enable_transform, "enable_transform", false, "the model's score transform, for small displays"),
    TEXT_OPTION(digest, "digest", NULL, "", "what assay calls the file's content; another content is refused"),
    REST_OPTION(features, "FEATURE.OPTION", "an option of a metric that the model reads, as vif.vif_enhn_gain_limit=1"),
};

enum { OUT_SCORE, OUT_MEMBERS, OUT_FIGURES, OUT_STDDEV };
static const struct metric_output outputs[] = {
    [OUT_SCORE] = {"vmaf", "always, under the option name", ASSAY_HIGHER},
    [OUT_MEMBERS] = {"vmaf_0001 vmaf_0002 ...", "members of a collection", ASSAY_HIGHER},
    [OUT_FIGURES] = {"vmaf_bagging vmaf_ci_p95_lo vmaf_ci_p95_hi", "a collection", ASSAY_HIGHER},
    [OUT_STDDEV] = {"vmaf_stddev", "a collection", ASSAY_NEUTRAL},
};

/* ---- features ---------------------------------------------------------------------------------------------------- */

/* The metrics that models read, and their keys. `plain`: libvmaf's models name them as they are, or by a name of their
 * own, if there is one; other keys have such a name, and are named by it alone. */
static const struct vmaf_source {
    const char *metric, *keys;
    bool plain;
} sources[] = {
    {"adm", "integer_adm2 integer_aim integer_adm3", false},
    {"float_adm", "adm2 aim adm3 adm_scale0 adm_scale1 adm_scale2 adm_scale3", false},
    {"vif", "integer_vif_scale0 integer_vif_scale1 integer_vif_scale2 integer_vif_scale3", false},
    {"float_vif", "vif_scale0 vif_scale1 vif_scale2 vif_scale3", false},
    {"motion", "integer_motion2 integer_motion3", false}, {"motion=debug=true", "integer_motion", false},
    {"float_motion", "motion2 motion3", false}, {"float_motion=debug=true", "motion", false},
    {"adm", "integer_adm_scale0 integer_adm_scale1 integer_adm_scale2 integer_adm_scale3", true},
    {"psnr", "psnr_y psnr_cb psnr_cr", true}, {"float_psnr", "float_psnr", true}, {"float_ssim", "float_ssim", true},
    {"float_ms_ssim", "float_ms_ssim", true}, {"psnr_hvs", "psnr_hvs psnr_hvs_y psnr_hvs_cb psnr_hvs_cr", true},
    {"ciede2000", "ciede2000", true}, {"ssimulacra2", "ssimulacra2", true}, {"cambi", "cambi", true},
    {"speed_chroma", "speed_chroma_u speed_chroma_v speed_chroma_uv", true},
    {"speed_temporal", "speed_temporal", true},
};

/* Finds what libvmaf's models call `name`: sets the metric, with options that it has to have, and the key before the
 * end that further options give. False: no metric computes it. */
static bool vmaf_find_feature(const char *name, struct metric_need *s)
{
    libvmaf_report_key(s->key, sizeof s->key, name);
    const bool own = strcmp(s->key, name) != 0;
    for (const struct vmaf_source *from = sources; from < sources + sizeof sources / sizeof sources[0]; from++)
        if ((own || from->plain) && text_word(from->keys, s->key) >= 0) {
            snprintf(s->metric, sizeof s->metric, "%s", from->metric);
            return true;
        }
    return false;
}

/* Whether the option of a metric that `text` begins with, "name=value:...", is among those of `list`, by the same name
 * or another one. */
static bool vmaf_has_option(const struct metric_ops *ops, const char *list, const char *text)
{
    const struct metric_option *o = options_find(ops, text, strcspn(text, "=:"));
    for (; o && *list; list += strcspn(list, ":"), list += *list == ':')
        if (options_find(ops, list, strcspn(list, "=:")) == o)
            return true;
    return false;
}

/* Copies the options of a metric that the user states, "METRIC.name=value", without its name. */
static void vmaf_stated(const char *rest, const char *metric, char to[METRIC_TEXT])
{
    const size_t n = strcspn(metric, "=");
    char *at = to;
    for (*to = 0; *rest; rest += strcspn(rest, ":"), rest += *rest == ':')
        if (!strncmp(rest, metric, n) && rest[n] == '.')
            at += sprintf(at, "%s%.*s", at > to ? ":" : "", (int)(strcspn(rest, ":") - n - 1), rest + n + 1);
}

/* Appends one option, whose text ends at ':' or NUL. */
static int vmaf_append(struct metric_need *s, const char *option, struct assay_error *e)
{
    const size_t n = strlen(s->metric), room = sizeof s->metric - n;
    if (snprintf(s->metric + n, room, "%c%.*s", strchr(s->metric, '=') ? ':' : '=', (int)strcspn(option, ":"),
                 option) >= (int)room)
        return assay_fail(e, ASSAY_EUSAGE, "vmaf: so many options of %.20s are too long", s->metric);
    return ASSAY_OK;
}

/* Appends the options of the model, and those of the user, which win. */
static int vmaf_add_options(struct metric_need *s, const char *of_model, const char *rest, struct assay_error *e)
{
    char stated[METRIC_TEXT];
    const struct metric_ops *ops = metric_find(s->metric, strcspn(s->metric, "="));
    vmaf_stated(rest, s->metric, stated);
    for (const char *o = of_model; *o; o += strcspn(o, ":"), o += *o == ':')
        if (!vmaf_has_option(ops, stated, o))
            TRY(vmaf_append(s, o, e));
    for (const char *o = stated; *o; o += strcspn(o, ":"), o += *o == ':')
        TRY(vmaf_append(s, o, e));
    return ASSAY_OK;
}

/* Refuses options of metrics that the model does not read. */
static int vmaf_check_rest(const struct metric *m, const char *version, struct assay_error *e)
{
    const struct vmaf_options *o = m->options;
    for (const char *rest = o->features; *rest; rest += strcspn(rest, ":"), rest += *rest == ':') {
        const size_t n = strcspn(rest, ".");
        bool used = false;
        for (uint32_t i = 0; i < m->n_needs; i++)
            used |= strcspn(m->need[i].metric, "=") == n && !strncmp(m->need[i].metric, rest, n);
        if (!used)
            return assay_fail(e, ASSAY_EUSAGE, "vmaf: the model %s reads nothing of '%.*s'", version, (int)n, rest);
    }
    return ASSAY_OK;
}

static int vmaf_add_needs(struct metric *m, const struct model *model, struct assay_error *e)
{
    const struct vmaf_options *o = m->options;
    for (uint32_t i = 0; i < model->features; i++) {
        const struct model_feature *f = &model->feature[i];
        struct metric_need s = {.name = f->name, .options = f->options};
        if (!vmaf_find_feature(f->name, &s))
            return assay_fail(e, ASSAY_EUSAGE, "vmaf: the model %s reads the feature %s, which no metric here computes",
                              model->version, f->name);
        const size_t n = strcspn(s.metric, "=");
        if (!metric_find(s.metric, n))
            return assay_fail(e, ASSAY_EUSAGE, "vmaf: the model %s reads the feature %s, and there is no metric %.*s",
                              model->version, f->name, (int)n, s.metric);
        TRY(vmaf_add_options(&s, f->options, o->features, e));
        TRY(metric_add_need(m, &s, e));
    }
    return vmaf_check_rest(m, model->version, e);
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

/* The path of the model's file; NULL: the model is built in. */
static const char *vmaf_path(const struct vmaf_options *o)
{
    return *o->path ? o->path : strchr(o->model, '/') ? o->model : NULL;
}

/* A name is a key of reports. */
static int vmaf_check_name(const char *name, struct assay_error *e)
{
    size_t n = 0;
    while ((name[n] >= 'a' && name[n] <= 'z') || (name[n] >= 'A' && name[n] <= 'Z') || name[n] == '_' ||
           (n && name[n] && strchr("0123456789.-", name[n])))
        n++;
    if (!name[n] && n <= NAME_MOST)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EUSAGE, "vmaf: a name begins with a letter and has letters, digits and _ . -, at most "
                      "%d, unlike '%.100s'", NAME_MOST, name);
}

/* States the content of a file in the options, or refuses another content than is stated there. */
static int vmaf_check_digest(struct vmaf_options *o, uint64_t digest, struct assay_error *e)
{
    char text[24] = "";
    if (digest)
        snprintf(text, sizeof text, "%016llx", (unsigned long long)digest);
    if (*o->digest && strcmp(o->digest, text))
        return assay_fail(e, ASSAY_EUSAGE, "vmaf: the digest of the model is '%s', not '%.40s'", text, o->digest);
    memcpy(o->digest, text, sizeof text);
    return ASSAY_OK;
}

static int vmaf_load(struct metric *m, struct assay_error *e)
{
    struct vmaf_options *o = m->options;
    struct vmaf_state *s = m->state;
    const char *path = vmaf_path(o);
    TRY(path ? model_read(&s->model, path, e) : model_built_in(&s->model, o->model, e));
    if (*o->path)
        memset(o->model, 0, sizeof o->model); /* so that the configuration names one model */
    TRY(vmaf_check_digest(o, s->model->digest, e));
    model_set(s->model, o->disable_clip, o->enable_transform);
    return vmaf_add_needs(m, s->model, e);
}

static int vmaf_open(struct metric *m, struct assay_error *e)
{
    const struct vmaf_options *o = m->options;
    struct vmaf_state *s = m->state;
    if (*o->path && strcmp(o->model, VMAF_DEFAULT))
        return assay_fail(e, ASSAY_EUSAGE, "vmaf: a model is given by its version or by its path, not by both");
    if (*o->name)
        TRY(vmaf_check_name(o->name, e));
    s->hfr = !strcmp(o->model, "v1_hfr");
    s->chosen = s->hfr || !strcmp(o->model, "v1");
    return s->chosen ? ASSAY_OK : vmaf_load(m, e);
}

/* The height of a picture is that of the smallest one of 16:9 that holds it. */
static uint32_t vmaf_height(const struct metric_pair *pair)
{
    const uint32_t w = pair->format.width, h = pair->format.height;
    const uint32_t longer = w > h ? w : h, shorter = w > h ? h : w;
    return shorter > longer * 9 / 16 ? shorter : longer * 9 / 16;
}

/* Frames a second from which on the models for high frame rates are meant: those that they were made for are 50 and
 * 60, those of the others 24 to 30. */
enum { HFR = 40 };

/* The model of version 1 for the pair's size and rate: of the two for 2160p the one that libvmaf's page calls the
 * default. From there on the options name it, and so do reports. */
static int vmaf_settle(struct metric *m, const struct metric_pair *pair, struct assay_error *e)
{
    struct vmaf_options *o = m->options;
    const struct vmaf_state *s = m->state;
    const assay_format *f = &pair->format;
    const bool hfr = s->hfr || (f->rate_den && f->rate_num >= (uint64_t)HFR * f->rate_den);
    if (!s->chosen)
        return ASSAY_OK;
    memset(o->model, 0, sizeof o->model);
    snprintf(o->model, sizeof o->model, "vmaf_v1.0.16%s%s", hfr ? "_hfr" : "",
             vmaf_height(pair) > 1440 ? "_1d5h_2160" : "_3d0h");
    return vmaf_load(m, e);
}

/* Without names, both would be "vmaf". */
static bool vmaf_alike(const struct metric *a, const struct metric *b)
{
    const struct vmaf_options *x = a->options, *y = b->options;
    return !*x->name && !*y->name;
}

static void vmaf_close(struct metric *m)
{
    struct vmaf_state *s = m->state;
    model_free(&s->model);
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

/* What is said of the size. A height of up to a third more or less than the model's is taken as it is. */
static void vmaf_note_size(const struct metric_pair *pair, const struct model *model, char *note, size_t size)
{
    const uint32_t w = pair->format.width, h = pair->format.height, height = vmaf_height(pair);
    const bool larger = height > model->height && model->height == 1080,
               smaller = height < model->height && height >= 720 && model->height == 2160;
    if (!model->height || (height * 3 >= model->height * 2 && height * 3 <= model->height * 4))
        *note = 0;
    else if (*model->other && (larger || smaller))
        snprintf(note, size, "%s is for %up, and this is %ux%u: model=%s is for %s", model->version, model->height, w,
                 h, model->other, larger ? "2160p" : "1080p");
    else
        snprintf(note, size, "%s is for %up, and this is %ux%u: scale both sides as they will be shown", model->version,
                 model->height, w, h);
}

/* Which model was chosen, and by what. */
static void vmaf_note_choice(const struct metric_pair *pair, const struct vmaf_state *s, char *note, size_t size)
{
    const assay_format *f = &pair->format;
    char by_rate[128] = "", rate[NUMBER_TEXT_SIZE];
    if (!s->hfr && f->rate_den) {
        format_fixed(rate, (double)f->rate_num / (double)f->rate_den, 3);
        snprintf(by_rate, sizeof by_rate, " and the rate of %s frames a second", rate);
    } else if (!s->hfr) {
        snprintf(by_rate, sizeof by_rate, "; the frame rate is unknown, from %d a second on take model=v1_hfr", HFR);
    }
    snprintf(note, size, "the model is %s, by the size %ux%u%s", s->model->version, f->width, f->height, by_rate);
}

/* No built-in model was made with HDR. What a user's own was made with is not known. */
static void vmaf_note_hdr(const struct metric_pair *pair, const struct vmaf_options *o, const struct model *model,
                          char *note, size_t size)
{
    *note = 0;
    for (unsigned side = 0; side < 2 && !*o->path && !strchr(o->model, '/'); side++) {
        const int transfer = colour_transfer(&pair->side[side]);
        if (transfer == TRANSFER_PQ || transfer == TRANSFER_HLG) {
            snprintf(note, size, "%s was made for SDR, and the %s is HDR (%s)", model->version,
                     side ? "distorted one" : "reference", transfer == TRANSFER_PQ ? "PQ" : "HLG");
            return;
        }
    }
}

static void vmaf_note(struct metric_build *b)
{
    const struct vmaf_state *s = b->metric->state;
    char part[3][METRIC_NOTE_SIZE / 3] = {""}, all[METRIC_NOTE_SIZE] = "";
    if (s->chosen)
        vmaf_note_choice(b->pair, s, part[0], sizeof part[0]);
    vmaf_note_size(b->pair, s->model, part[1], sizeof part[1]);
    vmaf_note_hdr(b->pair, b->metric->options, s->model, part[2], sizeof part[2]);
    for (unsigned i = 0; i < 3; i++)
        if (*part[i])
            text_append(all, sizeof all, "%s%s", *all ? "; " : "", part[i]);
    if (*all)
        metric_note(b, "%s", all);
}

static int vmaf_build(struct metric_build *b)
{
    const struct vmaf_options *o = b->metric->options;
    const struct vmaf_state *s = b->metric->state;
    const char *name = *o->name ? o->name : b->metric->several ? s->model->version : "vmaf";
    TRY(vmaf_check_name(name, b->error));
    TRY(metric_add_key(b, &outputs[OUT_SCORE], "%s", name));
    for (uint32_t i = 1; i <= s->model->members; i++)
        TRY(metric_add_key(b, &outputs[OUT_MEMBERS], "%s_%04u", name, i));
    if (s->model->members) {
        TRY(metric_add_key(b, &outputs[OUT_FIGURES], "%s_bagging", name));
        TRY(metric_add_key(b, &outputs[OUT_STDDEV], "%s_stddev", name));
        TRY(metric_add_key(b, &outputs[OUT_FIGURES], "%s_ci_p95_lo", name));
        TRY(metric_add_key(b, &outputs[OUT_FIGURES], "%s_ci_p95_hi", name));
    }
    vmaf_note(b);
    return ASSAY_OK;
}

static void vmaf_predict(const struct metric *m, const double *needed, double *values)
{
    const struct vmaf_state *s = m->state;
    model_predict(s->model, needed, values);
}

const struct metric_ops metric_vmaf = {
    .name = "vmaf", .summary = "quality as viewers rate it: VMAF, by a model of your choice",
    METRIC_PARTS(vmaf, options, outputs),
    .open = vmaf_open, .settle = vmaf_settle, .close = vmaf_close, .alike = vmaf_alike, .build = vmaf_build,
    .predict = vmaf_predict,
};
