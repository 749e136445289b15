/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scaling. The definition again (docs/scaling.md), as plain loops over the host's taps, gives the pictures of the
 * ffmpeg program's scale filter: scale_figures.h has their digests. One tap that is off by one is noticed. The passes
 * give the same samples at every instruction set, also of pictures that are no figure; what can't be scaled is refused
 * by name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "executors/executor.h"
#include "host/format.h"
#include "scale/passes.h"

struct figure {
    enum scale_filter filter;
    assay_layout layout;
    uint32_t depth, from_width, from_height, to_width, to_height;
    assay_chroma_location from_place, to_place;
    uint64_t digest;
};
#include "scale_figures.h"
enum { FIGURES = sizeof figures / sizeof figures[0] };

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

/* Planes behind one another, samples as 32-bit numbers. */
struct picture {
    assay_format format;
    uint32_t *sample, *plane[3];
};

static size_t samples_of(const assay_format *f, uint32_t plane)
{
    return (size_t)assay_format_plane_width(f, plane) * assay_format_plane_height(f, plane);
}

static struct picture picture_new(const assay_format *f)
{
    struct picture p = {.format = *f};
    size_t n = 0;
    for (uint32_t i = 0; i < assay_format_planes(f); i++)
        n += samples_of(f, i);
    p.sample = calloc(n, sizeof *p.sample);
    assert_non_null(p.sample);
    uint32_t *at = p.sample;
    for (uint32_t i = 0; i < assay_format_planes(f); i++) {
        p.plane[i] = at;
        at += samples_of(f, i);
    }
    return p;
}

/* As scale_figures.py makes them. */
static void fill(struct picture *p)
{
    const uint32_t peak = (1u << p->format.bit_depth) - 1;
    uint32_t state = 1;
    for (uint32_t i = 0; i < assay_format_planes(&p->format); i++)
        for (size_t k = 0; k < samples_of(&p->format, i); k++) {
            state = (state * 1103515245u + 12345u) & 0x7fffffffu;
            const uint32_t v = state >> 8 & peak;
            p->plane[i][k] = state >> 29 == 0 ? (v & 1) * peak : v;
        }
}

static uint64_t digest(const struct picture *p)
{
    uint64_t h = 14695981039346656037u;
    for (uint32_t i = 0; i < assay_format_planes(&p->format); i++)
        for (size_t k = 0; k < samples_of(&p->format, i); k++)
            for (uint32_t byte = 0; byte < (p->format.bit_depth > 8 ? 2 : 1); byte++)
                h = (h ^ (p->plane[i][k] >> 8 * byte & 0xff)) * 1099511628211u;
    return h;
}

/* ---- the definition ---------------------------------------------------------------------------------------------- */

static int32_t place(const struct figure *f, bool behind, uint32_t plane, bool down)
{
    const assay_chroma_location at = behind ? f->to_place : f->from_place;
    const uint32_t shift = f->layout == ASSAY_LAYOUT_411 && !down                                        ? 2
                           : f->layout == ASSAY_LAYOUT_420 || (f->layout == ASSAY_LAYOUT_422 && !down) ? 1
                                                                                                        : 0;
    int32_t luma = -1; /* in 1/256 of a luma sample */
    if (at == ASSAY_CHROMA_TOP_LEFT || (at == ASSAY_CHROMA_LEFT && !down) || (at == ASSAY_CHROMA_BOTTOM_LEFT && !down))
        luma = 0;
    else if (at == ASSAY_CHROMA_BOTTOM_LEFT)
        luma = 256;
    return !plane || !shift || luma < 0 ? 128 : (luma + 128) >> shift;
}

static int32_t lesser(int32_t a, int32_t b) { return a < b ? a : b; }

static uint32_t clip(int32_t v, int32_t least, int32_t most)
{
    return (uint32_t)(v < least ? least : v > most ? most : v);
}

