/* SPDX-License-Identifier: BSD-2-Clause */
/* Which sides of a pair are scaled, by what. */
#include <stdio.h>

#include "engine/session.h"

int session_check_scale(const assay_config *c, struct assay_error *e)
{
    if (!c->scale && (c->scale_width || c->scale_height || c->scale_siting))
        return assay_fail(e, ASSAY_EUSAGE, "scale_width, scale_height and scale_siting need scale, the filter");
    if (c->scale && scale_filter_from_name(c->scale) == SCALE_FILTERS)
        return assay_fail(e, ASSAY_EUSAGE, "no filter of scaling is called '%s' (bicubic, lanczos, bilinear, spline)",
                          c->scale);
    if (!c->scale_width != !c->scale_height)
        return assay_fail(e, ASSAY_EUSAGE, "scale_width and scale_height are set together");
    if (c->scale_width > FORMAT_MAX_SIDE || c->scale_height > FORMAT_MAX_SIDE)
        return assay_fail(e, ASSAY_EUSAGE, "pictures are scaled to 1x1 to 65535x65535, not %ux%u", c->scale_width,
                          c->scale_height);
    if (c->scale_siting > ASSAY_SCALE_TAG)
        return assay_fail(e, ASSAY_EUSAGE, "scale_siting is an ASSAY_SCALE_*, not %u", c->scale_siting);
    return ASSAY_OK;
}

/* Where chroma lies in what a side is brought to: as in the side that is not scaled, or the reference; a side without a
 * tag is taken to be like the other one. */
static void follow_tags(struct scale_plan *plan)
{
    const bool to_distorted = scale_is_scaled(plan, 0) && !scale_is_scaled(plan, 1);
    assay_chroma_location own[2];
    for (unsigned side = 0; side < 2; side++) {
        const assay_chroma_location there = plan->side[side].from.chroma_location;
        own[side] = there ? there : plan->side[1 - side].from.chroma_location;
    }
    for (unsigned side = 0; side < 2; side++)
        if (scale_is_scaled(plan, side)) {
            plan->side[side].sited = true;
            plan->side[side].from.chroma_location = own[side];
            plan->side[side].to.chroma_location = own[to_distorted];
        }
}

int session_scale(struct assay_session *s, struct session_encode *encode, struct assay_error *e)
{
    struct scale_plan *plan = &encode->scale;
    struct metric_pair *pair = &encode->pair;
    if (!s->config.scale)
        return ASSAY_OK;
    *plan = (struct scale_plan){.filter = scale_filter_from_name(s->config.scale)};
    for (unsigned side = 0; side < 2; side++) {
        plan->side[side].from = pair->held[side];
        plan->side[side].to = pair->side[side];
    }
    encode->scales = scale_is_scaled(plan, 0) || scale_is_scaled(plan, 1);
    if (!encode->scales)
        return ASSAY_OK;
    s->scales = true;
    if (s->source.opaque)
        return assay_fail(e, ASSAY_EUSAGE, "images of an application's device can't be scaled");
    if (s->config.scale_siting == ASSAY_SCALE_TAG)
        follow_tags(plan);
    for (unsigned side = 0; side < 2; side++)
        pair->side[side].chroma_location = plan->side[side].to.chroma_location;
    pair->format.chroma_location = pair->side[0].chroma_location;
    return scale_check(plan, e);
}

void session_print_scale(const struct session_encode *encode, FILE *out)
{
    for (unsigned side = 0; encode->scales && side < 2; side++) {
        const assay_format *a = &encode->scale.side[side].from, *b = &encode->scale.side[side].to;
        if (scale_is_scaled(&encode->scale, side))
            fprintf(out, "scale: the %s, %ux%u, is scaled to %ux%u: %s, chroma %s\n", side ? "distorted" : "reference",
                    a->width, a->height, b->width, b->height, scale_filter_name[encode->scale.filter],
                    encode->scale.side[side].sited ? "as tagged" : "centred");
    }
}
