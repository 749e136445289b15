/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Images of a Vulkan application scored by sessions on its device: every metric has the bits that an ordinary session
 * has for the same codes, in every format, at odd sizes, in rectangles and layers; several frames, semaphores,
 * ownership that another queue family released; what is refused, by name. Exit 77 without a device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/session.h"
#include "gpu/checks.h"
#include "gpu/score_oracle.h"
#include "gpu/vulkan_app.h"

enum { KEYS = 512 }; /* more than psnr and diff write */

struct lent {
    struct host_image host[2];
    struct vulkan_app_image image[2];
    assay_gpu_image lent[2];
    struct score_case c;
};

static void lend(struct vulkan_app *app, struct lent *l, const struct texel_format *f, uint32_t w, uint32_t h,
                 enum texel_pattern pattern, uint32_t layers, uint32_t seed)
{
    memset(l, 0, sizeof *l);
    texels_make(l->host, f, f, w, h, pattern, seed);
    if (f->kind == TEXEL_HALF || f->kind == TEXEL_FLOAT)
        texels_make_parts(l->host, seed);
    for (unsigned side = 0; side < 2; side++) {
        vulkan_app_image(app, &l->host[side], layers, layers - 1,
                         side ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, &l->image[side]);
        l->lent[side] = vulkan_app_lend(&l->image[side], layers - 1);
    }
    l->c = (struct score_case){.image = l->host, .w = w, .h = h};
}

static void cut(struct lent *l, assay_rectangle reference, assay_rectangle distorted)
{
    l->lent[0].rectangle = reference;
    l->lent[1].rectangle = distorted;
    score_cut(&l->c, reference, distorted);
}

static void drop(struct vulkan_app *app, struct lent *l)
{
    for (unsigned side = 0; side < 2; side++)
        vulkan_app_image_free(app, &l->image[side]);
    texels_free(l->host);
}

/* Two frames of the pair: the slots' second and first use, and images whose layout is back. */
static void score(assay_gpu *gpu, const struct lent *l, const char *metrics, const char *name)
{
    struct score_case c = l->c;
    char what[160];
    c.metrics = metrics;
    snprintf(what, sizeof what, "%s, %s, %ux%u", l->host[0].format->name, name, c.w, c.h);
    assay_session *s = score_session(&c);
    int rc = assay_session_start_gpu(s, gpu, &l->lent[0], &l->lent[1], &c.colour);
    for (unsigned n = 0; !rc && n < 2; n++)
        rc = assay_session_submit_gpu(s, n, &l->lent[0], &l->lent[1]);
    check(score_flushed(s, rc, &c, 2, "vulkan", what), what);
    assay_session_close(&s);
}

/* ---- formats, sizes, metrics ------------------------------------------------------------------------------------- */


static void test_formats(struct vulkan_app *app, assay_gpu *gpu)
{
    static const struct { uint32_t w, h; } sizes[] = {{33, 17}, {1, 1}, {130, 70}, {5, 40}, {3, 2}, {64, 9}};
    unsigned tried = 0;
    const struct texel_format *f;
    for (unsigned i = 0; (f = texel_format_at(i)); i++) {
        struct lent l;
        if (!f->vulkan || !vulkan_app_can(app, (VkFormat)f->vulkan, 256, 256) || (f->bits[1] && !f->bits[2]))
            continue;
        for (unsigned p = 0; p < 2; p++) {
            lend(app, &l, f, sizes[(i + 3 * p) % 6].w, sizes[(i + 3 * p) % 6].h, (enum texel_pattern)p, 1, i + p);
            score(gpu, &l, SCORE_FEW, "codes");
            drop(app, &l);
        }
        tried++;
    }
    printf("%u formats\n", tried);
    check(tried >= 10, "the usual formats are there");
}

static void test_catalogue(struct vulkan_app *app, assay_gpu *gpu)
{
    static const VkFormat formats[] = {VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_A2B10G10R10_UNORM_PACK32,
                                       VK_FORMAT_R16G16B16A16_UNORM, VK_FORMAT_R8_UNORM};
    struct lent l;
    for (unsigned i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        lend(app, &l, texel_format_vulkan(formats[i]), 219, 181, TEXELS_NEAR, 1, 3);
        score(gpu, &l, NULL, "all metrics");
        drop(app, &l);
    }
    lend(app, &l, texel_format_vulkan(VK_FORMAT_R16G16B16A16_SFLOAT), 61, 47, TEXELS_NEAR, 1, 3);
    l.c.colour.transfer = 8;
    score(gpu, &l, NULL, "all metrics of its size");
    drop(app, &l);
    check(score_saw_catalogue(), "every metric of the catalogue was compared");
}

