/* SPDX-License-Identifier: BSD-2-Clause */
/* Two sides with colours of their own: matrices of primaries, names and meanings of tags, what metrics of colour make
 * of each side and what metrics of codes refuse. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/colour.h"
#include "session_test.h"

enum { BT709 = 1, BT601 = 6, BT2020 = 9, SRGB = 13, PQ = 16, HLG = 18, PARAMETERS = 255, WIDTH = 64, HEIGHT = 48 };

/* By rows, to the primaries of sRGB (tools/derive_primaries.py). */
static const float to_srgb[][9] = {
    {1.04404318f, -0.0440432094f, 0,
     0, 1, 0,
     0, 0.0117933787f, 0.988206625f}, /* BT.601, 625 lines */
    {0.939542055f, 0.0501813553f, 0.0102765793f,
     0.0177722238f, 0.965792835f, 0.0164349135f,
     -0.00162159989f, -0.00436974969f, 1.00599134f}, /* BT.601, 525 lines */
    {1.66049099f, -0.58764112f, -0.0728498623f,
     -0.124550477f, 1.13289988f, -0.00834942237f,
     -0.0181507636f, -0.100578897f, 1.11872971f}, /* BT.2020 */
    {1.22494018f, -0.224940181f, 0,
     -0.0420569554f, 1.04205692f, 0,
     -0.0196375549f, -0.0786360428f, 1.09827363f}, /* Display P3 */
};
static const enum colour_primaries derived[] = {PRIMARIES_625, PRIMARIES_525, PRIMARIES_2020, PRIMARIES_P3};

static void test_matrices(void **state)
{
    (void)state;
    double m[9];
    for (unsigned i = 0; i < sizeof derived / sizeof *derived; i++) {
        assert_true(primaries_to_bt709(&colour_chromaticities[derived[i]], m));
        for (unsigned k = 0; k < 9; k++)
            assert_true((float)m[k] == to_srgb[i][k]);
        struct primaries back;
        assert_true(primaries_of_matrix(m, &back));
        for (unsigned k = 0; k < 8; k++)
            assert_true(fabs(back.xy[k / 2][k % 2] - colour_chromaticities[derived[i]].xy[k / 2][k % 2]) < 1e-13);
    }
    /* White stays white, also where it is another one. */
    for (unsigned p = 0; p < PRIMARIES_MATRIX; p++) {
        assert_true(primaries_to_bt709(&colour_chromaticities[p], m));
        for (unsigned row = 0; row < 3; row++)
            assert_true(fabs(m[3 * row] + m[3 * row + 1] + m[3 * row + 2] - 1) < 1e-13);
    }
    /* sRGB's own profile, with the colorants that most files have (IEC 61966-2-1 by Bradford to D50, in 2^-16). */
    const double profile[9] = {0.4360747, 0.3850649, 0.1430804, 0.2225045, 0.7168786, 0.0606169,
                               0.0139322, 0.0971045, 0.7141733};
    primaries_of_profile(profile, m);
    for (unsigned k = 0; k < 9; k++)
        assert_true(fabs(m[k] - (k % 4 == 0)) < 5e-4);
    const struct primaries line = {{{0.1, 0.1}, {0.2, 0.2}, {0.3, 0.3}, {0.3127, 0.3290}}},
                           white = {{{0.64, 0.33}, {0.30, 0.60}, {0.15, 0.06}, {0.3, 0}}};
    assert_false(primaries_to_bt709(&line, m));
    assert_false(primaries_to_bt709(&white, m));
    struct primaries none;
    memset(m, 0, sizeof m);
    assert_false(primaries_of_matrix(m, &none));
}

static assay_format tagged(uint32_t matrix, assay_range range, uint32_t transfer, uint32_t primaries)
{
    assay_format f = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    f.matrix = matrix;
    f.range = range;
    f.transfer = transfer;
    f.primaries = primaries;
    f.chroma_location = ASSAY_CHROMA_LEFT;
    return f;
}

static void test_tags(void **state)
{
    (void)state;
    char text[COLOUR_NAME];
    assay_format a = tagged(5, ASSAY_RANGE_LIMITED, 1, 6), b = tagged(6, ASSAY_RANGE_LIMITED, 14, 7);
    for (enum colour_kind kind = 0; kind < COLOUR_KINDS; kind++)
        assert_false(colour_differs(&a, &b, kind));
    b = tagged(BT709, ASSAY_RANGE_FULL, PQ, BT2020);
    b.chroma_location = ASSAY_CHROMA_TOP;
    for (enum colour_kind kind = 0; kind < COLOUR_KINDS; kind++)
        assert_true(colour_differs(&a, &b, kind));
    assert_string_equal(colour_name(&b, COLOUR_TRANSFER, text), "pq");
    assert_string_equal(colour_name(&b, COLOUR_SITING, text), "top");
    b = tagged(2, ASSAY_RANGE_UNKNOWN, 0, 2);
    for (enum colour_kind kind = 0; kind < COLOUR_SITING; kind++) {
        assert_false(colour_differs(&a, &b, kind)); /* one of them says nothing */
        assert_false(colour_tagged(&b, kind));
    }
    a.transfer = 10;
    b.transfer = 9;
    assert_true(colour_differs(&a, &b, COLOUR_TRANSFER)); /* neither is known here */
    assert_string_equal(colour_name(&a, COLOUR_TRANSFER, text), "number 10");
    a.transfer = b.transfer = PARAMETERS;
    assert_string_equal(colour_name(&a, COLOUR_TRANSFER, text), "unknown");
    a.gamma = b.gamma = 45455;
    assert_string_equal(colour_name(&a, COLOUR_TRANSFER, text), "gamma 2.19");
    assert_false(colour_differs(&a, &b, COLOUR_TRANSFER));
    b.gamma = 50000;
    assert_true(colour_differs(&a, &b, COLOUR_TRANSFER));
    a.layout = b.layout = ASSAY_LAYOUT_400;
    assert_false(colour_differs(&a, &b, COLOUR_MATRIX) || colour_differs(&a, &b, COLOUR_PRIMARIES));
}

