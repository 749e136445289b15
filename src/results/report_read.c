/* SPDX-License-Identifier: BSD-2-Clause */
#include "results/report_read.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/format.h"
#include "host/json_tree.h"
#include "host/text.h"
#include "results/file.h"
#include "results/shard.h"
#include "results/sink.h"

enum { KEYS_MOST = 4096, TOTALS_MOST = 1 << 16 };

struct reader {
    const cJSON *head, *root; /* of a report on several encodes, `root` is the object of one */
    const cJSON *frames, *block, *part; /* `part` NULL: of a whole run */
    struct stored *s;
    struct assay_error *e;
};

PRINTF_LIKE(2, 3) static bool refuse(const struct reader *r, const char *format, ...)
{
    char why[300];
    if (r->s->lost) /* the report is not to blame */
        return false;
    TEXT_GIVEN(why, sizeof why, format);
    return !assay_fail(r->e, ASSAY_EINPUT, "%s: no report of %s: %s", r->s->path, r->part ? "a part" : "scores", why);
}

/* The value of a number, or of a text with an exact value; NaN of anything else. False: it is no exact one. */
static bool exact(const cJSON *item, double *v)
{
    *v = cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
    return cJSON_IsString(item) && parse_hex(item->valuestring, v);
}

/* A whole number; 0: there is none, which of a part is refused. */
static bool get_count(const struct reader *r, const cJSON *object, const char *name, uint64_t least, uint64_t most,
                      uint64_t *value)
{
    const cJSON *item = JSON_GET(object, name);
    const double v = cJSON_IsNumber(item) ? item->valuedouble : -1;
    *value = 0;
    if (v >= (double)least && v <= (double)most && !(v < (double)(uint64_t)v || v > (double)(uint64_t)v)) {
        *value = (uint64_t)v;
        return true;
    }
    return (!r->part && !item) || refuse(r, "'%s' is no whole number from %" PRIu64 " to %" PRIu64, name, least, most);
}

/* ---- what it says of the run ------------------------------------------------------------------------------------- */

/* Members of the block that are no fields. */
static bool is_field(const char *name)
{
    return text_word("version width height frames incomplete reason bits gates percentiles part", name) < 0;
}

/* The text of a field. Whole numbers below 2^53 are written with all digits, others shortest. False: it has none. */
static bool field_text(const cJSON *item, char text[NUMBER_TEXT_SIZE], const char **value)
{
    const double v = cJSON_IsNumber(item) ? item->valuedouble : 0;
    *value = cJSON_IsString(item) ? item->valuestring : cJSON_IsNull(item) ? "null" : cJSON_IsTrue(item) ? "true"
           : cJSON_IsFalse(item) ? "false" : text;
    if (fabs(v) < 0x1p53 && !(v < (double)(int64_t)v || v > (double)(int64_t)v))
        snprintf(text, NUMBER_TEXT_SIZE, "%" PRId64, (int64_t)v);
    else
        format_shortest(text, v);
    return *value != text || (cJSON_IsNumber(item) && isfinite(v));
}

static bool is_incidental(const struct reader *r, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, JSON_GET(r->part, "incidental"))
        if (cJSON_IsString(item) && !strcmp(item->valuestring, name))
            return true;
    return false;
}

static bool read_fields(const struct reader *r)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, r->block)
    {
        char number[NUMBER_TEXT_SIZE];
        const char *value;
        if (r->part && JSON_GET(r->block, item->string) != item)
            return refuse(r, "it has '%.60s' twice", item->string);
        if (!is_field(item->string))
            continue;
        const bool good = field_text(item, number, &value) && r->s->run.fields < REPORT_FIELDS;
        if (!good && r->part)
            return refuse(r, "'%.60s' is no field", item->string);
        if (good)
            stored_field(r->s, (struct report_field){item->string, value, !cJSON_IsString(item),
                                                     is_incidental(r, item->string)});
    }
    return true;
}

/* A version is written into pages and pictures, and compared; no other text of a report is in a place where markup
 * could begin. Of an encode that failed at once, only the head of the report says it. */
static bool read_version(const struct reader *r)
{
    static const char letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.+-";
    const cJSON *item = JSON_GET(r->frames ? r->block : r->head, "version");
    const char *version = cJSON_IsString(item) ? item->valuestring : "";
    version += !r->frames && !strncmp(version, "assay ", 6) ? 6 : 0;
    if (!*version || version[strspn(version, letters)])
        return !r->part || refuse(r, "'version' is no version of assay");
    r->s->run.version = stored_copy(r->s, version);
    return true;
}

