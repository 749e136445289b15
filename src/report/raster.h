/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws an SVG to pixels with librsvg, which is loaded when a plot is written as PNG. Only its interface is used, which
 * has not changed in years, so a build needs no headers of it. */
#ifndef ASSAY_REPORT_RASTER_H
#define ASSAY_REPORT_RASTER_H

#include <stddef.h>

#include "host/error.h"

/* ASSAY_EUSAGE and the reason where this machine has no librsvg. */
int raster_available(struct assay_error *e);

/* Draws an SVG of width x height units, `scale` pixels a unit, on white. *rgb gets 3 bytes a pixel, rows without gaps;
 * the caller frees it. */
int raster_draw(const char *svg, size_t size, uint32_t width, uint32_t height, uint32_t scale, uint8_t **rgb,
                struct assay_error *e);

#endif
