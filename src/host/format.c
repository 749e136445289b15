/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes of the planes of a format, in samples and in bytes. */
#include "host/format.h"

#include <string.h>

uint32_t assay_format_planes(const assay_format *format)
{
    static const uint8_t planes[] = {
        [ASSAY_LAYOUT_400] = 1, [ASSAY_LAYOUT_420] = 3, [ASSAY_LAYOUT_422] = 3, [ASSAY_LAYOUT_444] = 3,
        [ASSAY_LAYOUT_411] = 3, [ASSAY_LAYOUT_RGB] = 3};
    return (uint32_t)format->layout < sizeof planes ? planes[format->layout] : 0;
}

uint32_t format_chroma_shift_x(const assay_format *format)
{
    return format->layout == ASSAY_LAYOUT_411 ? 2
           : format->layout == ASSAY_LAYOUT_420 || format->layout == ASSAY_LAYOUT_422;
}

uint32_t format_chroma_shift_y(const assay_format *format)
{
    return format->layout == ASSAY_LAYOUT_420;
}

/* The length of a plane's side. Alpha has the picture's length, chroma that length divided by 2^shift, rounded up. */
static uint32_t side(const assay_format *format, uint32_t plane, uint32_t of_picture, uint32_t shift)
{
    const uint32_t planes = assay_format_planes(format);
    if (plane == 3 && format->alpha && planes)
        return of_picture;
    return plane < planes ? format_ceil_shift(of_picture, plane ? shift : 0) : 0;
}

uint32_t assay_format_plane_width(const assay_format *format, uint32_t plane)
{
    return side(format, plane, format->width, format_chroma_shift_x(format));
}

uint32_t assay_format_plane_height(const assay_format *format, uint32_t plane)
{
    return side(format, plane, format->height, format_chroma_shift_y(format));
}

bool format_is_float(const assay_format *format)
{
    return format->bit_depth == ASSAY_DEPTH_FLOAT;
}

size_t format_sample_bytes(const assay_format *format)
{
    return format->bit_depth > 16 ? 4 : format->bit_depth > 8 ? 2 : 1;
}

size_t format_row_bytes(const assay_format *format, uint32_t plane)
{
    return assay_format_plane_width(format, plane) * format_sample_bytes(format);
}

size_t format_plane_bytes(const assay_format *format, uint32_t plane)
{
    return format_row_bytes(format, plane) * assay_format_plane_height(format, plane);
}

size_t format_frame_bytes(const assay_format *format)
{
    size_t bytes = 0;
    for (uint32_t p = 0; p < assay_format_planes(format); p++)
        bytes += format_plane_bytes(format, p);
    return bytes;
}

void *format_place(const assay_format *format, void *memory, void *plane[3], ptrdiff_t stride[3])
{
    char *at = memory;
    for (uint32_t p = 0; p < assay_format_planes(format); p++) {
        plane[p] = at;
        stride[p] = (ptrdiff_t)format_row_bytes(format, p);
        at += format_plane_bytes(format, p);
    }
    return at;
}

bool format_codes_fit(const void *samples, size_t n, uint32_t depth, size_t *at)
{
    const unsigned char *from = samples;
    uint16_t v, all = 0;
    for (size_t i = 0; i < n; i++) { /* compilers make vector loads of memcpy */
        memcpy(&v, from + sizeof v * i, sizeof v);
        all = (uint16_t)(all | v);
    }
    for (*at = 0; all >> depth && *at < n; ++*at) {
        memcpy(&v, from + sizeof v * *at, sizeof v);
        if (v >> depth)
            return false;
    }
    return true;
}
