/* SPDX-License-Identifier: BSD-2-Clause */
/* What people read: the table, the gates and the progress line. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/progress.h"
#include "report/report.h"

static const char *const keys[] = {"psnr_y", "float_ssim", "mse_y"};
static const double rows[4][3] = {
    {34.7609, 0.9886, 21.7}, {31.25, 0.9731, 48.76}, {INFINITY, 1, 0}, {36.5, 0.99, 14.5566}};
static const struct report_aggregate aggregates[] = {{"apsnr_y", 34.0625}};

static struct scores make_scores(uint32_t n)
{
    struct scores s;
    static signed char direction[] = {ASSAY_HIGHER, ASSAY_HIGHER, ASSAY_LOWER};
    assert_int_equal(scores_init(&s, 3, keys, NULL), ASSAY_OK);
    s.direction = direction;
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(scores_add(&s, 100 * i, SCORES_NO_TIME, rows[i], NULL), ASSAY_OK);
    return s;
}

static void assert_table(const struct report_run *run, uint32_t n, int precision, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    struct scores s = make_scores(n);
    assert_int_equal(report_table(f, &(struct stored){.run = *run, .scores = s}, precision), ASSAY_OK);
    fclose(f);
    assert_string_equal(text, expected);
    scores_free(&s);
    free(text);
}

static void table(void **state)
{
    (void)state;
    struct report_run run = {.compared = "a\033[2J.mkv against b.mkv", .width = 576, .height = 324, .fps = 231.44,
                             .aggregates = 1, .aggregate = aggregates};
    assert_table(&run, 4, REPORT_DEFAULT,
                 "a?[2J.mkv against b.mkv: 576x324, 4 frames, 231.4 frames/s\n"
                 "metric         mean  harmonic      min  frame       p1       p5      max\n"
                 "psnr_y          inf    45.708   31.250    100   31.355   31.777      inf\n"
                 "float_ssim  0.98792   0.98788  0.97310    100  0.97357  0.97542  1.00000\n"
                 "mse_y        21.254     2.545    0.000    100    0.437    2.183   48.760\n"
                 "apsnr_y      34.062  whole sequence\n");
}

/* A hidden key has no row, and its name and numbers widen no column, in any form. */
static void table_hides_keys(void **state)
{
    (void)state;
    static const bool hidden[] = {false, true, false};
    struct report_run run = {.width = 576, .height = 324, .hidden = hidden};
    assert_table(&run, 4, REPORT_DEFAULT,
                 "576x324, 4 frames\n"
                 "metric    mean  harmonic     min  frame      p1      p5     max\n"
                 "psnr_y     inf    45.708  31.250    100  31.355  31.777     inf\n"
                 "mse_y   21.254     2.545   0.000    100   0.437   2.183  48.760\n");
    assert_table(&run, 1, REPORT_DEFAULT,
                 "576x324, 1 frame\n"
                 "metric  frame 0\n"
                 "psnr_y   34.761\n"
                 "mse_y    21.700\n");
    assert_table(&run, 2, 17,
                 "576x324, 2 frames\n"
                 "psnr_y\n"
                 "  mean      33.00544999999999618\n"
                 "  harmonic  32.91482909357176823\n"
                 "  min       31.25000000000000000 at frame 100\n"
                 "  p1        31.28510899999999850\n"
                 "  p5        31.42554499999999962\n"
                 "  max       34.76089999999999947\n"
                 "mse_y\n"
                 "  mean      35.22999999999999687\n"
                 "  harmonic  30.17725641733370168\n"
                 "  min       21.69999999999999929\n"
                 "  p1        21.97060000000000102\n"
                 "  p5        23.05300000000000082\n"
                 "  max       48.75999999999999801 at frame 100\n");
}

