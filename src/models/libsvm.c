/* SPDX-License-Identifier: BSD-2-Clause */
/* The text form of libsvm's models: lines of names and values, "SV", and a line for each support vector. */
#include <stdio.h>
#include <string.h>

#include "host/numbers.h"
#include "models/model.h"

struct svm_text {
    const char *at, *where; /* the rest of the text, and its place in a file */
    unsigned line;          /* of `at`, from 1 */
    struct assay_error *error;
};

static int svm_fail(const struct svm_text *t, const char *what, const char *word)
{
    return assay_fail(t->error, ASSAY_EINPUT, "%s: line %u of the text: %s%s%.40s%s", t->where, t->line, what,
                      *word ? " '" : "", word, *word ? "'" : "");
}

/* Cuts the next word of the line, "" where it ends. A word that does not fit ends in "...", which is no number. */
static void svm_word(struct svm_text *t, char *word, size_t size)
{
    t->at += strspn(t->at, " \t\r");
    const size_t n = strcspn(t->at, " \t\r\n");
    snprintf(word, size, "%.*s%s", (int)(n < size ? n : size - 4), t->at, n < size ? "" : "...");
    t->at += n;
}

/* Goes to the next line; false at the end of the text. */
static bool svm_line(struct svm_text *t)
{
    t->at += strcspn(t->at, "\n");
    if (!*t->at)
        return false;
    t->at++;
    t->line++;
    return true;
}

static int svm_end_of_line(struct svm_text *t)
{
    char word[64];
    svm_word(t, word, sizeof word);
    return *word ? svm_fail(t, "nothing more is expected here:", word) : ASSAY_OK;
}

static int svm_number(struct svm_text *t, const char *text, double *v)
{
    if (!parse_number(text, v) || *v - *v != 0.0)
        return svm_fail(t, *text ? "no finite number:" : "a number is missing", text);
    return ASSAY_OK;
}

static int svm_whole(struct svm_text *t, const char *text, uint32_t most, uint32_t *v)
{
    double number;
    TRY(svm_number(t, text, &number));
    if (!(number >= 0.0 && number <= most && (double)(uint32_t)number == number))
        return svm_fail(t, "out of range:", text);
    *v = (uint32_t)number;
    return ASSAY_OK;
}

/* ---- the head ---- */

enum { SVM_TYPE = 1, SVM_KERNEL = 2, SVM_GAMMA = 4, SVM_CLASSES = 8, SVM_VECTORS = 16, SVM_RHO = 32, SVM_ALL = 63 };

static const char *const svm_names[] = {"svm_type", "kernel_type", "gamma", "nr_class", "total_sv", "rho"};

/* A line of the head. The two types of machine are predicted alike. */
static int svm_head_line(struct svm_text *t, struct model_svr *s, unsigned name)
{
    char word[64];
    uint32_t classes = 2;
    svm_word(t, word, sizeof word);
    switch (1u << name) {
    case SVM_TYPE:
        if (strcmp(word, "nu_svr") && strcmp(word, "epsilon_svr"))
            return svm_fail(t, "only machines for regression are read, not", word);
        break;
    case SVM_KERNEL:
        if (strcmp(word, "rbf"))
            return svm_fail(t, "only the kernel rbf is read, not", word);
        break;
    case SVM_GAMMA: TRY(svm_number(t, word, &s->gamma)); break;
    case SVM_CLASSES: TRY(svm_whole(t, word, 2, &classes)); break;
    case SVM_VECTORS: TRY(svm_whole(t, word, MODEL_VECTORS, &s->vectors)); break;
    default: TRY(svm_number(t, word, &s->rho)); break;
    }
    if (classes != 2)
        return svm_fail(t, "nr_class of a machine for regression is 2, not", word);
    return svm_end_of_line(t);
}

/* Reads up to the line behind "SV". */
static int svm_head(struct svm_text *t, struct model_svr *s)
{
    char word[64];
    unsigned seen = 0;
    for (;; svm_line(t)) {
        unsigned name = 0;
        svm_word(t, word, sizeof word);
        if (!strcmp(word, "SV"))
            break;
        while (name < 6 && strcmp(word, svm_names[name]))
            name++;
        if (name == 6)
            return svm_fail(t, *word ? "unknown name" : "the line SV is missing", word);
        if (seen >> name & 1)
            return svm_fail(t, "given twice:", word);
        seen |= 1u << name;
        TRY(svm_head_line(t, s, name));
    }
    for (unsigned name = 0; name < 6; name++)
        if (!(seen >> name & 1))
            return svm_fail(t, "before SV, this is missing:", svm_names[name]);
    return svm_end_of_line(t);
}

/* ---- the vectors ---- */

/* "coefficient index:value index:value": indices from 1, ascending; elements that are not there are 0. */
static int svm_vector(struct svm_text *t, uint32_t features, double *to)
{
    char word[64];
    uint32_t last = 0;
    svm_word(t, word, sizeof word);
    TRY(svm_number(t, word, to));
    for (;;) {
        uint32_t index = 0;
        svm_word(t, word, sizeof word);
        if (!*word)
            return ASSAY_OK;
        char *colon = strchr(word, ':');
        if (!colon)
            return svm_fail(t, "an element is INDEX:VALUE, not", word);
        *colon = 0;
        TRY(svm_whole(t, word, UINT32_MAX, &index));
        if (index <= last)
            return svm_fail(t, "indices ascend from 1; this one does not:", word);
        if (index > features)
            return svm_fail(t, "the model has fewer features than", word);
        last = index;
        TRY(svm_number(t, colon + 1, &to[index]));
    }
}

int model_svr_parse(struct model_svr *s, uint32_t features, const char *text, const char *where,
                    struct assay_error *e)
{
    struct svm_text t = {.at = text, .where = where, .line = 1, .error = e};
    TRY(svm_head(&t, s));
    const uint32_t vectors = s->vectors;
    /* A vector takes at least two bytes, so a text that promises more than it has is not believed. */
    if (vectors > strlen(t.at) / 2)
        return svm_fail(&t, "fewer vectors follow than total_sv says", "");
    TRY(model_svr_new(s, vectors, features, e));
    for (uint32_t i = 0; i < vectors; i++) {
        if (!svm_line(&t) || !t.at[strspn(t.at, " \t\r\n")])
            return svm_fail(&t, "fewer vectors follow than total_sv says", "");
        TRY(svm_vector(&t, features, s->vector + (size_t)i * (1 + features)));
    }
    while (svm_line(&t))
        TRY(svm_end_of_line(&t));
    return ASSAY_OK;
}
