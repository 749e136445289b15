/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of the HTML report: the summary, the gates, and what was run. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "host/numbers.h"
#include "report/html_page.h"
#include "report/reporter.h"

static const struct {
    const char *name, *title, *what; /* the name is that of a pool */
} columns[] = {
    {"mean", "mean", "arithmetic mean of all frames"},
    {"harmonic_mean", "harmonic", "harmonic mean: lies under the mean when some frames are much lower"},
    {"geometric_mean", "geometric", "geometric mean: root of the product of all frames"},
    {"min", "min", "lowest frame"},
    {"perc1", "p1", "1 % of the frames are lower"},
    {"perc5", "p5", "5 % of the frames are lower"},
    {"median", "median", "half of the frames are lower"},
    {"max", "max", "highest frame"},
};
enum { COLUMNS = sizeof columns / sizeof columns[0], MEAN = 0 };

static void put_worst_frame(const struct page *p, const struct stored *encode, const char *key)
{
    const struct scores *s = &encode->scores;
    uint64_t row;
    if (!encode_worst(encode, key, &row)) {
        sink_text(p->s, "<td class=\"none\">–</td><td class=\"none\">–</td>");
        return;
    }
    char number[NUMBER_TEXT_SIZE];
    report_frame(number, &encode->run, s->frame[row]);
    sink_format(p->s, "<td data-figure=\"worst_frame\" data-value=\"%" PRIu64 "\">%s</td><td>", s->frame[row], number);
    if (s->time[row] == SCORES_NO_TIME)
        sink_text(p->s, "–");
    else
        html_time(p->s, s->time[row]);
    sink_text(p->s, "</td>");
}

static void put_score(const struct page *p, const struct stored *encode, const char *key)
{
    double value[COLUMNS], largest = 0;
    for (int c = 0; c < COLUMNS; c++) {
        encode_pooled(encode, key, columns[c].name, &value[c]);
        largest = isfinite(value[c]) && fabs(value[c]) > largest ? fabs(value[c]) : largest;
    }
    sink_format(p->s, "<tr data-key=\"%s\"><th scope=\"row\">%s%s</th>", key, key, axis_unit(key));
    for (int c = 0; c < COLUMNS; c++) {
        sink_format(p->s, "<td%s data-figure=\"%s\"", c == MEAN ? " class=\"main\"" : "", columns[c].name);
        html_value(p->s, value[c], html_decimals(p, largest), "</td>");
    }
    put_worst_frame(p, encode, key);
    sink_text(p->s, "</tr>\n");
}

/* The table of one encode: a row for each score. */
static void put_table(const struct page *p, uint32_t number)
{
    const struct stored *encode = &p->encode[number];
    const char *key;
    uint32_t column;
    sink_format(p->s, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Figures\">"
                "<table class=\"figures\" id=\"figures-%u\" aria-label=\"Scores of ", number);
    html_within(p->s, "", encode->name, "\">\n<thead><tr><th scope=\"col\">score</th>");
    for (int c = 0; c < COLUMNS; c++)
        sink_format(p->s, "<th scope=\"col\" title=\"%s\">%s</th>", columns[c].what, columns[c].title);
    sink_text(p->s, "<th scope=\"col\" title=\"frame with the worst value\">worst frame</th>"
              "<th scope=\"col\" title=\"when the worst frame is shown\">time</th></tr></thead>\n<tbody>\n");
    for (uint32_t k = 0; (key = html_next(p, &k));)
        if (encode_column(encode, key, &column))
            put_score(p, encode, key);
    sink_text(p->s, "</tbody>\n</table></div>\n");
}

/* Figures of the whole run that are no pool of frames. */
static void put_aggregates(const struct page *p, const struct stored *encode)
{
    if (!encode->run.aggregates)
        return;
    sink_text(p->s, "<p class=\"aggregates\">Of the whole run:");
    for (uint32_t i = 0; i < encode->run.aggregates; i++) {
        const struct report_aggregate *a = &encode->run.aggregate[i];
        sink_format(p->s, " <span>%s <b data-aggregate=\"%s\"", a->key, a->key);
        html_value(p->s, a->value, html_decimals(p, fabs(a->value)), "</b></span>");
    }
    sink_text(p->s, "</p>\n");
}

