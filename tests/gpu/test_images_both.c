/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An image of a Vulkan application against a texture of its OpenGL context, through shared memory and through the
 * host's: the figures are those of plain loops, and a session's scores those of an ordinary session. A device that
 * can't share says so, and names the other path. Exit 77 without both.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/checks.h"
#include "gpu/opengl_app.h"
#include "gpu/opengl_state.h"
#include "gpu/score_oracle.h"
#include "gpu/vulkan_app.h"
#include "images/gpu.h"

/* One side's texels as an image of Vulkan, the other's as a texture; both as textures where `vulkan_side` is 2. */
struct meeting {
    struct host_image host[2];
    struct vulkan_app_image image;
    assay_gpu_image lent[2];
    struct opengl_state_objects objects;
    struct opengl_snapshot before;
};

static void meet(struct vulkan_app *v, struct opengl_app *g, assay_gpu *opengl, unsigned vulkan_side,
                 const assay_rectangle cut[2], struct meeting *m)
{
    for (unsigned side = 0; side < 2; side++) {
        if (side == vulkan_side) {
            vulkan_app_image(v, &m->host[side], 1, 0, VK_IMAGE_LAYOUT_GENERAL, &m->image);
            m->lent[side] = vulkan_app_lend(&m->image, 0);
        } else {
            m->lent[side] = opengl_app_lend(opengl_app_texture(g, &m->host[side], GL_TEXTURE_2D, 1, 0), 0);
            m->lent[side].gpu = opengl;
        }
        m->lent[side].rectangle = cut[side];
    }
    opengl_state_disturb(g, &m->objects);
    opengl_state_snap(g, &m->before);
}

static void part(struct vulkan_app *v, struct opengl_app *g, struct meeting *m)
{
    struct opengl_snapshot after;
    check(g->gl.glGetError() == GL_NO_ERROR, "no error is left behind");
    opengl_state_snap(g, &after);
    check(!memcmp(&m->before, &after, sizeof after), "the application's state is as before");
    opengl_state_reset(g, &m->objects);
    for (unsigned side = 0; side < 2; side++)
        if (m->lent[side].kind == ASSAY_GPU_VULKAN)
            vulkan_app_image_free(v, &m->image);
        else
            g->glDeleteTextures(1, &m->lent[side].opengl.texture);
    texels_free(m->host);
}

static void test_pair(struct vulkan_app *v, struct opengl_app *g, assay_gpu *vulkan, assay_gpu *opengl,
                      const struct texel_format *f, enum texel_pattern pattern, uint32_t path, unsigned vulkan_side,
                      const assay_rectangle cut[2])
{
    enum { W = 121, H = 67 };
    const uint32_t x[2] = {cut[0].x, cut[1].x}, y[2] = {cut[0].y, cut[1].y};
    const assay_gpu_options options = {.path = path};
    struct meeting m;
    assay_image_figures expected, got;
    char what[120];
    snprintf(what, sizeof what, "%s, pattern %d, path %u, Vulkan is side %u", f->name, (int)pattern, path, vulkan_side);
    texels_make(m.host, f, f, W, H, pattern, 7);
    texels_expect(m.host, x, y, cut[0].width ? cut[0].width : W, cut[0].width ? cut[0].height : H, 1, &expected);
    memset(&got, 0xff, sizeof got);
    meet(v, g, opengl, vulkan_side, cut, &m);
    if (assay_gpu_compare(vulkan, &m.lent[0], &m.lent[1], &options, &got))
        fprintf(stderr, "%s: %s\n", what, assay_gpu_error(vulkan));
    check(figures_same(&expected, &got, what), what);
    part(v, g, &m);
}

/* Frames enough that every slot is used twice. */
static void test_session(struct vulkan_app *v, struct opengl_app *g, assay_gpu *vulkan, assay_gpu *opengl,
                         const struct texel_format *f, uint32_t path, unsigned vulkan_side,
                         const assay_rectangle cut[2])
{
    enum { W = 121, H = 67, FRAMES = 5 };
    const assay_gpu_options options = {.path = path};
    struct meeting m;
    char what[120];
    snprintf(what, sizeof what, "a session of %s, path %u, Vulkan is side %u", f->name, path, vulkan_side);
    texels_make(m.host, f, f, W, H, TEXELS_NEAR, 7);
    if (f->kind == TEXEL_HALF)
        texels_make_parts(m.host, 7);
    const struct score_case c = {.image = m.host,
                                 .x = {cut[0].x, cut[1].x},
                                 .y = {cut[0].y, cut[1].y},
                                 .w = cut[0].width ? cut[0].width : W,
                                 .h = cut[0].width ? cut[0].height : H,
                                 .metrics = f->kind == TEXEL_HALF ? "psnr diff float_ssim"
                                                                  : "psnr diff ssimulacra2 float_ssim"};
    meet(v, g, opengl, vulkan_side, cut, &m);
    assay_session *s = score_session(&c);
    int rc = assay_session_start_gpu(s, vulkan, &m.lent[0], &m.lent[1], &options);
    for (unsigned n = 0; !rc && n < FRAMES; n++)
        rc = assay_session_submit_gpu(s, n, &m.lent[0], &m.lent[1]);
    check(score_flushed(s, rc, &c, FRAMES, "vulkan", what), what);
    assay_gpu_image other = m.lent[1];
    other.rectangle = (assay_rectangle){0, 0, 5, 5};
    check(assay_session_submit_gpu(s, FRAMES, &m.lent[0], &other) == ASSAY_EMISMATCH, "another size");
    if (vulkan_side < 2)
        check(assay_session_submit_gpu(s, FRAMES, &m.lent[1], &m.lent[0]) == ASSAY_EUSAGE &&
              strstr(assay_session_error(s), "of another assay_gpu"), "sides that changed places");
    assay_session_close(&s);
    part(v, g, &m);
}

