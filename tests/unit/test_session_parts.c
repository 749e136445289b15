/* SPDX-License-Identifier: BSD-2-Clause */
/* What front ends ask of the library beside scores: plans without a device, totals of parts, what a metric allows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "session_test.h"

#include <assay/gpu.h>

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

/* What is listed of options can be given. */
static void options(void **state)
{
    assay_option o;
    assay_output output;
    unsigned all = 0, choices = 0, outputs = 0;
    char text[200];
    (void)state;
    for (uint32_t m = 0; assay_metric_name(m); m++) {
        for (uint32_t i = 0; !assay_metric_output(m, i, &output); i++, outputs++)
            assert_true(*output.keys && *output.when);
        for (uint32_t i = 0; !assay_metric_option(m, i, &o); i++, all++) {
            const bool choice = !strcmp(o.type, "choice"), word = !strcmp(o.type, "text");
            bool known = !choice;
            assert_int_equal(choice, o.choices[0] != NULL);
            for (unsigned c = 0; o.choices[c]; c++, choices++) {
                assay_session *s;
                assert_int_equal(assay_session_new(&s, NULL, NULL, 0), 0);
                snprintf(text, sizeof text, "%s=%s=%s", assay_metric_name(m), o.name, o.choices[c]);
                assert_int_equal(assay_session_add_metric(s, text), 0);
                assay_session_close(&s);
                known = known || !strcmp(o.choices[c], o.fallback);
            }
            assert_true(known && *o.help && (choice || word || o.least < o.most));
            if (word && !*o.fallback)
                continue;
            snprintf(text, sizeof text, "%s=%s=%s", assay_metric_name(m), o.alias ? o.alias : o.name, o.fallback);
            assay_session *s;
            assert_int_equal(assay_session_new(&s, NULL, NULL, 0), 0);
            assert_int_equal(assay_session_add_metric(s, text), 0);
            assay_session_close(&s);
        }
    }
    assert_true(all > 20 && choices > 10 && outputs > 10);
    assert_int_equal(assay_metric_option(1000, 0, &o), ASSAY_EUSAGE);
    assert_int_equal(assay_metric_output(1000, 0, &output), ASSAY_EUSAGE);
    assert_int_equal(assay_metric_option(0, 0, NULL), ASSAY_EUSAGE);
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
    assert_int_equal(assay_find_device("none", NULL, &count, &first, why, sizeof why), ASSAY_EUSAGE);
    assert_int_equal(assay_find_device(NULL, NULL, &count, &first, NULL, 0), ASSAY_EUSAGE);
}

/* ---- measuring ---- */

struct timed {
    uint64_t frames, spent; /* spent: nanoseconds of the passes */
};

static void on_times(void *opaque, uint64_t frame, const assay_frame_times *times)
{
    struct timed *t = opaque;
    t->spent += frame == 1 + t->frames++ && times->passes[1] > times->passes[0] && times->submit
                    ? times->passes[1] - times->passes[0]
                    : 0;
}

