/* SPDX-License-Identifier: BSD-2-Clause */
/* Raw pictures, stdin, names in messages, and the files that can't be read at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "input/stream.h"
#include "input_test.h"

static struct input_options raw_options(const char *path, assay_layout layout, uint32_t w, uint32_t h, uint32_t depth)
{
    struct input_options o = options_for(path);
    o.form = INPUT_RAW;
    o.layout = layout;
    o.width = w;
    o.height = h;
    o.bit_depth = depth;
    return o;
}

static void raw_every_layout(void **state)
{
    (void)state;
    for (int i = 0; i < 6 * 9 * SOURCE_KINDS; i++) {
        const assay_layout layout = (assay_layout)(ASSAY_LAYOUT_400 + i % 6);
        const uint32_t depth = 8 + (uint32_t)(i / 6 % 9);
        const enum source_kind kind = (enum source_kind)(i / 54);
        const assay_format f = { .width = 37, .height = 11, .bit_depth = depth, .layout = layout };
        struct bytes b = { 0 };
        struct source s;
        struct canvas c;
        struct input *in;
        struct assay_error e = { 0 };
        for (uint32_t frame = 0; frame < 3; frame++)
            bytes_picture(&b, &f, frame);
        source_open(&s, kind, &b);
        const struct input_options o = raw_options(s.path, layout, 37, 11, depth);
        assert_int_equal(input_open(&in, &o, &e), ASSAY_OK);
        assert_int_equal(in->frames, kind == SOURCE_FILE ? 3 : -1);
        assert_int_equal(in->format.matrix, layout == ASSAY_LAYOUT_RGB ? 0 : 2);
        canvas_open(&c, &in->format, i % 2 ? 0 : 10);
        assert_int_equal(input_read(in, &c.picture, NULL, &e), 1);
        canvas_check_pattern(&c, 0);
        assert_int_equal(input_skip(in, &e), 1);
        assert_int_equal(input_read(in, &c.picture, NULL, &e), 1);
        canvas_check_pattern(&c, 2);
        assert_int_equal(input_read(in, &c.picture, NULL, &e), 0);
        input_close(&in);
        canvas_close(&c);
        source_close(&s);
        bytes_free(&b);
    }
}

static void raw_of_a_wrong_size(void **state)
{
    (void)state;
    struct bytes b = { 0 };
    for (size_t n = 0; n <= 48; n++) {
        struct source s;
        struct input *in;
        struct assay_error e = { 0 };
        struct canvas c;
        b.n = 0;
        bytes_add(&b, "................................................", n);
        source_open(&s, SOURCE_FILE, &b);
        struct input_options o = raw_options(s.path, ASSAY_LAYOUT_420, 4, 4, 8); /* 24 bytes */
        const int code = input_open(&in, &o, &e);
        if (n == 0 || n % 24) {
            assert_int_equal(code, ASSAY_EINPUT);
            assert_null(in);
            check_error(&e, ASSAY_EINPUT, n == 0 ? "is empty" : "bytes are not a whole number of 4x4 yuv420p pictures");
            check_error(&e, ASSAY_EINPUT, s.path);
        } else {
            assert_int_equal(code, ASSAY_OK);
            input_close(&in);
        }
        source_close(&s);

        source_open(&s, SOURCE_PIPE, &b);
        o.path = s.path;
        e = (struct assay_error) { 0 };
        assert_int_equal(input_open(&in, &o, &e), ASSAY_OK);
        canvas_open(&c, &in->format, 0);
        for (size_t frame = 0; frame < n / 24; frame++)
            assert_int_equal(n % 2 ? input_skip(in, &e) : input_read(in, &c.picture, NULL, &e), 1);
        const int end = n % 2 ? input_skip(in, &e) : input_read(in, &c.picture, NULL, &e);
        assert_int_equal(end, n > 0 && n % 24 == 0 ? 0 : ASSAY_EINPUT);
        if (n == 0)
            check_error(&e, ASSAY_EINPUT, "holds no pictures");
        else if (n % 24)
            check_error(&e, ASSAY_EINPUT, n > 24 ? "frame 1: truncated after " : "frame 0: truncated after ");
        input_close(&in);
        canvas_close(&c);
        source_close(&s);
    }
    bytes_free(&b);
}

