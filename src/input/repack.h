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
    bool alone;                     /* its 16-bit words hold no other component, so that their other bits must be 0 */
};

struct repack {
    assay_layout layout;
    uint32_t depth;
    bool alpha;       /* the format has alpha, which is dropped */
    bool full_range;  /* the format's name says so (yuvj) */
    bool wide;        /* samples lie in 16-bit words */
    bool big_endian;
    int chroma_shift_x, chroma_shift_y;
    struct repack_component component[3];
};

/* Plans the copy from a pixel format. NULL, or why assay refuses the format: the rest of "... is refused: ". */
const char *repack_plan(struct repack *r, enum AVPixelFormat pixel_format);

/* Copies the part of the frame that `crop` leaves; it begins at a multiple of the chroma subsampling. False when
 * samples of plane *bad_plane have more bits than the format allows. */
struct repack_crop {
    uint32_t left, top, width, height;
};
bool repack_copy(const struct repack *r, const AVFrame *frame, const struct repack_crop *crop,
                 const struct picture *dst, uint32_t *bad_plane);

#endif
