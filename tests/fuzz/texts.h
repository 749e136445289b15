/* SPDX-License-Identifier: BSD-2-Clause */
/* What fuzzers of the command's parsers share: texts as files, in a folder of their own, and texts as arguments. */
#ifndef ASSAY_FUZZ_TEXTS_H
#define ASSAY_FUZZ_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

/* Makes a new folder in memory, or below /tmp, the current one. It is removed at the end, with its files. */
void texts_enter(void);

/* Writes a file of the current folder. */
void texts_put(const char *name, const void *data, size_t size);

/* Cuts the first part off an input, up to the first byte 0x1e (a record separator of ASCII) or the end. The part is a
 * text, which the caller frees: its NUL bytes become blanks. */
char *texts_cut(const unsigned char **data, size_t *size);

/* Cuts a text into its lines, at most `most` of them, and returns how many they are. */
int texts_words(char *text, char **word, int most);

void texts_check(bool right, const char *what);

#endif
