/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics/colour.h"

#include <stdio.h>
#include <string.h>

#include "host/exact_math.h"

enum { COMPONENTS = 3, UNTAGGED = COLOUR_AUTO, UNKNOWN = -2 };
enum matrix { BT709, BT601, BT2020, FCC, SMPTE240, MATRICES };
enum primaries { PRIMARIES_SRGB, PRIMARIES_625, PRIMARIES_525, PRIMARIES_2020, PRIMARIES_P3 };
enum { PQ_LARGEST = 10000 }; /* cd/m2 */
enum { NO_CODE = 255 };      /* in assay_format: a transfer function that H.273 does not number */

struct colour_curve {
    int transfer; /* CURVE_*, UNTAGGED or UNKNOWN */
    double gamma; /* of CURVE_POWER */
};

/* ---- the choices of the options -------------------------------------------------------------------------------- */

const struct metric_choice colour_matrices[] = {
    {"auto", COLOUR_AUTO}, {"bt709", BT709}, {"bt601", BT601}, {"bt2020", BT2020}, {NULL, 0},
};

const struct metric_choice colour_ranges[] = {
    {"auto", COLOUR_AUTO}, {"limited", ASSAY_RANGE_LIMITED}, {"full", ASSAY_RANGE_FULL}, {NULL, 0},
};

/* The value of a choice is a row of this table. */
enum { CHOSEN_SRGB, CHOSEN_BT1886, CHOSEN_LINEAR, CHOSEN_GAMMA22, CHOSEN_GAMMA28, CHOSEN_PQ, CHOSEN_HLG };
static const struct colour_curve chosen_curves[] = {
    [CHOSEN_SRGB] = {CURVE_SRGB, 0.0},      [CHOSEN_BT1886] = {CURVE_24, 0.0},
    [CHOSEN_LINEAR] = {CURVE_LINEAR, 0.0},  [CHOSEN_GAMMA22] = {CURVE_POWER, 2.2},
    [CHOSEN_GAMMA28] = {CURVE_POWER, 2.8},  [CHOSEN_PQ] = {CURVE_PQ, 0.0},
    [CHOSEN_HLG] = {CURVE_HLG, 0.0},
};
const struct metric_choice colour_transfers[] = {
    {"auto", COLOUR_AUTO}, {"srgb", CHOSEN_SRGB}, {"bt1886", CHOSEN_BT1886}, {"linear", CHOSEN_LINEAR},
    {"gamma22", CHOSEN_GAMMA22}, {"gamma28", CHOSEN_GAMMA28}, {"pq", CHOSEN_PQ}, {"hlg", CHOSEN_HLG}, {NULL, 0},
};

const struct metric_choice colour_primaries[] = {
    {"auto", COLOUR_AUTO}, {"bt709", PRIMARIES_SRGB}, {"bt601-625", PRIMARIES_625}, {"bt601-525", PRIMARIES_525},
    {"bt2020", PRIMARIES_2020}, {"p3", PRIMARIES_P3}, {NULL, 0},
};

enum { CHROMA_NEAREST = -2 }; /* no filter; the other values are assay_chroma_location */
const struct metric_choice colour_sitings[] = {
    {"auto", COLOUR_AUTO}, {"nearest", CHROMA_NEAREST}, {"left", ASSAY_CHROMA_LEFT}, {"center", ASSAY_CHROMA_CENTER},
    {"topleft", ASSAY_CHROMA_TOP_LEFT}, {"top", ASSAY_CHROMA_TOP}, {"bottomleft", ASSAY_CHROMA_BOTTOM_LEFT},
    {"bottom", ASSAY_CHROMA_BOTTOM}, {NULL, 0},
};

/* ---- tables of standards --------------------------------------------------------------------------------------- */

/* Kr, Kb: ITU-R BT.709, BT.601, BT.2020, FCC 73.682, SMPTE ST 240. */
static const double luma[MATRICES][2] = {
    {0.2126, 0.0722}, {0.299, 0.114}, {0.2627, 0.0593}, {0.30, 0.11}, {0.212, 0.087}};

