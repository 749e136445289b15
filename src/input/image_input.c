/* SPDX-License-Identifier: BSD-2-Clause */
/* An image as a stream of one picture, and numbered images as one of many, read as `assay image` reads them. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/format.h"
#include "input/image_decoder.h"
#include "input/numbered.h"
#include "input/reader.h"

struct image_input {
    struct input in;
    struct image first;
    struct numbered numbered; /* of many pictures */
    char *path;               /* theirs */
    const struct input_stop *stop;
};

/* Refuses a picture that is not of the video that the first one begins. */
static int image_input_alike(const struct image_input *i, uint64_t index, const struct image *image,
                             struct assay_error *e)
{
    const struct image *const first = &i->first;
    const assay_format *const a = &image->format, *const b = &first->format;
    char is[32], was[32];
    if (a->width != b->width || a->height != b->height || a->layout != b->layout || a->bit_depth != b->bit_depth ||
        a->alpha != b->alpha)
        return input_fail_at(&i->in, index, e, "%s is %ux%u %s%s, and the first picture %ux%u %s%s", image->name,
                             a->width, a->height, input_format_name(a, is), a->alpha ? " with alpha" : "", b->width,
                             b->height, input_format_name(b, was), b->alpha ? " with alpha" : "");
    if (memcmp(a, b, sizeof *a) || strcmp(image->colour, first->colour) || image->untagged != first->untagged ||
        strcmp(image->unknown_colour, first->unknown_colour) || image->icc_fingerprint != first->icc_fingerprint)
        return input_fail_at(&i->in, index, e, "%s states other colours than the first picture (%s; %s)", image->name,
                             *image->colour ? image->colour : "none", *first->colour ? first->colour : "none");
    return strcmp(image->notice, first->notice)
        ? input_fail_at(&i->in, index, e, "%s is not as the first picture: %s", image->name,
                        *image->notice ? image->notice : first->notice)
        : ASSAY_OK;
}

/* Decodes a picture behind the first one. Writers of images store pictures without colours as grey: among others that
 * is RGB, exactly. */
static int image_input_decode(const struct image_input *i, uint64_t index, struct image *image, struct assay_error *e)
{
    const assay_format *const f = &i->first.format;
    char path[PATH_MAX];
    numbered_path(&i->numbered, (uint32_t)index, path, sizeof path);
    TRY(image_read(image, path, i->stop, e));
    int rc = ASSAY_OK;
    if (f->layout == ASSAY_LAYOUT_RGB && image->format.layout == ASSAY_LAYOUT_400)
        rc = image_convert(image, f->layout, image->format.bit_depth, image->format.alpha, e);
    rc = rc ? rc : image_input_alike(i, index, image, e);
    if (rc)
        image_free(image);
    return rc;
}

static int image_input_begin(struct input *in, struct input_place *place, struct assay_error *e)
{
    (void)place, (void)e;
    return in->index < (uint64_t)in->frames;
}

static int image_input_read(struct input *in, const struct input_place *place, const struct picture *dst,
                            struct picture_info *info, struct assay_error *e)
{
    struct image_input *const own = (struct image_input *)in;
    struct image other = {.memory = NULL};
    const struct image *const image = place->index ? &other : &own->first;
    const assay_format *f = &in->format;
    if (place->index)
        TRY(image_input_decode(own, place->index, &other, e));
    for (uint32_t i = 0; i < 4; i++) {
        const struct plane_part part = input_part(&in->format, &in->crop, i);
        const size_t left = part.left * format_sample_bytes(f);
        for (uint32_t y = 0; dst->plane[i] && y < part.height; y++)
            memcpy((char *)dst->plane[i] + (ptrdiff_t)y * dst->stride[i], (const char *)image->plane[i] +
                   (ptrdiff_t)(part.top + y) * image->stride[i] + left, format_row_bytes(f, i));
    }
    image_free(&other);
    info->pts = (int64_t)place->index;
    return 1;
}

