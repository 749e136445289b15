/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Textures of an OpenGL application, compared in its context, against plain loops over the same texels; every state of
 * the context is as before; what is refused, by name. Exit 77 without OpenGL 4.5.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/checks.h"
#include "gpu/opengl_app.h"
#include "gpu/opengl_state.h"
#include "images/gpu.h"

static struct opengl_app app;

/* ---- figures ----------------------------------------------------------------------------------------------------- */

struct placed {
    GLenum target;
    uint32_t layers, layer;
    assay_rectangle rectangle[2];
};

static void test_pair(assay_gpu *gpu, const struct texel_format *f, uint32_t w, uint32_t h, enum texel_pattern pattern,
                      const struct placed *at)
{
    struct host_image host[2];
    assay_gpu_image lent[2];
    assay_image_figures expected, got;
    const assay_gpu_options options = {.peak = f->kind == TEXEL_FLOAT ? 4 : 0};
    char what[160];
    snprintf(what, sizeof what, "%s, %ux%u, pattern %d, target 0x%x, layer %u", f->name, w, h, (int)pattern, at->target,
             at->layer);
    texels_make(host, f, f, w, h, pattern, w * 31 + h);
    uint32_t x[2], y[2], cut_w = w, cut_h = h;
    for (unsigned side = 0; side < 2; side++) {
        const assay_rectangle *r = &at->rectangle[side];
        lent[side] = opengl_app_lend(
            opengl_app_texture(&app, &host[side], at->target, (GLsizei)at->layers, (GLint)at->layer), at->layer);
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
    memset(&got, 0xff, sizeof got);
    if (assay_gpu_compare(gpu, &lent[0], &lent[1], &options, &got))
        fprintf(stderr, "%s: %s\n", what, assay_gpu_error(gpu));
    check(figures_same(&expected, &got, what), what);
    check(gpu->passes_run > before, "every comparison ran on the device");
    for (unsigned side = 0; side < 2; side++)
        app.glDeleteTextures(1, &lent[side].opengl.texture);
    texels_free(host);
}

static void test_formats(assay_gpu *gpu)
{
    static const struct { uint32_t w, h; } sizes[] = {{33, 17}, {1, 1}, {130, 70}, {5, 40}};
    static const struct placed plain = {.target = GL_TEXTURE_2D};
    const struct texel_format *f;
    unsigned tried = 0;
    for (unsigned i = 0; (f = texel_format_at(i)); i++) {
        if (!f->opengl || f->opengl == GL_SR8_EXT || f->opengl == GL_SRG8_EXT) /* of OpenGL ES */
            continue;
        for (unsigned p = 0; p < TEXEL_PATTERNS; p++)
            test_pair(gpu, f, sizes[(i + p) % 4].w, sizes[(i + p) % 4].h, (enum texel_pattern)p, &plain);
        tried++;
    }
    printf("%u formats\n", tried);
    check(tried >= 15, "the usual formats are there");
}

/* The library's own numbers are the header's. */
static void test_numbers(void)
{
    static const struct { const char *name; GLenum format; } numbers[] = {
        {"R8_UNORM", GL_R8}, {"R8_SRGB", GL_SR8_EXT}, {"R8G8_UNORM", GL_RG8}, {"R8G8_SRGB", GL_SRG8_EXT},
        {"R8G8B8_UNORM", GL_RGB8}, {"R8G8B8_SRGB", GL_SRGB8}, {"R8G8B8A8_UNORM", GL_RGBA8},
        {"R8G8B8A8_SRGB", GL_SRGB8_ALPHA8}, {"A2B10G10R10_UNORM_PACK32", GL_RGB10_A2}, {"R16_UNORM", GL_R16},
        {"R16G16_UNORM", GL_RG16}, {"R16G16B16_UNORM", GL_RGB16}, {"R16G16B16A16_UNORM", GL_RGBA16},
        {"R16_SFLOAT", GL_R16F}, {"R16G16_SFLOAT", GL_RG16F}, {"R16G16B16_SFLOAT", GL_RGB16F},
        {"R16G16B16A16_SFLOAT", GL_RGBA16F}, {"B10G11R11_UFLOAT_PACK32", GL_R11F_G11F_B10F}, {"R32_SFLOAT", GL_R32F},
        {"R32G32_SFLOAT", GL_RG32F}, {"R32G32B32_SFLOAT", GL_RGB32F}, {"R32G32B32A32_SFLOAT", GL_RGBA32F}};
    unsigned n = 0;
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const char *name = assay_gpu_format(ASSAY_GPU_OPENGL, numbers[i].format);
        check(name && !strcmp(name, numbers[i].name), numbers[i].name);
    }
    for (unsigned i = 0; texel_format_at(i); i++)
        n += texel_format_at(i)->opengl != 0;
    check(n == sizeof numbers / sizeof numbers[0], "every number is looked at");
    check(!assay_gpu_format(ASSAY_GPU_OPENGL, GL_RGBA) && !assay_gpu_format(ASSAY_GPU_OPENGL, 0),
          "formats that are not compared");
}

