/* SPDX-License-Identifier: BSD-2-Clause */
/* What the headers say of pointers that are none, of indices past the end and of values at their borders. */
#include <assay/floats.h>
#include <assay/gpu.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 4 };
static const assay_format small = {.width = 64, .height = 48, .bit_depth = 8, .layout = ASSAY_LAYOUT_420};

/* A function with a buffer says there in one line why it failed. */
static void nowhere_to_put_it(void **state)
{
    const assay_gpu_handles handles = {.kind = ASSAY_GPU_OPENGL};
    char why[200] = "";
    (void)state;
    assert_int_equal(assay_session_new(NULL, NULL, why, sizeof why), ASSAY_EUSAGE);
    assert_non_null(strstr(why, "session"));
    why[0] = 0;
    assert_int_equal(assay_gpu_open(NULL, &handles, why, sizeof why), ASSAY_EUSAGE);
    assert_non_null(strstr(why, "assay_gpu"));
    why[0] = 0;
    assert_int_equal(assay_model_open(NULL, "vmaf", NULL, why, sizeof why), ASSAY_EUSAGE);
    assert_non_null(strstr(why, "model"));
    assay_session *s;
    assert_int_equal(assay_session_new(&s, NULL, why, sizeof why), ASSAY_OK);
    assert_string_equal(why, "");
    assay_session_close(&s);
}

/* A number or an answer about what is past the end is 0, and names no encode and no metric. */
static void past_the_end(void **state)
{
    const assay_config two = {.encodes = 2};
    assay_session *s;
    (void)state;
    assert_int_equal(assay_session_new(&s, &two, NULL, 0), ASSAY_OK);
    assert_int_equal(assay_session_add_metric(s, "psnr=enable_apsnr=true"), ASSAY_OK);
    assert_int_equal(assay_session_add_metric(s, "ssim"), ASSAY_OK);
    assert_int_equal(assay_session_plan(s, &small), ASSAY_OK);
    const uint32_t keys = assay_session_keys(s), aggregates = assay_session_aggregates(s),
                   totals = assay_session_totals(s);
    assert_true(keys && aggregates && totals);
    assert_int_equal(assay_session_key_encode(s, keys - 1), 1);
    assert_int_equal(assay_session_key_metric(s, keys - 1), 1);
    assert_int_equal(assay_session_aggregate_encode(s, aggregates - 1), 1);
    assert_int_equal(assay_session_total_encode(s, totals - 1), 1);
    assert_null(assay_session_key(s, keys));
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t key = i ? UINT32_MAX : keys, aggregate = i ? UINT32_MAX : aggregates;
        assert_int_equal(assay_session_key_encode(s, key), 0);
        assert_int_equal(assay_session_key_metric(s, key), 0);
        assert_int_equal(assay_session_key_direction(s, key), 0);
        assert_int_equal(assay_session_key_feature(s, key), 0);
        assert_int_equal(assay_session_aggregate_encode(s, aggregate), 0);
        assert_int_equal(assay_session_aggregate_direction(s, aggregate), 0);
        assert_int_equal(assay_session_total_encode(s, i ? UINT32_MAX : totals), 0);
    }
    assay_session_close(&s);
    assert_int_equal(assay_metric_of_colour(ASSAY_NONE), 0);
    assert_int_equal(assay_metric_of_light(ASSAY_NONE), 0);
    assert_int_equal(assay_metric_slow(ASSAY_NONE), 0);
}

/* assay_find_device finds what a session opens, and nothing else: also on the CPU, which has no list of devices. */
static void devices_of_the_cpu(void **state)
{
    static const char *const names[] = {"0", "00", "CPU", "cpu", "all", "0,0", "1", "7", "0,1", "4294967296", "none"};
    (void)state;
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        const assay_config config = {.device = names[i]};
        unsigned count = 9, first = 9;
        char why[400];
        assay_session *s;
        assert_int_equal(assay_session_new(&s, &config, NULL, 0), ASSAY_OK);
        assert_int_equal(assay_session_add_metric(s, "psnr"), ASSAY_OK);
        const int opened = assay_session_start(s, &small), found = assay_find_device("cpu", names[i], &count, &first,
                                                                                    why, sizeof why);
        if (opened != found || strcmp(assay_session_error(s), why))
            fail_msg("'%s': a session gets %d '%s', and assay_find_device %d '%s'", names[i], opened,
                     assay_session_error(s), found, why);
        assert_int_equal(found, i < 6 ? ASSAY_OK : ASSAY_EDEVICE);
        assert_true(found || (count == (i == 5 ? 2 : 1) && first == 0));
        assay_session_close(&s);
    }
}