/* The score of one frame, or the code of the call that refuses the pair, with the session's error and notes. */
static int scored(const assay_format *ref, const assay_format *dis, const char *metric, uint32_t allow,
                  const assay_picture *pictures, double *value, char notes[512])
{
    assay_session *s;
    uint64_t frame;
    double values[64];
    const assay_config config = {.distorted = dis, .allow_colour = allow, .threads = 1};
    assert_int_equal(assay_session_new(&s, &config, NULL, 0), 0);
    assert_int_equal(assay_session_add_metric(s, metric), 0);
    int rc = assay_session_start(s, ref);
    if (!rc) {
        snprintf(notes, 512, "%s", assay_session_notes(s));
        assert_int_equal(assay_session_submit(s, 0, &pictures[0], &pictures[1]), 0);
        assert_int_equal(assay_session_flush(s), 0);
        assert_int_equal(assay_session_poll(s, &frame, values), 1);
        *value = values[0];
    } else {
        snprintf(notes, 512, "%s", assay_session_error(s));
        assert_int_equal(rc, assay_metric_allows(metric, &config, ref, NULL, 0));
    }
    assay_session_close(&s);
    return rc;
}

/* ... of equal codes. */
static int of_codes(const assay_format *ref, const assay_format *dis, const char *metric, uint32_t allow, double *value,
                    char notes[512])
{
    struct clip clip;
    clip_open(&clip, ref, 1, 0, 0);
    const assay_picture pictures[2] = {clip_view(&clip, 0, 0), clip_view(&clip, 0, 1)};
    const int rc = scored(ref, dis, metric, allow, pictures, value, notes);
    clip_close(&clip);
    return rc;
}

static void test_equal_codes_of_other_colours(void **state)
{
    (void)state;
    const assay_format video = tagged(BT709, ASSAY_RANGE_LIMITED, 1, 1);
    const assay_format others[] = {
        tagged(BT601, ASSAY_RANGE_LIMITED, 1, 1), tagged(BT709, ASSAY_RANGE_FULL, 1, 1),
        tagged(BT709, ASSAY_RANGE_LIMITED, PQ, 1), tagged(BT709, ASSAY_RANGE_LIMITED, HLG, 1),
        tagged(BT709, ASSAY_RANGE_LIMITED, 8, 1), tagged(BT709, ASSAY_RANGE_LIMITED, 1, BT2020),
        tagged(BT709, ASSAY_RANGE_LIMITED, 1, 12), tagged(BT2020, ASSAY_RANGE_LIMITED, PQ, BT2020),
        tagged(BT709, ASSAY_RANGE_LIMITED, 17, 11)};
    static const char *const word[] = {"matrix", "range", "transfer", "transfer", "transfer", "primaries", "primaries",
                                       "matrix", "transfer"};
    char notes[512];
    double value;
    assert_int_equal(of_codes(&video, &video, "ssimulacra2", 0, &value, notes), 0);
    assert_true(value == 100);
    assert_string_equal(notes, "");
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(of_codes(&video, &others[i], "ssimulacra2", 0, &value, notes), 0);
        assert_true(value < 99);
        assert_non_null(strstr(notes, word[i]));
        assert_non_null(strstr(notes, "each side is converted from its own"));
        assert_int_equal(of_codes(&video, &others[i], "psnr", 0, &value, notes), ASSAY_EMISMATCH);
        assert_non_null(strstr(notes, word[i]));
        assert_int_equal(of_codes(&video, &others[i], "psnr", 1, &value, notes), 0);
        assert_true(value == 60);
    }
    assay_format other = video;
    other.width++;
    assert_int_equal(of_codes(&video, &other, "ssimulacra2", 0, &value, notes), ASSAY_EMISMATCH);
}

