/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Images of a Vulkan application, compared on its device, against plain loops over the same texels: every format that
 * the device has, layers, rectangles, layouts, semaphores, strips; and what is refused, by name. Exit 77 without a
 * device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/checks.h"
#include "gpu/vulkan_app.h"
#include "images/gpu.h"

/* ---- figures ----------------------------------------------------------------------------------------------------- */

struct placed {
    uint32_t layers, layer;
    VkImageLayout layout;
    assay_rectangle rectangle[2];
};

static void test_pair(struct vulkan_app *app, assay_gpu *gpu, const struct texel_format *format[2], uint32_t w,
                      uint32_t h, enum texel_pattern pattern, const struct placed *at)
{
    struct host_image host[2];
    struct vulkan_app_image image[2];
    assay_gpu_image lent[2];
    assay_image_figures expected, got;
    const assay_gpu_options options = {.peak = format[0]->kind == TEXEL_FLOAT ? 4 : 0};
    char what[160];
    snprintf(what, sizeof what, "%s and %s, %ux%u, pattern %d, layer %u, layout %d", format[0]->name, format[1]->name,
             w, h, (int)pattern, at->layer, (int)at->layout);
    texels_make(host, format[0], format[1], w, h, pattern, w * 31 + h);
    uint32_t x[2], y[2], cut_w = w, cut_h = h;
    for (unsigned side = 0; side < 2; side++) {
        const assay_rectangle *r = &at->rectangle[side];
        vulkan_app_image(app, &host[side], at->layers, at->layer, at->layout, &image[side]);
        lent[side] = vulkan_app_lend(&image[side], at->layer);
        lent[side].rectangle = *r;
        x[side] = r->x;
        y[side] = r->y;
        if (r->width) {
            cut_w = r->width;
            cut_h = r->height;
        }
    }
    texels_expect(host, x, y, cut_w, cut_h, options.peak != 0 ? options.peak : 1, &expected);
    const uint64_t before = gpu->passes_run;
    /* the second time the executor is prepared, and the layout is back */
    for (unsigned round = 0; round < 2; round++) {
        memset(&got, 0xff, sizeof got);
        if (assay_gpu_compare(gpu, &lent[0], &lent[1], &options, &got))
            fprintf(stderr, "%s: %s\n", what, assay_gpu_error(gpu));
        check(figures_same(&expected, &got, what), what);
    }
    check(gpu->passes_run >= before + 2, "every comparison ran on the device");
    for (unsigned side = 0; side < 2; side++)
        vulkan_app_image_free(app, &image[side]);
    texels_free(host);
}

static void test_formats(struct vulkan_app *app, assay_gpu *gpu)
{
    static const struct placed plain = {.layers = 1, .layout = VK_IMAGE_LAYOUT_GENERAL};
    static const struct { uint32_t w, h; } sizes[] = {{33, 17}, {1, 1}, {130, 70}, {5, 40}};
    unsigned tried = 0, missing = 0;
    const struct texel_format *f;
    for (unsigned i = 0; (f = texel_format_at(i)); i++) {
        const struct texel_format *both[2] = {f, f};
        if (!f->vulkan)
            continue;
        if (!vulkan_app_can(app, (VkFormat)f->vulkan, 256, 256)) {
            printf("no %s on this device\n", f->name);
            missing++;
            continue;
        }
        for (unsigned p = 0; p < TEXEL_PATTERNS; p++)
            test_pair(app, gpu, both, sizes[(i + p) % 4].w, sizes[(i + p) % 4].h, (enum texel_pattern)p, &plain);
        tried++;
    }
    printf("%u formats, %u missing\n", tried, missing);
    check(tried >= 12, "the usual formats are there");
}

