/* SPDX-License-Identifier: BSD-2-Clause */
/* Re-packing of every pixel format that libavutil knows, against libavutil's own way of writing samples into it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "input/libav_load.h"
#include "input/repack_frame.h"
#include "input_test.h"

enum { WIDTH = 44, HEIGHT = 26, LEFT = 8, TOP = 4, CROPPED_WIDTH = 33, CROPPED_HEIGHT = 21 };

/* A frame of the format with pattern(0, component, x, y) in every component, alpha among them. */
struct written {
    AVFrame *frame;
    unsigned char *memory[4];
};

static void write_pattern(struct written *w, enum AVPixelFormat format)
{
    const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(format);
    const int planes = av_pix_fmt_count_planes(format);
    w->frame = av_frame_alloc();
    assert_non_null(w->frame);
    w->frame->format = format;
    w->frame->width = WIDTH;
    w->frame->height = HEIGHT;
    for (int p = 0; p < planes; p++) {
        w->frame->linesize[p] = 8 * WIDTH + 34;
        w->memory[p] = calloc(HEIGHT, (size_t)w->frame->linesize[p]);
        assert_non_null(w->memory[p]);
        w->frame->data[p] = w->memory[p];
        if (p == 0) { /* bottom up, as some decoders hand pictures out */
            w->frame->data[p] += (HEIGHT - 1) * w->frame->linesize[p];
            w->frame->linesize[p] = -w->frame->linesize[p];
        }
    }
    for (int c = 0; c < d->nb_components; c++) {
        const bool chroma = (c == 1 || c == 2) && d->nb_components > 2;
        const int sx = chroma ? d->log2_chroma_w : 0, sy = chroma ? d->log2_chroma_h : 0;
        const int cw = (WIDTH + (1 << sx) - 1) >> sx, ch = (HEIGHT + (1 << sy) - 1) >> sy;
        for (int y = 0; y < ch; y++) {
            uint16_t row[WIDTH];
            for (int x = 0; x < cw; x++)
                row[x] = (uint16_t)pattern(0, (uint32_t)c, (uint32_t)x, (uint32_t)y, (uint32_t)d->comp[c].depth);
            av_write_image_line2(row, w->frame->data, w->frame->linesize, d, 0, y, c, cw, 2);
        }
    }
}

static void free_written(struct written *w)
{
    for (int p = 0; p < 4; p++)
        free(w->memory[p]);
    av_frame_free(&w->frame);
    memset(w, 0, sizeof *w);
}

static void check_crop(const struct repack *r, const struct written *w, const struct repack_crop *crop, size_t padding)
{
    const assay_format f = { .width = crop->width, .height = crop->height, .bit_depth = r->depth, .layout = r->layout };
    struct canvas c;
    uint32_t bad;
    canvas_open(&c, &f, padding);
    assert_true(repack_frame(r, w->frame, crop, &c.picture, NULL, &bad));
    for (uint32_t p = 0; p < assay_format_planes(&f); p++) {
        const uint32_t x0 = crop->left >> (p > 0 ? format_chroma_shift_x(&f) : 0);
        const uint32_t y0 = crop->top >> (p > 0 ? format_chroma_shift_y(&f) : 0);
        for (uint32_t y = 0; y < assay_format_plane_height(&f, p); y++) {
            for (uint32_t x = 0; x < assay_format_plane_width(&f, p); x++)
                assert_int_equal(canvas_at(&c, p, x, y), pattern(0, p, x0 + x, y0 + y, r->depth));
        }
    }
    canvas_check_padding(&c);
    canvas_close(&c);
}

/* The samples of a picture that stays where it is. True: this one does. */
static bool check_lent(const struct repack *r, const struct written *w, const struct repack_crop *crop)
{
    const assay_format f = { .width = crop->width, .height = crop->height, .bit_depth = r->depth, .layout = r->layout };
    assay_picture lent = {.release = NULL};
    struct canvas c;
    uint32_t bad;
    canvas_open(&c, &f, 0);
    assert_true(repack_frame(r, w->frame, crop, &c.picture, &lent, &bad));
    for (uint32_t p = 0; lent.plane[0] && p < assay_format_planes(&f); p++)
        for (uint32_t y = 0; y < assay_format_plane_height(&f, p); y++)
            for (uint32_t x = 0; x < assay_format_plane_width(&f, p); x++) {
                const unsigned char *at = (const unsigned char *)lent.plane[p] + (ptrdiff_t)y * lent.stride[p] +
                                          x * format_sample_bytes(&f);
                assert_int_equal(r->depth > 8 ? at[0] | at[1] << 8 : at[0],
                                 pattern(0, p, (crop->left >> (p > 0 ? format_chroma_shift_x(&f) : 0)) + x,
                                         (crop->top >> (p > 0 ? format_chroma_shift_y(&f) : 0)) + y, r->depth));
            }
    if (!lent.plane[0]) /* it was copied */
        assert_int_equal(canvas_at(&c, 0, 1, 1), pattern(0, 0, crop->left + 1, crop->top + 1, r->depth));
    canvas_close(&c);
    return lent.plane[0] != NULL;
}

