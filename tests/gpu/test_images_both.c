/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An image of a Vulkan application against a texture of its OpenGL context, through shared memory and through the host's: the
 * figures are those of plain loops, and a session's scores those of an ordinary session. A device
 * that can't share says so, and names the other path. Exit 77 without both.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/checks.h"
#include "gpu/opengl_app.h"
#include "gpu/opengl_state.h"
#include "gpu/score_oracle.h"
#include "gpu/vulkan_app.h"
#include "texels/gpu.h"

static void test_pair(struct vulkan_app *v, struct opengl_app *g, assay_gpu *vulkan, assay_gpu *opengl,
                      const struct texel_format *f, enum texel_pattern pattern, uint32_t path, const assay_rectangle cut[2])
{
    enum { W = 121, H = 67 };
    struct host_image host[2];
    struct vulkan_app_image image;
    assay_image_figures expected, got;
    char what[120];
    const uint32_t x[2] = {cut[0].x, cut[1].x}, y[2] = {cut[0].y, cut[1].y};
    snprintf(what, sizeof what, "%s, pattern %d, path %u", f->name, (int)pattern, path);
    texels_make(host, f, f, W, H, pattern, 7);
    texels_expect(host, x, y, cut[0].width ? cut[0].width : W, cut[0].width ? cut[0].height : H, 1, &expected);
    vulkan_app_image(v, &host[0], 1, 0, VK_IMAGE_LAYOUT_GENERAL, &image);
    assay_vulkan_image lent = vulkan_app_lend(&image, 0);
    assay_opengl_texture texture = {.texture = opengl_app_texture(g, &host[1], GL_TEXTURE_2D, 1, 0), .rectangle = cut[1]};
    lent.rectangle = cut[0];
    memset(&got, 0xff, sizeof got);
    struct opengl_state_objects objects;
    struct opengl_snapshot before, after;
    opengl_state_disturb(g, &objects);
    opengl_state_snap(g, &before);
    if (assay_gpu_compare_vulkan_opengl(vulkan, opengl, &lent, &texture, path, NULL, NULL, &got))
        fprintf(stderr, "%s: %s\n", what, assay_gpu_error(vulkan));
    check(figures_same(&expected, &got, what), what);
    opengl_state_snap(g, &after);
    check(!memcmp(&before, &after, sizeof before), "the application's state is as before");
    opengl_state_settle(g, &objects);
    check(g->gl.glGetError() == GL_NO_ERROR, "no error is left behind");
    vulkan_app_image_free(v, &image);
    g->glDeleteTextures(1, &texture.texture);
    texels_free(host);
}

/* Frames enough that every slot is used twice. */
static void test_session(struct vulkan_app *v, struct opengl_app *g, assay_gpu *vulkan, assay_gpu *opengl,
                         const struct texel_format *f, uint32_t path, const assay_rectangle cut[2])
{
    enum { W = 121, H = 67, FRAMES = 5 };
    struct host_image host[2];
    struct vulkan_app_image image;
    char what[120];
    snprintf(what, sizeof what, "a session of %s, path %u", f->name, path);
    texels_make(host, f, f, W, H, TEXELS_NEAR, 7);
    if (f->kind == TEXEL_HALF)
        texels_make_parts(host, 7);
    const struct score_case c = {.image = host, .x = {cut[0].x, cut[1].x}, .y = {cut[0].y, cut[1].y},
                                 .w = cut[0].width ? cut[0].width : W, .h = cut[0].width ? cut[0].height : H,
                                 .metrics = f->kind == TEXEL_HALF ? "psnr diff float_ssim" : "psnr diff ssimulacra2 float_ssim"};
    vulkan_app_image(v, &host[0], 1, 0, VK_IMAGE_LAYOUT_GENERAL, &image);
    assay_vulkan_image lent = vulkan_app_lend(&image, 0);
    assay_opengl_texture texture = {.texture = opengl_app_texture(g, &host[1], GL_TEXTURE_2D, 1, 0), .rectangle = cut[1]};
    lent.rectangle = cut[0];
    struct opengl_state_objects objects;
    struct opengl_snapshot before, after;
    opengl_state_disturb(g, &objects);
    opengl_state_snap(g, &before);
    assay_session *s = score_session(&c);
    int rc = assay_session_start_vulkan_opengl(s, vulkan, opengl, &lent, &texture, path, NULL);
    for (unsigned n = 0; !rc && n < FRAMES; n++)
        rc = assay_session_submit_vulkan_opengl(s, n, &lent, &texture, NULL);
    check(score_flushed(s, rc, &c, FRAMES, "vulkan", what), what);
    texture.rectangle = (assay_rectangle){0, 0, 5, 5};
    check(assay_session_submit_vulkan_opengl(s, FRAMES, &lent, &texture, NULL) == ASSAY_EMISMATCH, "another size");
    assay_session_close(&s);
    check(g->gl.glGetError() == GL_NO_ERROR, "no error is left behind");
    opengl_state_snap(g, &after);
    check(!memcmp(&before, &after, sizeof before), "the application's state is as before, after a session");
    opengl_state_settle(g, &objects);
    vulkan_app_image_free(v, &image);
    g->glDeleteTextures(1, &texture.texture);
    texels_free(host);
}

