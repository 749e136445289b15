/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The public functions used wrongly, stopped early and made to fail; and the engine's ring of frames with an executor
 * that writes down what it is asked. Bits are test_session_bits.c's.
 */
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "null_executor.h"
#include "session_test.h"

enum { FRAMES = 12 };
static struct clip clip;

static int open_clip(void **state)
{
    (void)state;
    const assay_format f = format_of(ASSAY_LAYOUT_420, 8, 37, 29);
    clip_open(&clip, &f, FRAMES, 5, 0);
    return 0;
}

static int close_clip(void **state)
{
    (void)state;
    clip_close(&clip);
    return 0;
}

static assay_session *new_session(const assay_config *config, const char *metric)
{
    assay_session *s;
    assert_int_equal(assay_session_new(&s, config, NULL, 0), 0);
    if (metric)
        assert_int_equal(assay_session_add_metric(s, metric), 0);
    return s;
}

static assay_session *started(const assay_config *config, const char *metric)
{
    assay_session *s = new_session(config, metric);
    if (assay_session_start(s, &clip.format))
        fail_msg("%s", assay_session_error(s));
    return s;
}

/* The call failed with this code and one line that holds the text. */
static void refused(const assay_session *s, int rc, int code, const char *text)
{
    assert_int_equal(rc, code);
    if (!strstr(assay_session_error(s), text) || strchr(assay_session_error(s), '\n'))
        fail_msg("'%s' does not say '%s'", assay_session_error(s), text);
}

static int submit(assay_session *s, unsigned frame)
{
    const assay_picture ref = clip_view(&clip, frame, 0), dis = clip_view(&clip, frame, 1);
    return assay_session_submit(s, frame, &ref, &dis);
}

/* ---- misuse ---- */

static void no_session(void **state)
{
    double v;
    uint64_t frame;
    uint32_t reach;
    assay_buffer b;
    assay_plane plane;
    assay_picture p = {0};
    (void)state;
    assert_int_equal(assay_session_new(NULL, NULL, NULL, 0), ASSAY_EUSAGE);
    assay_session_close(NULL);
    assay_session *none = NULL;
    assay_session_close(&none);
    assert_int_equal(assay_session_add_metric(NULL, "psnr"), ASSAY_EUSAGE);
    assert_int_equal(assay_session_add_all(NULL, &clip.format, NULL, NULL), ASSAY_EUSAGE);
    assert_int_equal(assay_session_set_callback(NULL, NULL, NULL), ASSAY_EUSAGE);
    assert_int_equal(assay_session_start(NULL, &clip.format), ASSAY_EUSAGE);
    assert_int_equal(assay_session_submit(NULL, 0, &p, &p), ASSAY_EUSAGE);
    assert_int_equal(assay_session_take(NULL, &b, &b), ASSAY_EUSAGE);
    assert_int_equal(assay_session_commit(NULL, 0, 1), ASSAY_EUSAGE);
    assert_int_equal(assay_session_flush(NULL), ASSAY_EUSAGE);
    assert_int_equal(assay_session_poll(NULL, &frame, &v), ASSAY_EUSAGE);
    assert_int_equal(assay_session_pooled(NULL, "psnr_y", "mean", &v), ASSAY_EUSAGE);
    assert_int_equal(assay_session_aggregate(NULL, 0, &v), ASSAY_EUSAGE);
    assert_int_equal(assay_session_reach(NULL, &reach, &reach), ASSAY_EUSAGE);
    assert_int_equal(assay_session_reads(NULL, 0, 0), ASSAY_EUSAGE);
    assert_int_equal(assay_session_plane(NULL, 0, &plane), ASSAY_EUSAGE);
    assert_int_equal(assay_session_keys(NULL), 0);
    assert_int_equal(assay_session_aggregates(NULL), 0);
    assert_null(assay_session_key(NULL, 0));
    assert_null(assay_session_aggregate_key(NULL, 0));
    assert_null(assay_session_describe_graph(NULL));
    assert_null(assay_session_describe_memory(NULL));
    assert_string_equal(assay_session_backend(NULL), "");
    assert_string_equal(assay_session_device(NULL), "");
    assert_string_equal(assay_session_driver(NULL), "");
    assert_string_equal(assay_session_configuration(NULL), "");
    assert_int_equal(assay_session_threads(NULL), 0);
    assert_true(strlen(assay_session_error(NULL)) > 0);
    assert_null(assay_metric_name(1000));
    assert_null(assay_metric_summary(1000));
}

