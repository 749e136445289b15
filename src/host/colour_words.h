/* SPDX-License-Identifier: BSD-2-Clause */
/* Words that state the colour of pictures whose tags are missing or wrong: "bt709", "bt2020-pq,limited"
 * (docs/colour.md). */
#ifndef ASSAY_HOST_COLOUR_WORDS_H
#define ASSAY_HOST_COLOUR_WORDS_H

#include "host/error.h"

/* Refuses a text that is not one or more words with ',' between them. `option` says where it was given. */
int colour_words_check(const char *option, const char *text, struct assay_error *e);

/* Gives a format the colour that a checked text states; NULL states nothing. */
void colour_words_state(assay_format *f, const char *text);

#endif
