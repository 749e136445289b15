/* SPDX-License-Identifier: BSD-2-Clause */
/* Planar pictures without a header. The user states their size and format. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/reader.h"

struct raw {
    struct input in;
    struct stream *stream;
    struct planar planar;
};

/* 1 when another picture begins, 0 at the end, negative after a failed read. */
static int raw_begins(struct raw *r, struct assay_error *e)
{
    const unsigned char *data;
    if (stream_peek(r->stream, &data, 1) == 1)
        return 1;
    return r->stream->error ? input_fail_short(&r->in, r->in.index, r->stream->error, 0, r->planar.bytes, e) : 0;
}

static int raw_begin(struct input *in, struct input_place *place, struct assay_error *e)
{
    struct raw *r = (struct raw *)in;
    const int more = raw_begins(r, e);
    place->at = r->stream->offset;
    if (more == 1 && in->positioned)
        stream_seek(r->stream, place->at + r->planar.bytes);
    return more;
}

static int raw_read(struct input *in, const struct input_place *place, const struct picture *dst,
                    struct picture_info *info, struct assay_error *e)
{
    struct raw *r = (struct raw *)in;
    info->pts = (int64_t)place->index;
    return planar_read(in, place, &r->planar, r->stream, dst, e);
}

static int raw_skip(struct input *in, struct assay_error *e)
{
    struct raw *r = (struct raw *)in;
    const int more = raw_begins(r, e);
    return more == 1 ? planar_skip(in, &r->planar, r->stream, e) : more;
}

static void raw_close(struct input *in)
{
    struct raw *r = (struct raw *)in;
    stream_close(&r->stream);
    free(r);
}

static const struct input_ops raw_ops = { .begin = raw_begin, .read = raw_read, .skip = raw_skip, .close = raw_close };

static int raw_check_geometry(const struct input_options *o, const char *name, struct assay_error *e)
{
    const assay_format asked = { .layout = o->layout };
    if (o->width < 1 || o->width > FORMAT_MAX_SIDE || o->height < 1 || o->height > FORMAT_MAX_SIDE)
        return assay_fail(e, ASSAY_EUSAGE, "%s: a raw picture of %" PRIu32 "x%" PRIu32 " is refused; sides are 1 to %d",
                          name, o->width, o->height, FORMAT_MAX_SIDE);
    if (o->bit_depth < 8 || o->bit_depth > 16)
        return assay_fail(e, ASSAY_EUSAGE, "%s: raw samples of %" PRIu32 " bit are refused; depths are 8 to 16", name,
                          o->bit_depth);
    if (assay_format_planes(&asked) == 0)
        return assay_fail(e, ASSAY_EUSAGE, "%s: a raw picture needs its plane layout (400, 420, 422, 444, 411 or rgb)",
                          name);
    return ASSAY_OK;
}

/* The number of pictures of a regular file, whose size must be a multiple of a picture's. */
static int raw_count_frames(struct raw *r, struct assay_error *e)
{
    const uint64_t size = r->stream->size, bytes = r->planar.bytes;
    char text[32];
    if (size == 0)
        return assay_fail(e, ASSAY_EINPUT, "%s: is empty", r->in.name);
    if (size % bytes != 0)
        return assay_fail(e, ASSAY_EINPUT,
                          "%s: %" PRIu64 " bytes are not a whole number of %" PRIu32 "x%" PRIu32
                          " %s pictures: %" PRIu64 " of %" PRIu64 " bytes each, and %" PRIu64 " bytes more",
                          r->in.name, size, r->in.format.width, r->in.format.height,
                          input_format_name(&r->in.format, text), size / bytes, bytes, size % bytes);
    r->in.frames = r->in.frames_hint = (int64_t)(size / bytes);
    return ASSAY_OK;
}

int raw_open(struct input **out, struct stream *s, const char *name, const struct input_options *options,
             struct assay_error *e)
{
    int code = raw_check_geometry(options, name, e);
    struct raw *r = code == ASSAY_OK ? calloc(1, sizeof *r) : NULL;
    if (!r) {
        stream_close(&s);
        return code != ASSAY_OK ? code : assay_fail_memory(e, "a raw reader");
    }
    r->stream = s;
    r->in.ops = &raw_ops;
    r->in.positioned = s->regular;
    r->in.frames = r->in.frames_hint = -1;
    snprintf(r->in.kind, sizeof r->in.kind, "raw");
    snprintf(r->in.name, sizeof r->in.name, "%s", name);
    r->in.format = (assay_format) {
        .width = options->width,
        .height = options->height,
        .bit_depth = options->bit_depth,
        .layout = options->layout,
        .range = options->range,
        .matrix = options->layout == ASSAY_LAYOUT_RGB ? 0 : 2,
        .transfer = 2,
        .primaries = 2,
    };
    planar_init(&r->planar, &r->in.format);
    if (options->gbr)
        memcpy(r->planar.to, (uint32_t[3]){1, 2, 0}, sizeof r->planar.to);
    if (s->regular)
        code = raw_count_frames(r, e);
    if (code != ASSAY_OK) {
        raw_close(&r->in);
        return code;
    }
    *out = &r->in;
    return ASSAY_OK;
}
