/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A frame's signature: the mean luma of 12 x 8 blocks that cover the picture. It is computed in integers, and does not
 * depend on the picture's size or bit depth but for rounding.
 */
#ifndef ASSAY_ALIGN_SIGNATURE_H
#define ASSAY_ALIGN_SIGNATURE_H

#include "host/error.h"

enum { SIGNATURE_COLUMNS = 12, SIGNATURE_ROWS = 8, SIGNATURE_BLOCKS = SIGNATURE_COLUMNS * SIGNATURE_ROWS };

/* Units: SIGNATURE_CODE of them are one code of 8-bit samples. */
enum { SIGNATURE_CODE = 256 };
struct signature {
    uint16_t block[SIGNATURE_BLOCKS]; /* row by row */
};

/* The signatures of frames in order. */
struct signatures {
    struct signature *frame;
    uint64_t frames;
};

/* `luma` has samples of one byte at 8 bits and of two bytes above. `stride` is in bytes. Sides are at least 1. */
void signature_make(struct signature *s, const void *luma, ptrdiff_t stride, uint32_t width, uint32_t height,
                    uint32_t bit_depth);

/* Adds a frame, whose signature is yet to be made. NULL, with *e set, where there is no memory for it. */
struct signature *signatures_add(struct signatures *s, struct assay_error *e);
void signatures_free(struct signatures *s);

/* The sum of the absolute differences of all blocks: at most 96 * 65535, below 2^23. */
uint32_t signature_distance(const struct signature *a, const struct signature *b);

#endif
