/* SPDX-License-Identifier: BSD-2-Clause */
/* assay --list-metrics and --list-devices: the tables that the library itself uses. And what is said of metrics that a
 * run leaves out. */
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "host/numbers.h"
#include "host/text.h"
#include "results/json_write.h"
#include "results/results.h"

/* ---- metrics ----------------------------------------------------------------------------------------------------- */

static void list_text(uint32_t metric, FILE *out)
{
    char least[NUMBER_TEXT_SIZE], most[NUMBER_TEXT_SIZE];
    assay_output output;
    assay_option o;
    fprintf(out, "%s: %s\n", assay_metric_name(metric), assay_metric_summary(metric));
    for (uint32_t i = 0; !assay_metric_output(metric, i, &output); i++)
        fprintf(out, "    writes %s (%s)%s\n", output.keys, output.when,
                output.direction == ASSAY_HIGHER  ? ": higher is better"
                : output.direction == ASSAY_LOWER ? ": lower is better" : "");
    for (uint32_t i = 0; !assay_metric_option(metric, i, &o); i++) {
        format_shortest(least, o.least);
        format_shortest(most, o.most);
        fprintf(out, "    %s=%s", o.name, o.fallback);
        if (!strcmp(o.type, "int") || !strcmp(o.type, "double"))
            fprintf(out, " (%s, %s to %s)", o.type, least, most);
        if (o.alias)
            fprintf(out, " (or %s)", o.alias);
        for (unsigned c = 0; o.choices[c]; c++)
            fprintf(out, "%s%s", c ? "|" : ": ", o.choices[c]);
        fprintf(out, ": %s\n", o.help);
    }
}

static void json_option(struct json *j, const assay_option *o)
{
    const bool word = o->choices[0] || !strcmp(o->type, "text");
    json_object(j, NULL, JSON_ROW);
    json_text(j, "name", o->name);
    json_text(j, "type", o->type);
    (word ? json_text : json_value)(j, "default", o->fallback);
    if (o->choices[0]) {
        json_list(j, "choices", JSON_ROW);
        for (unsigned c = 0; o->choices[c]; c++)
            json_text(j, NULL, o->choices[c]);
        json_end(j);
    }
    if (!word) {
        json_number(j, "min", o->least, REPORT_SHORTEST);
        json_number(j, "max", o->most, REPORT_SHORTEST);
    }
    json_text(j, "help", o->help);
    json_end(j);
}

static void list_json(uint32_t metric, struct json *j)
{
    assay_output output;
    assay_option option;
    json_object(j, NULL, JSON_ROW);
    json_text(j, "name", assay_metric_name(metric));
    json_text(j, "summary", assay_metric_summary(metric));
    json_break(j);
    json_list(j, "outputs", JSON_ROW);
    for (uint32_t i = 0; !assay_metric_output(metric, i, &output); i++) {
        json_object(j, NULL, JSON_ROW);
        json_text(j, "keys", output.keys);
        json_text(j, "when", output.when);
        json_text(j, "better", output.direction == ASSAY_HIGHER  ? "higher"
                               : output.direction == ASSAY_LOWER ? "lower" : NULL);
        json_end(j);
    }
    json_end(j);
    json_break(j);
    json_list(j, "options", JSON_ROW);
    for (uint32_t i = 0; !assay_metric_option(metric, i, &option); i++)
        json_option(j, &option);
    json_end(j);
    json_end(j);
}

int cli_list_metric(const char *name, FILE *out)
{
    const uint32_t metric = assay_metric_find(name);
    if (metric == ASSAY_NONE)
        return ASSAY_EUSAGE;
    list_text(metric, out);
    return ASSAY_OK;
}

void cli_offer_metrics(struct suggestion *like)
{
    for (uint32_t i = 0; assay_metric_name(i); i++)
        suggest_offer(like, assay_metric_name(i));
}

static int check_name(const char *name, struct assay_error *e)
{
    char hint[SUGGEST_TEXT];
    if (assay_metric_find(name) != ASSAY_NONE)
        return ASSAY_OK;
    struct suggestion like = suggest_for(name, strlen(name));
    cli_offer_metrics(&like);
    return assay_fail(e, ASSAY_EUSAGE, "no metric is called '%s'%s (assay --list-metrics)", name,
                      suggest_text(&like, hint));
}

