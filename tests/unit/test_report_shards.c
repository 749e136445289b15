/* SPDX-License-Identifier: BSD-2-Clause */
/* Shards: written, read back, damaged in every way, and merged. */
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

#include "report/report.h"
#include "results/report_read.h"
#include "results/shard.h"

enum { FRAMES = 97, KEYS = 3, PARTS = 4 };

static char path[PARTS][64];
static char text[1 << 20], other[1 << 20];

static const char *const keys[KEYS] = {"psnr_y", "float_ssim", "motion2"};
static const struct report_field fields[] = {
    {.name = "backend", .value = "cpu"},
    {.name = "threads", .value = "2", .number = true, .incidental = true},
    {.name = "metric.float_ssim.enable_db", .value = "false", .number = true},
    {.name = "ref.path", .value = "a \"quoted\" name.y4m"},
};

static uint64_t random_state = 88172645463325252;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* The score of a frame: ordinary values, a few that are not finite, a few denormals. */
static void score(uint64_t frame, double value[KEYS])
{
    value[0] = frame % 10 == 3 ? INFINITY : 30 + (double)(frame * 2654435761u % 1000) / 77;
    value[1] = 1 / (double)(frame + 3);
    value[2] = frame == 5 ? -0.0 : frame == 6 ? 0x1p-1070 : frame == 7 ? (double)NAN : -(double)frame;
}

/* What a frame adds to the totals: more than 64 bits hold, of both signs. */
static exact_total sum_of_frame(uint64_t frame, int which)
{
    exact_total v = (exact_total)(frame + 1) * 0x7fffffffffffff << 40;
    return which ? -v : v;
}

/* The part [first, first + count) as a run over it would have made it; to be freed with scores_free. */
static struct stored make_part(uint64_t first, uint64_t count, uint64_t every, uint64_t total,
                               struct report_total totals[2])
{
    struct stored s = {
        .path = "made",
        .run = {.version = "0.1.0", .compared = "a against b", .width = 576, .height = 324, .fields = 4,
                .field = fields},
        .part = {.first = first, .count = count, .every = every, .total = total, .totals = 2, .exact = totals},
    };
    totals[0] = (struct report_total){"psnr.sse_y", 0};
    totals[1] = (struct report_total){"negative", 0};
    assert_int_equal(scores_init(&s.scores, KEYS, keys, NULL), ASSAY_OK);
    for (uint64_t frame = first; frame < first + count; frame++) {
        double value[KEYS];
        score(frame, value);
        if (frame % every == 0)
            assert_int_equal(scores_add(&s.scores, frame, frame % 3 ? (int64_t)frame * 40000000 : SCORES_NO_TIME, value,
                                        NULL), ASSAY_OK);
        for (int t = 0; t < 2; t++)
            totals[t].value += sum_of_frame(frame, t);
    }
    assert_int_equal(s.scores.rows, shard_rows(&s.part));
    return s;
}

static const char *file_text(const char *name, char *buffer)
{
    FILE *f = fopen(name, "rb");
    assert_non_null(f);
    size_t n = fread(buffer, 1, sizeof text - 1, f);
    fclose(f);
    buffer[n] = '\0';
    return buffer;
}

static int shard_write(const struct stored *s, const char *to, struct assay_error *e)
{
    struct stored own = *s;
    own.run.part = &s->part;
    return reporter_write(REPORT_JSON, to, REPORT_HEX, &own, e);
}

static void write_part(const char *to, uint64_t first, uint64_t count, uint64_t every, uint64_t total)
{
    struct report_total totals[2];
    struct stored s = make_part(first, count, every, total, totals);
    struct assay_error e = {0};
    if (shard_write(&s, to, &e))
        fail_msg("%s", e.text);
    scores_free(&s.scores);
}

