/* SPDX-License-Identifier: BSD-2-Clause */
/* Geometry of the planes of a format. */
#include <assay/assay.h>
#include <stdbool.h>

uint32_t assay_format_planes(const assay_format *format)
{
    switch (format->layout) {
    case ASSAY_LAYOUT_400:
        return 1;
    case ASSAY_LAYOUT_420:
    case ASSAY_LAYOUT_422:
    case ASSAY_LAYOUT_444:
    case ASSAY_LAYOUT_411:
    case ASSAY_LAYOUT_RGB:
        return 3;
    case ASSAY_LAYOUT_UNKNOWN:
        break;
    }
    return 0;
}

/* v / 2^shift, rounded up; no sum that could overflow, whatever v is. */
static uint32_t ceil_shift(uint32_t v, uint32_t shift)
{
    return (v >> shift) + ((v & ((1u << shift) - 1u)) != 0);
}

static bool is_alpha(const assay_format *format, uint32_t plane)
{
    return plane == 3 && format->alpha && assay_format_planes(format);
}

uint32_t assay_format_plane_width(const assay_format *format, uint32_t plane)
{
    if (is_alpha(format, plane))
        return format->width;
    if (plane >= assay_format_planes(format))
        return 0;
    uint32_t shift = 0;
    if (plane > 0) {
        if (format->layout == ASSAY_LAYOUT_420 || format->layout == ASSAY_LAYOUT_422)
            shift = 1;
        else if (format->layout == ASSAY_LAYOUT_411)
            shift = 2;
    }
    return ceil_shift(format->width, shift);
}

uint32_t assay_format_plane_height(const assay_format *format, uint32_t plane)
{
    if (is_alpha(format, plane))
        return format->height;
    if (plane >= assay_format_planes(format))
        return 0;
    return ceil_shift(format->height, plane > 0 && format->layout == ASSAY_LAYOUT_420 ? 1 : 0);
}
