/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics that look at other frames: motion against its definition, written down once more over whole series; the same
 * bits for every way of handing frames over, in parts, every n-th frame, on several devices; and pictures that are kept
 * as long as a later frame needs them.
 */
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

enum { FRAMES = 9 };

struct settings {
    const char *text; /* of the metric */
    bool five, average, zero;
    double factor, offset, weight, most;
};

static const struct settings all_settings[] = {
    {"motion=debug=true", false, false, false, 1, 40, 1, 10000},
    {"motion=debug=true:motion_moving_average=true", false, true, false, 1, 40, 1, 10000},
    {"motion=debug=true:motion_five_frame_window=true", true, false, false, 1, 40, 1, 10000},
    {"motion=debug=true:motion_five_frame_window=true:motion_moving_average=true:motion_blend_factor=0.3:motion_blend_offset=2",
     true, true, false, 0.3, 2, 1, 10000},
    {"motion=debug=true:motion_fps_weight=2.5:motion_max_val=9.5", false, false, false, 1, 40, 2.5, 9.5},
    {"motion=debug=true:motion_force_zero=true", false, false, true, 1, 40, 1, 10000},
};
enum { SETTINGS = sizeof all_settings / sizeof all_settings[0] };

/* ---- the definition ---------------------------------------------------------------------------------------------- */

static int mirrored(int i, int n)
{
    while (i < 0 || i >= n)
        i = i < 0 ? -i : 2 * n - 2 - i;
    return i;
}

/* BT.709 at full range for RGB, as the session is told. */
static int64_t luma(const struct clip *c, unsigned frame, int x, int y)
{
    static const int64_t weight[] = {13933, 46871, 4732};
    int64_t sum = 1 << 15;
    if (c->format.layout != ASSAY_LAYOUT_RGB)
        return clip_sample(c, frame, 0, 0, (uint32_t)x, (uint32_t)y);
    for (uint32_t p = 0; p < 3; p++)
        sum += weight[p] * clip_sample(c, frame, 0, p, (uint32_t)x, (uint32_t)y);
    return sum >> 16;
}

static uint64_t sad(const struct clip *c, unsigned earlier, unsigned later)
{
    static const int64_t tap[] = {3571, 16004, 26386, 16004, 3571};
    const int w = (int)c->format.width, h = (int)c->format.height, depth = (int)c->format.bit_depth;
    int64_t *column = calloc((size_t)w * (size_t)h, sizeof *column);
    uint64_t total = 0;
    assert_non_null(column);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int64_t sum = (int64_t)1 << (depth - 1);
            for (int k = 0; k < 5; k++) {
                const int row = mirrored(y + k - 2, h);
                sum += tap[k] * (luma(c, earlier, x, row) - luma(c, later, x, row));
            }
            column[y * w + x] = sum >> depth;
        }
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int64_t sum = 32768;
            for (int k = 0; k < 5; k++)
                sum += tap[k] * column[y * w + mirrored(x + k - 2, w)];
            sum >>= 16;
            total += (uint64_t)(sum < 0 ? -sum : sum);
        }
    free(column);
    return total;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double blend(const struct settings *o, double v)
{
    return least(v * o->factor + (1.0 - o->factor) * least(o->offset, v), o->most);
}

/* motion2, motion3 and the score of n frames, as the whole series is defined. */
static void define(const struct clip *c, const struct settings *o, unsigned n, double out[CLIP_FRAMES][4])
{
    const unsigned start = o->five ? 2 : 1;
    double score[CLIP_FRAMES], motion2[CLIP_FRAMES], before[CLIP_FRAMES];
    for (unsigned i = 0; i < n; i++) {
        const double pixels = (double)c->format.width * c->format.height;
        score[i] = i < start || o->zero ? 0.0
                                        : least((double)sad(c, i - start, i) / 256.0 / pixels * o->weight, o->most);
    }
    const double stamp = n > start ? blend(o, score[start]) : 0.0;
    for (unsigned i = 0; i < n; i++) {
        if (i < start)
            motion2[i] = 0.0;
        else if (i == n - 1)
            motion2[i] = score[i];
        else if (o->five)
            motion2[i] = i - 1 >= 2 ? least(score[i - 1], score[i + 1]) : score[i + 1];
        else
            motion2[i] = least(score[i], score[i + 1]);
        before[i] = i < start ? stamp : blend(o, motion2[i]);
        out[i][0] = motion2[i];
        out[i][1] = o->average && i >= start ? (before[i] + before[i - 1]) / 2.0 : before[i];
        out[i][2] = out[i][3] = score[i];
    }
}

