/* SPDX-License-Identifier: BSD-2-Clause */
/* What front ends ask of the library beside scores: plans without a device, totals of parts, what a metric allows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "session_test.h"

enum { FRAMES = 6 };

static struct clip clip;
static const char *const metrics[] = {"psnr=enable_apsnr=true", "float_ssim=scale=2", "diff"};

static assay_session *new_session(const assay_config *config)
{
    assay_session *s;
    char error[256];
    assert_int_equal(assay_session_new(&s, config, error, sizeof error), 0);
    for (unsigned i = 0; i < sizeof metrics / sizeof metrics[0]; i++)
        assert_int_equal(assay_session_add_metric(s, metrics[i]), 0);
    return s;
}

static void refused(assay_session *s, int rc, const char *text)
{
    assert_int_equal(rc, ASSAY_EUSAGE);
    assert_non_null(strstr(assay_session_error(s), text));
}

/* Frames `from` to `to`, scored. */
static assay_session *run(unsigned from, unsigned to)
{
    assay_session *s = new_session(NULL);
    assert_int_equal(assay_session_start(s, &clip.format), 0);
    for (unsigned i = from; i < to; i++) {
        const assay_picture ref = clip_view(&clip, i, 0), dis = clip_view(&clip, i, 1);
        assert_int_equal(assay_session_submit(s, i, &ref, &dis), 0);
    }
    return s;
}

static void plan(void **state)
{
    assay_session *s = new_session(NULL), *all = run(0, FRAMES);
    double v;
    assay_plane p, q;
    (void)state;
    assert_int_equal(assay_session_totals(s), 0);
    refused(s, assay_session_plane(s, 0, &p), "not started");
    assert_int_equal(assay_session_plan(s, &clip.format), 0);
    assert_string_equal(assay_session_configuration(s), assay_session_configuration(all));
    assert_int_equal(assay_session_keys(s), assay_session_keys(all));
    for (uint32_t i = 0; i < assay_session_keys(s); i++)
        assert_string_equal(assay_session_key(s, i), assay_session_key(all, i));
    char *graph[2] = {assay_session_describe_graph(s), assay_session_describe_graph(all)};
    assert_non_null(graph[0]);
    assert_string_equal(graph[0], graph[1]);
    assert_int_equal(assay_session_planes(s), assay_session_planes(all));
    for (uint32_t i = 0; i < assay_session_planes(s); i++) {
        char line[100];
        assert_int_equal(assay_session_plane(s, i, &p), 0);
        assert_int_equal(assay_session_plane(all, i, &q), 0);
        assert_string_equal(p.pass, q.pass);
        snprintf(line, sizeof line, "pass %u: %s grid", p.pass_number, p.pass);
        assert_non_null(strstr(graph[0], line));
    }
    for (unsigned i = 0; i < 2; i++)
        free(graph[i]);
    assert_string_equal(assay_session_backend(s), "");
    assert_null(assay_session_describe_memory(s));
    assert_int_equal(assay_session_aggregate(s, 0, &v), 0);
    assert_true(v != v);
    refused(s, assay_session_start(s, &clip.format), "started once");
    refused(s, assay_session_plan(s, &clip.format), "started once");
    refused(s, assay_session_add_metric(s, "ssim"), "before the session starts");
    refused(s, assay_session_flush(s), "not started");
    refused(s, assay_session_wait(s), "not started");
    assay_session_close(&s);
    assay_session_close(&all);
    assert_int_equal(assay_session_plan(NULL, &clip.format), ASSAY_EUSAGE);
}

