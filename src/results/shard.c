/* SPDX-License-Identifier: BSD-2-Clause */
#include "results/shard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/json_write.h"

struct shard_memory {
    struct shard_memory *next;
    max_align_t data[];
};

void *shard_alloc(struct shard *s, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - sizeof(struct shard_memory)) / size)
        return NULL;
    struct shard_memory *m = calloc(1, sizeof *m + count * size);
    if (!m)
        return NULL;
    m->next = s->memory;
    s->memory = m;
    return m->data;
}

char *shard_copy(struct shard *s, const char *text)
{
    if (!text)
        return NULL;
    size_t size = strlen(text) + 1;
    char *copy = shard_alloc(s, size, 1);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

void shard_free(struct shard *s)
{
    scores_free(&s->scores);
    while (s->memory) {
        struct shard_memory *m = s->memory;
        s->memory = m->next;
        free(m);
    }
    *s = (struct shard){0};
}

/* The largest 128-bit magnitude is that of the most negative value; unsigned arithmetic holds both signs. */
__extension__ typedef unsigned __int128 magnitude;

#define MOST_NEGATIVE ((magnitude)1 << 127)

void total_format(char *text, exact_total v)
{
    char digits[TOTAL_TEXT_SIZE];
    size_t n = 0;
    magnitude m = v < 0 ? -(magnitude)v : (magnitude)v;
    do
        digits[n++] = (char)('0' + (int)(m % 10));
    while ((m /= 10) != 0);
    if (v < 0)
        *text++ = '-';
    while (n > 0)
        *text++ = digits[--n];
    *text = '\0';
}

bool total_parse(const char *text, exact_total *v)
{
    bool negative = *text == '-';
    const char *s = text + negative;
    magnitude m = 0, most = MOST_NEGATIVE - !negative;
    if (*s == '\0' || (*s == '0' && (s[1] || negative))) /* one text per value: no leading zeros, no -0 */
        return false;
    for (; *s; s++) {
        if (*s < '0' || *s > '9')
            return false;
        magnitude digit = (magnitude)(*s - '0');
        if (m > (most - digit) / 10)
            return false;
        m = m * 10 + digit;
    }
    *v = (exact_total)(negative ? -m : m);
    return true;
}

exact_total total_join(assay_total halves)
{
    return (exact_total)halves.high * ((exact_total)1 << 64) + halves.low;
}

assay_total total_halves(exact_total v)
{
    return (assay_total){.low = (uint64_t)v, .high = (int64_t)(v >> 64)};
}

uint64_t shard_row_frame(const struct shard *s, uint64_t row)
{
    return (s->first / s->every + (s->first % s->every != 0) + row) * s->every;
}

uint64_t shard_rows(const struct shard *s)
{
    uint64_t end = s->first + s->count;
    uint64_t after = end / s->every + (end % s->every != 0), before = s->first / s->every + (s->first % s->every != 0);
    return after - before;
}

static void write_fields(struct json *j, const struct report_run *run)
{
    json_list(j, "fields", JSON_LINES | JSON_BLOCK);
    for (uint32_t i = 0; i < run->fields; i++) {
        const struct report_field *f = run->field + i;
        json_list(j, NULL, JSON_ROW);
        json_text(j, NULL, f->name);
        json_text(j, NULL, f->value);
        json_bool(j, NULL, f->number);
        json_bool(j, NULL, f->incidental);
        json_end(j);
    }
    json_end(j);
}

static void write_totals(struct json *j, const struct shard *s)
{
    json_list(j, "totals", JSON_LINES | JSON_BLOCK);
    for (uint32_t i = 0; i < s->totals; i++) {
        char text[TOTAL_TEXT_SIZE];
        total_format(text, s->exact[i].value);
        json_list(j, NULL, JSON_ROW);
        json_text(j, NULL, s->exact[i].name);
        json_text(j, NULL, text);
        json_end(j);
    }
    json_end(j);
}

/* A row is one string: the frame, its time, and the exact values. `text` has room for it. */
static void write_row(struct json *j, const struct scores *scores, uint64_t row, char *text)
{
    char *at = text + sprintf(text, "%llu", (unsigned long long)scores->frame[row]);
    if (scores->time[row] == SCORES_NO_TIME)
        at += sprintf(at, " -");
    else
        at += sprintf(at, " %lld", (long long)scores->time[row]);
    for (uint32_t k = 0; k < scores->keys; k++) {
        *at++ = ' ';
        format_hex(at, scores_value(scores, row, k));
        at += strlen(at);
    }
    json_text(j, NULL, text);
}

static int write_rows(struct json *j, const struct scores *scores, struct assay_error *e)
{
    char *text = malloc(((size_t)scores->keys + 2) * (NUMBER_TEXT_SIZE + 1));
    if (!text)
        return assay_fail_memory(e, "a part's scores");
    json_list(j, "scores", JSON_LINES | JSON_BLOCK);
    for (uint64_t row = 0; row < scores->rows; row++)
        write_row(j, scores, row, text);
    json_end(j);
    free(text);
    return ASSAY_OK;
}

static void write_head(struct json *j, const struct shard *s)
{
    json_count(j, "assay_shard", 2);
    json_text(j, "version", s->run.version);
    json_text(j, "compared", s->run.compared);
    json_count(j, "width", s->run.width);
    json_count(j, "height", s->run.height);
    json_count(j, "first", s->first);
    json_count(j, "count", s->count);
    json_count(j, "every", s->every);
    json_count(j, "total", s->total);
    json_bool(j, "incomplete", s->run.incomplete);
    json_text(j, "reason", s->run.reason);
}

int shard_write(const struct shard *s, const char *path, struct assay_error *e)
{
    struct sink out;
    struct json j = {.sink = &out};
    struct assay_error failed = {0};
    TRY(sink_open(&out, path, e));
    json_object(&j, NULL, JSON_LINES);
    write_head(&j, s);
    write_fields(&j, &s->run);
    json_list(&j, "keys", JSON_LINES | JSON_BLOCK);
    for (uint32_t k = 0; k < s->scores.keys; k++)
        json_text(&j, NULL, s->scores.key[k]);
    json_end(&j);
    write_totals(&j, s);
    if (write_rows(&j, &s->scores, &failed))
        sink_fail(&out, &failed);
    json_end(&j);
    return sink_close(&out, e);
}
