/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws one scene with Vulkan and with OpenGL and compares the two images on the GPU, without reading either back:
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
    char error[512];

    draw_with_vulkan(&device, &image);
    draw_with_opengl(tint, &context, &texture);

    if (assay_gpu_open_vulkan(&vulkan, &device, error, sizeof error) ||
        assay_gpu_open_opengl(&opengl, &context, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        return 4;
    }
    if (assay_gpu_compare_vulkan_opengl(vulkan, opengl, &image, &texture, staged ? ASSAY_GPU_STAGED : ASSAY_GPU_SHARED, NULL,
                                        NULL, &f)) {
        fprintf(stderr, "%s\n", assay_gpu_error(vulkan));
        return 4;
    }
    printf("Vulkan on %s, OpenGL on %s, %s\n", assay_gpu_device(vulkan), assay_gpu_device(opengl),
           staged ? "through the host" : "through shared memory");
    printf("MSE %.6f, PSNR %.3f dB\n", f.mse, f.psnr);
    printf("%llu of %llu pixels differ, by %g at most, first at (%u, %u)\n", (unsigned long long)f.differing,
           (unsigned long long)f.pixels, f.max_difference, f.max_x, f.max_y);
    assay_gpu_close(&vulkan);
    assay_gpu_close(&opengl);
    return f.differing_all != 0;
}
