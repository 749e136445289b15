/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small pictures of frames, for the HTML report. Each pixel is the mean of the samples that it covers. Codes become
 * RGB by the format's matrix and range, and colours of other primaries than BT.709's become those of sRGB.
 * docs/report.md states the rules; no score depends on them.
 */
#ifndef ASSAY_REPORT_THUMBNAIL_H
#define ASSAY_REPORT_THUMBNAIL_H

#include <stddef.h>

#include "report/heatmap.h"

enum { THUMBNAIL_WIDTH = 320, THUMBNAIL_HEIGHT = 240 };

/* A picture in a format, whose samples have at most 16 bits. */
struct thumbnail {
    const assay_format *format;
    void *const *plane;
    const ptrdiff_t *stride;
};

/* The size of the small picture of one of width x height samples, whose shape is that of the format: at most
 * THUMBNAIL_WIDTH x THUMBNAIL_HEIGHT, and not larger than the picture. */
void thumbnail_fit(const assay_format *format, uint32_t width, uint32_t height, uint32_t size[2]);

/* The size of a picture of width x height pixels that are reduced by the least whole factor with which it is at most
 * most[0] x most[1]. */
void thumbnail_reduce(uint32_t width, uint32_t height, const uint32_t most[2], uint32_t size[2]);

/* Draws size[0] x size[1] pixels of 3 bytes. */
void thumbnail_draw(const struct thumbnail *picture, const uint32_t size[2], uint8_t *rgb);

/* Draws where two pictures differ, in the colours of heatmaps: the mean absolute difference of luma, or of red, green
 * and blue, under each pixel. Where the pictures have two sizes, it is the difference of the means. Sets *full to
 * the value from which on pixels have the last colour, on the scale of 8 bits. ASSAY_EINTERNAL: no memory. */
int thumbnail_difference(const struct thumbnail picture[2], const uint32_t size[2], uint8_t *rgb, double *full,
                         struct assay_error *e);

/* Draws the map of a metric: a pixel has the mean of the values that it covers. *full is as in thumbnail_difference. */
int thumbnail_map(const struct heatmap *map, const uint32_t size[2], uint8_t *rgb, double *full, struct assay_error *e);

/* Says in words how the colours of two sides are shown: "bt709, limited range", and where the distorted one's are shown
 * in another way "; of the distorted side: ..." behind it. */
void thumbnail_colours(const assay_format *reference, const assay_format *distorted, char *text, size_t n);

#endif
