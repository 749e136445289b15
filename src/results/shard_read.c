/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a shard. The file is not trusted: the type and range of every member are checked before it is used, and no
 * member may be missing, repeated or unknown. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "host/format.h"
#include "host/json.h"
#include "results/file.h"
#include "results/shard.h"

enum { MAX_KEYS = 4096, MAX_LIST = 1 << 20 };

static const char *const members[] = {
    "assay_shard", "version", "compared", "width",  "height", "first",  "count",
    "every",       "total",   "incomplete", "reason", "fields", "keys", "totals", "scores",
};
enum { MEMBERS = sizeof members / sizeof *members };

struct reader {
    const char *path;
    const cJSON *root;
    struct shard *s;
    struct assay_error *e;
};

__attribute__((format(printf, 2, 3))) static bool refuse(const struct reader *r, const char *format, ...)
{
    char reason[300];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    assay_fail(r->e, ASSAY_EINPUT, "%s: not a shard that can be merged: %s", r->path, reason);
    return false;
}

static bool no_memory(const struct reader *r)
{
    assay_fail_memory(r->e, "a shard");
    return false;
}

static const cJSON *member(const struct reader *r, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(r->root, name);
}

static bool check_members(const struct reader *r)
{
    if (!cJSON_IsObject(r->root))
        return refuse(r, "it is no JSON object");
    for (int i = 0; i < MEMBERS; i++)
        if (!member(r, members[i]))
            return refuse(r, "'%s' is missing", members[i]);
    if (cJSON_GetArraySize(r->root) != MEMBERS)
        return refuse(r, "it has members that a shard has not, or one of them twice");
    return true;
}

static bool get_integer(const struct reader *r, const char *name, uint64_t least, uint64_t most, uint64_t *value)
{
    const cJSON *item = member(r, name);
    double v = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (!(v >= (double)least && v <= (double)most) || v != (double)(uint64_t)v)
        return refuse(r, "'%s' is no whole number from %llu to %llu", name, (unsigned long long)least,
                      (unsigned long long)most);
    *value = (uint64_t)v;
    return true;
}

static bool get_string(const struct reader *r, const char *name, bool may_be_null, const char **value)
{
    const cJSON *item = member(r, name);
    *value = NULL;
    if (may_be_null && cJSON_IsNull(item))
        return true;
    if (!cJSON_IsString(item))
        return refuse(r, "'%s' is no string", name);
    *value = shard_copy(r->s, item->valuestring);
    return *value || no_memory(r);
}

static bool get_list(const struct reader *r, const char *name, uint32_t most, const cJSON **list, uint32_t *size)
{
    *list = member(r, name);
    if (!cJSON_IsArray(*list))
        return refuse(r, "'%s' is no list", name);
    int n = cJSON_GetArraySize(*list);
    if (n < 0 || (uint32_t)n > most)
        return refuse(r, "'%s' has more than %u entries", name, most);
    *size = (uint32_t)n;
    return true;
}

/* Whether a text is a JSON number, true, false or null, which a report holds without quotes. */
static bool is_bare_value(const char *s)
{
    static const char digits[] = "0123456789";
    if (strcmp(s, "true") == 0 || strcmp(s, "false") == 0 || strcmp(s, "null") == 0)
        return true;
    s += *s == '-';
    size_t n = strspn(s, digits);
    if (n == 0 || (n > 1 && *s == '0'))
        return false;
    s += n;
    if (*s == '.') {
        n = strspn(s + 1, digits);
        s += n + 1;
        if (n == 0)
            return false;
    }
    if (*s == 'e' || *s == 'E') {
        s += s[1] == '-' || s[1] == '+' ? 2 : 1;
        n = strspn(s, digits);
        s += n;
        if (n == 0)
            return false;
    }
    return *s == '\0';
}