static void test_options(struct vulkan_app *app, assay_gpu *gpu)
{
    static const char *const metrics[] = {
        "ssimulacra2=ssimulacra2_sub=true:transfer=gamma22:primaries=bt2020 ssim",
        "float_adm=debug=true:adm_p_norm=2 float_ssim=scale=1:enable_db=true:enable_lcs=true float_psnr"};
    struct lent l;
    lend(app, &l, texel_format_vulkan(VK_FORMAT_R8G8B8A8_UNORM), 230, 120, TEXELS_NEAR, 3, 3);
    cut(&l, (assay_rectangle){3, 5, 97, 83}, (assay_rectangle){20, 1, 97, 83});
    score(gpu, &l, metrics[0], "options, a layer's rectangle");
    cut(&l, (assay_rectangle){129, 0, 101, 71}, (assay_rectangle){0, 37, 101, 71});
    score(gpu, &l, metrics[1], "options, another rectangle");
    drop(app, &l);
    lend(app, &l, texel_format_vulkan(VK_FORMAT_A2R10G10B10_UNORM_PACK32), 40, 31, TEXELS_RANDOM, 1, 3);
    l.c.colour = (assay_gpu_options){.transfer = 255, .gamma = 50000, .primaries = 9};
    score(gpu, &l, "ssimulacra2", "stated colours");
    drop(app, &l);
}

/* Metrics that look at earlier frames find these frames' texels where they were brought to; twice, with an end
 * between. */
static void test_sequence(struct vulkan_app *app, assay_gpu *gpu, VkFormat format, const char *metrics,
                          uint32_t in_flight)
{
    enum { PAIRS = 3, FRAMES = 7, W = 51, H = 35 };
    const struct texel_format *f = texel_format_vulkan(format);
    struct host_image host[2 * PAIRS];
    struct lent l[PAIRS];
    char what[160];
    snprintf(what, sizeof what, "a sequence of %s, %s, %u in flight", f->name, metrics, in_flight);
    for (unsigned k = 0; k < PAIRS; k++) {
        lend(app, &l[k], f, W, H, TEXELS_NEAR, 1, 5 + k);
        memcpy(&host[2 * k], l[k].host, sizeof l[k].host);
    }
    const struct score_case c = {.image = host, .pairs = PAIRS, .w = W, .h = H, .metrics = metrics};
    assay_session *s = score_session(&c);
    s->config.frames_in_flight = in_flight;
    int rc = assay_session_start_gpu(s, gpu, &l[0].lent[0], &l[0].lent[1], NULL);
    for (unsigned round = 0; !rc && round < 2; round++) {
        for (unsigned n = 0; !rc && n < FRAMES; n++)
            rc = assay_session_submit_gpu(s, FRAMES * round + n, &l[n % PAIRS].lent[0], &l[n % PAIRS].lent[1]);
        check(score_flushed(s, rc, &c, FRAMES, "vulkan", what), what);
    }
    assay_session_close(&s);
    for (unsigned k = 0; k < PAIRS; k++)
        drop(app, &l[k]);
}

static void test_sequences(struct vulkan_app *app, assay_gpu *gpu)
{
    for (uint32_t in_flight = 0; in_flight < 4; in_flight++)
        test_sequence(app, gpu, VK_FORMAT_R8G8B8A8_UNORM, "motion diff", in_flight);
    test_sequence(app, gpu, VK_FORMAT_R16_UNORM, "motion", 2);
    test_sequence(app, gpu, VK_FORMAT_R16G16B16A16_SFLOAT, "motion psnr", 1);
}

/* Which channel of which image a plane of bytes is: 3 side + channel, or 6. */
static unsigned which_plane(const struct lent *l, const uint8_t *plane, uint32_t w, uint32_t h)
{
    for (unsigned k = 0; k < 6; k++) {
        bool same = true;
        for (uint32_t i = 0; same && i < w * h; i++)
            same = plane[i] == texels_field(&l->host[k / 3], i % w, i / w, k % 3);
        if (same)
            return k;
    }
    return 6;
}

