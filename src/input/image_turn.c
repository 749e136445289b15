/* SPDX-License-Identifier: BSD-2-Clause */
/* The eight orientations of EXIF. */
#include <stdlib.h>
#include <string.h>

#include "host/format.h"
#include "input/image_decoder.h"

/* Which stored sample becomes the upright sample at (x, y). First x and y are exchanged if `swapped`, then each may be
 * counted from its end. */
static const struct orientation {
    bool swapped, from_right, from_bottom; /* of the stored picture's columns and rows */
} orientations[9] = {
    [1] = {false, false, false}, [2] = {false, true, false}, [3] = {false, true, true}, [4] = {false, false, true},
    [5] = {true, false, false},  [6] = {true, false, true},  [7] = {true, true, true},  [8] = {true, true, false},
};

/* Rows have no gaps, so a plane has as many bytes after turning as before. */
static void turn_plane(void *plane, void *scratch, const struct orientation *o, uint32_t stored_width,
                       uint32_t stored_height, size_t sample)
{
    const uint32_t width = o->swapped ? stored_height : stored_width,
                   height = o->swapped ? stored_width : stored_height;
    unsigned char *to = scratch;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++, to += sample) {
            const uint32_t u = o->swapped ? y : x, v = o->swapped ? x : y;
            const uint32_t column = o->from_right ? stored_width - 1 - u : u;
            const uint32_t row = o->from_bottom ? stored_height - 1 - v : v;
            memcpy(to, (const unsigned char *)plane + ((size_t)row * stored_width + column) * sample, sample);
        }
    memcpy(plane, scratch, (size_t)width * height * sample);
}

int image_turn(struct image *image, struct assay_error *e)
{
    assay_format *f = &image->format;
    const struct orientation *o = &orientations[image->orientation];
    const uint32_t width = f->width, height = f->height;
    const size_t sample = format_sample_bytes(f);
    if (image->orientation == 1)
        return ASSAY_OK;
    void *scratch = malloc(format_plane_bytes(f, 0));
    if (!scratch)
        return assay_fail(e, ASSAY_EINTERNAL, "%s: out of memory for a picture", image->name);
    for (uint32_t c = 0; c < assay_format_planes(f); c++)
        turn_plane(image->plane[c], scratch, o, width, height, sample);
    if (image->alpha)
        turn_plane(image->alpha, scratch, o, width, height, sample);
    free(scratch);
    f->width = o->swapped ? height : width;
    f->height = o->swapped ? width : height;
    format_place(f, image->memory, image->plane, image->stride);
    image->alpha_stride = image->stride[0];
    return ASSAY_OK;
}
