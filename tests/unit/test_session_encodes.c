/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session of several encodes against sessions of one each: equal bits of every value, aggregate and total. With an
 * argument, a backend: its sessions of several encodes against the CPU's of one. Where it has no device, the test is
 * skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "session_test.h"

enum { FRAMES = 4, KEYS = 2600, WIDTH = 220, HEIGHT = 178 };

static const char *backend;

/* A device has one round of each test: what varies is the engine's, and opening a device takes long. */
static unsigned rounds(unsigned all)
{
    return backend ? 1 : (all - 1) / SESSION_ONE_IN + 1;
}

/* Every metric, and models with features of their own. */
static const char *const everything[] = {"*", "vmaf=model=v1:name=v1", NULL};

/* ---- a ladder ---------------------------------------------------------------------------------------------------- */

struct ladder {
    assay_config config;
    const char *const *metrics;
    struct clip reference;
    uint32_t encodes;
    assay_format format[ASSAY_ENCODES]; /* of the encodes */
    struct clip clip[ASSAY_ENCODES];    /* side 1 is the encode */
};

/* All encodes have the reference's format; tests change `format` before ladder_fill. */
static void ladder_init(struct ladder *l, const assay_format *reference, uint32_t encodes, const char *const *metrics)
{
    *l = (struct ladder){.encodes = encodes, .metrics = metrics, .config = {.backend = backend, .threads = 2}};
    clip_open(&l->reference, reference, FRAMES, 0, 3);
    for (uint32_t k = 0; k < encodes; k++)
        l->format[k] = *reference;
}

static void ladder_fill(struct ladder *l)
{
    for (uint32_t k = 0; k < l->encodes; k++)
        clip_open(&l->clip[k], &l->format[k], FRAMES, k == 2 ? 0 : 3 + 4 * k, k % 3);
}

