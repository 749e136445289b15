/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/options.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/numbers.h"
#include "host/suggest.h"
#include "host/text.h"

static bool same_name(const char *given, size_t length, const char *name)
{
    if (strlen(name) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((given[i] == '_' ? '-' : given[i]) != name[i])
            return false;
    return true;
}

const struct option *option_find(const struct option_list *l, unsigned commands, char *argument, char **value)
{
    const struct option *other = NULL;
    const bool is_long = argument[1] == '-';
    const size_t length = is_long ? strcspn(argument, "=") : 2;
    *value = argument[length] ? argument + length + (argument[length] == '=') : NULL;
    for (const struct option *o = l->option; o < l->option + l->n; o++)
        if (is_long ? same_name(argument + 2, length - 2, o->name) : o->letter && argument[1] == o->letter) {
            if (!commands || o->commands & commands)
                return o;
            other = other ? other : o;
        }
    return other;
}

bool option_time(const char *text, uint64_t *ns)
{
    enum { PART_DIGITS = 6, PLACES = 9 }; /* 10^6 hours are less than 2^62 ns */
    static const char digits[] = "0123456789";
    uint64_t seconds = 0, fraction = 0, unit = UINT64_C(1000000000);
    unsigned parts = 0;
    for (;; text++) {
        const size_t n = strspn(text, digits);
        const uint64_t part = n && n <= PART_DIGITS ? strtoull(text, NULL, 10) : 0;
        if (!n || n > PART_DIGITS || parts == 3 || (parts && (n != 2 || part >= 60)))
            return false;
        seconds = seconds * 60 + part;
        parts++;
        text += n;
        if (*text != ':')
            break;
    }
    if (*text == '.') {
        const size_t n = strspn(++text, digits);
        if (!n || n > PLACES)
            return false;
        for (size_t i = 0; i < n; i++)
            fraction += (uint64_t)(*text++ - '0') * (unit /= 10);
    }
    if (ns)
        *ns = seconds * UINT64_C(1000000000) + fraction;
    return !strcmp(text, parts == 1 ? "s" : "");
}

int option_count(const char *what, const char *text, size_t n, uint64_t least, uint64_t most, uint64_t *out,
                 struct assay_error *e)
{
    uint64_t v;
    if (!parse_whole(text, n, most, &v) || v < least)
        return assay_fail(e, ASSAY_EUSAGE, "%s takes a whole number from %llu to %llu, not '%.*s'%s", what,
                          (unsigned long long)least, (unsigned long long)most, (int)n, text,
                          text[n] || !option_time(text, NULL) ? "" : ": times are for the frames that a run begins "
                          "with, has, or leaves out (--first, --frames, --skip-ref, --skip-dis)");
    *out = v;
    return ASSAY_OK;
}

int option_u32(const char *what, const char *text, size_t n, uint32_t least, uint32_t most, uint32_t *out,
               struct assay_error *e)
{
    uint64_t v = 0;
    TRY(option_count(what, text, n, least, most, &v, e));
    *out = (uint32_t)v;
    return ASSAY_OK;
}

/* Whether an argument in front of argv[i] sets what `o` does. No value begins with a dash. */
static bool is_again(const struct option_list *l, const struct option *o, char **argv, int i)
{
    char *value;
    for (int k = 0; k < i; k++)
        if (argv[k][0] == '-' && argv[k][1] && option_find(l, o->commands, argv[k], &value) == o)
            return true;
    return false;
}

int option_set(const struct option_list *l, const struct option *o, void *to, int argc, char **argv, int *i,
               char *value, struct assay_error *e)
{
    void *at = (char *)to + o->offset;
    const bool takes = o->kind > OPTION_PICK;
    char what[40];
    snprintf(what, sizeof what, "--%s", o->name);
    if (!takes && value)
        return assay_fail(e, ASSAY_EUSAGE, "'%s' takes no value", argv[*i]);
    if (takes && !value && *i + 1 == argc)
        return assay_fail(e, ASSAY_EUSAGE, "'%s'%s%s needs a value", argv[*i], argv[*i][1] == '-' ? "" : ", ",
                          argv[*i][1] == '-' ? "" : what);
    if (takes && !value && argv[*i + 1][0] == '-' && argv[*i + 1][1])
        return assay_fail(e, ASSAY_EUSAGE, "'%s' needs a value, and '%s' looks like an option (if it is none: --%s=%s)",
                          argv[*i], argv[*i + 1], o->name, argv[*i + 1]);
    if (takes && l && o->kind < OPTION_ADD && is_again(l, o, argv, *i))
        return assay_fail(e, ASSAY_EUSAGE, "%s is given twice, and takes one value", what);
    if (takes && !value)
        value = argv[++*i];
    if (o->kind == OPTION_STRING && o->words && text_word(o->words, value) < 0)
        return assay_fail(e, ASSAY_EUSAGE, "%s takes %s, not '%s'", what, o->words, value);
    switch (o->kind) {
    case OPTION_FLAG: *(bool *)at = true; return ASSAY_OK;
    case OPTION_PICK: *(int *)at = (int)o->least; return ASSAY_OK;
    case OPTION_STRING: *(const char **)at = value; return ASSAY_OK;
    case OPTION_U32: return option_u32(what, value, strlen(value), (uint32_t)o->least, (uint32_t)o->most, at, e);
    case OPTION_U64: return option_count(what, value, strlen(value), o->least, o->most, at, e);
    default: return o->call(to, value, o->least, e);
    }
}

/* What other programs call some options. */
static const struct {
    const char *given, *name;
} elsewhere[] = {{"-ss", "first"}, {"-vframes", "frames"}, {"-frames:v", "frames"}};

int option_unknown(const struct option_list *l, unsigned commands, const char *argument, const char *help,
                   struct assay_error *e)
{
    char name[SUGGEST_WORD], hint[SUGGEST_TEXT], best[SUGGEST_WORD + 2];
    const size_t length = strcspn(argument, "=");
    struct suggestion like = suggest_for(argument, 0);
    if (argument[0] == '-' && argument[1] == '-' && length < sizeof name) {
        for (size_t i = 2; i <= length; i++)
            name[i - 2] = argument[i] == '_' ? '-' : argument[i];
        like = suggest_for(name, length - 2);
    }
    for (unsigned i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (!strcmp(argument, elsewhere[i].given))
            like = suggest_for(elsewhere[i].name, strlen(elsewhere[i].name));
    for (const struct option *o = l->option; o < l->option + l->n; o++)
        if (!commands || o->commands & commands)
            suggest_offer(&like, o->name);
    if (like.best) {
        snprintf(best, sizeof best, "--%s", like.best);
        like.best = best;
    }
    return assay_fail(e, ASSAY_EUSAGE, "no option is called '%.*s'%s (%s)", (int)length, argument,
                      suggest_text(&like, hint), help);
}

int option_parse(const struct option_list *l, void *to, int argc, char **argv, struct assay_error *e)
{
    bool words = false;
    for (int i = 0; i < argc; i++) {
        char *value = NULL;
        const bool dashed = argv[i][0] == '-' && argv[i][1];
        if (l->word && (words || !dashed)) {
            TRY(l->word(to, argv[i], e));
        } else if (l->word && !strcmp(argv[i], "--")) {
            words = true;
        } else if (l->set) {
            TRY(l->set(to, argc, argv, &i, e));
        } else {
            const struct option *o = dashed ? option_find(l, 0, argv[i], &value) : NULL;
            TRY(o ? option_set(l, o, to, argc, argv, &i, value, e) : option_unknown(l, 0, argv[i], l->help, e));
        }
    }
    return ASSAY_OK;
}

/* ---- what is said of them ---------------------------------------------------------------------------------------- */

static bool is_in(const struct option *o, unsigned commands, const char *section)
{
    return (!commands || o->commands & commands) && !o->hidden && o->section &&
           (!section || !strcmp(o->section, section));
}

/* Prints a line, in columns, behind `used` ones. */
static void print_help(const struct option *o, int used, FILE *out)
{
    enum { COLUMN = 23, WIDTH = 120 };
    char text[600];
    const char *word = text;
    int at = used + 2 > COLUMN ? WIDTH : used;
    snprintf(text, sizeof text, "%s%s%s%s", o->help, o->fallback ? " (default: " : "", o->fallback ? o->fallback : "",
             o->fallback ? ")" : "");
    if (used <= COLUMN - 2)
        at = fprintf(out, "%*s", COLUMN - used, "") + used;
    for (size_t n; *word; word += n) {
        n = strcspn(word, " ");
        if (at + (int)n >= WIDTH)
            at = fprintf(out, "\n%*s", COLUMN, "") - 1;
        at += fprintf(out, "%s%.*s", at > COLUMN ? " " : "", (int)n, word);
        n += strspn(word + n, " ");
    }
    fputc('\n', out);
}

void option_help(const struct option_list *l, unsigned commands, const char *section, FILE *out)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct option *o = &l->option[i];
        int used = 0;
        if (!o->help || !is_in(o, commands, section))
            continue;
        for (size_t k = i; k < l->n && (k == i || !l->option[k].help || l->option[k].hidden); k++) {
            const struct option *form = &l->option[k];
            const char letter[] = {'-', form->letter, ',', ' '};
            if (is_in(form, commands, section))
                used += fprintf(out, "%s%.*s--%s%s%s", used ? ", " : "  ", form->letter ? 4 : 0, letter, form->name,
                                form->argument ? " " : "", form->argument ? form->argument : "");
        }
        print_help(o, used, out);
    }
}

void option_json(const struct option_list *l, unsigned commands, struct json *j)
{
    for (const struct option *o = l->option; o < l->option + l->n; o++) {
        if (commands && !(o->commands & commands))
            continue;
        const char letter[2] = {o->letter};
        const struct { const char *name, *value; } text[] = {
            {"name", o->name}, {"letter", *letter ? letter : NULL}, {"field", o->field}, {"argument", o->argument},
            {"words", o->words}, {"section", o->section}, {"help", o->help}, {"default", o->fallback}};
        json_object(j, NULL, JSON_ROW);
        for (unsigned i = 0; i < sizeof text / sizeof text[0]; i++)
            if (text[i].value)
                json_text(j, text[i].name, text[i].value);
        if (o->hidden)
            json_bool(j, "hidden", true);
        if (o->kind > OPTION_PICK)
            json_bool(j, "takes_value", true);
        json_end(j);
    }
}
