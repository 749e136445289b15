/* SPDX-License-Identifier: BSD-2-Clause */
/* Results of assay/run.h that are read from reports, merged and compared, and their rates: beside the command's. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <assay/run.h>

#define REF ASSAY_SOURCE_ROOT "/examples/sample/ref.y4m"
#define DIS ASSAY_SOURCE_ROOT "/examples/sample/dis.y4m"
#define METRICS "psnr=enable_apsnr=true,vmaf,motion"

static char folder[] = "/tmp/assay-kept-XXXXXX";

/* Runs the command in the folder. */
static int command(const char *arguments)
{
    char line[2000];
    snprintf(line, sizeof line, "cd %s && '%s' %s >out 2>err", folder, getenv("ASSAY"), arguments);
    const int status = system(line);
    return status == -1 ? -1 : status >> 8;
}

static const char *at(const char *name)
{
    static char path[4][200];
    static unsigned i;
    i = (i + 1) % 4;
    snprintf(path[i], sizeof path[i], "%s/%s", folder, name);
    return path[i];
}

static char *content(const char *name)
{
    enum { MOST = 1 << 20 };
    char *text = calloc(1, MOST);
    FILE *in = fopen(at(name), "rb");
    assert_non_null(text);
    if (!in)
        fail_msg("%s is not there", name);
    assert_true(fread(text, 1, MOST - 1, in) < MOST - 1);
    fclose(in);
    return text;
}

static void same_file(const char *a, const char *b)
{
    char *x = content(a), *y = content(b);
    assert_string_equal(x, y);
    free(x);
    free(y);
}

