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

/* The colour map magma, as 8-bit sRGB codes. NOTICE has its source. */
enum { MAGMA = 256 };
static const uint32_t magma[MAGMA] = {
    0x000004, 0x010005, 0x010106, 0x010108, 0x020109, 0x02020b, 0x02020d, 0x03030f, 0x030312, 0x040414,
    0x050416, 0x060518, 0x06051a, 0x07061c, 0x08071e, 0x090720, 0x0a0822, 0x0b0924, 0x0c0926, 0x0d0a29,
    0x0e0b2b, 0x100b2d, 0x110c2f, 0x120d31, 0x130d34, 0x140e36, 0x150e38, 0x160f3b, 0x180f3d, 0x19103f,
    0x1a1042, 0x1c1044, 0x1d1147, 0x1e1149, 0x20114b, 0x21114e, 0x221150, 0x241253, 0x251255, 0x271258,
    0x29115a, 0x2a115c, 0x2c115f, 0x2d1161, 0x2f1163, 0x311165, 0x331067, 0x341069, 0x36106b, 0x38106c,
    0x390f6e, 0x3b0f70, 0x3d0f71, 0x3f0f72, 0x400f74, 0x420f75, 0x440f76, 0x451077, 0x471078, 0x491078,
    0x4a1079, 0x4c117a, 0x4e117b, 0x4f127b, 0x51127c, 0x52137c, 0x54137d, 0x56147d, 0x57157e, 0x59157e,
    0x5a167e, 0x5c167f, 0x5d177f, 0x5f187f, 0x601880, 0x621980, 0x641a80, 0x651a80, 0x671b80, 0x681c81,
    0x6a1c81, 0x6b1d81, 0x6d1d81, 0x6e1e81, 0x701f81, 0x721f81, 0x732081, 0x752181, 0x762181, 0x782281,
    0x792282, 0x7b2382, 0x7c2382, 0x7e2482, 0x802582, 0x812581, 0x832681, 0x842681, 0x862781, 0x882781,
    0x892881, 0x8b2981, 0x8c2981, 0x8e2a81, 0x902a81, 0x912b81, 0x932b80, 0x942c80, 0x962c80, 0x982d80,
    0x992d80, 0x9b2e7f, 0x9c2e7f, 0x9e2f7f, 0xa02f7f, 0xa1307e, 0xa3307e, 0xa5317e, 0xa6317d, 0xa8327d,
    0xaa337d, 0xab337c, 0xad347c, 0xae347b, 0xb0357b, 0xb2357b, 0xb3367a, 0xb5367a, 0xb73779, 0xb83779,
    0xba3878, 0xbc3978, 0xbd3977, 0xbf3a77, 0xc03a76, 0xc23b75, 0xc43c75, 0xc53c74, 0xc73d73, 0xc83e73,
    0xca3e72, 0xcc3f71, 0xcd4071, 0xcf4070, 0xd0416f, 0xd2426f, 0xd3436e, 0xd5446d, 0xd6456c, 0xd8456c,
    0xd9466b, 0xdb476a, 0xdc4869, 0xde4968, 0xdf4a68, 0xe04c67, 0xe24d66, 0xe34e65, 0xe44f64, 0xe55064,
    0xe75263, 0xe85362, 0xe95462, 0xea5661, 0xeb5760, 0xec5860, 0xed5a5f, 0xee5b5e, 0xef5d5e, 0xf05f5e,
    0xf1605d, 0xf2625d, 0xf2645c, 0xf3655c, 0xf4675c, 0xf4695c, 0xf56b5c, 0xf66c5c, 0xf66e5c, 0xf7705c,
    0xf7725c, 0xf8745c, 0xf8765c, 0xf9785d, 0xf9795d, 0xf97b5d, 0xfa7d5e, 0xfa7f5e, 0xfa815f, 0xfb835f,
    0xfb8560, 0xfb8761, 0xfc8961, 0xfc8a62, 0xfc8c63, 0xfc8e64, 0xfc9065, 0xfd9266, 0xfd9467, 0xfd9668,
    0xfd9869, 0xfd9a6a, 0xfd9b6b, 0xfe9d6c, 0xfe9f6d, 0xfea16e, 0xfea36f, 0xfea571, 0xfea772, 0xfea973,
    0xfeaa74, 0xfeac76, 0xfeae77, 0xfeb078, 0xfeb27a, 0xfeb47b, 0xfeb67c, 0xfeb77e, 0xfeb97f, 0xfebb81,
    0xfebd82, 0xfebf84, 0xfec185, 0xfec287, 0xfec488, 0xfec68a, 0xfec88c, 0xfeca8d, 0xfecc8f, 0xfecd90,
    0xfecf92, 0xfed194, 0xfed395, 0xfed597, 0xfed799, 0xfed89a, 0xfdda9c, 0xfddc9e, 0xfddea0, 0xfde0a1,
    0xfde2a3, 0xfde3a5, 0xfde5a7, 0xfde7a9, 0xfde9aa, 0xfdebac, 0xfcecae, 0xfceeb0, 0xfcf0b2, 0xfcf2b4,
    0xfcf4b6, 0xfcf6b8, 0xfcf7b9, 0xfcf9bb, 0xfcfbbd, 0xfcfdbf,
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

void heatmap_magma(double v, double full, uint8_t rgb[3])
{
    const double at = v > 0.0 && full > 0.0 ? (v < full ? v / full : 1.0) * (MAGMA - 1) : 0.0;
    const uint32_t colour = magma[(int)(at + 0.5)];
    for (int c = 0; c < 3; c++)
        rgb[c] = (uint8_t)(colour >> (16 - 8 * c));
}

struct drawing {
    const struct heatmap *map;
    double full;
};

static void draw_row(const void *opaque, uint32_t y, uint8_t *rgb)
{
    const struct drawing *d = opaque;
    for (uint32_t x = 0; x < d->map->width; x++)
        (d->map->magma ? heatmap_magma : heatmap_colour)(heatmap_value(d->map, (size_t)y * d->map->width + x), d->full,
                                                         rgb + 3 * (size_t)x);
}

int heatmap_write(const char *path, const struct heatmap *map, struct assay_error *e)
{
    char comment[200], scale[NUMBER_TEXT_SIZE];
    const struct drawing d = {map, map->full > 0.0 ? map->full : heatmap_peak(map)};
    format_shortest(scale, d.full);
    snprintf(comment, sizeof comment, "%s: black is 0, the brightest colour is %s", map->what, scale);
    return png_file_write(path, map->width, map->height, draw_row, &d, comment, e);
}
