/* SPDX-License-Identifier: BSD-2-Clause */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/numbers.h"
#include "comma_locale.h"

static double from_bits(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static uint64_t to_bits(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static uint64_t next_random(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(0x2545f4914f6cdd1d);
}

static void assert_fixed(double v, int decimals, const char *expected)
{
    char text[NUMBER_TEXT_SIZE];
    assert_int_equal(format_fixed(text, v, decimals), strlen(expected));
    assert_string_equal(text, expected);
}

static void assert_shortest(double v, const char *expected)
{
    char text[NUMBER_TEXT_SIZE];
    assert_int_equal(format_shortest(text, v), strlen(expected));
    assert_string_equal(text, expected);
}

static void fixed(void **state)
{
    (void)state;
    assert_fixed(0, 6, "0.000000");
    assert_fixed(34.7609, 6, "34.760900");
    assert_fixed(0.1, 0, "0");
    assert_fixed(2.5, 0, "2"); /* the exact tie goes to even */
    assert_fixed(0.1, 17, "0.10000000000000001");
    assert_fixed(643.789, 2, "643.79");
    assert_fixed(-1.5, 3, "-1.500");
    assert_fixed(1.0, 99, "1.00000000000000000");
    assert_fixed(1.0, -3, "1");
    /* The rule for tiny fractions, on both sides of its edge, and only at six decimals. */
    assert_fixed(0.0000011, 6, "0.000001");
    assert_fixed(0.000001, 6, "0.000001");
    assert_fixed(0.0000009, 6, "0.0000009000000000");
    assert_fixed(-0.0000009, 6, "-0.0000009000000000");
    assert_fixed(37 + 0x1p-30, 6, "37.0000000009313226");
    assert_fixed(0.0000009, 7, "0.0000009");
    assert_fixed(5e-324, 6, "0.0000000000000000");
    assert_fixed(1e15, 6, "1000000000000000.000000");
    assert_fixed(0x1p53, 6, "9007199254740992.000000");
    assert_fixed(INFINITY, 6, "inf");
    assert_fixed(-INFINITY, 6, "-inf");
    assert_fixed(NAN, 6, "nan");
    assert_fixed(-NAN, 6, "nan");
    /* The longest text of all, and the bound above which the form changes. */
    assert_fixed(-99999999999999991611.392, 17, "-99999999999999983616.00000000000000000");
    assert_fixed(1e20, 6, "1e+20");
    assert_fixed(-1.7976931348623157e308, 17, "-1.7976931348623157e+308");
}

static void shortest(void **state)
{
    (void)state;
    assert_shortest(0, "0");
    assert_shortest(-0.0, "-0");
    assert_shortest(0.1, "0.1");
    assert_shortest(0.1 + 0.2, "0.30000000000000004");
    assert_shortest(100, "100");
    assert_shortest(38.970323822029194, "38.970323822029194");
    assert_shortest(5e-324, "5e-324");
    assert_shortest(0x1p-1022, "2.2250738585072014e-308");
    assert_shortest(1.7976931348623157e308, "1.7976931348623157e+308");
    assert_shortest(INFINITY, "inf");
    assert_shortest(NAN, "nan");
}

static void round_trips(void **state)
{
    (void)state;
    for (int i = 0; i < 100000; i++) {
        double v = from_bits(next_random()), back;
        if (i % 4 == 0) /* scores are near 1 or 100 more often than near 1e200 */
            v = (double)(int64_t)next_random() * 0x1p-57;
        if (i % 16 == 1) /* denormals */
            v = from_bits(next_random() >> (12 + next_random() % 52));
        char text[NUMBER_TEXT_SIZE], plain[400];

        int length = format_shortest(text, v);
        assert_true(length < NUMBER_TEXT_SIZE);
        assert_int_equal(length, strlen(text));
        if (!isfinite(v))
            continue;
        assert_true(parse_number(text, &back));
        assert_int_equal(to_bits(back), to_bits(v));
        /* One digit less must not do. */
        int digits = 0;
        for (const char *s = text; *s && *s != 'e'; s++)
            digits += *s >= '0' && *s <= '9' && (digits > 0 || *s != '0');
        if (digits > 1 && strchr(text, '.')) {
            snprintf(plain, sizeof plain, "%.*g", digits - 1, v);
            assert_true(strtod(plain, NULL) != v);
        }

        length = format_hex(text, v);
        assert_true(length < NUMBER_TEXT_SIZE);
        snprintf(plain, sizeof plain, "%a", v);
        assert_string_equal(text, plain);
        assert_true(parse_hex(text, &back));
        assert_int_equal(to_bits(back), to_bits(v));
    }
}

static void hex_special(void **state)
{
    (void)state;
    static const double values[] = {0, -0.0, 1, -1, 0x1p-1074, -0x1.fffffffffffffp-1023, INFINITY, -INFINITY, 0x1.8p+5};
    char text[NUMBER_TEXT_SIZE];
    double back;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        format_hex(text, values[i]);
        assert_true(parse_hex(text, &back));
        assert_int_equal(to_bits(back), to_bits(values[i]));
    }
    format_hex(text, -NAN);
    assert_string_equal(text, "nan");
    assert_true(parse_hex(text, &back));
    assert_true(isnan(back));
}

static void hex_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",        "0",        "1",         "0x",       "0x1",       "0x1p",
                                            "0x1p0",    "0x1p+", "0x2p+0",  "0x1.p+0",  "0x1.80p+0", "0x1.8p+0 ",
                                            " 0x1.8p+0", "0x1.8P+0",   "0X1.8p+0", "0x1p+1024",
                                      "0x1p-1023", "0x0p+1",  "0x0.8p+0",  "+0x1p+0",   "-nan",      "nan(1)",
                                          "INF",      "0x1p+00", "0x1p+99999999999", "0x1.00000000000001p+0",
                                          "0x1.Ap+0", "--0x1p+0", "infinity", "0x1p+0x", "-"};
    double v = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (parse_hex(bad[i], &v))
            fail_msg("'%s' was taken as a number", bad[i]);
    assert_true(v == 7);
}