static void test_places(assay_gpu *gpu)
{
    static const struct placed places[] = {
        {.target = GL_TEXTURE_2D, .rectangle = {{3, 5, 21, 13}, {0, 17, 21, 13}}},
        {.target = GL_TEXTURE_RECTANGLE, .rectangle = {{0, 0, 50, 1}, {0, 49, 50, 1}}},
        {.target = GL_TEXTURE_2D_ARRAY, .layers = 3, .layer = 2},
        {.target = GL_TEXTURE_3D, .layers = 4, .layer = 1},
        {.target = GL_TEXTURE_CUBE_MAP, .layer = 4},
        {.target = GL_TEXTURE_CUBE_MAP_ARRAY, .layers = 12, .layer = 9}};
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++)
        test_pair(gpu, texel_format_opengl(i % 2 ? GL_RGBA16 : GL_SRGB8_ALPHA8), 50, 50, TEXELS_NEAR, &places[i]);
    setenv("ASSAY_GPU_MEMORY", "1", 1); /* strips of rows */
    const uint64_t before = gpu->passes_run;
    test_pair(gpu, texel_format_opengl(GL_RGBA16F), 301, 333, TEXELS_NEAR, &(struct placed){.target = GL_TEXTURE_2D});
    check(gpu->passes_run >= before + 2, "a texture in several strips");
    unsetenv("ASSAY_GPU_MEMORY");
}

/* ---- state ------------------------------------------------------------------------------------------------------- */

