/* SPDX-License-Identifier: BSD-2-Clause */
#include "results/compare.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "host/numbers.h"
#include "host/text.h"
#include "results/configuration.h"
#include "results/digest.h"
#include "results/report_read.h"

enum { KEYS_MOST = 4096 }; /* every key is looked for among all */

struct report {
    const char *path;
    struct report_file file;
    struct stored has;
    const cJSON *block, *bits; /* "assay", and in it "bits" */
};

struct comparison {
    struct report side[2];
    FILE *out; /* or NULL */
    unsigned scores, differ;
    bool common;  /* the reports have unequal decimals, of which both have `decimals` */
    int decimals;
};

static const cJSON *get(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static int read_report(struct report *r, struct assay_error *e)
{
    TRY(report_file_read(&r->file, r->path, e));
    TRY(report_file_only(&r->file, e));
    TRY(report_file_take(&r->file, 0, r->path, &r->has, e));
    r->block = get(r->file.root, "assay");
    r->bits = get(r->block, "bits");
    const cJSON *item;
    bool good = cJSON_IsObject(r->bits) && cJSON_GetArraySize(r->bits) <= KEYS_MOST;
    if (good) /* each key once, or a report would not equal itself */
        cJSON_ArrayForEach(item, r->bits) good = good && cJSON_IsString(item) && get(r->bits, item->string) == item;
    return good ? ASSAY_OK
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

static void say(const struct comparison *c, const char *name, const char *words, const char *text)
{
    if (c->out)
        fprintf(c->out, "%s: %s %s\n", shown(name).text, words, shown(text).text);
}

/* ---- scores ---- */

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

static bool is_aggregate(const struct report *r, const char *key)
{
    return report_run_aggregate(&r->has.run, key) != NULL;
}

/* The number of values that a report has of a key, and one of them; NaN where the report has null. */
static uint64_t values_of(const struct report *r, const char *key)
{
    uint32_t column;
    return is_aggregate(r, key) ? 1 : scores_column(&r->has.scores, key, &column) ? r->has.scores.rows : 0;
}

static double value_of(const struct report *r, const char *key, uint64_t row)
{
    const struct report_aggregate *whole = report_run_aggregate(&r->has.run, key);
    uint32_t column;
    return whole ? whole->value
         : scores_column(&r->has.scores, key, &column) ? scores_value(&r->has.scores, row, column) : (double)NAN;
}

/* Whether the report holds the exact values of a key, not rounded ones: their digest is the stated one. */
static bool holds_values(const struct report *r, const char *key)
{
    uint64_t digest = DIGEST_START;
    char text[20];
    const uint64_t rows = is_aggregate(r, key) ? 1 : r->has.scores.rows;
    for (uint64_t row = 0; row < rows; row++)
        digest = digest_value(digest, is_aggregate(r, key) ? 0 : r->has.scores.frame[row], value_of(r, key, row));
    snprintf(text, sizeof text, "%016llx", (unsigned long long)digest);
    return !strcmp(text, get(r->bits, key)->valuestring);
}

/* Whether every value of a key is a number of `decimals` decimals. */
static bool has_decimals(const struct report *r, const char *key, int decimals)
{
    for (uint64_t row = 0; row < values_of(r, key); row++) {
        const double v = value_of(r, key, row);
        char text[NUMBER_TEXT_SIZE];
        double back;
        if (isfinite(v)) {
            format_fixed(text, v, decimals);
            if (!parse_number(text, &back) || back < v || back > v)
                return false;
        }
    }
    return true;
}

/* The fewest decimals that a number of a key has in the report's text, REPORT_EXACT at most. 0: also where none is
 * found. Values alone don't tell: 32.590 is 32.59. */
enum { REPORT_EXACT = 16 };
static int written_decimals(const struct report *r, const char *key)
{
    char name[200];
    int fewest = REPORT_EXACT;
    bool found = false;
    snprintf(name, sizeof name, "\"%s\": ", key);
    for (const char *at = r->file.own; (at = strstr(at, name)) != NULL;) {
        at += strlen(name);
        const size_t whole = strspn(at, "-0123456789");
        const size_t decimals = at[whole] == '.' ? strspn(at + whole + 1, "0123456789") : 0;
        found = found || whole;
        if (whole && decimals < (size_t)fewest)
            fewest = (int)decimals;
    }
    return found ? fewest : 0;
}

/* The decimals of a report's numbers: the fewest that all rounded ones have, and not less than the first rounded key is
 * written with. REPORT_EXACT: no number is rounded, or at most in its last digits. */
static int decimals_of(const struct report *r)
{
    const cJSON *item;
    int decimals = 0;
    bool rounded = false;
    cJSON_ArrayForEach(item, r->bits) {
        if (holds_values(r, item->string))
            continue;
        if (!rounded)
            decimals = written_decimals(r, item->string);
        rounded = true;
        while (decimals < REPORT_EXACT && !has_decimals(r, item->string, decimals))
            decimals++;
    }
    return rounded ? decimals : REPORT_EXACT;
}

/* A value as both reports could state it. */
static double common_value(const struct comparison *c, double v)
{
    char text[NUMBER_TEXT_SIZE];
    if (!c->common || !isfinite(v))
        return v;
    format_fixed(text, v, c->decimals);
    parse_number(text, &v);
    return v;
}

/* " at the 3 decimals that both have", where the reports differ in them. */
static const char *at_decimals(const struct comparison *c, char text[64])
{
    *text = '\0';
    if (c->common)
        snprintf(text, 64, " at the %d decimal%s that both have", c->decimals, c->decimals == 1 ? "" : "s");
    return text;
}

/* Prints in which frames a score differs. Rounded numbers in a report can hide a difference. */
static void tell_frames(const struct comparison *c, const char *key)
{
    const struct scores *a = &c->side[0].has.scores, *b = &c->side[1].has.scores;
    unsigned long long common = 0, differ = 0, first = 0;
    double values[2] = {0}, largest = 0;
    for (uint64_t i = 0, k = 0; i < a->rows && k < b->rows;) {
        const uint64_t fa = a->frame[i], fb = b->frame[k];
        if (fa == fb) {
            const double va = common_value(c, value_of(&c->side[0], key, i)),
                         vb = common_value(c, value_of(&c->side[1], key, k));
            common++;
            if (!same_bits(va, vb) && !differ++) {
                first = fa;
                values[0] = va;
                values[1] = vb;
            }
            largest = fabs(va - vb) > largest ? fabs(va - vb) : largest;
        }
        i += fa <= fb;
        k += fb <= fa;
    }
    const struct shown name = shown(key);
    char text[2][NUMBER_TEXT_SIZE], most[NUMBER_TEXT_SIZE], where[64];
    format_shortest(text[0], values[0]);
    format_shortest(text[1], values[1]);
    format_shortest(most, largest);
    if (differ)
        fprintf(c->out, "%s: differs in %llu of %llu frames%s, by at most %s; first in frame %llu: %s and %s\n",
                name.text, differ, common, at_decimals(c, where), most, first, text[0], text[1]);
    else if (holds_values(&c->side[0], key) && holds_values(&c->side[1], key))
        fprintf(c->out, "%s: the same bits in the %llu frames that both have\n", name.text, common);
    else
        fprintf(c->out, "%s: its bits differ, and the decimals of the reports do not show where (--precision max)\n",
                name.text);
}

static void tell_aggregate(const struct comparison *c, const char *key)
{
    char text[2][NUMBER_TEXT_SIZE], where[64];
    for (unsigned i = 0; i < 2; i++)
        format_shortest(text[i], common_value(c, value_of(&c->side[i], key, 0)));
    fprintf(c->out, "%s: %s and %s%s%s\n", shown(key).text, text[0], text[1], at_decimals(c, where),
            strcmp(text[0], text[1]) ? "" : " (their bits differ)");
}

/* Finds the decimals that both reports have, and says where one has more. */
static void compare_decimals(struct comparison *c)
{
    const int a = decimals_of(&c->side[0]), b = decimals_of(&c->side[1]);
    c->decimals = a < b ? a : b;
    c->common = a != b;
    if (!c->common)
        return;
    fprintf(c->out, "precision: ");
    for (unsigned i = 0; i < 2; i++) {
        const int of = i ? b : a;
        if (of == REPORT_EXACT)
            fprintf(c->out, "%sexact numbers", i ? " and " : "");
        else
            fprintf(c->out, "%s%d decimal%s", i ? " and " : "", of, of == 1 ? "" : "s");
    }
    fprintf(c->out, "; digests of the exact scores are compared\n");
}

static void compare_scores(struct comparison *c)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, c->side[0].bits) {
        const cJSON *other = get(c->side[1].bits, item->string);
        c->scores++;
        if (other && !strcmp(item->valuestring, other->valuestring))
            continue;
        c->differ++;
        if (!other)
            say(c, item->string, "only in", c->side[0].path);
        else if (c->out)
            (is_aggregate(&c->side[0], item->string) ? tell_aggregate : tell_frames)(c, item->string);
    }
    cJSON_ArrayForEach(item, c->side[1].bits)
        if (!get(c->side[0].bits, item->string)) {
            c->scores++;
            c->differ++;
            say(c, item->string, "only in", c->side[1].path);
        }
}

