/* SPDX-License-Identifier: BSD-2-Clause */
/* ColorVideoVDP: how visible the differences of two videos or pictures on a display are. Definitions:
 * docs/metrics/cvvdp.md. */
#include <string.h>

#include "host/bits.h"
#include "host/colour.h"
#include "host/exact_math.h"
#include "metrics/colour.h"
#include "metrics/cvvdp_display.h"

enum { PICTURE_CHANNELS = 3, SIDES = 2, MOST_FPS = 120 };
enum { DISPLAY_AUTO = -1, DISPLAY_ALWAYS = -2 };

/* A sum over frames counts in units of 2^-SUM_BITS. */
enum { SUM_BITS = 40 };

/* The numbers of cvvdp_parameters.json, version 0.5.6. */
static const double EPSILON = 1e-5, SENSITIVITY = -0.2797423303127289 / 20.0, IMAGE = 0.577918291091919,
                    JOD_SLOPE = 0.0439569391310215, JOD_POWER = 0.9302042722702026, JOD_LINE = 0.1;
static const double gain[CVVDP_CHANNELS] = {1.0, 1.45, 1.0, 1.0},
                    weight[CVVDP_CHANNELS] = {1.0, 1.0, 1.0, 0.8081134557723999},
                    base_weight[CVVDP_CHANNELS] = {0.0036334486212581396, 1.6627724170684814, 4.11874532699585,
                                                   25.25969886779785};

struct cvvdp_options {
    char display[METRIC_TEXT], displays[METRIC_TEXT];
    double peak, contrast, black, ambient, reflectivity, exposure, ppd, fps;
    int transfer, padding;
    bool still, features;
    struct colour_options colour;
};

struct cvvdp_state {
    struct cvvdp_display display;
    struct cvvdp_light light;
    uint32_t channels, bands, width[CVVDP_BANDS], height[CVVDP_BANDS];
    double frequency[CVVDP_BANDS];
    struct cvvdp_mask_3_at picture[CVVDP_BANDS];
    struct cvvdp_mask_4_at video[CVVDP_BANDS];
    struct cvvdp_base_at base;
    double base_csf[CVVDP_CHANNELS][CVVDP_STEPS];
};

/* What codes mean. `auto` takes the display's word for it, and refuses codes that are tagged as another kind. */
static const struct metric_choice cvvdp_transfers[] = {
    {"auto", DISPLAY_AUTO}, {"display", DISPLAY_ALWAYS}, {"srgb", CURVE_SRGB}, {"linear", CURVE_LINEAR},
    {"pq", CURVE_PQ}, {"hlg", CURVE_HLG}, {NULL, 0},
};

/* The frames before a video's first one: the first again, or those behind it. A value is added to the age of inputs. */
static const struct metric_choice cvvdp_paddings[] = {
    {"replicate", GRAPH_OR_FIRST}, {"symmetric", GRAPH_OR_MIRRORED}, {NULL, 0},
};

