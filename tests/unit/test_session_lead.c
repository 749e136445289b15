/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pairs that lead a sequence in (engine/lead.h), for cvvdp's padding=symmetric. Scores are those of a session that is
 * given the mirrored pairs by hand, as neighbours, bit for bit: of sequences of every length, in every way to hand
 * pictures over. Other metrics of the session see nothing of them. An encode that ends before its first pairs are
 * scored is refused where others go on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "session_test.h"

enum { WIDTH = 67, HEIGHT = 45, ENCODES = 3 };

static void ok(assay_session *s, int rc)
{
    if (rc)
        fail_msg("%s", assay_session_error(s));
}

static assay_session *open_session(const assay_config *config, const char *metrics)
{
    assay_session *s;
    char list[128], *rest = list, *name;
    snprintf(list, sizeof list, "%s", metrics);
    assert_int_equal(assay_session_new(&s, config, NULL, 0), ASSAY_OK);
    while ((name = strsep(&rest, " ")))
        ok(s, assay_session_add_metric(s, name));
    return s;
}

/* The pair that stands i pairs behind the first of n, or before it. */
static unsigned image_of(int i, int n)
{
    while (n > 1 && (i < 0 || i >= n))
        i = i < 0 ? -i : 2 * n - 2 - i;
    return n > 1 ? (unsigned)i : 0;
}

/* Scores a clip with the first frame repeated by the metric, and `lead` pairs before each sequence. */
static void score_by_hand(const char *metric, const struct clip *c, int lead, unsigned each, struct outcome *out)
{
    assay_session *s = open_session(&(assay_config){.threads = 2}, metric);
    uint64_t number = 0;
    *out = (struct outcome){.rc = ASSAY_OK};
    ok(s, assay_session_start(s, &c->format));
    for (unsigned first = 0; first < c->frames; first += each) {
        const unsigned n = c->frames - first < each ? c->frames - first : each;
        for (int i = -lead; i < (int)n; i++) {
            const unsigned frame = first + image_of(i, (int)n);
            const assay_picture ref = clip_view(c, frame, 0), dis = clip_view(c, frame, 1);
            ok(s, i < 0 ? assay_session_submit_neighbour(s, number, &ref, &dis)
                        : assay_session_submit(s, number, &ref, &dis));
            number++;
        }
        ok(s, assay_session_flush(s));
    }
    out->keys = assay_session_keys(s);
    while (out->rows < c->frames && assay_session_poll(s, &number, out->value[out->rows]) == 1) {
        out->frame[out->rows] = 3 * (uint64_t)out->rows; /* as score() numbers them */
        out->rows++;
    }
    out->aggregates = assay_session_aggregates(s);
    for (uint32_t i = 0; i < out->aggregates; i++)
        ok(s, assay_session_aggregate(s, i, &out->aggregate[i]));
    assay_session_close(&s);
}

static void compare(const char *rate, int lead, unsigned frames, unsigned each)
{
    const assay_format f = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    static struct outcome hand, out;
    struct clip c;
    char plain[32], mirrored[64];
    snprintf(plain, sizeof plain, "cvvdp=fps=%s", rate);
    snprintf(mirrored, sizeof mirrored, "%s:padding=symmetric", plain);
    clip_open(&c, &f, frames, 9, 1);
    score_by_hand(plain, &c, lead, each ? each : frames, &hand);
    for (unsigned way = 0; way < 2 * FEEDS; way++) {
        const struct how how = {.metrics = mirrored, .feed = way / 2, .callback = way % 2, .flush_every = each,
                                .config = {.threads = way & 1 ? 16 : 2, .frames_in_flight = (way * 3) % 5}};
        score(&how, &c, &out);
        same_outcome(&hand, &out);
        assert_int_equal(out.released, how.feed == FEED_RELEASE ? 2 * frames : 0);
    }
    clip_close(&c);
}