static void shape(void **state)
{
    (void)state;
    write_part(path[0], 4, 3, 1, 97);
    static const char begin[] =
        "{\n"
        "  \"version\": \"assay 0.1.0\",\n"
        "  \"frames\": [\n"
        "    {\n"
        "      \"frameNum\": 4,\n"
        "      \"metrics\": {\n"
        "        \"psnr_y\": \"0x1.e924924924925p+4\",\n"
        "        \"float_ssim\": \"0x1.2492492492492p-3\",\n"
        "        \"motion2\": \"-0x1p+2\"\n"
        "      },\n"
        "      \"time\": \"0.160000000\"\n"
        "    },\n";
    static const char block[] =
        "  \"assay\": {\n"
        "    \"version\": \"0.1.0\",\n"
        "    \"width\": 576,\n"
        "    \"height\": 324,\n"
        "    \"frames\": 3,\n"
        "    \"backend\": \"cpu\",\n"
        "    \"threads\": 2,\n"
        "    \"metric.float_ssim.enable_db\": false,\n"
        "    \"ref.path\": \"a \\\"quoted\\\" name.y4m\",\n"
        "    \"incomplete\": false,\n"
        "    \"reason\": null,\n"
        "    \"bits\": {\n";
    static const char end[] =
        "    \"part\": {\n"
        "      \"compared\": \"a against b\",\n"
        "      \"first\": 4,\n"
        "      \"count\": 3,\n"
        "      \"every\": 1,\n"
        "      \"total\": 97,\n"
        "      \"incidental\": [\"threads\"],\n"
        "      \"totals\": {\n"
        "        \"psnr.sse_y\": \"713053462628379018550686253056\",\n"
        "        \"negative\": \"-713053462628379018550686253056\"\n"
        "      }\n"
        "    }\n"
        "  }\n"
        "}\n";
    const char *s = file_text(path[0], text);
    assert_memory_equal(s, begin, sizeof begin - 1);
    assert_non_null(strstr(s, block));
    assert_string_equal(s + strlen(s) - (sizeof end - 1), end);
}

/* What was written is read, and writes the same bytes again. */
static void round_trip(void **state)
{
    (void)state;
    static const struct {
        uint64_t first, count, every, total;
    } cases[] = {{0, FRAMES, 1, FRAMES}, {7, 30, 1, 0}, {10, 0, 1, 97}, {5, 20, 7, 97}, {8, 3, 7, 97}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_part(path[0], cases[i].first, cases[i].count, cases[i].every, cases[i].total);
        struct stored s;
        struct assay_error e = {0};
        if (stored_read(&s, path[0], NULL, 0, &e))
            fail_msg("%s", e.text);
        for (uint64_t row = 0; row < s.scores.rows; row++) {
            double value[KEYS];
            score(s.scores.frame[row], value);
            for (int k = 0; k < KEYS; k++)
                if (!isnan(value[k]))
                    assert_memory_equal(value + k, scores_row(&s.scores, row) + k, sizeof *value);
                else
                    assert_true(isnan(scores_value(&s.scores, row, (uint32_t)k)));
        }
        assert_int_equal(shard_write(&s, path[1], &e), ASSAY_OK);
        stored_free(&s);
        assert_string_equal(file_text(path[0], text), file_text(path[1], other));
    }
}

static void merge_files(int n, const char *to)
{
    struct stored part[PARTS] = {0}, whole;
    struct assay_error e = {0};
    for (int i = 0; i < n; i++)
        if (stored_read(part + i, path[i], NULL, 0, &e))
            fail_msg("%s", e.text);
    if (shards_merge(part, (uint32_t)n, &whole, &e))
        fail_msg("%s", e.text);
    for (int i = 0; i < n; i++)
        stored_free(part + i); /* before the whole is used: it points at none of them */
    assert_int_equal(shard_write(&whole, to, &e), ASSAY_OK);
    stored_free(&whole);
}

/* Three parts, cut at random and given in random order, are the whole, byte for byte. */
static void merge(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        uint64_t every = round % 3 ? 1 : 1 + next_random() % 9;
        uint64_t a = next_random() % (FRAMES + 1), b = next_random() % (FRAMES + 1);
        uint64_t cut[4] = {0, a < b ? a : b, a < b ? b : a, FRAMES};
        int order = (int)(next_random() % 3);
        for (int i = 0; i < 3; i++)
            write_part(path[(i + order) % 3], cut[i], cut[i + 1] - cut[i], every, i == 2 || round % 2 ? FRAMES : 0);
        merge_files(3, path[3]);
        write_part(path[0], 0, FRAMES, every, FRAMES);
        assert_string_equal(file_text(path[0], text), file_text(path[3], other));
    }
}