static void raw_of_a_wrong_geometry(void **state)
{
    (void)state;
    static const struct {
        uint32_t w, h, depth;
        assay_layout layout;
        const char *part;
    } cases[] = {
        { 0, 4, 8, ASSAY_LAYOUT_420, "0x4" },
        { 4, 0, 8, ASSAY_LAYOUT_420, "4x0" },
        { 65536, 4, 8, ASSAY_LAYOUT_420, "65536x4" },
        { 4, UINT32_MAX, 8, ASSAY_LAYOUT_420, "4x4294967295" },
        { 4, 4, 7, ASSAY_LAYOUT_420, "7 bit" },
        { 4, 4, 17, ASSAY_LAYOUT_420, "17 bit" },
        { 4, 4, 0, ASSAY_LAYOUT_420, "0 bit" },
        { 4, 4, 8, ASSAY_LAYOUT_UNKNOWN, "layout" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct input *in;
        struct assay_error e = { 0 };
        const struct input_options o =
            raw_options("/dev/null", cases[i].layout, cases[i].w, cases[i].h, cases[i].depth);
        assert_int_equal(input_open(&in, &o, &e), ASSAY_EUSAGE);
        assert_null(in);
        check_error(&e, ASSAY_EUSAGE, cases[i].part);
    }
    struct bytes b = { 0 };
    struct source s;
    struct input *in;
    struct assay_error e = { 0 };
    bytes_text(&b, "some bytes");
    source_open(&s, SOURCE_FILE, &b);
    const struct input_options o = raw_options(s.path, ASSAY_LAYOUT_RGB, 65535, 65535, 16);
    assert_int_equal(input_open(&in, &o, &e), ASSAY_EINPUT);
    check_error(&e, ASSAY_EINPUT,
                "10 bytes are not a whole number of 65535x65535 rgb48 pictures: 0 of 25769017350 bytes");
    source_close(&s);
    bytes_free(&b);
}

static void raw_lying_depth(void **state)
{
    (void)state;
    struct bytes b = { 0 };
    struct source s;
    struct input *in;
    struct canvas c;
    struct assay_error e = { 0 };
    bytes_add(&b, "\xff\x01\xff\x01\xff\x01\x00\x02", 8);
    source_open(&s, SOURCE_FILE, &b);
    const struct input_options o = raw_options(s.path, ASSAY_LAYOUT_400, 2, 2, 9);
    assert_int_equal(input_open(&in, &o, &e), ASSAY_OK);
    canvas_open(&c, &in->format, 0);
    assert_int_equal(input_read(in, &c.picture, NULL, &e), ASSAY_EINPUT);
    check_error(&e, ASSAY_EINPUT,
                "frame 0: plane Y holds the value 512 at column 1, row 1, but 9-bit samples end at 511");
    input_close(&in);
    canvas_close(&c);
    source_close(&s);
    bytes_free(&b);
}

static void unreadable(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "/nonexistent/a.y4m", "/nonexistent/a.y4m: can't be opened: No such file" },
        { "/tmp", "/tmp: is a directory" },
        { "", "can't be opened" },
        { "/proc/self/mem", "/proc/self/mem: can't be read: Input/output error" },
        { "/dev/null", "/dev/null: is empty" },
        { "/nonexistent/line\nline", "/nonexistent/line?line: can't" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct input *in;
        struct assay_error e = { 0 };
        const struct input_options o = options_for(cases[i][0]);
        assert_int_equal(input_open(&in, &o, &e), ASSAY_EINPUT);
        assert_null(in);
        check_error(&e, ASSAY_EINPUT, cases[i][1]);
    }
    /* A read that fails later: memory at address 0 is not there. */
    struct input *in;
    struct assay_error e = { 0 };
    struct canvas c;
    const int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    const int saved = dup(STDIN_FILENO);
    assert_true(fd >= 0);
    assert_true(dup2(fd, STDIN_FILENO) >= 0);
    struct input_options o = raw_options("-", ASSAY_LAYOUT_420, 4, 4, 8);
    if (input_open(&in, &o, &e) == ASSAY_OK) { /* not taken for an empty regular file */
        canvas_open(&c, &in->format, 0);
        assert_int_equal(input_read(in, &c.picture, NULL, &e), ASSAY_EINPUT);
        check_error(&e, ASSAY_EINPUT, "stdin: frame 0: can't be read: Input/output error");
        input_close(&in);
        canvas_close(&c);
    } else {
        check_error(&e, ASSAY_EINPUT, "stdin: is empty");
    }
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
    close(fd);
}