/* The maps that metrics name, and whose keys are whose. */
static void planes_and_keys(void **state)
{
    assay_session *s = new_session(NULL);
    assay_plane p;
    unsigned maps = 0;
    (void)state;
    assert_int_equal(assay_session_plan(s, &clip.format), 0);
    for (uint32_t i = 0; !assay_session_plane(s, i, &p); i++)
        if (p.map) {
            maps++;
            assert_string_equal(p.map, "diff");
            assert_true(p.width == clip.format.width && p.height == clip.format.height && !p.view);
        }
    assert_int_equal(maps, 1);
    for (uint32_t i = 0; i < assay_session_keys(s); i++) {
        static const char *const begins[] = {"psnr_", "float_ssim", ""};
        const uint32_t metric = assay_session_key_metric(s, i);
        assert_true(metric < 3);
        assert_int_equal(strncmp(assay_session_key(s, i), begins[metric], strlen(begins[metric])), 0);
        assert_true(!i || metric >= assay_session_key_metric(s, i - 1));
    }
    assay_session_close(&s);
}

/* Totals of two parts, through a session that was only planned and through one of the parts. */
static void totals_of_parts(void **state)
{
    assay_session *s[4] = {run(0, FRAMES), run(0, 2), run(2, FRAMES), new_session(NULL)};
    assay_total part[2][8];
    double v[3];
    (void)state;
    assert_int_equal(assay_session_plan(s[3], &clip.format), 0);
    const uint32_t n = assay_session_totals(s[0]);
    assert_true(n > 0 && n <= 8);
    assert_string_equal(assay_session_total_name(s[0], 0), "psnr.sse_y");
    assert_null(assay_session_total_name(s[0], n));
    for (uint32_t i = 0; i < n; i++) {
        assay_total all;
        assert_int_equal(assay_session_total(s[0], i, &all), 0);
        for (unsigned k = 0; k < 2; k++)
            assert_int_equal(assay_session_total(s[1 + k], i, &part[k][i]), 0);
        assert_true(all.low == part[0][i].low + part[1][i].low && all.low > part[0][i].low && all.high == 0);
    }
    refused(s[0], assay_session_total(s[0], n, &part[0][0]), "no such total");
    assert_int_equal(assay_session_add_totals(s[3], 2, part[0]), 0);
    assert_int_equal(assay_session_add_totals(s[3], FRAMES - 2, part[1]), 0);
    assert_int_equal(assay_session_add_totals(s[1], FRAMES - 2, part[1]), 0);
    for (uint32_t i = 0; i < assay_session_aggregates(s[0]); i++) {
        for (unsigned k = 0; k < 3; k++)
            assert_int_equal(assay_session_aggregate(s[k < 2 ? k : 3], i, &v[k]), 0);
        assert_memory_equal(&v[0], &v[1], sizeof v[0]);
        assert_memory_equal(&v[0], &v[2], sizeof v[0]);
    }
    /* Sums of more than 128 bits are refused whole; negative ones are sums like others. */
    memset(part[0], 0, sizeof part[0]);
    part[0][0] = (assay_total){.low = 1};
    part[0][n - 1] = (assay_total){.low = UINT64_MAX, .high = INT64_MAX};
    refused(s[3], assay_session_add_totals(s[3], 1, part[0]), "out of range");
    assert_int_equal(assay_session_aggregate(s[0], 0, &v[0]), 0);
    assert_int_equal(assay_session_aggregate(s[3], 0, &v[1]), 0);
    assert_memory_equal(&v[0], &v[1], sizeof v[0]);
    part[0][0] = part[0][n - 1] = (assay_total){.low = UINT64_MAX, .high = -1};
    assay_total before, after;
    assert_int_equal(assay_session_total(s[3], 0, &before), 0);
    assert_int_equal(assay_session_add_totals(s[3], 0, part[0]), 0);
    assert_int_equal(assay_session_total(s[3], 0, &after), 0);
    assert_true(after.low == before.low - 1 && after.high == before.high);
    for (unsigned i = 0; i < 4; i++)
        assay_session_close(&s[i]);
    assert_int_equal(assay_session_totals(NULL), 0);
    assert_null(assay_session_total_name(NULL, 0));
    assert_int_equal(assay_session_total(NULL, 0, &before), ASSAY_EUSAGE);
    assert_int_equal(assay_session_add_totals(NULL, 0, part[0]), ASSAY_EUSAGE);
}

