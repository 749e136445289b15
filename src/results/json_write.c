/* SPDX-License-Identifier: BSD-2-Clause */
#include "results/json_write.h"

#include <inttypes.h>
#include <math.h>

#include "host/text.h"

/* Bytes that are not UTF-8 become U+FFFD. Within HTML also characters that could end a script element, or begin
 * something in it, are escaped. */
static void put_string(struct json *j, const char *text)
{
    struct sink *s = j->sink;
    sink_text(s, "\"");
    while (*text) {
        uint32_t c = text_character(&text);
        if (j->html && (c == '<' || c == '>' || c == '&'))
            sink_format(s, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            sink_format(s, "\\%c", (int)c);
        else if (c == '\n')
            sink_text(s, "\\n");
        else if (c == '\t')
            sink_text(s, "\\t");
        else if (c < 0x20)
            sink_format(s, "\\u%04x", c);
        else
            sink_character(s, c);
    }
    sink_text(s, "\"");
}

static void begin_line(struct json *j, unsigned column)
{
    sink_format(j->sink, "\n%*s", (int)column, "");
}

/* Writes what comes before a value: a comma, a line break, the name. */
static void begin(struct json *j, const char *name)
{
    struct json_level *l = j->depth ? &j->level[j->depth - 1] : NULL;
    const bool tight = l && l->style & JSON_TIGHT;
    if (l) {
        const bool line = l->style & JSON_LINES || l->broken;
        sink_text(j->sink, !l->any ? "" : line || tight ? "," : ", ");
        if (line)
            begin_line(j, l->broken ? l->column + 1 : l->inner);
        l->any = true;
        l->broken = false;
    }
    if (name) {
        put_string(j, name);
        sink_text(j->sink, tight ? ":" : ": ");
    }
}

static void open_level(struct json *j, const char *name, unsigned style, bool list)
{
    const struct json_level *l = j->depth ? &j->level[j->depth - 1] : NULL;
    const unsigned column = !l ? 0 : l->style & JSON_LINES ? l->inner : l->column;
    const unsigned deeper = style & (JSON_FLAT | JSON_TIGHT) ? 0 : 2;
    begin(j, name);
    sink_text(j->sink, list ? "[" : "{");
    if (j->depth < JSON_DEPTH)
        j->level[j->depth++] = (struct json_level){style, column, column + deeper, list, false, false};
}

void json_object(struct json *j, const char *name, unsigned style)
{
    open_level(j, name, style, false);
}

void json_document(struct json *j, struct sink *sink, const char *version)
{
    char text[128];
    *j = (struct json){.sink = sink};
    snprintf(text, sizeof text, "assay %s", version);
    json_object(j, NULL, JSON_LINES);
    json_text(j, "version", text);
}

void json_list(struct json *j, const char *name, unsigned style)
{
    open_level(j, name, style, true);
}

void json_end(struct json *j)
{
    const struct json_level l = j->level[--j->depth];
    if (l.style & JSON_LINES && !(l.style & JSON_HANG) && (l.any || l.style & JSON_BLOCK))
        begin_line(j, l.column);
    sink_text(j->sink, l.list ? "]" : "}");
    if (!j->depth && !(l.style & (JSON_TIGHT | JSON_HANG)))
        sink_text(j->sink, "\n");
}

void json_text(struct json *j, const char *name, const char *value)
{
    begin(j, name);
    if (value)
        put_string(j, value);
    else
        sink_text(j->sink, "null");
}

void json_count(struct json *j, const char *name, uint64_t value)
{
    begin(j, name);
    sink_format(j->sink, "%" PRIu64, value);
}

void json_whole(struct json *j, const char *name, int64_t value)
{
    begin(j, name);
    sink_format(j->sink, "%" PRId64, value);
}

void json_bool(struct json *j, const char *name, bool value)
{
    json_value(j, name, value ? "true" : "false");
}

void json_maybe(struct json *j, const char *name, bool known, int64_t value)
{
    if (known)
        json_whole(j, name, value);
    else
        json_null(j, name);
}

void json_number(struct json *j, const char *name, double value, int precision)
{
    begin(j, name);
    if (isfinite(value))
        sink_number(j->sink, value, precision);
    else
        sink_text(j->sink, "null");
}

void json_seconds(struct json *j, const char *name, int64_t nanoseconds)
{
    begin(j, name);
    sink_seconds(j->sink, nanoseconds);
}

void json_value(struct json *j, const char *name, const char *text)
{
    begin(j, name);
    sink_text(j->sink, text);
}

void json_break(struct json *j)
{
    if (j->depth)
        j->level[j->depth - 1].broken = true;
}
