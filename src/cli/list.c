/* SPDX-License-Identifier: BSD-2-Clause */
/* assay --list-metrics: the tables that the code itself uses. */
#include <string.h>

#include "cli/cli.h"
#include "host/numbers.h"
#include "metrics/options.h"

static const char *const type_name[] = {"bool", "int", "double", "choice"};

static void default_text(const struct metric_option *o, double v, char *text)
{
    size_t length;
    const char *name = o->type == OPTION_CHOICE ? options_choice(o, (unsigned)v, &length) : NULL;
    if (o->type == OPTION_BOOL)
        strcpy(text, v != 0.0 ? "true" : "false");
    else if (name)
        snprintf(text, NUMBER_TEXT_SIZE, "%.*s", (int)length, name);
    else
        format_shortest(text, v);
}

static void list_text(const struct metric_ops *m, FILE *out)
{
    char fallback[NUMBER_TEXT_SIZE], low[NUMBER_TEXT_SIZE], high[NUMBER_TEXT_SIZE];
    fprintf(out, "%s: %s\n", m->name, m->summary);
    for (uint32_t i = 0; i < m->n_outputs; i++)
        fprintf(out, "    writes %s (%s)\n", m->outputs[i].keys, m->outputs[i].when);
    for (uint32_t i = 0; i < m->n_options; i++) {
        const struct metric_option *o = &m->options[i];
        default_text(o, o->fallback, fallback);
        default_text(o, o->min, low);
        default_text(o, o->max, high);
        fprintf(out, "    %s=%s", o->name, fallback);
        if (o->type == OPTION_INT || o->type == OPTION_DOUBLE)
            fprintf(out, " (%s, %s to %s)", type_name[o->type], low, high);
        if (o->alias)
            fprintf(out, " (or %s)", o->alias);
        fprintf(out, ": %s\n", o->help);
    }
}

/* Names and texts of the tables are plain ASCII without quotes; nothing needs escaping. */
static void list_json(const struct metric_ops *m, FILE *out)
{
    char fallback[NUMBER_TEXT_SIZE], low[NUMBER_TEXT_SIZE], high[NUMBER_TEXT_SIZE];
    fprintf(out, "  {\"name\": \"%s\", \"summary\": \"%s\",\n   \"outputs\": [", m->name, m->summary);
    for (uint32_t i = 0; i < m->n_outputs; i++)
        fprintf(out, "%s{\"keys\": \"%s\", \"when\": \"%s\"}", i ? ", " : "", m->outputs[i].keys, m->outputs[i].when);
    fprintf(out, "],\n   \"options\": [");
    for (uint32_t i = 0; i < m->n_options; i++) {
        const struct metric_option *o = &m->options[i];
        default_text(o, o->fallback, fallback);
        format_shortest(low, o->min);
        format_shortest(high, o->max);
        const char *quote = o->type == OPTION_CHOICE ? "\"" : "";
        fprintf(out, "%s{\"name\": \"%s\", \"type\": \"%s\", \"default\": %s%s%s, \"min\": %s, \"max\": %s, \"help\": \"%s\"}",
                i ? ", " : "", o->name, type_name[o->type], quote, fallback, quote, low, high, o->help);
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