/* Waiting leaves the sequence open: the last frame of motion is scored when the next one is there. */
static void waiting(void **state)
{
    assay_session *s;
    double values[8];
    uint64_t frame;
    (void)state;
    assert_int_equal(assay_session_new(&s, NULL, NULL, 0), 0);
    assert_int_equal(assay_session_add_metric(s, "motion"), 0);
    assert_int_equal(assay_session_start(s, &clip.format), 0);
    for (unsigned i = 0; i < 3; i++) {
        const assay_picture ref = clip_view(&clip, i, 0), dis = clip_view(&clip, i, 1);
        assert_int_equal(assay_session_submit(s, i, &ref, &dis), 0);
    }
    assert_int_equal(assay_session_wait(s), 0);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(assay_session_poll(s, &frame, values), 1);
    assert_int_equal(assay_session_poll(s, &frame, values), 0);
    assert_int_equal(assay_session_flush(s), 0);
    assert_int_equal(assay_session_poll(s, &frame, values), 1);
    assert_int_equal(frame, 2);
    assay_session_close(&s);
    assert_int_equal(assay_session_wait(NULL), ASSAY_EUSAGE);
}

static void what_is_allowed(void **state)
{
    const assay_format rgb = format_of(ASSAY_LAYOUT_RGB, 8, 64, 64), bad = format_of(ASSAY_LAYOUT_420, 17, 64, 64);
    const assay_config luma = {.rgb_matrix = "bt709"};
    char why[256];
    (void)state;
    assert_int_equal(assay_metric_allows("psnr=enable_mse=true", NULL, &clip.format, why, sizeof why), 0);
    assert_string_equal(why, "");
    assert_int_equal(assay_metric_allows("float_ms_ssim", NULL, &clip.format, why, sizeof why), ASSAY_EUSAGE);
    assert_non_null(strstr(why, "176"));
    assert_int_equal(assay_metric_allows("ssim", NULL, &rgb, why, sizeof why), ASSAY_EUSAGE);
    assert_int_equal(assay_metric_allows("ssim", &luma, &rgb, why, sizeof why), 0);
    assert_int_equal(assay_metric_allows("psnr=no=1", NULL, &clip.format, why, sizeof why), ASSAY_EUSAGE);
    assert_int_equal(assay_metric_allows("psnr", NULL, &bad, why, sizeof why), ASSAY_EUSAGE);
    assert_non_null(strstr(why, "17"));
    assert_int_equal(assay_metric_allows(NULL, NULL, &clip.format, NULL, 0), ASSAY_EUSAGE);
    assert_int_equal(assay_metric_allows("psnr", NULL, NULL, NULL, 0), ASSAY_EUSAGE);
}

static void devices(void **state)
{
    unsigned count = 9, first = 9;
    char why[512];
    (void)state;
    assert_int_equal(assay_find_device("cpu", NULL, &count, &first, why, sizeof why), 0);
    assert_true(count == 1 && first == 0);
    assert_int_equal(assay_find_device("cpu", "0,0", &count, &first, why, sizeof why), 0);
    assert_true(count == 2 && first == 0);
    assert_int_equal(assay_find_device("cpu", "1,0", &count, &first, why, sizeof why), ASSAY_EDEVICE);
    assert_non_null(strstr(why, "no device 1"));
    assert_int_equal(assay_find_device("none", NULL, &count, &first, why, sizeof why), ASSAY_EDEVICE);
    assert_int_equal(assay_find_device(NULL, NULL, &count, &first, NULL, 0), ASSAY_EUSAGE);
}

static int open_clip(void **state)
{
    const assay_format format = format_of(ASSAY_LAYOUT_420, 8, 37, 29);
    (void)state;
    clip_open(&clip, &format, FRAMES, 9, 0);
    return 0;
}

static int close_clip(void **state)
{
    (void)state;
    clip_close(&clip);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan),    cmocka_unit_test(planes_and_keys), cmocka_unit_test(totals_of_parts),
        cmocka_unit_test(waiting), cmocka_unit_test(what_is_allowed), cmocka_unit_test(devices),
    };
    return cmocka_run_group_tests(tests, open_clip, close_clip);
}
