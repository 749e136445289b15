/* SPDX-License-Identifier: BSD-2-Clause */
/* The reports as text, byte for byte, and what happens when they can't be written. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "report/report.h"

static char path[64];
static char text[1 << 20];

static const char *read_back(void)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    return text;
}

static const char *const keys[] = {"psnr_y", "float_ssim"};
static const double rows[3][2] = {{34.5, 0.9886}, {INFINITY, 1}, {31.25, 0.0000005}};

static const struct report_field fields[] = {
    {.name = "backend", .value = "cpu"},
    {.name = "threads", .value = "2", .number = true, .incidental = true},
};
static const struct report_aggregate aggregates[] = {{"apsnr_y", 33.0625}, {"apsnr_cb", INFINITY}};

static const struct report_run run_of_test = {
    .version = "0.1.0",
    .width = 576,
    .height = 324,
    .fields = 2,
    .field = fields,
    .aggregates = 2,
    .aggregate = aggregates,
    .fps = 101.254,
};

/* The whole life of one report; the frames are numbered 0, 2, 4. */
static int write_report(enum report_kind kind, const char *to, int precision, const struct report_run *run, uint64_t n,
                        struct assay_error *e)
{
    struct scores s;
    assert_int_equal(scores_init(&s, 2, keys, NULL), ASSAY_OK);
    struct reporter *r = NULL;
    int result = reporter_open(&r, kind, to, precision, &(struct stored){.run = *run, .scores = s}, e);
    if (result) {
        assert_null(r);
        scores_free(&s);
        return result;
    }
    for (uint64_t i = 0; i < n && !result; i++) {
        const int64_t time = i == 1 ? SCORES_NO_TIME : (int64_t)i * 33366667 - 1000;
        assert_int_equal(scores_add(&s, 2 * i, time, rows[i % 3], NULL), ASSAY_OK);
        result = reporter_frame(r, &s, i, e);
    }
    if (result)
        reporter_abandon(&r);
    else
        result = reporter_finish(&r, &(struct stored){.run = *run, .scores = s}, e);
    assert_null(r);
    scores_free(&s);
    return result;
}

static void assert_report(enum report_kind kind, int precision, const struct report_run *run, uint64_t n,
                          const char *expected)
{
    struct assay_error e = {0};
    assert_int_equal(write_report(kind, path, precision, run, n, &e), ASSAY_OK);
    assert_string_equal(read_back(), expected);
}