static void measuring(void **state)
{
    struct timed timed = {0};
    assay_work work, later;
    double rate = -1.0;
    (void)state;
    assay_session *s = new_session(&(assay_config){.least_frames = 7, .threads = 2});
    refused(s, assay_session_set_times(s, on_times, &timed), "not started");
    refused(s, assay_session_work(s, &work), "after the session starts");
    refused(s, assay_session_copy_rate(s, ASSAY_COPY_UPLOAD, 1, 1, &rate), "after the session starts");
    assert_int_equal(assay_session_start(s, &clip.format), 0);
    assert_int_equal(assay_session_work(s, &work), 0);
    assert_true(work.frames == 7 && work.in_flight == 1 && work.devices == 1 && !work.dispatches && !work.submissions);
    /* Each plane is read once by some pass; a side has 37x29 and twice 19x15 samples. */
    assert_int_equal(work.upload_bytes, 2 * (37 * 29 + 2 * 19 * 15));
    assert_true(work.pass_bytes > work.upload_bytes);
    for (unsigned i = 0; i < FRAMES; i++) {
        const assay_picture ref = clip_view(&clip, i, 0), dis = clip_view(&clip, i, 1);
        if (i == 1 || i == 4)
            assert_int_equal(assay_session_set_times(s, i == 1 ? on_times : NULL, &timed), 0);
        assert_int_equal(assay_session_submit(s, i, &ref, &dis), 0);
    }
    assert_int_equal(assay_session_work(s, &later), 0);
    assert_int_equal(later.dispatches, (uint64_t)FRAMES * work.passes);
    assert_int_equal(timed.frames, 3);
    assert_true(timed.spent > 0 && timed.spent < 60000000000);
    for (int kind = ASSAY_COPY_UPLOAD; kind <= ASSAY_COPY_DEVICE; kind++) {
        assert_int_equal(assay_session_copy_rate(s, kind, 1 << 20, 20, &rate), 0);
        assert_true(rate > 1e6 && rate < 1e14); /* bytes per second */
    }
    refused(s, assay_session_copy_rate(s, 2, 1, 1, &rate), "of a kind");
    refused(s, assay_session_copy_rate(s, 0, 0, 1, &rate), "some bytes");
    refused(s, assay_session_work(s, NULL), "work");
    assay_session_close(&s);
    assert_int_equal(assay_session_work(NULL, &work), ASSAY_EUSAGE);
    assert_int_equal(assay_session_set_times(NULL, on_times, NULL), ASSAY_EUSAGE);
    assert_int_equal(assay_session_copy_rate(NULL, 0, 1, 1, &rate), ASSAY_EUSAGE);
}

/* ---- reading ---- */

/* Two streams of the clip. `ends`: pairs that a side has; `fails`: the pair that it fails at. */
struct streams {
    uint64_t ends[2], fails[2], stops;
    bool finds; /* with find, and several threads */
    int mode; /* 0: every pair is scored; 1: every second one; 2: every second one, read with its neighbours */
    uint64_t read[2], seen;
    unsigned abandoned, skipped;
};

/* What a side has at a pair: 1, 0 or negative. */
static int has(struct streams *t, unsigned side, uint64_t pair, char *error, size_t error_size)
{
    if (pair == t->fails[side]) {
        snprintf(error, error_size, "side %u is torn", side);
        return ASSAY_EINPUT;
    }
    return pair < t->ends[side];
}

static int read_one(void *opaque, unsigned side, uint64_t pair, uint64_t place, const assay_buffer *to, char *error,
                    size_t error_size)
{
    struct streams *t = opaque;
    if (t->finds ? place != pair + 100 : pair != t->read[side]++)
        return ASSAY_EINTERNAL;
    const int rc = has(t, side, pair, error, error_size);
    if (rc <= 0 || !to) {
        __atomic_fetch_add(&t->skipped, rc == 1, __ATOMIC_RELAXED);
        return rc;
    }
    if (t->finds && pair % 3 == 0)
        usleep(2000); /* others are read before it */
    const assay_picture from = clip_view(&clip, (unsigned)pair, side);
    for (uint32_t p = 0; p < 3; p++)
        for (uint32_t y = 0; y < assay_format_plane_height(&clip.format, p); y++)
            memcpy((char *)to->plane[p] + (ptrdiff_t)y * to->stride[p],
                   (const char *)from.plane[p] + (ptrdiff_t)y * from.stride[p],
                   assay_format_plane_width(&clip.format, p));
    return 1;
}

/* In the order of the pairs, and never two at a time: no lock is needed. A failure shows when the picture is read. */
static int find_one(void *opaque, unsigned side, uint64_t pair, int used, uint64_t *place, char *error,
                    size_t error_size)
{
    struct streams *t = opaque;
    (void)error, (void)error_size;
    if (pair != t->read[side]++)
        return ASSAY_EINTERNAL;
    *place = pair + 100;
    if (!used)
        __atomic_fetch_add(&t->skipped, 1, __ATOMIC_RELAXED);
    return pair < t->ends[side];
}

static int use_of(void *opaque, uint64_t pair)
{
    const struct streams *t = opaque;
    return !t->mode || pair % 2 == 0 ? ASSAY_SCORED : t->mode == 2 ? ASSAY_NEIGHBOUR : ASSAY_UNUSED;
}

static int seen(void *opaque, uint64_t pair, int use)
{
    struct streams *t = opaque;
    assert_int_equal(use, use_of(t, pair));
    assert_int_equal(pair, t->seen++);
    return pair == t->stops ? 42 : 0;
}