/* The library's own numbers are the header's. */
static void test_numbers(void)
{
#define F(name) {#name, VK_FORMAT_##name}
    static const struct { const char *name; VkFormat format;
    } numbers[] = {F(R8_UNORM),
                   F(R8_SRGB),
                   F(R8G8_UNORM),
                   F(R8G8_SRGB),
                   F(R8G8B8A8_UNORM),
                   F(R8G8B8A8_SRGB),
                   F(B8G8R8A8_UNORM),
                   F(B8G8R8A8_SRGB),
                   F(A8B8G8R8_UNORM_PACK32),
                   F(A8B8G8R8_SRGB_PACK32),
                   F(A2R10G10B10_UNORM_PACK32),
                   F(A2B10G10R10_UNORM_PACK32),
                   F(R16_UNORM),
                   F(R16G16_UNORM),
                   F(R16G16B16A16_UNORM),
                   F(R16_SFLOAT),
                   F(R16G16_SFLOAT),
                   F(R16G16B16A16_SFLOAT),
                   F(B10G11R11_UFLOAT_PACK32),
                   F(R32_SFLOAT),
                   F(R32G32_SFLOAT),
                   F(R32G32B32A32_SFLOAT)};
#undef F
    unsigned n = 0;
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const char *name = assay_gpu_format(ASSAY_GPU_VULKAN, numbers[i].format);
        check(name && !strcmp(name, numbers[i].name), numbers[i].name);
    }
    for (unsigned i = 0; texel_format_at(i); i++)
        n += texel_format_at(i)->vulkan != 0;
    check(n == sizeof numbers / sizeof numbers[0], "every number is looked at");
    check(!assay_gpu_format(ASSAY_GPU_VULKAN, VK_FORMAT_R8G8B8A8_SNORM) && !assay_gpu_format(ASSAY_GPU_VULKAN, 0),
          "formats that are not compared");
}

static void test_places(struct vulkan_app *app, assay_gpu *gpu)
{
    static const VkImageLayout layouts[] = {VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                            VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL,
                                            VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL};
    const struct texel_format *rgba = texel_format_vulkan(VK_FORMAT_R8G8B8A8_UNORM);
    const struct texel_format *bgra = texel_format_vulkan(VK_FORMAT_B8G8R8A8_UNORM);
    const struct texel_format *order[3][2] = {{rgba, bgra}, {bgra, rgba}, {bgra, bgra}};
    for (unsigned i = 0; i < 4; i++) {
        const struct placed at = {.layers = i + 1, .layer = i / 2, .layout = layouts[i],
                                  .rectangle = {{i, 2 * i, i ? 21 : 0, i ? 13 : 0},
                                                {7 * i, i, i ? 21 : 0, i ? 13 : 0}}};
        test_pair(app, gpu, order[i % 3], 50, 30, TEXELS_NEAR, &at);
    }
}

/* Strips of rows: the device pretends to have little memory. */
static void test_strips(struct vulkan_app *app, assay_gpu *gpu)
{
    static const struct placed plain = {.layers = 1, .layout = VK_IMAGE_LAYOUT_GENERAL};
    const struct texel_format *f = texel_format_vulkan(VK_FORMAT_R16G16B16A16_SFLOAT);
    const struct texel_format *both[2] = {f, f};
    const uint64_t before = gpu->passes_run;
    setenv("ASSAY_GPU_MEMORY", "1", 1);
    test_pair(app, gpu, both, 301, 333, TEXELS_NEAR, &plain);
    unsetenv("ASSAY_GPU_MEMORY");
    check(gpu->passes_run >= before + 4, "an image in several strips");
}

/* ---- sharing the queue's order with the application -------------------------------------------------------------- */

