/* SPDX-License-Identifier: BSD-2-Clause */
#include "libvmaf/models.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "host/error.h"
#include "host/libvmaf.h"
#include "libvmaf/dictionary.h"
#include "libvmaf/feature_text.h"
#include "libvmaf/log.h"

static void clear(struct VmafModel *m)
{
    free(m->name);
    free(m->metric);
    vmaf_feature_dictionary_free(&m->options);
    assay_model_close(&m->model);
    free(m->feature);
    *m = (struct VmafModel){0};
}

/* The names of a model's features in the store, which the caller frees. NULL: there is no memory. */
static char (*list_features(const assay_model *model))[FEATURE_NAME]
{
    assay_feature feature;
    char (*names)[FEATURE_NAME] = calloc(assay_model_features(model) + 1, sizeof *names);
    for (uint32_t i = 0; names && !assay_model_feature(model, i, &feature); i++)
        libvmaf_kept_name(names[i], sizeof names[i], feature.key);
    return names;
}

/* Opens the model as `metric` and `options` have it, in the place of what `m` has. */
static int open_model(struct VmafModel *m, const VmafFeatureDictionary *options)
{
    char error[512];
    char *text = NULL;
    assay_model *model = NULL;
    int rc = text_grow(&text, "%s", m->metric);
    for (unsigned i = 0; !rc && options && i < options->count; i++)
        rc = text_grow(&text, ":%s=%s", options->entry[i].key, options->entry[i].value);
    if (!rc && assay_model_open(&model, text, NULL, error, sizeof error))
        rc = log_refuse("%s", error);
    free(text);
    TRY(rc);
    char (*feature)[FEATURE_NAME] = list_features(model);
    if (!feature) {
        assay_model_close(&model);
        return -ENOMEM;
    }
    assay_model_close(&m->model);
    free(m->feature);
    m->model = model;
    m->feature = feature;
    return 0;
}

/* Where a model comes from: `key` is "version" or "path". */
static int load(struct VmafModel *m, const VmafModelConfig *cfg, const char *key, const char *value)
{
    *m = (struct VmafModel){.name = strdup(cfg->name ? cfg->name : "vmaf")};
    int rc = m->name ? text_grow(&m->metric, "vmaf=%s=%s%s%s", key, value,
                                 cfg->flags & VMAF_MODEL_FLAG_DISABLE_CLIP ? ":disable_clip=true" : "",
                                 cfg->flags & VMAF_MODEL_FLAG_ENABLE_TRANSFORM ? ":enable_transform=true" : "")
                     : -ENOMEM;
    rc = rc ? rc : open_model(m, NULL);
    if (rc)
        clear(m);
    return rc;
}

static bool is_built_in(const char *version)
{
    const char *have;
    for (uint32_t i = 0; (have = assay_model_version(i)); i++)
        if (!strcmp(have, version))
            return true;
    return false;
}

/* Loads what is asked for, whatever it is. */
static int load_any(struct VmafModel *m, const VmafModelConfig *cfg, const char *version, const char *path)
{
    if (!cfg || (!version && !path))
        return -EINVAL;
    if (cfg->flags & ~(uint64_t)(VMAF_MODEL_FLAG_DISABLE_CLIP | VMAF_MODEL_FLAG_ENABLE_TRANSFORM |
                                 VMAF_MODEL_FLAG_DISABLE_TRANSFORM))
        return log_refuse("a model has unknown flags: %#llx", (unsigned long long)cfg->flags);
    if (version && !is_built_in(version)) {
        log_line(VMAF_LOG_LEVEL_WARNING, "no such built-in model: \"%s\"", version);
        return -EINVAL;
    }
    if (path && (!*path || strpbrk(path, ":,")))
        return log_refuse("the path of a model has at least one character, and no ':' and no ',': \"%s\"", path);
    return load(m, cfg, version ? "version" : "path", version ? version : path);
}

static int load_model(VmafModel **model, const VmafModelConfig *cfg, const char *version, const char *path)
{
    struct VmafModel m;
    if (!model)
        return -EINVAL;
    *model = NULL;
    TRY(load_any(&m, cfg, version, path));
    const bool collection = assay_model_scores(m.model) > 1;
    VmafModel *made = collection ? NULL : malloc(sizeof *made);
    if (!made) { /* programs try this function first, so a collection is no error to be logged */
        clear(&m);
        return collection ? -EINVAL : -ENOMEM;
    }
    *made = m;
    *model = made;
    return 0;
}

int vmaf_model_load(VmafModel **model, VmafModelConfig *cfg, const char *version)
{
    return load_model(model, cfg, version, NULL);
}

int vmaf_model_load_from_path(VmafModel **model, VmafModelConfig *cfg, const char *path)
{
    return load_model(model, cfg, NULL, path);
}

void vmaf_model_destroy(VmafModel *model)
{
    if (!model)
        return;
    clear(model);
    free(model);
}

