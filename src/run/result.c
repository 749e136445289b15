/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run writes of an encode. */
#include "run/results.h"

#include "report/images.h"

static int describe(struct stored *x, const struct lane *l, const assay_session *session, struct assay_error *e)
{
    x->run.version = assay_version();
    x->run.width = l->pair.width;
    x->run.height = l->pair.height;
    return describe_run(x, l->q, &l->pair, session, e);
}

int result_begin(struct stored *x, const struct lane *l, const assay_session *session, const uint32_t *column,
                 uint32_t columns, struct assay_error *e)
{
    const uint32_t each = assay_session_keys(session) / assay_session_encodes(session), keys = column ? columns : each,
                   first = l->pair.encode * each;
    const char **key = stored_alloc(x, keys, sizeof *key);
    TRY(stored_lost(x, "the scores", e));
    for (uint32_t i = 0; i < keys; i++)
        key[i] = assay_session_key(session, first + (column ? column[i] : i));
    TRY(scores_init(&x->scores, keys, key, e));
    x->scores.column = column;
    x->scores.paired = l->q->pair_by == PAIR_TIME;
    x->run.incomplete = true; /* until result_end */
    int rc = stored_describe(x, session, first, each, false, e);
    rc = rc ? rc : describe(x, l, session, e);
    if (rc) /* else keys without directions would be asked for */
        scores_free(&x->scores);
    return rc;
}

void result_end(struct stored *x, struct lane *l, assay_session *session)
{
    struct assay_error late = {0};
    int rc = describe(x, l, session, &late);
    rc = rc || l->rc ? rc : stored_aggregates(x, session, l->pair.encode, &late);
    if (rc && !l->rc)
        lane_fail(l, rc, &late);
    x->run.incomplete = l->rc != 0;
    x->run.reason = x->run.incomplete ? l->error.text : NULL;
}

void result_over(struct stored *x, const struct lane *l)
{
    x->width = l->width;
    x->height = l->height;
    x->exit_code = l->rc < 0 ? -l->rc : l->rc;
    x->failed = l->rc < 0 ? stored_copy(x, l->error.text) : NULL;
    x->run.incomplete = x->run.incomplete || !x->run.version;
    x->run.version = assay_version();
    x->run.reason = x->run.incomplete ? x->failed : NULL;
}

/* The keys of a pair, and what is known of them. */
static int keep_keys(struct stored *x, const struct images *r, const struct image_pair *p, struct assay_error *e)
{
    const char **key = stored_alloc(x, p->figures, sizeof *key);
    signed char *direction = stored_alloc(x, p->figures, sizeof *direction);
    double *value = stored_alloc(x, p->figures, sizeof *value);
    bool *hidden = stored_alloc(x, p->figures, sizeof *hidden);
    TRY(stored_lost(x, "the figures", e));
    for (uint32_t i = 0; i < p->figures; i++) {
        key[i] = stored_copy(x, p->key[i]);
        value[i] = p->value[i];
        for (uint32_t k = 0; k < r->keys; k++)
            direction[i] = p->key[i] == r->key[k] ? r->direction[k] : direction[i];
    }
    TRY(stored_lost(x, "the figures", e));
    TRY(scores_init(&x->scores, p->figures, key, e));
    x->scores.direction = direction;
    x->run.hidden = hidden;
    return scores_lend(&x->scores, 0, SCORES_NO_TIME, value, e);
}

int result_pictures(struct stored *x, const struct images *r, struct assay_error *e)
{
    const struct image_pair *p = r->pair;
    TRY(describe_pictures(x, r, p, e));
    TRY(keep_keys(x, r, p, e));
    x->run.version = assay_version();
    x->run.width = p->format.width;
    x->run.height = p->format.height;
    return ASSAY_OK;
}
