/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/suggest.h"

#include <stdio.h>
#include <string.h>

#include "host/text.h"

struct suggestion suggest_for(const char *word, size_t n)
{
    struct suggestion s = {.best = NULL};
    if (n < SUGGEST_WORD)
        memcpy(s.word, word, n);
    return s;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* The number of insertions, deletions, replacements and exchanges of neighbours that turn a into b. Both are shorter
 * than SUGGEST_WORD. */
static unsigned edits(const char *a, const char *b)
{
    unsigned row[3][SUGGEST_WORD]; /* distances of the first i, i - 1 and i - 2 letters of a, to each prefix of b */
    const size_t n = strlen(b);
    for (size_t i = 0; i <= strlen(a); i++) {
        unsigned *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
        for (size_t k = 0; k <= n; k++) {
            if (!i || !k) {
                now[k] = (unsigned)(i + k);
                continue;
            }
            now[k] = least(before[k - 1] + (a[i - 1] != b[k - 1]), least(before[k], now[k - 1]) + 1);
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                now[k] = least(now[k], earlier[k - 2] + 1);
        }
    }
    return row[strlen(a) % 3][n];
}

void suggest_offer(struct suggestion *s, const char *name)
{
    const size_t n = strlen(s->word);
    const unsigned most = (unsigned)(n + 2) / 3; /* with more edits it is another word */
    if (!n || !*name || strlen(name) >= SUGGEST_WORD)
        return;
    char word[SUGGEST_WORD], other[SUGGEST_WORD];
    for (size_t i = 0; i <= n; i++)
        word[i] = text_lower(s->word[i]);
    for (size_t i = 0; i <= strlen(name); i++)
        other[i] = text_lower(name[i]);
    unsigned distance = edits(word, other);
    if (n > 2 && strstr(other, word)) /* a part of the name: ms_ssim of float_ms_ssim */
        distance = least(distance, 1);
    if (distance <= most && (!s->best || distance < s->distance)) {
        s->best = name;
        s->distance = distance;
    }
}

const char *suggest_text(const struct suggestion *s, char *text)
{
    *text = '\0';
    if (s->best)
        snprintf(text, SUGGEST_TEXT, "; did you mean '%s'?", s->best);
    return text;
}