/* Matrices to the primaries of sRGB, by rows (tools/derive_primaries.py). */
static const float to_srgb[][9] = {
    {1, 0, 0, 0, 1, 0, 0, 0, 1},
    {1.04404318f, -0.0440432094f, 0,
     0, 1, 0,
     0, 0.0117933787f, 0.988206625f}, /* BT.601, 625 lines */
    {0.939542055f, 0.0501813553f, 0.0102765793f,
     0.0177722238f, 0.965792835f, 0.0164349135f,
     -0.00162159989f, -0.00436974969f, 1.00599134f}, /* BT.601, 525 lines */
    {1.66049099f, -0.58764112f, -0.0728498623f,
     -0.124550477f, 1.13289988f, -0.00834942237f,
     -0.0181507636f, -0.100578897f, 1.11872971f}, /* BT.2020 */
    {1.22494018f, -0.224940181f, 0,
     -0.0420569554f, 1.04205692f, 0,
     -0.0196375549f, -0.0786360428f, 1.09827363f}, /* Display P3 */
};

/* ---- what options and tags say ---- */

static bool colour_is_yuv(const assay_format *f)
{
    return f->layout != ASSAY_LAYOUT_RGB && f->layout != ASSAY_LAYOUT_400;
}

static int colour_tagged_matrix(const assay_format *f)
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

static int colour_matrix_of(const assay_format *f, const struct colour_options *o)
{
    if (o->yuv_matrix >= 0)
        return o->yuv_matrix & 1 ? BT601 : BT709;
    if (o->matrix != COLOUR_AUTO)
        return o->matrix;
    return colour_is_yuv(f) ? colour_tagged_matrix(f) : BT709;
}

static int colour_range_of(const assay_format *f, const struct colour_options *o)
{
    if (o->yuv_matrix >= 0)
        return o->yuv_matrix >= 2 ? ASSAY_RANGE_FULL : ASSAY_RANGE_LIMITED;
    if (o->range != COLOUR_AUTO)
        return o->range;
    return f->range ? (int)f->range : f->layout == ASSAY_LAYOUT_RGB ? ASSAY_RANGE_FULL : UNTAGGED;
}

static struct colour_curve colour_tagged_transfer(const assay_format *f)
{
    switch (f->transfer) {
    case 0: case 2: case 3: return (struct colour_curve){UNTAGGED, 0.0};
    case 1: case 6: case 7: case 11: case 14: case 15: return (struct colour_curve){CURVE_24, 0.0};
    case 4: return (struct colour_curve){CURVE_POWER, 2.2};
    case 5: return (struct colour_curve){CURVE_POWER, 2.8};
    case 8: return (struct colour_curve){CURVE_LINEAR, 0.0};
    case 13: return (struct colour_curve){CURVE_SRGB, 0.0};
    case 16: return (struct colour_curve){CURVE_PQ, 0.0};
    case 18: return (struct colour_curve){CURVE_HLG, 0.0};
    case NO_CODE:
        return f->gamma ? (struct colour_curve){CURVE_POWER, 100000.0 / f->gamma} : (struct colour_curve){UNKNOWN, 0.0};
    default: return (struct colour_curve){UNKNOWN, 0.0};
    }
}

static struct colour_curve colour_transfer_of(const assay_format *f, const struct colour_options *o)
{
    return o->transfer == COLOUR_AUTO ? colour_tagged_transfer(f) : chosen_curves[o->transfer];
}

static int colour_primaries_of(const assay_format *f, const struct colour_options *o)
{
    if (o->primaries != COLOUR_AUTO)
        return o->primaries;
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

static assay_chroma_location colour_siting_of(const assay_format *f, const struct colour_options *o)
{
    return o->chroma >= 0 ? (assay_chroma_location)o->chroma : f->chroma_location;
}

int colour_allows(const struct metric_pair *pair, const struct colour_options *o, const char *metric,
                  struct assay_error *e)
{
    const assay_format *f = &pair->format;
    if (f->layout == ASSAY_LAYOUT_411)
        return assay_fail(e, ASSAY_EUSAGE, "%s takes 4:0:0, 4:2:0, 4:2:2, 4:4:4 and RGB, not 4:1:1", metric);
    if (colour_matrix_of(f, o) == UNKNOWN)
        return assay_fail(e, ASSAY_EUSAGE,
                          "%s does not know the matrix %u of this pair (%s=matrix=bt709 takes it as BT.709's)", metric,
                          f->matrix, metric);
    if (f->transfer == NO_CODE && colour_transfer_of(f, o).transfer == UNKNOWN)
        return assay_fail(e, ASSAY_EUSAGE,
                          "%s needs the transfer function of this pair, which is not stated, a profile's or not the "
                          "same in both (%s=transfer=srgb or --assume srgb takes it as sRGB)", metric, metric);
    if (colour_transfer_of(f, o).transfer == UNKNOWN)
        return assay_fail(e, ASSAY_EUSAGE,
                          "%s does not know the transfer function %u of this pair (%s=transfer=srgb takes it as sRGB)",
                          metric, f->transfer, metric);
    if (colour_primaries_of(f, o) == UNKNOWN)
        return assay_fail(e, ASSAY_EUSAGE,
                          "%s does not know the primaries %u of this pair (%s=primaries=bt709 takes them as BT.709's)",
                          metric, f->primaries, metric);
    return ASSAY_OK;
}

static void colour_add_word(char *text, size_t size, const char *word)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? ", " : "", word);
}

