/* SPDX-License-Identifier: BSD-2-Clause */
/* libvmaf's JSON log, with one more block, "assay", at its end. */
#include "results/digest.h"
#include "report/reporter.h"

static void number(struct reporter *r, const char *indent, const char *name, double v, const char *end)
{
    sink_format(&r->sink, "%s\"%s\": ", indent, name);
    sink_json_number(&r->sink, v, r->precision);
    sink_text(&r->sink, end);
}

static void head(struct reporter *r, const struct report_run *run)
{
    struct sink *s = &r->sink;
    char text[REPORTER_VERSION];
    sink_json_member(s, "{\n  ", "version", reporter_version(run, text));
    if (run->bare || reporter_has_rate(run->fps)) {
        sink_text(s, ",\n  \"fps\": ");
        sink_json_number(s, run->fps, RATE_DECIMALS);
    }
    sink_text(s, ",\n  \"frames\": [");
}

static void frame(struct reporter *r, uint64_t frame, int64_t time, const double *values)
{
    sink_text(&r->sink, r->frames > 0 ? ",\n" : "\n");
    sink_format(&r->sink, "    {\n      \"frameNum\": %llu,\n      \"metrics\": {\n", (unsigned long long)frame);
    const char *end = "";
    for (uint32_t k = 0; k < r->keys; k++)
        if (scores_has(reporter_value(r, values, k))) {
            sink_text(&r->sink, end);
            number(r, "        ", r->key[k], reporter_value(r, values, k), "");
            end = ",\n";
        }
    sink_text(&r->sink, *end ? "\n      }" : "      }");
    if (r->partner)
        sink_format(&r->sink, ",\n      \"distorted_frame\": %llu",
                    (unsigned long long)r->partner(r->partner_opaque, frame));
    if (time != SCORES_NO_TIME) {
        sink_text(&r->sink, ",\n      \"time\": ");
        sink_seconds(&r->sink, time);
    }
    sink_text(&r->sink, "\n    }");
}

static void pooled_metrics(struct reporter *r, const struct scores *scores, const struct report_run *run)
{
    sink_text(&r->sink, "  \"pooled_metrics\": {\n");
    for (uint32_t k = 0; k < r->keys; k++) {
        sink_format(&r->sink, "    \"%s\": {\n", r->key[k]);
        const char *end = "";
        for (unsigned i = 0; i < REPORT_COMMON_POOLS; i++) {
            const double v = reporter_pooled(run, scores, k, i);
            if (!scores_has(v))
                continue;
            sink_text(&r->sink, end);
            number(r, "      ", report_common_pools[i].name, v, "");
            end = ",\n";
        }
        sink_text(&r->sink, *end ? "\n    }" : "    }");
        sink_text(&r->sink, k + 1 < r->keys ? ",\n" : "\n");
    }
    sink_text(&r->sink, "  },\n");
}

static void aggregate_metrics(struct reporter *r, const struct report_run *run)
{
    sink_text(&r->sink, "  \"aggregate_metrics\": {\n");
    for (uint32_t i = 0; i < run->aggregates; i++)
        number(r, "    ", run->aggregate[i].key, run->aggregate[i].value, i + 1 < run->aggregates ? ",\n" : "\n");
    sink_text(&r->sink, run->bare ? "  }\n" : "  },\n");
}

static void extreme_frame(struct reporter *r, const struct scores *scores, uint32_t k, enum pool pool, const char *name)
{
    uint64_t frame;
    scores_pool(scores, k, pool, 0, &frame);
    if (scores->rows > 0)
        sink_format(&r->sink, "        \"%s\": %llu,\n", name, (unsigned long long)frame);
    else
        sink_format(&r->sink, "        \"%s\": null,\n", name);
}

/* Writes the frame with the worst value of a key, unless the key is neutral. */
static void worst_frame(struct reporter *r, const struct scores *scores, uint32_t k)
{
    uint64_t row;
    if (!scores_worst(scores, k, &row))
        return;
    sink_format(&r->sink, "        \"worst_frame\": %llu,\n", (unsigned long long)scores->frame[row]);
    if (scores->time[row] == SCORES_NO_TIME)
        return;
    sink_text(&r->sink, "        \"worst_time\": ");
    sink_seconds(&r->sink, scores->time[row]);
    sink_text(&r->sink, ",\n");
}