static void abandon(void *opaque)
{
    struct streams *t = opaque;
    t->abandoned++;
}

static struct streams whole(int mode)
{
    return (struct streams){.ends = {FRAMES, FRAMES}, .fails = {99, 99}, .stops = 99, .mode = mode};
}

static int read_streams(assay_session *s, struct streams *t, uint64_t end, assay_read_end *result)
{
    const assay_reader reader = {.find = t->finds ? find_one : NULL, .read = read_one, .use = use_of, .submitted = seen,
                                 .abandon = abandon, .opaque = t, .threads = {4, 3}};
    return assay_session_read(s, &reader, 0, end, result);
}

/* The scores of what is read are those of what is submitted. */
static void reading(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 24; i++) {
        const assay_config config = {.prefetch_frames = i % 4, .keep_planes = i == 3};
        struct streams t = whole((int)i / 4 % 3);
        assay_session *s[2];
        assay_read_end end;
        double v[2][8];
        uint64_t frame[2];
        t.finds = i >= 12;
        for (unsigned k = 0; k < 2; k++) {
            assert_int_equal(assay_session_new(&s[k], &config, NULL, 0), 0);
            assert_int_equal(assay_session_add_metric(s[k], "motion"), 0);
            assert_int_equal(assay_session_add_metric(s[k], "psnr"), 0);
            assert_int_equal(assay_session_start(s[k], &clip.format), 0);
        }
        assert_int_equal(read_streams(s[0], &t, i % 2 ? UINT64_MAX : FRAMES, &end), 0);
        assert_string_equal(assay_session_error(s[0]), "");
        assert_true(end.pairs == FRAMES && end.ended[0] == (int)(i % 2) && end.ended[1] == end.ended[0]);
        assert_int_equal(t.seen, FRAMES);
        assert_int_equal(t.abandoned, 1);
        assert_int_equal(t.skipped, t.mode == 1 ? FRAMES : 0); /* half of them on each side */
        for (unsigned f = 0; f < FRAMES; f++) {
            const assay_picture ref = clip_view(&clip, f, 0), dis = clip_view(&clip, f, 1);
            const int use = use_of(&t, f);
            if (use)
                assert_int_equal(
                    (use == ASSAY_SCORED ? assay_session_submit : assay_session_submit_neighbour)(s[1], f, &ref, &dis),
                    0);
        }
        for (unsigned k = 0; k < 2; k++)
            assert_int_equal(assay_session_flush(s[k]), 0);
        assert_int_equal(assay_session_keys(s[0]), 6);
        for (unsigned f = 0; f < (t.mode ? FRAMES / 2 : FRAMES); f++) {
            for (unsigned k = 0; k < 2; k++)
                assert_int_equal(assay_session_poll(s[k], &frame[k], v[k]), 1);
            assert_int_equal(frame[0], frame[1]);
            assert_memory_equal(v[0], v[1], 6 * sizeof v[0][0]);
        }
        for (unsigned k = 0; k < 2; k++)
            assay_session_close(&s[k]);
    }
}

/* How reading ends early, and that the session goes on after it. */
static void reading_ends(void **state)
{
    assay_session *s;
    assay_read_end end;
    struct streams t;
    (void)state;
    for (unsigned finds = 0; finds < 2; finds++) {
        s = run(0, 0);
        t = whole(0);
        t.finds = finds;
        t.ends[1] = 3;
        assert_int_equal(read_streams(s, &t, UINT64_MAX, &end), 0);
        assert_true(end.pairs == 3 && !end.ended[0] && end.ended[1]);
        assert_true(t.read[0] >= 4 && t.read[1] == 4);
        assay_session_close(&s);

        s = run(0, 0);
        t = whole(0);
        t.finds = finds;
        t.fails[0] = t.fails[1] = 3;
        assert_int_equal(read_streams(s, &t, UINT64_MAX, &end), ASSAY_EINPUT);
        assert_string_equal(assay_session_error(s), "side 0 is torn");
        assert_int_equal(end.pairs, 3);
        assert_int_equal(t.abandoned, 1);
        assert_int_equal(assay_session_flush(s), 0);
        assay_session_close(&s);

        s = run(0, 0);
        t = whole(0);
        t.finds = finds;
        t.stops = 1;
        assert_int_equal(read_streams(s, &t, UINT64_MAX, &end), 42);
        assert_int_equal(end.pairs, 2);
        t.stops = 99;
        t.seen = t.read[0] = t.read[1] = 0;
        refused(s, read_streams(s, &t, UINT64_MAX, &end), "frame 0 is submitted after frame 1");
        assay_session_close(&s);
    }
    s = new_session(NULL);
    refused(s, read_streams(s, &t, 1, &end), "after its start");
    assert_int_equal(assay_session_start(s, &clip.format), 0);
    refused(s, assay_session_read(s, NULL, 0, 1, &end), "with a reader");
    assay_buffer b[2];
    assert_int_equal(assay_session_take(s, &b[0], &b[1]), 0);
    refused(s, read_streams(s, &t, 1, &end), "committed before");
    assay_session_close(&s);
    assert_int_equal(assay_session_read(NULL, NULL, 0, 1, &end), ASSAY_EUSAGE);
    assert_int_equal(assay_session_new(&s, &(assay_config){.prefetch_frames = 257}, NULL, 0), 0);
    assert_int_equal(assay_session_add_metric(s, "psnr"), 0);
    refused(s, assay_session_start(s, &clip.format), "257 frames ahead: at most 256");
    assay_session_close(&s);
}