static void ladder_close(struct ladder *l)
{
    clip_close(&l->reference);
    for (uint32_t k = 0; k < l->encodes; k++)
        clip_close(&l->clip[k]);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

struct run {
    uint32_t keys, rows, aggregates, totals, released, lent;
    char key[KEYS][64];
    double value[FRAMES][KEYS], aggregate[64], mean[KEYS];
    assay_total total[256];
    char notes[8192], configuration[2048];
    assay_work work;
};

static void ok(assay_session *s, int rc)
{
    if (rc)
        fail_msg("%s", assay_session_error(s));
}

static void count_release(void *opaque)
{
    __atomic_fetch_add((uint32_t *)opaque, 1, __ATOMIC_RELAXED);
}

/* The session of `n` encodes from `first` on, started. */
static assay_session *open_session(const struct ladder *l, uint32_t first, uint32_t n)
{
    char error[512];
    assay_session *s;
    assay_config config = l->config;
    config.encodes = n;
    config.distorted = &l->format[first];
    if (assay_session_new(&s, &config, error, sizeof error))
        fail_msg("%s", error);
    for (unsigned i = 0; l->metrics[i]; i++)
        ok(s, strcmp(l->metrics[i], "*") ? assay_session_add_metric(s, l->metrics[i])
                                         : assay_session_add_all(s, &l->reference.format, NULL, NULL));
    ok(s, assay_session_start(s, &l->reference.format));
    assert_int_equal(assay_session_encodes(s), n);
    return s;
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

static void feed_frame(assay_session *s, const struct ladder *l, uint32_t first, uint32_t n, unsigned frame,
                       enum feed feed, struct run *out)
{
    if (feed == FEED_TAKE || feed == FEED_LEND) {
        assay_buffer reference, distorted[ASSAY_ENCODES];
        ok(s, assay_session_take(s, &reference, distorted));
        if (feed == FEED_TAKE || !clip_lend(s, 0, &reference, &l->reference, frame, 0, &out->lent))
            fill_buffer(&reference, &l->reference, frame, 0);
        for (uint32_t k = 0; k < n; k++)
            if (feed == FEED_TAKE || !clip_lend(s, k + 1, &distorted[k], &l->clip[first + k], frame, 1, &out->lent))
                fill_buffer(&distorted[k], &l->clip[first + k], frame, 1);
        ok(s, assay_session_commit(s, frame, ASSAY_SCORED));
        return;
    }
    assay_picture reference = clip_view(&l->reference, frame, 0), distorted[ASSAY_ENCODES];
    for (uint32_t k = 0; k < n; k++)
        distorted[k] = clip_view(&l->clip[first + k], frame, 1);
    for (uint32_t side = 0; feed == FEED_RELEASE && side <= n; side++) {
        assay_picture *p = side ? &distorted[side - 1] : &reference;
        p->release = count_release;
        p->opaque = &out->released;
    }
    ok(s, assay_session_submit(s, frame, &reference, distorted));
}

static void gather(assay_session *s, struct run *out)
{
    uint64_t frame;
    out->keys = assay_session_keys(s);
    out->aggregates = assay_session_aggregates(s);
    out->totals = assay_session_totals(s);
    assert_true(out->keys <= KEYS && out->aggregates <= 64 && out->totals <= 256);
    while (assay_session_poll(s, &frame, out->value[out->rows]) == 1)
        assert_int_equal(frame, out->rows++);
    assert_int_equal(out->rows, FRAMES);
    for (uint32_t i = 0; i < out->keys; i++) {
        snprintf(out->key[i], sizeof out->key[i], "%s", assay_session_key(s, i));
        ok(s, assay_session_pooled_at(s, i, "mean", &out->mean[i]));
    }
    for (uint32_t i = 0; i < out->aggregates; i++)
        ok(s, assay_session_aggregate(s, i, &out->aggregate[i]));
    for (uint32_t i = 0; i < out->totals; i++)
        ok(s, assay_session_total(s, i, &out->total[i]));
    ok(s, assay_session_work(s, &out->work));
    snprintf(out->notes, sizeof out->notes, "%s", assay_session_notes(s));
    snprintf(out->configuration, sizeof out->configuration, "%s", assay_session_configuration(s));
}

static struct run *score_encodes(const struct ladder *l, uint32_t first, uint32_t n, enum feed feed)
{
    struct run *out = calloc(1, sizeof *out);
    assert_non_null(out);
    assay_session *s = open_session(l, first, n);
    for (unsigned i = 0; i < FRAMES; i++)
        feed_frame(s, l, first, n, i, feed, out);
    ok(s, assay_session_flush(s));
    gather(s, out);
    assay_session_close(&s);
    assert_int_equal(out->released, feed == FEED_RELEASE ? FRAMES * (n + 1) : 0);
    assert_int_equal(out->lent, 0);
    return out;
}

/* Encode k of `all` has what `one` has. */
static void same_bits(const struct run *all, const struct run *one, uint32_t k, uint32_t n)
{
    assert_int_equal(all->keys, n * one->keys);
    assert_int_equal(all->aggregates, n * one->aggregates);
    assert_int_equal(all->totals, n * one->totals);
    assert_string_equal(all->configuration, one->configuration);
    for (uint32_t i = 0; i < one->keys; i++) {
        const uint32_t at = k * one->keys + i;
        assert_string_equal(all->key[at], one->key[i]);
        for (unsigned row = 0; row < FRAMES; row++)
            if (memcmp(&all->value[row][at], &one->value[row][i], sizeof(double)))
                fail_msg("%s of encode %u, frame %u: %a, alone %a", one->key[i], k, row, all->value[row][at],
                         one->value[row][i]);
        assert_memory_equal(&all->mean[at], &one->mean[i], sizeof(double));
    }
    assert_memory_equal(&all->aggregate[k * one->aggregates], one->aggregate, one->aggregates * sizeof(double));
    assert_memory_equal(&all->total[k * one->totals], one->total, one->totals * sizeof one->total[0]);
}

/* Fills and closes the ladder. Returns the passes of all encodes, and those of sessions of one, in sum. */
static uint64_t compare(struct ladder *l, enum feed feed, uint64_t *alone)
{
    ladder_fill(l);
    struct run *all = score_encodes(l, 0, l->encodes, feed);
    const uint64_t passes = all->work.passes;
    *alone = 0;
    assert_int_equal(all->work.dispatches, FRAMES * passes);
    l->config.backend = NULL;
    for (uint32_t k = 0; k < l->encodes; k++) {
        struct run *one = score_encodes(l, k, 1, FEED_COPY);
        same_bits(all, one, k, l->encodes);
        *alone += one->work.passes;
        free(one);
    }
    free(all);
    ladder_close(l);
    return passes;
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void three_encodes(void **state)
{
    const assay_format format = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    uint64_t alone;
    struct ladder l;
    (void)state;
    for (enum feed feed = 0; feed < rounds(FEEDS); feed++) {
        ladder_init(&l, &format, 3, everything);
        assert_true(compare(&l, feed, &alone) < alone);
    }
}

static void sixteen_encodes(void **state)
{
    const assay_format format = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    static const char *const metrics[] = {"vmaf", "psnr", "float_ms_ssim", "motion", "speed_temporal", NULL};
    uint64_t alone;
    struct ladder l;
    (void)state;
    ladder_init(&l, &format, ASSAY_ENCODES, metrics);
    assert_true(compare(&l, FEED_TAKE, &alone) < alone);
}

/* Ranges differ: metrics of colour convert each encode from its own. */
static void colours(void **state)
{
    const assay_format format = format_of(ASSAY_LAYOUT_444, 8, WIDTH, HEIGHT);
    uint64_t alone;
    struct ladder l;
    (void)state;
    ladder_init(&l, &format, 3, (const char *const[]){"ssimulacra2", "psnr", "ciede2000", NULL});
    l.config.allow_colour = 1;
    l.format[0].range = ASSAY_RANGE_FULL;
    l.format[1].matrix = 6;
    assert_true(compare(&l, FEED_COPY, &alone) < alone);
}

/* The reference is compared in four depths, one of which is its own. */
static void depths(void **state)
{
    static const uint32_t depth[] = {12, 8, 10, 12, 16};
    static const enum feed feeds[] = {FEED_COPY, FEED_RELEASE, FEED_TAKE, FEED_LEND};
    uint64_t alone;
    struct ladder l;
    (void)state;
    for (unsigned i = 0; i < rounds(6); i++) {
        const uint32_t own = i / 3 ? 10 : 8;
        const assay_format format = format_of(ASSAY_LAYOUT_420, own, WIDTH, HEIGHT);
        ladder_init(&l, &format, 5, (const char *const[]){"vmaf", "psnr", "motion", "ssim", NULL});
        l.config.allow_depth = 1;
        for (uint32_t k = 0; k < 5; k++)
            l.format[k].bit_depth = depth[k];
        compare(&l, feeds[i % 3], &alone);
    }
}

static void no_encode_of_the_references_depth(void **state)
{
    const assay_format format = format_of(ASSAY_LAYOUT_422, 8, WIDTH, HEIGHT);
    uint64_t alone;
    struct ladder l;
    (void)state;
    for (enum feed feed = 0; feed < FEEDS; feed++) {
        ladder_init(&l, &format, 2, (const char *const[]){"psnr", "float_motion", NULL});
        l.config.allow_depth = 1;
        l.format[0].bit_depth = 10;
        l.format[1].bit_depth = 16;
        compare(&l, feed, &alone);
    }
}

/* Luma alone of every encode. */
static void layouts(void **state)
{
    const assay_format format = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    uint64_t alone;
    struct ladder l;
    (void)state;
    for (enum feed feed = 0; feed < FEEDS; feed++) {
        ladder_init(&l, &format, 3, (const char *const[]){"vmaf", "float_ssim", NULL});
        l.config.allow_format = 1;
        l.format[1].layout = ASSAY_LAYOUT_444;
        l.format[2].layout = ASSAY_LAYOUT_422;
        assert_true(compare(&l, feed, &alone) < alone);
    }
}

static void sizes(void **state)
{
    const assay_format format = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    uint64_t alone;
    struct ladder l;
    (void)state;
    for (unsigned i = 3 - rounds(3); i < 3; i++) {
        ladder_init(&l, &format, 4, (const char *const[]){"vmaf", "psnr", "float_ms_ssim", "motion", NULL});
        l.config.scale = "bicubic";
        l.config.scale_siting = i == 1 ? ASSAY_SCALE_TAG : ASSAY_SCALE_CENTRED;
        l.config.scale_width = i == 2 ? 240 : 0; /* the reference is scaled, too, and one encode is not */
        l.config.scale_height = i == 2 ? 180 : 0;
        l.format[0].width = i == 2 ? 240 : 100;
        l.format[0].height = i == 2 ? 180 : 89;
        l.format[2].width = 133;
        l.format[2].height = 118;
        l.format[2].chroma_location = ASSAY_CHROMA_TOP_LEFT;
        l.format[3].width = 260;
        assert_true(compare(&l, i == 2 ? FEED_TAKE : FEED_RELEASE, &alone) < alone);
    }
}

/* Threads, strips and tiles of the CPU. */
static void schedules(void **state)
{
    static const assay_config how[] = {
        {.threads = 1}, {.threads = 3, .strip_height = 16}, {.threads = 1, .strip_height = 40},
        {.threads = 2, .tile_width = 16, .tile_height = 4}, {.threads = 1, .keep_planes = 1},
        {.threads = 2, .frames_in_flight = 1}, {.threads = 1, .cpu_level = "scalar"}, {.threads = 16}};
    const assay_format format = format_of(ASSAY_LAYOUT_420, 10, WIDTH, HEIGHT);
    uint64_t alone;
    struct ladder l;
    (void)state;
    for (unsigned i = 0; i < sizeof how / sizeof how[0]; i++) {
        ladder_init(&l, &format, 3, everything);
        l.config = how[i];
        assert_true(compare(&l, FEED_COPY, &alone) < alone);
    }
}

/* Only the reference moves: passes run once, whatever the number of encodes. */
static void the_reference_runs_once(void **state)
{
    const assay_format format = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    static const char *const of_reference[] = {"motion", "float_motion", "motion_v2", NULL};
    uint64_t alone;
    struct ladder l;
    (void)state;
    for (uint32_t n = 2; n <= ASSAY_ENCODES; n += 7) {
        ladder_init(&l, &format, n, of_reference);
        const uint64_t passes = compare(&l, FEED_COPY, &alone);
        assert_int_equal(alone, n * passes);
    }
}

/* A plane that any side's scores need is read; chroma is not, for luma alone. */
static void planes_that_are_read(void **state)
{
    const assay_format format = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    struct ladder l;
    (void)state;
    ladder_init(&l, &format, 3, (const char *const[]){"ssim", NULL});
    assay_session *s = open_session(&l, 0, 3);
    for (unsigned side = 0; side <= 3; side++) {
        assert_int_equal(assay_session_reads(s, side, 0), 1);
        assert_int_equal(assay_session_reads(s, side, 1), 0);
    }
    assert_int_equal(assay_session_reads(s, 4, 0), ASSAY_EUSAGE);
    char *graph = assay_session_describe_graph(s), *memory = assay_session_describe_memory(s);
    assert_true(strstr(graph, "ref.0") && strstr(graph, "dis0.0") && strstr(graph, "dis2.0"));
    assert_non_null(strstr(memory, "frame pair"));
    free(graph);
    free(memory);
    assay_session_close(&s);
    ladder_close(&l);
}

static void what_keys_say(void **state)
{
    const assay_format format = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    struct ladder l;
    (void)state;
    ladder_init(&l, &format, 3, (const char *const[]){"psnr=enable_apsnr=true", "vmaf", NULL});
    l.format[1].range = ASSAY_RANGE_FULL;
    l.config.allow_colour = 1;
    assay_session *s = open_session(&l, 0, 3);
    const uint32_t each = assay_session_keys(s) / 3, totals = assay_session_totals(s) / 3;
    for (uint32_t i = 0; i < 3 * each; i++) {
        assert_int_equal(assay_session_key_encode(s, i), i / each);
        assert_string_equal(assay_session_key(s, i), assay_session_key(s, i % each));
        assert_int_equal(assay_session_key_metric(s, i), assay_session_key_metric(s, i % each));
        assert_int_equal(assay_session_key_feature(s, i), assay_session_key_feature(s, i % each));
        assert_int_equal(assay_session_key_direction(s, i), assay_session_key_direction(s, i % each));
    }
    assert_null(assay_session_key(s, 3 * each));
    assert_true(totals > 0 && assay_session_aggregates(s) > 0);
    for (uint32_t i = 0; i < 3 * totals; i++) {
        assert_int_equal(assay_session_total_encode(s, i), i / totals);
        assert_string_equal(assay_session_total_name(s, i), assay_session_total_name(s, i % totals));
    }
    for (uint32_t i = 0; i < assay_session_aggregates(s); i++)
        assert_int_equal(assay_session_aggregate_encode(s, i), i / (assay_session_aggregates(s) / 3));
    assert_non_null(assay_session_encode_notes(s, 2));
    assert_null(assay_session_encode_notes(s, 3));
    double mean;
    assert_int_equal(assay_session_pooled_at(s, 3 * each, "mean", &mean), ASSAY_EUSAGE);
    assay_session_close(&s);
    ladder_close(&l);
}

/* Notes that differ name their encode; equal ones stand once. */
static void notes(void **state)
{
    const assay_format format = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    struct ladder l;
    (void)state;
    ladder_init(&l, &format, 2, (const char *const[]){"psnr", NULL});
    l.config.scale = "bicubic";
    l.format[1].width = 100;
    l.format[1].height = 90;
    assay_session *s = open_session(&l, 0, 2);
    assert_string_equal(assay_session_encode_notes(s, 0), "");
    assert_non_null(strstr(assay_session_encode_notes(s, 1), "scale: the distorted, 100x90"));
    assert_int_equal(strncmp(assay_session_notes(s), "encode 1: scale: ", 17), 0);
    assay_session_close(&s);
    l.format[0] = l.format[1];
    s = open_session(&l, 0, 2);
    assert_string_equal(assay_session_notes(s), assay_session_encode_notes(s, 1));
    assay_session_close(&s);
    ladder_close(&l);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

struct reading {
    const struct ladder *ladder;
    unsigned ends; /* side that ends at frame 2 */
    int how;       /* what its read returns then */
};

static int read_picture(void *opaque, unsigned side, uint64_t pair, uint64_t place, const assay_buffer *to, char *error,
                        size_t error_size)
{
    const struct reading *r = opaque;
    (void)place;
    if (pair >= FRAMES)
        return 0;
    if (side == r->ends && pair == 2) {
        snprintf(error, error_size, "side %u is damaged", side);
        return r->how;
    }
    if (to)
        fill_buffer(to, side ? &r->ladder->clip[side - 1] : &r->ladder->reference, (unsigned)pair, side != 0);
    return 1;
}

static void readers(void **state)
{
    const assay_format format = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    struct ladder l;
    (void)state;
    ladder_init(&l, &format, 5, (const char *const[]){"psnr", "motion", "vmaf", NULL});
    l.config.allow_depth = 1;
    l.config.prefetch_frames = 3;
    l.format[3].bit_depth = 10;
    ladder_fill(&l);
    struct run *all = score_encodes(&l, 0, 5, FEED_COPY), *read = calloc(1, sizeof *read);
    for (int i = 0; i < 3; i++) { /* whole, an encode that ends, one that fails */
        struct reading r = {&l, i ? 4 : 99, i == 1 ? 0 : ASSAY_EINPUT};
        const assay_reader reader = {.read = read_picture, .opaque = &r};
        assay_read_end end;
        assay_session *s = open_session(&l, 0, 5);
        const int rc = assay_session_read(s, &reader, 0, UINT64_MAX, &end);
        assert_int_equal(rc, i == 2 ? ASSAY_EINPUT : ASSAY_OK);
        assert_int_equal(end.pairs, i ? 2 : FRAMES);
        for (unsigned side = 0; side <= 5; side++)
            assert_int_equal(end.ended[side], !i || side == 4);
        if (i == 2)
            assert_string_equal(assay_session_error(s), "side 4 is damaged");
        ok(s, assay_session_flush(s));
        if (!i) {
            gather(s, read);
            same_bits(read, all, 0, 1);
        }
        assay_session_close(&s);
    }
    free(all);
    free(read);
    ladder_close(&l);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void refused(const struct ladder *l, uint32_t encodes, int code, const char *says)
{
    assay_session *s;
    assay_config config = l->config;
    config.encodes = encodes;
    config.distorted = encodes <= ASSAY_ENCODES ? l->format : NULL;
    assert_int_equal(assay_session_new(&s, &config, NULL, 0), ASSAY_OK);
    for (unsigned i = 0; l->metrics[i]; i++)
        ok(s, assay_session_add_metric(s, l->metrics[i]));
    assert_int_equal(assay_session_start(s, &l->reference.format), code);
    if (!strstr(assay_session_error(s), says))
        fail_msg("'%s' does not say '%s'", assay_session_error(s), says);
    assay_session_close(&s);
}

static void refusals(void **state)
{
    assay_format format = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    struct ladder l;
    char error[512];
    (void)state;
    format.range = ASSAY_RANGE_LIMITED;
    ladder_init(&l, &format, 3, (const char *const[]){"psnr", NULL});
    refused(&l, 17, ASSAY_EUSAGE, "at most 16 encodes, not 17");
    l.format[1].width = 100;
    refused(&l, 3, ASSAY_EMISMATCH, "encode 1: the format of the distorted pictures has another size");
    const assay_config config = {.encodes = 3, .distorted = l.format};
    assert_int_equal(assay_metric_allows("psnr", &config, &format, error, sizeof error), ASSAY_EMISMATCH);
    assert_non_null(strstr(error, "encode 1: "));
    l.format[1] = format;
    assert_int_equal(assay_metric_allows("psnr", &config, &format, error, sizeof error), ASSAY_OK);
    l.format[2].bit_depth = 10;
    refused(&l, 3, ASSAY_EMISMATCH, "encode 2: the two sides differ: bit depth");
    l.format[2] = format;
    l.format[2].range = ASSAY_RANGE_FULL;
    refused(&l, 3, ASSAY_EMISMATCH, "encode 2: psnr compares codes");
    l.format[2] = format;
    l.format[2].layout = ASSAY_LAYOUT_444; /* psnr of luma alone */
    l.config.allow_format = 1;
    refused(&l, 3, ASSAY_EMISMATCH, "psnr has other scores for encode 2 than for encode 0");
    l.format[2] = format;
    l.config.gpu_sides = 16;
    refused(&l, 3, ASSAY_EUSAGE, "gpu_sides is a sum of 1 << side for sides 0 to 3, not 16");
    l.config.gpu_sides = 0;
    l.config.keep_planes = 1;
    l.metrics = (const char *const[]){"cambi=heatmaps_path=/tmp", NULL};
    refused(&l, 2, ASSAY_EUSAGE, "the same names for each of 2 encodes");
    ladder_close(&l);
}

static void submissions_that_fail(void **state)
{
    const assay_format format = format_of(ASSAY_LAYOUT_420, 8, WIDTH, HEIGHT);
    struct ladder l;
    uint32_t released = 0;
    (void)state;
    ladder_init(&l, &format, 3, (const char *const[]){"psnr", NULL});
    ladder_fill(&l);
    assay_session *s = open_session(&l, 0, 3);
    assay_picture reference = clip_view(&l.reference, 0, 0), distorted[3];
    for (uint32_t k = 0; k < 3; k++) {
        distorted[k] = clip_view(&l.clip[k], 0, 1);
        distorted[k].release = count_release;
        distorted[k].opaque = &released;
    }
    distorted[2].plane[1] = NULL;
    assert_int_equal(assay_session_submit(s, 0, &reference, distorted), ASSAY_EUSAGE);
    assert_non_null(strstr(assay_session_error(s), "a missing plane"));
    assert_int_equal(assay_session_submit(s, 0, &reference, NULL), ASSAY_EUSAGE);
    assert_int_equal(released, 0);
    distorted[2] = clip_view(&l.clip[2], 0, 1);
    ok(s, assay_session_submit(s, 0, &reference, distorted));
    ok(s, assay_session_flush(s));
    assert_int_equal(released, 2);
    assay_session_close(&s);
    ladder_close(&l);
}

/* ---- main -------------------------------------------------------------------------------------------------------- */

static void count_device(void *opaque, const assay_device *device)
{
    *(unsigned *)opaque += !device->missing;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(three_encodes), cmocka_unit_test(depths),
                                       cmocka_unit_test(sizes), cmocka_unit_test(readers)};
    const struct CMUnitTest of_the_cpu[] = {
        cmocka_unit_test(schedules), cmocka_unit_test(planes_that_are_read), cmocka_unit_test(refusals),
        cmocka_unit_test(submissions_that_fail),
    };
    const struct CMUnitTest of_scores[] = {
        cmocka_unit_test(sixteen_encodes), cmocka_unit_test(colours),
        cmocka_unit_test(no_encode_of_the_references_depth), cmocka_unit_test(layouts),
        cmocka_unit_test(the_reference_runs_once), cmocka_unit_test(what_keys_say), cmocka_unit_test(notes),
    };
    unsigned devices = 0;
    backend = argc > 1 ? argv[1] : NULL;
    if (backend && (assay_list_devices(backend, count_device, &devices, NULL, 0) || !devices)) {
        fprintf(stderr, "skipped: %s has no device here\n", backend);
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (!backend)
        failed += cmocka_run_group_tests(of_the_cpu, NULL, NULL);
    if (!backend && !SESSION_THREADS_ALONE)
        failed += cmocka_run_group_tests(of_scores, NULL, NULL);
    return failed;
}
