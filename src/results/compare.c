/* SPDX-License-Identifier: BSD-2-Clause */
#include "results/compare.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "host/json_tree.h"
#include "host/numbers.h"
#include "host/text.h"
#include "results/encode.h"
#include "results/report_read.h"

struct report {
    const char *path;
    struct report_file file;
    struct stored has;
    const cJSON *block; /* "assay" */
};

struct comparison {
    struct report side[2];
    FILE *out; /* or NULL */
    unsigned scores, differ;
    bool common;  /* the reports have unequal decimals, of which both have `decimals` */
    int decimals;
    double step; /* by how much two values with the same bits may differ, as both are rounded to these */
};

static int read_report(struct report *r, struct assay_error *e)
{
    TRY(report_file_read(&r->file, r->path, e));
    TRY(report_file_only(&r->file, e));
    TRY(report_file_take(&r->file, 0, r->path, &r->has, e));
    r->block = JSON_GET(r->file.root, "assay");
    return r->has.bits ? ASSAY_OK
                       : assay_fail(e, ASSAY_EINPUT, "%s: no report of scores that this assay's --json wrote", r->path);
}

/* The name of a member as it is shown: any text may stand there. */
struct shown {
    char text[200];
};

static struct shown shown(const char *name)
{
    struct shown s;
    snprintf(s.text, sizeof s.text, "%s", name);
    text_plain(s.text);
    return s;
}

/* ---- scores ---- */

/* Behind the keys of frames are the figures of the whole run, which have one value. */

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

static uint64_t rows_of(const struct stored *s, uint32_t i)
{
    return i < s->scores.keys ? s->scores.rows : 1;
}

static uint64_t frame_of(const struct stored *s, uint32_t i, uint64_t row)
{
    return i < s->scores.keys ? s->scores.frame[row] : 0;
}

static double value_of(const struct stored *s, uint32_t i, uint64_t row)
{
    return i < s->scores.keys ? scores_value(&s->scores, row, i) : s->run.aggregate[i - s->scores.keys].value;
}

/* The digest of the values that are there. Those of a report may be rounded, and it states that of the exact ones. */
static uint64_t digest_of(const struct stored *s, uint32_t i)
{
    return stored_digest(s, i, (double)NAN);
}

static uint64_t bits_of(const struct stored *s, uint32_t i)
{
    return s->bits ? s->bits[i] : digest_of(s, i);
}

/* A value as a report with so many decimals states it. */
static double rounded(double v, int decimals)
{
    char text[NUMBER_TEXT_SIZE];
    if (decimals < 0 || !isfinite(v))
        return v;
    format_fixed(text, v, decimals);
    parse_number(text, &v);
    return v;
}

void stored_compare(const struct stored *a, const struct stored *b, const char *name, int decimals, assay_comparison *c)
{
    uint32_t i, k;
    *c = (assay_comparison){.score = name, .in = {stored_find(a, name, &i), stored_find(b, name, &k)}};
    if (!c->in[0] || !c->in[1])
        return;
    c->equal = bits_of(a, i) == bits_of(b, k);
    for (uint64_t row = 0, other = 0; row < rows_of(a, i) && other < rows_of(b, k);) {
        const uint64_t fa = frame_of(a, i, row), fb = frame_of(b, k, other);
        if (fa == fb) {
            const double va = rounded(value_of(a, i, row), decimals), vb = rounded(value_of(b, k, other), decimals);
            const double apart = isfinite(va) != isfinite(vb) ? (double)INFINITY : fabs(va - vb);
            const bool differ = !same_bits(va, vb);
            if (!c->common++ || (differ && !c->differ)) {
                c->first = fa;
                c->value[0] = va;
                c->value[1] = vb;
            }
            c->differ += differ;
            c->largest = apart > c->largest ? apart : c->largest;
        }
        row += fa <= fb;
        other += fb <= fa;
    }
    c->equal = c->equal && c->common == rows_of(a, i) && c->common == rows_of(b, k);
}

/* ---- as text ----------------------------------------------------------------------------------------------------- */

/* Whether every value of a score is a number of `decimals` decimals. */
static bool has_decimals(const struct stored *s, uint32_t i, int decimals)
{
    for (uint64_t row = 0; row < rows_of(s, i); row++) {
        const double v = value_of(s, i, row), back = rounded(v, decimals);
        if (isfinite(v) && (back < v || back > v))
            return false;
    }
    return true;
}

/* The fewest decimals that a number of a key has in the report's text, REPORT_EXACT at most; -1: it has no number.
 * Values alone don't tell: 32.590 is 32.59. */
enum { LAST_DECIMALS = 16, REPORT_EXACT = 18 };
static int written_decimals(const struct report *r, const char *key)
{
    char name[200];
    int fewest = -1;
    snprintf(name, sizeof name, "\"%s\": ", key);
    for (const char *at = r->file.own; (at = strstr(at, name)) != NULL;) {
        at += strlen(name);
        const size_t whole = strspn(at, "-0123456789");
        const size_t decimals = at[whole] == '.' ? strspn(at + whole + 1, "0123456789") : 0;
        if (whole && (fewest < 0 || decimals < (size_t)fewest))
            fewest = decimals < REPORT_EXACT ? (int)decimals : REPORT_EXACT;
    }
    return fewest;
}

