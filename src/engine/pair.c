/* SPDX-License-Identifier: BSD-2-Clause */
/* The frame pair as metrics see it, and the formats that no metric can take. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/session.h"
#include "host/colour.h"
#include "host/depth.h"
#include "host/format.h"

/* Integer weights of luma of full-range RGB, in units of 2^-16. They sum to exactly 2^16. */
static const struct { const char *name; int32_t weight[3]; } rgb_matrix[] = {
    {"bt709", {13933, 46871, 4732}},  /* 0.2126 0.7152 0.0722, ITU-R BT.709 */
    {"bt601", {19595, 38470, 7471}},  /* 0.299 0.587 0.114, ITU-R BT.601 */
};

bool session_rgb_matrix(const char *name)
{
    bool known = false;
    for (unsigned i = 0; i < sizeof rgb_matrix / sizeof rgb_matrix[0]; i++)
        known |= !strcmp(name, rgb_matrix[i].name);
    return known;
}

static int rgb_conversion(struct metric_pair *pair, const assay_config *config, struct assay_error *e)
{
    for (unsigned i = 0; i < sizeof rgb_matrix / sizeof rgb_matrix[0]; i++) {
        if (strcmp(config->rgb_matrix, rgb_matrix[i].name))
            continue;
        const uint32_t depth = pair->format.bit_depth, peak = (1u << depth) - 1, span = 219u << (depth - 8);
        const bool limited = config->rgb_range == ASSAY_RANGE_LIMITED;
        pair->rgb_to_luma = pair->has_luma = true;
        pair->rgb_offset = limited ? (int32_t)(16u << (depth - 8)) : 0;
        for (unsigned c = 0; c < 3; c++) {
            const int64_t w = rgb_matrix[i].weight[c];
            pair->rgb_weight[c] = (int32_t)(limited ? (w * span + peak / 2) / peak : w);
        }
        return ASSAY_OK;
    }
    return assay_fail(e, ASSAY_EUSAGE, "no RGB matrix is called '%s' (bt709, bt601)", config->rgb_matrix);
}

/* Whether the parameters of a side's colour are within the ranges that assay.h states. */
static bool parameters_fit(const assay_format *f)
{
    const double *c = f->curve;
    double matrix[9];
    const bool curve = colour_transfer(f) == TRANSFER_CURVE;
    bool fit = !curve || (c[0] >= 0.125 && c[0] <= 8.0 && c[4] >= 0.0 && c[4] <= 1.0 && c[1] + c[2] <= 2.0);
    for (unsigned i = 1; curve && i < 7; i++)
        fit = fit && c[i] >= -2.0 && c[i] <= 2.0;
    fit = fit && (colour_primaries(f) != PRIMARIES_MATRIX || !colour_to_bt709(f, matrix, NULL));
    return fit && f->alpha <= 1 && (!f->gamma || (f->gamma >= 12500 && f->gamma <= 1000000));
}

static int check_floats(const assay_format *side, const assay_config *config, const char *name, struct assay_error *e)
{
    if (side->layout != ASSAY_LAYOUT_RGB && side->layout != ASSAY_LAYOUT_400)
        return assay_fail(e, ASSAY_EUSAGE, "pictures of floats are RGB or grey (the %s format)", name);
    if (colour_transfer(side) != TRANSFER_LINEAR || side->range == ASSAY_RANGE_LIMITED)
        return assay_fail(e, ASSAY_EUSAGE, "pictures of floats are linear light, a transfer of 8, with full range (the "
                          "%s format)", name);
    if (!(side->light_largest >= 0.0 && side->light_largest < HUGE_VAL && side->light_median >= 0.0 &&
          side->light_median <= side->light_largest))
        return assay_fail(e, ASSAY_EUSAGE, "the light of the %s format is none that assay_floats_light measures", name);
    if (config->scale || config->gpu_sides)
        return assay_fail(e, ASSAY_EUSAGE, "pictures of floats are neither scaled nor on a device");
    return ASSAY_OK;
}