static void put_gates(const struct page *p, const struct stored *encode)
{
    const struct report_run *run = &encode->run;
    if (!run->gates)
        return;
    sink_text(p->s, "<ul class=\"gates\">\n");
    for (uint32_t i = 0; i < run->gates; i++) {
        const struct gate *g = &run->gate[i];
        const struct gate_result v = gate_judge(g, encode);
        const bool holds = v.verdict == GATE_PASSED;
        sink_format(p->s, "<li class=\"%s\"><b>%s</b> ", holds ? "passed" : "failed", holds ? "passed" : "failed");
        if (p->encodes > 1)
            html_within(p->s, "", encode->name, ": ");
        html_within(p->s, "", g->key, v.pool ? "." : "");
        html_text(p->s, v.pool ? v.pool : "");
        if (v.why) {
            sink_format(p->s, ": %s</li>\n", v.why);
            continue;
        }
        sink_number_within(p->s, " is ", v.value, REPORT_SHORTEST, g->over ? ", at most " : ", at least ");
        sink_number_within(p->s, "", g->limit, REPORT_SHORTEST, "</li>\n");
    }
    sink_text(p->s, "</ul>\n");
}

/* ---- several encodes --------------------------------------------------------------------------------------------- */

static void put_overview_head(const struct page *p)
{
    const char *key;
    sink_format(p->s, "<thead>\n<tr><th scope=\"col\" rowspan=\"2\">encode</th>"
                "<th scope=\"col\" rowspan=\"2\">size</th>%s", encodes_one_size(p->encode, p->encodes) ? ""
                : "<th scope=\"col\" rowspan=\"2\">compared at</th>");
    sink_format(p->s, "%s<th scope=\"col\" rowspan=\"2\">%s</th><th scope=\"col\" rowspan=\"2\">frames</th>",
                encodes_only_images(p->encode, p->encodes) ? "<th scope=\"col\" rowspan=\"2\">bytes</th>" : "",
                html_rate_unit(p));
    for (uint32_t k = 0; (key = html_next(p, &k));)
        sink_format(p->s, "<th scope=\"colgroup\" colspan=\"2\">%s%s</th>", key, axis_unit(key));
    sink_text(p->s, "</tr>\n<tr>");
    for (uint32_t k = 0; html_next(p, &k);)
        sink_format(p->s, "<th scope=\"col\">mean</th><th scope=\"col\">%s</th>",
                    direction_tail(p->keys.score[k - 1].direction));
    sink_text(p->s, "</tr>\n</thead>\n");
}

static void put_overview_score(const struct page *p, const struct stored *encode, const struct encodes_key *score)
{
    const char *const tail = direction_tail(score->direction);
    for (int i = 0; i < 2; i++) {
        double v;
        if (!encode_pooled(encode, score->key, i ? tail : "mean", &v)) {
            sink_text(p->s, "<td class=\"none\">–</td>");
            continue;
        }
        sink_format(p->s, "<td data-key=\"%s\" data-figure=\"%s%s\"", score->key,
                    i ? "perc" : "mean", i ? tail + 1 : "");
        html_value(p->s, v, html_decimals(p, fabs(v)), "</td>");
    }
}

/* The rate of an encode, behind the bytes of its file where all are images. */
static void put_rate(const struct page *p, const struct stored *encode)
{
    const bool images = encodes_only_images(p->encode, p->encodes);
    const double rate = html_rate(p, encode);
    if (!isfinite(rate)) {
        sink_format(p->s, "%s<td class=\"none\">–</td>", images ? "<td class=\"none\">–</td>" : "");
        return;
    }
    if (images)
        sink_number_within(p->s, "<td data-figure=\"bytes\">", encode_image_bytes(encode), 0, "</td>");
    sink_format(p->s, "<td data-figure=\"%s\"", images ? "bpp" : "kbps");
    html_value(p->s, rate, html_rate_decimals(rate, html_rate_unit(p)), "</td>");
}