/* The decimals of a report's numbers: the fewest that all rounded ones have, and not less than the first rounded key is
 * written with. Nearly all values have LAST_DECIMALS, so a report with these or more has them in every key.
 * REPORT_EXACT: no number is rounded, or at most in its last digits. */
static int decimals_of(const struct report *r)
{
    const uint32_t scores = stored_scores(&r->has);
    int decimals = -1;
    for (uint32_t i = 0; i < scores; i++) {
        if (digest_of(&r->has, i) == r->has.bits[i])
            continue;
        if (decimals < 0)
            decimals = written_decimals(r, stored_score(&r->has, i));
        while (decimals < LAST_DECIMALS && !has_decimals(&r->has, i, decimals))
            decimals++;
    }
    for (uint32_t i = 0; i < scores && decimals >= LAST_DECIMALS; i++) {
        const int written = written_decimals(r, stored_score(&r->has, i));
        decimals = written < 0 || written == decimals ? decimals : REPORT_EXACT;
    }
    return decimals < 0 ? REPORT_EXACT : decimals;
}

/* " at the 3 decimals that both have", where the reports differ in them. */
static const char *at_decimals(const struct comparison *c, char text[64])
{
    *text = '\0';
    if (c->common)
        snprintf(text, 64, " at the %d decimal%s that both have", c->decimals, c->decimals == 1 ? "" : "s");
    return text;
}

/* Prints in which frames a score differs, or, of a figure of the whole run, its values. Rounded numbers in a report can
 * hide a difference. */
static void tell(const struct comparison *c, const assay_comparison *d, bool whole)
{
    const struct shown name = shown(d->score);
    char text[2][NUMBER_TEXT_SIZE], most[NUMBER_TEXT_SIZE], where[64];
    bool exact = true;
    for (unsigned side = 0; side < 2; side++) {
        uint32_t i;
        const struct stored *s = &c->side[side].has;
        exact = exact && stored_find(s, d->score, &i) && digest_of(s, i) == s->bits[i];
        format_shortest(text[side], d->value[side]);
    }
    format_shortest(most, d->largest);
    if (whole)
        fprintf(c->out, "%s: %s and %s%s%s\n", name.text, text[0], text[1], at_decimals(c, where),
                strcmp(text[0], text[1]) ? "" : " (their bits differ)");
    else if (d->differ)
        fprintf(c->out, "%s: differs in %llu of %llu frames%s, by at most %s; first in frame %llu: %s and %s\n",
                name.text, (unsigned long long)d->differ, (unsigned long long)d->common, at_decimals(c, where), most,
                (unsigned long long)d->first, text[0], text[1]);
    else if (exact || d->common < c->side[0].has.scores.rows || d->common < c->side[1].has.scores.rows)
        fprintf(c->out, "%s: the same %s in the %llu frames that both have\n", name.text,
                exact ? "bits" : "numbers", (unsigned long long)d->common);
    else
        fprintf(c->out, "%s: its bits differ, and the decimals of the reports do not show where (--precision max)\n",
                name.text);
}

/* Finds the decimals that both reports have, and says where one has more. */
static void compare_decimals(struct comparison *c)
{
    const int has[2] = {decimals_of(&c->side[0]), decimals_of(&c->side[1])};
    c->decimals = has[0] < has[1] ? has[0] : has[1];
    c->common = has[0] != has[1];
    c->step = c->common ? 1.5 : 0;
    for (int i = 0; i < c->decimals; i++)
        c->step /= 10;
    if (!c->common || !c->out)
        return;
    fprintf(c->out, "precision: ");
    for (unsigned i = 0; i < 2; i++) {
        if (has[i] == REPORT_EXACT)
            fprintf(c->out, "%sexact numbers", i ? " and " : "");
        else
            fprintf(c->out, "%s%d decimal%s", i ? " and " : "", has[i], has[i] == 1 ? "" : "s");
    }
    fprintf(c->out, "; digests of the exact scores are compared\n");
}

static void compare_scores(struct comparison *c)
{
    const struct stored *const has[2] = {&c->side[0].has, &c->side[1].has};
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0, k; i < stored_scores(has[side]); i++) {
            assay_comparison d;
            const char *name = stored_score(has[side], i);
            if (side && stored_find(has[0], name, &k))
                continue;
            stored_compare(has[0], has[1], name, c->common ? c->decimals : -1, &d);
            c->scores++;
            d.equal = d.equal && !(d.largest > c->step); /* a report whose numbers were changed keeps its digests */
            c->differ += !d.equal;
            if (c->out && !d.in[!side])
                fprintf(c->out, "%s: only in %s\n", shown(name).text, shown(c->side[side].path).text);
            else if (c->out && !d.equal)
                tell(c, &d, i >= has[0]->scores.keys);
        }
}

/* ---- the rest of the reports ---- */

