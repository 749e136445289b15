/* SPDX-License-Identifier: BSD-2-Clause */
/* Brings two images to one format by exact steps, reported or allowed by name; which metrics their colours allow. */
#include "run/pictures/pictures.h"

#include <string.h>

#include "host/colour.h"
#include "host/text.h"

/* ---- one format -------------------------------------------------------------------------------------------------- */

static void describe(const struct image *image, char *text, size_t size)
{
    char format[32];
    snprintf(text, size, "%ux%u %s%s%s", image->format.width, image->format.height,
             input_format_name(&image->format, format),
             image->plane[3] ? " with alpha" : image->alpha_dropped ? " with alpha that is not read" : "",
             image->format.range == ASSAY_RANGE_LIMITED ? " of limited range" : "");
}

/* Fails with one message that lists every difference not allowed, and the flags that would allow them. */
static int check(const struct request *q, const struct image *a, const struct image *b, struct assay_error *e)
{
    const assay_format *f = &a->format, *g = &b->format;
    const bool size = f->width != g->width || f->height != g->height, layout = f->layout != g->layout,
               rgb = f->layout == ASSAY_LAYOUT_RGB || g->layout == ASSAY_LAYOUT_RGB,
               grey = f->layout == ASSAY_LAYOUT_400 || g->layout == ASSAY_LAYOUT_400,
               alpha = !a->plane[3] != !b->plane[3], depth = f->bit_depth != g->bit_depth;
    const bool floats = image_is_float(a) != image_is_float(b), hidden = a->alpha_dropped || b->alpha_dropped,
               opaque = alpha && !hidden && q->allow[ALLOW_ALPHA];
    const struct { bool differ; const char *what, *flag; } found[] = {
        {floats, "kinds of samples (floats and integers)", NULL},
        {size, "sizes", NULL},
        {(layout && !(rgb && grey)) || (alpha && !opaque), "channels",
         alpha && !hidden && !opaque ? "--allow-alpha takes the one without alpha as opaque" : NULL},
        {depth && !floats && !q->allow[ALLOW_DEPTH], "bit depths", "--allow-depth makes codes of the larger depth"},
        {f->range != g->range && f->range && g->range, "ranges", NULL}};
    char what[80] = "", flags[160] = "", left[80], right[80];
    for (unsigned i = 0; i < sizeof found / sizeof *found; i++) {
        if (found[i].differ)
            text_append(what, sizeof what, "%s%s", *what ? " and " : "", found[i].what);
        if (found[i].differ && found[i].flag)
            text_append(flags, sizeof flags, "%s%s", *flags ? ", " : "", found[i].flag);
    }
    if (!what[0])
        return ASSAY_OK;
    describe(a, left, sizeof left);
    describe(b, right, sizeof right);
    const bool helps = flags[0] && !size && !floats && !(alpha && hidden) && (!layout || (rgb && grey));
    return assay_fail(e, ASSAY_EMISMATCH, "the %s differ: %s is %s, %s is %s%s%s%s", what, a->name, left, b->name,
                      right, helps ? " (" : "", helps ? flags : "", helps ? ")" : "");
}

int image_match(const struct request *q, struct image image[2], struct assay_error *e)
{
    const assay_format *f = &image[0].format, *g = &image[1].format;
    TRY(check(q, &image[0], &image[1], e));
    const uint32_t depth = f->bit_depth > g->bit_depth ? f->bit_depth : g->bit_depth;
    const bool alpha = image[0].plane[3] || image[1].plane[3];
    const bool as_rgb = image_is_float(&image[0]) && alpha; /* floats are grey, RGB, or RGB with alpha */
    const assay_layout layout = f->layout == g->layout && !as_rgb ? f->layout : ASSAY_LAYOUT_RGB;
    for (unsigned side = 0; side < 2; side++) {
        if (image[side].format.layout != layout) { /* grey takes the primaries of the other side, since it has none */
            image[side].format.primaries = image[1 - side].format.primaries;
            memcpy(image[side].format.to_bt709, image[1 - side].format.to_bt709, sizeof f->to_bt709);
            image_notice(&image[side], "is grey, which is compared as three equal channels of RGB");
        }
        TRY(image_convert(&image[side], layout, depth, alpha, e));
    }
    return ASSAY_OK;
}

/* ---- colours ----------------------------------------------------------------------------------------------------- */

static bool differ(const struct image *a, const struct image *b)
{
    for (enum colour_kind kind = 0; kind < COLOUR_KINDS; kind++)
        if (colour_differs(&a->format, &b->format, kind))
            return true;
    return a->icc_fingerprint != b->icc_fingerprint;
}

static const char *words_of(const struct image *image)
{
    return image->untagged ? "untagged, which is sRGB" : image->colour[0] ? image->colour : "of its own";
}

int image_colours(const struct request *q, const struct image image[2], bool *codes, struct assay_error *e)
{
    const struct image *a = &image[0], *b = &image[1];
    *codes = true;
    for (unsigned side = 0; side < 2; side++)
        if (image[side].unknown_colour[0] && !q->assume_srgb && request_names(q, true))
            return assay_fail(e, ASSAY_EUSAGE, "%s: %s, which metrics of colour need (--assume srgb takes it as sRGB)",
                              image[side].name, image[side].unknown_colour);
    if (q->assume_srgb || q->allow[ALLOW_COLOUR] || !differ(a, b))
        return ASSAY_OK;
    *codes = request_names(q, false) || !request_names(q, true);
    if (!*codes)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EMISMATCH, "the colours differ: %s is %s, %s is %s (-m ssimulacra2 compares the "
                      "colours, --allow-colour the codes as they are)", a->name, words_of(a), b->name, words_of(b));
}

assay_format image_alpha_format(const struct image *image)
{
    return (assay_format){.width = image->format.width, .height = image->format.height, .range = ASSAY_RANGE_FULL,
                          .bit_depth = image->format.bit_depth, .layout = ASSAY_LAYOUT_400};
}

assay_format image_scored_format(const struct request *q, const struct image *image)
{
    assay_format f = image->format;
    if (!q->assume_srgb)
        return f;
    f.transfer = 13;
    f.primaries = 1;
    f.gamma = 0;
    memset(f.curve, 0, sizeof f.curve);
    memset(f.to_bt709, 0, sizeof f.to_bt709);
    return f;
}