static void decimals_read(void **state)
{
    (void)state;
    double v;
    assert_true(parse_number("38", &v) && v == 38);
    assert_true(parse_number("+.5", &v) && v == 0.5);
    assert_true(parse_number("5.", &v) && v == 5);
    assert_true(parse_number("-1e-3", &v) && v == -1e-3);
    assert_true(parse_number("inf", &v) && v == INFINITY);
    assert_true(parse_number("-inf", &v) && v == -INFINITY);
    static const char *const bad[] = {"",   ".",  "nan", "0x10", " 1",   "1 ",  "1,5",  "1e",     "1e+",
                                      "--1", "e5", "1e999", "infinity", "1.2.3", "i", "-", "1f"};
    v = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (parse_number(bad[i], &v))
            fail_msg("'%s' was taken as a number", bad[i]);
    assert_true(v == 7);
}

static void whole_read(void **state)
{
    (void)state;
    uint64_t v = 7;
    static const char *const bad[] = {"", "+1", "-1", " 1", "1 ", "1.0", "0x1", "256", "0256", "1000", "1/", "1:"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (parse_whole(bad[i], strlen(bad[i]), 255, &v))
            fail_msg("'%s' was taken as a number up to 255", bad[i]);
    assert_true(v == 7);
    assert_true(parse_whole("0", 1, 0, &v) && v == 0);
    assert_true(parse_whole("000255", 6, 255, &v) && v == 255);
    assert_true(parse_whole("12:34", 2, 255, &v) && v == 12);
    assert_true(parse_whole("18446744073709551615", 20, UINT64_MAX, &v) && v == UINT64_MAX);
    assert_false(parse_whole("18446744073709551616", 20, UINT64_MAX, &v));
    assert_false(parse_whole("184467440737095516150", 21, UINT64_MAX, &v));
}

static void comma_locale(void **state)
{
    (void)state;
    if (!set_comma_locale()) {
        print_message("no locale with a decimal comma could be set\n");
        skip();
    }
    char text[64];
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5"); /* the trap is armed */
    assert_fixed(34.7609, 6, "34.760900");
    assert_shortest(0.1 + 0.2, "0.30000000000000004");
    double v;
    assert_true(parse_number("38.25", &v) && v == 38.25);
    assert_false(parse_number("38,25", &v));
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5"); /* and the caller's locale is as it was */
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed),         cmocka_unit_test(shortest),    cmocka_unit_test(round_trips),
        cmocka_unit_test(hex_special),   cmocka_unit_test(hex_refused), cmocka_unit_test(decimals_read),
        cmocka_unit_test(whole_read),    cmocka_unit_test(comma_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
