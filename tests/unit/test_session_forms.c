/* SPDX-License-Identifier: BSD-2-Clause */
/* Two pictures of different depth, layout or size in one call: the scores are those of the command on the same two
 * files, by every way into a session; without the flags, and where no rule exists, the pair is refused by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "session_test.h"

enum { WIDTH = 182, HEIGHT = 177, FRAMES = 3, KEYS = 128 };

/* ---- two clips by every way into a session ----------------------------------------------------------------------- */

struct forms {
    struct clip clip[2]; /* the reference of the first, the distorted pictures of the second */
    unsigned released;
};

struct scores_of {
    uint32_t keys;
    char key[KEYS][64], notes[512];
    double value[FRAMES][KEYS];
};

static void open_forms(struct forms *f, const assay_format *ref, const assay_format *dis)
{
    *f = (struct forms){.released = 0};
    clip_open(&f->clip[0], ref, FRAMES, 5, 0);
    clip_open(&f->clip[1], dis, FRAMES, 5, 0);
}

static void close_forms(struct forms *f)
{
    clip_close(&f->clip[0]);
    clip_close(&f->clip[1]);
}

static void fill(const struct forms *f, unsigned side, unsigned frame, const assay_buffer *to)
{
    const assay_format *format = &f->clip[side].format;
    const assay_picture from = clip_view(&f->clip[side], frame, side);
    for (uint32_t p = 0; p < assay_format_planes(format); p++)
        for (uint32_t y = 0; y < assay_format_plane_height(format, p); y++)
            memcpy((char *)to->plane[p] + (ptrdiff_t)y * to->stride[p],
                   (const char *)from.plane[p] + (ptrdiff_t)y * from.stride[p], (size_t)from.stride[p]);
}

static int read_picture(void *opaque, unsigned side, uint64_t pair, uint64_t place, const assay_buffer *to, char *error,
                        size_t error_size)
{
    (void)place, (void)error, (void)error_size;
    fill(opaque, side, (unsigned)pair, to);
    return 1;
}

static void count(void *opaque)
{
    __atomic_fetch_add((unsigned *)opaque, 1, __ATOMIC_RELAXED);
}

enum { BY_COPY, BY_RELEASE, BY_TAKE, BY_READ, WAYS };

static void feed(assay_session *s, struct forms *f, unsigned way)
{
    const assay_reader reader = {.read = read_picture, .opaque = f};
    assay_read_end end;
    if (way == BY_READ) {
        assert_int_equal(assay_session_read(s, &reader, 0, FRAMES, &end), 0);
        assert_int_equal(end.pairs, FRAMES);
    }
    for (unsigned i = 0; way != BY_READ && i < FRAMES; i++) {
        assay_picture picture[2];
        assay_buffer to[2];
        for (unsigned side = 0; side < 2; side++) {
            picture[side] = clip_view(&f->clip[side], i, side);
            picture[side].release = way == BY_RELEASE ? count : NULL;
            picture[side].opaque = &f->released;
        }
        if (way == BY_TAKE) {
            assert_int_equal(assay_session_take(s, &to[0], &to[1]), 0);
            fill(f, 0, i, &to[0]);
            fill(f, 1, i, &to[1]);
            assert_int_equal(assay_session_commit(s, i, ASSAY_SCORED), 0);
        } else
            assert_int_equal(assay_session_submit(s, i, &picture[0], &picture[1]), 0);
    }
}

static void score_forms(struct forms *f, const char *flags, unsigned way, struct scores_of *out)
{
    const assay_config config = {.distorted = &f->clip[1].format, .allow_depth = 1, .allow_format = 1,
                                 .allow_colour = strstr(flags, "colour") != NULL, .threads = 1,
                                 .scale = strstr(flags, "--scale") ? "bicubic" : NULL};
    assay_session *s;
    *out = (struct scores_of){.keys = 0};
    assert_int_equal(assay_session_new(&s, &config, NULL, 0), 0);
    assert_int_equal(assay_session_add_all(s, &f->clip[0].format, NULL, NULL), 0);
    assert_int_equal(assay_session_start(s, &f->clip[0].format), 0);
    out->keys = assay_session_keys(s);
    assert_true(out->keys <= KEYS);
    for (uint32_t k = 0; k < out->keys; k++)
        snprintf(out->key[k], sizeof out->key[k], "%s", assay_session_key(s, k));
    snprintf(out->notes, sizeof out->notes, "%s", assay_session_notes(s));
    feed(s, f, way);
    assert_int_equal(assay_session_flush(s), 0);
    for (uint64_t i = 0, frame; i < FRAMES; i++)
        assert_int_equal(assay_session_poll(s, &frame, out->value[i]), 1);
    assay_session_close(&s);
}