void colour_note(struct metric_build *b, const struct colour_options *o)
{
    const assay_format *f = &b->pair->format;
    char text[128] = "";
    if (colour_is_yuv(f) && colour_matrix_of(f, o) == UNTAGGED)
        colour_add_word(text, sizeof text, "matrix bt709");
    if (colour_range_of(f, o) == UNTAGGED)
        colour_add_word(text, sizeof text, "range limited");
    if (colour_transfer_of(f, o).transfer == UNTAGGED)
        colour_add_word(text, sizeof text, "transfer srgb");
    if (colour_primaries_of(f, o) == UNTAGGED && f->layout != ASSAY_LAYOUT_400)
        colour_add_word(text, sizeof text, "primaries bt709");
    if ((f->layout == ASSAY_LAYOUT_420 || f->layout == ASSAY_LAYOUT_422) && o->chroma != CHROMA_NEAREST &&
        colour_siting_of(f, o) == ASSAY_CHROMA_UNKNOWN)
        colour_add_word(text, sizeof text, "chroma left");
    if (*text)
        metric_note(b, "not tagged, taken as: %s", text);
}

double colour_largest(const struct metric_pair *pair, const struct colour_options *o)
{
    const int transfer = colour_transfer_of(&pair->format, o).transfer;
    return transfer == CURVE_PQ || transfer == CURVE_HLG ? o->peak / o->white : 1.0;
}

/* ---- passes ---- */

/* How chroma is brought to the size of luma on both axes. */
static int colour_sitings_of(const assay_format *f, const struct colour_options *o)
{
    const assay_chroma_location at = colour_siting_of(f, o);
    const bool top = at == ASSAY_CHROMA_TOP_LEFT || at == ASSAY_CHROMA_TOP;
    const bool bottom = at == ASSAY_CHROMA_BOTTOM_LEFT || at == ASSAY_CHROMA_BOTTOM;
    const bool centre = at == ASSAY_CHROMA_CENTER || at == ASSAY_CHROMA_TOP || at == ASSAY_CHROMA_BOTTOM;
    int x = centre ? SITING_BETWEEN : SITING_EVEN;
    int y = top ? SITING_EVEN : bottom ? SITING_ODD : SITING_BETWEEN;
    if (o->chroma == CHROMA_NEAREST)
        x = y = SITING_NEAREST;
    if (f->layout == ASSAY_LAYOUT_444)
        x = SITING_FULL;
    if (f->layout != ASSAY_LAYOUT_420)
        y = SITING_FULL;
    return SITINGS(x, y);
}

/* Codes to values, 0..1 or for chroma -1/2..1/2: value = code * scale + offset. */
struct colour_codes {
    float scale, offset;
};

static struct colour_codes colour_codes_of(const assay_format *f, bool full, bool chroma)
{
    const double step = (double)(1u << (f->bit_depth - 8)), peak = (double)((1u << f->bit_depth) - 1);
    const double zero = chroma ? 128.0 * step : full ? 0.0 : 16.0 * step;
    const double span = full ? peak : (chroma ? 224.0 : 219.0) * step;
    return (struct colour_codes){(float)(1.0 / span), (float)(-zero / span)};
}

/* Add the pass from samples to light, with the primaries of the pair. 1 is the largest light of the transfer
 * function. */
static int colour_add_rgb(struct metric_build *b, const graph_plane plane[COMPONENTS], bool full,
                          const struct colour_curve *curve, graph_plane *light)
{
    const assay_format *f = &b->pair->format;
    const struct colour_codes code = colour_codes_of(f, full, false);
    return linear_rgb_add(b->graph,
                          PASS_GRID(linear_rgb, f->width, f->height, .red = plane[0], .green = plane[1],
                                    .blue = plane[2], .transfer = curve->transfer, .scale = code.scale,
                                    .offset = code.offset, .gamma = (float)curve->gamma),
                          light, b->error);
}