/* The report of merged parts has the bytes of the report of the whole. */
static void merged_report(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        write_part(path[i], (uint64_t)i * 40, i < 2 ? 40 : FRAMES - 80, 1, FRAMES);
    struct stored part[3], whole;
    for (int i = 0; i < 3; i++)
        assert_int_equal(stored_read(part + i, path[i], NULL, 0, NULL), ASSAY_OK);
    assert_int_equal(shards_merge(part, 3, &whole, NULL), ASSAY_OK);
    struct report_total totals[2];
    struct stored direct = make_part(0, FRAMES, 1, FRAMES, totals);
    for (int which = 0; which < 2; which++) {
        struct stored *s = which ? &whole : &direct;
        struct reporter *r;
        assert_int_equal(reporter_open(&r, REPORT_JSON, path[which], REPORT_SHORTEST, s, NULL), 0);
        for (uint64_t row = 0; row < s->scores.rows; row++)
            assert_int_equal(reporter_frame(r, &s->scores, row, NULL), 0);
        assert_int_equal(reporter_finish(&r, s, NULL), 0);
    }
    assert_string_equal(file_text(path[0], text), file_text(path[1], other));
    for (int i = 0; i < 3; i++)
        stored_free(part + i);
    stored_free(&whole);
    scores_free(&direct.scores);
}

static void assert_merge_refused(struct stored *parts, uint32_t n, const char *message)
{
    struct stored whole;
    struct assay_error e = {0};
    assert_int_equal(shards_merge(parts, n, &whole, &e), ASSAY_EMISMATCH);
    assert_string_equal(e.text, message);
    assert_null(whole.memory);
}

static void ranges_refused(void **state)
{
    (void)state;
    struct report_total totals[3][2];
    static const struct {
        uint64_t range[3][2];
        const char *message;
    } cases[] = {
        {{{0, 10}, {11, 9}, {20, 77}}, "frames 10 to 10 are in no part"},
        {{{20, 77}, {1, 19}, {97, 0}}, "frames 0 to 0 are in no part"},
        {{{0, 30}, {30, 30}, {60, 36}}, "frames 96 to 96 are in no part"},
        {{{0, 30}, {25, 35}, {60, 37}}, "frames 25 to 29 are both in part 0 and in part 1"},
        {{{0, 97}, {25, 5}, {97, 0}}, "frames 25 to 29 are both in part 0 and in part 1"},
        {{{0, 97}, {0, 97}, {97, 0}}, "frames 0 to 96 are both in part 0 and in part 1"},
    };
    static const char *const names[] = {"part 0", "part 1", "part 2"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stored part[3];
        for (int k = 0; k < 3; k++) {
            part[k] = make_part(cases[i].range[k][0], cases[i].range[k][1], 1, FRAMES, totals[k]);
            part[k].path = names[k];
        }
        assert_merge_refused(part, 3, cases[i].message);
        for (int k = 0; k < 3; k++)
            scores_free(&part[k].scores);
    }
    struct stored whole;
    struct assay_error e = {0};
    assert_int_equal(shards_merge(NULL, 0, &whole, &e), ASSAY_EUSAGE);
}

/* A part without frames leaves no gap and has no frame twice, wherever it begins. */
static void parts_without_frames(void **state)
{
    (void)state;
    static const uint64_t first[] = {0, 20, 40, 60, FRAMES, 2 * FRAMES};
    struct report_total totals[3][2];
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        struct stored whole, part[3] = {make_part(0, 40, 1, FRAMES, totals[0]), make_part(first[i], 0, 1, 0, totals[1]),
                                        make_part(40, FRAMES - 40, 1, FRAMES, totals[2])};
        assert_int_equal(shards_merge(part, 3, &whole, NULL), ASSAY_OK);
        assert_false(whole.run.incomplete);
        assert_int_equal(whole.part.count, FRAMES);
        assert_int_equal(whole.scores.rows, FRAMES);
        stored_free(&whole);
        for (int k = 0; k < 3; k++)
            scores_free(&part[k].scores);
    }
}

/* Parts of which none has seen the end. */
static void without_end(void **state)
{
    (void)state;
    struct report_total totals[2][2];
    struct stored part[2] = {make_part(0, 50, 1, 0, totals[0]), make_part(50, 20, 1, 0, totals[1])}, whole;
    assert_int_equal(shards_merge(part, 2, &whole, NULL), ASSAY_OK);
    assert_true(whole.run.incomplete);
    assert_string_equal(whole.run.reason,
                        "frames from 70 on are in no part: no part has seen the end of the inputs");
    assert_int_equal(whole.part.count, 70);
    stored_free(&whole);
    scores_free(&part[0].scores);
    scores_free(&part[1].scores);
}