/* ---- the command on the same two -------------------------------------------------------------------------------- */

static void write_y4m(const struct forms *f, unsigned side, const char *path)
{
    static const char *const chroma[] = {[ASSAY_LAYOUT_400] = "mono", [ASSAY_LAYOUT_420] = "420",
                                         [ASSAY_LAYOUT_422] = "422", [ASSAY_LAYOUT_444] = "444"};
    const assay_format *format = &f->clip[side].format;
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    fprintf(out, "YUV4MPEG2 W%u H%u F25:1 C%s", format->width, format->height, chroma[format->layout]);
    if (format->bit_depth > 8)
        fprintf(out, "%s%u", format->layout == ASSAY_LAYOUT_400 ? "" : "p", format->bit_depth);
    fprintf(out, " XCOLORRANGE=%s\n", format->range == ASSAY_RANGE_FULL ? "FULL" : "LIMITED");
    for (unsigned i = 0; i < FRAMES; i++) {
        const assay_picture p = clip_view(&f->clip[side], i, side);
        fputs("FRAME\n", out);
        for (uint32_t k = 0; k < assay_format_planes(format); k++)
            fwrite(p.plane[k], (size_t)p.stride[k], assay_format_plane_height(format, k), out);
    }
    assert_int_equal(fclose(out), 0);
}

/* Compares the lines that the command prints for the frames, and returns how many of the keys they hold. */
static uint32_t compare_lines(FILE *csv, const struct scores_of *own)
{
    static char head[1 << 14], line[1 << 14];
    uint32_t found = 0;
    assert_non_null(fgets(head, sizeof head, csv));
    for (unsigned i = 0; i < FRAMES; i++) {
        char copy[sizeof head], *names, *values = line, *name, *value;
        assert_non_null(fgets(line, sizeof line, csv));
        memcpy(copy, head, sizeof head);
        for (names = copy; (name = strsep(&names, ",\n")) && (value = strsep(&values, ",\n"));)
            for (uint32_t k = 0; k < own->keys; k++)
                if (!strcmp(name, own->key[k])) {
                    const double theirs = strtod(value, NULL);
                    found += i == 0;
                    if (memcmp(&theirs, &own->value[i][k], sizeof theirs))
                        fail_msg("%s of frame %u: %a, by the command %a", name, i, own->value[i][k], theirs);
                }
    }
    return found;
}

