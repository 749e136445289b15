/* SPDX-License-Identifier: BSD-2-Clause */
/* oracle_images REF DIS ...: the oracle's ssimulacra2 of pairs of RGB images in sRGB, one number a line. */
#include <stdio.h>
#include <stdlib.h>

#include "oracle_read.h"

static void read_image(const char *path, struct oracle_image linear[3])
{
    const struct input_options options = { .path = path, .decode_threads = 1 };
    const struct oracle_colour colour = { .rgb = true, .full = true, .transfer = ORACLE_SRGB };
    struct input *in = NULL;
    struct assay_error e = { 0 };
    if (input_open(&in, &options, &e))
        oracle_fail(e.text);
    if (in->format.layout != ASSAY_LAYOUT_RGB && in->format.layout != ASSAY_LAYOUT_400)
        oracle_fail("an image is neither RGB nor grey");
    struct oracle_picture p;
    oracle_picture_new(&p, &in->format);
    if (!oracle_picture_read(&p, in))
        oracle_fail("an image is empty");
    oracle_linear(linear, &p, &colour);
    oracle_picture_free(&p);
    input_close(&in);
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc % 2 == 0)
        oracle_fail("pairs of paths wanted");
    for (int i = 1; i < argc; i += 2) {
        struct oracle_image ref[3], dis[3];
        read_image(argv[i], ref);
        read_image(argv[i + 1], dis);
        if (ref[0].width != dis[0].width || ref[0].height != dis[0].height)
            oracle_fail("the images differ in size");
        printf("%.17g\n", oracle_ssimulacra2(ref, dis));
        for (int k = 0; k < 3; k++) {
            oracle_image_free(&ref[k]);
            oracle_image_free(&dis[k]);
        }
    }
    return fflush(stdout) || ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
