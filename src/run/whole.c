/* SPDX-License-Identifier: BSD-2-Clause */
/* A session with the metrics of results that are stored. It knows what reports do not say: the directions of scores,
 * which scores a metric has for a model alone, and figures of the whole run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/shard.h"
#include "run/pair.h"

int stored_plan(assay_session **s, const struct stored *whole, struct assay_error *e)
{
    const char *configuration = report_run_field(&whole->run, "configuration"),
               *layout = report_run_field(&whole->run, "scored_layout"),
               *depth = report_run_field(&whole->run, "scored_bit_depth"),
               *luma = report_run_field(&whole->run, "rgb_to_luma");
    if (!configuration || !layout || !depth)
        return assay_fail(e, ASSAY_EINPUT, "%s does not say what was scored", whole->path);
    const assay_format format = {.width = whole->run.width, .height = whole->run.height,
                                 .layout = (assay_layout)strtol(layout, NULL, 10),
                                 .bit_depth = (uint32_t)strtoul(depth, NULL, 10)};
    char matrix[16] = "", *text;
    assay_config config = {0};
    if (luma) {
        snprintf(matrix, sizeof matrix, "%.*s", (int)strcspn(luma, " "), luma);
        config.rgb_matrix = matrix;
        config.rgb_range = strstr(luma, "limited") ? ASSAY_RANGE_LIMITED : ASSAY_RANGE_FULL;
    }
    TRY(session_make(s, &config, e));
    if (!(text = strdup(configuration)))
        return assay_fail_memory(e, "the configuration");
    int rc = ASSAY_OK;
    for (char *rest = text, *name; !rc && (name = strsep(&rest, ","));)
        rc = assay_session_add_metric(*s, name);
    if (!rc)
        rc = assay_session_plan(*s, &format);
    free(text);
    if (!rc || rc == ASSAY_EINTERNAL) /* out of memory; any other failure is due to the file */
        return session_failed(*s, rc, e);
    return assay_fail(e, ASSAY_EINPUT, "%s: %s", whole->path, assay_session_error(*s));
}

/* Scores stand mostly in the session's order. */
static bool find(const assay_session *session, const char *name, uint32_t first, uint32_t n, uint32_t guess,
                 uint32_t *column)
{
    for (uint32_t i = 0; i < n; i++) {
        *column = first + (guess + i) % n;
        if (!strcmp(assay_session_key(session, *column), name))
            return true;
    }
    return false;
}

int stored_describe(struct stored *x, const assay_session *session, uint32_t first, uint32_t n, bool strict,
                    struct assay_error *e)
{
    struct scores *s = &x->scores;
    signed char *direction = stored_alloc(x, s->keys + 1, sizeof *direction);
    uint32_t *metric = stored_alloc(x, s->keys + 1, sizeof *metric), at;
    bool *hidden = stored_alloc(x, s->keys + 1, sizeof *hidden);
    TRY(stored_lost(x, "the scores", e));
    for (uint32_t i = 0; i < s->keys; i++) {
        assay_output output;
        const bool found = find(session, s->key[i], first, n, i, &at);
        if (!found && strict)
            return assay_fail(e, ASSAY_EINPUT, "%s has a score '%s' that its metrics do not have", x->path, s->key[i]);
        const bool known = !found && run_metric_of(s->key[i], &output);
        direction[i] = (signed char)(found ? assay_session_key_direction(session, at)
                                     : known ? output.direction : ASSAY_NEUTRAL);
        metric[i] = found ? assay_session_key_metric(session, at) : ASSAY_NONE;
        hidden[i] = found && assay_session_key_feature(session, at);
    }
    s->direction = direction;
    x->run.metric = metric;
    x->run.hidden = hidden;
    return ASSAY_OK;
}

/* The scores are all that the session has, in its order, and get its directions. */
static int directions(const assay_session *session, struct stored *whole, struct assay_error *e)
{
    const struct scores *s = &whole->scores;
    const uint32_t keys = assay_session_keys(session);
    TRY(stored_describe(whole, session, 0, keys, true, e));
    for (uint32_t i = 0; i < s->keys; i++)
        if (i >= keys || strcmp(s->key[i], assay_session_key(session, i)))
            return assay_fail(e, ASSAY_EINPUT, "%s has a score '%s' that its metrics do not have", whole->path,
                              s->key[i]);
    return s->keys == keys ? ASSAY_OK : assay_fail(e, ASSAY_EINPUT, "%s has %u scores and its metrics have %u",
                                                   whole->path, s->keys, keys);
}

/* Gives the merged totals and scores to the session, which has the keys of the scores. */
static int add_results(assay_session *s, struct stored *whole, struct assay_error *e)
{
    const uint32_t n = assay_session_totals(s);
    assay_total *total = stored_alloc(whole, n, sizeof *total);
    TRY(stored_lost(whole, "the totals", e));
    for (uint32_t i = 0; i < n; i++) {
        const char *name = assay_session_total_name(s, i);
        if (i >= whole->part.totals || strcmp(whole->part.exact[i].name, name))
            return assay_fail(e, ASSAY_EINPUT, "%s has no total '%s'", whole->path, name);
        total[i] = total_halves(whole->part.exact[i].value);
    }
    TRY(session_failed(s, assay_session_add_totals(s, whole->scores.rows, total), e));
    for (uint64_t row = 0; row < whole->scores.rows; row++)
        TRY(session_failed(s, assay_session_add_scores(s, whole->scores.frame[row], scores_row(&whole->scores, row)),
                           e));
    return ASSAY_OK;
}

int stored_aggregates(struct stored *x, assay_session *s, uint32_t encode, struct assay_error *e)
{
    const uint32_t n = assay_session_aggregates(s) / assay_session_encodes(s);
    struct report_aggregate *aggregate = stored_alloc(x, n, sizeof *aggregate);
    for (uint32_t i = 0; aggregate && i < n; i++) {
        aggregate[i].key = stored_copy(x, assay_session_aggregate_key(s, encode * n + i));
        TRY(session_failed(s, assay_session_aggregate(s, encode * n + i, &aggregate[i].value), e));
    }
    TRY(stored_lost(x, "the figures of the whole run", e));
    x->run.aggregate = aggregate;
    x->run.aggregates = n;
    return ASSAY_OK;
}

int stored_whole(assay_session **s, struct stored *whole, struct assay_error *e)
{
    TRY(stored_plan(s, whole, e));
    TRY(directions(*s, whole, e));
    TRY(add_results(*s, whole, e));
    return stored_aggregates(whole, *s, 0, e);
}
