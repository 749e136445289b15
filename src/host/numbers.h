/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as text and back, whatever locale the process has set. */
#ifndef ASSAY_HOST_NUMBERS_H
#define ASSAY_HOST_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for any text that the functions below write, with its NUL: a sign, 20 digits, a point and 17 decimals. */
enum { NUMBER_TEXT_SIZE = 40 };

/* These functions write at most NUMBER_TEXT_SIZE bytes and return the length. NaN and infinities are "nan", "inf" and
 * "-inf". The sign of a NaN is not written, because it is no part of a score. */

/* Writes `decimals` (0 to 17) decimals. With 6, a value whose fractional part is below one millionth and not 0 gets 16
 * decimals, which is libvmaf's rule. From 1e20 up the shortest form is used, which keeps the text short. */
int format_fixed(char *text, double v, int decimals);

/* Writes the fewest significant digits that read back to the same bits. */
int format_shortest(char *text, double v);

/* Writes the exact value in the form of C's %a ("0x1.8p+5"). printf is not used, because its %a differs between
 * systems. */
int format_hex(char *text, double v);

/* Reads all of `text` as a decimal number, whose point is ".", or as "inf". Refuses blanks, NaN and hexadecimal. */
bool parse_number(const char *text, double *v);

/* Reads the n bytes at `text` as a whole number, of digits alone, that is at most `most`. */
bool parse_whole(const char *text, size_t n, uint64_t most, uint64_t *v);

/* Reads only what format_hex writes. */
bool parse_hex(const char *text, double *v);

#endif