static void test_as_by_hand(void **state)
{
    (void)state;
    static const unsigned lengths[] = {1, 2, 3, 6, 7, 8, CLIP_FRAMES};
    for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i += SESSION_ONE_IN)
        compare("24", 6, lengths[i], 0);
    compare("8", 2, 5, 0);
    compare("60", 16, CLIP_FRAMES, 0); /* every pair waits for the end */
    compare("60", 16, 4, 0);
}

static void test_sequences(void **state)
{
    (void)state;
    compare("24", 6, CLIP_FRAMES, 5); /* the last of one pair */
    compare("24", 6, CLIP_FRAMES, 8);
}

/* The first frame repeated is something else: else nothing above would show. */
static void test_differs(void **state)
{
    (void)state;
    const assay_format f = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    static struct outcome a, b;
    struct clip c;
    clip_open(&c, &f, 9, 9, 0);
    score(&(struct how){.metrics = "cvvdp=fps=24"}, &c, &a);
    score(&(struct how){.metrics = "cvvdp=fps=24:padding=symmetric"}, &c, &b);
    assert_true(a.value[0][0] != b.value[0][0] && a.value[5][0] != b.value[5][0]);
    assert_memory_equal(a.value[6], b.value[6], sizeof(double)); /* looks back at frame 0, and no further */
    clip_close(&c);
}

static void test_others_see_nothing(void **state)
{
    (void)state;
    const assay_format f = format_of(ASSAY_LAYOUT_420, 8, 96, 80); /* as speed_temporal needs */
    const char *const others = "motion float_motion xpsnr=fps=24 speed_temporal",
               *const own = "cvvdp=fps=24:padding=symmetric";
    static struct outcome apart, alone, both;
    struct clip c;
    char all[128];
    clip_open(&c, &f, 11, 9, 0);
    snprintf(all, sizeof all, "%s %s", others, own);
    score(&(struct how){.metrics = others}, &c, &apart);
    score(&(struct how){.metrics = own}, &c, &alone);
    score(&(struct how){.metrics = all}, &c, &both);
    if (both.rc)
        fail_msg("%s", both.error);
    assert_int_equal(both.keys, apart.keys + alone.keys);
    for (unsigned i = 0; i < c.frames; i++) {
        assert_memory_equal(both.value[i], apart.value[i], apart.keys * sizeof(double));
        assert_memory_equal(both.value[i] + apart.keys, alone.value[i], alone.keys * sizeof(double));
    }
    assert_memory_equal(both.aggregate, apart.aggregate, apart.aggregates * sizeof(double));
    clip_close(&c);
}

/* ---- encodes ----------------------------------------------------------------------------------------------------- */

static void submit(assay_session *s, const struct clip c[ENCODES], unsigned frame)
{
    const assay_picture ref = clip_view(&c[0], frame, 0);
    assay_picture dis[ENCODES];
    for (unsigned k = 0; k < ENCODES; k++)
        dis[k] = clip_view(&c[k], frame, 1);
    ok(s, assay_session_submit(s, frame, &ref, dis));
}

/* Encode `which` has the first `frames` pairs, and they are scored as by a session of its own. */
static void same_encode(assay_session *s, uint32_t which, const struct clip *c, unsigned frames)
{
    static struct outcome out;
    struct clip shorter = *c;
    double aggregate;
    shorter.frames = frames;
    score(&(struct how){.metrics = "cvvdp=fps=24:padding=symmetric"}, &shorter, &out);
    assert_int_equal(out.rc, ASSAY_OK);
    assert_int_equal(assay_session_rows(s, which), frames);
    for (unsigned i = 0; i < frames; i++)
        assert_memory_equal(assay_session_row(s, which, i, NULL), out.value[i], sizeof(double));
    ok(s, assay_session_aggregate(s, which, &aggregate));
    assert_memory_equal(&aggregate, &out.aggregate[0], sizeof aggregate);
}

