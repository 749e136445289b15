/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run writes of an encode. */
#include "run/results.h"

#include <stdlib.h>
#include <string.h>

#include "report/images.h"

int result_begin(struct result *x, const struct lane *l, const assay_session *session, const uint32_t *column,
                 uint32_t columns, struct assay_error *e)
{
    const uint32_t each = assay_session_keys(session) / assay_session_encodes(session), keys = column ? columns : each,
                   first = l->pair.encode * each;
    const char **key = stored_alloc(&x->has, keys, sizeof *key);
    if (!key)
        return assay_fail_memory(e, "the scores");
    for (uint32_t i = 0; i < keys; i++)
        key[i] = assay_session_key(session, first + (column ? column[i] : i));
    TRY(scores_init(&x->has.scores, keys, key, e));
    x->has.scores.column = column;
    x->has.scores.paired = l->q->pair_by == PAIR_TIME;
    const int rc = stored_describe(&x->has, session, first, each, false, e);
    if (rc) /* else keys without directions would be asked for */
        x->has.scores.keys = 0;
    return rc;
}

int result_state(struct result *x, const struct lane *l, const assay_session *session, struct assay_error *e)
{
    struct report_run *run = &x->has.run;
    run->version = assay_version();
    run->width = l->pair.width;
    run->height = l->pair.height;
    return describe_run(&x->has, l->q, &l->pair, session, e);
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
    bool *hidden = stored_alloc(&x->has, p->figures, sizeof *hidden);
    bool good = key && direction && value && hidden;
    for (uint32_t i = 0; good && i < p->figures; i++) {
        good = (key[i] = stored_copy(&x->has, p->key[i]));
        value[i] = p->value[i];
        for (uint32_t k = 0; k < r->keys; k++)
            direction[i] = p->key[i] == r->key[k] ? r->direction[k] : direction[i];
    }
    TRY(good ? scores_init(&x->has.scores, p->figures, key, e) : assay_fail_memory(e, "the figures"));
    x->has.scores.direction = direction;
    x->has.run.hidden = hidden;
    return scores_lend(&x->has.scores, 0, SCORES_NO_TIME, value, e);
}

int result_pictures(struct result *x, const struct images *r, struct assay_error *e)
{
    const struct image_pair *p = r->pair;
    int rc = describe_pictures(&x->has, r, p, e);
    rc = rc ? rc : keep_keys(x, r, p, e);
    x->has.run.version = assay_version();
    x->has.run.width = p->format.width;
    x->has.run.height = p->format.height;
    return rc;
}
