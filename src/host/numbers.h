/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as text and back, whatever locale the process has set. */
#ifndef ASSAY_HOST_NUMBERS_H
#define ASSAY_HOST_NUMBERS_H

#include <stdbool.h>

/* Room for any text that the functions below write, with its NUL: a sign, 20 digits, a point and 17 decimals. */
enum { NUMBER_TEXT_SIZE = 40 };

/* These write at most NUMBER_TEXT_SIZE bytes and return the length. What is not finite is "nan", "inf" or "-inf" (a
 * NaN has no sign in text: its sign is not part of a score). */

/* `decimals` (0 to 17) decimals. With 6, a value whose fractional part is below one millionth and not 0 gets 16,
 * which is libvmaf's rule. From 1e20 up the shortest form is used instead, which keeps the text bounded. */
int format_fixed(char *text, double v, int decimals);

/* The fewest significant digits with which the correctly rounded decimal reads back to the same bits. */
int format_shortest(char *text, double v);

/* The exact value in the form of C's %a ("0x1.8p+5"), made without printf so that it is the same everywhere. */
int format_hex(char *text, double v);

/* The whole of `text` as a decimal number with a point, or "inf". No blanks, no NaN, no hexadecimal. */
bool parse_number(const char *text, double *v);

/* Reads back exactly what format_hex writes, and nothing else. */
bool parse_hex(const char *text, double *v);

#endif
