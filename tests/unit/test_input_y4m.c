/* SPDX-License-Identifier: BSD-2-Clause */
/* Y4M: every tag, every way in which a stream can be cut or lie, through files and pipes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "input_test.h"

struct tag {
    const char *tag;
    assay_layout layout;
    uint32_t depth;
    assay_chroma_location location;
    bool alpha;
};

static const struct tag tags[] = {
    { "", ASSAY_LAYOUT_420, 8, ASSAY_CHROMA_UNKNOWN, false },
    { " C420", ASSAY_LAYOUT_420, 8, ASSAY_CHROMA_UNKNOWN, false },
    { " C420jpeg", ASSAY_LAYOUT_420, 8, ASSAY_CHROMA_CENTER, false },
    { " C420mpeg2", ASSAY_LAYOUT_420, 8, ASSAY_CHROMA_LEFT, false },
    { " C420paldv", ASSAY_LAYOUT_420, 8, ASSAY_CHROMA_TOP_LEFT, false },
    { " C411", ASSAY_LAYOUT_411, 8, ASSAY_CHROMA_UNKNOWN, false },
    { " C422", ASSAY_LAYOUT_422, 8, ASSAY_CHROMA_UNKNOWN, false },
    { " C444", ASSAY_LAYOUT_444, 8, ASSAY_CHROMA_UNKNOWN, false },
    { " C444alpha", ASSAY_LAYOUT_444, 8, ASSAY_CHROMA_UNKNOWN, true },
    { " Cmono", ASSAY_LAYOUT_400, 8, ASSAY_CHROMA_UNKNOWN, false },
    { " C420p9", ASSAY_LAYOUT_420, 9, ASSAY_CHROMA_UNKNOWN, false },
    { " C420p10", ASSAY_LAYOUT_420, 10, ASSAY_CHROMA_UNKNOWN, false },
    { " C420p12", ASSAY_LAYOUT_420, 12, ASSAY_CHROMA_UNKNOWN, false },
    { " C420p14", ASSAY_LAYOUT_420, 14, ASSAY_CHROMA_UNKNOWN, false },
    { " C420p16", ASSAY_LAYOUT_420, 16, ASSAY_CHROMA_UNKNOWN, false },
    { " C422p9", ASSAY_LAYOUT_422, 9, ASSAY_CHROMA_UNKNOWN, false },
    { " C422p10", ASSAY_LAYOUT_422, 10, ASSAY_CHROMA_UNKNOWN, false },
    { " C422p12", ASSAY_LAYOUT_422, 12, ASSAY_CHROMA_UNKNOWN, false },
    { " C422p14", ASSAY_LAYOUT_422, 14, ASSAY_CHROMA_UNKNOWN, false },
    { " C422p16", ASSAY_LAYOUT_422, 16, ASSAY_CHROMA_UNKNOWN, false },
    { " C444p9", ASSAY_LAYOUT_444, 9, ASSAY_CHROMA_UNKNOWN, false },
    { " C444p10", ASSAY_LAYOUT_444, 10, ASSAY_CHROMA_UNKNOWN, false },
    { " C444p12", ASSAY_LAYOUT_444, 12, ASSAY_CHROMA_UNKNOWN, false },
    { " C444p14", ASSAY_LAYOUT_444, 14, ASSAY_CHROMA_UNKNOWN, false },
    { " C444p16", ASSAY_LAYOUT_444, 16, ASSAY_CHROMA_UNKNOWN, false },
    { " Cmono9", ASSAY_LAYOUT_400, 9, ASSAY_CHROMA_UNKNOWN, false },
    { " Cmono10", ASSAY_LAYOUT_400, 10, ASSAY_CHROMA_UNKNOWN, false },
    { " Cmono12", ASSAY_LAYOUT_400, 12, ASSAY_CHROMA_UNKNOWN, false },
    { " Cmono14", ASSAY_LAYOUT_400, 14, ASSAY_CHROMA_UNKNOWN, false },
    { " Cmono16", ASSAY_LAYOUT_400, 16, ASSAY_CHROMA_UNKNOWN, false },
    { " XYSCSS=420PALDV", ASSAY_LAYOUT_420, 8, ASSAY_CHROMA_TOP_LEFT, false },
    { " XYSCSS=422P10", ASSAY_LAYOUT_422, 10, ASSAY_CHROMA_UNKNOWN, false },
    { " XYSCSS=400", ASSAY_LAYOUT_400, 8, ASSAY_CHROMA_UNKNOWN, false },
    { " C444p12 XYSCSS=420JPEG", ASSAY_LAYOUT_444, 12, ASSAY_CHROMA_UNKNOWN, false },
    { " C420 XYSCSS=420MPEG2", ASSAY_LAYOUT_420, 8, ASSAY_CHROMA_LEFT, false },
    { " Cmono XYSCSS=nonsense", ASSAY_LAYOUT_400, 8, ASSAY_CHROMA_UNKNOWN, false },
};

/* A stream of `frames` pattern pictures of w x h. */
static void make_stream(struct bytes *b, const struct tag *t, uint32_t w, uint32_t h, uint32_t frames,
                        const char *frame_line)
{
    const assay_format f = { .width = w, .height = h, .bit_depth = t->depth, .layout = t->layout };
    char line[128];
    snprintf(line, sizeof line, "YUV4MPEG2 W%u H%u F30000:1001%s\n", w, h, t->tag);
    bytes_text(b, line);
    for (uint32_t i = 0; i < frames; i++) {
        bytes_text(b, frame_line);
        bytes_picture(b, &f, i);
        for (uint32_t a = 0; t->alpha && a < w * h; a++)
            bytes_add(b, "\x7f", 1);
    }
}

