/* SPDX-License-Identifier: BSD-2-Clause */
/* The HTML report of several encodes: its contents, its size, and the time that writing takes. With an argument the
 * report of six encodes is written to that file, for a look at it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "report/report.h"
#include "report/reporter.h"

enum { ENCODES = 6, KEYS = 5, WORST = 5, HOUR = 216000, RATE = 60, PICTURE = 12000 };

static const char *const keys[KEYS] = {"vmaf", "psnr_y", "psnr_cb", "psnr_cr", "float_ms_ssim"};
static const signed char direction[KEYS] = {ASSAY_HIGHER, ASSAY_HIGHER, ASSAY_HIGHER, ASSAY_HIGHER, ASSAY_HIGHER};

struct ladder {
    struct report_field field[ENCODES][6];
    char rate[ENCODES][32];
    struct report_worst worst[ENCODES][WORST];
    struct stored encode[ENCODES];
    unsigned char picture[PICTURE];
};

static uint32_t dice(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* A walk with peaks, as scores of video are. */
static void add_rows(struct scores *s, uint64_t rows, uint32_t encode)
{
    static const double top[KEYS] = {99, 46, 49, 49, 0.999}, depth[KEYS] = {40, 14, 12, 12, 0.05};
    uint32_t seed = 7;
    double scene = 0.3, values[KEYS];
    for (uint64_t row = 0; row < rows; row++) {
        const double noise = (double)dice(&seed) / (1 << 24);
        scene = dice(&seed) % 97 ? scene : (double)dice(&seed) / (1 << 24);
        for (unsigned k = 0; k < KEYS; k++)
            values[k] = top[k] - depth[k] * (scene + 0.2 * noise) * (ENCODES - encode) / ENCODES;
        assert_int_equal(scores_add(s, row, (int64_t)(row * 1000000000u / RATE), values, NULL), ASSAY_OK);
    }
}

static void fill(struct ladder *l, uint64_t rows)
{
    static const char *const names[ENCODES] = {"a 240p.mp4", "b 360p.mp4", "c <&\"'>.mp4", "d 720p.mp4", "e 1080p.mp4",
                                               "</script><script>alert(1)</script>"};
    memset(l, 0, sizeof *l);
    for (unsigned i = 0; i < PICTURE; i++)
        l->picture[i] = (unsigned char)(i * 7);
    for (uint32_t i = 0; i < ENCODES; i++) {
        struct scores *s = &l->encode[i].scores;
        l->encode[i].name = names[i];
        assert_int_equal(scores_init(s, KEYS, keys, NULL), ASSAY_OK);
        s->direction = direction;
        add_rows(s, rows, i);
        snprintf(l->rate[i], sizeof l->rate[i], "%u.5", 240u << i);
        l->field[i][0] = (struct report_field){.name = "configuration", .value = "vmaf,psnr"};
        l->field[i][1] = (struct report_field){.name = "reference_file", .value = "ref.mkv"};
        l->field[i][2] = (struct report_field){.name = "distorted_size", .value = "1920x1080"};
        l->field[i][3] = (struct report_field){.name = REPORT_BITRATE, .value = l->rate[i], .number = true};
        l->field[i][4] = (struct report_field){.name = "reference_frame_rate", .value = "60/1"};
        l->field[i][5] = (struct report_field){.name = REPORT_BITRATE_OF, .value = "video track"};
        for (unsigned w = 0; w < WORST && w < rows; w++) {
            l->worst[i][w] = (struct report_worst){.row = w * rows / WORST, .key = 0, .map = "max_diff per pixel"};
            for (unsigned side = 0; side < 3; side++)
                l->worst[i][w].picture[side] = (struct report_picture){l->picture, PICTURE, "image/webp", 320, 180};
        }
        l->encode[i].run = (struct report_run){.version = "0.0.0", .width = 1920, .height = 1080, .fields = 6,
                                               .field = l->field[i], .worst = l->worst[i],
                                               .worsts = rows < WORST ? 0 : WORST,
                                               .pictures = "Small pictures, as a display of sRGB shows them."};
    }
}

static void release(struct ladder *l)
{
    for (uint32_t i = 0; i < ENCODES; i++)
        scores_free(&l->encode[i].scores);
}

static char *written(const struct stored *encode, uint32_t encodes, size_t *size)
{
    char *text = NULL;
    struct reporter r = {.sink.file = open_memstream(&text, size), .precision = REPORT_DEFAULT};
    assert_non_null(r.sink.file);
    joint_html(&r, encode, encodes);
    assert_int_equal(r.sink.error, 0);
    fclose(r.sink.file);
    return text;
}

