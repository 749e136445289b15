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

/* R, G and B of codes by one pass. */
static int add_colours(struct graph *g, const struct texel_format *f, const struct graph_pass_request *like,
                       graph_plane words[3], struct assay_error *e)
{
    struct graph_pass_request r = *like;
    graph_pass pass;
    r.family = KERNEL_TEXEL_PLANES;
    for (unsigned c = 1; c < 3; c++)
        r.out[c] = r.out[0];
    r.param[1].i = texel_fields(f->shift);
    r.param[2].i = texel_fields(f->bits);
    r.param[3].i = 32 / step_of(f);
    r.param[4].i = step_of(f);
    return graph_add(g, &r, &pass, words, e);
}

/* Any other channel by a pass of its own. */
static int add_channel(struct graph *g, const struct texel_format *f, const struct graph_pass_request *like, unsigned c,
                       graph_pass *pass, graph_plane *words, struct assay_error *e)
{
    struct graph_pass_request r = *like;
    r.family = texel_is_codes(f)       ? KERNEL_TEXEL_PLANE
               : f->kind == TEXEL_HALF ? KERNEL_TEXEL_PLANE_HALF
                                       : KERNEL_TEXEL_PLANE_FLOAT;
    r.param[1].i = f->kind == TEXEL_FLOAT ? (int32_t)c : f->elements == 2 ? (int32_t)c / 2 : 0;
    r.param[2].i = 32 / step_of(f);
    r.param[3].i = step_of(f);
    if (f->kind == TEXEL_FLOAT)
        return graph_add(g, &r, pass, words, e);
    r.param[4].i = f->shift[c];
    r.param[5].i = f->bits[c];
    if (texel_is_codes(f)) {
        const int32_t whole = (1 << depth_of(f)) - 1, own = (1 << f->bits[c]) - 1;
        if (whole % own)
            return assay_fail(e, ASSAY_EINTERNAL, "%s: codes of %u bits are no samples of %u", f->name, f->bits[c],
                              depth_of(f));
        r.param[6].i = whole / own;
    } else {
        r.param[6].i = texel_half_shift(f->bits[c]);
    }
    return graph_add(g, &r, pass, words, e);
}

int texel_planes_bring(struct graph *g, void *opaque, uint32_t age, enum graph_side side, uint32_t component,
                       graph_plane *plane, struct assay_error *e)
{
    struct texel_planes *planes = opaque;
    const struct texel_format *f = planes->pair.format[side];
    const uint32_t w = planes->pair.width, h = planes->pair.height, samples = 32 / (uint32_t)step_of(f);
    struct graph_pass_request like = {.out = {{(w + samples - 1) / samples, h}}, .grid_w = (w + samples - 1) / samples,
                                      .grid_h = h};
    graph_plane words[3];
    graph_pass pass;
    int rc = graph_frame(g, age, side, 0, f->element, w * f->elements, h, &like.in[0], e);
    like.param[0].i = f->elements;
    const bool together = texel_is_codes(f) && f->bits[1] && component < 3;
    if (!rc && together)
        rc = add_colours(g, f, &like, words, e);
    else if (!rc)
        rc = add_channel(g, f, &like, component, &pass, words, e);
    if (!rc && !texel_is_codes(f) && !age) /* earlier frames had their turn */
        planes->counting[side][component] = pass + 1;
    return rc ? rc : graph_view(g, words[together ? component : 0], samples == 4 ? SAMPLE_U8 : SAMPLE_U16, w, plane, e);
}

int texel_planes_check(const struct texel_planes *planes, const struct graph *g, uint64_t frame,
                       const struct frame_results *results, struct assay_error *e)
{
    for (unsigned side = 0; side < 2; side++)
        for (unsigned c = 0; c < 4; c++) {
            const graph_pass counting = planes->counting[side][c];
            const int64_t n = counting ? results->totals[g->pass[counting - 1].totals] : 0;
            if (n)
                return assay_fail(e, ASSAY_EINPUT,
                                  "frame %llu: %lld values of channel %c of the %s are below 0, above 1 or NaN: they "
                                  "have no code that a metric could take", (unsigned long long)frame, (long long)n,
                                      "RGBA"[c],
                                  lent_name(side));
        }
    return ASSAY_OK;
}
