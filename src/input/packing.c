/* SPDX-License-Identifier: BSD-2-Clause */
#include "input/packing.h"

#include <string.h>

#define LAYOUT(l, d) .layout = ASSAY_LAYOUT_##l, .depth = d, .wide = d > 8

/* Luma, then both chroma planes as one; `u` and `v` are the places in it. */
#define SEMI_PLANAR(text, l, sx, sy, u, v) \
    {text, {LAYOUT(l, 8), .component = {{0, 1, 0, 0, false}, {1, 2, u, 0, false}, {1, 2, v, 0, false}}}, 2, \
     {{1, 0, 0}, {2, sx, sy}}}

/* As SEMI_PLANAR, with samples in the high bits of words. */
#define SEMI_PLANAR_HIGH(text, l, d, sx, sy) \
    {text, {LAYOUT(l, d), \
            .component = {{0, 2, 0, 16 - d, true}, {1, 4, 0, 16 - d, true}, {1, 4, 2, 16 - d, true}}}, 2, \
     {{2, 0, 0}, {4, sx, sy}}}

/* Two pixels in four samples. */
#define PACKED_422(text, y, u, v) \
    {text, {LAYOUT(422, 8), .component = {{0, 2, y, 0, false}, {0, 4, u, 0, false}, {0, 4, v, 0, false}}}, 1, \
     {{4, 1, 0}}}
#define PACKED_422_HIGH(text, d) \
    {text, {LAYOUT(422, d), \
            .component = {{0, 4, 0, 16 - d, true}, {0, 8, 2, 16 - d, true}, {0, 8, 6, 16 - d, true}}}, 1, {{8, 1, 0}}}

#define PACKED_RGB(text, r, g, b) \
    {text, {LAYOUT(RGB, 8), .component = {{0, 3, r, 0, false}, {0, 3, g, 0, false}, {0, 3, b, 0, false}}}, 1, \
     {{3, 0, 0}}}

static const struct packing packings[] = {
    SEMI_PLANAR("nv12", 420, 1, 1, 0, 1), SEMI_PLANAR("nv21", 420, 1, 1, 1, 0), SEMI_PLANAR("nv16", 422, 1, 0, 0, 1),
    SEMI_PLANAR("nv24", 444, 0, 0, 0, 1), SEMI_PLANAR("nv42", 444, 0, 0, 1, 0),
    SEMI_PLANAR_HIGH("p010le", 420, 10, 1, 1), SEMI_PLANAR_HIGH("p012le", 420, 12, 1, 1),
    SEMI_PLANAR_HIGH("p016le", 420, 16, 1, 1), SEMI_PLANAR_HIGH("p210le", 422, 10, 1, 0),
    SEMI_PLANAR_HIGH("p212le", 422, 12, 1, 0), SEMI_PLANAR_HIGH("p216le", 422, 16, 1, 0),
    SEMI_PLANAR_HIGH("p410le", 444, 10, 0, 0), SEMI_PLANAR_HIGH("p412le", 444, 12, 0, 0),
    SEMI_PLANAR_HIGH("p416le", 444, 16, 0, 0),
    PACKED_422("yuyv422", 0, 1, 3), PACKED_422("yvyu422", 0, 3, 1), PACKED_422("uyvy422", 1, 0, 2),
    PACKED_422_HIGH("y210le", 10), PACKED_422_HIGH("y212le", 12),
    PACKED_RGB("rgb24", 0, 1, 2), PACKED_RGB("bgr24", 2, 1, 0),
};

const struct packing *packing_find(const char *name)
{
    const size_t n = strlen(name);
    for (unsigned i = 0; i < sizeof packings / sizeof packings[0]; i++) {
        const struct packing *p = &packings[i];
        if (!strcmp(p->name, name) || (p->repack.wide && !strncmp(p->name, name, n) && !strcmp(p->name + n, "le")))
            return p;
    }
    return NULL;
}

size_t packing_row_bytes(const struct packing *p, uint32_t plane, uint32_t width)
{
    return (size_t)format_ceil_shift(width, p->plane[plane].shift_x) * p->plane[plane].bytes;
}

uint32_t packing_rows(const struct packing *p, uint32_t plane, uint32_t height)
{
    return format_ceil_shift(height, p->plane[plane].shift_y);
}

uint64_t packing_bytes(const struct packing *p, uint32_t width, uint32_t height)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < p->planes; i++)
        bytes += (uint64_t)packing_row_bytes(p, i, width) * packing_rows(p, i, height);
    return bytes;
}
