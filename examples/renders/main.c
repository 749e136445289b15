/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws one scene with Vulkan and with OpenGL, compares the two images on the GPU and scores them there with SSIMULACRA 2, without
 * reading either back:
 *
 *     compare_renders [--staged] [TINT]
 *
 * With a TINT (0.01) OpenGL draws it a little redder. --staged takes the texture through memory of the host, for drivers whose
 * Vulkan and OpenGL can't share memory. Exit 1 when the images differ, 77 without a device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

void no_device(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(77);
}

/* One pair, one score: a session of assay.h, started and fed with images instead of pictures in memory. */
static int score(assay_gpu *vulkan, assay_gpu *opengl, const assay_vulkan_image *image, const assay_opengl_texture *texture,
                 uint32_t path, double *value)
{
    assay_session *session = NULL;
    uint64_t frame;
    char error[512];
    if (assay_session_new(&session, NULL, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        return 4;
    }
    const int ready = !assay_session_add_metric(session, "ssimulacra2") &&
                      !assay_session_start_vulkan_opengl(session, vulkan, opengl, image, texture, path, NULL) &&
                      !assay_session_submit_vulkan_opengl(session, 0, image, texture, NULL) && !assay_session_flush(session) &&
                      assay_session_poll(session, &frame, value) == 1;
    if (!ready)
        fprintf(stderr, "%s\n", assay_session_error(session));
    assay_session_close(&session);
    return ready ? 0 : 4;
}

int main(int argc, char **argv)
{
    const int staged = argc > 1 && !strcmp(argv[1], "--staged");
    const float tint = argc > 1 + staged ? strtof(argv[1 + staged], NULL) : 0;
    assay_vulkan device;
    assay_opengl context;
    assay_vulkan_image image;
    assay_opengl_texture texture;
    assay_gpu *vulkan = NULL, *opengl = NULL;
    assay_image_figures f;
    double ssimulacra2;
    char error[512];
    const uint32_t path = staged ? ASSAY_GPU_STAGED : ASSAY_GPU_SHARED;

    draw_with_vulkan(&device, &image);
    draw_with_opengl(tint, &context, &texture);

    if (assay_gpu_open_vulkan(&vulkan, &device, error, sizeof error) ||
        assay_gpu_open_opengl(&opengl, &context, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        return 4;
    }
    if (assay_gpu_compare_vulkan_opengl(vulkan, opengl, &image, &texture, path, NULL, NULL, &f)) {
        fprintf(stderr, "%s\n", assay_gpu_error(vulkan));
        return 4;
    }
    if (score(vulkan, opengl, &image, &texture, path, &ssimulacra2))
        return 4;
    printf("Vulkan on %s, OpenGL on %s, %s\n", assay_gpu_device(vulkan), assay_gpu_device(opengl),
           staged ? "through the host" : "through shared memory");
    printf("MSE %.6f, PSNR %.3f dB\n", f.mse, f.psnr);
    printf("%llu of %llu pixels differ, by %g at most, first at (%u, %u)\n", (unsigned long long)f.differing,
           (unsigned long long)f.pixels, f.max_difference, f.max_x, f.max_y);
    printf("SSIMULACRA 2 %.6f\n", ssimulacra2);
    assay_gpu_close(&vulkan);
    assay_gpu_close(&opengl);
    return f.differing_all != 0;
}
