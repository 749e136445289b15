/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/numbers.h"
#include "host/suggest.h"
#include "host/text.h"

static bool same(const char *text, size_t length, const char *word)
{
    return word && strlen(word) == length && !memcmp(text, word, length);
}

/* The names of a choice, "auto|limited|full". */
enum { OPTIONS_TEXT = 128 };
static void options_choices(const struct metric_option *o, char *text)
{
    *text = 0;
    for (const struct metric_choice *c = o->choices; c->name; c++)
        text_append(text, OPTIONS_TEXT, "%s%s", *text ? "|" : "", c->name);
}

static bool is_text(const struct metric_option *o)
{
    return o->type == OPTION_TEXT || o->type == OPTION_REST;
}

static void set_value(const struct metric_option *o, void *options, double v)
{
    char *at = (char *)options + o->offset;
    const bool flag = v != 0.0;
    const int number = o->type == OPTION_INT || o->type == OPTION_CHOICE ? (int)v : 0; /* within the option's range */
    switch (o->type) {
    case OPTION_BOOL: memcpy(at, &flag, sizeof flag); break;
    case OPTION_INT:
    case OPTION_CHOICE: memcpy(at, &number, sizeof number); break;
    case OPTION_DOUBLE: memcpy(at, &v, sizeof v); break;
    case OPTION_TEXT:
    case OPTION_REST: break;
    }
}

/* Sets a text, or adds to one of OPTION_REST. A line of configuration names metrics with ',' between them. */
static int set_text(const struct metric_ops *ops, const struct metric_option *o, void *options, const char *text,
                    size_t length, struct assay_error *e)
{
    char *at = (char *)options + o->offset;
    const size_t used = o->type == OPTION_REST ? strlen(at) : 0, colon = used ? 1 : 0;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 32 || text[i] == 127 || text[i] == ',')
            return assay_fail(e, ASSAY_EUSAGE, "%s: option %s has no commas and control characters", ops->name,
                              o->name);
    if (used + colon + length >= METRIC_TEXT)
        return assay_fail(e, ASSAY_EUSAGE, "%s: option %s takes at most %d characters", ops->name, o->name,
                          METRIC_TEXT - 1);
    if (!used)
        memset(at, 0, METRIC_TEXT);
    else
        at[used] = ':';
    memcpy(at + used + colon, text, length);
    return ASSAY_OK;
}

static bool parse_value(const struct metric_option *o, const char *text, size_t length, double *v)
{
    if (o->type == OPTION_BOOL) {
        *v = same(text, length, "true") || same(text, length, "1");
        return *v != 0.0 || same(text, length, "false") || same(text, length, "0");
    }
    if (o->type == OPTION_CHOICE) {
        const struct metric_choice *c = o->choices;
        while (c->name && !same(text, length, c->name))
            c++;
        *v = (double)c->value;
        return c->name != NULL;
    }
    char number[NUMBER_TEXT_SIZE];
    if (length >= sizeof number)
        return false;
    memcpy(number, text, length);
    number[length] = 0;
    return parse_number(number, v) && ((*v >= o->min && *v <= o->max) || *v == o->fallback) &&
           (o->type != OPTION_INT || (double)(int)*v == *v);
}

static int refuse_value(const struct metric_ops *ops, const struct metric_option *o, const char *given, int length,
                        struct assay_error *e)
{
    char low[NUMBER_TEXT_SIZE], high[NUMBER_TEXT_SIZE], choices[OPTIONS_TEXT];
    if (o->type == OPTION_BOOL)
        return assay_fail(e, ASSAY_EUSAGE, "%s: option %s is true or false, not '%.*s'", ops->name, o->name, length,
                          given);
    if (o->type == OPTION_CHOICE) {
        options_choices(o, choices);
        return assay_fail(e, ASSAY_EUSAGE, "%s: option %s is %s, not '%.*s'", ops->name, o->name, choices, length,
                          given);
    }
    format_shortest(low, o->min);
    format_shortest(high, o->max);
    return assay_fail(e, ASSAY_EUSAGE, "%s: option %s is %s from %s to %s, not '%.*s'", ops->name, o->name,
                      o->type == OPTION_INT ? "a whole number" : "a number", low, high, length, given);
}

static int no_such_option(const struct metric_ops *ops, const char *name, size_t length, struct assay_error *e)
{
    char hint[SUGGEST_TEXT];
    struct suggestion like = suggest_for(name, length);
    for (uint32_t i = 0; i < ops->n_options; i++)
        suggest_offer(&like, ops->options[i].name);
    return assay_fail(e, ASSAY_EUSAGE, "%s has no option '%.*s'%s (assay --list-metrics)", ops->name, (int)length,
                      name, suggest_text(&like, hint));
}

/* Whether the first `length` bytes of `text` name the option. */
static bool names(const struct metric_option *o, const char *text, size_t length)
{
    if (o->type == OPTION_REST)
        return memchr(text, '.', length) != NULL;
    return same(text, length, o->name) || same(text, length, o->alias);
}

const struct metric_option *options_find(const struct metric_ops *ops, const char *text, size_t length)
{
    for (uint32_t i = 0; i < ops->n_options; i++)
        if (names(&ops->options[i], text, length))
            return &ops->options[i];
    return NULL;
}

