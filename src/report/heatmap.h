/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws a plane of differences or errors. 0 is black. Larger values go from dark blue to yellow, and each is lighter
 * than the one below it. People with the usual colour blindnesses see the same order. */
#ifndef ASSAY_REPORT_HEATMAP_H
#define ASSAY_REPORT_HEATMAP_H

#include <stddef.h>
#include <stdint.h>

#include "host/error.h"

struct heatmap {
    const void *plane;  /* rows without a gap */
    const char *type;   /* "u8" "u16" "u32" "i32" "f32" */
    uint32_t width, height;
    uint32_t colours;   /* ASSAY_COLOURS_*: of heatmap_colour, or of a colour map by heatmap_named */
    double full;        /* the value that gets the last colour; 0: the plane's largest value */
    const char *what;   /* "max_diff per pixel": this and the scale become the description in the file */
};

/* The value of sample i of the plane. */
double heatmap_value(const struct heatmap *map, size_t i);

/* The largest value of the plane; 0 when none is above 0. */
double heatmap_peak(const struct heatmap *map);

/* The colour of v: dark blue just above 0, yellow from `full` on. Black for v <= 0 and NaN. */
void heatmap_colour(double v, double full, uint8_t rgb[3]);

/* The nearest of 256 colours, as FLIP's maps have them: magma, from black over violet and red to light yellow, or
 * viridis, from violet over green to yellow; or ColorVideoVDP's, from blue over green to red. Those of Butteraugli have
 * a place of their own for each value, whatever `full` is: black, blue, green up to what is hardly seen, red and pink
 * above, white from 13.9 on. */
void heatmap_named(uint32_t colours, double v, double full, uint8_t rgb[3]);

int heatmap_write(const char *path, const struct heatmap *map, struct assay_error *e);

#endif