static void json(void **state)
{
    (void)state;
    assert_report(REPORT_JSON, 6, &run_of_test, 3,
                  "{\n"
                  "  \"version\": \"assay 0.1.0\",\n"
                  "  \"fps\": 101.25,\n"
                  "  \"frames\": [\n"
                  "    {\n"
                  "      \"frameNum\": 0,\n"
                  "      \"metrics\": {\n"
                  "        \"psnr_y\": 34.500000,\n"
                  "        \"float_ssim\": 0.988600\n"
                  "      },\n"
                  "      \"time\": -0.000001000\n"
                  "    },\n"
                  "    {\n"
                  "      \"frameNum\": 2,\n"
                  "      \"metrics\": {\n"
                  "        \"psnr_y\": null,\n"
                  "        \"float_ssim\": 1.000000\n"
                  "      }\n"
                  "    },\n"
                  "    {\n"
                  "      \"frameNum\": 4,\n"
                  "      \"metrics\": {\n"
                  "        \"psnr_y\": 31.250000,\n"
                  "        \"float_ssim\": 0.0000005000000000\n"
                  "      },\n"
                  "      \"time\": 0.066732334\n"
                  "    }\n"
                  "  ],\n"
                  "  \"pooled_metrics\": {\n"
                  "    \"psnr_y\": {\n"
                  "      \"min\": 31.250000,\n"
                  "      \"max\": null,\n"
                  "      \"mean\": null,\n"
                  "      \"harmonic_mean\": 49.695572\n"
                  "    },\n"
                  "    \"float_ssim\": {\n"
                  "      \"min\": 0.0000005000000000,\n"
                  "      \"max\": 1.000000,\n"
                  "      \"mean\": 0.662867,\n"
                  "      \"harmonic_mean\": 0.497854\n"
                  "    }\n"
                  "  },\n"
                  "  \"aggregate_metrics\": {\n"
                  "    \"apsnr_y\": 33.062500,\n"
                  "    \"apsnr_cb\": null\n"
                  "  },\n"
                  "  \"assay\": {\n"
                  "    \"version\": \"0.1.0\",\n"
                  "    \"width\": 576,\n"
                  "    \"height\": 324,\n"
                  "    \"frames\": 3,\n"
                  "    \"backend\": \"cpu\",\n"
                  "    \"threads\": 2,\n"
                  "    \"incomplete\": false,\n"
                  "    \"reason\": null,\n"
                  "    \"bits\": {\n"
                  "      \"psnr_y\": \"88aed98e7bb5c8fc\",\n"
                  "      \"float_ssim\": \"e78ab9460914fdf9\",\n"
                  "      \"apsnr_y\": \"96b807bbad058d8d\",\n"
                  "      \"apsnr_cb\": \"85c990b95f027b98\"\n"
                  "    },\n"
                  "    \"percentiles\": {\n"
                  "      \"psnr_y\": {\n"
                  "        \"min_frame\": 4,\n"
                  "        \"max_frame\": 2,\n"
                  "        \"perc1\": 31.315000,\n"
                  "        \"perc5\": 31.575000,\n"
                  "        \"perc10\": 31.900000,\n"
                  "        \"perc20\": 32.550000,\n"
                  "        \"median\": 34.500000,\n"
                  "        \"perc95\": null,\n"
                  "        \"perc99\": null,\n"
                  "        \"stddev\": null,\n"
                  "        \"geometric_mean\": null\n"
                  "      },\n"
                  "      \"float_ssim\": {\n"
                  "        \"min_frame\": 4,\n"
                  "        \"max_frame\": 2,\n"
                  "        \"perc1\": 0.019772,\n"
                  "        \"perc5\": 0.098860,\n"
                  "        \"perc10\": 0.197720,\n"
                  "        \"perc20\": 0.395440,\n"
                  "        \"median\": 0.988600,\n"
                  "        \"perc95\": 0.998860,\n"
                  "        \"perc99\": 0.999772,\n"
                  "        \"stddev\": 0.468740,\n"
                  "        \"geometric_mean\": 0.007907\n"
                  "      }\n"
                  "    }\n"
                  "  }\n"
                  "}\n");
}

static void xml(void **state)
{
    (void)state;
    struct report_run run = run_of_test;
    run.fps = 0;
    run.incomplete = true;
    run.reason = "b.y4m ends at frame 6, a.y4m goes on";
    assert_report(REPORT_XML, REPORT_SHORTEST, &run, 3,
                  "<VMAF version=\"assay 0.1.0\">\n"
                  "  <params qualityWidth=\"576\" qualityHeight=\"324\" />\n"
                  "  <fyi />\n"
                  "  <frames>\n"
                  "    <frame frameNum=\"0\" psnr_y=\"34.5\" float_ssim=\"0.9886\" time=\"-0.000001000\" />\n"
                  "    <frame frameNum=\"2\" psnr_y=\"inf\" float_ssim=\"1\" />\n"
                  "    <frame frameNum=\"4\" psnr_y=\"31.25\" float_ssim=\"5e-07\" time=\"0.066732334\" />\n"
                  "  </frames>\n"
                  "  <pooled_metrics>\n"
                  "    <metric name=\"psnr_y\" min=\"31.25\" max=\"inf\" mean=\"inf\" harmonic_mean=\"49.69557195571955\" />\n"
                  "    <metric name=\"float_ssim\" min=\"5e-07\" max=\"1\" mean=\"0.6628668333333333\" "
                  "harmonic_mean=\"0.4978536968829712\" />\n"
                  "  </pooled_metrics>\n"
                  "  <aggregate_metrics apsnr_y=\"33.0625\" apsnr_cb=\"inf\" />\n"
                  "  <assay version=\"0.1.0\" frames=\"3\" incomplete=\"true\" "
                  "reason=\"b.y4m ends at frame 6, a.y4m goes on\" >\n"
                  "    <field name=\"backend\" value=\"cpu\" />\n"
                  "    <field name=\"threads\" value=\"2\" />\n"
                  "    <percentiles name=\"psnr_y\" min_frame=\"4\" max_frame=\"2\" perc1=\"31.315\" perc5=\"31.575\" "
                  "perc10=\"31.9\" perc20=\"32.55\" median=\"34.5\" perc95=\"inf\" perc99=\"inf\" stddev=\"nan\" "
                  "geometric_mean=\"inf\" />\n"
                  "    <percentiles name=\"float_ssim\" min_frame=\"4\" max_frame=\"2\" perc1=\"0.019772490000000004\" "
                  "perc5=\"0.09886045000000002\" perc10=\"0.19772040000000002\" perc20=\"0.3954403000000001\" median=\"0.9886\" "
                  "perc95=\"0.99886\" perc99=\"0.999772\" stddev=\"0.468740384363657\" "
                  "geometric_mean=\"0.007906729298068956\" />\n"
                  "  </assay>\n"
                  "</VMAF>\n");
}

