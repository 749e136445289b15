/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of the results of jobs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/text.h"
#include "jobs/figures.h"
#include "results/encodes.h"
#include "run/session.h"

/* ---- figures ----------------------------------------------------------------------------------------------------- */

/* The number of a name, which is mostly that behind the last one. */
static int number_of(struct jobs_figures *b, const char *name, uint32_t guess, uint32_t *number, struct assay_error *e)
{
    for (uint32_t i = 0; i < b->names; i++) {
        *number = (guess + i) % b->names;
        if (!strcmp(b->name[*number], name))
            return ASSAY_OK;
    }
    TRY(assay_grow(&b->name, b->names, sizeof *b->name, "a result", e));
    if (!(b->name[b->names] = strdup(name)))
        return assay_fail_memory(e, "a result");
    *number = b->names++;
    return ASSAY_OK;
}

static int add_figure(struct jobs_figures *b, struct jobs_result *r, const char *key, const char *pool, double v,
                      struct assay_error *e)
{
    char name[256];
    snprintf(name, sizeof name, "%s%s%s", key, pool ? "." : "", pool ? pool : "");
    struct jobs_figure *f = &r->figure[r->figures];
    f->value = v;
    TRY(number_of(b, name, r->figures ? f[-1].name + 1 : 0, &f->name, e));
    r->figures++;
    return ASSAY_OK;
}

/* A session with the metrics of the results, kept for the next ones, whose metrics are mostly the same. */
static int plan_session(struct jobs_figures *b, const struct stored *s, struct assay_error *e)
{
    static const char *const names[] = {"configuration", "scored_layout", "scored_bit_depth", "rgb_to_luma"};
    char text[4096] = "";
    text_append(text, sizeof text, "%ux%u", s->run.width, s->run.height);
    for (unsigned i = 0; i < 4; i++) {
        const char *value = report_run_field(&s->run, names[i]);
        text_append(text, sizeof text, "|%s", value ? value : "");
    }
    if (b->session && strlen(text) < sizeof text - 1 && !strcmp(b->planned, text))
        return ASSAY_OK;
    assay_session_close(&b->session);
    free(b->planned);
    b->planned = strdup(text);
    const int rc = b->planned ? stored_plan(&b->session, s, e) : assay_fail_memory(e, "a result");
    if (rc)
        assay_session_close(&b->session);
    return rc;
}

static void take_field(char text[NUMBER_TEXT_SIZE], const struct stored *s, const char *name)
{
    const char *value = report_run_field(&s->run, name);
    snprintf(text, NUMBER_TEXT_SIZE, "%s", value && strcmp(value, "null") ? value : "");
}

int jobs_take(struct jobs_figures *b, struct jobs_result *r, struct stored *s, struct assay_error *e)
{
    r->frames = s->scores.rows;
    r->width = s->run.width;
    r->height = s->run.height;
    take_field(r->bytes, s, "distorted_video_bytes");
    take_field(r->seconds, s, "distorted_duration_s");
    take_field(r->kbps, s, REPORT_BITRATE);
    TRY(plan_session(b, s, e));
    TRY(stored_describe(s, b->session, 0, assay_session_keys(b->session), true, e));
    r->figure = calloc((size_t)s->scores.keys * 3 + s->run.aggregates + 1, sizeof *r->figure);
    if (!r->figure)
        return assay_fail_memory(e, "a result");
    for (uint32_t k = 0; k < s->scores.keys; k++) {
        const char *key = s->scores.key[k];
        const int direction = s->scores.direction[k];
        const char *const pool[3] = {"mean", direction_tail(direction), direction == ASSAY_LOWER ? "max" : "min"};
        if (s->run.hidden[k] || report_key_is_place(key))
            continue;
        for (unsigned i = 0; i < 3; i++)
            TRY(add_figure(b, r, key, pool[i], scores_figure(&s->scores, k, pool[i]), e));
    }
    for (uint32_t i = 0; i < s->run.aggregates; i++)
        TRY(add_figure(b, r, s->run.aggregate[i].key, NULL, s->run.aggregate[i].value, e));
    return ASSAY_OK;
}

int jobs_take_gates(struct jobs_result *r, const struct gate *gate, uint32_t gates, const struct stored *s,
                    struct assay_error *e)
{
    char text[1000] = "";
    for (uint32_t i = 0; i < gates; i++) {
        const struct gate *g = &gate[i];
        const struct gate_result v = gate_judge(g, s);
        char value[NUMBER_TEXT_SIZE], limit[NUMBER_TEXT_SIZE];
        if (v.verdict == GATE_PASSED)
            continue;
        r->note.code = 1;
        format_shortest(value, v.value);
        format_shortest(limit, g->limit);
        text_append(text, sizeof text, "%s%s%s%s", *text ? "; " : "", g->key, v.pool ? "." : "",
                    v.pool ? v.pool : "");
        if (v.why)
            text_append(text, sizeof text, ": %s", v.why);
        else
            text_append(text, sizeof text, " is %s, not at %s %s", value, g->over ? "most" : "least", limit);
    }
    free(r->note.reason);
    r->note.reason = strdup(text);
    return r->note.reason ? ASSAY_OK : assay_fail_memory(e, "a result");
}

void jobs_figures_free(struct jobs_figures *b)
{
    for (uint32_t i = 0; i < b->names; i++)
        free(b->name[i]);
    assay_session_close(&b->session);
    free(b->name);
    free(b->planned);
    *b = (struct jobs_figures){0};
}
