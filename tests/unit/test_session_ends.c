/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes of a session that end before others: one behind 5 frames, one that can't be read behind 9, one with all. The
 * scores, aggregates and totals of each are those of a session of its own over as many frames, bit for bit, however the
 * pictures come. And the rows that a session keeps. With an argument, a backend, against the CPU's sessions of one.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "null_executor.h"
#include "session_test.h"

enum { FRAMES = 12, ENCODES = 3, KEYS = 1024, WIDTH = 220, HEIGHT = 178, NEVER = 99 };

static const char *backend;

static const struct { unsigned frames; int how; } ends[ENCODES] = {
    {5, ASSAY_ENCODE_ENDS}, {9, ASSAY_ENCODE_BREAKS_OFF}, {FRAMES, NEVER}};

static const char *const everything[] = {"*", "vmaf=model=v1:name=v1", NULL};
/* Of one frame; of neighbours before, and behind; with state; computed together for all encodes. */
static const char *const some[] = {"psnr", "motion", "speed_temporal", "vif", "float_ms_ssim", "ssim", NULL};

struct ladder {
    assay_config config;
    const char *const *metrics;
    assay_format format[ENCODES];
    struct clip clip[ENCODES]; /* side 0 is the reference in all */
};

static void ladder_open(struct ladder *l, const char *const *metrics, uint32_t depth)
{
    *l = (struct ladder){.metrics = metrics, .config = {.backend = backend, .threads = 2, .allow_depth = 1}};
    for (uint32_t k = 0; k < ENCODES; k++) {
        l->format[k] = format_of(ASSAY_LAYOUT_420, k ? 8 : depth, WIDTH, HEIGHT);
        clip_open(&l->clip[k], &l->format[k], FRAMES, 3 + 4 * k, k);
    }
}

static void ladder_close(struct ladder *l)
{
    for (uint32_t k = 0; k < ENCODES; k++)
        clip_close(&l->clip[k]);
}

static void ok(assay_session *s, int rc)
{
    if (rc)
        fail_msg("%s", assay_session_error(s));
}

static int never_called(void *opaque, uint64_t frame, const double *values)
{
    (void)frame, (void)values;
    ++*(unsigned *)opaque;
    return 0;
}

static assay_session *open_session(const struct ladder *l, uint32_t first, uint32_t n)
{
    assay_session *s;
    assay_config config = l->config;
    config.encodes = n;
    config.distorted = &l->format[first];
    assert_int_equal(assay_session_new(&s, &config, NULL, 0), ASSAY_OK);
    for (unsigned i = 0; l->metrics[i]; i++)
        ok(s, strcmp(l->metrics[i], "*") ? assay_session_add_metric(s, l->metrics[i])
                                         : assay_session_add_all(s, &l->format[1], NULL, NULL));
    return s;
}

/* ---- what an encode has ------------------------------------------------------------------------------------------ */

struct result {
    uint32_t keys, aggregates, totals;
    uint64_t rows;
    char key[KEYS][64];
    double value[FRAMES][KEYS], mean[KEYS], aggregate[64];
    assay_total total[128];
};

static struct result *result_of(assay_session *s, uint32_t encode)
{
    struct result *r = calloc(1, sizeof *r);
    assert_non_null(r);
    const uint32_t n = assay_session_encodes(s);
    r->keys = assay_session_keys(s) / n;
    r->aggregates = assay_session_aggregates(s) / n;
    r->totals = assay_session_totals(s) / n;
    r->rows = assay_session_rows(s, encode);
    assert_true(r->keys <= KEYS && r->rows <= FRAMES && r->aggregates <= 64 && r->totals <= 128);
    for (uint64_t row = 0; row < r->rows; row++) {
        uint64_t frame = NEVER;
        const double *values = assay_session_row(s, encode, row, &frame);
        assert_non_null(values);
        assert_int_equal(frame, row);
        memcpy(r->value[row], values, r->keys * sizeof *values);
    }
    assert_null(assay_session_row(s, encode, r->rows, NULL));
    for (uint32_t i = 0; i < r->keys; i++) {
        snprintf(r->key[i], sizeof r->key[i], "%s", assay_session_key(s, encode * r->keys + i));
        assert_int_equal(assay_session_find_key(s, encode, r->key[i]), encode * r->keys + i);
        ok(s, assay_session_pooled_at(s, encode * r->keys + i, "mean", &r->mean[i]));
    }
    for (uint32_t i = 0; i < r->aggregates; i++)
        ok(s, assay_session_aggregate(s, encode * r->aggregates + i, &r->aggregate[i]));
    for (uint32_t i = 0; i < r->totals; i++)
        ok(s, assay_session_total(s, encode * r->totals + i, &r->total[i]));
    return r;
}