static void long_names(void **state)
{
    (void)state;
    char path[2000];
    struct input *in;
    struct assay_error e = { 0 };
    path[0] = '/';
    for (size_t i = 1; i + 2 < sizeof path; i += 2)
        memcpy(path + i, "\xc3\xa9", 2); /* e with an acute accent */
    memcpy(path + sizeof path - 12, "/the-end.mkv", 12);
    path[sizeof path - 1] = '\0';
    const struct input_options o = options_for(path);
    assert_int_equal(input_open(&in, &o, &e), ASSAY_EINPUT);
    check_error(&e, ASSAY_EINPUT, "/the-end.mk: can't be opened");
    assert_memory_equal(e.text, "...\xc3\xa9", 5);
}

/* stdin may be a file that someone has already read a part of. */
static void standard_input(void **state)
{
    (void)state;
    const assay_format f = { .width = 6, .height = 4, .bit_depth = 10, .layout = ASSAY_LAYOUT_422 };
    for (int k = 0; k < SOURCE_KINDS; k++) {
        struct bytes b = { 0 };
        struct source s;
        struct canvas c;
        struct input *in;
        struct assay_error e = { 0 };
        char word[8];
        bytes_text(&b, "before: ");
        bytes_text(&b, "YUV4MPEG2 W6 H4 C422p10\n");
        for (uint32_t frame = 0; frame < 2; frame++) {
            bytes_text(&b, "FRAME\n");
            bytes_picture(&b, &f, frame);
        }
        source_open(&s, (enum source_kind)k, &b);
        const int saved = dup(STDIN_FILENO);
        if (k == SOURCE_FILE)
            assert_int_equal(lseek(s.fd, 0, SEEK_SET), 0);
        assert_true(dup2(s.fd, STDIN_FILENO) >= 0);
        for (size_t i = 0; i < sizeof word; i++)
            assert_int_equal(read(STDIN_FILENO, word + i, 1), 1);
        const struct input_options o = options_for("-");
        assert_int_equal(input_open(&in, &o, &e), ASSAY_OK);
        assert_string_equal(in->name, "stdin");
        assert_int_equal(in->frames, k == SOURCE_FILE ? 2 : -1);
        canvas_open(&c, &in->format, 0);
        for (uint32_t frame = 0; frame < 2; frame++) {
            assert_int_equal(input_read(in, &c.picture, NULL, &e), 1);
            canvas_check_pattern(&c, frame);
        }
        assert_int_equal(input_read(in, &c.picture, NULL, &e), 0);
        input_close(&in);
        canvas_close(&c);
        close(STDIN_FILENO);
        if (saved >= 0) {
            dup2(saved, STDIN_FILENO);
            close(saved);
        }
        source_close(&s);
        bytes_free(&b);
    }
}

/* A descriptor that does not wait is waited for. */
static void impatient_pipe(void **state)
{
    (void)state;
    const assay_format f = { .width = 64, .height = 64, .bit_depth = 8, .layout = ASSAY_LAYOUT_444 };
    struct bytes b = { 0 };
    struct source s;
    struct canvas c;
    struct input *in;
    for (uint32_t frame = 0; frame < 20; frame++)
        bytes_picture(&b, &f, frame);
    source_open(&s, SOURCE_PIPE, &b);
    const int saved = dup(STDIN_FILENO);
    assert_true(dup2(s.fd, STDIN_FILENO) >= 0);
    assert_int_equal(fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK), 0);
    const struct input_options o = raw_options("-", ASSAY_LAYOUT_444, 64, 64, 8);
    assert_int_equal(input_open(&in, &o, NULL), ASSAY_OK);
    canvas_open(&c, &in->format, 0);
    for (uint32_t frame = 0; frame < 20; frame++) {
        assert_int_equal(input_read(in, &c.picture, NULL, NULL), 1);
        canvas_check_pattern(&c, frame);
    }
    assert_int_equal(input_read(in, &c.picture, NULL, NULL), 0);
    input_close(&in);
    canvas_close(&c);
    close(STDIN_FILENO);
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
    source_close(&s);
    bytes_free(&b);
}

