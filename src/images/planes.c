/* SPDX-License-Identifier: BSD-2-Clause */
#include "images/planes.h"

#include "images/lent.h"

enum { GREY = 1, RGB = 7 }; /* as texel_channels has them */

/* Code points of H.273, and what assay_format has beside them. */
enum { PRIMARIES_709 = 1, MATRIX_UNKNOWN = 2, TRANSFER_SRGB = 13, TRANSFER_OTHER = 255 };

static uint32_t depth_of(const struct texel_format *f)
{
    return texel_is_codes(f) ? f->bits[0] : 16;
}

int texel_planes_format(const struct texel_pair *pair, const assay_gpu_options *options, assay_format *format,
                        struct assay_error *e)
{
    const struct texel_format *f = pair->format[0];
    const uint32_t colours = texel_channels(f) & RGB;
    if (colours != GREY && colours != RGB)
        return assay_fail(e, ASSAY_EUSAGE, "%s has R and G alone: neither grey nor a picture in colour for a metric",
                          f->name);
    *format = (assay_format){
        .width = pair->width, .height = pair->height, .bit_depth = depth_of(f),
        .layout = colours == RGB ? ASSAY_LAYOUT_RGB : ASSAY_LAYOUT_400, .range = ASSAY_RANGE_FULL,
        .matrix = colours == RGB ? 0 : MATRIX_UNKNOWN, .alpha = f->bits[3] != 0, .gamma = options->gamma,
        .transfer = options->transfer ? options->transfer : texel_is_codes(f) ? TRANSFER_SRGB : TRANSFER_OTHER,
        .primaries = options->primaries ? options->primaries : PRIMARIES_709};
    return texel_pair_check(pair, options->srgb_as_unorm != 0, e);
}

/* A word holds 4 samples of 8 bits or 2 of 16. */
static int32_t step_of(const struct texel_format *f)
{
    return depth_of(f) > 8 ? 16 : 8;
}

/* A plane of packed texels, and the size of the words of samples that are made of it. */
struct packed {
    graph_plane texels;
    uint32_t width, height;
};

/* R, G and B of codes by one pass. */
static int add_colours(struct graph *g, const struct texel_format *f, const struct packed *p, uint32_t component,
                       graph_plane *words, struct assay_error *e)
{
    struct texel_planes_written rgb;
    TRY(texel_planes_add(g,
                         PASS_GRID(texel_planes, p->width, p->height, .texels = p->texels, .words = f->elements,
                                   .shift = texel_fields(f->shift), .bits = texel_fields(f->bits),
                                   .samples = 32 / step_of(f), .step = step_of(f)),
                         &rgb, e));
    *words = component == 0 ? rgb.red : component == 1 ? rgb.green : rgb.blue;
    return ASSAY_OK;
}

/* One channel by a pass of its own. Floats and halves without a code are counted. */
static int add_floats(struct graph *g, const struct texel_format *f, const struct packed *p, uint32_t channel,
                      struct texel_plane_at *at, graph_plane *words, struct assay_error *e)
{
    return texel_plane_float_add(g,
                                 PASS_GRID(texel_plane_float, p->width, p->height, .texels = p->texels,
                                           .words = f->elements, .element = (int32_t)channel,
                                           .samples = 32 / step_of(f), .step = step_of(f)),
                                 at, words, e);
}

static struct texel_plane_pass channel_pass(const struct texel_format *f, const struct packed *p, uint32_t channel,
                                            int32_t scale)
{
    return PASS_GRID(texel_plane, p->width, p->height, .texels = p->texels, .words = f->elements,
                     .element = f->elements == 2 ? (int32_t)channel / 2 : 0, .samples = 32 / step_of(f),
                     .step = step_of(f), .shift = f->shift[channel], .bits = f->bits[channel], .scale = scale);
}

static int add_codes(struct graph *g, const struct texel_format *f, const struct packed *p, uint32_t channel,
                     graph_plane *words, struct assay_error *e)
{
    const int32_t whole = (1 << depth_of(f)) - 1, own = (1 << f->bits[channel]) - 1;
    if (whole % own)
        return assay_fail(e, ASSAY_EINTERNAL, "%s: codes of %u bits are no samples of %u", f->name, f->bits[channel],
                          depth_of(f));
    return texel_plane_add(g, channel_pass(f, p, channel, whole / own), words, e);
}

int texel_planes_words(struct graph *g, struct texel_planes *planes, uint32_t age, enum graph_side side,
                       uint32_t component, uint32_t width, uint32_t height, graph_plane *words, struct assay_error *e)
{
    const struct texel_format *f = planes->pair.format[side];
    const uint32_t samples = 32 / (uint32_t)step_of(f);
    struct packed p = {.width = (width + samples - 1) / samples, .height = height};
    struct texel_plane_at at = {0};
    TRY(graph_frame(g, age, side, 0, f->element, width * f->elements, p.height, &p.texels, e));
    if (f->kind == TEXEL_FLOAT)
        TRY(add_floats(g, f, &p, component, &at, words, e));
    else if (f->kind == TEXEL_HALF)
        TRY(texel_plane_half_add(g, channel_pass(f, &p, component, texel_half_shift(f->bits[component])), &at, words,
                                 e));
    else if (f->bits[1] && component < 3)
        TRY(add_colours(g, f, &p, component, words, e));
    else
        TRY(add_codes(g, f, &p, component, words, e));
    /* Values of an earlier frame are counted with that frame. The session's graph is built before the self-test's;
     * both have the same passes, so the position that is kept here holds in both. */
    if (!texel_is_codes(f) && !age && !planes->counting[side][component].counts)
        planes->counting[side][component] = (struct texel_counting){.counts = true, .at = at};
    return ASSAY_OK;
}

int texel_planes_bring(struct graph *g, void *opaque, uint32_t age, enum graph_side side, uint32_t component,
                       uint32_t width, uint32_t height, graph_plane *plane, struct assay_error *e)
{
    struct texel_planes *planes = opaque;
    const enum sample_type type = depth_of(planes->pair.format[side]) > 8 ? SAMPLE_U16 : SAMPLE_U8;
    graph_plane words;
    TRY(texel_planes_words(g, planes, age, side, component, width, height, &words, e));
    return graph_view(g, words, type, width, plane, e);
}

int texel_planes_check(const struct texel_planes *planes, uint64_t frame, const struct frame_results *results,
                       struct assay_error *e)
{
    for (unsigned side = 0; side < 2; side++)
        for (unsigned c = 0; c < 4; c++) {
            const struct texel_counting *counting = &planes->counting[side][c];
            const int64_t n = counting->counts ? texel_plane_totals(counting->at, results->totals).without_code : 0;
            if (n)
                return assay_fail(e, ASSAY_EINPUT,
                                  "frame %llu: %lld values of channel %c of the %s are below 0, above 1 or NaN: they "
                                  "have no code that a metric could take", (unsigned long long)frame, (long long)n,
                                      "RGBA"[c],
                                  lent_name(side));
        }
    return ASSAY_OK;
}