/* Of the distorted side pair 2 is torn when pair 4 is being read, pair 4 behind it, and pair 1 is there at last. */
static int read_torn(void *opaque, unsigned side, uint64_t pair, uint64_t place, const assay_buffer *to, char *error,
                     size_t error_size)
{
    static const int before[FRAMES] = {[1] = 3, [2] = 1, [4] = 2};
    static int steps; /* atomic */
    __atomic_fetch_add(&steps, side && pair == 4, __ATOMIC_ACQ_REL);
    while (side && __atomic_load_n(&steps, __ATOMIC_ACQUIRE) < before[pair])
        usleep(1000);
    usleep(side && before[pair] ? 20000 : 0); /* until other threads have told the session */
    if (!side || (pair != 2 && pair != 4))
        return read_one(opaque, side, pair, place, to, error, error_size);
    snprintf(error, error_size, "pair %d is torn", (int)pair);
    __atomic_fetch_add(&steps, 1, __ATOMIC_ACQ_REL);
    return ASSAY_EINPUT;
}

/* Reading ends at the first picture that can't be read, also where a later one fails after it. */
static void first_failure(void **state)
{
    struct streams t = {.ends = {FRAMES, FRAMES}, .fails = {99, 99}, .stops = 99, .finds = true};
    const assay_reader reader = {.find = find_one, .read = read_torn, .opaque = &t, .threads = {4, 4}};
    assay_session *s = new_session(&(assay_config){.prefetch_frames = FRAMES});
    assay_read_end end;
    (void)state;
    assert_int_equal(assay_session_start(s, &clip.format), 0);
    alarm(60); /* a session that takes the later one waits for pair 2 for ever */
    assert_int_equal(assay_session_read(s, &reader, 0, UINT64_MAX, &end), ASSAY_EINPUT);
    alarm(0);
    assert_string_equal(assay_session_error(s), "pair 2 is torn");
    assay_session_close(&s);
}

/* Pairs that the application asks for, one after the other: between two of them scores and planes can be looked at, and
 * nothing else can be submitted. Pictures that are late are waited for as long as it says. */
