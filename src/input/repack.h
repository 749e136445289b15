/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies samples exactly from pictures whose samples lie interleaved, or high in their words, to planes of assay. */
#ifndef ASSAY_INPUT_REPACK_H
#define ASSAY_INPUT_REPACK_H

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
    struct repack_component component[3];
};

/* Copies w x h samples of plane p; `src` is in the component's plane where the group with the first of them begins.
 * Pitch and stride are in bytes. False: samples have more bits than the format allows. */
bool repack_plane(const struct repack *r, uint32_t p, const unsigned char *src, ptrdiff_t pitch, unsigned char *to,
                  ptrdiff_t stride, size_t w, uint32_t h);

#endif
