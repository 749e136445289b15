/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of the column `options`. */
#include <string.h>

#include "cli/batch/batch.h"

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

int batch_words(const char *text, char *words)
{
    for (int n = 0;; n++) {
        text += strspn(text, " \t\r\n");
        if (!*text)
            return n;
        if (!copy_word(&text, &words))
            return -1;
    }
}