static unsigned count(const char *text, const char *what)
{
    unsigned n = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        n++;
    return n;
}

static void an_hour_is_small(void **state)
{
    (void)state;
    struct ladder l;
    size_t size;
    fill(&l, HOUR);
    const clock_t before = clock();
    char *text = written(l.encode, ENCODES, &size);
    const double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
    print_message("an hour at %d frames/s, %d encodes of %d scores: %zu bytes, %.2f s\n", RATE, ENCODES, KEYS, size,
                  seconds);
    assert_true(size < 3000000);
    assert_int_equal(count(text, "class=\"worst"), ENCODES * KEYS); /* kept, whatever is thinned */
    free(text);
    release(&l);
}

static void six_encodes(void **state)
{
    const char *const *path = *state;
    struct ladder l;
    size_t size;
    fill(&l, 10000);
    char *text = written(l.encode, ENCODES, &size);
    assert_int_equal(count(text, "<script"), 2); /* none of a name */
    assert_int_equal(count(text, "</script"), 2);
    assert_int_equal(count(text, "<figure class=\"panel\""), KEYS);
    assert_int_equal(count(text, "<figure class=\"rate\""), KEYS);
    assert_int_equal(count(text, "<g class=\"point "), KEYS * ENCODES);
    assert_int_equal(count(text, "data:image/webp;base64,"), ENCODES * WORST * 3);
    assert_int_equal(count(text, "<li class=\"frame\""), ENCODES * WORST);
    assert_non_null(strstr(text, "c &lt;&amp;&quot;'&gt;.mp4"));
    assert_non_null(strstr(text, "<title>6 encodes against ref.mkv</title>"));
    FILE *f = *path ? fopen(*path, "w") : NULL;
    if (f) {
        assert_int_equal(fwrite(text, 1, size, f), size);
        fclose(f);
    }
    free(text);
    release(&l);
}

/* The plot of six encodes: a name, a curve and a ring for each. */
static void plot_of_six(void **state)
{
    (void)state;
    struct ladder l;
    char *text = NULL;
    size_t size;
    fill(&l, 300);
    l.encode[3].run.incomplete = true;
    struct reporter r = {.sink.file = open_memstream(&text, &size), .precision = 6};
    joint_plot(&r, l.encode, ENCODES);
    fclose(r.sink.file);
    assert_int_equal(count(text, "<polyline class=\"curve e"), ENCODES * KEYS);
    assert_int_equal(count(text, "<circle class=\"worst e"), ENCODES * KEYS);
    assert_int_equal(count(text, "<text class=\"name\""), ENCODES);
    assert_int_equal(count(text, "<g id="), KEYS);
    assert_non_null(strstr(text, "<title>6 encodes against ref.mkv</title>"));
    assert_non_null(strstr(text, ">d 720p.mp4; incomplete: frames are missing<"));
    assert_null(strstr(text, "<script>"));
    free(text);
    release(&l);
}

/* An encode that failed has no frame. Without two rates there is no plot of them. */
static void without_frames(void **state)
{
    (void)state;
    struct ladder l;
    size_t size;
    fill(&l, 8);
    l.encode[0].scores.rows = 0;
    l.encode[0].run.worsts = 0;
    l.encode[0].run.incomplete = true;
    l.encode[0].run.reason = "a.mp4: <damaged>";
    l.encode[2].run.fields = 3;
    char *text = written(l.encode, 3, &size);
    assert_non_null(strstr(text, "a 240p.mp4: a.mp4: &lt;damaged&gt;"));
    assert_non_null(strstr(text, "No frame was scored"));
    assert_int_equal(count(text, "<figure class=\"rate\""), 0);
    assert_int_equal(count(text, "<figure class=\"panel\""), KEYS);
    free(text);
    for (uint32_t i = 0; i < 3; i++)
        l.encode[i].scores.rows = 0;
    l.encode[1].run.worsts = l.encode[2].run.worsts = 0;
    text = written(l.encode, 3, &size);
    assert_int_equal(count(text, "<figure"), 0);
    free(text);
    for (uint32_t i = 0; i < ENCODES; i++)
        l.encode[i].scores.rows = 8;
    release(&l);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : NULL;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_hour_is_small),
        cmocka_unit_test_prestate(six_encodes, &path),
        cmocka_unit_test(plot_of_six),
        cmocka_unit_test(without_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
