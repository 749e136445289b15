/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics/colour.h"

enum { COMPONENTS = 3 };
enum transfer { LINEAR, SRGB, POWER_24 };

static int resolve_transfer(const assay_format *f, const struct colour_options *o)
{
    if (o->transfer)
        return o->transfer == 3 ? LINEAR : o->transfer == 2 ? POWER_24 : SRGB;
    switch (f->transfer) {
    case 1: case 6: case 14: case 15: return f->layout == ASSAY_LAYOUT_RGB ? SRGB : POWER_24;
    case 8: return LINEAR;
    case 0: case 2: case 13: return SRGB;
    default: return -1;
    }
}

int colour_allows(const struct metric_pair *pair, const struct colour_options *o, const char *metric, struct assay_error *e)
{
    const assay_format *f = &pair->format;
    if (f->layout == ASSAY_LAYOUT_411)
        return assay_fail(e, ASSAY_EUSAGE, "%s takes 4:0:0, 4:2:0, 4:2:2, 4:4:4 and RGB, not 4:1:1", metric);
    if (resolve_transfer(f, o) < 0)
        return assay_fail(e, ASSAY_EUSAGE, "%s does not know the transfer function %u of this pair (%s=transfer=1 takes it as sRGB)",
                          metric, f->transfer, metric);
    return ASSAY_OK;
}

static void luma_weights(const assay_format *f, const struct colour_options *o, double *kr, double *kb)
{
    static const double known[][2] = {{0.2126, 0.0722}, {0.299, 0.114}, {0.2627, 0.0593}};
    unsigned i = f->matrix == 5 || f->matrix == 6 ? 1 : f->matrix == 9 || f->matrix == 10 ? 2 : 0;
    if (o->matrix)
        i = (unsigned)o->matrix - 1;
    if (o->yuv_matrix >= 0)
        i = o->yuv_matrix & 1;
    *kr = known[i][0];
    *kb = known[i][1];
}

static bool is_full(const assay_format *f, const struct colour_options *o)
{
    if (o->yuv_matrix >= 0)
        return o->yuv_matrix >= 2;
    if (o->range)
        return o->range == 2;
    return f->range == ASSAY_RANGE_FULL || (f->layout == ASSAY_LAYOUT_RGB && f->range != ASSAY_RANGE_LIMITED);
}

/* The way of each axis for the kernel: 0 full size, 1 nearest, 2 on the even samples, 3 between them. */
static int chroma_ways(const assay_format *f, const struct colour_options *o)
{
    assay_chroma_location at = f->chroma_location;
    if (o->chroma > 1)
        at = o->chroma == 2 ? ASSAY_CHROMA_LEFT : o->chroma == 3 ? ASSAY_CHROMA_CENTER : ASSAY_CHROMA_TOP_LEFT;
    int x = at == ASSAY_CHROMA_CENTER || at == ASSAY_CHROMA_TOP || at == ASSAY_CHROMA_BOTTOM ? 3 : 2;
    int y = at == ASSAY_CHROMA_TOP_LEFT || at == ASSAY_CHROMA_TOP ? 2 : 3;
    if (o->chroma == 1)
        x = y = 1;
    if (f->layout == ASSAY_LAYOUT_444)
        x = 0;
    if (f->layout != ASSAY_LAYOUT_420)
        y = 0;
    return x + 4 * y;
}

/* Samples to 0..1: value = sample * scale + offset. */
static void code_scale(const assay_format *f, bool full, bool chroma, float *scale, float *offset)
{
    const double step = (double)(1u << (f->bit_depth - 8)), peak = (double)((1u << f->bit_depth) - 1);
    const double zero = chroma ? 128.0 * step : full ? 0.0 : 16.0 * step;
    const double span = full ? peak : (chroma ? 224.0 : 219.0) * step;
    *scale = (float)(1.0 / span);
    *offset = (float)(-zero / span);
}

int colour_linear(struct metric_build *b, enum graph_side side, const struct colour_options *o, graph_plane *linear)
{
    const assay_format *f = &b->pair->format;
    const bool yuv = f->layout != ASSAY_LAYOUT_RGB && f->layout != ASSAY_LAYOUT_400, full = is_full(f, o);
    struct graph_pass_request r = {.family = yuv ? KERNEL_LINEAR_YUV : KERNEL_LINEAR_RGB,
                                   .out = {{f->width, 3 * f->height}}, .grid_w = f->width, .grid_h = f->height};
    graph_pass pass;
    for (uint32_t c = 0; c < COMPONENTS; c++) {
        const int rc = metric_plane(b, side, f->layout == ASSAY_LAYOUT_400 ? 0 : c, &r.in[c]);
        if (rc)
            return rc;
    }
    if (yuv) {
        double kr, kb;
        luma_weights(f, o, &kr, &kb);
        const double kg = 1.0 - kr - kb;
        r.param[0].i = chroma_ways(f, o);
        r.param[1].i = resolve_transfer(f, o);
        code_scale(f, full, false, &r.param[2].f, &r.param[3].f);
        code_scale(f, full, true, &r.param[4].f, &r.param[5].f);
        r.param[6].f = (float)(2.0 * (1.0 - kr));
        r.param[7].f = (float)(-2.0 * kb * (1.0 - kb) / kg);
        r.param[8].f = (float)(-2.0 * kr * (1.0 - kr) / kg);
        r.param[9].f = (float)(2.0 * (1.0 - kb));
    } else {
        r.param[0].i = resolve_transfer(f, o);
        code_scale(f, full, false, &r.param[1].f, &r.param[2].f);
    }
    return graph_add(b->graph, &r, &pass, linear, b->error);
}