static void csv(void **state)
{
    (void)state;
    assert_report(REPORT_CSV, 6, &run_of_test, 3,
                  "Frame,psnr_y,float_ssim,time\n"
                  "0,34.500000,0.988600,-0.000001000\n"
                  "2,inf,1.000000,\n"
                  "4,31.250000,0.0000005000000000,0.066732334\n");
}

static void sub(void **state)
{
    (void)state;
    assert_report(REPORT_SUB, 3, &run_of_test, 3,
                  "{0}{1}frame: 0|psnr_y: 34.500|float_ssim: 0.989|\n"
                  "{2}{3}frame: 2|psnr_y: inf|float_ssim: 1.000|\n"
                  "{4}{5}frame: 4|psnr_y: 31.250|float_ssim: 0.000|\n");
}

/* A part without a frame is a whole document. A run that failed before its first frame leaves what is there. */
static void no_frames(void **state)
{
    (void)state;
    struct report_run run = {.version = "0.1.0"};
    struct assay_error e = {0};
    assert_int_equal(write_report(REPORT_JSON, path, 6, &run, 0, &e), ASSAY_OK);
    cJSON *json = cJSON_Parse(read_back());
    assert_non_null(json);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "frames")), 0);
    cJSON_Delete(json);
    assert_report(REPORT_SUB, 6, &run, 0, "");
    assert_report(REPORT_CSV, 6, &run, 0, "Frame,psnr_y,float_ssim,time\n");
    run.incomplete = true;
    run.reason = "a.y4m: \"no\" frame";
    assert_report(REPORT_JSON, 6, &run, 0, "Frame,psnr_y,float_ssim,time\n");
}

static void escapes(void **state)
{
    (void)state;
    static const char odd[] =
        "a\"b\\c\n\t\x01 <&> \xc3\xa9 \xf0\x9f\x8e\xac \xff \xc0\x80 \xed\xa0\x80 \xe2\x82 \xef\xbf\xbe";
    const struct report_field field = {.name = "ref.\"path\"", .value = odd};
    struct report_run run = {.version = "0.1.0", .fields = 1, .field = &field};
    struct assay_error e = {0};
    assert_int_equal(write_report(REPORT_JSON, path, 6, &run, 1, &e), ASSAY_OK);
    assert_non_null(strstr(read_back(),
                           "\"ref.\\\"path\\\"\": \"a\\\"b\\\\c\\n\\t\\u0001 <&> \xc3\xa9 \xf0\x9f\x8e\xac "
                           "\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd "
                           "\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbe\""));
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    cJSON_Delete(json);
    assert_int_equal(write_report(REPORT_XML, path, 6, &run, 1, &e), ASSAY_OK);
    assert_non_null(strstr(read_back(),
                           "name=\"ref.&quot;path&quot;\" value=\"a&quot;b\\c&#10;&#9;\xef\xbf\xbd &lt;&amp;&gt; "
                           "\xc3\xa9 \xf0\x9f\x8e\xac \xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd "
                           "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\""));
}

/* A rate that is known at the end is stated when the file allows it, and changes nothing else. */
static void late_fps(void **state)
{
    (void)state;
    for (int kind = REPORT_JSON; kind <= REPORT_XML; kind++) {
        struct report_run run = run_of_test;
        run.fps = -1;
        struct reporter *r;
        struct scores s;
        assert_int_equal(scores_init(&s, 2, keys, NULL), ASSAY_OK);
        const struct stored early = {.run = run, .scores = s};
        assert_int_equal(reporter_open(&r, (enum report_kind)kind, path, 6, &early, NULL), ASSAY_OK);
        run.fps = 1234567.891;
        assert_int_equal(reporter_finish(&r, &(struct stored){.run = run, .scores = s}, NULL), ASSAY_OK);
        scores_free(&s);
        assert_non_null(strstr(read_back(), kind == REPORT_JSON
                                                ? "  \"fps\": 1234567.89,\n  \"frames\": ["
                                                : "  <fyi fps=\"1234567.89\" />\n  <frames>"));
    }
}