static void before_the_start(void **state)
{
    double v;
    uint64_t frame;
    uint32_t reach[2];
    assay_buffer b[2];
    assay_plane plane;
    (void)state;
    assay_session *s = new_session(NULL, NULL);
    refused(s, assay_session_add_metric(s, NULL), ASSAY_EUSAGE, "by name");
    refused(s, assay_session_add_metric(s, ""), ASSAY_EUSAGE, "no metric is called ''");
    refused(s, assay_session_add_metric(s, "psnrr"), ASSAY_EUSAGE, "'psnrr'");
    refused(s, assay_session_add_all(s, NULL, NULL, NULL), ASSAY_EUSAGE, "format");
    refused(s, assay_session_start(s, &clip.format), ASSAY_EUSAGE, "no metric");
    refused(s, assay_session_start(s, NULL), ASSAY_EUSAGE, "format");
    refused(s, submit(s, 0), ASSAY_EUSAGE, "not started");
    refused(s, assay_session_take(s, &b[0], &b[1]), ASSAY_EUSAGE, "after the session starts");
    refused(s, assay_session_commit(s, 0, 1), ASSAY_EUSAGE, "no pair");
    refused(s, assay_session_flush(s), ASSAY_EUSAGE, "not started");
    refused(s, assay_session_poll(s, &frame, &v), ASSAY_EUSAGE, "after the start");
    refused(s, assay_session_pooled(s, "psnr_y", "mean", &v), ASSAY_EUSAGE, "started");
    refused(s, assay_session_aggregate(s, 0, &v), ASSAY_EUSAGE, "aggregate");
    refused(s, assay_session_reach(s, &reach[0], &reach[1]), ASSAY_EUSAGE, "not started");
    refused(s, assay_session_reads(s, 0, 0), ASSAY_EUSAGE, "not started");
    refused(s, assay_session_flush(s), ASSAY_EUSAGE, "not started");
    refused(s, assay_session_read_plane(s, 0, &v, 8), ASSAY_EUSAGE, "keep_planes");
    refused(s, assay_session_plane(s, 0, &plane), ASSAY_EUSAGE, "not started");
    assert_null(assay_session_describe_graph(s));
    assert_int_equal(assay_session_add_metric(s, "psnr"), 0);
    assert_string_equal(assay_session_error(s), "");
    assay_session_close(&s);
    assert_null(s);
}

static void after_the_start(void **state)
{
    double v[8];
    uint64_t frame;
    assay_buffer b[2];
    (void)state;
    assay_session *s = started(NULL, "psnr");
    refused(s, assay_session_start(s, &clip.format), ASSAY_EUSAGE, "once");
    refused(s, assay_session_add_metric(s, "float_psnr"), ASSAY_EUSAGE, "before");
    refused(s, assay_session_add_all(s, &clip.format, NULL, NULL), ASSAY_EUSAGE, "before");
    refused(s, assay_session_set_callback(s, NULL, NULL), ASSAY_EUSAGE, "before");
    refused(s, assay_session_take(s, NULL, &b[1]), ASSAY_EUSAGE, "pairs are taken");
    refused(s, assay_session_commit(s, 0, 1), ASSAY_EUSAGE, "no pair");
    assert_int_equal(assay_session_take(s, &b[0], &b[1]), 0);
    refused(s, submit(s, 0), ASSAY_EUSAGE, "committed");
    assert_int_equal(assay_session_commit(s, 0, 0), 0);
    refused(s, assay_session_poll(s, NULL, v), ASSAY_EUSAGE, "polled");
    refused(s, assay_session_poll(s, &frame, NULL), ASSAY_EUSAGE, "polled");
    assert_int_equal(assay_session_poll(s, &frame, v), 0);
    uint32_t reach;
    refused(s, assay_session_reach(s, NULL, &reach), ASSAY_EUSAGE, "nowhere");
    refused(s, assay_session_reach(s, &reach, NULL), ASSAY_EUSAGE, "nowhere");
    assert_int_equal(assay_session_reach(s, &reach, &reach), 0);
    assert_string_equal(assay_session_error(s), "");
    refused(s, assay_session_pooled(s, "float_ssim", "mean", v), ASSAY_EUSAGE, "'float_ssim'");
    refused(s, assay_session_pooled(s, "psnr_y", "average", v), ASSAY_EUSAGE, "pool");
    refused(s, assay_session_pooled(s, "psnr_y", "perc101", v), ASSAY_EUSAGE, "pool");
    refused(s, assay_session_pooled(s, NULL, "mean", v), ASSAY_EUSAGE, "pool");
    refused(s, assay_session_aggregate(s, 0, v), ASSAY_EUSAGE, "aggregate");
    assert_null(assay_session_key(s, 3));
    assert_int_equal(assay_session_pooled(s, "psnr_y", "mean", v), 0);
    assert_true(isnan(v[0])); /* of no frames */
    assay_session_close(&s);
}

static void pictures_that_do_not_fit(void **state)
{
    (void)state;
    assay_session *s = started(NULL, "psnr");
    const assay_picture good = clip_view(&clip, 0, 0);
    for (unsigned i = 0; i < 4; i++) {
        assay_picture bad = good;
        if (i < 3)
            bad.plane[i] = NULL;
        else
            bad.stride[0] = 36;
        refused(s, assay_session_submit(s, 0, &bad, &good), ASSAY_EUSAGE, "picture");
        refused(s, assay_session_submit(s, 0, &good, &bad), ASSAY_EUSAGE, "picture");
    }
    refused(s, assay_session_submit(s, 0, NULL, &good), ASSAY_EUSAGE, "picture");
    refused(s, assay_session_submit(s, 0, &good, NULL), ASSAY_EUSAGE, "picture");
    assert_int_equal(assay_session_submit(s, 0, &good, &good), 0);
    assay_session_close(&s);
}

