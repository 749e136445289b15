/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The passes that bring the planes of a side to another size, in front of everything that reads them (graph_bring).
 * docs/scaling.md has the definition.
 */
#ifndef ASSAY_SCALE_PASSES_H
#define ASSAY_SCALE_PASSES_H

#include <assay/assay.h>

#include "graph/graph.h"
#include "scale/taps.h"

struct scale_plan {
    enum scale_filter filter;
    bool any; /* as in scale_taps_make */
    struct {
        /* What frames hold and what the planes are brought to. They differ in size, and in the chroma's location where
         * the plan follows it. Equal sizes: the side is not scaled. */
        assay_format from, to;
        bool sited; /* chroma lies where both formats say; else at the middle of its luma samples */
    } side[2];
};

/* Whether the sizes of a side differ. */
bool scale_is_scaled(const struct scale_plan *plan, unsigned side);

/* Fails where a side can't be scaled: its layout, depth, alpha or sizes. */
int scale_check(const struct scale_plan *plan, struct assay_error *e);

/* The plan for frames of another size, width x height behind scaling, by the same ratios as near as they go. */
struct scale_plan scale_plan_resized(const struct scale_plan *plan, uint32_t width, uint32_t height);

/* graph_bring; `plan` is a struct scale_plan. */
int scale_bring(struct graph *g, void *plan, uint32_t age, enum graph_side side, uint32_t component, uint32_t width,
                uint32_t height, graph_plane *plane, struct assay_error *e);

#endif
