/* SPDX-License-Identifier: BSD-2-Clause */
/* Brings two images to one format by exact steps. A step is reported, or has to be allowed by name. And which metrics
 * the colours allow that the two state. */
#include <string.h>

#include "cli/image/image.h"
#include "host/colour.h"
#include "host/text.h"

/* ---- one format -------------------------------------------------------------------------------------------------- */

static void describe(const struct image *image, char *text, size_t size)
{
    char format[32];
    snprintf(text, size, "%ux%u %s%s", image->format.width, image->format.height,
             input_format_name(&image->format, format), image->alpha ? " with alpha" : "");
}

static void add(char *text, size_t size, const char *separator, const char *word)
{
    const size_t n = strlen(text);
    snprintf(text + n, size - n, "%s%s", n ? separator : "", word);
}

/* Fails with one message that lists every difference not allowed, and the flags that would allow them. */
static int check(const struct cli *c, const struct image *a, const struct image *b, struct assay_error *e)
{
    const assay_format *f = &a->format, *g = &b->format;
    const bool size = f->width != g->width || f->height != g->height, layout = f->layout != g->layout,
               rgb = f->layout == ASSAY_LAYOUT_RGB || g->layout == ASSAY_LAYOUT_RGB,
               grey = f->layout == ASSAY_LAYOUT_400 || g->layout == ASSAY_LAYOUT_400,
               alpha = !a->alpha != !b->alpha, depth = f->bit_depth != g->bit_depth;
    const bool channels = (layout && !(rgb && grey)) || (alpha && !c->q.allow[ALLOW_ALPHA]);
    char what[80] = "", flags[160] = "", left[80], right[80];
    const bool floats = image_is_float(a) != image_is_float(b);
    if (floats)
        add(what, sizeof what, " and ", "kinds of samples (floats and integers)");
    if (size)
        add(what, sizeof what, " and ", "sizes");
    if (channels)
        add(what, sizeof what, " and ", "channels");
    if (alpha && !c->q.allow[ALLOW_ALPHA])
        add(flags, sizeof flags, ", ", "--allow-alpha takes the one without alpha as opaque");
    if (depth && !floats && !c->q.allow[ALLOW_DEPTH]) {
        add(what, sizeof what, " and ", "bit depths");
        add(flags, sizeof flags, ", ", "--allow-depth takes 8 bits times 257 as 16");
    }
    if (f->range != g->range && f->range && g->range)
        add(what, sizeof what, " and ", "ranges");
    if (!what[0])
        return ASSAY_OK;
    describe(a, left, sizeof left);
    describe(b, right, sizeof right);
    const bool helps = flags[0] && !size && !floats && (!layout || (rgb && grey));
    return assay_fail(e, ASSAY_EMISMATCH, "the %s differ: %s is %s, %s is %s%s%s%s", what, a->name, left, b->name,
                      right, helps ? " (" : "", helps ? flags : "", helps ? ")" : "");
}

int image_match(const struct cli *c, struct image image[2], struct assay_error *e)
{
    const assay_format *f = &image[0].format, *g = &image[1].format;
    TRY(check(c, &image[0], &image[1], e));
    const uint32_t depth = f->bit_depth > g->bit_depth ? f->bit_depth : g->bit_depth;
    const bool alpha = image[0].alpha || image[1].alpha;
    const bool as_rgb = image_is_float(&image[0]) && alpha; /* floats are grey, RGB, or RGB with alpha */
    const assay_layout layout = f->layout == g->layout && !as_rgb ? f->layout : ASSAY_LAYOUT_RGB;
    for (unsigned side = 0; side < 2; side++) {
        if (image[side].format.layout != layout)
            image_notice(&image[side], "is grey, which is compared as three equal channels of RGB");
        TRY(image_convert(&image[side], layout, depth, alpha, e));
    }
    return ASSAY_OK;
}

/* ---- colours ----------------------------------------------------------------------------------------------------- */

bool image_metric_of_colour(const char *metric)
{
    const uint32_t number = assay_metric_find(metric); /* adding one that is not there says so */
    return number != ASSAY_NONE && assay_metric_of_colour(number);
}

bool image_asks_for_colour(const struct cli *c)
{
    for (uint32_t i = 0; i < c->q.metrics; i++)
        if (image_metric_of_colour(c->q.metric[i]))
            return true;
    return false;
}

static bool asks_for_codes(const struct cli *c)
{
    for (uint32_t i = 0; i < c->q.metrics; i++)
        if (!image_metric_of_colour(c->q.metric[i]))
            return true;
    return c->q.metrics == 0;
}

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

int image_colours(const struct cli *c, const struct image image[2], bool *codes, struct assay_error *e)
{
    const struct image *a = &image[0], *b = &image[1];
    *codes = true;
    for (unsigned side = 0; side < 2; side++)
        if (image[side].unknown_colour[0] && !c->assume_srgb && image_asks_for_colour(c))
            return assay_fail(e, ASSAY_EUSAGE, "%s: %s, which metrics of colour need (--assume srgb takes it as sRGB)",
                              image[side].name, image[side].unknown_colour);
    if (c->assume_srgb || c->q.allow[ALLOW_COLOUR] || !differ(a, b))
        return ASSAY_OK;
    *codes = asks_for_codes(c);
    if (!*codes)
        return ASSAY_OK;
    return assay_fail(e, ASSAY_EMISMATCH,
                      "the colours differ: %s is %s, %s is %s (-m ssimulacra2 compares the colours, --allow-colour the "
                      "codes as they are)", a->name, words_of(a), b->name, words_of(b));
}

assay_format image_scored_format(const struct cli *c, const struct image *image)
{
    assay_format f = image->format;
    if (!c->assume_srgb)
        return f;
    f.transfer = 13;
    f.primaries = 1;
    f.gamma = 0;
    memset(f.curve, 0, sizeof f.curve);
    memset(f.to_bt709, 0, sizeof f.to_bt709);
    return f;
}