static void put(const char *name, const char *text)
{
    FILE *out = fopen(at(name), "wb");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static assay_results *read_of(const char *name)
{
    assay_results *r;
    char why[1024] = "";
    if (assay_results_read(&r, at(name), why, sizeof why))
        fail_msg("%s: %s", name, why);
    return r;
}

static void not_read(const char *name, const char *part)
{
    assay_results *r;
    char why[1024] = "";
    assert_int_equal(assay_results_read(&r, at(name), why, sizeof why), ASSAY_EINPUT);
    assert_null(r);
    if (!strstr(why, part))
        fail_msg("%s: \"%s\" does not say \"%s\"", name, why, part);
}

/* A report that was read is written with the same bytes, in every form. */
static void reports_are_read(void **state)
{
    (void)state;
    char why[1024];
    assert_int_equal(command("-q -m " METRICS " --reproducible --precision max --json a.json --csv a.csv --xml a.xml "
                             "--sub a.sub --plot a.svg " REF " " DIS), 0);
    assay_results *r = read_of("a.json");
    for (const char *const *form = (const char *[]){"json", "csv", "xml", "sub", "svg", NULL}; *form; form++) {
        char name[16];
        snprintf(name, sizeof name, "a.%s", *form);
        if (assay_results_write(r, 0, *form, -1, at("again"), why, sizeof why))
            fail_msg("%s", why);
        same_file(name, "again");
    }
    const uint32_t key = assay_results_find_key(r, 0, "vmaf"), feature = assay_results_find_key(r, 0, "integer_adm2");
    assert_int_equal(assay_results_encodes(r), 1);
    assert_string_equal(assay_results_name(r, 0), "dis");
    assert_int_equal(assay_results_state(r, 0, NULL), 0);
    assert_int_equal(assay_results_rows(r, 0), 8);
    assert_int_equal(assay_results_key_direction(r, 0, key), ASSAY_HIGHER);
    assert_false(assay_results_key_feature(r, 0, key));
    assert_true(assay_results_key_feature(r, 0, feature));
    assert_non_null(strstr(assay_results_fact(r, 0, "reference_file"), "ref.y4m"));
    double v;
    assert_string_equal(assay_results_aggregate(r, 0, 0, &v), "apsnr_y");
    assert_int_equal(assay_results_write(r, 0, "json", 6, REF, why, sizeof why), ASSAY_EUSAGE);
    assay_results_free(&r);
    assert_null(r);
    assay_results_free(&r);

    char *text = content("a.json"), *complete = strstr(text, "\"incomplete\": false");
    assert_non_null(complete);
    memcpy(complete, "\"incomplete\": true ", strlen("\"incomplete\": false"));
    put("broken.json", text);
    free(text);
    r = read_of("broken.json");
    assert_int_equal(assay_results_state(r, 0, NULL), ASSAY_EMISMATCH);
    assert_null(assay_results_aggregate(r, 0, 0, &v)); /* they are of all frames */
    assay_results_free(&r);
}

/* Ranges are of the numbers of frames, which are not those of rows where frames are left out. */
static void pools_of_ranges(void **state)
{
    (void)state;
    static const struct {
        uint64_t first, end;
        unsigned row, rows;
    } ranges[] = {{0, 8, 0, 4}, {2, 5, 1, 2}, {1, 4, 1, 1}, {3, 7, 2, 2}, {5, UINT64_MAX, 3, 1}, {7, 8, 4, 0}};
    assert_int_equal(command("-q -m psnr --every 2 --precision max --json every.json " REF " " DIS), 0);
    assay_results *r = read_of("every.json");
    const uint32_t key = assay_results_find_key(r, 0, "psnr_y");
    double value[4], v;
    uint64_t frame[4];
    assert_int_equal(assay_results_column(r, 0, key, 0, 8, value, frame, NULL), 4);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(frame[i], 2 * i);
    for (unsigned i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const double *of = value + ranges[i].row;
        double sum = 0, least = INFINITY, most = -INFINITY;
        for (unsigned k = 0; k < ranges[i].rows; k++) {
            sum += of[k];
            least = of[k] < least ? of[k] : least;
            most = of[k] > most ? of[k] : most;
        }
        const double want[] = {sum / ranges[i].rows, least, most};
        const char *const pool[] = {"mean", "min", "max"};
        for (unsigned k = 0; k < 3; k++) {
            assert_int_equal(assay_results_pool(r, 0, "psnr_y", pool[k], ranges[i].first, ranges[i].end, &v), 0);
            assert_true(ranges[i].rows ? v == want[k] : isnan(v));
        }
    }
    assert_int_equal(assay_results_value(r, 0, "psnr_y", 4, &v), 0);
    assert_true(v == value[2]);
    assert_int_equal(assay_results_value(r, 0, "psnr_y", 3, &v), ASSAY_EUSAGE);
    assay_results_free(&r);
}

static void pairs_by_time_are_read(void **state)
{
    (void)state;
    char why[1024];
    assert_int_equal(command("-q -m psnr --pair time --reproducible --precision max --json t.json " REF " " DIS), 0);
    assay_results *r = read_of("t.json");
    if (assay_results_write(r, 0, "json", -1, at("again"), why, sizeof why))
        fail_msg("%s", why);
    same_file("t.json", "again");
    char *text = content("again");
    assert_non_null(strstr(text, "\"distorted_frame\": 7"));
    free(text);
    assay_results_free(&r);
}

/* JSON has no infinities: the digests restore them. */
static void infinities_are_read(void **state)
{
    (void)state;
    char why[1024];
    double v;
    assert_int_equal(command("-q -m psnr=enable_apsnr=true --reproducible --precision max --json i.json --csv i.csv "
                             REF " " REF), 0);
    assay_results *r = read_of("i.json");
    for (const char *const *form = (const char *[]){"json", "csv", NULL}; *form; form++) {
        char name[16];
        snprintf(name, sizeof name, "i.%s", *form);
        if (assay_results_write(r, 0, *form, -1, at("again"), why, sizeof why))
            fail_msg("%s", why);
        same_file(name, "again");
    }
    assert_string_equal(assay_results_aggregate(r, 0, 0, &v), "apsnr_y");
    assay_results_free(&r);
}

static void several_encodes_are_read(void **state)
{
    (void)state;
    char why[1024];
    const char *reason;
    assert_int_equal(command("-q -m psnr --reproducible --precision max --json b.json " REF " " DIS " nothing.y4m "
                             REF), 3);
    assay_results *r = read_of("b.json");
    assert_int_equal(assay_results_encodes(r), 3);
    assert_string_equal(assay_results_name(r, 1), "nothing");
    assert_int_equal(assay_results_state(r, 1, &reason), ASSAY_EINPUT);
    assert_non_null(strstr(reason, "nothing.y4m: can't be opened"));
    assert_int_equal(assay_results_rows(r, 1), 0);
    assert_int_equal(assay_results_rows(r, 2), 8);
    if (assay_results_write(r, ASSAY_NONE, "json", -1, at("again"), why, sizeof why))
        fail_msg("%s", why);
    same_file("b.json", "again");
    if (assay_results_write(r, ASSAY_NONE, "csv", -1, at("again"), why, sizeof why))
        fail_msg("%s", why);
    assert_int_equal(command("-q -m psnr --reproducible --precision max --csv b.csv " REF " " DIS " nothing.y4m " REF),
                     3);
    same_file("b.csv", "again");
    assay_results_free(&r);
}

static void what_is_no_report_is_refused(void **state)
{
    (void)state;
    not_read("nowhere", "can't be opened");
    put("x", "{");
    not_read("x", "no JSON");
    put("x", "{\"assay_shard\": 2}");
    not_read("x", "score it again with --shard");
    put("x", "{\"frames\": [{\"frameNum\": 0, \"metrics\": [1]}], \"pooled_metrics\": {}, \"assay\": [1]}");
    not_read("x", "a frame has no metrics");
    put("x", "{\"frames\": []}");
    not_read("x", "not the shape");
    put("x", "{\"version\": \"3.0.0\", \"frames\": [{\"frameNum\": 1, \"metrics\": {\"vmaf\": 50, \"more\": null}}], "
             "\"pooled_metrics\": {}, \"aggregate_metrics\": {}}");
    assay_results *r = read_of("x"); /* of libvmaf */
    double v;
    assert_int_equal(assay_results_value(r, 0, "vmaf", 1, &v), 0);
    assert_true(v == 50);
    assert_int_equal(assay_results_value(r, 0, "more", 1, &v), 0);
    assert_true(isnan(v));
    assert_int_equal(assay_results_key_direction(r, 0, 0), ASSAY_HIGHER);
    assert_int_equal(assay_results_key_direction(r, 0, 1), ASSAY_NEUTRAL); /* no metric has it */
    assert_null(assay_results_fact(r, 0, "reference_file"));
    assay_results_free(&r);
}

static void parts_are_merged(void **state)
{
    (void)state;
    char why[1024];
    assert_int_equal(command("-q -m " METRICS " --frames 3 --shard 0.part " REF " " DIS), 0);
    assert_int_equal(command("-q -m " METRICS " --first 3 --frames 1 --shard 1.part " REF " " DIS), 0);
    assert_int_equal(command("-q -m " METRICS " --first 4 --shard 2.part " REF " " DIS), 0);
    assert_int_equal(command("-q -m " METRICS " --reproducible --precision max --json whole.json " REF " " DIS), 0);
    assay_results *part[3] = {read_of("2.part"), read_of("0.part"), read_of("1.part")}, *whole = NULL;
    if (assay_results_merge(&whole, (const assay_results *const *)part, 3, why, sizeof why))
        fail_msg("%s", why);
    if (assay_results_write(whole, 0, "json", -1, at("again"), why, sizeof why))
        fail_msg("%s", why);
    same_file("whole.json", "again");
    assay_results *scored = read_of("whole.json");
    assay_comparison c;
    uint32_t scores = 0;
    for (; !assay_results_compare(whole, 0, scored, 0, scores, &c); scores++)
        assert_true(c.equal && !c.differ && c.in[0] && c.in[1]);
    assert_true(scores > 20);

    assay_results *none = whole;
    assert_int_equal(assay_results_merge(&none, (const assay_results *const *)&part[1], 1, why, sizeof why), 0);
    const char *reason;
    assert_int_equal(assay_results_state(none, 0, &reason), ASSAY_EMISMATCH);
    assert_non_null(strstr(reason, "no part has seen the end"));
    assay_results_free(&none);
    assert_int_equal(assay_results_merge(&none, (const assay_results *const *)part, 2, why, sizeof why),
                     ASSAY_EMISMATCH);
    assert_non_null(strstr(why, "frames 3 to 3 are in no part"));
    assert_null(none);
    assert_int_equal(assay_results_merge(&none, (const assay_results *const *)&scored, 1, why, sizeof why),
                     ASSAY_EINPUT);
    assert_non_null(strstr(why, "is a report of a whole run"));
    assert_int_equal(assay_results_merge(&none, NULL, 0, why, sizeof why), ASSAY_EUSAGE);
    for (unsigned i = 0; i < 3; i++)
        assay_results_free(&part[i]);
    assay_results_free(&whole);
    assay_results_free(&scored);
}

static void differences_are_found(void **state)
{
    (void)state;
    assert_int_equal(command("-q -m psnr,ssim --precision max --json a.json " REF " " DIS), 0);
    assert_int_equal(command("-q -m psnr,ssim --precision 2 --json rounded.json " REF " " DIS), 0);
    assert_int_equal(command("-q -m psnr=enable_mse=true --precision max --first 2 --json b.json " DIS " " REF), 0);
    assay_results *a = read_of("a.json"), *rounded = read_of("rounded.json"), *b = read_of("b.json");
    assay_comparison c;
    uint32_t i = 0;
    for (; !assay_results_compare(a, 0, rounded, 0, i, &c); i++) /* by the digests; the values are rounded */
        assert_true(c.equal && c.common == 8 && c.differ > 0 && c.largest < 0.01);
    assert_int_equal(i, 4);
    char why[1024];
    assert_int_equal(assay_results_write(rounded, 0, "json", -1, at("again"), why, sizeof why), ASSAY_EUSAGE);
    assert_int_equal(assay_results_write(rounded, 0, "csv", 2, at("again"), why, sizeof why), 0);
    double v[2];
    for (i = 0; !assay_results_compare(a, 0, b, 0, i, &c); i++) {
        assert_true(!c.equal); /* other frames, or a score of one alone */
        if (strcmp(c.score, "psnr_y"))
            continue;
        assert_int_equal(c.common, 6);
        assert_int_equal(c.differ, 0); /* PSNR is the same both ways */
    }
    assert_int_equal(i, 4 + 3);
    assert_int_equal(command("-q -m psnr --precision max --json b.json " DIS " " DIS), 0);
    assay_results_free(&b);
    b = read_of("b.json");
    assert_int_equal(assay_results_compare(a, 0, b, 0, 0, &c), 0);
    assert_string_equal(c.score, "psnr_y");
    assert_int_equal(assay_results_value(a, 0, "psnr_y", 0, &v[0]), 0);
    assert_int_equal(assay_results_value(b, 0, "psnr_y", 0, &v[1]), 0);
    assert_true(!c.equal && c.differ == 8 && c.first == 0);
    assert_memory_equal(c.value, v, sizeof v);
    assert_int_equal(assay_results_compare(a, 1, b, 0, 0, &c), ASSAY_EUSAGE);
    assay_results_free(&a);
    assay_results_free(&b);
    assay_results_free(&rounded);
}

static void rates_are_the_commands(void **state)
{
    (void)state;
    static const double rate[2][4] = {{500, 1000, 2000, 4000}, {400, 900, 1800, 3500}},
                        figure[2][4] = {{61, 74.5, 83, 90}, {60.25, 75, 84, 91.5}};
    assay_rate_point point[2][4] = {{{0}}};
    assay_results *r[2][4];
    char name[16], text[600], why[1024] = "";
    for (unsigned side = 0; side < 2; side++)
        for (unsigned i = 0; i < 4; i++) {
            snprintf(name, sizeof name, "%u%u.json", side, i);
            snprintf(text, sizeof text,
                     "{\"frames\": [{\"frameNum\": 0, \"metrics\": {\"vmaf\": %.3f}}], \"pooled_metrics\": {}, "
                     "\"aggregate_metrics\": {}, \"assay\": {\"reference_file\": \"r.mkv\", "
                     "\"distorted_bitrate_kbps\": %.1f}}", figure[side][i], rate[side][i]);
            put(name, text);
            point[side][i].results = r[side][i] = read_of(name);
        }
    for (const char *const *method = (const char *[]){"pchip", "akima", "aom", "cubic", NULL}; *method; method++) {
        assay_bdrate d;
        snprintf(text, sizeof text, "bdrate -q --precision max --method %s -m vmaf.p5 --json rates.json --anchor "
                 "00.json 01.json 02.json 03.json --test 10.json 11.json 12.json 13.json", *method);
        assert_int_equal(command(text), 0);
        char *said = content("rates.json");
        const char *percent = strstr(said, "\"bd_rate_percent\": "), *score = strstr(said, "\"bd_score\": ");
        assert_true(percent && score);
        if (assay_results_bdrate(point[0], 4, point[1], 4, "vmaf.p5", *method, &d, why, sizeof why))
            fail_msg("%s", why);
        const double theirs[2] = {strtod(percent + 19, NULL), strtod(score + 12, NULL)};
        assert_memory_equal(&d.rate, &theirs[0], sizeof d.rate);
        assert_memory_equal(&d.figure, &theirs[1], sizeof d.figure);
        assert_true(d.rate < -5 && d.figures[0] == 61 && d.figures[1] == 90);
        free(said);
    }
    assay_bdrate d;
    point[0][1].kbps = 100000;
    assert_int_equal(assay_results_bdrate(point[0], 4, point[1], 4, "vmaf", "pchip", &d, why, sizeof why),
                     ASSAY_EMISMATCH);
    point[0][1].kbps = -3000;
    assert_int_equal(assay_results_bdrate(point[0], 4, point[1], 4, "vmaf", "pchip", &d, why, sizeof why),
                     ASSAY_EUSAGE);
    assert_non_null(strstr(why, "is no positive number"));
    point[0][1].kbps = 0;
    assert_int_equal(assay_results_bdrate(point[0], 3, point[1], 4, "vmaf", "pchip", &d, why, sizeof why),
                     ASSAY_EUSAGE);
    assert_int_equal(assay_results_bdrate(point[0], 4, point[1], 4, "psnr_y", "pchip", &d, why, sizeof why),
                     ASSAY_EUSAGE);
    assert_non_null(strstr(why, "has no score named 'psnr_y'"));
    assert_int_equal(assay_results_bdrate(point[0], 4, point[1], 4, "vmaf", "spline", &d, why, sizeof why),
                     ASSAY_EUSAGE);
    point[0][2].reserved[1] = 1;
    assert_int_equal(assay_results_bdrate(point[0], 4, point[1], 4, "vmaf", "pchip", &d, why, sizeof why),
                     ASSAY_EUSAGE);
    point[0][2].reserved[1] = 0;
    put("other", "{\"frames\": [{\"frameNum\": 0, \"metrics\": {\"vmaf\": 83}}], \"pooled_metrics\": {}, "
                 "\"assay\": {\"reference_file\": \"other.mkv\", \"distorted_bitrate_kbps\": 2000}}");
    assay_results *other = read_of("other");
    point[0][2].results = other;
    assert_int_equal(assay_results_bdrate(point[0], 4, point[1], 4, "vmaf", "pchip", &d, why, sizeof why),
                     ASSAY_EMISMATCH);
    assert_non_null(strstr(why, "different references"));
    assay_results_free(&other);
    for (unsigned i = 0; i < 8; i++)
        assay_results_free(&r[i / 4][i % 4]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_are_read),      cmocka_unit_test(pools_of_ranges),
        cmocka_unit_test(pairs_by_time_are_read),
        cmocka_unit_test(infinities_are_read),   cmocka_unit_test(several_encodes_are_read),
        cmocka_unit_test(what_is_no_report_is_refused), cmocka_unit_test(parts_are_merged),
        cmocka_unit_test(differences_are_found), cmocka_unit_test(rates_are_the_commands),
    };
    char line[200];
    if (!mkdtemp(folder))
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(line, sizeof line, "rm -r %s", folder);
    return system(line) ? 1 : failed;
}
