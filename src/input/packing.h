/* SPDX-License-Identifier: BSD-2-Clause */
/* Raw formats whose samples are not planes of their own: interleaved, or high in their words. */
#ifndef ASSAY_INPUT_PACKING_H
#define ASSAY_INPUT_PACKING_H

#include "input/repack.h"

/* The file has `planes` planes one behind the other. A row of a plane has `bytes` for each 1 << shift_x columns, and
 * there is one for each 1 << shift_y rows. Names are FFmpeg's. */
struct packing {
    const char *name;
    struct repack repack;
    uint32_t planes;
    struct packing_plane {
        uint32_t bytes, shift_x, shift_y;
    } plane[2];
};

/* NULL: no format has this name. "p010" is p010le. */
const struct packing *packing_find(const char *name);

/* Of a plane of pictures of a size. */
size_t packing_row_bytes(const struct packing *p, uint32_t plane, uint32_t width);
uint32_t packing_rows(const struct packing *p, uint32_t plane, uint32_t height);

uint64_t packing_bytes(const struct packing *p, uint32_t width, uint32_t height);

#endif
