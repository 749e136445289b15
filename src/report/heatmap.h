/* SPDX-License-Identifier: BSD-2-Clause */
/* A plane of differences or errors as a picture for people: 0 is black, what is larger goes through a colour map that
 * is monotonic in lightness and reads the same with the usual colour blindnesses. */
#ifndef ASSAY_REPORT_HEATMAP_H
#define ASSAY_REPORT_HEATMAP_H

#include "host/error.h"

struct heatmap {
    const void *plane;  /* rows without a gap */
    const char *type;   /* "u8" "u16" "u32" "i32" "f32"; what is not above 0 is black */
    uint32_t width, height;
    double full;        /* the value of the last colour; 0: the largest one of the plane */
    const char *what;   /* "max_diff per pixel": for the file's description, with the scale */
};

/* The largest value of the plane; 0 when none is above 0. */
double heatmap_peak(const struct heatmap *map);

/* The colour of v on a scale that ends at `full`: black for v <= 0 and NaN, else from dark blue to yellow. */
void heatmap_colour(double v, double full, uint8_t rgb[3]);

int heatmap_write(const char *path, const struct heatmap *map, struct assay_error *e);

#endif
