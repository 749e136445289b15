/* SPDX-License-Identifier: BSD-2-Clause */
#include "libvmaf/context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/colour_words.h"
#include "host/libvmaf.h"
#include "host/numbers.h"
#include "host/text.h"
#include "libvmaf/feature_text.h"
#include "libvmaf/log.h"
#include "libvmaf/models.h"

const char *vmaf_version(void)
{
    return libvmaf_version();
}

/* ---- the environment --------------------------------------------------------------------------------------------- */

/* NULL: not set, or empty. */
static const char *variable(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

/* Reads the environment. 0, or -EINVAL with a line in the log. */
static int environment_read(struct environment *e)
{
    enum { THREADS_MOST = 1024 };
    struct assay_error error = {0};
    const char *threads = variable("ASSAY_THREADS");
    double v = 0.0;
    *e = (struct environment){.backend = variable("ASSAY_BACKEND"), .device = variable("ASSAY_DEVICE"),
                              .colour = variable("ASSAY_COLOUR")};
    if (threads && (!parse_number(threads, &v) || v < 1.0 || v > THREADS_MOST || v != (double)(unsigned)v))
        return log_refuse("ASSAY_THREADS is a whole number from 1 to %d, not \"%s\"", THREADS_MOST, threads);
    if (e->colour && colour_words_check("ASSAY_COLOUR", e->colour, &error))
        return log_refuse("%s", error.text);
    e->threads = (unsigned)v;
    return 0;
}

/* ---- a context --------------------------------------------------------------------------------------------------- */

int vmaf_init(VmafContext **vmaf, VmafConfiguration cfg)
{
    if (!vmaf)
        return -EINVAL;
    *vmaf = NULL;
    log_set_level(cfg.log_level);
    VmafContext *v = calloc(1, sizeof *v);
    if (!v)
        return -ENOMEM;
    v->cfg = cfg;
    const int rc = environment_read(&v->environment);
    if (rc) {
        free(v);
        return rc;
    }
    pthread_mutex_init(&v->lock, NULL);
    store_init(&v->store);
    picture_memory_keep(true);
    *vmaf = v;
    return 0;
}

int vmaf_close(VmafContext *vmaf)
{
    if (!vmaf)
        return -EINVAL;
    assay_session_close(&vmaf->session);
    assay_gpu_close(&vmaf->gpu);
    cuda_forget(&vmaf->cuda);
    store_free(&vmaf->store);
    for (unsigned i = 0; i < vmaf->metrics; i++)
        free(vmaf->metric[i]);
    for (uint32_t i = 0; i < vmaf->keys; i++)
        free(vmaf->key[i]);
    free(vmaf->metric);
    free(vmaf->key);
    free(vmaf->column);
    free(vmaf->aggregate);
    free(vmaf->index);
    pthread_mutex_destroy(&vmaf->lock);
    free(vmaf);
    picture_memory_keep(false);
    return 0;
}

int context_fail(VmafContext *v, const char *format, ...)
{
    char text[1024];
    TEXT_GIVEN(text, sizeof text, format);
    if (!v->failed)
        log_line(VMAF_LOG_LEVEL_ERROR, "%s", text);
    v->failed = true;
    return -EINVAL;
}

/* ---- what is asked for ------------------------------------------------------------------------------------------- */

/* Adds a metric unless it is there. 0, -EINVAL (after the first picture, with a line in the log) or -ENOMEM. */
static int context_want(VmafContext *v, const char *metric)
{
    for (unsigned i = 0; i < v->metrics; i++)
        if (!strcmp(v->metric[i], metric))
            return 0;
    if (v->format.width)
        return log_refuse("features are asked for before the first picture, and %s came later", metric);
    const bool room = !assay_grow(&v->metric, v->metrics, sizeof *v->metric, metric, NULL);
    if (!room || !(v->metric[v->metrics] = strdup(metric)))
        return -ENOMEM;
    v->metrics++;
    return 0;
}

static int want_feature(VmafContext *v, const char *name, const VmafFeatureDictionary *options)
{
    char *metric;
    if (!strcmp(name, "null")) /* libvmaf's feature that does nothing */
        return 0;
    TRY(feature_metric(&metric, name, options));
    pthread_mutex_lock(&v->lock);
    const int rc = context_want(v, metric);
    pthread_mutex_unlock(&v->lock);
    free(metric);
    return rc;
}

int vmaf_use_feature(VmafContext *vmaf, const char *feature_name, VmafFeatureDictionary *opts_dict)
{
    if (!vmaf || !feature_name)
        return -EINVAL;
    const int rc = want_feature(vmaf, feature_name, opts_dict);
    return rc ? rc : vmaf_feature_dictionary_free(&opts_dict);
}

static int want_model(VmafContext *v, const struct VmafModel *m)
{
    assay_feature feature;
    int rc = 0;
    pthread_mutex_lock(&v->lock);
    for (uint32_t i = 0; !rc && !assay_model_feature(m->model, i, &feature); i++)
        rc = context_want(v, feature.metric);
    pthread_mutex_unlock(&v->lock);
    return rc;
}

int vmaf_use_features_from_model(VmafContext *vmaf, VmafModel *model)
{
    return vmaf && model ? want_model(vmaf, model) : -EINVAL;
}

int vmaf_use_features_from_model_collection(VmafContext *vmaf, VmafModelCollection *model_collection)
{
    return vmaf && model_collection ? want_model(vmaf, &model_collection->own) : -EINVAL;
}

int vmaf_import_feature_score(VmafContext *vmaf, const char *feature_name, double value, unsigned index)
{
    if (!vmaf || !feature_name)
        return -EINVAL;
    pthread_mutex_lock(&vmaf->lock);
    const bool computed = context_scores(vmaf, index) && context_has_pair(vmaf, index) &&
                          context_is_key(vmaf, feature_name);
    const int rc = computed ? -EINVAL : store_set(&vmaf->store, feature_name, index, value);
    pthread_mutex_unlock(&vmaf->lock);
    if (rc == -EINVAL)
        log_line(VMAF_LOG_LEVEL_WARNING, "the feature \"%s\" has a value for index %u already", feature_name, index);
    return rc;
}

/* ---- pictures whose memory is used again ------------------------------------------------------------------------- */

int vmaf_preallocate_pictures(VmafContext *vmaf, VmafPictureConfiguration cfg)
{
    VmafPicture described;
    size_t bytes;
    if (!vmaf || !cfg.pic_cnt ||
        picture_describe(&described, cfg.pic_params.pix_fmt, cfg.pic_params.bpc, cfg.pic_params.w, cfg.pic_params.h,
                         PICTURE_PITCH, &bytes))
        return -EINVAL;
    pthread_mutex_lock(&vmaf->lock);
    vmaf->pool = cfg;
    pthread_mutex_unlock(&vmaf->lock);
    return 0;
}

/* Memory of pictures is used again in any case (picture.c), and a program never waits for a picture. */
int vmaf_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic)
{
    if (!vmaf || !pic)
        return -EINVAL;
    pthread_mutex_lock(&vmaf->lock);
    const VmafPictureConfiguration c = vmaf->pool;
    pthread_mutex_unlock(&vmaf->lock);
    return c.pic_cnt ? vmaf_picture_alloc(pic, c.pic_params.pix_fmt, c.pic_params.bpc, c.pic_params.w, c.pic_params.h)
                     : -EINVAL;
}
