/* SPDX-License-Identifier: BSD-2-Clause */
/* "opt=val:opt=val": every form that is taken, every form that is refused, with one line that says why. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "metrics/options.h"
#include "comma_locale.h"

struct values {
    bool flag, on;
    int count;
    double ratio;
};

#define OPTIONS struct values
static const struct metric_option table[] = {
    KEY_FLAG_OPTION(flag, "flag", "f", false, ""),
    FLAG_OPTION(on, "on", true, ""),
    KEY_INT_OPTION(count, "count", "n", 3, -5, 1000, ""),
    DOUBLE_OPTION(ratio, "ratio", 0.25, 0, 1e9, ""),
};

static const struct metric_ops ops = {.name = "m", .options = table, .n_options = 4,
                                      .options_size = sizeof(struct values)};

static int parse(const char *text, struct values *v, struct assay_error *e)
{
    memset(v, 0xa5, sizeof *v);
    memset(e, 0, sizeof *e);
    return options_parse(&ops, v, text, e);
}

static void good(const char *text, bool flag, bool on, int count, double ratio)
{
    struct values v;
    struct assay_error e;
    if (parse(text, &v, &e))
        fail_msg("'%s': %s", text, e.text);
    if (v.flag != flag || v.on != on || v.count != count || v.ratio != ratio)
        fail_msg("'%s': %d %d %d %a", text, v.flag, v.on, v.count, v.ratio);
}

static void bad(const char *text, const char *says)
{
    struct values v;
    struct assay_error e;
    if (parse(text, &v, &e) != ASSAY_EUSAGE)
        fail_msg("'%s' is taken", text);
    if (!strstr(e.text, says) || strstr(e.text, "m") != e.text || strchr(e.text, '\n'))
        fail_msg("'%s': '%s' does not say '%s'", text, e.text, says);
}

static void taken(void **state)
{
    (void)state;
    good("", false, true, 3, 0.25);
    good("flag=true", true, true, 3, 0.25);
    good("flag=1", true, true, 3, 0.25);
    good("flag", true, true, 3, 0.25);
    good("f", true, true, 3, 0.25);
    good("f=false:on=0", false, false, 3, 0.25);
    good("on=false:flag", true, false, 3, 0.25);
    good("n=-5", false, true, -5, 0.25);
    good("count=1000", false, true, 1000, 0.25);
    good("count=1e3", false, true, 1000, 0.25);
    good("count=7.0:ratio=7", false, true, 7, 7);
    good("ratio=1e-300", false, true, 3, 1e-300);
    good("ratio=0.1:count=0:flag=true:on=true", true, true, 0, 0.1);
    good("ratio=1000000000", false, true, 3, 1e9);
}

static void refused(void **state)
{
    (void)state;
    bad("size=3", "m has no option 'size'");
    bad("fla=1", "'fla'");
    bad("flagg=1", "'flagg'");
    bad("FLAG=1", "'FLAG'");
    bad("=1", "no option ''");
    bad(":", "no option ''");
    bad("flag=1:", "missing after the last ':'");
    bad("flag::on=1", "no option ''");
    bad("flag=1:flag=0", "option flag is given twice");
    bad("flag=1:f=0", "option flag is given twice");
    bad("n=1:ratio=1:count=1", "option count is given twice");
    bad("flag=yes", "true or false, not 'yes'");
    bad("flag=", "true or false, not ''");
    bad("flag=True", "not 'True'");
    bad("flag=2", "not '2'");
    bad("flag= 1", "not ' 1'");
    bad("count", "a whole number from -5 to 1000, not ''");
    bad("count=", "not ''");
    bad("count=1.5", "not '1.5'");
    bad("count=1001", "not '1001'");
    bad("count=-6", "not '-6'");
    bad("count=99999999999999999999", "whole number");
    bad("count=3 ", "not '3 '");
    bad("count=0x10", "not '0x10'");
    bad("count=--1", "not '--1'");
    bad("ratio=-1e-9", "a number from 0 to");
    bad("ratio=1e10", "a number");
    bad("ratio=nan", "not 'nan'");
    bad("ratio=NaN", "not 'NaN'");
    bad("ratio=-nan", "not '-nan'");
    bad("ratio=inf", "not 'inf'");
    bad("ratio=1e999", "not '1e999'");
    bad("ratio=0,5", "not '0,5'");
    bad("ratio=1=2", "not '1=2'");
    bad("ratio=1.0f", "not '1.0f'");
    bad("ratio=0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000x",
        "a number");
}

/* What is printed is taken again, and is the same value. */
static void printed(void **state)
{
    static const char *const texts[] = {"", "flag", "count=-4", "ratio=0.1", "ratio=123456.789012345", "ratio=1e-310",
                                        "on=0:count=999:ratio=33333333.333333336"};
    (void)state;
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct values v, again;
        struct assay_error e;
        char all[512] = "", text[64];
        assert_int_equal(parse(texts[i], &v, &e), 0);
        for (unsigned o = 0; o < 4; o++)
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s=%s", o ? ":" : "", table[o].name,
                     options_print(&table[o], &v, text));
        if (parse(all, &again, &e))
            fail_msg("'%s': %s", all, e.text);
        assert_true(v.flag == again.flag && v.on == again.on && v.count == again.count && v.ratio == again.ratio);
    }
}