/* An input that ended early, in the last part and in one before it. */
static void incomplete_parts(void **state)
{
    (void)state;
    struct report_total totals[2][2];
    struct stored part[2] = {make_part(0, 50, 1, FRAMES, totals[0]), make_part(50, 20, 1, FRAMES, totals[1])}, whole;
    part[1].run.incomplete = true;
    part[1].run.reason = "b.y4m ends at frame 70";
    assert_int_equal(shards_merge(part, 2, &whole, NULL), ASSAY_OK);
    assert_true(whole.run.incomplete);
    assert_string_equal(whole.run.reason, part[1].run.reason);
    assert_int_equal(whole.part.count, 70);
    stored_free(&whole);
    scores_free(&part[0].scores);
    part[0] = make_part(0, 40, 1, FRAMES, totals[0]);
    part[0].run.incomplete = true;
    part[0].run.reason = "b.y4m ends at frame 40";
    part[0].path = "part 0";
    assert_merge_refused(part, 2, "frames 40 to 49 are in no part: part 0 is incomplete: b.y4m ends at frame 40");
    scores_free(&part[0].scores);
    scores_free(&part[1].scores);
}

static void different_runs(void **state)
{
    (void)state;
    static const char *const other_keys[KEYS] = {"psnr_y", "float_ssim_db", "motion2"};
    struct report_field changed[4], long_fields[4];
    struct report_total totals[2][2];
    struct stored part[2] = {make_part(0, 50, 1, FRAMES, totals[0]), make_part(50, 47, 1, FRAMES, totals[1])};
    const struct stored same = part[1];
    part[0].path = "part 0";
    part[1].path = "part 1";
#define REFUSED(change, what) \
    do { \
        change; \
        assert_merge_refused(part, 2, "part 0 and part 1 are parts of different runs: " what); \
        part[1] = same; \
        part[1].path = "part 1"; \
    } while (0)
    REFUSED(part[1].run.version = "0.2.0", "version is '0.1.0' and '0.2.0'");
    REFUSED(part[1].run.width = 640, "width is '576' and '640'");
    REFUSED(part[1].run.height = 1, "height is '324' and '1'");
    REFUSED(part[1].part.every = 2, "every is '1' and '2'");
    REFUSED(part[1].part.total = 98, "the number of frames of the whole is '97' and '98'");
    REFUSED(part[1].run.fields = 3, "the number of fields is '4' and '3'");
    REFUSED(part[1].scores.key = other_keys, "a score is 'float_ssim' and 'float_ssim_db'");
    REFUSED(part[1].part.totals = 1, "the number of totals is '2' and '1'");
    memcpy(changed, fields, sizeof changed);
    changed[2].value = "true";
    REFUSED(part[1].run.field = changed, "metric.float_ssim.enable_db is 'false' and 'true'");
    memcpy(long_fields, fields, sizeof long_fields);
    long_fields[2].value = "the distorted, 176x144, is scaled to 352x288: bicubic, chroma centred";
    changed[2].value = "the distorted, 176x144, is scaled to 352x288: bicubic, chroma as tagged";
    part[0].run.field = long_fields;
    REFUSED(part[1].run.field = changed, "metric.float_ssim.enable_db is '...centred' and '...as tagged'");
    part[0].run.field = fields;
    memcpy(changed, fields, sizeof changed);
    changed[0].name = "device";
    REFUSED(part[1].run.field = changed, "the description is 'backend' and 'device'");
    memcpy(changed, fields, sizeof changed);
    changed[1].incidental = false;
    REFUSED(part[1].run.field = changed, "the kind of a field is '3' and '1'");
    totals[1][0].name = "psnr.sse_cb";
    REFUSED((void)0, "a total is 'psnr.sse_y' and 'psnr.sse_cb'");
    totals[1][0].name = "psnr.sse_y";

    /* An incidental field may differ, and then says so. */
    struct stored whole;
    memcpy(changed, fields, sizeof changed);
    changed[1].value = "64";
    part[1].run.field = changed;
    assert_int_equal(shards_merge(part, 2, &whole, NULL), ASSAY_OK);
    assert_string_equal(whole.run.field[1].value, "differs between the parts");
    assert_false(whole.run.field[1].number);
    stored_free(&whole);
    part[1] = same;

    /* Totals that leave 128 bits are refused, never wrapped. */
    struct assay_error e = {0};
    totals[0][0].value = ((((exact_total)1 << 126) - 1) << 1) + 1;
    part[1].path = "part 1";
    assert_int_equal(shards_merge(part, 2, &whole, &e), ASSAY_EINPUT);
    assert_string_equal(e.text, "the total 'psnr.sse_y' of part 1 is out of range");
    scores_free(&part[0].scores);
    scores_free(&part[1].scores);
}