static void check_definition(const struct clip *c, const struct settings *o, const struct outcome *got)
{
    double expected[CLIP_FRAMES][4];
    if (got->rc)
        fail_msg("%s", got->error);
    assert_int_equal(got->keys, 4);
    assert_int_equal(got->rows, c->frames);
    define(c, o, c->frames, expected);
    for (uint32_t i = 0; i < got->rows; i++)
        for (uint32_t k = 0; k < 4; k++)
            if (memcmp(&got->value[i][k], &expected[i][k], sizeof(double)))
                fail_msg("%s, %s of frame %u of %u: %a, defined as %a", o->text, got->key[k], i, c->frames,
                         got->value[i][k], expected[i][k]);
}

static void definition(void **state)
{
    static const struct { assay_layout layout; uint32_t depth, width, height; } format[] = {
        {ASSAY_LAYOUT_420, 8, 45, 33}, {ASSAY_LAYOUT_400, 16, 3, 3}, {ASSAY_LAYOUT_422, 10, 17, 4},
        {ASSAY_LAYOUT_444, 12, 4, 19}, {ASSAY_LAYOUT_RGB, 8, 21, 7}, {ASSAY_LAYOUT_RGB, 16, 9, 11}};
    (void)state;
    for (unsigned f = 0; f < sizeof format / sizeof format[0]; f++)
        for (unsigned n = 1; n <= 6; n++) {
            const assay_format a = format_of(format[f].layout, format[f].depth, format[f].width, format[f].height);
            struct clip c;
            clip_open(&c, &a, n, 3, 5);
            for (unsigned i = 0; i < SETTINGS; i++) {
                struct outcome o;
                const char *matrix = a.layout == ASSAY_LAYOUT_RGB ? "bt709" : NULL;
                score(&(struct how){.config = {.rgb_matrix = matrix, .threads = 1 + n % 3},
                                    .metrics = all_settings[i].text, .feed = (enum feed)(i % FEEDS), .callback = n & 1},
                                    &c, &o);
                check_definition(&c, &all_settings[i], &o);
            }
            clip_close(&c);
        }
}

/* ---- every way in ------------------------------------------------------------------------------------------------ */

static struct clip clip;

static void every_way_in(void **state)
{
    static const char *const device[] = {NULL, "0,0", "0,0,0,0,0"};
    (void)state;
    for (unsigned i = 0; i < SETTINGS; i++)
        for (unsigned d = 0; d < 3; d++)
            for (uint32_t flight = 0; flight < 5; flight++)
                for (unsigned feed = 0; feed < FEEDS; feed++) {
                    struct outcome o;
                    score(&(struct how){.config = {.device = device[d], .threads = flight % 2 ? d ? 2 : 8 : 1,
                                                   .frames_in_flight = flight},
                                        .metrics = all_settings[i].text, .feed = (enum feed)feed,
                                        .callback = flight & 1}, &clip, &o);
                    check_definition(&clip, &all_settings[i], &o);
                    assert_int_equal(o.released, feed == FEED_RELEASE ? 2 * FRAMES : 0);
                }
}