/* A peak of 0 is that of 1, as in assay_gpu_options. */
static void peaks(void **state)
{
    static const float ones[SIDE * SIDE] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const float halves[SIDE * SIDE] = {0.5f};
    static const double wrong[] = {-1, (double)NAN, (double)INFINITY, 0x1.1p100};
    const assay_float_image a = {.plane = {ones}, .stride = {sizeof(float[SIDE])}, .width = SIDE, .height = SIDE};
    assay_float_image b = a;
    assay_image_figures of_zero, of_one;
    char why[200];
    (void)state;
    b.plane[0] = halves;
    assert_int_equal(assay_floats_compare(NULL, &a, &b, 1, &of_one, why, sizeof why), ASSAY_OK);
    assert_int_equal(assay_floats_compare(NULL, &a, &b, 0, &of_zero, why, sizeof why), ASSAY_OK);
    assert_true(of_one.psnr > 0 && of_zero.psnr == of_one.psnr && of_zero.mse == of_one.mse);
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(assay_floats_compare(NULL, &a, &b, wrong[i], &of_one, why, sizeof why), ASSAY_EUSAGE);
        assert_non_null(strstr(why, "peak"));
    }
}

/* Rows of codes may lie in either order, as those of a session's pictures may. */
static void codes_from_the_last_row_on(void **state)
{
    enum { W = 6, H = 3 };
    float v[H][W];
    uint16_t down[H][W], up[H][W];
    const ptrdiff_t row = sizeof down[0], strides[][4] = {{row}, {-row}, {2 - row}};
    uint16_t *const to[][4] = {{down[0]}, {up[H - 1]}, {up[H - 1]}};
    (void)state;
    for (unsigned i = 0; i < W * H; i++)
        v[i / W][i % W] = (float)i / (W * H);
    const assay_float_image image = {.plane = {v[0]}, .stride = {sizeof v[0]}, .width = W, .height = H};
    for (unsigned i = 0; i < 3; i++) {
        uint64_t without = 1;
        char why[200] = "";
        const int rc = assay_floats_to_codes(NULL, &image, to[i], strides[i], &without, why, sizeof why);
        if (rc != (i < 2 ? ASSAY_OK : ASSAY_EUSAGE))
            fail_msg("stride %d: %d, '%s'", (int)strides[i][0], rc, why);
        assert_int_equal(without, 0);
    }
    assert_true(down[H - 1][0] > down[0][0]);
    for (unsigned y = 0; y < H; y++)
        assert_memory_equal(up[H - 1 - y], down[y], sizeof down[y]);
}

/* Light by a matrix that a session refuses is not measured. */
static void light_by_a_matrix(void **state)
{
    static const struct { int rc; double matrix[9]; } cases[] = {
        {ASSAY_OK, {8, 0, 0, 0, 8, 0, 0, 0, 8}},
        {ASSAY_OK, {4, 4, -8, 0, 1, 0, 0, 0, 1}},
        {ASSAY_EUSAGE, {0}},
        {ASSAY_EUSAGE, {8.5, 0, 0, 0, 1, 0, 0, 0, 1}},
        {ASSAY_EUSAGE, {1, 0, 0, 0, 1, 0, 0, 0, -8.5}},
        {ASSAY_EUSAGE, {1, 0, 0, 4, 4.5, 0, 0, 0, 1}},
        {ASSAY_EUSAGE, {(double)NAN, 0, 0, 0, 1, 0, 0, 0, 1}},
        {ASSAY_EUSAGE, {1, 0, 0, 0, 1, 0, 0, 0, (double)INFINITY}},
    };
    static const float halves[SIDE * SIDE] = {0.5f, 0.5f};
    const assay_float_image image = {.plane = {halves, halves, halves}, .width = SIDE, .height = SIDE,
                                     .stride = {sizeof(float[SIDE]), sizeof(float[SIDE]), sizeof(float[SIDE])}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assay_format f = {.width = SIDE, .height = SIDE, .bit_depth = ASSAY_DEPTH_FLOAT, .layout = ASSAY_LAYOUT_RGB,
                          .transfer = 8, .primaries = 255, .light_largest = 1, .light_median = 1};
        assay_float_light light;
        char why[200] = "";
        memcpy(f.to_bt709, cases[i].matrix, sizeof f.to_bt709);
        assert_int_equal(assay_floats_light(&image, &f, &light, why, sizeof why), cases[i].rc);
        assert_int_equal(!why[0], !cases[i].rc);
        assert_int_equal(assay_metric_allows("flip", NULL, &f, NULL, 0), cases[i].rc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nowhere_to_put_it), cmocka_unit_test(past_the_end), cmocka_unit_test(devices_of_the_cpu),
        cmocka_unit_test(peaks), cmocka_unit_test(codes_from_the_last_row_on), cmocka_unit_test(light_by_a_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