/* Scores do not change with the planes that nothing reads. */
static void planes_that_nothing_reads(void **state)
{
    static const struct { const char *metric; int keep, reads[2][4]; } cases[] = {
        {"motion", 0, {{1, 0, 0, 0}, {0, 0, 0, 0}}}, {"vif", 0, {{1, 0, 0, 0}, {1, 0, 0, 0}}},
        {"psnr", 0, {{1, 1, 1, 0}, {1, 1, 1, 0}}},   {"motion", 1, {{1, 1, 1, 0}, {1, 1, 1, 0}}},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value[2][2][16];
        uint64_t frame;
        for (unsigned fill = 0; fill < 2; fill++) {
            assay_session *s = started(&(assay_config){.keep_planes = (uint32_t)cases[i].keep}, cases[i].metric);
            assert_true(assay_session_keys(s) <= 16);
            refused(s, assay_session_reads(s, 2, 0), ASSAY_EUSAGE, "sides");
            refused(s, assay_session_reads(s, 0, 4), ASSAY_EUSAGE, "planes");
            for (unsigned k = 0; k < 2; k++) {
                assay_buffer to[2];
                assert_int_equal(assay_session_take(s, &to[0], &to[1]), 0);
                for (unsigned side = 0; side < 2; side++)
                    for (unsigned p = 0; p < 4; p++) {
                        assert_int_equal(assay_session_reads(s, side, p), cases[i].reads[side][p]);
                        const assay_picture from = clip_view(&clip, k, side);
                        const uint32_t h = assay_format_plane_height(&clip.format, p),
                                       w = assay_format_plane_width(&clip.format, p);
                        for (uint32_t y = 0; y < h; y++) {
                            unsigned char *row = (unsigned char *)to[side].plane[p] + y * to[side].stride[p];
                            if (fill && !cases[i].reads[side][p])
                                memset(row, 255, w);
                            else
                                memcpy(row, (const unsigned char *)from.plane[p] + y * from.stride[p], w);
                        }
                    }
                assert_int_equal(assay_session_commit(s, k, ASSAY_SCORED), 0);
            }
            assert_int_equal(assay_session_flush(s), 0);
            for (unsigned k = 0; k < 2; k++)
                assert_int_equal(assay_session_poll(s, &frame, value[fill][k]), 1);
            for (unsigned k = 0; fill && k < 2; k++)
                assert_memory_equal(value[0][k], value[1][k], assay_session_keys(s) * sizeof(double));
            assay_session_close(&s);
        }
    }
}

static void frames_go_up(void **state)
{
    double v[8];
    uint64_t frame;
    assay_buffer b[2];
    (void)state;
    assay_session *s = started(NULL, "psnr");
    const assay_picture p = clip_view(&clip, 0, 0);
    assert_int_equal(assay_session_submit(s, 7, &p, &p), 0);
    refused(s, assay_session_submit(s, 7, &p, &p), ASSAY_EUSAGE, "frame 7 is submitted after frame 7");
    refused(s, assay_session_submit(s, 0, &p, &p), ASSAY_EUSAGE, "frame 0 is submitted after frame 7");
    assert_int_equal(assay_session_take(s, &b[0], &b[1]), 0);
    refused(s, assay_session_commit(s, 6, 1), ASSAY_EUSAGE, "frame 6");
    refused(s, assay_session_commit(s, 8, 1), ASSAY_EUSAGE, "no pair"); /* the refused one was given back */
    static const int unknown[] = {-1, 3, INT_MIN, INT_MAX};
    for (unsigned i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        assert_int_equal(assay_session_take(s, &b[0], &b[1]), 0);
        refused(s, assay_session_commit(s, 9, unknown[i]), ASSAY_EUSAGE, "ASSAY_UNUSED");
        refused(s, assay_session_commit(s, 9, ASSAY_SCORED), ASSAY_EUSAGE, "no pair"); /* given back, too */
    }
    assert_int_equal(assay_session_submit(s, UINT64_MAX, &p, &p), 0);
    assert_int_equal(assay_session_flush(s), 0);
    assert_int_equal(assay_session_poll(s, &frame, v), 1);
    assert_int_equal(frame, 7);
    assert_int_equal(assay_session_poll(s, &frame, v), 1);
    assert_true(frame == UINT64_MAX);
    assert_int_equal(assay_session_poll(s, &frame, v), 0);
    assay_session_close(&s);
}