/* The encode alone, over `frames` frames. */
static struct result *alone(const struct ladder *l, uint32_t encode, unsigned frames, int how)
{
    struct ladder one = *l;
    one.config.backend = NULL;
    assay_session *s = open_session(&one, encode, 1);
    ok(s, assay_session_start(s, &l->format[1]));
    for (unsigned i = 0; i < frames; i++) {
        const assay_picture reference = clip_view(&l->clip[1], i, 0), distorted = clip_view(&l->clip[encode], i, 1);
        ok(s, assay_session_submit(s, i, &reference, &distorted));
    }
    ok(s, how == ASSAY_ENCODE_BREAKS_OFF ? assay_session_wait(s) : assay_session_flush(s));
    struct result *r = result_of(s, 0);
    assay_session_close(&s);
    return r;
}

static void same(const struct result *all, const struct result *one, uint32_t encode)
{
    assert_int_equal(all->rows, one->rows);
    assert_int_equal(all->keys, one->keys);
    for (uint64_t row = 0; row < one->rows; row++)
        for (uint32_t i = 0; i < one->keys; i++)
            if (strcmp(all->key[i], one->key[i]) || memcmp(&all->value[row][i], &one->value[row][i], sizeof(double)))
                fail_msg("%s of encode %u, frame %u: %a, alone %a", one->key[i], encode, (unsigned)row,
                         all->value[row][i], one->value[row][i]);
    assert_memory_equal(all->mean, one->mean, sizeof one->mean);
    assert_memory_equal(all->aggregate, one->aggregate, sizeof one->aggregate);
    assert_memory_equal(all->total, one->total, sizeof one->total);
}

/* ---- how pictures come ------------------------------------------------------------------------------------------- */

enum way { WAY_COPY, WAY_RELEASE, WAY_TAKE, WAY_LEND, WAY_READ, WAY_READ_LENT, WAYS };

static void count_release(void *opaque)
{
    __atomic_fetch_add((uint32_t *)opaque, 1, __ATOMIC_RELAXED);
}

static void fill_buffer(const assay_buffer *to, const struct clip *c, unsigned frame, unsigned side)
{
    const size_t sample = c->format.bit_depth > 8 ? 2 : 1;
    for (uint32_t p = 0; p < assay_format_planes(&c->format); p++)
        for (uint32_t y = 0; y < assay_format_plane_height(&c->format, p); y++)
            memcpy((char *)to->plane[p] + (ptrdiff_t)y * to->stride[p],
                   c->picture[frame][side].plane[p] + (ptrdiff_t)y * c->picture[frame][side].stride[p],
                   assay_format_plane_width(&c->format, p) * sample);
}

/* The picture of an encode that has ended is junk. */
static void feed_frame(assay_session *s, const struct ladder *l, unsigned frame, enum way way, uint32_t *released,
                       unsigned *lent)
{
    assay_buffer to, distorted_to[ENCODES];
    assay_picture reference = clip_view(&l->clip[1], frame, 0), distorted[ENCODES] = {{.release = NULL}};
    if (way == WAY_TAKE || way == WAY_LEND) {
        const bool lend = way == WAY_LEND;
        ok(s, assay_session_take(s, &to, distorted_to));
        if (!lend || !clip_lend(s, 0, &to, &l->clip[1], frame, 0, lent))
            fill_buffer(&to, &l->clip[1], frame, 0);
        for (uint32_t k = 0; k < ENCODES; k++)
            if (frame >= ends[k].frames)
                assert_true(!distorted_to[k].plane[0] && !distorted_to[k].lends);
            else if (!lend || !clip_lend(s, k + 1, &distorted_to[k], &l->clip[k], frame, 1, lent))
                fill_buffer(&distorted_to[k], &l->clip[k], frame, 1);
        ok(s, assay_session_commit(s, frame, ASSAY_SCORED));
        return;
    }
    for (uint32_t k = 0; k < ENCODES; k++)
        if (frame < ends[k].frames) {
            distorted[k] = clip_view(&l->clip[k], frame, 1);
            distorted[k].release = way == WAY_RELEASE ? count_release : NULL;
            distorted[k].opaque = released;
        }
    ok(s, assay_session_submit(s, frame, &reference, distorted));
}