/* Prints the options that entry x has and entry y has otherwise, or has not. */
static void tell_options(const struct comparison *c, const struct configuration_entry *x,
                         const struct configuration_entry *y, bool turned)
{
    const char *end = x->text + x->length;
    for (const char *at = x->text + x->name + 1; at < end;) {
        const size_t n = strcspn(at, ":,"), name = strcspn(at, "=:,") + 1;
        const char *other = y->text + y->name + 1, *stop = y->text + y->length;
        while (other < stop && strncmp(other, at, name))
            other += strcspn(other, ":,") + 1;
        const size_t m = other < stop ? strcspn(other, ":,") : 0;
        /* What both have is told in the first turn. */
        if (!m && turned)
            fprintf(c->out, "configuration: %.*s: not stated and %.*s\n", (int)x->name, x->text, (int)n, at);
        else if (!m)
            fprintf(c->out, "configuration: %.*s: %.*s and not stated\n", (int)x->name, x->text, (int)n, at);
        else if (!turned && (m != n || strncmp(other, at, n)))
            fprintf(c->out, "configuration: %.*s: %.*s and %.*s\n", (int)x->name, x->text, (int)n, at, (int)m, other);
        at += n + 1;
    }
}

/* Prints by what the metrics of the two sides differ. `turned`: from the second one to the first. */
static void tell_configuration(const struct comparison *c, char *const text[2], bool turned)
{
    struct configuration_entry x, other, back;
    for (const char *at = text[turned]; configuration_next(&at, &x);) {
        if (configuration_has(text[!turned], &x, &other))
            continue;
        if (other.text && !configuration_has(text[turned], &other, &back))
            tell_options(c, &x, &other, turned);
        else /* all of a metric that both have once more */
            fprintf(c->out, "configuration: %.*s only in %s\n", (int)(other.text ? x.length : x.name), x.text,
                    shown(c->side[turned].path).text);
    }
}

/* Prints the values of a member that differs; where both sides state a configuration, the differences alone. */
static int compare_member(const struct comparison *c, const char *name, struct assay_error *e)
{
    const cJSON *item[2] = {JSON_GET(c->side[0].block, name), JSON_GET(c->side[1].block, name)};
    const bool configured = !strcmp(name, "configuration") && cJSON_IsString(item[0]) && cJSON_IsString(item[1]);
    char *text[2];
    for (unsigned i = 0; i < 2; i++)
        text[i] = configured ? strdup(item[i]->valuestring) : item[i] ? cJSON_PrintUnformatted(item[i])
                : strdup("not stated");
    const bool good = text[0] && text[1], differ = good && c->out && strcmp(text[0], text[1]);
    for (unsigned i = 0; differ && i < 2; i++)
        text_plain(text[i]);
    if (differ && !configured)
        fprintf(c->out, "%s: %s and %s\n", shown(name).text, text[0], text[1]);
    for (unsigned i = 0; differ && configured && i < 2; i++)
        tell_configuration(c, text, i);
    free(text[0]);
    free(text[1]);
    return good ? ASSAY_OK : assay_fail_memory(e, "the comparison");
}

/* Members that follow from the scores, or are compared with them, are left out. */
static int compare_descriptions(const struct comparison *c, struct assay_error *e)
{
    const cJSON *item;
    for (unsigned side = 0; side < 2; side++)
        cJSON_ArrayForEach(item, c->side[side].block)
            if (text_word("bits percentiles gates part", item->string) < 0 &&
                !(side && JSON_GET(c->side[0].block, item->string)))
                TRY(compare_member(c, item->string, e));
    return ASSAY_OK;
}

/* Prints the first frame whose time differs. Stops where the reports have different frames in the same row. */
static void compare_times(const struct comparison *c)
{
    const struct scores *a = &c->side[0].has.scores, *b = &c->side[1].has.scores;
    for (uint64_t i = 0; i < a->rows && i < b->rows && a->frame[i] == b->frame[i]; i++)
        if (a->time[i] != b->time[i]) {
            fprintf(c->out, "time: differs from frame %llu on\n", (unsigned long long)a->frame[i]);
            return;
        }
}

int reports_compare(const char *a, const char *b, FILE *out, struct assay_error *e)
{
    struct comparison c = {.side = {{.path = a}, {.path = b}}, .out = out};
    int rc = read_report(&c.side[0], e);
    rc = rc ? rc : read_report(&c.side[1], e);
    rc = rc ? rc : compare_descriptions(&c, e);
    if (!rc) {
        if (out)
            compare_times(&c);
        compare_decimals(&c);
        compare_scores(&c);
        if (out && c.differ)
            fprintf(out, "%u of %u scores differ\n", c.differ, c.scores);
        else if (out)
            fprintf(out, "%u scores, %llu frames: the same bits\n", c.scores,
                    (unsigned long long)c.side[0].has.scores.rows);
    }
    for (unsigned i = 0; i < 2; i++) {
        stored_free(&c.side[i].has);
        report_file_free(&c.side[i].file);
    }
    return rc ? rc : c.differ > 0;
}