static void configurations(void **state)
{
    static const struct { assay_config config; int code; const char *text; } bad[] = {
        {{.backend = "abacus"}, ASSAY_EUSAGE, "'abacus'"},
        {{.cpu_level = "mmx"}, ASSAY_EUSAGE, "'mmx'"},
        {{.threads = 1025}, ASSAY_EUSAGE, "1025 threads"},
        {{.frames_in_flight = 257}, ASSAY_EUSAGE, "257 frames"},
        {{.reserved = {1}}, ASSAY_EUSAGE, "reserved field of the configuration"},
        {{.tile_width = 17}, ASSAY_EUSAGE, "width of a tile is a power of two from 16 on, not 17"},
        {{.tile_width = 8}, ASSAY_EUSAGE, "not 8"},
        {{.tile_height = 6}, ASSAY_EUSAGE, "height of a tile is a power of two from 4 on, not 6"},
        {{.tile_height = 2}, ASSAY_EUSAGE, "not 2"},
        {{.rgb_matrix = "bt2020"}, ASSAY_EUSAGE, "'bt2020'"}, /* also where the pictures are not RGB */
        {{.rgb_range = (assay_range)3}, ASSAY_EUSAGE, "rgb_range"},
        {{.gpu_sides = 4}, ASSAY_EUSAGE, "gpu_sides"},
        {{.backend = "auto", .device = "0"}, ASSAY_EUSAGE, "auto"},
    };
    static const struct { assay_format format; const char *text; } wrong[] = {
        {{.width = 0, .height = 8, .bit_depth = 8, .layout = ASSAY_LAYOUT_420}, "0x8"},
        {{.width = 8, .height = 65536, .bit_depth = 8, .layout = ASSAY_LAYOUT_420}, "8x65536"},
        {{.width = 8, .height = 8, .bit_depth = 7, .layout = ASSAY_LAYOUT_420}, "not 7"},
        {{.width = 8, .height = 8, .bit_depth = 17, .layout = ASSAY_LAYOUT_420}, "not 17"},
        {{.width = 8, .height = 8, .bit_depth = 8}, "layout"},
        {{.width = 8, .height = 8, .bit_depth = 8, .layout = (assay_layout)99}, "layout"},
        {{.width = 8, .height = 8, .bit_depth = 8, .layout = ASSAY_LAYOUT_420, .reserved = {[5] = 1}}, "reserved"},
        {{.width = 8, .height = 8, .bit_depth = 8, .layout = ASSAY_LAYOUT_420, .range = (assay_range)3}, "range"},
        {{.width = 8, .height = 8, .bit_depth = 8, .layout = ASSAY_LAYOUT_420,
          .chroma_location = (assay_chroma_location)7}, "chroma location"},
        {{.width = 8, .height = 8, .bit_depth = 8, .layout = ASSAY_LAYOUT_420,
          .field_order = (assay_field_order)5}, "field order"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assay_session *s = new_session(&bad[i].config, "psnr");
        refused(s, assay_session_start(s, &clip.format), bad[i].code, bad[i].text);
        refused(s, submit(s, 0), ASSAY_EUSAGE, "not started");
        refused(s, assay_session_start(s, &clip.format), ASSAY_EUSAGE, "once");
        assay_session_close(&s);
    }
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assay_session *s = new_session(NULL, "psnr");
        refused(s, assay_session_add_all(s, &wrong[i].format, NULL, NULL), ASSAY_EUSAGE, wrong[i].text);
        refused(s, assay_session_start(s, &wrong[i].format), ASSAY_EUSAGE, wrong[i].text);
        assay_session_close(&s);
        assert_int_equal(assay_metric_allows("psnr", NULL, &wrong[i].format, NULL, 0), ASSAY_EUSAGE);
    }
    assert_int_equal(assay_metric_allows("psnr", &(assay_config){.reserved = {1}}, &clip.format, NULL, 0),
                     ASSAY_EUSAGE);
    const assay_config matrix = {.rgb_matrix = "bt2020"};
    const assay_format rgb = format_of(ASSAY_LAYOUT_RGB, 8, 8, 8);
    assay_session *s = new_session(&matrix, "psnr");
    refused(s, assay_session_start(s, &rgb), ASSAY_EUSAGE, "'bt2020'");
    assay_session_close(&s);
}