static int image_input_skip(struct input *in, struct assay_error *e)
{
    return image_input_begin(in, NULL, e);
}

/* A program may still be writing pictures, behind the last one or anew. */
static bool image_input_changed(const struct input *in)
{
    const struct image_input *const own = (const struct image_input *)in;
    struct numbered now;
    return own->path && (numbered_find(&now, own->path, in->name, NULL) || memcmp(&now, &own->numbered, sizeof now));
}

static void image_input_close(struct input *in)
{
    struct image_input *const own = (struct image_input *)in;
    image_free(&own->first);
    free(own->path);
    free(in);
}

static const struct input_ops image_ops = {.begin = image_input_begin, .read = image_input_read,
                                           .skip = image_input_skip, .changed = image_input_changed,
                                           .close = image_input_close};

/* Completes an input whose first picture was read with `rc`, or closes it. */
static int image_input_opened(struct image_input *i, uint32_t pictures, const char *name, int rc, struct input **out,
                              struct assay_error *e)
{
    struct input *in = &i->in;
    const struct image *const first = &i->first;
    struct image told = *first; /* to say more, which a later picture is not compared with */
    if (!rc && first->format.bit_depth == IMAGE_FLOAT_BITS)
        rc = assay_fail(e, ASSAY_EINPUT, "%s: its samples are floats, which 'assay image' compares", name);
    if (rc) {
        image_input_close(in);
        return rc;
    }
    if (first->unknown_colour[0])
        image_notice(&told, "%s", first->unknown_colour);
    if (first->untagged)
        image_notice(&told, "it has no tag of colour and is taken as sRGB");
    if (first->plane[3])
        image_notice(&told, "its alpha counts in metrics of colour only; 'assay image' compares it");
    in->ops = &image_ops;
    in->format = first->format;
    in->frames = in->frames_hint = pictures;
    in->image = true;
    in->positioned = pictures > 1; /* a file each: several threads decode */
    in->numbered = i->path != NULL;
    in->first_number = i->numbered.first;
    snprintf(in->kind, sizeof in->kind, "%s", i->path ? "images" : "image");
    snprintf(in->name, sizeof in->name, "%s", name);
    memcpy(in->decoder, first->reader, sizeof in->decoder);
    memcpy(in->notice, told.notice, sizeof in->notice);
    *out = in;
    return ASSAY_OK;
}

int image_input_open(struct input **out, struct stream *s, const char *name, struct assay_error *e)
{
    struct image_input *i = calloc(1, sizeof *i);
    if (i)
        text_set(i->first.name, sizeof i->first.name, "%s", name);
    const int rc = i ? image_read_stream(&i->first, s, e) : assay_fail_memory(e, "an image");
    stream_close(&s);
    return i ? image_input_opened(i, 1, name, rc, out, e) : rc;
}

/* Finds the pictures and reads the first one. */
static int image_input_begun(struct image_input *i, const char *name, struct assay_error *e)
{
    char path[PATH_MAX];
    if (!i->path)
        return assay_fail_memory(e, "a path");
    TRY(numbered_find(&i->numbered, i->path, name, e));
    numbered_path(&i->numbered, 0, path, sizeof path);
    return image_read(&i->first, path, i->stop, e);
}

int numbered_open(struct input **out, const char *name, const struct input_options *options, struct assay_error *e)
{
    if (options->form == INPUT_RAW)
        return assay_fail(e, ASSAY_EINPUT, "%s: numbered files are images, which have headers; these are to be read as "
                          "raw", name);
    struct image_input *i = calloc(1, sizeof *i);
    if (!i)
        return assay_fail_memory(e, "numbered images");
    i->path = strdup(options->path);
    i->stop = options->stop;
    const int rc = image_input_begun(i, name, e);
    i->in.bytes = i->numbered.bytes;
    return image_input_opened(i, i->numbered.count, name, rc, out, e);
}