/* What the first passes make is there to be looked at, by both names. */
static void test_planes(struct vulkan_app *app, assay_gpu *gpu)
{
    enum { W = 33, H = 17 };
    struct lent l;
    assay_session *s;
    assay_plane info;
    unsigned seen = 0, words = 0;
    lend(app, &l, texel_format_vulkan(VK_FORMAT_B8G8R8A8_UNORM), W, H, TEXELS_RANDOM, 1, 3);
    if (assay_session_new(&s, &(assay_config){.keep_planes = 1}, NULL, 0) || assay_session_add_metric(s, "psnr"))
        exit(1);
    check(!assay_session_start_gpu(s, gpu, &l.lent[0], &l.lent[1], NULL) &&
          !assay_session_submit_gpu(s, 0, &l.lent[0], &l.lent[1]), "a session that keeps its planes");
    for (uint32_t i = 0; i < assay_session_planes(s); i++) {
        uint8_t plane[W * H];
        check(!assay_session_plane(s, i, &info), "a plane's size");
        words += !strcmp(info.type, "u32") && info.width == (W + 3) / 4;
        if (strcmp(info.type, "u8"))
            continue;
        check(info.width == W && info.height == H && !assay_session_read_plane(s, i, plane, W), "reading a plane");
        seen |= 1u << which_plane(&l, plane, W, H);
    }
    check(seen == 63 && words == 6, "R, G and B of both images are planes");
    assay_session_close(&s);
    drop(app, &l);
}

/* ---- order, ownership -------------------------------------------------------------------------------------------- */