static struct input *must_open(const char *path)
{
    struct input *in;
    struct assay_error e = { 0 };
    const struct input_options o = options_for(path);
    if (input_open(&in, &o, &e) != ASSAY_OK)
        fail_msg("%s", e.text);
    return in;
}

static void every_tag(void **state)
{
    (void)state;
    static const uint32_t sides[][2] = { { 1, 1 }, { 5, 3 }, { 8, 6 }, { 33, 2 }, { 301, 263 } };
    for (size_t i = 0; i < 4 * SOURCE_KINDS * sizeof tags / sizeof tags[0]; i++) {
        const struct tag *t = &tags[i / (4 * SOURCE_KINDS)];
        const enum source_kind kind = (enum source_kind)(i % SOURCE_KINDS);
        const size_t padding = i / SOURCE_KINDS % 2 ? 0 : 6;
        const uint32_t *side = sides[i % 5];
        struct bytes b = { 0 };
        struct source s;
        struct canvas c;
        make_stream(&b, t, side[0], side[1], 3, "FRAME\n");
        source_open(&s, kind, &b);
        struct input *in = must_open(s.path);
        assert_int_equal(in->format.width, side[0]);
        assert_int_equal(in->format.height, side[1]);
        assert_int_equal(in->format.layout, t->layout);
        assert_int_equal(in->format.bit_depth, t->depth);
        assert_int_equal(in->format.chroma_location, t->location);
        assert_string_equal(in->notice, t->alpha ? "alpha is dropped" : "");
        assert_string_equal(in->kind, "y4m");
        assert_int_equal(in->frames, kind == SOURCE_FILE ? 3 : -1);
        assert_int_equal(in->time_num, 1001);
        assert_int_equal(in->time_den, 30000);
        canvas_open(&c, &in->format, padding);
        for (uint32_t f = 0; f < 3; f++) {
            struct picture_info info;
            assert_int_equal(input_read(in, &c.picture, &info, NULL), 1);
            assert_int_equal(info.pts, f);
            canvas_check_pattern(&c, f);
        }
        assert_int_equal(input_read(in, &c.picture, NULL, NULL), 0);
        assert_int_equal(input_read(in, &c.picture, NULL, NULL), 0);
        assert_int_equal(input_skip(in, NULL), 0);
        assert_int_equal(in->index, 3);
        input_close(&in);
        assert_null(in);
        canvas_close(&c);
        source_close(&s);
        bytes_free(&b);
    }
}

static assay_format format_of(const char *header)
{
    struct bytes b = { 0 };
    struct source s;
    bytes_text(&b, header);
    bytes_text(&b, "\nFRAME\n");
    bytes_add(&b, "0123456789abcdef", 16);
    source_open(&s, SOURCE_PIPE, &b);
    struct input *in = must_open(s.path);
    const assay_format f = in->format;
    input_close(&in);
    source_close(&s);
    bytes_free(&b);
    return f;
}

