/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of jobs as CSV, and the outcome of a job as a line. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "results/csv_read.h"
#include "cli/outcome.h"

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

/* A run of three frames: one score where higher is better, one where lower is, a place, and a hidden one. */
static const char *const keys[] = {"up", "down", "max_diff_at_x", "hidden"};
static const signed char directions[] = {ASSAY_HIGHER, ASSAY_LOWER, ASSAY_NEUTRAL, ASSAY_HIGHER};
static const bool hidden[] = {false, false, false, true};
static const struct report_aggregate aggregate = {"whole", 0.1};
static const struct report_field fields[] = {{"distorted_video_bytes", "123", true, true},
                                             {"distorted_duration_s", "0.12", true, true},
                                             {REPORT_BITRATE, "null", true, true}};

static void take(struct outcome *o, const struct gate *gate, uint32_t gates)
{
    struct assay_error e = {0};
    struct scores s;
    struct report_run run = {.width = 64, .height = 48, .fields = 3, .field = fields, .aggregates = 1,
                             .aggregate = &aggregate, .hidden = hidden};
    assert_int_equal(scores_init(&s, 4, keys, &e), 0);
    s.direction = directions;
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(scores_add(&s, i, SCORES_NO_TIME, (double[]){i / 3.0, i ? i : (double)NAN, 7, 9}, &e), 0);
    assert_int_equal(outcome_take(o, &s, &run, gate, gates, &e), 0);
    scores_free(&s);
}

static void outcomes(void **state)
{
    static const char *const want[][2] = {
        {"up.mean", "0.3333333333333333"}, {"up.p5", "0.03333333333333333"}, {"up.min", "0"}, {"down.mean", "nan"},
        {"down.p95", "nan"}, {"down.max", "nan"}, {"whole", "0.1"},
    };
    struct outcome o = {.job = 0xfedcba9876543210}, again;
    struct assay_error e = {0};
    char *text, *second;
    bool memory;
    (void)state;
    take(&o, NULL, 0);
    assert_int_equal(o.figures, 7);
    for (unsigned i = 0; i < 7; i++) {
        assert_string_equal(o.figure[i].name, want[i][0]);
        assert_string_equal(o.figure[i].text, want[i][1]);
    }
    assert_string_equal(o.bytes, "123");
    assert_string_equal(o.seconds, "0.12");
    assert_string_equal(o.kbps, "");
    assert_int_equal(o.frames, 3);
    free(o.notices);
    o.notices = strdup("one \"line\"\nanother, \xc3\xa4");
    assert_int_equal(outcome_text(&o, &text, &e), 0);
    assert_null(strchr(text, '\n'));
    assert_true(outcome_parse(&again, text, strlen(text), &memory));
    assert_true(again.job == o.job);
    assert_string_equal(again.notices, o.notices);
    assert_int_equal(outcome_text(&again, &second, &e), 0);
    assert_string_equal(text, second);
    for (size_t n = 0; n < strlen(text); n++) {
        struct outcome cut;
        assert_false(outcome_parse(&cut, text, n, &memory));
        assert_null(cut.reason);
    }
    free(text);
    free(second);
    outcome_free(&o);
    outcome_free(&again);
}

static void gates(void **state)
{
    struct outcome o = {0};
    struct gate gate[2];
    struct assay_error e = {0};
    (void)state;
    assert_int_equal(gate_parse(&gate[0], "up.min=0", false, &e), 0);
    assert_int_equal(gate_parse(&gate[1], "whole=0.2", true, &e), 0);
    take(&o, gate, 2);
    assert_int_equal(o.code, 0);
    assert_string_equal(o.reason, "");
    assert_int_equal(gate_parse(&gate[0], "up.max=0.7", false, &e), 0);
    assert_int_equal(gate_parse(&gate[1], "whole=0", true, &e), 0);
    take(&o, gate, 2);
    assert_int_equal(o.code, 1);
    assert_string_equal(o.reason, "up.max is 0.6666666666666666, not at least 0.7; whole is 0.1, not at most 0");
    assert_int_equal(outcome_start(&o, 1, 6, "two\nlines", &e), 0);
    assert_string_equal(o.reason, "two lines");
    assert_int_equal(o.figures, 0);
    outcome_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells), cmocka_unit_test(damaged), cmocka_unit_test(outcomes), cmocka_unit_test(gates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