static void every_accepted_format(void **state)
{
    (void)state;
    static const struct { const char *name; bool stays; } known[] = {
        {"yuv420p", true}, {"yuvj422p", true}, {"yuv420p10le", true}, {"gray", true}, {"gray16le", true},
        {"gbrp", true}, {"yuva420p", true}, {"nv12", false}, {"p010le", false}, {"rgb24", false},
        {"yuv420p10be", false}};
    const AVPixFmtDescriptor *d = NULL;
    int accepted = 0, lent = 0;
    while ((d = av_pix_fmt_desc_next(d))) {
        const enum AVPixelFormat format = av_pix_fmt_desc_get_id(d);
        const struct repack_crop whole = { 0, 0, WIDTH, HEIGHT };
        const struct repack_crop part = { LEFT, TOP, CROPPED_WIDTH, CROPPED_HEIGHT };
        struct repack r;
        struct written w = { 0 };
        if (repack_plan(&r, format))
            continue;
        accepted++;
        assert_int_equal(r.alpha, d->nb_components == 2 || d->nb_components == 4);
        write_pattern(&w, format);
        check_crop(&r, &w, &whole, 0);
        check_crop(&r, &w, &part, 14);
        const bool stays = check_lent(&r, &w, &whole);
        assert_int_equal(check_lent(&r, &w, &part), stays);
        for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
            if (!strcmp(known[i].name, d->name))
                assert_int_equal(stays, known[i].stays);
        lent += stays;
        free_written(&w);
    }
    assert_true(accepted > 100 && lent > 40 && accepted > lent + 40);
}

static void what_formats_become(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        assay_layout layout;
        uint32_t depth;
        bool full_range, alpha;
    } cases[] = {
        { "yuv420p", ASSAY_LAYOUT_420, 8, false, false },     { "yuvj420p", ASSAY_LAYOUT_420, 8, true, false },
        { "yuvj422p", ASSAY_LAYOUT_422, 8, true, false },     { "yuvj444p", ASSAY_LAYOUT_444, 8, true, false },
        { "yuv411p", ASSAY_LAYOUT_411, 8, false, false },     { "nv12", ASSAY_LAYOUT_420, 8, false, false },
        { "nv21", ASSAY_LAYOUT_420, 8, false, false },        { "nv16", ASSAY_LAYOUT_422, 8, false, false },
        { "nv24", ASSAY_LAYOUT_444, 8, false, false },        { "p010le", ASSAY_LAYOUT_420, 10, false, false },
        { "p010be", ASSAY_LAYOUT_420, 10, false, false },     { "p016le", ASSAY_LAYOUT_420, 16, false, false },
        { "p210le", ASSAY_LAYOUT_422, 10, false, false },     { "p416be", ASSAY_LAYOUT_444, 16, false, false },
        { "yuv420p9be", ASSAY_LAYOUT_420, 9, false, false },  { "yuv422p12le", ASSAY_LAYOUT_422, 12, false, false },
        { "yuv444p14be", ASSAY_LAYOUT_444, 14, false, false }, { "gray", ASSAY_LAYOUT_400, 8, false, false },
        { "gray9le", ASSAY_LAYOUT_400, 9, false, false },     { "gray16be", ASSAY_LAYOUT_400, 16, false, false },
        { "ya8", ASSAY_LAYOUT_400, 8, false, true },          { "ya16be", ASSAY_LAYOUT_400, 16, false, true },
        { "yuva444p10le", ASSAY_LAYOUT_444, 10, false, true }, { "yuyv422", ASSAY_LAYOUT_422, 8, false, false },
        { "uyvy422", ASSAY_LAYOUT_422, 8, false, false },     { "y210le", ASSAY_LAYOUT_422, 10, false, false },
        { "rgb24", ASSAY_LAYOUT_RGB, 8, false, false },       { "bgr24", ASSAY_LAYOUT_RGB, 8, false, false },
        { "rgba", ASSAY_LAYOUT_RGB, 8, false, true },         { "abgr", ASSAY_LAYOUT_RGB, 8, false, true },
        { "rgb0", ASSAY_LAYOUT_RGB, 8, false, false },        { "gbrp", ASSAY_LAYOUT_RGB, 8, false, false },
        { "gbrp10be", ASSAY_LAYOUT_RGB, 10, false, false },   { "gbrap12le", ASSAY_LAYOUT_RGB, 12, false, true },
        { "rgb48be", ASSAY_LAYOUT_RGB, 16, false, false },    { "rgba64le", ASSAY_LAYOUT_RGB, 16, false, true },
        { "x2rgb10le", ASSAY_LAYOUT_RGB, 10, false, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct repack r;
        assert_null(repack_plan(&r, av_get_pix_fmt(cases[i].name)));
        assert_int_equal(r.layout, cases[i].layout);
        assert_int_equal(r.depth, cases[i].depth);
        assert_int_equal(r.full_range, cases[i].full_range);
        assert_int_equal(r.alpha, cases[i].alpha);
    }
}