static void header_fields(void **state)
{
    (void)state;
    assay_format f = format_of("YUV4MPEG2 W2 H2 F60000:2002 A128:90 Ip XCOLORRANGE=FULL");
    assert_int_equal(f.rate_num, 30000);
    assert_int_equal(f.rate_den, 1001);
    assert_int_equal(f.sar_num, 64);
    assert_int_equal(f.sar_den, 45);
    assert_int_equal(f.field_order, ASSAY_FIELD_PROGRESSIVE);
    assert_int_equal(f.range, ASSAY_RANGE_FULL);
    assert_int_equal(f.matrix, 2);
    assert_int_equal(f.transfer, 2);
    assert_int_equal(f.primaries, 2);
    f = format_of("YUV4MPEG2 H2  XCOLORRANGE=LIMITED XANY=THING Q9 It A0:0 F0:0 W2 ");
    assert_int_equal(f.rate_num + f.rate_den + f.sar_num + f.sar_den, 0);
    assert_int_equal(f.range, ASSAY_RANGE_LIMITED);
    assert_int_equal(f.field_order, ASSAY_FIELD_TOP_FIRST);
    f = format_of("YUV4MPEG2 W2 H2 Ib XCOLORRANGE=ODD X");
    assert_int_equal(f.range, ASSAY_RANGE_UNKNOWN);
    assert_int_equal(f.field_order, ASSAY_FIELD_BOTTOM_FIRST);
    assert_int_equal(f.rate_num + f.rate_den + f.sar_num + f.sar_den, 0);
    assert_int_equal(format_of("YUV4MPEG2 W2 H2 Im").field_order, ASSAY_FIELD_MIXED);
    assert_int_equal(format_of("YUV4MPEG2 W2 H2 I?").field_order, ASSAY_FIELD_UNKNOWN);
    assert_int_equal(format_of("YUV4MPEG2 W65535 H65535").width, 65535);
}

static void open_must_fail(const struct bytes *b, enum source_kind kind, const char *part)
{
    struct source s;
    struct assay_error e = { 0 };
    struct input *in = (struct input *)b;
    source_open(&s, kind, b);
    const struct input_options o = options_for(s.path);
    assert_int_equal(input_open(&in, &o, &e), ASSAY_EINPUT);
    assert_null(in);
    check_error(&e, ASSAY_EINPUT, part);
    check_error(&e, ASSAY_EINPUT, s.path);
    source_close(&s);
}

static void bad_headers(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "YUV4MPEG2\n", "width is missing" },
        { "YUV4MPEG2 W4\n", "height is missing" },
        { "YUV4MPEG2 H4\n", "width is missing" },
        { "YUV4MPEG2 W0 H4\n", "width '0'" },
        { "YUV4MPEG2 W4 H0\n", "height '0'" },
        { "YUV4MPEG2 W-4 H4\n", "width '-4'" },
        { "YUV4MPEG2 W65536 H4\n", "width '65536'" },
        { "YUV4MPEG2 W4 H99999999999999999999999999999999999999\n", "height '99999" },
        { "YUV4MPEG2 W4294967300 H4\n", "width '4294967300'" },
        { "YUV4MPEG2 W H4\n", "width ''" },
        { "YUV4MPEG2 W4x H4\n", "width '4x'" },
        { "YUV4MPEG2 W4 H4\r\n", "height '4?'" },
        { "YUV4MPEG2 W4\tH4\n", "width '4?H4'" },
        { "YUV4MPEG2 W4 H4 W4\n", "repeats" },
        { "YUV4MPEG2 W4 H4 XCOLORRANGE=FULL XCOLORRANGE=LIMITED\n", "tag 'XCOLORRANGE=LIMITED' repeats" },
        { "YUV4MPEG2 W4 H4 C420 XYSCSS=420JPEG XYSCSS=420JPEG\n", "repeats" },
        { "YUV4MPEG2 W4 H4 F25\n", "frame rate '25'" },
        { "YUV4MPEG2 W4 H4 F-25:1\n", "frame rate '-25:1'" },
        { "YUV4MPEG2 W4 H4 F25:1:1\n", "frame rate" },
        { "YUV4MPEG2 W4 H4 F4294967296:1\n", "frame rate" },
        { "YUV4MPEG2 W4 H4 A:\n", "aspect ratio ':'" },
        { "YUV4MPEG2 W4 H4 Ix\n", "interlace mode 'x'" },
        { "YUV4MPEG2 W4 H4 I\n", "interlace mode ''" },
        { "YUV4MPEG2 W4 H4 C\n", "chroma format ''" },
        { "YUV4MPEG2 W4 H4 C440\n", "chroma format '440'" },
        { "YUV4MPEG2 W4 H4 C410\n", "chroma format '410'" },
        { "YUV4MPEG2 W4 H4 C420p\n", "chroma format '420p'" },
        { "YUV4MPEG2 W4 H4 C420p8\n", "chroma format '420p8'" },
        { "YUV4MPEG2 W4 H4 C420p17\n", "chroma format '420p17'" },
        { "YUV4MPEG2 W4 H4 C420p010\n", "chroma format '420p010'" },
        { "YUV4MPEG2 W4 H4 C444ps\n", "chroma format '444ps'" },
        { "YUV4MPEG2 W4 H4 Cmono32\n", "chroma format 'mono32'" },
        { "YUV4MPEG2 W4 H4 C420JPEG\n", "chroma format '420JPEG'" },
        { "YUV4MPEG2 W4 H4 XYSCSS=440\n", "chroma format '440'" },
        { "YUV4MPEG2 W4 H4 XYSCSS=01234567890123456789\n", "chroma format '0123" },
        { "YUV4MPEG2 W4 H4", "truncated in its Y4M header" },
        { "YUV4MPEG2 ", "truncated in its Y4M header" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int kind = 0; kind < SOURCE_KINDS; kind++) {
            struct bytes b = { 0 };
            bytes_text(&b, cases[i][0]);
            open_must_fail(&b, (enum source_kind)kind, cases[i][1]);
            bytes_free(&b);
        }
    }
    struct bytes b = { 0 };
    open_must_fail(&b, SOURCE_FILE, "is empty");
    open_must_fail(&b, SOURCE_PIPE, "is empty");
    bytes_text(&b, "YUV4MPEG2 W4 H4 X");
    for (int i = 0; i < 10000; i++)
        bytes_add(&b, "x", 1);
    bytes_text(&b, "\n");
    open_must_fail(&b, SOURCE_FILE, "longer than 4096 bytes");
    open_must_fail(&b, SOURCE_PIPE, "longer than 4096 bytes");
    bytes_free(&b);
}

