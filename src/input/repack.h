/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the pixel formats of libavutil to planes of assay, sample by sample and exactly. What a format is comes from
 * libavutil's own description of it (component, plane, step, offset, shift, depth), not from a list of names.
 */
#ifndef ASSAY_INPUT_REPACK_H
#define ASSAY_INPUT_REPACK_H

#include <libavutil/frame.h>
#include <libavutil/pixdesc.h>

#include "input/reader.h"

struct repack_component {
    int plane, step, offset, shift; /* where its samples lie: bytes, except shift */
    bool alone;                     /* its 16-bit words hold no other component: what is not its value must be 0 */
};

struct repack {
    assay_layout layout;
    uint32_t depth;
    bool alpha;       /* there is one, and it is left behind */
    bool full_range;  /* the format's name says so (yuvj) */
    bool wide;        /* samples lie in 16-bit words */
    bool big_endian;
    int chroma_shift_x, chroma_shift_y;
    struct repack_component component[3];
};

/* Understands a pixel format. NULL, or the reason why assay refuses it, as words that fit "... is refused: ". */
const char *repack_plan(struct repack *r, enum AVPixelFormat pixel_format);

/* Copies the picture that `crop` leaves of the frame. True; false when samples hold more than their bits allow in
 * plane *bad_plane. The crop is a multiple of the chroma subsampling. */
struct repack_crop {
    uint32_t left, top, width, height;
};
bool repack_copy(const struct repack *r, const AVFrame *frame, const struct repack_crop *crop,
                 const struct picture *dst, uint32_t *bad_plane);

#endif
