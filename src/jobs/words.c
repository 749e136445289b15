/* SPDX-License-Identifier: BSD-2-Clause */
/* Options as one text, and as words. */
#include <stdlib.h>
#include <string.h>

#include "jobs/jobs.h"

/* Copies one word, which begins at *text. False where a quote is open, or a backslash stands at the end. */
static bool copy_word(const char **text, char **to)
{
    char quote = 0;
    for (const char *at = *text;; at++) {
        if (!*at || (!quote && strchr(" \t\r\n", *at))) {
            *text = at;
            *(*to)++ = '\0';
            return !quote;
        }
        if (*at == quote) {
            quote = 0;
        } else if (!quote && (*at == '\'' || *at == '"')) {
            quote = *at;
        } else if (*at == '\\' && (!quote || (quote == '"' && at[1] && strchr("\\\"$`", at[1])))) {
            if (!*++at)
                return false;
            *(*to)++ = *at;
        } else {
            *(*to)++ = *at;
        }
    }
}

char **jobs_words(const char *text, int *words)
{
    const size_t size = strlen(text) + 1, most = size / 2 + 2; /* of a byte, a blank and the end */
    char **word = calloc(1, most * sizeof *word + size), *to = (char *)(word + most);
    *words = 0;
    while (word && *(text += strspn(text, " \t\r\n"))) {
        word[(*words)++] = to;
        if (!copy_word(&text, &to)) {
            *words = -1;
            return word;
        }
    }
    return word;
}

char *jobs_quote(char *const *word, int words)
{
    size_t size = 1;
    for (int i = 0; i < words; i++)
        size += 4 * strlen(word[i]) + 3; /* each byte as '\'' at most, a blank, and a quote at both ends */
    char *text = calloc(1, size), *to = text;
    for (int i = 0; text && i < words; i++) {
        const bool plain = *word[i] && !strpbrk(word[i], " \t\r\n'\"\\$`*?[]{}()<>|&;!#~");
        to = stpcpy(to, i ? " " : "");
        if (plain) {
            to = stpcpy(to, word[i]);
            continue;
        }
        *to++ = '\'';
        for (const char *at = word[i]; *at; at++)
            to = stpcpy(to, *at == '\'' ? "'\\''" : (char[2]){*at, '\0'});
        *to++ = '\'';
    }
    char *exact = text ? realloc(text, (size_t)(to - text) + 1) : NULL;
    return exact ? exact : text;
}