/* ---- the rest of the reports ---- */

/* Whether a member of the block follows from the scores or is compared with them. */
static bool is_result(const char *name)
{
    static const char *const results[] = {"bits", "percentiles", "gates", "part"};
    for (unsigned i = 0; i < sizeof results / sizeof results[0]; i++)
        if (!strcmp(name, results[i]))
            return true;
    return false;
}

static const char configuration[] = "configuration";

static int compare_member(const struct comparison *c, const char *name, struct assay_error *e)
{
    char *text[2] = {NULL, NULL};
    bool good = true;
    for (unsigned i = 0; i < 2; i++) {
        const cJSON *item = get(c->side[i].block, name);
        text[i] = item ? cJSON_PrintUnformatted(item) : strdup("not stated");
        good = good && text[i];
    }
    if (good && c->out && strcmp(text[0], text[1])) {
        text_plain(text[0]);
        text_plain(text[1]);
        fprintf(c->out, "%s: %s and %s\n", shown(name).text, text[0], text[1]);
    }
    free(text[0]);
    free(text[1]);
    return good ? ASSAY_OK : assay_fail_memory(e, "the comparison");
}

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

/* Where both sides state a configuration: prints the differences alone. */
static int compare_configurations(const struct comparison *c, struct assay_error *e)
{
    char *text[2] = {NULL, NULL};
    for (unsigned i = 0; i < 2; i++) {
        text[i] = strdup(get(c->side[i].block, configuration)->valuestring);
        if (text[i])
            text_plain(text[i]);
    }
    const bool good = text[0] && text[1];
    for (unsigned i = 0; good && c->out && i < 2; i++)
        tell_configuration(c, text, i);
    free(text[0]);
    free(text[1]);
    return good ? ASSAY_OK : assay_fail_memory(e, "the comparison");
}

