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

/* A plane of WIDTH x HEIGHT samples. */
static struct parity_plane plane_of(uint32_t sample_size)
{
    return (struct parity_plane){.of = {.width = WIDTH, .height = HEIGHT, .sample_size = sample_size}};
}

static void fill(uint8_t *plane, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        plane[i] = (uint8_t)(i * 37 + i / 251);
}

/* Every single bit of every sample, in every size. */
static void each_bit(void **state)
{
    uint8_t a[WIDTH * HEIGHT * 4], b[sizeof a];
    (void)state;
    for (uint32_t size = 1; size <= 4; size *= 2) {
        fill(a, sizeof a);
        fill(b, sizeof b);
        struct parity_plane p = plane_of(size);
        assert_false(parity_compare_planes(a, b, &p));
        assert_int_equal(p.count, 0);
        for (uint32_t bit = 0; bit < WIDTH * HEIGHT * size * 8; bit++) {
            uint32_t was = 0;
            const uint32_t index = bit / 8 / size;
            b[bit / 8] ^= (uint8_t)(1u << bit % 8);
            memcpy(&was, a + (size_t)index * size, size);
            assert_true(parity_compare_planes(a, b, &p));
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
    struct parity_plane p = plane_of(2);
    (void)state;
    p.of.pass_number = 3;
    p.of.output = 1;
    b[2 * WIDTH + 9] = 7;
    b[4 * WIDTH] = 1;
    b[WIDTH * HEIGHT - 1] = 65535;
    assert_true(parity_compare_planes(a, b, &p));
    assert_int_equal(p.count, 3);
    assert_int_equal(p.x, 9);
    assert_int_equal(p.y, 2);
    assert_int_equal(p.bits[1], 7);
    assert_int_equal(p.of.pass_number, 3);
    assert_int_equal(p.of.output, 1);
}

/* Bits count, not values: the two zeros differ, a NaN equals itself. */
static void floats(void **state)
{
    float a[2] = {0.0f, 0.0f}, b[2] = {0.0f, -0.0f};
    const uint32_t nan[2] = {0x7fc00001u, 0x7fc00001u};
    struct parity_plane p = {.of = {.width = 2, .height = 1, .sample_size = sizeof a[0]}};
    (void)state;
    assert_true(parity_compare_planes(a, b, &p));
    assert_int_equal(p.x, 1);
    assert_int_equal(p.bits[1], 0x80000000u);
    assert_false(parity_compare_planes(nan, nan, &p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_bit), cmocka_unit_test(several), cmocka_unit_test(floats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
