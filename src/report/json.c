/* SPDX-License-Identifier: BSD-2-Clause */
/* libvmaf's JSON log, with one more block, "assay", at its end. */
#include <math.h>

#include "results/shard.h"
#include "report/reporter.h"

static void number(struct reporter *r, const char *name, double v)
{
    char text[NUMBER_TEXT_SIZE];
    if (r->precision != REPORT_HEX) {
        json_number(&r->json, name, v, r->precision);
        return;
    }
    format_hex(text, v);
    json_text(&r->json, name, text);
}

void report_json_head(struct reporter *r, const struct report_run *run)
{
    struct json *j = &r->json;
    char text[REPORTER_VERSION];
    *j = (struct json){.sink = &r->sink};
    json_object(j, NULL, JSON_LINES);
    json_text(j, "version", reporter_version(run, text));
    if (run->bare || reporter_has_rate(run->fps))
        json_number(j, "fps", run->fps, RATE_DECIMALS);
}

static void head(struct reporter *r, const struct report_run *run)
{
    report_json_head(r, run);
    report_json_frames(r);
}

void report_json_frames(struct reporter *r)
{
    json_list(&r->json, "frames", JSON_LINES | JSON_BLOCK);
}

static void frame(struct reporter *r, const struct scores *s, uint64_t row)
{
    struct json *j = &r->json;
    const int64_t time = reporter_time(r, s, row);
    json_object(j, NULL, JSON_LINES);
    json_count(j, "frameNum", s->frame[row]);
    json_object(j, "metrics", JSON_LINES | JSON_BLOCK);
    for (uint32_t k = 0; k < r->keys; k++)
        if (scores_has(reporter_value(r, s, row, k)))
            number(r, r->key[k], reporter_value(r, s, row, k));
    json_end(j);
    if (r->paired)
        json_count(j, "distorted_frame", s->partner[row]);
    if (time != SCORES_NO_TIME && r->precision == REPORT_HEX) {
        char text[NUMBER_TEXT_SIZE];
        format_seconds(text, time);
        json_text(j, "time", text);
    } else if (time != SCORES_NO_TIME) {
        json_seconds(j, "time", time);
    }
    json_end(j);
}

static void pooled_metrics(struct reporter *r, const struct stored *x)
{
    json_object(&r->json, "pooled_metrics", JSON_LINES | JSON_BLOCK);
    for (uint32_t k = 0; k < r->keys; k++) {
        json_object(&r->json, r->key[k], JSON_LINES | JSON_BLOCK);
        for (unsigned i = 0; i < REPORT_COMMON_POOLS; i++) {
            const double v = stored_pooled(x, k, i);
            if (scores_has(v))
                number(r, report_common_pools[i], v);
        }
        json_end(&r->json);
    }
    json_end(&r->json);
}

static void aggregate_metrics(struct reporter *r, const struct report_run *run)
{
    json_object(&r->json, "aggregate_metrics", JSON_LINES | JSON_BLOCK);
    for (uint32_t i = 0; i < run->aggregates; i++)
        number(r, run->aggregate[i].key, run->aggregate[i].value);
    json_end(&r->json);
}

static void extreme_frame(struct reporter *r, const struct scores *scores, uint32_t k, enum pool pool, const char *name)
{
    uint64_t frame = 0;
    scores_pool(scores, k, pool, 0, &frame);
    json_maybe(&r->json, name, scores->rows > 0, (int64_t)frame);
}

/* Writes the frame with the worst value of a key, unless the key is neutral. */
static void worst_frame(struct reporter *r, const struct scores *scores, uint32_t k)
{
    uint64_t row;
    if (!scores_worst(scores, k, &row))
        return;
    json_count(&r->json, "worst_frame", scores->frame[row]);
    if (scores->time[row] != SCORES_NO_TIME)
        json_seconds(&r->json, "worst_time", scores->time[row]);
}

