/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run writes of an encode. */
#include "run/results.h"

#include <stdlib.h>
#include <string.h>

#include "report/images.h"

int result_describe(struct result *x, const assay_session *session, uint32_t first, uint32_t n, struct assay_error *e)
{
    struct scores *s = &x->has.scores;
    signed char *direction = stored_alloc(&x->has, s->keys, sizeof *direction);
    x->feature = stored_alloc(&x->has, s->keys, sizeof *x->feature);
    if (!direction || !x->feature)
        return assay_fail_memory(e, "the scores");
    for (uint32_t i = 0; i < s->keys; i++) {
        assay_output output = {.direction = ASSAY_NEUTRAL};
        uint32_t at = i < n && !strcmp(assay_session_key(session, first + i), s->key[i]) ? i : 0;
        while (at < n && strcmp(assay_session_key(session, first + at), s->key[i]))
            at++;
        if (at < n)
            x->feature[i] = assay_session_key_feature(session, first + at);
        else
            run_metric_of(s->key[i], &output);
        direction[i] = (signed char)(at < n ? assay_session_key_direction(session, first + at) : output.direction);
    }
    s->direction = direction;
    x->has.run.hidden = x->feature;
    x->keys = s->keys;
    return ASSAY_OK;
}

int result_begin(struct result *x, const assay_session *session, uint32_t encode, const uint32_t *column,
                 uint32_t columns, struct assay_error *e)
{
    const uint32_t each = assay_session_keys(session) / assay_session_encodes(session), keys = column ? columns : each;
    const char **key = stored_alloc(&x->has, keys, sizeof *key);
    if (!key)
        return assay_fail_memory(e, "the scores");
    for (uint32_t i = 0; i < keys; i++)
        key[i] = assay_session_key(session, encode * each + (column ? column[i] : i));
    TRY(scores_init(&x->has.scores, keys, key, e));
    x->has.scores.column = x->has.run.column = column;
    return result_describe(x, session, encode * each, each, e);
}

int result_frame(struct result *x, uint64_t frame, int64_t time, const double *values, bool paired, uint64_t partner,
                 struct assay_error *e)
{
    enum { ROOM = 4096 };
    if (paired && x->has.scores.rows == x->partners) {
        uint64_t *more = realloc(x->partner, (x->partners + ROOM) * 2 * sizeof *more);
        if (!more)
            return assay_fail_memory(e, "the pairing");
        x->has.partner = x->partner = more;
        x->partners = (x->partners + ROOM) * 2;
    }
    if (paired)
        x->partner[x->has.scores.rows] = partner;
    return scores_lend(&x->has.scores, frame, time, values, e);
}

static int keep_fields(struct stored *s, const struct description *d, struct assay_error *e)
{
    struct report_field *field = stored_alloc(s, d->fields, sizeof *field);
    s->run.compared = stored_copy(s, d->compared);
    bool good = field && s->run.compared;
    for (uint32_t i = 0; good && i < d->fields; i++) {
        field[i] = d->field[i]; /* names live as long as the program */
        field[i].value = stored_copy(s, d->field[i].value);
        good = field[i].value;
    }
    s->run.field = field;
    s->run.fields = good ? d->fields : 0;
    return good ? ASSAY_OK : assay_fail_memory(e, "the results");
}

int result_state(struct result *x, const struct lane *l, const assay_session *session, struct assay_error *e)
{
    struct report_run *run = &x->has.run;
    struct description *d = calloc(1, sizeof *d);
    if (!d)
        return assay_fail_memory(e, "the results");
    describe_run(d, l->q, &l->pair, session);
    const int rc = keep_fields(&x->has, d, e);
    free(d);
    run->version = assay_version();
    run->width = l->pair.width;
    run->height = l->pair.height;
    run->partner = l->q->pair_by == PAIR_TIME ? stored_partner : NULL;
    run->partner_opaque = &x->has;
    return rc;
}

int result_end(struct result *x, const struct lane *l, assay_session *session, bool broken, struct assay_error *e)
{
    int rc = result_state(x, l, session, e);
    if (!rc && !broken)
        rc = stored_aggregates(&x->has, session, l->pair.encode, e);
    x->has.run.incomplete = broken || rc;
    return rc;
}

/* The keys of a pair, and what is known of them. */
static int keep_keys(struct result *x, const struct images *r, const struct image_pair *p, struct assay_error *e)
{
    const char **key = stored_alloc(&x->has, p->figures, sizeof *key);
    signed char *direction = stored_alloc(&x->has, p->figures, sizeof *direction);
    double *value = stored_alloc(&x->has, p->figures, sizeof *value);
    x->feature = stored_alloc(&x->has, p->figures, sizeof *x->feature);
    bool good = key && direction && value && x->feature;
    for (uint32_t i = 0; good && i < p->figures; i++) {
        good = (key[i] = stored_copy(&x->has, p->key[i]));
        value[i] = p->value[i];
        for (uint32_t k = 0; k < r->keys; k++)
            direction[i] = p->key[i] == r->key[k] ? r->direction[k] : direction[i];
    }
    TRY(good ? scores_init(&x->has.scores, p->figures, key, e) : assay_fail_memory(e, "the figures"));
    x->has.scores.direction = direction;
    x->has.run.hidden = x->feature;
    x->keys = p->figures;
    return scores_lend(&x->has.scores, 0, SCORES_NO_TIME, value, e);
}

int result_pictures(struct result *x, const struct images *r, struct assay_error *e)
{
    const struct image_pair *p = r->pair;
    struct description *d = calloc(1, sizeof *d);
    if (!d)
        return assay_fail_memory(e, "the results");
    describe_pictures(d, r, p);
    int rc = keep_fields(&x->has, d, e);
    free(d);
    rc = rc ? rc : keep_keys(x, r, p, e);
    x->has.run.version = assay_version();
    x->has.run.width = p->format.width;
    x->has.run.height = p->format.height;
    return rc;
}

void result_free(struct result *x)
{
    stored_free(&x->has);
    free(x->partner);
    x->partner = NULL;
}
