/* SPDX-License-Identifier: BSD-2-Clause */
#include "results/sink.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/numbers.h"
#include "host/text.h"
#include "results/results.h"

static void keep_error(struct sink *s)
{
    if (!s->error)
        s->error = errno ? errno : EIO;
}

int sink_open(struct sink *s, const char *path, struct assay_error *e)
{
    const bool is_stdout = !strcmp(path, "-");
    *s = (struct sink){.path = strdup(is_stdout ? "stdout" : path)};
    if (!s->path)
        return assay_fail_memory(e, "a report");
    const int rc = is_stdout ? ASSAY_OK : file_begin(&s->out, path, e);
    s->file = is_stdout ? stdout : s->out.stream;
    if (rc)
        free(s->path);
    return rc;
}

void sink_fail(struct sink *s, const struct assay_error *why)
{
    if (!s->error && !s->failure.code)
        s->failure = *why;
    s->error = s->error ? s->error : EIO;
}

static int report_error(const struct sink *s, struct assay_error *e)
{
    if (s->failure.code)
        return assay_fail(e, s->failure.code, "%s: %s", s->path, s->failure.text);
    if (!s->error)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EINTERNAL, "%s: can't be written: %s", s->path, strerror(s->error));
}

int sink_flush(struct sink *s, struct assay_error *e)
{
    errno = 0;
    if (fflush(s->file) != 0 || ferror(s->file))
        keep_error(s);
    return report_error(s, e);
}

int sink_close(struct sink *s, struct assay_error *e)
{
    char *beside = NULL;
    if (s->error || sink_flush(s, NULL)) {
        file_discard(&s->out);
    } else if (s->out.stream && (s->error = file_place(&s->out, &beside)) && beside) {
        assay_fail(e, ASSAY_EINTERNAL, "%s: can't be replaced: %s; what was written is %s", s->path,
                   strerror(s->error), beside);
    }
    const int result = report_error(s, e);
    free(beside);
    free(s->path);
    *s = (struct sink){0};
    return result;
}

void sink_abandon(struct sink *s)
{
    file_discard(&s->out);
    free(s->path);
    *s = (struct sink){0};
}

bool sink_again(struct sink *s)
{
    if (!s->out.beside || s->error || sink_flush(s, NULL))
        return false;
    errno = 0;
    if (fseeko(s->file, 0, SEEK_SET) || ftruncate(fileno(s->file), 0))
        keep_error(s);
    return true;
}

void sink_text(struct sink *s, const char *text)
{
    sink_bytes(s, text, strlen(text));
}

void sink_format(struct sink *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    errno = 0;
    if (!s->error && vfprintf(s->file, format, args) < 0)
        keep_error(s);
    va_end(args);
}

void sink_plain(struct sink *s, const char *text)
{
    char shown[TEXT_SHOWN];
    while (*text) {
        text_shown(&text, shown);
        sink_text(s, shown);
    }
}

void sink_bytes(struct sink *s, const void *data, size_t n)
{
    errno = 0;
    if (!s->error && n && fwrite(data, 1, n, s->file) != n)
        keep_error(s);
}

void sink_number(struct sink *s, double v, int precision)
{
    char text[NUMBER_TEXT_SIZE];
    if (precision == REPORT_SHORTEST)
        format_shortest(text, v);
    else
        format_fixed(text, v, precision);
    sink_text(s, text);
}

void sink_number_within(struct sink *s, const char *before, double v, int precision, const char *after)
{
    sink_text(s, before);
    sink_number(s, v, precision);
    sink_text(s, after);
}

void format_seconds(char *text, int64_t time)
{
    const uint64_t n = time < 0 ? 0 - (uint64_t)time : (uint64_t)time, second = 1000000000;
    snprintf(text, NUMBER_TEXT_SIZE, "%s%llu.%09llu", time < 0 ? "-" : "", (unsigned long long)(n / second),
             (unsigned long long)(n % second));
}

void sink_seconds(struct sink *s, int64_t time)
{
    char text[NUMBER_TEXT_SIZE];
    format_seconds(text, time);
    sink_text(s, text);
}

void sink_character(struct sink *s, uint32_t c)
{
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0}; /* by how many bytes follow, of six bits each */
    const unsigned more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    char text[4];
    for (unsigned i = more; i > 0; i--, c >>= 6)
        text[i] = (char)(0x80 | (c & 0x3f));
    text[0] = (char)(first[more] | c);
    sink_bytes(s, text, more + 1);
}

void sink_xml_text(struct sink *s, const char *text)
{
    while (*text) {
        uint32_t c = text_character(&text);
        if (c == '&')
            sink_text(s, "&amp;");
        else if (c == '<')
            sink_text(s, "&lt;");
        else if (c == '>')
            sink_text(s, "&gt;");
        else if (c == '"')
            sink_text(s, "&quot;");
        else if (c == '\t' || c == '\n' || c == '\r')
            sink_format(s, "&#%u;", c); /* XML readers turn the bare character into a blank */
        else
            sink_character(s, c < 0x20 || c == 0xfffe || c == 0xffff ? TEXT_REPLACEMENT : c);
    }
}

void sink_xml_within(struct sink *s, const char *before, const char *text, const char *after)
{
    sink_text(s, before);
    sink_xml_text(s, text);
    sink_text(s, after);
}

void sink_csv_text(struct sink *s, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        sink_text(s, text);
        return;
    }
    sink_text(s, "\"");
    for (const char *at = text; *at; at++)
        sink_bytes(s, *at == '"' ? "\"\"" : at, *at == '"' ? 2 : 1);
    sink_text(s, "\"");
}