int cli_list_metrics(const struct cli *c, bool json, struct assay_error *e)
{
    const char *name;
    for (uint32_t i = 0; (name = request_input(&c->q, i)); i++)
        TRY(check_name(name, e));
    struct sink s = {.file = stdout};
    struct json j = {.sink = &s};
    if (json)
        json_list(&j, NULL, JSON_LINES);
    for (uint32_t i = 0; (name = c->q.path[0] ? request_input(&c->q, i) : assay_metric_name(i)); i++)
        if (json)
            list_json(assay_metric_find(name), &j);
        else
            cli_list_metric(name, stdout);
    if (json)
        json_end(&j);
    return ASSAY_OK;
}

/* "vmaf is left out: b.mp4: ...". A reason of the library begins with "encode N: " where it is of one of several. */
static void line_of(char *line, size_t size, const struct left_out_metric *m, const char *const *name, uint32_t names)
{
    unsigned encode = 0;
    int n = 0;
    if (sscanf(m->reason, "encode %u: %n", &encode, &n) != 1 || !n || encode >= names)
        n = 0;
    snprintf(line, size, "%s is left out: %s%s%s", m->metric, n ? name[encode] : "", n ? ": " : "", m->reason + n);
}

void left_out_say(const struct cli *c, const struct left_out *l, const char *const *name, uint32_t names)
{
    const bool each = c->verbose || !c->q.all_metrics || l->n == 1;
    char line[640], all[1024] = "";
    for (uint32_t i = 0; !c->quiet && i < l->n; i++) {
        line_of(line, sizeof line, &l->of[i], name, names);
        text_append(all, sizeof all, "%s%s", i ? ", " : "", l->of[i].metric);
        if (each)
            text_say("%s", line);
    }
    if (!c->quiet && !each && l->n)
        text_say("%u metrics are left out (--verbose says why): %s", l->n, all);
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

static const char *state_word(const assay_device *d)
{
    return d->self_test == ASSAY_SELF_TEST_PASSED   ? "passed"
           : d->self_test == ASSAY_SELF_TEST_FAILED ? "failed" : "not yet run";
}

static void show_text(void *opaque, const assay_device *d)
{
    FILE *out = opaque;
    if (d->missing) {
        fprintf(out, "%-7s -  %s\n", d->backend, d->missing);
        return;
    }
    fprintf(out, "%-7s %u  %s", d->backend, d->number, d->name);
    if (d->driver[0])
        fprintf(out, "; driver %s", d->driver);
    if (d->memory)
        fprintf(out, "; %" PRIu64 " MiB", d->memory >> 20);
    if (d->software)
        fputs("; software", out);
    if (!d->usable)
        fputs("; can't be used", out);
    else
        fprintf(out, "; self-test %s", state_word(d));
    if (d->self_test == ASSAY_SELF_TEST_PASSED && d->kernels_passed < d->kernels)
        fprintf(out, " (%u of %u kernels so far)", d->kernels_passed, d->kernels);
    fputc('\n', out);
}

static void show_json(void *opaque, const assay_device *d)
{
    struct json *j = opaque;
    json_object(j, NULL, JSON_ROW);
    json_text(j, "backend", d->backend);
    if (d->missing) {
        json_text(j, "missing", d->missing);
    } else {
        json_count(j, "number", d->number);
        json_text(j, "device", d->name);
        json_text(j, "driver", d->driver);
        json_count(j, "memory", d->memory);
        json_bool(j, "software", d->software);
        json_bool(j, "usable", d->usable);
        json_text(j, "self_test", state_word(d));
        json_count(j, "kernels_passed", d->kernels_passed);
        json_count(j, "kernels", d->kernels);
    }
    json_end(j);
}

int cli_list_devices(const char *backend, bool json, struct assay_error *e)
{
    char why[512];
    struct sink s = {.file = stdout};
    struct json j = {.sink = &s};
    if (json)
        json_list(&j, NULL, JSON_LINES);
    const int rc = assay_list_devices(backend, json ? show_json : show_text, json ? (void *)&j : stdout, why,
                                      sizeof why);
    if (json)
        json_end(&j);
    return rc ? assay_fail(e, rc, "%s", why) : ASSAY_OK;
}
