/* SPDX-License-Identifier: BSD-2-Clause */
/* ssim: the integer SSIM of the Daala tools on luma, every pixel, no scaling. Definition: docs/metrics/ssim.md. */
#include "host/exact_math.h"
#include "metrics/metric.h"

struct ssim_state {
    struct ssim_int_at at;
    double weight; /* the sum of w / 65536 over all pixels */
};

static const struct metric_output outputs[] = {{"ssim", "always", ASSAY_HIGHER}};

/* The sum of the weights of the taps that lie inside the picture, over the n positions of an axis. A tap at distance
 * d lies outside at min(d, n) of them. */
static int64_t ssim_axis_weight(int64_t n)
{
    static const int tap[] = {SSIM_INT_TAP_0, SSIM_INT_TAP_1, SSIM_INT_TAP_2, SSIM_INT_TAP_3, SSIM_INT_TAP_4};
    int64_t sum = tap[0] * n;
    for (int64_t d = 1; d <= 4; d++)
        sum += 2 * tap[d] * (n - (d < n ? d : n));
    return sum;
}

static int ssim_add_map(struct metric_build *b, struct ssim_int_pass pass)
{
    graph_plane map;
    TRY(metric_plane_u32(b, SIDE_REF, 0, &pass.ref));
    TRY(metric_plane_u32(b, SIDE_DIS, 0, &pass.dis));
    TRY(ssim_int_map_add(b->graph, pass, &map, b->error));
    return metric_add_map(b, "ssim", map, 0.5);
}

static int ssim_build(struct metric_build *b)
{
    struct ssim_state *s = b->metric->state;
    const assay_format *f = &b->pair->format;
    const int depth = (int)f->bit_depth;
    const double peak = (double)((1u << depth) - 1) / (double)(1u << depth); /* the kernel's unit is 2^depth */
    /* A kernel for at most 11 bits is faster. Planes of 8-bit samples have one of their own; luma of RGB has 32-bit
     * samples. */
    const bool few_bits = depth > 8 ? depth <= 11 : b->pair->rgb_to_luma;
    graph_plane ref, dis;
    TRY(metric_luma(b, SIDE_REF, &ref));
    TRY(metric_luma(b, SIDE_DIS, &dis));
    const struct ssim_int_pass pass =
        PASS(ssim_int, .ref = ref, .dis = dis, .mean_unit = (float)assay_power_of_two(-16 - depth),
             .variance_unit = (float)assay_power_of_two(-32 - 2 * depth),
             .c1 = (float)(peak * peak * (0.01 * 0.01)), .c2 = (float)(peak * peak * (0.03 * 0.03)));
    TRY((few_bits ? ssim_int_11_add : ssim_int_add)(b->graph, pass, &s->at, b->error));
    if (b->maps)
        TRY(ssim_add_map(b, pass));
    s->weight = (double)ssim_axis_weight(f->width) * (double)ssim_axis_weight(f->height) / 65536.0;
    return metric_add_key(b, outputs, "ssim");
}

static void ssim_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct ssim_state *s = m->state;
    values[0] = METRIC_JOIN(ssim_int_totals(s->at, totals).score, SSIM_INT_SCALE) / s->weight;
    (void)accumulators;
}

const struct metric_ops metric_ssim = {
    .name = "ssim", .summary = "structural similarity of luma with integer moments, every pixel",
    .outputs = outputs, .n_outputs = 1, .state_size = sizeof(struct ssim_state),
    .least = 1, .build = ssim_build, .frame = ssim_frame,
};