static void test_sync(struct vulkan_app *app, assay_gpu *gpu)
{
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkSemaphore before, after;
    struct lent l;
    lend(app, &l, texel_format_vulkan(VK_FORMAT_R8G8B8A8_SRGB), 40, 20, TEXELS_NEAR, 1, 3);
    l.c.metrics = SCORE_FEW;
    if (app->vkCreateSemaphore(app->device, &info, NULL, &before) ||
        app->vkCreateSemaphore(app->device, &info, NULL, &after))
        exit(1);
    assay_session *s = score_session(&l.c);
    vulkan_app_submit(app, vulkan_app_begin(app), VK_NULL_HANDLE, before);
    assay_gpu_image between = l.lent[0];
    between.vulkan.wait = (uint64_t)(uintptr_t)before;
    between.vulkan.signal = (uint64_t)(uintptr_t)after;
    check(!assay_session_start_gpu(s, gpu, &l.lent[0], &l.lent[1], NULL) &&
          !assay_session_submit_gpu(s, 7, &between, &l.lent[1]), "a frame between two semaphores");
    vulkan_app_submit(app, vulkan_app_begin(app), after, VK_NULL_HANDLE); /* would never return without the signal */
    for (unsigned n = 8; n < 13; n++)
        check(!assay_session_submit_gpu(s, n, &l.lent[0], &l.lent[1]), "frames without");
    check(!assay_session_flush(s) && score_same(s, &l.c, 6, "vulkan", "six frames"), "six frames");
    l.host[1].texels[4 * 41] ^= 1;
    check(!assay_session_submit_gpu(s, 13, &l.lent[0], &l.lent[1]) && !assay_session_flush(s) &&
          !score_same(s, &l.c, 1, "vulkan", NULL), "one bit of one texel is seen");
    l.host[1].texels[4 * 41] ^= 1;
    double pooled = -1;
    uint64_t frame;
    check(!assay_session_pooled(s, "psnr_r", "mean", &pooled) && pooled > 0, "pooled as any session's");
    assay_session_close(&s);

    struct score_case c = l.c;
    c.metrics = "diff";
    s = score_session(&c);
    assay_gpu_image own = l.lent[1];
    own.vulkan.queue_family = ASSAY_QUEUE_FAMILY_IGNORED;
    check(!assay_session_start_gpu(s, gpu, &own, &own, NULL) && !assay_session_submit_gpu(s, 0, &own, &own) &&
          !assay_session_flush(s) && assay_session_keys(s) > 0, "an image against itself");
    double values[KEYS];
    check(assay_session_poll(s, &frame, values) == 1 && values[0] == 0, "differs from itself nowhere");
    assay_session_close(&s);
    app->vkDestroySemaphore(app->device, before, NULL);
    app->vkDestroySemaphore(app->device, after, NULL);
    drop(app, &l);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void refused(assay_session *s, int rc, int code, const char *word)
{
    const char *text = assay_session_error(s);
    if (rc != code || !strstr(text, word) || strchr(text, '\n'))
        fprintf(stderr, "code %d, expected %d: '%s' has no '%s'\n", rc, code, text, word);
    check(rc == code && strstr(text, word) && !strchr(text, '\n'), word);
}

static void refused_start(assay_gpu *gpu, const char *metric, const assay_gpu_image *ref, const assay_gpu_image *dis,
                          const assay_gpu_options *colour, int code, const char *word)
{
    assay_session *s;
    if (assay_session_new(&s, NULL, NULL, 0) || (*metric && assay_session_add_metric(s, metric)))
        exit(1);
    refused(s, assay_session_start_gpu(s, gpu, ref, dis, colour), code, word);
    refused(s, assay_session_submit_gpu(s, 0, ref, dis), ASSAY_EUSAGE, "not started");
    assay_session_close(&s);
}

static void test_started(struct vulkan_app *app, assay_gpu *gpu, const assay_gpu_image *good)
{
    assay_session *s;
    assay_gpu_image bad = *good;
    assay_picture picture = {.release = NULL};
    (void)app;
    if (assay_session_new(&s, NULL, NULL, 0) || assay_session_add_metric(s, "psnr") ||
        assay_session_start_gpu(s, gpu, good, good, NULL))
        exit(1);
    refused(s, assay_session_start_gpu(s, gpu, good, good, NULL), ASSAY_EUSAGE, "started once");
    bad.rectangle = (assay_rectangle){0, 0, 7, 10};
    refused(s, assay_session_submit_gpu(s, 0, good, &bad), ASSAY_EMISMATCH, "the distorted image 7x10");
    refused(s, assay_session_submit_gpu(s, 0, &bad, &bad), ASSAY_EMISMATCH, "7x10; the session was started for");
    bad = *good;
    bad.vulkan.format = VK_FORMAT_R8G8B8A8_SRGB;
    refused(s, assay_session_submit_gpu(s, 0, &bad, good), ASSAY_EMISMATCH, "is R8G8B8A8_SRGB");
    bad.vulkan.format = VK_FORMAT_D32_SFLOAT;
    refused(s, assay_session_submit_gpu(s, 0, &bad, good), ASSAY_EUSAGE, "VkFormat 126");
    refused(s, assay_session_submit_gpu(s, 0, NULL, good), ASSAY_EUSAGE, "no reference");
    bad = (assay_gpu_image){.kind = ASSAY_GPU_OPENGL, .opengl = {.texture = 1}};
    refused(s, assay_session_submit_gpu(s, 0, &bad, good), ASSAY_EUSAGE,
            "is an OpenGL texture and belongs to a Vulkan device");
    bad = (assay_gpu_image){.kind = ASSAY_GPU_CUDA, .cuda = {.plane = {4}}};
    refused(s, assay_session_submit_gpu(s, 0, good, &bad), ASSAY_EUSAGE, "is an image in CUDA memory");
    picture.plane[0] = picture.plane[1] = picture.plane[2] = picture.plane[3] = &picture;
    picture.stride[0] = picture.stride[1] = picture.stride[2] = picture.stride[3] = 20;
    refused(s, assay_session_submit(s, 0, &picture, &picture), ASSAY_EUSAGE, "frames on a device");
    check(!assay_session_submit_gpu(s, 5, good, good), "and the frame after it");
    refused(s, assay_session_submit_gpu(s, 5, good, good), ASSAY_EUSAGE, "after frame 5");
    assay_session_close(&s);
    if (assay_session_new(&s, &(assay_config){.scale = "bicubic", .scale_width = 20, .scale_height = 20}, NULL, 0) ||
        assay_session_add_metric(s, "psnr"))
        exit(1);
    refused(s, assay_session_start_gpu(s, gpu, good, good, NULL), ASSAY_EUSAGE, "device can't be scaled");
    assay_session_close(&s); /* with a frame in flight */
}

/* Two sessions of one gpu whose frames take turns, and comparisons in between. */
static void test_together(struct vulkan_app *app, assay_gpu *gpu)
{
    const uint32_t none[2] = {0, 0};
    struct lent l[2];
    assay_session *s[2];
    assay_image_figures expected, figures;
    int rc = ASSAY_OK;
    for (unsigned i = 0; i < 2; i++) {
        lend(app, &l[i], texel_format_vulkan(i ? VK_FORMAT_R8_UNORM : VK_FORMAT_R8G8B8A8_UNORM), 40 - i, 30,
             TEXELS_NEAR, 1, 3 + i);
        l[i].c.metrics = i ? "psnr float_ssim" : "psnr motion";
        s[i] = score_session(&l[i].c);
        rc = rc ? rc : assay_session_start_gpu(s[i], gpu, &l[i].lent[0], &l[i].lent[1], NULL);
    }
    texels_expect(l[0].host, none, none, 40, 30, 1, &expected);
    for (unsigned n = 0; !rc && n < 10; n++) {
        rc = assay_session_submit_gpu(s[n % 2], n / 2, &l[n % 2].lent[0], &l[n % 2].lent[1]);
        if (!rc)
            rc = assay_gpu_compare(gpu, &l[0].lent[0], &l[0].lent[1], NULL, &figures);
        check(!rc && figures_same(&expected, &figures, "between frames"), "a comparison between frames");
    }
    for (unsigned i = 0; i < 2; i++) {
        check(!rc && !assay_session_flush(s[i]) && score_same(s[i], &l[i].c, 5, "vulkan", "sessions in turn"),
              "sessions in turn");
        assay_session_close(&s[i]);
        drop(app, &l[i]);
    }
}

/* A start that fails with the executor at hand leaves nothing that another kind of start could run on. */
static void test_start_again(assay_gpu *gpu, const assay_gpu_image *good)
{
    const assay_format pictures = {.width = good->vulkan.width, .height = good->vulkan.height, .bit_depth = 8,
                                   .layout = ASSAY_LAYOUT_RGB};
    assay_session *s;
    if (assay_session_new(&s, NULL, NULL, 0) || assay_session_add_metric(s, "psnr"))
        exit(1);
    refused(s, assay_session_start_gpu(s, gpu, good, good, &(assay_gpu_options){.gamma = 5}), ASSAY_EUSAGE, "gamma");
    refused(s, assay_session_start(s, &pictures), ASSAY_EUSAGE, "started once");
    refused(s, assay_session_start_gpu(s, gpu, good, good, NULL), ASSAY_EUSAGE, "started once");
    assay_session_close(&s);
}

/* A value that has no code: one of each kind, in either image; the frame before it is scored. */
static void test_values(struct vulkan_app *app, assay_gpu *gpu)
{
    static const struct { uint32_t half; unsigned channel; const char *word;
    } bad[] = {{0x3c01, 0, "1 values of channel R"},
               {0x8001, 1, "1 values of channel G"},
               {0x7e00, 2, "1 values of channel B"},
               {0xfc00, 0, "channel R"}};
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const unsigned side = i % 2;
        struct lent good, l;
        uint64_t frame;
        double values[KEYS];
        assay_session *s;
        lend(app, &good, texel_format_vulkan(VK_FORMAT_R16G16B16A16_SFLOAT), 33, 18, TEXELS_NEAR, 1, 3);
        memset(&l, 0, sizeof l);
        texels_make(l.host, good.host[0].format, good.host[0].format, 33, 18, TEXELS_EQUAL, 4);
        texels_make_parts(l.host, 4);
        texels_set_field(&l.host[side], 32, 17, bad[i].channel, bad[i].half);
        texels_set_field(&l.host[side], 5, 5, 3, 0x7e00); /* alpha, which psnr does not look at */
        for (unsigned k = 0; k < 2; k++) {
            vulkan_app_image(app, &l.host[k], 1, 0, VK_IMAGE_LAYOUT_GENERAL, &l.image[k]);
            l.lent[k] = vulkan_app_lend(&l.image[k], 0);
        }
        if (assay_session_new(&s, NULL, NULL, 0) || assay_session_add_metric(s, "psnr"))
            exit(1);
        check(!assay_session_start_gpu(s, gpu, &l.lent[0], &l.lent[1], NULL) &&
              !assay_session_submit_gpu(s, 0, &good.lent[0], &good.lent[1]) &&
              !assay_session_submit_gpu(s, 1, &l.lent[0], &l.lent[1]), "halves");
        refused(s, assay_session_flush(s), ASSAY_EINPUT, bad[i].word);
        check(strstr(assay_session_error(s), side ? "of the distorted image" : "of the reference") &&
              strstr(assay_session_error(s), "frame 1"), "which image of which frame");
        check(assay_session_poll(s, &frame, values) == 1 && frame == 0 && values[0] > 0,
              "the frame before it is scored");
        refused(s, assay_session_poll(s, &frame, values), ASSAY_EINPUT, "have no code");
        assay_session_close(&s);
        drop(app, &l);
        drop(app, &good);
    }
}

