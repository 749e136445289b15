/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of raw formats: digits as in vmaf(1), and FFmpeg's names. */
#include <string.h>

#include "input/packing.h"

static const struct {
    const char *name;
    assay_layout layout;
    bool bare;        /* the name states no depth */
    bool one_depth;   /* the format has 8 bits only */
    bool full, gbr;
} formats[] = {
    {"400", ASSAY_LAYOUT_400, .bare = true}, {"411", ASSAY_LAYOUT_411, .bare = true},
    {"420", ASSAY_LAYOUT_420, .bare = true}, {"422", ASSAY_LAYOUT_422, .bare = true},
    {"444", ASSAY_LAYOUT_444, .bare = true},
    {"gray", ASSAY_LAYOUT_400, .bare = false}, {"yuv420p", ASSAY_LAYOUT_420, .bare = false},
    {"yuv422p", ASSAY_LAYOUT_422, .bare = false}, {"yuv444p", ASSAY_LAYOUT_444, .bare = false},
    {"gbrp", ASSAY_LAYOUT_RGB, .gbr = true},
    {"yuv411p", ASSAY_LAYOUT_411, .one_depth = true},
    {"yuvj411p", ASSAY_LAYOUT_411, .one_depth = true, .full = true},
    {"yuvj420p", ASSAY_LAYOUT_420, .one_depth = true, .full = true},
    {"yuvj422p", ASSAY_LAYOUT_422, .one_depth = true, .full = true},
    {"yuvj444p", ASSAY_LAYOUT_444, .one_depth = true, .full = true},
};

/* The bits of a sample from the rest of a name: "", "10", "10le". 0: a depth that is not read. */
static uint32_t depth_of(const char *rest)
{
    static const char *const depths[] = {"9", "10", "12", "14", "16"};
    static const uint32_t bits[] = {9, 10, 12, 14, 16};
    for (unsigned i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        const size_t n = strlen(depths[i]);
        if (!strncmp(rest, depths[i], n) && (!rest[n] || !strcmp(rest + n, "le")))
            return bits[i];
    }
    return *rest ? 0 : 8;
}

int input_raw_format(struct input_options *o, const char *what, const char *name, struct assay_error *e)
{
    o->packing = packing_find(name);
    if (o->packing) {
        o->layout = o->packing->repack.layout;
        o->named_depth = o->packing->repack.depth;
        o->range = ASSAY_RANGE_UNKNOWN;
        o->gbr = false;
        return ASSAY_OK;
    }
    for (unsigned i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const size_t n = strlen(formats[i].name);
        if (strncmp(name, formats[i].name, n))
            continue;
        const uint32_t depth = depth_of(name + n);
        if (!depth || (depth > 8 && (formats[i].bare || formats[i].one_depth)))
            continue;
        o->layout = formats[i].layout;
        o->named_depth = formats[i].bare ? 0 : depth;
        o->range = formats[i].full ? ASSAY_RANGE_FULL : ASSAY_RANGE_UNKNOWN;
        o->gbr = formats[i].gbr;
        return ASSAY_OK;
    }
    return assay_fail(e, ASSAY_EUSAGE, "%s takes 400, 411, 420, 422, 444 (with a bit depth), or gray, yuv420p, "
                      "yuv422p, yuv444p, yuv411p, yuvj420p, gbrp, yuv420p10le and the like, nv12, nv21, nv16, nv24, "
                      "p010le and the like, yuyv422, uyvy422, yvyu422, y210le, rgb24 or bgr24, not '%s'", what, name);
}

int input_raw_depth(const struct input_options *o, const char *format, const char *depth, struct assay_error *e)
{
    return !o->named_depth || !o->bit_depth || o->named_depth == o->bit_depth
        ? ASSAY_OK
        : assay_fail(e, ASSAY_EUSAGE, "%s has %u bits, and %s says %u", format, o->named_depth, depth, o->bit_depth);
}