static void metrics_that_can_not(void **state)
{
    static const struct { const char *metric; assay_format format; const char *text; } none[] = {
        {"float_ssim", {.width = 10, .height = 99, .bit_depth = 8,
                        .layout = ASSAY_LAYOUT_400}, "float_ssim needs at least 11x11"},
        {"float_ms_ssim", {.width = 175, .height = 176, .bit_depth = 8, .layout = ASSAY_LAYOUT_400},
         "float_ms_ssim needs at least 176x176"},
        {"ssim", {.width = 99, .height = 99, .bit_depth = 8, .layout = ASSAY_LAYOUT_RGB}, "ssim is defined on luma"},
        {"float_psnr", {.width = 99, .height = 99, .bit_depth = 8, .layout = ASSAY_LAYOUT_RGB}, "--matrix"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof none / sizeof none[0]; i++) {
        assay_session *s = new_session(NULL, "psnr");
        assert_int_equal(assay_session_add_metric(s, none[i].metric), 0);
        refused(s, assay_session_start(s, &none[i].format), ASSAY_EUSAGE, none[i].text);
        assay_session_close(&s);
    }
    assay_session *s = new_session(NULL, "psnr");
    assert_int_equal(assay_session_add_metric(s, "psnr=enable_mse=true"), 0);
    refused(s, assay_session_start(s, &clip.format), ASSAY_EUSAGE, "two metrics would both write 'psnr_y'");
    assay_session_close(&s);
}

static void count_left_out(void *opaque, const char *metric, const char *reason)
{
    assert_true(strstr(reason, metric) == reason); /* "float_ms_ssim needs ..." */
    ++*(unsigned *)opaque;
}

static void all_metrics(void **state)
{
    unsigned left_out = 0, all = 0;
    (void)state;
    while (assay_metric_name(all)) {
        assert_true(strlen(assay_metric_summary(all)) > 0);
        all++;
    }
    assay_session *s = new_session(NULL, "psnr=enable_mse=true"); /* stays as it was asked for */
    assert_int_equal(assay_session_add_all(s, &clip.format, count_left_out, &left_out), 0);
    assert_int_equal(assay_session_start(s, &clip.format), 0);
    assert_in_range(left_out, 1, all - 1); /* 37x29 is too small for float_ms_ssim */
    const char *c = assay_session_configuration(s);
    assert_true(strstr(c, "psnr=enable_chroma=true:enable_mse=true:") == c);
    assert_null(strstr(c, "float_ms_ssim"));
    assert_non_null(strstr(c, "float_moment"));
    for (uint32_t i = 0; i < assay_session_keys(s); i++)
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(assay_session_key(s, i), assay_session_key(s, k));
    assay_session_close(&s);
}

static void descriptions(void **state)
{
    (void)state;
    assay_session *s = started(&(assay_config){.threads = 3, .frames_in_flight = 5}, "psnr");
    char *graph = assay_session_describe_graph(s), *memory = assay_session_describe_memory(s);
    assert_non_null(graph);
    assert_non_null(memory);
    assert_non_null(strstr(graph, "reads ref.0:u8[37x29], dis.0:u8[37x29]"));
    assert_non_null(strstr(memory, " 5 in flight, 5 in memory\n"));
    assert_string_equal(assay_session_backend(s), "cpu");
    assert_string_equal(assay_session_driver(s), "");
    assert_int_equal(assay_session_threads(s), 3);
    assert_non_null(strstr(assay_session_device(s), "CPU ("));
    free(graph);
    free(memory);
    assay_session_close(&s);
    /* A frame that a later one needs is kept beside those in flight. */
    s = started(&(assay_config){.frames_in_flight = 1}, "motion=motion_five_frame_window=true");
    memory = assay_session_describe_memory(s);
    assert_non_null(memory);
    assert_non_null(strstr(memory, " 1 in flight, 3 in memory\n"));
    free(memory);
    assay_session_close(&s);
}

/* A metric's planes after the last frame: the same at every instruction set, and those of the
 * picture that was submitted. */
static void planes(void **state)
{
    static const char *const level[] = {"scalar", NULL};
    static float samples[2][29][37];
    assay_plane p;
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        assay_session *s = started(&(assay_config){.keep_planes = 1, .cpu_level = level[i],
                                                   .threads = 2}, "float_ssim=scale=2");
        /* of each side, sums of columns and the picture of half the size */
        assert_int_equal(assay_session_planes(s), 4);
        refused(s, assay_session_plane(s, 4, &p), ASSAY_EUSAGE, "no such plane");
        refused(s, assay_session_plane(s, 1, NULL), ASSAY_EUSAGE, "nowhere");
        assert_int_equal(assay_session_plane(s, 1, &p), 0);
        assert_string_equal(assay_session_error(s), "");
        assert_string_equal(p.type, "f32");
        assert_int_equal(p.sample_size, 4);
        assert_true(p.width == 37 / 2 + 1 && p.height == 29 / 2 + 1);
        refused(s, assay_session_read_plane(s, 1, samples[i], sizeof samples[i][0]), ASSAY_EUSAGE, "no frame");
        for (unsigned frame = 0; frame < 3; frame++)
            assert_int_equal(submit(s, frame), 0);
        refused(s, assay_session_read_plane(s, 4, samples[i], sizeof samples[i][0]), ASSAY_EUSAGE, "no such plane");
        refused(s, assay_session_read_plane(s, 1, samples[i], 4 * p.width - 1), ASSAY_EUSAGE, "stride");
        refused(s, assay_session_read_plane(s, 1, NULL, sizeof samples[i][0]), ASSAY_EUSAGE, "no such plane");
        assert_int_equal(assay_session_read_plane(s, 1, samples[i], sizeof samples[i][0]), 0);
        float mean = 0;
        for (unsigned k = 0; k < 4; k++)
            mean += (float)clip_sample(&clip, 2, 0, 0, 9 + k % 2, 7 + k / 2) / 4.0f;
        assert_true(samples[i][4][5] == mean);
        assay_session_close(&s);
    }
    assert_memory_equal(samples[0], samples[1], sizeof samples[0]);
    assay_session *s = started(NULL, "float_ssim=scale=2");
    refused(s, assay_session_read_plane(s, 1, samples[0], sizeof samples[0][0]), ASSAY_EUSAGE, "keep_planes");
    assay_session_close(&s);
    assert_int_equal(assay_session_planes(NULL), 0);
    assert_int_equal(assay_session_read_plane(NULL, 0, samples[0], 4), ASSAY_EUSAGE);
}

/* Files of planes: a session whose caller would not write them does not start. */
static void plane_files(void **state)
{
    const assay_format f = format_of(ASSAY_LAYOUT_420, 8, 240, 230);
    assay_plane_file file;
    (void)state;
    for (unsigned keep = 0; keep < 2; keep++) {
        assay_session *s = new_session(&(assay_config){.keep_planes = keep}, "cambi=heatmaps_path=a/b");
        const int rc = assay_session_start(s, &f);
        if (keep) {
            assert_int_equal(assay_session_plane_file(s, 4, &file), 0);
            assert_string_equal(file.name, "cambi_heatmap_scale_4_15x15_16b.gray");
            assert_true(file.scale == 65535.0 / (4 * 5 * 5 / 4) && !strcmp(file.folder, "a/b"));
        }
        refused(s, keep ? assay_session_plane_file(s, 5, &file) : rc, ASSAY_EUSAGE, keep ? "no such" : "files in a/b");
        assay_session_close(&s);
    }
}

