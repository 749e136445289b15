/* SPDX-License-Identifier: BSD-2-Clause */
/* "did you mean": the name of a list that a mistyped word is closest to. */
#ifndef ASSAY_HOST_SUGGEST_H
#define ASSAY_HOST_SUGGEST_H

#include <stddef.h>

enum { SUGGEST_WORD = 48, SUGGEST_TEXT = SUGGEST_WORD + 24 };

struct suggestion {
    char word[SUGGEST_WORD]; /* as typed; a longer one is like nothing */
    const char *best;        /* the closest name so far, borrowed; NULL: none is close */
    unsigned distance;       /* of `best` */
};

/* For the first n bytes of `word`. */
struct suggestion suggest_for(const char *word, size_t n);
/* Takes a name of the list into account. Of names at the same distance the first one stays. */
void suggest_offer(struct suggestion *s, const char *name);
/* "; did you mean 'psnr'?", or "" where no name is close. `text` holds SUGGEST_TEXT bytes. */
const char *suggest_text(const struct suggestion *s, char *text);

#endif
