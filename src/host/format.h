/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of pictures whose planes lie packed, one behind the other without gaps, as files and the readers' own memory hold them. */
#ifndef ASSAY_HOST_FORMAT_H
#define ASSAY_HOST_FORMAT_H

#include <assay/assay.h>
#include <stddef.h>

/* Bytes of a sample: 1 for depths up to 8 bits, else 2. */
size_t format_sample_bytes(const assay_format *format);

/* Bytes of a row of samples; 0 where the format has no such plane. Plane 3 is alpha. */
size_t format_row_bytes(const assay_format *format, uint32_t plane);

/* Bytes of a plane, rows packed; 0 where the format has no such plane. */
size_t format_plane_bytes(const assay_format *format, uint32_t plane);

/* Bytes of a packed frame, alpha not counted. Below 2^35 for sides up to 65535. */
size_t format_frame_bytes(const assay_format *format);

/* Sets address and stride of the planes of a packed frame at `memory`. Planes that the format has not are left alone. Returns the byte behind
 * the frame. */
void *format_place(const assay_format *format, void *memory, void *plane[3], ptrdiff_t stride[3]);

#endif