/* The first pictures must be right, whatever happens after them; then the error, or the end. */
static void expect_after(const struct bytes *b, enum source_kind kind, uint32_t good, bool skip, const char *part)
{
    struct source s;
    struct canvas c;
    struct assay_error e = { 0 };
    char frame[32];
    source_open(&s, kind, b);
    struct input *in = must_open(s.path);
    if (part)
        assert_int_equal(in->frames, -1);
    canvas_open(&c, &in->format, 0);
    for (uint32_t i = 0; i < good; i++) {
        assert_int_equal(input_read(in, &c.picture, NULL, &e), 1);
        canvas_check_pattern(&c, i);
    }
    const int got = skip ? input_skip(in, &e) : input_read(in, &c.picture, NULL, &e);
    if (part) {
        assert_int_equal(got, ASSAY_EINPUT);
        check_error(&e, ASSAY_EINPUT, part);
        check_error(&e, ASSAY_EINPUT, s.path);
        if (in->index > 0) {
            snprintf(frame, sizeof frame, ": frame %u: ", good);
            check_error(&e, ASSAY_EINPUT, frame);
        }
        e = (struct assay_error) { 0 };
        assert_int_equal(input_read(in, &c.picture, NULL, &e), ASSAY_EINPUT);
        check_error(&e, ASSAY_EINPUT, "earlier failure");
        assert_int_equal(input_skip(in, NULL), ASSAY_EINPUT);
    } else {
        assert_int_equal(got, 0);
        assert_int_equal(e.code, 0);
    }
    assert_int_equal(in->index, good);
    input_close(&in);
    canvas_close(&c);
    source_close(&s);
}

static void cut_anywhere(void **state)
{
    (void)state;
    const struct tag *const cases[] = { &tags[1], &tags[8], &tags[11] };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes b = { 0 };
        make_stream(&b, cases[i], 5, 3, 0, "");
        const size_t header = b.n;
        make_stream(&b, cases[i], 5, 3, 2, "FRAME\n");
        memmove(b.data, b.data + header, b.n - header);
        b.n -= header;
        const size_t whole = b.n, frame = (whole - header) / 2;
        for (size_t n = 0; n <= whole; n++) {
            b.n = n;
            for (int k = 0; k < SOURCE_KINDS; k++) {
                const enum source_kind kind = (enum source_kind)k;
                if (n == 0)
                    open_must_fail(&b, kind, "is empty");
                else if (n >= 10 && n < header)
                    open_must_fail(&b, kind, "truncated in its Y4M header");
                else if (n < 10 || (n < header + frame && kind == SOURCE_FILE))
                    open_must_fail(&b, kind, n < 10 ? ": " : n == header ? "holds no pictures" : "frame 0: truncated");
                else if (n == header)
                    expect_after(&b, kind, 0, n & 1, "holds no pictures");
                else if ((n - header) % frame == 0)
                    expect_after(&b, kind, (uint32_t)((n - header) / frame), n & 1, NULL);
                else
                    expect_after(&b, kind, (uint32_t)((n - header) / frame), n & 1, "truncated");
            }
        }
        bytes_free(&b);
    }
}