static void test_refusals(struct vulkan_app *app, assay_gpu *gpu)
{
    struct lent l;
    assay_gpu_image bad;
    lend(app, &l, texel_format_vulkan(VK_FORMAT_R8G8B8A8_UNORM), 20, 10, TEXELS_RANDOM, 1, 3);
    const assay_gpu_image *good = &l.lent[0];
#define REFUSED(change, code, word) \
    bad = *good; \
    bad.change; \
    refused_start(gpu, "psnr", good, &bad, NULL, code, word);
    REFUSED(vulkan.samples = 4, ASSAY_EUSAGE, "multisampled")
    REFUSED(vulkan.format = VK_FORMAT_R16G16B16A16_UNORM, ASSAY_EMISMATCH, "other channels")
    REFUSED(vulkan.format = VK_FORMAT_R8G8B8A8_SRGB, ASSAY_EMISMATCH, "srgb_as_unorm")
    REFUSED(vulkan.width = 19, ASSAY_EMISMATCH, "20x10")
    REFUSED(vulkan.layout = VK_IMAGE_LAYOUT_UNDEFINED, ASSAY_EUSAGE, "UNDEFINED")
    REFUSED(vulkan.image = 0, ASSAY_EUSAGE, "no distorted image")
#undef REFUSED
    bad = *good;
    bad.vulkan.format = VK_FORMAT_R8G8_UNORM;
    refused_start(gpu, "psnr", &bad, &bad, NULL, ASSAY_EUSAGE, "neither grey nor");
    bad.vulkan.format = VK_FORMAT_R16G16B16A16_SFLOAT;
    refused_start(gpu, "ssimulacra2", &bad, &bad, NULL, ASSAY_EUSAGE, "transfer function");
    refused_start(gpu, "float_ms_ssim", good, good, NULL, ASSAY_EUSAGE, "float_ms_ssim");
    refused_start(gpu, "psnr", good, good, &(assay_gpu_options){.peak = 2}, ASSAY_EUSAGE, "a peak");
    refused_start(gpu, "psnr", good, good, &(assay_gpu_options){.reserved = {1}}, ASSAY_EUSAGE, "a reserved field");
    refused_start(gpu, "", good, good, NULL, ASSAY_EUSAGE, "no metric was added");
    refused_start(NULL, "psnr", good, good, NULL, ASSAY_EUSAGE, "no assay_gpu");
    check(assay_session_start_gpu(NULL, gpu, good, good, NULL) == ASSAY_EUSAGE &&
          assay_session_submit_gpu(NULL, 0, good, good) == ASSAY_EUSAGE, "no session");
    assay_session *s;
    if (assay_session_new(&s, &(assay_config){.backend = "cpu"}, NULL, 0) || assay_session_add_metric(s, "psnr"))
        exit(1);
    refused(s, assay_session_start_gpu(s, gpu, good, good, NULL), ASSAY_EUSAGE, "names no backend");
    assay_session_close(&s);
    const assay_gpu_options allowed = {.srgb_as_unorm = 1};
    s = score_session(&(struct score_case){.image = l.host, .metrics = "psnr"});
    bad.vulkan.format = VK_FORMAT_R8G8B8A8_SRGB;
    check(!assay_session_start_gpu(s, gpu, good, &bad, &allowed), "codes of sRGB against linear ones, when asked for");
    assay_session_close(&s);
    setenv("ASSAY_GPU_MEMORY", "0", 1);
    refused_start(gpu, "psnr", good, good, NULL, ASSAY_EDEVICE, "would fit");
    unsetenv("ASSAY_GPU_MEMORY");
    test_started(app, gpu, good);
    test_start_again(gpu, good);
    drop(app, &l);
}

int main(void)
{
    struct vulkan_app app;
    if (!vulkan_app_open(&app, NULL, 0))
        checks_skip("no Vulkan device");
    const assay_gpu_handles handles = vulkan_app_handles(&app);
    assay_gpu *gpu = checks_open(handles);
    test_formats(&app, gpu);
    test_catalogue(&app, gpu);
    test_options(&app, gpu);
    test_sequences(&app, gpu);
    test_planes(&app, gpu);
    test_sync(&app, gpu);
    test_together(&app, gpu);
    test_values(&app, gpu);
    test_refusals(&app, gpu);
    assay_gpu_close(&gpu);
    vulkan_app_close(&app);
    return checked();
}