static void feed_all(assay_session *s, const struct ladder *l, enum way way)
{
    uint32_t released = 0;
    unsigned lent = 0;
    for (unsigned i = 0; i < FRAMES; i++) {
        for (uint32_t k = 0; k < ENCODES; k++)
            if (ends[k].frames == i) {
                ok(s, assay_session_end_encode(s, k, ends[k].how));
                if (way == WAY_RELEASE) /* those of this encode are all back; the others' frames are done, too */
                    assert_true(released >= i);
            }
        feed_frame(s, l, i, way, &released, &lent);
    }
    ok(s, assay_session_flush(s));
    assert_int_equal(lent, 0);
    assert_int_equal(released, way == WAY_RELEASE ? 5 + 9 + FRAMES : 0);
}

struct reading {
    const struct ladder *ladder;
    unsigned told;
    assay_session *lends; /* NULL: pictures are copied */
    unsigned lent;
};

static int read_picture(void *opaque, unsigned side, uint64_t pair, uint64_t place, const assay_buffer *to, char *error,
                        size_t error_size)
{
    struct reading *r = opaque;
    (void)place;
    if (side && pair >= ends[side - 1].frames && ends[side - 1].how == ASSAY_ENCODE_BREAKS_OFF) {
        snprintf(error, error_size, "torn");
        return ASSAY_EINPUT;
    }
    if (pair >= (side ? ends[side - 1].frames : FRAMES))
        return 0;
    const struct clip *c = &r->ladder->clip[side ? side - 1 : 1];
    if (to && (!r->lends || !clip_lend(r->lends, side, to, c, (unsigned)pair, side ? 1 : 0, &r->lent)))
        fill_buffer(to, c, (unsigned)pair, side ? 1 : 0);
    return 1;
}

static int tell_end(void *opaque, uint32_t encode, uint64_t pair, int got, const char *error)
{
    struct reading *r = opaque;
    if (pair != ends[encode].frames || encode == 2 || got != (encode ? ASSAY_EINPUT : 0) ||
        strcmp(error, encode ? "torn" : "") != 0)
        return ASSAY_EINTERNAL;
    r->told++;
    return ends[encode].how;
}

static void read_all(assay_session *s, const struct ladder *l, bool lent)
{
    struct reading r = {.ladder = l, .lends = lent ? s : NULL};
    const assay_reader reader = {.read = read_picture, .ended = tell_end, .opaque = &r};
    assay_read_end end;
    ok(s, assay_session_read(s, &reader, 0, UINT64_MAX, &end));
    assert_int_equal(r.told, 2);
    assert_int_equal(end.pairs, FRAMES);
    for (uint32_t side = 0; side <= ENCODES; side++) {
        assert_int_equal(end.ended[side], 1);
        assert_int_equal(end.had[side], side ? ends[side - 1].frames : FRAMES);
    }
    ok(s, assay_session_flush(s));
    assert_int_equal(r.lent, 0);
}

/* What is polled has NaN where an encode has ended, and the kept rows where it has not. */
static void check_polled(assay_session *s, struct result *const *of)
{
    static double values[ENCODES * KEYS];
    uint64_t frame, rows = 0;
    while (assay_session_poll(s, &frame, values) == 1) {
        assert_int_equal(frame, rows);
        for (uint32_t k = 0; k < ENCODES; k++)
            for (uint32_t i = 0; i < of[k]->keys; i++) {
                const double v = values[k * of[k]->keys + i];
                assert_true(rows < of[k]->rows ? !memcmp(&v, &of[k]->value[rows][i], sizeof v) : isnan(v));
            }
        rows++;
    }
    assert_int_equal(rows, FRAMES);
}

