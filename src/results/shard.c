/* SPDX-License-Identifier: BSD-2-Clause */
#include "results/shard.h"

#include <stdlib.h>
#include <string.h>

#include "results/sink.h"

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

static void write_fields(struct sink *out, const struct report_run *run)
{
    sink_text(out, ",\n  \"fields\": [");
    for (uint32_t i = 0; i < run->fields; i++) {
        const struct report_field *f = run->field + i;
        sink_text(out, i ? ",\n    [" : "\n    [");
        sink_json_string(out, f->name);
        sink_text(out, ", ");
        sink_json_string(out, f->value);
        sink_format(out, ", %s, %s]", f->number ? "true" : "false", f->incidental ? "true" : "false");
    }
    sink_text(out, "\n  ],\n");
}

static void write_totals(struct sink *out, const struct shard *s)
{
    sink_text(out, "  \"totals\": [");
    for (uint32_t i = 0; i < s->totals; i++) {
        char text[TOTAL_TEXT_SIZE];
        total_format(text, s->exact[i].value);
        sink_text(out, i ? ",\n    [" : "\n    [");
        sink_json_string(out, s->exact[i].name);
        sink_format(out, ", \"%s\"]", text);
    }
    sink_text(out, "\n  ],\n");
}

static void write_rows(struct sink *out, const struct scores *scores)
{
    sink_text(out, "  \"scores\": [");
    for (uint64_t row = 0; row < scores->rows; row++) {
        sink_format(out, "%s\n    \"%llu", row ? "," : "", (unsigned long long)scores->frame[row]);
        if (scores->time[row] == SCORES_NO_TIME)
            sink_text(out, " -");
        else
            sink_format(out, " %lld", (long long)scores->time[row]);
        for (uint32_t k = 0; k < scores->keys; k++) {
            char text[NUMBER_TEXT_SIZE];
            format_hex(text, scores_value(scores, row, k));
            sink_format(out, " %s", text);
        }
        sink_text(out, "\"");
    }
    sink_text(out, "\n  ]\n");
}

int shard_write(const struct shard *s, const char *path, struct assay_error *e)
{
    struct sink out;
    int result = sink_open(&out, path, e);
    if (result)
        return result;
    sink_json_member(&out, "{\n  \"assay_shard\": 2,\n  ", "version", s->run.version);
    sink_json_member(&out, ",\n  ", "compared", s->run.compared);
    sink_format(&out, ",\n  \"width\": %u,\n  \"height\": %u,\n", s->run.width, s->run.height);
    sink_format(&out, "  \"first\": %llu,\n  \"count\": %llu,\n  \"every\": %llu,\n  \"total\": %llu,\n",
                (unsigned long long)s->first, (unsigned long long)s->count, (unsigned long long)s->every,
                (unsigned long long)s->total);
    sink_format(&out, "  \"incomplete\": %s", s->run.incomplete ? "true" : "false");
    sink_json_member(&out, ",\n  ", "reason", s->run.reason);
    write_fields(&out, &s->run);
    sink_text(&out, "  \"keys\": [");
    for (uint32_t k = 0; k < s->scores.keys; k++)
        sink_format(&out, "%s\n    \"%s\"", k ? "," : "", s->scores.key[k]);
    sink_text(&out, "\n  ],\n");
    write_totals(&out, s);
    write_rows(&out, &s->scores);
    sink_text(&out, "}\n");
    return sink_close(&out, e);
}
