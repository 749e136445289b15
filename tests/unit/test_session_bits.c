/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A score is a function of the pixels and the options alone: the same bits for every way of handing pictures over,
 * every number of threads and frames in flight, every tile size and instruction set, whatever the application's
 * floating-point modes and however many sessions run at once. PSNR is counted again here, pixel by pixel.
 */
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <cmocka.h>

#include "session_test.h"

/* Large enough for every metric, odd in both directions. */
enum { WIDTH = 219, HEIGHT = 177 };

/* Every metric there is, these with more than their usual keys. */
static const char all_outputs[] =
    "psnr=enable_mse=true:enable_apsnr=true float_ssim=enable_lcs=true float_ms_ssim=enable_lcs=true "
    "motion=debug=true diff=per_plane=true * butteraugli";

static struct clip clip;
/* One thread, one frame at a time, scalar kernels. A flush ends a sequence, which motion shows: one
 * for each way of flushing. */
enum { FLUSHES = 3 };
static struct outcome plain[FLUSHES];

static int open_clip(void **state)
{
    (void)state;
    const assay_format f = format_of(ASSAY_LAYOUT_420, 10, WIDTH, HEIGHT);
    struct how how = {.config = {.threads = 1, .frames_in_flight = 1, .cpu_level = "scalar"}, .metrics = all_outputs};
    clip_open(&clip, &f, SESSION_ONE_IN > 1 ? 3 : 5, 9, 7);
    for (how.flush_every = 0; how.flush_every < FLUSHES; how.flush_every++)
        score(&how, &clip, &plain[how.flush_every]);
    return plain[0].rc || plain[1].rc || plain[2].rc;
}

static int close_clip(void **state)
{
    (void)state;
    clip_close(&clip);
    return 0;
}

static void check(const struct how *how)
{
    struct outcome o;
    score(how, &clip, &o);
    same_outcome(&plain[how->flush_every], &o);
    assert_int_equal(o.released, how->feed == FEED_RELEASE ? 2 * clip.frames : 0);
}

/* Whether a key's text holds one of a list. */
static bool any_of(const char *key, const char *const *part)
{
    while (*part && !strstr(key, *part))
        part++;
    return *part != NULL;
}

static void can_differ(void **state)
{
    /* What a sample of the distorted luma has no part in, as row 88 has none in speed_temporal; what it may leave as it
     * is: another sample that differed before, a largest difference that is elsewhere, and scores that are cut off at
     * 0; noise has no banding. */
    static const char *const other[] = {"_cb", "_cr", "ref", "motion", "speed", NULL};
    static const char *const either[] = {"scale4", "_l", "diff_", "aim", "vmaf", "cambi", "butteraugli", NULL};
    (void)state;
    struct outcome o;
    const struct how how = {.metrics = all_outputs};
    clip.picture[2][1].plane[0][(ptrdiff_t)88 * clip.picture[2][1].stride[0] + 100] ^= 0x80;
    score(&how, &clip, &o);
    clip.picture[2][1].plane[0][(ptrdiff_t)88 * clip.picture[2][1].stride[0] + 100] ^= 0x80;
    assert_int_equal(o.rc, 0);
    assert_memory_equal(o.value[1], plain[0].value[1], o.keys * sizeof(double));
    for (uint32_t k = 0; k < o.keys; k++) {
        const bool same = !memcmp(&o.value[2][k], &plain[0].value[2][k], sizeof(double));
        if (same != any_of(o.key[k], other) && !any_of(o.key[k], either))
            fail_msg("%s %s", o.key[k], same ? "is the same" : "differs");
    }
}

static void every_way_in(void **state)
{
    (void)state;
    for (unsigned feed = 0; feed < FEEDS; feed++)
        for (unsigned callback = 0; callback < 2; callback++)
            for (unsigned flush = (feed + callback) % SESSION_ONE_IN; flush < FLUSHES; flush += SESSION_ONE_IN)
                check(&(struct how){.metrics = all_outputs, .feed = (enum feed)feed, .callback = callback != 0,
                                    .flush_every = flush});
}

