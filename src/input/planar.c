/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads packed planes straight into the caller's memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/format.h"
#include "input/reader.h"

/* Samples are checked after about this many bytes, while the bytes are in a second-level cache. */
enum { CHECKED_BYTES = 256 * 1024 };

void planar_init(struct planar *p, const assay_format *format)
{
    p->in.format = *format;
    p->planes = assay_format_planes(format);
    for (uint32_t i = 0; i < p->planes; i++) {
        p->to[i] = i;
        p->width[i] = assay_format_plane_width(format, i);
        p->height[i] = assay_format_plane_height(format, i);
        p->row_bytes[i] = format_row_bytes(format, i);
    }
    p->bytes = format_frame_bytes(format);
}

const char *plane_name(const assay_format *format, uint32_t plane)
{
    static const char *const names[2][3] = { { "Y", "Cb", "Cr" }, { "R", "G", "B" } };
    return names[format->layout == ASSAY_LAYOUT_RGB][plane];
}

/* Fails, and names a sample that needs more than the format's bits. `rows` are packed rows of the part, from its row
 * `first` on; `at` is the sample's index in them, from 0. */
static int samples_refuse(const struct input *in, uint64_t frame, uint32_t plane, const unsigned char *rows, size_t at,
                          const struct plane_part *part, uint32_t first, struct assay_error *e)
{
    const uint32_t depth = in->format.bit_depth;
    uint16_t v;
    memcpy(&v, rows + sizeof v * at, sizeof v);
    return input_fail_at(in, frame, e,
                         "plane %s holds the value %u at column %zu, row %zu, but %u-bit samples end at %u",
                         plane_name(&in->format, plane), (unsigned)v, part->left + at % part->width,
                         part->top + first + at / part->width, depth, (1u << depth) - 1);
}

/* Reads `rows` rows of the part of `plane` from its row `first` on, in one read where the part's rows are whole and the
 * destination is packed. */
static int planar_rows(const struct planar *p, uint64_t frame, struct stream *s, uint32_t plane,
                       const struct plane_part *part, const struct picture *dst, uint32_t first, uint32_t rows,
                       uint64_t *done, struct assay_error *e)
{
    const struct input *in = &p->in;
    const size_t sample = format_sample_bytes(&in->format), row_bytes = part->width * sample,
                 left = part->left * sample, outside = p->row_bytes[plane] - row_bytes;
    const ptrdiff_t stride = dst->stride[plane];
    unsigned char *to = (unsigned char *)dst->plane[plane] + (ptrdiff_t)first * stride;
    const bool together = !outside && stride == (ptrdiff_t)row_bytes;
    const uint32_t reads = together ? 1 : rows;
    const size_t bytes = together ? row_bytes * rows : row_bytes;
    const uint32_t depth = in->format.bit_depth;
    const bool checked = depth > 8 && depth < 16;
    size_t at;
    for (uint32_t i = 0; i < reads; i++) {
        const uint64_t passed = outside ? stream_skip(s, left) : 0;
        const size_t got = passed == (outside ? left : 0) ? stream_read(s, to, bytes) : 0;
        *done += passed + got;
        if (got < bytes)
            return input_fail_short(in, frame, s->error, *done, p->bytes + p->unused, e);
        if (checked && !format_codes_fit(to, bytes / 2, depth, &at))
            return samples_refuse(in, frame, plane, to, at, part, first + i, e);
        if (outside)
            *done += stream_skip(s, outside - left);
        to += stride;
    }
    return ASSAY_OK;
}

static int planar_read_from(const struct planar *p, uint64_t frame, struct stream *s, const struct picture *dst,
                            struct assay_error *e)
{
    const struct input *in = &p->in;
    uint64_t done = 0;
    for (uint32_t i = 0; i < p->planes; i++) {
        const uint32_t plane = p->to[i];
        const struct plane_part part = input_part(&in->format, &in->crop, plane);
        const uint32_t below = p->height[plane] - part.top - part.height;
        uint32_t step = part.height;
        if (!dst->plane[plane]) {
            const uint64_t bytes = (uint64_t)p->row_bytes[plane] * p->height[plane], got = stream_skip(s, bytes);
            done += got;
            if (got < bytes)
                break;
            continue;
        }
        if (in->format.bit_depth > 8)
            step = (uint32_t)(CHECKED_BYTES / p->row_bytes[plane]) + 1;
        done += stream_skip(s, (uint64_t)p->row_bytes[plane] * part.top);
        for (uint32_t y = 0; y < part.height; y += step) {
            const uint32_t rows = part.height - y < step ? part.height - y : step;
            TRY(planar_rows(p, frame, s, plane, &part, dst, y, rows, &done, e));
        }
        done += stream_skip(s, (uint64_t)p->row_bytes[plane] * below);
    }
    done += stream_skip(s, p->unused);
    return done == p->bytes + p->unused ? 1 : input_fail_short(in, frame, s->error, done, p->bytes + p->unused, e);
}

static int planar_read(struct input *in, const struct input_place *place, const struct picture *dst,
                       struct picture_info *info, struct assay_error *e)
{
    const struct planar *p = (struct planar *)in;
    struct stream *own = in->positioned ? stream_view(p->stream, place->at, p->bytes) : NULL;
    info->pts = (int64_t)place->index;
    if (in->positioned && !own)
        return assay_fail_memory(e, "a picture");
    const int rc = p->take(p, place->index, own ? own : p->stream, dst, e);
    free(own);
    return rc;
}

static int planar_begin(struct input *in, struct input_place *place, struct assay_error *e)
{
    const struct planar *p = (struct planar *)in;
    const int more = p->find(p, e);
    place->at = p->stream->offset;
    if (more == 1 && in->positioned)
        stream_seek(p->stream, place->at + p->bytes + p->unused);
    return more;
}

static int planar_skip(struct input *in, struct assay_error *e)
{
    const struct planar *p = (struct planar *)in;
    const int more = p->find(p, e);
    const uint64_t bytes = p->bytes + p->unused, got = more == 1 ? stream_skip(p->stream, bytes) : bytes;
    return got == bytes ? more : input_fail_short(in, in->index, p->stream->error, got, bytes, e);
}

static void planar_close(struct input *in)
{
    stream_close(&((struct planar *)in)->stream);
    free(in);
}

static const struct input_ops planar_ops = {.begin = planar_begin, .read = planar_read, .skip = planar_skip,
                                     .close = planar_close};

void planar_start(struct planar *p, struct stream *s, const char *kind, const char *name)
{
    struct input *in = &p->in;
    in->stream = p->stream = s;
    in->ops = &planar_ops;
    p->take = planar_read_from;
    in->positioned = s->regular;
    in->frames = in->frames_hint = -1;
    snprintf(in->kind, sizeof in->kind, "%s", kind);
    snprintf(in->name, sizeof in->name, "%s", name);
}

int planar_opened(struct planar *p, int code, struct input **out)
{
    *out = code == ASSAY_OK ? &p->in : NULL;
    if (code != ASSAY_OK)
        planar_close(&p->in);
    return code;
}
