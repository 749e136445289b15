/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/reporter.h"

#include <math.h>
#include <stdlib.h>

const char *reporter_version(const struct report_run *run, char *text)
{
    if (run->libvmaf)
        return run->libvmaf;
    snprintf(text, REPORTER_VERSION, "assay %s", run->version);
    return text;
}

bool reporter_has_rate(double fps)
{
    return fps > 0 && isfinite(fps);
}

static void write_head(struct reporter *r, const struct report_run *run)
{
    if (r->form->head)
        r->form->head(r, run);
}

static void write_frame(struct reporter *r, const struct scores *s, uint64_t row)
{
    if (r->form->frame)
        r->form->frame(r, s, row);
    r->frames++;
}

int reporter_begin(struct reporter **out, const struct reporter *as, const char *path, struct assay_error *e)
{
    struct reporter *r = *out = malloc(sizeof *r);
    if (!r)
        return assay_fail_memory(e, "a report");
    *r = *as;
    const int rc = sink_open(&r->sink, path, e);
    if (rc) {
        free(r);
        *out = NULL;
    }
    return rc;
}

int reporter_open_form(struct reporter **out, const struct report_form *form, const char *path, int precision,
                       const struct stored *x, struct assay_error *e)
{
    const struct report_run *run = &x->run;
    const struct scores *s = &x->scores;
    *out = NULL;
    for (uint32_t i = 0; i < s->keys; i++)
        if (!report_key_valid(s->key[i]))
            return assay_fail(e, ASSAY_EINTERNAL, "'%s' can't be the name of a score in a report", s->key[i]);
    const struct reporter as = {.form = form, .precision = precision, .keys = s->keys, .key = s->key,
                                .column = s->column, .plain = run->libvmaf != NULL,
                                .rate_later = form->has_rate && run->fps < 0, .paired = s->paired};
    TRY(reporter_begin(out, &as, path, e));
    (*out)->all_later = as.plain && as.rate_later && !(*out)->sink.out.beside;
    if (!(*out)->all_later)
        write_head(*out, run);
    return ASSAY_OK;
}

int reporter_frame(struct reporter *r, const struct scores *s, uint64_t row, struct assay_error *e)
{
    if (r->all_later)
        return ASSAY_OK;
    write_frame(r, s, row);
    return sink_flush(&r->sink, e);
}

/* Writes the head with the rate, and the frames. */
static void write_all(struct reporter *r, const struct stored *x)
{
    r->frames = 0;
    write_head(r, &x->run);
    for (uint64_t row = 0; row < x->scores.rows; row++)
        write_frame(r, &x->scores, row);
}

int reporter_finish(struct reporter **r, const struct stored *x, struct assay_error *e)
{
    if (x->run.incomplete && !x->scores.rows && (*r)->sink.out.beside) { /* the report of an earlier run says more */
        reporter_abandon(r);
        return ASSAY_OK;
    }
    if ((*r)->all_later || ((*r)->rate_later && reporter_has_rate(x->run.fps) && sink_again(&(*r)->sink)))
        write_all(*r, x);
    if ((*r)->form->tail)
        (*r)->form->tail(*r, x);
    return reporter_close(r, e);
}

int reporter_close(struct reporter **r, struct assay_error *e)
{
    const int result = sink_close(&(*r)->sink, e);
    free(*r);
    *r = NULL;
    return result;
}

void reporter_abandon(struct reporter **r)
{
    if (!*r)
        return;
    sink_abandon(&(*r)->sink);
    free(*r);
    *r = NULL;
}