static int check_side(const assay_format *side, const assay_format *format, const assay_config *config,
                      const char *name, struct assay_error *e)
{
    if (side->range > ASSAY_RANGE_FULL || side->chroma_location > ASSAY_CHROMA_BOTTOM ||
        side->field_order > ASSAY_FIELD_MIXED)
        return assay_fail(e, ASSAY_EUSAGE, "the range, chroma location or field order of the %s format is unknown to "
                          "assay.h", name);
    for (unsigned i = 0; i < sizeof side->reserved / sizeof side->reserved[0]; i++)
        if (side->reserved[i])
            return assay_fail(e, ASSAY_EUSAGE, "a reserved field of the %s format is not 0", name);
    if (!parameters_fit(side))
        return assay_fail(e, ASSAY_EUSAGE, "the alpha, gamma, curve or to_bt709 of the %s format is out of its range",
                          name);
    if (format_is_float(side))
        TRY(check_floats(side, config, name, e));
    else if (side->bit_depth < 8 || side->bit_depth > 16)
        return assay_fail(e, ASSAY_EUSAGE, "samples have 8 to 16 bits, not %u", side->bit_depth);
    if (side->layout <= ASSAY_LAYOUT_UNKNOWN || side->layout > ASSAY_LAYOUT_RGB)
        return assay_fail(e, ASSAY_EUSAGE, "the pictures' layout is not stated");
    if (!config->scale && (side->width != format->width || side->height != format->height))
        return assay_fail(e, ASSAY_EMISMATCH, "the format of the distorted pictures has another size, %ux%u against "
                          "%ux%u; this needs scale", format->width, format->height, side->width, side->height);
    if (!side->width || !side->height || side->width > FORMAT_MAX_SIDE || side->height > FORMAT_MAX_SIDE)
        return assay_fail(e, ASSAY_EUSAGE, "pictures are 1x1 to 65535x65535, not %ux%u", side->width, side->height);
    return ASSAY_OK;
}

/* ---- two layouts or depths --------------------------------------------------------------------------------------- */

static const char *const layout_name[] = {
    [ASSAY_LAYOUT_400] = "4:0:0", [ASSAY_LAYOUT_420] = "4:2:0", [ASSAY_LAYOUT_422] = "4:2:2",
    [ASSAY_LAYOUT_444] = "4:4:4", [ASSAY_LAYOUT_411] = "4:1:1", [ASSAY_LAYOUT_RGB] = "RGB"};

void session_differences(const struct metric_pair *pair, char text[SESSION_DIFFERENCES])
{
    const assay_format *a = &pair->given[0], *b = &pair->given[1];
    char layout[SESSION_DIFFERENCES / 2] = "", depth[SESSION_DIFFERENCES / 2] = "";
    if (a->layout != b->layout)
        snprintf(layout, sizeof layout, "layout: %s against %s: only luma is compared", layout_name[a->layout],
                 layout_name[b->layout]);
    if (a->bit_depth != b->bit_depth)
        snprintf(depth, sizeof depth, "bit depth: %u bits against %u bits: %s", a->bit_depth, b->bit_depth,
                 depth_rule(colour_range(a->bit_depth < b->bit_depth ? a : b) == ASSAY_RANGE_FULL));
    snprintf(text, SESSION_DIFFERENCES, "%s%s%s", layout, layout[0] && depth[0] ? "\n" : "", depth);
}

/* The form in which the two are compared: luma alone of two layouts of YUV, and the larger depth. */
static int join_sides(struct metric_pair *pair, const assay_config *config, struct assay_error *e)
{
    const assay_format *a = &pair->given[0], *b = &pair->given[1];
    const bool layout = a->layout != b->layout, depth = a->bit_depth != b->bit_depth;
    if (format_is_float(a) != format_is_float(b) || (format_is_float(a) && layout))
        return assay_fail(e, ASSAY_EMISMATCH, "pictures of floats are compared with pictures of floats that have the "
                          "same channels");
    if (layout && (a->layout == ASSAY_LAYOUT_RGB || b->layout == ASSAY_LAYOUT_RGB))
        return assay_fail(e, ASSAY_EMISMATCH, "the layouts of the two sides differ, %s against %s: RGB and YUV have no "
                          "plane in common", layout_name[a->layout], layout_name[b->layout]);
    if ((layout && !config->allow_format) || (depth && !config->allow_depth)) {
        char differences[SESSION_DIFFERENCES];
        session_differences(pair, differences);
        for (char *at = differences; (at = strchr(at, '\n')); )
            *at = ',';
        return assay_fail(e, ASSAY_EMISMATCH, "the two sides differ: %s; this needs%s%s%s", differences,
                          layout ? " allow_format" : "", layout && depth ? " and" : "", depth ? " allow_depth" : "");
    }
    const uint32_t bits = a->bit_depth > b->bit_depth ? a->bit_depth : b->bit_depth;
    assay_format *const joined[] = {&pair->format, &pair->side[0], &pair->side[1]};
    for (unsigned i = 0; i < sizeof joined / sizeof joined[0]; i++) {
        joined[i]->bit_depth = bits;
        joined[i]->layout = layout ? ASSAY_LAYOUT_400 : joined[i]->layout;
    }
    return ASSAY_OK;
}

