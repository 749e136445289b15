/* SPDX-License-Identifier: BSD-2-Clause */
/* Values that a program asks for: of features, of models, pooled. A value that can't be given is NaN, so that a program
 * that looks at no code prints no number. */
#include <errno.h>
#include <math.h> /* NAN only */
#include <stdlib.h>
#include <string.h>

#include "libvmaf/context.h"
#include "libvmaf/log.h"
#include "libvmaf/models.h"

static const double nothing = (double)NAN;

bool context_is_key(const VmafContext *v, const char *name)
{
    for (uint32_t i = 0; i < v->keys; i++)
        if (!strcmp(v->key[i], name))
            return true;
    return false;
}

bool context_value(VmafContext *v, const char *name, unsigned index, double *value)
{
    if (store_get(&v->store, name, index, value))
        return true;
    if (!context_is_key(v, name))
        return false;
    context_settle(v);
    return store_get(&v->store, name, index, value);
}

void context_settle(VmafContext *v)
{
    if (v->session && !v->flushed && !v->failed && assay_session_wait(v->session))
        context_fail(v, "%s", assay_session_error(v->session));
}

/* ---- prediction -------------------------------------------------------------------------------------------------- */

/* Writes the values of a model's features. -EINVAL where one is not there. */
static int take_features(VmafContext *v, const struct VmafModel *m, unsigned index, double *value)
{
    for (uint32_t i = 0; i < assay_model_features(m->model); i++)
        if (!context_value(v, m->feature[i], index, &value[i]))
            return log_refuse("the model %s needs a value of %s for index %u, and there is none", m->name,
                              m->feature[i], index);
    return 0;
}

/* Predicts all scores of a model, which the caller frees. */
static int predict(VmafContext *v, const struct VmafModel *m, unsigned index, double **score)
{
    double *value = calloc(assay_model_features(m->model) + 1, sizeof *value);
    *score = calloc(assay_model_scores(m->model) + 1, sizeof **score);
    int rc = value && *score ? take_features(v, m, index, value) : -ENOMEM;
    if (!rc && assay_model_predict(m->model, value, *score))
        rc = -EINVAL;
    free(value);
    if (rc) {
        free(*score);
        *score = NULL;
    }
    return rc;
}

/* The value that the store has under the model's name, or else the prediction, which it then has, too. */
static int model_score(VmafContext *v, const VmafModel *m, unsigned index, double *score)
{
    double *all;
    if (store_get(&v->store, m->name, index, score))
        return 0;
    TRY(predict(v, m, index, &all));
    *score = all[0];
    free(all);
    return store_set(&v->store, m->name, index, *score);
}

int vmaf_score_at_index(VmafContext *vmaf, VmafModel *model, double *score, unsigned index)
{
    if (!vmaf || !model || !score)
        return -EINVAL;
    *score = nothing;
    pthread_mutex_lock(&vmaf->lock);
    const int rc = model_score(vmaf, model, index, score);
    pthread_mutex_unlock(&vmaf->lock);
    return rc;
}

static void clear_score(VmafModelCollectionScore *score)
{
    score->type = VMAF_MODEL_COLLECTION_SCORE_UNKNOWN;
    score->bootstrap.bagging_score = score->bootstrap.stddev = nothing;
    score->bootstrap.ci.p95.lo = score->bootstrap.ci.p95.hi = nothing;
}

/* Where the figures of a collection go, in their order behind the members. */
static void list_figures(VmafModelCollectionScore *score, double *figure[COLLECTION_FIGURES])
{
    figure[0] = &score->bootstrap.bagging_score;
    figure[1] = &score->bootstrap.stddev;
    figure[2] = &score->bootstrap.ci.p95.lo;
    figure[3] = &score->bootstrap.ci.p95.hi;
}

/* Predicts the scores of the members, and puts them into the store with the figures, unless they are there. */
static int collection_score(VmafContext *v, const VmafModelCollection *c, unsigned index,
                            VmafModelCollectionScore *score)
{
    double *all, *figure[COLLECTION_FIGURES];
    int rc = predict(v, &c->own, index, &all);
    for (uint32_t i = 1; !rc && i <= c->members + COLLECTION_FIGURES; i++) {
        char *name = collection_score_name(c, i);
        rc = name ? store_set(&v->store, name, index, all[i]) : -ENOMEM;
        rc = rc == -EINVAL ? 0 : rc;
        free(name);
    }
    list_figures(score, figure);
    for (unsigned i = 0; !rc && i < COLLECTION_FIGURES; i++)
        *figure[i] = all[1 + c->members + i];
    score->type = rc ? score->type : VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP;
    free(all);
    return rc;
}

