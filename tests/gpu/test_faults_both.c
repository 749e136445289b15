/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Comparisons and sessions of a Vulkan image and an OpenGL texture, through shared memory and through the host's, whose
 * N-th Vulkan call fails, N = 1, 2, ... until they succeed; then the context's N-th error is made. Each failure is one
 * clear line, leaves no file open and the context as it was. Exit 77 without both.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "devices/vulkan_fakes.h"
#include "gpu/checks.h"
#include "gpu/opengl_state.h"
#include "gpu/score_oracle.h"
#include "gpu/vulkan_app.h"

enum { W = 19, H = 7, MOST = 1000 };

static struct {
    struct opengl_app *app;
    assay_gpu *vulkan, *opengl;
    assay_gpu_image image;
    assay_gpu_image texture;
    struct score_case c;
    assay_image_figures expected;
} t;

static unsigned open_files(void)
{
    unsigned n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

/* Compares, or scores three frames; the error's line in `text`. */
static int run(bool session, uint32_t path, char text[512])
{
    const assay_gpu_options options = {.path = path};
    assay_image_figures figures;
    if (!session) {
        const int rc = assay_gpu_compare(t.vulkan, &t.image, &t.texture, &options, &figures);
        snprintf(text, 512, "%s", rc ? assay_gpu_error(t.vulkan) : "");
        check(rc || figures_same(&t.expected, &figures, "a comparison"), "figures of a comparison that succeeds");
        return rc;
    }
    assay_session *s = score_session(&t.c);
    int rc = assay_session_start_gpu(s, t.vulkan, &t.image, &t.texture, &options);
    for (unsigned n = 0; !rc && n < 3; n++)
        rc = assay_session_submit_gpu(s, n, &t.image, &t.texture);
    if (!rc)
        rc = assay_session_flush(s);
    snprintf(text, 512, "%s", rc ? assay_session_error(s) : "");
    check(rc || score_same(s, &t.c, 3, "vulkan", "a session"), "scores of a session that succeeds");
    assay_session_close(&s);
    return rc;
}

/* Call or check N fails. Returns whether there was one. */
static bool run_failing(bool session, uint32_t path, unsigned long n, GLenum error)
{
    struct opengl_snapshot before, after;
    char text[512], what[640];
    const unsigned files = open_files();
    opengl_state_snap(t.app, &before);
    calls = 0;
    fail_at = error ? 0 : n;
    opengl_fail_at(error ? n : 0, error);
    const int rc = run(session, path, text);
    const bool reached = error ? opengl_failed() : fail_at && calls >= fail_at;
    fail_at = 0;
    opengl_fail_at(0, 0);
    opengl_state_snap(t.app, &after);
    snprintf(what, sizeof what, "%s, path %u, failure %lu: %d, '%s'", session ? "session" : "comparison", path, n, rc,
             text);
    check(reached ? rc == ASSAY_EDEVICE && *text && !strchr(text, '\n') : !rc, what);
    check(open_files() == files, "no file is left open");
    check(!memcmp(&before, &after, sizeof before), "the application's state after a failure");
    return reached;
}

static void test(bool session, uint32_t path)
{
    static const GLenum errors[] = {0, GL_OUT_OF_MEMORY};
    for (unsigned i = 0; i < 2; i++) {
        unsigned long n = 1;
        run_failing(session, path, 0, 0); /* what is made once is there */
        while (n < MOST && run_failing(session, path, n, errors[i]))
            n++;
        printf("%s, path %u: %lu failures of %s\n", session ? "session" : "comparison", path, n - 1,
               i ? "OpenGL" : "Vulkan");
        check(n > (i ? 4 : 8) && n < MOST, "every call failed once");
    }
}

int main(void)
{
    static const char *const extensions[] = {"VK_KHR_external_memory_fd"};
    struct vulkan_app v;
    struct opengl_app g;
    struct host_image host[2];
    struct vulkan_app_image image;
    struct opengl_state_objects objects;
    const uint32_t none[2] = {0, 0};
    const struct texel_format *f = texel_format_opengl(GL_RGBA8);
    struct assay_error e = {0};
    struct gpu_device *watched;
    if (!vulkan_app_open(&v, extensions, 1) || !opengl_app_open(&g, false))
        checks_skip("no Vulkan or no OpenGL 4.5");
    const struct image_device own = {.api = IMAGE_VULKAN,
                                     .vulkan = {.get_instance_proc_addr = (image_function)v.get, .instance = v.instance,
                                                .physical = v.physical,
                                   .device = v.device, .queue = v.queue, .family = v.family}};
    check(!vk_device_open(&watched, NULL, &own, &e), "the functions that are watched");
    real = ((struct vk_device *)watched)->api;
    injected = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    assay_gpu_handles handles = vulkan_app_handles(&v);
    handles.vulkan.get_instance_proc_addr = (assay_function)fake_instance_proc;
    t.app = &g;
    t.vulkan = checks_open(handles);
    t.opengl = checks_open(opengl_app_handles(opengl_watched(&g)));
    texels_make(host, f, f, W, H, TEXELS_RANDOM, 3);
    texels_expect(host, none, none, W, H, 1, &t.expected);
    vulkan_app_image(&v, &host[0], 1, 0, VK_IMAGE_LAYOUT_GENERAL, &image);
    t.image = vulkan_app_lend(&image, 0);
    t.texture = opengl_app_lend(opengl_app_texture(&g, &host[1], GL_TEXTURE_2D, 1, 0), 0);
    t.texture.gpu = t.opengl;
    t.c = (struct score_case){.image = host, .w = W, .h = H, .metrics = "psnr"};
    opengl_state_disturb(&g, &objects);
    for (uint32_t path = ASSAY_GPU_SHARED; path <= ASSAY_GPU_STAGED; path++) {
        test(false, path);
        test(true, path);
    }
    opengl_state_reset(&g, &objects);
    assay_gpu_close(&t.vulkan);
    assay_gpu_close(&t.opengl);
    vulkan_app_image_free(&v, &image);
    g.glDeleteTextures(1, &t.texture.opengl.texture);
    texels_free(host);
    vk_device_close(&watched);
    opengl_app_close(&g);
    vulkan_app_close(&v);
    return checked();
}
