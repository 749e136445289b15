/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics/colour.h"

#include <string.h>

#include "host/colour.h"
#include "host/exact_math.h"
#include "host/format.h"
#include "host/text.h"

enum { COMPONENTS = 3, SIDES = 2 };
enum { PQ_LARGEST = 10000 }; /* cd/m2 */

/* Where the rows of a side's matrix sum to less, its light counts as at most 1: sums of metrics have room for it. */
static const double COLOUR_WIDE = 1.75;

/* A transfer function for the kernels. */
struct colour_curve {
    int curve;        /* CURVE_* */
    double gamma;     /* of CURVE_POWER */
    double gain;      /* light of the code value 1 */
};
static const struct colour_curve curves[TRANSFERS] = {
    [TRANSFER_SRGB] = {CURVE_SRGB, 0.0, 1.0},
    [TRANSFER_1886] = {CURVE_24, 0.0, 1.0},
    [TRANSFER_LINEAR] = {CURVE_LINEAR, 0.0, 1.0},
    [TRANSFER_22] = {CURVE_POWER, 2.2, 1.0},
    [TRANSFER_26] = {CURVE_POWER, 2.6, 1.0},
    [TRANSFER_28] = {CURVE_POWER, 2.8, 1.0},
    [TRANSFER_ST428] = {CURVE_POWER, 2.6, 52.37 / 48.0}, /* SMPTE ST 428-1: white is 48 cd/m2 */
    [TRANSFER_PQ] = {CURVE_PQ, 0.0, 1.0},
    [TRANSFER_HLG] = {CURVE_HLG, 0.0, 1.0},
    [TRANSFER_CURVE] = {CURVE_PARAMETERS, 0.0, 1.0},
};

/* ---- the choices of the options -------------------------------------------------------------------------------- */

const struct metric_choice colour_matrices[] = {
    {"auto", COLOUR_AUTO}, {"bt709", MATRIX_709}, {"bt601", MATRIX_601}, {"bt2020", MATRIX_2020}, {NULL, 0},
};

const struct metric_choice colour_ranges[] = {
    {"auto", COLOUR_AUTO}, {"limited", ASSAY_RANGE_LIMITED}, {"full", ASSAY_RANGE_FULL}, {NULL, 0},
};

const struct metric_choice colour_transfers[] = {
    {"auto", COLOUR_AUTO}, {"srgb", TRANSFER_SRGB}, {"bt1886", TRANSFER_1886}, {"linear", TRANSFER_LINEAR},
    {"gamma22", TRANSFER_22}, {"gamma26", TRANSFER_26}, {"gamma28", TRANSFER_28}, {"pq", TRANSFER_PQ},
    {"hlg", TRANSFER_HLG}, {NULL, 0},
};

const struct metric_choice colour_primaries_known[] = {
    {"auto", COLOUR_AUTO}, {"bt709", PRIMARIES_709}, {"bt601-625", PRIMARIES_625}, {"bt601-525", PRIMARIES_525},
    {"bt2020", PRIMARIES_2020}, {"p3", PRIMARIES_P3}, {NULL, 0},
};

enum { CHROMA_NEAREST = -3 }; /* no filter; the other values are assay_chroma_location */
const struct metric_choice colour_sitings[] = {
    {"auto", COLOUR_AUTO}, {"nearest", CHROMA_NEAREST}, {"left", ASSAY_CHROMA_LEFT}, {"center", ASSAY_CHROMA_CENTER},
    {"topleft", ASSAY_CHROMA_TOP_LEFT}, {"top", ASSAY_CHROMA_TOP}, {"bottomleft", ASSAY_CHROMA_BOTTOM_LEFT},
    {"bottom", ASSAY_CHROMA_BOTTOM}, {NULL, 0},
};

/* ---- what options and tags say of a side ------------------------------------------------------------------------ */

