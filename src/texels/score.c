/* SPDX-License-Identifier: BSD-2-Clause */
#include "texels/score.h"

#include <stdlib.h>
#include <string.h>

#include "host/fpenv.h"

enum { GREY = 1, RGB = 7, TRANSFER_SRGB = 13, TRANSFER_OTHER = 255, PRIMARIES_709 = 1, MATRIX_UNKNOWN = 2, SLOTS = 2 };

/* ---- what metrics are told of a pair ------------------------------------------------------------------------------------ */

static uint32_t depth_of(const struct texel_format *f)
{
    return texel_is_codes(f) ? f->bits[0] : 16;
}

int score_format(const struct texel_pair *pair, const assay_image_colour *colour, assay_format *format, struct assay_error *e)
{
    static const assay_image_colour none = {0};
    const struct texel_format *f = pair->format[0];
    const uint32_t colours = texel_channels(f) & RGB;
    if (!colour)
        colour = &none;
    if (colours != GREY && colours != RGB)
        return assay_fail(e, ASSAY_EUSAGE, "%s has R and G alone: neither grey nor a picture in colour for a metric", f->name);
    *format = (assay_format){
        .width = pair->width, .height = pair->height, .bit_depth = depth_of(f),
        .layout = colours == RGB ? ASSAY_LAYOUT_RGB : ASSAY_LAYOUT_400, .range = ASSAY_RANGE_FULL,
        .matrix = colours == RGB ? 0 : MATRIX_UNKNOWN, .alpha = f->bits[3] != 0, .gamma = colour->gamma,
        .transfer = colour->transfer ? colour->transfer : texel_is_codes(f) ? TRANSFER_SRGB : TRANSFER_OTHER,
        .primaries = colour->primaries ? colour->primaries : PRIMARIES_709};
    return texel_pair_check(pair, colour->srgb_as_unorm != 0, e);
}

/* ---- planes of texels ---------------------------------------------------------------------------------------------------- */

/* A word holds 4 samples of 8 bits or 2 of 16. */
static int32_t step_of(const struct texel_format *f)
{
    return depth_of(f) > 8 ? 16 : 8;
}

/* A plane of packed texels, and the words of samples that are made of it. */
struct words {
    graph_plane texels;
    uint32_t width, height; /* of the planes of words */
};

/* R, G and B of codes by one pass. */
static int add_colours(struct graph *g, const struct texel_format *f, const struct words *w, uint32_t component, graph_plane *plane,
                       struct assay_error *e)
{
    struct texel_planes_written rgb;
    TRY(texel_planes_add(g, PASS_GRID(texel_planes, w->width, w->height, .texels = w->texels, .words = f->elements,
                                      .shift = texel_fields(f->shift), .bits = texel_fields(f->bits), .samples = 32 / step_of(f),
                                      .step = step_of(f)), &rgb, e));
    *plane = component == 0 ? rgb.red : component == 1 ? rgb.green : rgb.blue;
    return ASSAY_OK;
}

/* One channel by a pass of its own: of floats, of halves, of codes. Values of floats and halves that have no code are counted. */
static int add_floats(struct graph *g, const struct texel_format *f, const struct words *w, uint32_t c, struct texel_plane_at *at,
                      graph_plane *plane, struct assay_error *e)
{
    return texel_plane_float_add(g, PASS_GRID(texel_plane_float, w->width, w->height, .texels = w->texels, .words = f->elements,
                                              .element = (int32_t)c, .samples = 32 / step_of(f), .step = step_of(f)), at, plane, e);
}

static struct texel_plane_pass channel_pass(const struct texel_format *f, const struct words *w, uint32_t c, int32_t scale)
{
    return PASS_GRID(texel_plane, w->width, w->height, .texels = w->texels, .words = f->elements,
                     .element = f->elements == 2 ? (int32_t)c / 2 : 0, .samples = 32 / step_of(f), .step = step_of(f),
                     .shift = f->shift[c], .bits = f->bits[c], .scale = scale);
}

static int add_codes(struct graph *g, const struct texel_format *f, const struct words *w, uint32_t c, graph_plane *plane,
                     struct assay_error *e)
{
    const int32_t whole = (1 << depth_of(f)) - 1, own = (1 << f->bits[c]) - 1;
    if (whole % own)
        return assay_fail(e, ASSAY_EINTERNAL, "%s: codes of %u bits are no samples of %u", f->name, f->bits[c], depth_of(f));
    return texel_plane_add(g, channel_pass(f, w, c, whole / own), plane, e);
}

