/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures without a header. The user states their size and format. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "input/packing.h"

/* Rows are unpacked after about this many bytes, while the bytes are in a second-level cache. */
enum { UNPACKED_BYTES = 128 * 1024 };

struct raw {
    struct planar planar;          /* of packed formats only `bytes` counts */
    const struct packing *packing; /* NULL: planes */
};

/* Whether another picture begins. */
static int raw_begins(const struct planar *p, struct assay_error *e)
{
    const unsigned char *data;
    if (stream_peek(p->stream, &data, 1) == 1)
        return 1;
    return p->stream->error ? input_fail_short(&p->in, p->in.index, p->stream->error, 0, p->bytes, e) : 0;
}

/* Unpacks rows [first, first + rows) of a plane of the file, as far as they are of the part that is handed out. */
static int unpack_rows(const struct raw *r, uint64_t frame, uint32_t plane, const unsigned char *from, uint32_t first,
                       uint32_t rows, const struct picture *dst, struct assay_error *e)
{
    const struct packing *p = r->packing;
    const struct input *in = &r->planar.in;
    const size_t pitch = packing_row_bytes(p, plane, in->whole_width);
    for (uint32_t i = 0; i < assay_format_planes(&in->format); i++) {
        const struct repack_component *c = &p->repack.component[i];
        const struct plane_part part = input_part(&in->format, &in->crop, i);
        const uint32_t begin = first > part.top ? first : part.top;
        const uint32_t end = first + rows < part.top + part.height ? first + rows : part.top + part.height;
        if (c->plane != (int)plane || !dst->plane[i] || begin >= end)
            continue;
        if (!repack_plane(&p->repack, i, from + (begin - first) * pitch + (size_t)part.left * (size_t)c->step,
                          (ptrdiff_t)pitch, (unsigned char *)dst->plane[i] + (begin - part.top) * dst->stride[i],
                          dst->stride[i], part.width, end - begin))
            return input_fail_at(in, frame, e, "plane %s holds samples of more than the %" PRIu32 " bits of its "
                                 "pixel format %s", plane_name(&in->format, i), p->repack.depth, p->name);
    }
    return ASSAY_OK;
}

/* As the `take` of planes. */
static int unpack(const struct planar *planar, uint64_t frame, struct stream *s, const struct picture *dst,
                  struct assay_error *e)
{
    const struct raw *r = (const struct raw *)planar;
    const struct packing *p = r->packing;
    const struct input *in = &planar->in;
    uint64_t done = 0;
    int rc = ASSAY_OK;
    for (uint32_t plane = 0; plane < p->planes && !rc; plane++) {
        const size_t pitch = packing_row_bytes(p, plane, in->whole_width);
        const uint32_t height = packing_rows(p, plane, in->whole_height);
        const uint32_t step = (uint32_t)(UNPACKED_BYTES / pitch) + 1;
        unsigned char *buffer = malloc(step * pitch);
        if (!buffer)
            return assay_fail_memory(e, "a raw picture");
        for (uint32_t y = 0; y < height && !rc; y += step) {
            const uint32_t rows = height - y < step ? height - y : step;
            const size_t bytes = rows * pitch, got = stream_read(s, buffer, bytes);
            done += got;
            rc = got < bytes ? input_fail_short(in, frame, s->error, done, planar->bytes, e)
                             : unpack_rows(r, frame, plane, buffer, y, rows, dst, e);
        }
        free(buffer);
    }
    return rc ? rc : 1;
}

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
    struct input *in = &r->planar.in;
    const uint64_t size = r->planar.stream->size, bytes = r->planar.bytes;
    char text[32];
    if (size == 0)
        return assay_fail(e, ASSAY_EINPUT, "%s: is empty", in->name);
    if (size % bytes != 0)
        return assay_fail(e, ASSAY_EINPUT,
                          "%s: %" PRIu64 " bytes are not a whole number of %" PRIu32 "x%" PRIu32
                          " %s pictures: %" PRIu64 " of %" PRIu64 " bytes each, and %" PRIu64 " bytes more",
                          in->name, size, in->format.width, in->format.height,
                          r->packing ? r->packing->name : input_format_name(&in->format, text), size / bytes, bytes,
                          size % bytes);
    in->frames = in->frames_hint = (int64_t)(size / bytes);
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
    planar_start(&r->planar, s, "raw", name);
    r->planar.find = raw_begins;
    planar_init(&r->planar, &(assay_format) {
        .width = options->width,
        .height = options->height,
        .bit_depth = options->bit_depth,
        .layout = options->layout,
        .range = options->range,
        .matrix = options->layout == ASSAY_LAYOUT_RGB ? 0 : 2,
        .transfer = 2,
        .primaries = 2,
    });
    r->packing = options->packing;
    if (r->packing) {
        r->planar.take = unpack;
        r->planar.bytes = packing_bytes(r->packing, options->width, options->height);
    }
    if (options->gbr)
        memcpy(r->planar.to, (uint32_t[3]){1, 2, 0}, sizeof r->planar.to);
    if (s->regular)
        code = raw_count_frames(r, e);
    return planar_opened(&r->planar, code, out);
}