static int parse(const char *s, size_t size, struct assay_error *e)
{
    struct stored shard;
    /* A copy of exactly this size, so that a sanitizer sees a read behind it. */
    char *exact = malloc(size ? size : 1);
    assert_non_null(exact);
    memcpy(exact, s, size);
    int result = stored_read(&shard, "x.json", exact, size, e);
    free(exact);
    if (result == ASSAY_OK)
        stored_free(&shard);
    return result;
}

static void assert_damaged(const char *what, const char *find, const char *replace, const char *message)
{
    struct assay_error e = {0};
    const char *at = strstr(text, find);
    if (!at)
        fail_msg("'%s' is not in the shard", find);
    int n = snprintf(other, sizeof other, "%.*s%s%s", (int)(at - text), text, replace, at + strlen(find));
    assert_int_equal(parse(other, (size_t)n, &e), ASSAY_EINPUT);
    char expected[512];
    snprintf(expected, sizeof expected, "x.json: no report of %s: %s", what, message);
    assert_string_equal(e.text, expected);
}

static void damaged(void **state)
{
    (void)state;
    write_part(path[0], 4, 3, 1, 97);
    file_text(path[0], text);
    assert_damaged("a part", "      \"every\": 1,\n", "",
                   "it has members that a part has not, or lacks one, or has one of them twice");
    assert_damaged("a part", "\"every\": 1", "\"each\": 1",
                   "'every' is no whole number from 1 to 4503599627370496");
    assert_damaged("a part", "\"every\": 1", "\"every\": 0",
                   "'every' is no whole number from 1 to 4503599627370496");
    assert_damaged("a part", "\"every\": 1", "\"every\": 1e300",
                   "'every' is no whole number from 1 to 4503599627370496");
    assert_damaged("a part", "\"first\": 4", "\"first\": 4.5",
                   "'first' is no whole number from 0 to 4503599627370496");
    assert_damaged("a part", "\"first\": 4", "\"first\": -1",
                   "'first' is no whole number from 0 to 4503599627370496");
    assert_damaged("a part", "\"first\": 4", "\"first\": \"4\"",
                   "'first' is no whole number from 0 to 4503599627370496");
    assert_damaged("a part", "\"first\": 4", "\"first\": 5",
                   "frame 4 is none of this part");
    assert_damaged("a part", "\"count\": 3", "\"count\": 4",
                   "it has the scores of 3 frames and not of 4");
    assert_damaged("a part", "\"count\": 3", "\"count\": 4503599627370496",
                   "it goes beyond the 97 frames of the whole");
    assert_damaged("a part", "\"incidental\": [\"threads\"]", "\"incidental\": \"threads\"",
                   "'incidental' is no list");
    assert_damaged("a part", "\"compared\": \"a against b\"", "\"compared\": 1",
                   "'compared' is no string");
    assert_damaged("a part", "\"width\": 576", "\"width\": 65536",
                   "'width' is no whole number from 1 to 65535");
    assert_damaged("a part", "\"frames\": 3", "\"frames\": 2",
                   "it has the scores of 3 frames and not of 2");
    assert_damaged("a part", "\"version\": \"0.1.0\"", "\"version\": null",
                   "'version' is no version of assay");
    assert_damaged("a part", "\"version\": \"0.1.0\"", "\"version\": \"\"",
                   "'version' is no version of assay");
    assert_damaged("a part", "\"version\": \"0.1.0\"", "\"version\": \"0 --><script>alert(1)</script><!--\"",
                   "'version' is no version of assay");
    assert_damaged("a part", "\"incomplete\": false", "\"incomplete\": 0",
                   "'incomplete' is neither true nor false");
    assert_damaged("a part", "\"reason\": null", "\"reason\": 1",
                   "'reason' is no string");
    assert_damaged("a part", "\"reason\": null", "\"reason\": null, \"reason\": null",
                   "it has 'reason' twice");
    assert_damaged("a part", "\"aggregate_metrics\": {", "\"more\": 1, \"aggregate_metrics\": {",
                   "it has members that a part has not, or lacks one, or has one of them twice");
    assert_damaged("a part", "\"every\": 1", "\"every\": 1, \"every\": 1",
                   "it has members that a part has not, or lacks one, or has one of them twice");
    assert_damaged("a part", "\"bits\": {", "\"gates\": [], \"bits\": {",
                   "it has members that a part has not, or lacks one, or has one of them twice");
    assert_damaged("a part", "\"backend\": \"cpu\"", "\"backend\": [\"cpu\"]",
                   "'backend' is no field");
    assert_damaged("a part", "\"threads\": 2", "\"threads\": 1e999",
                   "'threads' is no field");
    assert_damaged("a part", "\"threads\": 2", "\"backend\": \"x\"",
                   "it has 'backend' twice");
    assert_damaged("a part", "\"float_ssim\": {", "\"float ssim\": {",
                   "entry 1 of its scores can't be the name of one");
    assert_damaged("a part", "\"float_ssim\": {", "\"psnr_y\": {",
                   "key 'psnr_y' is there twice");
    assert_damaged("a part", "\"float_ssim\": {", "\"float_ssin\": {",
                   "the scores of frame 4 are damaged");
    assert_damaged("a part", "\"psnr.sse_y\": \"7", "\"psnr.sse_y\": \"+7",
                   "total 'psnr.sse_y' is no whole number of 128 bits");
    assert_damaged("a part", "\"negative\": \"", "\"negative\": 1, \"n\": \"",
                   "total 'negative' is no whole number of 128 bits");
    assert_damaged("a part", "\"totals\": {", "\"totals\": [], \"t\": {",
                   "it has members that a part has not, or lacks one, or has one of them twice");
    assert_damaged("a part", "\"0.160000000\"", "0.16",
                   "the scores of frame 4 are damaged");
    assert_damaged("a part", "\"0.160000000\"", "\"0.16\"",
                   "the scores of frame 4 are damaged");
    assert_damaged("a part", "\"0.160000000\"", "\"00.160000000\"",
                   "the scores of frame 4 are damaged");
    assert_damaged("a part", "\"0.160000000\"", "\"-9223372036.854775808\"",
                   "the scores of frame 4 are damaged");
    assert_damaged("a part", "\"0.160000000\"", "\"9223372036.854775808\"",
                   "the scores of frame 4 are damaged");
    assert_damaged("a part", "\"0.160000000\"", "\"0.160000000\", \"time\": \"0.160000000\"",
                   "the scores of frame 4 are damaged");
    assert_damaged("a part", "\"-0x1p+2\"\n", "\"-0x1p+2\", \"more\": \"0x1p+2\"\n",
                   "the scores of frame 4 are damaged");
    assert_damaged("a part", "\"-0x1p+2\"\n", "\"-0x1p+2 \"\n",
                   "the scores of frame 4 are damaged");
    assert_damaged("a part", "\"-0x1p+2\"\n", "-4\n",
                   "the scores of frame 4 are damaged");
    assert_damaged("a part", "\"-0x1p+2\"\n", "\"-0x1p+3\"\n",
                   "the scores 'motion2' are not those of its digest");
    assert_damaged("a part", "\"frameNum\": 5", "\"frameNum\": 4",
                   "the numbers of its frames do not ascend");
    assert_damaged("a part", "\"frameNum\": 5", "\"frameNum\": 6",
                   "frame 6 is none of this part");
    char after[64];
    snprintf(after, sizeof after, "something follows after its end, at byte %zu", strlen(text));
    assert_damaged("scores", "  }\n}\n", "  }\n}\n{}", after);

    struct assay_error e = {0};
    assert_int_equal(parse("[1]", 3, &e), ASSAY_EINPUT);
    assert_string_equal(e.text, "x.json: no report of scores: it has not the shape of those that assay's and libvmaf's "
                                "--json write");
    e = (struct assay_error){0};
    assert_int_equal(parse("", 0, &e), ASSAY_EINPUT);
    assert_string_equal(e.text, "x.json: no report of scores: it is no JSON, or damaged or cut off at byte 0");
    static const char former[] = "{\n  \"assay_shard\": 2,\n  \"version\": \"0.1.0\"\n}\n";
    e = (struct assay_error){0};
    assert_int_equal(parse(former, sizeof former - 1, &e), ASSAY_EINPUT);
    assert_string_equal(e.text, "x.json: is a part in the form of an earlier assay: score it again with --shard, or "
                                "merge it with the assay that wrote it");
}

