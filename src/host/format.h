/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes in bytes of packed pictures: no gap between rows or between planes. */
#ifndef ASSAY_HOST_FORMAT_H
#define ASSAY_HOST_FORMAT_H

#include <assay/assay.h>
#include <stdbool.h>
#include <stddef.h>

/* The largest width and height of a picture, in samples. */
enum { FORMAT_MAX_SIDE = 65535 };

/* Bytes of a sample: 1 for depths up to 8 bits, 2 up to 16, and 4 of floats, which images of files may have. */
size_t format_sample_bytes(const assay_format *format);

/* Whether samples are floats. */
bool format_is_float(const assay_format *format);

/* v / 2^shift, rounded up. Can't overflow. */
static inline uint32_t format_ceil_shift(uint32_t v, uint32_t shift)
{
    return (v >> shift) + ((v & ((1u << shift) - 1u)) != 0);
}

/* Bytes of a row of samples; 0 where the format lacks the plane. Plane 3 is alpha. */
size_t format_row_bytes(const assay_format *format, uint32_t plane);

/* Bytes of a plane; 0 where the format lacks it. */
size_t format_plane_bytes(const assay_format *format, uint32_t plane);

/* By how many bits the sides of the chroma planes are shifted right, and rounded up. */
uint32_t format_chroma_shift_x(const assay_format *format);
uint32_t format_chroma_shift_y(const assay_format *format);

/* Bytes of a frame without alpha: below 2^35 for sides up to FORMAT_MAX_SIDE. */
size_t format_frame_bytes(const assay_format *format);

/* Sets the addresses and strides of the planes of a packed frame at `memory`. Entries of planes that the format lacks
 * are not changed. Returns the address of the byte behind the frame. */
void *format_place(const assay_format *format, void *memory, void *plane[3], ptrdiff_t stride[3]);

/* Whether all n samples of 16 bits, at any byte address, are codes of `depth` bits, 8 to 16. If not, *at is the index
 * of the first sample above the largest code, from 0. */
bool format_codes_fit(const void *samples, size_t n, uint32_t depth, size_t *at);

#endif