/* Beside other metrics, whose scores wait for it. */
static void in_company(void **state)
{
    struct outcome both, alone;
    (void)state;
    score(&(struct how){.metrics = "psnr=enable_apsnr=true motion=motion_five_frame_window=true motion float_moment"},
          &clip, &both);
    score(&(struct how){.metrics = "psnr=enable_apsnr=true"}, &clip, &alone);
    assert_int_equal(both.rc, 0);
    assert_int_equal(both.rows, FRAMES);
    assert_memory_equal(both.aggregate, alone.aggregate, 3 * sizeof(double));
    for (unsigned i = 0; i < FRAMES; i++) {
        double expected[2][CLIP_FRAMES][4];
        define(&clip, &all_settings[2], FRAMES, expected[0]);
        define(&clip, &all_settings[0], FRAMES, expected[1]);
        assert_memory_equal(both.value[i], alone.value[i], 3 * sizeof(double));
        assert_memory_equal(both.value[i] + 3, expected[0][i], 3 * sizeof(double));
        assert_memory_equal(both.value[i] + 6, expected[1][i], 3 * sizeof(double));
    }
}

/* A flush ends the sequence: what follows is another video. */
static void flushes(void **state)
{
    struct outcome o;
    (void)state;
    for (unsigned i = 0; i < SETTINGS; i++)
        for (unsigned every = 1; every < 5; every++) {
            score(&(struct how){.metrics = all_settings[i].text, .feed = FEED_RELEASE,
                                .flush_every = every}, &clip, &o);
            assert_int_equal(o.rc, 0);
            assert_int_equal(o.rows, FRAMES);
            for (unsigned first = 0; first < FRAMES; first += every) {
                double expected[CLIP_FRAMES][4];
                struct clip part = clip;
                part.frames = FRAMES - first < every ? FRAMES - first : every;
                memmove(part.picture[0], clip.picture[first], part.frames * sizeof part.picture[0]);
                define(&part, &all_settings[i], part.frames, expected);
                for (unsigned k = 0; k < part.frames; k++)
                    assert_memory_equal(o.value[first + k], expected[k], sizeof expected[k]);
            }
        }
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static void feed(assay_session *s, unsigned frame, bool scored, bool taken)
{
    const assay_picture ref = clip_view(&clip, frame, 0), dis = clip_view(&clip, frame, 1);
    assay_buffer to[2];
    if (!taken) {
        assert_int_equal(scored ? assay_session_submit(s, frame, &ref, &dis)
                                : assay_session_submit_neighbour(s, frame, &ref, &dis),
                         0);
        return;
    }
    assert_int_equal(assay_session_take(s, &to[0], &to[1]), 0);
    for (uint32_t p = 0; p < assay_format_planes(&clip.format); p++)
        for (unsigned side = 0; side < 2; side++)
            for (uint32_t y = 0; y < assay_format_plane_height(&clip.format, p); y++)
                memcpy((char *)to[side].plane[p] + (ptrdiff_t)y * to[side].stride[p],
                       clip.picture[frame][side].plane[p] + (ptrdiff_t)y * clip.picture[frame][side].stride[p],
                       assay_format_plane_width(&clip.format, p));
    assert_int_equal(assay_session_commit(s, frame, scored ? ASSAY_SCORED : ASSAY_NEIGHBOUR), 0);
}

static assay_session *start(const char *metric)
{
    assay_session *s;
    assert_int_equal(assay_session_new(&s, &(assay_config){.frames_in_flight = 2}, NULL, 0), 0);
    assert_int_equal(assay_session_add_metric(s, metric), 0);
    assert_int_equal(assay_session_add_metric(s, "psnr=enable_apsnr=true:enable_chroma=false"), 0);
    assert_int_equal(assay_session_start(s, &clip.format), 0);
    return s;
}

/* Scores frames `first`, `first` + every, ... below `end`, and nothing that isn't in reach is handed over. */
static void part(const struct settings *o, unsigned first, unsigned end, unsigned every, bool taken)
{
    double expected[CLIP_FRAMES][4], value[8];
    uint32_t before, after;
    uint64_t frame;
    assay_session *s = start(o->text);
    define(&clip, o, FRAMES, expected);
    assert_int_equal(assay_session_reach(s, &before, &after), 0);
    for (unsigned i = 0; i < FRAMES; i++) {
        bool scored = false, near = false;
        for (unsigned k = first; k < end; k += every) {
            scored = scored || k == i;
            near = near || (i < k && k - i <= before) || (i > k && i - k <= after);
        }
        if (scored || near)
            feed(s, i, scored, taken);
    }
    assert_int_equal(assay_session_flush(s), 0);
    for (unsigned k = first; k < end; k += every) {
        assert_int_equal(assay_session_poll(s, &frame, value), 1);
        assert_int_equal(frame, k);
        for (unsigned i = 0; i < 4; i++)
            if (memcmp(&value[i], &expected[k][i], sizeof value[i]))
                fail_msg("%s, %s of frame %u of part %u to %u, every %u: %a, of the whole %a", o->text,
                         assay_session_key(s, i), k, first, end, every, value[i], expected[k][i]);
    }
    assert_int_equal(assay_session_poll(s, &frame, value), 0);
    assay_session_close(&s);
}

static void parts(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SETTINGS; i++)
        for (unsigned first = 0; first < FRAMES; first++)
            for (unsigned end = first + 1; end <= FRAMES; end++)
                part(&all_settings[i], first, end, 1, first & 1);
}