/* Cut off at every byte, and with random bytes changed: refused or, rarely, still a shard; never a crash. */
static void cut_and_flipped(void **state)
{
    (void)state;
    write_part(path[0], 4, 3, 1, 97);
    file_text(path[0], text);
    size_t size = strlen(text);
    for (size_t n = 0; n + 1 < size; n++)
        assert_int_equal(parse(text, n, NULL), ASSAY_EINPUT);
    assert_int_equal(parse(text, size - 1, NULL), ASSAY_OK); /* only the last newline is gone */
    for (int i = 0; i < 20000; i++) {
        memcpy(other, text, size);
        for (uint64_t k = next_random() % 4 + 1; k > 0; k--)
            other[next_random() % size] = (char)next_random();
        struct assay_error e = {0};
        int result = parse(other, size, &e);
        assert_true(result == ASSAY_OK || (result == ASSAY_EINPUT && e.text[0]));
    }
}

static void totals_as_text(void **state)
{
    (void)state;
    static const char *const good[] = {"0", "1", "-1", "9999999999999999999999999999",
                                       "170141183460469231731687303715884105727",
                                       "-170141183460469231731687303715884105728"};
    static const char *const bad[] = {"", "-", "-0", "01", "+1", "1 ", "1.0", "0x1", "-01",
                                      "170141183460469231731687303715884105728",
                                      "-170141183460469231731687303715884105729",
                                      "99999999999999999999999999999999999999999999999"};
    exact_total v;
    char back[TOTAL_TEXT_SIZE];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(total_parse(good[i], &v));
        total_format(back, v);
        assert_string_equal(back, good[i]);
        assert_true(total_join(total_halves(v)) == v); /* as a session takes and gives it */
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (total_parse(bad[i], &v))
            fail_msg("'%s' was taken as a total", bad[i]);
}

