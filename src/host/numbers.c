/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/bits.h"
#include "host/text.h"

/* Bits of a double's significand after the leading one, and its hexadecimal digits. */
enum { FRACTION_BITS = 52, FRACTION_DIGITS = 13, EXPONENT_BIAS = 1023 };

static int format_special(char *text, double v)
{
    const char *word = isnan(v) ? "nan" : v < 0 ? "-inf" : "inf";
    strcpy(text, word);
    return (int)strlen(word);
}

/* Whether the first six decimals of v are all 0 and a later one is not. The multiplications round on purpose, so that
 * libvmaf's answer is matched at the limit too. */
static bool fraction_is_tiny(double v)
{
    v = fabs(v);
    if (v >= 0x1p52) /* no fraction at all; below, the cast is in range */
        return false;
    double fraction = v - (double)(int64_t)v;
    if (fraction == 0)
        return false;
    for (int i = 0; i < 6; i++)
        fraction *= 10;
    return fraction < 1;
}

int format_fixed(char *text, double v, int decimals)
{
    if (!isfinite(v))
        return format_special(text, v);
    if (fabs(v) >= 1e20)
        return format_shortest(text, v);
    decimals = decimals < 0 ? 0 : decimals > 17 ? 17 : decimals;
    if (decimals == 6 && fraction_is_tiny(v))
        decimals = 16;
    text_set(text, NUMBER_TEXT_SIZE, "%.*f", decimals, v);
    return (int)strlen(text);
}

int format_shortest(char *text, double v)
{
    if (!isfinite(v))
        return format_special(text, v);
    const struct c_locale old = c_locale_enter();
    /* A decimal of up to 15 digits survives the way through a normal double, so %.15g (which drops trailing zeros)
     * already finds every shorter one. Denormals hold fewer digits and start at one. */
    int length = 0;
    for (int digits = fabs(v) < 0x1p-1022 ? 1 : 15; digits <= 17; digits++) {
        length = snprintf(text, NUMBER_TEXT_SIZE, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    c_locale_leave(old);
    return length;
}

int format_hex(char *text, double v)
{
    if (!isfinite(v))
        return format_special(text, v);
    const uint64_t bits = bits_of_double(v);
    uint64_t fraction = bits & ((UINT64_C(1) << FRACTION_BITS) - 1);
    int exponent = (int)(bits >> FRACTION_BITS & 0x7ff);
    int lead = exponent != 0;
    exponent = lead ? exponent - EXPONENT_BIAS : fraction ? 1 - EXPONENT_BIAS : 0;

    int n = sprintf(text, "%s0x%d", bits >> 63 ? "-" : "", lead);
    if (fraction) {
        n += sprintf(text + n, ".%0*" PRIx64, FRACTION_DIGITS, fraction);
        while (text[n - 1] == '0')
            n--;
    }
    n += sprintf(text + n, "p%+d", exponent);
    return n;
}

/* Whether a text is digits, perhaps with a point, perhaps with an exponent. strtod would take more forms than these. */
static bool is_decimal(const char *s)
{
    s += *s == '-' || *s == '+';
    if (strcmp(s, "inf") == 0)
        return true;
    size_t whole = strspn(s, "0123456789"), fraction = 0;
    s += whole;
    if (*s == '.') {
        s++;
        fraction = strspn(s, "0123456789");
        s += fraction;
    }
    if (whole + fraction == 0)
        return false;
    if (*s == 'e' || *s == 'E') {
        s++;
        s += *s == '-' || *s == '+';
        size_t digits = strspn(s, "0123456789");
        if (digits == 0)
            return false;
        s += digits;
    }
    return *s == '\0';
}

bool parse_number(const char *text, double *v)
{
    if (!is_decimal(text))
        return false;
    const struct c_locale old = c_locale_enter();
    double value = strtod(text, NULL);
    c_locale_leave(old);
    /* A decimal too large for a double is a mistake, not an infinity. */
    if (isinf(value) && !strchr(text, 'i'))
        return false;
    *v = value;
    return true;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool parse_whole(const char *text, size_t n, uint64_t most, uint64_t *v)
{
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned digit = (unsigned)(text[i] - '0');
        if (digit > 9 || value > most / 10 || digit > most - value * 10)
            return false;
        value = value * 10 + digit;
    }
    if (n)
        *v = value;
    return n > 0;
}

/* "p", a sign and up to four digits, to the end of the text. */
static bool parse_exponent(const char *s, int *exponent)
{
    uint64_t value;
    if (*s != 'p' || (s[1] != '+' && s[1] != '-') || strlen(s) > 6 || !parse_whole(s + 2, strlen(s) - 2, 9999, &value))
        return false;
    *exponent = s[1] == '-' ? -(int)value : (int)value;
    return true;
}

bool parse_hex(const char *text, double *v)
{
    const char *s = text;
    uint64_t bits = 0;
    double value;
    if (*s == '-') {
        bits = UINT64_C(1) << 63;
        s++;
    }
    if (strcmp(text, "nan") == 0) {
        bits = UINT64_C(0x7ff8) << 48;
    } else if (strcmp(s, "inf") == 0) {
        bits |= UINT64_C(0x7ff) << FRACTION_BITS;
    } else {
        if (s[0] != '0' || s[1] != 'x' || (s[2] != '0' && s[2] != '1'))
            return false;
        bool lead = s[2] == '1';
        s += 3;
        if (*s == '.') {
            int shift = FRACTION_BITS;
            for (s++; hex_digit(*s) >= 0 && shift > 0; s++) {
                shift -= 4;
                bits |= (uint64_t)hex_digit(*s) << shift;
            }
        }
        int exponent;
        if (!parse_exponent(s, &exponent))
            return false;
        if (lead && (exponent < 1 - EXPONENT_BIAS || exponent > EXPONENT_BIAS))
            return false;
        if (lead)
            bits |= (uint64_t)(exponent + EXPONENT_BIAS) << FRACTION_BITS;
    }
    value = double_of_bits(bits);
    /* Each value has one text. Writing the value again catches the other texts that were let through above: a wrong
     * exponent of 0, trailing zeros, more digits. */
    char again[NUMBER_TEXT_SIZE];
    format_hex(again, value);
    if (strcmp(again, text) != 0)
        return false;
    *v = value;
    return true;
}
