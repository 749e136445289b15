/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "host/exact_math.h"
#include "host/scores.h"

static const char *const one_key[] = {"psnr_y"};

static struct scores column(const double *values, size_t n)
{
    struct scores s;
    assert_int_equal(scores_init(&s, 1, one_key, NULL), ASSAY_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(scores_add(&s, 10 * i, SCORES_NO_TIME, values + i, NULL), ASSAY_OK);
    return s;
}

#define COLUMN(...) column((const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static void assert_pool(const struct scores *s, const char *name, double expected)
{
    enum pool pool;
    double percent;
    assert_true(pool_parse(name, &pool, &percent));
    double v = scores_pool(s, 0, pool, percent, NULL);
    if (isnan(expected) ? !isnan(v) : v != expected)
        fail_msg("%s is %.17g, expected %.17g", name, v, expected);
}

static void names(void **state)
{
    (void)state;
    struct scores s = COLUMN(4, 1, 3, 2);
    assert_pool(&s, "min", 1);
    assert_pool(&s, "max", 4);
    assert_pool(&s, "mean", 2.5);
    assert_pool(&s, "harmonic_mean", 4 / (1. / 5 + 1. / 2 + 1. / 4 + 1. / 3) - 1);
    assert_pool(&s, "harmonic-mean", 4 / (1. / 5 + 1. / 2 + 1. / 4 + 1. / 3) - 1);
    assert_pool(&s, "geometric_mean", assay_exp((assay_log(4) + assay_log(1) + assay_log(3) + assay_log(2)) / 4));
    assert_pool(&s, "var", 1.25);
    assert_pool(&s, "variance", 1.25);
    assert_pool(&s, "stddev", sqrt(1.25));
    assert_pool(&s, "standard-deviation", sqrt(1.25));
    assert_pool(&s, "rms", sqrt(7.5));
    assert_pool(&s, "root-mean-square", sqrt(7.5));
    assert_pool(&s, "median", 2.5);
    assert_pool(&s, "perc50", 2.5);
    assert_pool(&s, "p50", 2.5);
    assert_pool(&s, "percentile=50", 2.5);
    assert_pool(&s, "p0", 1);
    assert_pool(&s, "p100", 4);
    assert_pool(&s, "perc5", 1 + 0.15);
    assert_pool(&s, "p12.5", 1.375);
    scores_free(&s);
    struct scores low = COLUMN(4, -0.5, 3);
    assert_pool(&low, "harmonic_mean", 3 / (1. / 5 + 1. / 0.5 + 1. / 4) - 1);
    scores_free(&low);
    struct scores none = COLUMN(4, -1, 3), beyond = COLUMN(4, -30, 3);
    assert_pool(&none, "harmonic_mean", NAN);
    assert_pool(&beyond, "harmonic_mean", NAN);
    assert_pool(&beyond, "mean", -23. / 3);
    assert_pool(&beyond, "geometric_mean", NAN);
    struct scores zero = COLUMN(4, 0, 3);
    assert_pool(&zero, "geometric_mean", 0);
    scores_free(&none);
    scores_free(&zero);
    scores_free(&beyond);

    static const char *const bad[] = {"", "p", "perc", "percentile", "percentile=", "p-1", "p101", "p1x", "pnan", "p+5",
                                      "Mean", "average", "p.5", "mean ", "pinf", "percentile=5=6",
                                      "p00000000000000000000000000000000000000000000001"};
    enum pool pool;
    double percent;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (pool_parse(bad[i], &pool, &percent))
            fail_msg("'%s' was taken as a pool", bad[i]);
}

static void frames(void **state)
{
    (void)state;
    struct scores s = COLUMN(4, 1, 9, 1, 9);
    uint64_t frame;
    scores_pool(&s, 0, POOL_MIN, 0, &frame);
    assert_int_equal(frame, 10);
    scores_pool(&s, 0, POOL_MAX, 0, &frame);
    assert_int_equal(frame, 20);
    scores_free(&s);
}

static void infinite(void **state)
{
    (void)state;
    /* One identical picture among three. */
    struct scores s = COLUMN(30, INFINITY, 40);
    assert_pool(&s, "min", 30);
    assert_pool(&s, "max", INFINITY);
    assert_pool(&s, "mean", INFINITY);
    assert_pool(&s, "harmonic_mean", 3 / (1. / 31 + 0 + 1. / 41) - 1);
    assert_pool(&s, "median", 40);
    assert_pool(&s, "p75", INFINITY);
    assert_pool(&s, "p0", 30);
    assert_pool(&s, "p100", INFINITY);
    assert_pool(&s, "stddev", NAN);
    scores_free(&s);

    s = COLUMN(INFINITY, INFINITY);
    assert_pool(&s, "min", INFINITY);
    assert_pool(&s, "median", INFINITY);
    assert_pool(&s, "mean", INFINITY);
    assert_pool(&s, "harmonic_mean", INFINITY);
    scores_free(&s);

    s = COLUMN(-INFINITY, 5, INFINITY);
    assert_pool(&s, "p25", -INFINITY);
    assert_pool(&s, "p75", INFINITY);
    assert_pool(&s, "mean", NAN);
    scores_free(&s);

    s = COLUMN(3, NAN, 1);
    static const char *const all[] = {"min", "max", "mean", "harmonic_mean", "stddev", "var", "rms", "median", "p0",
                                      "p99"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_pool(&s, all[i], NAN);
    uint64_t frame;
    scores_pool(&s, 0, POOL_MIN, 0, &frame);
    assert_int_equal(frame, 10);
    scores_free(&s);
}

static void few_rows(void **state)
{
    (void)state;
    struct scores s;
    assert_int_equal(scores_init(&s, 1, one_key, NULL), ASSAY_OK);
    assert_pool(&s, "mean", NAN);
    assert_pool(&s, "p5", NAN);
    scores_free(&s);
    s = COLUMN(7);
    assert_pool(&s, "p1", 7);
    assert_pool(&s, "p100", 7);
    assert_pool(&s, "stddev", 0);
    scores_free(&s);
}

/* Percentiles keep a sorted copy; rows that come later and other columns must not see an old one. */
static void growing(void **state)
{
    (void)state;
    static const char *const keys[] = {"a", "b"};
    struct scores s;
    assert_int_equal(scores_init(&s, 2, keys, NULL), ASSAY_OK);
    for (uint64_t i = 0; i < 1000; i++) {
        double row[2] = {(double)i, -(double)i};
        assert_int_equal(scores_add(&s, i, SCORES_NO_TIME, row, NULL), ASSAY_OK);
        assert_true(scores_pool(&s, 0, POOL_PERC, 50, NULL) == (double)i / 2);
        assert_true(scores_pool(&s, 1, POOL_PERC, 50, NULL) == -(double)i / 2);
        assert_true(scores_pool(&s, 1, POOL_PERC, 100, NULL) == 0);
    }
    struct assay_error e = {0};
    assert_int_equal(scores_add(&s, 999, SCORES_NO_TIME, (double[]){0, 0}, &e), ASSAY_EINTERNAL);
    assert_int_equal(s.rows, 1000);
    scores_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),    cmocka_unit_test(frames),  cmocka_unit_test(infinite),
        cmocka_unit_test(few_rows), cmocka_unit_test(growing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