/* `broken`: a tap in the middle of the picture is off by one. */
static void define_plane(const struct figure *f, uint32_t plane, const struct picture *in, struct picture *out,
                         bool broken)
{
    const uint32_t w = assay_format_plane_width(&in->format, plane), h = assay_format_plane_height(&in->format, plane),
                   to_w = assay_format_plane_width(&out->format, plane),
                   to_h = assay_format_plane_height(&out->format, plane);
    const struct scale_axis axis[2] = {{w, to_w, place(f, false, plane, false), place(f, true, plane, false)},
                                       {h, to_h, place(f, false, plane, true), place(f, true, plane, true)}};
    const int32_t depth = (int32_t)f->depth;
    struct scale_taps across, down;
    assert_int_equal(scale_taps_make(&across, f->filter, &axis[0], SCALE_ONE_ACROSS, false, NULL), 0);
    assert_int_equal(scale_taps_make(&down, f->filter, &axis[1], SCALE_ONE_DOWN, false, NULL), 0);
    if (broken)
        down.tap[(size_t)(to_h / 2) * down.taps + down.taps / 2]++;
    int32_t *middle = calloc((size_t)to_w * h, sizeof *middle);
    assert_non_null(middle);
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < to_w; x++) {
            int32_t sum = 0;
            for (uint32_t k = 0; k < across.taps; k++)
                sum += (int32_t)in->plane[plane][(size_t)y * w + (uint32_t)across.first[x] + k] *
                       across.tap[(size_t)x * across.taps + k];
            middle[(size_t)y * to_w + x] = depth == 8    ? lesser(sum >> 7, 32767)
                                           : depth == 16 ? lesser(sum >> 11, 524287)
                                                         : lesser(sum >> (depth - 1), 32767);
        }
    for (uint32_t y = 0; y < to_h; y++)
        for (uint32_t x = 0; x < to_w; x++) {
            uint32_t sum = 0; /* modulo 2^32 */
            for (uint32_t k = 0; k < down.taps; k++)
                sum += (uint32_t)middle[(size_t)((uint32_t)down.first[y] + k) * to_w + x] *
                       (uint32_t)(int32_t)down.tap[(size_t)y * down.taps + k];
            out->plane[plane][(size_t)y * to_w + x] =
                depth == 16 ? clip((int32_t)(sum + (1u << 14) - (1u << 30)) >> 15, -32768, 32767) + 32768u
                            : clip((int32_t)(sum + (1u << (26 - depth))) >> (27 - depth), 0, (1 << depth) - 1);
        }
    free(middle);
    scale_taps_free(&across);
    scale_taps_free(&down);
}

static void formats_of(const struct figure *f, assay_format *from, assay_format *to)
{
    *from = (assay_format){.width = f->from_width, .height = f->from_height, .bit_depth = f->depth, .layout = f->layout,
                           .chroma_location = f->from_place};
    *to = *from;
    to->width = f->to_width;
    to->height = f->to_height;
    to->chroma_location = f->to_place;
}

static void open_pair(const struct figure *f, struct picture *in, struct picture *out)
{
    assay_format from, to;
    formats_of(f, &from, &to);
    *in = picture_new(&from);
    *out = picture_new(&to);
    fill(in);
}

static void test_figures(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FIGURES; i++) {
        struct picture in, out;
        open_pair(&figures[i], &in, &out);
        for (uint32_t p = 0; p < assay_format_planes(&in.format); p++)
            define_plane(&figures[i], p, &in, &out, false);
        if (digest(&out) != figures[i].digest)
            fail_msg("figure %u: another picture", i);
        if (figures[i].depth == 16) { /* a tap is 16 codes there */
            define_plane(&figures[i], 0, &in, &out, true);
            assert_true(digest(&out) != figures[i].digest);
        }
        free(in.sample);
        free(out.sample);
    }
}

/* ---- the passes -------------------------------------------------------------------------------------------------- */

/* Runs the passes of a picture and compares the samples. */
static void run(struct executor *x, const struct graph *g, const graph_plane *plane, const struct picture *in,
                const struct picture *expected)
{
    struct frame_inputs inputs = {.taken = {false}};
    struct frame_results results;
    const bool wide = in->format.bit_depth > 8;
    const size_t size = wide ? 2 : 1;
    void *memory[3] = {NULL};
    for (uint32_t p = 0; p < assay_format_planes(&in->format); p++) {
        const size_t n = samples_of(&in->format, p);
        memory[p] = malloc(n * size); /* it ends with the last sample */
        assert_non_null(memory[p]);
        for (size_t k = 0; k < n; k++)
            if (wide)
                ((uint16_t *)memory[p])[k] = (uint16_t)in->plane[p][k];
            else
                ((uint8_t *)memory[p])[k] = (uint8_t)in->plane[p][k];
        const uint32_t w = assay_format_plane_width(&in->format, p);
        inputs.plane[1][p] = (struct kernel_plane){.data = memory[p], .stride = (ptrdiff_t)(w * size),
                                                   .width = (int32_t)w,
                                                   .height = (int32_t)assay_format_plane_height(&in->format, p)};
    }
    assert_int_equal(x->ops->submit(x, 0, &inputs, NULL), 0);
    assert_int_equal(x->ops->wait(x, 0, &results, NULL), 0);
    for (uint32_t p = 0; p < assay_format_planes(&in->format); p++) {
        const uint32_t w = g->plane[plane[p]].width, h = g->plane[plane[p]].height;
        unsigned char *got = malloc((size_t)w * h * size);
        assert_non_null(got);
        assert_int_equal(x->ops->read_plane(x, 0, plane[p], got, w * size, NULL), 0);
        for (size_t k = 0; k < (size_t)w * h; k++) {
            const uint32_t v = wide ? ((uint16_t *)(void *)got)[k] : got[k];
            if (v != expected->plane[p][k])
                fail_msg("%s: plane %u, sample %zu, %zu: %u, not %u", x->device, p, k % w, k / w, v,
                         expected->plane[p][k]);
        }
        free(got);
        free(memory[p]);
    }
}