/* Sets the option that the first `part` bytes of `text` state; the first `name` bytes are its name. */
static int take_option(const struct metric_ops *ops, const struct metric_option *o, void *options, const char *text,
                       size_t name, size_t part, struct assay_error *e)
{
    const bool value = name < part;
    const char *given = value ? text + name + 1 : "";
    const size_t length = value ? part - name - 1 : 0;
    double v = 1.0; /* a flag alone means true */
    if (o->type == OPTION_REST)
        return set_text(ops, o, options, text, part, e);
    if (o->type == OPTION_TEXT)
        return set_text(ops, o, options, given, length, e);
    if ((value || o->type != OPTION_BOOL) && (!value || !parse_value(o, given, length, &v)))
        return refuse_value(ops, o, given, (int)length, e);
    set_value(o, options, v);
    return ASSAY_OK;
}

int options_parse(const struct metric_ops *ops, void *options, const char *text, struct assay_error *e)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < ops->n_options; i++)
        if (is_text(&ops->options[i]))
            strcpy((char *)options + ops->options[i].offset, ops->options[i].text);
        else
            set_value(&ops->options[i], options, ops->options[i].fallback);
    while (*text) {
        const size_t part = strcspn(text, ":"), name = strcspn(text, "=:");
        const struct metric_option *o = options_find(ops, text, name);
        if (!o)
            return no_such_option(ops, text, name, e);
        const ptrdiff_t i = o - ops->options;
        if (seen >> i & 1)
            return assay_fail(e, ASSAY_EUSAGE, "%s: option %s is given twice", ops->name, o->name);
        seen |= (uint64_t)(o->type != OPTION_REST) << i;
        TRY(take_option(ops, o, options, text, name, part, e));
        text += part;
        if (*text == ':' && !*++text)
            return assay_fail(e, ASSAY_EUSAGE, "%s: an option is missing after the last ':'", ops->name);
    }
    if (ops->given)
        memcpy((char *)options + ops->given, &seen, sizeof seen);
    return ASSAY_OK;
}

static double value_of(const struct metric_option *o, const void *options)
{
    const char *at = (const char *)options + o->offset;
    bool flag;
    int number;
    double v = 0.0;
    switch (o->type) {
    case OPTION_BOOL:
        memcpy(&flag, at, sizeof flag);
        v = flag ? 1.0 : 0.0;
        break;
    case OPTION_INT:
    case OPTION_CHOICE:
        memcpy(&number, at, sizeof number);
        v = (double)number;
        break;
    case OPTION_DOUBLE:
        memcpy(&v, at, sizeof v);
        break;
    case OPTION_TEXT:
    case OPTION_REST: break;
    }
    return v;
}

const char *options_value(const struct metric_option *o, double v, char *text)
{
    const struct metric_choice *c = o->choices;
    while (c && c->name && (double)c->value != v)
        c++;
    if (is_text(o))
        snprintf(text, NUMBER_TEXT_SIZE, "%s", o->text);
    else if (o->type == OPTION_BOOL)
        strcpy(text, v != 0.0 ? "true" : "false");
    else if (c)
        snprintf(text, NUMBER_TEXT_SIZE, "%s", c->name ? c->name : "");
    else
        format_shortest(text, v);
    return text;
}

const char *options_print(const struct metric_option *o, const void *options, char *text)
{
    return is_text(o) ? (const char *)options + o->offset : options_value(o, value_of(o, options), text);
}

/* ---- keys ---- */

enum { KEY_HEAD = 32 }; /* room for the part of a key before the options */

/* The option that changes the key and whose name comes next after `after`; NULL: there is no other. */
static const struct metric_option *next_by_name(const struct metric_ops *ops, const char *after)
{
    const struct metric_option *next = NULL;
    for (uint32_t i = 0; i < ops->n_options; i++) {
        const struct metric_option *o = &ops->options[i];
        if (o->in_key && strcmp(o->name, after) > 0 && (!next || strcmp(o->name, next->name) < 0))
            next = o;
    }
    return next;
}

int options_key_tail(const struct metric *m, char *text, struct assay_error *e)
{
    const size_t room = METRIC_KEY_SIZE - KEY_HEAD;
    size_t used = 0;
    *text = 0;
    for (const struct metric_option *o = next_by_name(m->ops, ""); o; o = next_by_name(m->ops, o->name)) {
        const double v = value_of(o, m->options);
        if (v == o->fallback)
            continue;
        char value[1 + NUMBER_TEXT_SIZE] = "_";
        if (o->type == OPTION_BOOL)
            value[0] = 0;
        else if (o->type == OPTION_CHOICE)
            options_value(o, v, value + 1);
        else
            text_append(value, sizeof value, "%g", v);
        const int n = snprintf(text + used, room - used, "_%s%s", o->alias ? o->alias : o->name, value);
        if ((size_t)n >= room - used)
            return assay_fail(e, ASSAY_EUSAGE, "%s: so many options make too long keys (%d characters)", m->ops->name,
                              METRIC_KEY_SIZE);
        used += (size_t)n;
    }
    return ASSAY_OK;
}