static void percentiles(struct reporter *r, const struct scores *scores)
{
    json_object(&r->json, "percentiles", JSON_LINES | JSON_BLOCK);
    for (uint32_t k = 0; k < r->keys; k++) {
        json_object(&r->json, r->key[k], JSON_LINES);
        extreme_frame(r, scores, k, POOL_MIN, "min_frame");
        extreme_frame(r, scores, k, POOL_MAX, "max_frame");
        worst_frame(r, scores, k);
        for (int i = 0; i < REPORT_EXTRA_POOLS; i++)
            number(r, report_extra_pools[i], scores_figure(scores, k, report_extra_pools[i]));
        json_end(&r->json);
    }
    json_end(&r->json);
}

/* Writes a digest of the bits of each key's values. `assay diff` compares reports of any precision by these. */
static void bits(struct reporter *r, const struct stored *x)
{
    json_object(&r->json, "bits", JSON_LINES | JSON_BLOCK);
    for (uint32_t k = 0; k < stored_scores(x); k++) {
        char text[24];
        snprintf(text, sizeof text, "%016llx", (unsigned long long)stored_digest(x, k, (double)NAN));
        json_text(&r->json, stored_score(x, k), text);
    }
    json_end(&r->json);
}

/* Writes a line for each gate: the figure with the report's decimals, and the limit so that it reads back exactly. */
static void gates(struct json *j, const struct stored *x)
{
    json_list(j, "gates", JSON_LINES);
    for (const struct gate *g = x->run.gate; g < x->run.gate + x->run.gates; g++) {
        const struct gate_result v = gate_judge(g, x);
        json_object(j, NULL, JSON_ROW);
        json_text(j, "figure", g->key);
        json_text(j, "pool", v.pool);
        json_number(j, "value", v.value, REPORT_SHORTEST); /* rounded, it could be beyond a limit that it is not */
        json_number(j, g->over ? "at_most" : "at_least", g->limit, REPORT_SHORTEST);
        json_bool(j, "passed", v.verdict == GATE_PASSED);
        if (v.why)
            json_text(j, "reason", v.why);
        json_end(j);
    }
    json_end(j);
}

/* Where a part belongs in its run, and what `assay merge` needs of it besides. */
static void part(struct json *j, const struct report_run *run)
{
    const struct report_part *part = run->part;
    json_object(j, "part", JSON_LINES);
    json_text(j, "compared", run->compared);
    json_count(j, "first", part->first);
    json_count(j, "count", part->count);
    json_count(j, "every", part->every);
    json_count(j, "total", part->total);
    json_list(j, "incidental", JSON_ROW);
    for (uint32_t i = 0; i < run->fields; i++)
        if (run->field[i].incidental)
            json_text(j, NULL, run->field[i].name);
    json_end(j);
    json_object(j, "totals", JSON_LINES);
    for (uint32_t i = 0; i < part->totals; i++) {
        char text[TOTAL_TEXT_SIZE];
        total_format(text, part->exact[i].value);
        json_text(j, part->exact[i].name, text);
    }
    json_end(j);
    json_end(j);
}

static void assay_block(struct reporter *r, const struct stored *x)
{
    const struct report_run *run = &x->run;
    struct json *j = &r->json;
    json_object(j, "assay", JSON_LINES);
    json_text(j, "version", run->version);
    json_count(j, "width", run->width);
    json_count(j, "height", run->height);
    json_count(j, "frames", r->frames);
    for (uint32_t i = 0; i < run->fields; i++) {
        const struct report_field *f = run->field + i;
        (f->number ? json_value : json_text)(j, f->name, f->value);
    }
    json_bool(j, "incomplete", run->incomplete);
    json_text(j, "reason", run->reason);
    bits(r, x);
    if (run->gates)
        gates(j, x);
    percentiles(r, &x->scores);
    if (run->part)
        part(j, run);
    json_end(j);
}

void report_json_results(struct reporter *r, const struct stored *x)
{
    json_end(&r->json);
    pooled_metrics(r, x);
    aggregate_metrics(r, &x->run);
    if (!x->run.bare)
        assay_block(r, x);
    json_end(&r->json);
}

const struct report_form report_form_json = {head, frame, report_json_results, true};