static int bring(struct graph *g, void *opaque, uint32_t age, enum graph_side side, uint32_t component, graph_plane *plane,
                 struct assay_error *e)
{
    struct score *score = opaque;
    const struct texel_format *f = score->pair.format[side];
    const uint32_t width = score->pair.width, h = score->pair.height, samples = 32 / (uint32_t)step_of(f);
    struct words w = {.width = (width + samples - 1) / samples, .height = h};
    struct texel_plane_at at = {0};
    graph_plane words;
    TRY(graph_frame(g, age, side, 0, f->element, width * f->elements, h, &w.texels, e));
    if (f->kind == TEXEL_FLOAT)
        TRY(add_floats(g, f, &w, component, &at, &words, e));
    else if (f->kind == TEXEL_HALF)
        TRY(texel_plane_half_add(g, channel_pass(f, &w, component, texel_half_shift(f->bits[component])), &at, &words, e));
    else if (f->bits[1] && component < 3)
        TRY(add_colours(g, f, &w, component, &words, e));
    else
        TRY(add_codes(g, f, &w, component, &words, e));
    if (!texel_is_codes(f) && !age) /* the values of earlier frames were looked at with their own frame */
        score->counting[side][component] = (struct score_counting){.counts = true, .at = at};
    return graph_view(g, words, samples == 4 ? SAMPLE_U8 : SAMPLE_U16, width, plane, e);
}

/* Values that have no code end the session: a score of something else would not be one of these images. */
static int check_values(void *opaque, const struct graph *g, uint64_t frame, const struct frame_results *results,
                        struct assay_error *e)
{
    const struct score *score = opaque;
    (void)g;
    for (unsigned side = 0; side < 2; side++)
        for (unsigned c = 0; c < 4; c++) {
            const struct score_counting *counting = &score->counting[side][c];
            const int64_t n = counting->counts ? texel_plane_totals(counting->at, results->totals).without_code : 0;
            if (n)
                return assay_fail(e, ASSAY_EINPUT, "frame %llu: %lld values of channel %c of the %s are below 0, above 1 or NaN: they "
                                  "have no code that a metric could take", (unsigned long long)frame, (long long)n, "RGBA"[c],
                                  gpu_side_name(side));
        }
    return ASSAY_OK;
}

/* ---- sessions ------------------------------------------------------------------------------------------------------------- */

static int check_ready(void *opaque, struct assay_error *e)
{
    const struct score *score = opaque;
    return score->ready ? score->ready(score, e) : ASSAY_OK;
}

static void free_score(void *opaque)
{
    struct score *score = opaque;
    free(score);
}

static int start_on(struct assay_session *s, const struct score *like, const assay_format *format)
{
    const struct selftest_device device = {gpu_reopen, like->gpu};
    struct executor *x;
    struct score *score = malloc(sizeof *score);
    if (!score)
        return assay_fail_memory(&s->error, "a session of images");
    const int rc = gpu_reopen(like->gpu, &x, &s->error);
    if (rc) {
        free(score);
        return rc;
    }
    *score = *like;
    s->source = (struct session_source){.bring = bring, .check = check_values, .ready = check_ready, .free = free_score,
                                        .opaque = score};
    if (!s->config.frames_in_flight)
        s->config.frames_in_flight = SLOTS; /* images are few and large: one is scored while the next is drawn */
    return session_start_on_device(s, format, x, &device);
}

int score_begin(struct assay_session *s)
{
    s->error = (struct assay_error){0};
    const int rc = session_may_start(s);
    if (rc)
        return rc;
    if (s->config.backend || s->config.device)
        return assay_fail(&s->error, ASSAY_EUSAGE, "a session of images runs where they are: its configuration names no backend or device");
    return ASSAY_OK;
}

int score_start(struct assay_session *s, const struct score *like, const assay_image_colour *colour)
{
    assay_format format;
    struct assay_fpenv saved;
    int rc = score_format(&like->pair, colour, &format, &s->error);
    if (rc)
        return rc;
    assay_fpenv_enter(&saved);
    rc = start_on(s, like, &format);
    assay_fpenv_leave(&saved);
    return rc;
}

int score_find(struct assay_session *s, enum score_kind kind, struct score **score)
{
    static const char *const name[] = {"vulkan", "opengl", "vulkan_opengl"};
    s->error = (struct assay_error){0};
    *score = s->source.opaque;
    if (s->started && *score && (*score)->kind == kind)
        return ASSAY_OK;
    return assay_fail(&s->error, ASSAY_EUSAGE, "the session was not started by assay_session_start_%s", name[kind]);
}

int score_check(const struct score *score, const struct texel_pair *pair, struct assay_error *e)
{
    const struct texel_pair *own = &score->pair;
    for (unsigned side = 0; side < 2; side++)
        if (pair->format[side] != own->format[side] || pair->width != own->width || pair->height != own->height)
            return assay_fail(e, ASSAY_EMISMATCH, "the %s is %s, %ux%u; the session was started for %s, %ux%u", gpu_side_name(side),
                              pair->format[side]->name, pair->width, pair->height, own->format[side]->name, own->width, own->height);
    return ASSAY_OK;
}

struct gpu_band score_band(const struct score *score)
{
    return (struct gpu_band){.rows = score->pair.height, .is_first = true, .is_last = true};
}