static void test_encodes_that_end(void **state)
{
    (void)state;
    const assay_format f = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    const assay_config config = {.threads = 2, .encodes = ENCODES};
    struct clip c[ENCODES];
    for (unsigned k = 0; k < ENCODES; k++)
        clip_open(&c[k], &f, 12, 3 + 4 * k, 0);
    assay_session *s = open_session(&config, "cvvdp=fps=24:padding=symmetric");
    ok(s, assay_session_start(s, &f));
    for (unsigned i = 0; i < 12; i++) {
        submit(s, c, i);
        if (i == 2) {
            assert_int_equal(assay_session_end_encode(s, 0, ASSAY_ENCODE_ENDS), ASSAY_EUSAGE);
            assert_non_null(strstr(assay_session_error(s), "encode 0 ends behind 3 frames"));
            ok(s, assay_session_end_encode(s, 1, ASSAY_ENCODE_BREAKS_OFF));
        }
        if (i == 8)
            ok(s, assay_session_end_encode(s, 2, ASSAY_ENCODE_ENDS));
    }
    ok(s, assay_session_flush(s));
    same_encode(s, 0, &c[0], 12);
    same_encode(s, 2, &c[2], 9);
    assert_int_equal(assay_session_rows(s, 1), 0);
    assay_session_close(&s);
    for (int how = ASSAY_ENCODE_ENDS; how <= ASSAY_ENCODE_BREAKS_OFF; how++) {
        s = open_session(&config, "cvvdp=fps=24:padding=symmetric");
        ok(s, assay_session_start(s, &f));
        for (unsigned i = 0; i < 3; i++)
            submit(s, c, i);
        ok(s, assay_session_end_encode(s, 0, ASSAY_ENCODE_BREAKS_OFF));
        ok(s, assay_session_end_encode(s, 2, ASSAY_ENCODE_BREAKS_OFF));
        ok(s, assay_session_end_encode(s, 1, how)); /* no other one goes on */
        if (how == ASSAY_ENCODE_ENDS)
            same_encode(s, 1, &c[1], 3);
        ok(s, assay_session_flush(s));
        assert_int_equal(assay_session_rows(s, 1), how == ASSAY_ENCODE_ENDS ? 3 : 0); /* nothing is mirrored */
        assay_session_close(&s);
    }
    for (unsigned k = 0; k < ENCODES; k++)
        clip_close(&c[k]);
}

/* ---- pairs that are taken ---------------------------------------------------------------------------------------- */

static void test_pairs_that_are_taken(void **state)
{
    (void)state;
    const assay_format f = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    assay_session *s = open_session(&(assay_config){.frames_in_flight = 2}, "cvvdp=fps=24:padding=symmetric");
    assay_buffer to[2];
    uint32_t before, after;
    unsigned taken = 0;
    ok(s, assay_session_start(s, &f));
    ok(s, assay_session_reach(s, &before, &after));
    assert_int_equal(before, 6);
    assert_int_equal(after, 6);
    while (!assay_session_take(s, &to[0], &to[1]))
        taken++;
    assert_int_equal(taken, 6 + 2); /* none is scored before the seventh is there */
    assert_non_null(strstr(assay_session_error(s), "none committed"));
    assert_int_equal(assay_session_flush(s), ASSAY_EUSAGE);
    assert_non_null(strstr(assay_session_error(s), "a taken pair is committed before"));
    ok(s, assay_session_commit(s, 0, ASSAY_UNUSED)); /* all of them */
    ok(s, assay_session_flush(s));
    assert_int_equal(assay_session_rows(s, 0), 0);
    assay_session_close(&s);
}

/* The first pairs have no planes when they are submitted. */
static void test_no_planes(void **state)
{
    (void)state;
    const assay_format f = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    assay_session *s = open_session(&(assay_config){.keep_planes = 1}, "cvvdp=fps=24:padding=symmetric");
    assert_int_equal(assay_session_start(s, &f), ASSAY_EUSAGE);
    assert_non_null(strstr(assay_session_error(s), "planes and maps of each can't be read"));
    assay_session_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_by_hand), cmocka_unit_test(test_sequences), cmocka_unit_test(test_differs),
        cmocka_unit_test(test_others_see_nothing), cmocka_unit_test(test_encodes_that_end),
        cmocka_unit_test(test_pairs_that_are_taken), cmocka_unit_test(test_no_planes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
