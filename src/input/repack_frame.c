/* SPDX-License-Identifier: BSD-2-Clause */
#include "input/repack_frame.h"

#include "input/libav_load.h"

#include <string.h>

static const char *repack_refuse_kind(const AVPixFmtDescriptor *d)
{
    if (d->flags & AV_PIX_FMT_FLAG_HWACCEL)
        return "its pictures lie in a hardware decoder's memory";
    if (d->flags & AV_PIX_FMT_FLAG_PAL)
        return "its samples are indices into a palette";
    if (d->flags & AV_PIX_FMT_FLAG_BAYER)
        return "its samples are a Bayer pattern";
    if (d->flags & AV_PIX_FMT_FLAG_FLOAT)
        return "its samples are floating-point numbers";
    if (d->flags & AV_PIX_FMT_FLAG_BITSTREAM)
        return "its samples are packed closer than bytes";
    if (strncmp(d->name, "xyz", 3) == 0)
        return "its samples are CIE XYZ";
    if (strcmp(d->name, "uyyvyy411") == 0)
        return "it packs 4:1:1 at uneven distances";
    return d->nb_components < 1 || d->nb_components > 4 ? "its components are unknown" : NULL;
}

static const char *repack_choose_layout(struct repack *r, const AVPixFmtDescriptor *d)
{
    static const assay_layout of_shifts[3][2] = {
        {ASSAY_LAYOUT_444}, {ASSAY_LAYOUT_422, ASSAY_LAYOUT_420}, {ASSAY_LAYOUT_411}};
    const unsigned x = d->log2_chroma_w, y = d->log2_chroma_h;
    r->layout = d->nb_components <= 2          ? ASSAY_LAYOUT_400
              : d->flags & AV_PIX_FMT_FLAG_RGB ? ASSAY_LAYOUT_RGB
              : x < 3 && y < 2                 ? of_shifts[x][y] : ASSAY_LAYOUT_UNKNOWN;
    return r->layout        ? NULL
         : x == 2 && y == 2 ? "its chroma is 4:1:0"
         : x == 0 && y == 1 ? "its chroma is 4:4:0" : "its chroma subsampling is unusual";
}

/* Whether no two components of a plane share a byte, if each has two bytes for a sample. In x2rgb10 they do share. */
static bool repack_words_are_apart(const AVPixFmtDescriptor *d, int plane)
{
    /* In units of 1/48 of the plane's bytes; steps of 16-bit samples are 2, 4, 6 or 8. */
    int used = 0;
    for (int i = 0; i < d->nb_components; i++) {
        if (d->comp[i].plane == plane)
            used += 2 * 48 / d->comp[i].step;
    }
    return used <= 48;
}

const char *repack_plan(struct repack *r, enum AVPixelFormat pixel_format)
{
    const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(pixel_format);
    memset(r, 0, sizeof *r);
    if (!d)
        return "libavutil does not describe it";
    const char *reason = repack_refuse_kind(d);
    if (!reason)
        reason = repack_choose_layout(r, d);
    if (reason)
        return reason;
    const int planes = r->layout == ASSAY_LAYOUT_400 ? 1 : 3;
    const int depth = d->comp[0].depth;
    if (depth < 8)
        return "its samples are of fewer than 8 bits";
    if (depth > 16)
        return "its samples are of more than 16 bits";
    r->depth = (uint32_t)depth;
    r->wide = depth + d->comp[0].shift > 8;
    r->big_endian = (d->flags & AV_PIX_FMT_FLAG_BE) != 0;
    r->alpha = (d->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
    r->full_range = strncmp(d->name, "yuvj", 4) == 0;
    for (int i = 0; i < planes; i++) {
        const AVComponentDescriptor *c = &d->comp[i];
        if (c->depth != depth)
            return "its components differ in depth";
        if (c->step < (r->wide ? 2 : 1) || c->step > 8 || (depth == 8 && c->shift != 0) ||
            (depth > 8 && depth + c->shift > 16) || (r->wide && c->step % 2 != 0))
            return "its samples are packed in a way that assay does not know";
        r->component[i] = (struct repack_component) {
            .plane = c->plane,
            .step = c->step,
            .offset = c->offset,
            .shift = c->shift,
            .alone = r->wide && repack_words_are_apart(d, c->plane),
        };
    }
    return NULL;
}

/* Whether samples lie as in planes of assay. */
static bool repack_is_plain(const struct repack *r)
{
    bool plain = !r->big_endian;
    for (unsigned p = 0; p < (r->layout == ASSAY_LAYOUT_400 ? 1u : 3u); p++) {
        const struct repack_component *c = &r->component[p];
        plain = plain && c->step == (r->wide ? 2 : 1) && !c->offset && !c->shift;
    }
    return plain;
}

static bool repack_fits(const unsigned char *row, ptrdiff_t pitch, uint32_t depth, uint32_t w, uint32_t h)
{
    for (size_t x; h && format_codes_fit(row, w, depth, &x); h--)
        row += pitch;
    return !h;
}

bool repack_frame(const struct repack *r, const AVFrame *frame, const struct repack_crop *crop,
                  const struct picture *dst, assay_picture *lent, uint32_t *bad_plane)
{
    const assay_format f = { .width = crop->width, .height = crop->height, .layout = r->layout };
    const bool stays = lent && repack_is_plain(r);
    for (uint32_t p = 0; p < assay_format_planes(&f); p++) {
        const struct repack_component *c = &r->component[p];
        const uint32_t sx = p > 0 ? format_chroma_shift_x(&f) : 0, sy = p > 0 ? format_chroma_shift_y(&f) : 0;
        const uint32_t w = assay_format_plane_width(&f, p), h = assay_format_plane_height(&f, p);
        const ptrdiff_t pitch = frame->linesize[c->plane];
        const unsigned char *src = frame->data[c->plane] + (ptrdiff_t)(crop->top >> sy) * pitch +
                                   (ptrdiff_t)(crop->left >> sx) * c->step;
        if (stays) {
            lent->plane[p] = src;
            lent->stride[p] = pitch;
        }
        if (stays ? r->wide && !repack_fits(src, pitch, r->depth, w, h)
                  : !repack_plane(r, p, src, pitch, dst->plane[p], dst->stride[p], w, h)) {
            *bad_plane = p;
            return false;
        }
    }
    return true;
}

static void repack_release(void *frame)
{
    AVFrame *f = frame;
    av_frame_free(&f);
}

bool repack_keep(AVFrame *frame, assay_picture *lent)
{
    AVFrame *const kept = av_frame_alloc();
    if (!kept)
        return false;
    av_frame_move_ref(kept, frame);
    lent->release = repack_release;
    lent->opaque = kept;
    return true;
}
