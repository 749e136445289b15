/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/numbers.h"

static void set_value(const struct metric_option *o, void *options, double v)
{
    char *at = (char *)options + o->offset;
    const bool flag = v != 0.0;
    const int number = o->type == OPTION_INT ? (int)v : 0; /* within the option's range there */
    switch (o->type) {
    case OPTION_BOOL: memcpy(at, &flag, sizeof flag); break;
    case OPTION_INT: memcpy(at, &number, sizeof number); break;
    case OPTION_DOUBLE: memcpy(at, &v, sizeof v); break;
    }
}

static bool same(const char *text, size_t length, const char *word)
{
    return word && strlen(word) == length && !memcmp(text, word, length);
}

static bool parse_value(const struct metric_option *o, const char *text, size_t length, double *v)
{
    if (o->type == OPTION_BOOL) {
        *v = same(text, length, "true") || same(text, length, "1");
        return *v != 0.0 || same(text, length, "false") || same(text, length, "0");
    }
    char number[NUMBER_TEXT_SIZE];
    if (length >= sizeof number)
        return false;
    memcpy(number, text, length);
    number[length] = 0;
    return parse_number(number, v) && *v >= o->min && *v <= o->max &&
           (o->type != OPTION_INT || (double)(int)*v == *v);
}

int options_parse(const struct metric_ops *ops, void *options, const char *text, struct assay_error *e)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < ops->n_options; i++)
        set_value(&ops->options[i], options, ops->options[i].fallback);
    while (*text) {
        const size_t part = strcspn(text, ":"), name = strcspn(text, "=:");
        uint32_t i = 0;
        while (i < ops->n_options && !same(text, name, ops->options[i].name) && !same(text, name, ops->options[i].alias))
            i++;
        if (i == ops->n_options)
            return assay_fail(e, ASSAY_EUSAGE, "%s has no option '%.*s' (assay --list-metrics)", ops->name, (int)name, text);
        const struct metric_option *o = &ops->options[i];
        if (seen >> i & 1)
            return assay_fail(e, ASSAY_EUSAGE, "%s: option %s is given twice", ops->name, o->name);
        seen |= (uint64_t)1 << i;
        double v = 1.0; /* a flag alone means true */
        const bool value = name < part;
        if ((value || o->type != OPTION_BOOL) &&
            (!value || !parse_value(o, text + name + 1, part - name - 1, &v))) {
            const int shown = value ? (int)(part - name - 1) : 0;
            return o->type == OPTION_BOOL
                ? assay_fail(e, ASSAY_EUSAGE, "%s: option %s is true or false, not '%.*s'", ops->name, o->name, shown, text + name + 1)
                : assay_fail(e, ASSAY_EUSAGE, "%s: option %s is %s from %g to %g, not '%.*s'", ops->name, o->name,
                             o->type == OPTION_INT ? "a whole number" : "a number", o->min, o->max, shown, text + name + 1);
        }
        set_value(o, options, v);
        text += part;
        if (*text == ':' && !*++text)
            return assay_fail(e, ASSAY_EUSAGE, "%s: an option is missing after the last ':'", ops->name);
    }
    return ASSAY_OK;
}

const char *options_print(const struct metric_option *o, const void *options, char *text)
{
    const char *at = (const char *)options + o->offset;
    bool flag;
    int number;
    double v;
    switch (o->type) {
    case OPTION_BOOL:
        memcpy(&flag, at, sizeof flag);
        strcpy(text, flag ? "true" : "false");
        break;
    case OPTION_INT:
        memcpy(&number, at, sizeof number);
        snprintf(text, 64, "%d", number);
        break;
    case OPTION_DOUBLE:
        memcpy(&v, at, sizeof v);
        format_shortest(text, v);
        break;
    }
    return text;
}