/* A clock that did not move gives no rate, and no "inf" in JSON. */
static void no_fps(void **state)
{
    (void)state;
    static const double rates[] = {INFINITY, NAN, 0, -1};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        struct report_run run = run_of_test;
        run.fps = rates[i];
        assert_int_equal(write_report(REPORT_JSON, path, 6, &run, 1, NULL), ASSAY_OK);
        cJSON *json = cJSON_Parse(read_back());
        assert_non_null(json);
        assert_null(cJSON_GetObjectItem(json, "fps"));
        cJSON_Delete(json);
    }
}

static int run_with_stdout(int fd, enum report_kind kind, const struct report_run *run, struct assay_error *e)
{
    fflush(stdout);
    int saved = dup(1);
    dup2(fd, 1);
    int result = write_report(kind, "-", 6, run, 200, e);
    dup2(saved, 1);
    close(saved);
    clearerr(stdout);
    return result;
}

static void to_stdout(void **state)
{
    (void)state;
    FILE *f = fopen(path, "w");
    struct assay_error e = {0};
    struct report_run run = run_of_test;
    run.fps = -1;
    assert_int_equal(run_with_stdout(fileno(f), REPORT_XML, &run, &e), ASSAY_OK);
    fclose(f);
    assert_non_null(strstr(read_back(), "  <fyi />\n"));
    assert_string_equal(text + strlen(text) - 8, "</VMAF>\n");
}

static void assert_refused(const char *to, enum report_kind kind, const char *reason)
{
    struct assay_error e = {0};
    assert_int_equal(write_report(kind, to, 6, &run_of_test, 200, &e), ASSAY_EINTERNAL);
    if (strncmp(e.text, to, strlen(to)) != 0 || !strstr(e.text, reason))
        fail_msg("'%s' names neither %s nor '%s'", e.text, to, reason);
}

static void failures(void **state)
{
    (void)state;
    for (int kind = REPORT_JSON; kind <= REPORT_SUB; kind++) {
        assert_refused("/dev/full", (enum report_kind)kind, "No space left on device");
        assert_refused("/proc/nonexistent/report", (enum report_kind)kind, "No such file or directory");
        assert_refused("/tmp", (enum report_kind)kind, "Is a directory");
    }
    /* A pipe whose reader has gone. */
    signal(SIGPIPE, SIG_IGN);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    struct assay_error e = {0};
    assert_int_equal(run_with_stdout(ends[1], REPORT_JSON, &run_of_test, &e), ASSAY_EINTERNAL);
    assert_string_equal(e.text, "stdout: can't be written: Broken pipe");
    close(ends[1]);
}

/* The disk fills up at the very end: only finishing can say so. */
static void full_at_the_end(void **state)
{
    (void)state;
    struct scores s;
    assert_int_equal(scores_init(&s, 2, keys, NULL), ASSAY_OK);
    struct reporter *r;
    FILE *stand_in = fopen("/dev/full", "w");
    int saved = dup(1);
    const struct stored x = {.run = run_of_test, .scores = s};
    assert_int_equal(reporter_open(&r, REPORT_JSON, "-", 6, &x, NULL), ASSAY_OK);
    fflush(stdout);
    dup2(fileno(stand_in), 1);
    struct assay_error e = {0};
    int result = reporter_finish(&r, &x, &e);
    dup2(saved, 1);
    clearerr(stdout);
    close(saved);
    fclose(stand_in);
    assert_int_equal(result, ASSAY_EINTERNAL);
    assert_null(r);
    assert_string_equal(e.text, "stdout: can't be written: No space left on device");
    scores_free(&s);
}