/* Refused as a comparison is, on the same grounds. */
static void refused_session(assay_gpu *vulkan, assay_gpu *opengl, const assay_vulkan_image *image,
                            const assay_opengl_texture *texture, uint32_t path, int code, const char *word)
{
    assay_session *s;
    if (assay_session_new(&s, NULL, NULL, 0) || assay_session_add_metric(s, "psnr"))
        exit(1);
    const int rc = assay_session_start_vulkan_opengl(s, vulkan, opengl, image, texture, path, NULL);
    check(rc == code && strstr(assay_session_error(s), word), word);
    check(assay_session_submit_vulkan_opengl(s, 0, image, texture, NULL) == ASSAY_EUSAGE, "a session that did not start");
    assay_session_close(&s);
}

static PFN_vkGetDeviceProcAddr real_device_proc;
static PFN_vkGetInstanceProcAddr real_instance_proc;

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL poor_device_proc(VkDevice device, const char *name)
{
    return strcmp(name, "vkGetMemoryFdKHR") ? real_device_proc(device, name) : NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL poor_instance_proc(VkInstance instance, const char *name)
{
    return strcmp(name, "vkGetDeviceProcAddr") ? real_instance_proc(instance, name) : (PFN_vkVoidFunction)poor_device_proc;
}

static struct opengl_app *current;
static const GLubyte *APIENTRY poor_string(GLenum name, GLuint i)
{
    static const GLubyte none[] = "GL_none";
    (void)name, (void)i;
    return none;
}

static gl_proc poor_proc(const char *name)
{
    return strcmp(name, "glGetStringi") ? current->get(name) : (gl_proc)poor_string;
}

static void APIENTRY other_uuid(GLenum name, GLubyte *to)
{
    (void)name;
    memset(to, 0x5a, 16);
}

static gl_proc other_proc(const char *name)
{
    return strcmp(name, "glGetUnsignedBytevEXT") ? current->get(name) : (gl_proc)other_uuid;
}

/* Drivers that can't share: the message names the reason and the other path, which then works. */
static void test_refusals(struct vulkan_app *v, struct opengl_app *g, assay_gpu *vulkan, assay_gpu *opengl)
{
    static const assay_rectangle whole[2] = {{0}};
    const struct texel_format *f = texel_format_opengl(GL_RGBA8);
    struct host_image host[2];
    struct vulkan_app_image image;
    assay_gpu *poor[3] = {NULL};
    assay_image_figures figures;
    assay_vulkan handles = vulkan_app_handles(v);
    texels_make(host, f, f, 16, 16, TEXELS_NEAR, 7);
    vulkan_app_image(v, &host[0], 1, 0, VK_IMAGE_LAYOUT_GENERAL, &image);
    const assay_vulkan_image lent = vulkan_app_lend(&image, 0);
    const assay_opengl_texture texture = {.texture = opengl_app_texture(g, &host[1], GL_TEXTURE_2D, 1, 0)};
    real_device_proc = v->vkGetDeviceProcAddr;
    real_instance_proc = v->get;
    current = g;
    handles.get_instance_proc_addr = (assay_function)poor_instance_proc;
    check(!assay_gpu_open_vulkan(&poor[0], &handles, NULL, 0) &&
          !assay_gpu_open_opengl(&poor[1], &(assay_opengl){.get_proc_address = poor_proc}, NULL, 0) &&
          !assay_gpu_open_opengl(&poor[2], &(assay_opengl){.get_proc_address = other_proc}, NULL, 0), "drivers that can't share");
    const struct { assay_gpu *vulkan, *opengl; const char *reason; } cases[] = {
        {poor[0], opengl, "VK_KHR_external_memory_fd"}, {vulkan, poor[1], "GL_EXT_memory_object_fd"},
        {vulkan, poor[2], "different drivers"}};
    for (unsigned i = 0; i < 3; i++) {
        const int rc = assay_gpu_compare_vulkan_opengl(cases[i].vulkan, cases[i].opengl, &lent, &texture, ASSAY_GPU_SHARED, NULL,
                                                       NULL, &figures);
        const char *text = assay_gpu_error(cases[i].vulkan);
        if (!strstr(text, cases[i].reason))
            fprintf(stderr, "'%s' has no '%s'\n", text, cases[i].reason);
        check(rc == ASSAY_EDEVICE && strstr(text, cases[i].reason) && strstr(text, "ASSAY_GPU_STAGED"), cases[i].reason);
        refused_session(cases[i].vulkan, cases[i].opengl, &lent, &texture, ASSAY_GPU_SHARED, ASSAY_EDEVICE, "ASSAY_GPU_STAGED");
        test_pair(v, g, cases[i].vulkan, cases[i].opengl, f, TEXELS_NEAR, ASSAY_GPU_STAGED, whole);
    }
    check(assay_gpu_compare_vulkan_opengl(vulkan, opengl, &lent, &texture, 2, NULL, NULL, &figures) == ASSAY_EUSAGE,
          "no such path");
    check(assay_gpu_compare_vulkan_opengl(vulkan, vulkan, &lent, &texture, 0, NULL, NULL, &figures) == ASSAY_EUSAGE,
          "not an OpenGL context");
    check(assay_gpu_compare_vulkan_opengl(opengl, opengl, &lent, &texture, 0, NULL, NULL, &figures) == ASSAY_EUSAGE,
          "not a Vulkan device");
    refused_session(vulkan, opengl, &lent, &texture, 2, ASSAY_EUSAGE, "no such path");
    refused_session(vulkan, vulkan, &lent, &texture, 0, ASSAY_EUSAGE, "not a Vulkan device and an OpenGL context");
    for (unsigned i = 0; i < 3; i++)
        assay_gpu_close(&poor[i]);
    vulkan_app_image_free(v, &image);
    g->glDeleteTextures(1, &texture.texture);
    texels_free(host);
}

int main(void)
{
    static const char *const extensions[] = {"VK_KHR_external_memory_fd"};
    static const assay_rectangle cuts[][2] = {{{0}}, {{3, 5, 100, 60}, {21, 0, 100, 60}}};
    static const GLenum formats[] = {GL_RGBA8, GL_SRGB8_ALPHA8, GL_RGB10_A2, GL_RGBA16, GL_RGBA16F, GL_R8, GL_RGBA32F};
    struct vulkan_app v;
    struct opengl_app g;
    const bool have_vulkan = vulkan_app_open(&v, extensions, 1), have_both = have_vulkan && opengl_app_open(&g, false);
    if (!have_both)
        checks_skip("no Vulkan or no OpenGL 4.5");
    const assay_vulkan handles = vulkan_app_handles(&v);
    assay_gpu *vulkan = checks_vulkan(&handles), *opengl = checks_opengl(&(assay_opengl){.get_proc_address = opengl_watched(&g)});
    for (unsigned i = 0; i < sizeof formats / sizeof formats[0]; i++)
        for (uint32_t path = ASSAY_GPU_SHARED; path <= ASSAY_GPU_STAGED; path++)
            test_pair(&v, &g, vulkan, opengl, texel_format_opengl(formats[i]), (enum texel_pattern)(i % 2), path, cuts[i / 2 % 2]);
    for (unsigned i = 0; i < 5; i++)
        test_session(&v, &g, vulkan, opengl, texel_format_opengl(formats[i]), i % 2 ? ASSAY_GPU_STAGED : ASSAY_GPU_SHARED,
                     cuts[i / 2 % 2]);
    test_refusals(&v, &g, vulkan, opengl);
    assay_gpu_close(&vulkan);
    assay_gpu_close(&opengl);
    check(!opengl_watched_unknown(), "every function that was asked for is known");
    opengl_app_close(&g);
    vulkan_app_close(&v);
    return checked();
}