static void reading_by_steps(void **state)
{
    (void)state;
    for (unsigned finds = 0; finds < 2; finds++) {
        struct streams t = whole(2);
        const assay_reader reader = {.find = finds ? find_one : NULL, .read = read_one, .use = use_of,
                                     .submitted = seen, .abandon = abandon, .opaque = &t, .threads = {4, 3}};
        assay_session *s = new_session(&(assay_config){.keep_planes = 1});
        const assay_picture ref = clip_view(&clip, 0, 0), dis = clip_view(&clip, 0, 1);
        assay_buffer b[2];
        assay_read_end end;
        uint64_t pair, pairs = 0;
        double v[64];
        char plane[64 * 64 * 8];
        assay_plane p;
        int use, rc;
        t.finds = finds;
        assert_int_equal(assay_session_start(s, &clip.format), 0);
        refused(s, assay_session_read_next(s, 0, &pair, &use), "does not read");
        refused(s, assay_session_read_stop(s, &end), "does not read");
        assert_int_equal(assay_session_read_begin(s, &reader, 0, UINT64_MAX), 0);
        while ((rc = assay_session_read_next(s, finds, &pair, &use)) > 0) {
            if (rc == ASSAY_READ_LATE)
                continue;
            assert_int_equal(rc, ASSAY_READ_PAIR);
            assert_int_equal(pair, pairs++);
            assert_int_equal(use, use_of(&t, pair));
            refused(s, assay_session_submit(s, pair + 1, &ref, &dis), "the session reads");
            refused(s, assay_session_take(s, &b[0], &b[1]), "the session reads");
            refused(s, assay_session_flush(s), "the session reads");
            refused(s, assay_session_end_encode(s, 0, ASSAY_ENCODE_ENDS), "the session reads");
            refused(s, assay_session_read_begin(s, &reader, 0, 1), "the session reads");
            if (!assay_session_plane(s, 0, &p) && (size_t)p.width * p.height * p.sample_size <= sizeof plane)
                assert_int_equal(assay_session_read_plane(s, 0, plane, (size_t)p.width * p.sample_size), 0);
        }
        assert_int_equal(rc, ASSAY_READ_OVER);
        assert_int_equal(assay_session_read_next(s, 0, &pair, &use), ASSAY_READ_OVER);
        assert_int_equal(assay_session_read_stop(s, &end), 0);
        assert_true(pairs == FRAMES && end.pairs == FRAMES && end.ended[0] && end.ended[1]);
        assert_true(end.had[0] == FRAMES && end.had[1] == FRAMES && t.abandoned == 1);
        assert_int_equal(t.seen, 0); /* nobody is called back */
        assert_int_equal(assay_session_flush(s), 0);
        for (unsigned f = 0; f < FRAMES; f += 2)
            assert_true(assay_session_poll(s, &pair, v) == 1 && pair == f);
        assert_int_equal(assay_session_poll(s, &pair, v), 0);
        assay_session_close(&s);

        s = new_session(NULL); /* closed while it reads */
        t = whole(0);
        t.finds = finds;
        t.fails[1] = 1;
        assert_int_equal(assay_session_start(s, &clip.format), 0);
        assert_int_equal(assay_session_read_begin(s, &reader, 0, UINT64_MAX), 0);
        assert_int_equal(assay_session_read_next(s, UINT32_MAX, &pair, &use), ASSAY_READ_PAIR);
        assert_int_equal(assay_session_read_next(s, UINT32_MAX, &pair, &use), ASSAY_EINPUT);
        assert_string_equal(assay_session_error(s), "side 1 is torn");
        assert_int_equal(assay_session_read_next(s, UINT32_MAX, &pair, &use), ASSAY_READ_OVER);
        assay_session_close(&s);
        assert_int_equal(t.abandoned, 1);
    }
}

/* Pictures of a decoder: what can be refused without a device. tests/cuda and tests/cli/test_hwdec.py bring some. */
static void decoded_pictures(void **state)
{
    const assay_cuda_image picture = {.format = &clip.format};
    assay_buffer b[2];
    char why[512];
    (void)state;
    assay_session *s = new_session(&(assay_config){.gpu_sides = 4});
    refused(s, assay_session_start(s, &clip.format), "gpu_sides is a sum of 1 << side for sides 0 to 1, not 4");
    assay_session_close(&s);
    s = new_session(&(assay_config){.gpu_sides = 2});
    assert_int_equal(assay_session_start(s, &clip.format), ASSAY_EDEVICE);
    assert_string_equal(assay_session_error(s), "pictures in a device's memory can't be scored on cpu");
    assay_session_close(&s);
    s = run(0, 0);
    assert_int_equal(assay_session_take(s, &b[0], &b[1]), 0);
    assert_int_equal(assay_session_fill_gpu(s, 0, &b[0], &picture, why, sizeof why), ASSAY_EUSAGE);
    assert_non_null(strstr(why, "that gpu_sides names"));
    assert_int_equal(assay_session_fill_gpu(NULL, 0, &b[0], &picture, NULL, 0), ASSAY_EUSAGE);
    assay_session_close(&s);
}