#define OPTIONS struct cvvdp_options
static const struct metric_option options[] = {
    TEXT_OPTION(display, "display", NULL, "standard_4k", "the display's name (docs/metrics/cvvdp.md)"),
    TEXT_OPTION(displays, "displays", NULL, "", "a file of displays, as the reference program's display_models.json"),
    DOUBLE_OPTION(peak, "peak", 0, 0, 100000, "cd/m2 of the display's white; 0: as the display says"),
    DOUBLE_OPTION(contrast, "contrast", 0, 0, 1e9, "peak over black; 0: as the display says"),
    DOUBLE_OPTION(black, "black", -1, -1, 1000, "cd/m2 of the display's black; -1: as the display says"),
    DOUBLE_OPTION(ambient, "ambient", -1, -1, 100000, "lux of the room; -1: as the display says"),
    DOUBLE_OPTION(reflectivity, "reflectivity", -1, -1, 1, "of the screen; -1: as the display says"),
    DOUBLE_OPTION(exposure, "exposure", 0, 0, 1000, "factor of the pictures' light; 0: as the display says"),
    DOUBLE_OPTION(ppd, "ppd", 0, 0, 1000, "pixels per degree, from 1 on; 0: as the display says"),
    DOUBLE_OPTION(fps, "fps", 0, 0, MOST_FPS, "frames per second, where the inputs state none; 0: as they state"),
    CHOICE_OPTION(transfer, "transfer", DISPLAY_AUTO, cvvdp_transfers,
                  "what codes mean; auto: what the display says, and codes that are tagged as another kind (PQ, HLG, "
                  "linear light, others) are refused; display: what it says, whatever tags say"),
    CHOICE_OPTION(padding, "padding", GRAPH_OR_FIRST, cvvdp_paddings,
                  "before the first frame of a video: replicate: that frame; symmetric: those behind it, backwards"),
    FLAG_OPTION(still, "still", false, "each frame is a picture of its own"),
    FLAG_OPTION(features, "features", false, "also write the pooled difference of each channel and band"),
    CHOICE_OPTION(colour.matrix, "matrix", COLOUR_AUTO, colour_matrices, "of Y'CbCr; auto: as tagged, else bt709"),
    CHOICE_OPTION(colour.range, "range", COLOUR_AUTO, colour_ranges, "auto: as tagged, else limited, for RGB full"),
    CHOICE_OPTION(colour.chroma, "chroma", COLOUR_AUTO, colour_sitings,
                  "siting of 4:2:0 and 4:2:2; nearest: no filter; auto: as tagged, else left"),
};

enum { FIGURE, FRAME, SEQUENCE, FEATURES };
static const struct metric_output outputs[] = {
    [FIGURE] = {"cvvdp", "pictures: in JOD, 10 is equal", ASSAY_HIGHER},
    [FRAME] = {"cvvdp_frame", "video: of the frames that end with this one", ASSAY_HIGHER},
    [SEQUENCE] = {"cvvdp", "video, over the sequence: in JOD, 10 is equal", ASSAY_HIGHER},
    [FEATURES] = {"cvvdp_a_0 cvvdp_rg_0 cvvdp_yv_0 cvvdp_t_0", "features: of each band, 0 being the finest",
                  ASSAY_LOWER},
};
static const char *const channel_name[CVVDP_CHANNELS] = {"a", "rg", "yv", "t"};

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* The display of the options, as it is taken. */
static int cvvdp_look(const struct cvvdp_options *o, struct cvvdp_display *d, struct assay_error *e)
{
    TRY(cvvdp_display_find(o->display, o->displays, d, e));
    if (o->contrast > 0.0 && o->black >= 0.0)
        return assay_fail(e, ASSAY_EUSAGE, "cvvdp: contrast and black both say what the display's black is");
    d->peak = o->peak > 0.0 ? o->peak : d->peak;
    if (o->contrast > 0.0) {
        d->contrast = o->contrast;
        d->black = -1.0;
    }
    d->black = o->black >= 0.0 ? o->black : d->black;
    d->ambient = o->ambient >= 0.0 ? o->ambient : d->ambient;
    d->reflectivity = o->reflectivity >= 0.0 ? o->reflectivity : d->reflectivity;
    d->exposure = o->exposure > 0.0 ? o->exposure : d->exposure;
    d->ppd = o->ppd > 0.0 ? o->ppd : d->ppd;
    if (o->transfer >= 0)
        d->curve = o->transfer;
    return cvvdp_display_settle(d, e);
}

/* The colour of codes but for their curve and primaries, which are the display's. */
static struct colour_options cvvdp_colour(const struct cvvdp_options *o)
{
    struct colour_options colour = colour_by_tags(&o->colour);
    colour.transfer = TRANSFER_SRGB;
    colour.primaries = PRIMARIES_709;
    return colour;
}

/* The rate of the pair, which is that of both sides, where both state one. The options say it from there on, and so
 * does a part of a run. */