static void compare(struct ladder *l, enum way way, bool callback)
{
    struct result *all[ENCODES];
    unsigned called = 0;
    assay_session *s = open_session(l, 0, ENCODES);
    if (callback)
        ok(s, assay_session_set_callback(s, never_called, &called));
    ok(s, assay_session_start(s, &l->format[1]));
    if (way >= WAY_READ)
        read_all(s, l, way == WAY_READ_LENT);
    else
        feed_all(s, l, way);
    for (uint32_t k = 0; k < ENCODES; k++)
        all[k] = result_of(s, k);
    if (callback)
        assert_int_equal(called, FRAMES);
    else
        check_polled(s, all);
    for (uint32_t k = 0; k < ENCODES; k++) {
        struct result *one = alone(l, k, ends[k].frames, ends[k].how);
        same(all[k], one, k);
        free(one);
        free(all[k]);
    }
    assay_session_close(&s);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void every_metric(void **unused)
{
    struct ladder l;
    (void)unused;
    ladder_open(&l, everything, 8);
    compare(&l, WAY_READ, false);
    ladder_close(&l);
}

static void every_way_and_number_of_threads(void **unused)
{
    static const unsigned threads[][WAYS] = {{1, 2, 5, 3, 3, 4}, {16, 8, 33, 9, 9, 12}}; /* from 8 on in groups */
    struct ladder l;
    (void)unused;
    ladder_open(&l, some, 8);
    for (enum way way = 0; way < WAYS; way++)
        for (unsigned i = 0; i < 2; i++) {
            l.config.threads = threads[i][way];
            compare(&l, way, way & 1);
        }
    ladder_close(&l);
}

/* Encode 0 has another form of the reference, which nobody needs behind its end; strips go encode by encode. */
static void another_depth_in_strips(void **unused)
{
    struct ladder l;
    (void)unused;
    ladder_open(&l, some, 10);
    l.config.strip_height = backend ? 0 : 32;
    compare(&l, WAY_TAKE, false);
    compare(&l, WAY_READ, true);
    ladder_close(&l);
}

static void without_a_device(void **unused)
{
    struct ladder l;
    (void)unused;
    ladder_open(&l, some, 8);
    l.config.backend = "null";
    for (enum way way = 0; way < WAYS; way++) {
        assay_session *s;
        null_reset(2, NULL_OPEN, 0);
        s = open_session(&l, 0, ENCODES);
        ok(s, assay_session_start(s, &l.format[1]));
        if (way >= WAY_READ)
            read_all(s, &l, way == WAY_READ_LENT);
        else
            feed_all(s, &l, way);
        assert_int_equal(assay_session_rows(s, 0), 5);
        assert_true(assay_session_rows(s, 1) < 9);
        assert_int_equal(assay_session_rows(s, 2), FRAMES);
        assay_session_close(&s);
        assert_int_equal(null_look()->changed_inputs, 0);
        assert_int_equal(null_look()->misplaced, 0);
        assert_int_equal(null_look()->host_blocks, 0);
        assert_int_equal(null_look()->count[NULL_SUBMIT], FRAMES);
    }
    ladder_close(&l);
}

/* Pictures that are lent for pairs that nobody commits, or that are refused, are released. */
static void lent_for_nothing(void **unused)
{
    const assay_format format = format_of(ASSAY_LAYOUT_420, 10, WIDTH, HEIGHT);
    struct clip c;
    struct ladder l;
    unsigned lent = 0;
    assay_buffer to, distorted[ENCODES], second, more[ENCODES];
    (void)unused;
    clip_open(&c, &format, 2, 5, 0);
    ladder_open(&l, (const char *const[]){"psnr", NULL}, 10);
    l.config.frames_in_flight = 3;
    l.config.backend = NULL;
    assay_session *s = open_session(&l, 0, 2); /* of 10 and 8 bits */
    const assay_picture kept = clip_view(&c, 0, 1);
    assert_int_equal(assay_session_lend(s, 1, &to, &kept), ASSAY_EUSAGE);
    ok(s, assay_session_start(s, &format));
    ok(s, assay_session_take(s, &to, distorted));
    ok(s, assay_session_take(s, &second, more));
    assert_true(to.lends && distorted[0].lends && !distorted[1].lends); /* the last one is brought to 10 bits */
    assert_int_equal(assay_session_lend(s, 1, &distorted[0], NULL), ASSAY_EUSAGE);
    assert_int_equal(assay_session_lend(s, 1, &distorted[0], &kept), ASSAY_EUSAGE); /* nobody could release it */
    assay_picture p = kept;
    p.release = count_release;
    p.opaque = &lent;
    assert_int_equal(assay_session_lend(s, 3, &distorted[0], &p), ASSAY_EUSAGE);
    assert_int_equal(assay_session_lend(s, 2, &distorted[1], &p), ASSAY_EUSAGE);
    assert_int_equal(assay_session_lend(s, 2, &distorted[0], &p), ASSAY_EUSAGE); /* another side's buffer */
    assert_int_equal(assay_session_lend(s, 1, &(assay_buffer){.slot = 99, .lends = 1}, &p), ASSAY_EUSAGE);
    p.plane[1] = NULL;
    assert_int_equal(assay_session_lend(s, 1, &distorted[0], &p), ASSAY_EUSAGE);
    p.plane[1] = kept.plane[1];
    p.reserved[0] = 7;
    assert_int_equal(assay_session_lend(s, 1, &distorted[0], &p), ASSAY_EUSAGE);
    assert_int_equal(assay_session_lend(NULL, 1, &distorted[0], &p), ASSAY_EUSAGE);
    assert_int_equal(lent, 0);
    assert_true(clip_lend(s, 0, &to, &c, 0, 0, &lent) && clip_lend(s, 1, &distorted[0], &c, 0, 1, &lent));
    assert_true(clip_lend(s, 1, &distorted[0], &c, 1, 1, &lent)); /* in the place of the one before */
    assert_true(clip_lend(s, 1, &more[0], &c, 1, 1, &lent));
    assert_int_equal(lent, 3);
    ok(s, assay_session_commit(s, 0, ASSAY_UNUSED)); /* both go back */
    assert_int_equal(lent, 0);
    ok(s, assay_session_take(s, &to, distorted));
    ((uint16_t *)c.picture[0][0].plane[0])[3] = 1024;
    assert_true(clip_lend(s, 0, &to, &c, 0, 0, &lent) && clip_lend(s, 1, &distorted[0], &c, 0, 1, &lent));
    assert_int_equal(assay_session_commit(s, 0, ASSAY_SCORED), ASSAY_EINPUT);
    assert_non_null(strstr(assay_session_error(s), "the reference picture has a code above 1023"));
    assert_int_equal(lent, 0);
    ok(s, assay_session_take(s, &to, distorted));
    assert_true(clip_lend(s, 0, &to, &c, 1, 0, &lent));
    assay_session_close(&s);
    assert_int_equal(lent, 0);
    clip_close(&c);
    ladder_close(&l);
}

/* Readers that lend while a commit fails, or behind the end of their encode. Pair `wrong` of encode 0 has a code that
 * is too large (`code`), or can't be read. Behind it a second thread of that side is late. */
struct lender {
    assay_session *session;
    const struct clip *clip, *large;
    unsigned lent;
    uint64_t wrong;
    bool code;
};

static int find_picture(void *opaque, unsigned side, uint64_t pair, int use, uint64_t *place, char *error, size_t size)
{
    (void)opaque, (void)side, (void)use, (void)error, (void)size;
    *place = pair;
    return pair < FRAMES;
}

static int lend_picture(void *opaque, unsigned side, uint64_t pair, uint64_t place, const assay_buffer *to, char *error,
                        size_t size)
{
    struct lender *l = opaque;
    const bool wrong = side == 1 && pair == l->wrong;
    if (side == 1 && pair > l->wrong)
        usleep(100000);
    if (wrong && !l->code) {
        snprintf(error, size, "torn");
        return ASSAY_EINPUT;
    }
    const struct clip *c = wrong ? l->large : l->clip;
    return clip_lend(l->session, side, to, c, (unsigned)place, side != 0, &l->lent) ? 1 : ASSAY_EINTERNAL;
}

static int break_off(void *opaque, uint32_t encode, uint64_t pair, int got, const char *error)
{
    (void)opaque, (void)encode, (void)pair, (void)got, (void)error;
    return ASSAY_ENCODE_BREAKS_OFF;
}

static void lent_while_reading(void **unused)
{
    const assay_format format = format_of(ASSAY_LAYOUT_420, 10, WIDTH, HEIGHT);
    struct clip c, large, equal;
    struct ladder l;
    (void)unused;
    clip_open(&c, &format, FRAMES, 5, 0);
    clip_open(&large, &format, FRAMES, 5, 0);
    clip_open(&equal, &format, FRAMES, 0, 0);
    ladder_open(&l, (const char *const[]){"psnr", NULL}, 10);
    l.format[1] = format;
    l.config.backend = NULL;
    l.config.prefetch_frames = 3;
    for (unsigned frame = 0; frame < FRAMES; frame++)
        ((uint16_t *)(void *)large.picture[frame][1].plane[0])[3] = 1024;
    for (unsigned i = 0; i < 2; i++) {
        assay_session *s = open_session(&l, 0, 2);
        struct lender own = {.session = s, .clip = &c, .large = &large, .wrong = i ? 2 : 0, .code = !i};
        const assay_reader reader = {.find = find_picture, .read = lend_picture, .ended = i ? break_off : NULL,
                                     .opaque = &own, .threads = {2, 2, 2}};
        assay_buffer to, distorted[ENCODES];
        assay_read_end end;
        double psnr;
        ok(s, assay_session_start(s, &format));
        const int rc = assay_session_read(s, &reader, 0, UINT64_MAX, &end);
        if (rc != (i ? ASSAY_OK : ASSAY_EINPUT))
            fail_msg("%s", assay_session_error(s));
        for (unsigned frame = FRAMES; !i && frame < FRAMES + 5; frame++) { /* other pairs in the same slots */
            ok(s, assay_session_take(s, &to, distorted));
            fill_buffer(&to, &equal, 0, 0);
            fill_buffer(&distorted[0], &equal, 0, 1);
            fill_buffer(&distorted[1], &equal, 0, 1);
            ok(s, assay_session_commit(s, frame, ASSAY_SCORED));
        }
        ok(s, assay_session_flush(s));
        for (uint64_t row = 0; !i && row < 5; row++) {
            assert_int_equal(assay_session_value(s, assay_session_find_key(s, 0, "psnr_y"), FRAMES + row,
                                                 &psnr), 1);
            assert_true(psnr > 70);
        }
        assert_int_equal(assay_session_rows(s, 1), i ? FRAMES : 5);
        assay_session_close(&s);
        assert_int_equal(own.lent, 0);
    }
    clip_close(&c);
    clip_close(&large);
    clip_close(&equal);
    ladder_close(&l);
}

/* The rows of a session while it runs: there, not yet, never. */
static void rows_while_it_runs(void **unused)
{
    struct ladder l;
    double v = 0, all = 0, tail = 0;
    (void)unused;
    ladder_open(&l, (const char *const[]){"psnr", "motion", NULL}, 8);
    assay_session *s = open_session(&l, 0, ENCODES);
    assert_int_equal(assay_session_rows(s, 0), 0);
    assert_int_equal(assay_session_find_key(s, 0, "psnr_y"), ASSAY_NONE);
    assert_int_equal(assay_session_end_encode(s, 0, ASSAY_ENCODE_ENDS), ASSAY_EUSAGE);
    ok(s, assay_session_start(s, &l.format[1]));
    const uint32_t key = assay_session_find_key(s, 0, "psnr_y"), other = assay_session_find_key(s, 1, "psnr_y");
    assert_int_equal(assay_session_key_encode(s, other), 1);
    assert_int_equal(assay_session_find_key(s, ENCODES, "psnr_y"), ASSAY_NONE);
    assert_int_equal(assay_session_value(s, key, 0, &v), 0);
    assert_int_equal(assay_session_value(s, 99999, 0, &v), ASSAY_EUSAGE);
    for (unsigned i = 0; i < 3; i++)
        feed_frame(s, &l, i, WAY_COPY, NULL, NULL);
    ok(s, assay_session_wait(s));
    assert_int_equal(assay_session_rows(s, 0), 2); /* motion of the last one needs another */
    uint64_t frame;
    const double *row = assay_session_row(s, 0, 1, &frame);
    assert_int_equal(frame, 1);
    assert_int_equal(assay_session_value(s, key, 1, &v), 1);
    assert_memory_equal(&v, &row[key], sizeof v);
    assert_int_equal(assay_session_value(s, key, 2, &v), 0);
    assert_int_equal(assay_session_end_encode(s, 0, 7), ASSAY_EUSAGE);
    assert_int_equal(assay_session_end_encode(s, ENCODES, ASSAY_ENCODE_ENDS), ASSAY_EUSAGE);
    ok(s, assay_session_end_encode(s, 0, ASSAY_ENCODE_ENDS));
    assert_int_equal(assay_session_end_encode(s, 0, ASSAY_ENCODE_ENDS), ASSAY_EUSAGE);
    assert_int_equal(assay_session_value(s, key, 2, &v), 1); /* final at once */
    assert_int_equal(assay_session_value(s, key, 3, &v), ASSAY_EUSAGE);
    assert_non_null(strstr(assay_session_error(s), "ended before frame 3"));
    assert_int_equal(assay_session_value(s, other, 2, &v), 0);
    ok(s, assay_session_pooled_at(s, key, "mean", &all));
    ok(s, assay_session_pooled_range(s, key, "mean", 1, 3, &tail));
    double first = assay_session_row(s, 0, 0, NULL)[key];
    assert_true(fabs(first + 2 * tail - 3 * all) < 1e-9 && tail != all);
    ok(s, assay_session_pooled_range(s, key, "median", 1, 2, &tail));
    assert_memory_equal(&tail, &row[key], sizeof tail);
    ok(s, assay_session_pooled_range(s, key, "min", 3, 3, &tail));
    assert_true(isnan(tail));
    /* Many rows later the first ones are where they were. */
    for (unsigned i = 0; i < 600; i++) {
        const assay_picture reference = clip_view(&l.clip[1], 3, 0);
        const assay_picture distorted[ENCODES] = {[1] = clip_view(&l.clip[1], 3, 1), [2] = clip_view(&l.clip[2], 3, 1)};
        ok(s, assay_session_submit(s, 10 + 2 * i, &reference, distorted));
    }
    ok(s, assay_session_flush(s));
    assert_ptr_equal(row, assay_session_row(s, 0, 1, NULL));
    assert_int_equal(assay_session_rows(s, 1), 603);
    assert_int_equal(assay_session_value(s, other, 10 + 2 * 599, &v), 1);
    assert_int_equal(assay_session_value(s, other, 11, &v), ASSAY_EUSAGE);
    assert_non_null(strstr(assay_session_error(s), "frame 11 was not submitted"));
    for (uint32_t k = 1; k < ENCODES; k++)
        ok(s, assay_session_end_encode(s, k, ASSAY_ENCODE_ENDS));
    const assay_picture reference = clip_view(&l.clip[1], 0, 0), distorted[ENCODES] = {{.release = NULL}};
    assert_int_equal(assay_session_submit(s, 5000, &reference, distorted), ASSAY_EUSAGE);
    assert_non_null(strstr(assay_session_error(s), "every encode of the session has ended"));
    ok(s, assay_session_flush(s));
    assay_session_close(&s);
    ladder_close(&l);
}

/* Every number of a frame counts, the largest one, too. */
static void last_number(void **unused)
{
    struct ladder l;
    double first, last, v;
    (void)unused;
    ladder_open(&l, (const char *const[]){"psnr", NULL}, 8);
    assay_session *s = open_session(&l, 0, 1);
    ok(s, assay_session_start(s, &l.format[1]));
    for (unsigned i = 0; i < 2; i++) {
        const assay_picture reference = clip_view(&l.clip[0], i, 0), distorted = clip_view(&l.clip[0], i, 1);
        ok(s, assay_session_submit(s, i ? UINT64_MAX : 0, &reference, &distorted));
    }
    ok(s, assay_session_flush(s));
    assert_int_equal(assay_session_value(s, 0, 0, &first), 1);
    assert_int_equal(assay_session_value(s, 0, UINT64_MAX, &last), 1);
    ok(s, assay_session_pooled(s, assay_session_key(s, 0), "mean", &v));
    assert_true(first != last && v == (first + last) / 2);
    ok(s, assay_session_pooled_range(s, 0, "max", UINT64_MAX, UINT64_MAX, &v));
    assert_true(v == last);
    ok(s, assay_session_pooled_range(s, 0, "mean", 0, 5, &v)); /* of numbers of frames, not of rows */
    assert_true(v == first);
    assay_session_close(&s);
    ladder_close(&l);
}

struct lent {
    assay_session *session;
    uint64_t calls;
    uint32_t each; /* keys of an encode */
};

/* Call n is for row n of each encode that has the frame. */
static int look_at_rows(void *opaque, uint64_t frame, const double *values)
{
    struct lent *t = opaque;
    for (uint32_t k = 0; k < ENCODES; k++) {
        uint64_t of = 0;
        const double *row = assay_session_row(t->session, k, t->calls, &of);
        if (row && (of != frame || memcmp(row, values + (size_t)k * t->each, t->each * sizeof *row)))
            return 1;
    }
    t->calls++;
    return 0;
}

/* What a session knows of scores outlives its device and its pictures. */
static void finished(void **unused)
{
    struct ladder l;
    double before[3], after[3] = {0};
    struct lent lent = {0};
    (void)unused;
    ladder_open(&l, (const char *const[]){"psnr", "xpsnr=fps=25", NULL}, 8);
    l.config.backend = "null";
    null_reset(2, NULL_OPEN, 0);
    assay_session *s = open_session(&l, 0, ENCODES);
    ok(s, assay_session_set_callback(s, look_at_rows, &lent));
    assert_int_equal(assay_session_finish(s), ASSAY_EUSAGE);
    ok(s, assay_session_start(s, &l.format[1]));
    lent = (struct lent){s, 0, assay_session_keys(s) / ENCODES};
    feed_all(s, &l, WAY_TAKE);
    assert_int_equal(lent.calls, FRAMES);
    const uint32_t key = assay_session_find_key(s, 2, "psnr_y"), aggregates = assay_session_aggregates(s);
    const double *row = assay_session_row(s, 2, FRAMES - 1, NULL);
    ok(s, assay_session_pooled_at(s, key, "mean", &before[0]));
    ok(s, assay_session_aggregate(s, aggregates - 1, &before[1]));
    before[2] = row[0];
    assert_int_not_equal(null_look()->host_blocks, 0);
    ok(s, assay_session_finish(s));
    assert_int_equal(null_look()->host_blocks, 0);
    ok(s, assay_session_finish(s));
    assert_ptr_equal(row, assay_session_row(s, 2, FRAMES - 1, NULL));
    ok(s, assay_session_pooled_at(s, key, "mean", &after[0]));
    ok(s, assay_session_aggregate(s, aggregates - 1, &after[1]));
    after[2] = row[0];
    assert_memory_equal(before, after, sizeof before);
    assert_string_equal(assay_session_key(s, key), "psnr_y");
    assert_non_null(strstr(assay_session_configuration(s), "xpsnr"));
    const assay_picture reference = clip_view(&l.clip[1], 3, 0), distorted[ENCODES] = {reference, reference, reference};
    assert_int_equal(assay_session_submit(s, 5000, &reference, distorted), ASSAY_EUSAGE);
    assert_non_null(strstr(assay_session_error(s), "finished"));
    assert_int_equal(assay_session_flush(s), ASSAY_EUSAGE);
    assert_string_equal(assay_session_backend(s), "");
    assay_session_close(&s);
    ladder_close(&l);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_metric),     cmocka_unit_test(every_way_and_number_of_threads),
        cmocka_unit_test(another_depth_in_strips), cmocka_unit_test(without_a_device),
        cmocka_unit_test(rows_while_it_runs), cmocka_unit_test(last_number), cmocka_unit_test(finished),
        cmocka_unit_test(lent_for_nothing), cmocka_unit_test(lent_while_reading),
    };
    backend = argc > 1 ? argv[1] : NULL;
    if (backend) {
        const struct CMUnitTest on_devices[] = {cmocka_unit_test(every_metric),
                                                cmocka_unit_test(another_depth_in_strips)};
        unsigned count, number;
        if (assay_find_device(backend, NULL, &count, &number, NULL, 0))
            return 77;
        return cmocka_run_group_tests(on_devices, NULL, NULL);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
