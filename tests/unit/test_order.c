/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of names for systems without strverscmp (src/host/order.c, built here under another name) is
 * glibc's: of all pairs of short names, and of long ones that differ late. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int own_strverscmp(const char *a, const char *b);

enum { LONGEST = 5, NAMES = 4096, LONG = 24 };

static char name[NAMES][LONG + 1];
static unsigned names;
static unsigned long failures, pairs;

static int sign(int order)
{
    return (order > 0) - (order < 0);
}

static void compare_all(void)
{
    for (unsigned i = 0; i < names; i++)
        for (unsigned k = 0; k < names; k++) {
            const int glibc = sign(strverscmp(name[i], name[k])), own = sign(own_strverscmp(name[i], name[k]));
            pairs++;
            if (glibc != own && failures++ < 10)
                printf("'%s' and '%s': %d, and glibc has %d\n", name[i], name[k], own, glibc);
        }
}

/* All names of up to five characters of a zero, two other digits and a letter. */
static void short_names(void)
{
    static const char characters[] = "019a";
    names = 0;
    for (unsigned length = 0, count = 1; length <= LONGEST; length++, count *= 4)
        for (unsigned number = 0; number < count; number++, names++) {
            memset(name[names], 0, sizeof name[names]);
            for (unsigned i = 0, rest = number; i < length; i++, rest /= 4)
                name[names][i] = characters[rest % 4];
        }
}

/* Names that begin alike and go on with any bytes, among them those above 127. */
static void long_names(void)
{
    static const char *const starts[] = {"", "frame", "frame0", "frame00", "frame09", "frame9", "a.b-10", "\xc3\xa4"};
    static const unsigned char bytes[] = "0012399aZ.-_ \x80\xff";
    uint32_t state = 1;
    for (names = 0; names < 1500; names++) {
        const char *start = starts[names % 8];
        size_t n = strlen(start);
        memset(name[names], 0, sizeof name[names]);
        memcpy(name[names], start, n);
        for (state = state * 1664525 + 1013904223; n < LONG && state >> 28; n++, state = state * 1664525 + 1013904223)
            name[names][n] = (char)bytes[(state >> 16) % (sizeof bytes - 1)];
    }
}

int main(void)
{
    short_names();
    compare_all();
    long_names();
    compare_all();
    printf("%lu pairs of names, %lu in another order\n", pairs, failures);
    return failures != 0;
}