static int compare_descriptions(const struct comparison *c, struct assay_error *e)
{
    const cJSON *item;
    const bool configured = cJSON_IsString(get(c->side[0].block, configuration)) &&
                            cJSON_IsString(get(c->side[1].block, configuration));
    cJSON_ArrayForEach(item, c->side[0].block)
        if (configured && !strcmp(item->string, configuration))
            TRY(compare_configurations(c, e));
        else if (!is_result(item->string))
            TRY(compare_member(c, item->string, e));
    cJSON_ArrayForEach(item, c->side[1].block)
        if (!is_result(item->string) && !get(c->side[0].block, item->string))
            TRY(compare_member(c, item->string, e));
    return ASSAY_OK;
}

/* Prints the first frame whose time differs. Stops where the reports have different frames in the same row. */
static void compare_times(const struct comparison *c)
{
    const struct scores *a = &c->side[0].has.scores, *b = &c->side[1].has.scores;
    for (uint64_t i = 0; i < a->rows && i < b->rows && a->frame[i] == b->frame[i]; i++)
        if (a->time[i] != b->time[i]) {
            char frame[48];
            snprintf(frame, sizeof frame, "%llu on", (unsigned long long)a->frame[i]);
            say(c, "time", "differs from frame", frame);
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
        if (out) {
            compare_times(&c);
            compare_decimals(&c);
        }
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