static bool read_text(const struct reader *r, const cJSON *object, const char *name, const char **text)
{
    const cJSON *item = JSON_GET(object, name);
    if (r->part && !cJSON_IsString(item) && !cJSON_IsNull(item))
        return refuse(r, "'%s' is no string", name);
    *text = stored_copy(r->s, cJSON_IsString(item) ? item->valuestring : NULL);
    return true;
}

/* Whether the scores of so many frames are there. */
static bool has_rows(const struct reader *r, uint64_t rows)
{
    const uint64_t has = (uint64_t)cJSON_GetArraySize(r->frames);
    return has == rows || refuse(r, "it has the scores of %" PRIu64 " frames and not of %" PRIu64, has, rows);
}

static bool read_block(const struct reader *r)
{
    struct report_run *run = &r->s->run;
    const cJSON *incomplete = JSON_GET(r->block, "incomplete");
    uint64_t width, height, frames;
    if (!read_version(r) || !get_count(r, r->block, "width", 1, FORMAT_MAX_SIDE, &width) ||
        !get_count(r, r->block, "height", 1, FORMAT_MAX_SIDE, &height) ||
        !get_count(r, r->block, "frames", 0, SHARD_MAX_FRAMES, &frames) ||
        (JSON_GET(r->block, "frames") && !has_rows(r, frames)))
        return false;
    run->width = (uint32_t)width;
    run->height = (uint32_t)height;
    run->incomplete = cJSON_IsTrue(incomplete);
    if ((r->part || incomplete) && !cJSON_IsBool(incomplete))
        return refuse(r, "'incomplete' is neither true nor false");
    return read_text(r, r->block, "reason", &run->reason) && read_fields(r);
}

static bool read_aggregates(const struct reader *r, struct report_aggregate **to)
{
    const cJSON *list = JSON_GET(r->root, "aggregate_metrics"), *item;
    if (cJSON_GetArraySize(list) > KEYS_MOST || (list && !cJSON_IsObject(list)))
        return refuse(r, "'aggregate_metrics' is no object of at most %d figures", KEYS_MOST);
    struct report_aggregate *aggregate = stored_alloc(r->s, (size_t)cJSON_GetArraySize(list) + 1, sizeof *aggregate);
    if (!aggregate)
        return false;
    r->s->run.aggregate = *to = aggregate;
    cJSON_ArrayForEach(item, list)
    {
        aggregate->key = stored_copy(r->s, item->string);
        exact(item, &aggregate++->value);
        r->s->run.aggregates++;
    }
    return true;
}

/* ---- scores ------------------------------------------------------------------------------------------------------ */

/* The keys are those of the first frame; of a part, those of the pools: it may have no frame. */
static bool read_keys(const struct reader *r)
{
    const cJSON *pools = JSON_GET(r->root, "pooled_metrics"), *first = cJSON_GetArrayItem(r->frames, 0), *item;
    const cJSON *list = r->part || !first ? pools : JSON_GET(first, "metrics");
    uint32_t keys = 0;
    if (!cJSON_IsObject(list) || cJSON_GetArraySize(list) > KEYS_MOST)
        return refuse(r, "a frame has no metrics, or more than %d of them", KEYS_MOST);
    const char **key = stored_alloc(r->s, (size_t)cJSON_GetArraySize(list) + 1, sizeof *key);
    if (!key)
        return false;
    cJSON_ArrayForEach(item, list)
    {
        const bool again = JSON_GET(list, item->string) != item, named = report_key_valid(item->string);
        if (r->part && again)
            return refuse(r, "key '%.60s' is there twice", item->string);
        if (r->part && !named)
            return refuse(r, "entry %u of its scores can't be the name of one", keys);
        if (!again && named)
            key[keys++] = stored_copy(r->s, item->string);
    }
    return scores_init(&r->s->scores, keys, key, r->e) == ASSAY_OK;
}

