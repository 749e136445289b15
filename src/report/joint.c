/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/joint.h"

#include <stdlib.h>

#include "report/html.h"
#include "report/plot.h"
#include "report/reporter.h"

struct joint {
    struct reporter reporter; /* its sink, and the decimals */
    enum report_kind kind;
};

int joint_open(struct joint **out, enum report_kind kind, const char *path, int precision, struct assay_error *e)
{
    struct joint *j = calloc(1, sizeof *j);
    *out = NULL;
    if (!j)
        return assay_fail_memory(e, "a report");
    j->kind = kind;
    j->reporter.form = kind == REPORT_CSV ? &report_form_csv : &report_form_json;
    j->reporter.precision = precision;
    const int rc = sink_open(&j->reporter.sink, path, e);
    if (rc)
        free(j);
    else
        *out = j;
    return rc;
}

void joint_abandon(struct joint **j)
{
    if (!*j)
        return;
    sink_abandon(&(*j)->reporter.sink);
    free(*j);
    *j = NULL;
}

static void json_encode(struct reporter *r, const struct stored *x)
{
    struct json *j = &r->json;
    const struct scores *s = &x->scores;
    json_object(j, NULL, JSON_LINES | JSON_FLAT);
    json_text(j, "name", x->name);
    json_text(j, "file", x->file);
    json_whole(j, "exit_code", x->exit_code);
    json_text(j, "failed", x->failed);
    if (s->key) {
        r->keys = s->keys;
        r->key = s->key;
        r->column = s->column;
        r->paired = s->paired;
        report_json_frames(r);
        for (r->frames = 0; r->frames < s->rows; r->frames++)
            r->form->frame(r, s, r->frames);
        report_json_results(r, s, &x->run);
    } else {
        json_end(j);
    }
}

static void write_json(struct reporter *r, const char *version, const struct stored *encode, uint32_t encodes)
{
    struct json *j = &r->json;
    double fps = 0;
    for (uint32_t i = 0; i < encodes; i++)
        if (encode[i].scores.key && reporter_has_rate(encode[i].run.fps) && encode[i].run.fps > fps)
            fps = encode[i].run.fps;
    report_json_head(r, &(struct report_run){.version = version, .fps = fps});
    json_list(j, "encodes", JSON_LINES | JSON_FLAT);
    for (uint32_t i = 0; i < encodes; i++)
        json_encode(r, &encode[i]);
    json_end(j);
    json_end(j);
}

/* The rows of an encode, whose label is their first column. column[k] becomes where it has the reporter's key k. */
static void csv_encode(struct reporter *r, const struct stored *x, uint32_t *column)
{
    const struct scores *s = &x->scores;
    for (uint32_t k = 0; k < r->keys; k++) {
        uint32_t at;
        column[k] = !encode_column(x, r->key[k], &at) ? ASSAY_NONE : s->column ? s->column[at] : at;
    }
    for (uint64_t row = 0; row < s->rows; row++) {
        sink_csv_text(&r->sink, x->label);
        sink_text(&r->sink, ",");
        r->form->frame(r, s, row);
    }
}

/* A column for each score that any encode has. */
static int write_csv(struct reporter *r, const struct stored *encode, uint32_t encodes, struct assay_error *e)
{
    struct encodes_keys all;
    TRY(encodes_keys_find(&all, encode, encodes, e));
    const char **key = calloc(all.scores + 1, sizeof *key);
    uint32_t *column = calloc(all.scores + 1, sizeof *column);
    const int rc = key && column ? ASSAY_OK : assay_fail_memory(e, "a report");
    bool head = false;
    for (uint32_t k = 0; !rc && k < all.scores; k++)
        key[k] = all.score[k].key;
    r->keys = all.scores;
    r->key = key;
    r->column = column;
    for (uint32_t i = 0; !rc && i < encodes; i++) {
        if (!encode_scored(&encode[i]))
            continue;
        r->paired = encode[i].scores.paired;
        sink_text(&r->sink, head ? "" : "encode,");
        if (!head)
            r->form->head(r, &encode[i].run);
        head = true;
        csv_encode(r, &encode[i], column);
    }
    free(key);
    free(column);
    encodes_keys_free(&all);
    return rc;
}

/* A page or a plot of all encodes. One that was not scored has its name there, and why. */
static void write_overlay(struct reporter *r, enum report_kind kind, const struct stored *encode, uint32_t encodes)
{
    if (kind == REPORT_PLOT)
        plot_write(&r->sink, encode, encodes, r->precision);
    else if (kind == REPORT_PLOT_PNG)
        plot_write_png(&r->sink, encode, encodes, r->precision);
    else
        html_begin(&r->sink, &encode->run);
    if (kind == REPORT_HTML)
        html_write(&r->sink, encode, encodes, r->precision);
}

int joint_finish(struct joint **j, const char *version, const struct stored *encode, uint32_t encodes,
                 struct assay_error *e)
{
    struct reporter *r = &(*j)->reporter;
    struct assay_error failed = {0};
    if ((*j)->kind == REPORT_CSV && write_csv(r, encode, encodes, &failed))
        sink_fail(&r->sink, &failed);
    if ((*j)->kind == REPORT_JSON)
        write_json(r, version, encode, encodes);
    else if ((*j)->kind != REPORT_CSV)
        write_overlay(r, (*j)->kind, encode, encodes);
    const int rc = sink_close(&r->sink, e);
    free(*j);
    *j = NULL;
    return rc;
}
