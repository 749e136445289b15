/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests and runs of assay/run.h beside the command: the same bytes, also of several runs at once. */
#include <fcntl.h>
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <assay/run.h>

#include "comma_locale.h"

#define REF ASSAY_SOURCE_ROOT "/examples/sample/ref.y4m"
#define DIS ASSAY_SOURCE_ROOT "/examples/sample/dis.y4m"

static char folder[] = "/tmp/assay-run-XXXXXX";

static const char *in_folder(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static assay_request *parsed(const char *text)
{
    assay_request *r;
    char why[1024];
    if (assay_request_parse(&r, text, strlen(text), why, sizeof why))
        fail_msg("%s: %s", text, why);
    return r;
}

static void refused(const char *text, const char *part)
{
    assay_request *r;
    char why[1024] = "";
    assert_int_equal(assay_request_parse(&r, text, strlen(text), why, sizeof why), ASSAY_EUSAGE);
    assert_null(r);
    if (!strstr(why, part))
        fail_msg("%s: \"%s\" does not say \"%s\"", text, why, part);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static void what_is_wrong_is_named(void **state)
{
    (void)state;
#define V "{\"assay\": \"request/1\""
    refused("", "no JSON object");
    refused("[1]", "no JSON object");
    refused(V "} x", "something behind it");
    refused("{}", "'assay' is not 'request/1'");
    refused("{\"assay\": \"request/2\"}", "'assay' is not 'request/1'");
    refused(V ", \"metric\": []}", "unknown field 'metric'; did you mean 'metrics'?");
    refused(V ", \"scale\": {\"filtre\": \"bicubic\"}}", "unknown field 'scale.filtre'");
    refused(V ", \"scale\": 1}", "scale is an object");
    refused(V ", \"encodes\": [{\"raw\": []}]}", "encodes[0]: raw is an object");
    refused(V ", \"encodes\": [{\"file\": \"a\"}, {\"skipp\": 1}]}", "encodes[1]: unknown field 'skipp'; did you mean");
    refused(V ", \"file\": \"a\"}", "unknown field 'file'");
    refused(V ", \"encodes\": {}}", "encodes is a list");
    refused(V ", \"reference\": \"a\"}", "reference is an object");
    refused(V ", \"reference\": {\"name\": \"a\"}}", "name is that of an encode");
    refused(V ", \"reference\": {\"file\": \"-\"}}", "file is a path");
    refused(V ", \"reference\": {\"crop\": \"10x10\"}}", "reference: crop takes WxH+X+Y, not '10x10'");
    refused(V ", \"reference\": {\"crop\": \"10x10+-1+0\"}}", "crop takes WxH+X+Y");
    refused(V ", \"every\": 0}", "every is a whole number from 1");
    refused(V ", \"first\": 1.5}", "first is a whole number");
    refused(V ", \"first\": \"1\"}", "first is a whole number");
    refused(V ", \"first\": 1, \"first\": 2}", "'first' twice");
    refused(V ", \"encodes\": [{\"file\": \"a\\u0000b\"}]}", "character of the number 0");
    refused(V ", \"metrics\": \"psnr\"}", "metrics is a list of texts");
    refused(V ", \"allow\": [\"sise\"]}", "allow takes size, length");
    refused(V ", \"pair\": \"tim\"}", "pair takes number, time, not 'tim'");
}

/* A value that a field takes. */
static const char *value_of(const assay_field *f, char *text, size_t size)
{
    if (f->words) {
        snprintf(text, size, "%.*s", (int)strcspn(f->words, ","), f->words);
        return text;
    }
    snprintf(text, size, "%llu", (unsigned long long)(f->least ? f->least : 7));
    return !strcmp(f->type, "integer")          ? text
         : !strcmp(f->name, "crop")             ? "10x12+2+4"
         : !strcmp(f->name, "colour")           ? "bt709"
         : !strcmp(f->name, "raw.pixel_format") ? "yuv420p"
         : !strncmp(f->name, "tolerance.", 10)  ? "0.5"
         : !strcmp(f->name, "scale.to")         ? "320x180" : !strcmp(f->name, "device.tile") ? "64x32" : "psnr";
}

/* Every field of the table can be set, and a request that has all of them is its own text. */
static void every_field(void **state)
{
    (void)state;
    assay_request *r, *again;
    assay_field f;
    char why[1024] = "", text[64];
    assert_int_equal(assay_request_new(&r, why, sizeof why), 0);
    for (uint32_t i = 0; !assay_request_field(i, &f); i++) {
        assert_non_null(f.help);
        const char *value = value_of(&f, text, sizeof text);
        for (int side = f.of_sides ? 0 : -1; side < (f.of_sides ? 3 : 0); side++) {
            const int expected = side || strcmp(f.name, "name") ? 0 : ASSAY_EUSAGE;
            if (assay_request_set(r, side, f.name, value, why, sizeof why) != expected)
                fail_msg("%s of side %d: %s", f.name, side, why);
        }
        assert_int_equal(assay_request_set(r, f.of_sides ? -1 : 0, f.name, value, why, sizeof why), ASSAY_EUSAGE);
        assert_non_null(strstr(why, "unknown field"));
    }
    char *said = assay_request_text(r);
    again = parsed(said);
    char *twice = assay_request_text(again);
    assert_string_equal(said, twice);
    assert_int_equal(assay_request_set(r, 4, "file", "x", why, sizeof why), ASSAY_EUSAGE);
    assert_int_equal(assay_request_set(r, -1, "every", "0", why, sizeof why), ASSAY_EUSAGE);
    for (const char *const *list = (const char *const[]){",", "psnr,", ",psnr", "psnr,,ssim", NULL}; *list; list++) {
        assert_int_equal(assay_request_set(r, -1, "metrics", *list, why, sizeof why), ASSAY_EUSAGE);
        assert_string_equal(why, "a metric's name is missing");
    }
    free(twice);
    twice = assay_request_text(r); /* what is refused changes nothing */
    assert_string_equal(said, twice);
    free(said);
    free(twice);
    assay_request_close(&r);
    assay_request_close(&again);
}

/* The largest number of every field is written with all of its digits. */
static void largest_numbers(void **state)
{
    (void)state;
    assay_request *r;
    assay_field f;
    char why[1024] = "", text[64];
    for (uint32_t i = 0; !assay_request_field(i, &f); i++) {
        if (strcmp(f.type, "integer"))
            continue;
        assert_int_equal(assay_request_new(&r, why, sizeof why), 0);
        snprintf(text, sizeof text, "%llu", (unsigned long long)f.most);
        assert_int_equal(assay_request_set(r, f.of_sides ? 0 : -1, f.name, text, why, sizeof why), 0);
        char *said = assay_request_text(r);
        if (!strstr(said, text))
            fail_msg("%s of %s is said as %s", f.name, text, said);
        free(said);
        assay_request_close(&r);
    }
}

static void a_run_needs_files(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {V "}", "reference: file is missing"},
        {V ", \"reference\": {\"file\": \"a\"}}", "no encode"},
        {V ", \"reference\": {\"file\": \"a\"}, \"encodes\": [{}]}", "encodes[0]: file is missing"},
        {V ", \"reference\": {\"file\": \"a\", \"raw\": {\"width\": 2}}, \"encodes\": [{\"file\": \"b\"}]}",
         "raw needs width, height"},
        {V ", \"reference\": {\"file\": \"a\"}, \"encodes\": [{\"file\": \"b\"}], \"scale\": {\"to\": \"distorted\"}}",
         "needs --scale"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assay_run *run;
        char why[1024] = "";
        assay_request *r = parsed(texts[i][0]);
        assert_int_equal(assay_run_start(&run, r, why, sizeof why), ASSAY_EUSAGE);
        assert_null(run);
        if (!strstr(why, texts[i][1]))
            fail_msg("\"%s\" does not say \"%s\"", why, texts[i][1]);
        assay_request_close(&r);
    }
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static assay_run *started(const char *text)
{
    assay_run *run;
    char why[1024];
    assay_request *r = parsed(text);
    if (assay_run_start(&run, r, why, sizeof why))
        fail_msg("%s: %s", text, why);
    assay_request_close(&r);
    return run;
}

/* Asks until the end. Checks that rows come in order, and the end of each encode once, behind its rows. */
static int asked(assay_run *run)
{
    uint64_t rows[ASSAY_ENCODES] = {0};
    unsigned ended[ASSAY_ENCODES] = {0};
    assay_event event;
    const assay_results *results = assay_run_results(run);
    while (assay_run_next(run, 10000, &event) != ASSAY_EVENT_END) {
        assert_int_not_equal(event.kind, ASSAY_EVENT_NONE);
        if (event.kind == ASSAY_EVENT_FRAMES) {
            assert_int_equal(ended[event.encode], 0);
            assert_int_equal(event.first, rows[event.encode]);
            assert_true(event.end <= assay_results_rows(results, event.encode));
            rows[event.encode] = event.end;
        } else if (event.kind == ASSAY_EVENT_ENDED) {
            assert_int_equal(ended[event.encode]++, 0);
            assert_int_equal(rows[event.encode], assay_results_rows(results, event.encode));
            assert_int_equal(event.result, assay_results_state(results, event.encode, NULL));
        } else if (event.kind == ASSAY_EVENT_NOTE) {
            assert_true(event.code && *event.code && *event.text && !strchr(event.text, '\n'));
        }
    }
    for (uint32_t k = 0; k < assay_results_encodes(results); k++)
        assert_int_equal(ended[k], 1);
    return event.result;
}

static char *content(const char *path)
{
    enum { MOST = 1 << 20 };
    char *text = calloc(1, MOST);
    FILE *in = fopen(path, "rb");
    assert_non_null(text);
    if (!in)
        fail_msg("%s is not there", path);
    assert_true(fread(text, 1, MOST - 1, in) < MOST - 1);
    fclose(in);
    return text;
}

/* The report of the command with these arguments, and that of a run, are the same bytes. */
static void same_report(assay_run *run, const char *arguments, const char *form)
{
    char own[200], theirs[200], line[2000], why[1024] = "";
    in_folder(own, sizeof own, "own");
    in_folder(theirs, sizeof theirs, "theirs");
    unlink(own);
    unlink(theirs);
    if (assay_results_write(assay_run_results(run), ASSAY_NONE, form, 6, own, why, sizeof why))
        fail_msg("%s", why);
    snprintf(line, sizeof line, "'%s' -q --reproducible --precision 6 --%s %s %s", getenv("ASSAY"), form, theirs,
             arguments);
    assert_int_equal(system(line), 0);
    char *a = content(own), *b = content(theirs);
    assert_string_equal(a, b);
    free(a);
    free(b);
}

static const char pair_request[] = V ", \"reference\": {\"file\": \"" REF "\"}, "
                                   "\"encodes\": [{\"file\": \"" DIS "\"}], "
                                   "\"metrics\": [\"psnr\", \"vmaf\", \"xpsnr\", \"motion\"]}";
static const char pair_command[] = "-m psnr,vmaf,xpsnr,motion " REF " " DIS;

static void a_pair_is_the_commands(void **state)
{
    (void)state;
    double a, b;
    const char *reason;
    assay_run *run = started(pair_request);
    assert_int_equal(asked(run), 0);
    for (const char *const *form = (const char *[]){"json", "csv", "xml", "sub", NULL}; *form; form++)
        same_report(run, pair_command, *form);
    const assay_results *results = assay_run_results(run);
    assert_int_equal(assay_results_state(results, 0, &reason), 0);
    assert_string_equal(reason, "");
    assert_string_equal(assay_results_name(results, 0), "dis");
    assert_null(assay_results_name(results, 1));
    assert_non_null(strstr(assay_results_fact(results, 0, "reference_file"), "ref.y4m"));
    assert_null(assay_results_fact(results, 0, "nothing"));
    const uint32_t key = assay_results_find_key(results, 0, "psnr_y");
    uint64_t frame;
    for (uint64_t row = 0; row < assay_results_rows(results, 0); row++) {
        const double *values = assay_results_row(results, 0, row, &frame, NULL);
        assert_int_equal(assay_results_value(results, 0, "psnr_y", frame, &a), 0);
        assert_memory_equal(&a, &values[key], sizeof a);
    }
    double values[8] = {0};
    uint64_t frames[8];
    int64_t times[8];
    assert_int_equal(assay_results_column(results, 0, key, 5, UINT64_MAX, values, frames, times), 3);
    for (uint64_t i = 0; i < 3; i++) {
        int64_t time;
        const double *row = assay_results_row(results, 0, 5 + i, &frame, &time);
        assert_memory_equal(&values[i], &row[key], sizeof *values);
        assert_int_equal(frames[i], frame);
        assert_int_equal(times[i], time);
    }
    assert_true(values[3] == 0);
    assert_int_equal(assay_results_column(results, 0, ASSAY_NONE, 0, 4, values + 4, NULL, NULL), 4);
    assert_true(values[4] == 0);
    assert_int_equal(assay_results_column(results, 0, 1000, 0, 4, NULL, NULL, NULL), 0);
    assert_int_equal(assay_results_column(results, 0, key, 8, 9, NULL, NULL, NULL), 0);
    assert_int_equal(assay_results_column(results, 1, key, 0, 9, NULL, NULL, NULL), 0);
    assert_null(assay_results_row(results, 0, 8, NULL, NULL));
    assert_int_equal(assay_results_value(results, 0, "psnr_y", 8, &a), ASSAY_EUSAGE);
    assert_int_equal(assay_results_value(results, 0, "none", 0, &a), ASSAY_EUSAGE);
    assert_int_equal(assay_results_pool(results, 0, "psnr_y", "max", 3, 4, &a), 0);
    assert_int_equal(assay_results_value(results, 0, "psnr_y", 3, &b), 0);
    assert_memory_equal(&a, &b, sizeof a);
    uint32_t aggregates = 0;
    for (const char *name; (name = assay_results_aggregate(results, 0, aggregates, &a)); aggregates++)
        assert_true(a > 20 && (strstr(name, "apsnr") || strstr(name, "xpsnr")));
    assert_int_equal(aggregates, 5);
    char why[200];
    assert_int_equal(assay_results_write(results, 0, "yaml", 6, "/dev/null", why, sizeof why), ASSAY_EUSAGE);
    assert_int_equal(assay_results_write(results, 0, "json", 6, "-", why, sizeof why), ASSAY_EUSAGE);
    assay_run_close(&run);
    assert_null(run);
}

/* Pools and reports have the bits of round to nearest, whatever the caller's mode is, which stays. */
static void modes_of_the_caller(void **state)
{
    (void)state;
    static const char *const pools[] = {"mean", "harmonic_mean", "geometric_mean", "stddev", "variance", "perc37.5"};
    enum { POOLS = sizeof pools / sizeof pools[0] };
    double nearest[POOLS], other;
    char path[2][200], why[200];
    in_folder(path[0], sizeof path[0], "nearest");
    in_folder(path[1], sizeof path[1], "other");
    assay_run *run = started(pair_request);
    const assay_results *results = assay_run_results(run);
    assert_int_equal(asked(run), 0);
    for (unsigned i = 0; i < POOLS; i++)
        assert_int_equal(assay_results_pool(results, 0, "psnr_y", pools[i], 0, UINT64_MAX, &nearest[i]), 0);
    assert_int_equal(assay_results_write(results, 0, "json", -1, path[0], why, sizeof why), 0);
    char *expected = content(path[0]);
    for (const int *mode = (const int[]){FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST}; ; mode++) {
        fesetround(*mode);
        for (unsigned i = 0; i < POOLS; i++) {
            assert_int_equal(assay_results_pool(results, 0, "psnr_y", pools[i], 0, UINT64_MAX, &other), 0);
            assert_memory_equal(&other, &nearest[i], sizeof other);
        }
        assay_results *kept;
        assert_int_equal(assay_results_read(&kept, path[0], why, sizeof why), 0);
        for (const assay_results *from = results; ; from = kept) {
            assert_int_equal(assay_results_write(from, 0, "json", -1, path[1], why, sizeof why), 0);
            assert_int_equal(fegetround(), *mode);
            char *text = content(path[1]);
            assert_string_equal(text, expected);
            free(text);
            unlink(path[1]);
            if (from == kept)
                break;
        }
        assay_results_free(&kept);
        if (*mode == FE_TONEAREST)
            break;
    }
    free(expected);
    assay_run_close(&run);
}

/* Numbers of reports and requests have a point in every locale of the process and of the thread. */
static void locales_of_the_caller(void **state)
{
    (void)state;
    char path[2][200], why[200];
    assay_results *kept;
    in_folder(path[0], sizeof path[0], "point");
    in_folder(path[1], sizeof path[1], "comma");
    assay_run *run = started(pair_request);
    assert_int_equal(asked(run), 0);
    assert_int_equal(assay_results_write(assay_run_results(run), 0, "json", -1, path[0], why, sizeof why), 0);
    char *expected = content(path[0]);
    const bool comma = set_comma_locale();
    const locale_t of_process = duplocale(LC_GLOBAL_LOCALE);
    no_locales = true;
    for (unsigned thread = 0; comma && thread < 2; thread++) {
        if (thread) {
            setlocale(LC_ALL, "C");
            uselocale(of_process);
        }
        assert_true(strtod("0.5", NULL) == 0); /* the trap is armed */
        assay_request *r = parsed(V ", \"frames\": 2.0}");
        assay_request_close(&r);
        if (assay_results_read(&kept, path[0], why, sizeof why))
            fail_msg("%s", why);
        assert_int_equal(assay_results_write(kept, 0, "json", -1, path[1], why, sizeof why), 0);
        assay_results_free(&kept);
        char *text = content(path[1]);
        assert_string_equal(text, expected);
        free(text);
        unlink(path[1]);
    }
    no_locales = false;
    uselocale(LC_GLOBAL_LOCALE);
    freelocale(of_process);
    unlink(path[0]);
    free(expected);
    assay_run_close(&run);
    if (!comma)
        skip(); /* none is installed, and none can be made */
}

static void a_ladder_is_the_commands(void **state)
{
    (void)state;
    assay_run *run = started(V ", \"reference\": {\"file\": \"" REF "\"}, \"encodes\": [{\"file\": \"" DIS "\"}, "
                               "{\"file\": \"" REF "\"}], \"metrics\": [\"psnr\"], \"frames\": 5}");
    assert_int_equal(asked(run), 0);
    same_report(run, "-m psnr --frames 5 " REF " " DIS " " REF, "json");
    same_report(run, "-m psnr --frames 5 " REF " " DIS " " REF, "csv");
    assay_run_close(&run);
    /* each encode has its own crop: the second one is scored in a run of its own */
    run = started(V ", \"reference\": {\"file\": \"" REF "\", \"crop\": \"176x198+0+0\"}, \"encodes\": ["
                    "{\"file\": \"" DIS "\", \"crop\": \"176x198+0+0\", \"name\": \"left\"}, "
                    "{\"file\": \"" DIS "\"}], \"metrics\": [\"psnr\"], \"scale\": {\"filter\": \"bicubic\"}}");
    assert_int_equal(asked(run), 0);
    assert_string_equal(assay_results_name(assay_run_results(run), 0), "left");
    assert_int_equal(assay_results_rows(assay_run_results(run), 1), 8);
    assay_run_close(&run);
}

static void one_encode_fails(void **state)
{
    (void)state;
    const char *reason;
    assay_run *run = started(V ", \"reference\": {\"file\": \"" REF "\"}, \"encodes\": [{\"file\": \"/none\"}, "
                               "{\"file\": \"" DIS "\"}], \"metrics\": [\"psnr\"]}");
    assert_int_equal(asked(run), ASSAY_EINPUT);
    assert_int_equal(assay_results_state(assay_run_results(run), 0, &reason), ASSAY_EINPUT);
    assert_non_null(strstr(reason, "/none: can't be opened"));
    assert_int_equal(assay_results_state(assay_run_results(run), 1, &reason), 0);
    assert_int_equal(assay_results_rows(assay_run_results(run), 1), 8);
    assay_run_close(&run);
}

/* A report takes the place of no input. This one is not there: a failure of the test destroys nothing. */
static void inputs_are_spared(void **state)
{
    (void)state;
    char text[1000], path[200], why[1024] = "";
    in_folder(path, sizeof path, "input");
    snprintf(text, sizeof text, V ", \"reference\": {\"file\": \"" REF "\"}, \"encodes\": [{\"file\": \"" DIS "\"}, "
             "{\"file\": \"%s\"}], \"metrics\": [\"psnr\"]}", path);
    assay_run *run = started(text);
    assert_int_equal(asked(run), ASSAY_EINPUT);
    assert_int_equal(assay_results_write(assay_run_results(run), 0, "json", 6, path, why, sizeof why), ASSAY_EUSAGE);
    assert_non_null(strstr(why, "is one of the inputs"));
    assay_run_close(&run);
}

/* Four runs in one process: one whole, one that fails, two that wait for a pipe and are cancelled. */
static void four_at_once(void **state)
{
    (void)state;
    char pipe[200], text[1000];
    assay_run *run[4];
    assay_event event;
    int end = -1;
    in_folder(pipe, sizeof pipe, "pipe");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    end = open(pipe, O_RDWR); /* its reader waits for data that never comes */
    assert_true(end >= 0);
    snprintf(text, sizeof text, V ", \"reference\": {\"file\": \"" REF "\"}, \"encodes\": [{\"file\": \"%s\"}]}", pipe);
    run[0] = started(text);
    run[1] = started(text);
    run[2] = started(V ", \"reference\": {\"file\": \"" REF "\"}, \"encodes\": [{\"file\": \"/none\"}]}");
    run[3] = started(pair_request);
    assert_int_equal(asked(run[2]), ASSAY_EINPUT);
    assay_run_cancel(run[0]);
    assert_int_equal(asked(run[0]), ASSAY_ECANCELLED);
    assert_int_equal(asked(run[3]), 0);
    same_report(run[3], pair_command, "json");
    while (assay_run_next(run[1], 0, &event) != ASSAY_EVENT_NONE)
        assert_int_not_equal(event.kind, ASSAY_EVENT_END);
    assay_run_cancel(run[1]);
    assert_int_equal(asked(run[1]), ASSAY_ECANCELLED);
    for (unsigned i = 0; i < 4; i++)
        assay_run_close(&run[i]);
    close(end);
    unlink(pipe);
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

/* A grey picture of floats, 4x2 pixels: 0, 1, ... 7, but for one. */
static void write_pfm(const char *path, unsigned other, float value)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    fputs("Pf\n4 2\n-1.0\n", out);
    for (unsigned i = 0; i < 8; i++) {
        const float v = i == other ? value : (float)i;
        fwrite(&v, sizeof v, 1, out);
    }
    assert_int_equal(fclose(out), 0);
}

static void pictures(void **state)
{
    (void)state;
    char a[200], b[200], report[200], text[1600], why[1024] = "";
    double value;
    assay_results *read;
    write_pfm(in_folder(a, sizeof a, "a.pfm"), 8, 0);
    write_pfm(in_folder(b, sizeof b, "b.pfm"), 3, 3.5f);
    snprintf(text, sizeof text, V ", \"compare\": \"pictures\", \"tolerance\": {\"absolute\": \"0.25\"}, "
             "\"reference\": {\"file\": \"%s\"}, \"encodes\": [{\"file\": \"%s\"}, {\"file\": \"/none.pfm\"}, "
             "{\"file\": \"%s\", \"name\": \"equal\"}]}", a, b, a);
    assay_run *run = started(text);
    assert_int_equal(asked(run), ASSAY_EINPUT);
    const assay_results *results = assay_run_results(run);
    assert_int_equal(assay_results_value(results, 0, "max_diff", 0, &value), 0);
    assert_true(value == 0.5);
    assert_int_equal(assay_results_value(results, 0, "beyond_tolerance", 0, &value), 0);
    assert_true(value == 1);
    assert_int_equal(assay_results_state(results, 1, NULL), ASSAY_EINPUT);
    assert_string_equal(assay_results_name(results, 2), "equal");
    assert_int_equal(assay_results_value(results, 2, "max_diff", 0, &value), 0);
    assert_true(value == 0);
    in_folder(report, sizeof report, "own");
    unlink(report);
    if (assay_results_write(results, 0, "json", -1, report, why, sizeof why) ||
        assay_results_read(&read, report, why, sizeof why))
        fail_msg("%s", why);
    for (uint32_t k = 0; k < assay_results_keys(results, 0); k++) {
        const char *key = assay_results_key(results, 0, k);
        assert_int_equal(assay_results_value(read, 0, key, 0, &value), 0);
        assert_memory_equal(&value, &assay_results_row(results, 0, 0, NULL, NULL)[k], sizeof value);
    }
    assay_results_free(&read);
    assay_run_close(&run);
    static const char *const wrong[][2] = {{"\"compare\": \"pictures\", \"first\": 3", "of pictures, a request has"},
                                           {"\"assume\": \"srgb\"", "are of pictures"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(text, sizeof text, V ", %s, \"reference\": {\"file\": \"a\"}, \"encodes\": [{\"file\": \"b\"}]}",
                 wrong[i][0]);
        assay_request *r = parsed(text);
        assert_int_equal(assay_run_start(&run, r, why, sizeof why), ASSAY_EUSAGE);
        assert_non_null(strstr(why, wrong[i][1]));
        assay_request_close(&r);
    }
    unlink(a);
    unlink(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_named), cmocka_unit_test(every_field),
        cmocka_unit_test(largest_numbers),
        cmocka_unit_test(modes_of_the_caller),      cmocka_unit_test(locales_of_the_caller),
        cmocka_unit_test(a_run_needs_files),      cmocka_unit_test(a_pair_is_the_commands),
        cmocka_unit_test(a_ladder_is_the_commands), cmocka_unit_test(one_encode_fails),
        cmocka_unit_test(inputs_are_spared),        cmocka_unit_test(four_at_once),
        cmocka_unit_test(pictures),
    };
    if (!mkdtemp(folder))
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char path[200];
    unlink(in_folder(path, sizeof path, "own"));
    unlink(in_folder(path, sizeof path, "theirs"));
    rmdir(folder);
    return failed;
}