static void tall_table(void **state)
{
    (void)state;
    struct report_run run = {.width = 1, .height = 1, .aggregates = 1, .aggregate = aggregates, .incomplete = true,
                             .reason = "b.y4m ends early"};
    assert_table(&run, 2, 17,
                 "1x1, 2 frames\n"
                 "psnr_y\n"
                 "  mean      33.00544999999999618\n"
                 "  harmonic  32.91482909357176823\n"
                 "  min       31.25000000000000000 at frame 100\n"
                 "  p1        31.28510899999999850\n"
                 "  p5        31.42554499999999962\n"
                 "  max       34.76089999999999947\n"
                 "float_ssim\n"
                 "  mean      0.98085000000000000\n"
                 "  harmonic  0.98081967842088003\n"
                 "  min       0.97309999999999997 at frame 100\n"
                 "  p1        0.97325499999999998\n"
                 "  p5        0.97387499999999994\n"
                 "  max       0.98860000000000003\n"
                 "mse_y\n"
                 "  mean      35.22999999999999687\n"
                 "  harmonic  30.17725641733370168\n"
                 "  min       21.69999999999999929\n"
                 "  p1        21.97060000000000102\n"
                 "  p5        23.05300000000000082\n"
                 "  max       48.75999999999999801 at frame 100\n"
                 "apsnr_y\n"
                 "  whole sequence  34.06250000000000000\n"
                 "incomplete: b.y4m ends early\n");
}

static void table_failures(void **state)
{
    (void)state;
    struct report_run run = {.width = 2, .height = 2, .incomplete = true, .reason = "nothing"};
    assert_table(&run, 0, REPORT_DEFAULT, "2x2, 0 frames\nincomplete: nothing\n");
    FILE *full = fopen("/dev/full", "w");
    struct scores s = make_scores(4);
    assert_int_equal(report_table(full, &(struct stored){.run = run, .scores = s}, REPORT_DEFAULT), ASSAY_EINTERNAL);
    scores_free(&s);
    fclose(full);
}

/* The table of equal frames; to be freed. */
static char *some_frames(uint64_t frames, uint32_t n, const char *const *names, uint64_t frame, const double *row,
                         const struct report_run *run)
{
    struct scores s;
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    static const signed char direction[64] = {ASSAY_HIGHER, ASSAY_HIGHER};
    assert_int_equal(scores_init(&s, n, names, NULL), ASSAY_OK);
    s.direction = direction;
    for (uint64_t i = 0; i < frames; i++)
        assert_int_equal(scores_add(&s, frame + i, SCORES_NO_TIME, row, NULL), ASSAY_OK);
    assert_int_equal(report_table(f, &(struct stored){.run = *run, .scores = s}, REPORT_DEFAULT), ASSAY_OK);
    fclose(f);
    scores_free(&s);
    return text;
}

/* A name that would push the figures off the line has one of its own; a whole sequence's too. */
static void table_long_names(void **state)
{
    (void)state;
    static const char *const names[] = {"VMAF_integer_feature_motion_sad_score_mmxv_18", "psnr_y"};
    static const double row[] = {12345.678, 40.25};
    static const struct report_aggregate whole[] = {{"a_figure_of_the_whole_sequence_that_is_long", 34.0625}};
    const struct report_run run = {.width = 8, .height = 8, .aggregates = 1, .aggregate = whole};
    char *text = some_frames(2, 2, names, 7, row, &run);
    assert_string_equal(text, "8x8, 2 frames\n"
                              "metric     mean  harmonic      min  frame       p1       p5      max\n"
                              "VMAF_integer_feature_motion_sad_score_mmxv_18\n"
                              "        12345.7   12345.7  12345.7      7  12345.7  12345.7  12345.7\n"
                              "psnr_y   40.250    40.250   40.250      7   40.250   40.250   40.250\n"
                              "a_figure_of_the_whole_sequence_that_is_long\n"
                              "         34.062  whole sequence\n");
    free(text);
}

