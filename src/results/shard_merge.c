/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/shard.h"

/* Where to begin a quotation of 60 bytes of two texts that has to show where they differ: at 0, or at the start of the
 * word that differs. */
static size_t quote_from(const char *a, const char *b)
{
    size_t same = 0;
    while (a[same] && a[same] == b[same])
        same++;
    if (same < 30)
        return 0;
    while (same && !strchr(" ,:\n", a[same - 1]))
        same--;
    return same;
}

/* Refuses two parts that differ in `what`. */
static int differ(const struct stored *a, const struct stored *b, const char *what, const char *in_a, const char *in_b,
                  struct assay_error *e)
{
    const size_t from = quote_from(in_a, in_b);
    const char *dots = from ? "..." : "";
    return assay_fail(e, ASSAY_EMISMATCH, "%.120s and %.120s are parts of different runs: %.60s is '%s%.60s' and "
                      "'%s%.60s'", a->path, b->path, what, dots, in_a + from, dots, in_b + from);
}

static int check_text(const struct stored *a, const struct stored *b, const char *what, const char *in_a,
                      const char *in_b, struct assay_error *e)
{
    return strcmp(in_a, in_b) == 0 ? ASSAY_OK : differ(a, b, what, in_a, in_b, e);
}

static int check_number(const struct stored *a, const struct stored *b, const char *what, uint64_t in_a, uint64_t in_b,
                        struct assay_error *e)
{
    char x[24], y[24];
    snprintf(x, sizeof x, "%llu", (unsigned long long)in_a);
    snprintf(y, sizeof y, "%llu", (unsigned long long)in_b);
    return in_a == in_b ? ASSAY_OK : differ(a, b, what, x, y, e);
}

static uint64_t field_kind(const struct report_field *f)
{
    return (uint64_t)f->number + 2 * (uint64_t)f->incidental;
}

static int check_fields(const struct stored *a, const struct stored *b, struct assay_error *e)
{
    for (uint32_t i = 0; i < a->run.fields && i < b->run.fields; i++) {
        const struct report_field *f = a->run.field + i, *g = b->run.field + i;
        TRY(check_text(a, b, "the description", f->name, g->name, e));
        TRY(f->incidental && g->incidental ? ASSAY_OK : check_text(a, b, f->name, f->value, g->value, e));
        TRY(check_number(a, b, "the kind of a field", field_kind(f), field_kind(g), e));
    }
    return check_number(a, b, "the number of fields", a->run.fields, b->run.fields, e);
}

/* Refuses two parts that differ in anything that has to be equal in all parts of a run. */
static int check_same_run(const struct stored *a, const struct stored *b, struct assay_error *e)
{
    TRY(check_text(a, b, "version", a->run.version, b->run.version, e));
    TRY(check_number(a, b, "width", a->run.width, b->run.width, e));
    TRY(check_number(a, b, "height", a->run.height, b->run.height, e));
    TRY(check_number(a, b, "every", a->part.every, b->part.every, e));
    TRY(check_fields(a, b, e));
    for (uint32_t k = 0; k < a->scores.keys && k < b->scores.keys; k++)
        TRY(check_text(a, b, "a score", a->scores.key[k], b->scores.key[k], e));
    TRY(check_number(a, b, "the number of scores", a->scores.keys, b->scores.keys, e));
    for (uint32_t i = 0; i < a->part.totals && i < b->part.totals; i++)
        TRY(check_text(a, b, "a total", a->part.exact[i].name, b->part.exact[i].name, e));
    return check_number(a, b, "the number of totals", a->part.totals, b->part.totals, e);
}

static int compare_parts(const void *x, const void *y)
{
    const struct stored *a = *(const struct stored *const *)x, *b = *(const struct stored *const *)y;
    if (a->part.first != b->part.first)
        return a->part.first < b->part.first ? -1 : 1;
    return (a->part.count > b->part.count) - (a->part.count < b->part.count);
}

static int refuse_gap(uint64_t first, uint64_t end, const struct stored *before, struct assay_error *e)
{
    unsigned long long a = first, b = end - 1;
    if (before && before->run.incomplete)
        return assay_fail(e, ASSAY_EMISMATCH, "frames %llu to %llu are in no part: %.120s is incomplete: %.200s", a, b,
                          before->path, before->run.reason ? before->run.reason : "no reason is given");
    return assay_fail(e, ASSAY_EMISMATCH, "frames %llu to %llu are in no part", a, b);
}

/* Marks a whole as incomplete. No part has seen the end of an input, so frames may be missing behind the last part. */
static void lacks_end(struct stored *whole)
{
    char reason[120];
    snprintf(reason, sizeof reason, "frames from %llu on are in no part: no part has seen the end of the inputs",
             (unsigned long long)whole->part.count);
    whole->run.incomplete = true;
    whole->run.reason = stored_copy(whole, reason);
}

/* Checks that the sorted parts follow one another from frame 0 to the end. Parts without frames are ignored. Sets the
 * range of the whole. */