static void threads_tiles_and_frames(void **state)
{
    static const uint32_t threads[] = {1, 2, 7, 16};
    static const uint32_t tile[][2] = {{0, 0}, {16, 4}, {32, 16}, {1024, 8}};
    (void)state;
    for (unsigned t = 0; t < sizeof threads / sizeof threads[0]; t++)
        for (unsigned i = t % SESSION_ONE_IN; i < sizeof tile / sizeof tile[0]; i += SESSION_ONE_IN)
            check(&(struct how){.config = {.threads = threads[t], .tile_width = tile[i][0], .tile_height = tile[i][1],
                                           .frames_in_flight = 1 + (t + 3 * i) % 8},
                                .metrics = all_outputs, .feed = (enum feed)((t + i) % FEEDS),
                                .callback = i / FEEDS & 1});
    for (uint32_t n = 1; n <= 8; n += SESSION_ONE_IN)
        check(&(struct how){.config = {.threads = 2, .frames_in_flight = n}, .metrics = all_outputs,
                            .feed = FEED_RELEASE});
}

/* Every metric in strips of any height, against the whole picture at once. Luma of RGB is a plane that motion keeps. */
static void strips(void **state)
{
    static const struct { assay_layout layout; uint32_t depth, width, height; const char *matrix; } format[] = {
        {ASSAY_LAYOUT_420, 10, WIDTH, HEIGHT, NULL}, {ASSAY_LAYOUT_444, 8, 176, 391, NULL},
        {ASSAY_LAYOUT_RGB, 8, 177, 203, "bt709"}};
    static const uint32_t height[] = {0, 1, 8, 24, 33, 64, 100, 177, 300, UINT32_MAX}, tile[][2] = {{0, 0}, {16, 4},
                                                                                                    {64, 16}};
    (void)state;
    for (unsigned i = 0; i < sizeof format / sizeof format[0]; i++) {
        const assay_format f = format_of(format[i].layout, format[i].depth, format[i].width, format[i].height);
        struct clip c;
        struct outcome whole, o;
        clip_open(&c, &f, 3, 9, 3);
        score(&(struct how){.config = {.threads = 1, .frames_in_flight = 1, .strip_height = 65535,
                                       .rgb_matrix = format[i].matrix},
                            .metrics = all_outputs}, &c, &whole);
        assert_int_equal(whole.rc, 0);
        for (unsigned h = i % SESSION_ONE_IN; h < sizeof height / sizeof height[0]; h += SESSION_ONE_IN)
            for (unsigned t = h / SESSION_ONE_IN % SESSION_ONE_IN; t < 3; t += SESSION_ONE_IN) {
                score(&(struct how){.config = {.threads = 1 + (h + t) % 3, .tile_width = tile[t][0],
                                               .tile_height = tile[t][1], .strip_height = height[h],
                                               .frames_in_flight = 1 + h % 3, .rgb_matrix = format[i].matrix},
                                    .metrics = all_outputs}, &c, &o);
                same_outcome(&whole, &o);
            }
        clip_close(&c);
    }
}

static void instruction_sets(void **state)
{
    static const char *const level[] = {"scalar", "sse4", "avx2", "avx512", "avx512vnni", "neon"};
    unsigned ran = 0;
    (void)state;
    for (unsigned i = 0; i < sizeof level / sizeof level[0]; i++) {
        struct outcome o;
        const struct how how = {.config = {.threads = 2, .cpu_level = level[i], .tile_height = 8},
                                .metrics = all_outputs};
        score(&how, &clip, &o);
        if (o.rc == ASSAY_EDEVICE) {
            assert_non_null(strstr(o.error, level[i]));
            continue;
        }
        same_outcome(&plain[0], &o);
        ran++;
    }
    assert_true(ran >= 2); /* both families have a level that every machine of theirs runs */
}