/* Seconds, a number; of a part a text with nine decimals, which is exact. */
static bool read_time(const struct reader *r, const cJSON *item, int64_t *time)
{
    char digits[NUMBER_TEXT_SIZE] = "", back[NUMBER_TEXT_SIZE];
    *time = scores_time(cJSON_IsNumber(item) ? item->valuedouble : (double)NAN);
    if (!r->part || !item)
        return !item || cJSON_IsNumber(item);
    const char *text = cJSON_IsString(item) ? item->valuestring : "", *point = strchr(text, '.');
    if (!point || strlen(text) >= sizeof digits)
        return false;
    snprintf(digits, sizeof digits, "%.*s%s", (int)(point - text), text, point + 1);
    *time = strtoll(digits, NULL, 10);
    format_seconds(back, *time);
    return *time != SCORES_NO_TIME && !strcmp(back, text);
}

/* The values of a frame, which mostly stand in the order of the keys. It has no more members than the first frame has
 * beside the keys: a score that begins later would be lost. */
static bool read_values(const struct reader *r, const cJSON *metrics, double *value)
{
    const struct scores *s = &r->s->scores;
    const cJSON *next = metrics ? metrics->child : NULL;
    uint32_t more = (uint32_t)cJSON_GetArraySize(metrics);
    if (!cJSON_IsObject(metrics) || (r->part && (uint32_t)cJSON_GetArraySize(metrics) != s->keys))
        return false;
    for (uint32_t k = 0; k < s->keys; k++) {
        const cJSON *item = next && !strcmp(next->string, s->key[k]) ? next : JSON_GET(metrics, s->key[k]);
        next = item ? item->next : next;
        more -= item != NULL;
        if (!exact(item, &value[k]) && (r->part || (item && !cJSON_IsNumber(item) && !cJSON_IsNull(item))))
            return false;
    }
    metrics = JSON_GET(cJSON_GetArrayItem(r->frames, 0), "metrics");
    return more <= (uint32_t)cJSON_GetArraySize(metrics) - s->keys ||
           refuse(r, "a frame has a score that the first one lacks");
}

static bool read_frames(const struct reader *r)
{
    struct stored *s = r->s;
    const cJSON *frame;
    double *value = stored_alloc(s, s->scores.keys, sizeof *value), before = -1;
    if (!value)
        return false;
    s->scores.paired = cJSON_IsNumber(JSON_GET(cJSON_GetArrayItem(r->frames, 0), "distorted_frame"));
    cJSON_ArrayForEach(frame, r->frames)
    {
        const cJSON *item = JSON_GET(frame, "frameNum");
        const double n = cJSON_IsNumber(item) ? item->valuedouble : -1;
        const uint64_t number = n > before && n < 0x1p53 ? (uint64_t)n : UINT64_MAX;
        int64_t time;
        if (n < (double)number || n > (double)number)
            return refuse(r, "the numbers of its frames do not ascend");
        if (r->part && number != shard_row_frame(&s->part, s->scores.rows))
            return refuse(r, "frame %" PRIu64 " is none of this part", number);
        if (!read_values(r, JSON_GET(frame, "metrics"), value) || !read_time(r, JSON_GET(frame, "time"), &time) ||
            (r->part && cJSON_GetArraySize(frame) != 2 + (time != SCORES_NO_TIME)))
            return refuse(r, "the scores of frame %" PRIu64 " are damaged", number);
        if (scores_add(&s->scores, number, time, value, r->e))
            return false;
        const double other = s->scores.paired ? cJSON_GetNumberValue(JSON_GET(frame, "distorted_frame")) : -1;
        if (other >= 0 && other < 0x1p53)
            s->scores.partner[s->scores.rows - 1] = (uint64_t)other;
        before = n;
    }
    return true;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static bool read_totals(const struct reader *r)
{
    const cJSON *list = JSON_GET(r->part, "totals"), *item;
    struct report_part *p = &r->s->part;
    if (!cJSON_IsObject(list) || cJSON_GetArraySize(list) > TOTALS_MOST)
        return refuse(r, "'totals' is no object of at most %d totals", TOTALS_MOST);
    struct report_total *total = stored_alloc(r->s, (size_t)cJSON_GetArraySize(list) + 1, sizeof *total);
    if (!total)
        return false;
    p->exact = total;
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsString(item) || !total_parse(item->valuestring, &total[p->totals].value))
            return refuse(r, "total '%.60s' is no whole number of 128 bits", item->string);
        total[p->totals++].name = stored_copy(r->s, item->string);
    }
    return true;
}

