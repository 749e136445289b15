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

/* Turns a plane of w x h samples. Its rows have no gaps, so it has as many bytes after that. Upright columns are
 * written a few at a time, so that the rows or columns which they come from stay in a cache. */
static void turn_plane(void *plane, void *scratch, const struct orientation *o, uint32_t w, uint32_t h, size_t sample)
{
    enum { COLUMNS = 32 };
    const uint32_t width = o->swapped ? h : w, height = o->swapped ? w : h;
    const ptrdiff_t one = (ptrdiff_t)sample, row = one * (ptrdiff_t)w;
    const ptrdiff_t along = o->from_right ? -one : one, down = o->from_bottom ? -row : row;
    const ptrdiff_t by_x = o->swapped ? down : along, by_y = o->swapped ? along : down;
    const unsigned char *first = (const unsigned char *)plane + (o->from_right ? row - one : 0) +
                                 (o->from_bottom ? row * (ptrdiff_t)(h - 1) : 0);
    for (uint32_t left = 0; left < width; left += COLUMNS)
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t x = left; x < width && x < left + COLUMNS; x++) {
                unsigned char *to = (unsigned char *)scratch + ((size_t)y * width + x) * sample;
                memcpy(to, first + x * by_x + y * by_y, sample == 1 ? 1 : sample == 2 ? 2 : 4);
            }
    memcpy(plane, scratch, (size_t)w * h * sample);
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
    for (uint32_t c = 0; c < 4; c++)
        if (image->plane[c])
            turn_plane(image->plane[c], scratch, o, width, height, sample);
    free(scratch);
    f->width = o->swapped ? height : width;
    f->height = o->swapped ? width : height;
    format_place(f, image->memory, image->plane, image->stride);
    image->stride[3] = image->stride[0];
    return ASSAY_OK;
}
