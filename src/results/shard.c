/* SPDX-License-Identifier: BSD-2-Clause */
#include "results/shard.h"

/* The largest 128-bit magnitude is that of the most negative value; unsigned arithmetic holds both signs. */
__extension__ typedef unsigned __int128 magnitude;

#define MOST_NEGATIVE ((magnitude)1 << 127)

void total_format(char *text, exact_total v)
{
    char digits[TOTAL_TEXT_SIZE];
    size_t n = 0;
    magnitude m = v < 0 ? -(magnitude)v : (magnitude)v;
    do
        digits[n++] = (char)('0' + (int)(m % 10));
    while ((m /= 10) != 0);
    if (v < 0)
        *text++ = '-';
    while (n > 0)
        *text++ = digits[--n];
    *text = '\0';
}

bool total_parse(const char *text, exact_total *v)
{
    bool negative = *text == '-';
    const char *s = text + negative;
    magnitude m = 0, most = MOST_NEGATIVE - !negative;
    if (*s == '\0' || (*s == '0' && (s[1] || negative))) /* one text per value: no leading zeros, no -0 */
        return false;
    for (; *s; s++) {
        if (*s < '0' || *s > '9')
            return false;
        magnitude digit = (magnitude)(*s - '0');
        if (m > (most - digit) / 10)
            return false;
        m = m * 10 + digit;
    }
    *v = (exact_total)(negative ? -m : m);
    return true;
}

exact_total total_join(assay_total halves)
{
    return (exact_total)halves.high * ((exact_total)1 << 64) + halves.low;
}

assay_total total_halves(exact_total v)
{
    return (assay_total){.low = (uint64_t)v, .high = (int64_t)(v >> 64)};
}

uint64_t shard_row_frame(const struct report_part *p, uint64_t row)
{
    return (shard_scored(p->first, p->every) + row) * p->every;
}

uint64_t shard_rows(const struct report_part *p)
{
    return shard_scored(p->first + p->count, p->every) - shard_scored(p->first, p->every);
}