static int cvvdp_settle(struct metric *m, const struct metric_pair *pair, struct assay_error *e)
{
    struct cvvdp_options *o = m->options;
    const assay_format *ref = &pair->side[SIDE_REF], *dis = &pair->side[SIDE_DIS];
    o->still = o->still || pair->stills;
    if (o->still || o->fps > 0.0)
        return ASSAY_OK;
    const bool known[SIDES] = {ref->rate_num && ref->rate_den, dis->rate_num && dis->rate_den};
    if (known[0] && known[1] && (uint64_t)ref->rate_num * dis->rate_den != (uint64_t)dis->rate_num * ref->rate_den)
        return assay_fail(e, ASSAY_EMISMATCH, "cvvdp takes one frame rate, and the reference has %u/%u and the "
                          "distorted side %u/%u frames per second: -m cvvdp=fps= says it", ref->rate_num, ref->rate_den,
                          dis->rate_num, dis->rate_den);
    for (unsigned side = 0; side < SIDES && o->fps <= 0.0; side++)
        if (known[side])
            o->fps = (double)pair->side[side].rate_num / pair->side[side].rate_den;
    return ASSAY_OK;
}

static const char *cvvdp_curve_name(int curve)
{
    return curve == CURVE_PQ ? "PQ" : curve == CURVE_HLG ? "HLG" : curve == CURVE_LINEAR ? "linear light" : "sRGB";
}

/* Codes tagged as PQ, HLG or linear light are for a display that has that curve, and others for one of sRGB. */
static int cvvdp_tags_allow(const struct metric_pair *pair, const struct cvvdp_display *d, struct assay_error *e)
{
    char name[COLOUR_NAME];
    for (unsigned side = 0; side < SIDES; side++) {
        const assay_format *f = &pair->side[side];
        const int tag = colour_transfer(f), curve = tag == TRANSFER_PQ ? CURVE_PQ : tag == TRANSFER_HLG ? CURVE_HLG
                                                    : tag == TRANSFER_LINEAR ? CURVE_LINEAR : CURVE_SRGB;
        if (colour_tagged(f, COLOUR_TRANSFER) && curve != d->curve)
            return assay_fail(e, ASSAY_EUSAGE, "cvvdp: the %s picture is tagged as %s, and the display %s takes codes "
                              "as %s (cvvdp=transfer=display takes them so, cvvdp=display= names another one)",
                              side ? "distorted" : "reference", colour_name(f, COLOUR_TRANSFER, name), d->name,
                              cvvdp_curve_name(d->curve));
    }
    return ASSAY_OK;
}

static int cvvdp_allows(const struct metric_pair *pair, const void *opaque, struct assay_error *e)
{
    const struct cvvdp_options *o = opaque;
    const struct colour_options colour = cvvdp_colour(o);
    struct cvvdp_display display;
    TRY(cvvdp_look(o, &display, e));
    TRY(colour_allows(pair, &colour, "cvvdp", e));
    if (pair->format.alpha)
        return assay_fail(e, ASSAY_EUSAGE, "cvvdp is not defined for pictures with alpha");
    TRY(metric_needs_size(pair, "cvvdp", 2, e));
    if (o->transfer == DISPLAY_AUTO)
        TRY(cvvdp_tags_allow(pair, &display, e));
    if (o->still)
        return ASSAY_OK;
    if (!(o->fps > 0.0))
        return assay_fail(e, ASSAY_EUSAGE, "cvvdp needs the frame rate, and neither input states one: -m cvvdp=fps=25 "
                          "does, and -m cvvdp=still takes each frame as a picture of its own");
    if (o->fps > MOST_FPS)
        return assay_fail(e, ASSAY_EUSAGE, "cvvdp takes up to %d frames per second, not %g", MOST_FPS, o->fps);
    return ASSAY_OK;
}

/* ---- passes ------------------------------------------------------------------------------------------------------ */

