/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics/colour.h"

#include <stdio.h>
#include <string.h>

#include "host/exact_math.h"

enum { COMPONENTS = 3, UNTAGGED = -1, UNKNOWN = -2 };
enum matrix { BT709, BT601, BT2020, FCC, SMPTE240, MATRICES };
enum transfer { LINEAR, SRGB, POWER_24, POWER, PQ, HLG }; /* as kernels/colour.h numbers them */
enum primaries { PRIMARIES_SRGB, PRIMARIES_625, PRIMARIES_525, PRIMARIES_2020, PRIMARIES_P3 };
enum { PQ_LARGEST = 10000 }; /* cd/m2 */
enum { NO_CODE = 255 };      /* a transfer function that H.273 does not have */

struct curve {
    int transfer; /* or UNTAGGED, UNKNOWN */
    double gamma; /* of POWER */
};

/* Kr, Kb: ITU-R BT.709, BT.601, BT.2020, FCC 73.682, SMPTE ST 240. */
static const double luma[MATRICES][2] = {{0.2126, 0.0722}, {0.299, 0.114}, {0.2627, 0.0593}, {0.30, 0.11}, {0.212, 0.087}};

/* To the primaries of sRGB, by rows: tools/derive_primaries.py. */
static const double to_srgb[][9] = {
    {1, 0, 0, 0, 1, 0, 0, 0, 1},
    {1.0440432087628349, -0.044043208762834934, 0,
     0, 1, 0,
     0, 0.011793378284005151, 0.98820662171599483}, /* BT.601, 625 lines */
    {0.93954206377323957, 0.050181356859867611, 0.010276579366892774,
     0.017772223143560809, 0.96579286249690455, 0.016434914359534616,
     -0.0016215999431855412, -0.004369749659735675, 1.0059913496029211}, /* BT.601, 525 lines */
    {1.6604910021084345, -0.58764113878854951, -0.072849863319884883,
     -0.12455047452159074, 1.1328998971259603, -0.0083494226043694768,
     -0.018150763354905303, -0.10057889800800739, 1.1187296613629127}, /* BT.2020 */
    {1.2249401762805598, -0.22494017628055996, 0,
     -0.042056954709688163, 1.0420569547096881, 0,
     -0.019637554590334432, -0.078636045550631889, 1.0982736001409663}, /* Display P3 */
};

/* ---- what the pair says, and what the options say ---- */

static bool is_yuv(const assay_format *f)
{
    return f->layout != ASSAY_LAYOUT_RGB && f->layout != ASSAY_LAYOUT_400;
}

static int tagged_matrix(const assay_format *f)
{
    switch (f->matrix) {
    case 0: case 2: case 3: return UNTAGGED;
    case 1: return BT709;
    case 4: return FCC;
    case 5: case 6: return BT601;
    case 7: return SMPTE240;
    case 9: return BT2020;
    default: return UNKNOWN; /* YCgCo, constant luminance, ICtCp: no such matrix */
    }
}

static int matrix_of(const assay_format *f, const struct colour_options *o)
{
    if (o->yuv_matrix >= 0)
        return o->yuv_matrix & 1 ? BT601 : BT709;
    if (o->matrix)
        return o->matrix - 1;
    return is_yuv(f) ? tagged_matrix(f) : BT709;
}

static int range_of(const assay_format *f, const struct colour_options *o)
{
    if (o->yuv_matrix >= 0)
        return o->yuv_matrix >= 2 ? ASSAY_RANGE_FULL : ASSAY_RANGE_LIMITED;
    if (o->range)
        return o->range == 2 ? ASSAY_RANGE_FULL : ASSAY_RANGE_LIMITED;
    return f->range ? (int)f->range : f->layout == ASSAY_LAYOUT_RGB ? ASSAY_RANGE_FULL : UNTAGGED;
}

static struct curve tagged_transfer(const assay_format *f)
{
    switch (f->transfer) {
    case 0: case 2: case 3: return (struct curve){UNTAGGED, 0.0};
    case 1: case 6: case 7: case 11: case 14: case 15: return (struct curve){POWER_24, 0.0};
    case 4: return (struct curve){POWER, 2.2};
    case 5: return (struct curve){POWER, 2.8};
    case 8: return (struct curve){LINEAR, 0.0};
    case 13: return (struct curve){SRGB, 0.0};
    case 16: return (struct curve){PQ, 0.0};
    case 18: return (struct curve){HLG, 0.0};
    case NO_CODE: return f->gamma ? (struct curve){POWER, 100000.0 / f->gamma} : (struct curve){UNKNOWN, 0.0};
    default: return (struct curve){UNKNOWN, 0.0};
    }
}

