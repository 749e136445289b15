/* SPDX-License-Identifier: BSD-2-Clause */
#include "results/encode.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/text.h"
#include "results/digest.h"
#include "results/file.h"

/* Reads the figures of a run. One of the whole run has no pool. */
static int take_figures(struct encode *x, const char *name, const struct stored *from, const struct gate *figure,
                        uint32_t figures, struct assay_error *e)
{
    for (uint32_t i = 0; i < figures; i++) {
        const struct gate_result r = gate_judge(&figure[i], from);
        uint32_t column;
        x->figure[i] = r.value;
        x->has[i] = r.verdict != GATE_ABSENT;
        if (x->has[i] && figure[i].pool_named && !scores_column(&from->scores, figure[i].key, &column))
            return assay_fail(e, ASSAY_EUSAGE, "%s: '%s' is one figure for the whole run and has no pool '%s'", name,
                              figure[i].key, figure[i].pool_name);
    }
    return ASSAY_OK;
}

/* A copy of a field that is a text; NULL: there is none. */
static const char *copy(struct encode *x, const struct report_run *run, const char *name)
{
    for (uint32_t i = 0; i < run->fields; i++)
        if (!run->field[i].number && !strcmp(run->field[i].name, name))
            return stored_copy(&x->texts, run->field[i].value);
    return NULL;
}

void encode_free(struct encode *x)
{
    stored_free(&x->texts);
    *x = (struct encode){0};
}

int encode_take(struct encode *x, const char *name, const struct stored *from, const struct gate *figure,
                uint32_t figures, struct assay_error *e)
{
    const struct scores *s = &from->scores;
    const struct report_run *run = &from->run;
    const char *rate_of = report_run_field(run, REPORT_BITRATE_OF);
    const char *first = report_run_field(run, REPORT_FIRST_REFERENCE);
    *x = (struct encode){.name = name, .width = run->width, .height = run->height, .frames = s->rows,
                         .numbers = digest_of_nothing};
    if (run->incomplete)
        return assay_fail(e, ASSAY_EINPUT, "%s: is a report of an incomplete run%s%.200s", name,
                          run->reason ? ": " : "", run->reason ? run->reason : "");
    if (!s->rows)
        return assay_fail(e, ASSAY_EINPUT, "%s: has no frames", name);
    x->reference = copy(x, run, "reference_file");
    x->configuration = copy(x, run, "configuration");
    x->scale = copy(x, run, "scale_filter");
    x->siting = copy(x, run, "scale_siting");
    x->crop = copy(x, run, "reference_crop");
    int rc = stored_lost(&x->texts, "a run", e);
    rc = rc ? rc : take_figures(x, name, from, figure, figures, e);
    if (rc) {
        encode_free(x);
        return rc;
    }
    x->first = x->kbps = (double)NAN;
    if (first)
        parse_number(first, &x->first);
    if (report_bitrate(run, &x->kbps))
        snprintf(x->rate_of, sizeof x->rate_of, "%s", rate_of ? rate_of : "");
    for (uint64_t i = 0; i < s->rows; i++)
        x->numbers = digest_word(x->numbers, s->frame[i]);
    return ASSAY_OK;
}

int encode_of_report(struct encode *x, const struct report_file *r, uint32_t i, const char *name,
                     const struct gate *figure, uint32_t figures, struct assay_error *e)
{
    struct stored s;
    *x = (struct encode){0};
    if (r->encodes && r->encode[i].failed)
        return assay_fail(e, ASSAY_EINPUT, "%s: this encode failed: %.200s", name, r->encode[i].failed);
    TRY(report_file_take(r, i, name, &s, e));
    const int rc = encode_take(x, name, &s, figure, figures, e);
    stored_free(&s);
    return rc;
}

/* ---- two runs ---------------------------------------------------------------------------------------------------- */

bool configuration_next(const char **at, struct configuration_entry *x)
{
    if (!**at)
        return false;
    *x = (struct configuration_entry){*at, strcspn(*at, ","), strcspn(*at, "=,")};
    *at += x->length + ((*at)[x->length] == ',');
    return true;
}

bool configuration_has(const char *configuration, const struct configuration_entry *x,
                       struct configuration_entry *other)
{
    struct configuration_entry y;
    *other = (struct configuration_entry){0};
    while (configuration_next(&configuration, &y)) {
        if (x->length == y.length && !strncmp(x->text, y.text, y.length))
            return true;
        if (x->name == y.name && !strncmp(x->text, y.text, y.name))
            *other = y;
    }
    return false;
}

static bool is_asked(const struct configuration_entry *x, const char *const *metric, uint32_t metrics)
{
    bool asked = !metrics;
    for (uint32_t i = 0; i < metrics && !asked; i++)
        asked = strlen(metric[i]) == x->name && !strncmp(x->text, metric[i], x->name);
    return asked;
}

PRINTF_LIKE(4, 5) static int differ(const struct encode *a, const struct encode *b,
                                                        struct assay_error *e, const char *format, ...)
{
    char why[700];
    TEXT_GIVEN(why, sizeof why, format);
    return assay_fail(e, ASSAY_EMISMATCH, "%s and %s %s", a->name, b->name, why);
}

int encodes_match(const struct encode *a, const struct encode *b, const char *const *metric, uint32_t metrics,
                  struct assay_error *e)
{
    struct configuration_entry x, other;
    const char *of_a = a->crop ? a->crop : "the whole", *of_b = b->crop ? b->crop : "the whole";
    if (a->reference && b->reference && strcmp(file_name(a->reference), file_name(b->reference)))
        return differ(a, b, e, "have different references: %s and %s", a->reference, b->reference);
    if (a->width && b->width && (a->width != b->width || a->height != b->height))
        return differ(a, b, e, "were scored at different sizes: %ux%u and %ux%u", a->width, a->height, b->width,
                      b->height);
    /* A point that was not scaled fits those that were: it has the size that they were brought to. */
    if (a->scale && b->scale && strcmp(a->scale, b->scale))
        return differ(a, b, e, "were scaled in two ways: %s and %s", a->scale, b->scale);
    if (a->siting && b->siting && strcmp(a->siting, b->siting))
        return differ(a, b, e, "were scaled in two ways: %s and %s", a->siting, b->siting);
    /* The part of the reference is one for all. Encodes may have borders of their own. */
    if (a->reference && b->reference && strcmp(of_a, of_b))
        return differ(a, b, e, "were scored against two parts of the reference: %s and %s", of_a, of_b);
    if (a->frames != b->frames)
        return differ(a, b, e, "have different frames: %" PRIu64 " and %" PRIu64, a->frames, b->frames);
    if (a->numbers != b->numbers)
        return differ(a, b, e, "have different frames: their numbers differ");
    if (a->first < b->first || a->first > b->first) /* NaN is neither */
        return differ(a, b, e, "have different frames: number 0 is frame %.0f of the reference in one and frame %.0f "
                      "in the other", a->first, b->first);
    for (const char *at = a->configuration; at && b->configuration && configuration_next(&at, &x);)
        if (is_asked(&x, metric, metrics) && !configuration_has(b->configuration, &x, &other) && other.text)
            return differ(a, b, e, "were scored with different options: %.*s and %.*s", (int)x.length, x.text,
                          (int)other.length, other.text);
    return ASSAY_OK;
}
