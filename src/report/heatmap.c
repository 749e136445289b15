/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/heatmap.h"

#include <stdio.h>
#include <string.h>

#include "host/numbers.h"
#include "report/png_file.h"

/* The colour map cividis at multiples of 1/17, as 8-bit sRGB codes. Colours between these are interpolated. NOTICE has
 * its source. */
enum { STEPS = 17 };
static const uint8_t cividis[STEPS + 1][3] = {
    {0, 34, 78}, {0, 45, 104}, {22, 55, 112}, {46, 65, 109}, {63, 76, 108}, {78, 86, 108},
    {92, 97, 110}, {105, 107, 113}, {118, 118, 118}, {131, 129, 121}, {146, 140, 120}, {160, 152, 117},
    {175, 164, 113}, {191, 176, 107}, {207, 189, 98}, {223, 202, 87}, {240, 216, 70}, {254, 232, 56},
};

double heatmap_value(const struct heatmap *map, size_t i)
{
    const char *p = map->plane;
    if (!strcmp(map->type, "f32")) {
        float v;
        memcpy(&v, p + 4 * i, 4);
        return (double)v;
    }
    const size_t size = !strcmp(map->type, "u8") ? 1 : !strcmp(map->type, "u16") ? 2 : 4;
    uint32_t v = 0; /* samples are little-endian */
    memcpy(&v, p + size * i, size);
    return !strcmp(map->type, "i32") ? (double)(int32_t)v : (double)v;
}

double heatmap_peak(const struct heatmap *map)
{
    double peak = 0.0;
    for (size_t i = 0; i < (size_t)map->width * map->height; i++) {
        const double v = heatmap_value(map, i);
        peak = v > peak ? v : peak;
    }
    return peak;
}

void heatmap_colour(double v, double full, uint8_t rgb[3])
{
    memset(rgb, 0, 3);
    if (!(v > 0.0 && full > 0.0))
        return;
    const double at = (v < full ? v / full : 1.0) * STEPS;
    const int below = at < STEPS ? (int)at : STEPS - 1;
    for (int c = 0; c < 3; c++)
        rgb[c] = (uint8_t)(cividis[below][c] + (at - below) * (cividis[below + 1][c] - cividis[below][c]) + 0.5);
}

struct drawing {
    const struct heatmap *map;
    double full;
};

static void draw_row(const void *opaque, uint32_t y, uint8_t *rgb)
{
    const struct drawing *d = opaque;
    for (uint32_t x = 0; x < d->map->width; x++)
        heatmap_colour(heatmap_value(d->map, (size_t)y * d->map->width + x), d->full, rgb + 3 * (size_t)x);
}

int heatmap_write(const char *path, const struct heatmap *map, struct assay_error *e)
{
    char comment[200], scale[NUMBER_TEXT_SIZE];
    const struct drawing d = {map, map->full > 0.0 ? map->full : heatmap_peak(map)};
    format_shortest(scale, d.full);
    snprintf(comment, sizeof comment, "%s: black is 0, the brightest colour is %s", map->what, scale);
    return png_file_write(path, map->width, map->height, draw_row, &d, comment, e);
}
