/* SPDX-License-Identifier: BSD-2-Clause */
/* A file that is being written. The writing functions return nothing: the sink keeps the first error, and sink_flush
 * and sink_close return it. Text is ASCII or UTF-8 and does not depend on the locale. */
#ifndef ASSAY_REPORT_SINK_H
#define ASSAY_REPORT_SINK_H

#include <stdbool.h>

#include "report/file.h"

struct sink {
    FILE *file;
    char *path;          /* for messages */
    struct file_out out; /* empty: stdout */
    int error;           /* the first errno; 0 while all is well */
};

/* `path` "-" is stdout. A sink that was opened must be closed or abandoned, whatever fails in between. The file takes
 * its place when it is closed and all was written; otherwise what was there before stays. */
int sink_open(struct sink *s, const char *path, struct assay_error *e);
int sink_flush(struct sink *s, struct assay_error *e);
int sink_close(struct sink *s, struct assay_error *e);
void sink_abandon(struct sink *s);

/* Takes back all that was written, so that it is written anew. False when that can't be: the sink is as before. */
bool sink_again(struct sink *s);

void sink_text(struct sink *s, const char *text);
__attribute__((format(printf, 2, 3))) void sink_format(struct sink *s, const char *format, ...); /* integers, strings */

void sink_bytes(struct sink *s, const void *data, size_t n);

/* `precision` as in report.h. What is not finite is null in JSON and C's text elsewhere. */
void sink_number(struct sink *s, double v, int precision);
void sink_json_number(struct sink *s, double v, int precision);

/* A time of `time` nanoseconds in seconds, with nine decimals. */
void sink_seconds(struct sink *s, int64_t time);

/* A string in double quotes, escaped. What is not UTF-8, or not allowed in XML, becomes U+FFFD. */
void sink_json_string(struct sink *s, const char *text);
void sink_xml_string(struct sink *s, const char *text);

/* `before`, then a member of a JSON object: "name": "value", or null where that is NULL. */
void sink_json_member(struct sink *s, const char *before, const char *name, const char *value);

#endif
