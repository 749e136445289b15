/* SPDX-License-Identifier: BSD-2-Clause */
#include "catalogue/catalogue.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "host/format.h"
#include "metrics/metric.h"
#include "images/planes.h"
#include "scale/passes.h"

/* ---- metrics ----------------------------------------------------------------------------------------------------- */

/* Properties that only the distorted side has: colour by parameters, light of HDR, no alpha where the reference has
 * it. */
enum { PARAMETERS = 1, BRIGHT = 2, OPAQUE = 4 };

/* Every sample type, layout, luma of RGB, alpha and colour of the sides occurs at least once. */
static const struct {
    uint32_t depth;
    assay_layout layout;
    bool luma, alpha;
    unsigned distorted;
} kinds[] = {
    {8, ASSAY_LAYOUT_420, false, false, 0}, {10, ASSAY_LAYOUT_422, false, false, 0},
    {8, ASSAY_LAYOUT_RGB, true, true, 0}, {16, ASSAY_LAYOUT_RGB, true, true, 0},
    {16, ASSAY_LAYOUT_444, false, false, 0}, {10, ASSAY_LAYOUT_RGB, true, false, 0},
    {12, ASSAY_LAYOUT_411, false, false, 0}, {8, ASSAY_LAYOUT_411, false, false, 0},
    {9, ASSAY_LAYOUT_400, false, false, 0}, {8, ASSAY_LAYOUT_444, false, false, 0},
    {8, ASSAY_LAYOUT_RGB, false, true, PARAMETERS}, {16, ASSAY_LAYOUT_RGB, false, true, PARAMETERS | OPAQUE},
    {10, ASSAY_LAYOUT_420, false, false, BRIGHT}, {8, ASSAY_LAYOUT_RGB, false, false, 0},
    {ASSAY_DEPTH_FLOAT, ASSAY_LAYOUT_RGB, false, true, 0}, {ASSAY_DEPTH_FLOAT, ASSAY_LAYOUT_400, false, false, 0},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static struct metric_pair pair_of(unsigned kind, uint32_t width, uint32_t height)
{
    static const double curve[7] = {2.4, 0.948, 0.052, 0.077, 0.04, 0.001, 0.0005},
                        p3[9] = {1.225, -0.225, 0, -0.042, 1.042, 0, -0.02, -0.078, 1.098};
    /* Tagged as sRGB (IEC 61966-2-1), BT.709, full range. */
    assay_format f = {.width = width, .height = height, .bit_depth = kinds[kind].depth,
                            .layout = kinds[kind].layout, .alpha = kinds[kind].alpha, .transfer = 13, .primaries = 1,
                            .matrix = 1, .range = ASSAY_RANGE_FULL};
    if (format_is_float(&f)) {
        f.transfer = 8;
        f.light_largest = 64;
        f.light_median = 12;
    }
    assay_format distorted = f;
    if (kinds[kind].distorted & PARAMETERS)
        distorted.transfer = distorted.primaries = 255;
    memcpy(distorted.curve, curve, sizeof curve);
    memcpy(distorted.to_bt709, p3, sizeof p3);
    if (kinds[kind].distorted & BRIGHT) {
        distorted.transfer = 16;
        distorted.primaries = distorted.matrix = 9;
    }
    if (kinds[kind].distorted & OPAQUE)
        distorted.alpha = 0;
    return (struct metric_pair){.format = f, .side = {f, distorted}, .allow_colour = true,
                                .has_luma = f.layout != ASSAY_LAYOUT_RGB || kinds[kind].luma,
                                .rgb_to_luma = kinds[kind].luma, .rgb_weight = {13933, 46871, 4732},
                                .whole_width = width, .whole_height = height};
}

/* A session that scores larger frames than those of the graph, as that of a self-test may: metrics that refuse small
 * frames for no reason of their passes take these. */
enum { LARGER = 227 };

/* Adds the passes of a metric given as text; none where the pair or the values are refused. */
static int add_metric(struct graph *g, const struct metric_pair *pair, const char *text, struct assay_error *e)
{
    struct metric_pair larger = *pair;
    struct metric *m;
    struct assay_error why = {0};
    int rc = metric_new(&m, text, &why);
    if (!rc) {
        struct metric_build b = {.graph = g, .pair = pair, .metric = m, .maps = true, .error = &why};
        rc = metric_allows(m, pair, &why);
        if (rc == ASSAY_EUSAGE) {
            larger.whole_width = larger.whole_width > LARGER ? larger.whole_width : LARGER;
            larger.whole_height = larger.whole_height > LARGER ? larger.whole_height : LARGER;
            why = (struct assay_error){0};
            b.pair = &larger;
            rc = metric_allows(m, &larger, &why);
        }
        if (!rc)
            rc = m->ops->build(&b);
        metric_free(&m);
    }
    return rc && rc != ASSAY_EUSAGE ? assay_fail(e, rc, "%s: %s", text, why.text) : ASSAY_OK;
}

/* Test value number `index` of an option, as text; false after the last one. */
static bool value(const struct metric_option *o, unsigned index, char text[32])
{
    static const double numbers[] = {1, 2, 3, 4, 5.5};
    const double number = index == 0 ? o->min : index == 1 ? o->max : index < 7 ? numbers[index - 2] : 0;
    switch (o->type) {
    case OPTION_BOOL:
        snprintf(text, 32, "%d", o->fallback == 0.0);
        return index < 1;
    case OPTION_TEXT: /* no passes depend on one */
    case OPTION_REST:
        return false;
    case OPTION_CHOICE:
        snprintf(text, 32, "%s", o->choices[index].name ? o->choices[index].name : "");
        return o->choices[index].name;
    default:
        snprintf(text, 32, "%.9g", o->type == OPTION_INT ? (double)(int)number : number);
        return index < 7;
    }
}

/* Options that change passes together. */
static const char *const combined[] = {
    "cambi=enc_width=216:enc_height=150:full_ref:src_width=320:src_height=200",
    "speed_chroma=speed_prescale=0.75:speed_prescale_method=bilinear",
    "speed_chroma=speed_prescale=1.5:speed_prescale_method=bicubic",
    "speed_chroma=speed_prescale=2:speed_prescale_method=lanczos4",
    "speed_temporal=speed_prescale=0.6:speed_prescale_method=bilinear:speed_kernelscale=3.711",
    "flip=ppd=90:pools", "flip=ppd=20", "flip=start_exposure=-6.5:stop_exposure=3:num_exposures=3:tone_mapper=hable",
    "flip=start_exposure=-4:stop_exposure=-4:tone_mapper=reinhard:pools",
    "butteraugli=intensity_target=10000:hf_asymmetry=0.1:xmul=10:pnorm=4:qnorm=12:norms=true",
    "cvvdp=still", "cvvdp=fps=24", "cvvdp=fps=8:display=standard_hdr_linear:transfer=display",
    "cvvdp=still:display=standard_hdr_hlg:transfer=display", "cvvdp=still:display=standard_hdr_pq:transfer=pq:ppd=1",
};

/* Metrics that have other passes for large pictures. */
static const char *const of_large[] = {"xpsnr=fps=24", "xpsnr=fps=60"};
enum { LARGE = 2160 };

/* How many values of each option are tried. Of a metric that has many passes for each value, the ends of the ranges
 * alone; of flip, whose passes take long where a filter reaches far, of butteraugli, whose passes all depend on each
 * option, and of cvvdp, none: `combined` has them. */
static unsigned values_of(const struct metric_ops *m)
{
    const bool combined_alone = !strcmp(m->name, "flip") || !strcmp(m->name, "butteraugli") ||
                                !strcmp(m->name, "cvvdp");
    return !strcmp(m->name, "cambi") ? 2 : combined_alone ? 0 : UINT_MAX;
}

static int add_metrics(struct graph *g, unsigned kind, uint32_t width, uint32_t height, struct assay_error *e)
{
    const struct metric_pair pair = pair_of(kind, width, height);
    struct metric_pair large = pair;
    char text[128], number[32];
    for (unsigned i = 0; assay_metrics[i]; i++) {
        const struct metric_ops *m = assay_metrics[i];
        TRY(add_metric(g, &pair, m->name, e));
        for (unsigned o = 0; o < m->n_options; o++)
            for (unsigned v = 0; v < values_of(m) && value(&m->options[o], v, number); v++) {
                snprintf(text, sizeof text, "%s=%s=%s", m->name, m->options[o].name, number);
                TRY(add_metric(g, &pair, text, e));
            }
    }
    for (unsigned i = 0; i < sizeof combined / sizeof combined[0]; i++)
        TRY(add_metric(g, &pair, combined[i], e));
    large.whole_width = large.whole_height = LARGE;
    for (unsigned i = 0; i < sizeof of_large / sizeof of_large[0]; i++)
        TRY(add_metric(g, &large, of_large[i], e));
    return ASSAY_OK;
}

/* ---- packed texels ----------------------------------------------------------------------------------------------- */

/* Adds the comparisons of a format, and every plane that a metric could ask of it. */
static int add_texels(struct graph *g, const struct texel_format *f, uint32_t width, uint32_t height,
                      struct assay_error *e)
{
    static const assay_gpu_options none = {0};
    struct texel_planes planes = {.pair = {.format = {f, f}, .width = width, .height = height}};
    assay_format format;
    graph_plane plane;
    TRY(texel_passes(g, &planes.pair, height, e));
    if (texel_planes_format(&planes.pair, &none, &format, NULL)) /* two channels are no picture */
        return ASSAY_OK;
    for (unsigned side = 0; side < 2; side++)
        for (unsigned c = 0; c < 4; c++)
            if (f->bits[c])
                TRY(texel_planes_words(g, &planes, 0, side, c, width, height, &plane, e));
    return ASSAY_OK;
}

/* Formats with texels of the same elements share a graph, because the planes of their pairs are the same. */
static const struct { enum sample_type element; unsigned elements; } texels[] = {
    {SAMPLE_U8, 1}, {SAMPLE_U16, 1}, {SAMPLE_U32, 1}, {SAMPLE_U32, 2}, {SAMPLE_U32, 4}};
enum { TEXELS = sizeof texels / sizeof texels[0] };

static int add_formats(struct graph *g, unsigned index, uint32_t width, uint32_t height, struct assay_error *e)
{
    const struct texel_format *f;
    for (unsigned i = 0; (f = texel_format_at(i)); i++)
        if (f->element == texels[index].element && f->elements == texels[index].elements)
            TRY(add_texels(g, f, width, height, e));
    return ASSAY_OK;
}

/* ---- scaling ----------------------------------------------------------------------------------------------------- */

/* Up, down by less and by more than the kernels for near rows reach, and in one direction alone: the sizes before, in
 * 64ths of those behind. Every depth that has arithmetic of its own. */
static const struct { enum scale_filter filter; uint32_t depth, across, down; } scalings[] = {
    {SCALE_BICUBIC, 8, 43, 43},  {SCALE_LANCZOS, 8, 96, 90},    {SCALE_BILINEAR, 8, 64, 128},
    {SCALE_SPLINE, 8, 21, 180},  {SCALE_BICUBIC, 10, 43, 43},   {SCALE_SPLINE, 12, 40, 50},
    {SCALE_BICUBIC, 9, 110, 97}, {SCALE_SPLINE, 14, 30, 180},  {SCALE_LANCZOS, 16, 43, 90},
    {SCALE_SPLINE, 16, 30, 180},
};
enum { SCALINGS = sizeof scalings / sizeof scalings[0] };

static int add_scaling(struct graph *g, unsigned index, uint32_t width, uint32_t height, struct assay_error *e)
{
    const assay_format from = {.width = (width * scalings[index].across + 63) / 64,
                               .height = (height * scalings[index].down + 63) / 64,
                               .bit_depth = scalings[index].depth, .layout = ASSAY_LAYOUT_420,
                               .chroma_location = ASSAY_CHROMA_BOTTOM_LEFT};
    assay_format to = from;
    to.width = width;
    to.height = height;
    struct scale_plan plan = {.filter = scalings[index].filter, .any = true,
                              .side = {{.from = from, .to = to, .sited = index % 2 != 0}, {.from = to, .to = to}}};
    graph_plane plane;
    for (uint32_t c = 0; c < assay_format_planes(&from); c++)
        TRY(scale_bring(g, &plan, 0, SIDE_REF, c, assay_format_plane_width(&to, c), assay_format_plane_height(&to, c),
                        &plane, e));
    return ASSAY_OK;
}

int catalogue_graph(unsigned index, uint32_t width, uint32_t height, struct graph **out, uint32_t *bits,
                    struct assay_error *e)
{
    *out = NULL;
    if (index >= KINDS + TEXELS + SCALINGS)
        return ASSAY_OK;
    if (!(*out = graph_new(e)))
        return ASSAY_EINTERNAL;
    *bits = index < KINDS ? kinds[index].depth : index < KINDS + TEXELS ? 16 : scalings[index - KINDS - TEXELS].depth;
    const int rc = index < KINDS            ? add_metrics(*out, index, width, height, e)
                   : index < KINDS + TEXELS ? add_formats(*out, index - KINDS, width, height, e)
                                            : add_scaling(*out, index - KINDS - TEXELS, width, height, e);
    if (rc)
        graph_free(out);
    return rc;
}