static void test_state(assay_gpu *gpu, const assay_gpu_image lent[2])
{
    struct opengl_state_objects objects;
    struct opengl_snapshot before, after;
    assay_image_figures figures;
    opengl_state_disturb(&app, &objects);
    opengl_state_snap(&app, &before);
    opengl_watched_forget();
    check(!assay_gpu_compare(gpu, &lent[0], &lent[1], NULL, &figures), "a comparison amid the application's state");
    opengl_state_snap(&app, &after);
    check(!memcmp(&before, &after, sizeof before), "the application's state is as before");
    check(opengl_watched_in_snapshot() >= 14,
          "state was changed and set back, all of it looked at: buffers, packing, program");

    /* And when a call fails. */
    for (unsigned at = 1; at < 40; at++) {
        opengl_fail_at(at, at % 2 ? GL_OUT_OF_MEMORY : GL_CONTEXT_LOST);
        const int rc = assay_gpu_compare(gpu, &lent[0], &lent[1], NULL, &figures);
        const bool reached = opengl_failed();
        const char *text = assay_gpu_error(gpu);
        opengl_fail_at(0, 0);
        opengl_state_snap(&app, &after);
        check(!memcmp(&before, &after, sizeof before), "the application's state after a failure");
        if (!reached) {
            check(!rc && at > 10, "it succeeds when nothing fails");
            break;
        }
        check(rc == ASSAY_EDEVICE && strstr(text, at % 2 ? "out of memory" : "was lost") && !strchr(text, '\n'),
              "one clear line for an error");
    }
    opengl_state_reset(&app, &objects);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void refused(assay_gpu *gpu, const assay_gpu_image *good, GLuint texture, uint32_t layer, int code,
                    const char *word)
{
    assay_image_figures figures;
    const assay_gpu_image bad = opengl_app_lend(texture, layer);
    const int rc = assay_gpu_compare(gpu, good, &bad, NULL, &figures);
    const char *text = assay_gpu_error(gpu);
    if (rc != code || !strstr(text, word))
        fprintf(stderr, "code %d, expected %d: '%s' has no '%s'\n", rc, code, text, word);
    check(rc == code && strstr(text, word) && !strchr(text, '\n'), word);
}

static void test_refusals(assay_gpu *gpu, const assay_gpu_image *good)
{
    GLuint t[6];
    assay_image_figures figures;
    app.glCreateTextures(GL_TEXTURE_2D_MULTISAMPLE, 1, &t[0]);
    app.glTextureStorage2DMultisample(t[0], 4, GL_RGBA8, 20, 10, GL_TRUE);
    app.glCreateTextures(GL_TEXTURE_2D, 4, &t[1]);
    app.glTextureStorage2D(t[1], 1, GL_RGBA8UI, 20, 10);
    app.glTextureStorage2D(t[2], 1, GL_RGBA8, 21, 10);
    app.glTextureStorage2D(t[3], 1, GL_DEPTH_COMPONENT24, 20, 10);
    app.glTextureStorage2D(t[4], 1, GL_SRGB8_ALPHA8, 20, 10);
    app.glCreateTextures(GL_TEXTURE_1D, 1, &t[5]);
    app.glTextureStorage1D(t[5], 1, GL_RGBA8, 20);
    refused(gpu, good, t[0], 0, ASSAY_EUSAGE, "multisampled");
    refused(gpu, good, t[1], 0, ASSAY_EUSAGE, "internal format 0x8d7c");
    refused(gpu, good, t[2], 0, ASSAY_EMISMATCH, "20x10");
    refused(gpu, good, t[3], 0, ASSAY_EUSAGE, "internal format");
    refused(gpu, good, t[4], 0, ASSAY_EMISMATCH, "srgb_as_unorm");
    refused(gpu, good, t[5], 0, ASSAY_EUSAGE, "no 2D texture");
    refused(gpu, good, 12345, 0, ASSAY_EUSAGE, "no texture");
    refused(gpu, good, 0, 0, ASSAY_EUSAGE, "no distorted image");
    assay_gpu_image reserved = *good;
    reserved.opengl.reserved[7] = 1;
    check(assay_gpu_compare(gpu, good, &reserved, NULL, &figures) == ASSAY_EUSAGE &&
              strstr(assay_gpu_error(gpu), "reserved"),
          "a reserved field");
    refused(gpu, good, good->opengl.texture, 1, ASSAY_EUSAGE, "no layer 1");
    app.glEnable(GL_TEXTURE_2D_ARRAY); /* an error that the application has not asked for */
    refused(gpu, good, good->opengl.texture, 0, ASSAY_EUSAGE, "error 0x0500");
    check(!assay_gpu_compare(gpu, good, good, NULL, &figures), "and the call after it");
    app.glDeleteTextures(6, t);
}

/* Shaders are compiled when a device first compares two images, and never again where the driver has a form of
 * programs. What is kept and then damaged is compiled. */
static void test_kept(assay_gpu_handles handles, const assay_gpu_image lent[2])
{
    char folder[] = "/tmp/assay-kept-XXXXXX", command[128];
    const char *const xdg = getenv("XDG_CACHE_HOME");
    char *const own = xdg ? strdup(xdg) : NULL;
    GLint formats = 0;
    app.gl.glGetIntegerv(GL_NUM_PROGRAM_BINARY_FORMATS, &formats);
    check(mkdtemp(folder) && !setenv("XDG_CACHE_HOME", folder, 1), "a folder");
    for (unsigned run = 0; run < 4; run++) {
        assay_image_figures figures;
        assay_gpu *gpu = checks_open(handles);
        const unsigned long before = opengl_compiled();
        check(!assay_gpu_compare(gpu, &lent[0], &lent[1], NULL, &figures), assay_gpu_error(gpu));
        check((opengl_compiled() > before) == (run % 2 == 0 || !formats), "what is kept is not compiled");
        assay_gpu_close(&gpu);
        snprintf(command, sizeof command, "for f in %s/assay/kernel-*; do printf x >> $f; done", folder);
        check(run != 1 || !formats || !system(command), "files are kept");
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    check(!system(command), "no folder");
    if (own)
        setenv("XDG_CACHE_HOME", own, 1);
    else
        unsetenv("XDG_CACHE_HOME");
    free(own);
}

int main(void)
{
    char error[512] = "";
    struct host_image host[2];
    if (!opengl_app_open(&app, false))
        checks_skip("no OpenGL 4.5");
    const assay_gpu_handles opengl = opengl_app_handles(opengl_watched(&app));
    assay_gpu *gpu = checks_open(opengl);
    test_numbers();
    test_formats(gpu);
    test_places(gpu);
    const struct texel_format *f = texel_format_opengl(GL_RGBA8);
    texels_make(host, f, f, 20, 10, TEXELS_NEAR, 1);
    const assay_gpu_image lent[2] = {opengl_app_lend(opengl_app_texture(&app, &host[0], GL_TEXTURE_2D, 1, 0), 0),
                                     opengl_app_lend(opengl_app_texture(&app, &host[1], GL_TEXTURE_2D, 1, 0), 0)};
    test_state(gpu, lent);
    test_refusals(gpu, &lent[0]);
    test_kept(opengl, lent);
    texels_free(host);
    assay_gpu_close(&gpu);
    check(!opengl_watched_unknown(), "every function that was asked for is known");
    check(assay_gpu_open(&gpu, NULL, error, sizeof error) == ASSAY_EUSAGE && !gpu, "no context");
    opengl_app_close(&app);
    return checked();
}
