/* SPDX-License-Identifier: BSD-2-Clause */
/* First and second raw moments of each picture, on the 8-bit scale. Definitions: docs/metrics/moment.md. */
#include "metrics/metric.h"

struct moment_state {
    uint32_t planes;            /* 1: luma; 3: R, G, B */
    uint32_t totals[2][3];
    double pixels, step;        /* samples per 8-bit step */
};

static const struct metric_output moment_outputs[] = {
    {"float_moment_ref1st float_moment_dis1st float_moment_ref2nd float_moment_dis2nd",
     "luma; of RGB one set per plane, with _r _g _b behind"},
};

static int moment_allows(const struct metric_pair *pair, const void *options, struct assay_error *e)
{
    (void)pair;
    (void)options;
    (void)e;
    return ASSAY_OK;
}

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
            struct graph_pass_request r = {.family = KERNEL_MOMENTS};
            graph_pass pass;
            rc = per_plane ? metric_plane(b, side, p, &r.in[0]) : metric_luma(b, side, &r.in[0]);
            if (!rc)
                rc = graph_add(b->graph, &r, &pass, NULL, b->error);
            if (!rc)
                s->totals[side][p] = metric_totals(b, pass);
        }
        for (unsigned i = 0; !rc && i < 4; i++)
            rc = per_plane ? metric_add_key(b, "float_moment_%s_%s", names[i], metric_component_name(b->pair, p))
                           : metric_add_key(b, "float_moment_%s", names[i]);
    }
    return rc;
}

static void moment_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct moment_state *s = m->state;
    for (uint32_t p = 0; p < s->planes; p++)
        for (unsigned side = 0; side < 2; side++) {
            const int64_t *t = totals + s->totals[side][p];
            const assay_i128 squares = t[1] + (assay_i128)t[2] * 65536;
            values[4 * p + side] = (double)t[0] / s->step / s->pixels;
            values[4 * p + 2 + side] = i128_to_double(squares) / (s->step * s->step) / s->pixels;
        }
    (void)accumulators;
}

extern const struct metric_ops metric_float_moment;
const struct metric_ops metric_float_moment = {
    .name = "float_moment", .summary = "mean and mean square of each picture's luma on the 8-bit scale",
    .outputs = moment_outputs, .n_outputs = 1, .state_size = sizeof(struct moment_state),
    .allows = moment_allows, .build = moment_build, .frame = moment_frame,
};
