/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of names that glibc's strverscmp has, for systems whose C library has none. tests/unit/test_order.c
 * compares the two. */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* Numbers in names by their values; one with a zero in front is a fraction. What counts is where the names differ, and
 * the digits right before that place. */
int strverscmp(const char *a, const char *b)
{
    size_t i = 0, begin;
    while (a[i] && a[i] == b[i])
        i++;
    for (begin = i; begin && isdigit((unsigned char)a[begin - 1]);)
        begin--;
    const int order = (unsigned char)a[i] - (unsigned char)b[i];
    const size_t before = i - begin, na = digits(a + i), nb = digits(b + i);
    if (before && a[begin] == '0') /* behind zeros alone, a fraction that goes on comes first */
        return strspn(a + begin, "0") < before || !na == !nb ? order : na ? -1 : 1;
    if (!before && (!na || !nb || a[i] == '0' || b[i] == '0'))
        return order;
    return na != nb ? (na > nb) - (na < nb) : order;
}
