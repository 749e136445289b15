/* SPDX-License-Identifier: BSD-2-Clause */
#include "vapoursynth/clip.h"

#include <stdio.h>

static int property(const VSMap *properties, const char *name, int otherwise, const VSAPI *vsapi)
{
    int missing = 0;
    const int value = vsapi->mapGetIntSaturated(properties, name, 0, &missing);
    return missing ? otherwise : value;
}

/* The colours by a frame's properties. _Range counts as H.273 does, 1 being full; the older _ColorRange the other way
 * round. */
static void set_colours(assay_format *f, const VSMap *properties, const VSAPI *vsapi)
{
    static const assay_chroma_location places[] = {ASSAY_CHROMA_LEFT, ASSAY_CHROMA_CENTER, ASSAY_CHROMA_TOP_LEFT,
                                                   ASSAY_CHROMA_TOP, ASSAY_CHROMA_BOTTOM_LEFT, ASSAY_CHROMA_BOTTOM};
    const int range = property(properties, "_Range", -1, vsapi), older = property(properties, "_ColorRange", -1, vsapi);
    const int place = property(properties, "_ChromaLocation", -1, vsapi);
    const int full = range >= 0 ? range == 1 : older == 0;
    f->range = range < 0 && older < 0 ? ASSAY_RANGE_UNKNOWN : full ? ASSAY_RANGE_FULL : ASSAY_RANGE_LIMITED;
    f->matrix = (uint32_t)property(properties, "_Matrix", f->layout == ASSAY_LAYOUT_RGB ? 0 : 2, vsapi);
    f->transfer = (uint32_t)property(properties, "_Transfer", 2, vsapi);
    f->primaries = (uint32_t)property(properties, "_Primaries", 2, vsapi);
    f->chroma_location = place >= 0 && place < 6 && (f->layout == ASSAY_LAYOUT_420 || f->layout == ASSAY_LAYOUT_422)
                             ? places[place] : ASSAY_CHROMA_UNKNOWN;
}

static assay_layout layout_of(const VSVideoFormat *f)
{
    if (f->colorFamily == cfGray)
        return ASSAY_LAYOUT_400;
    if (f->colorFamily == cfRGB)
        return ASSAY_LAYOUT_RGB;
    if (f->colorFamily != cfYUV)
        return ASSAY_LAYOUT_UNKNOWN;
    static const assay_layout layouts[3][3] = {{ASSAY_LAYOUT_444}, {ASSAY_LAYOUT_422, ASSAY_LAYOUT_420},
                                               {ASSAY_LAYOUT_411}};
    return f->subSamplingW < 3 && f->subSamplingH < 3 ? layouts[f->subSamplingW][f->subSamplingH]
                                                      : ASSAY_LAYOUT_UNKNOWN;
}

int vs_clip_open(struct vs_clip *c, const char *name, const VSMap *in, const VSAPI *vsapi, char *why, int size)
{
    c->name = name;
    c->node = vsapi->mapGetNode(in, name, 0, NULL);
    const VSVideoInfo *const info = vsapi->getVideoInfo(c->node);
    c->frames = info->numFrames;
    c->format = (assay_format) {
        .width = (uint32_t)info->width, .height = (uint32_t)info->height, .layout = layout_of(&info->format),
        .bit_depth = (uint32_t)info->format.bitsPerSample, .rate_num = (uint32_t)info->fpsNum,
        .rate_den = (uint32_t)info->fpsDen,
    };
    if (!info->width || !info->format.colorFamily)
        snprintf(why, (size_t)size, "%s: its format or its size changes from frame to frame", name);
    else if (info->format.sampleType != stInteger || info->format.bitsPerSample > 16)
        snprintf(why, (size_t)size, "%s: samples are integers of 8 to 16 bits: make them so by resize first", name);
    else if (c->format.layout == ASSAY_LAYOUT_UNKNOWN)
        snprintf(why, (size_t)size, "%s: chroma is 4:2:0, 4:2:2, 4:4:4 or 4:1:1", name);
    else {
        const VSFrame *const first = vsapi->getFrame(0, c->node, why, size);
        if (!first)
            return -1;
        set_colours(&c->format, vsapi->getFramePropertiesRO(first), vsapi);
        vsapi->freeFrame(first);
        return 0;
    }
    return -1;
}

int vs_clip_picture(const struct vs_clip *c, const VSFrame *frame, int n, assay_picture *picture, const VSAPI *vsapi,
                    char *why, int size)
{
    assay_format own = c->format;
    set_colours(&own, vsapi->getFramePropertiesRO(frame), vsapi);
    if (own.range != c->format.range || own.matrix != c->format.matrix || own.transfer != c->format.transfer ||
        own.primaries != c->format.primaries || own.chroma_location != c->format.chroma_location) {
        snprintf(why, (size_t)size, "%s: frame %d: its range, matrix, transfer, primaries or chroma location are not "
                 "those of frame 0", c->name, n);
        return -1;
    }
    *picture = (assay_picture) {0};
    for (uint32_t plane = 0; plane < assay_format_planes(&c->format); plane++) {
        picture->plane[plane] = vsapi->getReadPtr(frame, (int)plane);
        picture->stride[plane] = vsapi->getStride(frame, (int)plane);
    }
    return 0;
}