static void key_names(void **state)
{
    (void)state;
    static const char *const good[] = {"psnr_y", "_a", "A1.5-x", "vmaf"};
    static const char *const bad[] = {"", "1a", "a b", "a,b", "a\"", "-a", ".a", "a|b", "\xc3\xa9"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(report_key_valid(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(report_key_valid(bad[i]));
    struct reporter *r;
    struct assay_error e = {0};
    const struct stored x = {.run = run_of_test, .scores = {.keys = 1, .key = bad + 3}};
    assert_int_equal(reporter_open(&r, REPORT_CSV, path, 6, &x, &e), ASSAY_EINTERNAL);
    assert_null(r);
}

/* What libvmaf writes: nothing of assay's, pools that the run states, and no value where a row lacks one. */
static void bare(void **state)
{
    (void)state;
    const double none = scores_no_value();
    const double values[2][2] = {{34.5, 0.9886}, {31.25, none}};
    const double pooled[8] = {31.25, 34.5, 32.875, 32.792593, none, none, none, none};
    const struct report_run run = {.version = "0.1.0", .libvmaf = "3.2.0", .bare = true, .pooled = pooled, .width = 576,
                                   .height = 324, .fps = (double)NAN};
    static const struct {
        enum report_kind kind;
        const char *text;
    } want[] = {
        {REPORT_JSON, "{\n  \"version\": \"3.2.0\",\n  \"fps\": null,\n  \"frames\": [\n    {\n      \"frameNum\": 0,\n"
                      "      \"metrics\": {\n        \"psnr_y\": 34.500000,\n        \"float_ssim\": 0.988600\n      }\n"
                      "    },\n    {\n      \"frameNum\": 2,\n      \"metrics\": {\n        \"psnr_y\": 31.250000\n"
                      "      }\n    }\n  ],\n  \"pooled_metrics\": {\n    \"psnr_y\": {\n      \"min\": 31.250000,\n"
                      "      \"max\": 34.500000,\n      \"mean\": 32.875000,\n      \"harmonic_mean\": 32.792593\n    },\n"
                      "    \"float_ssim\": {\n    }\n  },\n  \"aggregate_metrics\": {\n  }\n}\n"},
        {REPORT_XML, "<VMAF version=\"3.2.0\">\n  <params qualityWidth=\"576\" qualityHeight=\"324\" />\n"
                     "  <fyi fps=\"nan\" />\n  <frames>\n"
                     "    <frame frameNum=\"0\" psnr_y=\"34.500000\" float_ssim=\"0.988600\" />\n"
                     "    <frame frameNum=\"2\" psnr_y=\"31.250000\" />\n  </frames>\n  <pooled_metrics>\n"
                     "    <metric name=\"psnr_y\" min=\"31.250000\" max=\"34.500000\" mean=\"32.875000\" "
                     "harmonic_mean=\"32.792593\" />\n    <metric name=\"float_ssim\" />\n  </pooled_metrics>\n"
                     "  <aggregate_metrics />\n</VMAF>\n"},
        {REPORT_CSV, "Frame,psnr_y,float_ssim,\n0,34.500000,0.988600,\n2,31.250000,,\n"},
        {REPORT_SUB, "{0}{1}frame: 0|psnr_y: 34.500000|float_ssim: 0.988600|\n{2}{3}frame: 2|psnr_y: 31.250000|\n"},
    };
    assert_false(scores_has(none));
    assert_true(scores_has((double)NAN));
    for (unsigned i = 0; i < sizeof want / sizeof want[0]; i++) {
        struct scores s;
        struct reporter *r;
        assert_int_equal(scores_init(&s, 2, keys, NULL), ASSAY_OK);
        const struct stored early = {.run = run, .scores = s};
        assert_int_equal(reporter_open(&r, want[i].kind, path, 6, &early, NULL), ASSAY_OK);
        for (uint64_t row = 0; row < 2; row++) {
            assert_int_equal(scores_add(&s, 2 * row, SCORES_NO_TIME, values[row], NULL), ASSAY_OK);
            assert_int_equal(reporter_frame(r, &s, row, NULL), ASSAY_OK);
        }
        assert_int_equal(reporter_finish(&r, &(struct stored){.run = run, .scores = s}, NULL), ASSAY_OK);
        assert_string_equal(read_back(), want[i].text);
        scores_free(&s);
    }
}

int main(void)
{
    strcpy(path, "/tmp/assay-report-XXXXXX");
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json),      cmocka_unit_test(xml),       cmocka_unit_test(csv),
        cmocka_unit_test(sub),       cmocka_unit_test(no_frames), cmocka_unit_test(escapes),
        cmocka_unit_test(late_fps),  cmocka_unit_test(to_stdout), cmocka_unit_test(failures),
        cmocka_unit_test(full_at_the_end), cmocka_unit_test(no_fps), cmocka_unit_test(key_names),
        cmocka_unit_test(bare),
    };
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return result;
}
