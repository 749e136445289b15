/* SPDX-License-Identifier: BSD-2-Clause */
/* "did you mean": finds the name in a list that is closest to a mistyped word. */
#ifndef ASSAY_HOST_SUGGEST_H
#define ASSAY_HOST_SUGGEST_H

#include <stddef.h>

enum { SUGGEST_WORD = 48, SUGGEST_TEXT = SUGGEST_WORD + 24 };

struct suggestion {
    char word[SUGGEST_WORD]; /* as typed; "" for a longer word, which no name is close to */
    const char *best;        /* the closest name so far, borrowed; NULL: none is close */
    unsigned distance;       /* of `best` */
};

/* Begins a search for the first n bytes of `word`. */
struct suggestion suggest_for(const char *word, size_t n);
/* Compares the word with a name of the list. Of names at the same distance the first one is kept. */
void suggest_offer(struct suggestion *s, const char *name);
/* "; did you mean 'psnr'?", or "" where no name is close. `text` holds SUGGEST_TEXT bytes. */
const char *suggest_text(const struct suggestion *s, char *text);

#endif