/* The untagged side is not taken for what the other one says, and the note says which side it is. */
static void test_untagged_sides(void **state)
{
    (void)state;
    const assay_format video = tagged(BT709, ASSAY_RANGE_LIMITED, 1, 1), none = tagged(2, ASSAY_RANGE_UNKNOWN, 2, 2),
                       bright = tagged(BT2020, ASSAY_RANGE_LIMITED, PQ, BT2020);
    char notes[512];
    double value;
    assert_int_equal(of_codes(&none, &none, "ssimulacra2", 0, &value, notes), 0);
    assert_string_equal(notes, "ssimulacra2: not tagged, taken as: matrix bt709, range limited, transfer srgb, "
                               "primaries bt709");
    assert_int_equal(of_codes(&video, &none, "ssimulacra2", 0, &value, notes), 0);
    assert_true(value == 100); /* video beside tagged video is taken as BT.709's */
    assert_string_equal(notes, "ssimulacra2: the distorted is not tagged, taken as: matrix bt709, range limited, "
                               "transfer bt1886, primaries bt709");
    assert_int_equal(of_codes(&none, &bright, "ssimulacra2", 0, &value, notes), 0);
    assert_true(value < 99);
    assert_non_null(strstr(notes, "the reference is not tagged, taken as: matrix bt709"));
    assert_non_null(strstr(notes, "the white of the reference, which is SDR, is 203 cd/m2"));
    assert_int_equal(of_codes(&video, &none, "psnr", 0, &value, notes), 0);
}

/* sRGB and Display P3 by parameters are what their tags are. */
static void test_parameters(void **state)
{
    (void)state;
    assay_format tags = format_of(ASSAY_LAYOUT_RGB, 8, WIDTH, HEIGHT), own = tags, other;
    tags.transfer = SRGB;
    tags.primaries = 12;
    own.transfer = own.primaries = PARAMETERS;
    const double srgb[7] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045, 0, 0};
    memcpy(own.curve, srgb, sizeof srgb);
    primaries_to_bt709(&colour_chromaticities[PRIMARIES_P3], own.to_bt709);
    char notes[512];
    double value, by_tags, by_parameters;
    assert_int_equal(of_codes(&tags, &own, "ssimulacra2", 0, &value, notes), 0);
    assert_true(value > 99.99);
    other = tags;
    other.primaries = 1;
    assert_int_equal(of_codes(&other, &tags, "ssimulacra2", 0, &by_tags, notes), 0);
    assert_int_equal(of_codes(&other, &own, "ssimulacra2", 0, &by_parameters, notes), 0);
    assert_true(by_tags < 99 && fabs(by_tags - by_parameters) < 0.01);
    own.curve[0] = 9;
    assert_int_equal(of_codes(&own, &own, "ssimulacra2", 0, &value, notes), ASSAY_EUSAGE);
    own.curve[0] = NAN;
    assert_int_equal(of_codes(&own, &own, "ssimulacra2", 0, &value, notes), ASSAY_EUSAGE);
    memset(own.curve, 0, sizeof own.curve);
    assert_int_equal(of_codes(&own, &own, "ssimulacra2", 0, &value, notes), ASSAY_EUSAGE);
    assert_non_null(strstr(notes, "transfer function of the reference picture"));
    assert_int_equal(of_codes(&own, &own, "ssimulacra2=transfer=srgb", 0, &value, notes), 0);
}

/* A side without a plane of alpha is opaque. */
static void test_alpha_of_one_side(void **state)
{
    (void)state;
    assay_format plain = format_of(ASSAY_LAYOUT_RGB, 8, WIDTH, HEIGHT), alpha;
    plain.transfer = SRGB;
    plain.primaries = 1;
    alpha = plain;
    alpha.alpha = 1;
    static unsigned char cover[WIDTH * HEIGHT];
    struct clip clip;
    char notes[512];
    double both, one, neither;
    clip_open(&clip, &plain, 1, 3, 0);
    const assay_picture without[2] = {clip_view(&clip, 0, 0), clip_view(&clip, 0, 1)};
    assay_picture with[2] = {without[0], without[1]}, mixed[2] = {without[0], without[1]};
    with[0].plane[3] = with[1].plane[3] = mixed[0].plane[3] = cover;
    with[0].stride[3] = with[1].stride[3] = mixed[0].stride[3] = WIDTH;
    memset(cover, 255, sizeof cover);
    assert_int_equal(scored(&plain, NULL, "ssimulacra2", 0, without, &neither, notes), 0);
    assert_int_equal(scored(&alpha, NULL, "ssimulacra2", 0, with, &both, notes), 0);
    assert_int_equal(scored(&alpha, &plain, "ssimulacra2", 0, mixed, &one, notes), 0);
    assert_true(neither < 100 && both == neither && one == neither);
    memset(cover, 128, sizeof cover);
    assert_int_equal(scored(&alpha, &plain, "ssimulacra2", 0, mixed, &one, notes), 0);
    assert_int_equal(scored(&alpha, NULL, "ssimulacra2", 0, with, &both, notes), 0);
    assert_true(one < neither && both > neither);
    clip_close(&clip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrices), cmocka_unit_test(test_tags),
        cmocka_unit_test(test_equal_codes_of_other_colours), cmocka_unit_test(test_untagged_sides),
        cmocka_unit_test(test_parameters), cmocka_unit_test(test_alpha_of_one_side)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