int vmaf_score_at_index_model_collection(VmafContext *vmaf, VmafModelCollection *model_collection,
                                         VmafModelCollectionScore *score, unsigned index)
{
    if (!vmaf || !model_collection || !score)
        return -EINVAL;
    clear_score(score);
    pthread_mutex_lock(&vmaf->lock);
    const int rc = collection_score(vmaf, model_collection, index, score);
    pthread_mutex_unlock(&vmaf->lock);
    return rc;
}

int vmaf_feature_score_at_index(VmafContext *vmaf, const char *feature_name, double *score, unsigned index)
{
    if (!vmaf || !feature_name || !score)
        return -EINVAL;
    pthread_mutex_lock(&vmaf->lock);
    const bool there = context_value(vmaf, feature_name, index, score);
    pthread_mutex_unlock(&vmaf->lock);
    *score = there ? *score : nothing;
    return there ? 0 : -EINVAL;
}

/* ---- pools ------------------------------------------------------------------------------------------------------- */

static bool can_pool(enum VmafPoolingMethod method, unsigned low, unsigned high)
{
    return low <= high && method > VMAF_POOL_METHOD_UNKNOWN && method < VMAF_POOL_METHOD_NB;
}

static int pool(VmafContext *v, const char *name, enum VmafPoolingMethod method, unsigned low, unsigned high,
                double *value)
{
    static const enum pool pools[VMAF_POOL_METHOD_NB] = {
        [VMAF_POOL_METHOD_MIN] = POOL_MIN, [VMAF_POOL_METHOD_MAX] = POOL_MAX, [VMAF_POOL_METHOD_MEAN] = POOL_MEAN,
        [VMAF_POOL_METHOD_HARMONIC_MEAN] = POOL_HARMONIC_MEAN};
    if (!can_pool(method, low, high))
        return -EINVAL;
    return store_pool(&v->store, name, pools[method], (struct store_range){low, high, v->cfg.n_subsample}, value);
}

int vmaf_feature_score_pooled(VmafContext *vmaf, const char *feature_name, enum VmafPoolingMethod pool_method,
                              double *score, unsigned index_low, unsigned index_high)
{
    if (!vmaf || !feature_name || !score)
        return -EINVAL;
    *score = nothing;
    pthread_mutex_lock(&vmaf->lock);
    context_settle(vmaf);
    const int rc = pool(vmaf, feature_name, pool_method, index_low, index_high, score);
    pthread_mutex_unlock(&vmaf->lock);
    return rc;
}

/* Makes the scores of a model, or of a collection, at the indices that are pooled over, if they can be. */
static int score_range(VmafContext *v, const VmafModel *m, const VmafModelCollection *c, enum VmafPoolingMethod method,
                       unsigned low, unsigned high)
{
    int rc = can_pool(method, low, high) ? 0 : -EINVAL;
    double one;
    VmafModelCollectionScore all;
    for (uint64_t i = low; !rc && i <= high; i++)
        if (context_scores(v, i))
            rc = c ? collection_score(v, c, (unsigned)i, &all) : model_score(v, m, (unsigned)i, &one);
    return rc;
}

int vmaf_score_pooled(VmafContext *vmaf, VmafModel *model, enum VmafPoolingMethod pool_method, double *score,
                      unsigned index_low, unsigned index_high)
{
    if (!vmaf || !model || !score)
        return -EINVAL;
    *score = nothing;
    pthread_mutex_lock(&vmaf->lock);
    int rc = score_range(vmaf, model, NULL, pool_method, index_low, index_high);
    if (!rc)
        rc = pool(vmaf, model->name, pool_method, index_low, index_high, score);
    pthread_mutex_unlock(&vmaf->lock);
    return rc;
}

static int pool_collection(VmafContext *v, const VmafModelCollection *c, enum VmafPoolingMethod method,
                           VmafModelCollectionScore *score, unsigned low, unsigned high)
{
    double *figure[COLLECTION_FIGURES];
    int rc = score_range(v, NULL, c, method, low, high);
    list_figures(score, figure);
    for (unsigned i = 0; !rc && i < COLLECTION_FIGURES; i++) {
        char *name = collection_score_name(c, 1 + c->members + i);
        rc = name ? pool(v, name, method, low, high, figure[i]) : -ENOMEM;
        free(name);
    }
    if (rc)
        clear_score(score);
    else
        score->type = VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP;
    return rc;
}

int vmaf_score_pooled_model_collection(VmafContext *vmaf, VmafModelCollection *model_collection,
                                       enum VmafPoolingMethod pool_method, VmafModelCollectionScore *score,
                                       unsigned index_low, unsigned index_high)
{
    if (!vmaf || !model_collection || !score)
        return -EINVAL;
    clear_score(score);
    pthread_mutex_lock(&vmaf->lock);
    const int rc = pool_collection(vmaf, model_collection, pool_method, score, index_low, index_high);
    pthread_mutex_unlock(&vmaf->lock);
    return rc;
}
