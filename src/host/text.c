/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/text.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_format(char *to, size_t size, const char *format, va_list args)
{
    const struct c_locale before = c_locale_enter();
    vsnprintf(to, size, format, args);
    c_locale_leave(before);
}

void text_set(char *to, size_t size, const char *format, ...)
{
    TEXT_GIVEN(to, size, format);
}

void text_append(char *to, size_t size, const char *format, ...)
{
    const size_t used = strlen(to);
    TEXT_GIVEN(to + used, size - used, format);
}

char *text_new(const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    const int n = vasprintf(&text, format, args);
    va_end(args);
    return n < 0 ? NULL : text;
}

bool text_list(char *list, size_t size, const char *word)
{
    const size_t used = strlen(list);
    const bool fits = used + strlen(word) + 2 + sizeof ", ..." <= size;
    text_append(list, size, "%s%s", used ? ", " : "", fits ? word : "...");
    return fits;
}

void text_end(char *to, size_t size, const char *text)
{
    const size_t n = strlen(text);
    const char *tail = n < size ? text : text + n - (size - 4);
    while (n >= size && (*tail & 0xc0) == 0x80)
        tail++;
    snprintf(to, size, "%s%s", n < size ? "" : "...", tail);
    text_plain(to);
}

bool text_ends(const char *text, const char *tail)
{
    const size_t n = strlen(text), m = strlen(tail);
    return n >= m && !strcmp(text + n - m, tail);
}

void text_folder(char *to, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(to, size, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
}

int text_make_folders(const char *path, unsigned mode)
{
    char folder[PATH_MAX];
    const char *end = strrchr(path, '/');
    if (!end)
        return 0;
    if ((size_t)(end - path) >= sizeof folder)
        return ENAMETOOLONG;
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        const int why = system_make_folder(folder, mode);
        if (why && why != EEXIST)
            return why;
    }
    return 0;
}

const char *text_line(const char **text, size_t *n)
{
    const char *line = *text;
    if (!*line)
        return NULL;
    *n = strcspn(line, "\n");
    *text = line + *n + (line[*n] == '\n');
    return line;
}

uint32_t text_character(const char **text)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)*text;
    uint32_t c = s[0];
    int more = c < 0x80 ? 0 : c >= 0xc2 && c < 0xe0 ? 1 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : -1;
    (*text)++;
    if (more < 0)
        return TEXT_REPLACEMENT;
    if (more > 0)
        c &= 0x3fu >> more;
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80) /* the NUL at the end stops here too */
            return TEXT_REPLACEMENT;
        c = c << 6 | (s[i] & 0x3fu);
    }
    if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return TEXT_REPLACEMENT;
    *text += more;
    return c;
}

size_t text_shown(const char **text, char to[TEXT_SHOWN])
{
    const char *from = *text;
    const uint32_t c = text_character(text);
    const size_t n = (size_t)(*text - from);
    const unsigned char first = (unsigned char)*from;
    /* A lone byte, of a text in another encoding, is a control character of that one, too. */
    const bool control = first < 0x20 || first == 0x7f || (first >= 0x80 && first < 0xa0) || (c >= 0x80 && c < 0xa0);
    memcpy(to, control ? "?" : from, control ? 1 : n);
    to[control ? 1 : n] = '\0';
    return control ? 1 : n;
}

void text_plain(char *text)
{
    const char *from = text;
    char shown[TEXT_SHOWN];
    for (size_t n; *from; text += n) { /* never longer than what was read */
        n = text_shown(&from, shown);
        memcpy(text, shown, n);
    }
    *text = '\0';
}

void text_for_message(char *to, size_t size, const unsigned char *data, size_t n)
{
    size_t i = 0;
    for (; i < n && i + 1 < size; i++)
        to[i] = data[i] >= 0x20 && data[i] < 0x7f ? (char)data[i] : '?';
    to[i] = '\0';
}

void text_say(const char *format, ...)
{
    char text[4096];
    TEXT_GIVEN(text, sizeof text, format);
    text_plain(text);
    fprintf(stderr, "assay: %s\n", text);
}

int text_word(const char *words, const char *word)
{
    return text_word_of(words, word, strlen(word));
}

int text_word_of(const char *words, const char *word, size_t length)
{
    int number = 0;
    for (size_t n; *words; words += n + strspn(words + n, ", "), number++) {
        n = strcspn(words, ", ");
        if (n == length && !strncmp(words, word, n))
            return number;
    }
    return -1;
}