/* What an option says for both sides of a pair of this layout; COLOUR_UNTAGGED: nothing. */
static int colour_stated(const struct colour_options *o, enum colour_kind kind)
{
    const bool coded = o->yuv_matrix >= 0;
    switch (kind) {
    case COLOUR_MATRIX: return coded ? (o->yuv_matrix & 1 ? MATRIX_601 : MATRIX_709) : o->matrix;
    case COLOUR_RANGE: return coded ? (o->yuv_matrix >= 2 ? ASSAY_RANGE_FULL : ASSAY_RANGE_LIMITED) : o->range;
    case COLOUR_TRANSFER: return o->transfer;
    case COLOUR_PRIMARIES: return o->primaries;
    default: return o->chroma;
    }
}

/* The assumption about a side that neither an option nor a tag describes. Y'CbCr beside a side that states its transfer
 * function is assumed to be BT.1886. Two untagged sides are sRGB, as in the reference program of SSIMULACRA 2. */
static int colour_taken(const struct metric_pair *pair, enum graph_side side, enum colour_kind kind)
{
    const bool rgb = pair->format.layout == ASSAY_LAYOUT_RGB;
    switch (kind) {
    case COLOUR_MATRIX: return MATRIX_709;
    case COLOUR_RANGE: return ASSAY_RANGE_LIMITED;
    case COLOUR_TRANSFER:
        return rgb || !colour_tagged(&pair->side[1 - side], COLOUR_TRANSFER) ? TRANSFER_SRGB : TRANSFER_1886;
    case COLOUR_PRIMARIES: return PRIMARIES_709;
    default: return ASSAY_CHROMA_LEFT;
    }
}

static bool colour_is_taken(const struct metric_pair *pair, enum graph_side side, const struct colour_options *o,
                            enum colour_kind kind)
{
    const assay_format *f = &pair->side[side];
    return colour_has(f, kind) && colour_stated(o, kind) == COLOUR_AUTO && !colour_tagged(f, kind);
}

/* May be COLOUR_UNKNOWN. */
static int colour_of(const struct metric_pair *pair, enum graph_side side, const struct colour_options *o,
                     enum colour_kind kind)
{
    const assay_format *f = &pair->side[side];
    const int stated = colour_stated(o, kind);
    return stated != COLOUR_AUTO ? stated : colour_tagged(f, kind) ? colour_meaning(f, kind)
                                                                   : colour_taken(pair, side, kind);
}

static bool colour_is_bright(int transfer)
{
    return transfer == TRANSFER_PQ || transfer == TRANSFER_HLG;
}

/* By rows, to the primaries of sRGB. */
static void colour_matrix_to_srgb(const struct metric_pair *pair, enum graph_side side,
                                  const struct colour_options *o, double matrix[9])
{
    const int primaries = pair->format.layout == ASSAY_LAYOUT_400 ? PRIMARIES_709
                                                                  : colour_of(pair, side, o, COLOUR_PRIMARIES);
    if (primaries == PRIMARIES_MATRIX)
        memcpy(matrix, pair->side[side].to_bt709, sizeof pair->side[side].to_bt709);
    else
        primaries_to_bt709(&colour_chromaticities[primaries], matrix);
}

