/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts in buffers of a fixed size, and texts that are written to a file descriptor. */
#ifndef ASSAY_HOST_TEXT_H
#define ASSAY_HOST_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/system.h"

/* vsnprintf in the C locale: numbers of messages and notes have a point in every application. TEXT_GIVEN is for
 * functions whose last arguments are a format and what it names. */
PRINTF_LIKE(3, 0) void text_format(char *to, size_t size, const char *format, va_list args);
#define TEXT_GIVEN(to, size, format) do { \
    va_list given; \
    va_start(given, format); \
    text_format(to, size, format, given); \
    va_end(given); \
} while (0)

/* Writes a text into `size` bytes. What does not fit is cut off. text_append writes behind the text that is there. */
PRINTF_LIKE(3, 4) void text_set(char *to, size_t size, const char *format, ...);
PRINTF_LIKE(3, 4) void text_append(char *to, size_t size, const char *format, ...);

/* A text of integers and texts, as long as it has to be, which the caller frees. NULL: there is no memory for it. */
PRINTF_LIKE(1, 2) char *text_new(const char *format, ...);

/* Adds a word to the list "a, b". A list ends in "..." where the next word and the end of a list may not both fit: then
 * it takes no more, and false is returned. */
bool text_list(char *list, size_t size, const char *word);

/* Copies a text into `size` bytes, as text_plain makes it. Of one that is longer the end, which begins with a whole
 * character, behind "...". */
void text_end(char *to, size_t size, const char *text);

bool text_ends(const char *text, const char *tail); /* a name with its ending */

/* Makes the folder of a path and those above it, with `mode`. Folders that exist stay. Returns 0 or an errno. */
int text_make_folders(const char *path, unsigned mode);

/* Writes the folder of a path into `size` bytes: all before the file's name, or "." where the path is a name alone. */
void text_folder(char *to, size_t size, const char *path);

/*
 * Text from outside (a file's name, what a file says) must not steer a terminal, nor forge a line. The control
 * characters of ASCII and those from U+0080 to U+009F, also as single bytes, become "?": the second ones begin what
 * escape sequences begin.
 *
 * text_shown takes the next character off *text, which is not at its end, and returns the bytes that it wrote before
 * the NUL. text_plain does this to all of a text. text_for_message is for bytes of which nobody knows what they are:
 * what is not ASCII becomes "?", too, and so does a NUL. text_say prints a line on standard error, behind "assay: ".
 */
enum { TEXT_SHOWN = 5 };
size_t text_shown(const char **text, char to[TEXT_SHOWN]);
void text_plain(char *text);
void text_for_message(char *to, size_t size, const unsigned char *data, size_t n);
PRINTF_LIKE(1, 2) void text_say(const char *format, ...);

/* Takes the next line off *text and returns it; *n becomes its bytes, without its break. NULL: there is none. */
const char *text_line(const char **text, size_t *n);

/* Takes one character of UTF-8 off *text, which is not at its end. A byte that starts no valid sequence is one
 * TEXT_REPLACEMENT. */
enum { TEXT_REPLACEMENT = 0xfffd };
uint32_t text_character(const char **text);

/* Writes all `size` bytes. Returns 0 or an errno. */
int text_write(int fd, const char *text, size_t size);

/* Of ASCII alone: the locale has no part in it. */
static inline char text_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The place of a word, of `length` bytes, among those of a list, "number, time" or "vmaf vmaf_ci"; -1: it is none. */
int text_word(const char *words, const char *word);
int text_word_of(const char *words, const char *word, size_t length);

#endif
