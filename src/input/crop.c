/* SPDX-License-Identifier: BSD-2-Clause */
/* A part of a stream's pictures. Readers copy no more than the part, so it costs nothing. */
#include <inttypes.h>

#include "input/image.h"
#include "input/reader.h"

struct plane_part input_part(const assay_format *f, const struct input_crop *crop, uint32_t plane)
{
    const bool chroma = plane == 1 || plane == 2;
    return (struct plane_part){crop->left >> (chroma ? format_chroma_shift_x(f) : 0),
                               crop->top >> (chroma ? format_chroma_shift_y(f) : 0),
                               assay_format_plane_width(f, plane), assay_format_plane_height(f, plane)};
}

/* Moves both ends outwards to the next place between two chroma samples, each of 2^shift luma samples. The picture's
 * own end is such a place. */
static void widen(uint32_t *first, uint32_t *length, uint32_t whole, uint32_t shift)
{
    const uint32_t unit = 1u << shift, end = (*first + *length + unit - 1) / unit * unit;
    *first = *first / unit * unit;
    *length = (end < whole ? end : whole) - *first;
}

void input_crop_widen(const assay_format *whole, struct input_crop *part)
{
    widen(&part->left, &part->width, whole->width, format_chroma_shift_x(whole));
    widen(&part->top, &part->height, whole->height, format_chroma_shift_y(whole));
}

static int check(const struct input_crop *part, const assay_format *f, const char *name, const char *option,
                 struct assay_error *e)
{
    struct input_crop wide = *part;
    char format[32];
    if (part->left >= f->width || part->width > f->width - part->left || part->top >= f->height ||
        part->height > f->height - part->top)
        return assay_fail(e, ASSAY_EUSAGE, "%s %" PRIu32 "x%" PRIu32 "+%" PRIu32 "+%" PRIu32
                          " does not lie in the pictures of %s, %" PRIu32 "x%" PRIu32, option, part->width,
                          part->height, part->left, part->top, name, f->width, f->height);
    input_crop_widen(f, &wide);
    if (wide.left == part->left && wide.width == part->width && wide.top == part->top && wide.height == part->height)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EUSAGE, "%s %" PRIu32 "x%" PRIu32 "+%" PRIu32 "+%" PRIu32
                      " cuts chroma samples of %s (%s) in two: the next larger part is %" PRIu32 "x%" PRIu32 "+%" PRIu32
                      "+%" PRIu32, option, part->width, part->height, part->left, part->top, name,
                      input_format_name(f, format), wide.width, wide.height, wide.left, wide.top);
}

int input_crop(struct input *in, const struct input_crop *part, const char *option, struct assay_error *e)
{
    TRY(check(part, &in->format, in->name, option, e));
    in->crop = *part;
    in->format.width = part->width;
    in->format.height = part->height;
    return ASSAY_OK;
}

int image_crop(struct image *image, const struct input_crop *part, const char *option, struct assay_error *e)
{
    assay_format *f = &image->format;
    const size_t sample = format_sample_bytes(f);
    TRY(check(part, f, image->name, option, e));
    for (uint32_t i = 0; i < 4; i++) {
        const struct plane_part p = input_part(f, part, i);
        if (image->plane[i])
            image->plane[i] = (char *)image->plane[i] + (ptrdiff_t)p.top * image->stride[i] + p.left * sample;
    }
    f->width = part->width;
    f->height = part->height;
    return ASSAY_OK;
}