static void percentiles(struct reporter *r, const struct scores *scores)
{
    sink_text(&r->sink, "    \"percentiles\": {\n");
    for (uint32_t k = 0; k < r->keys; k++) {
        sink_format(&r->sink, "      \"%s\": {\n", r->key[k]);
        extreme_frame(r, scores, k, POOL_MIN, "min_frame");
        extreme_frame(r, scores, k, POOL_MAX, "max_frame");
        worst_frame(r, scores, k);
        for (int i = 0; i < REPORT_EXTRA_POOLS; i++) {
            const struct report_pool *p = report_extra_pools + i;
            number(r, "        ", p->name, scores_pool(scores, k, p->pool, p->percent, NULL),
                   i + 1 < REPORT_EXTRA_POOLS ? ",\n" : "\n");
        }
        sink_text(&r->sink, k + 1 < r->keys ? "      },\n" : "      }\n");
    }
    sink_text(&r->sink, "    }\n");
}

static void digest(struct reporter *r, const char *key, uint64_t digest, const char *end)
{
    sink_format(&r->sink, "      \"%s\": \"%016llx\"%s", key, (unsigned long long)digest, end);
}

/* Writes a digest of the bits of each key's values. `assay diff` compares reports of any precision by these. */
static void bits(struct reporter *r, const struct scores *scores, const struct report_run *run)
{
    const uint32_t all = r->keys + run->aggregates;
    sink_text(&r->sink, "    \"bits\": {\n");
    for (uint32_t k = 0; k < all; k++) {
        uint64_t sum = DIGEST_START;
        for (uint64_t row = 0; k < r->keys && row < scores->rows; row++)
            sum = digest_value(sum, scores->frame[row], scores_value(scores, row, k));
        if (k >= r->keys)
            sum = digest_value(sum, 0, run->aggregate[k - r->keys].value);
        digest(r, k < r->keys ? r->key[k] : run->aggregate[k - r->keys].key, sum, k + 1 < all ? ",\n" : "\n");
    }
    sink_text(&r->sink, "    },\n");
}

/* Writes a line for each gate: the figure with the report's decimals, and the limit so that it reads back exactly. */
static void gates(struct reporter *r, const struct scores *scores, const struct report_run *run)
{
    sink_text(&r->sink, "    \"gates\": [\n");
    for (uint32_t i = 0; i < run->gates; i++) {
        const struct gate *g = &run->gate[i];
        double value;
        const enum gate_verdict verdict = gate_verdict(g, scores, run, &value);
        sink_json_member(&r->sink, "      {", "figure", g->key);
        sink_json_member(&r->sink, ", ", "pool", gate_pool(g, scores));
        sink_text(&r->sink, ", \"value\": ");
        sink_json_number(&r->sink, value, r->precision);
        sink_format(&r->sink, ", \"%s\": ", g->over ? "at_most" : "at_least");
        sink_json_number(&r->sink, g->limit, REPORT_SHORTEST);
        sink_format(&r->sink, ", \"passed\": %s", verdict == GATE_PASSED ? "true" : "false");
        if (gate_why_not(verdict))
            sink_json_member(&r->sink, ", ", "reason", gate_why_not(verdict));
        sink_text(&r->sink, i + 1 < run->gates ? "},\n" : "}\n");
    }
    sink_text(&r->sink, "    ],\n");
}

static void assay_block(struct reporter *r, const struct scores *scores, const struct report_run *run)
{
    struct sink *s = &r->sink;
    sink_json_member(s, "  \"assay\": {\n    ", "version", run->version);
    sink_format(s, ",\n    \"width\": %u,\n    \"height\": %u,\n    \"frames\": %llu,\n", run->width, run->height,
                (unsigned long long)r->frames);
    for (uint32_t i = 0; i < run->fields; i++) {
        const struct report_field *f = run->field + i;
        sink_text(s, "    ");
        sink_json_string(s, f->name);
        sink_text(s, ": ");
        if (f->number)
            sink_text(s, f->value);
        else
            sink_json_string(s, f->value);
        sink_text(s, ",\n");
    }
    sink_format(s, "    \"incomplete\": %s", run->incomplete ? "true" : "false");
    sink_json_member(s, ",\n    ", "reason", run->reason);
    sink_text(s, ",\n");
    bits(r, scores, run);
    if (run->gates)
        gates(r, scores, run);
    percentiles(r, scores);
    sink_text(s, "  }\n");
}

void report_json_results(struct reporter *r, const struct scores *scores, const struct report_run *run)
{
    sink_text(&r->sink, "\n  ],\n");
    pooled_metrics(r, scores, run);
    aggregate_metrics(r, run);
    if (!run->bare)
        assay_block(r, scores, run);
}

static void tail(struct reporter *r, const struct scores *scores, const struct report_run *run)
{
    report_json_results(r, scores, run);
    sink_text(&r->sink, "}\n");
}

const struct report_form report_form_json = {head, frame, tail, true};