static int colour_side_allows(const struct metric_pair *pair, enum graph_side side, const struct colour_options *o,
                              const char *metric, struct assay_error *e)
{
    static const char *const help[COLOUR_KINDS] = {
        [COLOUR_MATRIX] = "matrix=bt709 takes it as BT.709's", [COLOUR_TRANSFER] = "transfer=srgb takes it as sRGB",
        [COLOUR_PRIMARIES] = "primaries=bt709 takes them as BT.709's"};
    static const char *const thing[COLOUR_KINDS] = {
        [COLOUR_MATRIX] = "matrix", [COLOUR_TRANSFER] = "transfer function", [COLOUR_PRIMARIES] = "primaries"};
    const assay_format *f = &pair->side[side];
    char name[COLOUR_NAME];
    if (format_is_float(f) && colour_of(pair, side, o, COLOUR_TRANSFER) != TRANSFER_LINEAR)
        return assay_fail(e, ASSAY_EUSAGE, "%s takes pictures of floats as linear light, and an option states another "
                          "transfer function", metric);
    for (enum colour_kind kind = 0; kind < COLOUR_KINDS; kind++) {
        if (!colour_has(f, kind) || colour_of(pair, side, o, kind) != COLOUR_UNKNOWN)
            continue;
        const char *number = colour_name(f, kind, name);
        if (!strcmp(number, "unknown"))
            return assay_fail(e, ASSAY_EUSAGE, "%s needs the %s of the %s picture, which no tag or profile states "
                              "(%s=%s; of images also --assume srgb)", metric, thing[kind],
                              side ? "distorted" : "reference", metric, help[kind]);
        return assay_fail(e, ASSAY_EUSAGE, "%s does not know the %s %s of the %s picture (%s=%s)", metric, thing[kind],
                          number + strlen("number "), side ? "distorted" : "reference", metric, help[kind]);
    }
    return ASSAY_OK;
}

int colour_allows(const struct metric_pair *pair, const struct colour_options *o, const char *metric,
                  struct assay_error *e)
{
    if (pair->format.layout == ASSAY_LAYOUT_411)
        return assay_fail(e, ASSAY_EUSAGE, "%s takes 4:0:0, 4:2:0, 4:2:2, 4:4:4 and RGB, not 4:1:1", metric);
    if (o->yuv_matrix >= 0 && (o->matrix != COLOUR_AUTO || o->range != COLOUR_AUTO))
        return assay_fail(e, ASSAY_EUSAGE, "%s: yuv_matrix stands for matrix and range, and one of them is stated, too",
                          metric);
    for (unsigned side = 0; side < SIDES; side++)
        TRY(colour_side_allows(pair, side, o, metric, e));
    return ASSAY_OK;
}

/* ---- notes ------------------------------------------------------------------------------------------------------ */

enum { TEXT = 200 };

/* The assumptions about a side, as text: "matrix bt709, chroma left". */
static void colour_list_taken(const struct metric_pair *pair, enum graph_side side, const struct colour_options *o,
                              char text[TEXT])
{
    *text = 0;
    for (enum colour_kind kind = 0; kind < COLOUR_KINDS; kind++)
        if (colour_is_taken(pair, side, o, kind))
            text_append(text, TEXT, "%s%s %s", *text ? ", " : "",
                        kind == COLOUR_SITING ? "chroma" : colour_kind_name[kind],
                        colour_value_name[kind][colour_of(pair, side, o, kind)]);
}

/* The tags in which the sides differ, as text: "matrix bt709 against bt601, range limited against full". */
static void colour_list_differences(const struct metric_pair *pair, const struct colour_options *o, char text[TEXT])
{
    const assay_format *a = &pair->side[0], *b = &pair->side[1];
    char ref[COLOUR_NAME], dis[COLOUR_NAME];
    *text = 0;
    for (enum colour_kind kind = 0; kind < COLOUR_KINDS; kind++) {
        if (colour_stated(o, kind) != COLOUR_AUTO || !colour_differs(a, b, kind))
            continue;
        text_append(text, TEXT, "%s%s %s against %s", *text ? ", " : "", colour_kind_name[kind],
                    colour_name(a, kind, ref), colour_name(b, kind, dis));
    }
}

