/* SPDX-License-Identifier: BSD-2-Clause */
/* The colour map: black is kept for what is not above 0, and a larger value is never darker. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <assay/assay.h>

#include "report/heatmap.h"

/* Relative luminance, as WCAG has it. */
static double lightness(const uint8_t rgb[3])
{
    double linear[3];
    for (int c = 0; c < 3; c++) {
        const double v = rgb[c] / 255.0;
        linear[c] = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
    }
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

static void map_is_monotonic(void **state)
{
    uint8_t rgb[3];
    double before = 0.0;
    (void)state;
    for (int i = 1; i <= 1000; i++) {
        heatmap_colour(i, 1000.0, rgb);
        const double now = lightness(rgb);
        assert_true(now > 0.0);
        assert_true(now >= before - 0.003); /* a step of one code in blue */
        before = now > before ? now : before;
    }
    assert_true(before > 0.75);
}

static void ends(void **state)
{
    uint8_t rgb[3], last[3];
    const double black[] = {0.0, -0.0, -3.0, (double)NAN, -(double)INFINITY};
    (void)state;
    for (size_t i = 0; i < sizeof black / sizeof black[0]; i++) {
        heatmap_colour(black[i], 5.0, rgb);
        assert_int_equal(rgb[0] | rgb[1] | rgb[2], 0);
    }
    heatmap_colour(5.0, 5.0, last);
    heatmap_colour((double)INFINITY, 5.0, rgb);
    assert_memory_equal(rgb, last, 3);
    heatmap_colour(6.0, 5.0, rgb);
    assert_memory_equal(rgb, last, 3);
    heatmap_colour(1e-300, 5.0, rgb);
    assert_true(rgb[2] > 60); /* the smallest difference is not black */
}

static void named_are_the_nearest_of_256(void **state)
{
    static const struct { double v, full; uint8_t rgb[3]; uint32_t viridis; } colours[] = {
        {0.0, 1.0, {0, 0, 4}, 0}, {-1.0, 1.0, {0, 0, 4}, 0}, {0.49 / 255, 1.0, {0, 0, 4}, 0},
        {0.51 / 255, 1.0, {1, 0, 5}, 0},
        {1.0, 2.0, {183, 55, 121}, 0}, {1.0, 1.0, {252, 253, 191}, 0},
        {7.0, 1.0, {252, 253, 191}, 0}, {(double)NAN, 1.0, {0, 0, 4}, 0},
        {0.0, 1.0, {68, 1, 84}, 1}, {1.0, 1.0, {253, 231, 37}, 1}, {(double)NAN, 1.0, {68, 1, 84}, 1},
        {0.51 / 255, 1.0, {68, 2, 86}, 1}, {3.0, 6.0, {33, 145, 140}, 1},
        {0.0, 0.1, {99, 99, 255}, 3}, {(double)NAN, 0.1, {99, 99, 255}, 3}, {0.1, 0.1, {255, 69, 69}, 3},
        {0.05, 0.1, {33, 165, 33}, 3}, {9.0, 0.1, {255, 69, 69}, 3},
    };
    uint8_t rgb[3];
    (void)state;
    for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++) {
        heatmap_named(ASSAY_COLOURS_MAGMA + colours[i].viridis, colours[i].v, colours[i].full, rgb);
        assert_memory_equal(rgb, colours[i].rgb, 3);
    }
}

/* Of libjxl's formula, in double. */
static void those_of_butteraugli(void **state)
{
    static const struct { double v; uint8_t rgb[3]; } colours[] = {
        {0.0, {0, 0, 0}}, {-1.0, {0, 0, 0}}, {(double)NAN, {0, 0, 0}}, {0.1, {0, 0, 173}}, {0.3, {0, 157, 255}},
        {0.71704094146844, {140, 255, 0}}, {1.0, {255, 203, 0}}, {1.1556389631005, {255, 57, 0}},
        {1.2, {255, 46, 0}}, {2.0, {255, 0, 136}}, {5.0, {223, 124, 255}}, {13.0, {255, 255, 231}},
        {13.888679174716916, {255, 255, 255}}, {1e30, {255, 255, 255}},
    };
    uint8_t rgb[3];
    (void)state;
    for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++) {
        heatmap_named(ASSAY_COLOURS_BUTTERAUGLI, colours[i].v, 1.0, rgb);
        assert_memory_equal(rgb, colours[i].rgb, 3);
    }
}

static void peaks(void **state)
{
    const uint8_t u8[4] = {3, 250, 7, 0};
    const uint16_t u16[4] = {3, 65535, 7, 0};
    const uint32_t u32[4] = {3, 4000000000u, 7, 0};
    const int32_t i32[4] = {-9, -1, 7, 0};
    const float f32[4] = {0.25f, NAN, -8.0f, 0.125f}, nothing[4] = {-1.0f, 0.0f, NAN, -0.0f};
    const struct { const char *type; const void *plane; double peak; } cases[] = {
        {"u8", u8, 250}, {"u16", u16, 65535}, {"u32", u32, 4000000000.0}, {"i32", i32, 7}, {"f32", f32, 0.25},
        {"f32", nothing, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct heatmap map = {.plane = cases[i].plane, .type = cases[i].type, .width = 2, .height = 2};
        assert_true(heatmap_peak(&map) == cases[i].peak);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(map_is_monotonic), cmocka_unit_test(ends),
                                       cmocka_unit_test(named_are_the_nearest_of_256),
                                       cmocka_unit_test(those_of_butteraugli), cmocka_unit_test(peaks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
