/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies samples exactly from the pixel formats of libavutil to planes of assay. libavutil's description of a format
 * (component, plane, step, offset, shift, depth) says where the samples are; there is no list of names.
 */
#ifndef ASSAY_INPUT_REPACK_H
#define ASSAY_INPUT_REPACK_H

#include <libavutil/frame.h>
#include <libavutil/pixdesc.h>

#include "input/reader.h"

struct repack_component {
    int plane, step, offset, shift; /* where the samples are; step and offset in bytes, shift in bits */
    bool alone;                     /* its 16-bit words hold no other component, so their other bits must be 0 */
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

/* Plans the copy from a pixel format. Returns NULL, or why assay refuses the format: the text after "... is refused:
 * ". */
const char *repack_plan(struct repack *r, enum AVPixelFormat pixel_format);

/* Copies the part of the frame that `crop` leaves, which begins at a multiple of the chroma subsampling. False: samples
 * of plane *bad_plane have more bits than the format allows. */
struct repack_crop {
    uint32_t left, top, width, height;
};
bool repack_copy(const struct repack *r, const AVFrame *frame, const struct repack_crop *crop,
                 const struct picture *dst, uint32_t *bad_plane);

#endif
