/* SPDX-License-Identifier: BSD-2-Clause */
/* How many frames a session has in flight where the device's memory holds few: the null executor says how many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "null_executor.h"
#include "session_test.h"

enum { FRAMES = 12, MIB = 1 << 20 };
static struct clip clip;

/* A session of `metric` on a device that wants four frames in flight, whose slots take 408 MiB each. */
static int start(const assay_config *config, const char *metric, uint64_t free_mib, assay_session **s)
{
    null_reset(4, NULL_CALLS, 0);
    null_limit(408ull * MIB, free_mib * MIB);
    assert_int_equal(assay_session_new(s, config, NULL, 0), 0);
    assert_int_equal(assay_session_add_metric(*s, metric), 0);
    return assay_session_start(*s, &clip.format);
}

static uint32_t frames_of(assay_session *s)
{
    assay_work work;
    assert_int_equal(assay_session_work(s, &work), 0);
    return work.frames;
}

/* Scores all frames and closes the session. */
static void score_all(assay_session **s)
{
    for (unsigned f = 0; f < FRAMES; f++) {
        const assay_picture ref = clip_view(&clip, f, 0), dis = clip_view(&clip, f, 1);
        assert_int_equal(assay_session_submit(*s, f, &ref, &dis), 0);
    }
    assert_int_equal(assay_session_flush(*s), 0);
    assay_session_close(s);
    assert_int_equal(null_look()->count[NULL_SUBMIT], FRAMES);
}

/* What nobody asked for is as much as fits, down to a single frame, and scores come all the same. */
static void what_fits(void **state)
{
    static const struct { const char *device, *metric; uint64_t free; uint32_t frames; } cases[] = {
        {NULL, "psnr", 65536, 7}, {NULL, "psnr", 2048, 4}, {NULL, "psnr", 2177, 5}, {NULL, "psnr", 900, 2},
        {NULL, "psnr", 408, 1}, {NULL, "motion", 2048, 4}, {NULL, "motion", 816, 2}, {"0,0", "psnr", 2048, 4},
        {"0,0", "psnr", 816, 2}, {"0,0", "motion", 816, 2}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const assay_config config = {.backend = "null", .device = cases[i].device, .prefetch_frames = 3};
        assay_session *s;
        if (start(&config, cases[i].metric, cases[i].free, &s))
            fail_msg("case %u: %s", i, assay_session_error(s));
        assert_int_equal(frames_of(s), cases[i].frames);
        score_all(&s);
    }
}

/* Where the application says that few frames come, there are few slots, beside those of earlier frames; more frames
 * than it said are scored all the same. */
static void few_frames(void **state)
{
    static const struct { const char *device, *metric; uint32_t said, asked, frames; } cases[] = {
        {NULL, "psnr", 0, 0, 7}, {NULL, "psnr", 63, 0, 4}, {NULL, "psnr", 64, 0, 7}, {NULL, "psnr", 1, 0, 4},
        {NULL, "motion", 5, 0, 5}, {NULL, "psnr", 24, 6, 6}, {"0,0", "psnr", 24, 0, 8}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const assay_config config = {.backend = "null", .device = cases[i].device, .prefetch_frames = 3,
                                     .frames = cases[i].said, .frames_in_flight = cases[i].asked};
        assay_session *s;
        if (start(&config, cases[i].metric, 65536, &s))
            fail_msg("case %u: %s", i, assay_session_error(s));
        if (frames_of(s) != cases[i].frames)
            fail_msg("case %u: %u frames", i, frames_of(s));
        score_all(&s);
    }
}

