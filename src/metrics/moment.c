/* SPDX-License-Identifier: BSD-2-Clause */
/* First and second raw moments of each picture, on the 8-bit scale. Definitions: docs/metrics/moment.md. */
#include "metrics/metric.h"

struct moment_state {
    uint32_t planes;            /* 1: luma; 3: R, G, B */
    struct moments_at moments[2][3];
    double pixels, step;        /* step: what 1 of the 8-bit scale is in samples */
};

static const struct metric_output moment_outputs[] = {
    {"float_moment_ref1st float_moment_dis1st float_moment_ref2nd float_moment_dis2nd",
     "luma; of RGB one set per plane, with _r _g _b behind", ASSAY_NEUTRAL},
};

static int moment_build(struct metric_build *b)
{
    static const char *const names[] = {"ref1st", "dis1st", "ref2nd", "dis2nd"};
    struct moment_state *s = b->metric->state;
    const assay_format *f = &b->pair->format;
    const bool per_plane = !b->pair->has_luma;
    s->planes = per_plane ? assay_format_planes(f) : 1;
    s->pixels = (double)f->width * f->height;
    s->step = (double)(1u << (f->bit_depth - 8));
    int rc = ASSAY_OK;
    for (uint32_t p = 0; !rc && p < s->planes; p++) {
        for (unsigned side = 0; !rc && side < 2; side++) {
            graph_plane plane;
            rc = per_plane ? metric_plane(b, side, p, &plane) : metric_luma(b, side, &plane);
            if (!rc)
                rc = moments_add(b->graph, PASS(moments, .plane = plane), &s->moments[side][p], b->error);
        }
        for (unsigned i = 0; !rc && i < 4; i++)
            rc = per_plane ? metric_add_key(b, moment_outputs, "float_moment_%s_%s", names[i],
                                            metric_component_name(b->pair, p))
                           : metric_add_key(b, moment_outputs, "float_moment_%s", names[i]);
    }
    return rc;
}

static void moment_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct moment_state *s = m->state;
    for (uint32_t p = 0; p < s->planes; p++)
        for (unsigned side = 0; side < 2; side++) {
            const struct moments_totals t = moments_totals(s->moments[side][p], totals);
            values[4 * p + side] = (double)t.samples / s->step / s->pixels;
            values[4 * p + 2 + side] = i128_to_double(pass_join_halves(t.squares)) / (s->step * s->step) / s->pixels;
        }
    (void)accumulators;
}

const struct metric_ops metric_float_moment = {
    .name = "float_moment", .summary = "mean and mean square of each picture's luma on the 8-bit scale",
    .outputs = moment_outputs, .n_outputs = 1, .state_size = sizeof(struct moment_state),
    .build = moment_build, .frame = moment_frame,
};
