/* SPDX-License-Identifier: BSD-2-Clause */
/* An image as a stream of one picture, read as `assay image` reads it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/format.h"
#include "input/image_decoder.h"
#include "input/reader.h"

struct image_input {
    struct input in;
    struct image image;
};

static int image_input_read(struct input *in, const struct input_place *place, const struct picture *dst,
                            struct picture_info *info, struct assay_error *e)
{
    const struct image *image = &((struct image_input *)in)->image;
    const assay_format *f = &in->format;
    (void)e;
    if (place->index)
        return 0;
    for (uint32_t i = 0; i < 4; i++) {
        const struct plane_part part = input_part(&in->format, &in->crop, i);
        const size_t left = part.left * format_sample_bytes(f);
        for (uint32_t y = 0; y < part.height; y++)
            memcpy((char *)dst->plane[i] + (ptrdiff_t)y * dst->stride[i], (const char *)image->plane[i] +
                   (ptrdiff_t)(part.top + y) * image->stride[i] + left, format_row_bytes(f, i));
    }
    info->pts = 0;
    return 1;
}

static int image_input_skip(struct input *in, struct assay_error *e)
{
    (void)e;
    return in->index == 0;
}

static void image_input_close(struct input *in)
{
    image_free(&((struct image_input *)in)->image);
    free(in);
}

static const struct input_ops image_ops = {.read = image_input_read, .skip = image_input_skip,
                                           .close = image_input_close};

int image_input_open(struct input **out, struct stream *s, const char *name, struct assay_error *e)
{
    struct image_input *i = calloc(1, sizeof *i);
    int rc = i ? ASSAY_OK : assay_fail_memory(e, "an image");
    if (i) {
        snprintf(i->image.name, sizeof i->image.name, "%s", name);
        rc = image_read_stream(&i->image, s, e);
    }
    stream_close(&s);
    if (!rc && i->image.format.bit_depth == IMAGE_FLOAT_BITS)
        rc = assay_fail(e, ASSAY_EINPUT, "%s: its samples are floats, which 'assay image' compares", name);
    if (rc && i)
        image_input_close(&i->in);
    if (rc)
        return rc;
    if (i->image.unknown_colour[0])
        image_notice(&i->image, "%s", i->image.unknown_colour);
    if (i->image.untagged)
        image_notice(&i->image, "it has no tag of colour and is taken as sRGB");
    if (i->image.plane[3])
        image_notice(&i->image, "its alpha counts in metrics of colour only; 'assay image' compares it");
    struct input *in = &i->in;
    in->ops = &image_ops;
    in->format = i->image.format;
    in->frames = in->frames_hint = 1;
    in->image = true;
    snprintf(in->kind, sizeof in->kind, "image");
    snprintf(in->name, sizeof in->name, "%s", name);
    memcpy(in->decoder, i->image.reader, sizeof in->decoder);
    memcpy(in->notice, i->image.notice, sizeof in->notice);
    *out = in;
    return ASSAY_OK;
}
