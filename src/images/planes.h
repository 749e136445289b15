/* SPDX-License-Identifier: BSD-2-Clause */
/* The planes that metrics ask for, made of packed texels by passes in front of the metrics' own. */
#ifndef ASSAY_IMAGES_PLANES_H
#define ASSAY_IMAGES_PLANES_H

#include "images/compare.h"

/* Where the values of a channel that have no code are counted. */
struct texel_counting {
    bool counts; /* else every value has a code */
    struct texel_plane_at at;
};

struct texel_planes {
    struct texel_pair pair;
    struct texel_counting counting[2][4]; /* by side and channel */
};

/* The format that metrics are told. Fails when no metric can take such texels. */
int texel_planes_format(const struct texel_pair *pair, const assay_gpu_options *options, assay_format *format,
                        struct assay_error *e);

/* The words of the samples of a component: two or four in each. The size is that of a component in samples. */
int texel_planes_words(struct graph *g, struct texel_planes *planes, uint32_t age, enum graph_side side,
                       uint32_t component, uint32_t width, uint32_t height, graph_plane *words, struct assay_error *e);

/* A graph_bring whose `opaque` is a struct texel_planes. */
int texel_planes_bring(struct graph *g, void *opaque, uint32_t age, enum graph_side side, uint32_t component,
                       uint32_t width, uint32_t height, graph_plane *plane, struct assay_error *e);

/* Fails when a frame had values without a code: a score of something else would not be one of these images. */
int texel_planes_check(const struct texel_planes *planes, uint64_t frame, const struct frame_results *results,
                       struct assay_error *e);

#endif