static void files(void **state)
{
    (void)state;
    struct stored s;
    struct report_total totals[2];
    struct assay_error e = {0};
    assert_int_equal(stored_read(&s, "/nonexistent/x.json", NULL, 0, &e), ASSAY_EINPUT);
    assert_string_equal(e.text, "/nonexistent/x.json: can't be opened: No such file or directory");
    e = (struct assay_error){0};
    assert_int_equal(stored_read(&s, "/tmp", NULL, 0, &e), ASSAY_EINPUT);
    assert_string_equal(e.text, "/tmp: can't be read: Is a directory");
    s = make_part(0, FRAMES, 1, FRAMES, totals);
    e = (struct assay_error){0};
    assert_int_equal(shard_write(&s, "/dev/full", &e), ASSAY_EINTERNAL);
    assert_string_equal(e.text, "/dev/full: can't be written: No space left on device");
    assert_int_equal(shard_write(&s, "/dev/null/x.json", NULL), ASSAY_EINTERNAL);
    scores_free(&s.scores);
}

int main(void)
{
    for (int i = 0; i < PARTS; i++) {
        strcpy(path[i], "/tmp/assay-shard-XXXXXX");
        int fd = mkstemp(path[i]);
        if (fd < 0)
            return 1;
        close(fd);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shape),          cmocka_unit_test(round_trip),       cmocka_unit_test(merge),
        cmocka_unit_test(merged_report),  cmocka_unit_test(ranges_refused),   cmocka_unit_test(without_end),
        cmocka_unit_test(incomplete_parts), cmocka_unit_test(parts_without_frames),
        cmocka_unit_test(different_runs), cmocka_unit_test(damaged),          cmocka_unit_test(cut_and_flipped),
        cmocka_unit_test(totals_as_text), cmocka_unit_test(files),
    };
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 0; i < PARTS; i++)
        unlink(path[i]);
    return result;
}