static void every_nth(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SETTINGS; i++)
        for (unsigned every = 2; every <= FRAMES; every++)
            for (unsigned first = 0; first < FRAMES; first += every)
                part(&all_settings[i], first, FRAMES, every, every & 1);
}

/* Neighbours are in no accumulator, scores come as soon as they can, and the aggregate does not wait for the end. */
static void lag(void **state)
{
    double value[8], apsnr[2];
    uint64_t frame;
    (void)state;
    for (unsigned i = 0; i < SETTINGS; i++) {
        uint32_t before, after;
        assay_session *s = start(all_settings[i].text);
        assert_int_equal(assay_session_reach(s, &before, &after), 0);
        assert_int_equal(before, (all_settings[i].five ? 3 : 1) + all_settings[i].average);
        assert_int_equal(after, all_settings[i].five ? 2 : 1);
        for (unsigned k = 0; k < FRAMES; k++)
            feed(s, k, k > 0 && k < 5, false);
        assert_int_equal(assay_session_aggregate(s, 0, &apsnr[0]), 0);
        for (unsigned k = 1; k < 5; k++)
            assert_int_equal(assay_session_poll(s, &frame, value), 1);
        assert_int_equal(assay_session_poll(s, &frame, value), 0);
        assay_session_close(&s);
        s = start(all_settings[i].text);
        for (unsigned k = 1; k < 5; k++)
            feed(s, k, true, true);
        assert_int_equal(assay_session_aggregate(s, 0, &apsnr[1]), 0);
        assert_memory_equal(&apsnr[0], &apsnr[1], sizeof apsnr[0]);
        for (unsigned k = 1; k + after < 5; k++)
            assert_int_equal(assay_session_poll(s, &frame, value), 1);
        assert_int_equal(assay_session_poll(s, &frame, value), 0);
        assert_int_equal(assay_session_flush(s), 0);
        for (unsigned k = 0; k < after; k++)
            assert_int_equal(assay_session_poll(s, &frame, value), 1);
        assert_int_equal(frame, 4);
        assay_session_close(&s);
    }
}

/* ---- pictures that are kept -------------------------------------------------------------------------------------- */

struct lent {
    unsigned char *plane;
    size_t bytes;
    pthread_t owner;
    unsigned released, by_owner;
};

/* Who gives a picture back too early finds that it changed. */
static void scribble(void *opaque)
{
    struct lent *l = opaque;
    memset(l->plane, 0xa5, l->bytes);
    if (pthread_equal(pthread_self(), l->owner))
        l->by_owner++;
    __atomic_fetch_add(&l->released, 1, __ATOMIC_RELAXED);
}

