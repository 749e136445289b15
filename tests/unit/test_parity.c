/* SPDX-License-Identifier: BSD-2-Clause */
/* The comparison of two planes: which sample is the first that differs, and how many do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/parity/compare.h"

enum { WIDTH = 13, HEIGHT = 7 };

static const enum sample_type types[] = {SAMPLE_U8, SAMPLE_U16, SAMPLE_U32, SAMPLE_I32, SAMPLE_F32};

static void fill(uint8_t *plane, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        plane[i] = (uint8_t)(i * 37 + i / 251);
}

/* Every single bit of every sample, in every type. */
static void each_bit(void **state)
{
    uint8_t a[WIDTH * HEIGHT * 4], b[sizeof a];
    (void)state;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        const uint32_t size = sample_size(types[t]);
        fill(a, sizeof a);
        fill(b, sizeof b);
        struct parity_plane p;
        assert_false(parity_compare_planes(a, b, types[t], WIDTH, HEIGHT, &p));
        assert_int_equal(p.count, 0);
        for (uint32_t bit = 0; bit < WIDTH * HEIGHT * size * 8; bit++) {
            uint32_t was = 0;
            const uint32_t index = bit / 8 / size;
            b[bit / 8] ^= (uint8_t)(1u << bit % 8);
            memcpy(&was, a + (size_t)index * size, size);
            assert_true(parity_compare_planes(a, b, types[t], WIDTH, HEIGHT, &p));
            assert_int_equal(p.count, 1);
            assert_int_equal(p.x, index % WIDTH);
            assert_int_equal(p.y, index / WIDTH);
            assert_int_equal(p.bits[0], was);
            assert_int_equal(p.bits[0] ^ p.bits[1], 1u << bit % (8 * size));
            b[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    }
}

/* The first in raster order; all are counted. */
static void several(void **state)
{
    uint16_t a[WIDTH * HEIGHT] = {0}, b[WIDTH * HEIGHT] = {0};
    struct parity_plane p = {.pass = 3, .output = 1};
    (void)state;
    b[2 * WIDTH + 9] = 7;
    b[4 * WIDTH] = 1;
    b[WIDTH * HEIGHT - 1] = 65535;
    assert_true(parity_compare_planes(a, b, SAMPLE_U16, WIDTH, HEIGHT, &p));
    assert_int_equal(p.count, 3);
    assert_int_equal(p.x, 9);
    assert_int_equal(p.y, 2);
    assert_int_equal(p.bits[1], 7);
    assert_int_equal(p.pass, 3);
    assert_int_equal(p.output, 1);
}

/* Bits count, not values: the two zeros differ, a NaN equals itself. */
static void floats(void **state)
{
    float a[2] = {0.0f, 0.0f}, b[2] = {0.0f, -0.0f};
    const uint32_t nan[2] = {0x7fc00001u, 0x7fc00001u};
    struct parity_plane p;
    (void)state;
    assert_true(parity_compare_planes(a, b, SAMPLE_F32, 2, 1, &p));
    assert_int_equal(p.x, 1);
    assert_int_equal(p.bits[1], 0x80000000u);
    assert_false(parity_compare_planes(nan, nan, SAMPLE_F32, 2, 1, &p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_bit), cmocka_unit_test(several), cmocka_unit_test(floats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