/* ---- figures over the run ---- */

static void pools_and_aggregates(void **state)
{
    double v, value[FRAMES], row[8], least = 1e9, most = -1e9, sum = 0, squares = 0;
    uint64_t frame;
    (void)state;
    assay_session *s = started(NULL, "psnr=enable_apsnr=true:enable_mse=true");
    assert_int_equal(assay_session_aggregates(s), 3);
    assert_string_equal(assay_session_aggregate_key(s, 0), "apsnr_y");
    assert_null(assay_session_aggregate_key(s, 3));
    assert_int_equal(assay_session_aggregate(s, 0, &v), 0);
    assert_true(isnan(v));
    for (unsigned i = 0; i < FRAMES; i++)
        assert_int_equal(submit(s, i), 0);
    assert_int_equal(assay_session_aggregate(s, 0, &v), 0); /* waits by itself */
    for (unsigned i = 0; i < FRAMES; i++) {
        assert_int_equal(assay_session_poll(s, &frame, row), 1);
        assert_int_equal(frame, i);
        value[i] = row[0];
        squares += row[3];
        sum += value[i];
        least = value[i] < least ? value[i] : least;
        most = value[i] > most ? value[i] : most;
    }
    assert_float_equal((float)v, (float)(10 * log10(255.0 * 255.0 * FRAMES / squares)), 1e-5f);
    assert_int_equal(assay_session_pooled(s, "psnr_y", "min", &v), 0);
    assert_true(v == least);
    assert_int_equal(assay_session_pooled(s, "psnr_y", "max", &v), 0);
    assert_true(v == most);
    assert_int_equal(assay_session_pooled(s, "psnr_y", "perc0", &v), 0);
    assert_true(v == least);
    assert_int_equal(assay_session_pooled(s, "psnr_y", "mean", &v), 0);
    assert_true(fabs(v - sum / FRAMES) < 1e-12);
    assay_session_close(&s);
}

/* ---- callbacks ---- */

struct stopper {
    unsigned seen, stop_at;
};

static int stop_at(void *opaque, uint64_t frame, const double *values)
{
    struct stopper *c = opaque;
    return frame != c->seen++ || values[0] <= 0 || c->seen == c->stop_at;
}

static void count(void *opaque)
{
    __atomic_fetch_add((unsigned *)opaque, 1, __ATOMIC_RELAXED);
}

static int lend(assay_session *s, unsigned frame, unsigned released[FRAMES][2])
{
    assay_picture p[2];
    for (unsigned side = 0; side < 2; side++) {
        p[side] = clip_view(&clip, frame, side);
        p[side].release = count;
        p[side].opaque = &released[frame][side];
    }
    return assay_session_submit(s, frame, &p[0], &p[1]);
}

static void callback_stops(void **state)
{
    (void)state;
    for (uint32_t in_flight = 1; in_flight <= 4; in_flight++) {
        struct stopper c = {.stop_at = 4};
        unsigned released[FRAMES][2] = {{0}}, taken = 0;
        int rc = 0;
        assay_session *s = new_session(&(assay_config){.threads = 2, .frames_in_flight = in_flight}, "psnr");
        assert_int_equal(assay_session_set_callback(s, stop_at, &c), 0);
        assert_int_equal(assay_session_start(s, &clip.format), 0);
        while (taken < FRAMES && !(rc = lend(s, taken, released)))
            taken++;
        if (rc)
            refused(s, rc, ASSAY_EINTERNAL, "callback stopped");
        refused(s, assay_session_flush(s), ASSAY_EINTERNAL, "callback stopped");
        if (taken < FRAMES)
            refused(s, lend(s, taken, released), ASSAY_EINTERNAL, "callback stopped");
        double v;
        uint64_t frame;
        refused(s, assay_session_poll(s, &frame, &v), ASSAY_EUSAGE, "no callback");
        assay_session_close(&s);
        assert_int_equal(c.seen, 4);
        for (unsigned i = 0; i < FRAMES; i++)
            for (unsigned side = 0; side < 2; side++)
                assert_int_equal(released[i][side], i < taken ? 1 : 0);
    }
}

static void closed_early(void **state)
{
    (void)state;
    for (uint32_t in_flight = 1; in_flight <= 6; in_flight++)
        for (unsigned frames = 0; frames <= in_flight && frames < FRAMES; frames++) {
            unsigned released[FRAMES][2] = {{0}};
            assay_buffer b[2];
            assay_session *s = started(&(assay_config){.threads = 2, .frames_in_flight = in_flight}, "psnr");
            for (unsigned i = 0; i < frames; i++)
                assert_int_equal(lend(s, i, released), 0);
            if (frames & 1)
                assert_int_equal(assay_session_take(s, &b[0], &b[1]), 0); /* and never committed */
            assay_session_close(&s);
            for (unsigned i = 0; i < FRAMES; i++)
                for (unsigned side = 0; side < 2; side++)
                    assert_int_equal(released[i][side], i < frames ? 1 : 0);
        }
}

