/* SPDX-License-Identifier: BSD-2-Clause */
/* vif: visual information fidelity of luma at four scales, in integers. Definition: docs/metrics/vif.md. */

#include "host/bits.h"
#include "metrics/metric.h"
#include "metrics/options.h"
#include "metrics/vif_map.h"

enum { SCALES = 4, SMALLEST = 16 };

struct vif_options {
    bool debug, skip_scale0;
    double gain_limit;
};

struct vif_state {
    struct vif_at at[SCALES];
};

#define OPTIONS struct vif_options
static const struct metric_option options[] = {
    FLAG_OPTION(debug, "debug", false, "also write the figure of all scales, numerators and denominators"),
    KEY_DOUBLE_OPTION(gain_limit, "vif_enhn_gain_limit", "egl", 100, 1, 100,
                      "largest credit for enhanced contrast; 1 gives none"),
    KEY_FLAG_OPTION(skip_scale0, "vif_skip_scale0", "ssclz", false, "leave scale 0 out; its score is then 0"),
};

enum { OUT_SCORES, OUT_DEBUG, OUT_SUMS };
static const struct metric_output outputs[] = {
    [OUT_SCORES] = {"integer_vif_scale0 ... integer_vif_scale3", "always", ASSAY_HIGHER},
    [OUT_DEBUG] = {"integer_vif", "debug", ASSAY_HIGHER},
    [OUT_SUMS] = {"integer_vif_num integer_vif_den integer_vif_num_scale0 integer_vif_den_scale0 ... "
                  "integer_vif_den_scale3", "debug", ASSAY_NEUTRAL},
};

/* The limit of the gain as the kernels take it: its bits as a double, and itself where it is a whole number. */
struct vif_limit {
    int32_t high, low, whole;
};

static struct vif_limit vif_limit_of(double limit)
{
    const uint64_t bits = bits_of_double(limit);
    const int32_t whole = (int32_t)limit;
    return (struct vif_limit){.high = (int32_t)(uint32_t)(bits >> 32), .low = (int32_t)(uint32_t)bits,
                              .whole = (double)whole == limit ? whole : 0};
}

/* Scale k from 1 on: its picture from that of the scale before, and its sums. An item of a sum is 2x2 pixels. */
static int vif_add_scale(struct metric_build *b, int k, struct vif_limit limit, graph_plane *both)
{
    static int (*const half_add[])(struct graph *, struct vif_half_packed_pass, graph_plane *, struct assay_error *) = {
        [2] = vif_half_2_add, [3] = vif_half_3_add};
    static int (*const add[])(struct graph *, struct vif_packed_pass, struct vif_at *, struct assay_error *) = {
        [1] = vif_1_add, [2] = vif_2_add, [3] = vif_3_add};
    struct vif_state *s = b->metric->state;
    const uint32_t w = b->pair->format.width >> k, h = b->pair->format.height >> k;
    const graph_plane larger = *both;
    if (k > 1)
        TRY(half_add[k](b->graph, PASS_GRID(vif_half_packed, w, h, .both = larger), both, b->error));
    return add[k](b->graph, PASS_GRID(vif_packed, (w + 1) / 2, (h + 1) / 2, .both = *both, .limit_high = limit.high,
                                      .limit_low = limit.low, .whole_limit = limit.whole),
                  &s->at[k], b->error);
}

static int vif_build(struct metric_build *b)
{
    const struct vif_options *o = b->metric->options;
    struct vif_state *s = b->metric->state;
    const assay_format *f = &b->pair->format;
    const int32_t depth = (int32_t)f->bit_depth;
    const struct vif_limit limit = vif_limit_of(o->gain_limit);
    graph_plane ref, dis, both;
    TRY(metric_luma(b, SIDE_REF, &ref));
    TRY(metric_luma(b, SIDE_DIS, &dis));
    if (!o->skip_scale0)
        TRY(vif_0_add(b->graph,
                      PASS_GRID(vif_0, (f->width + 1) / 2, (f->height + 1) / 2, .ref = ref, .dis = dis, .bits = depth,
                                .limit_high = limit.high, .limit_low = limit.low, .whole_limit = limit.whole),
                      &s->at[0], b->error));
    TRY(vif_half_1_add(b->graph,
                       PASS_GRID(vif_half_1, f->width / 2, f->height / 2, .ref = ref, .dis = dis, .shift = depth),
                       &both, b->error));
    for (int k = 1; k < SCALES; k++)
        TRY(vif_add_scale(b, k, limit, &both));
    if (b->maps)
        TRY(vif_add_map(b, "integer_vif", false, o->skip_scale0, o->gain_limit, 2.0)); /* the noise of vif_share.h */
    return metric_add_scale_keys(b, "integer_vif", SCALES, &outputs[OUT_SCORES], o->debug ? &outputs[OUT_DEBUG] : NULL,
                                 &outputs[OUT_SUMS]);
}

/* The numerator and the denominator of a scale. They are rounded to float, and so is their quotient, as in libvmaf. */
struct vif_ratio {
    float num, den;
};

static struct vif_ratio vif_ratio_of(struct vif_at at, const int64_t *totals)
{
    const struct vif_totals t = vif_totals(at, totals);
    const int64_t variance = t.smooth_variance.low + t.smooth_variance.high * 65536;
    const double flat = (double)t.plain, missing = (double)variance / 16384.0 / 65025.0;
    return (struct vif_ratio){.num = (float)((double)t.num_log / 2048.0 + (flat - missing)),
                              .den = (float)((double)t.den_log / 2048.0 + flat)};
}

static void vif_frame(const struct metric *m, const int64_t *totals, double *values, assay_i128 *accumulators)
{
    const struct vif_options *o = m->options;
    const struct vif_state *s = m->state;
    double num[SCALES], den[SCALES], sum_num = 0.0, sum_den = 0.0;
    for (int i = 0; i < SCALES; i++) {
        const bool skip = i == 0 && o->skip_scale0;
        const struct vif_ratio r = skip ? (struct vif_ratio){0.0f, -1.0f} : vif_ratio_of(s->at[i], totals);
        values[i] = skip ? 0.0 : (double)(r.num / r.den);
        num[i] = (double)r.num;
        den[i] = (double)r.den;
        sum_num += skip ? 0.0 : num[i];
        sum_den += skip ? 0.0 : den[i];
    }
    if (o->debug)
        metric_write_scale_sums(values + SCALES, SCALES, sum_num / sum_den, sum_num, sum_den, num, den);
    (void)accumulators;
}

const struct metric_ops metric_vif = {
    .name = "vif", .summary = "visual information fidelity of luma at four scales, in integers",
    METRIC_PARTS(vif, options, outputs),
    .least = SMALLEST, .build = vif_build, .frame = vif_frame,
};