/* Maps are there where they are asked for, which takes kept planes; a score is the same with them. */
static void maps(void **state)
{
    const assay_format f = {.width = 180, .height = 178, .bit_depth = 10, .layout = ASSAY_LAYOUT_420};
    (void)state;
    for (uint32_t wanted = 0; wanted < 2; wanted++) {
        assay_session *s = new_session(&(assay_config){.keep_planes = 1, .maps = wanted});
        assay_plane p;
        uint32_t found = 0;
        assert_int_equal(assay_session_add_metric(s, "float_ms_ssim"), 0);
        assert_int_equal(assay_session_start(s, &f), 0);
        for (uint32_t i = 0; !assay_session_plane(s, i, &p); i++) {
            if (!p.map || strcmp(p.map, "float_ms_ssim"))
                continue;
            assert_true(p.map_full == 0.25 && p.width == 170 && p.height == 168 && !strcmp(p.type, "f32"));
            found++;
        }
        assert_int_equal(found, wanted);
        assay_session_close(&s);
    }
    assay_session *s = new_session(&(assay_config){.maps = 1});
    assert_int_equal(assay_session_add_metric(s, "float_ms_ssim"), 0);
    refused(s, assay_session_start(s, &f), "keep_planes");
    assay_session_close(&s);
}

/* The sum of squared differences of a plane of a frame. */
static int64_t squares(unsigned frame, uint32_t plane)
{
    int64_t sum = 0;
    for (uint32_t y = 0; y < assay_format_plane_height(&clip.format, plane); y++)
        for (uint32_t x = 0; x < assay_format_plane_width(&clip.format, plane); x++) {
            const int64_t d = (int64_t)clip_sample(&clip, frame, 0, plane, x, y) -
                              (int64_t)clip_sample(&clip, frame, 1, plane, x, y);
            sum += d * d;
        }
    return sum;
}

static double value_of(assay_session *s, const char *key, unsigned frame)
{
    double v = -1;
    assert_int_equal(assay_session_value(s, assay_session_find_key(s, 0, key), frame, &v), 1);
    return v;
}

/* The differences of a plane, 3: of all: how many, the largest, and where it is. */
static void check_count(assay_session *s, unsigned frame, uint32_t plane, int64_t total, const uint32_t extremum[2])
{
    static const char *const keys[][2] = {{"diff_samples_y", "max_diff_y"}, {"diff_samples_cb", "max_diff_cb"},
                                          {"diff_samples_cr", "max_diff_cr"}, {"diff_pixels", "max_diff"}};
    const uint32_t width = assay_format_plane_width(&clip.format, plane % 3);
    const uint32_t x = extremum[1] % width, y = extremum[1] / width;
    assert_true(plane < 4 && total > 0 && extremum[0] > 0);
    assert_true((double)total == value_of(s, keys[plane][0], frame));
    assert_true(extremum[0] == value_of(s, keys[plane][1], frame));
    if (plane == 3)
        assert_true(x == value_of(s, "max_diff_at_x", frame) && y == value_of(s, "max_diff_at_y", frame));
    else
        assert_int_equal(abs((int)clip_sample(&clip, frame, 0, plane, x, y) -
                             (int)clip_sample(&clip, frame, 1, plane, x, y)), extremum[0]);
}