/* One picture is lent, the other one copied. */
static void half_lent(void **state)
{
    unsigned released = 0;
    double lent[8], copied[8];
    uint64_t frame;
    (void)state;
    assay_session *s = started(NULL, "psnr");
    assay_picture ref = clip_view(&clip, 3, 0), dis = clip_view(&clip, 3, 1);
    assert_int_equal(assay_session_submit(s, 0, &ref, &dis), 0);
    dis.release = count;
    dis.opaque = &released;
    assert_int_equal(assay_session_submit(s, 1, &ref, &dis), 0);
    assert_int_equal(assay_session_flush(s), 0);
    assert_int_equal(assay_session_poll(s, &frame, copied), 1);
    assert_int_equal(assay_session_poll(s, &frame, lent), 1);
    assert_memory_equal(lent, copied, 3 * sizeof lent[0]);
    assert_int_equal(released, 1);
    assay_session_close(&s);
}

/* ---- the ring, seen by an executor ---- */

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool open;
};

/* Holds the session's thread at frame 0 until the caller has filled the ring. */
static int wait_at_gate(void *opaque, uint64_t frame, const double *values)
{
    struct gate *g = opaque;
    (void)values;
    pthread_mutex_lock(&g->lock);
    while (frame == 0 && !g->open)
        pthread_cond_wait(&g->changed, &g->lock);
    pthread_mutex_unlock(&g->lock);
    return 0;
}

static void ring_of_frames(void **state)
{
    (void)state;
    for (uint32_t depth = 1; depth <= 4; depth++)
        for (uint32_t slots = 1; slots <= 6; slots++) {
            struct gate g = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
            unsigned released[FRAMES][2] = {{0}};
            null_reset(depth, NULL_CALLS, 0);
            assay_session *s = new_session(&(assay_config){.backend = "null", .frames_in_flight = slots}, "psnr");
            assert_int_equal(assay_session_set_callback(s, wait_at_gate, &g), 0);
            assert_int_equal(assay_session_start(s, &clip.format), 0);
            for (unsigned i = 0; i < FRAMES; i++) {
                if (i == slots) {
                    pthread_mutex_lock(&g.lock);
                    g.open = true;
                    pthread_cond_broadcast(&g.changed);
                    pthread_mutex_unlock(&g.lock);
                }
                assert_int_equal(i & 1 ? submit(s, i) : lend(s, i, released), 0);
            }
            assert_int_equal(assay_session_flush(s), 0);
            assay_session_close(&s);
            const struct null_log *log = null_look();
            assert_int_equal(log->count[NULL_SUBMIT], FRAMES);
            assert_int_equal(log->count[NULL_WAIT], FRAMES);
            assert_int_equal(log->out_of_order, 0);
            assert_int_equal(log->changed_inputs, 0);
            assert_int_equal(log->host_blocks, 0);
            assert_int_equal(log->count[NULL_CLOSE], 1);
            const uint32_t ahead = slots - 1 < depth ? slots - 1
                                                     : depth; /* with frame 0 held, the others wait in the ring */
            assert_in_range(log->most_in_flight, ahead > 1 ? ahead : 1, depth < slots ? depth : slots);
            unsigned submits = 0, waits = 0;
            for (uint32_t i = 0; i < log->entries; i++)
                if (log->entry[i].call == NULL_SUBMIT)
                    assert_int_equal(log->entry[i].slot, submits++ % slots);
                else if (log->entry[i].call == NULL_WAIT)
                    assert_int_equal(log->entry[i].slot, waits++ % slots);
            for (unsigned i = 0; i < FRAMES; i++)
                assert_int_equal(released[i][0] + released[i][1], i & 1 ? 0 : 2);
        }
}

static void executor_that_fails_to_start(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        null_reset(2, i ? NULL_PREPARE : NULL_OPEN, 1);
        assay_session *s = new_session(&(assay_config){.backend = "null"}, "psnr");
        refused(s, assay_session_start(s, &clip.format), ASSAY_EDEVICE, "the null executor was told not to");
        refused(s, submit(s, 0), ASSAY_EUSAGE, "not started");
        assay_session_close(&s);
        assert_int_equal(null_look()->count[NULL_CLOSE], i);
    }
}

/* Frames before the one that fails are scored, those behind it are given back. */
static void executor_that_loses_frames(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++)
        for (uint32_t depth = 1; depth <= 3; depth++)
            for (uint32_t bad = 1; bad <= 6; bad++) {
                unsigned released[FRAMES][2] = {{0}}, taken = 0;
                double v[8];
                uint64_t frame;
                null_reset(depth, i ? NULL_WAIT : NULL_SUBMIT, bad);
                assay_session *s = started(&(assay_config){.backend = "null", .frames_in_flight = 1 + bad % 4}, "psnr");
                while (taken < FRAMES && !lend(s, taken, released))
                    taken++;
                refused(s, assay_session_flush(s), ASSAY_EDEVICE, i ? "lose a frame" : "not to take a frame");
                for (uint32_t scored = 0; scored + 1 < bad; scored++) {
                    assert_int_equal(assay_session_poll(s, &frame, v), 1);
                    assert_int_equal(frame, scored);
                    assert_true(v[0] == 60.0);
                }
                refused(s, assay_session_poll(s, &frame, v), ASSAY_EDEVICE, "the null executor was told");
                refused(s, submit(s, FRAMES - 1), ASSAY_EDEVICE, "the null executor was told");
                assay_session_close(&s);
                assert_int_equal(null_look()->count[NULL_WAIT],
                                 null_look()->count[NULL_SUBMIT] - (i ? 0 : 1)); /* a refused frame is not waited for */
                assert_int_equal(null_look()->out_of_order, 0);
                assert_int_equal(null_look()->changed_inputs, 0);
                for (unsigned f = 0; f < FRAMES; f++)
                    assert_int_equal(released[f][0] + released[f][1], f < taken ? 2 : 0);
            }
}