/* DKL of a side of HLG, whose light depends on the luminance. */
static int cvvdp_add_hlg(struct metric_build *b, enum graph_side side, uint32_t age, graph_plane *dkl)
{
    static const float same[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const struct cvvdp_options *o = b->metric->options;
    const struct cvvdp_state *s = b->metric->state;
    const struct colour_options colour = cvvdp_colour(o);
    const uint32_t w = b->pair->format.width, h = b->pair->format.height;
    graph_plane light;
    TRY(colour_curve_light(b, age, side, &colour, CURVE_HLG, 0.0, &light));
    TRY(linear_display_add(b->graph,
                           PASS_GRID(linear_display, w, h, .light = light, .matrix = &same,
                                     .system_gamma = s->light.system_gamma, .gain = 1.0f, .most = 1.0f),
                           &light, b->error));
    return cvvdp_dkl_add(b->graph,
                         PASS_GRID(cvvdp_dkl, w, h, .light = light, .matrix = &s->light.matrix, .low = s->light.low,
                                   .high = s->light.high, .added = s->light.added),
                         dkl, b->error);
}

/* DKL of a side. `back`: frames before the one that is scored. */
static int cvvdp_add_dkl(struct metric_build *b, enum graph_side side, uint32_t back, graph_plane *dkl)
{
    const struct cvvdp_options *o = b->metric->options;
    const struct cvvdp_state *s = b->metric->state;
    const struct colour_options colour = cvvdp_colour(o);
    const struct colour_rgb c = colour_rgb_of(b->pair, side, &colour);
    const uint32_t w = b->pair->format.width, h = b->pair->format.height, age = back ? (uint32_t)o->padding + back : 0;
    const int32_t how = CVVDP_HOW(c.sitings, s->display.curve, s->display.wide);
    graph_plane plane[3];
    if (s->display.curve == CURVE_HLG)
        return cvvdp_add_hlg(b, side, age, dkl);
    for (uint32_t i = 0; i < 3; i++)
        TRY(metric_plane_before(b, age, side, b->pair->format.layout == ASSAY_LAYOUT_400 ? 0 : i, &plane[i]));
    if (!c.yuv)
        return cvvdp_rgb_add(b->graph,
                             PASS_GRID(cvvdp_rgb, w, h, .red = plane[0], .green = plane[1], .blue = plane[2],
                                       .how = how, .low = s->light.low, .high = s->light.high,
                                       .added = s->light.added, .gain = s->light.gain, .scale = c.scale,
                                       .offset = c.offset),
                             dkl, b->error);
    return cvvdp_yuv_add(b->graph,
                         PASS_GRID(cvvdp_yuv, w, h, .luma = plane[0], .cb = plane[1], .cr = plane[2], .how = how,
                                   .low = s->light.low, .high = s->light.high, .added = s->light.added,
                                   .gain = s->light.gain, .luma_scale = c.scale, .luma_offset = c.offset,
                                   .zero = c.zero, .red_cr = c.red_cr, .green_cb = c.green_cb,
                                   .green_cr = c.green_cr, .blue_cb = c.blue_cb),
                         dkl, b->error);
}

/* The channels of a side: DKL of a picture; of video sums over a window of frames, of which this one is the last. */
static int cvvdp_add_channels(struct metric_build *b, enum graph_side side, graph_plane *channels)
{
    const struct cvvdp_options *o = b->metric->options;
    const uint32_t w = b->pair->format.width, h = b->pair->format.height;
    float tap[CVVDP_TAPS][CVVDP_CHANNELS];
    graph_plane early, late;
    if (o->still)
        return cvvdp_add_dkl(b, side, 0, channels);
    const uint32_t taps = cvvdp_taps(o->fps, tap), middle = taps - 1;
    b->metric->before = 2 * middle;
    TRY(cvvdp_add_dkl(b, side, middle, channels));
    for (uint32_t u = 1; u < taps; u++) {
        TRY(cvvdp_add_dkl(b, side, middle + u, &early));
        TRY(cvvdp_add_dkl(b, side, middle - u, &late));
        if (u == 1)
            TRY(cvvdp_first_add(b->graph,
                                PASS_GRID(cvvdp_first, w, h, .middle = *channels, .early = early, .late = late,
                                          .tap = &tap[0], .beside = &tap[1]),
                                channels, b->error));
        else
            TRY(cvvdp_taps_add(b->graph,
                               PASS_GRID(cvvdp_taps, w, h, .before = *channels, .early = early, .late = late,
                                         .tap = &tap[u]),
                               channels, b->error));
    }
    return ASSAY_OK;
}

static int cvvdp_add_level(struct metric_build *b, uint32_t level, graph_plane fine, graph_plane *coarse)
{
    const struct cvvdp_state *s = b->metric->state;
    const uint32_t w = s->width[level - 1], h = s->height[level - 1];
    const int32_t tail = w % 2 == h % 2 ? CVVDP_TAIL_SAME : h % 2 ? CVVDP_TAIL_MORE : CVVDP_TAIL_LESS;
    const struct cvvdp_reduce_pass pass = PASS_GRID(cvvdp_reduce, s->width[level], s->height[level], .fine = fine,
                                                    .tail = tail);
    return (s->channels == CVVDP_CHANNELS ? cvvdp_reduce_4_add : cvvdp_reduce_3_add)(b->graph, pass, coarse, b->error);
}

/* The table of a band: log2 of the sensitivity, with the gain of the channel, and twice that but for the finest. The
 * coarsest level has neither. */
static int cvvdp_add_table(struct metric_build *b, uint32_t band, graph_plane *table)
{
    const struct cvvdp_state *s = b->metric->state;
    const double log2_10 = assay_log2(10.0);
    float rows[CVVDP_CHANNELS][CVVDP_STEPS];
    double row[CVVDP_STEPS];
    for (unsigned c = 0; c < s->channels; c++) {
        cvvdp_csf_row(c, s->frequency[band], row);
        for (unsigned i = 0; i < CVVDP_STEPS; i++)
            rows[c][i] = (float)((row[i] + SENSITIVITY) * log2_10 +
                                 (band + 1 == s->bands ? 0.0 : assay_log2(gain[c]) + (band ? 1.0 : 0.0)));
    }
    return graph_table(b->graph, rows, sizeof rows[0], SAMPLE_F32, CVVDP_STEPS, s->channels, table, b->error);
}

static int cvvdp_add_band(struct metric_build *b, uint32_t band, const graph_plane level[SIDES],
                          const graph_plane below[SIDES], graph_plane *errors)
{
    struct cvvdp_state *s = b->metric->state;
    const uint32_t w = s->width[band], h = s->height[band];
    const bool video = s->channels == CVVDP_CHANNELS;
    graph_plane table, sensed, pair;
    TRY(cvvdp_add_table(b, band, &table));
    const struct cvvdp_sensed_pass ref =
        PASS_GRID(cvvdp_sensed, w, h, .level = level[SIDE_REF], .below = below[SIDE_REF], .table = table,
                  .scale = (float)(cvvdp_csf_scale() / assay_log2(10.0)), .offset = (float)cvvdp_csf_offset());
    TRY((video ? cvvdp_sensed_4_add : cvvdp_sensed_3_add)(b->graph, ref, &sensed, b->error));
    const struct cvvdp_pair_pass both = PASS_GRID(cvvdp_pair, w, h, .level = level[SIDE_DIS], .below = below[SIDE_DIS],
                                                  .sensed = sensed);
    TRY((video ? cvvdp_pair_4_add : cvvdp_pair_3_add)(b->graph, both, &pair, b->error));
    const struct cvvdp_mask_pass mask = PASS_GRID(cvvdp_mask, w, h, .pair = pair, .blur = w > 6 && h > 6);
    if (b->maps)
        TRY((video ? cvvdp_mask_map_4_add : cvvdp_mask_map_3_add)(b->graph, mask, errors, b->error));
    return video ? cvvdp_mask_4_add(b->graph, mask, &s->video[band], b->error)
                 : cvvdp_mask_3_add(b->graph, mask, &s->picture[band], b->error);
}

/* The differences of the coarsest level, for the map: figures take theirs from the host. */
static int cvvdp_add_coarse(struct metric_build *b, const graph_plane level[SIDES], graph_plane *errors)
{
    const struct cvvdp_state *s = b->metric->state;
    const uint32_t w = s->width[s->bands - 1], h = s->height[s->bands - 1];
    const bool video = s->channels == CVVDP_CHANNELS;
    const float share = (float)(1.0 / ((double)w * h));
    graph_plane sums, table, sensed;
    TRY(cvvdp_add_table(b, s->bands - 1, &table));
    TRY(cvvdp_means_add(b->graph,
                        PASS_GRID(cvvdp_means, w, 1, .ref = level[SIDE_REF], .dis = level[SIDE_DIS],
                                  .rows = (int32_t)h),
                        &sums, b->error));
    const struct cvvdp_ref_pass ref =
        PASS_GRID(cvvdp_ref, w, h, .level = level[SIDE_REF], .sums = sums, .table = table, .share = share,
                  .scale = (float)(cvvdp_csf_scale() / assay_log2(10.0)), .offset = (float)cvvdp_csf_offset());
    TRY((video ? cvvdp_ref_4_add : cvvdp_ref_3_add)(b->graph, ref, &sensed, b->error));
    return (video ? cvvdp_coarse_4_add : cvvdp_coarse_3_add)(
        b->graph, PASS_GRID(cvvdp_coarse, w, h, .level = level[SIDE_DIS], .sums = sums, .sensed = sensed,
                            .share = share), errors, b->error);
}

/* The map, from the coarsest level up. */
static int cvvdp_add_map(struct metric_build *b, const graph_plane errors[CVVDP_BANDS])
{
    struct cvvdp_state *s = b->metric->state;
    const bool video = s->channels == CVVDP_CHANNELS;
    graph_plane map = 0;
    for (uint32_t band = s->bands; band--;) {
        const bool base = band + 1 == s->bands;
        const float share = band && !base ? 0.5f : 1.0f;
        float factor[CVVDP_CHANNELS] = {0};
        for (unsigned c = 0; c < s->channels; c++)
            factor[c] = (float)(weight[c] * (base ? base_weight[c] : 1.0) * (video ? 1.0 : IMAGE));
        const uint32_t w = s->width[band], h = s->height[band];
        const struct cvvdp_top_pass top = PASS_GRID(cvvdp_top, w, h, .errors = errors[band], .weight = &factor,
                                                    .share = share, .last = !band);
        const struct cvvdp_map_pass more = PASS_GRID(cvvdp_map, w, h, .errors = errors[band], .below = map,
                                                     .weight = &factor, .share = share, .last = !band);
        if (base)
            TRY((video ? cvvdp_top_4_add : cvvdp_top_3_add)(b->graph, top, &map, b->error));
        else
            TRY((video ? cvvdp_map_4_add : cvvdp_map_3_add)(b->graph, more, &map, b->error));
    }
    TRY(metric_add_map(b, "cvvdp", map, 0.1));
    b->metric->maps[b->metric->n_maps - 1].colours = ASSAY_COLOURS_THRESHOLD;
    return ASSAY_OK;
}

static int cvvdp_add_passes(struct metric_build *b, graph_plane errors[CVVDP_BANDS])
{
    struct cvvdp_state *s = b->metric->state;
    graph_plane level[SIDES], below[SIDES];
    for (unsigned side = 0; side < SIDES; side++)
        TRY(cvvdp_add_channels(b, side, &level[side]));
    for (uint32_t band = 0; band + 1 < s->bands; band++) {
        for (unsigned side = 0; side < SIDES; side++)
            TRY(cvvdp_add_level(b, band + 1, level[side], &below[side]));
        TRY(cvvdp_add_band(b, band, level, below, &errors[band]));
        memcpy(level, below, sizeof level);
    }
    const uint32_t last = s->bands - 1;
    if (b->maps)
        TRY(cvvdp_add_coarse(b, level, &errors[last]));
    return cvvdp_base_add(b->graph,
                          PASS_GRID(cvvdp_base, s->width[last], s->height[last] * s->channels, .ref = level[SIDE_REF],
                                    .dis = level[SIDE_DIS]),
                          &s->base, b->error);
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

/* The reference program's own words about the display, and what is assumed of the codes. */
static void cvvdp_note(struct metric_build *b)
{
    const struct cvvdp_options *o = b->metric->options;
    const struct cvvdp_display *d = &((const struct cvvdp_state *)b->metric->state)->display;
    const struct colour_options colour = cvvdp_colour(o);
    char assumed[METRIC_NOTE_SIZE];
    colour_note(b, &colour);
    memcpy(assumed, b->metric->note, sizeof assumed);
    metric_note(b, "ColorVideoVDP v0.5.6, %.4g [pix/deg], Lpeak=%.5g, Lblack=%.4g, Lrefl=%.4g [cd/m^2], (%s); codes "
                "are shown by the display's curve, %s, and with its primaries, %s, whatever they are tagged as%s%.300s",
                d->ppd, d->peak, d->black, cvvdp_reflected(d), d->name, cvvdp_curve_name(d->curve),
                colour_primaries_name[d->wide ? PRIMARIES_2020 : PRIMARIES_709], *assumed ? "; " : "", assumed);
}

static int cvvdp_add_keys(struct metric_build *b)
{
    const struct cvvdp_options *o = b->metric->options;
    const struct cvvdp_state *s = b->metric->state;
    TRY(metric_add_key(b, &outputs[o->still ? FIGURE : FRAME], o->still ? "cvvdp" : "cvvdp_frame"));
    for (unsigned c = 0; c < s->channels && o->features; c++)
        for (uint32_t band = 0; band < s->bands; band++)
            TRY(metric_add_key(b, &outputs[FEATURES], "cvvdp_%s_%u", channel_name[c], band));
    if (o->still)
        return ASSAY_OK;
    TRY(metric_add_accumulator(b, "squares"));
    TRY(metric_add_accumulator(b, "picture"));
    return metric_add_aggregate(b, &outputs[SEQUENCE], "cvvdp");
}

static int cvvdp_build(struct metric_build *b)
{
    const struct cvvdp_options *o = b->metric->options;
    struct cvvdp_state *s = b->metric->state;
    graph_plane errors[CVVDP_BANDS];
    TRY(cvvdp_look(o, &s->display, b->error));
    s->light = cvvdp_light_of(&s->display);
    s->channels = o->still ? PICTURE_CHANNELS : CVVDP_CHANNELS;
    s->width[0] = b->pair->format.width;
    s->height[0] = b->pair->format.height;
    s->bands = cvvdp_bands(s->display.ppd, b->pair->whole_width, b->pair->whole_height, s->frequency);
    for (uint32_t band = 1; band < s->bands; band++) {
        s->width[band] = (s->width[band - 1] + 1) / 2;
        s->height[band] = (s->height[band - 1] + 1) / 2;
    }
    for (unsigned c = 0; c < s->channels; c++)
        cvvdp_csf_row(c, s->frequency[s->bands - 1], s->base_csf[c]);
    TRY(cvvdp_add_passes(b, errors));
    if (b->maps)
        TRY(cvvdp_add_map(b, errors));
    cvvdp_note(b);
    return cvvdp_add_keys(b);
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

/* (x + e)^4 - e^4 and back: 0 for 0. */
static double cvvdp_fourth(double x)
{
    const double a = (x + EPSILON) * (x + EPSILON), b = EPSILON * EPSILON;
    return a * a - b * b;
}

static double cvvdp_root(double x)
{
    return assay_sqrt(x + EPSILON) - assay_sqrt(EPSILON);
}

static double cvvdp_fourth_root(double x)
{
    return assay_sqrt(assay_sqrt(x + EPSILON)) - assay_sqrt(assay_sqrt(EPSILON));
}

static double cvvdp_jod(double q)
{
    if (q > JOD_LINE)
        return 10.0 - JOD_SLOPE * assay_pow(q, JOD_POWER);
    return 10.0 - JOD_SLOPE * assay_pow(JOD_LINE, JOD_POWER - 1.0) * q;
}

/* A value of the coarsest level: of the reference in the low half of a word, of the distorted side in the high half. */
static double cvvdp_base_value(int64_t word, unsigned side)
{
    return (double)float_of_bits((uint32_t)((uint64_t)word >> (side ? 32 : 0)));
}

/* The pooled difference of each channel at the coarsest level. */
static void cvvdp_pool_base(const struct cvvdp_state *s, const int64_t *totals, double q[CVVDP_CHANNELS])
{
    const int64_t *word = cvvdp_base_words(s->base, totals);
    const uint64_t n = (uint64_t)s->width[s->bands - 1] * s->height[s->bands - 1];
    double light[SIDES];
    for (unsigned side = 0; side < SIDES; side++) {
        double sum = 0.0;
        for (uint64_t i = 0; i < n; i++) {
            const double v = cvvdp_base_value(word[i], side);
            sum = sum + (v > 0.01 ? v : 0.01);
        }
        light[side] = sum / (double)n;
    }
    for (unsigned c = 0; c < s->channels; c++) {
        const double csf = assay_pow(10.0, cvvdp_csf_at(s->base_csf[c], light[SIDE_REF]) + SENSITIVITY);
        double sum = 0.0;
        for (uint64_t i = 0; i < n; i++) {
            const double ref = cvvdp_base_value(word[c * n + i], SIDE_REF) / light[SIDE_REF],
                         dis = cvvdp_base_value(word[c * n + i], SIDE_DIS) / light[SIDE_DIS],
                         far = (dis < 1000.0 ? dis : 1000.0) - (ref < 1000.0 ? ref : 1000.0),
                         d = (far < 0.0 ? -far : far) * csf;
            sum = sum + d * (d + 2.0 * EPSILON);
        }
        q[c] = cvvdp_root(sum / (double)n);
    }
}

/* The pooled difference of each channel of a band. */
static void cvvdp_pool(const struct cvvdp_state *s, uint32_t band, const int64_t *totals, double q[CVVDP_CHANNELS])
{
    const double n = (double)s->width[band] * (double)s->height[band];
    if (s->channels == CVVDP_CHANNELS) {
        const struct cvvdp_mask_4_totals t = cvvdp_mask_4_totals(s->video[band], totals);
        for (unsigned c = 0; c < CVVDP_CHANNELS; c++)
            q[c] = cvvdp_root(METRIC_JOIN(t.error[c], CVVDP_MASK_SCALE) / n);
    } else {
        const struct cvvdp_mask_3_totals t = cvvdp_mask_3_totals(s->picture[band], totals);
        for (unsigned c = 0; c < PICTURE_CHANNELS; c++)
            q[c] = cvvdp_root(METRIC_JOIN(t.error[c], CVVDP_MASK_SCALE) / n);
    }
}

static assay_i128 cvvdp_units(double v)
{
    return (assay_i128)assay_floor(v * assay_power_of_two(SUM_BITS) + 0.5);
}

static void cvvdp_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct cvvdp_options *o = m->options;
    const struct cvvdp_state *s = m->state;
    double q[CVVDP_CHANNELS], bands[CVVDP_CHANNELS] = {0}, picture = 0.0, all = 0.0;
    for (uint32_t band = 0; band < s->bands; band++) {
        const bool base = band + 1 == s->bands;
        if (base)
            cvvdp_pool_base(s, totals, q);
        else
            cvvdp_pool(s, band, totals, q);
        for (unsigned c = 0; c < s->channels; c++) {
            bands[c] = bands[c] + cvvdp_fourth(weight[c] * (base ? base_weight[c] : 1.0) * q[c]);
            if (o->features)
                values[1 + c * s->bands + band] = q[c];
        }
    }
    for (unsigned c = 0; c < s->channels; c++) {
        all = all + cvvdp_fourth(cvvdp_fourth_root(bands[c]));
        picture = c + 1 == PICTURE_CHANNELS ? all : picture;
    }
    all = cvvdp_fourth_root(all);
    picture = IMAGE * cvvdp_fourth_root(picture);
    values[0] = cvvdp_jod(o->still ? picture : all);
    if (o->still)
        return;
    accumulators[0] += cvvdp_units(all * all + 2.0 * EPSILON * all);
    accumulators[1] += cvvdp_units(picture);
}

/* A video of one frame is a picture. */
static void cvvdp_finish(const struct metric *m, uint64_t frames, const assay_i128 *accumulators, double *aggregates)
{
    const struct cvvdp_options *o = m->options;
    const double unit = assay_power_of_two(-SUM_BITS);
    if (!o->still)
        aggregates[0] = cvvdp_jod(frames == 1 ? i128_to_double(accumulators[1]) * unit
                                              : cvvdp_root(i128_to_double(accumulators[0]) * unit / (double)frames));
}

const struct metric_ops metric_cvvdp = {
    .name = "cvvdp", .summary = "how visible differences are on a display (ColorVideoVDP), in JOD",
    METRIC_PARTS(cvvdp, options, outputs),
    .of_colour = true, .of_display = true, .slow = true, .settle = cvvdp_settle, .allows = cvvdp_allows,
    .build = cvvdp_build, .frame = cvvdp_frame, .finish = cvvdp_finish,
};