static bool read_part(const struct reader *r)
{
    struct report_part *p = &r->s->part;
    const uint64_t most = SHARD_MAX_FRAMES / 2;
    if (cJSON_GetArraySize(r->part) != 7 || cJSON_GetArraySize(r->root) != 5 || JSON_GET(r->block, "gates"))
        return refuse(r, "it has members that a part has not, or lacks one, or has one of them twice");
    if (!get_count(r, r->part, "first", 0, most, &p->first) || !get_count(r, r->part, "count", 0, most, &p->count) ||
        !get_count(r, r->part, "every", 1, most, &p->every) ||
        !get_count(r, r->part, "total", 0, SHARD_MAX_FRAMES, &p->total) ||
        !read_text(r, r->part, "compared", &r->s->run.compared))
        return false;
    if (!cJSON_IsArray(JSON_GET(r->part, "incidental")))
        return refuse(r, "'incidental' is no list");
    if (p->total > 0 && p->first + p->count > p->total)
        return refuse(r, "it goes beyond the %" PRIu64 " frames of the whole", p->total);
    return has_rows(r, shard_rows(p)) && read_totals(r);
}

/* JSON has null for what is no number. The digests tell which one it was: of a score's values, all the same. */
static const double others[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
enum { OTHERS = sizeof others / sizeof others[0] };

static void restore(const struct stored *s, struct report_aggregate *aggregate, uint32_t i, double instead)
{
    for (uint64_t row = 0; i < s->scores.keys && row < s->scores.rows; row++)
        if (isnan(scores_value(&s->scores, row, i)))
            s->scores.block[row / SCORES_BLOCK][row % SCORES_BLOCK * s->scores.keys + i] = instead;
    if (i >= s->scores.keys && isnan(aggregate[i - s->scores.keys].value))
        aggregate[i - s->scores.keys].value = instead;
}

/* A digest of each score, where it is stated of all of them. The scores of a part are those of which it was made. */
static bool read_bits(const struct reader *r, struct report_aggregate *aggregate)
{
    struct stored *s = r->s;
    const cJSON *list = JSON_GET(r->block, "bits");
    uint64_t *bits = stored_alloc(s, (size_t)stored_scores(s) + 1, sizeof *bits);
    if (!bits)
        return false;
    s->rounded = true;
    bool exact = cJSON_IsObject(list);
    for (uint32_t i = 0; i < stored_scores(s); i++) {
        const char *key = stored_score(s, i);
        const cJSON *item = JSON_GET(list, key);
        const char *text = cJSON_IsString(item) ? item->valuestring : "";
        const bool good = strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16;
        unsigned other = 0;
        bits[i] = strtoull(text, NULL, 16);
        while (good && other < OTHERS && stored_digest(s, i, others[other]) != bits[i])
            other++;
        if (r->part && i < s->scores.keys && (!good || other))
            return refuse(r, "the scores '%.60s' are not those of its digest", key);
        if (!good)
            return true;
        exact = exact && other < OTHERS;
        if (other && other < OTHERS)
            restore(s, aggregate, i, others[other]);
    }
    s->bits = cJSON_IsObject(list) ? bits : NULL;
    s->rounded = !exact;
    return true;
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

static bool take(struct reader *r)
{
    const cJSON *failed = JSON_GET(r->root, "failed");
    if (JSON_GET(r->root, "assay_shard"))
        return !assay_fail(r->e, ASSAY_EINPUT, "%s: is a part in the form of an earlier assay: score it again with "
                           "--shard, or merge it with the assay that wrote it", r->s->path);
    r->frames = JSON_GET(r->root, "frames");
    r->s->run.incomplete = cJSON_IsString(failed);
    if (!r->frames && r->s->run.incomplete) {
        r->s->run.reason = stored_copy(r->s, failed->valuestring);
        return read_version(r);
    }
    if (!cJSON_IsArray(r->frames) || !cJSON_IsObject(JSON_GET(r->root, "pooled_metrics")))
        return refuse(r, "it has not the shape of those that assay's and libvmaf's --json write");
    r->block = cJSON_IsObject(JSON_GET(r->root, "assay")) ? JSON_GET(r->root, "assay") : NULL;
    r->part = JSON_GET(r->block, "part");
    struct report_aggregate *aggregate = NULL;
    if ((r->part && !read_part(r)) || !read_block(r))
        return false;
    if (!r->part) /* which holds the sentence about its files itself */
        stored_compared(r->s);
    return read_keys(r) && read_aggregates(r, &aggregate) && read_frames(r) && read_bits(r, aggregate);
}

/* `of`: of a report on several encodes; else NULL. */
static void take_name(struct stored *s, const struct report_file_encode *of)
{
    const char *fact = report_run_field(&s->run, "distorted_file");
    stored_name(s, of ? of->name : NULL, of ? of->file : fact ? fact : s->path);
    s->failed = stored_copy(s, of ? of->failed : NULL);
}

int report_file_take(const struct report_file *f, uint32_t i, const char *name, struct stored *s, struct assay_error *e)
{
    struct assay_error local = {0};
    struct reader r = {.head = f->root, .root = f->encodes ? f->encode[i].of : f->root, .s = s, .e = &local};
    const struct report_file_encode *of = f->encodes ? &f->encode[i] : NULL;
    *s = (struct stored){.path = name, .exit_code = of ? of->exit_code : 0};
    if (take(&r))
        take_name(s, of);
    if (!stored_lost(s, "a report", &local) && !local.code)
        return ASSAY_OK;
    stored_free(s);
    return assay_fail(e, local.code, "%s", local.text);
}

void report_file_free(struct report_file *r)
{
    cJSON_Delete(r->root);
    free(r->own);
    *r = (struct report_file){0};
}

/* Lists the encodes of a report on several. */
static bool list_encodes(struct report_file *f, const struct reader *r)
{
    const cJSON *list = JSON_GET(f->root, "encodes"), *item;
    if (!cJSON_IsArray(list))
        return true;
    if (!list->child)
        return refuse(r, "it has no encode");
    cJSON_ArrayForEach(item, list)
    {
        const cJSON *name = JSON_GET(item, "name"), *file = JSON_GET(item, "file"), *failed = JSON_GET(item, "failed"),
                    *code = JSON_GET(item, "exit_code");
        if (f->encodes == ASSAY_ENCODES || !cJSON_IsString(name) || !cJSON_IsString(file))
            return refuse(r, "it has not the shape of those that assay's --json writes of several encodes");
        f->encode[f->encodes].name = name->valuestring;
        f->encode[f->encodes].file = file->valuestring;
        f->encode[f->encodes].failed = cJSON_IsString(failed) ? failed->valuestring : NULL;
        f->encode[f->encodes].exit_code = cJSON_IsNumber(code) ? code->valueint : 0;
        f->encode[f->encodes++].of = item;
    }
    return true;
}

int report_file_parse(struct report_file *f, const char *path, const char *text, size_t size, struct assay_error *e)
{
    struct stored unread = {.path = path};
    const struct reader r = {.s = &unread, .e = e};
    const char *end;
    cJSON *root;
    *f = (struct report_file){.path = path};
    TRY(json_tree(&root, path, text, size, &end, e));
    f->root = root;
    if (!root)
        refuse(&r, "it is no JSON, or damaged or cut off at byte %td", end - text);
    else if (end < text + size)
        refuse(&r, "something follows after its end, at byte %td", end - text);
    else if (list_encodes(f, &r))
        return ASSAY_OK;
    report_file_free(f);
    return ASSAY_EINPUT;
}

int report_file_read(struct report_file *r, const char *path, struct assay_error *e)
{
    size_t size;
    *r = (struct report_file){0};
    struct assay_error local = {0};
    char *text = file_read(path, &size, &local);
    if (!text)
        return assay_fail(e, local.code, "%s", local.text);
    const int rc = report_file_parse(r, path, text, size, e);
    if (rc)
        free(text);
    else
        r->own = text;
    return rc;
}

int report_file_only(const struct report_file *r, struct assay_error *e)
{
    return !r->encodes ? ASSAY_OK
                       : assay_fail(e, ASSAY_EINPUT, "%s: is a report on several encodes; --json with {name} in its "
                                    "path writes one for each", r->path);
}

int stored_read(struct stored *s, const char *path, const char *text, size_t size, struct assay_error *e)
{
    struct report_file f;
    *s = (struct stored){0};
    TRY(text ? report_file_parse(&f, path, text, size, e) : report_file_read(&f, path, e));
    int rc = report_file_only(&f, e);
    rc = rc ? rc : report_file_take(&f, 0, path, s, e);
    report_file_free(&f);
    return rc;
}
