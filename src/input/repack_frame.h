/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies samples exactly from the pixel formats of libavutil to planes of assay. libavutil's description of a format
 * (component, plane, step, offset, shift, depth) says where the samples are; there is no list of names.
 */
#ifndef ASSAY_INPUT_REPACK_FRAME_H
#define ASSAY_INPUT_REPACK_FRAME_H

#include <libavutil/frame.h>
#include <libavutil/pixdesc.h>

#include "input/repack.h"

/* Plans the copy from a pixel format. Returns NULL, or why assay refuses the format: the text after "... is refused:
 * ". */
const char *repack_plan(struct repack *r, enum AVPixelFormat pixel_format);

/* Copies the part of the frame that `crop` leaves, which begins at a multiple of the chroma subsampling. Where `lent`
 * is not NULL, and samples lie as in planes of assay, nothing is copied: `lent` points to them. False: samples of plane
 * *bad_plane have more bits than the format allows. */
struct repack_crop {
    uint32_t left, top, width, height;
};
bool repack_frame(const struct repack *r, const AVFrame *frame, const struct repack_crop *crop,
                  const struct picture *dst, assay_picture *lent, uint32_t *bad_plane);

/* Takes the frame's memory over, until `lent` is released. False: there is no memory for that. */
bool repack_keep(AVFrame *frame, assay_picture *lent);

#endif