static void kept(const char *metric, const char *device, unsigned in_flight, enum null_call call, uint32_t bad,
                 bool flushed)
{
    enum { W = 16, H = 8, N = 12 };
    static unsigned char memory[N][2][W * H];
    static struct lent lent[N][2];
    const assay_format f = format_of(ASSAY_LAYOUT_400, 8, W, H);
    assay_session *s;
    memset(lent, 0, sizeof lent);
    null_reset(2, call, bad);
    const assay_config config = {.backend = "null", .device = device, .frames_in_flight = in_flight};
    assert_int_equal(assay_session_new(&s, &config, NULL, 0), 0);
    assert_int_equal(assay_session_add_metric(s, metric), 0);
    assert_int_equal(assay_session_start(s, &f), 0);
    unsigned taken = 0;
    for (unsigned i = 0; i < N; i++) {
        assay_picture side[2];
        for (unsigned k = 0; k < 2; k++) {
            memset(memory[i][k], (int)(2 * i + k), sizeof memory[i][k]);
            lent[i][k] = (struct lent){.plane = memory[i][k], .bytes = sizeof memory[i][k], .owner = pthread_self()};
            side[k] = (assay_picture){.plane = {memory[i][k]}, .stride = {W}, .release = scribble,
                                      .opaque = &lent[i][k]};
        }
        if (assay_session_submit(s, i, &side[0], &side[1]))
            break;
        taken++;
        if (i == 6 && assay_session_flush(s))
            break;
    }
    const int rc = flushed ? assay_session_flush(s) : ASSAY_OK;
    assert_true(bad && flushed ? rc != 0 : rc == 0);
    assay_session_close(&s);
    for (unsigned i = 0; i < N; i++)
        for (unsigned k = 0; k < 2; k++) {
            assert_int_equal(lent[i][k].released, i < taken ? 1 : 0);
            assert_int_equal(lent[i][k].by_owner, 0);
        }
    assert_int_equal(null_look()->changed_inputs, 0);
    assert_int_equal(null_look()->misplaced, 0);
    /* Of three devices none has the frame before or the one before that. There are zeros before the first frame of each
     * of two sequences. */
    const unsigned age = strstr(metric, "five") ? 2 : 1;
    if (!bad && strcmp(metric, "psnr"))
        assert_int_equal(null_look()->held, device ? 0 : N - 2 * age);
    assert_int_equal(null_look()->out_of_order, 0);
    assert_int_equal(null_look()->host_blocks, 0);
}

static void pictures_are_kept(void **state)
{
    static const char *const metric[] = {"psnr", "motion",
                                         "motion=motion_five_frame_window=true"}, *const device[] = {NULL, "0,0,0"};
    (void)state;
    for (unsigned m = 0; m < 3; m++)
        for (unsigned d = 0; d < 2; d++)
            for (unsigned k = 0; k < 10; k++) {
                const unsigned in_flight = k / 2;
                const bool flushed = k & 1; /* else closed early */
                kept(metric[m], device[d], in_flight, NULL_CALLS, 0, flushed);
                for (uint32_t bad = 1; bad < 12; bad += 3) {
                    kept(metric[m], device[d], in_flight, NULL_SUBMIT, bad, flushed);
                    kept(metric[m], device[d], in_flight, NULL_WAIT, bad, flushed);
                }
            }
}

/* Frames whose successor is lost have no final scores: none are given. */
static void lost_frames(void **state)
{
    (void)state;
    for (uint32_t bad = 1; bad <= FRAMES; bad++)
        for (unsigned five = 0; five < 2; five++) {
            struct outcome o;
            null_reset(2, NULL_WAIT, bad);
            score(&(struct how){.config = {.backend = "null"}, .metrics = all_settings[2 * five].text,
                                .callback = true}, &clip, &o);
            assert_int_equal(o.rc, ASSAY_EDEVICE);
            assert_int_equal(o.rows, bad - 1 > 1 + five ? bad - 1 - (1 + five) : 0);
        }
}

int main(void)
{
    const assay_format format = format_of(ASSAY_LAYOUT_420, 8, 45, 33);
    clip_open(&clip, &format, FRAMES, 5, 3);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definition),
        cmocka_unit_test(every_way_in),
        cmocka_unit_test(in_company),
        cmocka_unit_test(flushes),
        cmocka_unit_test(parts),
        cmocka_unit_test(every_nth),
        cmocka_unit_test(lag),
        cmocka_unit_test(pictures_are_kept),
        cmocka_unit_test(lost_frames),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    clip_close(&clip);
    return failed;
}