void colour_note(struct metric_build *b, const struct colour_options *o)
{
    char taken[SIDES][TEXT], differ[TEXT], note[METRIC_NOTE_SIZE] = "";
    bool bright[SIDES], pq = false;
    for (unsigned side = 0; side < SIDES; side++) {
        const int transfer = colour_of(b->pair, side, o, COLOUR_TRANSFER);
        colour_list_taken(b->pair, side, o, taken[side]);
        bright[side] = colour_is_bright(transfer);
        pq = pq || (transfer == TRANSFER_PQ && o->peak < PQ_LARGEST);
    }
    const bool alike = !strcmp(taken[0], taken[1]);
    for (unsigned side = 0; side < (alike ? 1 : SIDES); side++)
        if (*taken[side])
            text_append(note, sizeof note, "%s%snot tagged, taken as: %s", *note ? "; " : "",
                        alike ? "" : side ? "the distorted is " : "the reference is ", taken[side]);
    colour_list_differences(b->pair, o, differ);
    if (*differ)
        text_append(note, sizeof note, "%s%s: each side is converted from its own", *note ? "; " : "", differ);
    if (bright[0] != bright[1])
        text_append(note, sizeof note, "%sthe white of the %s, which is SDR, is %.4g cd/m2", *note ? "; " : "",
                    bright[0] ? "distorted" : "reference", o->white);
    if (pq)
        text_append(note, sizeof note, "%slight of PQ above %.5g cd/m2 counts as that (peak)", *note ? "; " : "",
                    o->peak);
    if (*note)
        metric_note(b, "%s", note);
}

struct colour_options colour_by_tags(const struct colour_options *o)
{
    struct colour_options all = *o;
    all.yuv_matrix = -1;
    all.white = COLOUR_WHITE;
    all.peak = COLOUR_PEAK;
    return all;
}

bool colour_is_hdr(const struct metric_pair *pair, const struct colour_options *o)
{
    return colour_is_bright(colour_of(pair, SIDE_REF, o, COLOUR_TRANSFER)) ||
           colour_is_bright(colour_of(pair, SIDE_DIS, o, COLOUR_TRANSFER));
}

double colour_largest(const struct metric_pair *pair, const struct colour_options *o)
{
    double largest = 1.0;
    for (unsigned side = 0; side < SIDES; side++) {
        const int transfer = colour_of(pair, side, o, COLOUR_TRANSFER);
        double matrix[9];
        if (colour_is_bright(transfer) && o->peak / o->white > largest)
            largest = o->peak / o->white;
        colour_matrix_to_srgb(pair, side, o, matrix);
        for (unsigned row = 0; row < 3; row++) {
            double sum = 0.0;
            for (unsigned i = 0; i < 3; i++)
                sum += matrix[3 * row + i] > 0.0 ? matrix[3 * row + i] : 0.0;
            largest = sum > COLOUR_WIDE && sum > largest ? sum : largest;
        }
    }
    return largest;
}

/* ---- passes ----------------------------------------------------------------------------------------------------- */