/* Asking for another metric or output moves no other score. */
static void company(void **state)
{
    (void)state;
    for (uint32_t i = 0; assay_metric_name(i); i++) {
        const char *name = assay_metric_name(i);
        char error[200];
        struct outcome o;
        if (assay_metric_allows(name, NULL, &clip.format, error, sizeof error)) {
            assert_non_null(strstr(error, "needs the frame rate")); /* which these pictures don't state */
            continue;
        }
        score(&(struct how){.metrics = name}, &clip, &o);
        assert_int_equal(o.rc, 0);
        for (uint32_t k = 0; k < o.keys; k++) {
            uint32_t at = 0;
            while (at < plain[0].keys && strcmp(plain[0].key[at], o.key[k]))
                at++;
            assert_true(at < plain[0].keys);
            for (uint32_t row = 0; row < o.rows; row++)
                assert_memory_equal(&o.value[row][k], &plain[0].value[row][at], sizeof(double));
        }
    }
}

/* ---- modes of the application ---- */

#if defined(__x86_64__)
enum { HOSTILE = 0x8040 | 0x4000 | 0x1f80 }; /* flush to zero, denormals are zero, round up; nothing trapped */

static unsigned modes(void) { return _mm_getcsr(); }
static void set_modes(unsigned m) { _mm_setcsr(m); }
#else
enum { HOSTILE = FE_UPWARD };

static unsigned modes(void) { return (unsigned)fegetround(); }
static void set_modes(unsigned m) { fesetround((int)m); }
#endif

static void *score_with_modes(void *opaque)
{
    struct outcome *o = opaque;
    set_modes(HOSTILE);
    score(&(struct how){.config = {.threads = 2}, .metrics = all_outputs,
                        .feed = o->rows & 1 ? FEED_TAKE : FEED_COPY}, &clip, o);
    const bool kept = modes() == HOSTILE;
    return kept ? o : NULL;
}

static void application_modes(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct outcome o = {.rows = i};
        pthread_t t;
        void *kept;
        assert_int_equal(pthread_create(&t, NULL, score_with_modes, &o), 0);
        pthread_join(t, &kept);
        assert_non_null(kept);
        same_outcome(&plain[0], &o);
    }
}

static void options_and_pools_in_any_mode(void **state)
{
    assay_session *s[2];
    double value[2] = {0, 0};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        const assay_picture ref = clip_view(&clip, 0, 0), dis = clip_view(&clip, 0, 1);
        const unsigned before = modes();
        if (i)
            set_modes(HOSTILE);
        int rc = assay_session_new(&s[i], NULL, NULL, 0);
        rc = rc ? rc : assay_session_add_metric(s[i], "psnr=min_sse=0.1:enable_apsnr=true");
        rc = rc ? rc : assay_session_start(s[i], &clip.format);
        rc = rc ? rc : assay_session_submit(s[i], 0, &ref, &dis);
        rc = rc ? rc : assay_session_submit(s[i], 1, &ref, &ref);
        rc = rc ? rc : assay_session_flush(s[i]);
        rc = rc ? rc : assay_session_pooled(s[i], "psnr_y", "harmonic_mean", &value[i]);
        const unsigned after = modes();
        set_modes(before);
        assert_int_equal(rc, 0);
        assert_int_equal(after, i ? (unsigned)HOSTILE : before);
    }
    assert_memory_equal(&value[0], &value[1], sizeof value[0]);
    assert_string_equal(assay_session_configuration(s[0]), assay_session_configuration(s[1]));
    assay_session_close(&s[0]);
    assay_session_close(&s[1]);
}

/* ---- several sessions ---- */

struct worker {
    pthread_t thread;
    struct how how;
    struct outcome outcome;
};

static void *score_twice(void *opaque)
{
    struct worker *w = opaque;
    score(&w->how, &clip, &w->outcome);
    if (!w->outcome.rc)
        score(&w->how, &clip, &w->outcome);
    return NULL;
}

static void sessions_in_threads(void **state)
{
    static struct worker w[4];
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        w[i].how = (struct how){.config = {.threads = 1 + 4 * i, .frames_in_flight = 1 + i}, .metrics = all_outputs,
                                .feed = (enum feed)(i % FEEDS), .callback = i / FEEDS & 1};
        assert_int_equal(pthread_create(&w[i].thread, NULL, score_twice, &w[i]), 0);
    }
    for (unsigned i = 0; i < 4; i++)
        pthread_join(w[i].thread, NULL);
    for (unsigned i = 0; i < 4; i++)
        same_outcome(&plain[0], &w[i].outcome);
}

