/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/text.h"
#include "results/results.h"

static const char *option_name(bool over)
{
    return over ? "--fail-over" : "--fail-under";
}

/* Splits "key.pool" at the first dot that is followed by a pool's name. Keys and pools may both hold dots
 * ("ssim_scale_1.5.p2.5"), but no pool begins with a digit. */
static bool split_pool(struct gate *g, const char *name, size_t length)
{
    for (size_t dot = 1; dot + 1 < length; dot++) {
        size_t n = length - dot - 1;
        if (name[dot] != '.' || n >= sizeof g->pool_name)
            continue;
        memcpy(g->pool_name, name + dot + 1, n);
        g->pool_name[n] = '\0';
        if (pool_parse(g->pool_name, &g->pool, &g->percent)) {
            g->pool_named = true;
            memcpy(g->key, name, dot);
            g->key[dot] = '\0';
            return true;
        }
    }
    g->pool_name[0] = '\0';
    return false;
}

int gate_figure(struct gate *g, const char *option, const char *text, size_t length, struct assay_error *e)
{
    *g = (struct gate){.pool = POOL_MEAN};
    if (!length || length >= sizeof g->key)
        return assay_fail(e, ASSAY_EUSAGE, "%s %s: the name is too %s", option, text, length ? "long" : "short");
    if (!split_pool(g, text, length)) {
        memcpy(g->key, text, length);
        g->key[length] = '\0';
        const char *dot = strrchr(g->key, '.');
        /* ".5" at the end of a key is the value of an option. A word after the dot was meant as a pool. */
        if (dot && (dot[1] < '0' || dot[1] > '9'))
            return assay_fail(e, ASSAY_EUSAGE,
                              "%s %s: '%s' is not a pool; pools are min, max, mean, harmonic_mean, geometric_mean, "
                              "median, p0 to p100, stddev, variance and rms", option, text, dot + 1);
    }
    if (!report_key_valid(g->key))
        return assay_fail(e, ASSAY_EUSAGE, "%s %s: '%s' can't be the name of a score", option, text, g->key);
    return ASSAY_OK;
}

/* Takes a "%" from the end of the number that begins at `number`. */
static bool take_percent(const char *number, char *text, size_t size)
{
    const size_t n = strlen(number);
    if (!n || number[n - 1] != '%' || n > size)
        return false;
    memcpy(text, number, n - 1);
    text[n - 1] = '\0';
    return true;
}

int gate_parse(struct gate *g, const char *text, bool over, struct assay_error *e)
{
    double limit = 0;
    char number[64];
    const char *option = option_name(over), *equals = strrchr(text, '=');
    if (!equals || equals == text)
        return assay_fail(e, ASSAY_EUSAGE, "%s %s: expected KEY.POOL=VALUE, as in psnr_y.p5=35", option, text);
    const bool of_pixels = take_percent(equals + 1, number, sizeof number);
    if ((size_t)(equals - text) < sizeof g->key && !parse_number(of_pixels ? number : equals + 1, &limit))
        return assay_fail(e, ASSAY_EUSAGE, "%s %s: '%s' is not a number", option, text, equals + 1);
    if (of_pixels && !(limit >= 0 && limit <= 100))
        return assay_fail(e, ASSAY_EUSAGE, "%s %s: a share of the pixels is 0%% to 100%%", option, text);
    TRY(gate_figure(g, option, text, (size_t)(equals - text), e));
    g->limit = limit;
    g->over = over;
    g->of_pixels = of_pixels;
    return ASSAY_OK;
}

uint32_t gate_names_find(const struct gate_names *names, const char *name)
{
    uint32_t i = 0;
    while (i < names->names && strcmp(names->name[i], name) != 0)
        i++;
    return i;
}

