/* SPDX-License-Identifier: BSD-2-Clause */
/* diff: how many pixels differ, and by how much at most. Definitions: docs/metrics/diff.md. */
#include "metrics/metric.h"

struct diff_options {
    bool per_plane;
};

/* Where the results of a plane of differences are. */
struct diff_figure {
    struct diff_count_at at;
    uint32_t width; /* of the plane */
};

struct diff_state {
    uint32_t planes;             /* how many have figures of their own: 0 without per_plane */
    struct diff_figure plane[3];
    struct diff_figure all;
};

#define OPTIONS struct diff_options
static const struct metric_option options[] = {
    FLAG_OPTION(per_plane, "per_plane", false,
                "also write the largest difference and the number of differing samples of each plane"),
};

enum { SIZES, PLACE, SIZES_OF_PLANES };
static const struct metric_output outputs[] = {
    [SIZES] = {"max_diff diff_pixels", "always", ASSAY_LOWER},
    [PLACE] = {"max_diff_at_x max_diff_at_y", "always", ASSAY_NEUTRAL},
    [SIZES_OF_PLANES] = {"max_diff_y max_diff_cb max_diff_cr diff_samples_y diff_samples_cb diff_samples_cr",
                         "per_plane (max_diff_r ... diff_samples_b of RGB)", ASSAY_LOWER},
};

/* Gives the differences of component p as a plane. If `more`, they replace smaller ones in *size, which has the same
 * size. */
static int diff_add_plane(struct metric_build *b, uint32_t p, bool more, graph_plane *size)
{
    graph_plane ref, dis;
    TRY(metric_plane(b, SIDE_REF, p, &ref));
    TRY(metric_plane(b, SIDE_DIS, p, &dis));
    return more ? diff_more_add(b->graph, PASS(diff_more, .ref = ref, .dis = dis, .before = *size), size, b->error)
                : diff_add(b->graph, PASS(diff, .ref = ref, .dis = dis), size, b->error);
}

/* Gives the largest difference of each pixel over its components. Subsampled chroma planes are joined first, at their
 * size. */
static int diff_add_all(struct metric_build *b, graph_plane *joined)
{
    const assay_format *f = &b->pair->format;
    const bool x4 = f->layout == ASSAY_LAYOUT_411, x2 = f->layout == ASSAY_LAYOUT_420 || f->layout == ASSAY_LAYOUT_422;
    graph_plane chroma;
    TRY(diff_add_plane(b, 0, false, joined));
    if (!x4 && !x2) {
        for (uint32_t p = 1; p < assay_format_planes(f); p++)
            TRY(diff_add_plane(b, p, true, joined));
        return ASSAY_OK;
    }
    TRY(diff_add_plane(b, 1, false, &chroma));
    TRY(diff_add_plane(b, 2, true, &chroma));
    return diff_join_add(b->graph, PASS(diff_join, .size = *joined, .other = chroma, .sx = x4 ? 2 : 1,
                                        .sy = f->layout == ASSAY_LAYOUT_420), joined, b->error);
}

static int diff_add_count(struct metric_build *b, graph_plane size, struct diff_figure *figure)
{
    figure->width = b->graph->plane[size].width;
    return diff_count_add(b->graph, PASS(diff_count, .size = size), &figure->at, b->error);
}

static int diff_build(struct metric_build *b)
{
    const struct diff_options *o = b->metric->options;
    struct diff_state *s = b->metric->state;
    const uint32_t planes = assay_format_planes(&b->pair->format);
    graph_plane joined, size;
    TRY(diff_add_all(b, &joined));
    for (uint32_t p = 0; o->per_plane && p < planes; p++) {
        TRY(diff_add_plane(b, p, false, &size));
        TRY(diff_add_count(b, size, &s->plane[p]));
    }
    TRY(diff_add_count(b, joined, &s->all));
    TRY(metric_add_map(b, "diff", joined, 0));
    TRY(metric_add_key(b, &outputs[SIZES], "max_diff"));
    TRY(metric_add_key(b, &outputs[PLACE], "max_diff_at_x"));
    TRY(metric_add_key(b, &outputs[PLACE], "max_diff_at_y"));
    TRY(metric_add_key(b, &outputs[SIZES], "diff_pixels"));
    s->planes = o->per_plane ? planes : 0;
    for (uint32_t p = 0; p < s->planes; p++) {
        TRY(metric_add_key(b, &outputs[SIZES_OF_PLANES], "max_diff_%s", metric_component_name(b->pair, p)));
        TRY(metric_add_key(b, &outputs[SIZES_OF_PLANES], "diff_samples_%s", metric_component_name(b->pair, p)));
    }
    return ASSAY_OK;
}

static void diff_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct diff_state *s = m->state;
    values[3] = (double)diff_count_totals(s->all.at, totals).differing;
    for (uint32_t p = 0; p < s->planes; p++)
        values[4 + 2 * p + 1] = (double)diff_count_totals(s->plane[p].at, totals).differing;
    (void)accumulators;
}

static void diff_extremes(const struct metric *m, const uint32_t *extrema, double *values)
{
    const struct diff_state *s = m->state;
    const struct kernel_extremum largest = diff_count_extrema(s->all.at, extrema).extremum;
    values[0] = largest.value;
    values[1] = largest.position % s->all.width; /* positions count in raster order; 0, 0 when nothing differs */
    values[2] = largest.position / s->all.width;
    for (uint32_t p = 0; p < s->planes; p++)
        values[4 + 2 * p] = diff_count_extrema(s->plane[p].at, extrema).extremum.value;
}

const struct metric_ops metric_diff = {
    .name = "diff", .summary = "how many pixels differ, and the largest difference with its pixel",
    METRIC_PARTS(diff, options, outputs),
    .build = diff_build, .frame = diff_frame, .extremes = diff_extremes,
};
