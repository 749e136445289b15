/* SPDX-License-Identifier: BSD-2-Clause */
/* The colours that the two images state, and which metrics these colours allow. */
#include <string.h>

#include "cli/image/image.h"
#include "host/colour.h"

bool image_metric_of_colour(const char *metric)
{
    const size_t n = strcspn(metric, "=");
    const char *name;
    for (uint32_t i = 0; (name = assay_metric_name(i)); i++)
        if (strlen(name) == n && !memcmp(name, metric, n))
            return assay_metric_of_colour(i) != 0;
    return false; /* adding it says that there is no such metric */
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