/* Figures that have nothing to be pooled with stand in one column. */
static void table_of_one_frame(void **state)
{
    (void)state;
    static const char *const names[] = {"psnr_y", "max_diff", "max_diff_at_x"};
    static const double row[] = {40.25, 81, 1919};
    struct report_run run = {.compared = "b.png against a.png", .width = 8, .height = 8, .aggregates = 1,
                             .aggregate = aggregates};
    char *text = some_frames(1, 3, names, 7, row, &run);
    assert_string_equal(text, "b.png against a.png: 8x8, 1 frame\n"
                              "metric         frame 7\n"
                              "psnr_y          40.250\n"
                              "max_diff        81.000\n"
                              "max_diff_at_x     1919\n"
                              "apsnr_y         34.062  whole sequence\n");
    free(text);
    /* Of several, the place of a pixel is no figure; and what was compared gives way to its length. */
    run.compared = "a/folder/with/a/long/name/b.png against a/folder/with/a/long/name/a.png";
    text = some_frames(2, 3, names, 7, row, &run);
    assert_non_null(strstr(text, "a.png:\n8x8, 2 frames\n"));
    assert_non_null(strstr(text, "max_diff "));
    assert_null(strstr(text, "max_diff_at_x"));
    free(text);
}

/* A long table has an empty line around each metric of several keys. */
static void table_of_groups(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c1", "c2", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
    static const uint32_t metric[] = {0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    static const double row[13] = {1};
    const struct report_run run = {.width = 8, .height = 8, .metric = metric};
    for (uint64_t frames = 1; frames < 3; frames++) {
        char *text = some_frames(frames, 13, names, 0, row, &run);
        const char *b = strstr(text, "\nb "), *c = strstr(text, "\n\nc1 "), *d = strstr(text, "\n\nd ");
        assert_true(b && c && d && b < c && c < d);
        assert_null(strstr(d + 2, "\n\n"));
        free(text);
        text = some_frames(frames, 12, names, 0, row, &run);
        assert_null(strstr(text, "\n\n"));
        free(text);
    }
}

/* The longest key names, with large and negative figures, still fit. */
static void table_width(void **state)
{
    (void)state;
    static const char *const names[] = {"float_ms_ssim_l_scale4", "float_ms_ssim", "mse_cb", "ssimulacra2"};
    static const double row[] = {0.123456, 0.5, 65025, -279.123};
    const struct report_run run = {.width = 1920, .height = 1080};
    char *text = some_frames(2, 4, names, 123456, row, &run);
    int lines = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        assert_true(strlen(line) <= 80);
        lines++;
    }
    assert_int_equal(lines, 7); /* the longest name has one of its own */
    free(text);
}

static void assert_gate(const char *text, const char *key, enum pool pool, double percent, double limit)
{
    struct gate g;
    struct assay_error e = {0};
    if (gate_parse(&g, text, false, &e))
        fail_msg("%s", e.text);
    assert_string_equal(g.key, key);
    assert_int_equal(g.pool, pool);
    assert_true(g.percent == percent && g.limit == limit);
}