/* Pairs that are taken together are filled in any order, and committed in the order of taking. */
static void several_taken(void **state)
{
    enum { SLOTS = 4 };
    (void)state;
    for (unsigned use = 0; use <= SLOTS; use++) {
        assay_buffer b[SLOTS][2], more[2];
        assay_session *s = started(&(assay_config){.frames_in_flight = SLOTS}, "psnr");
        for (unsigned i = 0; i < SLOTS; i++)
            assert_int_equal(assay_session_take(s, &b[i][0], &b[i][1]), 0);
        refused(s, assay_session_take(s, &more[0], &more[1]), ASSAY_EUSAGE, "every frame in flight is taken");
        for (unsigned i = SLOTS; i-- > 0;)
            for (unsigned side = 0; side < 2; side++)
                for (uint32_t p = 0; p < 3; p++)
                    memset(b[i][side].plane[p], (int)(100 + (side ? i : 0)),
                           (size_t)b[i][side].stride[p] * assay_format_plane_height(&clip.format, p));
        for (unsigned i = 0; i < use; i++)
            assert_int_equal(assay_session_commit(s, i, 1), 0);
        if (use < SLOTS) {
            refused(s, submit(s, 9), ASSAY_EUSAGE, "committed");
            assert_int_equal(assay_session_commit(s, 9, 0), 0); /* and those behind it */
        }
        refused(s, assay_session_commit(s, 9, 1), ASSAY_EUSAGE, "no pair");
        assert_int_equal(submit(s, SLOTS), 0);
        assert_int_equal(assay_session_flush(s), 0);
        double before = 61.0;
        for (unsigned i = 0; i <= use; i++) {
            uint64_t frame;
            double v[8];
            assert_int_equal(assay_session_poll(s, &frame, v), 1);
            assert_int_equal(frame, i < use ? i : SLOTS);
            assert_true(i == use || (v[0] < before && (i || v[0] == 60.0)));
            before = v[0];
        }
        assay_session_close(&s);
    }
    assay_session *s = started(&(assay_config){.frames_in_flight = SLOTS}, "psnr");
    assay_buffer b[2];
    assert_int_equal(assay_session_take(s, &b[0], &b[1]), 0);
    assert_int_equal(assay_session_take(s, &b[0], &b[1]), 0);
    assay_session_close(&s); /* what is taken goes with the session */
}

static void no_memory_for_a_pair(void **state)
{
    assay_buffer b[2];
    (void)state;
    null_reset(1, NULL_HOST_ALLOC, 1);
    assay_session *s = started(&(assay_config){.backend = "null", .frames_in_flight = 2}, "psnr");
    refused(s, assay_session_take(s, &b[0], &b[1]), ASSAY_EINTERNAL, "out of memory");
    assert_int_equal(assay_session_take(s, &b[0], &b[1]), 0);
    assert_int_equal(assay_session_commit(s, 0, 0), 0);
    assay_session_close(&s);
    null_reset(1, NULL_HOST_ALLOC, 2);
    s = started(&(assay_config){.backend = "null", .frames_in_flight = 2}, "psnr");
    assert_int_equal(submit(s, 4), 0);
    refused(s, submit(s, 5), ASSAY_EINTERNAL, "out of memory");
    assert_int_equal(submit(s, 5), 0); /* the same frame again, when there is memory */
    assert_int_equal(assay_session_flush(s), 0);
    assay_session_close(&s);
    assert_int_equal(null_look()->host_blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_session),
        cmocka_unit_test(before_the_start),
        cmocka_unit_test(after_the_start),
        cmocka_unit_test(pictures_that_do_not_fit),
        cmocka_unit_test(planes_that_nothing_reads),
        cmocka_unit_test(frames_go_up),
        cmocka_unit_test(configurations),
        cmocka_unit_test(metrics_that_can_not),
        cmocka_unit_test(all_metrics),
        cmocka_unit_test(descriptions),
        cmocka_unit_test(planes), cmocka_unit_test(plane_files),
        cmocka_unit_test(pools_and_aggregates),
        cmocka_unit_test(callback_stops),
        cmocka_unit_test(closed_early),
        cmocka_unit_test(several_taken),
        cmocka_unit_test(half_lent),
        cmocka_unit_test(ring_of_frames),
        cmocka_unit_test(executor_that_fails_to_start),
        cmocka_unit_test(executor_that_loses_frames),
        cmocka_unit_test(no_memory_for_a_pair),
    };
    return cmocka_run_group_tests(tests, open_clip, close_clip);
}
