/* SPDX-License-Identifier: BSD-2-Clause */
#include "input/repack.h"

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
    if (d->nb_components < 1 || d->nb_components > 4)
        return "its components are unknown";
    return NULL;
}

static const char *repack_choose_layout(struct repack *r, const AVPixFmtDescriptor *d)
{
    if (d->nb_components <= 2) {
        r->layout = ASSAY_LAYOUT_400;
    } else if (d->flags & AV_PIX_FMT_FLAG_RGB) {
        r->layout = ASSAY_LAYOUT_RGB;
    } else {
        switch (10 * d->log2_chroma_w + d->log2_chroma_h) {
        case 0:
            r->layout = ASSAY_LAYOUT_444;
            break;
        case 10:
            r->layout = ASSAY_LAYOUT_422;
            break;
        case 11:
            r->layout = ASSAY_LAYOUT_420;
            break;
        case 20:
            r->layout = ASSAY_LAYOUT_411;
            break;
        case 22:
            return "its chroma is 4:1:0";
        case 1:
            return "its chroma is 4:4:0";
        default:
            return "its chroma subsampling is unusual";
        }
        r->chroma_shift_x = d->log2_chroma_w;
        r->chroma_shift_y = d->log2_chroma_h;
    }
    return NULL;
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

/* This and repack_row_words are inlined into calls with a constant step, which compilers turn into vector code. */
static inline void repack_row_bytes(unsigned char *restrict dst, const unsigned char *restrict src, size_t n,
                                    size_t step)
{
    for (size_t i = 0; i < n; i++)
        dst[i] = src[i * step];
}

static void repack_copy_bytes(unsigned char *dst, const unsigned char *src, size_t n, int step)
{
    switch (step) {
    case 1:
        memcpy(dst, src, n);
        break;
    case 2:
        repack_row_bytes(dst, src, n, 2);
        break;
    case 3:
        repack_row_bytes(dst, src, n, 3);
        break;
    case 4:
        repack_row_bytes(dst, src, n, 4);
        break;
    default:
        repack_row_bytes(dst, src, n, (size_t)step);
        break;
    }
}

/* Returns the bits that are set in any of the words. */
static inline uint32_t repack_row_words(unsigned char *restrict dst, const unsigned char *restrict src, size_t n,
                                        size_t step, int shift, uint16_t mask, bool big_endian)
{
    uint16_t all = 0;
    for (size_t i = 0; i < n; i++) {
        uint16_t v;
        memcpy(&v, src + i * step, sizeof v);
        if (big_endian)
            v = (uint16_t)(v << 8 | v >> 8);
        all = (uint16_t)(all | v);
        v = (uint16_t)(v >> shift & mask);
        memcpy(dst + 2 * i, &v, sizeof v);
    }
    return all;
}

static uint32_t repack_copy_words(unsigned char *dst, const unsigned char *src, size_t n, int step, int shift,
                                  uint16_t mask, bool big_endian)
{
    if (step == 2 && !big_endian)
        return repack_row_words(dst, src, n, 2, shift, mask, false);
    if (step == 2)
        return repack_row_words(dst, src, n, 2, shift, mask, true);
    if (step == 4 && !big_endian)
        return repack_row_words(dst, src, n, 4, shift, mask, false);
    return repack_row_words(dst, src, n, (size_t)step, shift, mask, big_endian);
}

bool repack_copy(const struct repack *r, const AVFrame *frame, const struct repack_crop *crop,
                 const struct picture *dst, uint32_t *bad_plane)
{
    const assay_format f = { .width = crop->width, .height = crop->height, .layout = r->layout };
    const uint16_t mask = (uint16_t)((1u << r->depth) - 1);
    for (uint32_t p = 0; p < assay_format_planes(&f); p++) {
        const struct repack_component *c = &r->component[p];
        const int sx = p > 0 ? r->chroma_shift_x : 0, sy = p > 0 ? r->chroma_shift_y : 0;
        const size_t w = assay_format_plane_width(&f, p);
        const uint32_t h = assay_format_plane_height(&f, p);
        const ptrdiff_t pitch = frame->linesize[c->plane];
        const unsigned char *src = frame->data[c->plane] + (ptrdiff_t)(crop->top >> sy) * pitch +
                                   (ptrdiff_t)(crop->left >> sx) * c->step + c->offset;
        unsigned char *to = dst->plane[p];
        uint32_t bits = 0;
        for (uint32_t y = 0; y < h; y++) {
            if (r->wide)
                bits |= repack_copy_words(to, src, w, c->step, c->shift, mask, r->big_endian);
            else
                repack_copy_bytes(to, src, w, c->step);
            src += pitch;
            to += dst->stride[p];
        }
        if (c->alone && (bits & ~((uint32_t)mask << c->shift)) != 0) {
            *bad_plane = p;
            return false;
        }
    }
    return true;
}