static void gate_texts(void **state)
{
    (void)state;
    assert_gate("psnr_y=38", "psnr_y", POOL_MEAN, 0, 38);
    assert_gate("float_ms_ssim.mean=0.98", "float_ms_ssim", POOL_MEAN, 0, 0.98);
    assert_gate("psnr_y.p1=38", "psnr_y", POOL_PERC, 1, 38);
    assert_gate("psnr_y.p2.5=38", "psnr_y", POOL_PERC, 2.5, 38);
    assert_gate("psnr_y.percentile=5=-1e1", "psnr_y", POOL_PERC, 5, -10);
    assert_gate("ssim_k_1.5.min=.5", "ssim_k_1.5", POOL_MIN, 0, .5);
    assert_gate("ssim_k_1.5=.5", "ssim_k_1.5", POOL_MEAN, 0, .5);
    assert_gate("psnr_y.harmonic_mean=inf", "psnr_y", POOL_HARMONIC_MEAN, 0, INFINITY);
    static const char *const bad[] = {"",        "psnr_y",     "=3",          "psnr_y=",    "psnr_y=x",    "psnr_y=1,5",
                                      "psnr_y.avg=3", "psnr_y.=3", ".mean=3", "psnr_y.p101=3", "psnr y=3", "psnr_y=nan",
                                      "a,b.mean=1", "psnr_y.mean.mean.=2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct gate g;
        struct assay_error e = {0};
        if (gate_parse(&g, bad[i], false, &e) != ASSAY_EUSAGE || strncmp(e.text, "--fail-under ", 13) != 0)
            fail_msg("'%s' was taken as a gate, or refused with '%s'", bad[i], e.text);
    }
    char huge[400] = {0};
    memset(huge, 'a', 300);
    strcat(huge, "=1");
    struct gate g;
    struct assay_error e = {0};
    assert_int_equal(gate_parse(&g, huge, true, &e), ASSAY_EUSAGE);
    assert_int_equal(strncmp(e.text, "--fail-over ", 12), 0);
}

static int check(const char *const *texts, uint32_t n, bool over, uint32_t frames, const char *expected,
                 struct assay_error *e)
{
    struct gate g[8];
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(gate_parse(g + i, texts[i], over, NULL), ASSAY_OK);
    struct report_run run = {.aggregates = 1, .aggregate = aggregates};
    struct scores s = make_scores(frames);
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    int result = gates_check("", g, n, &(struct stored){.run = run, .scores = s}, f, e);
    fclose(f);
    assert_string_equal(text, expected);
    free(text);
    scores_free(&s);
    return result;
}

static void gates(void **state)
{
    (void)state;
    struct assay_error e = {0};
    static const char *const mixed[] = {"psnr_y.min=31.25", "psnr_y=60", "float_ssim.p5=0.98", "apsnr_y=34.0625",
                                        "apsnr_y=34.06250000000001", "mse_y.stddev=1", "psnr_y.stddev=0"};
    assert_int_equal(check(mixed, 7, false, 4,
                           "pass  psnr_y.min = 31.250000, at least 31.25 (frame 100)\n"
                           "pass  psnr_y.mean = inf, at least 60\n"
                           "FAIL  float_ssim.p5 = 0.975425, at least 0.98\n"
                           "pass  apsnr_y = 34.062500, at least 34.0625\n"
                           "FAIL  apsnr_y = 34.0625, at least 34.06250000000001\n"
                           "pass  mse_y.stddev = 17.701459, at least 1\n"
                           "FAIL  psnr_y.stddev = nan, at least 0\n",
                           &e), 3);
    static const char *const above[] = {"mse_y.max=48.76", "mse_y.max=48", "psnr_y.max=100", "psnr_y.stddev=1"};
    assert_int_equal(check(above, 4, true, 4,
                           "pass  mse_y.max = 48.760000, at most 48.76 (frame 100)\n"
                           "FAIL  mse_y.max = 48.760000, at most 48 (frame 100)\n"
                           "FAIL  psnr_y.max = inf, at most 100 (frame 200)\n"
                           "FAIL  psnr_y.stddev = nan, at most 1\n",
                           &e), 3);
    /* A run without frames passes nothing. */
    static const char *const one[] = {"psnr_y.min=0"};
    assert_int_equal(check(one, 1, false, 0, "FAIL  psnr_y.min = nan, at least 0\n", &e), 1);
    assert_int_equal(check(one, 1, true, 0, "FAIL  psnr_y.min = nan, at most 0\n", &e), 1);
    assert_int_equal(e.code, 0);

    /* An encode of a ladder may lack a score that others have. */
    static const char *const absent[] = {"psnr_y=1", "vmaf=90", "vmaf.p5=90"};
    assert_int_equal(check(absent, 3, false, 4,
                           "pass  psnr_y.mean = inf, at least 1\n"
                           "FAIL  vmaf: this encode has no such score\n"
                           "FAIL  vmaf.p5: this encode has no such score\n",
                           &e), 2);
}