/* "fields": [[name, value, number, incidental], ...] */
static bool read_fields(const struct reader *r)
{
    const cJSON *list, *item;
    if (!get_list(r, "fields", MAX_LIST, &list, &r->s->run.fields))
        return false;
    struct report_field *field = shard_alloc(r->s, r->s->run.fields, sizeof *field);
    if (!field)
        return no_memory(r);
    r->s->run.field = field;
    cJSON_ArrayForEach(item, list)
    {
        const cJSON *part[4] = {NULL};
        if (cJSON_IsArray(item) && cJSON_GetArraySize(item) == 4)
            for (int i = 0; i < 4; i++)
                part[i] = cJSON_GetArrayItem(item, i);
        if (!cJSON_IsString(part[0]) || !cJSON_IsString(part[1]) || !cJSON_IsBool(part[2]) || !cJSON_IsBool(part[3]))
            return refuse(r, "entry %td of 'fields' is no field", field - r->s->run.field);
        if (cJSON_IsTrue(part[2]) && !is_bare_value(part[1]->valuestring))
            return refuse(r, "field '%.60s' is no number", part[0]->valuestring);
        *field = (struct report_field){.name = shard_copy(r->s, part[0]->valuestring),
                                       .value = shard_copy(r->s, part[1]->valuestring),
                                       .number = cJSON_IsTrue(part[2]),
                                       .incidental = cJSON_IsTrue(part[3])};
        if (!field->name || !field->value)
            return no_memory(r);
        field++;
    }
    return true;
}

static bool read_keys(const struct reader *r)
{
    const cJSON *list, *item;
    uint32_t keys = 0, k = 0;
    if (!get_list(r, "keys", MAX_KEYS, &list, &keys))
        return false;
    const char **key = shard_alloc(r->s, keys, sizeof *key);
    if (!key)
        return no_memory(r);
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsString(item) || !report_key_valid(item->valuestring))
            return refuse(r, "entry %u of 'keys' can't be the name of a score", k);
        for (uint32_t i = 0; i < k; i++)
            if (strcmp(key[i], item->valuestring) == 0)
                return refuse(r, "key '%.60s' is there twice", item->valuestring);
        key[k] = shard_copy(r->s, item->valuestring);
        if (!key[k])
            return no_memory(r);
        k++;
    }
    return scores_init(&r->s->scores, keys, key, r->e) == ASSAY_OK;
}

/* "totals": [[name, decimal], ...] */
static bool read_totals(const struct reader *r)
{
    const cJSON *list, *item;
    if (!get_list(r, "totals", MAX_LIST, &list, &r->s->totals))
        return false;
    struct shard_total *total = r->s->exact = shard_alloc(r->s, r->s->totals, sizeof *total);
    if (!total)
        return no_memory(r);
    cJSON_ArrayForEach(item, list)
    {
        const cJSON *name = cJSON_GetArrayItem(item, 0), *value = cJSON_GetArrayItem(item, 1);
        if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != 2 || !cJSON_IsString(name) || !cJSON_IsString(value) ||
            strlen(name->valuestring) >= sizeof total->name || !total_parse(value->valuestring, &total->value))
            return refuse(r, "entry %td of 'totals' is no total", total - r->s->exact);
        strcpy(total->name, name->valuestring);
        total++;
    }
    return true;
}

/* Cuts the word before the next blank, or before the end, off *text. */
static bool next_word(const char **text, char word[NUMBER_TEXT_SIZE])
{
    size_t n = strcspn(*text, " ");
    if (n == 0 || n >= NUMBER_TEXT_SIZE)
        return false;
    memcpy(word, *text, n);
    word[n] = '\0';
    *text += n + ((*text)[n] == ' ');
    return true;
}

/* Nanoseconds in decimal as printf writes them, or "-" where a frame has no time. */
static bool read_time(const char *word, int64_t *time)
{
    char expected[NUMBER_TEXT_SIZE];
    *time = strcmp(word, "-") ? strtoll(word, NULL, 10) : SCORES_NO_TIME;
    snprintf(expected, sizeof expected, "%lld", (long long)*time);
    return *time == SCORES_NO_TIME ? !strcmp(word, "-") : !strcmp(word, expected);
}

/* A row is one string: the frame in decimal, its time, then the exact value of every key, one blank between them. */
static bool read_row(const char *text, uint64_t frame, uint32_t keys, int64_t *time, double *value)
{
    char word[NUMBER_TEXT_SIZE], expected[NUMBER_TEXT_SIZE];
    snprintf(expected, sizeof expected, "%llu", (unsigned long long)frame);
    if (text[0] && text[strlen(text) - 1] == ' ')
        return false;
    if (!next_word(&text, word) || strcmp(word, expected) != 0 || !next_word(&text, word) || !read_time(word, time))
        return false;
    for (uint32_t k = 0; k < keys; k++)
        if (!next_word(&text, word) || !parse_hex(word, value + k))
            return false;
    return *text == '\0';
}

