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

int cli_list_metrics(bool json, FILE *out)
{
    if (json)
        fputs("[\n", out);
    for (uint32_t i = 0; assay_metric_name(i); i++) {
        if (json && i)
            fputs("  ,\n", out);
        (json ? list_json : list_text)(i, out);
    }
    if (json)
        fputs("]\n", out);
    return ASSAY_OK;
}