/* What is compared has one size; what a frame holds has the sizes of the pictures. */
static void set_sizes(struct metric_pair *pair, const assay_config *config)
{
    const bool stated = config->scale && config->scale_width;
    const uint32_t width = stated ? config->scale_width : pair->format.width,
                   height = stated ? config->scale_height : pair->format.height;
    assay_format *const compared[] = {&pair->format, &pair->side[0], &pair->side[1]};
    memcpy(pair->held, pair->side, sizeof pair->held);
    for (unsigned i = 0; i < sizeof compared / sizeof compared[0]; i++) {
        compared[i]->width = width;
        compared[i]->height = height;
    }
    pair->whole_width = width;
    pair->whole_height = height;
}

int session_pair(struct metric_pair *pair, const assay_config *config, uint32_t encode, const assay_format *format,
                 struct assay_error *e)
{
    const assay_format *distorted = config->distorted ? &config->distorted[encode] : format;
    TRY(session_check_scale(config, e));
    *pair = (struct metric_pair){.format = *format, .has_luma = format->layout != ASSAY_LAYOUT_RGB,
                                 .side = {*format, *distorted}, .given = {*format, *distorted},
                                 .allow_colour = config->allow_colour != 0, .stills = config->stills != 0};
    pair->format.alpha = pair->side[0].alpha || pair->side[1].alpha;
    for (unsigned side = 0; side < 2; side++)
        TRY(check_side(&pair->given[side], format, config, side ? "distorted" : "reference", e));
    TRY(join_sides(pair, config, e));
    set_sizes(pair, config);
    if (format->layout == ASSAY_LAYOUT_RGB && config->rgb_matrix && !format_is_float(format))
        return rgb_conversion(pair, config, e);
    return ASSAY_OK;
}

/* ---- several encodes --------------------------------------------------------------------------------------------- */

uint32_t session_encodes(const assay_config *config)
{
    return config->encodes ? config->encodes : 1;
}

const char *session_prefix(uint32_t encodes, uint32_t encode, char text[SESSION_PREFIX])
{
    text[0] = 0;
    if (encodes > 1)
        snprintf(text, SESSION_PREFIX, "encode %u: ", encode);
    return text;
}

int session_each_encode(const assay_config *config, int (*what)(void *opaque, uint32_t encode, struct assay_error *e),
                        void *opaque, struct assay_error *e)
{
    const uint32_t encodes = session_encodes(config);
    if (encodes > ASSAY_ENCODES)
        return assay_fail(e, ASSAY_EUSAGE, "a session compares at most %d encodes, not %u", ASSAY_ENCODES, encodes);
    for (uint32_t k = 0; k < encodes; k++) {
        struct assay_error why = {0};
        char prefix[SESSION_PREFIX];
        const int rc = what(opaque, k, &why);
        if (rc)
            return assay_fail(e, rc, "%s%s", session_prefix(encodes, k, prefix), why.text);
    }
    return ASSAY_OK;
}

/* The side of the frame that holds the reference as an encode's pair has it: of the pair's depth. Where it is new, it
 * is the next one. Layouts need no forms: luma alone is a plane of all of them. */
static uint32_t find_form(const struct assay_session *s, const assay_format *held)
{
    for (uint32_t side = s->encodes + 1; side < s->sides; side++)
        if (s->side[side].held.bit_depth == held->bit_depth)
            return side;
    return s->sides;
}

/* Side 0 is the form that is the application's picture itself, where there is one. */
static void choose_first_form(struct assay_session *s)
{
    const bool on_device = s->side[0].on_device;
    uint32_t first = s->encodes + 1;
    for (uint32_t side = first; side < s->sides; side++)
        if (s->side[side].held.bit_depth == s->side[side].given.bit_depth &&
            s->side[side].held.layout == s->side[side].given.layout)
            first = side;
    s->side[0] = s->side[first];
    s->side[0].on_device = on_device;
    s->side[first] = s->side[--s->sides];
    for (uint32_t k = 0; k < s->encodes; k++) {
        uint32_t *of = &s->encode[k].reference;
        *of = *of == first ? 0 : *of == s->sides ? first : *of;
    }
}

int session_choose_sides(struct assay_session *s, struct assay_error *e)
{
    s->sides = s->encodes + 1;
    for (uint32_t k = 0; k < s->encodes; k++) {
        const struct metric_pair *pair = &s->encode[k].pair;
        const uint32_t form = s->encode[k].reference = find_form(s, &pair->held[0]);
        const bool first = form == s->sides;
        struct session_side *reference = &s->side[form];
        s->sides += first;
        s->side[k + 1].given = pair->given[1];
        s->side[k + 1].held = pair->held[1];
        reference->given = pair->given[0];
        if (first || reference->held.layout == ASSAY_LAYOUT_400) /* with chroma, if an encode needs it */
            reference->held = pair->held[0];
    }
    choose_first_form(s);
    for (uint32_t side = 0; side < s->sides; side++)
        TRY(recode_init(&s->side[side].recode, &s->side[side].given, &s->side[side].held, e));
    return ASSAY_OK;
}