/* Two sessions of one thread, fed in turns. */
static void sessions_in_turns(void **state)
{
    assay_session *s[2];
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(assay_session_new(&s[i], NULL, NULL, 0), 0);
        assert_int_equal(assay_session_add_metric(s[i], "psnr"), 0);
        assert_int_equal(assay_session_start(s[i], &clip.format), 0);
    }
    for (unsigned frame = 0; frame < clip.frames; frame++)
        for (unsigned i = 0; i < 2; i++) {
            const assay_picture ref = clip_view(&clip, frame, 0), dis = clip_view(&clip, frame, i);
            assert_int_equal(assay_session_submit(s[i], frame, &ref, &dis), 0);
        }
    for (unsigned i = 0; i < 2; i++) {
        double low, high;
        assert_int_equal(assay_session_flush(s[i]), 0);
        assert_int_equal(assay_session_pooled(s[i], "psnr_y", "min", &low), 0);
        assert_int_equal(assay_session_pooled(s[i], "psnr_y", "max", &high), 0);
        assert_true(i ? low <= high && high < 72.0 : low == 72.0 && high == 72.0);
        assay_session_close(&s[i]);
    }
}

/* ---- formats ---- */

/* Mean squared error of a plane by a plain loop; the division is the one that the definition has. */
static double plain_mse(const struct clip *c, unsigned frame, uint32_t plane)
{
    const uint32_t w = assay_format_plane_width(&c->format, plane), h = assay_format_plane_height(&c->format, plane);
    uint64_t sse = 0;
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w; x++) {
            const int64_t d = (int64_t)clip_sample(c, frame, 0, plane, x, y) - clip_sample(c, frame, 1, plane, x, y);
            sse += (uint64_t)(d * d);
        }
    return (double)sse / ((double)w * h);
}

static uint32_t key_of(const struct outcome *o, const char *key)
{
    uint32_t k = 0;
    while (k < o->keys && strcmp(o->key[k], key))
        k++;
    assert_true(k < o->keys);
    return k;
}

static void check_mse(const struct clip *c, const struct outcome *o)
{
    static const char *const yuv[] = {"mse_y", "mse_cb", "mse_cr"}, *const rgb[] = {"mse_r", "mse_g", "mse_b"};
    for (uint32_t p = 0; p < assay_format_planes(&c->format); p++) {
        const uint32_t k = key_of(o, (c->format.layout == ASSAY_LAYOUT_RGB ? rgb : yuv)[p]);
        for (unsigned frame = 0; frame < o->rows; frame++) {
            const double expected = plain_mse(c, frame, p);
            if (o->value[frame][k] != expected)
                fail_msg("%s: %a, counted %a", o->key[k], o->value[frame][k], expected);
        }
    }
}

/* Scores of identical planes that have no largest value. */
static bool unbounded(const char *key)
{
    static const char *const some[] = {"psnr_hvs", "ciede2000", NULL};
    return any_of(key, some);
}

static void one_format(assay_layout layout, uint32_t depth, uint32_t width, uint32_t height, const char *matrix)
{
    const assay_format f = format_of(layout, depth, width, height);
    /* By name what such pictures must allow, then whatever else they do. */
    const bool luma = layout != ASSAY_LAYOUT_RGB || matrix;
    const uint32_t least = width < height ? width : height;
    char metrics[128];
    snprintf(metrics, sizeof metrics, "psnr=enable_mse=true float_moment%s%s%s *", luma ? " float_psnr ssim" : "",
             luma && least >= 11 ? " float_ssim" : "", luma && least >= 176 ? " float_ms_ssim" : "");
    struct clip c;
    struct outcome first, second;
    clip_open(&c, &f, 2, 1u << (depth - 6), depth & 1 ? 1 : 0);
    score(&(struct how){.config = {.threads = 1, .cpu_level = "scalar", .rgb_matrix = matrix},
                        .metrics = metrics}, &c, &first);
    score(&(struct how){.config = {.threads = 3, .rgb_matrix = matrix, .tile_width = 16, .tile_height = 4,
                                   .frames_in_flight = 2},
                        .metrics = metrics, .feed = FEED_RELEASE}, &c, &second);
    same_outcome(&first, &second);
    check_mse(&c, &first);
    for (unsigned row = 0; row < first.rows; row++)
        for (uint32_t k = 0; k < first.keys; k++)
            assert_true(isfinite(first.value[row][k]) || (first.value[row][k] > 0 && unbounded(first.key[k])));
    clip_close(&c);
}

