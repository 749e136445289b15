/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of jobs as CSV. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "results/csv_read.h"

/* The cells with their line: "1:a|b;3:c;". */
static char *shape(const char *text, size_t size)
{
    static char out[1100];
    struct assay_error e = {0};
    struct csv c;
    size_t n = 0;
    if (csv_parse(&c, "l.csv", text, size, &e)) {
        snprintf(out, sizeof out, "%s", e.text);
        assert_int_equal(e.code, ASSAY_EINPUT);
        assert_null(c.text);
        return out;
    }
    *out = '\0';
    for (uint32_t i = 0; i < c.rows; i++) {
        n += (size_t)sprintf(out + n, "%u:", c.row[i].line);
        for (uint32_t k = 0; k < c.row[i].cells; k++)
            n += (size_t)sprintf(out + n, "%s%s", k ? "|" : "", c.cell[c.row[i].first + k]);
        n += (size_t)sprintf(out + n, ";");
    }
    csv_free(&c);
    return out;
}

#define SHAPE(text) shape(text, sizeof text - 1)

static void cells(void **state)
{
    (void)state;
    assert_string_equal(SHAPE(""), "");
    assert_string_equal(SHAPE("\n\r\n"), "");
    assert_string_equal(SHAPE("a,b\nc,d\n"), "1:a|b;2:c|d;");
    assert_string_equal(SHAPE("a,b\r\n\r\nc,d"), "1:a|b;3:c|d;");
    assert_string_equal(SHAPE("\xef\xbb\xbf" "a, b \n"), "1:a| b ;");
    assert_string_equal(SHAPE(",\n,,\n"), "1:|;2:||;");
    assert_string_equal(SHAPE("a,"), "1:a|;");
    assert_string_equal(SHAPE("\"a,\"\"b\"\"\",\"\"\nc"), "1:a,\"b\"|;2:c;");
    assert_string_equal(SHAPE("\"a\r\nb\",c\r\nd"), "1:a\r\nb|c;3:d;");
    assert_string_equal(SHAPE("\"\"\n"), "1:;");
}

static void damaged(void **state)
{
    (void)state;
    assert_string_equal(SHAPE("a\n\"b"), "l.csv: line 2: the quote that opens a cell is never closed");
    assert_string_equal(SHAPE("\"a\n\nb\" ,c"), "l.csv: line 3: something follows the closing quote of a cell");
    assert_string_equal(SHAPE("\"a\"\r"), "l.csv: line 1: something follows the closing quote of a cell");
    assert_non_null(strstr(SHAPE("a\nb\"\n"), "l.csv: line 2: a quote stands inside a cell"));
    assert_non_null(strstr(SHAPE("a\rb\n"), "l.csv: line 1: a carriage return stands alone"));
    assert_non_null(strstr(SHAPE("a\0b\n"), "l.csv: line 1: it holds a NUL byte"));
    assert_non_null(strstr(SHAPE("\"a\0b\"\n"), "l.csv: line 1: it holds a NUL byte"));
    assert_non_null(strstr(SHAPE("\xff\xfe" "a\0"), "l.csv: line 1: it is UTF-16"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells), cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
