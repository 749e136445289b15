/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws one scene with Vulkan and with OpenGL, compares the two images on the GPU and scores them there with SSIMULACRA
 * 2, without reading either back:
 *
 * compare_renders [--staged] [TINT]
 *
 * With a TINT (0.01) OpenGL draws it a little redder. --staged takes the texture through memory of the host, for
 * drivers whose Vulkan and OpenGL can't share memory. Exit 1 when the images differ, 77 without a device.
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
static int score(assay_gpu *gpu, const assay_gpu_image image[2], const assay_gpu_options *options, double *value)
{
    assay_session *session = NULL;
    uint64_t frame;
    char error[512];
    if (assay_session_new(&session, NULL, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        return 4;
    }
    const int ready = !assay_session_add_metric(session, "ssimulacra2") &&
                      !assay_session_start_gpu(session, gpu, &image[0], &image[1], options) &&
                      !assay_session_submit_gpu(session, 0, &image[0], &image[1]) && !assay_session_flush(session) &&
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
    const assay_gpu_options options = {.path = staged ? ASSAY_GPU_STAGED : ASSAY_GPU_SHARED};
    assay_gpu_handles device, context;
    assay_gpu_image image[2];
    assay_gpu *vulkan = NULL, *opengl = NULL;
    assay_image_figures f;
    double ssimulacra2;
    char error[512];

    draw_with_vulkan(&device, &image[0]);
    draw_with_opengl(tint, &context, &image[1]);

    if (assay_gpu_open(&vulkan, &device, error, sizeof error) ||
        assay_gpu_open(&opengl, &context, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        return 4;
    }
    image[1].gpu = opengl; /* the texture is compared on the Vulkan device */
    if (assay_gpu_compare(vulkan, &image[0], &image[1], &options, &f)) {
        fprintf(stderr, "%s\n", assay_gpu_error(vulkan));
        return 4;
    }
    if (score(vulkan, image, &options, &ssimulacra2))
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