int gate_check_direction(const struct gate *g, int direction, struct assay_error *e)
{
    const bool spread = g->pool == POOL_STDDEV || g->pool == POOL_VARIANCE, higher = direction == ASSAY_HIGHER;
    char limit[NUMBER_TEXT_SIZE], figure[sizeof g->key + sizeof g->pool_name + NUMBER_TEXT_SIZE + 3];
    if (spread || g->any_way || direction == ASSAY_NEUTRAL || higher != g->over)
        return ASSAY_OK;
    format_shortest(limit, g->limit);
    snprintf(figure, sizeof figure, "%s%s%s=%s%s", g->key, g->pool_named ? "." : "", g->pool_name, limit,
             g->of_pixels ? "%" : "");
    return assay_fail(e, ASSAY_EUSAGE, "%s %s: %s %s is better, so this passes what is worse: %s %s fails it "
                      "(--allow-reversed-gates takes it as it is)", option_name(g->over), figure,
                      higher ? "higher" : "lower", g->key, option_name(!g->over), figure);
}

int gate_validate(const struct gate *g, const struct gate_names *n, struct assay_error *e)
{
    const uint32_t k = gate_names_find(n, g->key);
    if (k == n->names) {
        char known[300] = "";
        for (uint32_t i = 0; i < n->names && text_list(known, sizeof known, n->name[i]);)
            i++;
        return assay_fail(e, ASSAY_EUSAGE, "%s: this run has no score named '%s'; it has %s", option_name(g->over),
                          g->key, known);
    }
    if (k >= n->keys && g->pool_named)
        return assay_fail(e, ASSAY_EUSAGE, "%s: '%s' is one figure for the whole run and has no pool '%s'",
                          option_name(g->over), g->key, g->pool_name);
    return gate_check_direction(g, n->direction ? n->direction[k] : ASSAY_NEUTRAL, e);
}

bool gate_passes(const struct gate *g, double v)
{
    return g->over ? v <= g->limit : v >= g->limit;
}

void gate_print(void *out, const struct gate *g, const char *where, const struct gate_result *r)
{
    char value[NUMBER_TEXT_SIZE], limit[NUMBER_TEXT_SIZE];
    format_fixed(value, r->value, 6);
    format_fixed(limit, g->limit, 6);
    if (strcmp(value, limit) == 0 && r->value != g->limit)
        format_shortest(value, r->value);
    format_shortest(limit, g->limit);
    const char *percent = g->of_pixels ? " %" : "";
    fprintf(out, "%s  %s%s%s%s", gate_passes(g, r->value) ? "pass" : "FAIL", where, g->key, r->pool ? "." : "",
            r->pool ? r->pool : "");
    if (r->why)
        fprintf(out, ": %s", r->why);
    else
        fprintf(out, " = %s%s, %s %s%s", value, percent, g->over ? "at most" : "at least", limit, percent);
    if (r->at_frame)
        fprintf(out, " (frame %llu)", (unsigned long long)r->frame);
    fputc('\n', out);
}

struct gate_result gate_judge(const struct gate *g, const struct stored *x)
{
    uint32_t column;
    const bool of_frames = scores_column(&x->scores, g->key, &column);
    const struct report_aggregate *whole = of_frames ? NULL : report_run_aggregate(&x->run, g->key);
    struct gate_result r = {.value = (double)NAN, .pool = g->pool_named ? g->pool_name : of_frames ? "mean" : NULL};
    if (x->run.incomplete) {
        r.verdict = GATE_UNCHECKED;
        r.why = "not checked, the run is incomplete";
    } else if (!of_frames && !whole) {
        r.verdict = GATE_ABSENT;
        r.why = "this encode has no such score";
    } else {
        r.value = of_frames ? scores_pool(&x->scores, column, g->pool, g->percent, &r.frame) : whole->value;
        r.at_frame = of_frames && x->scores.rows && (g->pool == POOL_MIN || g->pool == POOL_MAX);
        r.verdict = gate_passes(g, r.value) ? GATE_PASSED : GATE_FAILED;
    }
    return r;
}

int gates_check(const char *where, const struct gate *g, uint32_t gates, const struct stored *x, void *stream,
                struct assay_error *e)
{
    int failed = 0;
    for (uint32_t i = 0; i < gates; i++) {
        const struct gate_result r = gate_judge(g + i, x);
        gate_print(stream, g + i, where, &r);
        failed += r.verdict != GATE_PASSED;
    }
    if (fflush(stream) != 0 || ferror((FILE *)stream))
        return assay_fail(e, ASSAY_EINTERNAL, "the gates can't be printed: %s", strerror(errno));
    return failed;
}