static int check_ranges(const struct stored *const *part, uint32_t n, struct stored *whole, struct assay_error *e)
{
    const struct stored *before = NULL, *knows_total = NULL;
    uint64_t end = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct stored *s = part[i];
        whole->run.incomplete |= s->run.incomplete;
        if (s->part.total > 0 && knows_total && s->part.total != knows_total->part.total)
            return check_number(knows_total, s, "the number of frames of the whole", knows_total->part.total,
                                s->part.total, e);
        if (s->part.total > 0)
            knows_total = s;
        if (s->part.count == 0)
            continue;
        if (s->part.first > end)
            return refuse_gap(end, s->part.first, before, e);
        if (s->part.first < end) {
            uint64_t both = s->part.first + s->part.count < end ? s->part.first + s->part.count : end;
            return assay_fail(e, ASSAY_EMISMATCH, "frames %llu to %llu are both in %.150s and in %.150s",
                              (unsigned long long)s->part.first, (unsigned long long)both - 1, before->path, s->path);
        }
        end = s->part.first + s->part.count;
        before = s;
    }
    /* An input that ended early is no gap. All frames up to there are present, and the whole is marked incomplete. */
    whole->part.total = knows_total ? knows_total->part.total : 0;
    if (whole->part.total > end && !whole->run.incomplete)
        return refuse_gap(end, whole->part.total, before, e);
    whole->part.count = end;
    whole->part.every = part[0]->part.every;
    if (!whole->part.total && !whole->run.incomplete)
        lacks_end(whole);
    return ASSAY_OK;
}

static bool fields_agree(const struct stored *const *part, uint32_t n, uint32_t field)
{
    for (uint32_t i = 1; i < n; i++)
        if (strcmp(part[i]->run.field[field].value, part[0]->run.field[field].value) != 0)
            return false;
    return true;
}

/* The description of the whole, copied from the first part. */
static void copy_run(const struct stored *const *part, uint32_t n, struct stored *whole)
{
    const struct report_run *from = &part[0]->run;
    struct report_run *to = &whole->run;
    const char *reason = to->reason;
    for (uint32_t i = 0; i < n && !reason; i++)
        reason = part[i]->run.reason;
    *to = (struct report_run){.version = stored_copy(whole, from->version),
                              .compared = stored_copy(whole, from->compared),
                              .width = from->width,
                              .height = from->height,
                              .incomplete = to->incomplete,
                              .reason = stored_copy(whole, reason)};
    for (uint32_t i = 0; i < from->fields; i++) {
        /* Different lengths are found only at the end, so the last part lists all differences that were allowed. */
        bool last = strcmp(from->field[i].name, "allowed_differences") == 0, agree = last || fields_agree(part, n, i);
        struct report_field f = part[last ? n - 1 : 0]->run.field[i];
        f.value = agree ? f.value : "differs between the parts";
        f.number &= agree;
        stored_field(whole, f);
    }
}

static int copy_scores(const struct stored *const *part, uint32_t n, struct stored *whole, struct assay_error *e)
{
    uint32_t keys = part[0]->scores.keys;
    const char **key = stored_alloc(whole, keys, sizeof *key);
    for (uint32_t k = 0; key && k < keys; k++)
        key[k] = stored_copy(whole, part[0]->scores.key[k]);
    TRY(stored_lost(whole, "the merged scores", e));
    TRY(scores_init(&whole->scores, keys, key, e));
    for (uint32_t i = 0; i < n; i++)
        for (uint64_t row = 0; row < part[i]->scores.rows; row++)
            TRY(scores_add(&whole->scores, part[i]->scores.frame[row], part[i]->scores.time[row],
                           scores_row(&part[i]->scores, row), e));
    return ASSAY_OK;
}

static int add_totals(const struct stored *const *part, uint32_t n, struct stored *whole, struct assay_error *e)
{
    const uint32_t totals = part[0]->part.totals;
    struct report_total *sum = stored_alloc(whole, totals, sizeof *sum);
    for (uint32_t t = 0; sum && t < totals; t++) {
        sum[t] = (struct report_total){stored_copy(whole, part[0]->part.exact[t].name), part[0]->part.exact[t].value};
        for (uint32_t i = 1; i < n; i++)
            if (__builtin_add_overflow(sum[t].value, part[i]->part.exact[t].value, &sum[t].value))
                return assay_fail(e, ASSAY_EINPUT, "the total '%s' of %.150s is out of range", sum[t].name,
                                  part[i]->path);
    }
    whole->part.totals = totals;
    whole->part.exact = sum;
    return stored_lost(whole, "the merged totals", e);
}

static int merge_sorted(const struct stored *const *part, uint32_t n, struct stored *whole, struct assay_error *e)
{
    for (uint32_t i = 1; i < n; i++)
        TRY(check_same_run(part[0], part[i], e));
    TRY(check_ranges(part, n, whole, e));
    copy_run(part, n, whole);
    TRY(copy_scores(part, n, whole, e));
    return add_totals(part, n, whole, e);
}

int shards_merge(const struct stored *parts, uint32_t n, struct stored *whole, struct assay_error *e)
{
    *whole = (struct stored){.path = "the merged parts"};
    if (n == 0)
        return assay_fail(e, ASSAY_EUSAGE, "there is nothing to merge");
    const struct stored **sorted = calloc(n, sizeof *sorted);
    if (!sorted)
        return assay_fail_memory(e, "the parts");
    int result = ASSAY_OK;
    for (uint32_t i = 0; i < n; i++) {
        sorted[i] = parts + i;
        if (!parts[i].part.every)
            result = assay_fail(e, ASSAY_EINPUT, "%s: is a report of a whole run, not of a part: --shard writes those "
                                "that can be merged", parts[i].path);
    }
    qsort(sorted, n, sizeof *sorted, compare_parts);
    result = result ? result : merge_sorted(sorted, n, whole, e);
    free(sorted);
    if (result)
        stored_free(whole);
    return result;
}