/* ---- collections ------------------------------------------------------------------------------------------------- */

static int load_collection(VmafModel **model, VmafModelCollection **collection, const VmafModelConfig *cfg,
                           const char *version, const char *path)
{
    if (!model || !collection)
        return -EINVAL;
    *model = NULL;
    *collection = NULL;
    VmafModel *m = calloc(1, sizeof *m);
    VmafModelCollection *c = calloc(1, sizeof *c);
    int rc = m && c ? load_any(m, cfg, version, path) : -ENOMEM;
    const uint32_t scores = rc ? 0 : assay_model_scores(m->model);
    if (!rc && scores < 1 + COLLECTION_FIGURES)
        rc = log_refuse("\"%s\" is a model, and no collection of models", version ? version : path);
    rc = rc ? rc : load_any(&c->own, cfg, version, path);
    if (rc) {
        vmaf_model_destroy(m);
        free(c);
        return rc;
    }
    c->members = scores - 1 - COLLECTION_FIGURES;
    *model = m;
    *collection = c;
    return 0;
}

int vmaf_model_collection_load(VmafModel **model, VmafModelCollection **model_collection, VmafModelConfig *cfg,
                               const char *version)
{
    return load_collection(model, model_collection, cfg, version, NULL);
}

int vmaf_model_collection_load_from_path(VmafModel **model, VmafModelCollection **model_collection,
                                         VmafModelConfig *cfg, const char *path)
{
    return load_collection(model, model_collection, cfg, NULL, path);
}

void vmaf_model_collection_destroy(VmafModelCollection *model_collection)
{
    if (!model_collection)
        return;
    clear(&model_collection->own);
    free(model_collection);
}

char *collection_score_name(const VmafModelCollection *collection, uint32_t score)
{
    static const char *const figures[COLLECTION_FIGURES] = {"bagging", "stddev", "ci_p95_lo", "ci_p95_hi"};
    char *name = NULL;
    const int rc = score <= collection->members
                       ? text_grow(&name, "%s_%04u", collection->own.name, score)
                       : text_grow(&name, "%s_%s", collection->own.name, figures[score - collection->members - 1]);
    return rc ? NULL : name;
}

/* ---- options of features ----------------------------------------------------------------------------------------- */

static bool reads(const struct VmafModel *m, uint32_t metric)
{
    assay_feature feature;
    for (uint32_t i = 0; !assay_model_feature(m->model, i, &feature); i++)
        if (assay_metric_find(feature.metric) == metric)
            return true;
    return false;
}

/* Sets in *all the options of the model, then those of `more` that the metric has. A later value replaces one of the
 * same key. */
static int merge(VmafFeatureDictionary **all, const struct VmafModel *m, uint32_t metric,
                 const VmafFeatureDictionary *more)
{
    int rc = 0;
    for (unsigned i = 0; !rc && m->options && i < m->options->count; i++)
        rc = dictionary_set(all, m->options->entry[i].key, m->options->entry[i].value);
    for (unsigned i = 0; !rc && i < more->count; i++) {
        char *key = NULL;
        const char *name = feature_option(metric, &more->entry[i], &rc);
        if (!name)
            continue;
        rc = text_grow(&key, "%s.%s", assay_metric_name(metric), name);
        rc = rc ? rc : dictionary_set(all, key, more->entry[i].value);
        free(key);
    }
    return rc;
}

/* As vmaf_model_feature_overload, but for the list, which stays. */
static int overload(struct VmafModel *m, const char *feature_name, const VmafFeatureDictionary *more)
{
    const uint32_t metric = assay_metric_find(feature_name);
    VmafFeatureDictionary *all = NULL;
    if (metric == ASSAY_NONE || !reads(m, metric))
        return 0;
    int rc = merge(&all, m, metric, more);
    rc = rc ? rc : open_model(m, all);
    if (rc) {
        vmaf_feature_dictionary_free(&all);
        return rc;
    }
    vmaf_feature_dictionary_free(&m->options);
    m->options = all;
    return 0;
}

int vmaf_model_feature_overload(VmafModel *model, const char *feature_name, VmafFeatureDictionary *opts_dict)
{
    if (!model || !feature_name || !opts_dict)
        return -EINVAL;
    const int rc = overload(model, feature_name, opts_dict);
    return rc ? rc : vmaf_feature_dictionary_free(&opts_dict);
}

int vmaf_model_collection_feature_overload(VmafModel *model, VmafModelCollection **model_collection,
                                           const char *feature_name, VmafFeatureDictionary *opts_dict)
{
    if (!model_collection || !*model_collection || !model || !feature_name || !opts_dict)
        return -EINVAL;
    int rc = overload(&(*model_collection)->own, feature_name, opts_dict);
    rc = rc ? rc : overload(model, feature_name, opts_dict);
    return rc ? rc : vmaf_feature_dictionary_free(&opts_dict);
}