static void every_format(void **state)
{
    static const assay_layout layout[] = {ASSAY_LAYOUT_400, ASSAY_LAYOUT_420, ASSAY_LAYOUT_422, ASSAY_LAYOUT_444,
                                          ASSAY_LAYOUT_411, ASSAY_LAYOUT_RGB};
    static const uint32_t depth[] = {8, 9, 10, 12, 14, 16}, size[][2] = {{1, 1}, {2, 3}, {17, 13}, {33, 31}, {64, 35}};
    unsigned ways = 0;
    (void)state;
    for (unsigned l = 0; l < sizeof layout / sizeof layout[0]; l++)
        for (unsigned d = 0; d < sizeof depth / sizeof depth[0]; d++)
            for (unsigned s = 0; s < sizeof size / sizeof size[0]; s++) {
                if (ways++ % SESSION_ONE_IN)
                    continue;
                one_format(layout[l], depth[d], size[s][0], size[s][1], NULL);
                if (layout[l] == ASSAY_LAYOUT_RGB)
                    one_format(layout[l], depth[d], size[s][0], size[s][1], s & 1 ? "bt601" : "bt709");
            }
    one_format(ASSAY_LAYOUT_444, 8, 177, 176, NULL);
    one_format(ASSAY_LAYOUT_RGB, 16, 176, 181, "bt709");
    one_format(ASSAY_LAYOUT_411, 12, 201, 177, NULL);
}

static void identical_pictures(void **state)
{
    static const uint32_t depth[] = {8, 9, 10, 12, 14, 16};
    (void)state;
    for (unsigned d = 0; d < sizeof depth / sizeof depth[0]; d++) {
        const assay_format f = format_of(ASSAY_LAYOUT_420, depth[d], WIDTH, HEIGHT);
        struct clip c;
        struct outcome o;
        clip_open(&c, &f, 1, 0, 0);
        score(&(struct how){.metrics = all_outputs}, &c, &o);
        assert_int_equal(o.rc, 0);
        for (uint32_t k = 0; k < o.keys; k++) {
            const double v = o.value[0][k];
            if (unbounded(o.key[k]))
                assert_true(isinf(v) && v > 0);
            else if (strstr(o.key[k], "psnr"))
                assert_true(v == 6.0 * depth[d] + 12.0);
            else if (strstr(o.key[k], "mse_") || strstr(o.key[k], "diff") || strstr(o.key[k], "aim"))
                assert_true(v == 0.0);
            else if (strstr(o.key[k], "ssimulacra2"))
                assert_true(v == 100.0);
            else if (strstr(o.key[k], "integer_adm")) /* kept detail and the reference's are rounded apart */
                assert_true(v > 0.999 && v < 1.001);
            else if ((strstr(o.key[k], "ssim") || strstr(o.key[k], "adm")) && v != 1.0)
                fail_msg("%s of identical pictures of %u bits is %a", o.key[k], depth[d], v);
        }
        clip_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_in),
        cmocka_unit_test(threads_tiles_and_frames),
        cmocka_unit_test(strips),
        cmocka_unit_test(application_modes),
        cmocka_unit_test(options_and_pools_in_any_mode),
        cmocka_unit_test(sessions_in_threads),
        cmocka_unit_test(sessions_in_turns),
    };
    const struct CMUnitTest of_scores[] = {
        cmocka_unit_test(can_differ),
        cmocka_unit_test(instruction_sets),
        cmocka_unit_test(company),
        cmocka_unit_test(every_format),
        cmocka_unit_test(identical_pictures),
    };
    const int failed = cmocka_run_group_tests(tests, open_clip, close_clip);
    return SESSION_THREADS_ALONE ? failed : failed + cmocka_run_group_tests(of_scores, open_clip, close_clip);
}
