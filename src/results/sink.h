/* SPDX-License-Identifier: BSD-2-Clause */
/* A file that is being written. The writing functions return nothing: the sink keeps the first error, and sink_flush
 * and sink_close return it. Text is ASCII or UTF-8 and does not depend on the locale. */
#ifndef ASSAY_RESULTS_SINK_H
#define ASSAY_RESULTS_SINK_H

#include <stdbool.h>

#include "results/file.h"

struct sink {
    FILE *file;
    char *path;          /* for messages */
    struct file_out out; /* empty: stdout */
    int error;           /* the first errno; 0 while all is well */
    struct assay_error failure; /* what sink_fail was told */
};

/* `path` "-" is stdout. An open sink must be closed or abandoned, whatever fails in between. Only sink_close without an
 * error puts the file in its place (results/file.h); otherwise an older file stays. */
int sink_open(struct sink *s, const char *path, struct assay_error *e);
int sink_flush(struct sink *s, struct assay_error *e);
int sink_close(struct sink *s, struct assay_error *e);
void sink_abandon(struct sink *s);

/* Keeps a failure other than of writing; sink_close returns it. */
void sink_fail(struct sink *s, const struct assay_error *why);

/* Removes all that was written, so that it can be written anew. False when that is not possible: the sink is
 * unchanged. */
bool sink_again(struct sink *s);

void sink_text(struct sink *s, const char *text);
void sink_plain(struct sink *s, const char *text); /* for terminals: without control characters */
PRINTF_LIKE(2, 3) void sink_format(struct sink *s, const char *format, ...); /* integers, strings */

void sink_bytes(struct sink *s, const void *data, size_t n);

/* `precision` is the number of decimals, 0 to 17, or REPORT_SHORTEST of results.h. Infinities and
 * NaN are C's text. */
void sink_number(struct sink *s, double v, int precision);
void sink_number_within(struct sink *s, const char *before, double v, int precision, const char *after);

/* Writes `time`, which is in nanoseconds, in seconds with nine decimals; as text of NUMBER_TEXT_SIZE bytes at most. */
void format_seconds(char *text, int64_t time);
void sink_seconds(struct sink *s, int64_t time);

/* A character in UTF-8. */
void sink_character(struct sink *s, uint32_t c);

/* A text for XML and HTML, escaped. Bytes that are not UTF-8 and characters that XML forbids become U+FFFD. */
void sink_xml_text(struct sink *s, const char *text);
/* The same between two texts that are written as they are. */
void sink_xml_within(struct sink *s, const char *before, const char *text, const char *after);

/* A field of CSV (RFC 4180), in quotes where it needs them. */
void sink_csv_text(struct sink *s, const char *text);

#endif