static void compare_passes(const struct figure *f, const struct executor_config *config)
{
    struct picture in, out;
    struct scale_plan plan = {.filter = f->filter};
    struct graph *g = graph_new(NULL);
    struct executor *x;
    graph_plane plane[3];
    open_pair(f, &in, &out);
    for (unsigned side = 0; side < 2; side++)
        formats_of(f, &plan.side[side].from, &plan.side[side].to);
    plan.side[1].sited = true;
    for (uint32_t p = 0; p < assay_format_planes(&in.format); p++) {
        define_plane(f, p, &in, &out, false);
        assert_int_equal(scale_bring(g, &plan, 0, SIDE_DIS, p, assay_format_plane_width(&out.format, p),
                                     assay_format_plane_height(&out.format, p), &plane[p], NULL), 0);
    }
    g->keep = !config->strip_h;
    assert_int_equal(graph_seal(g, NULL), 0);
    assert_int_equal(assay_executors[0]->open(&x, config, NULL), 0);
    assert_int_equal(x->ops->prepare(x, g, 1, NULL), 0);
    run(x, g, plane, &in, &out);
    x->ops->close(&x);
    graph_free(&g);
    free(in.sample);
    free(out.sample);
}

static void test_passes(void **state)
{
    static const char *const levels[] = {"scalar", "sse4", "avx2", "avx512", "avx512vnni", "neon"};
    unsigned ran = 0;
    (void)state;
    for (unsigned l = 0; l < sizeof levels / sizeof levels[0]; l++) {
        struct executor *x;
        const struct executor_config config = {.threads = 2, .level = levels[l]};
        if (assay_executors[0]->open(&x, &config, NULL))
            continue;
        x->ops->close(&x);
        ran++;
        for (unsigned i = 0; i < FIGURES; i++)
            compare_passes(&figures[i], &config);
        for (uint32_t i = 0; i < 60; i++) { /* sizes at which vectors and windows end anywhere */
            const struct figure f = {.filter = i % SCALE_FILTERS, .layout = i % 3 ? ASSAY_LAYOUT_400 : ASSAY_LAYOUT_420,
                                     .depth = (const uint32_t[]){8, 10, 16, 8, 12}[i % 5],
                                     .from_width = 1 + i * 37 % 91,
                                     .from_height = 1 + i * 53 % 60, .to_width = 1 + i * 71 % 140,
                                     .to_height = 2 + i * 29 % 75, .from_place = ASSAY_CHROMA_LEFT,
                                     .to_place = ASSAY_CHROMA_CENTER};
            if (f.from_width != f.to_width || f.from_height != f.to_height)
                compare_passes(&f, &config);
        }
    }
    assert_true(ran > 1);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void test_refusals(void **state)
{
    static const struct {
        assay_format from;
        enum scale_filter filter;
        uint32_t width, height;
        const char *why;
    } cases[] = {
        {{.width = 8, .height = 8, .bit_depth = 8, .layout = ASSAY_LAYOUT_RGB}, SCALE_BICUBIC, 9, 9, "RGB"},
        {{.width = 8, .height = 8, .bit_depth = 8, .layout = ASSAY_LAYOUT_444, .alpha = 1}, SCALE_BICUBIC, 9, 9,
         "alpha"},
        {{.width = 8, .height = 8, .bit_depth = 11, .layout = ASSAY_LAYOUT_400}, SCALE_BICUBIC, 9, 9, "11 bits"},
        {{.width = 9000, .height = 8, .bit_depth = 8, .layout = ASSAY_LAYOUT_400}, SCALE_BICUBIC, 9, 9, "large"},
        {{.width = 8, .height = 8, .bit_depth = 8, .layout = ASSAY_LAYOUT_400}, SCALE_BICUBIC, 9, 9000, "large"},
        {{.width = 320, .height = 8, .bit_depth = 8, .layout = ASSAY_LAYOUT_400}, SCALE_LANCZOS, 10, 9, "186 taps"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scale_plan plan = {.filter = cases[i].filter};
        struct assay_error e = {0};
        for (unsigned side = 0; side < 2; side++)
            plan.side[side].from = plan.side[side].to = cases[i].from;
        assert_int_equal(scale_check(&plan, &e), 0);
        plan.side[1].to.width = cases[i].width;
        plan.side[1].to.height = cases[i].height;
        assert_int_equal(scale_check(&plan, &e), ASSAY_EUSAGE);
        if (!strstr(e.text, cases[i].why))
            fail_msg("%s", e.text);
    }
}

/* Sizes at which a tap hangs on the last bits of a sine are refused by lanczos, and made for tests of devices. */
static void test_sines(void **state)
{
    uint32_t refused = 0;
    (void)state;
    for (uint32_t to = 200; to < 330; to++)
        for (uint32_t from = 200; from < 210; from++) {
            const struct scale_axis axis = {from, to, SCALE_CENTRED, SCALE_CENTRED};
            struct assay_error e = {0};
            struct scale_taps t;
            const int rc = scale_taps_make(&t, SCALE_LANCZOS, &axis, SCALE_ONE_ACROSS, false, &e);
            if (rc)
                assert_non_null(strstr(e.text, "the last bits of a sine"));
            refused += rc != 0;
            scale_taps_free(&t);
        }
    assert_true(refused < 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_sines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
