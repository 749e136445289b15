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

/* Makes the reporter write an encode's scores. */
static void take(struct reporter *r, const struct report_encode *x)
{
    r->keys = x->scores->keys;
    r->key = x->scores->key;
    r->partner = x->run->partner;
    r->partner_opaque = x->run->partner_opaque;
}

static void write_frames(struct reporter *r, const struct scores *s)
{
    for (r->frames = 0; r->frames < s->rows; r->frames++)
        r->form->frame(r, s->frame[r->frames], s->time[r->frames], s->value + r->frames * s->keys);
}

static void json_encode(struct reporter *r, const struct report_encode *x, bool first)
{
    struct sink *s = &r->sink;
    sink_json_member(s, first ? "\n  {\n  " : ",\n  {\n  ", "name", x->name);
    sink_json_member(s, ",\n  ", "file", x->file);
    sink_format(s, ",\n  \"exit_code\": %d", x->exit_code);
    sink_json_member(s, ",\n  ", "failed", x->failed);
    if (x->scores) {
        sink_text(s, ",\n  \"frames\": [");
        take(r, x);
        write_frames(r, x->scores);
        report_json_results(r, x->scores, x->run);
        sink_text(s, "  }");
    } else {
        sink_text(s, "\n  }");
    }
}

static void write_json(struct reporter *r, const char *version, const struct report_encode *encode, uint32_t encodes)
{
    struct sink *s = &r->sink;
    char text[REPORTER_VERSION];
    double fps = 0;
    for (uint32_t i = 0; i < encodes; i++)
        if (encode[i].scores && reporter_has_rate(encode[i].run->fps) && encode[i].run->fps > fps)
            fps = encode[i].run->fps;
    sink_json_member(s, "{\n  ", "version", reporter_version(&(struct report_run){.version = version}, text));
    if (fps > 0) {
        sink_text(s, ",\n  \"fps\": ");
        sink_number(s, fps, RATE_DECIMALS);
    }
    sink_text(s, ",\n  \"encodes\": [");
    for (uint32_t i = 0; i < encodes; i++)
        json_encode(r, &encode[i], !i);
    sink_text(s, "\n  ]\n}\n");
}

/* The columns are those of a report on one encode, behind the encode's file. */
static void write_csv(struct reporter *r, const struct report_encode *encode, uint32_t encodes)
{
    bool head = false;
    for (uint32_t i = 0; i < encodes; i++) {
        const struct report_encode *x = &encode[i];
        if (!x->scores)
            continue;
        take(r, x);
        if (!head) {
            sink_text(&r->sink, "encode,");
            r->form->head(r, x->run);
        }
        head = true;
        for (uint64_t row = 0; row < x->scores->rows; row++) {
            sink_csv_text(&r->sink, x->file);
            sink_text(&r->sink, ",");
            r->form->frame(r, x->scores->frame[row], x->scores->time[row], x->scores->value + row * r->keys);
        }
    }
}

/* A page or a plot of all encodes. One that was not scored has its name there, and why. */
static void write_overlay(struct reporter *r, enum report_kind kind, const char *version,
                          const struct report_encode *encode, uint32_t encodes)
{
    static const struct scores nothing;
    struct html_encode on_page[ASSAY_ENCODES];
    struct report_run failed[ASSAY_ENCODES];
    for (uint32_t i = 0; i < encodes; i++) {
        const struct report_encode *x = &encode[i];
        failed[i] = (struct report_run){.version = version, .incomplete = true, .reason = x->failed};
        on_page[i] = (struct html_encode){x->name, x->scores ? x->scores : &nothing, x->scores ? x->run : &failed[i]};
    }
    if (kind == REPORT_PLOT)
        plot_write(&r->sink, on_page, encodes, r->precision);
    else if (kind == REPORT_PLOT_PNG)
        plot_write_png(&r->sink, on_page, encodes, r->precision);
    else
        html_begin(&r->sink, on_page[0].run);
    if (kind == REPORT_HTML)
        html_write(&r->sink, on_page, encodes, r->precision);
}

int joint_finish(struct joint **j, const char *version, const struct report_encode *encode, uint32_t encodes,
                 struct assay_error *e)
{
    struct reporter *r = &(*j)->reporter;
    if ((*j)->kind == REPORT_CSV)
        write_csv(r, encode, encodes);
    else if ((*j)->kind == REPORT_JSON)
        write_json(r, version, encode, encodes);
    else
        write_overlay(r, (*j)->kind, version, encode, encodes);
    const int rc = sink_close(&r->sink, e);
    free(*j);
    *j = NULL;
    return rc;
}
