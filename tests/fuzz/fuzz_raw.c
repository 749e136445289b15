/* SPDX-License-Identifier: BSD-2-Clause */
/* A geometry in the first eight bytes, absurd or not, and any samples after them. */
#include <string.h>

#include "feed.h"
#include "input/packing.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    if (size < 8)
        return 0;
    struct input_options o = { .form = INPUT_RAW };
    uint16_t w, h;
    memcpy(&w, data, sizeof w);
    memcpy(&h, data + 2, sizeof h);
    /* Half of the geometries are small, so that whole pictures occur. */
    o.width = data[7] & 1 ? w % 40u : w + (data[7] & 2 ? 65000u : 0u);
    o.height = data[7] & 1 ? h % 40u : h + (data[7] & 4 ? 65000u : 0u);
    o.bit_depth = data[4] % 20u;
    o.layout = (assay_layout)(data[5] % (ASSAY_LAYOUT_RGB + 2));
    static const char *const names[] = {"nv12", "p010le", "p416le", "uyvy422", "y210le", "rgb24"};
    o.packing = data[6] & 1 ? packing_find(names[data[6] / 2 % (sizeof names / sizeof names[0])]) : NULL;
    if (o.packing) {
        o.layout = o.packing->repack.layout;
        o.bit_depth = o.packing->repack.depth;
    }
    size -= 8;
    feed_both_ways(data + 8, size < FEED_MOST ? size : FEED_MOST, o);
    return 0;
}
