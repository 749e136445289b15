/* SPDX-License-Identifier: BSD-2-Clause */
#include "models/model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/system.h"

int model_new(struct model **out, uint32_t predictors, struct assay_error *e)
{
    struct model *m = calloc(1, sizeof *m);
    if (m)
        m->predictor = calloc(predictors, sizeof *m->predictor);
    if (!m || !m->predictor) {
        model_free(&m);
        *out = NULL;
        return assay_fail_memory(e, "a model");
    }
    m->members = predictors - 1;
    *out = m;
    return ASSAY_OK;
}

int model_svr_new(struct model_svr *s, uint32_t vectors, uint32_t features, struct assay_error *e)
{
    s->vectors = vectors;
    s->vector = calloc((size_t)vectors * (1 + features) + 1, sizeof *s->vector);
    return s->vector ? ASSAY_OK : assay_fail_memory(e, "a model");
}

uint32_t model_feature_like(const struct model *m, const char *part, uint32_t *index)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < m->features; i++)
        if (strstr(m->feature[i].name, part)) {
            *index = i;
            found++;
        }
    return found;
}

void model_free(struct model **m)
{
    if (!*m)
        return;
    for (uint32_t i = 0; (*m)->predictor && i <= (*m)->members; i++)
        free((*m)->predictor[i].svr.vector);
    free((*m)->predictor);
    free(*m);
    *m = NULL;
}

void model_set(struct model *m, bool disable_clip, bool enable_transform)
{
    for (uint32_t i = 0; i <= m->members; i++) {
        struct model_predictor *p = &m->predictor[i];
        p->clip = p->clip && !disable_clip;
        p->transform.on = p->transform.on || (p->transform.there && enable_transform);
    }
}

/* ---- files ---- */

enum { MODEL_FILE_MOST = 16 << 20 };

/* Reads a file to its end. *text holds *size bytes; the caller frees it. */
static int model_load(FILE *file, const char *path, char **text, size_t *size, struct assay_error *e)
{
    *text = malloc(MODEL_FILE_MOST);
    if (!*text)
        return assay_fail_memory(e, "a model");
    *size = fread(*text, 1, MODEL_FILE_MOST, file);
    if (ferror(file))
        return assay_fail(e, ASSAY_EINPUT, "%s: can't be read: %s", path, strerror(errno));
    return *size < MODEL_FILE_MOST ? ASSAY_OK : assay_fail(e, ASSAY_EINPUT, "%s: a model has at most %d MiB", path,
                                                           MODEL_FILE_MOST >> 20);
}

int model_file(const char *path, char **text, size_t *size, struct assay_error *e)
{
    bool regular;
    FILE *const file = system_open_regular(path, &regular);
    *text = NULL;
    if (!file && !regular)
        return assay_fail(e, ASSAY_EINPUT, "%s: is no regular file, which a model has to be", path);
    if (!file)
        return assay_fail(e, ASSAY_EINPUT, "%s: can't be opened: %s", path, strerror(errno));
    const int rc = model_load(file, path, text, size, e);
    fclose(file);
    return rc;
}

int model_read(struct model **out, const char *path, struct assay_error *e)
{
    char *text;
    size_t size = 0;
    *out = NULL;
    int rc = model_file(path, &text, &size, e);
    if (!rc)
        rc = model_parse(out, path, text, size, e);
    free(text);
    return rc;
}