static struct curve transfer_of(const assay_format *f, const struct colour_options *o)
{
    static const struct curve chosen[] = {{SRGB, 0.0}, {POWER_24, 0.0}, {LINEAR, 0.0}, {POWER, 2.2}, {POWER, 2.8}, {PQ, 0.0}, {HLG, 0.0}};
    return o->transfer ? chosen[o->transfer - 1] : tagged_transfer(f);
}

static int primaries_of(const assay_format *f, const struct colour_options *o)
{
    if (o->primaries)
        return o->primaries - 1;
    switch (f->primaries) {
    case 0: case 2: case 3: return UNTAGGED;
    case 1: return PRIMARIES_SRGB;
    case 5: return PRIMARIES_625;
    case 6: case 7: return PRIMARIES_525;
    case 9: return PRIMARIES_2020;
    case 12: return PRIMARIES_P3;
    default: return UNKNOWN;
    }
}

static assay_chroma_location siting_of(const assay_format *f, const struct colour_options *o)
{
    static const assay_chroma_location chosen[] = {ASSAY_CHROMA_LEFT, ASSAY_CHROMA_CENTER, ASSAY_CHROMA_TOP_LEFT, ASSAY_CHROMA_TOP,
                                                   ASSAY_CHROMA_BOTTOM_LEFT, ASSAY_CHROMA_BOTTOM};
    return o->chroma > 1 ? chosen[o->chroma - 2] : f->chroma_location;
}

int colour_allows(const struct metric_pair *pair, const struct colour_options *o, const char *metric, struct assay_error *e)
{
    const assay_format *f = &pair->format;
    if (f->layout == ASSAY_LAYOUT_411)
        return assay_fail(e, ASSAY_EUSAGE, "%s takes 4:0:0, 4:2:0, 4:2:2, 4:4:4 and RGB, not 4:1:1", metric);
    if (matrix_of(f, o) == UNKNOWN)
        return assay_fail(e, ASSAY_EUSAGE, "%s does not know the matrix %u of this pair (%s=matrix=bt709 takes it as BT.709's)", metric,
                          f->matrix, metric);
    if (f->transfer == NO_CODE && transfer_of(f, o).transfer == UNKNOWN)
        return assay_fail(e, ASSAY_EUSAGE, "%s needs the transfer function of this pair, which is not stated, a profile's or not the same in "
                          "both (%s=transfer=srgb or --assume srgb takes it as sRGB)", metric, metric);
    if (transfer_of(f, o).transfer == UNKNOWN)
        return assay_fail(e, ASSAY_EUSAGE, "%s does not know the transfer function %u of this pair (%s=transfer=srgb takes it as sRGB)",
                          metric, f->transfer, metric);
    if (primaries_of(f, o) == UNKNOWN)
        return assay_fail(e, ASSAY_EUSAGE, "%s does not know the primaries %u of this pair (%s=primaries=bt709 takes them as BT.709's)",
                          metric, f->primaries, metric);
    return ASSAY_OK;
}

static void add_word(char *text, size_t size, const char *word)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? ", " : "", word);
}

void colour_note(struct metric_build *b, const struct colour_options *o)
{
    const assay_format *f = &b->pair->format;
    char text[128] = "";
    if (is_yuv(f) && matrix_of(f, o) == UNTAGGED)
        add_word(text, sizeof text, "matrix bt709");
    if (range_of(f, o) == UNTAGGED)
        add_word(text, sizeof text, "range limited");
    if (transfer_of(f, o).transfer == UNTAGGED)
        add_word(text, sizeof text, "transfer srgb");
    if (primaries_of(f, o) == UNTAGGED && f->layout != ASSAY_LAYOUT_400)
        add_word(text, sizeof text, "primaries bt709");
    if ((f->layout == ASSAY_LAYOUT_420 || f->layout == ASSAY_LAYOUT_422) && o->chroma != 1 && siting_of(f, o) == ASSAY_CHROMA_UNKNOWN)
        add_word(text, sizeof text, "chroma left");
    if (*text)
        metric_note(b, "not tagged, taken as: %s", text);
}

double colour_largest(const struct metric_pair *pair, const struct colour_options *o)
{
    const int transfer = transfer_of(&pair->format, o).transfer;
    return transfer == PQ || transfer == HLG ? o->peak / o->white : 1.0;
}

/* ---- passes ---- */