/* How chroma is brought to the size of luma on both axes. */
static int colour_sitings_of(const struct metric_pair *pair, enum graph_side side, const struct colour_options *o)
{
    const assay_layout layout = pair->format.layout;
    const int at = colour_of(pair, side, o, COLOUR_SITING);
    const bool top = at == ASSAY_CHROMA_TOP_LEFT || at == ASSAY_CHROMA_TOP;
    const bool bottom = at == ASSAY_CHROMA_BOTTOM_LEFT || at == ASSAY_CHROMA_BOTTOM;
    const bool centre = at == ASSAY_CHROMA_CENTER || at == ASSAY_CHROMA_TOP || at == ASSAY_CHROMA_BOTTOM;
    int x = centre ? SITING_BETWEEN : SITING_EVEN;
    int y = top ? SITING_EVEN : bottom ? SITING_ODD : SITING_BETWEEN;
    if (o->chroma == CHROMA_NEAREST)
        x = y = SITING_NEAREST;
    if (layout == ASSAY_LAYOUT_444)
        x = SITING_FULL;
    if (layout != ASSAY_LAYOUT_420)
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

/* Columns or rows of what a pass from samples makes. The layers of colour_xyb have an even number. */
static uint32_t colour_length(uint32_t n, bool xyb)
{
    return n + (xyb && n % 2);
}

/* Add the pass from samples to light, with the primaries of the side, or to the layers of colour_xyb. 1 is the largest
 * light of the curve. */
static int colour_add_rgb(struct metric_build *b, const graph_plane plane[COMPONENTS], bool full,
                          const struct colour_curve *curve, bool xyb, graph_plane *light)
{
    const assay_format *f = &b->pair->format;
    const uint32_t w = colour_length(f->width, xyb), h = colour_length(f->height, xyb);
    const struct colour_codes code = colour_codes_of(f, full, false);
    const struct linear_rgb_pass pass = PASS_GRID(linear_rgb, w, h, .red = plane[0], .green = plane[1],
                                                  .blue = plane[2], .transfer = curve->curve, .scale = code.scale,
                                                  .offset = code.offset, .gamma = (float)curve->gamma);
    return xyb ? xyb_rgb_add(b->graph, pass, light, b->error) : linear_rgb_add(b->graph, pass, light, b->error);
}

static int colour_add_yuv(struct metric_build *b, enum graph_side side, const graph_plane plane[COMPONENTS], bool full,
                          const struct colour_curve *curve, const struct colour_options *o, bool xyb,
                          graph_plane *light)
{
    const assay_format *f = &b->pair->format;
    const struct colour_codes code = colour_codes_of(f, full, false), chroma = colour_codes_of(f, full, true);
    const double *luma = colour_luma[colour_of(b->pair, side, o, COLOUR_MATRIX)], kr = luma[0], kb = luma[1],
                 kg = 1.0 - kr - kb;
    const uint32_t w = colour_length(f->width, xyb), h = colour_length(f->height, xyb);
    const struct linear_yuv_pass pass = PASS_GRID(linear_yuv, w, h, .luma = plane[0], .cb = plane[1], .cr = plane[2],
                                                  .chroma = colour_sitings_of(b->pair, side, o),
                                                  .transfer = curve->curve,
                                                  .luma_scale = code.scale, .luma_offset = code.offset,
                                                  .chroma_scale = chroma.scale, .chroma_offset = chroma.offset,
                                                  .red_cr = (float)(2.0 * (1.0 - kr)),
                                                  .green_cb = (float)(-2.0 * kb * (1.0 - kb) / kg),
                                                  .green_cr = (float)(-2.0 * kr * (1.0 - kr) / kg),
                                                  .blue_cb = (float)(2.0 * (1.0 - kb)),
                                                  .gamma = (float)curve->gamma);
    return xyb ? xyb_yuv_add(b->graph, pass, light, b->error) : linear_yuv_add(b->graph, pass, light, b->error);
}

static struct colour_curve colour_curve_of(const struct metric_pair *pair, enum graph_side side,
                                           const struct colour_options *o)
{
    const int transfer = colour_of(pair, side, o, COLOUR_TRANSFER);
    return transfer == TRANSFER_GAMMA ? (struct colour_curve){CURVE_POWER, 100000.0 / pair->side[side].gamma, 1.0}
                                      : curves[transfer];
}

/* Adds the pass from samples to light, or with CURVE_LINEAR to R'G'B'. With `xyb` the pass gives the layers of
 * colour_xyb instead. */
static int colour_add_light(struct metric_build *b, uint32_t age, enum graph_side side, const struct colour_options *o,
                            const struct colour_curve *curve, bool xyb, graph_plane *light)
{
    const assay_layout layout = b->pair->format.layout;
    const bool full = colour_of(b->pair, side, o, COLOUR_RANGE) == ASSAY_RANGE_FULL;
    graph_plane plane[COMPONENTS];
    for (uint32_t c = 0; c < COMPONENTS; c++)
        TRY(metric_plane_before(b, age, side, layout == ASSAY_LAYOUT_400 ? 0 : c, &plane[c]));
    return colour_has(&b->pair->format, COLOUR_MATRIX) ? colour_add_yuv(b, side, plane, full, curve, o, xyb, light)
                                           : colour_add_rgb(b, plane, full, curve, xyb, light);
}

/* Adds the passes from samples to light where one pass is not enough: a picture with alpha is blended as R'G'B', and a
 * curve by parameters takes a pass of its own. */
static int colour_add_blended(struct metric_build *b, enum graph_side side, const struct colour_options *o,
                              const struct colour_curve *curve, float background, graph_plane *light)
{
    const assay_format *f = &b->pair->side[side];
    const uint32_t peak = (1u << f->bit_depth) - 1, w = b->pair->format.width, h = b->pair->format.height;
    graph_plane alpha;
    float parameters[7] = {(float)curve->gamma};
    for (unsigned i = 0; curve->curve == CURVE_PARAMETERS && i < 7; i++)
        parameters[i] = (float)f->curve[i];
    TRY(colour_add_light(b, 0, side, o, &(struct colour_curve){.curve = CURVE_LINEAR}, false, light));
    if (!f->alpha)
        return linear_curve_add(b->graph,
                                PASS_GRID(linear_curve, w, h, .values = *light, .transfer = curve->curve,
                                          .curve = &parameters),
                                light, b->error);
    TRY(metric_plane(b, side, 3, &alpha));
    return linear_blend_add(b->graph,
                            PASS_GRID(linear_blend, w, h, .alpha = alpha, .values = *light, .transfer = curve->curve,
                                      .curve = &parameters, .peak = (int32_t)peak, .scale = (float)(1.0 / peak),
                                      .background = background),
                            light, b->error);
}

/* Whether the light of the curve is already the light of the display, with the primaries of sRGB. `matrix` receives the
 * matrix to these primaries. */
static bool colour_is_shown(const struct metric_build *b, enum graph_side side, const struct colour_options *o,
                            const struct colour_curve *curve, float matrix[9])
{
    static const float same[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double exact[9];
    colour_matrix_to_srgb(b->pair, side, o, exact);
    for (unsigned i = 0; i < 9; i++)
        matrix[i] = (float)exact[i];
    return curve->curve != CURVE_PQ && curve->curve != CURVE_HLG && curve->gain == 1.0 &&
           !memcmp(matrix, same, sizeof same);
}

/* Adds the pass that makes the light of the display, with the primaries of sRGB, unless it would change nothing. 1 is
 * the white of SDR. */
static int colour_add_display(struct metric_build *b, enum graph_side side, const struct colour_options *o,
                              const struct colour_curve *curve, graph_plane *linear)
{
    const assay_format *f = &b->pair->format;
    const bool pq = curve->curve == CURVE_PQ, hlg = curve->curve == CURVE_HLG;
    const double peak = o->peak / o->white;
    float rounded[9];
    if (colour_is_shown(b, side, o, curve, rounded))
        return ASSAY_OK;
    /* BT.2100's system gamma for the peak, less 1; at least 0.03. */
    const double system_gamma = hlg ? 0.2 + 0.42 * assay_log10(o->peak / 1000.0) : 0.0;
    const double gain = pq ? PQ_LARGEST / o->white : hlg ? peak : curve->gain;
    return linear_display_add(b->graph,
                              PASS_GRID(linear_display, f->width, f->height, .light = *linear, .matrix = &rounded,
                                        .system_gamma = (float)system_gamma, .gain = (float)gain,
                                        .most = pq ? (float)peak : (float)COLOUR_MOST),
                              linear, b->error);
}

/* Light of floats, as it is. */
static int colour_add_floats(struct metric_build *b, enum graph_side side, const struct colour_options *o,
                             float background, graph_plane *linear)
{
    const uint32_t w = b->pair->format.width, h = b->pair->format.height;
    graph_plane plane[COMPONENTS], alpha;
    double exact[9];
    float matrix[9];
    for (uint32_t c = 0; c < COMPONENTS; c++)
        TRY(metric_plane(b, side, b->pair->format.layout == ASSAY_LAYOUT_400 ? 0 : c, &plane[c]));
    colour_matrix_to_srgb(b->pair, side, o, exact);
    for (unsigned i = 0; i < 9; i++)
        matrix[i] = (float)exact[i];
    TRY(light_add(b->graph,
                  PASS_GRID(light, w, h, .red = plane[0], .green = plane[1], .blue = plane[2], .matrix = &matrix),
                  linear, b->error));
    if (!b->pair->side[side].alpha)
        return ASSAY_OK;
    TRY(metric_plane(b, side, 3, &alpha));
    return light_blend_add(b->graph,
                           PASS_GRID(light_blend, w, h, .alpha = alpha, .above = *linear, .background = background),
                           linear, b->error);
}

int colour_linear_over(struct metric_build *b, enum graph_side side, const struct colour_options *o, float grey,
                       graph_plane *linear)
{
    const struct colour_curve curve = colour_curve_of(b->pair, side, o);
    if (format_is_float(&b->pair->format))
        return colour_add_floats(b, side, o, grey, linear);
    if (b->pair->side[side].alpha || curve.curve == CURVE_PARAMETERS)
        TRY(colour_add_blended(b, side, o, &curve, grey, linear));
    else
        TRY(colour_add_light(b, 0, side, o, &curve, false, linear));
    return colour_add_display(b, side, o, &curve, linear);
}

int colour_linear(struct metric_build *b, enum graph_side side, const struct colour_options *o, unsigned background,
                  graph_plane *linear)
{
    static const float grey[COLOUR_BACKGROUNDS] = {0.1f, 0.9f};
    return colour_linear_over(b, side, o, grey[background], linear);
}

int colour_xyb(struct metric_build *b, enum graph_side side, const struct colour_options *o, unsigned background,
               graph_plane *layers)
{
    const uint32_t w = b->pair->format.width, h = b->pair->format.height;
    const struct colour_curve curve = colour_curve_of(b->pair, side, o);
    float matrix[9];
    graph_plane light;
    if (!format_is_float(&b->pair->format) && !b->pair->side[side].alpha && curve.curve != CURVE_PARAMETERS &&
        colour_is_shown(b, side, o, &curve, matrix))
        return colour_add_light(b, 0, side, o, &curve, true, layers);
    TRY(colour_linear(b, side, o, background, &light));
    return xyb_add(b->graph,
                   PASS_GRID(xyb, w + w % 2, h + h % 2, .light = light, .width = (int32_t)w, .height = (int32_t)h),
                   layers, b->error);
}

struct colour_rgb colour_rgb_of(const struct metric_pair *pair, enum graph_side side, const struct colour_options *o)
{
    const assay_format *f = &pair->format;
    const bool full = colour_of(pair, side, o, COLOUR_RANGE) == ASSAY_RANGE_FULL;
    const struct colour_codes code = colour_codes_of(f, full, false), chroma = colour_codes_of(f, full, true);
    struct colour_rgb c = {.yuv = colour_has(f, COLOUR_MATRIX), .scale = code.scale, .offset = code.offset};
    if (!c.yuv)
        return c;
    const double *luma = colour_luma[colour_of(pair, side, o, COLOUR_MATRIX)], kr = luma[0], kb = luma[1],
                 kg = 1.0 - kr - kb, scale = (double)chroma.scale;
    c.sitings = colour_sitings_of(pair, side, o);
    c.zero = (float)(128u << (f->bit_depth - 8));
    c.red_cr = (float)(2.0 * (1.0 - kr) * scale);
    c.green_cb = (float)(-2.0 * kb * (1.0 - kb) / kg * scale);
    c.green_cr = (float)(-2.0 * kr * (1.0 - kr) / kg * scale);
    c.blue_cb = (float)(2.0 * (1.0 - kb) * scale);
    return c;
}

int colour_curve_light(struct metric_build *b, uint32_t age, enum graph_side side, const struct colour_options *o,
                       int curve, double gamma, graph_plane *light)
{
    return colour_add_light(b, age, side, o, &(struct colour_curve){curve, gamma, 1.0}, false, light);
}
