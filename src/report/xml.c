/* SPDX-License-Identifier: BSD-2-Clause */
/* libvmaf's XML log, with one more element, <assay>, at its end. */
#include "report/reporter.h"

static void number(struct reporter *r, const char *name, double v)
{
    sink_format(&r->sink, "%s=", name);
    sink_number_within(&r->sink, "\"", v, r->precision, "\" ");
}

static void string(struct reporter *r, const char *name, const char *value)
{
    sink_format(&r->sink, "%s=", name);
    sink_xml_within(&r->sink, "\"", value, "\" ");
}

static void head(struct reporter *r, const struct report_run *run)
{
    struct sink *s = &r->sink;
    char text[REPORTER_VERSION];
    sink_xml_within(s, "<VMAF version=\"", reporter_version(run, text), "\"");
    sink_format(s, ">\n  <params qualityWidth=\"%u\" qualityHeight=\"%u\" />\n  <fyi ", run->width, run->height);
    if (run->bare || reporter_has_rate(run->fps))
        sink_number_within(s, "fps=\"", run->fps, RATE_DECIMALS, "\" ");
    sink_text(s, "/>\n  <frames>\n");
}

static void seconds(struct reporter *r, const char *name, int64_t time)
{
    if (time == SCORES_NO_TIME)
        return;
    sink_format(&r->sink, "%s=\"", name);
    sink_seconds(&r->sink, time);
    sink_text(&r->sink, "\" ");
}

static void frame(struct reporter *r, const struct scores *s, uint64_t row)
{
    sink_format(&r->sink, "    <frame frameNum=\"%llu\" ", (unsigned long long)s->frame[row]);
    for (uint32_t k = 0; k < r->keys; k++)
        if (scores_has(reporter_value(r, s, row, k)))
            number(r, r->key[k], reporter_value(r, s, row, k));
    seconds(r, "time", reporter_time(r, s, row));
    sink_text(&r->sink, "/>\n");
}

static void assay_element(struct reporter *r, const struct stored *x)
{
    const struct scores *scores = &x->scores;
    const struct report_run *run = &x->run;
    struct sink *s = &r->sink;
    sink_text(s, "  <assay ");
    string(r, "version", run->version);
    sink_format(s, "frames=\"%llu\" incomplete=\"%s\" ", (unsigned long long)r->frames,
                run->incomplete ? "true" : "false");
    if (run->reason)
        string(r, "reason", run->reason);
    sink_text(s, ">\n");
    /* A field's name need not be a valid XML name, so it is written as a value. */
    for (uint32_t i = 0; i < run->fields; i++) {
        sink_text(s, "    <field ");
        string(r, "name", run->field[i].name);
        string(r, "value", run->field[i].value);
        sink_text(s, "/>\n");
    }
    for (uint32_t i = 0; i < run->gates; i++) {
        const struct gate *g = &run->gate[i];
        const struct gate_result v = gate_judge(g, x);
        sink_text(s, "    <gate ");
        string(r, "figure", g->key);
        if (v.pool)
            string(r, "pool", v.pool);
        sink_number_within(s, "value=\"", v.value, REPORT_SHORTEST, g->over ? "\" at_most=\"" : "\" at_least=\"");
        sink_number(s, g->limit, REPORT_SHORTEST);
        sink_format(s, "\" passed=\"%s\" ", v.verdict == GATE_PASSED ? "true" : "false");
        if (v.why)
            string(r, "reason", v.why);
        sink_text(s, "/>\n");
    }
    for (uint32_t k = 0; k < r->keys; k++) {
        uint64_t lowest, highest, worst;
        scores_pool(scores, k, POOL_MIN, 0, &lowest);
        scores_pool(scores, k, POOL_MAX, 0, &highest);
        sink_format(s, "    <percentiles name=\"%s\" ", r->key[k]);
        if (scores->rows > 0)
            sink_format(s, "min_frame=\"%llu\" max_frame=\"%llu\" ", (unsigned long long)lowest,
                        (unsigned long long)highest);
        if (scores_worst(scores, k, &worst)) {
            sink_format(s, "worst_frame=\"%llu\" ", (unsigned long long)scores->frame[worst]);
            seconds(r, "worst_time", scores->time[worst]);
        }
        for (int i = 0; i < REPORT_EXTRA_POOLS; i++)
            number(r, report_extra_pools[i], scores_figure(scores, k, report_extra_pools[i]));
        sink_text(s, "/>\n");
    }
    sink_text(s, "  </assay>\n");
}

static void tail(struct reporter *r, const struct stored *x)
{
    const struct report_run *run = &x->run;
    struct sink *s = &r->sink;
    sink_text(s, "  </frames>\n  <pooled_metrics>\n");
    for (uint32_t k = 0; k < r->keys; k++) {
        sink_format(s, "    <metric name=\"%s\" ", r->key[k]);
        for (unsigned i = 0; i < REPORT_COMMON_POOLS; i++) {
            const double v = stored_pooled(x, k, i);
            if (scores_has(v))
                number(r, report_common_pools[i], v);
        }
        sink_text(s, "/>\n");
    }
    sink_text(s, "  </pooled_metrics>\n  <aggregate_metrics ");
    for (uint32_t i = 0; i < run->aggregates; i++)
        number(r, run->aggregate[i].key, run->aggregate[i].value);
    sink_text(s, "/>\n");
    if (!run->bare)
        assay_element(r, x);
    sink_text(s, "</VMAF>\n");
}

const struct report_form report_form_xml = {head, frame, tail, true};