static void bad_frames(void **state)
{
    (void)state;
    static const char *const junk[][2] = {
        { "frame\n", "begins with 'frame?' instead of FRAME" },
        { "FRAMES", "begins with 'FRAMES'" },
        { "FRAME\r\n", "begins with 'FRAME?'" },
        { "\n", "begins with '?'" },
        { "xyz", "begins with 'xyz'" },
        { "FRAME Ip", "truncated in its FRAME line" },
        { "FRAME ", "truncated in its FRAME line" },
    };
    for (size_t i = 0; i < sizeof junk / sizeof junk[0]; i++) {
        for (int k = 0; k < 2 * SOURCE_KINDS; k++) {
            struct bytes b = { 0 };
            make_stream(&b, &tags[2], 5, 3, 2, "FRAME\n");
            bytes_text(&b, junk[i][0]);
            expect_after(&b, (enum source_kind)(k % SOURCE_KINDS), 2, k >= SOURCE_KINDS, junk[i][1]);
            bytes_free(&b);
        }
    }
    char line[1200];
    memset(line, 'p', sizeof line);
    memcpy(line, "FRAME ", 6);
    memcpy(line + sizeof line - 2, "\n", 2);
    for (int k = 0; k < SOURCE_KINDS; k++) {
        struct bytes b = { 0 };
        make_stream(&b, &tags[2], 5, 3, 1, "FRAME\n");
        bytes_text(&b, line);
        expect_after(&b, (enum source_kind)k, 1, false, "longer than 1024 bytes");
        bytes_free(&b);
    }
}

static void frame_parameters(void **state)
{
    (void)state;
    for (int k = 0; k < SOURCE_KINDS; k++) {
        struct bytes b = { 0 };
        struct source s;
        make_stream(&b, &tags[11], 7, 4, 3, "FRAME Ixyz XSOME=THING\n");
        source_open(&s, (enum source_kind)k, &b);
        struct input *in = must_open(s.path);
        assert_int_equal(in->frames, -1);
        input_close(&in);
        source_close(&s);
        expect_after(&b, (enum source_kind)k, 3, false, NULL);
        bytes_free(&b);
    }
}

/* Lines with parameters in the middle of a file whose size would suit a whole number of plain pictures. */
static void counting_looks_inside(void **state)
{
    (void)state;
    struct bytes b = { 0 };
    struct source s;
    make_stream(&b, &tags[9], 8, 5, 1, "FRAME\n"); /* 40 + 6 bytes a picture */
    for (int i = 0; i < 2; i++) {
        bytes_text(&b, "FRAME ");
        for (int j = 0; j < 22; j++)
            bytes_text(&b, "p");
        bytes_text(&b, "\n");
        for (int j = 0; j < 40; j++)
            bytes_text(&b, "q");
    }
    source_open(&s, SOURCE_FILE, &b);
    struct input *in = must_open(s.path);
    assert_int_equal(in->frames, -1);
    int frames = 0;
    while (input_skip(in, NULL) == 1)
        frames++;
    assert_int_equal(frames, 3);
    input_close(&in);
    source_close(&s);
    bytes_free(&b);
}

