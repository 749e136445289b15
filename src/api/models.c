/* SPDX-License-Identifier: BSD-2-Clause */
/* Models without a session: they predict from values that the caller has. */
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "host/fpenv.h"
#include "models/model.h"

struct assay_model {
    struct metric *metric; /* opened, settled and built: it adds no pass */
};

const char *assay_model_version(uint32_t index) { return model_version(index); }

/* Chooses what depends on the pictures, and names the scores. */
static int settle(struct metric *m, const assay_format *format, struct assay_error *e)
{
    static const assay_config plain;
    struct metric_pair pair = {0};
    struct metric_build b = {.pair = &pair, .metric = m, .error = e};
    if (!m->ops->predict)
        return assay_fail(e, ASSAY_EUSAGE, "%s predicts nothing: it is no model", m->ops->name);
    if (format) {
        TRY(session_pair(&pair, &plain, 0, format, e));
        TRY(metric_settle(m, &pair, e));
    }
    if (!m->n_needs)
        return assay_fail(e, ASSAY_EUSAGE, "%s: which model is meant depends on the pictures, whose format is not "
                          "stated", m->ops->name);
    return m->ops->build(&b);
}

int assay_model_open(assay_model **model, const char *metric, const assay_format *format, char *error,
                     size_t error_size)
{
    struct assay_error e = {0};
    struct assay_fpenv saved;
    if (model)
        *model = NULL;
    if (!model || !metric) {
        assay_fail(&e, ASSAY_EUSAGE, "a model is opened by its text");
        return assay_answer(&e, error, error_size);
    }
    assay_model *opened = *model = calloc(1, sizeof *opened);
    assay_fpenv_enter(&saved);
    int rc = opened ? metric_new(&opened->metric, metric, &e) : assay_fail_memory(&e, "a model");
    rc = rc ? rc : settle(opened->metric, format, &e);
    if (rc)
        assay_model_close(model);
    assay_fpenv_leave(&saved);
    return assay_answer(&e, error, error_size);
}

void assay_model_close(assay_model **model)
{
    if (!model || !*model)
        return;
    metric_free(&(*model)->metric);
    free(*model);
    *model = NULL;
}

uint32_t assay_model_features(const assay_model *model) { return model ? model->metric->n_needs : 0; }

int assay_model_feature(const assay_model *model, uint32_t index, assay_feature *feature)
{
    if (index >= assay_model_features(model) || !feature)
        return ASSAY_EUSAGE;
    const struct metric_need *need = &model->metric->need[index];
    *feature = (assay_feature){.name = need->name, .options = need->options, .metric = need->metric, .key = need->key};
    return ASSAY_OK;
}

uint32_t assay_model_find_feature(const assay_model *model, const char *name)
{
    for (uint32_t i = 0; name && i < assay_model_features(model); i++)
        if (!strcmp(model->metric->need[i].name, name) || !strcmp(model->metric->need[i].key, name))
            return i;
    return ASSAY_NONE;
}

uint32_t assay_model_scores(const assay_model *model) { return model ? model->metric->n_keys : 0; }

const char *assay_model_score(const assay_model *model, uint32_t index)
{
    return index < assay_model_scores(model) ? model->metric->keys[index] : NULL;
}

int assay_model_predict(const assay_model *model, const double *features, double *scores)
{
    struct assay_fpenv saved;
    if (!model || !features || !scores)
        return ASSAY_EUSAGE;
    assay_fpenv_enter(&saved);
    model->metric->ops->predict(model->metric, features, scores);
    assay_fpenv_leave(&saved);
    return ASSAY_OK;
}
