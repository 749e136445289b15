/* SPDX-License-Identifier: BSD-2-Clause */
#include "input/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/format.h"
#include "input/reader.h"

int image_allocate(struct image *image, bool alpha, struct assay_error *e)
{
    const assay_format *f = &image->format;
    const size_t bytes = format_frame_bytes(f) + (alpha ? format_plane_bytes(f, 0) : 0);
    image->memory = malloc(bytes);
    if (!image->memory)
        return assay_fail(e, ASSAY_EINTERNAL, "%s: out of memory for a picture of %zu bytes", image->name, bytes);
    void *const end = format_place(f, image->memory, image->plane, image->stride);
    image->alpha = alpha ? end : NULL;
    image->alpha_stride = image->stride[0];
    return ASSAY_OK;
}

/* The picture of a stream that holds no other one. */
static int image_read_only(struct image *image, struct input *in, struct assay_error *e)
{
    struct picture picture;
    image->format = in->format;
    TRY(image_allocate(image, false, e));
    memcpy(picture.plane, image->plane, sizeof picture.plane);
    memcpy(picture.stride, image->stride, sizeof picture.stride);
    int got = input_read(in, &picture, NULL, e);
    if (got == 1)
        got = input_skip(in, e);
    if (got == 1)
        return assay_fail(e, ASSAY_EINPUT, "%s: holds more than one picture; compare videos without 'image'", in->name);
    return got;
}

/* An image in a form that the readers of video know. */
static int image_read_video(struct image *image, const char *path, struct assay_error *e)
{
    const struct input_options options = {.path = path, .decode_threads = 1};
    struct input *in;
    TRY(input_open(&in, &options, e));
    const int rc = image_read_only(image, in, e);
    snprintf(image->reader, sizeof image->reader, "%s", in->decoder[0] ? in->decoder : in->kind);
    memcpy(image->notice, in->notice, sizeof image->notice);
    input_close(&in);
    return rc;
}

int image_read(struct image *image, const char *path, struct assay_error *e)
{
    struct stream *s;
    const unsigned char *start;
    memset(image, 0, sizeof *image);
    input_shown_name(image->name, sizeof image->name, path);
    TRY(stream_open(&s, path, image->name, e));
    int rc;
    const size_t n = stream_peek(s, &start, PNG_MAGIC);
    if (image_is_png(start, n)) {
        rc = image_read_png(image, s, e);
    } else if (s->error) {
        rc = assay_fail(e, ASSAY_EINPUT, "%s: cannot be read: %s", image->name, strerror(s->error));
        stream_close(&s);
    } else {
        stream_close(&s);
        if (!strcmp(path, "-"))
            return assay_fail(e, ASSAY_EINPUT, "stdin: images from a pipe are PNG");
        rc = image_read_video(image, path, e);
    }
    if (rc)
        image_free(image);
    return rc;
}

void image_free(struct image *image)
{
    free(image->memory);
    memset(image, 0, sizeof *image);
}