static void gates_before_the_run(void **state)
{
    (void)state;
    static const char *all[] = {"psnr_y", "float_ssim", "mse_y", "apsnr_y"};
    static const char *const texts[] = {"mse_y.max=1", "apsnr_y=30", "vmaf=90", "apsnr_y.min=3"};
    struct gate g[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(gate_parse(g + i, texts[i], false, NULL), ASSAY_OK);
    struct assay_error e = {0};
    struct gate_names names = {.names = 4, .keys = 3, .name = all};
    for (int i = 0; i < 2; i++)
        assert_int_equal(gate_validate(g + i, &names, &e), ASSAY_OK);
    assert_int_equal(gate_validate(g + 2, &names, &e), ASSAY_EUSAGE);
    assert_string_equal(e.text,
                        "--fail-under: this run has no score named 'vmaf'; it has psnr_y, float_ssim, mse_y, apsnr_y");
    e = (struct assay_error){0};
    assert_int_equal(gate_validate(g + 3, &names, &e), ASSAY_EUSAGE);
    assert_string_equal(e.text, "--fail-under: 'apsnr_y' is one figure for the whole run and has no pool 'min'");
    /* A list longer than a message is cut. */
    const char *many[200];
    for (int i = 0; i < 200; i++)
        many[i] = "float_ms_ssim_l_scale4";
    names = (struct gate_names){.names = 200, .keys = 200, .name = many};
    e = (struct assay_error){0};
    assert_int_equal(gate_validate(g, &names, &e), ASSAY_EUSAGE);
    assert_string_equal(e.text + strlen(e.text) - 5, ", ...");
    /* Wherever the cut comes, the list is at most 299 bytes long and keeps its names whole. */
    char first[40] = "";
    for (many[0] = first; strlen(first) < sizeof first - 1; strcat(first, "k")) {
        e = (struct assay_error){0};
        assert_int_equal(gate_validate(g, &names, &e), ASSAY_EUSAGE);
        assert_true(strlen(strstr(e.text, "it has ") + strlen("it has ")) < 300);
        assert_string_equal(e.text + strlen(e.text) - 11, "scale4, ...");
    }
}

/* A gate against the score's direction passes what is worse. Of a spread no end is better. */
static void gates_against_directions(void **state)
{
    (void)state;
    static const char *all[] = {"psnr_y", "float_ssim", "mse_y", "apsnr_y"};
    static signed char direction[] = {ASSAY_HIGHER, ASSAY_NEUTRAL, ASSAY_LOWER, ASSAY_HIGHER};
    const struct gate_names names = {4, 3, all, direction};
    static const struct {
        const char *text;
        bool over, good;
    } cases[] = {{"psnr_y=3", false, true}, {"psnr_y=3", true, false}, {"psnr_y.max=3", true, false},
                 {"psnr_y.stddev=3", true, true}, {"psnr_y.var=3", false, true}, {"float_ssim=1", true, true},
                 {"float_ssim=1", false, true}, {"mse_y=2", true, true}, {"mse_y.p5=2.5", false, false},
                 {"apsnr_y=3", false, true}, {"apsnr_y=3", true, false}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gate g;
        struct assay_error e = {0};
        assert_int_equal(gate_parse(&g, cases[i].text, cases[i].over, NULL), ASSAY_OK);
        assert_int_equal(gate_validate(&g, &names, &e), cases[i].good ? ASSAY_OK : ASSAY_EUSAGE);
        if (!strcmp(cases[i].text, "mse_y.p5=2.5"))
            assert_string_equal(e.text, "--fail-under mse_y.p5=2.5: lower mse_y is better, so this passes what is "
                                "worse: --fail-over mse_y.p5=2.5 fails it (--allow-reversed-gates takes it as it is)");
        g.any_way = true;
        assert_int_equal(gate_validate(&g, &names, NULL), ASSAY_OK);
    }
}

static void progress_texts(void **state)
{
    (void)state;
    char text[100];
    progress_line(text, sizeof text, 120, 480, "frames", 0.5);
    assert_string_equal(text, "120/480 frames   25 %  240.0 frames/s  0:02 left");
    progress_line(text, sizeof text, 120, 0, "frames", 60);
    assert_string_equal(text, "120 frames  2.00 frames/s");
    progress_line(text, sizeof text, 0, 480, "frames", 3);
    assert_string_equal(text, "0/480 frames    0 %");
    progress_line(text, sizeof text, 480, 480, "frames", 2);
    assert_string_equal(text, "480/480 frames  100 %  240.0 frames/s");
    progress_line(text, sizeof text, 1, 7201, "frames", 1);
    assert_string_equal(text, "1/7201 frames    0 %  1.00 frames/s  2:00:00 left");
    progress_line(text, sizeof text, 1, UINT64_MAX, "frames", 1e9);
    assert_non_null(strstr(text, " h left"));
    progress_line(text, sizeof text, 481, 480, "pairs", 1);
    assert_string_equal(text, "481 pairs  481.0 pairs/s");
    progress_line(text, 10, 120, 480, "frames", 0.5);
    assert_string_equal(text, "120/480 f");
}

static FILE *open_terminal(int *master, unsigned short columns)
{
    *master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(*master >= 0 && grantpt(*master) == 0 && unlockpt(*master) == 0);
    FILE *terminal = fopen(ptsname(*master), "w");
    assert_non_null(terminal);
    struct winsize w = {.ws_row = 24, .ws_col = columns};
    assert_int_equal(ioctl(*master, TIOCSWINSZ, &w), 0);
    return terminal;
}

/* All that was written, as a string. One read may get a part of it. */
static size_t read_terminal(int master, char *seen, size_t size)
{
    size_t n = 0;
    for (ssize_t got; n < size - 1 && (got = read(master, seen + n, size - 1 - n)) > 0;) /* ends with EIO */
        n += (size_t)got;
    assert_true(n > 0);
    seen[n] = '\0';
    close(master);
    return n;
}

/* What a terminal gets to see for three updates (the second comes too soon) and an erasure. */
static size_t on_terminal(char *seen, size_t size, const char *no_colour, unsigned short columns)
{
    int master;
    FILE *terminal = open_terminal(&master, columns);
    if (no_colour)
        setenv("NO_COLOR", no_colour, 1);
    else
        unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    struct progress p;
    progress_start(&p, terminal, false, 1000, "frames");
    progress_update(&p, 0);
    p.shown += 1000; /* as if the line were newer than it is, ... */
    progress_update(&p, 10);
    p.shown -= 2000; /* ... and older: no test waits for a clock */
    progress_update(&p, 500);
    progress_erase(&p);
    progress_erase(&p);
    fclose(terminal);
    return read_terminal(master, seen, size);
}

/* A text of the caller, cut to the terminal's width, in which a character of several bytes takes one column; a shorter
 * one is filled up with blanks. */
static void progress_of_the_caller(void **state)
{
    (void)state;
    static const char *const texts[] = {"0123456789", ("\xc3\xa4\xe2\x82\xac\xf0\x9d\x84\x9e" "3456789"), "ab"};
    char seen[200];
    int master;
    FILE *terminal = open_terminal(&master, 8);
    struct progress p;
    setenv("NO_COLOR", "1", 1);
    progress_start(&p, terminal, false, 10, "jobs");
    assert_true(progress_due(&p));
    assert_false(progress_due(&p));
    for (unsigned i = 0; i < 3; i++)
        progress_show(&p, texts[i]);
    fclose(terminal);
    read_terminal(master, seen, sizeof seen);
    assert_string_equal(seen, "\r0123456\r\xc3\xa4\xe2\x82\xac\xf0\x9d\x84\x9e" "3456\rab     ");
}

/* Counted for another process, also where nothing is shown. */
static void progress_shared(void **state)
{
    (void)state;
    struct progress_count count = {0};
    struct progress p;
    FILE *f = fopen("/dev/null", "w");
    assert_non_null(f);
    progress_share(&count);
    progress_start(&p, f, false, 10, "frames");
    progress_update(&p, 3);
    progress_share(NULL);
    progress_update(&p, 4);
    fclose(f);
    assert_int_equal(count.total, 10);
    assert_int_equal(count.done, 3);
}

static void progress_on_terminal(void **state)
{
    (void)state;
    char seen[1000];
    on_terminal(seen, sizeof seen, NULL, 80);
    assert_non_null(strstr(seen, "\r\033[36m0/1000 frames    0 %"));
    assert_null(strstr(seen, "10/1000"));
    assert_non_null(strstr(seen, "\r\033[36m500/1000 frames   50 %  "));
    size_t n = on_terminal(seen, sizeof seen, "1", 80);
    assert_null(strchr(seen, '\033'));
    assert_null(strchr(seen, '\n'));
    /* Erased: blanks as wide as the line, between two returns, and nothing after them. */
    assert_int_equal(seen[n - 1], '\r');
    size_t blanks = n - 1;
    while (blanks > 0 && seen[blanks - 1] == ' ')
        blanks--;
    assert_int_equal(seen[blanks - 1], '\r');
    char *line = strstr(seen, "\r500/1000");
    assert_non_null(line);
    assert_int_equal(n - 1 - blanks, strlen(line) - 1 - (n - blanks + 1));
    on_terminal(seen, sizeof seen, "", 80); /* an empty NO_COLOR means nothing */
    assert_non_null(strchr(seen, '\033'));
    /* A narrow terminal gets a line that does not wrap. */
    on_terminal(seen, sizeof seen, "1", 12);
    assert_non_null(strstr(seen, "\r500/1000 fr\r"));
}

static void progress_elsewhere(void **state)
{
    (void)state;
    FILE *f = tmpfile();
    assert_non_null(f);
    struct progress p;
    progress_start(&p, f, false, 10, "frames");
    progress_update(&p, 5);
    progress_erase(&p);
    assert_int_equal(ftell(f), 0);
    /* Asked for: the first update, and one a minute; nothing of a terminal. */
    progress_start(&p, f, true, 1000, "frames");
    progress_update(&p, 1);
    p.shown -= 59;
    progress_update(&p, 2);
    p.shown -= 2;
    progress_update(&p, 300);
    progress_erase(&p);
    char text[300] = "";
    rewind(f);
    assert_true(fread(text, 1, sizeof text - 1, f) > 0);
    assert_ptr_equal(strstr(text, "assay: 1/1000 frames    0 %"), text);
    assert_null(strstr(text, "assay: 2/"));
    assert_non_null(strstr(text, "\nassay: 300/1000 frames   30 %"));
    assert_true(text[strlen(text) - 1] == '\n' && !strpbrk(text, "\r\033"));
    fclose(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table),
        cmocka_unit_test(table_hides_keys),
        cmocka_unit_test(tall_table),
        cmocka_unit_test(table_failures),
        cmocka_unit_test(table_long_names),
        cmocka_unit_test(table_width),
        cmocka_unit_test(table_of_one_frame),
        cmocka_unit_test(table_of_groups),
        cmocka_unit_test(gate_texts),
        cmocka_unit_test(gates),
        cmocka_unit_test(gates_before_the_run),
        cmocka_unit_test(gates_against_directions),
        cmocka_unit_test(progress_texts),
        cmocka_unit_test(progress_of_the_caller), cmocka_unit_test(progress_shared),
        cmocka_unit_test(progress_on_terminal),
        cmocka_unit_test(progress_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
