/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/outcome.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "host/json.h"
#include "host/text.h"
#include "results/digest.h"
#include "results/results.h"
#include "results/json_write.h"

enum { FIGURES_MOST = 1 << 14, OF_A_KEY = 3, NAME_MOST = 256 };

void outcome_free(struct outcome *o)
{
    for (uint32_t i = 0; i < o->figures; i++)
        free(o->figure[i].name);
    free(o->figure);
    free(o->reason);
    free(o->notices);
    *o = (struct outcome){0};
}

int outcome_start(struct outcome *o, uint64_t job, int code, const char *reason, struct assay_error *e)
{
    outcome_free(o);
    *o = (struct outcome){.job = job, .code = code, .reason = strdup(reason), .notices = strdup("")};
    if (!o->reason || !o->notices)
        return assay_fail_memory(e, "a result");
    for (char *at = o->reason; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
    return ASSAY_OK;
}

/* ---- of a run ---------------------------------------------------------------------------------------------------- */

static int add_figure(struct outcome *o, const char *key, const char *pool, double v, struct assay_error *e)
{
    char name[NAME_MOST];
    snprintf(name, sizeof name, "%s%s%s", key, pool ? "." : "", pool ? pool : "");
    struct outcome_figure *f = &o->figure[o->figures];
    f->name = strdup(name);
    if (!f->name)
        return assay_fail_memory(e, "a result");
    format_shortest(f->text, v);
    o->figures++;
    return ASSAY_OK;
}

/* The mean of a score, and how bad its bad frames are. */
static int add_key(struct outcome *o, const struct scores *s, uint32_t k, struct assay_error *e)
{
    static const char *const pools[2][OF_A_KEY] = {{"mean", "p5", "min"}, {"mean", "p95", "max"}};
    const bool lower = s->direction && s->direction[k] == ASSAY_LOWER;
    for (unsigned i = 0; i < OF_A_KEY; i++)
        TRY(add_figure(o, s->key[k], pools[lower][i], scores_figure(s, k, pools[lower][i]), e));
    return ASSAY_OK;
}

static void take_field(char text[NUMBER_TEXT_SIZE], const struct report_run *run, const char *name)
{
    const char *value = report_run_field(run, name);
    snprintf(text, NUMBER_TEXT_SIZE, "%s", value && strcmp(value, "null") ? value : "");
}

/* Names the gates that fail, as far as there is room. */
static int check_gates(struct outcome *o, const struct scores *s, const struct report_run *run, const struct gate *gate,
                       uint32_t gates, struct assay_error *e)
{
    char text[1000] = "";
    for (uint32_t i = 0; i < gates; i++) {
        char value[NUMBER_TEXT_SIZE], limit[NUMBER_TEXT_SIZE];
        const char *pool = gate_pool(&gate[i], s);
        double v;
        const enum gate_verdict verdict = gate_verdict(&gate[i], s, run, &v);
        if (verdict == GATE_PASSED)
            continue;
        o->code = 1;
        format_shortest(value, v);
        format_shortest(limit, gate[i].limit);
        text_append(text, sizeof text, "%s%s%s%s", *text ? "; " : "", gate[i].key, pool ? "." : "", pool ? pool : "");
        if (gate_why_not(verdict))
            text_append(text, sizeof text, ": %s", gate_why_not(verdict));
        else
            text_append(text, sizeof text, " is %s, not at %s %s", value, gate[i].over ? "most" : "least", limit);
    }
    char *reason = strdup(text);
    if (!reason)
        return assay_fail_memory(e, "a result");
    free(o->reason);
    o->reason = reason;
    return ASSAY_OK;
}

int outcome_take(struct outcome *o, const struct scores *s, const struct report_run *run, const struct gate *gate,
                 uint32_t gates, struct assay_error *e)
{
    TRY(outcome_start(o, o->job, 0, "", e));
    o->frames = s->rows;
    o->width = run->width;
    o->height = run->height;
    take_field(o->bytes, run, "distorted_video_bytes");
    take_field(o->seconds, run, "distorted_duration_s");
    take_field(o->kbps, run, REPORT_BITRATE);
    o->figure = calloc((size_t)s->keys * OF_A_KEY + run->aggregates + 1, sizeof *o->figure);
    if (!o->figure)
        return assay_fail_memory(e, "a result");
    for (uint32_t k = 0; k < s->keys; k++)
        if (!(run->hidden && run->hidden[k]) && !report_key_is_place(s->key[k]))
            TRY(add_key(o, s, k, e));
    for (uint32_t i = 0; i < run->aggregates; i++)
        TRY(add_figure(o, run->aggregate[i].key, NULL, run->aggregate[i].value, e));
    return check_gates(o, s, run, gate, gates, e);
}

/* ---- as text ----------------------------------------------------------------------------------------------------- */

static const char sum_begin[] = ", \"sum\": \"";
enum { SUM = sizeof sum_begin - 1 + 16 + 2 }; /* bytes: 16 digits, and the end of the line */

/* Of the bytes in front of the sum. It notices a line that was edited; anyone can compute it. */
static uint64_t sum_of(const char *text, size_t size)
{
    uint64_t digest = DIGEST_START;
    for (size_t i = 0; i < size; i++)
        digest = digest_word(digest, (unsigned char)text[i]);
    return digest;
}

/* Whether a line ends with the sum of what is in front of it. */
static bool has_sum(const char *text, size_t size)
{
    char end[SUM + 1];
    if (size < SUM)
        return false;
    snprintf(end, sizeof end, "%s%016llx\"}", sum_begin, (unsigned long long)sum_of(text, size - SUM));
    return !memcmp(text + size - SUM, end, SUM);
}

int outcome_text(const struct outcome *o, char **text, struct assay_error *e)
{
    size_t size;
    struct sink s = {.file = open_memstream(text, &size)};
    if (!s.file)
        return assay_fail_memory(e, "a result");
    struct json j = {.sink = &s};
    char number[24];
    json_object(&j, NULL, JSON_HANG);
    snprintf(number, sizeof number, "%016llx", (unsigned long long)o->job);
    json_text(&j, "job", number);
    json_whole(&j, "code", o->code);
    json_text(&j, "reason", o->reason);
    json_text(&j, "notices", o->notices);
    json_count(&j, "frames", o->frames);
    json_count(&j, "width", o->width);
    json_count(&j, "height", o->height);
    json_text(&j, "video_bytes", o->bytes);
    json_text(&j, "duration_s", o->seconds);
    json_text(&j, "bitrate_kbps", o->kbps);
    json_object(&j, "figures", JSON_ROW);
    for (uint32_t i = 0; i < o->figures; i++)
        json_text(&j, o->figure[i].name, o->figure[i].text);
    json_end(&j);
    if (!fflush(s.file) && *text)
        snprintf(number, sizeof number, "%016llx", (unsigned long long)sum_of(*text, size));
    json_text(&j, "sum", number);
    json_end(&j);
    if (!fclose(s.file) && !s.error)
        return ASSAY_OK;
    free(*text);
    *text = NULL;
    return assay_fail_memory(e, "a result");
}

static const cJSON *get(const cJSON *root, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(root, name);
}

static bool get_integer(const cJSON *root, const char *name, double most, uint64_t *value)
{
    const cJSON *item = get(root, name);
    const double v = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (!(v >= 0 && v <= most) || v != (double)(uint64_t)v)
        return false;
    *value = (uint64_t)v;
    return true;
}

static bool is_number(const char *text)
{
    double v;
    return parse_number(text, &v) || !strcmp(text, "nan");
}

/* A number's text, or "" where it may be missing. */
static bool get_number(const cJSON *item, bool may_be_missing, char text[NUMBER_TEXT_SIZE])
{
    const char *value = cJSON_IsString(item) ? item->valuestring : NULL;
    if (!value || strlen(value) >= NUMBER_TEXT_SIZE || !(is_number(value) || (may_be_missing && !*value)))
        return false;
    strcpy(text, value);
    return true;
}

/* 16 hexadecimal digits. */
static bool get_job(const cJSON *item, uint64_t *job)
{
    const char *text = cJSON_IsString(item) ? item->valuestring : "";
    if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
        return false;
    *job = strtoull(text, NULL, 16);
    return true;
}

/* False, too, when memory fails: *memory is set then. */
static bool read_figures(struct outcome *o, const cJSON *list, bool *memory)
{
    const int n = cJSON_IsObject(list) ? cJSON_GetArraySize(list) : -1;
    const cJSON *item;
    if (n < 0 || n > FIGURES_MOST)
        return false;
    o->figure = calloc((size_t)n + 1, sizeof *o->figure);
    *memory = !o->figure;
    cJSON_ArrayForEach(item, list)
    {
        struct outcome_figure *f = *memory ? NULL : &o->figure[o->figures];
        if (!f || !report_key_valid(item->string) || strlen(item->string) >= NAME_MOST ||
            !get_number(item, false, f->text))
            return false;
        f->name = strdup(item->string);
        *memory = !f->name;
        if (*memory)
            return false;
        o->figures++;
    }
    return !*memory;
}

static bool read_members(struct outcome *o, const cJSON *root, bool *memory)
{
    const cJSON *reason = get(root, "reason"), *notices = get(root, "notices");
    uint64_t job, code, width, height;
    if (!get_job(get(root, "job"), &job) || !get_integer(root, "code", 255, &code) || !cJSON_IsString(reason) ||
        !cJSON_IsString(notices))
        return false;
    *memory = outcome_start(o, job, (int)code, reason->valuestring, NULL) != 0;
    char *text = *memory ? NULL : strdup(notices->valuestring);
    *memory = !text;
    if (*memory)
        return false;
    free(o->notices);
    o->notices = text;
    if (!get_integer(root, "frames", 0x1p53, &o->frames) || !get_integer(root, "width", 65535, &width) ||
        !get_integer(root, "height", 65535, &height) || !get_number(get(root, "video_bytes"), true, o->bytes) ||
        !get_number(get(root, "duration_s"), true, o->seconds) ||
        !get_number(get(root, "bitrate_kbps"), true, o->kbps))
        return false;
    o->width = (uint32_t)width;
    o->height = (uint32_t)height;
    return read_figures(o, get(root, "figures"), memory);
}

bool outcome_parse(struct outcome *o, const char *text, size_t size, bool *memory)
{
    *o = (struct outcome){0};
    *memory = false;
    cJSON *root = json_bounded("", text, size, NULL) ? NULL : cJSON_ParseWithLength(text, size);
    const bool good = root && read_members(o, root, memory);
    cJSON_Delete(root);
    if (!good)
        outcome_free(o);
    o->edited = good && !has_sum(text, size);
    return good;
}