static void same_as_command(const struct forms *f, const char *flags, const struct scores_of *own,
                            uint32_t keys)
{
    char folder[] = "/tmp/assay-forms-XXXXXX", ref[64], dis[64], command[4096];
    const char *program = getenv("ASSAY");
    assert_non_null(program);
    assert_non_null(mkdtemp(folder));
    snprintf(ref, sizeof ref, "%s/ref.y4m", folder);
    snprintf(dis, sizeof dis, "%s/dis.y4m", folder);
    write_y4m(f, 0, ref);
    write_y4m(f, 1, dis);
    snprintf(command, sizeof command, "'%s' -q %s --precision max --csv - %s %s", program, flags, ref, dis);
    FILE *csv = popen(command, "r");
    assert_non_null(csv);
    const uint32_t found = compare_lines(csv, own);
    while (fgetc(csv) != EOF)
        ;
    assert_int_equal(pclose(csv), 0);
    assert_int_equal(found, keys);
    unlink(ref);
    unlink(dis);
    rmdir(folder);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static assay_format form(assay_layout layout, uint32_t depth, assay_range range)
{
    assay_format f = format_of(layout, depth, WIDTH, HEIGHT);
    f.range = range;
    return f;
}

static assay_format sized(assay_layout layout, uint32_t depth, uint32_t width, uint32_t height)
{
    assay_format f = format_of(layout, depth, width, height);
    f.range = ASSAY_RANGE_LIMITED;
    return f;
}

static void test_scores_of_the_command(void **state)
{
    (void)state;
    const assay_range full = ASSAY_RANGE_FULL, limited = ASSAY_RANGE_LIMITED;
    const struct {
        assay_format ref, dis;
        const char *flags, *note;
        uint32_t keys; /* that the command prints; 0: all of the library's */
    } cases[] = {
        {form(ASSAY_LAYOUT_444, 8, limited), form(ASSAY_LAYOUT_444, 10, limited), "-m all --allow-depth",
         "bit depth: 8 bits against 10 bits: samples with fewer bits are shifted left", 0},
        {form(ASSAY_LAYOUT_444, 16, full), form(ASSAY_LAYOUT_444, 8, full), "-m all --allow-depth",
         "bit depth: 16 bits against 8 bits: samples with fewer bits are scaled", 0},
        {form(ASSAY_LAYOUT_422, 10, full), form(ASSAY_LAYOUT_422, 12, full), "-m all --allow-depth",
         "10 bits against 12", 0},
        {form(ASSAY_LAYOUT_444, 8, full), form(ASSAY_LAYOUT_444, 10, limited),
         "-m psnr -m ssimulacra2 --allow-depth --allow-colour",
         "are scaled", 4},
        {form(ASSAY_LAYOUT_420, 8, limited), form(ASSAY_LAYOUT_444, 8, limited), "-m all --allow-format",
         "layout: 4:2:0 against 4:4:4: only luma is compared", 0},
        {form(ASSAY_LAYOUT_422, 10, limited), form(ASSAY_LAYOUT_400, 8, limited),
         "-m all --allow-format --allow-depth",
         "layout: 4:2:2 against 4:0:0: only luma is compared\n"
         "bit depth: 10 bits against 8 bits: ", 0},
        {form(ASSAY_LAYOUT_420, 8, limited), sized(ASSAY_LAYOUT_420, 8, 121, 117), "-m all --scale bicubic",
         "scale: the distorted, 121x117, is scaled to 182x177: bicubic, chroma centred", 0},
        {form(ASSAY_LAYOUT_422, 10, limited), sized(ASSAY_LAYOUT_422, 8, 273, 265),
         "-m all --scale bicubic --allow-depth",
         "is scaled to 182x177: bicubic, chroma centred\nbit depth: 10 bits against 8 bits: ", 0},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct forms f;
        struct scores_of first, other;
        open_forms(&f, &cases[i].ref, &cases[i].dis);
        score_forms(&f, cases[i].flags, BY_COPY, &first);
        assert_true(first.keys > 10);
        assert_true(first.value[0][0] != first.value[1][0]);
        if (!strstr(first.notes, cases[i].note))
            fail_msg("%s", first.notes);
        for (unsigned way = BY_COPY + 1; way < WAYS; way++) {
            score_forms(&f, cases[i].flags, way, &other);
            assert_int_equal(first.keys, other.keys);
            assert_memory_equal(first.value, other.value, sizeof first.value);
        }
        assert_int_equal(f.released, 2 * FRAMES);
        same_as_command(&f, cases[i].flags, &first,
                        cases[i].keys ? cases[i].keys : first.keys);
        close_forms(&f);
    }
}

/* A slot that assay_session_read has filled is filled again by assay_session_take. */
static void test_read_then_take(void **state)
{
    (void)state;
    const assay_format ref = form(ASSAY_LAYOUT_444, 8, ASSAY_RANGE_FULL), dis = form(ASSAY_LAYOUT_444, 10, ref.range);
    const assay_config config = {.distorted = &dis, .allow_depth = 1, .frames_in_flight = 1, .threads = 1};
    struct forms f;
    assay_session *s;
    uint64_t frame;
    double read[FRAMES][8], taken[FRAMES][8];
    open_forms(&f, &ref, &dis);
    assert_int_equal(assay_session_new(&s, &config, NULL, 0), 0);
    assert_int_equal(assay_session_add_metric(s, "psnr=enable_mse=true"), 0);
    assert_int_equal(assay_session_start(s, &ref), 0);
    assert_true(assay_session_keys(s) <= 8);
    feed(s, &f, BY_READ);
    for (unsigned i = 0; i < FRAMES; i++) { /* other pictures than the slot's last ones */
        assay_buffer to[2];
        assert_int_equal(assay_session_take(s, &to[0], &to[1]), 0);
        fill(&f, 0, i, &to[0]);
        fill(&f, 1, i, &to[1]);
        assert_int_equal(assay_session_commit(s, FRAMES + i, ASSAY_SCORED), 0);
    }
    assert_int_equal(assay_session_flush(s), 0);
    for (unsigned i = 0; i < 2 * FRAMES; i++)
        assert_int_equal(assay_session_poll(s, &frame, i < FRAMES ? read[i] : taken[i - FRAMES]), 1);
    for (unsigned i = 0; i < FRAMES; i++)
        assert_memory_equal(read[i], taken[i], assay_session_keys(s) * sizeof(double));
    assay_session_close(&s);
    close_forms(&f);
}

/* Opaque is opaque at every depth, also where the colours are of limited range. */
static void test_alpha(void **state)
{
    (void)state;
    static unsigned char cover[WIDTH * HEIGHT];
    static uint16_t wide_cover[WIDTH * HEIGHT];
    assay_format ref = form(ASSAY_LAYOUT_RGB, 8, ASSAY_RANGE_LIMITED), dis = form(ASSAY_LAYOUT_RGB, 16, ref.range);
    double value[2];
    struct forms f;
    memset(cover, 255, sizeof cover);
    memset(wide_cover, 255, sizeof wide_cover);
    open_forms(&f, &ref, &dis);
    for (unsigned alpha = 0; alpha < 2; alpha++) {
        ref.alpha = dis.alpha = alpha;
        const assay_config config = {.distorted = &dis, .allow_depth = 1, .threads = 1};
        assay_picture a = clip_view(&f.clip[0], 0, 0), b = clip_view(&f.clip[1], 0, 1);
        assay_session *s;
        uint64_t frame;
        a.plane[3] = cover;
        a.stride[3] = WIDTH;
        b.plane[3] = wide_cover;
        b.stride[3] = 2 * WIDTH;
        assert_int_equal(assay_session_new(&s, &config, NULL, 0), 0);
        assert_int_equal(assay_session_add_metric(s, "ssimulacra2"), 0);
        assert_int_equal(assay_session_start(s, &ref), 0);
        assert_int_equal(assay_session_submit(s, 0, &a, &b), 0);
        assert_int_equal(assay_session_flush(s), 0);
        assert_int_equal(assay_session_poll(s, &frame, &value[alpha]), 1);
        assay_session_close(&s);
    }
    assert_true(value[0] < 100 && value[0] == value[1]);
    close_forms(&f);
}

static void test_refusals(void **state)
{
    (void)state;
    const assay_range limited = ASSAY_RANGE_LIMITED;
    const assay_format plain = form(ASSAY_LAYOUT_420, 8, limited);
    assay_format other_matrix = form(ASSAY_LAYOUT_444, 8, limited), larger = plain, coded = plain;
    other_matrix.matrix = 6;
    coded.matrix = 1;
    larger.width++;
    const struct { assay_format ref, dis; uint32_t depth, format, gpu_sides; int rc; const char *says; } cases[] = {
        {plain, form(ASSAY_LAYOUT_420, 10, limited), 0, 1, 0, ASSAY_EMISMATCH, "this needs allow_depth"},
        {plain, form(ASSAY_LAYOUT_444, 8, limited), 1, 0, 0, ASSAY_EMISMATCH, "4:2:0 against 4:4:4"},
        {plain, form(ASSAY_LAYOUT_444, 8, limited), 1, 0, 0, ASSAY_EMISMATCH, "this needs allow_format"},
        {plain, form(ASSAY_LAYOUT_444, 10, limited), 0, 0, 0, ASSAY_EMISMATCH, "allow_format and allow_depth"},
        {plain, form(ASSAY_LAYOUT_RGB, 8, limited), 1, 1, 0, ASSAY_EMISMATCH, "RGB and YUV have no plane in common"},
        {plain, form(ASSAY_LAYOUT_420, 17, limited), 1, 1, 0, ASSAY_EUSAGE, "8 to 16 bits"},
        {plain, form(ASSAY_LAYOUT_UNKNOWN, 8, limited), 1, 1, 0, ASSAY_EUSAGE, "layout"},
        {plain, larger, 1, 1, 0, ASSAY_EMISMATCH, "this needs scale"},
        {coded, other_matrix, 1, 1, 0, ASSAY_EMISMATCH, "matrix"}, /* though only luma is compared */
        {plain, form(ASSAY_LAYOUT_420, 10, limited), 1, 1, 1, ASSAY_EUSAGE, "reference pictures in a device's memory"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const assay_config config = {.distorted = &cases[i].dis, .allow_depth = cases[i].depth,
                                     .allow_format = cases[i].format, .gpu_sides = cases[i].gpu_sides, .threads = 1};
        char error[512];
        assay_session *s;
        assert_int_equal(assay_session_new(&s, &config, NULL, 0), 0);
        assert_int_equal(assay_session_add_metric(s, "psnr"), 0);
        assert_int_equal(assay_session_start(s, &cases[i].ref), cases[i].rc);
        if (!strstr(assay_session_error(s), cases[i].says))
            fail_msg("case %u: %s", i, assay_session_error(s));
        assay_session_close(&s);
        if (!cases[i].gpu_sides)
            assert_int_equal(assay_metric_allows("psnr", &config, &cases[i].ref, error, sizeof error), cases[i].rc);
    }
}

/* What a configuration says of scaling, and what can't be scaled. */
static void test_refused_scaling(void **state)
{
    (void)state;
    const assay_format plain = form(ASSAY_LAYOUT_420, 8, ASSAY_RANGE_LIMITED),
                       small = sized(ASSAY_LAYOUT_420, 8, 91, 88), rgb = sized(ASSAY_LAYOUT_RGB, 8, 91, 88),
                       odd = sized(ASSAY_LAYOUT_420, 11, 91, 88);
    const struct { assay_format ref, dis; assay_config config; const char *says; } cases[] = {
        {plain, small, {.scale = "cubic"}, "no filter of scaling is called 'cubic'"},
        {plain, plain, {.scale_width = 9, .scale_height = 9}, "need scale"},
        {plain, plain, {.scale_siting = ASSAY_SCALE_TAG}, "need scale"},
        {plain, small, {.scale = "bicubic", .scale_width = 9}, "set together"},
        {plain, small, {.scale = "bicubic", .scale_width = 9, .scale_height = 65536}, "65535"},
        {plain, small, {.scale = "bicubic", .scale_siting = 2}, "ASSAY_SCALE_"},
        {plain, small, {.scale = "bicubic", .scale_width = 8193, .scale_height = 9}, "too large"},
        {rgb, rgb, {.scale = "bicubic", .scale_width = 90, .scale_height = 9}, "RGB can't be scaled"},
        {odd, odd, {.scale = "bicubic", .scale_width = 90, .scale_height = 9}, "11 bits"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        assay_config config = cases[i].config;
        char error[512];
        assay_session *s = NULL;
        config.distorted = &cases[i].dis;
        config.threads = 1;
        int rc = assay_session_new(&s, &config, error, sizeof error);
        if (!rc) {
            assert_int_equal(assay_session_add_metric(s, "psnr"), 0);
            rc = assay_session_start(s, &cases[i].ref);
            snprintf(error, sizeof error, "%s", assay_session_error(s));
        }
        assert_int_equal(rc, ASSAY_EUSAGE);
        if (!strstr(error, cases[i].says))
            fail_msg("case %u: %s", i, error);
        assay_session_close(&s);
    }
}

/* The size of a row is that of the side's own samples. */
static void test_short_rows(void **state)
{
    (void)state;
    const assay_format ref = form(ASSAY_LAYOUT_400, 8, ASSAY_RANGE_FULL), dis = form(ASSAY_LAYOUT_400, 10, ref.range);
    const assay_config config = {.distorted = &dis, .allow_depth = 1, .threads = 1};
    struct forms f;
    assay_session *s;
    open_forms(&f, &ref, &dis);
    assert_int_equal(assay_session_new(&s, &config, NULL, 0), 0);
    assert_int_equal(assay_session_add_metric(s, "psnr"), 0);
    assert_int_equal(assay_session_start(s, &ref), 0);
    assay_picture a = clip_view(&f.clip[0], 0, 0), b = clip_view(&f.clip[1], 0, 1);
    assert_int_equal(assay_session_submit(s, 0, &a, &b), 0);
    b.stride[0]--;
    assert_int_equal(assay_session_submit(s, 1, &a, &b), ASSAY_EUSAGE);
    assay_session_close(&s);
    close_forms(&f);
}

/* Gives a pair to a session by one of the ways, and returns what that returns. */
static int give(assay_session *s, struct forms *f, unsigned way)
{
    const assay_reader reader = {.read = read_picture, .opaque = f};
    assay_picture a = clip_view(&f->clip[0], 0, 0), b = clip_view(&f->clip[1], 0, 1);
    assay_read_end end;
    assay_buffer to[2];
    if (way == BY_READ)
        return assay_session_read(s, &reader, 0, 1, &end);
    a.release = b.release = way == BY_RELEASE ? count : NULL;
    a.opaque = b.opaque = &f->released;
    if (way != BY_TAKE)
        return assay_session_submit(s, 0, &a, &b);
    assert_int_equal(assay_session_take(s, &to[0], &to[1]), 0);
    fill(f, 0, 0, &to[0]);
    fill(f, 1, 0, &to[1]);
    return assay_session_commit(s, 0, ASSAY_SCORED);
}

/* Codes above those of the depth, as a program has them that takes P010 for planes of 10 bits, are refused where a
 * metric reads them. */
static void test_codes_in_high_bits(void **state)
{
    (void)state;
    const assay_range full = ASSAY_RANGE_FULL;
    const struct { assay_format ref, dis; unsigned side, plane; const char *metric, *says; } cases[] = {
        {form(ASSAY_LAYOUT_420, 10, full), form(ASSAY_LAYOUT_420, 10, full), 1, 0, "psnr",
         "distorted picture has a code above 1023, the largest of 10 bits, in plane 0 at 181,176"},
        {form(ASSAY_LAYOUT_420, 12, full), form(ASSAY_LAYOUT_420, 12, full), 0, 2, "psnr",
         "reference picture has a code above 4095, the largest of 12 bits, in plane 2 at 90,88"},
        {form(ASSAY_LAYOUT_420, 8, full), form(ASSAY_LAYOUT_420, 9, full), 1, 0, "psnr", "code above 511"},
        {form(ASSAY_LAYOUT_420, 10, full), form(ASSAY_LAYOUT_420, 16, full), 1, 0, "psnr", NULL},
        {form(ASSAY_LAYOUT_420, 10, full), form(ASSAY_LAYOUT_420, 10, full), 1, 2, "float_ssim", NULL},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases * WAYS; i++) {
        const unsigned c = i / WAYS;
        const assay_config config = {.distorted = &cases[c].dis, .allow_depth = 1, .threads = 1};
        struct forms f;
        assay_session *s;
        open_forms(&f, &cases[c].ref, &cases[c].dis);
        const assay_format *own = cases[c].side ? &cases[c].dis : &cases[c].ref;
        const struct clip_picture *to = &f.clip[cases[c].side].picture[0][cases[c].side];
        const uint16_t high = (uint16_t)(1u << own->bit_depth | 0x8000);
        memcpy(to->plane[cases[c].plane] + to->stride[cases[c].plane] *
                   (ptrdiff_t)(assay_format_plane_height(own, cases[c].plane) - 1) +
                   2 * (assay_format_plane_width(own, cases[c].plane) - 1), &high, sizeof high);
        assert_int_equal(assay_session_new(&s, &config, NULL, 0), 0);
        assert_int_equal(assay_session_add_metric(s, cases[c].metric), 0);
        assert_int_equal(assay_session_start(s, &cases[c].ref), 0);
        assert_int_equal(give(s, &f, i % WAYS), cases[c].says ? ASSAY_EINPUT : 0);
        if (cases[c].says && !strstr(assay_session_error(s), cases[c].says))
            fail_msg("case %u: %s", i, assay_session_error(s));
        assert_true(!cases[c].says || !f.released);
        assert_int_equal(assay_session_wait(s), 0); /* a refused pair ends nothing */
        assay_session_close(&s);
        close_forms(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores_of_the_command), cmocka_unit_test(test_read_then_take),
        cmocka_unit_test(test_alpha), cmocka_unit_test(test_refusals), cmocka_unit_test(test_refused_scaling),
        cmocka_unit_test(test_short_rows), cmocka_unit_test(test_codes_in_high_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