static void put_overview(const struct page *p)
{
    struct sink *s = p->s;
    sink_text(s, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Encodes\">"
              "<table class=\"overview\" id=\"encodes\" aria-label=\"The encodes\">\n");
    put_overview_head(p);
    sink_text(s, "<tbody>\n");
    const bool one_size = encodes_one_size(p->encode, p->encodes);
    for (uint32_t i = 0; i < p->encodes; i++) {
        const struct stored *encode = &p->encode[i];
        const char *size = report_run_field(&encode->run, "distorted_size");
        sink_format(s, "<tr data-encode=\"%u\">", i);
        html_numbered(s, "<th scope=\"row\">", i, encode->name, "</th>");
        html_within(s, "<td>", size ? size : "–", "</td>");
        if (!one_size && encode_scored(encode))
            sink_format(s, "<td data-figure=\"compared\">%ux%u</td>", encode->run.width, encode->run.height);
        else if (!one_size)
            sink_text(s, "<td class=\"none\">–</td>");
        put_rate(p, encode);
        sink_format(s, "<td>%" PRIu64 "</td>", encode->scores.rows);
        for (uint32_t k = 0; html_next(p, &k);)
            put_overview_score(p, encode, &p->keys.score[k - 1]);
        sink_text(s, "</tr>\n");
    }
    sink_text(s, "</tbody>\n</table></div>\n");
}

static void put_encode(const struct page *p, uint32_t number)
{
    if (p->encode[number].scores.rows)
        put_table(p, number);
    else
        sink_text(p->s, "<p>No frame was scored.</p>\n");
    put_aggregates(p, &p->encode[number]);
}

void html_summary(const struct page *p)
{
    sink_text(p->s, "<section id=\"summary\" aria-labelledby=\"summary-title\">\n"
              "<h2 id=\"summary-title\">Summary</h2>\n");
    if (p->encodes > 1)
        put_overview(p);
    else
        put_encode(p, 0);
    for (uint32_t i = 0; i < p->encodes; i++)
        put_gates(p, &p->encode[i]);
    if (p->encodes > 1)
        sink_text(p->s, "<details><summary>All figures of each encode</summary>\n");
    for (uint32_t i = 0; p->encodes > 1 && i < p->encodes; i++) {
        html_numbered(p->s, "<h3>", i, p->encode[i].name, "</h3>\n");
        put_encode(p, i);
    }
    sink_text(p->s, p->encodes > 1 ? "</details>\n</section>\n" : "</section>\n");
}

/* ---- options and versions ---------------------------------------------------------------------------------------- */

void html_field(struct sink *s, const char *name, const char *value)
{
    html_within(s, "<tr><th scope=\"row\" data-field=\"", name, "\">");
    for (char word[2] = ""; (word[0] = *name == '_' ? ' ' : *name); name++)
        html_text(s, word);
    html_within(s, "</th><td>", value, "</td></tr>\n");
}

static void put_fields(const struct page *p, const struct report_run *run)
{
    char number[NUMBER_TEXT_SIZE];
    sink_text(p->s, "<table class=\"fields\" aria-label=\"Options and versions\">\n<tbody>\n");
    html_field(p->s, "version", run->version);
    for (uint32_t i = 0; i < run->fields; i++)
        if (run->field[i].value[0] && strcmp(run->field[i].value, "null"))
            html_field(p->s, run->field[i].name, run->field[i].value);
    if (reporter_has_rate(run->fps)) {
        format_fixed(number, run->fps, RATE_DECIMALS);
        html_field(p->s, "frames_scored_per_second", number);
    }
    sink_text(p->s, "</tbody>\n</table>\n");
}

void html_run(const struct page *p)
{
    sink_text(p->s, "<section id=\"run\" aria-labelledby=\"run-title\">\n"
              "<h2 id=\"run-title\">Options and versions</h2>\n");
    for (uint32_t i = 0; i < p->encodes; i++) {
        if (p->encodes > 1)
            html_within(p->s, "<details><summary>", p->encode[i].name, "</summary>\n");
        put_fields(p, &p->encode[i].run);
        if (p->encodes > 1)
            sink_text(p->s, "</details>\n");
    }
    sink_text(p->s, "</section>\n");
}