/* A number that somebody asked for is refused with the number that is taken, and that number is right. */
static void what_does_not(void **state)
{
    static const struct { const char *device, *metric; uint64_t free; uint32_t asked; const char *says; } cases[] = {
        {NULL, "psnr", 2048, 10, "10 frames in flight need 4080 MiB and 2048 MiB are free: 5 would fit"},
        {NULL, "motion", 2048, 10,
         "10 frames in flight and 1 before them need 4488 MiB and 2048 MiB are free: 4 would fit"},
        {NULL, "motion", 2048, 5, "4 would fit"}, {NULL, "motion", 407, 3, "0 would fit"},
        {"0,0", "psnr", 2048, 10, "need 2040 MiB on each device and 1024 MiB are free: 4 would fit"}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assay_config config = {.backend = "null", .device = cases[i].device, .frames_in_flight = cases[i].asked};
        assay_session *s;
        assert_int_equal(start(&config, cases[i].metric, cases[i].free, &s), ASSAY_EDEVICE);
        const char *error = assay_session_error(s), *fit = strstr(error, "free: ");
        if (!strstr(error, cases[i].says) || !strstr(error, "(frames_in_flight, --in-flight)"))
            fail_msg("case %u: %s", i, error);
        assert_int_equal(sscanf(fit, "free: %u", &config.frames_in_flight), 1);
        assay_session_close(&s);
        if (config.frames_in_flight) {
            assert_int_equal(start(&config, cases[i].metric, cases[i].free, &s), 0);
            assay_session_close(&s);
        }
    }
    assay_session *s;
    assert_int_equal(start(&(assay_config){.backend = "null"}, "psnr", 407, &s), ASSAY_EDEVICE);
    assert_non_null(strstr(assay_session_error(s), "1 frame in flight needs 408 MiB and 407 MiB are free: 0 would"));
    assay_session_close(&s);
}

/* Slots without which the device has all that it can take get no memory. */
static void slots_that_nobody_needs(void **state)
{
    static const struct { const char *device, *metric; uint32_t blocks; } cases[] = {
        {NULL, "psnr", 1}, {NULL, "motion", 2}, {"0,0", "psnr", 2}, {"0,0,0", "motion", 3}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const assay_config config = {.backend = "null", .device = cases[i].device, .prefetch_frames = 3};
        assay_session *s;
        assert_int_equal(start(&config, cases[i].metric, 65536, &s), 0);
        for (unsigned f = 0; f < FRAMES; f++) {
            const assay_picture ref = clip_view(&clip, f, 0), dis = clip_view(&clip, f, 1);
            assert_int_equal(assay_session_submit(s, f, &ref, &dis), 0);
            assert_int_equal(assay_session_wait(s), 0);
        }
        assay_session_close(&s);
        assert_int_equal(null_look()->count[NULL_HOST_ALLOC], cases[i].blocks);
        assert_int_equal(null_look()->host_blocks + null_look()->misplaced + null_look()->changed_inputs, 0);
    }
}

/* On a CPU large pairs are few, and planes that no metric reads don't count. */
static void large_pairs(void **state)
{
    static const struct { const char *metric; uint32_t width, depth, ahead, frames; } cases[] = {
        {"psnr", 1920, 8, 3, 4}, {"psnr", 1920, 10, 3, 4}, {"psnr", 3840, 8, 3, 3},
        {"psnr", 3840, 10, 3, 2}, {"psnr", 3840, 10, 1, 2}, {"float_ssim", 3840, 8, 3, 4},
        {"float_ssim", 3840, 10, 3, 2}, {"float_ssim", 7680, 16, 3, 2},
        {"motion", 3840, 10, 3, 5}, {"adm,motion", 3840, 10, 3, 3}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const assay_config config = {.backend = "cpu", .threads = 2, .prefetch_frames = cases[i].ahead};
        const assay_format format = format_of(ASSAY_LAYOUT_420, cases[i].depth, cases[i].width,
                                              cases[i].width / 16 * 9);
        char name[32], *next = name;
        assay_session *s;
        assert_int_equal(assay_session_new(&s, &config, NULL, 0), 0);
        snprintf(name, sizeof name, "%s", cases[i].metric);
        for (char *one; (one = strtok_r(next, ",", &next));)
            assert_int_equal(assay_session_add_metric(s, one), 0);
        if (assay_session_start(s, &format))
            fail_msg("%s", assay_session_error(s));
        if (frames_of(s) != cases[i].frames)
            fail_msg("case %u: %u slots", i, frames_of(s));
        assay_session_close(&s);
    }
}

int main(void)
{
    const assay_format format = format_of(ASSAY_LAYOUT_420, 8, 37, 29);
    clip_open(&clip, &format, FRAMES, 5, 0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_fits), cmocka_unit_test(few_frames),
                                       cmocka_unit_test(what_does_not),
                                       cmocka_unit_test(slots_that_nobody_needs), cmocka_unit_test(large_pairs)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    clip_close(&clip);
    return failed;
}