/* What ends the reading of one input leaves others alone. */
static void one_is_stopped(void **state)
{
    (void)state;
    const assay_format f = { .width = 64, .height = 64, .bit_depth = 8, .layout = ASSAY_LAYOUT_444 };
    struct input_stop above = { 0 }, stop[2] = { { .above = &above }, { .above = NULL } };
    struct bytes b = { 0 };
    struct source s[2];
    struct canvas c;
    struct input *in[2];
    struct assay_error e = { 0 };
    for (uint32_t frame = 0; frame < 20; frame++)
        bytes_picture(&b, &f, frame);
    for (unsigned i = 0; i < 2; i++) {
        source_open(&s[i], SOURCE_PIPE, &b);
        struct input_options o = raw_options(s[i].path, ASSAY_LAYOUT_444, 64, 64, 8);
        o.stop = &stop[i];
        assert_int_equal(input_open(&in[i], &o, NULL), ASSAY_OK);
    }
    canvas_open(&c, &f, 0);
    input_stop(&above, 7);
    assert_int_equal(input_stopped(&stop[0]), 7);
    assert_int_equal(input_stopped(&stop[1]), 0);
    int got = 1;
    for (uint32_t frame = 0; frame < 20 && got == 1; frame++) /* the first ones may have been read ahead */
        got = input_read(in[0], &c.picture, NULL, &e);
    check_error(&e, ASSAY_EINPUT, "can't be read");
    for (uint32_t frame = 0; frame < 20; frame++)
        assert_int_equal(input_read(in[1], &c.picture, NULL, NULL), 1);
    for (unsigned i = 0; i < 2; i++) {
        input_close(&in[i]);
        source_close(&s[i]);
    }
    canvas_close(&c);
    bytes_free(&b);
}

static void format_names(void **state)
{
    (void)state;
    static const struct {
        assay_layout layout;
        uint32_t depth;
        const char *name;
    } cases[] = {
        { ASSAY_LAYOUT_400, 8, "gray8" },        { ASSAY_LAYOUT_400, 16, "gray16" },
        { ASSAY_LAYOUT_420, 8, "yuv420p" },      { ASSAY_LAYOUT_420, 10, "yuv420p10" },
        { ASSAY_LAYOUT_422, 9, "yuv422p9" },     { ASSAY_LAYOUT_444, 12, "yuv444p12" },
        { ASSAY_LAYOUT_411, 8, "yuv411p" },      { ASSAY_LAYOUT_RGB, 8, "rgb24" },
        { ASSAY_LAYOUT_RGB, 16, "rgb48" },       { ASSAY_LAYOUT_UNKNOWN, 8, "unknown" },
        { ASSAY_LAYOUT_420, UINT32_MAX, "yuv420p4294967295" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const assay_format f = { .layout = cases[i].layout, .bit_depth = cases[i].depth };
        char text[32];
        assert_string_equal(input_format_name(&f, text), cases[i].name);
    }
}

static void plane_geometry(void **state)
{
    (void)state;
    assay_format f = { .width = 65535, .height = 65535, .layout = ASSAY_LAYOUT_420 };
    assert_int_equal(assay_format_planes(&f), 3);
    assert_int_equal(assay_format_plane_width(&f, 1), 32768);
    assert_int_equal(assay_format_plane_height(&f, 2), 32768);
    assert_int_equal(assay_format_plane_width(&f, 3), 0);
    f.layout = ASSAY_LAYOUT_411;
    assert_int_equal(assay_format_plane_width(&f, 1), 16384);
    assert_int_equal(assay_format_plane_height(&f, 1), 65535);
    f.layout = ASSAY_LAYOUT_422;
    assert_int_equal(assay_format_plane_width(&f, 1), 32768);
    assert_int_equal(assay_format_plane_height(&f, 1), 65535);
    f.layout = ASSAY_LAYOUT_400;
    assert_int_equal(assay_format_planes(&f), 1);
    assert_int_equal(assay_format_plane_width(&f, 1), 0);
    assert_int_equal(assay_format_plane_height(&f, 1), 0);
    f.layout = ASSAY_LAYOUT_UNKNOWN;
    assert_int_equal(assay_format_planes(&f), 0);
    f = (assay_format) { .width = UINT32_MAX, .height = 1, .layout = ASSAY_LAYOUT_420 };
    assert_int_equal(assay_format_plane_width(&f, 1), 0x80000000u);
    assert_int_equal(assay_format_plane_height(&f, 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw_every_layout),        cmocka_unit_test(raw_of_a_wrong_size),
        cmocka_unit_test(raw_of_a_wrong_geometry), cmocka_unit_test(raw_lying_depth),
        cmocka_unit_test(unreadable),              cmocka_unit_test(long_names),
        cmocka_unit_test(standard_input),          cmocka_unit_test(impatient_pipe),
        cmocka_unit_test(one_is_stopped),
        cmocka_unit_test(format_names),            cmocka_unit_test(plane_geometry),
    };
    return cmocka_run_group_tests_name("streams", tests, NULL, NULL);
}
