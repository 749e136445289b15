/* SPDX-License-Identifier: BSD-2-Clause */
/* diff: how many pixels differ, and by how much at most. Definitions: docs/metrics/diff.md. */
#include <stddef.h>

#include "metrics/metric.h"

struct diff_options {
    bool per_plane;
};

/* A plane of differences, counted: where its results are. */
struct diff_figure {
    uint32_t totals, extrema, width;
};

struct diff_state {
    uint32_t planes;             /* figures of single planes, 0 when not asked */
    struct diff_figure plane[3];
    struct diff_figure all;
};

#define AT(field) offsetof(struct diff_options, field)
static const struct metric_option options[] = {
    {"per_plane", NULL, OPTION_BOOL, AT(per_plane), 0, 0, 1, false,
     "also write the largest difference and the number of differing samples of each plane"},
};
#undef AT

static const struct metric_output outputs[] = {
    {"max_diff max_diff_at_x max_diff_at_y diff_pixels", "always"},
    {"max_diff_y max_diff_cb max_diff_cr diff_samples_y diff_samples_cb diff_samples_cr",
     "per_plane (max_diff_r ... diff_samples_b of RGB)"},
};

static int allows(const struct metric_pair *pair, const void *opaque, struct assay_error *e)
{
    (void)pair;
    (void)opaque;
    (void)e;
    return ASSAY_OK;
}

/* The differences of component p. */
static int add_plane(struct metric_build *b, uint32_t p, graph_plane *size)
{
    const assay_format *f = &b->pair->format;
    struct graph_pass_request r = {.family = KERNEL_DIFF, .out = {{assay_format_plane_width(f, p), assay_format_plane_height(f, p)}}};
    graph_pass pass;
    int rc = metric_plane(b, SIDE_REF, p, &r.in[0]);
    if (!rc)
        rc = metric_plane(b, SIDE_DIS, p, &r.in[1]);
    return rc ? rc : graph_add(b->graph, &r, &pass, size, b->error);
}

/* The larger ones of the differences so far and those of component p, whose plane has the same size. */
static int add_more(struct metric_build *b, uint32_t p, graph_plane *size)
{
    const assay_format *f = &b->pair->format;
    struct graph_pass_request r = {.family = KERNEL_DIFF_MORE, .in = {0, 0, *size},
                                   .out = {{assay_format_plane_width(f, p), assay_format_plane_height(f, p)}}};
    graph_pass pass;
    int rc = metric_plane(b, SIDE_REF, p, &r.in[0]);
    if (!rc)
        rc = metric_plane(b, SIDE_DIS, p, &r.in[1]);
    return rc ? rc : graph_add(b->graph, &r, &pass, size, b->error);
}

/* All planes of a pixel: subsampled chroma is joined at its own size before it is joined with luma. */
static int add_all(struct metric_build *b, graph_plane *joined)
{
    const assay_format *f = &b->pair->format;
    const bool x4 = f->layout == ASSAY_LAYOUT_411, x2 = f->layout == ASSAY_LAYOUT_420 || f->layout == ASSAY_LAYOUT_422;
    struct graph_pass_request r = {.family = KERNEL_DIFF_JOIN, .out = {{f->width, f->height}}};
    graph_pass pass;
    graph_plane chroma;
    int rc = add_plane(b, 0, joined);
    if (!x4 && !x2) {
        for (uint32_t p = 1; !rc && p < assay_format_planes(f); p++)
            rc = add_more(b, p, joined);
        return rc;
    }
    if (!rc)
        rc = add_plane(b, 1, &chroma);
    if (!rc)
        rc = add_more(b, 2, &chroma);
    if (rc)
        return rc;
    r.in[0] = *joined;
    r.in[1] = chroma;
    r.param[0].i = x4 ? 2 : 1;
    r.param[1].i = f->layout == ASSAY_LAYOUT_420;
    return graph_add(b->graph, &r, &pass, joined, b->error);
}

static int count(struct metric_build *b, graph_plane size, struct diff_figure *figure)
{
    const struct graph_pass_request r = {.family = KERNEL_DIFF_COUNT, .in = {size}};
    graph_pass pass;
    const int rc = graph_add(b->graph, &r, &pass, NULL, b->error);
    if (!rc)
        *figure = (struct diff_figure){.totals = metric_totals(b, pass), .extrema = b->graph->pass[pass].extrema,
                                       .width = b->graph->pass[pass].grid_w};
    return rc;
}

static int build(struct metric_build *b)
{
    const struct diff_options *o = b->metric->options;
    struct diff_state *s = b->metric->state;
    const uint32_t planes = assay_format_planes(&b->pair->format);
    graph_plane joined, size;
    int rc = add_all(b, &joined);
    for (uint32_t p = 0; !rc && o->per_plane && p < planes; p++) {
        rc = add_plane(b, p, &size);
        if (!rc)
            rc = count(b, size, &s->plane[p]);
    }
    if (!rc)
        rc = count(b, joined, &s->all);
    if (!rc)
        rc = metric_add_map(b, "diff", joined);
    static const char *const names[] = {"max_diff", "max_diff_at_x", "max_diff_at_y", "diff_pixels"};
    for (unsigned i = 0; !rc && i < sizeof names / sizeof names[0]; i++)
        rc = metric_add_key(b, "%s", names[i]);
    s->planes = o->per_plane ? planes : 0;
    for (uint32_t p = 0; !rc && p < s->planes; p++) {
        rc = metric_add_key(b, "max_diff_%s", metric_component_name(b->pair, p));
        if (!rc)
            rc = metric_add_key(b, "diff_samples_%s", metric_component_name(b->pair, p));
    }
    return rc;
}

static void frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct diff_state *s = m->state;
    values[3] = (double)totals[s->all.totals];
    for (uint32_t p = 0; p < s->planes; p++)
        values[4 + 2 * p + 1] = (double)totals[s->plane[p].totals];
    (void)accumulators;
}

static void extremes(const struct metric *m, const uint32_t *extrema, double *values)
{
    const struct diff_state *s = m->state;
    const uint32_t *pair = extrema + 2 * (size_t)s->all.extrema;
    values[0] = pair[0];
    values[1] = pair[1] % s->all.width; /* raster order: 0, 0 when nothing differs */
    values[2] = pair[1] / s->all.width;
    for (uint32_t p = 0; p < s->planes; p++)
        values[4 + 2 * p] = extrema[2 * (size_t)s->plane[p].extrema];
}

extern const struct metric_ops metric_diff;
const struct metric_ops metric_diff = {
    .name = "diff", .summary = "how many pixels differ, and the largest difference with its pixel",
    .options = options, .n_options = 1, .outputs = outputs, .n_outputs = sizeof outputs / sizeof outputs[0],
    .options_size = sizeof(struct diff_options), .state_size = sizeof(struct diff_state),
    .allows = allows, .build = build, .frame = frame, .extremes = extremes,
};