/* Refused as a comparison is, on the same grounds. */
static void refused(assay_gpu *gpu, const assay_gpu_image *reference, const assay_gpu_image *distorted, uint32_t path,
                    int code, const char *word)
{
    const assay_gpu_options options = {.path = path};
    assay_image_figures figures;
    assay_session *s;
    check(assay_gpu_compare(gpu, reference, distorted, &options, &figures) == code &&
              strstr(assay_gpu_error(gpu), word),
          word);
    if (assay_session_new(&s, NULL, NULL, 0) || assay_session_add_metric(s, "psnr"))
        exit(1);
    check(assay_session_start_gpu(s, gpu, reference, distorted, &options) == code &&
              strstr(assay_session_error(s), word),
          word);
    check(assay_session_submit_gpu(s, 0, reference, distorted) == ASSAY_EUSAGE, "a session that did not start");
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
    return strcmp(name, "vkGetDeviceProcAddr") ? real_instance_proc(instance, name)
                                               : (PFN_vkVoidFunction)poor_device_proc;
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
    assay_gpu_handles handles = vulkan_app_handles(v), poor_opengl = opengl_app_handles(poor_proc),
                      other_opengl = opengl_app_handles(other_proc);
    texels_make(host, f, f, 16, 16, TEXELS_NEAR, 7);
    vulkan_app_image(v, &host[0], 1, 0, VK_IMAGE_LAYOUT_GENERAL, &image);
    assay_gpu_image lent = vulkan_app_lend(&image, 0);
    assay_gpu_image texture = opengl_app_lend(opengl_app_texture(g, &host[1], GL_TEXTURE_2D, 1, 0), 0);
    real_device_proc = v->vkGetDeviceProcAddr;
    real_instance_proc = v->get;
    current = g;
    handles.vulkan.get_instance_proc_addr = (assay_function)poor_instance_proc;
    check(!assay_gpu_open(&poor[0], &handles, NULL, 0) && !assay_gpu_open(&poor[1], &poor_opengl, NULL, 0) &&
          !assay_gpu_open(&poor[2], &other_opengl, NULL, 0), "drivers that can't share");
    const struct { assay_gpu *vulkan, *opengl; const char *reason; } cases[] = {
        {poor[0], opengl, "VK_KHR_external_memory_fd"}, {vulkan, poor[1], "GL_EXT_memory_object_fd"},
        {vulkan, poor[2], "different drivers"}};
    for (unsigned i = 0; i < 3; i++) {
        texture.gpu = cases[i].opengl;
        refused(cases[i].vulkan, &lent, &texture, ASSAY_GPU_SHARED, ASSAY_EDEVICE, cases[i].reason);
        refused(cases[i].vulkan, &texture, &lent, ASSAY_GPU_SHARED, ASSAY_EDEVICE, "ASSAY_GPU_STAGED");
        test_pair(v, g, cases[i].vulkan, cases[i].opengl, f, TEXELS_NEAR, ASSAY_GPU_STAGED, 0, whole);
    }
    texture.gpu = opengl;
    refused(vulkan, &lent, &texture, 2, ASSAY_EUSAGE, "no such path");
    refused(opengl, &lent, &texture, 0, ASSAY_EUSAGE,
            "the reference is a Vulkan image and belongs to an OpenGL context");
    lent.gpu = vulkan;
    refused(opengl, &lent, &texture, 0, ASSAY_EUSAGE,
            "a Vulkan image of another assay_gpu, which an OpenGL context can't take");
    texture.gpu = vulkan;
    refused(vulkan, &lent, &texture, 0, ASSAY_EUSAGE,
            "the distorted image is an OpenGL texture and belongs to a Vulkan device");
    texture.gpu = NULL;
    refused(vulkan, &texture, &lent, 0, ASSAY_EUSAGE,
            "the reference is an OpenGL texture and belongs to a Vulkan device");
    for (unsigned i = 0; i < 3; i++)
        assay_gpu_close(&poor[i]);
    vulkan_app_image_free(v, &image);
    g->glDeleteTextures(1, &texture.opengl.texture);
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
    const assay_gpu_handles handles = vulkan_app_handles(&v);
    assay_gpu *vulkan = checks_open(handles), *opengl = checks_open(opengl_app_handles(opengl_watched(&g)));
    for (unsigned i = 0; i < sizeof formats / sizeof formats[0]; i++)
        for (uint32_t path = ASSAY_GPU_SHARED; path <= ASSAY_GPU_STAGED; path++)
            for (unsigned side = 0; side < 3; side++)
                test_pair(&v, &g, vulkan, opengl, texel_format_opengl(formats[i]), (enum texel_pattern)(i % 2), path,
                          side, cuts[i / 2 % 2]);
    for (unsigned i = 0; i < 5; i++)
        for (unsigned side = 0; side < 3; side++)
            test_session(&v, &g, vulkan, opengl, texel_format_opengl(formats[i]), (i + side) % 2, side,
                         cuts[i / 2 % 2]);
    test_refusals(&v, &g, vulkan, opengl);
    assay_gpu_close(&vulkan);
    assay_gpu_close(&opengl);
    check(!opengl_watched_unknown(), "every function that was asked for is known");
    opengl_app_close(&g);
    vulkan_app_close(&v);
    return checked();
}