static void test_semaphores(struct vulkan_app *app, assay_gpu *gpu)
{
    const struct texel_format *f = texel_format_vulkan(VK_FORMAT_R8G8B8A8_SRGB);
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    const uint32_t none[2] = {0, 0};
    struct host_image host[2];
    struct vulkan_app_image image[2];
    VkSemaphore before[2], after[2];
    assay_image_figures expected, got;
    texels_make(host, f, f, 40, 20, TEXELS_RANDOM, 5);
    texels_expect(host, none, none, 40, 20, 1, &expected);
    assay_gpu_image lent[2];
    for (unsigned side = 0; side < 2; side++) {
        vulkan_app_image(app, &host[side], 1, 0, VK_IMAGE_LAYOUT_GENERAL, &image[side]);
        if (app->vkCreateSemaphore(app->device, &info, NULL, &before[side]) ||
            app->vkCreateSemaphore(app->device, &info, NULL, &after[side]))
            exit(1);
        vulkan_app_submit(app, vulkan_app_begin(app), VK_NULL_HANDLE, before[side]);
        lent[side] = vulkan_app_lend(&image[side], 0);
        lent[side].vulkan.wait = (uint64_t)(uintptr_t)before[0];
        lent[side].vulkan.signal = (uint64_t)(uintptr_t)after[side];
    }
    check(assay_gpu_compare(gpu, &lent[0], &lent[1], NULL, &got) == ASSAY_EUSAGE &&
          strstr(assay_gpu_error(gpu), "one semaphore"), "both images wait for one semaphore");
    lent[1].vulkan.wait = (uint64_t)(uintptr_t)before[1];
    check(!assay_gpu_compare(gpu, &lent[0], &lent[1], NULL, &got) && figures_same(&expected, &got, "semaphores"),
          "a comparison between semaphores");
    for (unsigned side = 0; side < 2; side++) /* would never return without the signals */
        vulkan_app_submit(app, vulkan_app_begin(app), after[side], VK_NULL_HANDLE);

    host[1].texels[4 * 41] ^= 1;
    texels_expect(host, none, none, 40, 20, 1, &expected);
    check(!figures_same(&expected, &got, NULL), "one bit of one texel is seen");

    /* An image against itself, and owned by nobody in particular. */
    assay_gpu_image self = vulkan_app_lend(&image[1], 0);
    self.vulkan.queue_family = ASSAY_QUEUE_FAMILY_IGNORED;
    check(!assay_gpu_compare(gpu, &self, &self, NULL, &got) && got.mse == 0 && !got.differing_all &&
          got.psnr > 1e300, "an image against itself");
    for (unsigned side = 0; side < 2; side++) {
        app->vkDestroySemaphore(app->device, before[side], NULL);
        app->vkDestroySemaphore(app->device, after[side], NULL);
        vulkan_app_image_free(app, &image[side]);
    }
    texels_free(host);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void refused(assay_gpu *gpu, const assay_gpu_image *ref, const assay_gpu_image *dis, int code, const char *word)
{
    assay_image_figures figures;
    const int rc = assay_gpu_compare(gpu, ref, dis, NULL, &figures);
    const char *text = assay_gpu_error(gpu);
    if (rc != code || !strstr(text, word) || strchr(text, '\n'))
        fprintf(stderr, "code %d, expected %d: '%s' has no '%s'\n", rc, code, text, word);
    check(rc == code && strstr(text, word) && !strchr(text, '\n'), word);
}

static void test_refusals(struct vulkan_app *app, assay_gpu *gpu)
{
    const struct texel_format *f = texel_format_vulkan(VK_FORMAT_R8G8B8A8_UNORM);
    struct host_image host[2];
    struct vulkan_app_image image;
    assay_image_figures figures;
    texels_make(host, f, f, 20, 10, TEXELS_RANDOM, 1);
    vulkan_app_image(app, &host[0], 1, 0, VK_IMAGE_LAYOUT_GENERAL, &image);
    const assay_gpu_image good = vulkan_app_lend(&image, 0);
    assay_gpu_image bad;
#define REFUSED(change, code, word) \
    bad = good; \
    bad.change; \
    refused(gpu, &good, &bad, code, word);
    REFUSED(vulkan.samples = 4, ASSAY_EUSAGE, "multisampled")
    REFUSED(vulkan.format = VK_FORMAT_D32_SFLOAT, ASSAY_EUSAGE, "VkFormat 126")
    REFUSED(vulkan.format = VK_FORMAT_UNDEFINED, ASSAY_EUSAGE, "VkFormat 0")
    REFUSED(vulkan.format = VK_FORMAT_R16G16B16A16_UNORM, ASSAY_EMISMATCH, "other channels")
    REFUSED(vulkan.format = VK_FORMAT_R16G16_SFLOAT, ASSAY_EMISMATCH, "other channels")
    REFUSED(vulkan.format = VK_FORMAT_R8G8B8A8_SRGB, ASSAY_EMISMATCH, "srgb_as_unorm")
    REFUSED(vulkan.width = 19, ASSAY_EMISMATCH, "20x10")
    REFUSED(vulkan.height = 0, ASSAY_EUSAGE, "1x1 to 65535x65535")
    REFUSED(vulkan.width = 70000, ASSAY_EUSAGE, "1x1 to 65535x65535")
    REFUSED(vulkan.layout = VK_IMAGE_LAYOUT_UNDEFINED, ASSAY_EUSAGE, "UNDEFINED")
    REFUSED(vulkan.layout = VK_IMAGE_LAYOUT_PREINITIALIZED, ASSAY_EUSAGE, "PREINITIALIZED")
    REFUSED(rectangle.width = 4, ASSAY_EUSAGE, "not inside")
    REFUSED(rectangle = ((assay_rectangle){17, 0, 4, 4}), ASSAY_EUSAGE, "not inside")
    REFUSED(rectangle = ((assay_rectangle){0xfffffff0u, 0, 0x20, 4}), ASSAY_EUSAGE, "not inside")
    REFUSED(vulkan.image = 0, ASSAY_EUSAGE, "no distorted image")
    REFUSED(kind = 0, ASSAY_EUSAGE, "has kind 0")
    REFUSED(kind = 5, ASSAY_EUSAGE, "has kind 5")
    REFUSED(kind = ASSAY_GPU_OPENGL, ASSAY_EUSAGE, "is an OpenGL texture and belongs to a Vulkan device")
    REFUSED(kind = ASSAY_GPU_CUDA, ASSAY_EUSAGE, "is an image in CUDA memory and belongs to a Vulkan device")
    REFUSED(reserved[2] = 1, ASSAY_EUSAGE, "a reserved field of an image")
    REFUSED(vulkan.reserved[7] = 1, ASSAY_EUSAGE, "a reserved field of an image")
    refused(gpu, NULL, &good, ASSAY_EUSAGE, "no reference");
    bad = good;
    bad.vulkan.format = VK_FORMAT_R8G8B8A8_SRGB;
    const assay_gpu_options allowed = {.srgb_as_unorm = 1}, peak = {.peak = -1};
    check(!assay_gpu_compare(gpu, &good, &bad, &allowed, &figures) && !figures.differing_all,
          "codes of sRGB against linear ones, when asked for");
    check(assay_gpu_compare(gpu, &good, &good, &peak, &figures) == ASSAY_EUSAGE, "a negative peak");
    const assay_gpu_options options[] = {{.reserved = {[6] = 1}}, {.transfer = 1}, {.primaries = 1}, {.gamma = 50000},
                                         {.path = 2}, {.srgb_as_unorm = 2}};
    for (unsigned i = 0; i < sizeof options / sizeof options[0]; i++)
        check(assay_gpu_compare(gpu, &good, &good, &options[i], &figures) == ASSAY_EUSAGE, "options that are none");
    check(assay_gpu_compare(NULL, &good, &good, NULL, &figures) == ASSAY_EUSAGE, "no device");
    check(assay_gpu_compare(gpu, &good, &good, NULL, NULL) == ASSAY_EUSAGE, "no figures");
    char error[200];
    assay_gpu *none, *other;
    assay_gpu_handles handles = vulkan_app_handles(app);
    check(!assay_gpu_open(&other, &handles, NULL, 0), "a second assay_gpu");
    bad = good;
    bad.gpu = other;
    refused(gpu, &good, &bad, ASSAY_EUSAGE, "of another assay_gpu");
    assay_gpu_close(&other);
    handles.vulkan.device = NULL;
    check(assay_gpu_open(&none, &handles, error, sizeof error) == ASSAY_EUSAGE && !none && *error, "no VkDevice");
    handles = vulkan_app_handles(app);
    handles.vulkan.queue_family = 31;
    check(assay_gpu_open(&none, &handles, error, sizeof error) == ASSAY_EDEVICE && !none &&
              strstr(error, "queue family 31"),
          "a queue of no family");
    for (unsigned i = 0; i < 3; i++) {
        handles = vulkan_app_handles(app);
        handles.reserved[0] = i == 0;
        handles.vulkan.reserved[6] = i == 1;
        handles.kind = i == 2 ? 0 : ASSAY_GPU_VULKAN;
        check(assay_gpu_open(&none, &handles, error, sizeof error) == ASSAY_EUSAGE && !none &&
              strstr(error, i == 2 ? "kind" : "reserved"), "handles that are none");
    }
    check(assay_gpu_open(NULL, &handles, error, sizeof error) == ASSAY_EUSAGE, "nowhere to put it");
    vulkan_app_image_free(app, &image);
    texels_free(host);
}

int main(void)
{
    struct vulkan_app app;
    if (!vulkan_app_open(&app, NULL, 0))
        checks_skip("no Vulkan device");
    const assay_gpu_handles handles = vulkan_app_handles(&app);
    assay_gpu *gpu = checks_open(handles);
    test_numbers();
    test_formats(&app, gpu);
    test_places(&app, gpu);
    test_strips(&app, gpu);
    test_semaphores(&app, gpu);
    test_refusals(&app, gpu);
    assay_gpu_close(&gpu);
    assay_gpu_close(&gpu);
    vulkan_app_close(&app);
    return checked();
}
