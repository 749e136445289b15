/* SPDX-License-Identifier: BSD-2-Clause */
/* assay merge PART ...: the reports of a whole run from the exact results of its parts. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "engine/session.h"
#include "report/shard.h"

static const char *field(const struct shard *s, const char *name)
{
    for (uint32_t i = 0; i < s->run.fields; i++)
        if (!strcmp(s->run.field[i].name, name))
            return s->run.field[i].value;
    return NULL;
}

/* The metrics of the run, as its configuration names them; their combines turn totals into aggregates. */
static int plan(assay_session *s, const struct shard *whole, struct assay_error *e)
{
    const char *configuration = field(whole, "configuration"), *layout = field(whole, "scored_layout");
    const char *depth = field(whole, "scored_bit_depth"), *luma = field(whole, "rgb_to_luma");
    if (!configuration || !layout || !depth)
        return assay_fail(e, ASSAY_EINPUT, "%s does not say what was scored", whole->path);
    const assay_format format = {.width = whole->run.width, .height = whole->run.height,
                                 .layout = (assay_layout)strtol(layout, NULL, 10),
                                 .bit_depth = (uint32_t)strtoul(depth, NULL, 10)};
    char matrix[16] = "", *text = strdup(configuration);
    if (!text)
        return assay_fail_memory(e, "the configuration");
    if (luma) {
        snprintf(matrix, sizeof matrix, "%.*s", (int)strcspn(luma, " "), luma);
        s->config.rgb_matrix = matrix;
        s->config.rgb_range = strstr(luma, "limited") ? ASSAY_RANGE_LIMITED : ASSAY_RANGE_FULL;
    }
    int rc = ASSAY_OK;
    for (char *rest = text, *name; !rc && (name = strsep(&rest, ","));)
        rc = assay_session_add_metric(s, name);
    if (!rc)
        rc = session_plan(s, &format);
    s->config.rgb_matrix = NULL;
    free(text);
    if (rc == ASSAY_EINTERNAL) /* out of memory; all else is what the parts say */
        return assay_fail(e, rc, "%s", assay_session_error(s));
    return rc ? assay_fail(e, ASSAY_EINPUT, "%s: %s", whole->path, assay_session_error(s)) : ASSAY_OK;
}

/* Aggregates by the metrics' own combines, from the merged totals. */
static int aggregate(const assay_session *s, struct shard *whole, struct report_aggregate *list, struct assay_error *e)
{
    double values[SESSION_METRICS * METRIC_AGGREGATES];
    for (uint32_t i = 0; i < s->n_accumulators; i++) {
        char name[SESSION_NAME];
        session_accumulator_name(s, i, name);
        if (i >= whole->totals || strcmp(whole->exact[i].name, name))
            return assay_fail(e, ASSAY_EINPUT, "%s has no total '%s'", whole->path, name);
        s->accumulator[i] = whole->exact[i].value;
    }
    session_aggregates(s, whole->scores.rows, s->accumulator, values);
    for (uint32_t i = 0; i < s->n_aggregates; i++)
        list[i] = (struct report_aggregate){s->aggregate_key[i], values[i]};
    whole->run.aggregates = s->n_aggregates;
    whole->run.aggregate = list;
    return ASSAY_OK;
}

static int report(const struct cli *c, const struct shard *whole, struct assay_error *e)
{
    struct cli_results r;
    const struct scores *s = &whole->scores;
    const char *aggregate_key[SESSION_METRICS * METRIC_AGGREGATES];
    for (uint32_t i = 0; i < whole->run.aggregates; i++)
        aggregate_key[i] = whole->run.aggregate[i].key;
    int rc = gates_validate(c->gate, c->gates, s->keys, s->key, whole->run.aggregates, aggregate_key, e);
    if (!rc)
        rc = results_open(&r, c, &whole->run, s->keys, s->key, e);
    if (rc)
        return rc;
    for (uint64_t row = 0; row < s->rows; row++)
        for (uint32_t i = 0; !rc && i < c->outputs; i++)
            rc = reporter_frame(r.reporter[i], s->frame[row], s->value + row * s->keys, e);
    struct report_run run = whole->run;
    struct assay_error late = {0};
    run.incomplete = run.incomplete || rc; /* of those reports that can still be written */
    run.reason = rc ? e->text : run.reason;
    const int finished = results_finish(&r, c, s, &run, rc ? &late : e);
    return rc ? rc : finished;
}

int cli_merge(const struct cli *c, struct assay_error *e)
{
    struct shard *part = calloc(c->parts, sizeof *part), whole;
    struct report_aggregate list[SESSION_METRICS * METRIC_AGGREGATES];
    assay_session *s = NULL;
    char text[256];
    if (!part)
        return assay_fail_memory(e, "the parts");
    memset(&whole, 0, sizeof whole);
    int rc = ASSAY_OK;
    for (uint32_t i = 0; !rc && i < c->parts; i++)
        rc = shard_read(&part[i], c->part[i], e);
    if (!rc)
        rc = shards_merge(part, c->parts, &whole, e);
    if (!rc && (rc = assay_session_new(&s, NULL, text, sizeof text)))
        assay_fail(e, rc, "%s", text);
    if (!rc)
        rc = plan(s, &whole, e);
    if (!rc)
        rc = aggregate(s, &whole, list, e);
    if (!rc)
        rc = report(c, &whole, e);
    assay_session_close(&s);
    shard_free(&whole);
    for (uint32_t i = 0; i < c->parts; i++)
        shard_free(&part[i]);
    free(part);
    return rc;
}
