/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/recode.h"

#include <stdlib.h>
#include <string.h>

#include "host/colour.h"
#include "host/depth.h"
#include "host/format.h"

enum { LUMA, CHROMA, ALPHA, TABLES };

/* Of two depths, both of codes. Samples above the largest code of `from` count as that one. Alpha is full range
 * whatever the colours are: opaque stays opaque. */
static int make_codes(struct recode *r, struct assay_error *e)
{
    const uint32_t own = r->from.bit_depth, depth = r->to.bit_depth;
    const uint32_t entries = own > 8 ? 65536 : 256, peak = (1u << own) - 1;
    const bool full = colour_range(&r->from) == ASSAY_RANGE_FULL;
    for (unsigned kind = 0; kind < TABLES; kind++) {
        if (!(r->code[kind] = malloc(entries * sizeof *r->code[kind])))
            return assay_fail_memory(e, "the codes of another depth");
        for (uint32_t v = 0; v < entries; v++)
            r->code[kind][v] = depth_code(v < peak ? v : peak, own, depth, full || kind == ALPHA, kind == CHROMA);
    }
    return ASSAY_OK;
}

int recode_init(struct recode *r, const assay_format *from, const assay_format *to, struct assay_error *e)
{
    *r = (struct recode){.from = *from, .to = *to};
    r->to.alpha = from->alpha;
    r->equal = from->width == to->width && from->height == to->height && from->layout == to->layout &&
               from->bit_depth == to->bit_depth;
    return from->bit_depth == to->bit_depth ? ASSAY_OK : make_codes(r, e);
}

void recode_free(struct recode *r)
{
    for (unsigned kind = 0; kind < TABLES; kind++)
        free(r->code[kind]);
}

/* `from` may have any byte address, as pictures of an application may. */
static void recode_row(uint16_t *to, const char *from, uint32_t width, bool wide, const uint16_t *code)
{
    for (uint32_t x = 0; x < width; x++) {
        uint16_t v;
        if (wide)
            memcpy(&v, from + (size_t)x * sizeof v, sizeof v);
        else
            v = (uint8_t)from[x];
        to[x] = code[v];
    }
}

void recode_picture(const struct recode *r, const assay_picture *from, const assay_buffer *to)
{
    const bool wide = r->from.bit_depth > 8, yuv = r->to.layout != ASSAY_LAYOUT_RGB;
    for (uint32_t i = 0; i < 4; i++) { /* a plane that `to` lacks has no rows */
        const uint32_t width = assay_format_plane_width(&r->to, i), height = assay_format_plane_height(&r->to, i);
        const uint16_t *code = r->code[i == 3 ? ALPHA : yuv && i ? CHROMA : LUMA];
        for (uint32_t y = 0; to->plane[i] && y < height; y++) {
            const char *row = (const char *)from->plane[i] + (ptrdiff_t)y * from->stride[i];
            char *out = (char *)to->plane[i] + (ptrdiff_t)y * to->stride[i];
            if (code)
                recode_row((uint16_t *)(void *)out, row, width, wide, code);
            else
                memcpy(out, row, format_row_bytes(&r->to, i));
        }
    }
}
