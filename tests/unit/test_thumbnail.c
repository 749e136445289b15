/* SPDX-License-Identifier: BSD-2-Clause */
/* Small pictures: their sizes, their colours, and where two differ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/thumbnail.h"

static void sizes(void **state)
{
    (void)state;
    static const uint32_t cases[][6] = { /* width, height, sample aspect ratio, and the small size */
        {1920, 1080, 1, 1, 320, 180}, {1080, 1920, 0, 0, 135, 240}, {64, 48, 1, 1, 64, 48},
        {720, 576, 64, 45, 320, 180}, {65535, 1, 1, 1, 320, 1},     {3840, 1600, 1, 1, 320, 133},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const assay_format f = {.sar_num = cases[i][2], .sar_den = cases[i][3]};
        uint32_t size[2];
        thumbnail_fit(&f, cases[i][0], cases[i][1], size);
        assert_int_equal(size[0], cases[i][4]);
        assert_int_equal(size[1], cases[i][5]);
    }
}

/* One colour in all samples of a picture of 8x4. */
static void one_colour(const assay_format *f, const unsigned code[3], uint8_t rgb[3])
{
    uint16_t samples[3][32];
    uint8_t bytes[3][32], out[2 * 2 * 3];
    void *plane[3];
    const ptrdiff_t stride[3] = {f->bit_depth > 8 ? 16 : 8, f->bit_depth > 8 ? 16 : 8, f->bit_depth > 8 ? 16 : 8};
    const uint32_t size[2] = {2, 2};
    for (unsigned p = 0; p < 3; p++) {
        for (unsigned i = 0; i < 32; i++) {
            samples[p][i] = (uint16_t)code[p];
            bytes[p][i] = (uint8_t)code[p];
        }
        plane[p] = f->bit_depth > 8 ? (void *)samples[p] : (void *)bytes[p];
    }
    thumbnail_draw(&(struct thumbnail){f, plane, stride}, size, out);
    for (unsigned i = 3; i < sizeof out; i++)
        assert_int_equal(out[i], out[i - 3]);
    memcpy(rgb, out, 3);
}

static void assert_colour(const assay_format *f, const unsigned code[3], int r, int g, int b)
{
    uint8_t rgb[3];
    one_colour(f, code, rgb);
    assert_in_range(rgb[0] + 1, r, r + 2); /* codes of 8 bits are within 1 */
    assert_in_range(rgb[1] + 1, g, g + 2);
    assert_in_range(rgb[2] + 1, b, b + 2);
}

/* The 75 % bars of BT.709 and BT.601, in the codes that tables of them list. */
static void colours(void **state)
{
    (void)state;
    assay_format f = {.width = 8, .height = 4, .bit_depth = 8, .layout = ASSAY_LAYOUT_444,
                      .range = ASSAY_RANGE_LIMITED, .matrix = 1, .transfer = 1, .primaries = 1};
    assert_colour(&f, (unsigned[]){180, 128, 128}, 191, 191, 191);
    assert_colour(&f, (unsigned[]){168, 44, 136}, 191, 191, 0);
    assert_colour(&f, (unsigned[]){51, 109, 212}, 191, 0, 0);
    assert_colour(&f, (unsigned[]){16, 128, 128}, 0, 0, 0);
    assert_colour(&f, (unsigned[]){235, 128, 128}, 255, 255, 255);
    f.matrix = 2; /* untagged and small: BT.601 */
    assert_colour(&f, (unsigned[]){65, 100, 212}, 191, 0, 0);
    f.layout = ASSAY_LAYOUT_420;
    assert_colour(&f, (unsigned[]){65, 100, 212}, 191, 0, 0);
    f.bit_depth = 10;
    assert_colour(&f, (unsigned[]){65 * 4, 100 * 4, 212 * 4}, 191, 0, 0);
    f.range = ASSAY_RANGE_FULL;
    assert_colour(&f, (unsigned[]){1023, 512, 512}, 255, 255, 255);
    f.layout = ASSAY_LAYOUT_400;
    assert_colour(&f, (unsigned[]){512, 0, 0}, 128, 128, 128);
    f.layout = ASSAY_LAYOUT_RGB;
    f.range = ASSAY_RANGE_UNKNOWN;
    f.bit_depth = 8;
    assert_colour(&f, (unsigned[]){10, 200, 30}, 10, 200, 30);
    f = (assay_format){.width = 8, .height = 4, .bit_depth = 8, .layout = ASSAY_LAYOUT_444, .matrix = 14};
    assert_colour(&f, (unsigned[]){126, 20, 220}, 128, 128, 128); /* ICtCp: luma alone */
}

/* White of 203 cd/m2 is code 0.5806 of PQ, and a bright grey after the highlights were bent; black stays black, and
 * white of BT.2020 is white. */
static void wide_colours(void **state)
{
    (void)state;
    assay_format f = {.width = 8, .height = 4, .bit_depth = 10, .layout = ASSAY_LAYOUT_444,
                      .range = ASSAY_RANGE_LIMITED, .matrix = 9, .transfer = 16, .primaries = 9};
    uint8_t rgb[3];
    assert_colour(&f, (unsigned[]){64, 512, 512}, 0, 0, 0);
    one_colour(&f, (unsigned[]){64 + 509, 512, 512}, rgb);
    assert_in_range(rgb[1], 190, 202); /* 255 * (17/32)^(1/2.4) is 196 */
    assert_in_range(rgb[0] + 1, rgb[1], rgb[1] + 2);
    assert_in_range(rgb[2] + 1, rgb[1], rgb[1] + 2);
    assert_colour(&f, (unsigned[]){940, 512, 512}, 255, 255, 255);
    f.transfer = 14;
    assert_colour(&f, (unsigned[]){940, 512, 512}, 255, 255, 255);
    char text[200];
    thumbnail_colours(&f, &f, text, sizeof text);
    assert_string_equal(text, "bt2020, limited range, its primaries made those of sRGB");
}

static void differences(void **state)
{
    (void)state;
    const assay_format f = {.width = 8, .height = 4, .bit_depth = 8, .layout = ASSAY_LAYOUT_400};
    uint8_t a[32], b[32], rgb[2 * 2 * 3];
    void *planes[2][1] = {{a}, {b}};
    const ptrdiff_t stride[1] = {8};
    const uint32_t size[2] = {2, 2};
    double full;
    memset(a, 100, sizeof a);
    memcpy(b, a, sizeof b);
    const struct thumbnail sides[2] = {{&f, planes[0], stride}, {&f, planes[1], stride}};
    assert_int_equal(thumbnail_difference(sides, size, rgb, &full, NULL), ASSAY_OK);
    assert_true(full == 0);
    for (unsigned i = 0; i < sizeof rgb; i++)
        assert_int_equal(rgb[i], 0);
    b[0] = 108; /* noise does not cancel out */
    b[1] = 92;
    assert_int_equal(thumbnail_difference(sides, size, rgb, &full, NULL), ASSAY_OK);
    assert_true(full > 1.9 && full < 2.2);
    assert_true(rgb[0] > 200);
    for (unsigned i = 3; i < sizeof rgb; i++)
        assert_int_equal(rgb[i], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes), cmocka_unit_test(colours), cmocka_unit_test(wide_colours),
        cmocka_unit_test(differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
