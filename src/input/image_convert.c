/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts an image to other channels or a larger depth, without loss. */
#include <stdlib.h>
#include <string.h>

#include "host/depth.h"
#include "host/format.h"
#include "host/system.h"
#include "input/image_decoder.h"

/* Codes of 8 bits, full range, to 16. */
static void widen_row(uint16_t *to, const uint8_t *from, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++)
        to[x] = depth_code(from[x], 8, 16, true, false);
}

/* An opaque row of alpha. */
static void fill_row(const assay_format *f, void *row)
{
    static const float one = 1.0f;
    if (f->bit_depth != IMAGE_FLOAT_BITS)
        memset(row, 0xff, format_row_bytes(f, 0));
    else
        for (uint32_t x = 0; x < f->width; x++)
            memcpy((float *)row + x, &one, sizeof one);
}

static void convert_plane(const assay_format *from, const assay_format *to, const void *in, ptrdiff_t in_stride,
                          void *out, ptrdiff_t out_stride)
{
    for (uint32_t y = 0; y < to->height; y++) {
        const char *row = (const char *)in + (ptrdiff_t)y * in_stride;
        char *result = (char *)out + (ptrdiff_t)y * out_stride;
        if (!in)
            fill_row(to, result);
        else if (from->bit_depth == to->bit_depth)
            memcpy(result, row, format_row_bytes(to, 0));
        else
            widen_row((uint16_t *)(void *)result, (const uint8_t *)row, to->width);
    }
}

int image_convert(struct image *image, assay_layout layout, uint32_t bit_depth, bool alpha, struct assay_error *e)
{
    struct image new = *image;
    const uint32_t planes = assay_format_planes(&image->format);
    if (image->format.layout == layout && image->format.bit_depth == bit_depth && !image->alpha == !alpha)
        return ASSAY_OK;
    new.format.layout = layout;
    new.format.bit_depth = bit_depth;
    new.format.alpha = alpha;
    if (layout == ASSAY_LAYOUT_RGB)
        new.format.matrix = 0;
    TRY(image_allocate(&new, alpha, e));
    for (uint32_t c = 0; c < assay_format_planes(&new.format); c++) {
        const uint32_t source = c < planes ? c : 0; /* grey is red, green and blue */
        convert_plane(&image->format, &new.format, image->plane[source], image->stride[source], new.plane[c],
                      new.stride[c]);
    }
    if (alpha)
        convert_plane(&image->format, &new.format, image->alpha, image->alpha_stride, new.alpha, new.alpha_stride);
    memory_aligned_free(image->memory);
    *image = new;
    return ASSAY_OK;
}

int image_room(struct image *to, const struct image *image, uint32_t bit_depth, struct assay_error *e)
{
    *to = *image;
    to->format.bit_depth = bit_depth;
    return image_allocate(to, image->alpha != NULL, e);
}
