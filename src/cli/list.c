/* SPDX-License-Identifier: BSD-2-Clause */
/* assay --list-metrics: the tables that the code itself uses. */
#include <string.h>

#include "cli/cli.h"
#include "host/numbers.h"
#include "metrics/options.h"

static const char *const type_name[] = {"bool", "int", "double", "choice"};

static void list_text(const struct metric_ops *m, FILE *out)
{
    char fallback[NUMBER_TEXT_SIZE], low[NUMBER_TEXT_SIZE], high[NUMBER_TEXT_SIZE], choices[OPTIONS_TEXT];
    fprintf(out, "%s: %s\n", m->name, m->summary);
    for (uint32_t i = 0; i < m->n_outputs; i++)
        fprintf(out, "    writes %s (%s)\n", m->outputs[i].keys, m->outputs[i].when);
    for (uint32_t i = 0; i < m->n_options; i++) {
        const struct metric_option *o = &m->options[i];
        fprintf(out, "    %s=%s", o->name, options_value(o, o->fallback, fallback));
        if (o->type == OPTION_INT || o->type == OPTION_DOUBLE)
            fprintf(out, " (%s, %s to %s)", type_name[o->type], options_value(o, o->min, low), options_value(o, o->max, high));
        if (o->alias)
            fprintf(out, " (or %s)", o->alias);
        if (o->type == OPTION_CHOICE) {
            options_choices(o, choices);
            fprintf(out, ": %s", choices);
        }
        fprintf(out, ": %s\n", o->help);
    }
}

static void json_choices(const struct metric_option *o, FILE *out)
{
    for (const struct metric_choice *c = o->choices; c->name; c++)
        fprintf(out, "%s\"%s\"", c == o->choices ? "\"choices\": [" : ", ", c->name);
    fputs("], ", out);
}

static void json_range(const struct metric_option *o, FILE *out)
{
    char low[NUMBER_TEXT_SIZE], high[NUMBER_TEXT_SIZE];
    format_shortest(low, o->min);
    format_shortest(high, o->max);
    fprintf(out, "\"min\": %s, \"max\": %s, ", low, high);
}

/* Names and texts of the tables are plain ASCII without quotes; nothing needs escaping. */
static void list_json(const struct metric_ops *m, FILE *out)
{
    char text[NUMBER_TEXT_SIZE];
    fprintf(out, "  {\"name\": \"%s\", \"summary\": \"%s\",\n   \"outputs\": [", m->name, m->summary);
    for (uint32_t i = 0; i < m->n_outputs; i++)
        fprintf(out, "%s{\"keys\": \"%s\", \"when\": \"%s\"}", i ? ", " : "", m->outputs[i].keys, m->outputs[i].when);
    fprintf(out, "],\n   \"options\": [");
    for (uint32_t i = 0; i < m->n_options; i++) {
        const struct metric_option *o = &m->options[i];
        const char *quote = o->type == OPTION_CHOICE ? "\"" : "";
        fprintf(out, "%s{\"name\": \"%s\", \"type\": \"%s\", \"default\": %s%s%s, ", i ? ", " : "", o->name, type_name[o->type], quote,
                options_value(o, o->fallback, text), quote);
        if (o->type == OPTION_CHOICE)
            json_choices(o, out);
        else
            json_range(o, out);
        fprintf(out, "\"help\": \"%s\"}", o->help);
    }
    fprintf(out, "]}\n");
}

int cli_list_metrics(bool json, FILE *out)
{
    if (json)
        fputs("[\n", out);
    for (unsigned i = 0; assay_metrics[i]; i++) {
        if (json && i)
            fputs("  ,\n", out);
        (json ? list_json : list_text)(assay_metrics[i], out);
    }
    if (json)
        fputs("]\n", out);
    return ASSAY_OK;
}
