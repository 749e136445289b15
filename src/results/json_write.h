/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes JSON. It knows nesting, commas, line breaks and indentation, so that what is written is JSON whatever its
 * callers leave out. No other file has a name of a member in a format.
 */
#ifndef ASSAY_RESULTS_JSON_WRITE_H
#define ASSAY_RESULTS_JSON_WRITE_H

#include "results/sink.h"

/* How the members of an object or a list stand. */
enum {
    JSON_ROW = 0,   /* in one line, with blanks */
    JSON_LINES = 1, /* each in a line of its own, two columns in; an empty one is {} or [] */
    JSON_TIGHT = 2, /* without blanks; with JSON_LINES, without indentation, too */
    JSON_BLOCK = 4, /* with JSON_LINES: the end stands in a line of its own also when there is no member */
    JSON_HANG = 8,  /* the end stands behind the last member */
    JSON_FLAT = 16, /* with JSON_LINES: members stand in the column of the object's or list's own line */
};

enum { JSON_DEPTH = 16 };

struct json {
    struct sink *sink;
    bool html;      /* within a script element of HTML */
    unsigned depth; /* objects and lists that are open */
    struct json_level {
        unsigned style, column, inner; /* columns of its own line and of its members' */
        bool list, any, broken;        /* broken: the next member begins a line */
    } level[JSON_DEPTH];
};

/* Begins an object whose first member is "version": "assay VERSION". */
void json_document(struct json *j, struct sink *sink, const char *version);

/* `name` is NULL of a member of a list, and of the whole. json_end ends what was begun last; the end of the whole has a
 * line break behind it, unless it is JSON_TIGHT or JSON_HANG. */
void json_object(struct json *j, const char *name, unsigned style);
void json_list(struct json *j, const char *name, unsigned style);
void json_end(struct json *j);

void json_text(struct json *j, const char *name, const char *value); /* NULL: null */
void json_count(struct json *j, const char *name, uint64_t value);
void json_whole(struct json *j, const char *name, int64_t value);
void json_bool(struct json *j, const char *name, bool value);
#define json_null(j, name) json_text(j, name, NULL)
void json_maybe(struct json *j, const char *name, bool known, int64_t value); /* null where it is not known */
/* `precision` is as in sink_number; null where the value is not finite. */
void json_number(struct json *j, const char *name, double value, int precision);
void json_seconds(struct json *j, const char *name, int64_t nanoseconds);
/* A text that is a JSON value. */
void json_value(struct json *j, const char *name, const char *text);

/* The next member of a row begins a line, one column further in. */
void json_break(struct json *j);

#endif