/* What passes wrote for frame `last`: psnr's and diff's by what they are, in order. Returns a sum of everything. */
enum { WORDS = 512, BEYOND = 77 };
static uint64_t check_passes(assay_session *s, unsigned last)
{
    uint64_t all = 0;
    uint32_t squared = 0, counted = 0, i = 0;
    assay_pass pass;
    assay_work work;
    char *graph = assay_session_describe_graph(s);
    for (; !assay_session_pass(s, i, &pass); i++) {
        int64_t totals[2][WORDS];
        uint32_t extrema[2][WORDS];
        char line[100];
        for (unsigned k = 0; k < WORDS; k++)
            totals[0][k] = totals[1][k] = extrema[0][k] = extrema[1][k] = BEYOND;
        assert_true(pass.totals < WORDS && 2 * pass.extrema < WORDS);
        assert_int_equal(assay_session_read_pass(s, i, totals[0], extrema[0]), 0);
        assert_string_equal(assay_session_error(s), "");
        assert_int_equal(totals[0][pass.totals], BEYOND);
        assert_int_equal(extrema[0][2 * pass.extrema], BEYOND);
        assert_int_equal(assay_session_read_pass(s, i, totals[1], NULL), 0);
        assert_int_equal(assay_session_read_pass(s, i, NULL, extrema[1]), 0);
        assert_memory_equal(totals[0], totals[1], sizeof totals[0]);
        assert_memory_equal(extrema[0], extrema[1], sizeof extrema[0]);
        snprintf(line, sizeof line, "pass %u: %s grid", i, pass.name);
        assert_non_null(strstr(graph, line));
        if (!strncmp(pass.name, "sse_u8", 6)) {
            assert_true(pass.totals == 2 && !pass.extrema);
            assert_true(totals[0][0] + 65536 * totals[0][1] == squares(last, squared++));
        } else if (!strncmp(pass.name, "diff_count_i32", 14)) {
            check_count(s, last, counted++, totals[0][0], extrema[0]);
            assert_true(pass.totals == 1 && pass.extrema == 1);
        }
        for (uint32_t k = 0; k < pass.totals; k++)
            all = all * 31 + (uint64_t)totals[0][k];
        for (uint32_t k = 0; k < 2 * pass.extrema; k++)
            all = all * 31 + extrema[0][k];
    }
    free(graph);
    assert_int_equal(assay_session_work(s, &work), 0);
    assert_true(i == work.passes && squared == 3 && counted == 4);
    return all;
}

/* Totals and extrema of passes: of the last frame, the same at every instruction set. */
static void passes(void **state)
{
    static const char *const level[] = {"scalar", NULL};
    uint64_t all[2][2];
    int64_t total;
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        assay_session *s;
        assay_pass pass;
        assay_work work;
        assert_int_equal(assay_session_new(&s, &(assay_config){.cpu_level = level[i], .threads = 1 + i}, NULL, 0), 0);
        for (unsigned m = 0; m < 2; m++)
            assert_int_equal(assay_session_add_metric(s, metrics[m]), 0);
        assert_int_equal(assay_session_add_metric(s, "diff=per_plane=true"), 0);
        refused(s, assay_session_pass(s, 0, &pass), "not started");
        refused(s, assay_session_read_pass(s, 0, &total, NULL), "not started");
        assert_int_equal(assay_session_start(s, &clip.format), 0);
        refused(s, assay_session_pass(s, 0, NULL), "nowhere");
        refused(s, assay_session_pass(s, UINT32_MAX, &pass), "no such pass");
        refused(s, assay_session_read_pass(s, 0, &total, NULL), "no frame");
        for (unsigned frame = 0; frame < FRAMES; frame++) {
            const assay_picture ref = clip_view(&clip, frame, 0), dis = clip_view(&clip, frame, 1);
            assert_int_equal(assay_session_submit(s, frame, &ref, &dis), 0);
            if (!frame || frame == FRAMES - 1)
                all[i][frame != 0] = check_passes(s, frame);
        }
        assert_int_equal(assay_session_work(s, &work), 0);
        refused(s, assay_session_pass(s, work.passes, &pass), "no such pass");
        refused(s, assay_session_read_pass(s, work.passes, &total, NULL), "no such pass");
        assert_int_equal(assay_session_read_pass(s, 0, NULL, NULL), 0);
        assert_int_equal(assay_session_finish(s), 0);
        assert_int_equal(assay_session_pass(s, 0, &pass), 0);
        refused(s, assay_session_read_pass(s, 0, &total, NULL), "not started");
        assay_session_close(&s);
    }
    assert_true(all[0][0] == all[1][0] && all[0][1] == all[1][1] && all[0][0] != all[0][1]);
    assert_int_equal(assay_session_pass(NULL, 0, &(assay_pass){.totals = 0}), ASSAY_EUSAGE);
    assert_int_equal(assay_session_read_pass(NULL, 0, &total, NULL), ASSAY_EUSAGE);
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
        cmocka_unit_test(reading), cmocka_unit_test(reading_ends), cmocka_unit_test(reading_by_steps),
        cmocka_unit_test(first_failure), cmocka_unit_test(measuring), cmocka_unit_test(passes),
        cmocka_unit_test(options),         cmocka_unit_test(decoded_pictures), cmocka_unit_test(maps),
    };
    return cmocka_run_group_tests(tests, open_clip, close_clip);
}