static void any_locale(void **state)
{
    (void)state;
    if (!set_comma_locale())
        skip(); /* none is installed, and none can be made */
    taken(NULL);
    refused(NULL);
    printed(NULL);
    bad("ratio=-1", "from 0 to 1000000000,");
    setlocale(LC_ALL, "C");
}

/* ---- the metrics' own tables ---- */

/* Names and values of a choice differ from each other, and one of them is the default. */
static void all_choices(const struct metric_option *option)
{
    bool has_default = false;
    for (const struct metric_choice *c = option->choices; c->name; c++) {
        has_default |= (double)c->value == option->fallback;
        assert_null(strpbrk(c->name, "|=:, \"\\"));
        for (const struct metric_choice *other = option->choices; other < c; other++) {
            assert_string_not_equal(c->name, other->name);
            assert_int_not_equal(c->value, other->value);
        }
    }
    assert_true(has_default);
}

static void all_metrics(void **state)
{
    struct metric *m;
    struct assay_error e;
    char text[512], value[64];
    (void)state;
    for (unsigned i = 0; assay_metrics[i]; i++) {
        const struct metric_ops *o = assay_metrics[i];
        assert_ptr_equal(metric_find(o->name, strlen(o->name)), o);
        assert_true(o->n_options <= 64); /* the parser's set of names seen */
        for (uint32_t k = 0; k < o->n_options; k++) {
            const struct metric_option *option = &o->options[k];
            const bool is_text = option->type == OPTION_TEXT || option->type == OPTION_REST;
            const bool is_int = option->type == OPTION_INT || option->type == OPTION_CHOICE;
            const size_t size = option->type == OPTION_BOOL ? sizeof(bool)
                                : is_int                    ? sizeof(int)
                                : is_text                   ? METRIC_TEXT
                                                            : sizeof(double);
            assert_true(option->offset + size <= o->options_size);
            assert_int_equal(option->type == OPTION_CHOICE, option->choices != NULL);
            if (option->type == OPTION_CHOICE)
                all_choices(option);
            else
                assert_true((option->min <= option->fallback && option->fallback <= option->max)
                            || option->fallback == 0);
            assert_true(strlen(option->help) > 0 && !strpbrk(option->help, "\"\\\n"));
            assert_null(strpbrk(option->name, "=:, "));
            for (uint32_t other = 0; other < k; other++)
                assert_string_not_equal(option->name, o->options[other].name);
            assert_int_equal(is_text, option->text != NULL);
            if (option->type == OPTION_REST)
                continue;
            memset(&e, 0, sizeof e);
            snprintf(text, sizeof text, "%s=%s=%s", o->name, option->name, is_text ? "\t" : "nan");
            assert_int_equal(metric_new(&m, text, &e), ASSAY_EUSAGE);
            assert_null(m);
            assert_non_null(strstr(e.text, option->name));
            for (const struct metric_choice *c = option->choices; c && c->name; c++)
                assert_non_null(strstr(e.text, c->name));
            memset(&e, 0, sizeof e);
            assert_int_equal(metric_new(&m, o->name, &e), 0);
            snprintf(text, sizeof text, "%s=%s=%s", o->name, option->name, options_print(option, m->options, value));
            metric_free(&m);
            assert_int_equal(metric_new(&m, text, &e), 0);
            metric_free(&m);
            assert_null(m);
        }
        memset(&e, 0, sizeof e);
        snprintf(text, sizeof text, "%s=nothing=1", o->name);
        assert_int_equal(metric_new(&m, text, &e), ASSAY_EUSAGE);
        assert_non_null(strstr(e.text, o->name));
        memset(&e, 0, sizeof e);
        snprintf(text, sizeof text, "%sx", o->name);
        if (!metric_find(text, strlen(text)))
            assert_int_equal(metric_new(&m, text, &e), ASSAY_EUSAGE);
    }
    assert_null(metric_find("", 0));
    assert_null(metric_find("psn", 3));
    memset(&e, 0, sizeof e);
    assert_int_equal(metric_new(&m, "psnr=", &e), 0); /* options may be empty */
    metric_free(&m);
    metric_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taken),      cmocka_unit_test(refused),     cmocka_unit_test(printed),
        cmocka_unit_test(any_locale), cmocka_unit_test(all_metrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
