/* SPDX-License-Identifier: BSD-2-Clause */
/* assay --list-metrics: the tables that the library itself uses. */
#include <string.h>

#include "cli/cli.h"
#include "host/numbers.h"

static void list_text(uint32_t metric, FILE *out)
{
    char least[NUMBER_TEXT_SIZE], most[NUMBER_TEXT_SIZE];
    assay_output output;
    assay_option o;
    fprintf(out, "%s: %s\n", assay_metric_name(metric), assay_metric_summary(metric));
    for (uint32_t i = 0; !assay_metric_output(metric, i, &output); i++)
        fprintf(out, "    writes %s (%s)%s\n", output.keys, output.when,
                output.direction == ASSAY_HIGHER  ? ": higher is better"
                : output.direction == ASSAY_LOWER ? ": lower is better"
                                                  : "");
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

/* Names and texts of the tables are plain ASCII without quotes; nothing needs escaping. */
static void json_option(const assay_option *o, FILE *out)
{
    char least[NUMBER_TEXT_SIZE], most[NUMBER_TEXT_SIZE];
    const bool word = o->choices[0] || !strcmp(o->type, "text");
    const char *quote = word ? "\"" : "";
    fprintf(out, "{\"name\": \"%s\", \"type\": \"%s\", \"default\": %s%s%s, ", o->name, o->type, quote, o->fallback,
            quote);
    for (unsigned c = 0; o->choices[c]; c++)
        fprintf(out, "%s\"%s\"%s", c ? ", " : "\"choices\": [", o->choices[c], o->choices[c + 1] ? "" : "], ");
    format_shortest(least, o->least);
    format_shortest(most, o->most);
    if (!word)
        fprintf(out, "\"min\": %s, \"max\": %s, ", least, most);
    fprintf(out, "\"help\": \"%s\"}", o->help);
}

static void list_json(uint32_t metric, FILE *out)
{
    assay_output output;
    assay_option option;
    fprintf(out, "  {\"name\": \"%s\", \"summary\": \"%s\",\n   \"outputs\": [", assay_metric_name(metric),
            assay_metric_summary(metric));
    for (uint32_t i = 0; !assay_metric_output(metric, i, &output); i++)
        fprintf(out, "%s{\"keys\": \"%s\", \"when\": \"%s\", \"better\": %s}", i ? ", " : "", output.keys, output.when,
                output.direction == ASSAY_HIGHER  ? "\"higher\""
                : output.direction == ASSAY_LOWER ? "\"lower\""
                                                  : "null");
    fputs("],\n   \"options\": [", out);
    for (uint32_t i = 0; !assay_metric_option(metric, i, &option); i++) {
        fputs(i ? ", " : "", out);
        json_option(&option, out);
    }
    fputs("]}\n", out);
}

int cli_list_metric(const char *name, bool json, FILE *out)
{
    const uint32_t metric = assay_metric_find(name);
    if (metric == ASSAY_NONE)
        return ASSAY_EUSAGE;
    (json ? list_json : list_text)(metric, out);
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
    const char *named[ASSAY_ENCODES + 1] = {c->q.path[0]};
    uint32_t names = c->q.path[0] ? 1 : 0;
    for (uint32_t i = 0; names && i < c->q.encodes && c->q.encode[i]; i++)
        named[names++] = c->q.encode[i];
    for (uint32_t i = 0; i < names; i++)
        TRY(check_name(named[i], e));
    fputs(json ? "[\n" : "", stdout);
    for (uint32_t i = 0; names ? i < names : assay_metric_name(i) != NULL; i++) {
        fputs(json && i ? "  ,\n" : "", stdout);
        cli_list_metric(names ? named[i] : assay_metric_name(i), json, stdout);
    }
    fputs(json ? "]\n" : "", stdout);
    return ASSAY_OK;
}