static bool read_scores(const struct reader *r)
{
    const cJSON *list, *item;
    uint32_t rows = 0, row = 0;
    if (!get_list(r, "scores", INT32_MAX, &list, &rows))
        return false;
    if (rows != shard_rows(r->s))
        return refuse(r, "it has the scores of %u frames and not of %llu", rows, (unsigned long long)shard_rows(r->s));
    double *value = shard_alloc(r->s, r->s->scores.keys, sizeof *value);
    if (!value)
        return no_memory(r);
    cJSON_ArrayForEach(item, list)
    {
        uint64_t frame = shard_row_frame(r->s, row++);
        int64_t time;
        if (!cJSON_IsString(item) || !read_row(item->valuestring, frame, r->s->scores.keys, &time, value))
            return refuse(r, "the scores of frame %llu are damaged", (unsigned long long)frame);
        if (scores_add(&r->s->scores, frame, time, value, r->e))
            return false;
    }
    return true;
}

/* A version is written into pages and pictures, and compared; no other text of a shard is in a place where markup could
 * begin. */
static bool check_version(const struct reader *r)
{
    static const char letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.+-";
    const char *version = r->s->run.version;
    return (*version && !version[strspn(version, letters)]) || refuse(r, "'version' is no version of assay");
}

static bool read_members(const struct reader *r)
{
    struct shard *s = r->s;
    uint64_t format, width = 0, height = 0;
    if (!check_members(r) || !get_integer(r, "assay_shard", 2, 2, &format) ||
        !get_string(r, "version", false, &s->run.version) || !check_version(r) ||
        !get_string(r, "compared", true, &s->run.compared) ||
        !get_integer(r, "width", 1, FORMAT_MAX_SIDE, &width) ||
        !get_integer(r, "height", 1, FORMAT_MAX_SIDE, &height) ||
        !get_integer(r, "first", 0, SHARD_MAX_FRAMES / 2, &s->first) ||
        !get_integer(r, "count", 0, SHARD_MAX_FRAMES / 2, &s->count) ||
        !get_integer(r, "every", 1, SHARD_MAX_FRAMES / 2, &s->every) ||
        !get_integer(r, "total", 0, SHARD_MAX_FRAMES, &s->total) || !get_string(r, "reason", true, &s->run.reason))
        return false;
    s->run.width = (uint32_t)width;
    s->run.height = (uint32_t)height;
    if (!cJSON_IsBool(member(r, "incomplete")))
        return refuse(r, "'incomplete' is neither true nor false");
    s->run.incomplete = cJSON_IsTrue(member(r, "incomplete"));
    if (s->total > 0 && s->first + s->count > s->total)
        return refuse(r, "it goes beyond the %llu frames of the whole", (unsigned long long)s->total);
    return read_fields(r) && read_keys(r) && read_totals(r) && read_scores(r);
}

int shard_parse(struct shard *s, const char *path, const char *text, size_t size, struct assay_error *e)
{
    struct assay_error local = {0};
    struct reader r = {.path = path, .s = s, .e = &local};
    *s = (struct shard){.path = path};
    const char *end = text;
    TRY(json_bounded(path, text, size, e));
    errno = 0;
    cJSON *root = cJSON_ParseWithLengthOpts(text, size, &end, false);
    bool good = false;
    if (root) {
        while (end < text + size && (*end == '\n' || *end == ' ' || *end == '\r' || *end == '\t'))
            end++;
        r.root = root;
        if (end < text + size)
            refuse(&r, "something follows after its end, at byte %td", end - text);
        else
            good = read_members(&r);
        cJSON_Delete(root);
    } else if (errno == ENOMEM) {
        no_memory(&r); /* cJSON reports both as NULL */
    } else {
        refuse(&r, "it is damaged or cut off at byte %td", end - text);
    }
    if (good)
        return ASSAY_OK;
    shard_free(s);
    return assay_fail(e, local.code, "%s", local.text);
}

int shard_read(struct shard *s, const char *path, struct assay_error *e)
{
    struct assay_error local = {0};
    size_t size;
    *s = (struct shard){0};
    char *text = file_read(path, &size, &local);
    if (!text)
        return assay_fail(e, local.code, "%s", local.text);
    int result = shard_parse(s, path, text, size, e);
    free(text);
    return result;
}