static int colour_add_yuv(struct metric_build *b, const graph_plane plane[COMPONENTS], bool full,
                          const struct colour_curve *curve, const struct colour_options *o, graph_plane *light)
{
    const assay_format *f = &b->pair->format;
    const struct colour_codes code = colour_codes_of(f, full, false), chroma = colour_codes_of(f, full, true);
    const int matrix = colour_matrix_of(f, o);
    const double kr = luma[matrix < 0 ? BT709 : matrix][0], kb = luma[matrix < 0 ? BT709 : matrix][1],
                 kg = 1.0 - kr - kb;
    return linear_yuv_add(b->graph,
                          PASS_GRID(linear_yuv, f->width, f->height, .luma = plane[0], .cb = plane[1], .cr = plane[2],
                                    .chroma = colour_sitings_of(f, o), .transfer = curve->transfer,
                                    .luma_scale = code.scale, .luma_offset = code.offset,
                                    .chroma_scale = chroma.scale, .chroma_offset = chroma.offset,
                                    .red_cr = (float)(2.0 * (1.0 - kr)),
                                    .green_cb = (float)(-2.0 * kb * (1.0 - kb) / kg),
                                    .green_cr = (float)(-2.0 * kr * (1.0 - kr) / kg),
                                    .blue_cb = (float)(2.0 * (1.0 - kb)), .gamma = (float)curve->gamma),
                          light, b->error);
}

static int colour_add_light(struct metric_build *b, enum graph_side side, const struct colour_options *o,
                            graph_plane *light)
{
    const assay_format *f = &b->pair->format;
    const bool full = colour_range_of(f, o) == ASSAY_RANGE_FULL;
    struct colour_curve curve = colour_transfer_of(f, o);
    graph_plane plane[COMPONENTS];
    if (curve.transfer == UNTAGGED)
        curve.transfer = CURVE_SRGB;
    for (uint32_t c = 0; c < COMPONENTS; c++)
        TRY(metric_plane(b, side, f->layout == ASSAY_LAYOUT_400 ? 0 : c, &plane[c]));
    return colour_is_yuv(f) ? colour_add_yuv(b, plane, full, &curve, o, light)
                            : colour_add_rgb(b, plane, full, &curve, light);
}

/* Adds the pass to light as a display shows it, with the primaries of sRGB, if it changes anything. 1 is the white of
 * SDR. */
static int colour_add_display(struct metric_build *b, enum graph_side side, const struct colour_options *o,
                              graph_plane *linear)
{
    const assay_format *f = &b->pair->format;
    const int transfer = colour_transfer_of(f, o).transfer,
              primaries = f->layout == ASSAY_LAYOUT_400 ? UNTAGGED : colour_primaries_of(f, o);
    const double peak = o->peak / o->white;
    TRY(colour_add_light(b, side, o, linear));
    if (transfer != CURVE_PQ && transfer != CURVE_HLG && primaries <= PRIMARIES_SRGB)
        return ASSAY_OK;
    /* BT.2100's system gamma for the peak, less 1; at least 0.03. */
    const double system_gamma = transfer == CURVE_HLG ? 0.2 + 0.42 * assay_log10(o->peak / 1000.0) : 0.0;
    const double gain = transfer == CURVE_PQ ? PQ_LARGEST / o->white : transfer == CURVE_HLG ? peak : 1.0;
    return linear_display_add(b->graph,
                              PASS_GRID(linear_display, f->width, f->height, .light = *linear,
                                        .matrix = &to_srgb[primaries < 0 ? PRIMARIES_SRGB : primaries],
                                        .system_gamma = (float)system_gamma, .gain = (float)gain,
                                        .most = transfer == CURVE_PQ ? (float)peak : (float)COLOUR_MOST),
                              linear, b->error);
}

int colour_linear(struct metric_build *b, enum graph_side side, const struct colour_options *o, unsigned background,
                  graph_plane *linear)
{
    static const float grey[COLOUR_BACKGROUNDS] = {0.1f, 0.9f};
    const assay_format *f = &b->pair->format;
    const uint32_t peak = (1u << f->bit_depth) - 1;
    graph_plane alpha;
    TRY(colour_add_display(b, side, o, linear));
    if (!f->alpha)
        return ASSAY_OK;
    TRY(metric_plane(b, side, 3, &alpha));
    return linear_blend_add(b->graph,
                            PASS_GRID(linear_blend, f->width, f->height, .alpha = alpha, .linear = *linear,
                                      .peak = (int32_t)peak, .scale = (float)(1.0 / peak),
                                      .background = grey[background]),
                            linear, b->error);
}