/* A sample that its depth does not allow is refused wherever it stands; the largest allowed one is not. */
static void lying_depth(void **state)
{
    (void)state;
    static const struct {
        uint32_t plane, x, y;
        const char *part;
    } spots[] = {
        { 0, 0, 0, "frame 1: plane Y holds the value 1024 at column 0, row 0" },
        { 0, 600, 400, "frame 1: plane Y holds the value 1024 at column 600, row 400" },
        { 1, 300, 0, "frame 1: plane Cb holds the value 1024 at column 300, row 0" },
        { 2, 0, 200, "frame 1: plane Cr holds the value 1024 at column 0, row 200" },
    };
    const uint32_t w = 601, h = 401;
    for (size_t i = 0; i < sizeof spots / sizeof spots[0]; i++) {
        for (int k = 0; k < SOURCE_KINDS; k++) {
            struct bytes b = { 0 };
            make_stream(&b, &tags[11], w, h, 2, "FRAME\n");
            const size_t planes[3] = { 0, 2 * w * h, 2 * w * h + 2 * 301 * 201 };
            const size_t frame = 2 * w * h + 4 * 301 * 201;
            const size_t row = spots[i].plane ? 301 : w;
            const size_t at = b.n - frame + planes[spots[i].plane] + 2 * (spots[i].y * row + spots[i].x);
            b.data[at] = 0xff;
            b.data[at + 1] = 3;
            struct source s;
            struct canvas c;
            struct assay_error e = { 0 };
            source_open(&s, (enum source_kind)k, &b);
            struct input *in = must_open(s.path);
            canvas_open(&c, &in->format, 2);
            assert_int_equal(input_read(in, &c.picture, NULL, &e), 1);
            assert_int_equal(input_read(in, &c.picture, NULL, &e), 1);
            input_close(&in);
            source_close(&s);
            b.data[at] = 0;
            b.data[at + 1] = 4;
            source_open(&s, (enum source_kind)k, &b);
            in = must_open(s.path);
            assert_int_equal(input_read(in, &c.picture, NULL, &e), 1);
            assert_int_equal(input_read(in, &c.picture, NULL, &e), ASSAY_EINPUT);
            check_error(&e, ASSAY_EINPUT, spots[i].part);
            input_close(&in);
            canvas_close(&c);
            source_close(&s);
            bytes_free(&b);
        }
    }
}

static void skipping(void **state)
{
    (void)state;
    for (size_t i = 0; i < SOURCE_KINDS * 5; i++) {
        const struct tag *t = &tags[i % 2 ? 8 : 13];
        struct bytes b = { 0 };
        struct source s;
        struct canvas c;
        const bool large = i % 4 == 3; /* pictures that are read past the buffer */
        make_stream(&b, t, large ? 431 : 131, large ? 377 : 77, 6, i % 3 ? "FRAME\n" : "FRAME Xparameter\n");
        source_open(&s, i < 5 ? SOURCE_FILE : SOURCE_PIPE, &b);
        struct input *in = must_open(s.path);
        canvas_open(&c, &in->format, 0);
        const uint32_t skips = (uint32_t)(i % 5);
        for (uint32_t f = 0; f < skips; f++)
            assert_int_equal(input_skip(in, NULL), 1);
        assert_int_equal(input_read(in, &c.picture, NULL, NULL), 1);
        canvas_check_pattern(&c, skips);
        assert_int_equal(input_skip(in, NULL), skips < 5);
        for (uint32_t f = skips + 2; f < 6; f++) {
            assert_int_equal(input_read(in, &c.picture, NULL, NULL), 1);
            canvas_check_pattern(&c, f);
        }
        assert_int_equal(input_skip(in, NULL), 0);
        assert_int_equal(in->index, 6);
        input_close(&in);
        canvas_close(&c);
        source_close(&s);
        bytes_free(&b);
    }
}

/* A header that promises 12 GB costs nothing: a file refuses it at once, a pipe when its bytes run out. */
static void absurd_size(void **state)
{
    (void)state;
    struct bytes b = { 0 };
    struct source s;
    struct assay_error e = { 0 };
    bytes_text(&b, "YUV4MPEG2 W65535 H65535 C444p16\nFRAME\n");
    bytes_add(&b, "0123456789", 10);
    open_must_fail(&b, SOURCE_FILE, "frame 0: truncated: the file holds 10 of the 25769017350 bytes of a 65535x65535");
    source_open(&s, SOURCE_PIPE, &b);
    struct input *in = must_open(s.path);
    assert_int_equal(input_skip(in, &e), ASSAY_EINPUT);
    check_error(&e, ASSAY_EINPUT, "frame 0: truncated after 10 of 25769017350 bytes");
    input_close(&in);
    source_close(&s);
    bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tag),   cmocka_unit_test(header_fields),         cmocka_unit_test(bad_headers),
        cmocka_unit_test(cut_anywhere), cmocka_unit_test(bad_frames),           cmocka_unit_test(frame_parameters),
        cmocka_unit_test(lying_depth), cmocka_unit_test(counting_looks_inside), cmocka_unit_test(skipping),
        cmocka_unit_test(absurd_size),
    };
    return cmocka_run_group_tests_name("y4m", tests, NULL, NULL);
}