/* The way of each axis for the kernel: 0 full size, 1 nearest, 2 on the even samples, 3 between them, 4 on the odd ones. */
static int chroma_ways(const assay_format *f, const struct colour_options *o)
{
    const assay_chroma_location at = siting_of(f, o);
    int x = at == ASSAY_CHROMA_CENTER || at == ASSAY_CHROMA_TOP || at == ASSAY_CHROMA_BOTTOM ? 3 : 2;
    int y = at == ASSAY_CHROMA_TOP_LEFT || at == ASSAY_CHROMA_TOP ? 2 : at == ASSAY_CHROMA_BOTTOM_LEFT || at == ASSAY_CHROMA_BOTTOM ? 4 : 3;
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

/* Light of the transfer's own scale, 0..1, with the pair's own primaries. */
static int add_light(struct metric_build *b, enum graph_side side, const struct colour_options *o, graph_plane *light)
{
    const assay_format *f = &b->pair->format;
    const bool yuv = is_yuv(f), full = range_of(f, o) == ASSAY_RANGE_FULL;
    const struct curve curve = transfer_of(f, o);
    const int transfer = curve.transfer == UNTAGGED ? SRGB : curve.transfer;
    struct graph_pass_request r = {.family = yuv ? KERNEL_LINEAR_YUV : KERNEL_LINEAR_RGB,
                                   .out = {{f->width, 3 * f->height}}, .grid_w = f->width, .grid_h = f->height};
    graph_pass pass;
    for (uint32_t c = 0; c < COMPONENTS; c++) {
        const int rc = metric_plane(b, side, f->layout == ASSAY_LAYOUT_400 ? 0 : c, &r.in[c]);
        if (rc)
            return rc;
    }
    if (yuv) {
        const int matrix = matrix_of(f, o);
        const double kr = luma[matrix < 0 ? BT709 : matrix][0], kb = luma[matrix < 0 ? BT709 : matrix][1], kg = 1.0 - kr - kb;
        r.param[0].i = chroma_ways(f, o);
        r.param[1].i = transfer;
        code_scale(f, full, false, &r.param[2].f, &r.param[3].f);
        code_scale(f, full, true, &r.param[4].f, &r.param[5].f);
        r.param[6].f = (float)(2.0 * (1.0 - kr));
        r.param[7].f = (float)(-2.0 * kb * (1.0 - kb) / kg);
        r.param[8].f = (float)(-2.0 * kr * (1.0 - kr) / kg);
        r.param[9].f = (float)(2.0 * (1.0 - kb));
        r.param[10].f = (float)curve.gamma;
    } else {
        r.param[0].i = transfer;
        code_scale(f, full, false, &r.param[1].f, &r.param[2].f);
        r.param[3].f = (float)curve.gamma;
    }
    return graph_add(b->graph, &r, &pass, light, b->error);
}

static int to_display(struct metric_build *b, enum graph_side side, const struct colour_options *o, graph_plane *linear)
{
    const assay_format *f = &b->pair->format;
    const int transfer = transfer_of(f, o).transfer, primaries = f->layout == ASSAY_LAYOUT_400 ? UNTAGGED : primaries_of(f, o);
    const int rc = add_light(b, side, o, linear);
    if (rc || (transfer != PQ && transfer != HLG && primaries <= PRIMARIES_SRGB))
        return rc;
    struct graph_pass_request r = {.family = KERNEL_LINEAR_DISPLAY, .in = {*linear}, .out = {{f->width, 3 * f->height}},
                                   .grid_w = f->width, .grid_h = f->height};
    for (unsigned i = 0; i < 9; i++)
        r.param[i].f = (float)to_srgb[primaries < 0 ? PRIMARIES_SRGB : primaries][i];
    r.param[10].f = 1.0f;
    r.param[11].f = (float)COLOUR_MOST;
    if (transfer == PQ) {
        r.param[10].f = (float)(PQ_LARGEST / o->white);
        r.param[11].f = (float)(o->peak / o->white);
    } else if (transfer == HLG) {
        r.param[9].f = (float)(0.2 + 0.42 * assay_log10(o->peak / 1000.0)); /* BT.2100's system gamma less 1; at least 0.03 */
        r.param[10].f = (float)(o->peak / o->white);
    }
    graph_pass pass;
    return graph_add(b->graph, &r, &pass, linear, b->error);
}

int colour_linear(struct metric_build *b, enum graph_side side, const struct colour_options *o, unsigned background, graph_plane *linear)
{
    static const float grey[COLOUR_BACKGROUNDS] = {0.1f, 0.9f};
    const assay_format *f = &b->pair->format;
    const uint32_t peak = (1u << f->bit_depth) - 1;
    graph_pass pass;
    int rc = to_display(b, side, o, linear);
    if (rc || !f->alpha)
        return rc;
    struct graph_pass_request r = {.family = KERNEL_LINEAR_BLEND, .out = {{f->width, 3 * f->height}},
                                   .grid_w = f->width, .grid_h = f->height};
    rc = metric_plane(b, side, 3, &r.in[0]);
    r.in[1] = *linear;
    r.param[0].i = (int32_t)peak;
    r.param[1].f = (float)(1.0 / peak);
    r.param[2].f = grey[background];
    return rc ? rc : graph_add(b->graph, &r, &pass, linear, b->error);
}
