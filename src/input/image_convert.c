/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts an image to other channels or a larger depth, without loss. */
#include "host/recode.h"
#include "host/system.h"
#include "input/image_decoder.h"

/* Makes alpha opaque. Rows of a new image have no gaps. */
static void fill_alpha(struct image *image)
{
    const assay_format *f = &image->format;
    for (size_t i = 0; i < (size_t)f->width * f->height; i++)
        if (f->bit_depth == IMAGE_FLOAT_BITS)
            ((float *)image->plane[3])[i] = 1.0f;
        else if (f->bit_depth > 8)
            ((uint16_t *)image->plane[3])[i] = (uint16_t)((1u << f->bit_depth) - 1);
        else
            ((uint8_t *)image->plane[3])[i] = 255;
}

/* Writes the samples of `from` in the form of `to`. */
static int convert(struct image *to, const struct image *from, struct assay_error *e)
{
    assay_format own = from->format;
    assay_picture in = {.plane = {NULL}};
    assay_buffer out = {.plane = {NULL}};
    struct recode r;
    for (uint32_t c = 0; c < 4; c++) {
        const uint32_t source = c < assay_format_planes(&own) || c == 3 ? c : 0; /* grey is red, green and blue */
        in.plane[c] = from->plane[source];
        in.stride[c] = from->stride[source];
        out.plane[c] = to->plane[c];
        out.stride[c] = to->stride[c];
    }
    own.layout = to->format.layout;
    own.alpha = from->plane[3] != NULL;
    const int rc = recode_init(&r, &own, &to->format, e);
    if (!rc)
        recode_picture(&r, &in, &out);
    recode_free(&r);
    if (!rc && to->plane[3] && !from->plane[3])
        fill_alpha(to);
    return rc;
}

int image_convert(struct image *image, assay_layout layout, uint32_t bit_depth, bool alpha, struct assay_error *e)
{
    struct image new = *image;
    if (image->format.layout == layout && image->format.bit_depth == bit_depth && !image->plane[3] == !alpha)
        return ASSAY_OK;
    new.format.layout = layout;
    new.format.bit_depth = bit_depth;
    new.format.alpha = alpha;
    if (layout == ASSAY_LAYOUT_RGB)
        new.format.matrix = 0;
    TRY(image_allocate(&new, alpha, e));
    const int rc = convert(&new, image, e);
    memory_aligned_free(rc ? new.memory : image->memory);
    if (!rc)
        *image = new;
    return rc;
}

int image_room(struct image *to, const struct image *image, uint32_t bit_depth, struct assay_error *e)
{
    *to = *image;
    to->format.bit_depth = bit_depth;
    return image_allocate(to, image->plane[3] != NULL, e);
}
