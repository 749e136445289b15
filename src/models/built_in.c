/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in models, from their tables (tools/models.py has the form of a word). */
#include "models/built_in.h"

#include <stdio.h>
#include <string.h>

#include "host/bits.h"
#include "host/suggest.h"
#include "host/text.h"
#include "models/model.h"

/* An element of a row. A quotient of two exact doubles is the double that is nearest to the decimal. */
static double built_in_element(uint32_t word)
{
    static const double power[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e22};
    const uint32_t digits = word & 0x7ffffff, index = word >> 27 & 15;
    if (index >= sizeof power / sizeof power[0])
        return double_of_bits(built_in_others[digits]);
    const double v = (double)digits / power[index];
    return word >> 31 ? -v : v;
}

static int built_in_machine(struct model_svr *out, const struct built_in_svr *from, struct assay_error *e)
{
    enum { ROW = 0x3fff, NEGATIVE = 0x4000, STATED = 0x8000 };
    TRY(model_svr_new(out, from->vectors, from->features, e));
    out->gamma = double_of_bits(from->gamma);
    out->rho = double_of_bits(from->rho);
    const uint64_t *stated = built_in_coefficients + from->first_coefficient;
    double *to = out->vector;
    for (uint32_t i = 0; i < from->vectors; i++) {
        const uint16_t v = built_in_vectors[from->first_vector + i];
        const uint32_t *row = built_in_words + from->first_word + (v & ROW) * from->features;
        const double bound = double_of_bits(from->bound);
        *to++ = v & STATED ? double_of_bits(*stated++) : v & NEGATIVE ? -bound : bound;
        for (uint32_t f = 0; f < from->features; f++)
            *to++ = built_in_element(row[f]);
    }
    return ASSAY_OK;
}

static int built_in_predictor(const struct model *m, struct model_predictor *p, const struct built_in_model *from,
                              uint32_t index, struct assay_error *e)
{
    const uint64_t *number = built_in_numbers + from->first_number + index * 2 * (1 + from->features);
    p->rescale = true;
    for (uint32_t i = 0; i <= from->features; i++) {
        p->slope[i] = double_of_bits(number[2 * i]);
        p->intercept[i] = double_of_bits(number[2 * i + 1]);
    }
    p->clip = true;
    p->low = double_of_bits(from->low);
    p->high = double_of_bits(from->high);
    for (unsigned i = 0; i < 3; i++) {
        p->transform.there |= p->transform.has[i] = from->has[i] != 0;
        p->transform.p[i] = double_of_bits(from->p[i]);
    }
    p->transform.on = from->on != 0;
    p->transform.out_lte_in = from->out_lte_in != 0;
    p->transform.out_gte_in = from->out_gte_in != 0;
    p->chroma = double_of_bits(from->chroma);
    model_feature_like(m, MODEL_CHROMA_TO, &p->chroma_to);
    model_feature_like(m, MODEL_CHROMA_FROM, &p->chroma_from);
    return built_in_machine(&p->svr, &built_in_svrs[built_in_predictors[from->first_predictor + index]], e);
}

static int built_in_fill(struct model *m, const struct built_in_model *from, struct assay_error *e)
{
    snprintf(m->version, sizeof m->version, "%s", from->version);
    snprintf(m->other, sizeof m->other, "%s", from->other);
    m->height = from->height;
    m->features = from->features;
    for (uint32_t i = 0; i < from->features; i++) {
        snprintf(m->feature[i].name, MODEL_NAME, "%s", built_in_names[from->first_name + i]);
        snprintf(m->feature[i].options, MODEL_OPTIONS, "%s", built_in_options[from->first_name + i]);
    }
    for (uint32_t i = 0; i < from->predictors; i++)
        TRY(built_in_predictor(m, &m->predictor[i], from, i, e));
    return ASSAY_OK;
}

const char *model_version(uint32_t index)
{
    return index < built_in_count ? built_in_models[index].version : NULL;
}

/* Letters and digits of a name in lower case, without "v0.6.1" and the like. */
static void bare_name(char bare[MODEL_VERSION], const char *name, size_t length)
{
    size_t n = 0;
    for (size_t i = 0; i < length && n + 1 < MODEL_VERSION; i++) {
        const char c = name[i];
        if (length - i >= 6 && !strncmp(name + i, "v0.6.", 5))
            i += 5;
        else if (c != '_' && c != '-')
            bare[n++] = text_lower(c);
    }
    bare[n] = '\0';
}

const char *model_meant(const char *name, size_t length)
{
    char wanted[MODEL_VERSION], has[MODEL_VERSION];
    bare_name(wanted, name, length);
    for (uint32_t i = 0; i < built_in_count; i++) {
        const char *version = built_in_models[i].version;
        bare_name(has, version, strlen(version));
        if (!strcmp(has, wanted))
            return version;
    }
    return NULL;
}

int model_built_in(struct model **out, const char *version, struct assay_error *e)
{
    char hint[SUGGEST_TEXT];
    struct suggestion like = suggest_for(version, strlen(version));
    *out = NULL;
    for (uint32_t i = 0; i < built_in_count; i++) {
        suggest_offer(&like, built_in_models[i].version);
        if (strcmp(built_in_models[i].version, version))
            continue;
        int rc = model_new(out, built_in_models[i].predictors, e);
        if (!rc && (rc = built_in_fill(*out, &built_in_models[i], e)))
            model_free(out);
        return rc;
    }
    return assay_fail(e, ASSAY_EUSAGE, "no built-in model is called '%s'%s", version, suggest_text(&like, hint));
}