static void what_is_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "yuv410p", "4:1:0" },        { "yuv440p", "4:4:0" },         { "yuvj440p", "4:4:0" },
        { "yuv440p12le", "4:4:0" },    { "pal8", "palette" },          { "bayer_rggb8", "Bayer" },
        { "bayer_gbrg16be", "Bayer" }, { "gbrpf32le", "floating" },    { "grayf32be", "floating" },
        { "monow", "closer than" },    { "monob", "closer than" },     { "rgb4", "closer than" },
        { "rgb8", "fewer than 8" },    { "rgb565le", "fewer than 8" }, { "bgr444be", "fewer than 8" },
        { "xyz12le", "XYZ" },          { "uyyvyy411", "4:1:1" },       { "vaapi", "hardware" },
        { "cuda", "hardware" },        { "vulkan", "hardware" },
    };
    struct repack r;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *reason = repack_plan(&r, av_get_pix_fmt(cases[i][0]));
        assert_non_null(reason);
        if (!strstr(reason, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], reason);
    }
    assert_non_null(repack_plan(&r, AV_PIX_FMT_NONE));
    assert_non_null(repack_plan(&r, 1000000));
}

/* A bit outside the value, in the last sample of each plane. */
static void stray_bits(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint16_t stray; /* in the order of bytes of the format */
    } cases[] = {
        { "yuv420p10le", 0x0400 }, { "yuv444p9be", 0x8000 }, { "gray12le", 0x1000 },
        { "gbrp14be", 0x4000 },    { "p010le", 0x0020 },     { "p210be", 0x0001 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const enum AVPixelFormat format = av_get_pix_fmt(cases[i].name);
        struct repack r;
        const struct repack_crop whole = { 0, 0, WIDTH, HEIGHT };
        assert_null(repack_plan(&r, format));
        const assay_format f = { .width = WIDTH, .height = HEIGHT, .bit_depth = r.depth, .layout = r.layout };
        for (uint32_t p = 0; p < assay_format_planes(&f); p++) {
            struct written w = { 0 };
            struct canvas c;
            assay_picture lent = {.release = NULL};
            uint32_t bad = 9;
            write_pattern(&w, format);
            canvas_open(&c, &f, 0);
            assert_true(repack_frame(&r, w.frame, &whole, &c.picture, NULL, &bad));
            const struct repack_component *k = &r.component[p];
            unsigned char *last = w.frame->data[k->plane] + k->offset +
                                  (ptrdiff_t)(assay_format_plane_height(&f, p) - 1) * w.frame->linesize[k->plane] +
                                  (ptrdiff_t)(assay_format_plane_width(&f, p) - 1) * k->step;
            last[r.big_endian] |= (unsigned char)cases[i].stray;
            last[!r.big_endian] |= (unsigned char)(cases[i].stray >> 8);
            assert_false(repack_frame(&r, w.frame, &whole, &c.picture, NULL, &bad));
            assert_int_equal(bad, p);
            assert_false(repack_frame(&r, w.frame, &whole, &c.picture, &lent, &bad));
            assert_int_equal(bad, p);
            free_written(&w);
            canvas_close(&c);
        }
    }
}

static int load(void **state)
{
    char why[400];
    (void)state;
    return libav_load(why, sizeof why) ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_accepted_format),
        cmocka_unit_test(what_formats_become),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(stray_bits),
    };
    return cmocka_run_group_tests_name("repack", tests, load, NULL);
}
